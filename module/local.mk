# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of a hypervisor, and the module put together from them.
noinst_LIBRARIES += module/libmodule.a
module_libmodule_a_SOURCES = $(module_sources)
