/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-screen.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ESCAPE_MS 25 /* between the bytes that one key sends */
#define COLOURS   8

static SCREEN *taken; /* NULL: none */
static bool away;     /* it was given back, and is not to be drawn on */
static volatile sig_atomic_t end_asked;

bool browse_screen_there(void)
{
    const char *kind = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && *kind &&
           strcmp(kind, "dumb");
}

static void ask_end(int number)
{
    (void)number;
    end_asked = 1;
}

static void on_signal(int number, void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    sigaction(number, &action, NULL);
}

/* The colours that screen.h writes, by their numbers. */
static void begin_colours(void)
{
    if ( !has_colors() || start_color() == ERR )
        return;
    use_default_colors();
    for ( short colour = 0; colour < COLOURS; colour++ )
        init_pair((short)(colour + 1), colour, -1);
}

bool browse_screen_enter(void)
{
    /* What was printed before stays where it is. */
    fflush(stdout);
    taken = newterm(NULL, stdout, stdin);
    if ( !taken )
        return false;
    on_signal(SIGINT, ask_end);
    on_signal(SIGTERM, ask_end);
    on_signal(SIGHUP, ask_end);
    cbreak();
    noecho();
    nonl();
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    begin_colours();
    return true;
}

void browse_screen_leave(void)
{
    if ( !taken || away )
        return;
    away = true;
    endwin();
}

size_t browse_screen_width(void)
{
    return (size_t)COLS;
}

size_t browse_screen_height(void)
{
    return (size_t)LINES;
}

void browse_screen_begin(void)
{
    erase();
}

/* Takes what stands between "\033[" and "m". */
static attr_t changed(attr_t now, const char *codes, short *pair)
{
    char *end;

    for ( ;; codes = end + 1 )
    {
        const long code = strtol(codes, &end, 10);

        if ( code == 0 )
        {
            now = A_NORMAL;
            *pair = 0;
        }
        else if ( code == 1 )
            now |= A_BOLD;
        else if ( code == 2 )
            now |= A_DIM;
        else if ( code >= 30 && code < 30 + COLOURS )
            *pair = (short)(code - 30 + 1);
        else if ( code == 39 )
            *pair = 0;
        if ( *end != ';' )
            return now;
    }
}

/* Colours of a line that is reversed would be those of its ground. */
static void use(attr_t attributes, short pair, enum browse_line kind)
{
    if ( kind != LINE_PLAIN )
        attrset(A_REVERSE);
    else
        attr_set(attributes, pair, NULL);
}

/* As much of a piece as there is room for: curses would go on below. */
static void put_piece(const char *text, size_t length)
{
    char *piece SCOPE_FREE = must(strndup(text, length));
    const int used = getcurx(stdscr);

    addnstr(piece,
            (int)text_head(piece, used < COLS ? (size_t)(COLS - used) : 0));
}

void browse_screen_line(size_t y, const char *text, enum browse_line kind)
{
    attr_t attributes = A_NORMAL;
    short pair = 0;

    move((int)y, 0);
    use(attributes, pair, kind);
    while ( *text && *text != '\n' )
    {
        const size_t plain = strcspn(text, "\033\n");

        if ( getcury(stdscr) == (int)y )
            put_piece(text, plain);
        text += plain;
        if ( text[0] != '\033' || text[1] != '[' )
            break;
        attributes = changed(attributes, text + 2, &pair);
        text += strcspn(text, "m\n");
        text += *text == 'm';
        use(attributes, pair, kind);
    }
    if ( kind != LINE_PLAIN && getcury(stdscr) == (int)y )
        hline(' ' | A_REVERSE, COLS - getcurx(stdscr));
    attrset(A_NORMAL);
}

void browse_screen_end(void)
{
    refresh();
}

void browse_screen_send(const char *bytes)
{
    fputs(bytes, stdout);
    fflush(stdout);
}

/* Signals come only while it waits, or before: none is between a look at
 * whether one came and the wait. */
static bool wait_for_key(int ms)
{
    const struct timespec most = {ms / 1000, ms % 1000 * 1000000L};
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t held, before;
    int ready = 1;

    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGWINCH);
    sigprocmask(SIG_BLOCK, &held, &before);
    if ( !end_asked )
        ready = ppoll(&input, 1, ms < 0 ? NULL : &most, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !end_asked && (ready >= 0 || errno == EINTR) &&
           !(ready > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int browse_screen_key(int ms)
{
    int key = getch();

    while ( key == ERR && !end_asked )
    {
        if ( !wait_for_key(ms) )
            return -1;
        key = getch();
        if ( key == ERR && ms >= 0 && !end_asked )
            return 0;
    }
    return end_asked ? -1 : key;
}
