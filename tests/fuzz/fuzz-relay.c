/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of events at a relay: what the daemon says, and what the guest does to
 * rings, indices and page, at any time and in any order, over several
 * conversations.  The daemon hears no more than it asked, and as the first
 * thing the answer to its HELLO; the guest's memory has no more written to than
 * was said to it; and who is hung up on ends.
 */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cage/process-words.h"
#include "daemon/relay/relay-process.h"
#include "daemon/relay/relay-rights.h"
#include "fuzz.h"
#include "tests/unit/agent/channel/xen-kit.h"

#define CONVERSATIONS 4u
#define NUMBER        0x12345678u

/* An event is one of these, and a number of two bytes. */
enum event {
    ASK,          /* the daemon says a message that is so much longer */
    ASK_NONSENSE, /* or what is none */
    HANG_UP,
    ANSWER, /* the guest answers, so much longer; what was asked last */
    ANSWER_AGAIN,
    WELCOME, /* the same, to the daemon's first message */
    WRITE,   /* so many bytes of a head without end */
    TAKE,    /* so many bytes of what it was asked */
    SET_PROD,
    SET_CONS,
    SET_RELAYS, /* the two indices that are not its to set */
    LEAVE,      /* and it comes back with an even number */
    SCRIBBLE,   /* what the page says of the rings */
    NOTHING,
    EVENTS
};

static struct {
    const uint8_t *at;
    size_t left;
} input;

/* The daemon's side. */
static int daemon_end = -1, relay_end = -1;
static uint32_t sent, heard, first, last;
static bool ready;
static unsigned int late; /* looks since it hung up: one for each message that
                            is on its way, and one that sees it */

/* The guest's. */
static struct vchan_interface page; /* as the guest left it */
static uint8_t right[AGENT_VCHAN_RING];
static uint32_t left_prod;
static uint64_t to_guest, written; /* bytes that were said, and came */

static uint64_t bytes[AGENT_MESSAGE_MAX / 8];

static uint32_t put_head(enum agent_kind kind, uint32_t number, uint32_t more)
{
    const uint32_t most = AGENT_MESSAGE_MAX - sizeof(struct agent_head);
    const struct agent_head head = {.kind = (uint16_t)kind,
                                    .version = AGENT_VERSION,
                                    .length = (uint32_t)sizeof(head) +
                                              (more < most ? more : most),
                                    .number = number};

    memcpy(bytes, &head, sizeof(head));
    return head.length;
}

/* What the daemon says ----------------------------------------------------- */

