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
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, set := os.LookupEnv(Env)
	if !set {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "conformance")
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	switch _, err := os.Stat(path); {
	case err == nil:
	case set:
		t.Fatalf("%s is set, but: %v", Env, err)
	default:
		t.Skipf("no conformance data (%v); set %s to its folder", err, Env)
	}
	return path
}

// Read returns the content of one file of the data.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ReadJSON decodes one file of the data into v.
func ReadJSON(t testing.TB, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(Read(t, name), v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
