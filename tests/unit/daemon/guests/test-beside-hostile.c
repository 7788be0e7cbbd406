/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Honest guests and a user of dom0 for some simulated minutes: alone, and
 * beside a guest of 64 vCPUs whose every sample is of a new process with a new
 * name, at addresses never seen before, and whose kernel reboots; and beside a
 * user of dom0 with ever new files that hang, end or take over what reads them.
 * The honest ones do the same in both runs, and lose no sample, no name, no
 * caller and no time.
 *
 * Time is simulated, but for what xenoprofd itself works: a round goes on until
 * no process works for an honest guest.
 *
 *   BESIDE=600 test-beside-hostile    (virtual seconds)
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/program/user-readers.h"
#include "base/clock.h"
#include "cage/file-packet.h"
#include "cage/process-words.h"
#include "lives-kit.h"
#include "tests/unit/cage/process-kit.h"

#define HONEST  3u /* pCPUs 1 to 3; the others are the hostile guest's */
#define VCPUS   64u
#define SECONDS 60u
#define ROUND   (100 * MILLISECONDS) /* as Xen wakes the daemon */
#define LIFE    50u                  /* rounds until it reboots */

static struct lives lives;
static uint64_t work_began; /* of this round: ns of xenoprofd's CPU */

struct honest_sum {
    uint64_t samples, names; /* of honest guests; names: of their threads */
    uint64_t waited;         /* ns in all, from sample to stored */
    uint64_t hostile;
    /* of the honest user of dom0: files, names, and rounds that these took; of
     * the other one what was given up */
    uint64_t files, functions, late, refused;
    uint32_t deeds; /* bits of enum file_deed: for these a file was given up */
};

static struct honest_sum *outcome;

enum xenoprof_status __real_xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count);
enum xenoprof_status __wrap_xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count);

static struct person *person_of(uint16_t domain)
{
    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
        if ( lives.slots[i].alive && lives.slots[i].domain == domain )
            return &lives.persons.items[lives.slots[i].person];
    return NULL;
}

enum xenoprof_status __wrap_xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count)
{
    const struct person *person = person_of(sample->domain);

    if ( person && !person->honest )
        outcome->hostile++;
    if ( person && person->honest )
    {
        outcome->samples++;
        outcome->names += !strcmp(sample->thread.comm, person->prefix);
        outcome->waited += process_now() - sample->time +
                           clock_read(CLOCK_THREAD_CPUTIME_ID) - work_began;
    }
    return __real_xenoprof_writer_sample(writer, sample, places, count);
}

/* A process looks at something for an honest guest. */
static bool honest_is_away(void)
{
    const struct guests *guests = lives.kit.recording.guests;

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        const struct guest *guest = &guests->guests[i];
        const struct person *person = guest->used ? person_of(guest->domain)
                                                  : NULL;

        if ( person && person->honest &&
             (guest->search.link ||
              (guest->walker.link && walker_is_away(guest->walker.link))) )
            return true;
    }
    return false;
}

/* What the hostile guest has in hand is not waited for. */
static void work(void)
{
    uint64_t until = clock_read(CLOCK_MONOTONIC) + 1000 * MILLISECONDS;

    work_began = clock_read(CLOCK_THREAD_CPUTIME_ID);
    do
        lives_work(&lives);
    while ( honest_is_away() && clock_read(CLOCK_MONOTONIC) < until );
}

/* Users of dom0 ------------------------------------------------------------ */

/* What becomes of who reads a file; here the offset asked for says so. */
enum file_deed { HONEST_FILE, HANG, CRASH, LIE, DEEDS };

#define HONEST_USER  1000u
#define HOSTILE_USER 1001u
/* Of his, that are asked for again in each round: more than may wait. */
#define HOSTILE_FILES (READER_QUEUE_MAX + 18u)

static struct user_readers readers;
static struct file_reader reader;
static struct forked_processes forked;

static void read_files(const struct process_order *order, int socket)
{
    static struct file_answer answer;
    struct file_question question;
    int files[PACKET_FILES_MAX];
    unsigned int count;

    (void)order;
    if ( !forked_begin(socket) )
        return;
    while ( file_packet_receive(SANDBOX_IN, &question, sizeof(question), files,
                                &count) )
    {
        close(count ? files[0] : -1);
        if ( question.offset % DEEDS == HANG )
            process_burn();
        if ( question.offset % DEEDS == CRASH )
            syscall(SYS_exit_group, 0);
        answer.number = question.number + (question.offset % DEEDS == LIE);
        answer.found = FILE_FOUND;
        snprintf(answer.function.name, sizeof(answer.function.name), "at_%lu",
                 question.offset);
        if ( write(SANDBOX_OUT, &answer, file_answer_size(&answer)) < 0 )
            return;
    }
}

static enum file_found ask(uid_t user, unsigned int file, enum file_deed deed,
                           struct file_answer *said)
{
    const struct stat status = {.st_uid = user, .st_ino = file, .st_dev = user};
    const struct file_question question = {.asks = FILE_FUNCTION,
                                           .offset = file * DEEDS + deed,
                                           .steps = UINT64_MAX};

