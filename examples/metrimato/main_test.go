package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// argsVar holds the command line of a test binary that is to be the command itself.
const argsVar = "METRIMATO_TEST_ARGS"

// The tests look at what is written for nobody's screen, in no zone of its own.
func TestMain(m *testing.M) {
	if args := os.Getenv(argsVar); args != "" {
		os.Args = append([]string{"metrimato"}, strings.Split(args, "\n")...)
		main()
	}
	time.Local = time.UTC
	if err := os.Unsetenv("COLUMNS"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
