package wire_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain fails if a goroutine outlives the tests, or if what servers do got into the log.
func TestMain(m *testing.M) {
	var logged logBuffer
	log.SetOutput(&logged)
	code := m.Run()
	var left string
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = strangers(); left == "" {
			break
		}
	}
	if left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
		code = 1
	}
	if text := logged.String(); text != "" {
		fmt.Fprintf(os.Stderr, "%d lines logged:\n%.2000s\n", strings.Count(text, "\n"), text)
		code = 1
	}
	os.Exit(code)
}

// logBuffer keeps what package log writes, but for the one line that net/http may write for
// an HTTP/1 answer: that more came after its end.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes.Contains(p, []byte("Unsolicited response received on idle HTTP channel")) {
		return len(p), nil
	}
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func strangers() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var out []string
	for _, g := range strings.Split(string(buf), "\n\n")[1:] { // the first is this one
		if !strings.Contains(g, "testing.(*F).Fuzz") && !strings.Contains(g, "os/signal") {
			out = append(out, g)
		}
	}
	return strings.Join(out, "\n\n")
}
