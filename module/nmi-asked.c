/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nmi-asked.h"

#include <string.h>

#define OPTION "nmi="

char nmi_asked(const char *line)
{
    char ret = 0;

    while ( *(line += strspn(line, " ")) )
    {
        /* The last one counts; an empty word stops the host, as any other. */
        if ( !strncmp(line, OPTION, strlen(OPTION)) )
            ret = line[strlen(OPTION)] ?: ' ';
        line += strcspn(line, " ");
    }
    return ret;
}

void nmi_answer(char letter, struct answer *answer)
{
    if ( letter == 'd' )
        answer_say(answer, true, "dom0 is told of them (nmi=dom0)");
    else if ( letter == 'i' )
        answer_say(answer, true, "Xen ignores them (nmi=ignore)");
    else
        answer_say(answer, false,
                   "they are fatal on this host (nmi=fatal, also as a build's "
                   "own default), so the sampler is timer: guest code is "
                   "exact, Xen's time has no addresses; --sampler=nmi and "
                   "--event need --force=nmis");
}
