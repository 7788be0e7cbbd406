/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the functions as a hypervisor, makes its table, and prints rows. */
#include "xen-unwind-kit.h"

#include "hypervisor/xen-stack/unwind-check.h"
#include "module/unwind/own-text.h"
#include "module/unwind/unwind-table.h"
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kit_symbol {
    uint64_t address;
    char text[56];
};

extern const uint8_t __start_kit_code[], __stop_kit_code[];
extern const uint8_t __start_kit_tables[], __stop_kit_tables[];
extern const struct kit_symbol __start_kit_names[], __stop_kit_names[];

/* The last table and the last function of every test program. */
KIT_TABLE("_srodata", ".long 0\n", "kit_no_more")
KIT_FUNCTION("kit_end", "ret\n")

static struct xen_image image;
static struct xenoprof_unwind *bytes;
static struct unwind_table table;
static struct listing_text text;
static struct listing code = {.texts = &text, .text_count = 1};

/* Returns the address in the hypervisor of something in the program. */
static uint64_t address_of(const void *place)
{
    return KIT_ADDRESS + ((const uint8_t *)place - __start_kit_code);
}

static struct xen_range range(const uint8_t *start, const uint8_t *stop)
{
    return (struct xen_range){
        .address = address_of(start), .bytes = start, .size = stop - start};
}

static void open_image(void)
{
    size_t count = __stop_kit_names - __start_kit_names, used = 0;
    size_t room = count * 96;
    char *lines = malloc(room);
    struct xen_range code_range = range(__start_kit_code, __stop_kit_code);

    CHECK(lines);
    for ( size_t i = 0; i < count; i++ )
        used += snprintf(lines + used, room - used, "%llx t %s\n",
                         (unsigned long long)address_of(
                             (const void *)__start_kit_names[i].address),
                         __start_kit_names[i].text);
    CHECK_EQ(xen_image_open_text(&image, &code_range, lines, used), 0);
    image.rodata = range(__start_kit_tables, __stop_kit_tables);
    free(lines);
}

static void make_table(void)
{
    struct unwind_report report;
    struct listing_symbol *symbols;

    CHECK_EQ(unwind_make(&image, NULL, &bytes, &report), 0);
    CHECK(unwind_check(bytes, bytes->size, 0, &table));
    text = (struct listing_text){.address = image.text.address,
                                 .bytes = image.text.bytes,
                                 .size = image.text.size};
    CHECK_EQ(listing_symbols(&image, NULL, &symbols, &code.symbol_count), 0);
    code.symbols = symbols;
    CHECK_EQ(listing_read(&code), 0);
}

static int say_cfa(char *line, size_t size,
                   const struct xenoprof_unwind_state *state)
{
    static const char *const kinds[] = {
        [XENOPROF_UNWIND_RSP] = "rsp",   [XENOPROF_UNWIND_RBP] = "rbp",
        [XENOPROF_UNWIND_DRAP] = "*rbp", [XENOPROF_UNWIND_R10] = "r10",
        [XENOPROF_UNWIND_REGS] = "regs", [XENOPROF_UNWIND_ENTRY] = "entry",
        [XENOPROF_UNWIND_RAX] = "rax",
    };

    if ( state->kind == XENOPROF_UNWIND_NONE )
        return snprintf(line, size, "none");
    if ( !state->cfa )
        return snprintf(line, size, "%s", kinds[state->kind]);
    return snprintf(line, size, "%s%+d", kinds[state->kind], state->cfa);
}

static void say_state(char *line, size_t size,
                      const struct xenoprof_unwind_state *state)
{
    int used = say_cfa(line, size, state);

    if ( state->kind == XENOPROF_UNWIND_NONE )
        return;
    if ( state->rbp_saved == XENOPROF_UNWIND_RBP_LOST )
        snprintf(line + used, size - used, ", rbp lost");
    else if ( state->rbp_saved == XENOPROF_UNWIND_RBP_SAVED && state->rbp )
        snprintf(line + used, size - used, ", rbp %d", state->rbp);
    else if ( state->rbp_saved == XENOPROF_UNWIND_RBP_SAVED )
        snprintf(line + used, size - used, ", rbp saved");
}

/* Checks that one row holds for all bytes of an instruction, and returns it. */
static const struct xenoprof_unwind_state *state_of(
    const struct unwind_insn *insn)
{
    const struct xenoprof_unwind_state *state = unwind_find(&table,
                                                            insn->address);

    for ( uint8_t i = 0; i < insn->length; i++ )
        CHECK(unwind_find(&table, insn->address + i) == state);
    return state;
}

const char *kit_rows(const char *function)
{
    static char rows[8192];
    const struct xen_symbol *symbol;
    char line[64], last[64] = "";
    size_t used = 0;
    uint32_t first;

    if ( !bytes )
    {
        open_image();
        make_table();
    }
    symbol = xen_image_find(&image, function);
    CHECK(symbol);
    first = listing_at(&code, symbol->address);
    rows[0] = 0;
    for ( uint32_t i = first;
          i < code.count &&
          code.items[i].address < xen_image_end(&image, symbol);
          i++ )
    {
        say_state(line, sizeof(line), state_of(&code.items[i]));
        if ( strcmp(line, last) )
            used += snprintf(rows + used, sizeof(rows) - used, "%u: %s\n",
                             i - first, line);
        CHECK(used < sizeof(rows));
        strcpy(last, line);
    }
    return rows;
}
