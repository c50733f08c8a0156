package examples_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The README names tests as proof. Each of them must be there.
func TestReadmeNamesTestsThatExist(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	named := regexp.MustCompile("`(Test[A-Z][A-Za-z0-9_]+)`").FindAllSubmatch(readme, -1)
	require.Greater(t, len(named), 10)
	have := make(map[string]bool)
	root := os.DirFS("..")
	require.NoError(t, fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
		return err
	}))
	for _, m := range named {
		assert.True(t, have[string(m[1])], "there is no %s", m[1])
	}
}
