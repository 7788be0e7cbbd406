/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a guest's registers, pieces of its stack and what is known about its
 * code, all as text, and prints the frames that it finds.
 *
 *   mode user | frame-pointers | bits32 | pv  (default: a 64-bit kernel)
 *        words64: the windows' words are 8 bytes, also with bits32
 *   code START LENGTH NAME ROW                as Linux's own orc dump spells
 *       ROW: call CFA [bp=CFA-16] | regs CFA | interrupt CFA | end |
 *       undefined | none; `plain` if the caller was not interrupted
 *       CFA: sp+8, bp-8, r10+0, (bp-8) "what lies there", (sp)+16
 *   ip, sp, bp, ax, dx, di, r10, r13 VALUE
 *   window ADDRESS                            and in lines of their own:
 *   VALUE                                     its words, upwards
 *   cut BYTES                                 the window ends that much earlier
 *   expect                                    the rest is what to print
 *
 * # begins a comment.  Values are hexadecimal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/linux/special-code.h"
#include "guest/unwind.h"

#define PIECES_MAX 64u
#define BYTES_MAX  8192u

struct piece {
    uint64_t start, length;
    char name[64];
    bool has_row;
    struct unwind_row row;
};

static struct piece pieces[PIECES_MAX];
static unsigned int piece_count;
static uint8_t bytes[UNWIND_WINDOWS][BYTES_MAX];
static int window = -1;
static struct xenoprof_registers registers;
static struct unwind_start start = {.registers = &registers, .kernel = true};
static struct unwind_code code;
static unsigned int line_number;
static bool words64;

static void __attribute__((noreturn)) refuse(const char *what)
{
    fprintf(stderr, "line %u: %s\n", line_number, what);
    exit(2);
}

static const struct piece *find_piece(uint64_t address)
{
    for ( unsigned int i = 0; i < piece_count; i++ )
        if ( address - pieces[i].start < pieces[i].length )
            return &pieces[i];
    return NULL;
}

static bool row_of(const void *self, uint64_t address, struct unwind_row *ret)
{
    const struct piece *piece = find_piece(address);

    (void)self;
    if ( !piece || !piece->has_row )
        return false;
    *ret = piece->row;
    return true;
}

static bool is_code(const void *self, uint64_t address)
{
    (void)self;
    return find_piece(address);
}

static enum unwind_special special(const void *self, uint64_t address)
{
    const struct piece *piece = find_piece(address);

    (void)self;
    return piece ? special_code_of(piece->name) : UNWIND_ORDINARY;
}

static const struct {
    const char *name;
    enum row_base base;
} bases[] = {
    {"cfa", ROW_BASE_CFA}, {"sp", ROW_BASE_SP},   {"bp", ROW_BASE_BP},
    {"ax", ROW_BASE_AX},   {"dx", ROW_BASE_DX},   {"di", ROW_BASE_DI},
    {"r10", ROW_BASE_R10}, {"r13", ROW_BASE_R13},
};

static enum row_base read_base(char **text)
{
    for ( size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++ )
    {
        size_t length = strlen(bases[i].name);

        if ( strncmp(*text, bases[i].name, length) )
            continue;
        *text += length;
        return bases[i].base;
    }
    refuse("no such base");
}

/* sp+8, (bp-8), (sp)+16 */
static enum row_way read_place(char *text, enum row_base *base, int16_t *offset)
{
    bool read = *text == '(';

    text += read;
    *base = read_base(&text);
    if ( read && *text == ')' )
    {
        *offset = strtol(text + 1, NULL, 0);
        return ROW_AT_BASE;
    }
    *offset = strtol(text, NULL, 0);
    return read ? ROW_AT_SUM : ROW_SUM;
}

static const struct {
    const char *name;
    enum row_kind kind;
    bool has_row;
} kinds[] = {
    {"call", ROW_CALL, true},           {"regs", ROW_REGISTERS, true},
    {"interrupt", ROW_INTERRUPT, true}, {"end", ROW_END, true},
    {"undefined", ROW_UNDEFINED, true}, {"none", ROW_UNDEFINED, false},
};

static void read_kind(const char *word, struct piece *piece)
{
    for ( size_t i = 0; word && i < sizeof(kinds) / sizeof(kinds[0]); i++ )
        if ( !strcmp(word, kinds[i].name) )
        {
            piece->row.kind = kinds[i].kind;
            piece->has_row = kinds[i].has_row;
            return;
        }
    refuse("no such kind of row");
}

