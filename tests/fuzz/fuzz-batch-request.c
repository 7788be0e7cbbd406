/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a walker is asked: stacks that a guest wrote, in requests that may be
 * damaged.  Whatever it answers, the daemon believes.
 */
#include <string.h>

#include "daemon/parser/batch-answers.h"
#include "daemon/parser/batch-requests.h"
#include "daemon/parser/walker-process.h"
#include "fuzz.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define BASE         0xffffffff81000000ull
#define REQUESTS_MAX (FUZZ_MAX / sizeof(struct batch_request))

/* A kernel of the stub, as its tables say it. */
static struct kernel *open_kernel(void)
{
    static const struct {
        uint32_t magic, finder;
        struct stub_image stub;
    } image = {0x494b5058u, 0, {4096, {.letter = 'K', .prefix = "function"}}};
    const struct kernel_tables tables = {
        .image = &image, .image_size = sizeof(image), .base = BASE};
    struct kernel *kernel = NULL;

    parser_stub_tame = true;
    FUZZ_CHECK(kernel_from_tables(&tables, &kernel) == KERNEL_OK);
    return kernel;
}

static size_t list_instructions(const uint8_t *at, size_t left, uint64_t *ret)
{
    struct read_request request;
    size_t count = 0, size;

    for ( ; left; at += size, left -= size )
    {
        size = batch_get_request(at, left, &request);
        if ( request.kind == BATCH_STACK )
            ret[count++] = request.start.ip;
    }
    return count;
}

/* The first byte says what is known of the guest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static _Alignas(64) uint8_t area[BATCH_SIZE];
    static uint64_t instructions[REQUESTS_MAX];
    static struct kernel *kernel;
    struct walked_guest guest;
    uint32_t requests, answers;
    size_t count;

    if ( size < 9 )
        return 0;
    if ( !kernel )
        kernel = open_kernel();
    walked_guest_init(&guest);
    guest.kernel = data[0] & 1 ? kernel : NULL;
    guest.pv = data[0] & 2;
    guest.frame_pointers = data[0] & 4;
    requests = (uint32_t)((size - 1) & ~(size_t)7);
    memcpy(area + BATCH_BEGIN, data + 1, requests);
    answers = walker_answer(&guest, area, requests);
    if ( answers )
    {
        count = list_instructions(area + BATCH_BEGIN, requests, instructions);
        FUZZ_CHECK(batch_check_answers(area + batch_answers_at(requests),
                                       answers, instructions, count));
    }
    walked_guest_free(&guest);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const uint64_t words[] = {BASE + 0x310, BASE + 0x410, 0x00327265746e7567};
    const struct xenoprof_registers registers = {.rsp = 0x1000};
    struct unwind_start start = {
        .ip = BASE + 5,
        .registers = &registers,
        .windows = {{0x1000, (const uint8_t *)words, 16},
                    {0x1020, (const uint8_t *)words, 24}},
        .kernel = true,
    };
    uint8_t *at = bytes + 1;

    if ( number > 7 )
        return 0;
    bytes[0] = (uint8_t)number;
    for ( unsigned int i = 0; i <= number; i++ )
    {
        start.bits32 = i == 2;
        start.kernel = i != 3;
        batch_put_stack(at, &start);
        at += batch_stack_size(&start);
        batch_put_name_request(at, BASE + 0x100 * i);
        at += sizeof(struct batch_request);
    }
    return (size_t)(at - bytes);
}
