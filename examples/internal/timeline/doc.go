// Package timeline makes one HTML page of what a bot did: when each request went out and
// why then, what it was answered, what robots.txt closed and by which line, and whether
// the bot kept its promise. Its reader is the owner of a site who found the bot in a log
// and asks what it did there.
//
//	var events timeline.Log
//	cfg.Observe = events.Observe
//	… the bot does its work …
//	run := timeline.Run{Title: "ExampleBot", Policy: cfg.Policy, Events: events.Events()}
//	err := run.WriteFile("run.html")
//
// The page needs nothing but itself: no script, no font and no picture from elsewhere. It
// holds what the [politefetch.Event] values and the Run hold, and nothing of a site's
// pages.
package timeline
