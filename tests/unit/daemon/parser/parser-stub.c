/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "guest/code-frames.h"
#include "guest/finder.h"
#include "guest/unwind.h"
#include "parser-stub.h"

#define KERNEL_SIZE   0x100000u
#define FUNCTION_SIZE 0x100u

bool parser_stub_tame;

struct stub_kernel {
    struct kernel kernel;
    struct stub_page page;
    bool looked;
    char name[64];
};

static struct stub_kernel *stub_of(const struct kernel *kernel)
{
    return (struct stub_kernel *)kernel;
}

static enum kernel_status make(const struct kernel_search *search,
                               uint64_t base, uint64_t bytes,
                               const struct stub_page *page,
                               struct kernel **ret)
{
    struct stub_kernel *stub = calloc(1, sizeof(*stub));

    if ( !stub )
        return KERNEL_NO_MEMORY;
    stub->kernel.image = calloc(1, sizeof(*stub->kernel.image));
    if ( !stub->kernel.image )
    {
        free(stub);
        return KERNEL_NO_MEMORY;
    }
    stub->kernel.image->references = 1;
    stub->kernel.info = (struct kernel_info){
        .release = "6.1.0-stub",
        .build_id = {(uint8_t)page->letter},
        .build_id_length = 1,
        .base = base,
        .symbols = KERNEL_SIZE / FUNCTION_SIZE,
    };
    stub->page = *page;
    if ( !page->prefix[0] )
        strcpy(stub->page.prefix, "function");
    search->memory->left -= bytes;
    *ret = &stub->kernel;
    return KERNEL_OK;
}

static void loop(void)
{
    for ( volatile unsigned long i = 0;; i++ )
        continue;
}

/* Takes some tenths of a second on any processor, longer than the daemon waits
 * at once.  A number of rounds would be too quick on a fast processor, and the
 * sandbox allows no system call for the time. */
static void ponder(void)
{
    uint64_t begun = __builtin_ia32_rdtsc();

    while ( __builtin_ia32_rdtsc() - begun < 1500000000u )
        continue;
}

static void read_tasks(struct guest_memory *memory, uint64_t base,
                       struct task_list *ret)
{
    static const struct task_offsets offsets = {16, 24, 32};
    struct stub_page page = {0};

    guest_memory_read(memory, base, &page, sizeof(page));
    task_list_make(&offsets, ret);
    ret->fetch.isolated = 1;
    ret->origins = ret->mapped = 1;
    ret->cached = page.cached;
    for ( uint32_t i = 0; i < page.processors; i++ )
        task_list_add(ret, i, STUB_WORDS + 4096 * i);
    if ( page.processors )
        return;
    memset(ret, 0, sizeof(*ret));
    ret->status = TASK_LIST_EARLY;
}

/* As a kernel does whose rows are still to be read. */
static void tell_tasks(const struct kernel_search *search, uint64_t base)
{
    struct task_list list = {.status = TASK_LIST_KNOWN};

    read_tasks(search->memory, base, &list);
    if ( search->tasks )
        search->tasks->take(search->tasks->self, &list);
}

static enum kernel_status find_in_memory(const struct kernel_search *search,
                                         struct kernel **ret)
{
    static char bytes[100000];
    struct stub_page *page = (struct stub_page *)bytes;
    struct guest_memory *memory = search->memory;
    uint64_t address = search->address & ~0xffful;
    size_t got;

    got = memory->read(memory->self, address, bytes, sizeof(bytes));
    if ( !got )
        return KERNEL_UNKNOWN;
    if ( parser_stub_tame && bytes[0] != 'K' )
        return KERNEL_DAMAGED;
    if ( page->zeroes )
        address &= ~0ul << (page->zeroes & 63);
    switch ( bytes[0] )
    {
    case 'L': loop(); break;
    case 'C': __builtin_trap(); break;
    case 'F': syscall(SYS_fork); break;
    case 'D': return KERNEL_DAMAGED;
    case 'E':
        tell_tasks(search, address);
        loop();
        break;
    case 'G': tell_tasks(search, address); return KERNEL_DAMAGED;
    case 'P': ponder(); return make(search, address, got, page, ret);
    case 'N':
    case 'T':
    case 'K':
    case 'B':
    case 'S': return make(search, address, got, page, ret);
    }
    return KERNEL_UNKNOWN;
}

