/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels from files, and guests that run them, elsewhere in memory, or run
 * other kernels.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/elf-memory.h"
#include "guest/kernel.h"
#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "kernel-kit-file.h"

#define ELSEWHERE 0xffffffffa7200000ull

static struct kernel_images *images;
static struct fake_kernel file;  /* as it was linked */
static struct fake_kernel guest; /* as it runs */
static struct kernel *kernel;

static void begin(struct fake_form form)
{
    images = kernel_images_open();
    form.functions = form.functions ? form.functions : 3000;
    fake_kernel_open(&file, &form);
    form.base = ELSEWHERE;
    form.modules = 3;
    fake_kernel_open(&guest, &form);
}

static void end(void)
{
    fake_kernel_close(&file);
    fake_kernel_close(&guest);
    kernel_images_close(images);
}

static enum kernel_status load(const struct fake_part *part,
                               struct fake_kernel *into)
{
    return kernel_from_file(images, part->bytes, part->size,
                            into ? &into->memory : NULL,
                            into ? fake_function(into, 5) : 0, &kernel);
}

/* Names where into has them, and a module's. */
static void check_names(const struct fake_kernel *into)
{
    struct kernel_symbol symbol;
    char name[FAKE_NAME_MAX];
    uint32_t i;

    for ( i = 1; i < into->form.functions; i++ )
    {
        fake_function_name(into, i, name);
        CHECK(kernel_name(kernel, fake_function(into, i) + 3, &symbol));
        CHECK_TEXT(symbol.name, name);
        CHECK(symbol.start == fake_function(into, i));
    }
    if ( !into->form.modules )
        return;
    CHECK(kernel_name(kernel, fake_module(2) + FAKE_MODULE_TEXT + 70, &symbol));
    CHECK_TEXT(symbol.module, "module2");
}

TEST(vmlinux_and_vmlinuz)
{
    struct fake_part elf, packed, image;
    struct kernel_info facts;
    struct unwind_row row;

    begin((struct fake_form){0});
    fake_elf(&file, &elf);
    CHECK_EQ(load(&elf, &guest), KERNEL_OK);
    check_names(&guest);
    CHECK(kernel_row(kernel, fake_function(&guest, 9), &row));
    CHECK_EQ(row.cfa_offset, 8 + 8 * 4);
    kernel_get_info(kernel, &facts);
    CHECK(facts.checked && facts.base == ELSEWHERE);
    kernel_close(kernel);
    fake_pack(&elf, FAKE_GZIP, &packed);
    fake_boot_image(&packed, elf.size, &image);
    CHECK_EQ(load(&image, NULL), KERNEL_OK);
    check_names(&file);
    kernel_close(kernel);
    free(elf.bytes);
    free(packed.bytes);
    free(image.bytes);
    end();
}

TEST(another_build)
{
    struct fake_part elf, map;

    begin((struct fake_form){0});
    fake_elf(&file, &elf);
    fake_system_map(&file, &map);
    *fake_bytes(&guest, guest.build_id + 3) ^= 1;
    CHECK_EQ(load(&elf, &guest), KERNEL_MISMATCH);
    /* A text can be checked less well. */
    CHECK_EQ(load(&map, &guest), KERNEL_OK);
    kernel_close(kernel);
    free(elf.bytes);
    free(map.bytes);
    end();
}

TEST(no_build_id)
{
    struct fake_part elf;

    begin((struct fake_form){.no_build_id = true});
    fake_elf(&file, &elf);
    CHECK_EQ(load(&elf, &guest), KERNEL_OK);
    check_names(&guest);
    kernel_close(kernel);
    *fake_bytes(&guest, fake_address(&guest, "linux_banner") + 14) = '7';
    CHECK_EQ(load(&elf, &guest), KERNEL_MISMATCH);
    free(elf.bytes);
    end();
}

TEST(system_map)
{
    struct kernel_info facts;
    struct fake_part map;
    struct unwind_row row;

    begin((struct fake_form){0});
    fake_system_map(&file, &map);
    CHECK_EQ(load(&map, NULL), KERNEL_OK);
    check_names(&file);
    kernel_close(kernel);
    CHECK_EQ(load(&map, &guest), KERNEL_OK);
    check_names(&guest);
    CHECK(kernel_row(kernel, fake_function(&guest, 9), &row));
    kernel_get_info(kernel, &facts);
    CHECK(!facts.checked && facts.base == ELSEWHERE);
    CHECK_TEXT(facts.release, "6.1.0-test");
    kernel_close(kernel);
    /* A guest where the file fits nowhere. */
    *fake_bytes(&guest, fake_address(&guest, "linux_banner")) = 'X';
    CHECK_EQ(load(&map, &guest), KERNEL_MISMATCH);
    free(map.bytes);
    end();
}

static struct task_list tasks_of_guest(void)
{
    struct task_list list;

    memset(&list, 0, sizeof(list));
    kernel_get_tasks(kernel, &guest.memory, false, &list);
    return list;
}

