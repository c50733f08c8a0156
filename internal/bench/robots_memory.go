package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// benchMemory weighs what subjects keep of a file to answer from.
func benchMemory(b *bench) error {
	title := "robots: heap that a file takes, made ready to answer, over its bytes"
	if !b.picked(title) {
		return nil
	}
	head := []string{"file", "bytes"}
	var subjects []Subject[ParseRobots]
	for _, s := range Robots {
		if s.Kind == Peer || s.Name == ours {
			subjects = append(subjects, s)
			head = append(head, s.Name)
		}
	}
	files, err := weighed()
	if err != nil {
		return err
	}
	var rows [][]string
	worst, worstFile := 0.0, ""
	for _, f := range files {
		row := []string{f.name, fmt.Sprint(len(f.body))}
		for _, s := range subjects {
			if f.oursOnly && s.Name != ours {
				row = append(row, "")
				continue
			}
			if _, err := s.Do(f.body, agent); err != nil {
				row = append(row, "can't parse it")
				continue
			}
			bytes := held(func() any { test, _ := s.Do(f.body, agent); return test })
			row = append(row, short(bytes/float64(len(f.body)))+"x")
			if share := bytes / float64(6*len(f.body)+4096); s.Name == ours && share > worst {
				worst, worstFile = share, f.name
			}
		}
		if !f.counted {
			rows = append(rows, row)
		}
	}
	b.table(title, head, rows)
	b.atMost(1, worst, "robots: a compiled file's heap / (6x its bytes + 4 KiB), the worst of %d: %s", len(files), worstFile)
	return nil
}

type weighedFile struct {
	name     string
	body     []byte
	oursOnly bool // peers may take for ever, or panic
	counted  bool // for the bar only: there is no row
}

// weighed returns the files to weigh: generated ones, hostile ones, and all the real ones.
func weighed() (files []weighedFile, err error) {
	for _, n := range []int{10, 100, 5000} {
		c, err := generated(n, false)
		if err != nil {
			return nil, err
		}
		files = append(files, weighedFile{name: fmt.Sprintf("%d rules", n), body: c.body})
	}
	names, err := filepath.Glob(corpus("*.txt"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f := weighedFile{name: filepath.Base(name), body: body, oursOnly: true, counted: true}
		for _, r := range realFiles {
			if r.name == f.name {
				f = weighedFile{name: r.site, body: body}
			}
		}
		files = append(files, f)
	}
	for _, h := range hostileFiles(hostileSize) {
		files = append(files, weighedFile{name: "hostile: " + h.name, body: h.body, oursOnly: true})
	}
	return files, nil
}
