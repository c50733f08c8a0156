package main

import "github.com/politefetch/sdk/politefetch"

// about is what the bot's public page begins with.
var about = map[string]string{
	"en": "RotSweep is a link-rot and content-drift monitor. If you see it in your log, a customer of ours links to a page on your site " +
		"and asked us to keep an eye on that link. It is not a search-engine crawler: it doesn't spider your site and builds no index.",
	"fi": "RotSweep seuraa, ovatko linkit yhä ehjiä ja sanovatko sivut niiden takana samaa kuin ennen. Jos näet sen lokissasi, asiakkaallamme on " +
		"linkki sivustosi sivulle, ja hän on pyytänyt meitä pitämään sitä silmällä. Se ei ole hakukoneen ryömijä: se ei käy sivustoasi läpi eikä laadi siitä hakemistoa.",
}

// botPage is the bot's public page, from the very values that a run with these flags has.
func (c *command) botPage() *politefetch.BotPage {
	return &politefetch.BotPage{
		Config: c.settings(), Monitor: monitoring(new(link)), Browser: true, Retry: &c.plan,
		About: about[c.page.Lang], Contact: "support@rotsweep.com", Lang: c.page.Lang,
	}
}
