/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the symbols that the running hypervisor lists, and takes its code. */
#include "xen-image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes one line off the rest, and ends it in NUL. */
static char *take_text_line(char **rest)
{
    char *line = *rest;
    char *newline = strchr(line, '\n');

    if ( newline )
        *newline = '\0';
    *rest = newline ? newline + 1 : line + strlen(line);

    return line;
}

/* Parses `ffff82d040200000 t path#name`; the name is the rest of the line. */
static int parse_line(char *line, struct xen_symbol *symbol)
{
    char *end;

    errno = 0;
    symbol->address = strtoull(line, &end, 16);
    if ( errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ' ||
         !end[3] )
        return -EINVAL;
    symbol->type = end[1];
    symbol->name = end + 3;

    return 0;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;

    while ( (text = strchr(text, '\n')) )
    {
        text++;
        count++;
    }

    return count;
}

static int parse_symbols(struct xen_image *image)
{
    char *rest = image->names;

    image->symbols = calloc(count_lines(rest), sizeof(*image->symbols));
    if ( !image->symbols )
        return -ENOMEM;

    while ( *rest )
    {
        char *line = take_text_line(&rest);

        if ( !*line )
            continue;
        if ( parse_line(line, &image->symbols[image->symbol_count]) )
            return -EINVAL;
        image->symbol_count++;
    }

    return xen_image_index(image);
}

int xen_image_open_text(struct xen_image *image, const struct xen_range *text,
                        const char *symbols, size_t symbols_size)
{
    int result;

    memset(image, 0, sizeof(*image));
    image->text = *text;
    image->names = strndup(symbols, symbols_size);
    result = image->names ? parse_symbols(image) : -ENOMEM;
    if ( result )
        xen_image_close(image);

    return result;
}

int xen_image_take_contents(struct xen_image *image, uint64_t address,
                            uint8_t **text, size_t text_size,
                            const uint8_t *rodata, size_t rodata_size)
{
    const struct xen_symbol *start = xen_image_find(image, "_srodata");
    uint8_t *contents = realloc(*text, text_size + rodata_size);

    if ( !contents )
        return -ENOMEM;
    *text = NULL;
    memcpy(contents + text_size, rodata, rodata_size);
    image->contents = contents;
    image->text = (struct xen_range){
        .address = address, .bytes = contents, .size = text_size};
    if ( start )
        image->rodata = (struct xen_range){.address = start->address,
                                           .bytes = contents + text_size,
                                           .size = rodata_size};
    return 0;
}
