package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// process runs the measured binary with an empty home, so that nothing of this machine's own projects is read.
type process struct {
	binary string
	home   string
}

// once runs a command and returns its times and its peak resident size. A refusal is an error: how fast a command
// refuses says nothing.
func (p *process) once(s *scenario) (sample, int64, error) {
	command := exec.Command(p.binary, s.args...)
	command.Dir, command.Env = p.home, []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	began := time.Now()
	err := command.Run()
	wall := time.Since(began)
	if err == nil && s.answers {
		err = accepted(stdout.Bytes())
	}
	if err != nil {
		return sample{}, 0, fmt.Errorf("%s %s: %w\n%s%s", p.binary, strings.Join(s.args, " "), err, head(stdout.Bytes()), head(stderr.Bytes()))
	}
	state := command.ProcessState
	return sample{wall: wall, cpu: state.UserTime() + state.SystemTime()}, peak(state), nil
}

func accepted(document []byte) error {
	var answer struct {
		OK bool `json:"ok"`
	}
	if err := json.Unmarshal(document, &answer); err != nil {
		return fmt.Errorf("answer is not JSON: %w", err)
	}
	if !answer.OK {
		return fmt.Errorf("answer has ok=false")
	}
	return nil
}

func head(text []byte) []byte { return text[:min(len(text), 600)] }

// peak is the largest resident size in bytes; Linux counts kilobytes, macOS bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// version is what the binary says about itself, on one line.
func (p *process) version() string {
	out, err := exec.Command(p.binary, "version").Output()
	if err != nil {
		return "unknown version"
	}
	return strings.Join(strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), ", ")
}

// measure runs the scenarios in turn, round after round, so that a change in the machine's load meets all of them.
func measure(p *process, scenarios []*scenario, warmUp, runs int) error {
	for round := -warmUp; round < runs; round++ {
		for _, s := range scenarios {
			if round >= 0 && round >= max((runs+s.share-1)/s.share, min(runs, 3)) {
				continue
			}
			one, bytes, err := p.once(s)
			if err != nil {
				return err
			}
			if round >= 0 {
				s.samples, s.peakBytes = append(s.samples, one), max(s.peakBytes, bytes)
			}
		}
	}
	return nil
}

// machine describes where the numbers come from.
func machine(version string) string {
	return fmt.Sprintf("%s, %d cores, %s/%s, built with %s; %s",
		cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), version)
}

func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.SplitSeq(string(data), "\n") {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown CPU"
}