static void read_row(struct piece *piece)
{
    struct unwind_row *row = &piece->row;
    char *word;

    read_kind(strtok(NULL, " "), piece);
    row->signal = row->kind > ROW_CALL;
    while ( (word = strtok(NULL, " ")) )
        if ( !strcmp(word, "plain") )
            row->signal = false;
        else if ( !strncmp(word, "bp=", 3) )
            read_place(word + 3, &row->bp_base, &row->bp_offset);
        else
            row->cfa_way = read_place(word, &row->cfa_base, &row->cfa_offset);
}

static uint64_t read_value(void)
{
    const char *word = strtok(NULL, " ");

    if ( !word )
        refuse("a value is missing");
    return strtoull(word, NULL, 16);
}

static void read_code(void)
{
    struct piece *piece = &pieces[piece_count];
    const char *name;

    if ( ++piece_count > PIECES_MAX )
        refuse("too many pieces of code");
    piece->start = read_value();
    piece->length = read_value();
    name = strtok(NULL, " ");
    snprintf(piece->name, sizeof(piece->name), "%s", name ? name : "");
    read_row(piece);
}

static void read_window(void)
{
    if ( ++window == UNWIND_WINDOWS )
        refuse("too many windows");
    start.windows[window] = (struct unwind_window){.address = read_value(),
                                                   .bytes = bytes[window]};
}

static void read_cut(void)
{
    start.windows[window].length -= read_value();
}

static void read_mode(void)
{
    const char *word;

    while ( (word = strtok(NULL, " ")) )
        if ( !strcmp(word, "user") )
            start.kernel = false;
        else if ( !strcmp(word, "frame-pointers") )
            code.frame_pointers = true;
        else if ( !strcmp(word, "bits32") )
            start.bits32 = true;
        else if ( !strcmp(word, "pv") )
            code.pv = true;
        else if ( !strcmp(word, "words64") )
            words64 = true;
        else
            refuse("no such mode");
}

static const struct {
    const char *name;
    void (*read)(void);
    uint64_t *value;
} lines[] = {
    {"mode", read_mode, NULL},     {"code", read_code, NULL},
    {"window", read_window, NULL}, {"cut", read_cut, NULL},
    {"ip", NULL, &start.ip},       {"sp", NULL, &registers.rsp},
    {"bp", NULL, &registers.rbp},  {"ax", NULL, &registers.rax},
    {"dx", NULL, &registers.rdx},  {"di", NULL, &registers.rdi},
    {"r10", NULL, &registers.r10}, {"r13", NULL, &registers.r13},
};

static void add_word(const char *word)
{
    struct unwind_window *to = &start.windows[window];
    unsigned int size = start.bits32 && !words64 ? 4 : 8;
    uint64_t value = strtoull(word, NULL, 16);

    if ( window < 0 || to->length + size > BYTES_MAX )
        refuse("a word outside a window");
    memcpy(&bytes[window][to->length], &value, size);
    to->length += size;
}

static void read_line(char *line)
{
    const char *word;

    line[strcspn(line, "#\n")] = 0;
    word = strtok(line, " ");
    if ( !word )
        return;
    for ( size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
        if ( !strcmp(word, lines[i].name) )
        {
            if ( lines[i].read )
                lines[i].read();
            else
                *lines[i].value = read_value();
            return;
        }
    add_word(word);
}

static const char *const ends[UNWIND_ENDS] = {
    [UNWIND_ROOT] = "root",         [UNWIND_USER] = "user",
    [UNWIND_WINDOW] = "window",     [UNWIND_NO_RULE] = "no rule",
    [UNWIND_NONSENSE] = "nonsense",
};

static void print_frame(uint64_t ip, bool exact)
{
    const struct piece *piece = find_piece(exact ? ip : ip - 1);

    if ( piece )
        printf("%s+0x%llx", piece->name, (long long)(ip - piece->start));
    else
        printf("0x%llx", (long long)ip);
    printf("%s\n", exact ? " (interrupted)" : "");
}

int main(void)
{
    static struct unwind_result result;
    char line[512];

    while ( fgets(line, sizeof(line), stdin) && strcmp(line, "expect\n") )
    {
        line_number++;
        read_line(line);
    }
    code.row = row_of;
    code.is_code = is_code;
    code.special = special;
    guest_unwind(&code, &start, &result);
    for ( uint32_t i = 0; i < result.count; i++ )
        print_frame(result.frames[i], result.exact[i]);
    printf("%s\n", ends[result.end]);
    return 0;
}
