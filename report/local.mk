# SPDX-License-Identifier: GPL-2.0-or-later
# All but main() is a library of its own, so that unit tests can link it.
noinst_LTLIBRARIES += report/libreport.la
report_libreport_la_SOURCES = \
	report/account.c report/account.h \
	report/areas.c report/areas.h \
	report/calls.c report/calls.h \
	report/chain-ends.c report/chain-ends.h \
	report/children.c report/children.h \
	report/bytes.c report/bytes.h \
	report/clock.c report/clock.h \
	report/complaint.c report/complaint.h \
	report/diff.c report/diff.h \
	report/diff-header.c report/diff-header.h \
	report/diff-names.c report/diff-names.h \
	report/diff-rows.c report/diff-rows.h \
	report/diff-tree.c \
	report/domains.c report/domains.h \
	report/embedded.h \
	report/exit-status.def \
	report/flame.c report/flame.h \
	report/flame-svg.c report/flame-svg.h \
	report/flat-guests.c \
	report/flat-header.c report/flat-header.h \
	report/flat-hints.c report/flat-hints.h \
	report/flat-losses.c report/flat-payloads.c \
	report/flat-rows.c report/flat-rows.h \
	report/flat-summary.c report/flat-summary.h \
	report/flat-symbol.c report/flat-symbol.h \
	report/focus.c report/focus.h \
	report/folded-name.c report/folded-name.h \
	report/frame-text.c report/frame-text.h \
	report/gather.c report/gather.h \
	report/grid.c report/grid.h \
	report/header-line.c report/header-line.h \
	report/json-domains.c report/json-domains.h \
	report/json-session.c report/json-session.h \
	report/json-stacks.c report/json-stacks.h \
	report/kernel-fact.c report/kernel-fact.h \
	report/kernel-file.c report/kernel-file.h \
	report/labels.c report/labels.h \
	report/live.c report/live.h \
	report/live-follow.c report/live-follow.h \
	report/live-page.c report/live-page.h \
	report/live-state.c report/live-state.h \
	report/live-terminal.c report/live-terminal.h \
	report/live-window.c report/live-window.h \
	report/load.c report/load.h \
	report/load-items.c report/load-items.h \
	report/markup.c report/markup.h \
	report/names.c report/names.h \
	report/naming.c report/naming.h \
	report/noise.c report/noise.h \
	report/options.c report/options.h \
	report/options-diff.c report/options-diff.h \
	report/options-stacks.c report/options-stacks.h \
	report/outline.c report/outline.h \
	report/output.c report/output.h \
	report/pager.c report/pager.h \
	report/page-events.c report/page-events.h \
	report/page-facts.c report/page-facts.h \
	report/page-file.c report/page-file.h \
	report/page-nodes.c report/page-nodes.h \
	report/profile.c report/profile.h \
	report/recording.c report/recording.h \
	report/screen.c report/screen.h \
	report/select.c report/select.h \
	report/sessions.c report/sessions.h \
	report/stacks.c report/stacks.h \
	report/table.c report/table.h \
	report/text.c report/text.h \
	report/time-range.c report/time-range.h \
	report/timeline.c report/timeline.h \
	report/tree.c report/tree.h \
	report/view-diff-flamegraph.c \
	report/view-diff-html.c \
	report/view-flamegraph.c \
	report/view-calls.c \
	report/view-children.c \
	report/view-diff.c report/view-diff-calls.c \
	report/view-diff-json.c \
	report/view-flat.c \
	report/view-folded.c \
	report/view-html.c \
	report/view-json.c \
	report/view-symbol.c \
	report/views.c report/views.h \
	libxenoprof/json-writer.c libxenoprof/json-writer.h
nodist_report_libreport_la_SOURCES = report/flame-style.c \
	report/flame-script.c report/page-text.c
report_libreport_la_LIBADD = libxenoprof/libxenoprof.la $(POPT_LIBS) $(Z_LIBS) \
	-lm
include report/annotate.mk

