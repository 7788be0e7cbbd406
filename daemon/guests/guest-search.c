/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a guest's kernel is looked for, and what comes of it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/links.h"
#include "guests.h"
#include "late-names.h"
#include "libxenoprof/session/session-attributes.h"

#define NOT_YET "the search had not ended"
#define FRAMES  "; its stacks are walked by frame pointers, which its code makes"

#define MILLISECOND 1000000ull
#define SECOND      1000000000ull

/* Bytes of a guest's memory for one search, of 16 MiB: the rest is for the code
 * that the parser looks at when it has found no kernel. */
#define READ_MAX  ((16u << 20) - WIRE_READ_MAX)
#define TRIES_MAX 6

/* When there may be a parser again. */
#define SOON (SECOND / 4)

/* Work at once: most kernels are found in less. */
#define FIRST_WORK (150 * MILLISECOND)

/* Between two looks, after one that found nothing. */
#define LOOK_PAUSE     (2 * SECOND)
#define LOOK_PAUSE_MAX (640 * SECOND)

static const char *const reasons[] = {
    [KERNEL_UNKNOWN] = "it is not Linux, or too old",
    [KERNEL_BUDGET] = "not found in as much memory as may be read",
    [KERNEL_DAMAGED] = "its tables contradict themselves",
    [KERNEL_MISMATCH] = "the file is of another build",
    [KERNEL_NO_MEMORY] = "too large",
};

static void wait_longer(struct guest *guest, uint64_t time)
{
    guest->look_pause = guest->look_pause ? guest->look_pause * 2 : LOOK_PAUSE;
    if ( guest->look_pause > LOOK_PAUSE_MAX )
        guest->look_pause = LOOK_PAUSE_MAX;
    guest->next_look = time + guest->look_pause;
}

static enum xenoprof_status put_attribute(struct xenoprof_writer *writer,
                                          const struct guest *guest,
                                          const char *text)
{
    char key[sizeof(SESSION_ATTRIBUTE_GUEST_KERNEL) + 8];

    snprintf(key, sizeof(key), SESSION_ATTRIBUTE_GUEST_KERNEL "%u",
             guest->domain);
    return xenoprof_writer_attribute(writer, guest->last, key, text);
}

static void format_id(const struct kernel_info *info, char *text)
{
    for ( unsigned int i = 0; i < info->build_id_length; i++ )
        sprintf(text + 2 * i, "%02x", info->build_id[i]);
    if ( !info->build_id_length )
        sprintf(text, "-");
}

static enum xenoprof_status put_kernel(struct xenoprof_writer *writer,
                                       const struct guest *guest,
                                       const struct kernel_info *info)
{
    char text[384], id[2 * sizeof(info->build_id) + 2];

    format_id(info, id);
    snprintf(text, sizeof(text),
             "release=%s build-id=%s base=0x%" PRIx64
             " symbols=%u modules=%u orc-rows=%u bytes-read=%" PRIu64
             " checked=%s found=%s orc-layout=%s frame-pointers=%s",
             info->release[0] ? info->release : "-", id, info->base,
             info->symbols, info->modules, info->rows, info->bytes_read,
             info->checked ? "yes" : "no", guest->in_file ? "file" : "memory",
             info->row_layout[0] ? info->row_layout : "-",
             info->frame_pointers ? "yes" : "no");
    return put_attribute(writer, guest, text);
}

static enum xenoprof_status put_failure(struct xenoprof_writer *writer,
                                        const struct guest *guest,
                                        const char *why)
{
    char text[160];

    snprintf(text, sizeof(text), "none: %s", why);
    return put_attribute(writer, guest, text);
}

/* Makes Xen follow the links between the stacks of such a kernel. */
static void tell_links(const struct guests *guests, const struct guest *guest,
                       unsigned int major, unsigned int minor)
{
    uint16_t at[GUEST_LINKS_MAX];
    unsigned int count = guest_links(major, minor, at);
    char list[GUEST_LINKS_MAX * 6 + 1] = "";

    for ( unsigned int i = 0; i < count; i++ )
        sprintf(list + strlen(list), "%s%u", i ? "," : "", at[i]);
    if ( count )
        door_client_command(&guests->xen->door, "link id=%u at=%s",
                            guest->domain, list);
}

/* Of a kernel that is not known yet, as if it were new: its first samples wait
 * until it is, and should have all of their stacks then.  Where it has no such
 * links, a window too many was read. */
