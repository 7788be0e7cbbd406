/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the status file of xenoprof-push: what is read of it are texts
 * that end, and it is written as it was read. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/push-file.h"
#include "fuzz.h"

static bool read_back(const struct status_push *state, struct status_push *ret)
{
    char text[PUSH_FILE_MAX];
    FILE *file = fmemopen(text, sizeof(text), "w");
    int fd = memfd_create("status", MFD_CLOEXEC);
    bool done;

    status_put_push(state, PUSH_FILE_WORD, file);
    FUZZ_CHECK(fflush(file) == 0);
    FUZZ_CHECK(write(fd, text, (size_t)ftell(file)) == ftell(file));
    fclose(file);
    lseek(fd, 0, SEEK_SET);
    done = push_file_read(fd, ret);
    close(fd);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct status_push state, again;
    int fd = memfd_create("status", MFD_CLOEXEC);

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    lseek(fd, 0, SEEK_SET);
    if ( push_file_read(fd, &state) )
    {
        FUZZ_CHECK(strnlen(state.url, sizeof(state.url)) < sizeof(state.url));
        FUZZ_CHECK(strnlen(state.error, sizeof(state.error)) <
                   sizeof(state.error));
        FUZZ_CHECK(read_back(&state, &again));
        FUZZ_CHECK(strcmp(state.url, again.url) == 0 &&
                   strcmp(state.error, again.error) == 0 &&
                   state.sent_samples == again.sent_samples);
    }
    close(fd);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const char line[] =
        "push state=taking engine=otlp url=https://h/v1development/profiles "
        "pid=7 made_samples=30 sent_samples=20 error=a%20b%0A dropped_age=1\n";

    if ( number )
        return 0;
    memcpy(bytes, line, sizeof(line) - 1);
    return sizeof(line) - 1;
}