static enum kernel_status stub_find(const struct kernel_search *search,
                                    struct kernel **ret)
{
    static const struct stub_page plain = {.letter = 'K'};

    if ( !search->file )
        return find_in_memory(search, ret);
    return search->size && *search->file == 'K'
               ? make(search, search->address, search->size, &plain, ret)
               : KERNEL_UNKNOWN;
}

/* The first look is part of the search, which has read enough. */
static enum kernel_status stub_look_again(struct kernel *kernel,
                                          struct guest_memory *memory)
{
    struct stub_kernel *stub = stub_of(kernel);
    uint8_t byte;

    if ( !stub->looked )
    {
        stub->looked = true;
        return KERNEL_OK;
    }
    if ( guest_memory_read(memory, kernel->info.base, &byte, 1) != 1 )
        return KERNEL_DAMAGED;
    if ( byte == 'N' )
        return KERNEL_MISMATCH;
    kernel->info.modules++;
    return KERNEL_OK;
}

/* Its letter is its build-id. */
static bool stub_is_here(const struct kernel *kernel,
                         struct guest_memory *memory)
{
    uint8_t byte;

    return guest_memory_get(memory, kernel->info.base, &byte, 1) &&
           byte == kernel->info.build_id[0];
}

static bool stub_symbol(const struct kernel *kernel, uint64_t address,
                        struct kernel_symbol *ret)
{
    /* Texts must live as long as the kernel; here, one is asked for at a
     * time. */
    struct stub_kernel *stub = stub_of(kernel);
    uint64_t offset = address - kernel->info.base;

    if ( offset >= KERNEL_SIZE + kernel->info.modules * FUNCTION_SIZE )
        return false;
    snprintf(stub->name, sizeof(stub->name), "%.15s_%llu", stub->page.prefix,
             (unsigned long long)(offset / FUNCTION_SIZE));
    *ret = (struct kernel_symbol){
        .name = stub->name,
        .module = offset >= KERNEL_SIZE ? "driver" : NULL,
        .start = address - offset % FUNCTION_SIZE,
        .end = address - offset % FUNCTION_SIZE + FUNCTION_SIZE,
    };
    return true;
}

static bool is_code(const void *self, uint64_t address)
{
    const struct stub_kernel *stub = self;

    return address - stub->kernel.info.base < KERNEL_SIZE;
}

static bool find_row(const void *self, uint64_t address, struct unwind_row *ret)
{
    const struct stub_kernel *stub = self;

    if ( stub->page.letter == 'S' && !parser_stub_tame )
        __builtin_trap();
    if ( stub->page.letter == 'B' && !parser_stub_tame )
        loop();
    memset(ret, 0, sizeof(*ret));
    return is_code(self, address);
}

static void stub_code(const struct kernel *kernel, struct unwind_code *ret)
{
    *ret = (struct unwind_code){
        .self = stub_of(kernel), .row = find_row, .is_code = is_code};
}

static void stub_tasks(const struct kernel *kernel, struct guest_memory *memory,
                       bool image_only, struct task_list *ret)
{
    (void)image_only;
    if ( stub_of(kernel)->page.letter == 'T' )
        read_tasks(memory, kernel->info.base, ret);
}

/* A process of number 13 kills who asks for it; one of 14 is gone. */
static bool stub_origin(const struct kernel *kernel,
                        struct guest_memory *memory,
                        const struct origin_thread *thread,
                        struct thread_origin *ret)
{
    uint8_t byte;

    if ( thread->pid == 13 && !parser_stub_tame )
        __builtin_trap();
    if ( thread->pid == 14 ||
         !guest_memory_get(memory, kernel->info.base, &byte, 1) )
        return false;
    snprintf(ret->exe, sizeof(ret->exe), "/bin/p%u", thread->pid);
    snprintf(ret->cgroup, sizeof(ret->cgroup), "/t%u.service", thread->tid);
    return true;
}

static bool stub_mapped(const struct kernel *kernel,
                        struct guest_memory *memory,
                        const struct mapped_process *process,
                        struct mapped_space *ret)
{
    struct mapped_code piece = {.start = 0x400000, .end = 0x401000};
    struct thread_origin origin;

