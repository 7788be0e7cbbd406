/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report that has no memory, with what it has begun by then: a file, a pipe,
 * a pager, the screen of --live.  On a terminal, which is ours.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/must.h"
#include "report/browse/browse-screen.h"
#include "report/ending.h"
#include "report/live/live-terminal.h"
#include "report/output.h"
#include "report/pager.h"
#include "tests/harness.h"

#define SENTENCE                                                               \
    "xenopreport: out of memory: close something, or ask for less at a time"
#define OWN_SCREEN "\033[?25h\033[?1049l"

struct terminal {
    int ours, its;
};

static char folder[64], path[128];
static struct pager pager;

static void begin(void)
{
    strcpy(folder, "/tmp/xenoprof-ending-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/page", folder);
}

static unsigned int count_files(void)
{
    DIR *opened = opendir(folder);
    unsigned int count = 0;
    struct dirent *entry;

    while ( (entry = readdir(opened)) )
        count += entry->d_name[0] != '.';
    closedir(opened);
    return count;
}

static void end(void)
{
    unlink(path);
    CHECK(!rmdir(folder));
}

static struct terminal open_terminal(void)
{
    struct terminal terminal = {.ours = posix_openpt(O_RDWR | O_NOCTTY)};

    CHECK(terminal.ours >= 0);
    CHECK(!grantpt(terminal.ours) && !unlockpt(terminal.ours));
    terminal.its = open(ptsname(terminal.ours), O_RDWR | O_NOCTTY);
    CHECK(terminal.its >= 0);
    return terminal;
}

static void take_terminal(const struct terminal *terminal)
{
    close(terminal->ours);
    for ( int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++ )
        dup2(terminal->its, fd);
    close(terminal->its);
}

static void read_all(int from, char *ret, size_t size)
{
    size_t used = 0;
    ssize_t got;

    while ( used + 1 < size &&
            (got = read(from, ret + used, size - used - 1)) > 0 )
        used += (size_t)got;
    ret[used] = '\0';
}

/* Lets act() run out of memory in a process of its own.  Returns what is on
 * its terminal, malloc'ed, which is as it was before. */
static char *run(void (*act)(void))
{
    struct terminal terminal = open_terminal();
    struct termios before, after;
    char *screen = calloc(1, 4096);
    pid_t child;
    int status;

    CHECK(screen);
    CHECK(!tcgetattr(terminal.its, &before));
    child = fork();
    CHECK(child >= 0);
    if ( !child )
    {
        take_terminal(&terminal);
        ending_begin();
        act();
        no_memory();
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), STATUS_FAILED);
    CHECK(!tcgetattr(terminal.its, &after));
    CHECK_EQ(after.c_lflag, before.c_lflag);
    CHECK_EQ(after.c_cc[VSUSP], before.c_cc[VSUSP]);
    close(terminal.its);
    read_all(terminal.ours, screen, 4096);
    close(terminal.ours);
    return screen;
}

/* The sentence is the last line, whatever was before. */
static void check_reported(const char *screen)
{
    const char *said = strstr(screen, SENTENCE);

    CHECK(said);
    CHECK_TEXT(said, SENTENCE "\r\n");
}

static void write_some(const char *to)
{
    static struct output output;
    struct failure failure = {.status = STATUS_DONE};

    must_do(!output_open(&output, to, false, &failure));
    fputs("half a page\n", output.file);
}

static void fill_file(void)
{
    write_some(path);
}

static void fill_standard_output(void)
{
    write_some(NULL);
}

static void fill_pager(void)
{
    setenv("PAGER", "sed s/^/paged:/", 1);
    pager_begin(&pager, true);
    puts("half a page");
}

static void show_live(void)
{
    static struct live_terminal terminal;

    must_do(live_terminal_enter(&terminal));
}

static void show_live_and_leave(void)
{
    struct live_terminal terminal;

    must_do(live_terminal_enter(&terminal));
    live_terminal_leave(&terminal);
}

static void show_browse(void)
{
    setenv("TERM", "vt100", 1);
    must_do(browse_screen_enter());
    browse_screen_begin();
    browse_screen_line(0, "a line", LINE_PLAIN);
    browse_screen_end();
}

static void show_browse_and_leave(void)
{
    show_browse();
    browse_screen_leave();
}

TEST(no_file_is_left_that_is_not_whole)
{
    char *screen;

    begin();
    screen = run(fill_file);
    CHECK_TEXT(screen, SENTENCE "\r\n");
    CHECK_EQ(count_files(), 0);
    free(screen);
    end();
}

TEST(a_file_that_was_there_is_as_before)
{
    struct stat state;
    char *screen;
    FILE *file;

    begin();
    file = fopen(path, "w");
    CHECK(file && fputs("an older page\n", file) >= 0 && !fclose(file));
    screen = run(fill_file);
    check_reported(screen);
    CHECK_EQ(count_files(), 1);
    CHECK(!stat(path, &state));
    CHECK_EQ(state.st_size, strlen("an older page\n"));
    free(screen);
    end();
}

TEST(a_pipe_has_what_was_written)
{
    char got[64], *screen;
    int reader;

    begin();
    CHECK(!mkfifo(path, 0600));
    reader = open(path, O_RDONLY | O_NONBLOCK);
    CHECK(reader >= 0);
    screen = run(fill_file);
    check_reported(screen);
    read_all(reader, got, sizeof(got));
    CHECK_TEXT(got, "half a page\n");
    close(reader);
    free(screen);
    end();
}

TEST(standard_output_has_what_was_written)
{
    char *screen = run(fill_standard_output);

    CHECK_TEXT(screen, "half a page\r\n" SENTENCE "\r\n");
    free(screen);
}

TEST(the_pager_has_it_and_ends_first)
{
    char *screen = run(fill_pager);

    CHECK_TEXT(screen, "paged:half a page\r\n" SENTENCE "\r\n");
    free(screen);
}

TEST(the_screen_is_given_back)
{
    char *screen = run(show_live);

    CHECK(strstr(screen, OWN_SCREEN SENTENCE));
    check_reported(screen);
    free(screen);
}

TEST(a_screen_that_was_given_back_is_so_once)
{
    char *screen = run(show_live_and_leave);
    const char *back = strstr(screen, OWN_SCREEN);

    CHECK(back && !strstr(back + 1, OWN_SCREEN));
    check_reported(screen);
    free(screen);
}

TEST(the_screen_of_browse_is_given_back)
{
    char *screen = run(show_browse);

    CHECK(strstr(screen, "a line"));
    check_reported(screen);
    free(screen);
    screen = run(show_browse_and_leave);
    check_reported(screen);
    free(screen);
}
