/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the guest's stack into windows.
 */
#include "windows.h"

#define KERNEL_HALF 0xff00000000000000ul
#define USER_END    0x0100000000000000ul

#define WINDOWS 3u /* of a sample, at most */

static uint32_t filled_up(uint32_t length)
{
    return (length + 7) & ~7u;
}

/* Each window is padded to a multiple of 8. */
uint32_t windows_room(uint32_t budget)
{
    return WINDOWS * (sizeof(struct xenoprof_window) + 8) + filled_up(budget);
}

bool windows_open(struct windows *windows, unsigned int pcpu, uint32_t budget)
{
    if ( !budget )
        return true;
    windows->room = windows_room(budget);
    windows->bytes = port_alloc_near(pcpu, windows->room);
    return windows->bytes != NULL;
}

void windows_close(struct windows *windows)
{
    if ( windows->bytes )
        port_free_near(windows->bytes, windows->room);
    windows->bytes = NULL;
}

/* What one call of windows_read() works with. */
struct window_reader {
    struct windows *windows;
    struct port_reader *guest;
    uint32_t left; /* of the budget */
};

/* Reads the window that begins at address.  Returns it, or NULL if nothing can
 * be read there. */
static struct xenoprof_window *add_window(struct window_reader *reader,
                                          enum xenoprof_part part,
                                          uint64_t address)
{
    struct windows *windows = reader->windows;
    unsigned char *at = windows->bytes + windows->length;
    struct xenoprof_window *window = (struct xenoprof_window *)at;
    unsigned char *stack = at + sizeof(*window);
    uint32_t length = port_reader_read(reader->guest, address, stack,
                                       reader->left);

    if ( !length )
        return NULL;
    windows->last = windows->length;
    *window = (struct xenoprof_window){.address = address, .length = length};
    if ( length & 7 )
        memset(stack + length, 0, filled_up(length) - length);
    windows->length += sizeof(*window) + filled_up(length);
    windows->parts |= part;
    reader->left -= length;
    return window;
}

/*
 * Only a kernel's stacks are linked.  The limit is that of five-level page
 * tables, the larger kernel half; port_reader_read() knows which addresses are
 * canonical for this guest.
 */
static bool may_be_stack(uint64_t address, const struct xenoprof_window *first)
{
    return address >= KERNEL_HALF && !(address & 7) &&
           address - first->address >= first->length;
}

/* Returns the word so many bytes below the window's end, or 0 if the window is
 * shorter. */
static uint64_t word_below_end(const struct xenoprof_window *window,
                               uint32_t distance)
{
    const unsigned char *end = (const unsigned char *)(window + 1) +
                               window->length;
    uint64_t word = 0;

    if ( distance >= sizeof(word) && distance <= window->length )
        memcpy(&word, end - distance, sizeof(word));
    return word;
}

static void follow_links(struct window_reader *reader,
                         const struct xenoprof_window *first,
                         window_links links)
{
    for ( ; links; links >>= 16 )
    {
        uint64_t word = word_below_end(first, links & 0xffff);

        if ( may_be_stack(word, first) &&
             add_window(reader, XENOPROF_PART_WINDOW2, word) )
            return;
    }
}

void windows_read(struct windows *windows, struct port_reader *reader,
                  uint64_t sp, uint32_t budget, window_links links)
{
    struct window_reader state = {windows, reader, budget};
    const struct xenoprof_window *first;

    windows->length = 0;
    windows->parts = 0;
    first = add_window(&state, XENOPROF_PART_WINDOW, sp);
    if ( first && state.left )
        follow_links(&state, first, links);
    windows->ended = first && state.left;
}

uint64_t windows_process(const struct windows *windows, uint32_t distance)
{
    const struct xenoprof_window *last =
        (const struct xenoprof_window *)(windows->bytes + windows->last);
    uint64_t sp = windows->ended ? word_below_end(last, distance) : 0;

    return sp < USER_END ? sp : 0;
}

static void add_process(struct window_reader *reader, enum xenoprof_part part,
                        uint64_t sp)
{
    if ( sp < WINDOW_RED_ZONE ||
         !add_window(reader, part, sp - WINDOW_RED_ZONE) )
        add_window(reader, part, sp - sp % XENOPROF_PAGE_SIZE);
}

void windows_read_process(struct windows *windows, struct port_reader *reader,
                          uint64_t sp, uint32_t budget)
{
    struct window_reader state = {windows, reader, budget};

    windows->length = 0;
    windows->parts = 0;
    add_process(&state, XENOPROF_PART_WINDOW, sp);
}

void windows_add_process(struct windows *windows, struct port_reader *reader,
                         uint64_t sp, uint32_t budget)
{
    struct window_reader state = {windows, reader, budget};

    add_process(&state, XENOPROF_PART_USER_WINDOW, sp);
}
