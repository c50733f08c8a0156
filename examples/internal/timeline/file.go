package timeline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// CheckFile reports why WriteFile could not write a file of that name, so that a bot can
// say so before it does its work.
func CheckFile(name string) error {
	if name == "" {
		return errors.New("the name of the file is empty")
	}
	switch fi, err := os.Lstat(name); {
	case err == nil && !fi.Mode().IsRegular():
		return fmt.Errorf("%s is there and is not a plain file", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir, err := os.Stat(filepath.Dir(name))
	if err == nil && !dir.IsDir() {
		err = fmt.Errorf("%s is not a folder", filepath.Dir(name))
	}
	return err
}

// WriteFile writes the page into a file: all of it, or none, in which case an older file
// of that name stays as it was. Only the user may read it, until the user says otherwise.
func (r *Run) WriteFile(name string) error {
	if err := CheckFile(name); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return err
	}
	return cli.WriteFile(name, b.Bytes())
}
