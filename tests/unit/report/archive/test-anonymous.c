/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No word that was hidden is in the bytes of an archive, unpacked: the words
 * are all names that can be given to a writer, each in its place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "libxenoprof/session/session-reader.h"
#include "report/archive/anonymous.h"
#include "report/archive/archive.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

/* All with the same beginning: any part of one is found. */
#define SECRET "zqwk"

static const struct xenoprof_stored worker = {
    .domain = 5,
    .mode = XENOPROF_MODE_USER,
    .weight = 1,
    .period = 1000000,
    .thread = {7, 8, 9, "zqwkComm"},
};

/* What is kept has no name in a session of xenoprofd's. */
#define WORDS_KEEP   "17"
#define WORDS_ALIAS  SECRET "-host"
#define WORDS_SILENT "as " SECRET " said"
#define WORDS_DROP   "--passive-domains=" SECRET
#define WORDS_KERNEL                                                           \
    "release=6.1.0 path=" SECRET " found=/" SECRET " tasks=known " SECRET

static void say_secrets(struct session_kit *kit)
{
    static const char *const said[][2] = {
#define ANONYMOUS(attribute, what) {attribute, WORDS_##what},
#include "report/archive/attributes.def"
#undef ANONYMOUS
        {"made-up", SECRET},
    };
    static const uint8_t uuid[16] = SECRET SECRET SECRET;

    for ( size_t i = 0; i < sizeof(said) / sizeof(*said); i++ )
        KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 5, said[i][0],
                                              said[i][1]));
    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, 5, uuid,
                                       SECRET "-domain", "passive"));
}

static struct session_kit *make_secrets(void)
{
    struct session_kit *kit = kit_create();
    const struct xenoprof_place place = {.domain = 5,
                                         .mode = XENOPROF_MODE_USER,
                                         .address = 0x1000,
                                         .image = "/opt/" SECRET "/bin/x",
                                         .symbol = SECRET "_main",
                                         .symbol_start = 0x900};
    const struct xenoprof_place patch = {.mode = XENOPROF_MODE_XEN,
                                         .address = 0x2000,
                                         .image = SECRET "_patch",
                                         .symbol = "do_domctl"};
    const struct xenoprof_place library = {.domain = 5,
                                           .mode = XENOPROF_MODE_USER,
                                           .address = 0x3000,
                                           .image = "/usr/lib/libc.so.6",
                                           .symbol = "malloc"};
    const struct xenoprof_origin origin = {.domain = 5,
                                           .thread = worker.thread,
                                           .exe = "/" SECRET "/" SECRET,
                                           .cgroup = "/" SECRET ".service"};
    struct xenoprof_ring_info ring = kit_ring(1, 100);
    uint32_t chain[3];

    say_secrets(kit);
    memcpy(ring.uuid, SECRET SECRET SECRET, 12);
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, 50, 2, 0));
    KIT_OK(kit, xenoprof_writer_place(kit->writer, &patch, &chain[0]));
    KIT_OK(kit, xenoprof_writer_place(kit->writer, &library, &chain[1]));
    KIT_OK(kit, xenoprof_writer_place(kit->writer, &place, &chain[2]));
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &worker, chain, 3));
    KIT_OK(kit, xenoprof_writer_origin(kit->writer, &origin));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 3));
    return kit;
}

/* Whether the word is anywhere in these bytes, in any case of letters. */
static bool has_word(const void *bytes, size_t size, const char *word)
{
    const char *at = bytes;

    for ( ; size >= strlen(word); at++, size-- )
        if ( !strncasecmp(at, word, strlen(word)) )
            return true;
    return false;
}

/* Whether it is in what a session's only file defines. */
static bool defines(struct session_kit *kit, const char *path, const char *word)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    bool found = false;

    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &session));
    while ( xenoprof_session_next(session, &item) != XENOPROF_END )
        continue;
    CHECK(session->read.texts.count && session->read.threads.count);
    for ( size_t i = 0; i < session->read.texts.count; i++ )
        found |= has_word(session->read.texts.items[i].bytes,
                          session->read.texts.items[i].size, word);
    for ( size_t i = 0; i < session->read.threads.count; i++ )
        found |= has_word(&session->read.threads.items[i],
                          sizeof(*session->read.threads.items), word);
    for ( size_t i = 0; i < session->read.domains.count; i++ )
        found |= has_word(&session->read.domains.items[i],
                          sizeof(*session->read.domains.items), word);
    xenoprof_session_close(session);
    return found;
}

