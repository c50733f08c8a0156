//go:build !linux

package wire

import "net"

// acknowledged can't be known here. A request that was written and got no answer passes for
// taken, so that it is never sent twice to a server that hangs up on purpose. The price is
// that a page is not read when a server closes an idle connection at the same moment.
func acknowledged(net.Conn) bool { return true }
