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

void windows_begin(struct windows *windows, struct ring *ring, uint64_t at)
{
    windows->ring = ring;
    windows->at = at;
    windows->length = 0;
    windows->parts = 0;
}

/* What one call of windows_read() works with. */
struct window_reader {
    struct windows *windows;
    struct port_reader *guest;
    uint32_t left; /* of the budget */
};

/* Returns where a byte of the parts is, and lowers *length to what follows it
 * in a row. */
static inline void *place_of(const struct windows *windows, uint32_t offset,
                             uint32_t *length)
{
    return windows->ring
               ? ring_bytes_at(windows->ring, windows->at + offset, length)
               : windows->bytes + offset;
}

/* Reads the guest's stack from address on to there.  Returns how many bytes
 * there were. */
static uint32_t read_stack(const struct window_reader *reader, uint64_t address,
                           uint32_t offset)
{
    uint32_t done = 0, got, part;

    do
    {
        void *to;

        part = reader->left - done;
        to = place_of(reader->windows, offset + done, &part);
        got = port_reader_read(reader->guest, address + done, to, part);
        done += got;
        /* The address space may end with a page of the ring. */
    } while ( got == part && done < reader->left && address + done );
    return done;
}

/* A multiple of 8 from where the parts begin: never in two pages. */
static void put_word(const struct windows *windows, uint32_t offset,
                     uint64_t word)
{
    uint32_t length = sizeof(word);

    memcpy(place_of(windows, offset, &length), &word, sizeof(word));
}

_Static_assert(sizeof(struct xenoprof_window) == 2 * sizeof(uint64_t),
               "a window's head is more than its address and length");

/* Fills up the window that ends at this offset. */
static void pad_window(const struct windows *windows, uint32_t end)
{
    uint32_t length = filled_up(end) - end;

    if ( length )
        memset(place_of(windows, end, &length), 0, length);
}

/* Reads the window that begins at address.  Returns its length, 0 if nothing
 * can be read there. */
static uint32_t add_window(struct window_reader *reader,
                           enum xenoprof_part part, uint64_t address)
{
    struct windows *windows = reader->windows;
    uint32_t head = windows->length;
    uint32_t stack = head + sizeof(struct xenoprof_window);
    uint32_t length = read_stack(reader, address, stack);

    if ( !length )
        return 0;
    put_word(windows, head, address);
    put_word(windows, head + sizeof(address), length);
    pad_window(windows, stack + length);
    windows->end = address + length;
    windows->size = length;
    windows->length = stack + filled_up(length);
    windows->parts |= part;
    reader->left -= length;
    return length;
}

/* Returns the word so many bytes below the end of the last window, or 0 if that
 * is shorter.  It is read once more: what is in a ring is not read back. */
static uint64_t word_below_end(const struct windows *windows,
                               struct port_reader *reader, uint32_t distance)
{
    uint64_t word = 0;

    if ( distance < sizeof(word) || distance > windows->size ||
         port_reader_read(reader, windows->end - distance, &word,
                          sizeof(word)) != sizeof(word) )
        return 0;
    return word;
}

/*
 * Only a kernel's stacks are linked.  The limit is that of five-level page
 * tables, the larger kernel half; port_reader_read() knows which addresses are
 * canonical for this guest.
 */
static bool may_be_stack(uint64_t address, uint64_t first, uint32_t length)
{
    return address >= KERNEL_HALF && !(address & 7) &&
           address - first >= length;
}

/* From the window that begins at first. */
static void follow_links(struct window_reader *reader, uint64_t first,
                         window_links links)
{
    uint32_t length = reader->windows->size;

    for ( ; links; links >>= 16 )
    {
        uint64_t word = word_below_end(reader->windows, reader->guest,
                                       links & 0xffff);

        if ( may_be_stack(word, first, length) &&
             add_window(reader, XENOPROF_PART_WINDOW2, word) )
            return;
    }
}

void windows_read(struct windows *windows, struct port_reader *reader,
                  uint64_t sp, uint32_t budget, window_links links)
{
    struct window_reader state = {windows, reader, budget};
    bool first = add_window(&state, XENOPROF_PART_WINDOW, sp);

    if ( first && state.left )
        follow_links(&state, sp, links);
    windows->ended = first && state.left;
}

uint64_t windows_process(const struct windows *windows,
                         struct port_reader *reader, uint32_t distance)
{
    uint64_t sp = windows->ended ? word_below_end(windows, reader, distance)
                                 : 0;

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

    add_process(&state, XENOPROF_PART_WINDOW, sp);
}

void windows_add_process(struct windows *windows, struct port_reader *reader,
                         uint64_t sp, uint32_t budget)
{
    struct window_reader state = {windows, reader, budget};

    add_process(&state, XENOPROF_PART_USER_WINDOW, sp);
}
