/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a guest's kernel is looked for, and what comes of it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "guests.h"
#include "daemon/parser/kept-kernels.h"
#include "libxenoprof/session/session-attributes.h"
#include "stack-links.h"

#define NOT_YET "the search had not ended"
#define FRAMES  "; its stacks are walked by frame pointers, which its code makes"

#define SECOND 1000000000ull

/* Bytes of a guest's memory for one search, of 16 MiB: the rest is for the code
 * that a search looks at when it has found no kernel. */
#define READ_MAX  ((16u << 20) - SEARCH_READ_MAX)
#define TRIES_MAX 6

/* Bytes of all guests' tables together. */
#define TABLES_MAX (256ull << 20)

/* When there may be a process again. */
#define SOON (SECOND / 4)

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

/* It is of the domain that has the number in the session from here on. */
static enum xenoprof_status put_attribute(const struct guests *guests,
                                          struct xenoprof_writer *writer,
                                          const struct guest *guest,
                                          const char *text)
{
    char key[sizeof(SESSION_ATTRIBUTE_GUEST_KERNEL) + 8];
    enum xenoprof_status code = guests_own(guests, writer, guest);

    if ( code )
        return code == XENOPROF_END ? XENOPROF_OK : code;
    snprintf(key, sizeof(key), SESSION_ATTRIBUTE_GUEST_KERNEL "%u",
             guest->domain);
    return xenoprof_writer_attribute(writer, guest->last, key, text);
}

static enum xenoprof_status put_kernel(const struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       const struct guest *guest,
                                       const struct kernel_info *info)
{
    char text[384], id[2 * sizeof(info->build_id) + 2];

    strcpy(id, "-");
    for ( unsigned int i = 0; i < info->build_id_length; i++ )
        sprintf(id + 2 * i, "%02x", info->build_id[i]);
    snprintf(text, sizeof(text),
             "release=%s build-id=%s base=0x%" PRIx64
             " symbols=%u modules=%u orc-rows=%u bytes-read=%" PRIu64
             " checked=%s found=%s orc-layout=%s frame-pointers=%s"
             " tasks=%s",
             info->release[0] ? info->release : "-", id, info->base,
             info->symbols, info->modules, info->rows, info->bytes_read,
             info->checked ? "yes" : "no",
             guest->in_file ? "file"
             : guest->kept  ? "kept"
                            : "memory",
             info->row_layout[0] ? info->row_layout : "-",
             info->frame_pointers ? "yes" : "no",
             task_list_name(guest->tasks.status));
    return put_attribute(guests, writer, guest, text);
}

static enum xenoprof_status put_failure(const struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        const struct guest *guest,
                                        const char *why)
{
    char text[160];

    snprintf(text, sizeof(text), "none: %s", why);
    return put_attribute(guests, writer, guest, text);
}

/* Looks again later. */
static enum xenoprof_status give_up(const struct guests *guests,
                                    struct xenoprof_writer *writer,
                                    struct guest *guest, const char *why)
{
    guest->state = GUEST_STRANGE;
    guest->tries++;
    wait_longer(guest, guest->last);
    return put_failure(guests, writer, guest, why);
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
    guest_tasks_drop(guests, guest);
    guests_forget_kernel(guests, guest);
    return put_failure(guests, writer, guest,
                       "it starts another kernel now and then");
}

/* Tables of a search are the guest's now.  A walker of the old ones ends. */
static void hold(struct guests *guests, struct guest *guest,
                 const struct walker_tables *tables)
{
    const struct walker_tables old = guest->tables;

    guest_walker_stop(guests, guest);
    guest->tables = *tables;
    table_hold(tables->image);
    table_hold(tables->modules);
    table_release(old.image);
    table_release(old.modules);
    /* Addresses without a name may have one now. */
    address_table_clear(&guest->places[1]);
}

static enum xenoprof_status take_modules(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct search_result *result)
{
    struct walker_tables tables = guest->tables;

    wait_longer(guest, guest->last);
    if ( result->status == KERNEL_MISMATCH )
        return start_over(guests, writer, guest);
    if ( !result->modules )
        return XENOPROF_OK;
    tables.modules = result->modules;
    hold(guests, guest, &tables);
    return result->status == KERNEL_OK
               ? put_kernel(guests, writer, guest, &result->info)
               : XENOPROF_OK;
}

static enum xenoprof_status take_kernel(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest, bool pv,
                                        const struct search_result *result)
{
    const struct walker_tables tables = {
        .image = result->image,
        .modules = result->modules,
        .base = result->base,
        .pv = pv,
        .frame_pointers = !result->image && result->info.frame_pointers,
    };
    enum kernel_status status = result->status;
    unsigned int major, minor;
    char why[128];

    if ( status == KERNEL_OK && table_store_bytes(guests->store) > TABLES_MAX )
        status = KERNEL_NO_MEMORY;
    if ( status == KERNEL_OK )
    {
        hold(guests, guest, &tables);
        guest->state = GUEST_KNOWN;
        guest->tries = 0;
        guest->look_pause = 0;
        guest->next_look = 0;
        if ( sscanf(result->info.release, "%u.%u", &major, &minor) == 2 )
            stack_links_set(&guests->xen->door, guest->domain, major, minor,
                            result->info.fred);
        if ( !guest->kept && !guest->in_file && result->info.build_id_length )
            kept_kernel_store(guests->kept, guest->uuid, result->image,
                              result->base);
        return put_kernel(guests, writer, guest, &result->info);
    }
    /* What was said of tasks was of no kernel. */
    guest_tasks_drop(guests, guest);
    if ( !result->image )
        hold(guests, guest, &tables);
    snprintf(why, sizeof(why), "%s%s", reasons[status],
             tables.frame_pointers ? FRAMES : "");
    return give_up(guests, writer, guest, why);
}

/* Nothing was found by what an earlier session had: all is looked for. */
static void drop_kept(struct guests *guests, struct guest *guest)
{
    kept_kernel_drop(guests->kept, guest->uuid);
    guest->state = GUEST_NEW;
    guest->queued = true;
}

/* The guest has that build at that address: modules alone were read anew. */
static enum xenoprof_status take_kept(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      const struct guest_search *search,
                                      const struct search_result *result)
{
    struct search_result whole = *result;

    if ( !result->info.build_id_length ||
         (result->status != KERNEL_OK && result->status != KERNEL_UNKNOWN &&
          result->status != KERNEL_BUDGET) )
    {
        drop_kept(guests, guest);
        return XENOPROF_OK;
    }
    whole.status = KERNEL_OK;
    whole.image = search->kept.image;
    whole.base = search->kept.base;
    guest->kept = true;
    return take_kernel(guests, writer, guest, search->pv, &whole);
}

bool guests_cannot_begin(const struct guests *guests)
{
    return guests->stillborn >= 2 && !guests->answered;
}

bool guests_are_blind(const struct guests *guests)
{
    return !guests->maker || guests->xen->keeper_gone ||
           guests_cannot_begin(guests);
}

/* The process is gone: by the guest's fault, or without one. */
static enum xenoprof_status lose_search(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest,
                                        enum link_status how)
{
    bool modules = guest->search.modules;

    if ( guest->search.kept.image && how == LINK_DIED )
        drop_kept(guests, guest);
    guest->kept_tried = guest->kept_tried && how == LINK_DIED;
    guest_search_stop(guests, guest);
    if ( !modules )
    {
        guest_tasks_drop(guests, guest);
        guest->state = GUEST_NEW;
    }
    guest->next_look = guest->last + SOON;
    if ( how != LINK_DIED )
    {
        guests->stillborn++;
        return XENOPROF_OK;
    }
    wait_longer(guest, guest->last);
    return guests_struck(guests, writer, guest);
}

enum xenoprof_status guests_struck(struct guests *guests,
                                   struct xenoprof_writer *writer,
                                   struct guest *guest)
{
    guests_strike(guests, guest);
    return guest->state == GUEST_BANNED
               ? put_failure(guests, writer, guest,
                             "what is in its memory ended the process that "
                             "looked at it, twice")
               : XENOPROF_OK;
}

enum xenoprof_status guest_search_work(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest)
{
    struct guest_search *search = &guest->search;
    const struct search_result *result;
    enum xenoprof_status code;
    enum link_status answer = search_work(search->link, 0, guest_walk_answer,
                                          search->walk);

    if ( answer == LINK_MORE )
    {
        /* Samples have names before stacks can be walked. */
        guest_tasks_take(guests, guest, search_take_tasks(search->link));
        return XENOPROF_OK;
    }
    if ( answer != LINK_OK )
        return lose_search(guests, writer, guest, answer);
    guests->answered = true;
    result = search_get_result(search->link);
    if ( search->kept.image )
        code = take_kept(guests, writer, guest, search, result);
    else if ( search->modules )
        code = take_modules(guests, writer, guest, result);
    else
        code = take_kernel(guests, writer, guest, search->pv, result);
    if ( guest->state == GUEST_KNOWN )
        guest_tasks_take(guests, guest, search_take_tasks(search->link));
    guest_search_stop(guests, guest);
    return code;
}

/* cr3 of 0 means no paging, which 64-bit code cannot do without. */
static bool has_page_tables(const struct guest_sample *sample)
{
    return sample->registers &&
           (sample->registers->cr3 || sample->ip >> 32 == 0);
}

static bool may_look(const struct guests *guests, const struct guest *guest,
                     const struct guest_sample *sample)
{
    return guests->maker && has_page_tables(sample) &&
           sample->mode == XENOPROF_MODE_KERNEL &&
           sample->time >= guest->next_look;
}

bool guest_will_be_searched(struct guests *guests, const struct guest *guest,
                            const struct guest_sample *sample)
{
    if ( guest->state == GUEST_SEARCHED )
        return true;
    return guest->state == GUEST_NEW && guest->tries < TRIES_MAX &&
           has_page_tables(sample) && !guests_are_blind(guests);
}

/* Returns NULL, or why the file cannot be used. */
static const char *check_file(int fd)
{
    struct stat status;

    if ( fd < 0 || fstat(fd, &status) )
        return strerror(errno);
    if ( !S_ISREG(status.st_mode) )
        return "it is not a regular file";
    if ( status.st_size > SEARCH_FILE_MAX )
        return "it has more than 512 MiB";
    return status.st_size ? NULL : "it is empty";
}

/* Begins a search.  Returns whether it goes on. */
static bool begin_guest_search(struct guests *guests, struct guest *guest,
                               const struct search_order *order, uint64_t cr3)
{
    struct guest_search *search = &guest->search;
    struct guest_walk *walk = malloc(sizeof(*walk));

    if ( walk && guest_walk_open(walk, guests->xen, guest->domain, cr3,
                                 order->address) )
        search->link = search_begin(guests->maker, guests->store, order, NULL);
    if ( !search->link )
    {
        free(walk);
        return false;
    }
    search->walk = walk;
    search->modules = order->kind == SEARCH_MODULES && !order->kept;
    guests->searches++;
    xen_watch(guests->xen, search_fd(search->link));
    return true;
}

static bool can_read(const struct guests *guests, const struct guest *guest,
                     const struct guest_sample *sample)
{
    struct guest_walk *walk SCOPE_FREE = malloc(sizeof(*walk));

    return walk && guest_walk_open(walk, guests->xen, guest->domain,
                                   sample->registers->cr3, sample->ip);
}

static enum xenoprof_status begin_for_kernel(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct guest_sample *sample, struct search_order *order, bool pv)
{
    order->address = sample->ip;
    order->budget = READ_MAX;
    order->dom0 = guest->domain == 0;
    if ( !begin_guest_search(guests, guest, order, sample->registers->cr3) )
    {
        guest->next_look = guest->last + SOON;
        return XENOPROF_OK;
    }
    guest->search.pv = pv;
    guest->state = GUEST_SEARCHED;
    return guest->tries == 0 ? put_failure(guests, writer, guest, NOT_YET)
                             : XENOPROF_OK;
}

/* Searches the file that a user gave; only the process reads its content. */
static enum xenoprof_status look_in_file(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct guest_sample *sample,
                                         const char *path, bool pv)
{
    int file SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct search_order order = {.kind = SEARCH_FILE, .file = file};
    const char *trouble = check_file(file);
    char why[128];

    if ( !trouble )
        return begin_for_kernel(guests, writer, guest, sample, &order, pv);
    snprintf(why, sizeof(why), "the file given for it cannot be read: %s",
             trouble);
    return give_up(guests, writer, guest, why);
}

/* Looks where an earlier session found the kernel, or everywhere. */
static enum xenoprof_status look_in_memory(struct guests *guests,
                                           struct xenoprof_writer *writer,
                                           struct guest *guest,
                                           const struct guest_sample *sample,
                                           bool pv)
{
    struct search_order order = {.kind = SEARCH_MEMORY};
    struct walker_tables kept = {0};
    enum xenoprof_status code;

    if ( !guest->kept_tried )
        kept.image = kept_kernel_load(guests->kept, guest->uuid, guests->store,
                                      &kept.base);
    if ( kept.image )
        order = (struct search_order){
            .kind = SEARCH_MODULES, .kept = true, .known = &kept};
    guest->kept = false;
    code = begin_for_kernel(guests, writer, guest, sample, &order, pv);
    if ( !guest->search.link )
    {
        table_release(kept.image);
        return code;
    }
    guest->search.kept = kept;
    guest->kept_tried = true;
    return code;
}

/* Programs and cgroups of a guest are read if somebody asks for them, or the
 * domain has agreed, as an active one.  Of dom0 no search has found any on a
 * real host, so that none is made unless it is asked for. */
static enum label_choice choose_labels(const struct guests *guests,
                                       const struct listed_domain *domain)
{
    bool active = guests->asked &&
                  asked_domains_match(guests->asked, domain) == ROLE_ACTIVE;
    enum label_choice usual = active ? LABELS_ALL : LABELS_COMM;

    return guests->labels ? label_choices_find(guests->labels, domain, usual)
                          : usual;
}

static enum xenoprof_status begin_finding_kernel(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct guest_sample *sample)
{
    const char *file = NULL;
    struct listed_domain domain;
    bool pv = false;

    if ( !can_read(guests, guest, sample) )
        return give_up(guests, writer, guest, "its memory cannot be read");
    if ( xen_find_domain(guests->xen, guest->domain, &domain) )
    {
        if ( memcmp(domain.uuid, guest->uuid, sizeof(domain.uuid)) )
            return give_up(guests, writer, guest,
                           "it is gone, and another guest has "
                           "its number and its memory");
        pv = !domain.hardware;
        guest->vcpus = domain.vcpus;
        if ( guests->files )
            file = domain_pairs_find(guests->files, &domain);
        guest->tasks.labels = choose_labels(guests, &domain);
    }
    guest->in_file = file;
    if ( file )
        return look_in_file(guests, writer, guest, sample, file, pv);
    return look_in_memory(guests, writer, guest, sample, pv);
}

enum xenoprof_status guests_look(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest_sample *sample)
{
    struct guest *guest = guests_find(guests, sample);

    guest->last = sample->time;
    if ( sample->mode == XENOPROF_MODE_KERNEL && has_page_tables(sample) )
    {
        guest->walker.ip = sample->ip;
        guest->walker.cr3 = sample->registers->cr3;
    }
    if ( guest->state == GUEST_KNOWN && guest_tasks_may_come(guest) )
        guests_look_at_modules(guests, guest);
    if ( (guest->state != GUEST_NEW && guest->state != GUEST_STRANGE) ||
         guest->tries >= TRIES_MAX || !may_look(guests, guest, sample) ||
         guest_account_is_spent(guests_account(guests, guest)) )
        return XENOPROF_OK;
    guest->queued = guests->searches >= SEARCHES_MAX;
    if ( guest->queued )
        return XENOPROF_OK;
    return begin_finding_kernel(guests, writer, guest, sample);
}

void guests_look_at_modules(struct guests *guests, struct guest *guest)
{
    const struct search_order order = {
        .kind = SEARCH_MODULES,
        .address = guest->walker.ip,
        .budget = READ_MAX,
        .dom0 = guest->domain == 0,
        .known = &guest->tables,
    };

    if ( guest->state == GUEST_KNOWN && !guest->search.link && !guest->gone &&
         guest->last >= guest->next_look && guests->searches < SEARCHES_MAX &&
         !guest_account_is_spent(guests_account(guests, guest)) )
        begin_guest_search(guests, guest, &order, guest->walker.cr3);
}
