package politefetch_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestNewNamesTheFieldThatIsWrong(t *testing.T) {
	good := politefetch.Config{Product: "Bot", UserAgent: "Bot/1.0 (+https://bot.example/)"}
	_, err := politefetch.New(good)
	require.NoError(t, err)
	tests := []struct {
		field  string
		change func(*politefetch.Config)
	}{
		{"Product", func(c *politefetch.Config) { c.Product = "" }},
		{"Product", func(c *politefetch.Config) { c.Product = "Bot/1.0" }},
		{"UserAgent", func(c *politefetch.Config) { c.UserAgent = "Other/1.0 (+https://other.example/)" }},
		{"UserAgent", func(c *politefetch.Config) { c.UserAgent = "Bot/1.0" }},
		{"UserAgent", func(c *politefetch.Config) { c.UserAgent += "\r\nX: y" }},
		{"From", func(c *politefetch.Config) { c.From = "Bot <bot@bot.example>" }},
		{"From", func(c *politefetch.Config) { c.From = "bot" }},
		{"MaxBody", func(c *politefetch.Config) { c.MaxBody = -1 }},
		{"Tries", func(c *politefetch.Config) { c.Tries = -1 }},
		{"Relay", func(c *politefetch.Config) { c.Policy.RelayAfter = 1 }},
		{"Policy.RelayAfter", func(c *politefetch.Config) { c.Relay = &fetchtest.Relay{} }},
		{"Policy.GentleFor", func(c *politefetch.Config) {
			c.Relay, c.Policy.RelayAfter, c.Policy.GentleFor = &fetchtest.Relay{}, 1, -1
		}},
		{"Timeout", func(c *politefetch.Config) { c.Timeout = -time.Second }},
	}
	for _, tt := range tests {
		cfg := good
		tt.change(&cfg)
		_, err := politefetch.New(cfg)
		require.Error(t, err, tt.field)
		assert.Contains(t, err.Error(), "politefetch: Config."+tt.field)
	}
}
