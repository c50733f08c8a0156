package main

import "github.com/politefetch/sdk/politefetch"

// about is what the bot's public page begins with.
var about = map[string]string{
	"en": "Metrimato-Scanner runs a technical check of a web site, which Metrimato's customers can turn on for their own. " +
		"If you see it in your log, this page says what it does and how you can steer it.",
	"fi": "Metrimato-Scanner ajaa teknisen sivustotarkistuksen, jonka Metrimadon asiakkaat voivat kytkeä päälle omalle sivustolleen. " +
		"Jos näet sen lokissasi, tämä sivu kertoo, mitä se tekee ja miten sitä voi ohjata.",
}

// page is the bot's public page, from the very values that a run of this job has.
func (j *job) page(lang string) *politefetch.BotPage {
	return &politefetch.BotPage{
		Config: j.config(nil, nil), Visit: j.visitOptions(), Cadence: &calendar,
		About: about[lang], Contact: "https://metrimato.com/", Lang: lang,
	}
}
