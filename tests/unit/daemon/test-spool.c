/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that wait: their order, their shares, and the memory they are in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/spool.h"
#include "tests/harness.h"

#define MIB   (1u << 20)
#define CHUNK SPOOL_CHUNK

static struct spool spool;

/* A sample with so many bytes behind it. */
static bool put(struct spool_fifo *fifo, uint8_t guest, uint64_t tag,
                uint16_t window)
{
    static struct {
        struct xenoprof_sample sample;
        struct xenoprof_window window;
        uint8_t bytes[30000];
    } record;
    const uint8_t uuid[16] = {guest};

    record.sample.head = (struct xenoprof_record){
        .length = (uint32_t)offsetof(typeof(record), bytes) + window,
        .kind = XENOPROF_RECORD_SAMPLE,
        .parts = XENOPROF_PART_WINDOW,
    };
    record.sample.time = tag;
    record.sample.weight = 1;
    record.window.length = window;
    memset(record.bytes, 0xa5, window);
    return spool_put(&spool, fifo, uuid, &record.sample.head, tag, 7 * tag);
}

static uint64_t take(struct spool_fifo *fifo)
{
    const struct spool_entry *head = spool_head(fifo);
    struct xenoprof_view view;
    uint64_t tag;

    CHECK(head);
    tag = head->tag;
    view = spool_view(head);
    CHECK(view.sample && view.window);
    CHECK_EQ(view.sample->time, tag);
    CHECK_EQ(head->since, 7 * tag);
    spool_drop_head(&spool, fifo);
    return tag;
}

/* Puts as many as there is room for.  Returns how many. */
static unsigned int fill(struct spool_fifo *fifo, uint8_t guest)
{
    unsigned int count = 0;

    while ( put(fifo, guest, count + 1, 6144) )
        count++;
    return count;
}

TEST(spool_keeps_the_order_of_each_ring)
{
    struct spool_fifo fifos[2] = {{0}};

    spool_open(&spool, MIB);
    for ( uint64_t tag = 1; tag <= 60; tag++ )
        CHECK(put(&fifos[tag % 2], (uint8_t)(tag % 2), tag,
                  (uint16_t)(tag % 7 * 1000)));
    CHECK_EQ(spool_waits(&spool).samples, 60);
    CHECK_EQ(spool_waits(&spool).guests, 2);
    for ( uint64_t tag = 2; tag <= 60; tag += 2 )
        CHECK_EQ(take(&fifos[0]), tag);
    CHECK_EQ(spool_waits(&spool).guests, 1);
    for ( uint64_t tag = 1; tag <= 60; tag += 2 )
        CHECK_EQ(take(&fifos[1]), tag);
    CHECK(!spool_head(&fifos[0]) && !spool_head(&fifos[1]));
    CHECK_EQ(spool_waits(&spool).samples + spool_waits(&spool).bytes, 0);
    CHECK_EQ(spool.used, 0);
    spool_close(&spool);
}

/* Each is asked for once, unless its walker ended. */
TEST(spool_knows_what_was_asked_for)
{
    struct spool_fifo fifo = {0};

    spool_open(&spool, MIB);
    CHECK(!spool_unasked(&fifo));
    for ( uint64_t tag = 1; tag <= 20; tag++ )
    {
        CHECK(put(&fifo, 1, tag, 6144));
        CHECK_EQ(spool_unasked(&fifo)->tag, tag);
        spool_asked(&fifo);
        CHECK(!spool_unasked(&fifo));
    }
    CHECK_EQ(take(&fifo), 1);
    spool_ask_again(&fifo);
    for ( uint64_t tag = 2; tag <= 10; tag++ )
    {
        CHECK_EQ(spool_unasked(&fifo)->tag, tag);
        spool_asked(&fifo);
    }
    /* What is dropped need not be asked for. */
    for ( uint64_t tag = 2; tag <= 15; tag++ )
        CHECK_EQ(take(&fifo), tag);
    CHECK_EQ(spool_unasked(&fifo)->tag, 16);
    spool_clear(&spool, &fifo);
    CHECK(!spool_unasked(&fifo));
    spool_close(&spool);
}

/* One hog leaves a half, two leave a third to who comes. */
TEST(spool_divides_its_memory)
{
    struct spool_fifo fifos[4] = {{0}};

    spool_open(&spool, 12 * CHUNK);
    CHECK(fill(&fifos[0], 1) > 0);
    CHECK_EQ(spool.used, 6 * CHUNK);
    CHECK(fill(&fifos[1], 2) > 0);
    CHECK_EQ(spool.used, 9 * CHUNK);
    /* What the first gives back is for the others, too. */
    while ( spool.used > 5 * CHUNK )
        take(&fifos[0]);
    CHECK(fill(&fifos[1], 2) > 0);
    CHECK_EQ(spool.used, 7 * CHUNK);
    CHECK(put(&fifos[2], 3, 1, 6144));
    /* However many vCPUs it has. */
    CHECK(!put(&fifos[3], 2, 1, 6144));
    CHECK(put(&fifos[3], 4, 1, 6144));
    for ( int i = 0; i < 4; i++ )
        spool_clear(&spool, &fifos[i]);
    CHECK_EQ(spool.used, 0);
    spool_close(&spool);
}

