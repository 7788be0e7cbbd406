/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process has on its stack and in its registers is walked, and is then
 * nowhere: not in the session, in what its agent was sent, or in --status.
 * From a record to the disk: the spool, a walker in its sandbox, an agent.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "control/session-folders.h"
#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/reply.h"
#include "tests/records/records.h"
#include "tests/unit/daemon/recording-kit.h"

#define LEAF     (KIT_CODE + 0x120)
#define MIDDLE   (KIT_CODE + 0x250)
#define MAIN     (KIT_CODE + 0x310)
#define STACK    0x7f0000001000ull
#define PIECE    6u             /* bytes of the secret that are no accident */
#define WAIT_MAX 60000000000ull /* ns of our clock */
#define FILE_MAX (16u << 20)

static const char secret[] = "Nobody-may-ever-know-this-phrase";

static struct recording_kit kit;
static struct agent_kit agent;
static struct keeper keeper;
static struct process_maker maker;
static uint64_t record[1024];
static char bytes[FILE_MAX], content[FILE_MAX];

struct user_stack {
    struct xenoprof_window head;
    uint64_t words[3];
    char secret[32];
};

static void begin(void)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    if ( keeper_start(&keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
    agent_kit_begin(&agent, MANNER_STACKS);
    kit_begin(&kit);
    kit.xen.maker = &maker;
    kit_run(&kit, " frequency=100 stacks=user");
}

static void end(void)
{
    kit_end(&kit);
    keeper_stop(&keeper);
    agent_kit_end(&agent);
}

/* Leaf was called by middle, and that by main; the secret is in a frame of
 * main's, between the two others, and in what a call preserves. */
static struct user_stack stack_of(struct xenoprof_registers *registers)
{
    struct user_stack stack = {.head = {STACK, 56, 0}};

    stack.words[0] = MIDDLE;
    memcpy(&stack.words[1], secret, 8);
    stack.words[2] = MAIN;
    memcpy(stack.secret, secret, sizeof(stack.secret));
    *registers = (struct xenoprof_registers){.rsp = STACK};
    memcpy(&registers->r12, secret, sizeof(secret) - 1);
    memcpy(&registers->rbx, secret + 8, 8);
    memcpy(&registers->rdi, secret + 16, 8);
    return stack;
}

/* Bytes of a sample's record of dom0's vCPU 0. */
static size_t make_record(uint64_t time)
{
    struct xenoprof_registers registers;
    const struct user_stack stack = stack_of(&registers);
    const struct xenoprof_sample sample = {.head.kind = XENOPROF_RECORD_SAMPLE,
                                           .time = time,
                                           .ip = LEAF,
                                           .sp = STACK,
                                           .mode = XENOPROF_MODE_USER,
                                           .weight = 1,
                                           .period = 10000000};
    const struct xenoprof_task task = {
        .word = {1ull << 32 | 1, 1000, 0x74736574}, .list = 1, .stored = 32};
    const struct xenoprof_view view = {.head = &sample.head,
                                       .sample = &sample,
                                       .registers = &registers,
                                       .task = &task,
                                       .window = &stack.head};
    size_t size = record_encode(&view, record, sizeof(record));

    CHECK(size && memmem(record, size, secret, strlen(secret)));
    return size;
}

static struct account *account_of_dom0(void)
{
    struct account *account = accounts_of_vcpu(&kit.recording.drain.accounts, 0,
                                               0);

    CHECK(account);
    return account;
}

/* As if it were the next one in its ring. */
static void take_sample(void)
{
    struct drain *drain = &kit.recording.drain;
    struct xenoprof_view view;
    size_t size = make_record(process_now());

    CHECK_EQ(xenoprof_record_check(record, size, &view), XENOPROF_OK);
    drain->position += size;
    CHECK_EQ(drain_take(drain, account_of_dom0(), &view), XENOPROF_OK);
    memset(record, 0, sizeof(record));
}

static uint64_t chains_to_the_root(void)
{
    const struct chain_counts *chains = &kit.recording.drain.chains;
    uint64_t whole = 0;

    for ( size_t i = 0; i < chains->count; i++ )
        if ( chains->items[i].mode == XENOPROF_MODE_USER )
            whole += chains->items[i].ended[XENOPROF_ENDED_ROOT];
    return whole;
}

static void check_silent(const char *where, const char *text, size_t size)
{
    for ( size_t i = 0; i + PIECE < sizeof(secret); i++ )
        if ( memmem(text, size, secret + i, PIECE) )
            test_fail(__FILE__, __LINE__, "%s has the secret's \"%.*s\"", where,
                      (int)PIECE, secret + i);
}

/* What is packed in it, too.  Returns whether it has `wanted`. */
static bool check_bytes(const char *name, size_t size, const char *wanted)
{
    static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    bool found = memmem(bytes, size, wanted, strlen(wanted));

    check_silent(name, bytes, size);
    for ( size_t at = 0; at + sizeof(magic) < size; at++ )
    {
        size_t packed, length;

        if ( memcmp(bytes + at, magic, sizeof(magic)) )
            continue;
        packed = ZSTD_findFrameCompressedSize(bytes + at, size - at);
        if ( ZSTD_isError(packed) )
            continue;
        length = ZSTD_decompress(content, sizeof(content), bytes + at, packed);
        CHECK(!ZSTD_isError(length));
        check_silent(name, content, length);
        found |= memmem(content, length, wanted, strlen(wanted)) != NULL;
    }
    return found;
}

/* Numbers are not in one piece in a file. */
static void check_items(const char *path)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    unsigned int samples = 0;

    memset(&item, 0, sizeof(item));
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        check_silent("an item", (const char *)&item, sizeof(item));
        samples += item.kind == XENOPROF_ITEM_SAMPLE &&
                   item.u.sample.mode == XENOPROF_MODE_USER;
    }
    xenoprof_session_close(session);
    CHECK_EQ(samples, 1);
}

/* Each file of the session; what was walked is in one of them. */
static void check_session(void)
{
    char path[128];
    struct dirent *entry;
    bool found = false;
    DIR *folder;

    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    folder = opendir(path);
    CHECK(folder);
    while ( (entry = readdir(folder)) )
    {
        int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        ssize_t size = read(fd, bytes, sizeof(bytes));

        CHECK(size < (ssize_t)sizeof(bytes));
        found |= size > 0 && check_bytes(entry->d_name, (size_t)size, "middle");
        close(fd);
    }
    closedir(folder);
    CHECK(found);
    check_items(path);
}

static void check_status(void)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    reply_recording(&kit.recording, file);
    fclose(file);
    CHECK(strstr(text, "agent"));
    check_silent("the status", text, size);
    free(text);
}

static void check_agent(void)
{
    size_t size;
    const char *heard = agent_kit_heard(&size);

    CHECK(size > sizeof(struct agent_head));
    check_silent("a message to the agent", heard, size);
}

TEST(a_secret_on_a_stack)
{
    uint64_t began = monotonic_now();

    begin();
    take_sample();
    CHECK_EQ(kit.recording.drain.spool.samples, 1);
    check_status();
    while ( kit.recording.drain.spool.samples &&
            monotonic_now() - began < WAIT_MAX )
        kit_pass(&kit, 10 * MILLISECONDS);
    CHECK_EQ(chains_to_the_root(), 1);
    check_status();
    CHECK_EQ(kit_finish(&kit), 0);
    check_session();
    check_agent();
    end();
}
