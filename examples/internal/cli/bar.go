package cli

import (
	"io"

	"github.com/schollz/progressbar/v3"
)

// A Bar is one line of progress on a terminal. It is for one goroutine.
type Bar struct {
	bar   *progressbar.ProgressBar
	width func() int
	done  int
	words string
}

const (
	barWidth = 12
	barFrame = 22 // what the line holds beside the bar and the words: percent, counts, brackets
)

// NewBar returns a Bar on w, whose width it asks for each time.
func NewBar(w io.Writer, width func() int) *Bar {
	return &Bar{width: width, bar: progressbar.NewOptions(
		1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "▕", BarEnd: "▏"}),
	)}
}

// Show tells the bar what is new; it draws itself at each word.
func (b *Bar) Show(done, goal int, words string) {
	if room := b.width() - barWidth - barFrame; len([]rune(words)) > room {
		words = string([]rune(words)[:max(room-1, 0)]) + "…"
	}
	if words != b.words {
		b.words = words
		b.bar.Describe(words)
	}
	// The bar takes itself for finished where it is full, and says no more then. What it
	// shows may go on: its next step, or its end, is soon there.
	goal = max(goal, 1)
	if done >= goal {
		return
	}
	if goal != b.bar.GetMax() {
		b.bar.ChangeMax(goal)
	}
	if done != b.done {
		b.done = done
		_ = b.bar.Set(done) // a terminal that is gone shows nothing
	}
}

// Clear takes the line away.
func (b *Bar) Clear() { _ = b.bar.Clear() }
