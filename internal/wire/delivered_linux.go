package wire

import (
	"encoding/binary"
	"net"
	"syscall"
	"unsafe"
)

// acknowledged reports whether the peer's kernel has acknowledged all that was written to a
// connection and the connection was not reset: SIOCOUTQ of tcp(7) counts the bytes that it
// has not, and tcp_info begins with the state. What is no socket hands over what it writes.
//
// A server that half-closes an idle connection and goes on to read and drop what comes
// (a lingering close) can pass for one that took the request, if this process is slower to
// wake up than the network is. The error is on the polite side: the request is not sent
// again.
func acknowledged(c net.Conn) bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	done := false
	err = raw.Control(func(fd uintptr) {
		var unsent int32
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&unsent))) //nolint:gosec // package syscall has no function for this ioctl
		if errno != 0 || unsent != 0 {
			return
		}
		info, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
		var b [4]byte
		binary.NativeEndian.PutUint32(b[:], uint32(info)) //nolint:gosec // four bytes as they came
		const established, closeWait = 1, 8
		done = err == nil && (b[0] == established || b[0] == closeWait)
	})
	return done && err == nil
}
