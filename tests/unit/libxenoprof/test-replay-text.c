/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings that a person wrote as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/replay.h"
#include "tests/harness.h"

#define UUID  "uuid=000102030405060708090a0b0c0d0e0f"
#define FIRST "ring kind=vcpu domain=3 vcpu=1 generation=2 " UUID "\n"

static struct xenoprof_handle *handle;
static struct replay_ring ring;

static enum xenoprof_status load(const char *text)
{
    char *copy = strdup(text);
    enum xenoprof_status status;

    if ( !handle )
        handle = xenoprof_open();
    free(ring.data);
    ring = (struct replay_ring){.number = 7};
    status = replay_load_text(handle, "here", copy, &ring);
    free(copy);
    return status;
}

static void refused(const char *text, const char *why)
{
    CHECK_EQ(load(text), XENOPROF_INVALID);
    if ( !strstr(xenoprof_message(handle), why) )
        test_fail(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
                  xenoprof_message(handle), why);
}

TEST(the_first_line_says_whose_ring_it_is)
{
    CHECK_EQ(load("\n# whose\n  \n" FIRST), XENOPROF_OK);
    CHECK_EQ(ring.page.ring, 7);
    CHECK_EQ(ring.page.kind, XENOPROF_RING_VCPU);
    CHECK_EQ(ring.page.domain, 3);
    CHECK_EQ(ring.page.vcpu, 1);
    CHECK_EQ(ring.page.generation, 2);
    CHECK_EQ(ring.page.uuid[15], 15);
    CHECK_EQ(ring.page.producer, 0);
    CHECK_EQ(ring.page.data_pages, 1);
    /* Without a newline. */
    CHECK_EQ(load("ring kind=pcpu domain=0 vcpu=0 generation=0 " UUID),
             XENOPROF_OK);
    CHECK_EQ(ring.page.kind, XENOPROF_RING_PCPU);
}

TEST(a_first_line_that_does_not_is_refused)
{
    static const char *const lines[] = {
        "",
        "# only a comment\n",
        "sample weight=1\n",
        "ring kind=xcpu domain=0 vcpu=0 generation=0 " UUID "\n",
        "ring kind=vcpu domain=0 vcpu=0 generation=0 uuid=00\n",
        "ring kind=vcpu domain=0 vcpu=0 generation=0 " UUID "00\n",
        "ring kind=vcpu domain=0 vcpu=0 generation=0 " UUID " more\n",
        "ring kind=vcpu domain=0 vcpu=0 generation=0\n",
    };

    for ( size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
        refused(lines[i], "here: the first line must be");
}

TEST(records_are_counted)
{
    CHECK_EQ(load(FIRST "sample time=5 weight=1\n"
                        "lost count=3 cause=ring\n"
                        "lost count=4 cause=queue\n"
                        "other kind=99\n"
                        "sample time=6 weight=1\n"),
             XENOPROF_OK);
    CHECK_EQ(ring.page.made, 9);
    CHECK_EQ(ring.page.committed, 2);
    CHECK_EQ(ring.page.lost[XENOPROF_LOST_RING], 3);
    CHECK_EQ(ring.page.lost[XENOPROF_LOST_QUEUE], 4);
    CHECK_EQ(ring.page.producer, 2 * sizeof(struct xenoprof_sample) +
                                     2 * sizeof(struct xenoprof_lost) +
                                     sizeof(struct xenoprof_record));
}

TEST(a_record_that_is_none_is_refused_with_the_file_s_name)
{
    refused(FIRST "sample weight=1\nsamples\n",
            "here: record text \"samples\"");
}

/* count samples, one after the other. */
static enum xenoprof_status load_samples(unsigned int count)
{
    static const char sample[] = "sample weight=1\n";
    char *text = malloc(sizeof(FIRST) + count * sizeof(sample)), *at;
    enum xenoprof_status status;

    at = stpcpy(text, FIRST);
    for ( unsigned int i = 0; i < count; i++ )
        at = stpcpy(at, sample);
    status = load(text);
    free(text);
    return status;
}

TEST(a_ring_has_as_many_pages_as_its_records_need)
{
    const unsigned int in_page = XENOPROF_PAGE_SIZE /
                                 sizeof(struct xenoprof_sample);
    const unsigned int most = XENOPROF_DATA_PAGES_MAX * XENOPROF_PAGE_SIZE /
                              sizeof(struct xenoprof_sample);

    CHECK_EQ(load_samples(in_page), XENOPROF_OK);
    CHECK_EQ(ring.page.data_pages, 1);
    CHECK_EQ(load_samples(in_page + 1), XENOPROF_OK);
    CHECK_EQ(ring.page.data_pages, 2);
    CHECK_EQ(load_samples(3 * in_page), XENOPROF_OK);
    CHECK_EQ(ring.page.data_pages, 4);
    CHECK_EQ(load_samples(most), XENOPROF_OK);
    CHECK_EQ(ring.page.data_pages, XENOPROF_DATA_PAGES_MAX);
    CHECK_EQ(ring.page.made, most);
    CHECK_EQ(load_samples(most + 1), XENOPROF_INVALID);
    free(ring.data);
    ring.data = NULL;
}
