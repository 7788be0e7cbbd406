# SPDX-License-Identifier: GPL-2.0-or-later
# What xenopctl and xenoprofd share.
noinst_LIBRARIES += control/libcontrol.a
control_libcontrol_a_SOURCES = $(control_sources)
