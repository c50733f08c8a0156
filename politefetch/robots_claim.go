package politefetch

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"time"
)

// robotsLook is how often it is looked whether another process has its robots.txt.
const robotsLook = time.Second

// errClaimed says that another process is asking for a robots.txt, or has just had it.
var errClaimed = errors.New("another process asks for this robots.txt")

// A claim is the leave to ask for one robots.txt, of which a store has one at a time: its
// processes would else, where several find no fresh copy, each ask for the file. It lasts
// as long as the turn that a request goes out under (Policy.LeaseFor), and no longer does
// anybody wait for a process that died.
type claim struct {
	c *robotsCopies
	e *errand
	s *robotsSlot

	began time.Time // the waiting for it
	mark  string    // in the store; "": not taken
}

func claimKey(authority string) string { return "asking for robots.txt of " + authority }

// take takes the claim, or renews it. It is called with the turn held, and is errClaimed if
// another process has the claim, or has had it meanwhile and left a copy.
func (m *claim) take(ctx context.Context) error {
	if m.c.store == nil || m.e.copies != nil { // each visit asks
		return nil
	}
	if m.mark == "" {
		m.mark = rand.Text()
	}
	taken := false
	err := m.c.update(ctx, claimKey(m.s.authority), func(now time.Time, rec []byte) ([]byte, time.Time) {
		// A damaged record is a single byte, and nobody's.
		if taken = len(rec) <= 1 || string(rec) == m.mark; !taken {
			return nil, time.Time{}
		}
		return []byte(m.mark), now.Add(m.e.c.cfg.Policy.LeaseFor)
	})
	switch {
	case err != nil:
		return m.c.without(ctx, m.e, m.s, "other processes may ask too", err)
	case !taken:
		m.mark = ""
		return errClaimed
	}
	if _, err := m.c.lastGood(ctx, m.e, m.s); err != nil {
		return err
	}
	if m.c.usable(m.s, m.e) != nil {
		return errClaimed
	}
	return nil
}

// giveUp gives the claim back, if it was taken, also when the caller's context has ended.
func (m *claim) giveUp(ctx context.Context) {
	if m.mark == "" {
		return
	}
	_ = m.c.update(context.WithoutCancel(ctx), claimKey(m.s.authority), func(_ time.Time, rec []byte) ([]byte, time.Time) {
		if string(rec) != m.mark {
			return nil, time.Time{}
		}
		return rec, time.Time{}
	}) // else it ends by itself
	m.mark = ""
}

// wait waits until it is worth looking again for the file that another process asks for.
func (m *claim) wait(ctx context.Context, u *url.URL) error {
	if most := m.e.maxWait; most < 0 || most > 0 && time.Since(m.began)+robotsLook > most {
		return m.e.asking(u)
	}
	look := time.NewTimer(robotsLook)
	defer look.Stop()
	select {
	case <-look.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
