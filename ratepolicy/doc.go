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
// # When the store fails
//
// It fails closed: no turn is given that isn't on record, and the call returns the store's
// error. With [Policy.FailLocal] above 0 a process goes on alone instead, key by key:
//
//   - One request in flight, no burst, and between two the delay of the Gentle pace, or of
//     the Normal one if that is longer, divided by FailLocal; a Crawl-delay too. So all
//     processes together ask no oftener than Gentle allows, though nobody keeps two of them
//     from asking at once: on average the host sees the gentle pace, not at every moment.
//     They begin at random instants.
//   - Nothing is relayed: a visit that is gets the error. A
//     visit that began alone stays gentle.
//   - What the process was last told of the key counts: holds, gentle mode, its own
//     requests in flight. What others learnt since it doesn't know.
//   - The store is asked again after a second, then after two, four and so on up to 30, so
//     that one that hangs costs its time only then. [Limiter.Forget] always asks it.
//   - It is never silent: [Lease.Local], [Lease.StoreErr], [Limiter.Status] and, where that
//     pace is what one waits for, the [WaitError] say so.
//
// Either way, what a process hears while it can't tell the store (holds, rate limits, bot
// walls, the last answer, turns that are over) it tells it with its next call about the key
// that succeeds. The later end of a hold or a mark stands; what a Forget lifted meanwhile
// stays lifted. A process that ends before that has told nobody.
//
// A [Dir] or server that loses what it acknowledged is not noticed. A damaged record is no
// failure: its host is gentle for a day, with what a process that may go on alone knows.
//
// # What it does not do
//
// It sends nothing, reads no robots.txt and looks for no bot walls; what was found goes
// into the [Answer]. It starts no goroutine, keeps no timer between calls and has no
// package state. Time is the [time] package, so tests run in testing/synctest bubbles.
package ratepolicy
