/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenoprofd and an agent say to each other in each version of their
 * conversation, byte by byte: tests/golden/agent/talk.out, which both sides of
 * today must still say and understand.  It is never recorded anew for a version
 * that was released; a new version adds to it (GOLDEN_RECORD=1 in the
 * environment writes all of it).
 *
 * Numbers of messages are counted in it, and clocks and what an agent had to do
 * are 0, since they differ each time.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/answers.h"
#include "daemon/agent/agent-link.h"
#include "talk-kit.h"
#include "tests/harness.h"

#define TGID  7u
#define CODE  0x400000ull /* where it has its program, */
#define AWAY  0x500000ull /* and a file that is not there */
#define SINCE 100u

static char folder[] = "/tmp/xenoprof-golden-XXXXXX", path[64];
static int root, sockets[2];
static struct agent_facts facts;
static struct agent_talk talk;
static struct agent_link *peer;
static struct kit_message message, reply;
static uint16_t version;
static uint32_t number; /* of messages so far, as the text counts them */
static FILE *text;

static const char *const kinds[] = {
    "",       "HELLO", "WELCOME", "WHERE",   "THERE",   "REFUSED", "SPACE",
    "MAPPED", "ROWS",  "TABLE",   "INLINES", "INLINED", "KNOW",    "KNOWN"};

/* The text ----------------------------------------------------------------- */

/* What differs each time is 0. */
static void hide(uint8_t *bytes, struct agent_head *head)
{
    head->number = number;
    memcpy(bytes, head, sizeof(*head));
    if ( head->kind == AGENT_WELCOME )
        memset(bytes + sizeof(*head), 0, sizeof(uint64_t));
    else if ( head->kind == AGENT_THERE )
        memset(bytes + sizeof(*head), 0, 2 * sizeof(uint64_t));
}

static void write_down(const char *who, const struct kit_message *said)
{
    static struct kit_message copy;
    struct agent_head head = kit_head(said);
    uint8_t *bytes = (uint8_t *)copy.bytes;

    copy = *said;
    CHECK(head.kind && head.kind < sizeof(kinds) / sizeof(kinds[0]));
    hide(bytes, &head);
    fprintf(text, "%s: %s", who, kinds[head.kind]);
    for ( size_t i = 0; i < said->size; i++ )
        fprintf(text, "%s%02x", i % 32 ? i % 4 ? "" : " " : "\n  ", bytes[i]);
    fprintf(text, "\n");
}

/* The two sides ------------------------------------------------------------ */

static int call(void *self, const char **why)
{
    (void)self;
    (void)why;
    return sockets[0];
}

static void hang_up(void *self)
{
    (void)self;
}

static uint64_t cpu(void *self)
{
    (void)self;
    return 0;
}

/* An older client says HELLO with its own version, which is the only thing that
 * one of today would say otherwise. */
static void make_older(void)
{
    struct agent_head head = kit_head(&message);

    if ( head.kind != AGENT_HELLO )
        return;
    head.version = version;
    memcpy(message.bytes, &head, sizeof(head));
}

/* Carries a question to the agent, and its answer back. */
static void exchange(void)
{
    ssize_t got;
    bool over;

    agent_link_work(peer);
    got = recv(sockets[1], message.bytes, sizeof(message.bytes), MSG_DONTWAIT);
    CHECK(got >= (ssize_t)sizeof(struct agent_head));
    message.size = (size_t)got;
    number++;
    make_older();
    write_down("client", &message);
    reply.size = answer_message(&facts, &talk, message.bytes, message.size,
                                reply.bytes, &over);
    CHECK(reply.size && !over);
    write_down("agent", &reply);
    CHECK_EQ(send(sockets[1], reply.bytes, reply.size, 0), (ssize_t)reply.size);
    agent_link_work(peer);
    CHECK_EQ(agent_link_state(peer), AGENT_PRESENT);
}

/* A program with one function and no unwind information. */
static void make_program(void)
{
    static const struct {
        Elf64_Ehdr head;
        Elf64_Phdr segment;
        Elf64_Sym symbols[2];
        char strings[8];
        Elf64_Shdr sections[3];
    } program = {
        .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_X86_64,
                 .e_version = EV_CURRENT,
                 .e_phoff = offsetof(typeof(program), segment),
                 .e_shoff = offsetof(typeof(program), sections),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 1,
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 3,
                 .e_shstrndx = 2},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_vaddr = 0x1000,
                    .p_filesz = sizeof(program),
                    .p_memsz = sizeof(program)},
        .symbols = {[1] = {.st_name = 1,
                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                           .st_shndx = 1,
                           .st_value = 0x1010,
                           .st_size = 0x40}},
        .strings = "\0work",
        .sections = {[1] = {.sh_type = SHT_SYMTAB,
                            .sh_offset = offsetof(typeof(program), symbols),
                            .sh_size = sizeof(program.symbols),
                            .sh_link = 2,
                            .sh_info = 1,
                            .sh_entsize = sizeof(Elf64_Sym)},
                     [2] = {.sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(typeof(program), strings),
                            .sh_size = sizeof(program.strings)}}};
    FILE *file = fopen(path, "w");

    CHECK(file && fwrite(&program, sizeof(program), 1, file) == 1 &&
          !fclose(file));
}

