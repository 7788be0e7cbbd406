# SPDX-License-Identifier: GPL-2.0-or-later
# Finding a kernel: its symbols, modules and ORC rows, in memory or a file.
guest_libguest_la_SOURCES += \
	guest/btf.c guest/btf.h \
	guest/elf-memory.c guest/elf-memory.h \
	guest/fingerprint.c guest/fingerprint.h \
	guest/image.c guest/image.h \
	guest/image-orc.c \
	guest/image-read.c \
	guest/kallsyms.c guest/kallsyms.h \
	guest/kallsyms-find.c guest/kallsyms-inside.h \
	guest/kallsyms-names.c \
	guest/kallsyms-read.c \
	guest/kallsyms-shape.c \
	guest/kallsyms-tokens.c \
	guest/kernel.c guest/kernel-inside.h \
	guest/kernel-names.c \
	guest/module-layout.c guest/module-layout.h \
	guest/module-read.c \
	guest/modules.c guest/modules.h \
	guest/symbol-list.c guest/symbol-list.h
