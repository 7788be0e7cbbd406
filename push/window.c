/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "window.h"

#include <stdlib.h>

void window_free(struct window *window)
{
    for ( size_t i = 0; i < window->count; i++ )
    {
        free(window->items[i].domain);
        free(window->items[i].uuid);
        buffer_free(&window->items[i].bytes);
    }
    vector_free(window);
    *window = (struct window){0};
}
