package main

import (
	"time"

	"golang.org/x/sys/unix"
)

var started = time.Now()

// The machine's clock at the zero of ours. A process that is put aside between the two readings finds it too small: the largest of many
// is right.
var offsetMs = func() float64 {
	most := 0.0
	for range 1_000 {
		var machine unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &machine); err != nil {
			panic(err)
		}
		most = max(most, float64(machine.Nano())/1e6-sinceStartMs())
	}
	return most
}()

func sinceStartMs() float64 { return float64(time.Since(started)) / 1e6 }

// The machine's monotonic clock, which Node reads too (process.hrtime).
func nowMs() float64 { return offsetMs + sinceStartMs() }

func sleepUntil(ms float64) { time.Sleep(time.Duration((ms - nowMs()) * 1e6)) }

// Processor time of this process.
func cpuUs() float64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3
}
