/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/kernel.h"
#include "guest/unwind.h"
#include "parser-stub.h"

#define KERNEL_SIZE   0x100000u
#define FUNCTION_SIZE 0x100u

bool parser_stub_tame;

struct kernel_images {
    int none;
};

struct kernel {
    uint64_t base;
    uint32_t modules;
    uint64_t bytes_read;
    bool crashes;
    char name[64];
};

struct kernel_images *kernel_images_open(void)
{
    return calloc(1, sizeof(struct kernel_images));
}

void kernel_images_close(struct kernel_images *images)
{
    free(images);
}

static enum kernel_code make(uint64_t base, uint64_t bytes, char letter,
                             struct kernel **ret)
{
    *ret = calloc(1, sizeof(**ret));
    if ( !*ret )
        return KERNEL_NO_MEMORY;
    (*ret)->base = base;
    (*ret)->bytes_read = bytes;
    (*ret)->crashes = letter == 'S';
    return KERNEL_OK;
}

static void loop(void)
{
    for ( volatile unsigned long i = 0;; i++ )
        continue;
}

/* Some tenths of a second on any processor, so longer than the daemon waits at
 * once: rounds of a loop would be too few on a quick one, and there is no
 * system call here that tells the time. */
static void ponder(void)
{
    uint64_t begun = __builtin_ia32_rdtsc();

    while ( __builtin_ia32_rdtsc() - begun < 1500000000u )
        continue;
}

enum kernel_code kernel_find(struct kernel_images *images,
                             struct guest_memory *memory, uint64_t address,
                             struct kernel **ret)
{
    static char bytes[100000];
    size_t got;

    (void)images;
    address &= ~0xffful;
    got = memory->read(memory->self, address, bytes, sizeof(bytes));
    if ( got == 0 )
        return KERNEL_UNKNOWN;
    if ( parser_stub_tame && bytes[0] != 'K' )
        return KERNEL_DAMAGED;
    switch ( bytes[0] )
    {
    case 'L': loop(); break;
    case 'C': raise(SIGSEGV); break;
    case 'F': syscall(SYS_fork); break;
    case 'D': return KERNEL_DAMAGED;
    case 'P': ponder(); return make(address, got, 'K', ret);
    case 'N':
    case 'K':
    case 'S': return make(address, got, bytes[0], ret);
    }
    return KERNEL_UNKNOWN;
}

enum kernel_code kernel_from_file(struct kernel_images *images,
                                  const void *bytes, size_t size,
                                  struct guest_memory *memory, uint64_t address,
                                  struct kernel **ret)
{
    (void)images;
    (void)memory;
    return size && *(const char *)bytes == 'K' ? make(address, size, 'K', ret)
                                               : KERNEL_UNKNOWN;
}

void kernel_close(struct kernel *kernel)
{
    free(kernel);
}

enum kernel_code kernel_look_at_modules(struct kernel *kernel,
                                        struct guest_memory *memory)
{
    uint8_t byte;

    if ( guest_memory_read(memory, kernel->base, &byte, 1) != 1 )
        return KERNEL_DAMAGED;
    if ( byte == 'N' )
        return KERNEL_MISMATCH;
    kernel->modules++;
    return KERNEL_OK;
}

bool kernel_name(const struct kernel *kernel, uint64_t address,
                 struct kernel_symbol *ret)
{
    /* Texts live as long as the kernel; it is one at a time here. */
    struct kernel *owner = (struct kernel *)kernel;
    uint64_t offset = address - kernel->base;

    if ( offset >= KERNEL_SIZE + kernel->modules * FUNCTION_SIZE )
        return false;
    snprintf(owner->name, sizeof(owner->name), "function_%llu",
             (unsigned long long)(offset / FUNCTION_SIZE));
    *ret = (struct kernel_symbol){
        .name = owner->name,
        .module = offset >= KERNEL_SIZE ? "driver" : NULL,
        .start = address - offset % FUNCTION_SIZE,
        .end = address - offset % FUNCTION_SIZE + FUNCTION_SIZE,
    };
    return true;
}

bool kernel_is_code(const struct kernel *kernel, uint64_t address)
{
    return address - kernel->base < KERNEL_SIZE;
}

bool kernel_orc(const struct kernel *kernel, uint64_t address,
                struct orc_row *ret)
{
    if ( kernel->crashes && !parser_stub_tame )
        raise(SIGSEGV);
    memset(ret, 0, sizeof(*ret));
    return kernel_is_code(kernel, address);
}

bool kernel_has_frame_pointers(const struct kernel *kernel)
{
    (void)kernel;
    return false;
}

/* 'f' stands for code that does. */
bool kernel_code_makes_frames(struct guest_memory *memory, uint64_t address)
{
    char byte;

    return guest_memory_get(memory, address & ~0xffful, &byte, 1) &&
           byte == 'f';
}

void kernel_get_info(const struct kernel *kernel, struct kernel_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    strcpy(ret->release, "6.1.0-stub");
    ret->base = kernel->base;
    ret->symbols = KERNEL_SIZE / FUNCTION_SIZE;
    ret->modules = kernel->modules;
    ret->bytes_read = kernel->bytes_read;
}

/* A stack is words, each of which is a frame while it is code. */
void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret)
{
    struct orc_row row;

    memset(ret, 0, sizeof(*ret));
    ret->frames[ret->count++] = start->ip;
    ret->exact[0] = true;
    ret->end = UNWIND_NO_RULE;
    if ( !code->row && !code->frame_pointers )
        return;
    ret->end = UNWIND_WINDOW;
    if ( code->row )
        code->row(code->self, start->ip, &row);
    for ( int w = 0; w < 2; w++ )
        for ( size_t at = 0; at + 8 <= start->windows[w].length; at += 8 )
        {
            uint64_t word;

            memcpy(&word, start->windows[w].bytes + at, 8);
            if ( code->is_code ? !code->is_code(code->self, word) : !word )
                return;
            if ( ret->count < GUEST_FRAMES_MAX )
                ret->frames[ret->count++] = word;
        }
    ret->end = UNWIND_ROOT;
}

enum unwind_special unwind_special_of(const char *name)
{
    (void)name;
    return UNWIND_ORDINARY;
}