/* What a symbol leads to is asked for only if the file has the symbol. */
TEST(system_map_without_numbers_of_threads)
{
    struct fake_part map;
    char *name;

    begin((struct fake_form){.cpus = 1, .origins = true});
    fake_system_map(&file, &map);
    CHECK_EQ(load(&map, &guest), KERNEL_OK);
    CHECK_EQ(tasks_of_guest().origins, 1);
    kernel_close(kernel);
    name = memmem(map.bytes, map.size, "init_pid_ns", 11);
    CHECK(name);
    *name = 'X';
    CHECK_EQ(load(&map, &guest), KERNEL_OK);
    CHECK_EQ(tasks_of_guest().origins, 0);
    kernel_close(kernel);
    free(map.bytes);
    end();
}

/* A copy of the guest's own: addresses are those where it runs. */
TEST(kallsyms_text)
{
    static const char module[] = "ffffffffc0102040 t inside_a_module\t[m]\n"
                                 "zzz\n\nffffffff T\nffffffff81000000 T \n";
    struct kernel_symbol symbol;
    struct fake_part map;

    begin((struct fake_form){0});
    fake_system_map(&guest, &map);
    fake_add(&map, module, sizeof(module) - 1);
    CHECK_EQ(load(&map, &guest), KERNEL_OK);
    check_names(&guest);
    CHECK(kernel_name(kernel, 0xffffffffc0102040ull, &symbol));
    CHECK_TEXT(symbol.name, "module0_function1");
    kernel_close(kernel);
    free(map.bytes);
    end();
}

TEST(kallsyms_text_without_addresses)
{
    static const char text[] = "0000000000000000 T _text\n"
                               "0000000000000000 T _stext\n";
    struct fake_part part = {(uint8_t *)(uintptr_t)text, sizeof(text) - 1, 0,
                             0};

    begin((struct fake_form){0});
    CHECK_EQ(load(&part, &guest), KERNEL_UNKNOWN);
    part.size = 0;
    CHECK_EQ(load(&part, &guest), KERNEL_UNKNOWN);
    end();
}

/* _stext is behind all that is code. */
TEST(text_that_is_no_kernels)
{
    static const char text[] = "ffffffff81000000 T foo\n"
                               "ffffffff82000000 D _stext\n"
                               "ffffffff81000100 T bar\n";
    const struct fake_part part = {(uint8_t *)(uintptr_t)text, sizeof(text) - 1,
                                   0, 0};
    struct kernel_symbol symbol;

    begin((struct fake_form){0});
    CHECK_EQ(load(&part, NULL), KERNEL_OK);
    CHECK(kernel_name(kernel, 0xffffffff81000042ull, &symbol));
    CHECK_TEXT(symbol.name, "foo");
    kernel_close(kernel);
    end();
}

/* This very program stands for a guest that is not Linux. */
struct program {
    uint8_t *bytes;
    size_t size;
    struct elf_memory elf;
    uint8_t changed; /* what its code is changed by */
};

static size_t read_changed(void *self, uint64_t address, void *to, size_t size)
{
    struct program *program = self;
    size_t i, got = program->elf.memory.read(&program->elf, address, to, size);

    for ( i = 0; i < got; i++ )
        ((uint8_t *)to)[i] ^= program->changed;
    return got;
}

static void open_program(struct program *program)
{
    int self = open("/proc/self/exe", O_RDONLY);
    struct stat stat;

    CHECK(self >= 0 && !fstat(self, &stat));
    program->size = (size_t)stat.st_size;
    program->bytes = mmap(NULL, program->size, PROT_READ, MAP_PRIVATE, self, 0);
    CHECK(program->bytes != MAP_FAILED);
    close(self);
    CHECK(elf_memory_open(&program->elf, program->bytes, program->size));
}

TEST(not_linux)
{
    struct program program = {0};
    struct guest_memory memory = {
        .read = read_changed, .self = &program, .left = 1 << 20};
    struct kernel_symbol symbol;
    struct kernel_info facts;
    bool seen = false;
    uint64_t at;

    open_program(&program);
    images = kernel_images_open();
    CHECK_EQ(kernel_from_file(images, program.bytes, program.size, &memory, 0,
                              &kernel),
             KERNEL_OK);
    kernel_get_info(kernel, &facts);
    CHECK(facts.symbols > 50 && !facts.modules && facts.rows > 100);
    CHECK_TEXT(facts.row_layout, "cfi"); /* its compiler's */
    for ( at = facts.base; at < facts.base + program.size && !seen; at += 8 )
        seen = kernel_name(kernel, at, &symbol) &&
               !strcmp(symbol.name, "kernel_from_file");
    CHECK(seen);
    kernel_close(kernel);
    program.changed = 0x10;
    CHECK_EQ(kernel_from_file(images, program.bytes, program.size, &memory, 0,
                              &kernel),
             KERNEL_MISMATCH);
    kernel_images_close(images);
    elf_memory_close(&program.elf);
    munmap(program.bytes, program.size);
}
