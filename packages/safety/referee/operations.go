package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"
)

// An operation without a return may take effect at any later time.
const never = math.MaxInt64

type kind int

const (
	acquire kind = iota
	maybeAcquire
	release
	// Like release, but the end of the whole tenure, and without effect when the owner is another by then.
	expire
	maybeRelease
	force
)

type action struct {
	kind  kind
	owner string
	depth int
	token *int64
}

func operationsByLock(history []event, seizedBy []string) map[string][]porcupine.Operation {
	byLock := map[string][]porcupine.Operation{}
	add := func(lock string, call, ret int64, a action) {
		byLock[lock] = append(byLock[lock], porcupine.Operation{Input: a, Call: call, Return: ret})
	}
	asked := acquisitions(history)
	// Readers overlap, and holders of permits: there is no model of that here, nor in linearizability.ts.
	shared := map[string]bool{}
	for _, l := range asked {
		shared[l.asked.Lock] = shared[l.asked.Lock] || l.asked.isShared()
	}
	for _, l := range asked {
		if shared[l.asked.Lock] {
			continue
		}
		lock, owner := l.asked.Lock, l.owner()
		if l.ok == nil {
			add(lock, l.asked.At, never, action{kind: maybeAcquire, owner: owner, depth: l.asked.Depth})
			continue
		}
		add(lock, l.asked.At, l.ok.At, action{kind: acquire, owner: owner, depth: l.asked.Depth, token: l.ok.Token})
		believed := l.release != nil && l.release.believes()
		switch {
		case believed && l.released != nil && l.released.Type == "ok":
			add(lock, l.release.At, l.released.At, action{kind: release, owner: owner})
		case believed && (l.released == nil || l.released.Type == "info"):
			add(lock, l.release.At, never, action{kind: maybeRelease, owner: owner})
		default:
			add(lock, l.lastBelief(), never, action{kind: expire, owner: owner})
		}
	}
	if len(seizedBy) > 0 {
		addSeizures(history, seizedBy, byLock)
	}
	return byLock
}

func addSeizures(history []event, seizedBy []string, byLock map[string][]porcupine.Operation) {
	ends := map[string]event{}
	name := func(e event) string { return fmt.Sprintf("%s/%d", e.Worker, e.Op) }
	for _, e := range history {
		if e.F == "force" && e.Type != "invoke" {
			ends[name(e)] = e
		}
	}
	seize := func(lock string, call, ret int64) {
		if operations, known := byLock[lock]; known {
			byLock[lock] = append(operations, porcupine.Operation{Input: action{kind: force}, Call: call, Return: ret})
		}
	}
	for _, e := range history {
		switch {
		case e.F == "force" && e.Type == "invoke":
			switch end := ends[name(e)]; end.Type {
			case "ok":
				seize(e.Lock, e.At, end.At)
			case "fail":
			default:
				seize(e.Lock, e.At, never)
			}
		case e.F == "fault" && e.State != "off" && slices.Contains(seizedBy, e.Code):
			if e.Lock != "" {
				seize(e.Lock, e.At, never)
				continue
			}
			for lock := range byLock {
				seize(lock, e.At, never)
			}
		}
	}
}
