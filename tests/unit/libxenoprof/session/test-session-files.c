/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files of a folder are the session's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxenoprof/session/session-files.h"
#include "libxenoprof/session/session-block.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void begin(void)
{
    strcpy(folder, "/tmp/xenoprof-files-XXXXXX");
    CHECK(mkdtemp(folder));
}

static void make(const char *const *names)
{
    for ( ; *names; names++ )
        CHECK(!close(open(path_of(*names), O_WRONLY | O_CREAT, 0600)));
}

static void end(const char *const *names)
{
    for ( ; *names; names++ )
        CHECK(!unlink(path_of(*names)));
    CHECK(!rmdir(folder));
}

TEST(names_are_those_of_the_numbers_up_to_the_last)
{
    char name[FILE_NAME_SIZE];

    session_file_name(0, name);
    CHECK_TEXT(name, "DATA.0000");
    session_file_name(9999, name);
    CHECK_TEXT(name, "DATA.9999");
    session_file_name(SESSION_FILES_MAX - 1, name);
    CHECK_TEXT(name, "DATA.999999");
}

TEST(files_are_listed_by_number)
{
    static const char *const names[] = {"DATA.0010",  "DATA.0002",
                                        "DATA.10000", "DATA.999999",
                                        "DATA.0000",  NULL};
    static const uint32_t wanted[] = {0, 2, 10, 10000, 999999};
    struct xenoprof_handle *handle = xenoprof_open();
    struct session_files files;

    begin();
    make(names);
    CHECK_EQ(session_files_list(handle, folder, &files), XENOPROF_OK);
    CHECK_EQ(files.count, 5);
    for ( size_t i = 0; i < files.count; i++ )
        CHECK_EQ(files.items[i], wanted[i]);
    session_files_free(&files);
    end(names);
    xenoprof_close(handle);
}

/* Two names for a number would be the same samples twice. */
TEST(names_that_are_spelled_otherwise_are_ignored)
{
    static const char *const names[] = {
        "DATA",       "DATA.",       "DATA.1",       "DATA.00001", "DATA.0001~",
        "DATA. 001",  "DATA.+001",   "DATA.-001",    "data.0001",  "DATA.0x01",
        "xDATA.0001", "DATA.000001", "DATA.1000000", "DATA.0001.", NULL};
    struct xenoprof_handle *handle = xenoprof_open();
    struct session_files files;

    begin();
    make(names);
    CHECK_EQ(session_files_list(handle, folder, &files), XENOPROF_OK);
    CHECK_EQ(files.count, 0);
    session_files_free(&files);
    end(names);
    xenoprof_close(handle);
}

TEST(a_folder_that_cannot_be_listed_is_said)
{
    static const char *const names[] = {"DATA.0000", NULL};
    struct xenoprof_handle *handle = xenoprof_open();
    struct session_files files;

    CHECK_EQ(session_files_list(handle, "/nowhere", &files), XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_errno(handle), ENOENT);
    CHECK(strstr(xenoprof_message(handle), "/nowhere"));
    begin();
    make(names);
    fail_allocation(1);
    CHECK_EQ(session_files_list(handle, folder, &files), XENOPROF_NO_MEMORY);
    CHECK_EQ(files.count, 0);
    end(names);
    xenoprof_close(handle);
}