report_tests = tests/unit/test-report-account \
	tests/unit/test-report-bytes \
	tests/unit/test-report-diff \
	tests/unit/test-report-folded \
	tests/unit/test-report-flame \
	tests/unit/test-report-live \
	tests/unit/test-report-markup \
	tests/unit/test-report-noise \
	tests/unit/test-report-page \
	tests/unit/test-report-select \
	tests/unit/test-report-stacks \
	tests/unit/test-report-table \
	tests/unit/test-report-text \
	tests/unit/test-report-time \
	tests/unit/test-report-timeline \
	tests/unit/test-report-tree
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
report_test = libharness.la report/libreport.la libxenoprof/libxenoprof.la
tests_unit_test_report_account_SOURCES = tests/unit/test-report-account.c
tests_unit_test_report_account_LDADD = $(report_test)
tests_unit_test_report_select_SOURCES = tests/unit/test-report-select.c
tests_unit_test_report_select_LDADD = $(report_test)
tests_unit_test_report_table_SOURCES = tests/unit/test-report-table.c
tests_unit_test_report_table_LDADD = $(report_test)
tests_unit_test_report_text_SOURCES = tests/unit/test-report-text.c
tests_unit_test_report_text_LDADD = $(report_test)
tests_unit_test_report_time_SOURCES = tests/unit/test-report-time.c
tests_unit_test_report_time_LDADD = $(report_test)
tests_unit_test_report_diff_SOURCES = tests/unit/test-report-diff.c tests/unit/report-kit.h
tests_unit_test_report_diff_LDADD = $(report_test)
tests_unit_test_report_folded_SOURCES = tests/unit/test-report-folded.c
tests_unit_test_report_folded_LDADD = $(report_test)
tests_unit_test_report_live_SOURCES = tests/unit/test-report-live.c $(session_kit)
tests_unit_test_report_live_LDADD = $(report_test)
tests_unit_test_report_noise_SOURCES = tests/unit/test-report-noise.c
tests_unit_test_report_noise_LDADD = $(report_test) -lm
tests_unit_test_report_stacks_SOURCES = tests/unit/test-report-stacks.c tests/unit/report-kit.h
tests_unit_test_report_stacks_LDADD = $(report_test)
tests_unit_test_report_tree_SOURCES = tests/unit/test-report-tree.c tests/unit/report-kit.h
tests_unit_test_report_tree_LDADD = $(report_test)

tests_unit_test_report_bytes_SOURCES = tests/unit/test-report-bytes.c
tests_unit_test_report_bytes_LDADD = $(report_test) $(Z_LIBS)
tests_unit_test_report_flame_SOURCES = tests/unit/test-report-flame.c
tests_unit_test_report_flame_LDADD = $(report_test)
tests_unit_test_report_markup_SOURCES = tests/unit/test-report-markup.c
tests_unit_test_report_markup_LDADD = $(report_test)
tests_unit_test_report_page_SOURCES = tests/unit/test-report-page.c \
	tests/unit/report-kit.h
tests_unit_test_report_page_LDADD = $(report_test)
tests_unit_test_report_timeline_SOURCES = tests/unit/test-report-timeline.c
tests_unit_test_report_timeline_LDADD = $(report_test)

bin_PROGRAMS += report/xenopreport
report_xenopreport_SOURCES = report/main.c
report_xenopreport_LDADD = report/libreport.la

check_PROGRAMS += tests/golden/make-session
tests_golden_make_session_SOURCES = tests/golden/make-session.c
tests_golden_make_session_LDADD = libxenoprof/libxenoprof.la

# Each case is a session as text and a transcript of commands.
report_golden = tests/golden/report.sh tests/golden/report-status.sh \
	tests/golden/report-sums.sh tests/golden/report-terminal.sh
TESTS += $(report_golden)
EXTRA_DIST += $(report_golden) tests/golden/report

# What the program carries of report/page/.
embed = $(top_srcdir)/build-aux/embed
report/flame-style.c: report/page/flame-svg.css build-aux/embed
	$(AM_V_GEN)$(embed) embedded_flame_style \
	  $(srcdir)/report/page/flame-svg.css >$@.tmp && mv $@.tmp $@
report/flame-script.c: report/page/flame-svg.js build-aux/embed
	$(AM_V_GEN)$(embed) embedded_flame_script \
	  $(srcdir)/report/page/flame-svg.js >$@.tmp && mv $@.tmp $@
# In the order of their use.
page_scripts = text.js decode.js compare.js model.js canvas.js flame.js \
	range.js times.js heat.js lists.js facts.js picks.js link.js keys.js \
	page.js
page_files = page.html page.css $(page_scripts)
report/page-text.c: $(addprefix report/page/,$(page_files)) build-aux/embed \
	build-aux/embed-page
	$(AM_V_GEN)$(embed)-page $(srcdir)/report/page $(page_scripts) >$@.tmp && \
	  mv $@.tmp $@
CLEANFILES += report/flame-style.c report/flame-script.c report/page-text.c
EXTRA_DIST += build-aux/embed build-aux/embed-page \
	report/page/flame-svg.css report/page/flame-svg.js \
	$(addprefix report/page/,$(page_files))

# The page and the picture in a headless browser, if there is one.
TESTS += tests/page/page.sh
EXTRA_DIST += tests/page/browser.js tests/page/cases-colour.js \
	tests/page/cases-diff.js \
	tests/page/cases-page.js tests/page/cases-size.js \
	tests/page/cases-svg.js tests/page/page.sh tests/page/run.js \
	tests/page/screen.js tests/page/tap.js

check_PROGRAMS += tests/fuzz/fuzz-report
TESTS += tests/fuzz/fuzz-report
tests_fuzz_fuzz_report_SOURCES = tests/fuzz/fuzz-report.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_report_LDADD = $(FUZZ_LIBS) report/libreport.la \
	libxenoprof/libxenoprof.la
tests_fuzz_fuzz_report_DEPENDENCIES = libreplay.la report/libreport.la \
	libxenoprof/libxenoprof.la
