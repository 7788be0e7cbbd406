# SPDX-License-Identifier: GPL-2.0-or-later
# --annotate: functions as instructions.
report_libreport_la_SOURCES += \
	report/annotate-rows.c report/annotate-rows.h \
	report/code.c report/code.h \
	report/code-facts.c report/code-facts.h \
	report/code-file.c report/code-file.h \
	report/code-live.c report/code-live.h \
	report/code-packed.c report/code-packed.h \
	report/code-place.c report/code-place.h \
	report/code-relocs.c report/code-relocs.h \
	report/code-search.c report/code-search.h \
	report/code-symbols.c report/code-symbols.h \
	report/hits.c report/hits.h \
	report/instructions.c report/instructions.h \
	report/options-annotate.c report/options-annotate.h \
	report/source-text.c report/source-text.h \
	report/view-annotate.c
report_libreport_la_LIBADD += guest/libguest.la $(CAPSTONE_LIBS) $(DW_LIBS) \
	$(ELF_LIBS)
