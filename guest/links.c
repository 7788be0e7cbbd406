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
    uint16_t user;
} link_versions[] = {
    /* The last word of the interrupt stack is the stack pointer of the stack
     * before.  On an exception stack the last two words are sp and ss, as the
     * processor pushed them; and so they are on a task's. */
    {5, 2, {8, 16}, 16},
};

/* Bytes that a kernel which is built for FRED (v6.9) leaves free above them,
 * for what FRED pushes. */
#define FRED_BYTES 16u

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the first that the version is not older than; COUNT: none. */
static unsigned int find_version(unsigned int major, unsigned int minor)
{
    unsigned int i = 0;

    while ( i < COUNT(link_versions) && (major < link_versions[i].major ||
                                         (major == link_versions[i].major &&
                                          minor < link_versions[i].minor)) )
        i++;
    return i;
}

unsigned int guest_links(unsigned int major, unsigned int minor,
                         uint16_t ret[GUEST_LINKS_MAX])
{
    unsigned int i = find_version(major, minor), count = 0;

    while ( i < COUNT(link_versions) && count < GUEST_LINKS_MAX &&
            link_versions[i].links[count] )
    {
        ret[count] = link_versions[i].links[count];
        count++;
    }
    return count;
}

unsigned int guest_user_link(unsigned int major, unsigned int minor, bool fred)
{
    unsigned int i = find_version(major, minor);

    return i < COUNT(link_versions) ? link_versions[i].user + fred * FRED_BYTES
                                    : 0;
}
