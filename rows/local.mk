# SPDX-License-Identifier: GPL-2.0-or-later
# Unwind rows of user code: made of ELF files (cfi/), sent, checked, and walked
# by.  Knows neither Xen nor an agent.
noinst_LIBRARIES += rows/librows.a
rows_librows_a_SOURCES = $(rows_sources)
