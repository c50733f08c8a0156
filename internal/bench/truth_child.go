package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
)

// truthChild is set in a process that only does a job: some libraries keep one client for
// all, and what outlives a process can't be seen in one.
const truthChild = "BENCH_TRUTH"

// inTruthChild has a job done in a process of its own, which is stopped at its limit.
func inTruthChild(job *TruthJob, certFile string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	what, err := json.Marshal(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), job.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self) //nolint:gosec // it is this program
	var said bytes.Buffer
	cmd.Env, cmd.Stderr = append(os.Environ(), truthChild+"="+string(what), "SSL_CERT_FILE="+certFile), &said
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if ctx.Err() != nil {
			return nil // the server has seen enough
		}
		lines := strings.TrimSpace(said.String())
		return fmt.Errorf("%w: %s", exit, lines[strings.LastIndexByte(lines, '\n')+1:])
	}
	return err
}

// truthful is main in the child.
func truthful(what string) int {
	var job TruthJob
	if err := json.Unmarshal([]byte(what), &job); err != nil {
		return exitBroken
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", job.Resolver) // nobody outside is asked
	}}
	for _, s := range Bots {
		if s.Name != job.Subject {
			continue
		}
		if err := s.Do.Run(&job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitBroken
		}
		return exitKept
	}
	return exitBroken
}
