# SPDX-License-Identifier: GPL-2.0-or-later
# --annotate: functions as instructions.
report_libreport_la_SOURCES += \
	report/annotate-rows.c report/annotate-rows.h \
	report/code.c report/code.h \
	report/code-bytes.c report/code-bytes.h \
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
	report/view-annotate.c \
	report/xen-names.c report/xen-names.h
report_libreport_la_LIBADD += guest/libguest.la $(CAPSTONE_LIBS) $(DW_LIBS) \
	$(ELF_LIBS)

check_PROGRAMS += tests/unit/test-report-annotate
TESTS += tests/unit/test-report-annotate
tests_unit_test_report_annotate_SOURCES = tests/unit/test-report-annotate.c \
	$(kernel_kit_file)
tests_unit_test_report_annotate_LDADD = libharness.la report/libreport.la \
	libxenoprof/libxenoprof.la guest/libguest.la $(kernel_kit_libs)
