/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be unloaded.  Loading needs a Xen: tests/lab/load-unload.sh. */
#include <errno.h>
#include <string.h>

#include "module/context.h"
#include "module/module.h"
#include "module/payload.h"
#include "tests/harness.h"
#include "tests/unit/control/livepatch-kit.h"

static struct failure failure;
/* Any handle will do: it is connected already. */
static struct module_context context = {.failure = &failure,
                                        .xc = (xc_interface *)&context};

TEST(module_below_another_payload)
{
    LIVEPATCH_KIT_BEGIN("+xenoprof", "+first", "+second", "-third");
    CHECK_TEXT(module_covered_by(&context), "second");
    CHECK_EQ(module_may_unload(&context), STATUS_COVERED);
    CHECK(strstr(failure.text, "xen-livepatch revert second"));
}

TEST(module_above_all_others)
{
    bool already;

    LIVEPATCH_KIT_BEGIN("+first", "+xenoprof", "-later");
    CHECK(module_loaded(&context));
    CHECK(!module_covered_by(&context));
    CHECK_EQ(module_unload(&context, &already), 0);
    CHECK(!already);
    CHECK_EQ(livepatch_kit.actions, 1);
    CHECK_EQ(livepatch_kit.unloads, 1);
}

/* Nothing is reverted: Xen would refuse it, or worse, not. */
TEST(module_that_is_covered_is_not_unloaded)
{
    bool already;

    LIVEPATCH_KIT_BEGIN("+xenoprof", "+hotfix");
    CHECK_EQ(module_unload(&context, &already), STATUS_COVERED);
    CHECK_EQ(livepatch_kit.actions + livepatch_kit.unloads, 0);
}

TEST(module_that_was_only_uploaded)
{
    bool already;

    LIVEPATCH_KIT_BEGIN("-xenoprof", "+hotfix");
    CHECK(!module_loaded(&context));
    CHECK(!module_covered_by(&context));
    CHECK_EQ(module_unload(&context, &already), 0);
    CHECK_EQ(livepatch_kit.actions, 0);
    CHECK_EQ(livepatch_kit.unloads, 1);
}

TEST(module_that_is_not_loaded)
{
    static const int errors[] = {ENOENT, ENOSYS, EOPNOTSUPP};

    for ( size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++ )
    {
        bool already = false;

        LIVEPATCH_KIT_BEGIN("+hotfix");
        livepatch_kit.absent_errno = errors[i];
        CHECK(!module_loaded(&context));
        CHECK_EQ(module_unload(&context, &already), 0);
        CHECK(already);
        CHECK_EQ(livepatch_kit.actions + livepatch_kit.unloads, 0);
    }
}

TEST(module_that_xen_does_not_unload)
{
    bool already;

    LIVEPATCH_KIT_BEGIN("+hotfix");
    livepatch_kit.absent_errno = EPERM;
    CHECK_EQ(module_unload(&context, &already), STATUS_FAILED);
    CHECK(strstr(failure.text, "Operation not permitted"));
}
