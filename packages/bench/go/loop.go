package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Kept as they are; more would only say the same.
const maxFailures = 5

// A closed loop; see LoopOrder in Node.
type loopOrder struct {
	Name       string  `json:"name"`
	Locks      string  `json:"locks"`
	Tasks      int     `json:"tasks"`
	HoldMs     int64   `json:"holdMs"`
	StartAt    float64 `json:"startAt"`
	DurationMs int64   `json:"durationMs"`
	Report     string  `json:"report"`
}

type resources struct {
	CPUUs float64 `json:"cpuUs"`
}

// What a loop came to; see LoopReport in Node.
type loopReport struct {
	Served     []int     `json:"served"`
	Sections   int       `json:"sections"`
	Failures   []string  `json:"failures"`
	Acquire    [][2]int  `json:"acquire"`
	Timeline   []float64 `json:"timeline"`
	MostInside int64     `json:"mostInside"`
	Resources  resources `json:"resources"`
}

// One goroutine of a loop.
type task struct {
	name     string
	waits    histogram
	timeline []float64
	failures []string
	served   int
	sections int
}

type loop struct {
	locker     locker
	order      loopOrder
	endAt      float64
	inside     atomic.Int64
	mostInside atomic.Int64
}

func runLoop(locker locker, order loopOrder) loopReport {
	l := &loop{locker: locker, order: order, endAt: order.StartAt + float64(order.DurationMs)}
	tasks := make([]*task, order.Tasks)
	cpu := cpuUs()
	var all sync.WaitGroup
	for i := range tasks {
		tasks[i] = &task{name: order.Name, waits: newHistogram()}
		if order.Locks == "own" {
			tasks[i].name = fmt.Sprintf("%s:%d", order.Name, i)
		}
		all.Add(1)
		go func() {
			defer all.Done()
			l.run(tasks[i])
		}()
	}
	all.Wait()
	report := loopReport{
		Served:     []int{},
		Failures:   []string{},
		Timeline:   []float64{},
		MostInside: l.mostInside.Load(),
		Resources:  resources{CPUUs: cpuUs() - cpu},
	}
	waits := newHistogram()
	for _, t := range tasks {
		report.Served = append(report.Served, t.served)
		report.Sections += t.sections
		report.Failures = append(report.Failures, t.failures...)
		report.Timeline = append(report.Timeline, t.timeline...)
		waits.add(t.waits)
	}
	report.Failures = report.Failures[:min(maxFailures, len(report.Failures))]
	report.Acquire = waits.filled()
	return report
}

func (l *loop) run(t *task) {
	sleepUntil(l.order.StartAt)
	for {
		if err := l.cycle(t); err != nil && len(t.failures) < maxFailures {
			t.failures = append(t.failures, err.Error())
		}
		if nowMs() >= l.endAt {
			return
		}
	}
}

func (l *loop) cycle(t *task) error {
	askedAt := nowMs()
	release, err := l.locker(t.name)
	if err != nil {
		return err
	}
	l.section(t, askedAt)
	return release()
}

func (l *loop) section(t *task, askedAt float64) {
	enteredAt := nowMs()
	t.waits.record((enteredAt - askedAt) * 1_000)
	t.sections++
	inside := l.inside.Add(1)
	for most := l.mostInside.Load(); inside > most && !l.mostInside.CompareAndSwap(most, inside); most = l.mostInside.Load() {
	}
	// Who is let in after the end leaves at once, so that a round ends when it should.
	if enteredAt < l.endAt {
		t.served++
		if l.order.HoldMs > 0 {
			time.Sleep(time.Duration(l.order.HoldMs) * time.Millisecond)
		}
	}
	l.inside.Add(-1)
	if l.order.Report == "sections" {
		t.timeline = append(t.timeline, askedAt, enteredAt, nowMs())
	}
}
