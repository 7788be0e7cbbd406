# SPDX-License-Identifier: GPL-2.0-or-later
# Finding a kernel: its symbols, modules and ORC rows, in memory or a file.
guest_libguest_la_SOURCES += \
	guest/linux/btf.c guest/linux/btf.h \
	guest/linux/code-frames.c guest/linux/code-frames.h \
	guest/linux/elf-memory.c guest/linux/elf-memory.h \
	guest/linux/fingerprint.c guest/linux/fingerprint.h \
	guest/linux/image.c guest/linux/image.h \
	guest/linux/image-info.c \
	guest/linux/image-file.c guest/linux/image-file.h \
	guest/linux/image-frames.c \
	guest/linux/image-gather.c \
	guest/linux/image-orc.c \
	guest/linux/image-orc-search.c \
	guest/linux/image-place.c \
	guest/linux/image-read.c \
	guest/linux/kallsyms.c guest/linux/kallsyms.h \
	guest/linux/kallsyms-find.c guest/linux/kallsyms-inside.h \
	guest/linux/kallsyms-names.c \
	guest/linux/kallsyms-read.c \
	guest/linux/kallsyms-shape.c \
	guest/linux/kallsyms-tokens.c \
	guest/kernel.c guest/linux/kernel-inside.h \
	guest/linux/kernel-file.c \
	guest/linux/kernel-names.c \
	guest/linux/module-layout.c guest/linux/module-layout.h \
	guest/linux/module-ranges.c \
	guest/linux/module-read.c \
	guest/linux/modules.c guest/linux/modules.h \
	guest/linux/symbol-list.c guest/linux/symbol-list.h \
	guest/linux/unpack.c guest/linux/unpack.h \
	guest/linux/unpack-formats.c
guest_libguest_la_LIBADD = $(ELF_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(Z_LIBS)

kernel_kit = tests/unit/guest/linux/kernel-kit.c tests/unit/guest/linux/kernel-kit.h \
	tests/unit/guest/linux/kernel-kit-btf.c \
	tests/unit/guest/linux/kernel-kit-kallsyms.c \
	tests/unit/guest/linux/kernel-kit-modules.c
kernel_kit_file = $(kernel_kit) \
	tests/unit/guest/linux/kernel-kit-file.c tests/unit/guest/linux/kernel-kit-file.h
kernel_kit_libs = $(LZMA_LIBS) $(ZSTD_LIBS) $(Z_LIBS)

# ./check runs test-kernel-dumps, which wants kernels that ran.
guest_kernel_tests = \
	tests/unit/guest/test-kernel-cost \
	tests/unit/guest/linux/test-kernel-file \
	tests/unit/guest/test-kernel-find \
	tests/unit/guest/linux/test-kernel-modules \
	tests/unit/guest/test-kernel-no-memory \
	tests/unit/guest/test-kernel-shared
check_PROGRAMS += $(guest_kernel_tests) tests/unit/guest/test-kernel-dumps
TESTS += $(guest_kernel_tests)
tests_unit_guest_test_kernel_cost_SOURCES = tests/unit/guest/test-kernel-cost.c
tests_unit_guest_test_kernel_cost_LDADD = libharness.la guest/libguest.la
tests_unit_guest_test_kernel_dumps_SOURCES = tests/unit/guest/test-kernel-dumps.c \
	tests/unit/guest/linux/dump-memory.c tests/unit/guest/linux/dump-memory.h
tests_unit_guest_test_kernel_dumps_LDADD = libharness.la guest/libguest.la
tests_unit_guest_linux_test_kernel_file_SOURCES = tests/unit/guest/linux/test-kernel-file.c \
	$(kernel_kit_file)
tests_unit_guest_linux_test_kernel_file_LDADD = libharness.la guest/libguest.la \
	$(kernel_kit_libs)
tests_unit_guest_test_kernel_find_SOURCES = tests/unit/guest/test-kernel-find.c \
	$(kernel_kit)
tests_unit_guest_test_kernel_find_LDADD = libharness.la guest/libguest.la
tests_unit_guest_linux_test_kernel_modules_SOURCES = tests/unit/guest/linux/test-kernel-modules.c \
	$(kernel_kit)
tests_unit_guest_linux_test_kernel_modules_LDADD = libharness.la guest/libguest.la
tests_unit_guest_test_kernel_no_memory_SOURCES = tests/unit/guest/test-kernel-no-memory.c \
	$(kernel_kit_file)
tests_unit_guest_test_kernel_no_memory_LDADD = libharness.la guest/libguest.la \
	$(kernel_kit_libs)
tests_unit_guest_test_kernel_no_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc \
	-Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=strdup
tests_unit_guest_test_kernel_shared_SOURCES = tests/unit/guest/test-kernel-shared.c \
	$(kernel_kit)
tests_unit_guest_test_kernel_shared_LDADD = libharness.la guest/libguest.la

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
