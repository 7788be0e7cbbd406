# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += daemon/libdaemon.a
daemon_libdaemon_a_SOURCES = $(daemon_sources)

sbin_PROGRAMS += xenoprofd
xenoprofd_SOURCES = daemon/main.c
xenoprofd_LDADD = $(daemon_links) $(POPT_LIBS)

# Of a Xen of the series of these libraries.
static_programs += xenoprofd-static
xenoprofd_static_SOURCES = daemon/main.c $(static_sources)
xenoprofd_static_LDADD = $(call static_links,$(daemon_links))
xenoprofd_static_LINK = $(static_link)

dist_man_MANS += man/xenoprofd.8

systemdsystemunit_DATA = daemon/xenoprofd.service \
	daemon/xenoprof-recording.service
CLEANFILES += $(systemdsystemunit_DATA)
$(systemdsystemunit_DATA): %: %.in Makefile
	$(AM_V_GEN)mkdir -p $(@D) && sed 's|@sbindir[@]|$(sbindir)|; s|@sysconfdir[@]|$(sysconfdir)|' \
		$< > $@
