# SPDX-License-Identifier: GPL-2.0-or-later
# What Xen's trace buffers say, without our module.
noinst_LIBRARIES += trace/libtrace.a
trace_libtrace_a_SOURCES = $(trace_sources)
