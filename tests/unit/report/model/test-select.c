/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/labels.h"
#include "report/model/select.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static struct failure failure;

static char *add(struct selection *selection, const char *text)
{
    char *shown = NULL;
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    CHECK(file);
    CHECK_EQ(selection_add(selection, text, &failure), STATUS_DONE);
    selection_print(selection, file);
    fclose(file);
    return shown;
}

static void check_add(const char *text, const char *wanted)
{
    struct selection selection = {.range = {.from = {0}}};
    char *shown = add(&selection, text);

    CHECK_TEXT(shown, wanted);
    CHECK(selection_filters(&selection));
    free(shown);
    selection_free(&selection);
}

TEST(select_takes_lists_of_values_and_of_keys)
{
    check_add("domain=3", "domain=3");
    check_add("domain=3,web,5", "domain=3,web,5");
    check_add("mode=xen,kernel,domain=3,vcpu=0-3,7",
              "domain=3 vcpu=0-3,7 mode=xen,kernel");
    check_add("symbol=f(int\\,char),g", "symbol=f(int,char),g");
    check_add("symbol=a\\\\b", "symbol=a\\b");
    check_add("symbol=x=y", "symbol=x=y");
    check_add("vcpu=web/0-3,a/b/7,2", "vcpu=web/0-3,a/b/7,2");
    check_add("reason=hypercall*,outside,timers,stack=main;re*d",
              "reason=hypercall*,outside,timers stack=main;re*d");
    check_add("time=1..2,mode=idle", "mode=idle time=1..2");
}

TEST(select_adds_to_what_was_there)
{
    struct selection selection = {.range = {.from = {0}}};

    CHECK(!selection_filters(&selection));
    free(add(&selection, "domain=1"));
    free(add(&selection, "domain=2,pcpu=1"));
    CHECK_EQ(selection.filters[FILTER_DOMAIN].count, 2);
    CHECK_EQ(selection.filters[FILTER_PCPU].count, 1);
    CHECK_EQ(selection.filters[FILTER_PCPU].items[0].high, 1);
    selection_free(&selection);
}

TEST(select_refuses_nonsense)
{
    static const char *const wrong[] = {
        "",          "domain",     "colour=red", "mode=",        "mode=fast",
        "vcpu=-1",   "vcpu=2-1",   "pcpu=65536", "time=1",       "time=2..1",
        "vcpu=0x1",  "pcpu=1-2-3", "mode=xen,",  "time=..,2..3", "vcpu=/1",
        "vcpu=web/", "pcpu=web/1", "reason=",    "stack=",
    };

    for ( unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
    {
        struct selection selection = {.range = {.from = {0}}};

        if ( selection_add(&selection, wrong[i], &failure) != STATUS_USAGE )
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", wrong[i]);
        CHECK(strlen(failure.text) > 0);
        selection_free(&selection);
    }
}

TEST(labels_are_read_in_their_order)
{
    struct label_list list;

    CHECK_EQ(label_list_parse("symbol,domain", &list, &failure), STATUS_DONE);
    CHECK_EQ(list.count, 2);
    CHECK_EQ(list.label[0], LABEL_SYMBOL);
    CHECK_EQ(list.label[1], LABEL_DOMAIN);
    CHECK(label_list_has(&list, LABEL_DOMAIN));
    CHECK(!label_list_has(&list, LABEL_PCPU));
}

TEST(labels_that_are_none_are_refused)
{
    static const char *const wrong[] = {"",    "domain,", ",domain",
                                        "dom", "domain ", "mode,mode"};
    struct label_list list;

    for ( unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
        if ( label_list_parse(wrong[i], &list, &failure) != STATUS_USAGE )
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", wrong[i]);
}
