/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a kept module once more from its own facts and table, and compares. */
#include "kept.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "assemble-symbols.h"
#include "elf-file.h"
#include "guest-exit.h"
#include "module/facts/facts-list.h"
#include "payload.h"
#include "trailer.h"

/* What is taken from the file. */
struct kept_parts {
    struct xenoprof_facts facts;
    struct xenoprof_unwind *table; /* malloc'ed */
    uint64_t guest_exit;
};

/* Returns the bytes of a section, or NULL. */
static const Elf_Data *section(Elf *elf, const char *name)
{
    Elf_Scn *found = elf_section_named(elf, name);

    return found ? elf_rawdata(found, NULL) : NULL;
}

/* The head says that they are of the list that this xenoprof has. */
static bool take_facts(Elf *elf, struct xenoprof_facts *ret)
{
    const Elf_Data *data = section(elf, ".xenoprof.facts");
    struct xenoprof_facts none;

    if ( !data || !data->d_buf || data->d_size != sizeof(*ret) )
        return false;
    memcpy(ret, data->d_buf, sizeof(*ret));
    facts_clear(&none);
    return !memcmp(ret, &none, offsetof(struct xenoprof_facts, count)) &&
           ret->count == none.count;
}

/* assemble() takes the table's size from the table.  A module without one has
 * the object's zeroes. */
static bool take_table(Elf *elf, struct xenoprof_unwind **ret)
{
    static const struct xenoprof_unwind none;
    const Elf_Data *data = section(elf, ".xenoprof.unwind");

    if ( !data || !data->d_buf || data->d_size < sizeof(**ret) )
        return false;
    if ( data->d_size == sizeof(none) &&
         !memcmp(data->d_buf, &none, sizeof(none)) )
        return true;
    *ret = malloc(data->d_size);
    if ( !*ret )
        return false;
    memcpy(*ret, data->d_buf, data->d_size);
    return (*ret)->magic == XENOPROF_UNWIND_MAGIC &&
           (*ret)->size == data->d_size;
}

/* Some builds have no symbol there, and their code is not read for this.  The
 * module looks at the instruction before it. */
static uint64_t take_guest_exit(Elf *elf, const struct xen_image *image)
{
    struct elf_symbol_table symbols;
    GElf_Sym symbol;

    if ( !elf_symbols_find(&symbols, elf) )
        return 0;
    for ( size_t i = 1; i < symbols.count; i++ )
    {
        const char *name = elf_symbol(&symbols, i, &symbol);

        if ( name && !strcmp(name, ASSEMBLE_GUEST_EXIT) )
            return guest_exit_may_be(image, symbol.st_value) ? symbol.st_value
                                                             : 0;
    }
    return 0;
}

/* Returns NULL if the bytes are no ELF file. */
static Elf *open_bytes(const void *bytes, size_t size)
{
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE
                   ? NULL
                   : elf_memory((char *)bytes, size);

    if ( elf && elf_kind(elf) == ELF_K_ELF )
        return elf;
    elf_end(elf);
    return NULL;
}

static bool take_parts(const void *bytes, size_t size,
                       const struct xen_image *image, struct kept_parts *ret)
{
    Elf *elf = open_bytes(bytes, size);
    bool taken;

    ret->table = NULL;
    taken = elf && take_facts(elf, &ret->facts) && take_table(elf, &ret->table);
    ret->guest_exit = taken ? take_guest_exit(elf, image) : 0;
    elf_end(elf);
    return taken;
}

bool kept_facts(const char *path, struct xenoprof_facts *ret)
{
    unsigned char *bytes SCOPE_FREE = NULL;
    size_t size, contents;
    bool taken;
    Elf *elf;

    if ( payload_read(path, &bytes, &size) ||
         !trailer_fits(bytes, size, &contents) )
        return false;
    elf = open_bytes(bytes, contents);
    taken = elf && take_facts(elf, ret);
    elf_end(elf);
    return taken;
}

static bool file_has(const char *path, const void *bytes, size_t size)
{
    unsigned char *found SCOPE_FREE = NULL;
    size_t found_size;

    return !payload_read(path, &found, &found_size) && found_size == size &&
           !memcmp(found, bytes, size);
}

bool kept_is_ours(const void *bytes, size_t size,
                  const struct assemble_order *order)
{
    struct assemble_order again = *order;
    char error[ASSEMBLE_ERROR_MAX];
    struct kept_parts parts;
    bool same = false;

    if ( take_parts(bytes, size, order->image, &parts) )
    {
        again.facts = &parts.facts;
        again.unwind = parts.table;
        again.guest_exit = parts.guest_exit;
        same = !assemble(&again, error) && file_has(order->output, bytes, size);
        unlink(order->output);
    }
    free(parts.table);
    return same;
}

const char *kept_flaw(const char *path, const struct assemble_order *order)
{
    unsigned char *bytes SCOPE_FREE = NULL;
    size_t size, contents;

    if ( payload_read(path, &bytes, &size) )
        return "could not be read";
    if ( !trailer_fits(bytes, size, &contents) )
        return "was damaged, or cut short";
    if ( !kept_is_ours(bytes, contents, order) )
        return "was not as this xenoprof makes it";
    return NULL;
}