    reader.ask(reader.self, open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
               &status, &question, said);
    return (enum file_found)said->found;
}

/* A new file of the honest user has its name in the round in which it is asked
 * for, or is late. */
static void read_honest(unsigned int round)
{
    uint64_t until = clock_read(CLOCK_MONOTONIC) + 1000 * MILLISECONDS;
    static struct file_answer said;
    enum file_found found;
    char name[ELF_NAME_MAX];

    outcome->files++;
    while ( (found = ask(HONEST_USER, round, HONEST_FILE, &said)) ==
                FILE_LATER &&
            clock_read(CLOCK_MONOTONIC) < until )
    {
        struct pollfd heard = {.fd = reader.fd, .events = POLLIN};

        poll(&heard, 1, 10);
        reader.look(reader.self);
    }
    outcome->late += found == FILE_LATER;
    snprintf(name, sizeof(name), "at_%u", round * DEEDS);
    outcome->functions += found == FILE_FOUND &&
                          !strcmp(said.function.name, name);
}

static void read_files_of_users(unsigned int round, bool beside)
{
    static struct file_answer said;

    for ( unsigned int i = 0; beside && i < HOSTILE_FILES && i < round; i++ )
    {
        enum file_deed deed = (enum file_deed)(HANG +
                                               (round - i) % (DEEDS - HANG));

        if ( ask(HOSTILE_USER, round - i, deed, &said) == FILE_TOO_DEAR )
            outcome->deeds |= 1u << deed;
    }
    read_honest(round);
    reader.look(reader.self);
}

/* Guests ------------------------------------------------------------------- */

static struct living *reboot(struct living *guest)
{
    lives_go(&lives, guest);
    guest = lives_come(&lives, guest->person, 0, 'T', VCPUS);
    guest->manner = MANNER_NEW;
    return guest;
}

static struct honest_sum run(bool beside, unsigned int rounds)
{
    struct honest_sum ret = {0};
    struct living *honest[HONEST], *hostile = NULL;
    uint64_t random;

    struct process_maker maker;

    outcome = &ret;
    forked = (struct forked_processes){.act = read_files};
    maker = forking_maker(&forked);
    reader = user_readers_open(&readers, &maker);
    lives_begin(&lives, 7, " frequency=100 ring-size=128");
    for ( unsigned int i = 0; i < HONEST; i++ )
        honest[i] = lives_come(&lives, lives_born(&lives, true), 0, 'T', 2);
    if ( beside )
    {
        hostile = lives_come(&lives, lives_born(&lives, false), 0, 'T', VCPUS);
        hostile->manner = MANNER_NEW;
    }
    lives_work(&lives);
    for ( unsigned int round = 1; round <= rounds; round++ )
    {
        for ( unsigned int i = 0; i < ROUND / LIVES_TURN; i++ )
        {
            for ( unsigned int j = 0; j < HONEST; j++ )
                lives_put(&lives, 1 + j, honest[j]);
            random = lives.random;
            for ( unsigned int j = HONEST + 1; j < LIVES_PCPUS; j++ )
                if ( hostile && hostile->ready )
                    lives_put(&lives, j, hostile);
            lives.random = random;
            lives_turn();
        }
        read_files_of_users(round, beside);
        work();
        if ( beside && round % LIFE == 0 )
            hostile = reboot(hostile);
    }
    lives_end(&lives);
    ret.refused = reader.refused(reader.self);
    user_readers_close(&readers);
    return ret;
}

static void print(const char *how, const struct honest_sum *of)
{
    printf("# %-7s %8llu %8llu %10.3f %8llu; files %llu, %llu named, %llu "
           "late, %llu given up\n",
           how, (unsigned long long)of->samples, (unsigned long long)of->names,
           (double)of->waited / 1e6 / (double)of->samples,
           (unsigned long long)of->hostile, (unsigned long long)of->files,
           (unsigned long long)of->functions, (unsigned long long)of->late,
           (unsigned long long)of->refused);
    fflush(stdout);
}

TEST(honest_guests_and_users_lose_nothing_beside_hostile_ones)
{
    const char *text = getenv("BESIDE");
    unsigned int rounds = 10 * (text ? (unsigned int)atoi(text) : SECONDS);
    struct honest_sum alone = run(false, rounds), beside;

    print("alone", &alone);
    beside = run(true, rounds);
    print("beside", &beside);
    CHECK(beside.hostile > rounds);
    CHECK_EQ(beside.samples, alone.samples);
    CHECK_EQ(beside.names, alone.names);
    CHECK(alone.names > alone.samples / 2);
    CHECK(beside.waited <= alone.waited + alone.waited / 20);
    CHECK_EQ(beside.deeds, 1u << HANG | 1u << CRASH | 1u << LIE);
    CHECK_EQ(alone.functions, rounds);
    CHECK_EQ(beside.functions, rounds);
    CHECK_EQ(alone.late + beside.late, 0);
}
