package main

import (
	"fmt"
	"io"
	"time"
)

// report prints the table and returns how many budgets were missed.
func report(out io.Writer, machine string, runs int, scenarios []*scenario) (missed int) {
	verdict := func(met bool) string {
		if met {
			return "met"
		}
		missed++
		return "**missed**"
	}
	fmt.Fprintf(out, "Machine: %s. Whole processes, %d runs each after warm-up, times in ms; CPU is user and system time.\n\n", machine, runs)
	fmt.Fprintln(out, "| command | median | min | max | CPU median | peak MB | budget | |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |")
	for _, s := range scenarios {
		wall := s.wall()
		budget, result := "", ""
		if s.budget > 0 {
			budget = ms(s.budget) + " ms"
			result = verdict(wall.median <= s.budget)
		}
		if s.memory > 0 {
			budget += fmt.Sprintf(", %d MB", s.memory>>20)
			result += ", " + verdict(s.peakBytes <= s.memory)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %.0f | %s | %s |\n", s.name,
			ms(wall.median), ms(wall.min), ms(wall.max), ms(s.cpu().median), float64(s.peakBytes)/(1<<20), budget, result)
	}
	for _, s := range scenarios {
		if s.ratioTo == nil {
			continue
		}
		wall, reference := s.wall(), s.ratioTo.wall()
		median := ratio(wall.median, reference.median)
		fmt.Fprintf(out, "| %s, as a ratio | %.2f | %.2f | | %.2f | | %.1f | %s |\n", s.name,
			median, ratio(wall.min, reference.min), ratio(s.cpu().median, s.ratioTo.cpu().median), s.ratioMax, verdict(median <= s.ratioMax))
	}
	return missed
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }
