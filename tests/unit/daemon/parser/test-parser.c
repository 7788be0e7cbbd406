/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real parser, with all of guest/, in its sandbox: a kernel in memory and
 * as a file, names, a stack.  The sandbox allows all that these need.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/parser/parser.h"
#include "daemon/parser/parser-keeper.h"
#include "daemon/parser/parser-link.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

#define SECOND 1000000000ul

static const struct link_limits patient = {10 * SECOND, 60 * SECOND,
                                           60 * SECOND, 0};

static struct fake_kernel fake;
static struct parser_keeper keeper;
static struct parser_maker maker;
static struct parser_link *link_now;

static void begin(void)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    if ( parser_keeper_start(&keeper, NULL, parser_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = parser_keeper_maker(&keeper);
    link_now = parser_link_open(&maker, &patient);
    CHECK(link_now);
    fake_kernel_open(&fake, &(struct fake_form){.modules = 3});
}

static void end(void)
{
    CHECK_EQ(parser_link_lives(link_now), 1);
    parser_link_close(link_now);
    parser_keeper_stop(&keeper);
    fake_kernel_close(&fake);
}

static size_t read_fake(void *self, uint32_t slot, uint64_t address, void *to,
                        size_t size)
{
    (void)self;
    (void)slot;
    return fake.memory.read(fake.memory.self, address, to, size);
}

static struct kernel_info finish(enum link_status answer)
{
    struct kernel_info info;
    enum kernel_status code;

    while ( answer == LINK_MORE )
        answer = parser_link_work(link_now, SECOND, read_fake, NULL, &code,
                                  &info);
    CHECK_EQ(answer, LINK_OK);
    CHECK_EQ(code, KERNEL_OK);
    return info;
}

static struct link_search look_at(uint32_t function)
{
    return (struct link_search){fake_function(&fake, function), 16 << 20,
                                false};
}

static void check_name(uint64_t address, const char *wanted, bool module)
{
    struct wire_name name;

    CHECK_EQ(parser_link_names(link_now, 1, &address, 1, &name), LINK_OK);
    CHECK_TEXT(name.name, wanted);
    CHECK_EQ(name.module != NULL, module);
}

TEST(parser_finds_a_kernel_in_memory)
{
    char wanted[FAKE_NAME_MAX];
    struct link_search search;
    struct kernel_info info;

    begin();
    search = look_at(70);
    info = finish(parser_link_find(link_now, 1, &search));
    CHECK_TEXT(info.release, "6.1.0-test");
    CHECK_EQ(info.modules, 3);
    CHECK(info.rows > 0);
    fake_function_name(&fake, 70, wanted);
    check_name(search.address + 3, wanted, false);
    finish(parser_link_modules(link_now, 1, &search));
    end();
}

TEST(parser_walks_a_stack)
{
    const struct xenoprof_registers registers = {.rsp = 0xffffc90000001000};
    const uint64_t words[8] = {0};
    struct unwind_start start = {
        .registers = &registers,
        .windows = {{registers.rsp, (const uint8_t *)words, sizeof(words)}},
        .kernel = true,
    };
    struct unwind_result frames;
    struct link_search search;

    begin();
    search = look_at(70);
    finish(parser_link_find(link_now, 1, &search));
    start.ip = search.address + 3;
    CHECK_EQ(parser_link_stack(link_now, 1, &start, &frames), LINK_OK);
    CHECK(frames.count >= 1);
    /* A slot without a kernel: the parser still answers. */
    CHECK_EQ(parser_link_stack(link_now, 2, &start, &frames), LINK_OK);
    end();
}

static int file_of(const struct fake_part *part)
{
    int file = memfd_create("kernel", MFD_CLOEXEC);

    CHECK(file >= 0);
    CHECK_EQ(pwrite(file, part->bytes, part->size, 0), part->size);
    return file;
}

TEST(parser_reads_files_of_each_packing)
{
    for ( int packing = FAKE_PLAIN; packing < FAKE_PACKINGS; packing++ )
    {
        struct fake_part elf = {0}, packed = {0};
        char wanted[FAKE_NAME_MAX];
        struct link_search search;

        begin();
        search = look_at(70);
        fake_elf(&fake, &elf);
        fake_pack(&elf, (enum fake_packing)packing, &packed);
        finish(parser_link_file(link_now, 1, &search, file_of(&packed),
                                packed.size));
        fake_function_name(&fake, 70, wanted);
        check_name(search.address + 3, wanted, false);
        free(elf.bytes);
        free(packed.bytes);
        end();
    }
}
