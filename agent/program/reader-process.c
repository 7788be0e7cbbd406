/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader-process.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "agent/kept-files.h"
#include "cage/file-packet.h"
#include "cage/parser-limits.h"
#include "cage/process-words.h"

/* What is held of files. */
#define FILES_BYTES (32u << 20)
/* What it leaves to others, if it is not root's. */
#define NICE 19

static struct file_answer answer;
static uint32_t asked; /* number of the question that is being answered */

static bool send_file_answer(const struct file_answer *sent_answer)
{
    return write(SANDBOX_OUT, sent_answer, file_answer_size(sent_answer)) ==
           (ssize_t)file_answer_size(sent_answer);
}

/* Returns the descriptor that came with a packet, -1: none did. */
static int take_descriptor(const int *files, unsigned int count)
{
    for ( unsigned int i = 1; i < count; i++ )
        close(files[i]);
    return count ? files[0] : -1;
}

static int find_debug(const uint8_t *id, size_t size)
{
    static struct file_answer wanted;
    int files[PACKET_FILES_MAX];
    unsigned int count;
    char byte;

    wanted.number = asked;
    wanted.found = FILE_WANTS_DEBUG;
    wanted.function.build_id_size = (uint32_t)size;
    memcpy(wanted.function.build_id, id, size);
    return send_file_answer(&wanted) &&
                   file_packet_receive(SANDBOX_IN, &byte, 1, files, &count)
               ? take_descriptor(files, count)
               : -1;
}

static bool turn(struct kept_files *files)
{
    struct file_question question;
    int sent[PACKET_FILES_MAX];
    unsigned int count;

    if ( !file_packet_receive(SANDBOX_IN, &question, sizeof(question), sent,
                              &count) )
        return false;
    asked = question.number;
    kept_files_answer(files, take_descriptor(sent, count), &question, &answer);
    answer.number = question.number;
    return send_file_answer(&answer);
}

void reader_process_run(const struct process_order *order, int socket)
{
    const struct file_roots roots = {.all = -1, .find_debug = find_debug};
    struct kept_files *files = kept_files_open(FILES_BYTES, &roots);

    /* Whoever is no user like others comes first. */
    if ( order->kind == PROCESS_FILES )
        setpriority(PRIO_PROCESS, 0, NICE);
    prctl(PR_SET_NAME, "opagent-files");
    if ( files && !sandbox_enter_for_files(socket, MEMORY_OF_READER) &&
         process_say_ready() )
        while ( turn(files) )
            kept_files_rest(files);
}
