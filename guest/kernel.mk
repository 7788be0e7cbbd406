# SPDX-License-Identifier: GPL-2.0-or-later
# Finding a kernel: its symbols, modules and ORC rows, in memory or a file.
guest_libguest_la_SOURCES += \
	guest/btf.c guest/btf.h \
	guest/elf-memory.c guest/elf-memory.h \
	guest/fingerprint.c guest/fingerprint.h \
	guest/image.c guest/image.h \
	guest/image-facts.c \
	guest/image-file.c guest/image-file.h \
	guest/image-frames.c \
	guest/image-gather.c \
	guest/image-orc.c \
	guest/image-place.c \
	guest/image-read.c \
	guest/kallsyms.c guest/kallsyms.h \
	guest/kallsyms-find.c guest/kallsyms-inside.h \
	guest/kallsyms-names.c \
	guest/kallsyms-read.c \
	guest/kallsyms-shape.c \
	guest/kallsyms-tokens.c \
	guest/kernel.c guest/kernel-inside.h \
	guest/kernel-file.c \
	guest/kernel-names.c \
	guest/module-layout.c guest/module-layout.h \
	guest/module-read.c \
	guest/modules.c guest/modules.h \
	guest/symbol-list.c guest/symbol-list.h \
	guest/unpack.c guest/unpack.h \
	guest/unpack-formats.c
guest_libguest_la_LIBADD = $(ELF_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(Z_LIBS)
