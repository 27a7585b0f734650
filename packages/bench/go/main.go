// A process of the benchmark: the same messages as a worker in Node, as lines of JSON through the standard streams. See
// packages/testkit/src/worker/messages.ts and, for what calls are given and answer, packages/bench/src/worker/messages.ts. Ends with
// its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

type call struct {
	Kind   string            `json:"kind"`
	ID     int64             `json:"id"`
	Method string            `json:"method"`
	Args   []json.RawMessage `json:"args"`
}

type use struct {
	Peer    string `json:"peer"`
	URL     string `json:"url"`
	LeaseMs int64  `json:"leaseMs"`
}

type worker struct {
	out     *json.Encoder
	outLock sync.Mutex
	clients map[use]*client
	lock    sync.Mutex
}

func main() {
	w := &worker{out: json.NewEncoder(os.Stdout), clients: map[use]*client{}}
	w.say(map[string]any{"kind": "ready"})
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var one call
		if err := json.Unmarshal(in.Bytes(), &one); err != nil || one.Kind == "finish" {
			return
		}
		go w.answer(one)
	}
}

func (w *worker) answer(one call) {
	value, err := w.perform(one)
	if err != nil {
		failure := map[string]string{"name": "Error", "message": err.Error()}
		w.say(map[string]any{"kind": "error", "id": one.ID, "error": failure})
		return
	}
	w.say(map[string]any{"kind": "result", "id": one.ID, "value": value})
}

func (w *worker) perform(one call) (any, error) {
	if len(one.Args) != 2 {
		return nil, fmt.Errorf("%s is given whom to use, and an order", one.Method)
	}
	c, err := w.clientOf(one.Args[0])
	if err != nil {
		return nil, err
	}
	switch one.Method {
	case "warmUp":
		var order warmUpOrder
		if err := json.Unmarshal(one.Args[1], &order); err != nil {
			return nil, err
		}
		c.warmUp(order)
		return true, nil
	case "loop":
		var order loopOrder
		if err := json.Unmarshal(one.Args[1], &order); err != nil {
			return nil, err
		}
		return runLoop(c.locker, order), nil
	default:
		return nil, fmt.Errorf("no program but Node's has the method %s", one.Method)
	}
}

func (w *worker) clientOf(text json.RawMessage) (*client, error) {
	var wanted use
	if err := json.Unmarshal(text, &wanted); err != nil {
		return nil, err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if known := w.clients[wanted]; known != nil {
		return known, nil
	}
	locker, err := connect(wanted)
	if err != nil {
		return nil, err
	}
	made := &client{locker: locker}
	w.clients[wanted] = made
	return made, nil
}

func (w *worker) say(message any) {
	w.outLock.Lock()
	defer w.outLock.Unlock()
	if err := w.out.Encode(message); err != nil {
		os.Exit(1) // nobody listens any more
	}
}
