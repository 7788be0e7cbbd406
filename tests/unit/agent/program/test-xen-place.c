/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest's kernel and xenstore say, and where that is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xenstore.h>

#include "agent/program/xen-place.h"
#include "tests/harness.h"

struct xs_handle *__wrap_xs_open(unsigned long flags);
void *__wrap_xs_read(struct xs_handle *handle, xs_transaction_t transaction,
                     const char *path, unsigned int *size);
void __wrap_xs_close(struct xs_handle *handle);

static char folder[] = "/tmp/xenoprof-sys-XXXXXX";
static const char *domid; /* as xenstore has it; NULL: it has none */
static bool there;        /* xenstore */
static unsigned int open_stores, asked;

struct xs_handle *__wrap_xs_open(unsigned long flags)
{
    (void)flags;
    asked++;
    if ( !there )
    {
        errno = ENOENT;
        return NULL;
    }
    open_stores++;
    return (struct xs_handle *)&there;
}

void *__wrap_xs_read(struct xs_handle *handle, xs_transaction_t transaction,
                     const char *path, unsigned int *size)
{
    (void)size;
    CHECK(handle && transaction == XBT_NULL);
    CHECK_TEXT(path, "domid");
    if ( !domid )
        errno = EACCES;
    return domid ? strdup(domid) : NULL;
}

void __wrap_xs_close(struct xs_handle *handle)
{
    CHECK(handle);
    open_stores--;
    errno = EBADF;
}

static void write_line(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    unlink(path);
    if ( !text )
        return;
    file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

/* Where a machine is that has this type, these features and this xenstore. */
static enum xen_place find(const char *type, const char *features, bool store,
                           const char *number)
{
    char below[64];
    enum xen_place place;

    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(below, sizeof(below), "%s/properties", folder);
    CHECK(!mkdir(below, 0755));
    write_line("type", type);
    write_line("properties/features", features);
    there = store;
    domid = number;
    asked = 0;
    errno = 0;
    place = xen_place_find(folder);
    CHECK(!open_stores);
    write_line("type", NULL);
    write_line("properties/features", NULL);
    CHECK(!rmdir(below) && !rmdir(folder));
    return place;
}

TEST(guests)
{
    CHECK_EQ(find("xen\n", "00002705\n", true, "7"), XEN_GUEST);
    CHECK_EQ(find("xen\n", "000002f0\n", true, "32000"), XEN_GUEST);
    CHECK_EQ(find(NULL, NULL, true, "7"), XEN_GUEST); /* no /sys */
}

TEST(what_is_no_guest)
{
    CHECK_EQ(find(NULL, NULL, false, NULL), XEN_NO_GUEST);
    CHECK_EQ(find("kvm\n", NULL, false, NULL), XEN_NO_GUEST);
    CHECK_EQ(find("xen\n", NULL, true, "0"), XEN_NO_GUEST);
}

/* Its xenstore may not be served yet, and then it would wait. */
TEST(dom0_is_not_asked)
{
    CHECK_EQ(find("xen\n", "00002f05\n", true, NULL), XEN_NO_GUEST);
    CHECK_EQ(asked, 0);
}

TEST(a_guest_that_is_not_told)
{
    int code;

    CHECK_EQ(find("xen\n", "00002705\n", true, NULL), XEN_UNKNOWN);
    there = false;
    CHECK_EQ(xen_place_find("/none"), XEN_NO_GUEST);
    CHECK_EQ(find("xen\n", NULL, false, NULL), XEN_UNKNOWN);
    code = errno;
    CHECK(code != EBADF);
}