    if ( !stub_origin(kernel, memory, &process->thread, &origin) )
        return false;
    if ( stub_of(kernel)->page.cached )
        piece.file = mapped_space_file(
            ret, &(struct guest_file){STUB_WORDS,
                                      STUB_FILE + process->thread.pid % 2});
    mapped_space_add(ret, &piece, origin.exe);
    piece.file = 0;
    piece.start = piece.end;
    piece.end += 4096;
    return mapped_space_add(ret, &piece, "");
}

/* As a file counts, addresses are 0x1000 beyond offsets. */
static bool stub_leaves(const struct kernel *kernel,
                        struct guest_memory *memory,
                        const struct guest_file *file, const uint64_t *offsets,
                        size_t count, struct leaf_name *ret)
{
    (void)kernel;
    (void)memory;
    for ( size_t i = 0; i < count; i++ )
    {
        if ( offsets[i] < 0x100 && !parser_stub_tame )
            __builtin_trap();
        ret[i].address = offsets[i] + 0x1000;
        ret[i].found = offsets[i] < 0x800 ? LEAF_SYMBOL : LEAF_ADDRESS;
        ret[i].absent = 1;
        if ( ret[i].found == LEAF_ADDRESS )
            continue;
        ret[i].start = ret[i].address & ~0xffull;
        snprintf(ret[i].name, sizeof(ret[i].name), "leaf_%llx",
                 (unsigned long long)offsets[i]);
    }
    return file->mapping == STUB_WORDS && file->id >= STUB_FILE;
}

static bool stub_put_image(const struct kernel *kernel, struct buffer *to,
                           uint64_t *base)
{
    const struct stub_image image = {kernel->info.symbols,
                                     stub_of(kernel)->page};

    *base = kernel->info.base;
    return flat_put(to, &image, 1, sizeof(image));
}

static bool stub_put_modules(const struct kernel *kernel, struct buffer *to)
{
    const uint64_t count = kernel->info.modules;

    return flat_put(to, &count, 1, sizeof(count));
}

static enum kernel_status stub_get(const struct kernel_flat *flat,
                                   struct kernel **ret)
{
    struct guest_memory none = {0};
    const struct kernel_search search = {.memory = &none};
    struct kernel_flat rest = *flat;
    const struct stub_image *image = flat_get(&rest.image, 1, sizeof(*image));
    const uint64_t *count;
    enum kernel_status status;

    if ( !image || cursor_left(&rest.image) )
        return KERNEL_DAMAGED;
    status = make(&search, flat->base, 0, &image->page, ret);
    if ( status )
        return status;
    stub_of(*ret)->looked = true;
    if ( cursor_left(&rest.modules) )
    {
        count = flat_get(&rest.modules, 1, sizeof(*count));
        (*ret)->info.modules = count ? (uint32_t)*count : 0;
    }
    return KERNEL_OK;
}

static void stub_close(struct kernel *kernel)
{
    free(kernel);
}

static void free_image(struct kernel_image *image)
{
    free(image);
}

/* The linker takes this instead of guest/'s own. */
const struct kernel_finder linux_finder = {
    .name = "stub",
    .find = stub_find,
    .look_again = stub_look_again,
    .is_here = stub_is_here,
    .symbol = stub_symbol,
    .code = stub_code,
    .tasks = stub_tasks,
    .origin = stub_origin,
    .mapped = stub_mapped,
    .leaves = stub_leaves,
    .put_image = stub_put_image,
    .put_modules = stub_put_modules,
    .get = stub_get,
    .close = stub_close,
    .free_image = free_image,
};

/* 'f' stands for code with frame pointers. */
bool code_uses_frames(struct guest_memory *memory, uint64_t address)
{
    char byte;

    return guest_memory_get(memory, address & ~0xffful, &byte, 1) &&
           byte == 'f';
}

/* A stack is words, each of which is a frame while it is code, up to where a
 * process has entered. */
void guest_unwind(const struct unwind_code *code,
                  const struct unwind_start *start, struct unwind_result *ret)
{
    struct unwind_row row;

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
            if ( word == STUB_ENTERED )
            {
                ret->end = UNWIND_USER;
                return;
            }
            if ( code->is_code ? !code->is_code(code->self, word) : !word )
                return;
            if ( ret->count < GUEST_FRAMES_MAX )
                ret->frames[ret->count++] = word;
        }
    ret->end = UNWIND_ROOT;
}
