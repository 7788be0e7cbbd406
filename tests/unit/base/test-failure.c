/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A status and one sentence; only the last failure is kept. */
#include <string.h>

#include "base/failure.h"
#include "tests/harness.h"

TEST(failure_keeps_the_last_sentence)
{
    struct failure failure = {0};

    CHECK_EQ(fail(&failure, STATUS_USAGE, "unknown option '%s'", "x"),
             STATUS_USAGE);
    CHECK_TEXT(failure.text, "unknown option 'x'");
    CHECK_EQ(fail_memory(&failure), STATUS_FAILED);
    CHECK_EQ(failure.status, STATUS_FAILED);
    CHECK(!strncmp(failure.text, "out of memory", 13));
}

TEST(failure_cuts_what_does_not_fit)
{
    struct failure failure = {0};

    fail(&failure, STATUS_FAILED, "%3000d", 1);
    CHECK_EQ(strlen(failure.text), FAILURE_MAX - 1);
}