static void tell_first_links(const struct guests *guests, struct guest *guest,
                             const struct guest_sample *sample)
{
    if ( guest->linked || !guests->link || !sample->windows[0] )
        return;
    guest->linked = true;
    tell_links(guests, guest, UINT_MAX, 0);
}

static void tell_links_of(const struct guests *guests,
                          const struct guest *guest,
                          const struct kernel_info *info)
{
    unsigned int major, minor;

    if ( sscanf(info->release, "%u.%u", &major, &minor) == 2 )
        tell_links(guests, guest, major, minor);
}

/* Looks again later. */
static enum xenoprof_status give_up(struct xenoprof_writer *writer,
                                    struct guest *guest, const char *why)
{
    guest->state = GUEST_STRANGE;
    guest->tries++;
    wait_longer(guest, guest->last);
    return put_failure(writer, guest, why);
}

static void strike(struct guests *guests, struct guest *guest)
{
    guests_died(guests, guest);
    wait_longer(guest, guest->last);
}

/* Stores what was found, and names for places that were stored without. */
static enum xenoprof_status tell_kernel(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest,
                                        const struct kernel_info *info)
{
    enum xenoprof_status code = put_kernel(writer, guest, info);

    return code ? code : late_names_of_guest(guests, writer, guest);
}

/* Another kernel runs in this guest than the one that is known. */
static enum xenoprof_status start_over(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest)
{
    struct guest_account *account = guests_account(guests, guest);
    bool again = account->replaced < GUEST_REPLACED_MAX;

    guest->state = again ? GUEST_NEW : GUEST_STRANGE;
    guest->tries = again ? 0 : TRIES_MAX;
    account->replaced += again;
    if ( !parser_link_forget(guests->link, guests_slot(guests, guest)) )
        guests_died(guests, NULL);
    return put_failure(writer, guest, "it starts another kernel now and then");
}

/* The search has ended. */
static enum xenoprof_status take_kernel(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest,
                                        enum kernel_status code,
                                        const struct kernel_info *info)
{
    bool modules = guests->modules;
    char why[128];

    guests->searched = NULL;
    /* Addresses without a name may have one now. */
    if ( code == KERNEL_OK || modules )
        address_table_clear(&guest->places[1]);
    if ( modules )
    {
        wait_longer(guest, guest->last);
        if ( code == KERNEL_MISMATCH )
            return start_over(guests, writer, guest);
        return code == KERNEL_OK ? tell_kernel(guests, writer, guest, info)
                                 : XENOPROF_OK;
    }
    if ( code == KERNEL_OK )
    {
        guest->state = GUEST_KNOWN;
        guest->tries = 0;
        guest->look_pause = 0;
        guest->next_look = 0;
        tell_links_of(guests, guest, info);
        return tell_kernel(guests, writer, guest, info);
    }
    snprintf(why, sizeof(why), "%s%s", reasons[code],
             info->frame_pointers ? FRAMES : "");
    return give_up(writer, guest, why);
}

static size_t read_guest(void *self, uint32_t slot, uint64_t address, void *to,
                         size_t size)
{
    struct guests *guests = self;

    (void)slot;
    return guest_walk_read(&guests->walk, address, to, size);
}

static enum xenoprof_status work(struct guests *guests,
                                 struct xenoprof_writer *writer, uint64_t ns)
{
    struct guest *guest = guests->searched;
    struct kernel_info info;
    enum kernel_status code;
    enum link_status answer;

    if ( !guest )
        return XENOPROF_OK;
    guests->waited = true;
    answer = parser_link_work(guests->link, ns, read_guest, guests, &code,
                              &info);
    if ( answer == LINK_OK )
        return take_kernel(guests, writer, guest, code, &info);
    if ( answer == LINK_MORE )
        return XENOPROF_OK;
    strike(guests, guest);
    return guest->state == GUEST_BANNED
               ? put_failure(writer, guest,
                             "reading its memory ended the parser twice")
               : XENOPROF_OK;
}

enum xenoprof_status guests_work(struct guests *guests,
                                 struct xenoprof_writer *writer, uint64_t ns)
{
    guests->waited = guests->searched;
    return work(guests, writer, ns);
}

/* cr3 of 0 means no paging, which 64-bit code cannot do without. */
static bool has_tables(const struct guest_sample *sample)
{
    return sample->registers &&
           (sample->registers->cr3 || sample->ip >> 32 == 0);
}

static bool may_look(const struct guests *guests, const struct guest *guest,
                     const struct guest_sample *sample)
{
    return guests->link && has_tables(sample) &&
           sample->mode == XENOPROF_MODE_KERNEL &&
           sample->time >= guest->next_look;
}

