/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the terminal, shows pages, reads keys. */
#include "live-terminal.h"

#include "live-state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT  80u
#define HEIGHT_DEFAULT 24u
#define WIDTH_MIN      40u
#define HEIGHT_MIN     8u
#define ESCAPE         0x1b
#define SEQUENCE_MS    20 /* between the bytes that one key sends */

#define OTHER_SCREEN "\033[?1049h\033[?25l" /* without a cursor */
#define OWN_SCREEN   "\033[?25h\033[?1049l"
#define HOME         "\033[H"
#define END_OF_LINE  "\033[K"
#define END_OF_PAGE  "\033[J"

static volatile sig_atomic_t end_requested;
static struct live_terminal *entered; /* NULL: none */

static void request_end(int number)
{
    (void)number;
    end_requested = 1;
}

/* The signal only ends the wait. */
static void resize(int number)
{
    (void)number;
}

static void measure_terminal(struct live_terminal *terminal)
{
    struct winsize size;
    bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col;

    terminal->width = known ? size.ws_col : WIDTH_DEFAULT;
    terminal->height = known ? size.ws_row : HEIGHT_DEFAULT;
    if ( terminal->width < WIDTH_MIN )
        terminal->width = WIDTH_MIN;
    if ( terminal->height < HEIGHT_MIN )
        terminal->height = HEIGHT_MIN;
}

static void take_signal(int number, void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    sigaction(number, &action, NULL);
}

bool live_terminal_enter(struct live_terminal *terminal)
{
    struct termios raw;

    terminal->changed = false;
    if ( !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &terminal->before) )
        return false;
    take_signal(SIGINT, request_end);
    take_signal(SIGTERM, request_end);
    take_signal(SIGHUP, request_end);
    take_signal(SIGWINCH, resize);
    raw = terminal->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    /* A shell in the foreground would show our screen. */
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    terminal->changed = true;
    entered = terminal;
    fputs(OTHER_SCREEN, stdout);
    measure_terminal(terminal);
    return true;
}

void live_terminal_leave(struct live_terminal *terminal)
{
    if ( !terminal->changed )
        return;
    entered = NULL;
    fputs(OWN_SCREEN, stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
}

void live_terminal_restore(void)
{
    if ( entered )
        live_terminal_leave(entered);
}

static bool next_byte(int ms, char *ret)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, ms) > 0 && read(STDIN_FILENO, ret, 1) == 1;
}

/* The rest of a sequence after an escape: "[A" and "[B" are arrows, "[5~" and
 * "[6~" page keys; nothing follows the escape key. */
static char finish_escape(void)
{
    char key = 0, more;

    if ( !next_byte(SEQUENCE_MS, &more) )
        return ESCAPE;
    while ( next_byte(SEQUENCE_MS, &more) && more != '~' )
        key = more;
    return key == 'A' || key == '5'   ? LIVE_KEY_UP
           : key == 'B' || key == '6' ? LIVE_KEY_DOWN
                                      : 0;
}

bool live_terminal_wait(struct live_terminal *terminal, int ms, char *key)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = poll(&input, 1, ms);

    *key = 0;
    if ( ready > 0 && read(STDIN_FILENO, key, 1) != 1 )
        return false;
    if ( *key == ESCAPE )
        *key = finish_escape();
    measure_terminal(terminal);
    return !end_requested && (ready >= 0 || errno == EINTR);
}

void live_terminal_show(const struct live_terminal *terminal, const char *text)
{
    size_t lines = 0;

    fputs(HOME, stdout);
    while ( *text && lines < terminal->height )
    {
        size_t length = strcspn(text, "\n");

        printf("%s%.*s" END_OF_LINE, lines ? "\r\n" : "", (int)length, text);
        text += length + (text[length] == '\n');
        lines++;
    }
    fputs(END_OF_PAGE, stdout);
    fflush(stdout);
}
