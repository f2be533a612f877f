package parleycomm

import (
	"context"
	"slices"
	"sync"
)

// Pending is a send or receive operation that has its place in a queue.
type Pending struct {
	queue *queue
	done  chan struct{}
	// The other fields are guarded by the mutex of the queue.
	item      any
	err       error
	isSettled bool
}

// Wait waits until the operation is settled. If the context ends first, the
// operation is removed from the queue.
func (p *Pending) Wait(ctx context.Context) (any, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		if p.queue.remove(p) {
			return nil, ctx.Err()
		}
	}
	return p.item, p.err
}

func (p *Pending) settle(item any, err error) {
	p.item, p.err, p.isSettled = item, err, true
	close(p.done)
}

// queue is a first-in, first-out queue with limited capacity. Both ends can
// wait. The end of the queue is received as nil.
type queue struct {
	mutex    sync.Mutex
	capacity int
	items    []any
	takers   []*Pending
	putters  []*Pending
	isEnded  bool
	// failure is received at the end of the queue in place of nil.
	failure error
}

func newQueue(capacity int) *queue { return &queue{capacity: capacity} }

// put adds an item. If the queue is full, the operation waits or fails.
func (q *queue) put(item any, waits bool) *Pending {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	pending := &Pending{queue: q, done: make(chan struct{}), item: item}
	switch {
	case q.isEnded:
		pending.settle(nil, fail("transport_closed", "transport is closed"))
	case len(q.takers) > 0:
		q.takers[0].settle(item, nil)
		q.takers = q.takers[1:]
		pending.settle(nil, nil)
	case len(q.items) < q.capacity:
		q.items = append(q.items, item)
		pending.settle(nil, nil)
	case !waits:
		pending.settle(nil, fail("capacity_exceeded", "%d messages are queued", q.capacity))
	default:
		q.putters = append(q.putters, pending)
	}
	return pending
}

// take removes the oldest item.
func (q *queue) take() *Pending {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	pending := &Pending{queue: q, done: make(chan struct{})}
	switch {
	case len(q.items) > 0:
		pending.settle(q.items[0], nil)
		q.items = q.items[1:]
		q.admit()
	case q.isEnded:
		pending.settle(nil, q.failure)
	default:
		q.takers = append(q.takers, pending)
	}
	return pending
}

// admit moves the item of the first waiting sender into the queue.
func (q *queue) admit() {
	if len(q.putters) == 0 {
		return
	}
	first := q.putters[0]
	q.putters = q.putters[1:]
	q.items = append(q.items, first.item)
	first.settle(nil, nil)
}

// end ends the queue. Queued items can still be taken.
func (q *queue) end() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.endLocked()
}

// endWith ends the queue with an error, which is received after the queued
// items.
func (q *queue) endWith(failure error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.failure = failure
	q.endLocked()
}

// cancel ends the queue and discards the queued items.
func (q *queue) cancel() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.items = nil
	q.endLocked()
}

func (q *queue) endLocked() {
	q.isEnded = true
	for _, each := range q.putters {
		each.settle(nil, fail("transport_closed", "transport was closed"))
	}
	for _, each := range q.takers {
		each.settle(nil, q.failure)
	}
	q.putters, q.takers = nil, nil
}

// remove removes a waiting operation. It returns false if the operation is
// already settled.
func (q *queue) remove(pending *Pending) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	isSame := func(each *Pending) bool { return each == pending }
	q.takers = slices.DeleteFunc(q.takers, isSame)
	q.putters = slices.DeleteFunc(q.putters, isSame)
	return !pending.isSettled
}
