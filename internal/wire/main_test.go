package wire_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http writes there what hostile servers send
	code := m.Run()
	var left string
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = strangers(); left == "" {
			os.Exit(code)
		}
	}
	fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
	os.Exit(1)
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
