# SPDX-License-Identifier: GPL-2.0-or-later
# Processes in a cage, what makes them, and how a program gets rid of its rights:
# xenoprofd's and opagent's.
noinst_LIBRARIES += daemon/parser/libparser.a
daemon_parser_libparser_a_SOURCES = $(parser_sources)
if SANITIZERS
daemon_parser_libparser_a_SOURCES += daemon/system/sandbox-reports-sanitizers.c
else
daemon_parser_libparser_a_SOURCES += daemon/system/sandbox-reports-none.c
endif
EXTRA_DIST += daemon/system/sandbox-reports-sanitizers.c \
	daemon/system/sandbox-reports-none.c
