package main

// A Kind says what a subject stands for.
type Kind string

// The kinds.
const (
	Peer  Kind = "peer"  // a published library for the same task: ratios are to the best of these
	Other Kind = "other" // for comparison: a library for less than the task, or a floor
	Ours  Kind = "ours"
)

// A Subject is one thing measured. Do's type is the part's own.
type Subject[F any] struct {
	Kind Kind
	Name string
	Do   F
}

// The subjects. Each has a file, subject_NAME.go, that appends it in an init function.
var (
	Robots   []Subject[ParseRobots]
	Sitemaps []Subject[ReadSitemap]
	Rates    []Subject[MakeRate]
	Pages    []Subject[ReadPage]
	Crawls   []Subject[FetchPages]
	Bots     []Subject[Bot]
)
