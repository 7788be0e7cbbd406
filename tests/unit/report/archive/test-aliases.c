/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "report/archive/aliases.h"
#include "report/archive/anonymous.h"
#include "report/origin/cgroup-text.h"
#include "tests/harness.h"

static bool is_alias(const char *text, size_t length)
{
    for ( size_t i = 1; i < length; i++ )
        if ( !isdigit((unsigned char)text[i]) )
            return false;
    return length == ALIAS_SIZE - 1 && *text == 'x';
}

TEST(a_word_has_one_alias)
{
    char *one SCOPE_FREE = alias_word("nginx", 5);
    char *again SCOPE_FREE = alias_word("nginx-worker", 5);
    char *other SCOPE_FREE = alias_word("nginy", 5);

    CHECK(is_alias(one, strlen(one)));
    CHECK_TEXT(again, one);
    CHECK(strcmp(other, one));
}

TEST(a_file_s_alias_is_that_of_its_name)
{
    char *path SCOPE_FREE = alias_path("/usr/sbin/nginx");
    char *top SCOPE_FREE = alias_path("/nginx");
    char *bare SCOPE_FREE = alias_path("nginx");
    char *word SCOPE_FREE = alias_word("nginx", 5);

    CHECK_TEXT(strrchr(path, '/') + 1, word);
    CHECK(is_alias(path + 1, strcspn(path + 1, "/")));
    CHECK_TEXT(top + 1, word);
    CHECK_TEXT(bare, word);
}

TEST(public_libraries)
{
    static const char *const public[] = {
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        "/lib64/ld-linux-x86-64.so.2",
        "/usr/lib/libc-2.31.so",
        "libstdc++.so.6.0.30",
        "/lib/libz.so.1.2.13",
        "[vdso]",
        "/home/acme/libssl.so.3",
    };
    static const char *const private[] = {
        "/usr/bin/acme",
        "/usr/lib/libacme.so.1",
        "/usr/lib/libc-acme.so.6",
        "/usr/lib/libz.so.1-acme",
        "libc",
        "libc.conf",
        "",
        "/",
        "[jit]",
        "/usr/lib/libc.so.6 (deleted)",
        "/usr/lib/libcrypto-acme.so",
    };

    for ( size_t i = 0; i < sizeof(public) / sizeof(*public); i++ )
        CHECK(image_is_public(public[i]));
    for ( size_t i = 0; i < sizeof(private) / sizeof(*private); i++ )
        CHECK(!image_is_public(private[i]));
}

TEST(a_public_library_keeps_the_system_s_folder)
{
    char *system SCOPE_FREE = alias_image("/usr/lib/libc.so.6");
    char *home SCOPE_FREE = alias_image("/home/acme/libc.so.6");
    char *own SCOPE_FREE = alias_image("/usr/lib/libacme.so");

    CHECK_TEXT(system, "/usr/lib/libc.so.6");
    CHECK_TEXT(strrchr(home, '/'), "/libc.so.6");
    CHECK(!strstr(home, "acme"));
    CHECK(!strstr(own, "acme") && !strstr(own, "usr"));
}

#define ID   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UUID "8b4b2a3e-9f2e-4c52-b2b4-0d7f5f1d9a11"

/* It still has the same parts. */
TEST(a_cgroup_keeps_its_form)
{
    static const char *const paths[] = {
        "/system.slice/acme.service",
        "/system.slice/docker-" ID ".scope",
        "/kubepods/besteffort/pod" UUID "/" ID,
        "/kubepods.slice/kubepods-burstable.slice/"
        "kubepods-burstable-pod8b4b2a3e_9f2e_4c52_b2b4_0d7f5f1d9a11.slice/"
        "cri-containerd-" ID ".scope",
        "/acme.team",
        "",
        "/",
    };

    for ( size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++ )
    {
        char *alias SCOPE_FREE = alias_cgroup(paths[i]);
        struct cgroup_text was, is;

        cgroup_read(paths[i], &was);
        cgroup_read(alias, &is);
        CHECK_EQ(!*is.unit, !*was.unit);
        CHECK_EQ(!*is.container, !*was.container);
        CHECK_EQ(!*is.pod, !*was.pod);
        CHECK(!strstr(alias, "acme") && !strstr(alias, "4567") &&
              !strstr(alias, "8b4b"));
    }
}

TEST(dom0_s_uuid_stays)
{
    uint8_t dom0[16] = {0}, one[16] = {1}, again[16] = {1}, two[16] = {2};

    alias_uuid(dom0);
    alias_uuid(one);
    alias_uuid(again);
    alias_uuid(two);
    for ( size_t i = 0; i < sizeof(dom0); i++ )
        CHECK_EQ(dom0[i], 0);
    CHECK(!memcmp(one, again, sizeof(one)));
    CHECK(memcmp(one, two, sizeof(one)));
    CHECK(one[0] != 1 || one[1]);
}

TEST(paths_of_public_code)
{
    static const char *const kept[] = {"/boot/xen-4.17.gz",
                                       "/usr/src/linux/mm/mm.c",
                                       "/build/linux-6.1/mm/mm.c", "mm.c"};
    char *home SCOPE_FREE = alias_code_path("/home/jane/xen/mm.c");
    char *below SCOPE_FREE = alias_code_path("jane/mm.c");

    for ( size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++ )
    {
        char *path SCOPE_FREE = alias_code_path(kept[i]);

        CHECK_TEXT(path, kept[i]);
    }
    CHECK_TEXT(strrchr(home, '/'), "/mm.c");
    CHECK(is_alias(home + 1, strcspn(home + 1, "/")));
    CHECK_TEXT(strrchr(below, '/'), "/mm.c");
    CHECK(!strstr(below, "jane"));
}
