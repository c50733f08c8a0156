package main

import (
	"container/heap"
	"time"
)

// A lane is the line of one domain: its links in order, one of them asked for at a time.
type lane struct {
	key   string
	opens time.Time // the domain is not asked before
	links []*link
	due   time.Time // when its next link may be asked for
	index int       // in the queue; -1: not there, because one of its links is being asked for
}

// settle works out when the lane is due.
func (la *lane) settle() {
	la.due = la.links[0].at
	for _, l := range la.links[1:] {
		if l.at.Before(la.due) {
			la.due = l.at
		}
	}
	if la.opens.After(la.due) {
		la.due = la.opens
	}
}

// next is the first link in line that is due.
func (la *lane) next(now time.Time) *link {
	for _, l := range la.links {
		if !l.at.After(now) {
			return l
		}
	}
	return nil
}

func (la *lane) remove(l *link) {
	for i := range la.links {
		if la.links[i] == l {
			la.links = append(la.links[:i], la.links[i+1:]...)
			return
		}
	}
}

// A queue has a row a domain, not one a link; the one that may be asked first is in front.
type queue struct {
	lanes map[string]*lane
	rows  rows
}

// add puts a link at the end of a domain's line.
func (q *queue) add(key string, l *link) {
	la := q.lanes[key]
	if la == nil {
		if q.lanes == nil {
			q.lanes = make(map[string]*lane)
		}
		q.lanes[key] = &lane{key: key, links: []*link{l}}
		q.giveBack(q.lanes[key])
		return
	}
	la.links = append(la.links, l)
	if la.index >= 0 && l.at.Before(la.due) {
		la.settle()
		heap.Fix(&q.rows, la.index)
	}
}

// take returns the link that is to be asked for now, and its lane, which is out of the
// queue until it is given back; nil if none is due.
func (q *queue) take(now time.Time) (*lane, *link) {
	if len(q.rows) == 0 || q.rows[0].due.After(now) {
		return nil, nil
	}
	la := heap.Pop(&q.rows).(*lane)
	return la, la.next(now)
}

// giveBack puts a lane that take returned back into the queue, unless nothing is left of
// it.
func (q *queue) giveBack(la *lane) {
	if len(la.links) == 0 {
		delete(q.lanes, la.key)
		return
	}
	la.settle()
	heap.Push(&q.rows, la)
}

// rows implement [heap.Interface].
type rows []*lane

func (r *rows) Len() int { return len(*r) }

func (r *rows) Less(i, j int) bool { return (*r)[i].due.Before((*r)[j].due) }

func (r *rows) Swap(i, j int) {
	of := *r
	of[i], of[j] = of[j], of[i]
	of[i].index, of[j].index = i, j
}

func (r *rows) Push(x any) {
	la := x.(*lane)
	la.index = len(*r)
	*r = append(*r, la)
}

func (r *rows) Pop() any {
	old := *r
	la := old[len(old)-1]
	la.index = -1
	*r = old[:len(old)-1]
	return la
}

// first is the lane whose turn is next; nil: none.
func (q *queue) first() *lane {
	if len(q.rows) == 0 {
		return nil
	}
	return q.rows[0]
}
