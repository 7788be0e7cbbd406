/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives libdwfl a captured stack to walk. */
#include "dwfl-kit.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct dwfl_space {
    Dwfl *dwfl;
    pid_t pid;
    const struct captured_stack *stack; /* the one that is walked */
};

static pid_t next_thread(Dwfl *dwfl, void *space_at, void **thread)
{
    struct dwfl_space *space = space_at;

    (void)dwfl;
    if ( *thread )
        return 0;
    *thread = space;
    return space->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *space, void **thread)
{
    (void)dwfl;
    (void)tid;
    *thread = space;
    return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret,
                        void *space_at)
{
    const struct dwfl_space *space = space_at;
    uint64_t offset = address - space->stack->address;

    (void)dwfl;
    if ( offset >= space->stack->length ||
         space->stack->length - offset < sizeof(*ret) )
        return false;
    memcpy(ret, space->stack->bytes + offset, sizeof(*ret));
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *space_at)
{
    const struct dwfl_space *space = space_at;
    Dwarf_Word words[ROW_REGISTER_COUNT + 1];

    memcpy(words, &space->stack->registers,
           ROW_REGISTER_COUNT * sizeof(words[0]));
    words[ROW_IP] = space->stack->ip;
    return dwfl_thread_state_registers(thread, 0, ROW_REGISTER_COUNT + 1,
                                       words);
}

static int no_debug_file(Dwfl_Module *module, void **data, const char *name,
                         Dwarf_Addr base, const char *file, const char *link,
                         GElf_Word crc, char **ret)
{
    (void)module, (void)data, (void)name, (void)base;
    (void)file, (void)link, (void)crc, (void)ret;
    return -1;
}

static const Dwfl_Thread_Callbacks thread_calls = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = read_memory,
    .set_initial_registers = set_registers};
static const Dwfl_Callbacks module_calls = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = no_debug_file,
    .section_address = dwfl_offline_section_address};

/* Each file once, by its first piece of code. */
static bool report(Dwfl *dwfl, const struct captured_space *space)
{
    dwfl_report_begin(dwfl);
    for ( size_t i = 0; i < space->count; i++ )
    {
        const struct captured_mapping *mapping = &space->mappings[i];
        bool seen = !mapping->mapping.rows || mapping->path[0] != '/';

        for ( size_t k = 0; k < i; k++ )
            seen |= !strcmp(space->mappings[k].path, mapping->path);
        if ( !seen && !dwfl_report_elf(dwfl, mapping->path, mapping->path, -1,
                                       mapping->mapping.bias, false) )
            return false;
    }
    return !dwfl_report_end(dwfl, NULL, NULL);
}

struct dwfl_space *dwfl_space_open(const struct captured_space *captured)
{
    struct dwfl_space *space = calloc(1, sizeof(*space));

    if ( !space )
        return NULL;
    space->pid = captured->pid;
    space->dwfl = dwfl_begin(&module_calls);
    if ( space->dwfl && report(space->dwfl, captured) &&
         dwfl_attach_state(space->dwfl, NULL, space->pid, &thread_calls,
                           space) )
        return space;
    dwfl_space_close(space);
    return NULL;
}

void dwfl_space_close(struct dwfl_space *space)
{
    if ( space && space->dwfl )
        dwfl_end(space->dwfl);
    free(space);
}

static int take_frame(Dwfl_Frame *frame, void *chain_at)
{
    struct user_chain *chain = chain_at;
    Dwarf_Addr ip;
    bool exact;

    if ( chain->count == USER_FRAMES_MAX || !dwfl_frame_pc(frame, &ip, &exact) )
        return DWARF_CB_ABORT;
    chain->exact[chain->count] = exact;
    chain->frames[chain->count++] = ip;
    return DWARF_CB_OK;
}

void dwfl_walk(struct dwfl_space *space, const struct captured_stack *stack,
               struct user_chain *ret)
{
    space->stack = stack;
    ret->count = 0;
    ret->end = USER_ENDS;
    dwfl_getthread_frames(space->dwfl, space->pid, take_frame, ret);
}
