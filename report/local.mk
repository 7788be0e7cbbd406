# SPDX-License-Identifier: GPL-2.0-or-later
# xenopreport.  All but main() is a library, so that unit tests can link it.
noinst_LIBRARIES += report/libreport.a
report_libreport_a_SOURCES = $(report_sources)
nodist_report_libreport_a_SOURCES = report/picture/flame-style.c \
	report/picture/flame-script.c report/page/page-text.c

bin_PROGRAMS += report/xenopreport
report_xenopreport_SOURCES = report/main.c
report_xenopreport_LDADD = $(report_links)

static_programs += report/xenopreport-static
report_xenopreport_static_SOURCES = report/main.c $(static_sources)
report_xenopreport_static_LDADD = $(call static_links,$(report_links))
report_xenopreport_static_LINK = $(static_link)

# What the program carries of report/page/.
embed = $(top_srcdir)/build-aux/embed
report/picture/flame-style.c: report/picture/flame-svg.css build-aux/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(embed) embedded_flame_style \
	  $(srcdir)/report/picture/flame-svg.css >$@.tmp && mv $@.tmp $@
# In the order of their use.
picture_scripts = $(srcdir)/report/picture/frames.js $(srcdir)/report/picture/flame-svg.js
report/picture/flame-script.c: $(picture_scripts) build-aux/embed
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(embed) embedded_flame_script \
	  $(picture_scripts) >$@.tmp && mv $@.tmp $@
# All of the folder, in any order.
page_scripts = $(srcdir)/report/picture/frames.js $(sort $(wildcard $(srcdir)/report/page/*.js))
served_script = $(srcdir)/report/serve/served.js
report/page/page-text.c: $(page_scripts) $(served_script) report/page/page.html \
	report/page/page.css build-aux/embed build-aux/embed-page
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(embed)-page $(srcdir)/report/page $(served_script) \
	  $(page_scripts) >$@.tmp && mv $@.tmp $@
CLEANFILES += report/picture/flame-style.c report/picture/flame-script.c report/page/page-text.c
