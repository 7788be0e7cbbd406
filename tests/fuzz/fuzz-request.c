/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line to the control socket.  Options that are understood can be written as
 * text, and that text gives the same options again.
 */
#include <stdlib.h>
#include <string.h>

#include "control/protocol.h"
#include "control/start-options.h"
#include "fuzz.h"

static char *text_of(const char *line)
{
    struct start_options options;
    struct failure failure = {0};
    char *text = NULL;

    start_options_init(&options);
    if ( start_options_parse(&options, line, &failure) == 0 )
    {
        start_options_check(&options, &failure);
        FUZZ_CHECK(start_options_ring_pages(&options, 64, 1u << 26) > 0);
        text = start_options_text(&options);
        FUZZ_CHECK(text);
    }
    else
        FUZZ_CHECK(failure.status && failure.text[0]);
    start_options_free(&options);
    return text;
}

static void look_up_keys(const char *line)
{
    char value[64];

    line_is(line, "start");
    line_get_text(line, "name", value, sizeof(value));
    line_get_number(line, "pid");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = malloc(size + 1), *once, *twice;

    FUZZ_CHECK(line);
    memcpy(line, data, size);
    line[size] = '\0';
    look_up_keys(line);
    once = text_of(line);
    if ( once )
    {
        twice = text_of(once);
        FUZZ_CHECK(twice && strcmp(once, twice) == 0);
        free(twice);
    }
    free(once);
    free(line);
    return 0;
}
