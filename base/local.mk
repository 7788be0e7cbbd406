# SPDX-License-Identifier: GPL-2.0-or-later
# What every program in user space needs and no library gives.
noinst_LIBRARIES += base/libbase.a
base_libbase_a_SOURCES = $(base_sources)
# libxenoprof.so has parts of it.
base_libbase_a_CFLAGS = $(AM_CFLAGS) -fPIC
