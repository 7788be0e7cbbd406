# SPDX-License-Identifier: GPL-2.0-or-later
# All but main() is a library of its own, so that unit tests can link it.
noinst_LTLIBRARIES += report/libreport.la
report_libreport_la_SOURCES = \
	report/model/account.c report/model/account.h \
	report/model/areas.c report/model/areas.h \
	report/text/calls.c report/text/calls.h \
	report/model/chain-ends.c report/model/chain-ends.h \
	report/model/children.c report/model/children.h \
	report/page/bytes.c report/page/bytes.h \
	report/text/clock.c report/text/clock.h \
	report/model/diff.c report/model/diff.h \
	report/text/diff-header.c report/text/diff-header.h \
	report/model/diff-names.c report/model/diff-names.h \
	report/model/diff-rows.c report/model/diff-rows.h \
	report/model/diff-tree.c \
	report/model/domains.c report/model/domains.h \
	report/picture/embedded.h \
	report/picture/flame.c report/picture/flame.h \
	report/picture/flame-svg.c report/picture/flame-svg.h \
	report/text/flat-guests.c \
	report/text/flat-header.c report/text/flat-header.h \
	report/text/flat-hints.c report/text/flat-hints.h \
	report/text/flat-losses.c report/text/flat-payloads.c \
	report/text/flat-rows.c report/text/flat-rows.h \
	report/text/flat-summary.c report/text/flat-summary.h \
	report/text/flat-symbol.c report/text/flat-symbol.h \
	report/model/focus.c report/model/focus.h \
	report/text/folded-name.c report/text/folded-name.h \
	report/text/frame-text.c report/text/frame-text.h \
	report/gather.c report/gather.h \
	report/text/grid.c report/text/grid.h \
	report/text/header-line.c report/text/header-line.h \
	report/text/json-domains.c report/text/json-domains.h \
	report/text/json-session.c report/text/json-session.h \
	report/text/json-stacks.c report/text/json-stacks.h \
	report/model/kernel-attribute.c report/model/kernel-attribute.h \
	report/model/kernel-file.c report/model/kernel-file.h \
	report/model/labels.c report/model/labels.h \
	report/live/live.c report/live/live.h \
	report/live/live-follow.c report/live/live-follow.h \
	report/live/live-page.c report/live/live-page.h \
	report/live/live-state.c report/live/live-state.h \
	report/live/live-terminal.c report/live/live-terminal.h \
	report/live/live-window.c report/live/live-window.h \
	report/model/load.c report/model/load.h \
	report/model/load-items.c report/model/load-items.h \
	report/picture/markup.c report/picture/markup.h \
	report/model/names.c report/model/names.h \
	report/model/naming.c report/model/naming.h \
	report/model/noise.c report/model/noise.h \
	report/options.c report/options.h \
	report/options-diff.c report/options-diff.h \
	report/options-stacks.c report/options-stacks.h \
	report/text/outline.c report/text/outline.h \
	report/output.c report/output.h \
	report/pager.c report/pager.h \
	report/page/page-events.c report/page/page-events.h \
	report/page/page-info.c report/page/page-info.h \
	report/page/page-file.c report/page/page-file.h \
	report/page/page-nodes.c report/page/page-nodes.h \
	report/model/profile.c report/model/profile.h \
	report/model/loaded.c report/model/loaded.h \
	report/screen.c report/screen.h \
	report/model/select.c report/model/select.h \
	report/model/sessions.c report/model/sessions.h \
	report/model/stacks.c report/model/stacks.h \
	report/text/text.c report/text/text.h \
	report/model/time-range.c report/model/time-range.h \
	report/model/timeline.c report/model/timeline.h \
	report/model/tree.c report/model/tree.h \
	report/picture/view-diff-flamegraph.c \
	report/page/view-diff-html.c \
	report/picture/view-flamegraph.c \
	report/text/view-calls.c \
	report/text/view-children.c \
	report/text/view-diff.c report/text/view-diff-calls.c \
	report/text/view-diff-json.c \
	report/text/view-flat.c \
	report/text/view-folded.c \
	report/page/view-html.c \
	report/text/view-json.c \
	report/text/view-symbol.c \
	report/views.c report/views.h
nodist_report_libreport_la_SOURCES = report/picture/flame-style.c \
	report/picture/flame-script.c report/page/page-text.c
report_libreport_la_LIBADD = base/libbase.la libxenoprof/libxenoprof.la $(POPT_LIBS) $(Z_LIBS) \
	-lm
include report/code/local.mk