/* What a client of version 4 says is known to the others' agent. */
static void tell_history(void)
{
    static const char texts[] = "\0/prog\0/away";
    const struct agent_known_mapping mappings[] = {
        {.start = CODE, .end = CODE + 0x1000, .path = 1},
        {.start = AWAY, .end = AWAY + 0x1000, .offset = 0x2000, .path = 7}};
    struct agent_talk other = {.version = AGENT_VERSION};
    bool over;

    kit_tell(&message, TGID, SINCE, mappings, 2, texts, sizeof(texts));
    CHECK(answer_message(&facts, &other, message.bytes, message.size,
                         reply.bytes, &over) &&
          !over);
}

static void begin(void)
{
    const struct agent_caller caller = {.call = call,
                                        .end = hang_up,
                                        .cpu = cpu,
                                        .close = hang_up,
                                        .nobody = "nobody",
                                        .may_follow_us = true};

    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets));
    facts = (struct agent_facts){
        .history = space_history_open(1 << 20, UINT64_MAX / 2),
        .files = file_names_open_below(1 << 20, root),
        .follows_clients = true};
    talk = (struct agent_talk){0};
    peer = agent_link_open(&caller, 0);
    CHECK(facts.history && facts.files && peer);
    number = 0;
    if ( version < AGENT_VERSION_KNOW )
        tell_history();
}

static void end(void)
{
    agent_link_close(peer);
    file_names_close(facts.files);
    space_history_close(facts.history);
    close(sockets[0]);
    close(sockets[1]);
}

/* The questions ------------------------------------------------------------ */

static struct agent_question question_of(uint32_t tgid, uint64_t address)
{
    return (struct agent_question){
        .time = SINCE + 1, .address = address, .tgid = tgid};
}

/* One for each way that an answer may be. */
static void ask_names(void)
{
    const struct agent_question questions[] = {
        question_of(TGID, CODE + 0x20), question_of(TGID, CODE + 0x80),
        question_of(TGID, AWAY + 8), question_of(TGID, 8),
        question_of(TGID + 1, CODE)};
    struct agent_name_reply said;

    for ( uint32_t i = 0; i < 5; i++ )
        CHECK(agent_link_ask(peer, &questions[i], i));
    exchange();
    while ( agent_link_next(peer, &said) )
        fprintf(text, "= %u: found %u, %#lx from %#lx, '%s' '%s'\n", said.id,
                said.found, said.address, said.start, said.path, said.symbol);
}

static void take_reply(void)
{
    const struct agent_reply *got;

    exchange();
    got = agent_link_reply(peer);
    CHECK(got && !got->nothing);
    if ( got->kind == AGENT_SPACE )
        for ( uint32_t i = 0; i < got->count; i++ )
            fprintf(text, "= %#lx to %#lx, %#lx of image %lu\n",
                    got->mappings[i].start, got->mappings[i].end,
                    got->mappings[i].offset, got->mappings[i].image);
    else if ( got->kind == AGENT_ROWS )
        fprintf(text, "= table of image %lu, %zu of %lu bytes\n",
                got->table.image, got->size, got->table.size);
    else
        for ( uint32_t i = 0; i < got->count; i++ )
        {
            const struct agent_inlined inlined = agent_reply_inlined(got, i);

            fprintf(text, "= %u levels, later %u\n", inlined.levels,
                    inlined.later);
        }
    agent_link_take_reply(peer);
}

static void ask_rest(void)
{
    const struct agent_question questions[] = {question_of(TGID, CODE + 0x20),
                                               question_of(TGID + 1, CODE)};
    const struct agent_rows_question rows = {.where = questions[0]};

    if ( agent_link_ask_space(peer, &questions[0]) )
        take_reply();
    if ( agent_link_ask_rows(peer, &rows) )
        take_reply();
    if ( agent_link_ask_inlines(peer, questions, 2) )
        take_reply();
}

static void tell(void)
{
    const struct agent_file_mapping mappings[] = {
        {CODE, CODE + 0x1000, 0, "/prog"},
        {AWAY, AWAY + 0x1000, 0x2000, "/away"}};

    if ( version < AGENT_VERSION_KNOW )
        return;
    CHECK(agent_link_wants_known(peer));
    CHECK(agent_link_know(peer, TGID, SINCE, mappings, 2));
    exchange();
}

static void talk_all(void)
{
    fprintf(text, "# version %u\n", version);
    begin();
    exchange();
    tell();
    ask_names();
    ask_rest();
    end();
}

/* Returns all that is said, malloc'ed. */
static char *say_all(void)
{
    char *said;
    size_t size;

    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/prog", folder);
    root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    text = open_memstream(&said, &size);
    CHECK(root >= 0 && text);
    make_program();
    for ( version = 1; version <= AGENT_VERSION; version++ )
        talk_all();
    fclose(text);
    close(root);
    unlink(path);
    rmdir(folder);
    return said;
}

static void golden_path(char *to, size_t size)
{
    const char *top = getenv("top_srcdir");

    snprintf(to, size, "%s/tests/golden/agent/talk.out",
             top && *top ? top : "..");
}

/* Returns the file's text, malloc'ed. */
static char *read_golden(const char *name)
{
    char *golden = NULL;
    size_t room = 0;
    FILE *file = fopen(name, "re");

    if ( !file || getdelim(&golden, &room, 0, file) < 0 )
        test_fail(__FILE__, __LINE__, "%s cannot be read", name);
    fclose(file);
    return golden;
}

TEST(each_version_s_bytes)
{
    char *said = say_all(), *golden, name[512];

    golden_path(name, sizeof(name));
    if ( getenv("GOLDEN_RECORD") )
    {
        FILE *file = fopen(name, "we");

        CHECK(file && fputs(said, file) >= 0 && !fclose(file));
    }
    golden = read_golden(name);
    CHECK_TEXT(said, golden);
    free(golden);
    free(said);
}