/* One that holds too much, since another came, loses a little for each sample
 * that it wants to add. */
TEST(spool_shrinks_a_share_bit_by_bit)
{
    struct spool_fifo hog = {0}, other = {0};
    unsigned int dropped = 0;

    spool_open(&spool, 12 * CHUNK);
    fill(&hog, 1);
    fill(&other, 2);
    CHECK_EQ(spool.used, 9 * CHUNK);
    while ( !put(&hog, 1, 1000, 6144) )
    {
        take(&hog);
        dropped++;
    }
    CHECK(dropped > 0);
    CHECK_EQ(spool.used, 8 * CHUNK);
    spool_clear(&spool, &hog);
    spool_clear(&spool, &other);
    spool_close(&spool);
}

TEST(spool_that_is_full)
{
    struct spool_fifo fifo = {0};
    unsigned int count;

    spool_open(&spool, 0);
    CHECK(!put(&fifo, 1, 1, 0));
    spool_close(&spool);
    spool_open(&spool, 4 * CHUNK);
    count = fill(&fifo, 1);
    CHECK_EQ(fifo.count, count);
    CHECK(!put(&fifo, 1, count + 1, 6144));
    CHECK_EQ(fifo.count, count);
    for ( uint64_t tag = 1; tag <= count; tag++ )
        CHECK_EQ(take(&fifo), tag);
    /* The longest record that there is. */
    CHECK(put(&fifo, 1, 5, 30000));
    CHECK_EQ(take(&fifo), 5);
    spool_close(&spool);
}

/* Returns the bytes of this process's mappings whose flags have all of these,
 * in /proc/self/smaps. */
static uint64_t mapped(const char *flags)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512], want[4] = " ??";
    uint64_t size = 0, sum = 0;

    CHECK(file);
    while ( fgets(line, sizeof(line), file) )
    {
        bool all = true;

        if ( sscanf(line, "Size: %lu kB", &size) == 1 ||
             strncmp(line, "VmFlags:", 8) )
            continue;
        for ( const char *at = flags; *at; at += 2 )
        {
            memcpy(want + 1, at, 2);
            all = all && strstr(line, want);
        }
        sum += all ? size * 1024 : 0;
    }
    fclose(file);
    return sum;
}

TEST(spool_is_locked_and_in_no_dump)
{
    struct spool_fifo fifo = {0};
    uint64_t before = mapped("lodd");

    spool_open(&spool, 8 * CHUNK);
    fill(&fifo, 1);
    CHECK_EQ(spool.used, 4 * CHUNK);
    CHECK_EQ(mapped("lodd") - before, 4 * CHUNK);
    /* Nothing of it is anywhere else. */
    CHECK_EQ(mapped("lo") - mapped("lodd"), 0);
    spool_clear(&spool, &fifo);
    spool_close(&spool);
    CHECK_EQ(mapped("lodd"), before);
}

/* Memory that is used in each round stays; what was not needed goes. */
TEST(spool_gives_memory_back)
{
    struct spool_fifo fifo = {0};
    uint64_t before = mapped("lodd");

    spool_open(&spool, 8 * CHUNK);
    fill(&fifo, 1);
    spool_clear(&spool, &fifo);
    spool_trim(&spool);
    for ( int round = 0; round < 3; round++ )
    {
        CHECK(put(&fifo, 1, 1, 104));
        CHECK_EQ(take(&fifo), 1);
        spool_trim(&spool);
        CHECK_EQ(mapped("lodd") - before, CHUNK);
    }
    spool_trim(&spool);
    CHECK_EQ(mapped("lodd"), before);
    spool_close(&spool);
}

/* A chunk that nobody uses has nothing of a guest's. */
TEST(spool_forgets_what_guests_wrote)
{
    struct spool_fifo fifo = {0};
    const uint8_t *bytes;

    spool_open(&spool, 8 * CHUNK);
    CHECK(put(&fifo, 1, 1, 6144));
    bytes = (const uint8_t *)spool_head(&fifo);
    CHECK_EQ(bytes[1000], 0xa5);
    take(&fifo);
    CHECK_EQ(spool.spares, 1);
    for ( size_t i = 0; i < 6144; i++ )
        CHECK_EQ(bytes[i], 0);
    spool_close(&spool);
}

/* As a user whose limit for locked memory is too low. */
static int put_unlocked(void)
{
    const struct rlimit none = {0, 0};
    struct spool_fifo fifo = {0};
    bool took;

    if ( setrlimit(RLIMIT_MEMLOCK, &none) ||
         (geteuid() == 0 && seteuid(65534)) )
        return 2;
    spool_open(&spool, MIB);
    took = put(&fifo, 1, 1, 104);
    return took || !spool.error || spool.used || fifo.count;
}

TEST(spool_whose_memory_cannot_be_locked)
{
    pid_t pid = fork();
    int status;

    if ( pid == 0 )
        _exit(put_unlocked());
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}
