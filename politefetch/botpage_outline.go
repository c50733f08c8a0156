package politefetch

import (
	"fmt"
	"strings"
	text "text/template"
)

// page puts the page together: which sentences it has, in which order. The sentences
// stand in botpage/<Lang>.tmpl.
func (b *BotPage) page() (*botPage, error) {
	f, err := b.facts()
	if err != nil {
		return nil, err
	}
	w, err := newPageWriter(b.Lang, f)
	if err != nil {
		return nil, err
	}
	if b.Contact != "" {
		if w.contact, err = contact(b.Contact); err != nil {
			return nil, err
		}
	}
	for _, section := range []func(*BotPage){
		w.who, w.block, w.robots, w.reads, w.pace, w.limits, w.slow, w.gentle, w.relay, w.refused, w.schedule, w.never, w.questions,
	} {
		section(b)
	}
	w.out.About = paragraphs(b.About)
	w.out.Title = w.sentence("title")
	return &w.out, w.err
}

func (w *pageWriter) who(b *BotPage) {
	w.section("who")
	w.say("who.agent")
	fields := "User-Agent: " + b.Config.UserAgent
	if w.f.From != "" {
		fields += "\nFrom: " + w.f.From
	}
	w.code(fields)
	w.say("who.match")
	if len(w.f.Browsers) > 0 {
		w.say("who.browser")
	}
}

func (w *pageWriter) block(b *BotPage) {
	w.section("block")
	w.say("block.how")
	w.code("User-agent: " + w.f.Product + "\nDisallow: /")
	w.say("block.group")
	if w.f.HomeFirst {
		w.say("block.home")
	}
	if w.f.Advisory {
		w.say("block.advisory")
		if w.f.Allow && b.Contact != "" {
			w.say("block.stop")
		}
	}
}

func (w *pageWriter) robots(*BotPage) {
	w.section("robots")
	w.list(
		item{w.f.Visit, "robots.visit"},
		item{w.f.Checks, "robots.copy"},
		item{true, "robots.obey"},
		item{true, "robots.delay"},
		item{true, "robots.error"},
		item{true, "robots.none"},
		item{w.f.Visit, "robots.nofollow"},
	)
}

func (w *pageWriter) reads(*BotPage) {
	w.section("reads")
	w.list(
		item{w.f.Visit, "reads.scope"},
		item{w.f.Allow, "reads.allow"},
		item{w.f.Visit && w.f.Admit, "reads.admit"},
		item{w.f.Visit, "reads.order"},
		item{w.f.Visit, "reads.links"},
		item{w.f.HTMLOnly, "reads.html"},
		item{w.f.DropBodies, "reads.drop"},
		item{w.f.Monitor, "checks.one"},
		item{w.f.DropBody && !w.f.DropBodies, "checks.drop"},
	)
}

func (w *pageWriter) pace(*BotPage) {
	w.section("pace")
	w.list(
		item{true, "pace.atonce"},
		item{w.f.Normal.Delay > 0 && w.f.Normal.Burst == 1, "pace.delay"},
		item{w.f.Normal.Delay > 0 && w.f.Normal.Burst > 1, "pace.burst"},
		item{true, "pace.line"},
		item{w.f.GoesAlone, "pace.alone"},
		item{true, "pace.ceiling"},
	)
}

func (w *pageWriter) limits(*BotPage) {
	w.section("limits")
	w.list(
		item{w.f.Visit, "limits.pages"},
		item{true, "limits.bytes"},
		item{true, "limits.time"},
		item{true, "limits.hops"},
	)
}

func (w *pageWriter) slow(*BotPage) {
	w.section("slow")
	w.say("slow.what")
	w.list(
		item{w.f.Visit, "slow.serial"},
		item{w.f.Visit, "slow.wait"},
		item{true, "slow.key"},
		item{w.f.Backoff > 0, "slow.backoff"},
		item{w.f.Visit, "slow.tries"},
	)
}

func (w *pageWriter) gentle(*BotPage) {
	w.section("gentle")
	if w.f.GentleFor > 0 {
		w.say("gentle.for")
	}
	if w.f.Forgets {
		w.say("gentle.memory")
	}
}

