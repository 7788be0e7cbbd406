# SPDX-License-Identifier: GPL-2.0-or-later
# What xenopctl and xenoprofd share.
noinst_LIBRARIES += control/libcontrol.a
control_libcontrol_a_SOURCES = $(control_sources)
if HAVE_LIBPFM
control_libcontrol_a_SOURCES += control/event-names-pfm.c
else
control_libcontrol_a_SOURCES += control/event-names-none.c
endif
EXTRA_DIST += control/event-names-pfm.c control/event-names-none.c

# What these take of Xen inside.
static_xen_links = -lxendevicemodel -lxenevtchn -lxengnttab -lxentoollog -lxentoolcore
