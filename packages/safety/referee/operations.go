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
	// What an operator does to a read-write lock, one after the other.
	forceWriter
	forceReaders
)

type action struct {
	kind  kind
	owner string
	depth int
	reads bool
	token *int64
}

// One lock, and whether readers may share it.
type use struct {
	operations []porcupine.Operation
	shared     bool
}

func (u *use) add(call, ret int64, a action) {
	u.operations = append(u.operations, porcupine.Operation{Input: a, Call: call, Return: ret})
}

func (u *use) seize(call, ret int64) {
	if !u.shared {
		u.add(call, ret, action{kind: force})
		return
	}
	u.add(call, ret, action{kind: forceWriter})
	u.add(call, ret, action{kind: forceReaders})
}

func operationsByLock(history []event, seizedBy []string) map[string]*use {
	byLock := map[string]*use{}
	pools, shared := map[string]bool{}, map[string]bool{}
	for _, e := range history {
		pools[e.Lock] = pools[e.Lock] || e.Permits > 0
		shared[e.Lock] = shared[e.Lock] || e.reads()
	}
	for _, l := range acquisitions(history) {
		// Holders of permits overlap: there is no model of that here, nor in linearizability.ts.
		if pools[l.asked.Lock] {
			continue
		}
		lock := byLock[l.asked.Lock]
		if lock == nil {
			lock = &use{shared: shared[l.asked.Lock]}
			byLock[l.asked.Lock] = lock
		}
		owner, reads := l.owner(), l.asked.reads()
		if l.ok == nil {
			lock.add(l.asked.At, never, action{kind: maybeAcquire, owner: owner, depth: l.asked.Depth, reads: reads})
			continue
		}
		lock.add(l.asked.At, l.ok.At, action{kind: acquire, owner: owner, depth: l.asked.Depth, reads: reads, token: l.ok.Token})
		believed := l.release != nil && l.release.believes()
		switch {
		case believed && l.released != nil && l.released.Type == "ok":
			lock.add(l.release.At, l.released.At, action{kind: release, owner: owner, reads: reads})
		case believed && (l.released == nil || l.released.Type == "info"):
			lock.add(l.release.At, never, action{kind: maybeRelease, owner: owner, reads: reads})
		default:
			lock.add(l.lastBelief(), never, action{kind: expire, owner: owner})
		}
	}
	if len(seizedBy) > 0 {
		addSeizures(history, seizedBy, byLock)
	}
	return byLock
}

func addSeizures(history []event, seizedBy []string, byLock map[string]*use) {
	ends := map[string]event{}
	name := func(e event) string { return fmt.Sprintf("%s/%d", e.Worker, e.Op) }
	for _, e := range history {
		if e.F == "force" && e.Type != "invoke" {
			ends[name(e)] = e
		}
	}
	seize := func(lock string, call, ret int64) {
		if known := byLock[lock]; known != nil {
			known.seize(call, ret)
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
