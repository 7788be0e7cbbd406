/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check itself needs hosts of each sort: tests/cli/xenopctl.sh. */
#include <errno.h>

#include "control/xen-access.h"
#include "tests/harness.h"

TEST(libxc_results_of_both_sorts)
{
    errno = EPERM;
    CHECK_EQ(libxc_result(0), 0);
    CHECK_EQ(libxc_result(7), 7);
    CHECK_EQ(libxc_result(-1), -EPERM);
    CHECK_EQ(libxc_result(-EBUSY), -EBUSY);
    errno = 0;
    CHECK_EQ(libxc_result(-1), -1);
}