static char *archive(struct session_kit *kit, bool anonymous)
{
    const struct time_range all = {.from = {.kind = TIME_OPEN}};
    struct failure failure = {.status = STATUS_DONE};
    char *file;
    struct archive_wanted wanted = {
        .session = kit->folder, .range = &all, .anonymous = anonymous};

    CHECK(asprintf(&file, "%s-archive", kit->folder) > 0);
    wanted.file = file;
    CHECK_EQ(archive_write(&wanted, &failure), STATUS_DONE);
    return file;
}

TEST(names_are_not_in_an_anonymous_archive)
{
    struct session_kit *kit = make_secrets();
    char *file SCOPE_FREE = archive(kit, false);

    CHECK(defines(kit, file, SECRET "-domain"));
    CHECK(defines(kit, file, SECRET "_main"));
    CHECK(defines(kit, file, SECRET "comm"));
    free(file);
    file = archive(kit, true);
    CHECK(!defines(kit, file, SECRET));
    CHECK(!defines(kit, file, "path="));
    CHECK(!defines(kit, file, "made-up"));
    CHECK(defines(kit, file, "malloc"));
    CHECK(defines(kit, file, "/usr/lib/libc.so.6"));
    CHECK(defines(kit, file, "do_domctl"));
    CHECK(defines(kit, file, "release=6.1.0 tasks=known"));
    CHECK(!unlink(file));
    kit_destroy(kit);
}

/* What is said of code of this image, by each kind of item. */
static void code_stays(uint8_t mode, const char *image, bool stays)
{
    const struct xenoprof_function function = {
        .mode = mode, .uuid = SECRET SECRET, .image = image, .symbol = "f"};
    const struct xenoprof_item items[] = {
        {.kind = XENOPROF_ITEM_CODE,
         .u.code = {function, (const uint8_t *)"\x90", 1, 0,
                    "/home/" SECRET "/vmlinux", 0}},
        {.kind = XENOPROF_ITEM_INSTRUCTION,
         .u.instruction = {.function = function,
                           .path = SECRET "/mm.c",
                           .name = "g"}},
        {.kind = XENOPROF_ITEM_SOURCE,
         .u.source = {function, 7, "/" SECRET "/mm.c", "g();"}},
    };
    struct anonymous anonymous = {.texts = {NULL}};

    for ( size_t i = 0; i < sizeof(items) / sizeof(*items); i++ )
    {
        const struct xenoprof_item *item = anonymous_item(&anonymous,
                                                          &items[i]);
        const struct xenoprof_function *said = item ? &item->u.code.function
                                                    : NULL;

        CHECK_EQ(item != NULL, stays);
        if ( !item )
            continue;
        CHECK(!has_word(said->uuid, sizeof(said->uuid), SECRET));
        CHECK(!has_word(said->image, strlen(said->image), SECRET));
        if ( item->kind == XENOPROF_ITEM_CODE )
            CHECK(!strstr(item->u.code.file, SECRET) &&
                  strstr(item->u.code.file, "/vmlinux"));
        if ( item->kind == XENOPROF_ITEM_INSTRUCTION )
            CHECK(!strstr(item->u.instruction.path, SECRET) &&
                  strstr(item->u.instruction.path, "/mm.c"));
        if ( item->kind == XENOPROF_ITEM_SOURCE )
            CHECK(!strstr(item->u.source.path, SECRET) &&
                  strstr(item->u.source.path, "/mm.c"));
    }
    anonymous_free(&anonymous);
}

TEST(code_that_is_public_stays)
{
    code_stays(XENOPROF_MODE_XEN, "xen", true);
    code_stays(XENOPROF_MODE_XEN, SECRET "_patch", false);
    code_stays(XENOPROF_MODE_KERNEL, "kernel", true);
    code_stays(XENOPROF_MODE_KERNEL, SECRET "_driver", false);
    code_stays(XENOPROF_MODE_USER, "/usr/lib/libc.so.6", true);
    code_stays(XENOPROF_MODE_USER, "/opt/" SECRET "/libc.so.6", true);
    code_stays(XENOPROF_MODE_USER, "/opt/" SECRET "/bin/x", false);
    code_stays(XENOPROF_MODE_USER, "", false);
}
