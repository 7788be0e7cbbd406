/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lacks.h"

#include <stdio.h>

#include <xenoprof/door.h>

static const struct {
    uint32_t bit;
    const char *text;
} lacking[] = {
#define XENOPROF_LACK(bit, NAME, text) {XENOPROF_LACK_##NAME, text},
#include <xenoprof/lacks.def>
#undef XENOPROF_LACK
};

void lacks_text(uint32_t lacks, char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for ( size_t i = 0; i < sizeof(lacking) / sizeof(*lacking); i++ )
        if ( lacks & lacking[i].bit && used < size )
            used += (size_t)snprintf(text + used, size - used, "%s. ",
                                     lacking[i].text);
}
