/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who talks waits little, and who does not costs little. */
#include "agent/channel/patience.h"
#include "tests/harness.h"

TEST(waits_grow_until_something_moves)
{
    struct patience patience = {0};
    int ms = 0;

    CHECK_EQ(patience_ms(&patience, 0), 1);
    CHECK_EQ(patience_ms(&patience, 0), 2);
    CHECK_EQ(patience_ms(&patience, 0), 4);
    CHECK_EQ(patience_ms(&patience, 7), 1);
    CHECK_EQ(patience_ms(&patience, 7), 2);
    for ( unsigned int i = 0; i < 100; i++ )
        ms = patience_ms(&patience, 7);
    CHECK_EQ(ms, PATIENCE_MAX);
    CHECK_EQ(patience_ms(&patience, 8), 1);
}
