# SPDX-License-Identifier: GPL-2.0-or-later
# --annotate: functions as instructions.
report_libreport_la_SOURCES += \
	report/code/annotate-rows.c report/code/annotate-rows.h \
	report/code/code.c report/code/code.h \
	report/code/code-bytes.c report/code/code-bytes.h \
	report/code/code-info.c report/code/code-info.h \
	report/code/code-file.c report/code/code-file.h \
	report/code/code-live.c report/code/code-live.h \
	report/code/code-packed.c report/code/code-packed.h \
	report/code/code-place.c report/code/code-place.h \
	report/code/code-relocs.c report/code/code-relocs.h \
	report/code/code-search.c report/code/code-search.h \
	report/code/code-symbols.c report/code/code-symbols.h \
	report/code/hits.c report/code/hits.h \
	report/code/instructions.c report/code/instructions.h \
	report/options-annotate.c report/options-annotate.h \
	report/code/source-text.c report/code/source-text.h \
	report/code/view-annotate.c \
	report/code/xen-names.c report/code/xen-names.h
report_libreport_la_LIBADD += guest/libguest.la $(CAPSTONE_LIBS) $(DW_LIBS) \
	$(ELF_LIBS)

check_PROGRAMS += tests/unit/report/code/test-annotate
TESTS += tests/unit/report/code/test-annotate
tests_unit_report_code_test_annotate_SOURCES = tests/unit/report/code/test-annotate.c \
	$(kernel_kit_file)
tests_unit_report_code_test_annotate_LDADD = libharness.la report/libreport.la \
	libxenoprof/libxenoprof.la guest/libguest.la $(kernel_kit_libs)
