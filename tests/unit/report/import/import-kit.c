/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import-kit.h"

#include "report/import/import.h"

#include <fcntl.h>
#include <inttypes.h>
#include <libxenoprof.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/harness.h"

#define KIT_PLACES 4096u
#define KIT_STACK  64u

/* What samples have by number. */
static struct {
    char text[IMPORT_KIT_TEXT];
    size_t used;
    char *places[KIT_PLACES];
    char *domains[32768];
    char *types[XENOPROF_TYPES_MAX];
    struct {
        uint32_t places[KIT_STACK];
        size_t count;
    } stacks[KIT_PLACES];
} kit;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    kit.used += (size_t)vsnprintf(
        kit.text + kit.used, sizeof(kit.text) - kit.used, format, arguments);
    va_end(arguments);
    CHECK(kit.used < sizeof(kit.text));
}

static void keep(char **to, char *text)
{
    free(*to);
    *to = text;
}

static char *place_text(const struct xenoprof_place *place)
{
    char *text, address[24];

    snprintf(address, sizeof(address), "0x%" PRIx64, place->address);
    if ( asprintf(&text, "%s!%s+%c", place->image ? place->image : "",
                  place->symbol ? place->symbol : address,
                  xenoprof_mode_name(place->mode)[0]) < 0 )
        abort();
    return text;
}

static void say_sample(const struct xenoprof_stored *sample)
{
    say("%s %" PRIu64 " %s.%u@%u %s", kit.types[sample->type], sample->count,
        sample->domain == XENOPROF_NOBODY ? "idle"
                                          : kit.domains[sample->domain],
        sample->vcpu, sample->pcpu, xenoprof_mode_name(sample->mode));
    if ( *sample->thread.comm )
        say(" %u:%u:%s", sample->thread.pid, sample->thread.tid,
            sample->thread.comm);
    if ( !sample->stack && sample->place )
        say(" %s", kit.places[sample->place]);
    for ( size_t i = 0; sample->stack && i < kit.stacks[sample->stack].count;
          i++ )
        say(" %s", kit.places[kit.stacks[sample->stack].places[i]]);
    say("%s\n", xenoprof_stored_ended(sample) ? " ..." : "");
}

static void take(const struct xenoprof_item *item)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_DOMAIN:
        keep(&kit.domains[item->u.domain.domain], strdup(item->u.domain.name));
        return;
    case XENOPROF_ITEM_TYPE:
        keep(&kit.types[item->u.type.number], strdup(item->u.type.type.name));
        return;
    case XENOPROF_ITEM_PLACE:
        CHECK(item->u.place.number < KIT_PLACES);
        keep(&kit.places[item->u.place.number],
             place_text(&item->u.place.place));
        return;
    case XENOPROF_ITEM_STACK:
        CHECK(item->u.stack.number < KIT_PLACES);
        CHECK(item->u.stack.count <= KIT_STACK);
        memcpy(kit.stacks[item->u.stack.number].places, item->u.stack.places,
               item->u.stack.count * sizeof(uint32_t));
        kit.stacks[item->u.stack.number].count = item->u.stack.count;
        return;
    case XENOPROF_ITEM_SAMPLE: say_sample(&item->u.sample); return;
    default: return;
    }
}

static void take_all(const char *path)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;

    CHECK(!xenoprof_session_open(handle, path, &session));
    while ( !xenoprof_session_next(session, &item) )
        take(&item);
    xenoprof_session_close(session);
    xenoprof_close(handle);
}

static void forget(char **texts, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        keep(&texts[i], NULL);
}

const char *import_kit(const void *bytes, size_t size)
{
    struct imported imported = {.file = NULL};
    struct failure failure = {.status = STATUS_DONE};
    char folder[TEST_FOLDER_MAX], path[TEST_FOLDER_MAX + 8];
    char *session;
    int fd;

    test_make_folder(folder, "xenoprof-import-XXXXXX");
    snprintf(path, sizeof(path), "%s/file", folder);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0);
    CHECK_EQ(write(fd, bytes, size), size);
    close(fd);
    kit.used = 0;
    *kit.text = '\0';
    session = strdup(path);
    if ( import_session(&imported, "/nowhere", &session, &failure) )
        say("%s", failure.text + (strncmp(failure.text, path, strlen(path))
                                      ? 0
                                      : strlen(folder) + 1));
    else
        take_all(session);
    free(session);
    imported_free(&imported);
    unlink(path);
    rmdir(folder);
    forget(kit.places, KIT_PLACES);
    forget(kit.domains, 32768);
    forget(kit.types, XENOPROF_TYPES_MAX);
    return kit.text;
}
