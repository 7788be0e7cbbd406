# SPDX-License-Identifier: GPL-2.0-or-later
# All manual pages, and the documents and checks beside them.
dist_man_MANS += \
	man/libxenoprof.3 \
	man/xenopreport.1 \
	man/xenoprof-records.5 \
	man/xenoprof-session.5 \
	man/xenoprof.7

EXTRA_DIST += CONTRIBUTING.md HACKING.md README.md SECURITY.md \
	doc/architecture.md \
	doc/frames.md \
	doc/glossary.md \
	doc/guest-kernels.md \
	doc/guest-stacks.md \
	doc/guest-windows.md \
	doc/lifetimes.md \
	doc/module-assembly.md \
	doc/moved.txt \
	doc/page.md \
	doc/pictures/example.session \
	doc/pictures/flamegraph.svg \
	doc/pictures/make-pictures \
	doc/pictures/page.png \
	doc/port-contract.md \
	doc/threads-and-nmi.md \
	doc/unwinding.md \
	doc/xen-stacks.md \
	build-aux/check-headers \
	build-aux/check-man \
	build-aux/check-numbers \
	build-aux/check-page \
	build-aux/check-spdx
