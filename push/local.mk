# SPDX-License-Identifier: GPL-2.0-or-later
# xenoprof-push.  All but main() is a library, so that tests can link it.
noinst_LIBRARIES += push/libpush.a
push_libpush_a_SOURCES = $(push_sources)
if HAVE_LIBCURL
push_libpush_a_SOURCES += push/http-curl.c
else
push_libpush_a_SOURCES += push/http-none.c
endif
EXTRA_DIST += push/http-curl.c push/http-none.c

sbin_PROGRAMS += xenoprof-push
xenoprof_push_SOURCES = push/main.c
xenoprof_push_LDADD = $(push_links) $(POPT_LIBS)

dist_man_MANS += man/xenoprof-push.8

# daemon/local.mk makes it.
systemdsystemunit_DATA += push/xenoprof-push.service

# Its windows are a test's.
check_PROGRAMS += tests/push/push-fake
tests_push_push_fake_SOURCES = push/main.c tests/push/fake-window.c
tests_push_push_fake_LDADD = $(push_links) $(POPT_LIBS)
