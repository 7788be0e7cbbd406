/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/read-progress.h"

#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#define S 1000000000ull

static char *said(uint64_t begun, const uint64_t *times, size_t count)
{
    struct read_progress progress;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    read_progress_begin(&progress, file, begun);
    for ( size_t i = 0; i < count; i++ )
        read_progress_step(&progress, times[i], i + 1);
    read_progress_end(&progress);
    fclose(file);
    return text;
}

TEST(read_progress_of_a_second_is_not_told)
{
    char *text = said(5 * S, (uint64_t[]){5 * S, 6 * S - 1}, 2);

    CHECK(!strcmp(text, ""));
    free(text);
}

TEST(read_progress_is_told_four_times_a_second_and_removed)
{
    char *text = said(
        5 * S, (uint64_t[]){6 * S, 6 * S + 1, 6 * S + S / 4, 6 * S + S / 3}, 4);
    const char *wanted = "\r1 samples read ...\r3 samples read ...\r";

    CHECK(!strncmp(text, wanted, strlen(wanted)));
    CHECK_EQ(strspn(text + strlen(wanted), " "), 40);
    CHECK(!strcmp(text + strlen(wanted) + 40, "\r"));
    free(text);
}

TEST(read_progress_is_not_told_to_nobody)
{
    struct read_progress progress;

    read_progress_begin(&progress, NULL, 0);
    read_progress_step(&progress, 9 * S, 1);
    CHECK(!progress.shown);
}
