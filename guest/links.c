/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where 64-bit Linux keeps the stack pointer of the stack before. */
#include "links.h"

/*
 * Since v5.2 an absent page follows the interrupt stack (Linux commit
 * e6401c130931 ("x86/irq/64: Split the IRQ stack into its own pages")) and the
 * exception stacks, so a window ends where they do.  Before, other data of the
 * CPU follows, and nothing says where a stack ends.
 */
static const struct {
    uint16_t major, minor;
    uint16_t links[GUEST_LINKS_MAX];
} versions[] = {
    /* The last word of the interrupt stack is the stack pointer of the stack
     * before.  On an exception stack the last two words are sp and ss, as the
     * processor pushed them. */
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
