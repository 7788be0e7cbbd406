/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns that mean a function, whatever its name is, and no other. */
#include "base/must.h"
#include "report/model/symbol-pivots.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static struct loaded loaded;
static struct stacks stacks;

/* Returns a frame of that name, or of that address. */
static const struct frame *frame_of(const char *symbol, uint64_t address)
{
    struct frame frame;

    memset(&frame, 0, sizeof(frame));
    if ( symbol )
        must_do(names_add(&loaded.names, symbol, &frame.key.symbol));
    frame.key.address = address;
    return must(table_put(&stacks.frames, &frame));
}

static void begin_frames(void)
{
    loaded_init(&loaded);
    table_init(&stacks.frames, sizeof(struct frame_key), sizeof(struct frame));
}

static void end_frames(void)
{
    stacks_free(&stacks);
    loaded_free(&loaded);
    memset(&stacks, 0, sizeof(stacks));
}

/* How many frames a pattern means. */
static size_t meant(const char *pattern)
{
    size_t count = 0;
    bool any, *pivots = symbol_pivots(&loaded, &stacks, pattern, &any);

    for ( size_t i = 0; i < stacks.frames.count; i++ )
        count += pivots[i];
    CHECK_EQ(any, count > 0);
    free(pivots);
    return count;
}

static void check_pattern(const struct frame *frame, const char *wanted)
{
    char *pattern = symbol_pattern(&loaded, frame);

    CHECK_TEXT(pattern, wanted);
    CHECK_EQ(meant(pattern), 1);
    free(pattern);
}

TEST(patterns_mean_names)
{
    begin_frames();
    frame_of("vfs_read", 0);
    frame_of("vfs_write", 0);
    frame_of("arch/x86/mm.c#get_page", 0);
    CHECK_EQ(meant("vfs_*"), 2);
    CHECK_EQ(meant("get_page"), 1);
    CHECK_EQ(meant("none"), 0);
    end_frames();
}

TEST(a_pattern_means_one_function)
{
    begin_frames();
    frame_of("operator", 0);
    frame_of("operatorx", 0);
    check_pattern(frame_of("operator*", 0), "operator\\*");
    check_pattern(frame_of("a[0]?", 0), "a\\[0]\\?");
    check_pattern(frame_of("back\\slash", 0), "back\\\\slash");
    check_pattern(frame_of("arch/x86/mm.c#put", 0), "arch/x86/mm.c#put");
    check_pattern(frame_of(NULL, 0x401000), "0x401000");
    CHECK(!symbol_pattern(&loaded, frame_of(NULL, 0)));
    end_frames();
}
