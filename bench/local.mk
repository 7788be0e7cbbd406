# SPDX-License-Identifier: GPL-2.0-or-later
# Measures; bench/README.md says what each one shows.  make goals runs them.
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
check_PROGRAMS += bench/stack-session # tests/page/page.sh, too
check_PROGRAMS += bench/hostile-session # tests/cli/hostile-session.sh
check_PROGRAMS += bench/peers bench/run-cost # tests/cli/peers.sh, goals.sh
check_PROGRAMS += bench/session-size # tests/cli/threads.sh

# Tests that print figures, where there are Xen's libraries.
goals_tests = $(filter %/test-day %/test-domain-lives %/test-hostile-cost, \
	$(check_PROGRAMS))

.PHONY: bench goals
bench: all $(bench_programs) $(goals_tests)

# make goals GOALS=--long: bench/goals.sh says what else there is.
goals: bench
	$(srcdir)/bench/goals.sh . $(GOALS)
