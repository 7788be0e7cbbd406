# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that read what guests wrote.
noinst_LIBRARIES += daemon/parser/libparser.a
daemon_parser_libparser_a_SOURCES = $(parser_sources)