report_tests = tests/unit/report/model/test-account \
	tests/unit/report/page/test-bytes \
	tests/unit/report/model/test-diff \
	tests/unit/report/text/test-folded \
	tests/unit/report/picture/test-flame \
	tests/unit/report/live/test-live \
	tests/unit/report/picture/test-markup \
	tests/unit/report/model/test-names \
	tests/unit/report/model/test-noise \
	tests/unit/report/page/test-page \
	tests/unit/report/model/test-select \
	tests/unit/report/model/test-stacks \
	tests/unit/report/text/test-text \
	tests/unit/report/model/test-time-range \
	tests/unit/report/model/test-timeline \
	tests/unit/report/model/test-tree
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
report_test = libharness.la report/libreport.la libxenoprof/libxenoprof.la
tests_unit_report_model_test_account_SOURCES = tests/unit/report/model/test-account.c
tests_unit_report_model_test_account_LDADD = $(report_test)
tests_unit_report_model_test_select_SOURCES = tests/unit/report/model/test-select.c
tests_unit_report_model_test_select_LDADD = $(report_test)
tests_unit_report_text_test_text_SOURCES = tests/unit/report/text/test-text.c
tests_unit_report_text_test_text_LDADD = $(report_test)
tests_unit_report_model_test_time_range_SOURCES = tests/unit/report/model/test-time-range.c
tests_unit_report_model_test_time_range_LDADD = $(report_test)
tests_unit_report_model_test_diff_SOURCES = tests/unit/report/model/test-diff.c tests/unit/report/model/report-kit.h
tests_unit_report_model_test_diff_LDADD = $(report_test)
tests_unit_report_text_test_folded_SOURCES = tests/unit/report/text/test-folded.c
tests_unit_report_text_test_folded_LDADD = $(report_test)
tests_unit_report_live_test_live_SOURCES = tests/unit/report/live/test-live.c $(session_kit)
tests_unit_report_live_test_live_LDADD = $(report_test)
tests_unit_report_model_test_names_SOURCES = tests/unit/report/model/test-names.c
tests_unit_report_model_test_names_LDADD = $(report_test) base/libbase.la
tests_unit_report_model_test_noise_SOURCES = tests/unit/report/model/test-noise.c
tests_unit_report_model_test_noise_LDADD = $(report_test) -lm
tests_unit_report_model_test_stacks_SOURCES = tests/unit/report/model/test-stacks.c tests/unit/report/model/report-kit.h
tests_unit_report_model_test_stacks_LDADD = $(report_test)
tests_unit_report_model_test_tree_SOURCES = tests/unit/report/model/test-tree.c tests/unit/report/model/report-kit.h
tests_unit_report_model_test_tree_LDADD = $(report_test)

tests_unit_report_page_test_bytes_SOURCES = tests/unit/report/page/test-bytes.c
tests_unit_report_page_test_bytes_LDADD = $(report_test) $(Z_LIBS)
tests_unit_report_picture_test_flame_SOURCES = tests/unit/report/picture/test-flame.c
tests_unit_report_picture_test_flame_LDADD = $(report_test)
tests_unit_report_picture_test_markup_SOURCES = tests/unit/report/picture/test-markup.c
tests_unit_report_picture_test_markup_LDADD = $(report_test)
tests_unit_report_page_test_page_SOURCES = tests/unit/report/page/test-page.c \
	tests/unit/report/model/report-kit.h
tests_unit_report_page_test_page_LDADD = $(report_test)
tests_unit_report_model_test_timeline_SOURCES = tests/unit/report/model/test-timeline.c
tests_unit_report_model_test_timeline_LDADD = $(report_test)

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
report/picture/flame-style.c: report/picture/flame-svg.css build-aux/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(embed) embedded_flame_style \
	  $(srcdir)/report/picture/flame-svg.css >$@.tmp && mv $@.tmp $@
report/picture/flame-script.c: report/picture/flame-svg.js build-aux/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(embed) embedded_flame_script \
	  $(srcdir)/report/picture/flame-svg.js >$@.tmp && mv $@.tmp $@
# In the order of their use.
page_scripts = text.js decode.js compare.js model.js canvas.js flame.js \
	range.js times.js heat.js lists.js facts.js picks.js link.js keys.js \
	page.js
page_files = page.html page.css $(page_scripts)
report/page/page-text.c: $(addprefix report/page/,$(page_files)) build-aux/embed \
	build-aux/embed-page
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(embed)-page $(srcdir)/report/page $(page_scripts) >$@.tmp && \
	  mv $@.tmp $@
CLEANFILES += report/picture/flame-style.c report/picture/flame-script.c report/page/page-text.c
EXTRA_DIST += build-aux/embed build-aux/embed-page \
	report/picture/flame-svg.css report/picture/flame-svg.js \
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
