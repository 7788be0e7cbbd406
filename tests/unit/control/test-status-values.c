/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/status-values.h"
#include "tests/harness.h"

/* Each row of each line, with a value of its own: what was sent is taken. */
#define STATUS_LINE(line)                                                      \
    TEST(status_values_of_a_line_##line)                                       \
    {                                                                          \
        static struct status_##line sent, taken;                               \
        uint8_t number = 0;                                                    \
        char *text;                                                            \
        size_t size;                                                           \
        FILE *file = open_memstream(&text, &size);
#define STATUS_LIST(line, list) STATUS_LINE(line)
#define STATUS_TEXT(line, key, ...)                                            \
    snprintf(sent.key, sizeof(sent.key), "%% %u\n", ++number);
#define STATUS_NUMBER(line, key, ...) sent.key = ++number;
#define STATUS_COUNT(line, key, ...)  sent.key = ++number;
#define STATUS_END(line)                                                       \
    CHECK(number > 0);                                                         \
    status_put_##line(&sent, #line, file);                                     \
    fclose(file);                                                              \
    CHECK(!strncmp(text, #line " ", strlen(#line " ")));                       \
    CHECK_EQ(strcspn(text, "\n"), size - 1);                                   \
    text[size - 1] = '\0';                                                     \
    status_take_##line(&taken, text);                                          \
    CHECK(!memcmp(&sent, &taken, sizeof(sent)));                               \
    free(text);                                                                \
    }
#include "control/status-values.def"

/* A daemon that lies, or is of another version. */
TEST(status_values_that_do_not_fit)
{
    struct status_ring ring = {.number = 9, .uuid = "kept"};

    status_take_ring(&ring, "ring domain=65539 unit=-1 ended=4294967297 made=x "
                            "kind=much-too-long newer=5");
    CHECK_EQ(ring.number, 0);
    CHECK_EQ(ring.domain, 3);
    CHECK_EQ(ring.unit, 0);
    CHECK_EQ(ring.ended, 1);
    CHECK_EQ(ring.made, 0);
    CHECK_TEXT(ring.kind, "much-to");
    CHECK_TEXT(ring.uuid, "kept");
}

TEST(status_values_that_are_too_long_are_cut)
{
    const char *volatile text = "much-too-long";
    struct status_ring ring;

    STATUS_COPY(ring.kind, text);
    CHECK_TEXT(ring.kind, "much-to");
}

TEST(status_of_rings)
{
    struct xenoprof_ring_info info = {
        .ring = 5,
        .generation = 2,
        .domain = 3,
        .vcpu = 1,
        .kind = XENOPROF_RING_VCPU,
        .uuid = {3},
        .size = 4096,
        .made = 60,
    };
    struct status_ring ring = {.lost = 7};

    status_ring_of(&ring, &info, 50);
    CHECK_EQ(ring.number, 5);
    CHECK_EQ(ring.generation, 2);
    CHECK_TEXT(ring.kind, "vcpu");
    CHECK_EQ(ring.domain, 3);
    CHECK_TEXT(ring.name, "");
    CHECK_TEXT(ring.uuid, "03000000-0000-0000-0000-000000000000");
    CHECK_EQ(ring.unit, 1);
    CHECK_EQ(ring.made, 60);
    CHECK_EQ(ring.read, 50);
    CHECK_EQ(ring.lost, 7);
    CHECK_EQ(ring.size, 4096);
    info.kind = XENOPROF_RING_PCPU;
    status_ring_of(&ring, &info, 50);
    CHECK_TEXT(ring.kind, "pcpu");
    CHECK_EQ(ring.domain, DOMAIN_ID_IDLE);
    CHECK_TEXT(ring.name, DOMAIN_NAME_IDLE);
}

TEST(status_of_rings_that_have_ended)
{
    struct xenoprof_ring_sum sum = {
        .owner = {.domain = 3, .kind = XENOPROF_RING_VCPU},
        .rings = 4,
        .made = 60,
        .read = 50,
        .lost_daemon = 4,
        .lost = {[XENOPROF_LOST_RING] = 6},
    };
    struct status_ring ring = {.lost = 0};

    status_ring_of_sum(&ring, &sum);
    CHECK_EQ(ring.domain, 3);
    CHECK_TEXT(ring.name, "");
    CHECK_TEXT(ring.state, "gone");
    CHECK_EQ(ring.ended, 4);
    CHECK_EQ(ring.made, 60);
    CHECK_EQ(ring.read, 50);
    CHECK_EQ(ring.lost, 10);
    sum.owner = (struct xenoprof_ring_owner){.domain = XENOPROF_OTHERS};
    status_ring_of_sum(&ring, &sum);
    CHECK_TEXT(ring.kind, "vcpu");
    CHECK_TEXT(ring.name, ENDED_OTHERS);
    sum.owner.kind = XENOPROF_RING_PCPU;
    status_ring_of_sum(&ring, &sum);
    CHECK_TEXT(ring.name, DOMAIN_NAME_IDLE);
}
