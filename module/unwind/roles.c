/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "roles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPECIAL (UNWIND_MARK_ENTRY | UNWIND_MARK_APART)

static const struct {
    const char *pattern;
    uint8_t mark;
} names[] = {
#define UNWIND_NAME(pattern, mark) {pattern, mark},
#include "special-symbols.def"
#undef UNWIND_NAME
};

/* ud2 goes on for these kinds of bug frame: run a function (0), WARN (1).
 * Up to 4.18 there is one start for all. */
static const struct {
    const char *start, *stop;
} going_on[] = {
    {"__start_bug_frames", "__stop_bug_frames_0"},
    {"__stop_bug_frames_0", "__stop_bug_frames_1"},
    {"__start_bug_frames_0", "__stop_bug_frames_0"},
    {"__start_bug_frames_1", "__stop_bug_frames_1"},
};

struct bug_frame {
    int32_t place : 24;
    uint32_t line_high : 8;
    uint32_t rest;
};

struct exception {
    int32_t place;
    int32_t to;
};

static bool fits(const char *pattern, const char *name)
{
    size_t length = strlen(pattern), size = strlen(name);
    bool open_start = *pattern == '*';
    bool open_end = pattern[length - 1] == '*';

    pattern += open_start;
    length -= open_start + open_end;
    if ( open_start && open_end )
        return memmem(name, size, pattern, length);
    if ( size < length || (!open_start && !open_end && size != length) )
        return false;
    return !memcmp(open_start ? name + size - length : name, pattern, length);
}

static uint8_t mark_of_name(const char *name, uint8_t otherwise)
{
    for ( size_t i = sizeof(names) / sizeof(*names); i-- > 0; )
        if ( fits(names[i].pattern, name) )
            return names[i].mark;
    return otherwise;
}

static uint64_t address_of(const struct hypervisor_image *image,
                           const char *name)
{
    const struct image_symbol *symbol = image_find(image, name);

    return symbol ? symbol->address : 0;
}

static void mark_range(struct unwind_code *code, uint32_t insn, uint64_t end,
                       uint8_t mark)
{
    for ( ; insn != UNWIND_NOWHERE && code->insns[insn].address < end;
          insn = unwind_code_next(code, insn) )
    {
        code->insns[insn].marks |= mark & SPECIAL;
        if ( mark & UNWIND_MARK_BRIEF &&
             code->insns[insn].op == UNWIND_OP_JUMP )
            return;
    }
}

static void mark_symbols(struct unwind_code *code,
                         const struct hypervisor_image *image)
{
    uint64_t start = address_of(image, "_stextentry");
    uint64_t length = address_of(image, "_etextentry") - start;

    for ( size_t i = 0, next; i < code->symbol_count; i = next )
    {
        uint64_t address = code->symbols[i].address, end = UINT64_MAX;
        bool entry = start && address - start < length;
        uint32_t insn = unwind_code_at(code, address);
        uint8_t mark = 0;

        for ( next = i; next < code->symbol_count &&
                        code->symbols[next].address == address;
              next++ )
            mark |= mark_of_name(code->symbols[next].name,
                                 entry ? UNWIND_MARK_ENTRY
                                       : UNWIND_MARK_FUNCTION);
        if ( insn == UNWIND_NOWHERE )
            continue;
        if ( next < code->symbol_count )
            end = code->symbols[next].address;
        if ( mark & SPECIAL )
            mark_range(code, insn, end, mark);
        else
            code->insns[insn].marks |= mark;
    }
}

/* Entry code has functions too: what it calls by a symbol. */
static void mark_entry_functions(struct unwind_code *code)
{
    for ( size_t i = 0; i < code->count; i++ )
    {
        const struct unwind_insn *call = &code->insns[i];
        const struct unwind_symbol *symbol, *end;
        uint32_t at = call->to;

        if ( call->op != UNWIND_OP_CALL || at == UNWIND_NOWHERE ||
             !(code->insns[at].marks & UNWIND_MARK_ENTRY) )
            continue;
        symbol = unwind_code_symbol(code, call->target);
        if ( !symbol )
            continue;
        code->insns[at].marks |= UNWIND_MARK_FUNCTION;
        end = code->symbols + code->symbol_count;
        while ( symbol < end && symbol->address == call->target )
            symbol++;
        for ( ; at != UNWIND_NOWHERE &&
                (symbol == end || code->insns[at].address < symbol->address);
              at = unwind_code_next(code, at) )
            code->insns[at].marks &= ~UNWIND_MARK_ENTRY;
    }
}

