# SPDX-License-Identifier: GPL-2.0-or-later
xenoprofincludedir = $(includedir)/xenoprof
xenoprofinclude_HEADERS = $(wire_sources)
