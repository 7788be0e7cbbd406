/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel that is not Linux, from its file with rows of its compiler's: this
 * program stands for one, where its file says that it lies.
 */
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "guest/kernel.h"
#include "guest/unwind.h"
#include "rows/user-space.h"
#include "tests/harness.h"

#define STACK_BYTES 4096u

static uint64_t bias, code_end; /* of this program */
static uint64_t stack[STACK_BYTES / 8];
static struct xenoprof_registers registers;
static uint64_t ip;

static int take_first(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    bias = info->dlpi_addr;
    for ( unsigned int i = 0; i < info->dlpi_phnum; i++ )
        if ( info->dlpi_phdr[i].p_type == PT_LOAD )
            code_end = bias + info->dlpi_phdr[i].p_vaddr +
                       info->dlpi_phdr[i].p_memsz;
    return 1;
}

/* The stack as it would be if the program ran where its file says. */
__attribute__((no_sanitize("address"))) static void take_stack(uint64_t sp)
{
    const volatile uint64_t *words = (const volatile uint64_t *)sp;

    for ( size_t i = 0; i < STACK_BYTES / 8; i++ )
    {
        uint64_t word = words[i];

        stack[i] = word >= bias && word < code_end ? word - bias : word;
    }
    ip -= bias;
}

/* Not in registers that the functions could lose before they are taken. */
__attribute__((noinline)) static int kit_leaf(int value)
{
    asm volatile("leaq (%%rip), %0" : "=r"(ip));
    asm volatile("movq %%rsp, %0" : "=m"(registers.rsp));
    asm volatile("movq %%rbp, %0" : "=m"(registers.rbp));
    asm volatile("movq %%rbx, %0" : "=m"(registers.rbx));
    take_stack(registers.rsp);
    return value + 1;
}

__attribute__((noinline)) static int kit_middle(int value)
{
    char room[64];

    memset(room, value, sizeof(room));
    asm volatile("" : : "r"(room) : "memory");
    value = kit_leaf(value);
    asm volatile("" : : "r"(room) : "memory");
    return value + 1;
}

__attribute__((noinline)) static int kit_outer(int value)
{
    value = kit_middle(value) + 1;
    asm volatile("" : "+r"(value));
    return value;
}

/* Returns a kernel made of the tables of this file's, as a walker has it;
 * *bytes are to be freed after it. */
static struct kernel *own_kernel(struct buffer *bytes, struct kernel_info *info)
{
    struct kernel_images *images = kernel_images_open();
    struct kernel_tables tables = {0};
    struct kernel *found = NULL, *ret = NULL;
    int fd = open("/proc/self/exe", O_RDONLY);
    struct stat facts;
    void *file;

    CHECK(fd >= 0 && !fstat(fd, &facts));
    file = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(file != MAP_FAILED);
    CHECK_EQ(
        kernel_from_file(images, file, (size_t)facts.st_size, NULL, 0, &found),
        KERNEL_OK);
    kernel_get_info(found, info);
    CHECK(kernel_put_image(found, bytes, &tables.base));
    tables.image = bytes->bytes;
    tables.image_size = bytes->used;
    CHECK_EQ(kernel_from_tables(&tables, &ret), KERNEL_OK);
    kernel_close(found);
    kernel_images_close(images);
    munmap(file, (size_t)facts.st_size);
    close(fd);
    return ret;
}

/* Without what a compiler puts behind its own copy of a function, ".isra.0". */
static const char *name_of_frame(const struct kernel *kernel,
                                 const struct unwind_result *result,
                                 uint32_t number)
{
    static char name[64];
    struct kernel_symbol symbol;

    name[0] = '\0';
    if ( number < result->count &&
         kernel_name(kernel, result->frames[number] - !result->exact[number],
                     &symbol) )
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(symbol.name, "."),
                 symbol.name);
    return name;
}

TEST(stacks_of_a_kernel_are_walked_by_the_rows_of_its_file)
{
    struct buffer bytes = {0};
    struct kernel_info info;
    struct unwind_result result;
    struct unwind_start start;
    struct unwind_code code;
    struct kernel *kernel;

    dl_iterate_phdr(take_first, NULL);
    CHECK_EQ(kit_outer(1), 4);
    kernel = own_kernel(&bytes, &info);
    CHECK_TEXT(info.row_layout, "cfi");
    CHECK(info.rows > 100);
    kernel_get_code(kernel, &code);
    CHECK(code.space && code.cache);
    start = (struct unwind_start){
        .ip = ip,
        .registers = &registers,
        .windows = {{registers.rsp, (const uint8_t *)stack, sizeof(stack)}},
        .bits32 = true,
        .kernel = true,
    };
    guest_unwind(&code, &start, &result);
    CHECK_TEXT(name_of_frame(kernel, &result, 0), "kit_leaf");
    CHECK_TEXT(name_of_frame(kernel, &result, 1), "kit_middle");
    CHECK_TEXT(name_of_frame(kernel, &result, 2), "kit_outer");
    kernel_close(kernel);
    buffer_free(&bytes);
}

/* Rows are of one file, and checked as all that another process wrote. */
TEST(rows_that_are_cut_off_are_refused)
{
    struct buffer bytes = {0};
    struct kernel_tables tables = {0};
    struct kernel_info info;
    struct kernel *kernel = own_kernel(&bytes, &info);

    kernel_close(kernel);
    tables.image = bytes.bytes;
    tables.image_size = bytes.used - 8;
    CHECK_EQ(kernel_from_tables(&tables, &kernel), KERNEL_DAMAGED);
    buffer_free(&bytes);
}
