// Package ratepolicy paces requests to hosts the way the hosts ask for, and remembers
// what they asked.
//
// A [Limiter] hands out turns. Every request is bracketed by a [Lease]:
//
//	lim := ratepolicy.New(ratepolicy.Policy{}, nil) // one at a time, a second apart
//
//	lease, err := lim.Acquire(ctx, ratepolicy.HostKey(u), 0)
//	if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
//		queue.NotBefore(w.Key, w.Until) // the host asked for a long pause
//		return
//	}
//	…
//	resp, err := client.Do(req)
//	… // read the body
//	lease.Release(ctx, ratepolicy.ReadAnswer(resp, err, time.Now()))
//
// There are three ways to ask. [Limiter.Acquire] waits in order of arrival,
// [Limiter.TryAcquire] never blocks and says when to come back, [Limiter.Status] only
// looks. All three give reasons in words.
//
// # What a host is promised
//
//   - No more than Concurrency requests are in flight, counted over everything that
//     shares the [Store].
//   - Delay lies between the end of an answer and the next request. With a Burst, no
//     more than Burst requests reach the host within any Delay, wherever the network
//     holds them up, and in the long run one per Delay.
//   - A robots.txt Crawl-delay is a floor under the delay, and ends bursts and parallel
//     requests.
//   - A wait that the host names (RFC 9110 section 10.2.3, RFC 6585 section 4,
//     draft-ietf-httpapi-ratelimit-headers-10) is kept whole. It is never cut to what
//     the bot would rather wait: past MaxWait the caller is told when to come back.
//     Nothing shortens it but [Limiter.Forget]: no success, no later and shorter wait.
//   - A host that limited the rate is treated with the Gentle pace for GentleFor.
//
// # What it does not do
//
// It sends nothing, reads no robots.txt and looks for no bot walls; what was found goes
// into the [Answer]. It starts no goroutine, keeps no timer between calls and has no
// package state. Time is the [time] package, so tests run in testing/synctest bubbles.
package ratepolicy
