# SPDX-License-Identifier: GPL-2.0-or-later
# Measures; bench/README.md says what each tells.  make bench runs them.

EXTRA_PROGRAMS = bench/page-cost bench/ring-throughput bench/sample-cost
check_PROGRAMS += bench/stack-session # tests/page/page.sh, too
EXTRA_PROGRAMS += bench/guest-unwind bench/session-size
bench_session_size_SOURCES = bench/session-size.c
bench_session_size_LDADD = libxenoprof/libxenoprof.la -lm
bench_guest_unwind_SOURCES = bench/guest-unwind.c
bench_guest_unwind_LDADD = guest/libguest.la
bench_page_cost_SOURCES = bench/page-cost.c
bench_page_cost_LDADD = hypervisor/libcore.la
bench_ring_throughput_SOURCES = bench/ring-throughput.c \
	libxenoprof/backend-process.c
bench_ring_throughput_LDADD = libxenoprof/libinside.la hypervisor/libcore.la
bench_sample_cost_SOURCES = bench/sample-cost.c $(stack_kit)
bench_sample_cost_LDADD = hypervisor/libcore.la
bench_stack_session_SOURCES = bench/stack-session.c
bench_stack_session_LDADD = libxenoprof/libxenoprof.la
if WITH_XEN
EXTRA_PROGRAMS += bench/unwind-table
bench_unwind_table_SOURCES = bench/unwind-table.c
bench_unwind_table_LDADD = module/libmodule.la
EXTRA_PROGRAMS += bench/drain-cost bench/xen-heap
bench_xen_heap_SOURCES = bench/xen-heap.c $(stack_kit)
bench_xen_heap_LDADD = control/libcontrol.la hypervisor/libcore.la
bench_drain_cost_SOURCES = bench/drain-cost.c $(guest_kit) $(kernel_stub)
bench_drain_cost_LDFLAGS = $(AM_LDFLAGS) -static
bench_drain_cost_LDADD = daemon/libdaemon.la guest/libguest.la \
	libxenoprof/libinside.la
endif
CLEANFILES += $(EXTRA_PROGRAMS)

EXTRA_DIST += bench/drain-cost.sh bench/guest-unwind.sh bench/unwind-table.sh
EXTRA_DIST += bench/README.md bench/lab-cost.sh \
	bench/lab-cost-dom0.sh bench/ring-throughput.sh \
	bench/flamegraph.sh bench/report-speed.sh bench/sample-cost.sh \
	bench/session-size.sh bench/spin.c
EXTRA_DIST += bench/gap-load.c bench/lab-door.c bench/lab-door.h \
	bench/pause-time.c bench/sample-gaps.sh bench/sample-gaps-dom0.sh \
	bench/sample-gaps-table.sh

.PHONY: bench
bench: $(EXTRA_PROGRAMS)
	$(srcdir)/bench/sample-cost.sh .
	$(srcdir)/bench/guest-unwind.sh .
	test ! -x bench/drain-cost || $(srcdir)/bench/drain-cost.sh .
	test ! -x bench/xen-heap || bench/xen-heap
	$(srcdir)/bench/ring-throughput.sh .
	$(srcdir)/bench/session-size.sh .
