package ratepolicy

import (
	"hash/fnv"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Clock numbers of clock_gettime(2).
const (
	clockRealtime = 0
	clockBoottime = 7
)

// uptime returns the time since the boot and a number for the boot, zeros where they
// can't be had, or where wall isn't the machine's clock but a test's: what has passed
// for the machine then says nothing.
func uptime(wall int64) (up int64, boot uint64) {
	machine, ok := clockGettime(clockRealtime)
	if !ok || time.Duration(machine-wall).Abs() > time.Minute {
		return 0, 0
	}
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) == 0 {
		return 0, 0
	}
	if up, ok = clockGettime(clockBoottime); !ok {
		return 0, 0
	}
	h := fnv.New64a()
	h.Write(id)
	return up, max(h.Sum64(), 1)
}

func clockGettime(clock uintptr) (int64, bool) {
	var ts syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0) //nolint:gosec // the kernel fills ts in
	return ts.Nano(), errno == 0
}
