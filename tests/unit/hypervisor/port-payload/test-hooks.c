/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hooks, called as Xen's livepatch loader calls them, and oftener. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hypervisor/core.h"
#include "hypervisor/port-payload/guest.h"
#include "hypervisor/port-payload/idle.h"
#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

typedef void hook(void);
extern hook *const xenoprof_load_hook, *const xenoprof_unload_hook;

static const char *wrong_fact;
static unsigned int lines, opened, abandoned;
static bool is_held;
static char said[256];

const char *facts_check(void)
{
    return wrong_fact;
}

const char *facts_remedy(const char *wrong)
{
    return strcmp(wrong, "max_pdx") ? "" : ": an option helps";
}

void guest_init(void)
{
}

void idle_init(void)
{
}

int door_open(void)
{
    opened++;
    return 0;
}

void door_close(void)
{
}

void memory_unloads(void)
{
}

bool memory_is_held(void)
{
    return is_held;
}

unsigned long memory_held(void)
{
    return is_held ? 2 : 0;
}

unsigned int core_unload(void)
{
    return abandoned;
}

void events_forget(void)
{
}

void nmi_unload(void)
{
}

/* As it was seen on a host: instead of returning from the message, the damaged
 * hook begins once more. */
void port_log(const char *format, ...)
{
    va_list arguments;

    if ( ++lines > 1000 )
        test_fail(__FILE__, __LINE__, "the load hook goes round for ever");
    va_start(arguments, format);
    vsnprintf(said, sizeof(said), format, arguments);
    va_end(arguments);
    xenoprof_load_hook();
}

TEST(load_hook_runs_once)
{
    wrong_fact = "max_pdx";
    xenoprof_load_hook();
    CHECK_EQ(lines, 1);
    CHECK_TEXT(said, "fact max_pdx is wrong for this hypervisor; no door is "
                     "opened: an option helps");
    CHECK_EQ(opened, 0);
    wrong_fact = NULL;
    xenoprof_load_hook();
    CHECK_EQ(lines, 1);
    CHECK_EQ(opened, 0);
}

/* Two pages of pieces, and one that dom0 might map. */
TEST(unload_says_what_stays)
{
    xenoprof_unload_hook();
    CHECK_TEXT(said, "unloaded");
    abandoned = 1;
    xenoprof_unload_hook();
    CHECK_TEXT(said,
               "unloaded; 1 pages are abandoned: dom0 still maps them, or they "
               "are too many to be freed in a revert");
    is_held = true;
    xenoprof_unload_hook();
    CHECK(strstr(said, "unloaded; 3 pages stay taken until the next boot"));
}
