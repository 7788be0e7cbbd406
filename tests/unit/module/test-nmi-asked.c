/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/nmi-asked.h"
#include "tests/harness.h"

TEST(nmi_is_asked_for)
{
    CHECK_EQ(nmi_asked("nmi=fatal"), 'f');
    CHECK_EQ(nmi_asked("console=com1 nmi=dom0 loglvl=all"), 'd');
    CHECK_EQ(nmi_asked("nmi=fatal  nmi=ignore"), 'i');
    CHECK_EQ(nmi_asked("nmi="), ' ');
}

TEST(nmi_is_not_asked_for)
{
    CHECK_EQ(nmi_asked(""), 0);
    CHECK_EQ(nmi_asked("console=com1 watchdog=force"), 0);
    CHECK_EQ(nmi_asked("nmi nmis=fatal xnmi=fatal"), 0);
}

static bool is_fine(char letter)
{
    struct answer answer = {0};

    nmi_answer(letter, &answer);
    return answer.fine;
}

/* As Xen does: what it does not know is fatal. */
TEST(nmi_by_its_first_letter)
{
    CHECK(is_fine('d'));
    CHECK(is_fine('i'));
    CHECK(!is_fine('f'));
    CHECK(!is_fine('x'));
    CHECK(!is_fine(' '));
    CHECK(!is_fine(0));
}
