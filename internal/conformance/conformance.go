// Package conformance finds the project's conformance data for tests. The data lives
// beside the repository, not in it.
package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Env names the folder of the data. Set but absent is a failure, so that a machine
// that is meant to have it can't pass without.
const Env = "POLITEFETCH_CONFORMANCE"

// Path returns the path of a file or folder of the data, such as "robots/google.json".
// When Env is unset it looks in ../shared/conformance beside the repository, and skips
// the test if there is no such folder.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	dir, set := os.LookupEnv(Env)
	if !set {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "conformance")
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	switch _, err := os.Stat(path); {
	case err == nil:
	case set:
		tb.Fatalf("%s is set, but: %v", Env, err)
	default:
		tb.Skipf("no conformance data (%v); set %s to its folder", err, Env)
	}
	return path
}

// Read returns the content of one file of the data.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// ReadJSON decodes one file of the data into v.
func ReadJSON(tb testing.TB, name string, v any) {
	tb.Helper()
	if err := json.Unmarshal(Read(tb, name), v); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
}
