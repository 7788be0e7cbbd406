# SPDX-License-Identifier: GPL-2.0-or-later
# What xenopctl and xenoprofd share, then xenopctl itself.

noinst_LTLIBRARIES += libopcontrol.la
libopcontrol_la_SOURCES = \
	opcontrol/control.c opcontrol/control.h \
	opcontrol/domain-list.c opcontrol/domain-list.h \
	opcontrol/domain-spec.c opcontrol/domain-spec.h \
	opcontrol/door.c opcontrol/door.h opcontrol/door-hypfs.c \
	opcontrol/exit-status.c opcontrol/exit-status.h \
	opcontrol/exit-status.def \
	opcontrol/line.c opcontrol/line.h \
	opcontrol/number-set.c opcontrol/number-set.h \
	opcontrol/quiet-log.c opcontrol/quiet-log.h \
	opcontrol/scope.h \
	opcontrol/session-folders.c opcontrol/session-folders.h \
	opcontrol/session-names.c \
	opcontrol/start-options.c opcontrol/start-options.h \
	opcontrol/xen-domains.c opcontrol/xen-domains.h opcontrol/xen-place.c
libopcontrol_la_LIBADD = $(XENCTRL_LIBS) $(XENHYPFS_LIBS) $(XENSTORE_LIBS)

sbin_PROGRAMS += xenopctl
xenopctl_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSBINDIR='"$(sbindir)"' -DBINDIR='"$(bindir)"'
xenopctl_SOURCES = \
	opcontrol/main.c opcontrol/commands.c opcontrol/commands.h \
	opcontrol/client.c opcontrol/client.h opcontrol/launch.c \
	opcontrol/programs.c opcontrol/programs.h \
	opcontrol/module-link.c opcontrol/module-link.h \
	opcontrol/cmd-check.c opcontrol/cmd-deinit.c opcontrol/cmd-dump.c \
	opcontrol/cmd-list-domains.c opcontrol/cmd-list-sessions.c \
	opcontrol/cmd-record.c opcontrol/cmd-reset.c opcontrol/cmd-save.c \
	opcontrol/cmd-setup.c opcontrol/cmd-shutdown.c opcontrol/cmd-start.c \
	opcontrol/cmd-status.c opcontrol/cmd-stop.c \
	opcontrol/status.c opcontrol/status.h opcontrol/status-disk.c \
	opcontrol/status-json.c opcontrol/status-table.c \
	libxenoprof/json-writer.c libxenoprof/json-writer.h
xenopctl_LDADD = libopcontrol.la libmodule.la \
	libxenoprof/libxenoprof.la $(POPT_LIBS)

include opcontrol/module/local.mk
