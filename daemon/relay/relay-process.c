/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relay-process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/channel/patience.h"
#include "agent/channel/vchan-messages.h"
#include "cage/process-words.h"
#include "relay-rights.h"
#include "vchan-join.h"

/* Looks at which some bytes had come, for one question: an answer of the
 * longest takes some dozens, and who sends it in more pieces wastes our time.
 */
#define PIECES_MAX 1024u

struct relay {
    int socket;
    struct vchan_rings rings;
    struct vchan_messages messages;
    struct patience patience;
    uint32_t waiting; /* messages that are to be answered */
    uint32_t pieces;  /* that came since the last of them */
    uint32_t hello;   /* number of the first of them; 0: there was none */
    bool met;         /* its answer was found */
    uint64_t packet[AGENT_MESSAGE_MAX / 8];
};

/* What libraries write on stderr must not go into a device that has its number.
 */
static bool fill_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while ( fd >= 0 && fd < STDERR_FILENO );
    if ( fd > STDERR_FILENO )
        close(fd);
    return fd >= 0;
}

static bool begin_relay(struct relay *relay)
{
    struct relay_order order;

    if ( recv(relay->socket, &order, sizeof(order), 0) != sizeof(order) ||
         !fill_standard_descriptors() )
        return false;
    if ( !vchan_join(order.domain, &relay->rings) )
        return false;
    vchan_messages_begin(&relay->messages, &relay->rings);
    return true;
}

/* From here on the guest may have a say in what this process does. */
static bool announce_relay(const struct relay *relay)
{
    const uint64_t word = WORD_READY;

    return relay_rights_drop(CAGE_RELAY) == 0 &&
           send(relay->socket, &word, sizeof(word), MSG_NOSIGNAL) ==
               sizeof(word);
}

/* Returns false if the daemon has hung up. */
static bool pass_to_guest(struct relay *relay)
{
    struct agent_head head;
    ssize_t got = recv(relay->socket, relay->packet, sizeof(relay->packet),
                       MSG_DONTWAIT);

    if ( got < 0 && (errno == EAGAIN || errno == EINTR) )
        return true;
    if ( got < (ssize_t)sizeof(head) ||
         vchan_messages_put(&relay->messages, relay->packet, (size_t)got) )
        return false;
    memcpy(&head, relay->packet, sizeof(head));
    if ( !relay->waiting && !relay->met )
        relay->hello = head.number;
    relay->waiting++;
    relay->pieces = 0;
    return true;
}

/* The ring may have answers to whom the daemon was before. */
static int find_first(struct relay *relay)
{
    int code = vchan_messages_find(&relay->messages, AGENT_WELCOME,
                                   relay->hello);

    relay->met = code > 0;
    return code;
}

/* Returns false if the guest has hung up, or says what it was not asked. */
static bool pass_to_daemon(struct relay *relay)
{
    const uint64_t moved = relay->rings.moved;
    const void *message;
    char byte;
    int size = 1;

    while ( size > 0 && relay->waiting )
    {
        if ( !relay->met && (size = find_first(relay)) <= 0 )
            break;
        size = vchan_messages_take(&relay->messages, &message);
        if ( size <= 0 )
            break;
        relay->waiting--;
        if ( send(relay->socket, message, (size_t)size,
                  MSG_DONTWAIT | MSG_NOSIGNAL) != size )
            return false;
    }
    if ( relay->rings.moved != moved )
        relay->pieces++;
    return size >= 0 && relay->pieces <= PIECES_MAX &&
           (relay->waiting || !relay->met ||
            vchan_rings_read(&relay->rings, &byte, 1) == 0);
}

/* Returns false when this is over.  That the daemon has hung up is seen also
 * while the guest takes nothing. */
static bool relay_once(struct relay *relay)
{
    struct pollfd ready = {
        .fd = relay->socket,
        .events = vchan_messages_can_put(&relay->messages) ? POLLIN : 0,
    };

    if ( poll(&ready, 1, patience_ms(&relay->patience, relay->rings.moved)) <
         0 )
        return errno == EINTR;
    if ( ready.revents && !pass_to_guest(relay) )
        return false;
    return vchan_messages_flush(&relay->messages) == 0 && pass_to_daemon(relay);
}

void relay_process_run(const struct process_order *order, int socket)
{
    static struct relay relay;

    (void)order;
    prctl(PR_SET_NAME, "xenoprof-relay");
    relay = (struct relay){.socket = socket};
    if ( !begin_relay(&relay) )
        return;
    if ( announce_relay(&relay) )
        while ( relay_once(&relay) )
            ;
    vchan_leave(&relay.rings);
}
