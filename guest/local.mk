# SPDX-License-Identifier: GPL-2.0-or-later
# What is inside a guest's kernel.  Linked by the daemon's kernel child, by
# tests and by fuzzers; knows nothing of Xen.
noinst_LTLIBRARIES += guest/libguest.la
guest_libguest_la_SOURCES = \
	guest/kernel.h \
	guest/memory.c guest/memory.h \
	guest/orc.h \
	guest/unwind.h
