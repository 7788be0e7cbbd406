# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing here is built with the rest: the lab builds for its hosts.
EXTRA_DIST += lab/.shellcheckrc \
	lab/README.md \
	lab/build-for \
	lab/demos/first-profile \
	lab/demos/guests \
	lab/dom0/guests.sh \
	lab/dom0/init \
	lab/dom0/modules \
	lab/guest/init \
	lab/guests.sh \
	lab/hosts/debian12 \
	lab/hosts/debian13 \
	lab/image.sh \
	lab/lab \
	lab/machine.sh \
	lab/options.sh \
	lab/packages.sh \
	lab/programs.sh \
	lab/run-image.sh \
	lab/say.sh \
	lab/self-test \
	lab/soak \
	lab/test-kernel/build \
	lab/test-kernel/console.c \
	lab/test-kernel/console.h \
	lab/test-kernel/gaps.c \
	lab/test-kernel/gaps.h \
	lab/test-kernel/hypercall-page.c \
	lab/test-kernel/hypercall.h \
	lab/test-kernel/hypercall32.c \
	lab/test-kernel/hypercall64.c \
	lab/test-kernel/layout.lds \
	lab/test-kernel/main.c \
	lab/test-kernel/start32.S \
	lab/test-kernel/start64.S \
	lab/test-kernel/stack-word.h \
	lab/test-kernel/work.c \
	lab/test-kernel/work.h \
	lab/verdict.sh \
	lab/watch.sh