func (w *pageWriter) relay(*BotPage) {
	w.section("relay")
	if w.f.RelayTime == 0 {
		return
	}
	w.say("relay.when")
	w.list(
		item{true, "relay.same"},
		item{true, "relay.pace"},
		item{true, "relay.asks"},
		item{true, "relay.redirects"},
		item{true, "relay.left"},
		item{true, "relay.walls"},
	)
}

func (w *pageWriter) refused(*BotPage) {
	w.section("refused")
	w.list(
		item{w.f.Visit, "refused.wall.visit"},
		item{w.f.Checks, "refused.wall.check"},
		item{w.f.Retry != nil, "refused.retry"},
		item{w.f.Retry != nil, "refused.failed"},
	)
}

func (w *pageWriter) schedule(*BotPage) {
	w.section("schedule")
	if w.f.Cadence == nil {
		return
	}
	w.list(
		item{true, "schedule.every"},
		item{w.f.Cadence.Extras > 0, "schedule.extras"},
		item{true, "schedule.recheck"},
		item{true, "schedule.again"},
		item{w.f.Cadence.RecheckAgain < w.f.Cadence.RecheckEvery, "schedule.limited"}, // else the one before says it all
	)
}

func (w *pageWriter) never(*BotPage) {
	w.section("never")
	w.list(
		item{true, "never.write"},
		item{true, "never.cookies"},
		item{true, "never.scripts"},
		item{w.f.Guarded, "never.private"},
		item{!w.f.Guarded, "never.local"},
		item{w.f.Guarded && len(w.f.Denied) > 0, "never.deny"},
		item{len(w.f.Excepted) > 0, "never.allow"},
		item{true, "never.ports"},
	)
}

func (w *pageWriter) questions(*BotPage) {
	w.section("contact")
	if w.contact.Text == "" {
		return
	}
	w.add(pageBlock{Text: append(spans(w.sentence("contact.to")+" "), w.contact, span{Text: "."})})
}

// A pageWriter collects the sections of a page. A section without blocks is left out; the
// first error stays.
type pageWriter struct {
	f       *botFacts
	words   *text.Template
	contact span
	id      string // of the section that comes next
	out     botPage
	err     error
}

func newPageWriter(lang string, f *botFacts) (*pageWriter, error) {
	if lang == "" {
		lang = "en"
	}
	l, ok := languages()[lang]
	if !ok {
		return nil, wrongPage("Lang", fmt.Errorf("no sentences in %q; there are %q", clip(lang), []string{"en", "fi"}))
	}
	words, err := text.New("").Funcs(l.funcs()).ParseFS(botPageFiles, "botpage/"+lang+".tmpl")
	if err != nil {
		return nil, err // a built-in one: never
	}
	return &pageWriter{f: f, words: words, out: botPage{Lang: lang}}, nil
}

// section begins one.
func (w *pageWriter) section(id string) { w.id = id }

// An item is a sentence of a list, if it holds.
type item struct {
	holds bool
	name  string
}

func (w *pageWriter) list(items ...item) {
	var b pageBlock
	for _, it := range items {
		if it.holds {
			b.Items = append(b.Items, spans(w.sentence(it.name)))
		}
	}
	if len(b.Items) > 0 {
		w.add(b)
	}
}

func (w *pageWriter) say(name string) { w.add(pageBlock{Text: spans(w.sentence(name))}) }

func (w *pageWriter) code(s string) { w.add(pageBlock{Code: s}) }

func (w *pageWriter) add(b pageBlock) {
	if n := len(w.out.Sections); n == 0 || w.out.Sections[n-1].ID != w.id {
		w.out.Sections = append(w.out.Sections, pageSection{ID: w.id, Title: w.sentence(w.id)})
	}
	s := &w.out.Sections[len(w.out.Sections)-1]
	s.Blocks = append(s.Blocks, b)
}

// sentence is the block of that name, on one line.
func (w *pageWriter) sentence(name string) string {
	var out strings.Builder
	if err := w.words.ExecuteTemplate(&out, name, w.f); err != nil && w.err == nil {
		w.err = err
	}
	return oneLine(out.String())
}
