# SPDX-License-Identifier: GPL-2.0-or-later
# Measures; bench/README.md says what each one shows.  make bench runs them.
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
check_PROGRAMS += bench/stack-session # tests/page/page.sh, too
check_PROGRAMS += bench/hostile-session # tests/cli/hostile-session.sh
check_PROGRAMS += bench/peers bench/run-cost # tests/cli/peers.sh
check_PROGRAMS += bench/session-size # tests/cli/threads.sh

.PHONY: goals
goals: $(bench_programs)
	$(srcdir)/bench/goals.sh .

.PHONY: bench
bench: $(bench_programs)
	$(srcdir)/bench/sample-cost.sh .
	$(srcdir)/bench/guest-unwind.sh .
	$(srcdir)/bench/user-stacks.sh .
	test ! -x bench/drain-cost || $(srcdir)/bench/drain-cost.sh .
	test ! -x bench/xen-heap || bench/xen-heap
	$(srcdir)/bench/ring-throughput.sh .
	$(srcdir)/bench/session-size.sh .
