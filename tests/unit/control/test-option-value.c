/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each type of value at its limits; test-start-options has the real rows. */
#include <stdlib.h>
#include <string.h>

#include "control/kernel-files.h"
#include "control/number-set.h"
#include "control/option-value.h"
#include "tests/harness.h"

static struct failure failure;

static const struct option_choice choices[] = {
    {"low", 1}, {"lower", 2}, {"high", 4}, {NULL, 0}};
static const struct option_row flag = {.shown = {"flag", NULL, ""},
                                       .type = VALUE_FLAG};
static const struct option_row number = {
    .shown = {"number", "N", ""},
    .type = VALUE_NUMBER,
    .min = 10,
    .max = 4294967295u,
    .unit = "Hz",
    .usual = 97,
};
static const struct option_row lease = {
    .shown = {"lease", "N", ""},
    .type = VALUE_NUMBER,
    .min = 10,
    .max = 20,
    .unit = "seconds",
    .zero = "for ever",
};
static const struct option_row power = {
    .shown = {"power", "N", ""},
    .type = VALUE_POWER_OF_TWO,
    .min = 4,
    .max = 1024,
    .unit = "KiB",
};
static const struct option_row word = {
    .shown = {"word", "W", ""}, .type = VALUE_WORD, .choices = choices};
static const struct option_row words = {
    .shown = {"words", "W", ""}, .type = VALUE_WORDS, .choices = choices};
static const struct option_row text = {
    .shown = {"text", "T", ""}, .type = VALUE_TEXT, .size = 8};
static const struct option_row path = {
    .shown = {"path", "P", ""}, .type = VALUE_PATH, .size = 8};

/* Sets an unsigned int: to value, or it stays and there is a sentence. */
static void check(const struct option_row *row, const char *from, int status,
                  unsigned int value)
{
    unsigned int member = 1234;

    failure = (struct failure){0};
    if ( option_set(row, &member, from, &failure) != status )
        test_fail(__FILE__, __LINE__, "--%s=%s: status %d, wanted %d: %s",
                  row->shown.name, from, failure.status, status, failure.text);
    CHECK_EQ(member, status ? 1234 : value);
    CHECK_EQ(!failure.text[0], !status);
    CHECK(!status || strstr(failure.text, row->shown.name));
}

TEST(numbers_within_their_limits)
{
    check(&flag, "1", 0, 1);
    check(&flag, "0", STATUS_USAGE, 0);
    check(&number, "10", 0, 10);
    check(&number, "4294967295", 0, 4294967295u);
    check(&number, "9", STATUS_RANGE, 0);
    check(&number, "0", STATUS_RANGE, 0);
    check(&number, "4294967296", STATUS_RANGE, 0);
    check(&number, "18446744073709551626", STATUS_RANGE, 0);
    check(&number, "-10", STATUS_RANGE, 0);
    check(&number, "+10", STATUS_RANGE, 0);
    check(&number, " 10", STATUS_RANGE, 0);
    check(&number, "10 ", STATUS_RANGE, 0);
    check(&number, "0x10", STATUS_RANGE, 0);
    check(&number, "", STATUS_RANGE, 0);
}

TEST(zero_where_it_means_something)
{
    check(&lease, "0", 0, 0);
    check(&lease, "10", 0, 10);
    check(&lease, "21", STATUS_RANGE, 0);
    CHECK_TEXT(failure.text, "--lease=21 is out of range: 10 to 20 seconds, "
                             "or 0 for ever");
}

/* What is between 0 and the least value is not allowed by the 0. */
TEST(numbers_between_zero_and_the_least)
{
    check(&lease, "1", STATUS_RANGE, 0);
    check(&lease, "9", STATUS_RANGE, 0);
}

TEST(powers_of_two)
{
    check(&power, "4", 0, 4);
    check(&power, "1024", 0, 1024);
    check(&power, "2", STATUS_RANGE, 0);
    check(&power, "0", STATUS_RANGE, 0);
    check(&power, "12", STATUS_RANGE, 0);
    check(&power, "2048", STATUS_RANGE, 0);
}

TEST(words_as_a_whole)
{
    check(&word, "low", 0, 1);
    check(&word, "lower", 0, 2);
    check(&word, "lo", STATUS_RANGE, 0);
    check(&word, "lowest", STATUS_RANGE, 0);
    check(&word, "", STATUS_RANGE, 0);
    check(&word, "low,high", STATUS_RANGE, 0);
    CHECK_TEXT(failure.text,
               "unknown word 'low,high': use low or lower or high");
    check(&words, "none", 0, 0);
    check(&words, "high,low,high", 0, 5);
    check(&words, "low,", STATUS_RANGE, 0);
    check(&words, "none,low", STATUS_RANGE, 0);
}

/* A text has all of its member but the final zero, and never more. */
static void check_text(const struct option_row *row, const char *from,
                       int status)
{
    char member[10] = "before";

    member[row->size] = '#';
    failure = (struct failure){0};
    CHECK_EQ(option_set(row, member, from, &failure), status);
    CHECK_TEXT(member, status ? "before" : from);
    CHECK_EQ(member[row->size], '#');
}

TEST(texts_that_fit_and_those_that_do_not)
{
    check_text(&text, "1234567", 0);
    check_text(&text, "12345678", STATUS_RANGE);
    CHECK_TEXT(failure.text, "--text is longer than 7 bytes");
    check_text(&text, "", STATUS_USAGE);
    check_text(&path, "/123456", 0);
    check_text(&path, "/1234567", STATUS_RANGE);
    check_text(&path, "123", STATUS_USAGE);
    check_text(&path, "", STATUS_USAGE);
}

static void check_put(const struct option_row *row, const void *member,
                      const char *wanted)
{
    char *line = NULL;
    size_t size;
    FILE *file = open_memstream(&line, &size);

    option_put(row, member, file);
    CHECK_EQ(fclose(file), 0);
    CHECK_TEXT(line, wanted);
    free(line);
}

TEST(usual_values_are_left_out)
{
    struct option_row always = number;
    const unsigned int usual = 97, other = 98, some = 5, none = 0, one = 4;

    always.always = true;
    check_put(&number, &usual, "");
    check_put(&number, &other, " number=98");
    check_put(&always, &usual, " number=97");
    check_put(&words, &some, " words=low,high");
    check_put(&words, &none, "");
    check_put(&word, &one, " word=high");
    check_put(&text, "", "");
    check_put(&text, "a b", " text=a%20b");
}
