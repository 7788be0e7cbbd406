/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push-state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "control/push-file.h"

#define STATUS_NEW "status.new"

void push_state_open(struct status_push *state, int folder)
{
    int fd SCOPE_CLOSE = openat(folder, PUSH_FILE_NAME,
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *state = (struct status_push){0};
    if ( fd >= 0 && !push_file_read(fd, state) )
        *state = (struct status_push){0};
    state->error[0] = '\0';
    state->next_try = 0;
}

void push_state_queue(struct status_push *state, struct push_queue *queue)
{
    uint64_t *const counts[QUEUE_DROPS] = {
        [QUEUE_DROP_AGE] = &state->dropped_age,
        [QUEUE_DROP_SIZE] = &state->dropped_size,
        [QUEUE_DROP_TORN] = &state->dropped_torn,
        [QUEUE_DROP_REFUSED] = &state->dropped_refused,
    };

    for ( unsigned int i = 0; i < QUEUE_DROPS; i++ )
    {
        *counts[i] += queue->dropped[i].samples;
        state->dropped_samples += queue->dropped[i].samples;
        state->dropped_windows += queue->dropped[i].windows;
        queue->dropped[i] = (struct queue_dropped){0};
    }
    state->queued_windows = queue_count(queue);
    state->queued_samples = queue->samples;
    state->queued_bytes = queue->bytes;
}

void push_state_error(struct status_push *state, const char *text, uint64_t now)
{
    STATUS_COPY(state->error, text);
    state->error_time = now;
}

bool push_state_write(const struct status_push *state, int folder)
{
    int fd = openat(folder, STATUS_NEW,
                    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                    0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    bool whole;

    if ( !file )
    {
        if ( fd >= 0 )
            close(fd);
        return false;
    }
    status_put_push(state, PUSH_FILE_WORD, file);
    whole = fflush(file) == 0;
    return fclose(file) == 0 && whole &&
           renameat(folder, STATUS_NEW, folder, PUSH_FILE_NAME) == 0;
}
