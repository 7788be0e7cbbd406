/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users of /etc/passwd, as a static program looks them up. */
#include <string.h>

#include "base/user-entry.h"
#include "tests/harness.h"

TEST(users)
{
    const struct passwd *root = user_entry("root");

    CHECK(root && !root->pw_uid && !root->pw_gid);
    CHECK_TEXT(root->pw_name, "root");
    CHECK(!user_entry("xenoprof-nobody-has-this-name"));
    CHECK(!user_entry(""));
    CHECK(!user_entry("roo"));
}

/* Whoever is in the file is the user that the system knows. */
TEST(users_of_the_file_and_the_system)
{
    const struct passwd *system = getpwuid(1);
    const struct passwd *file;
    uid_t user;

    if ( !system )
        test_skip("there is no user 1");
    user = system->pw_uid;
    file = user_entry(system->pw_name);
    if ( !file )
        test_skip("user 1 is not in /etc/passwd");
    CHECK_EQ(file->pw_uid, user);
}
