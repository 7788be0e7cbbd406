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
static bool door; /* hypfs has it */

bool __wrap_running_xen_has_door(const char *name);

bool __wrap_running_xen_has_door(const char *name)
{
    CHECK_TEXT(name, "xenoprof");
    return door;
}

static int part; /* what running_xen_has_us() says */

int __wrap_running_xen_has_us(void);

int __wrap_running_xen_has_us(void)
{
    return part;
}

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

/* Somebody loaded it by hand. Where another payload is applied too, which of
 * them it is cannot be seen. */
TEST(module_under_another_name)
{
    bool already;

    door = true;
    LIVEPATCH_KIT_BEGIN("-first", "+mine", "-later");
    CHECK_EQ(module_unload(&context, &already), 0);
    CHECK(!already);
    CHECK(!livepatch_kit_has("mine"));
    CHECK_EQ(livepatch_kit.unloads, 1);
    LIVEPATCH_KIT_BEGIN("+hotfix", "+mine", "-later");
    CHECK_EQ(module_unload(&context, &already), STATUS_FAILED);
    CHECK(!already);
    CHECK(strstr(failure.text, "the one of these livepatches that it is: "
                               "hotfix mine"));
    CHECK_EQ(livepatch_kit.actions + livepatch_kit.unloads, 0);
    LIVEPATCH_KIT_BEGIN("+mine");
    livepatch_kit.outcome = -EINVAL;
    CHECK_EQ(module_unload(&context, &already), STATUS_FAILED);
    CHECK(strstr(failure.text, "Invalid argument"));
    door = false;
}

/* The door is Xen's own, so no livepatch is the one that has it. */
TEST(a_xen_that_was_built_with_us_keeps_its_livepatch)
{
    bool already = false;

    door = true;
    part = 1;
    LIVEPATCH_KIT_BEGIN("+hotfix");
    CHECK_EQ(module_unload(&context, &already), 0);
    CHECK(already && livepatch_kit_has("hotfix"));
    CHECK_EQ(livepatch_kit.actions + livepatch_kit.unloads, 0);
    /* Whether it is so is not known. */
    part = -1;
    LIVEPATCH_KIT_BEGIN("+hotfix");
    CHECK_EQ(module_unload(&context, &already), STATUS_FAILED);
    CHECK_EQ(livepatch_kit.actions + livepatch_kit.unloads, 0);
    door = false;
    part = 0;
}

TEST(somebody_elses_livepatch_stays)
{
    bool already;

    LIVEPATCH_KIT_BEGIN("+hotfix");
    CHECK_EQ(module_unload(&context, &already), 0);
    CHECK(already);
    CHECK(livepatch_kit_has("hotfix"));
}

/* The day after an upgrade of xen-utils without a reboot. */
TEST(tools_of_another_version_change_nothing)
{
    bool already;

    LIVEPATCH_KIT_BEGIN("+xenoprof");
    livepatch_kit.tools_errno = EACCES;
    CHECK_EQ(module_unload(&context, &already), STATUS_TOOLS);
    CHECK(strstr(failure.text, "another version than the running hypervisor"));
    CHECK_EQ(module_may_unload(&context), STATUS_TOOLS);
    CHECK_EQ(module_setup(&context, &already), STATUS_TOOLS);
    CHECK(!already);
    CHECK_EQ(livepatch_kit.actions + livepatch_kit.unloads, 0);
}
