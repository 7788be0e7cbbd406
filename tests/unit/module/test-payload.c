/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module/payload.h"
#include "tests/harness.h"
#include "tests/unit/control/livepatch-kit.h"

static char path[64];

static void make_file(off_t size)
{
    int file;

    LIVEPATCH_KIT_BEGIN(NULL);
    strcpy(path, "/tmp/xenoprof-test-XXXXXX");
    file = mkstemp(path);
    CHECK(file >= 0);
    CHECK(!ftruncate(file, size));
    close(file);
}

static int load(void)
{
    int result = payload_load(NULL, "one", path, false);

    unlink(path);
    return result;
}

TEST(payload_is_uploaded_and_applied)
{
    make_file(4096);
    livepatch_kit.pending = 3;
    CHECK_EQ(payload_load(NULL, "one", path, true), 0);
    CHECK_EQ(livepatch_kit.size, 4096);
    CHECK_EQ(livepatch_kit.flags, LIVEPATCH_ACTION_APPLY_NODEPS);
    CHECK_EQ(payload_state(NULL, "one"), LIVEPATCH_STATE_APPLIED);
    CHECK_EQ(payload_unload(NULL, "one"), 0);
    CHECK(!livepatch_kit_has("one"));
    CHECK_EQ(payload_state(NULL, "one"), -ENOENT);
    CHECK_EQ(payload_unload(NULL, "one"), -ENOENT);
    CHECK_EQ(load(), 0);
    CHECK_EQ(livepatch_kit.flags, 0);
}

/* The pCPUs did not meet in time: Xen says so, or its work ends so. */
TEST(payload_is_tried_again_when_xen_is_busy)
{
    make_file(4096);
    livepatch_kit.refusals = 3;
    livepatch_kit.refusal = -EBUSY;
    CHECK_EQ(load(), 0);
    CHECK_EQ(livepatch_kit.actions, 4);
    make_file(4096);
    livepatch_kit.outcome = -EBUSY;
    CHECK_EQ(load(), -EBUSY);
    CHECK_EQ(livepatch_kit.actions, 20);
    CHECK(!livepatch_kit_has("one"));
}

/* Whatever fails, nothing of ours stays in Xen. */
TEST(payload_that_xen_refuses_is_withdrawn)
{
    make_file(4096);
    livepatch_kit.outcome = -EINVAL;
    CHECK_EQ(load(), -EINVAL);
    CHECK_EQ(livepatch_kit.actions, 1);
    CHECK_EQ(livepatch_kit.unloads, 1);
    CHECK(!livepatch_kit_has("one"));
    make_file(4096);
    livepatch_kit.refusals = 1;
    livepatch_kit.refusal = -EOPNOTSUPP;
    CHECK_EQ(load(), -EOPNOTSUPP);
    CHECK(!livepatch_kit_has("one"));
    make_file(4096);
    livepatch_kit.upload_result = -EEXIST;
    CHECK_EQ(load(), -EEXIST);
    CHECK_EQ(livepatch_kit.actions, 0);
    CHECK_EQ(livepatch_kit.unloads, 0);
}

TEST(payload_files_that_are_not_uploaded)
{
    make_file(0);
    CHECK_EQ(load(), -EFBIG);
    make_file((2 << 20) + 1);
    CHECK_EQ(load(), -EFBIG);
    CHECK_EQ(load(), -ENOENT);
    CHECK_EQ(livepatch_kit.size, 0);
}

/* Another payload lies above: ours stays as it is. */
TEST(payload_that_cannot_be_reverted)
{
    make_file(4096);
    CHECK_EQ(load(), 0);
    livepatch_kit.refusals = 1;
    livepatch_kit.refusal = -EINVAL;
    CHECK_EQ(payload_unload(NULL, "one"), -EINVAL);
    CHECK_EQ(payload_state(NULL, "one"), LIVEPATCH_STATE_APPLIED);
    CHECK_EQ(livepatch_kit.unloads, 0);
}

TEST(others_that_are_applied)
{
    LIVEPATCH_KIT_BEGIN("+xenoprof", "-hotfix");
    CHECK(!payload_others_applied(NULL, "xenoprof"));
    CHECK(payload_others_applied(NULL, "xeno"));
    LIVEPATCH_KIT_BEGIN("+hotfix");
    CHECK(payload_others_applied(NULL, "xenoprof"));
    LIVEPATCH_KIT_BEGIN(NULL);
    CHECK(!payload_others_applied(NULL, "xenoprof"));
}
