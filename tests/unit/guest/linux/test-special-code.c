/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of code with a rule of its own; tests/golden/unwind has the rules. */
#include "guest/linux/special-code.h"
#include "tests/harness.h"

TEST(special_code_has_names)
{
    CHECK_EQ(special_code_of("xen_iret"), UNWIND_EDGE);
    CHECK_EQ(special_code_of("xen_iret2"), UNWIND_ORDINARY);
    CHECK_EQ(special_code_of("xen_failsafe_callback"), UNWIND_EDGE);
    CHECK_EQ(special_code_of("__x86_indirect_thunk_array"), UNWIND_THUNK);
    CHECK_EQ(special_code_of("__x86_indirect_its_thunk_r11"), UNWIND_THUNK);
    CHECK_EQ(special_code_of("__x86_return_thunk"), UNWIND_ORDINARY);
    CHECK_EQ(special_code_of("clear_bhb_loop"), UNWIND_LOOP);
    CHECK_EQ(special_code_of("__switch_to_asm"), UNWIND_SWITCH);
    CHECK_EQ(special_code_of("__switch_to"), UNWIND_ORDINARY);
    CHECK_EQ(special_code_of("hypercall_page"), UNWIND_HYPERCALL);
    CHECK_EQ(special_code_of("xen_hypercall_sched_op"), UNWIND_HYPERCALL);
    CHECK_EQ(special_code_of("xen_hypercall_pv"), UNWIND_ORDINARY);
    CHECK_EQ(special_code_of("vfs_read"), UNWIND_ORDINARY);
    CHECK_EQ(special_code_of(""), UNWIND_ORDINARY);
}
