/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a handle keeps of the last failure, and what it gives back. */
#include <errno.h>
#include <string.h>

#include "libxenoprof/handle.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

TEST(a_new_handle_has_no_message)
{
    struct xenoprof_handle *handle = xenoprof_open();

    CHECK_TEXT(xenoprof_message(handle), "");
    CHECK_EQ(xenoprof_errno(handle), 0);
    xenoprof_close(handle);
    xenoprof_close(NULL);
    fail_allocation(1);
    CHECK(!xenoprof_open());
}

TEST(a_system_call_s_error_outlives_its_message)
{
    struct xenoprof_handle *handle = xenoprof_open();

    errno = ENOSPC;
    CHECK_EQ(handle_fail_system(handle, "%s: cannot write it", "/a/b"),
             XENOPROF_SYSTEM);
    CHECK(strstr(xenoprof_message(handle), "/a/b: cannot write it: "));
    CHECK(strstr(xenoprof_message(handle), strerror(ENOSPC)));
    CHECK_EQ(xenoprof_errno(handle), ENOSPC);
    CHECK_EQ(handle_fail(handle, XENOPROF_INVALID, "%d", 7), XENOPROF_INVALID);
    CHECK_TEXT(xenoprof_message(handle), "7");
    xenoprof_close(handle);
}

TEST(the_file_s_name_is_put_before_the_message)
{
    struct xenoprof_handle *handle = xenoprof_open();

    handle_fail(handle, XENOPROF_INVALID, "100%% wrong");
    CHECK_EQ(handle_fail_in(handle, XENOPROF_DAMAGED, "/a%sb"),
             XENOPROF_DAMAGED);
    CHECK_TEXT(xenoprof_message(handle), "/a%sb: 100% wrong");
    /* As long as a message can be, and no memory for a copy of it. */
    handle_fail(handle, XENOPROF_INVALID, "%*d", FAILURE_MAX, 1);
    handle_fail_in(handle, XENOPROF_INVALID, "file");
    CHECK_EQ(strlen(xenoprof_message(handle)), FAILURE_MAX - 1);
    CHECK(!strncmp(xenoprof_message(handle), "file:  ", 7));
    fail_allocation(1);
    CHECK_EQ(handle_fail_in(handle, XENOPROF_INVALID, "other"),
             XENOPROF_INVALID);
    CHECK_EQ(fail_allocation(0), 0);
    CHECK(!strncmp(xenoprof_message(handle), "other", 5));
    xenoprof_close(handle);
}

static unsigned int closed;

static void count_close(void *xen)
{
    CHECK(xen == &closed);
    closed++;
}

TEST(xen_s_device_is_closed_with_the_handle)
{
    struct xenoprof_handle *handle = xenoprof_open();

    handle->xen = &closed;
    handle->xen_close = count_close;
    xenoprof_close(handle);
    CHECK_EQ(closed, 1);
}
