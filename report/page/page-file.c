/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-file.h"

#include "report/picture/embedded.h"
#include "report/picture/markup.h"

#include <stdlib.h>

bool page_file_put(const char *title, const struct bytes *data, FILE *file)
{
    char *clean = markup_clean(title);
    bool put = clean;

    embedded_put(embedded_page_head, file);
    if ( clean )
        markup_put(file, clean, MARKUP_ALL);
    free(clean);
    embedded_put(embedded_page_body, file);
    put = put && bytes_put_packed(data, file);
    embedded_put(embedded_page_end, file);
    return put;
}
