/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests as they are written and read, and requests that are damaged. */
#include <string.h>

#include "daemon/parser/batch-requests.h"
#include "tests/harness.h"

static const struct xenoprof_registers registers = {.rsp = 0x1000, .rbp = 7};
static const uint8_t bytes[64] = "a stack of 13 and one of 8 bytes";

static const struct unwind_start odd = {
    .ip = 0xffffffff81000005,
    .registers = &registers,
    .windows = {{0x1000, bytes, 13}, {0x2000, bytes + 20, 8}},
    .bits32 = true,
    .kernel = true,
};

static uint8_t batch[4096] __attribute__((aligned(8)));
static struct read_request request;

TEST(a_stack_is_read_as_it_was_written)
{
    size_t size = batch_stack_size(&odd);

    CHECK_EQ(size, sizeof(struct batch_stack) + 16 + 8);
    batch_put_stack(batch, &odd);
    batch_put_name_request(batch + size, 0x1234);
    CHECK_EQ(batch_get_request(batch, sizeof(batch), &request), size);
    CHECK_EQ(request.kind, BATCH_STACK);
    CHECK_EQ(request.start.ip, odd.ip);
    CHECK_EQ(request.start.registers->rbp, 7);
    CHECK_EQ(request.start.windows[0].length, 13);
    CHECK_EQ(request.start.windows[1].address, 0x2000);
    CHECK(!memcmp(request.start.windows[0].bytes, bytes, 13));
    CHECK(!memcmp(request.start.windows[1].bytes, bytes + 20, 8));
    CHECK(request.start.bits32 && request.start.kernel);
    CHECK_EQ(batch_get_request(batch + size, 16, &request), 16);
    CHECK_EQ(request.kind, BATCH_NAME);
    CHECK_EQ(request.address, 0x1234);
}

static bool is_request(void (*damage)(struct batch_stack *stack), size_t left)
{
    batch_put_stack(batch, &odd);
    damage((struct batch_stack *)batch);
    return batch_get_request(batch, left, &request);
}

static void leave_it(struct batch_stack *stack)
{
    (void)stack;
}

static void set_kind(struct batch_stack *stack)
{
    stack->head.kind = 3;
}

static void set_small(struct batch_stack *stack)
{
    stack->head.size = 8;
}

static void set_odd(struct batch_stack *stack)
{
    stack->head.size++;
}

static void set_long(struct batch_stack *stack)
{
    stack->lengths[0] = 17;
}

static void set_huge(struct batch_stack *stack)
{
    stack->lengths[0] = 0xfffffff8;
    stack->lengths[1] = 0x20;
}

static void set_bits(struct batch_stack *stack)
{
    stack->bits32 = 2;
}

static void set_name(struct batch_stack *stack)
{
    stack->head.kind = BATCH_NAME;
}

TEST(what_is_damaged_is_not_a_request)
{
    static void (*const damages[])(struct batch_stack *) = {
        set_kind, set_small, set_odd, set_long, set_huge, set_bits, set_name,
    };
    size_t size = batch_stack_size(&odd);

    CHECK(is_request(leave_it, size));
    CHECK(!is_request(leave_it, size - 8));
    CHECK(!is_request(leave_it, 15));
    CHECK(!is_request(leave_it, 0));
    for ( size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++ )
        if ( is_request(damages[i], sizeof(batch)) )
            test_fail(__FILE__, __LINE__, "damage %zu was not seen", i);
}
