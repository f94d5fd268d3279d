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
	fmt.Fprintf(out, "Machine: %s. Whole processes, %d runs each after warm-up, wall time in ms.\n\n", machine, runs)
	fmt.Fprintln(out, "| command | median | min | max | peak MB | budget | |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | --- | --- |")
	for _, s := range scenarios {
		sorted := s.sorted()
		budget, result := "", ""
		if s.budget > 0 {
			budget = fmt.Sprintf("%s ms", ms(s.budget))
			result = verdict(s.median() <= s.budget)
		}
		if s.memory > 0 {
			budget += fmt.Sprintf(", %d MB", s.memory>>20)
			result += ", " + verdict(s.peakBytes <= s.memory)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %.0f | %s | %s |\n",
			s.name, ms(s.median()), ms(sorted[0]), ms(sorted[len(sorted)-1]), float64(s.peakBytes)/(1<<20), budget, result)
	}
	for _, s := range scenarios {
		if s.ratioTo == nil {
			continue
		}
		ratio := float64(s.median()) / float64(s.ratioTo.median())
		fastest := float64(s.sorted()[0]) / float64(s.ratioTo.sorted()[0])
		fmt.Fprintf(out, "| ratio of the medians: %s to the reference | %.2f | %.2f | | | %.1f | %s |\n",
			s.name, ratio, fastest, ratioMax, verdict(ratio <= ratioMax))
	}
	return missed
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }
