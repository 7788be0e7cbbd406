# SPDX-License-Identifier: GPL-2.0-or-later

# make bench/ring-throughput && bench/ring-throughput
EXTRA_PROGRAMS = bench/ring-throughput
bench_ring_throughput_SOURCES = bench/ring-throughput.c \
	libxenoprof/backend-process.c
bench_ring_throughput_LDADD = libxenoprof/libinside.la hypervisor/libcore.la
CLEANFILES += $(EXTRA_PROGRAMS)
