package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

// One line of a history; packages/safety/src/history/event.ts says what the fields mean.
type event struct {
	At     int64  `json:"at"`
	Worker string `json:"worker"`
	Type   string `json:"type"`
	F      string `json:"f"`
	Op     int64  `json:"op"`
	Lock   string `json:"lock"`
	Hold   int64  `json:"hold"`
	Scope  int64  `json:"scope"`
	Depth  int    `json:"depth"`
	Inside *int64 `json:"inside"`
	State  string `json:"state"`
	Until  int64  `json:"until"`
	Token  *int64 `json:"token"`
	Code   string `json:"code"`
	// Of an acquisition that others may have beside it: "read" of a read-write lock, permits of a semaphore.
	Side    string `json:"side"`
	Permits int    `json:"permits"`
}

func (e event) reads() bool { return e.Side == "read" }

func (e event) believes() bool { return e.State == "held" || e.State == "suspect" }

// All events by time. A torn last line is dropped: its process was killed.
func readHistory(files []string) ([]event, error) {
	var history []event
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		var torn error
		for lines.Scan() {
			if torn != nil {
				file.Close()
				return nil, fmt.Errorf("%s: %w", name, torn)
			}
			var e event
			if torn = json.Unmarshal(lines.Bytes(), &e); torn == nil {
				history = append(history, e)
			}
		}
		file.Close()
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	sort.SliceStable(history, func(i, j int) bool { return history[i].At < history[j].At })
	return history, nil
}

type holdKey struct {
	worker string
	hold   int64
}

// What happened to one acquisition.
type level struct {
	asked    event
	around   *level
	ok       *event
	missed   bool
	lost     *event
	release  *event
	released *event
	samples  []event
	lastSeen int64
}

func (l *level) owner() string {
	for l.around != nil {
		l = l.around
	}
	return fmt.Sprintf("%s/%d", l.asked.Worker, l.asked.Scope)
}

// Until when it was certainly held, when its release did not certainly end it. One that was lost on its way may have been over at any time
// since it was asked for.
func (l *level) lastBelief() int64 {
	if !l.ok.believes() {
		return l.asked.At
	}
	over := l.lastSeen
	if l.lost != nil {
		over = min(over, l.lost.At)
	}
	if l.release != nil {
		if l.release.believes() {
			return l.release.At
		}
		over = min(over, l.release.At)
	}
	last := *l.ok
	for _, sample := range l.samples {
		if sample.believes() {
			last = sample
		}
	}
	return min(over, max(last.At, last.Until))
}

// Acquisitions by the time at which they were asked for: those that were answered with the lock, and those of unknown fate whose
// owner had such an answer to another. (Of any other owner they explain nothing.)
func acquisitions(history []event) []*level {
	levels := map[holdKey]*level{}
	lastSeen := map[string]int64{}
	var asked []*level
	for i := range history {
		e := &history[i]
		lastSeen[e.Worker] = e.At
		key := holdKey{e.Worker, e.Hold}
		if e.F == "acquire" && e.Type == "invoke" {
			l := &level{asked: *e}
			if e.Inside != nil {
				l.around = levels[holdKey{e.Worker, *e.Inside}]
			}
			levels[key] = l
			asked = append(asked, l)
			continue
		}
		l := levels[key]
		if l == nil {
			continue
		}
		switch {
		case e.F == "acquire" && e.Type == "ok":
			l.ok = e
		case e.F == "acquire" && e.Type == "fail":
			l.missed = true
		case e.F == "release" && e.Type == "invoke":
			l.release = e
		case e.F == "release":
			l.released = e
		case e.F == "lost" && l.lost == nil:
			l.lost = e
		case e.F == "work":
			l.samples = append(l.samples, *e)
		}
	}
	answered := map[string]bool{}
	for _, l := range asked {
		if l.ok != nil {
			answered[l.owner()] = true
		}
	}
	var relevant []*level
	for _, l := range asked {
		l.lastSeen = lastSeen[l.asked.Worker]
		if l.ok != nil || !l.missed && answered[l.owner()] {
			relevant = append(relevant, l)
		}
	}
	return relevant
}
