/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "labels.h"

#include "domains.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct label_kind {
    const char *name;
    const char *what;
    uint64_t (*value)(const struct cell *cell);
    char *(*text)(const struct loaded *loaded, uint64_t value);
};

static uint64_t domain_value(const struct cell *cell)
{
    return cell->key.domain;
}

static uint64_t vcpu_value(const struct cell *cell)
{
    if ( cell_placeless(cell) || cell->key.domain == DOMAIN_INDEX_IDLE )
        return LABEL_NONE;
    return cell->key.vcpu;
}

static uint64_t pcpu_value(const struct cell *cell)
{
    return cell->key.pcpu;
}

static uint64_t mode_value(const struct cell *cell)
{
    return cell->key.domain == DOMAIN_INDEX_OTHER ? LABEL_NONE : cell->key.mode;
}

static uint64_t image_value(const struct cell *cell)
{
    return cell_placeless(cell) || !cell->name.image ? LABEL_NONE
                                                     : cell->name.image;
}

static uint64_t symbol_value(const struct cell *cell)
{
    return cell_placeless(cell) || !cell->name.symbol ? LABEL_NONE
                                                      : cell->name.symbol;
}

static uint64_t address_value(const struct cell *cell)
{
    return cell_placeless(cell) || !cell->name.address ? LABEL_NONE
                                                       : cell->name.address;
}

uint64_t label_unnamed(const struct cell *cell)
{
    return cell->name.symbol ? LABEL_NONE : address_value(cell);
}

static char *number_text(const struct loaded *loaded, uint64_t value)
{
    char *text;

    (void)loaded;
    return asprintf(&text, "%" PRIu64, value) < 0 ? NULL : text;
}

static char *address_text(const struct loaded *loaded, uint64_t value)
{
    char *text;

    (void)loaded;
    return asprintf(&text, "0x%" PRIx64, value) < 0 ? NULL : text;
}

static char *name_text(const struct loaded *loaded, uint64_t value)
{
    return strdup(names_text(&loaded->names, (uint32_t)value));
}

const char *label_short_symbol(const char *name)
{
    const char *hash = strchr(name, '#');

    /* Other languages have names with that character in the middle. */
    if ( !hash || hash - name < 2 || hash[-2] != '.' || !hash[1] )
        return name;
    return hash + 1;
}

static char *symbol_text(const struct loaded *loaded, uint64_t value)
{
    return strdup(
        label_short_symbol(names_text(&loaded->names, (uint32_t)value)));
}

static char *mode_text(const struct loaded *loaded, uint64_t value)
{
    (void)loaded;
    return strdup(xenoprof_mode_name((unsigned int)value));
}

static char *domain_label(const struct loaded *loaded, uint64_t value)
{
    return domain_text(loaded, (uint32_t)value);
}

static const struct label_kind kinds[LABELS] = {
    [LABEL_DOMAIN] = {"domain", "domain whose vCPU was current", domain_value,
                      domain_label},
    [LABEL_VCPU] = {"vcpu", "number of the vCPU in its domain", vcpu_value,
                    number_text},
    [LABEL_PCPU] = {"pcpu", "number of the pCPU", pcpu_value, number_text},
    [LABEL_MODE] = {"mode", "xen, kernel, user or idle", mode_value, mode_text},
    [LABEL_IMAGE] = {"image", "what the address belongs to: xen, kernel, ...",
                     image_value, name_text},
    [LABEL_SYMBOL] = {"symbol", "function, or the address where it has no name",
                      symbol_value, symbol_text},
    [LABEL_ADDRESS] = {"address", "address of the instruction", address_value,
                       address_text},
};

const char *label_name(enum label label)
{
    return kinds[label].name;
}

void label_list_all(FILE *file)
{
    for ( unsigned int label = 0; label < LABELS; label++ )
        fprintf(file, "  %-8s  %s\n", kinds[label].name, kinds[label].what);
}

bool label_list_has(const struct label_list *list, enum label label)
{
    for ( size_t i = 0; i < list->count; i++ )
        if ( list->label[i] == label )
            return true;
    return false;
}

/* LABELS if there is no such label. */
static enum label find_label(const char *name, size_t length)
{
    enum label label = LABEL_DOMAIN;

    while ( label < LABELS && (strlen(kinds[label].name) != length ||
                               strncmp(kinds[label].name, name, length)) )
        label++;
    return label;
}

enum exit_status label_list_parse(const char *text, struct label_list *ret,
                                  struct failure *failure)
{
    ret->count = 0;
    for ( ;; )
    {
        size_t length = strcspn(text, ",");
        enum label label = find_label(text, length);

        if ( label == LABELS )
            return fail(failure, STATUS_USAGE,
                        "--sort: there is no label \"%.*s\": take from "
                        "domain, vcpu, pcpu, mode, image, symbol, address",
                        (int)length, text);
        if ( label_list_has(ret, label) )
            return fail(failure, STATUS_USAGE,
                        "--sort: \"%s\" is named twice: name it once",
                        kinds[label].name);
        ret->label[ret->count++] = label;
        if ( !text[length] )
            return STATUS_DONE;
        text += length + 1;
    }
}

uint64_t label_value(const struct cell *cell, enum label label)
{
    return kinds[label].value(cell);
}

char *label_text(const struct loaded *loaded, enum label label, uint64_t value,
                 uint64_t unnamed)
{
    if ( value != LABEL_NONE )
        return kinds[label].text(loaded, value);
    if ( label == LABEL_SYMBOL && unnamed != LABEL_NONE )
        return address_text(loaded, unnamed);
    return strdup("-");
}
