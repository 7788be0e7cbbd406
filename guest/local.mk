# SPDX-License-Identifier: GPL-2.0-or-later
# What is inside a guest's kernel.  Linked by the daemon's parser, by
# tests and by fuzzers; knows nothing of Xen.
noinst_LIBRARIES += guest/libguest.a
guest_libguest_a_SOURCES = $(guest_sources)
