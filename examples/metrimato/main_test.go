package main

import (
	"os"
	"testing"
	"time"
)

// The tests look at what is written for nobody's screen, in no zone of its own.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	if err := os.Unsetenv("COLUMNS"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