static void ask(uint32_t more)
{
    uint32_t number = NUMBER + sent;
    uint32_t size = put_head(sent ? AGENT_WHERE : AGENT_HELLO, number, more);

    /* A full socket takes no more. */
    if ( daemon_end < 0 ||
         send(daemon_end, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 )
        return;
    if ( !sent++ )
        first = number;
    last = number;
    to_guest += size;
}

static void ask_nonsense(uint32_t size)
{
    put_head(AGENT_WHERE, last, size); /* it says that it is longer */
    if ( daemon_end >= 0 && size )
        send(daemon_end, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void hang_up(void)
{
    if ( daemon_end >= 0 )
        close(daemon_end);
    daemon_end = -1;
}

static void hear_ready(size_t size)
{
    FUZZ_CHECK(size == sizeof(uint64_t) && bytes[0] == WORD_READY);
    ready = true;
}

static void hear_all(void)
{
    struct agent_head head;
    ssize_t got;

    while ( daemon_end >= 0 &&
            (got = recv(daemon_end, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0 )
    {
        if ( !ready )
        {
            hear_ready((size_t)got);
            continue;
        }
        FUZZ_CHECK(got >= (ssize_t)sizeof(head));
        memcpy(&head, bytes, sizeof(head));
        FUZZ_CHECK(head.length == (size_t)got);
        FUZZ_CHECK(++heard <= sent);
        FUZZ_CHECK(heard > 1 ||
                   (head.kind == AGENT_WELCOME && head.number == first));
    }
}

/* What the guest does ------------------------------------------------------ */

static void write_right(const void *from, uint32_t size)
{
    struct ring_shared *ring = &kit_vchan->ring.right;

    for ( uint32_t i = 0; i < size && i < AGENT_VCHAN_RING; i++ )
    {
        uint32_t at = (ring->prod + i) % AGENT_VCHAN_RING;

        right[at] = kit_vchan->right[at] = ((const uint8_t *)from)[i];
    }
    ring->prod += size;
}

static void answer(enum agent_kind kind, uint32_t number, uint32_t more)
{
    write_right(bytes, put_head(kind, number, more));
}

static void scribble(uint32_t where)
{
    uint32_t at = where % (VCHAN_PAGE - 2);

    /* Indices and lives have events of their own. */
    if ( at >= offsetof(struct vchan_interface, left_order) &&
         at + 2 > offsetof(struct vchan_interface, cli_live) &&
         at < offsetof(struct vchan_interface, grants) )
        return;
    if ( at >= 2 * sizeof(struct ring_shared) )
        memset(kit_vchan->page + at, (int)where, 2);
}

static void act(enum event event, uint32_t number)
{
    struct vchan_interface *ring = &kit_vchan->ring;

    switch ( event )
    {
    case ASK: ask(number); break;
    case ASK_NONSENSE: ask_nonsense(number); break;
    case HANG_UP: hang_up(); break;
    case ANSWER: answer(AGENT_THERE, last, number); break;
    case ANSWER_AGAIN:
        answer(AGENT_THERE, last, number);
        answer(AGENT_THERE, last, number);
        break;
    case WELCOME: answer(AGENT_WELCOME, first, number); break;
    case WRITE:
        put_head(AGENT_THERE, last, AGENT_MESSAGE_MAX);
        write_right(bytes, number);
        break;
    case TAKE: ring->left.cons += number; break;
    case SET_PROD: ring->right.prod = number * 0x10001u; break;
    case SET_CONS: ring->left.cons = number * 0x10001u; break;
    case SET_RELAYS:
        ring->right.cons = number * 0x10001u;
        ring->left.prod = ~number;
        break;
    case LEAVE: ring->srv_live = number % 2 == 0; break;
    case SCRIBBLE: scribble(number); break;
    default: break;
    }
}

/* Nothing but the ring that is the relay's, and what says that it is there, has
 * changed since the guest did something. */
static void check_memory(void)
{
    struct vchan_interface now = kit_vchan->ring;

    written += (uint32_t)(now.left.prod - left_prod);
    FUZZ_CHECK(written <= to_guest);
    now.left.prod = page.left.prod;
    now.right.cons = page.right.cons;
    now.cli_live = page.cli_live;
    FUZZ_CHECK(!memcmp(&now, &page, sizeof(page)));
    FUZZ_CHECK(!memcmp(kit_vchan->right, right, sizeof(right)));
}

static void note_memory(void)
{
    page = kit_vchan->ring;
    left_prod = page.left.prod;
}

/* The relay looks: the next thing happens.  When nothing more does, the daemon
 * hangs up, which it must see. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    FUZZ_CHECK(count == 1 && fds->fd == relay_end && ms > 0);
    hear_all();
    check_memory();
    FUZZ_CHECK(daemon_end >= 0 || late++ < 2 + sent);
    if ( input.left >= 3 )
    {
        act(input.at[0] % EVENTS, input.at[1] | (uint32_t)input.at[2] << 8);
        input.at += 3;
        input.left -= 3;
    }
    else
        hang_up();
    note_memory();
    return __real_poll(fds, count, 0);
}

int __wrap_relay_rights_drop(enum cage_role role);

/* There is one process, which still needs what it may. */
int __wrap_relay_rights_drop(enum cage_role role)
{
    FUZZ_CHECK(role == CAGE_RELAY);
    return 0;
}

static void converse(void)
{
    const struct process_order order = {.kind = PROCESS_RELAY};
    const struct relay_order to = {.domain = KIT_DOMAIN};
    int ends[2];

    FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    daemon_end = ends[0];
    relay_end = ends[1];
    sent = heard = late = 0;
    first = last = NUMBER;
    to_guest = written = 0;
    ready = false;
    FUZZ_CHECK(send(daemon_end, &to, sizeof(to), 0) == sizeof(to));
    note_memory();
    relay_process_run(&order, relay_end);
    hear_all();
    check_memory();
    FUZZ_CHECK(!kit_vchan->joined || !kit_vchan->ring.cli_live);
    hang_up();
    close(relay_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input.at = data;
    input.left = size;
    kit_vchan_make();
    kit_vchan_serve();
    strcpy(kit_vchan->word, "8");
    memset(right, 0, sizeof(right));
    for ( unsigned int i = 0; i < CONVERSATIONS && input.left >= 3; i++ )
    {
        kit_vchan->joined = false;
        converse();
    }
    return 0;
}

/* Seeds -------------------------------------------------------------------- */

struct relay_step {
    uint8_t event;
    uint16_t number;
};

static const struct relay_step honest[] = {
    {ASK, 0},      {NOTHING, 0},  {TAKE, 16},   {WELCOME, 16}, {ASK, 24},
    {TAKE, 40},    {ANSWER, 900}, {NOTHING, 0}, {ASK, 48},     {ANSWER, 65500},
    {NOTHING, 0},  {NOTHING, 0},  {HANG_UP, 0}, {ASK, 0},      {WELCOME, 16},
    {ASK, 0xffff}, {TAKE, 9000},  {ANSWER, 1},  {ANSWER, 2},   {NOTHING, 0},
};
/* What the ring has of another conversation, indices that go back, half an
 * answer, a guest that goes and comes. */
static const struct relay_step hostile[] = {
    {ANSWER, 100},   {WELCOME, 16},      {WRITE, 9},
    {ASK, 0},        {WELCOME, 16},      {ANSWER, 0},
    {ASK, 8},        {SET_PROD, 3},      {WRITE, 100},
    {SET_RELAYS, 7}, {SCRIBBLE, 0x1014}, {NOTHING, 0},
    {SET_CONS, 99},  {ASK, 0x8000},      {ASK_NONSENSE, 100},
    {ASK, 0},        {WELCOME, 0},       {LEAVE, 1},
    {ASK, 3},        {LEAVE, 0},         {ASK, 0},
    {WELCOME, 16},   {ASK, 7},           {ANSWER_AGAIN, 4},
};
static const struct relay_step hasty[] = {
    {ASK, 0},       {ASK, 1},         {ASK, 2},     {WELCOME, 16},
    {ANSWER, 4},    {ANSWER, 5},      {ANSWER, 6},  {NOTHING, 0},
    {ASK, 0},       {WELCOME, 16},    {TAKE, 1},    {SET_CONS, 0xffff},
    {ASK, 0xffff},  {WRITE, 0xffff},  {WRITE, 1},   {SET_PROD, 0},
    {SCRIBBLE, 24}, {SCRIBBLE, 4090}, {HANG_UP, 0},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

size_t fuzz_seed(unsigned int number, uint8_t *to)
{
    static const struct {
        const struct relay_step *steps;
        size_t count;
    } seeds[] = {{honest, COUNT(honest)},
                 {hostile, COUNT(hostile)},
                 {hasty, COUNT(hasty)}};
    size_t size = 0;

    if ( number >= COUNT(seeds) )
        return 0;
    for ( size_t i = 0; i < seeds[number].count; i++ )
    {
        to[size++] = seeds[number].steps[i].event;
        to[size++] = (uint8_t)seeds[number].steps[i].number;
        to[size++] = (uint8_t)(seeds[number].steps[i].number >> 8);
    }
    return size;
}
