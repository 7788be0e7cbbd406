/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "control/xen-tools.h"
#include "livepatch-kit.h"
#include "tests/harness.h"

TEST(tools_of_the_hypervisors_version)
{
    struct failure failure = {0};

    livepatch_kit.tools_errno = 0;
    CHECK_EQ(xen_tools_check(NULL, &failure), 0);
    /* What an ordinary policy forbids is none of this. */
    livepatch_kit.tools_errno = EPERM;
    CHECK_EQ(xen_tools_check(NULL, &failure), 0);
    CHECK_TEXT(failure.text, "");
}

TEST(tools_of_another_version)
{
    struct failure failure = {0};

    livepatch_kit.tools_errno = EACCES;
    CHECK_EQ(xen_tools_check(NULL, &failure), STATUS_TOOLS);
    CHECK_EQ(failure.status, STATUS_TOOLS);
    CHECK(strstr(failure.text, "another version than the running hypervisor, "
                               "which is 4.17 (reboot"));
    CHECK(strstr(failure.text, "xen-utils, and a xenoprof, for Xen 4.17)"));
    CHECK(strstr(failure.text, "or a security policy (Flask) forbids"));
}
