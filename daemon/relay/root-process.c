/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "root-process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/answers.h"
#include "base/memory-limit.h"
#include "cage/process-words.h"
#include "relay-rights.h"

/* What is held of processes, those about which more was said for so long (ns),
 * and of files: as much as opagent holds. */
#define HISTORY_BYTES (16u << 20)
#define HISTORY_KEEP  30000000000ull
#define FILES_BYTES   (32u << 20)
/* Bytes beyond what there is now. */
#define MEMORY_MAX (192u << 20)
/* ms between two looks at what need not be held any more, if nobody asks. */
#define LOOK_EVERY 1000

struct root_agent {
    int socket;
    struct agent_facts facts;
    struct agent_talk talk;
    uint64_t message[AGENT_MESSAGE_MAX / 8], reply[AGENT_MESSAGE_MAX / 8];
};

/* It has no path of dom0's.  Nothing that it has open then is outside. */
static bool enter_guest_root(const struct process_order *order)
{
    return order->count == 1 && memory_limit(MEMORY_MAX) &&
           !fchdir(order->files[0]) && !close(order->files[0]) &&
           !chroot(".") && !chdir("/");
}

static bool open_facts(struct agent_facts *facts)
{
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    *facts = (struct agent_facts){
        .history = space_history_open(HISTORY_BYTES, HISTORY_KEEP),
        .follows_clients = true,
        .files = root >= 0 ? file_names_open_below(FILES_BYTES, root) : NULL};
    return facts->history && facts->files;
}

/* From here on guests may have a say in what this process does. */
static bool announce_root_agent(int socket)
{
    const uint64_t word = WORD_READY;

    return relay_rights_drop(CAGE_ROOT) == 0 &&
           send(socket, &word, sizeof(word), MSG_NOSIGNAL) == sizeof(word);
}

/* Returns false if the daemon has hung up, or is to be. */
static bool answer_once(struct root_agent *agent)
{
    struct pollfd asked = {.fd = agent->socket, .events = POLLIN};
    int count = poll(&asked, 1, LOOK_EVERY);
    bool over = false;
    size_t size;
    ssize_t got;

    agent_facts_read(&agent->facts);
    if ( count <= 0 )
        return count == 0 || errno == EINTR;
    got = recv(agent->socket, agent->message, sizeof(agent->message),
               MSG_DONTWAIT | MSG_TRUNC);
    if ( got <= 0 )
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    size = answer_message(&agent->facts, &agent->talk, agent->message,
                          (size_t)got <= sizeof(agent->message) ? (size_t)got
                                                                : 0,
                          agent->reply, &over);
    return send(agent->socket, agent->reply, size,
                MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size &&
           !over;
}

void root_process_run(const struct process_order *order, int socket)
{
    static struct root_agent agent;

    prctl(PR_SET_NAME, "opagent-root");
    agent.socket = socket;
    if ( enter_guest_root(order) && open_facts(&agent.facts) &&
         announce_root_agent(socket) )
        while ( answer_once(&agent) )
            ;
}
