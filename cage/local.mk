# SPDX-License-Identifier: GPL-2.0-or-later
# Processes in a cage, what makes them, and how a program gets rid of its rights:
# xenoprofd's and opagent's.
noinst_LIBRARIES += cage/libcage.a
cage_libcage_a_SOURCES = $(cage_sources)
if SANITIZERS
cage_libcage_a_SOURCES += cage/sandbox-reports-sanitizers.c
else
cage_libcage_a_SOURCES += cage/sandbox-reports-none.c
endif
EXTRA_DIST += cage/sandbox-reports-sanitizers.c cage/sandbox-reports-none.c
