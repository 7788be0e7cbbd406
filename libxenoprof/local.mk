# SPDX-License-Identifier: GPL-2.0-or-later
lib_LTLIBRARIES += libxenoprof/libxenoprof.la
include_HEADERS += libxenoprof/libxenoprof.h
pkgconfig_DATA += libxenoprof/libxenoprof.pc

# With inner names visible: what the library is made of, and what tests of inner
# parts link.
noinst_LIBRARIES += libxenoprof/libinside.a
libxenoprof_libinside_a_SOURCES = $(inside_sources)
libxenoprof_libinside_a_CFLAGS = $(AM_CFLAGS) -fPIC
if WITH_XEN
libxenoprof_libinside_a_SOURCES += libxenoprof/backend-xen.c
else
libxenoprof_libinside_a_SOURCES += libxenoprof/backend-xen-absent.c
endif

# The archive goes in whole.  libtool puts libraries before flags, and flags are
# what it takes archives for: so these libraries are flags as well.
inside = libxenoprof/libinside.a
libxenoprof_libxenoprof_la_SOURCES =
libxenoprof_libxenoprof_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/libxenoprof/libxenoprof.map \
	-Wl,--whole-archive,$(inside),--no-whole-archive,base/libbase.a \
	$(patsubst -l%,-Wl$(comma)-l%,$(BFD_LIBS) $(ZSTD_LIBS) $(Z_LIBS) \
	  $(XENFOREIGNMEMORY_LIBS) -lm)
comma = ,
EXTRA_libxenoprof_libxenoprof_la_DEPENDENCIES = \
	libxenoprof/libxenoprof.map $(inside) base/libbase.a
EXTRA_DIST += libxenoprof/backend-xen.c libxenoprof/backend-xen-absent.c

# What test programs link of it, without libtool's scripts around them.
shared_library = libxenoprof/.libs/libxenoprof.so
$(shared_library): libxenoprof/libxenoprof.la
	@test -e $@
