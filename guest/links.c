/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "links.h"

/*
 * Since 5.2 the interrupt stack and the exception stacks have a page behind
 * them that is not there, so that a window ends where they do.  Before, other
 * data of the CPU follows, and nothing says where a stack ends.
 */
static const struct {
    uint16_t major, minor;
    uint16_t links[GUEST_LINKS_MAX];
} versions[] = {
    /* The last word of the interrupt stack is the stack pointer that it was
     * entered with; on an exception stack that word is ss, and the one before
     * it sp, as the processor pushed them. */
    {5, 2, {8, 16}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

unsigned int guest_links(unsigned int major, unsigned int minor,
                         uint16_t ret[GUEST_LINKS_MAX])
{
    unsigned int count = 0;

    for ( unsigned int i = 0; i < COUNT(versions); i++ )
    {
        if ( major < versions[i].major ||
             (major == versions[i].major && minor < versions[i].minor) )
            continue;
        while ( count < GUEST_LINKS_MAX && versions[i].links[count] )
        {
            ret[count] = versions[i].links[count];
            count++;
        }
        break;
    }
    return count;
}
