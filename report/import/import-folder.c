/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import-folder.h"

#include "base/must.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIGITS_LEAST 4u /* DATA.0000 */

/* The paths as a signal handler may read them: "" is none. */
static char paths[IMPORT_FOLDERS_MAX][PATH_MAX];

/* Appends the name of a session's file.  Without stdio, which a handler may not
 * use. */
static void name_file(char *end, unsigned int number)
{
    char digits[12];
    unsigned int count = 0;

    for ( ; number || count < DIGITS_LEAST; number /= 10 )
        digits[count++] = (char)('0' + number % 10);
    end = stpcpy(end, "/DATA.");
    while ( count )
        *end++ = digits[--count];
    *end = '\0';
}

static void remove_all_of(const char *path)
{
    char name[PATH_MAX + 32];
    char *end = stpcpy(name, path);

    for ( unsigned int number = 0;; number++ )
    {
        name_file(end, number);
        if ( unlink(name) )
            break;
    }
    rmdir(path);
}

void import_folders_give_up(void)
{
    for ( unsigned int i = 0; i < IMPORT_FOLDERS_MAX; i++ )
        if ( *paths[i] )
            remove_all_of(paths[i]);
}

static void end_by_signal(int number)
{
    import_folders_give_up();
    signal(number, SIG_DFL);
    raise(number);
}

/* What is ignored, as in a shell's background, stays so. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
    struct sigaction before, action = {.sa_handler = end_by_signal};

    for ( size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++ )
        if ( !sigaction(numbers[i], NULL, &before) &&
             before.sa_handler == SIG_DFL )
            sigaction(numbers[i], &action, NULL);
}

/* Signals wait while a folder is made, and not noted yet. */
static char *make_noted(char *path, char *slot)
{
    sigset_t all, before;
    char *made;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    made = mkdtemp(path);
    if ( made )
        strcpy(slot, path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return made;
}

enum exit_status import_folder_make(struct import_folder *folder,
                                    struct failure *failure)
{
    const char *where = getenv("TMPDIR");
    char *path = must_text("%s/xenopreport-XXXXXX",
                           where && *where ? where : "/tmp");
    unsigned int slot = 0;

    while ( slot < IMPORT_FOLDERS_MAX && *paths[slot] )
        slot++;
    catch_signals();
    if ( slot == IMPORT_FOLDERS_MAX || strlen(path) >= PATH_MAX ||
         !make_noted(path, paths[slot]) )
    {
        fail(failure, STATUS_FAILED,
             "%s: a temporary folder cannot be made there: %m: name another "
             "place with TMPDIR",
             where && *where ? where : "/tmp");
        free(path);
        return failure->status;
    }
    folder->path = path;
    return STATUS_DONE;
}

void import_folder_remove(struct import_folder *folder)
{
    if ( !folder->path )
        return;
    remove_all_of(folder->path);
    for ( unsigned int i = 0; i < IMPORT_FOLDERS_MAX; i++ )
        if ( !strcmp(paths[i], folder->path) )
            *paths[i] = '\0';
    free(folder->path);
    folder->path = NULL;
}
