//go:build !linux

package ratepolicy

// uptime isn't known: the standard library doesn't tell it here.
func uptime(int64) (up int64, boot uint64) { return 0, 0 }
