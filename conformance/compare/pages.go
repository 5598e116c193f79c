package main

import "syscall"

const (
	// touchedPerObject is about what client-go's typed informer takes at its peak.
	touchedPerObject = 25_000
	pageSize         = 4096
)

// touchPages takes n bytes of memory, writes into each page and gives them back. On a virtual machine whose host takes away
// what lies idle, the first to write to a page waits for the host: 13 us, and 2 us for the next. Without this a program would be
// the slower the longer its machine did nothing before. Memory that cannot be had is left.
func touchPages(n int) {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return
	}
	for i := 0; i < n; i += pageSize {
		b[i] = 1
	}
	_ = syscall.Munmap(b)
}