static bool open_walk(struct guests *guests, const struct guest_sample *sample)
{
    return guest_walk_open(&guests->walk, guests->xen, sample->domain,
                           sample->registers->cr3, sample->ip);
}

/* Returns true and what Xen says of the domain, false if it is gone. */
static bool find_domain(const struct xen *xen, uint16_t id,
                        struct listed_domain *ret)
{
    struct domain_list list;
    const struct listed_domain *found;

    if ( xen->calls->list_domains(xen->self, &list) )
        return false;
    found = domain_list_find(&list, id);
    if ( found )
        *ret = *found;
    domain_list_free(&list);
    return found;
}

/* Returns NULL, or why the file cannot be used. */
static const char *check_file(int fd, size_t *size)
{
    struct stat status;

    if ( fd < 0 || fstat(fd, &status) )
        return strerror(errno);
    if ( !S_ISREG(status.st_mode) )
        return "it is not a regular file";
    if ( status.st_size > WIRE_FILE_MAX )
        return "it has more than 512 MiB";
    *size = (size_t)status.st_size;
    return *size ? NULL : "it is empty";
}

static enum xenoprof_status take_answer(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest,
                                        enum link_status code)
{
    enum xenoprof_status told = XENOPROF_OK;

    if ( code == LINK_DIED )
        strike(guests, guest);
    /* No parser now: try again soon. */
    if ( code == LINK_NONE || code == LINK_BUSY )
        guest->next_look = guest->last + SOON;
    if ( code != LINK_MORE )
        return XENOPROF_OK;
    guest->state = GUEST_SEARCHED;
    guests->searched = guest;
    guests->modules = false;
    if ( guest->tries == 0 )
        told = put_failure(writer, guest, NOT_YET);
    /* Once in a round: many guests may be new at a time. */
    return told || guests->waited ? told : work(guests, writer, FIRST_WORK);
}

/* Searches the file that a user gave; only the parser reads its content. */
static enum xenoprof_status look_in_file(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct link_search *search,
                                         const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t size = 0;
    const char *trouble = check_file(file, &size);
    char why[128];

    if ( trouble )
    {
        if ( file >= 0 )
            close(file);
        snprintf(why, sizeof(why), "the file given for it cannot be read: %s",
                 trouble);
        return give_up(writer, guest, why);
    }
    return take_answer(guests, writer, guest,
                       parser_link_file(guests->link,
                                        guests_slot(guests, guest), search,
                                        file, size));
}

static enum xenoprof_status begin(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  struct guest *guest,
                                  const struct guest_sample *sample)
{
    struct link_search search = {.address = sample->ip, .budget = READ_MAX};
    const char *file = NULL;
    struct listed_domain domain;

    if ( !open_walk(guests, sample) )
        return give_up(writer, guest, "its memory cannot be read");
    if ( find_domain(guests->xen, guest->domain, &domain) )
    {
        search.pv = !domain.hardware;
        if ( guests->files )
            file = kernel_files_find(guests->files, &domain);
    }
    guest->in_file = file;
    if ( file )
        return look_in_file(guests, writer, guest, &search, file);
    return take_answer(
        guests, writer, guest,
        parser_link_find(guests->link, guests_slot(guests, guest), &search));
}

enum xenoprof_status guests_look(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest_sample *sample)
{
    struct guest *guest = guests_find(guests, sample);

    guest->last = sample->time;
    tell_first_links(guests, guest, sample);
    if ( (guest->state != GUEST_NEW && guest->state != GUEST_STRANGE) ||
         guest->tries >= TRIES_MAX || !may_look(guests, guest, sample) )
        return XENOPROF_OK;
    guest->queued = guests->searched;
    if ( guest->queued )
        return XENOPROF_OK;
    return begin(guests, writer, guest, sample);
}

void guests_look_at_modules(struct guests *guests, struct guest *guest,
                            const struct guest_sample *sample)
{
    const struct link_search search = {sample->ip, READ_MAX, false};
    enum link_status code;

    if ( guest->state != GUEST_KNOWN || guests->searched ||
         !may_look(guests, guest, sample) || !open_walk(guests, sample) )
        return;
    code = parser_link_modules(guests->link, guests_slot(guests, guest),
                               &search);
    if ( code == LINK_DIED )
        strike(guests, guest);
    if ( code != LINK_MORE )
        return;
    guests->searched = guest;
    guests->modules = true;
}
