# SPDX-License-Identifier: GPL-2.0-or-later
xenoprofincludedir = $(includedir)/xenoprof
xenoprofinclude_HEADERS = \
	include/xenoprof/door.h \
	include/xenoprof/facts.def \
	include/xenoprof/facts.h \
	include/xenoprof/lost-causes.def \
	include/xenoprof/marks.def \
	include/xenoprof/module-symbols.def \
	include/xenoprof/record.h \
	include/xenoprof/record-kinds.def \
	include/xenoprof/record-parts.def \
	include/xenoprof/ring.h \
	include/xenoprof/types.h \
	include/xenoprof/unwind.h
