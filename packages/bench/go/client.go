package main

import "sync"

const (
	warmUpTasks = 8
	enoughMs    = 500
)

// One library with a connection of its own.
type client struct {
	locker locker
	warm   sync.Once
}

type warmUpOrder struct {
	Name    string `json:"name"`
	LimitMs int64  `json:"limitMs"`
}

// Fills pools and makes scripts known, once. There is nothing to compile, so no waits are rehearsed.
func (c *client) warmUp(order warmUpOrder) {
	c.warm.Do(func() {
		durationMs := min(order.LimitMs, enoughMs)
		runLoop(c.locker, loopOrder{Name: order.Name, Locks: "own", Tasks: warmUpTasks, StartAt: nowMs(), DurationMs: durationMs})
	})
}
