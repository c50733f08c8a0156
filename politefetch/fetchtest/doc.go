// Package fetchtest tests bots: against a scripted web site, without a network and
// without waiting.
//
// A [Site] is a web site made of [Answer] values. It is an [http.RoundTripper], for
// testing/synctest bubbles in which two weeks of visits pass in milliseconds, and an
// [http.Handler], for servers on real sockets. Either way it logs every request as the
// server saw it, and [Audit] holds that log against a [Promise]:
//
//	synctest.Test(t, func(t *testing.T) {
//		var site fetchtest.Site
//		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 5\n"))
//		site.Set("/", fetchtest.Status(429).RetryAfter(10*time.Second), fetchtest.HTML("<p>hi"))
//		bot, err := politefetch.New(politefetch.Config{
//			Product: "ExampleBot", UserAgent: "ExampleBot/1.0 (+https://bot.example/)", Transport: &site,
//		})
//		...
//		err = fetchtest.Audit(site.Log(), fetchtest.Promise{
//			Product: "ExampleBot", Concurrency: 1, Delay: time.Second, MaxWait: 30 * time.Second,
//		})
//		if err != nil {
//			t.Error(err)
//		}
//	})
//
// The audit reads robots.txt with a small matcher of its own, so that it does not
// share a mistake with the library that it judges.
package fetchtest
