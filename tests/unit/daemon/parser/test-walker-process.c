/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a walker answers, in this process. */
#include <string.h>

#include "daemon/parser/batch-answers.h"
#include "daemon/parser/batch-requests.h"
#include "daemon/parser/walker-process.h"
#include "parser-stub.h"
#include "tests/harness.h"

#define BASE 0xffffffff81000000ull

static uint8_t area[BATCH_SIZE] __attribute__((aligned(64)));
static struct walked_guest guest;
static struct kernel *of_guest;
static uint32_t requests;

static void begin(void)
{
    /* As kernel_put_image() and the stub write it. */
    static const struct {
        uint32_t magic, finder;
        struct stub_image stub;
    } image = {0x494b5058u, 0, {4096, {.letter = 'K', .prefix = "function"}}};
    const struct kernel_tables tables = {
        .image = &image, .image_size = sizeof(image), .base = BASE};

    walked_guest_free(&guest);
    kernel_close(of_guest);
    of_guest = NULL;
    walked_guest_init(&guest);
    CHECK_EQ(kernel_from_tables(&tables, &of_guest), KERNEL_OK);
    guest.kernel = of_guest;
    requests = 0;
}

/* A stack of the leaf and count callers, 8 bytes apart from first on. */
static void add_stack(uint64_t first, unsigned int count)
{
    static const struct xenoprof_registers registers;
    static uint64_t words[GUEST_FRAMES_MAX];
    struct unwind_start start = {
        .ip = BASE,
        .registers = &registers,
        .windows = {{0x1000, (const uint8_t *)words, count * 8}},
        .kernel = true,
    };

    for ( unsigned int i = 0; i < count; i++ )
        words[i] = first + 8 * i;
    batch_put_stack(area + BATCH_BEGIN + requests, &start);
    requests += (uint32_t)batch_stack_size(&start);
}

/* Sends the batch.  Returns how many names came with it. */
static uint32_t answer(size_t stacks)
{
    uint64_t instructions[600];
    struct batch_answers head;
    uint8_t *at = area + batch_answers_at(requests);
    uint32_t size = walker_answer(&guest, area, requests);

    for ( size_t i = 0; i < stacks; i++ )
        instructions[i] = BASE;
    CHECK(batch_check_answers(at, size, instructions, stacks));
    memcpy(&head, at, sizeof(head));
    requests = 0;
    return head.names;
}

TEST(a_walker_names_what_it_has_not_named)
{
    begin();
    add_stack(BASE + 0x100, 10);
    add_stack(BASE + 0x100, 12);
    CHECK_EQ(answer(2), 13);
    add_stack(BASE + 0x100, 13);
    CHECK_EQ(answer(1), 1);
}

/* What finds no room comes in a later batch. */
TEST(names_that_do_not_fit_come_later)
{
    uint32_t names = 0, once;
    unsigned int rounds = 0;

    begin();
    do
    {
        for ( unsigned int i = 0; i < 400; i++ )
            add_stack(BASE + 0x400 * i + 1, 127);
        once = answer(400);
        names += once;
        rounds++;
    } while ( once );
    CHECK(rounds > 3);
    CHECK_EQ(names, 400 * 127); /* the leaf is one of them */
}

TEST(a_walker_remembers_so_many_names)
{
    uint32_t names = 0, once;

    begin();
    for ( unsigned int group = 0; group < 3; group++ )
        do
        {
            for ( unsigned int i = 0; i < 300; i++ )
                add_stack(BASE + 1 + group + 0x400 * i, 127);
            once = answer(300);
            names += once;
        } while ( once );
    CHECK_EQ(names, WALKER_NAMED_MAX);
    CHECK_EQ(guest.named.count, WALKER_NAMED_MAX);
}

TEST(requests_that_are_not_ones_are_not_answered)
{
    begin();
    add_stack(BASE, 3);
    CHECK_EQ(walker_answer(&guest, area, requests - 8), 0);
    CHECK_EQ(walker_answer(&guest, area, requests + 8), 0);
}
