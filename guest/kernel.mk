# SPDX-License-Identifier: GPL-2.0-or-later
# Finding a kernel: its symbols, modules and ORC rows, in memory or a file.
guest_libguest_la_SOURCES += \
	guest/btf.c guest/btf.h \
	guest/code-frames.c guest/code-frames.h \
	guest/elf-memory.c guest/elf-memory.h \
	guest/fingerprint.c guest/fingerprint.h \
	guest/image.c guest/image.h \
	guest/image-facts.c \
	guest/image-file.c guest/image-file.h \
	guest/image-frames.c \
	guest/image-gather.c \
	guest/image-orc.c \
	guest/image-orc-search.c \
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
	guest/module-ranges.c \
	guest/module-read.c \
	guest/modules.c guest/modules.h \
	guest/symbol-list.c guest/symbol-list.h \
	guest/unpack.c guest/unpack.h \
	guest/unpack-formats.c
guest_libguest_la_LIBADD = $(ELF_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(Z_LIBS)

kernel_kit = tests/unit/kernel-kit.c tests/unit/kernel-kit.h \
	tests/unit/kernel-kit-btf.c \
	tests/unit/kernel-kit-kallsyms.c \
	tests/unit/kernel-kit-modules.c
kernel_kit_file = $(kernel_kit) \
	tests/unit/kernel-kit-file.c tests/unit/kernel-kit-file.h
kernel_kit_libs = $(LZMA_LIBS) $(ZSTD_LIBS) $(Z_LIBS)

# ./check runs test-kernel-dumps, which wants kernels that ran.
guest_kernel_tests = \
	tests/unit/test-kernel-cost \
	tests/unit/test-kernel-file \
	tests/unit/test-kernel-find \
	tests/unit/test-kernel-modules \
	tests/unit/test-kernel-no-memory \
	tests/unit/test-kernel-shared
check_PROGRAMS += $(guest_kernel_tests) tests/unit/test-kernel-dumps
TESTS += $(guest_kernel_tests)
tests_unit_test_kernel_cost_SOURCES = tests/unit/test-kernel-cost.c
tests_unit_test_kernel_cost_LDADD = libharness.la guest/libguest.la
tests_unit_test_kernel_dumps_SOURCES = tests/unit/test-kernel-dumps.c \
	tests/unit/dump-memory.c tests/unit/dump-memory.h
tests_unit_test_kernel_dumps_LDADD = libharness.la guest/libguest.la
tests_unit_test_kernel_file_SOURCES = tests/unit/test-kernel-file.c \
	$(kernel_kit_file)
tests_unit_test_kernel_file_LDADD = libharness.la guest/libguest.la \
	$(kernel_kit_libs)
tests_unit_test_kernel_find_SOURCES = tests/unit/test-kernel-find.c \
	$(kernel_kit)
tests_unit_test_kernel_find_LDADD = libharness.la guest/libguest.la
tests_unit_test_kernel_modules_SOURCES = tests/unit/test-kernel-modules.c \
	$(kernel_kit)
tests_unit_test_kernel_modules_LDADD = libharness.la guest/libguest.la
tests_unit_test_kernel_no_memory_SOURCES = tests/unit/test-kernel-no-memory.c \
	$(kernel_kit_file)
tests_unit_test_kernel_no_memory_LDADD = libharness.la guest/libguest.la \
	$(kernel_kit_libs)
tests_unit_test_kernel_no_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc \
	-Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=strdup
tests_unit_test_kernel_shared_SOURCES = tests/unit/test-kernel-shared.c \
	$(kernel_kit)
tests_unit_test_kernel_shared_LDADD = libharness.la guest/libguest.la

guest_kernel_fuzzers = tests/fuzz/fuzz-boot-image tests/fuzz/fuzz-kallsyms \
	tests/fuzz/fuzz-modules
guest_kernel_fuzz = $(FUZZ_LIBS) guest/libguest.la
guest_kernel_fuzz_needs = libreplay.la guest/libguest.la
check_PROGRAMS += $(guest_kernel_fuzzers)
TESTS += $(guest_kernel_fuzzers)
tests_fuzz_fuzz_boot_image_SOURCES = tests/fuzz/fuzz-boot-image.c \
	tests/fuzz/edits.h tests/fuzz/fuzz.h $(kernel_kit_file)
tests_fuzz_fuzz_boot_image_LDADD = $(guest_kernel_fuzz) $(kernel_kit_libs)
tests_fuzz_fuzz_boot_image_DEPENDENCIES = $(guest_kernel_fuzz_needs)
tests_fuzz_fuzz_kallsyms_SOURCES = tests/fuzz/fuzz-kallsyms.c \
	tests/fuzz/edits.h tests/fuzz/fuzz.h $(kernel_kit)
tests_fuzz_fuzz_kallsyms_LDADD = $(guest_kernel_fuzz)
tests_fuzz_fuzz_kallsyms_DEPENDENCIES = $(guest_kernel_fuzz_needs)
tests_fuzz_fuzz_modules_SOURCES = tests/fuzz/fuzz-modules.c \
	tests/fuzz/edits.h tests/fuzz/fuzz.h $(kernel_kit)
tests_fuzz_fuzz_modules_LDADD = $(guest_kernel_fuzz)
tests_fuzz_fuzz_modules_DEPENDENCIES = $(guest_kernel_fuzz_needs)