/* Constants from start to stop; 0: they are not there. */
static size_t constants(const struct hypervisor_image *image,
                        const char *start_name, const char *stop_name,
                        const uint8_t **bytes, uint64_t *address)
{
    uint64_t start = address_of(image, start_name);
    uint64_t stop = address_of(image, stop_name);
    uint64_t offset = start - image->rodata.address;

    if ( !start || stop < start || offset > image->rodata.size ||
         stop - start > image->rodata.size - offset )
        return 0;
    *bytes = image->rodata.bytes + offset;
    *address = start;
    return stop - start;
}

static void mark_bugs(struct unwind_code *code,
                      const struct hypervisor_image *image)
{
    const uint8_t *bytes;
    uint64_t address;

    for ( size_t i = 0; i < sizeof(going_on) / sizeof(*going_on); i++ )
    {
        size_t size = constants(image, going_on[i].start, going_on[i].stop,
                                &bytes, &address);
        struct bug_frame bug;

        for ( size_t at = 0; at + sizeof(bug) <= size; at += sizeof(bug) )
        {
            uint32_t insn;

            memcpy(&bug, bytes + at, sizeof(bug));
            insn = unwind_code_at(code, address + at + bug.place);
            if ( insn != UNWIND_NOWHERE )
                code->insns[insn].marks |= UNWIND_MARK_CONTINUES;
        }
    }
}

/* What Xen puts in place of a call through a pointer that is NULL at boot. */
static const uint8_t null_call[] = {0x0f, 0x0b, 0x0f, 0xff, 0xff, 0x90};

static void mark_null_calls(struct unwind_code *code)
{
    for ( size_t i = 0; i < code->count; i++ )
    {
        struct unwind_insn *insn = &code->insns[i];
        const struct unwind_code_text *text = &code->texts[insn->text];
        uint64_t offset = insn->address - text->address;

        if ( insn->op == UNWIND_OP_TRAP &&
             text->size - offset >= sizeof(null_call) &&
             !memcmp(text->bytes + offset, null_call, sizeof(null_call)) )
            insn->marks |= UNWIND_MARK_CONTINUES;
    }
}

static void add_fixup(struct unwind_code *code, struct unwind_fixups *fixups,
                      uint64_t from, uint64_t to)
{
    struct unwind_fixup fixup = {unwind_code_at(code, from),
                                 unwind_code_at(code, to)};

    if ( fixup.insn == UNWIND_NOWHERE || fixup.to == UNWIND_NOWHERE )
        return;
    code->insns[fixup.insn].marks |= UNWIND_MARK_FIXUP;
    fixups->list[fixups->count++] = fixup;
}

static int compare_fixups(const void *a, const void *b)
{
    const struct unwind_fixup *left = a, *right = b;

    return (left->insn > right->insn) - (left->insn < right->insn);
}

static int read_fixups(struct unwind_code *code,
                       const struct hypervisor_image *image,
                       struct unwind_fixups *fixups)
{
    const uint8_t *bytes;
    uint64_t address;
    struct exception entry;
    size_t size = constants(image, "__start___ex_table", "__stop___ex_table",
                            &bytes, &address);

    fixups->count = 0;
    fixups->list = calloc(size / sizeof(entry) + 1, sizeof(*fixups->list));
    if ( !fixups->list )
        return -ENOMEM;
    for ( size_t at = 0; at + sizeof(entry) <= size; at += sizeof(entry) )
    {
        uint64_t here = address + at;

        memcpy(&entry, bytes + at, sizeof(entry));
        add_fixup(code, fixups, here + entry.place,
                  here + offsetof(struct exception, to) + entry.to);
    }
    qsort(fixups->list, fixups->count, sizeof(*fixups->list), compare_fixups);
    return 0;
}

int unwind_mark(struct unwind_code *code, const struct hypervisor_image *image,
                struct unwind_fixups *fixups)
{
    mark_symbols(code, image);
    mark_entry_functions(code);
    mark_bugs(code, image);
    mark_null_calls(code);
    return read_fixups(code, image, fixups);
}
