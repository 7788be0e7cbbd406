/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One that goes and comes back has no events of its old ring either, so all
 * that is another list is a change. */
#include "online-cpus.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"

static bool read_text(const char *path, char *text, size_t size)
{
    int fd SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* The first look waits, too: where processors come and go all the time, systemd
 * must not find that the agent was started too often. */
void online_cpus_open(struct online_cpus *cpus, const char *path, uint64_t now)
{
    *cpus = (struct online_cpus){.path = path, .next = now + ONLINE_PAUSE};
    read_text(path, cpus->text, sizeof(cpus->text));
}

bool online_cpus_changed(struct online_cpus *cpus, uint64_t now)
{
    char text[sizeof(cpus->text)];

    if ( now < cpus->next )
        return false;
    cpus->next = now + ONLINE_PAUSE;
    return *cpus->text && read_text(cpus->path, text, sizeof(text)) &&
           strcmp(text, cpus->text);
}
