/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of domains as text and by id, and uuids as text. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "domain-list.h"

void domain_list_free(struct domain_list *list)
{
    vector_free(list);
}

const struct listed_domain *domain_list_find(const struct domain_list *list,
                                             uint16_t id)
{
    for ( size_t i = 0; i < list->count; i++ )
        if ( list->items[i].id == id )
            return &list->items[i];
    return NULL;
}

void domain_list_text(const struct domain_list *list, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for ( size_t i = 0; i < list->count; i++ )
    {
        const struct listed_domain *domain = &list->items[i];
        int length = snprintf(text + used, size - used, "%s%u (%s)",
                              used ? ", " : "", domain->id,
                              domain->name[0] ? domain->name : "no name");

        if ( (size_t)length + sizeof(", ...") >= size - used )
        {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)length;
    }
}

static bool is_dash_before(unsigned int byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void uuid_format(const uint8_t uuid[16], char *text)
{
    for ( unsigned int i = 0; i < 16; i++ )
        text += sprintf(text, "%s%02x", is_dash_before(i) ? "-" : "", uuid[i]);
}

static uint8_t digit_value(char digit)
{
    return (uint8_t)(isdigit((unsigned char)digit)
                         ? digit - '0'
                         : tolower((unsigned char)digit) - 'a' + 10);
}

bool uuid_parse(const char *text, uint8_t uuid[16])
{
    for ( unsigned int i = 0; i < 16; i++ )
    {
        if ( is_dash_before(i) && *text++ != '-' )
            return false;
        if ( !isxdigit((unsigned char)text[0]) ||
             !isxdigit((unsigned char)text[1]) )
            return false;
        uuid[i] = (uint8_t)(digit_value(text[0]) << 4 | digit_value(text[1]));
        text += 2;
    }
    return *text == '\0';
}
