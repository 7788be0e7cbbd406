/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recipes on the shapes that compilers give to the same statement, and on
 * what newer series of Xen have changed.  The code is ours.
 */
#include "facts-kit.h"

#include <string.h>

#include "module/facts/pattern.h"
#include "module/facts/recipes.h"
#include "tests/harness.h"

/* A call or jump at this offset of the function, to its first or second
 * callee. */
#define TO(callee, at)   KIT_FUNCTION_SIZE *(callee) - (at)-5, 0, 0, 0
#define CALL(callee, at) 0xe8, TO(callee, at)
#define JUMP(callee, at) 0xe9, TO(callee, at)

#define CURRENT_IN_RAX                                                         \
    0x48, 0x89, 0xe0,                       /* mov %rsp,%rax */                \
        0x48, 0x0d, 0xff, 0x7f, 0x00, 0x00, /* or $0x7fff,%rax */              \
        0x48, 0x8b, 0x40, 0xc9              /* mov -0x37(%rax),%rax */

/* d->handle = config->handle, 16 bytes ------------------------------------ */

static const uint8_t row_of_two[] = {
    0x53,                         /* push %rbx */
    0x48,       0x89, 0xf3,       /* mov %rsi,%rbx */
    CALL(1, 4),                   /* call alloc_domain_struct */
    0x48,       0x8b, 0x53, 0x04, /* mov 0x4(%rbx),%rdx */
    0x48,       0x8b, 0x4b, 0x0c, /* mov 0xc(%rbx),%rcx */
    0x48,       0x89, 0x90, 0x88, 0x07, 0x00, 0x00, /* mov %rdx,0x788(%rax) */
    0x48,       0x89, 0x88, 0x90, 0x07, 0x00, 0x00, /* mov %rcx,0x790(%rax) */
    0x5b,                                           /* pop %rbx */
    0xc3,                                           /* ret */
};
static const uint8_t row_of_four[] = {
    0x53,                                     /* push %rbx */
    0x48,       0x89, 0xf3,                   /* mov %rsi,%rbx */
    CALL(1, 4),                               /* call alloc_domain_struct */
    0x8b,       0x53, 0x04,                   /* mov 0x4(%rbx),%edx */
    0x89,       0x90, 0x88, 0x07, 0x00, 0x00, /* mov %edx,0x788(%rax) */
    0x8b,       0x53, 0x08,                   /* mov 0x8(%rbx),%edx */
    0x89,       0x90, 0x8c, 0x07, 0x00, 0x00, /* mov %edx,0x78c(%rax) */
    0xc7,       0x00, 0x00, 0x00, 0x00, 0x00, /* movl $0,(%rax) */
    0x8b,       0x53, 0x0c,                   /* mov 0xc(%rbx),%edx */
    0x89,       0x90, 0x90, 0x07, 0x00, 0x00, /* mov %edx,0x790(%rax) */
    0x8b,       0x53, 0x10,                   /* mov 0x10(%rbx),%edx */
    0x89,       0x90, 0x94, 0x07, 0x00, 0x00, /* mov %edx,0x794(%rax) */
    0x5b,                                     /* pop %rbx */
    0xc3,                                     /* ret */
};
static const uint8_t by_memcpy[] = {
    0x53,                    /* push %rbx */
    0x48,        0x89, 0xf3, /* mov %rsi,%rbx */
    CALL(1, 4),              /* call alloc_domain_struct */
    0x48,        0x8d, 0xb8, 0x88, 0x07, 0x00, 0x00, /* lea 0x788(%rax),%rdi */
    0x48,        0x8d, 0x73, 0x04,                   /* lea 0x4(%rbx),%rsi */
    0xba,        0x10, 0x00, 0x00, 0x00,             /* mov $16,%edx */
    CALL(2, 25),                                     /* call memcpy */
    0x5b,                                            /* pop %rbx */
    0xc3,                                            /* ret */
};
static const uint8_t by_rep_movs[] = {
    0x53,                   /* push %rbx */
    0x48,       0x89, 0xf3, /* mov %rsi,%rbx */
    CALL(1, 4),             /* call alloc_domain_struct */
    0x48,       0x8d, 0xb8, 0x88, 0x07, 0x00, 0x00, /* lea 0x788(%rax),%rdi */
    0x48,       0x8d, 0x73, 0x04,                   /* lea 0x4(%rbx),%rsi */
    0xb9,       0x04, 0x00, 0x00, 0x00,             /* mov $4,%ecx */
    0xf3,       0xa5,                               /* rep movsl */
    0x5b,                                           /* pop %rbx */
    0xc3,                                           /* ret */
};
static const uint8_t by_movs[] = {
    0x53,                   /* push %rbx */
    0x48,       0x89, 0xf3, /* mov %rsi,%rbx */
    CALL(1, 4),             /* call alloc_domain_struct */
    0x48,       0x8d, 0xb8, 0x88, 0x07, 0x00, 0x00, /* lea 0x788(%rax),%rdi */
    0x48,       0x8d, 0x73, 0x04,                   /* lea 0x4(%rbx),%rsi */
    0x48,       0xa5,                               /* movsq */
    0x48,       0xa5,                               /* movsq */
    0x5b,                                           /* pop %rbx */
    0xc3,                                           /* ret */
};
/* info->handle = d->handle */
static const uint8_t row_to_info[] = {
    0x48, 0x8b, 0x87, 0x88, 0x07, 0x00, 0x00, /* mov 0x788(%rdi),%rax */
    0x48, 0x89, 0x46, 0x4c,                   /* mov %rax,0x4c(%rsi) */
    0x48, 0x8b, 0x87, 0x90, 0x07, 0x00, 0x00, /* mov 0x790(%rdi),%rax */
    0x48, 0x89, 0x46, 0x54,                   /* mov %rax,0x54(%rsi) */
    0xc3,                                     /* ret */
};
static const uint8_t memcpy_to_info[] = {
    0x48,        0x89, 0xf8,                         /* mov %rdi,%rax */
    0x48,        0x8d, 0x7e, 0x4c,                   /* lea 0x4c(%rsi),%rdi */
    0x48,        0x8d, 0xb0, 0x88, 0x07, 0x00, 0x00, /* lea 0x788(%rax),%rsi */
    0xba,        0x10, 0x00, 0x00, 0x00,             /* mov $16,%edx */
    JUMP(1, 19),                                     /* jmp memcpy */
};

/* Facts of which some builds lack a place ---------------------------------- */

/* id < d->max_vcpus of the current domain */
static const uint8_t bound_of_vcpus[] = {
    CURRENT_IN_RAX, 0x48, 0x8b, 0x40, 0x18, /* mov 0x18(%rax),%rax */
    0x3b,           0x70, 0x04,             /* cmp 0x4(%rax),%esi */
    0xc3,                                   /* ret */
};
/* A bit for each vCPU of d. */
static const uint8_t bits_of_vcpus[] = {
    0x8b,        0x77, 0x04,                         /* mov 0x4(%rdi),%esi */
    0x48,        0x8b, 0xbf, 0xb8, 0x00, 0x00, 0x00, /* mov 0xb8(%rdi),%rdi */
    JUMP(1, 10),                                     /* jmp __bitmap_empty */
};
/* info->ctrlreg[1] = user table ? user table << 12 : 0 */
static const uint8_t root_to_info[] = {
    0x48, 0x8b, 0x87, 0xc0, 0x09, 0x00, 0x00, /* mov 0x9c0(%rdi),%rax */
    0x48, 0x85, 0xc0,                         /* test %rax,%rax */
    0x74, 0x04,                               /* je 1f */
    0x48, 0xc1, 0xe0, 0x0c,                   /* shl $12,%rax */
    0x48, 0x89, 0x86, 0x80, 0x13, 0x00, 0x00, /* 1: mov %rax,0x1380(%rsi) */
    0xc3,                                     /* ret */
};
#define CLEAR(low, high)                                                       \
    0x48, 0xc7, 0x87, low, high, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
/* v->arch.cr3 = 0, and no tables any more */
static const uint8_t roots_cleared[] = {
    CLEAR(0xe8, 0x09), /* movq $0,0x9e8(%rdi) */
    CLEAR(0xd0, 0x09), /* movq $0,0x9d0(%rdi) */
    CLEAR(0xc0, 0x09), /* movq $0,0x9c0(%rdi) */
    0xc3,              /* ret */
};
/* page's owner = d, as a frame number of the direct map */
static const uint8_t owner_set[] = {
    0x48, 0xb8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7d, 0x00, 0x00, /* movabs */
    0x48, 0x01, 0xf0,       /* add %rsi,%rax */
    0x48, 0xc1, 0xe8, 0x0c, /* shr $12,%rax */
    0x89, 0x47, 0x18,       /* mov %eax,0x18(%rdi) */
    0xc3,                   /* ret */
};
/* page's owner == d */
static const uint8_t owner_compared[] = {
    0x8b, 0x47, 0x18,       /* mov 0x18(%rdi),%eax */
    0x48, 0xc1, 0xe0, 0x0c, /* shl $12,%rax */
    0x48, 0xba, 0x00, 0x00, 0x00, 0x00, 0x00, 0x83, 0xff, 0xff, /* movabs */
    0x48, 0x01, 0xd0, /* add %rdx,%rax */
    0x48, 0x39, 0xf0, /* cmp %rsi,%rax */
    0xc3,             /* ret */
};

/* What newer series changed ------------------------------------------------ */

/* 4.22: another field comes between the addresses of the control block. */
static const uint8_t runs_guests[] = {
    CURRENT_IN_RAX, 0x48, 0x8b, 0x80,
    0x90,           0x05, 0x00, 0x00, /* mov 0x590(%rax),%rax */
    0x0f,           0x01, 0xd8,       /* vmrun */
    0xc3,                             /* ret */
};
/* 4.22: switch_cr3_cr4(v, v->arch.cr3, ..) */
static const uint8_t root_of_a_vcpu[] = {
    0x48,       0x8b, 0xb7, 0xe8, 0x09, 0x00, 0x00, /* mov 0x9e8(%rdi),%rsi */
    JUMP(1, 7),                                     /* jmp switch_cr3_cr4 */
};
/* 4.17 to 4.21: switch_cr3_cr4(v->arch.cr3, ..) */
static const uint8_t root_alone[] = {
    0x48,       0x8b, 0xbf, 0xe8, 0x09, 0x00, 0x00, /* mov 0x9e8(%rdi),%rdi */
    JUMP(1, 7),                                     /* jmp switch_cr3_cr4 */
};
/* 4.21: a frame is 168 bytes, and 248 lie between it and the stack's end. */
static const uint8_t frame_is_moved[] = {
    0x48, 0x89, 0xe7,                         /* mov %rsp,%rdi */
    0x48, 0x81, 0xcf, 0xff, 0x7f, 0x00, 0x00, /* or $0x7fff,%rdi */
    0x48, 0x81, 0xef, 0xf7, 0x00, 0x00, 0x00, /* sub $0xf7,%rdi */
    0xb9, 0x15, 0x00, 0x00, 0x00,             /* mov $21,%ecx */
    0xf3, 0x48, 0xa5,                         /* rep movsq */
    0xc3,                                     /* ret */
};

/* debug=y: guest_mode() asks first whether the frame is in this stack. */
static const uint8_t frame_is_near[] = {
    0x48, 0x89, 0xe0,                   /* mov %rsp,%rax */
    0x48, 0x0d, 0xff, 0x7f, 0x00, 0x00, /* or $0x7fff,%rax */
    0x48, 0x2d, 0xf7, 0x00, 0x00, 0x00, /* sub $0xf7,%rax */
    0x48, 0x29, 0xf8,                   /* sub %rdi,%rax */
    0x48, 0x3d, 0xff, 0x7f, 0x00, 0x00, /* cmp $0x7fff,%rax */
    0xc3,                               /* ret */
};

/* The list of domains, and why a vCPU waits, as 4.22 has them -------------- */

/* for_each_domain(d) update_domain_wallclock_time(d); */
static const uint8_t each_domain[] = {
    0x48,        0x8b, 0x1d, TO(1, 2), /* mov domain_list,%rbx */
    0x48,        0x85, 0xdb,           /* test %rbx,%rbx */
    0x74,        0x14,                 /* je 2f */
    0x48,        0x89, 0xdf,           /* 1: mov %rbx,%rdi */
    CALL(2, 15),                       /* call update_... */
    0x48,        0x8b, 0x9b, 0x90,
    0x00,        0x00, 0x00, /* mov 0x90(%rbx),%rbx */
    0x48,        0x85, 0xdb, /* test %rbx,%rbx */
    0x75,        0xec,       /* jne 1b */
    0xc3,                    /* 2: ret */
};
/* domlist_remove(d): 4.20 and newer have it in a function, which is inlined. */
static const uint8_t domain_leaves[] = {
    0x48, 0x8d, 0x05, TO(1, 2),                   /* lea domain_list,%rax */
    0x48, 0x8b, 0x10,                             /* 1: mov (%rax),%rdx */
    0x48, 0x39, 0xfa,                             /* cmp %rdi,%rdx */
    0x74, 0x09,                                   /* je 2f */
    0x48, 0x8d, 0x82, 0x90,     0x00, 0x00, 0x00, /* lea 0x90(%rdx),%rax */
    0xeb, 0xef,                                   /* jmp 1b */
    0x48, 0x8b, 0x97, 0x90,     0x00, 0x00, 0x00, /* 2: mov 0x90(%rdi),%rdx */
    0x48, 0x89, 0x10,                             /* mov %rdx,(%rax) */
    0xc3,                                         /* ret */
};
/* The same by gcc 12, which reads the first domain apart. */
static const uint8_t domain_leaves_by_gcc[] = {
    0x48, 0x8b, 0x05, TO(1, 2),                   /* mov domain_list,%rax */
    0x48, 0x8d, 0x15, TO(1, 9),                   /* lea domain_list,%rdx */
    0x48, 0x39, 0xc3,                             /* cmp %rax,%rbx */
    0x74, 0x0c,                                   /* je 2f */
    0x48, 0x8b, 0x80, 0x90,     0x00, 0x00, 0x00, /* 1: mov 0x90(%rax),%rax */
    0x48, 0x39, 0xc3,                             /* cmp %rax,%rbx */
    0x75, 0xf4,                                   /* jne 1b */
    0xc3,                                         /* 2: ret */
};
/* The first domain: d->next_in_list = domain_list, domain_list = d */
static const uint8_t domain_enters[] = {
    CALL(1, 0),                       /* call alloc_domain_struct */
    0x48,       0x8b, 0x15, TO(2, 7), /* mov domain_list,%rdx */
    0x48,       0x89, 0x90, 0x90,
    0x00,       0x00, 0x00,            /* mov %rdx,0x90(%rax) */
    0x48,       0x89, 0x05, TO(2, 21), /* mov %rax,domain_list */
    0xc3,                              /* ret */
};
/* v->pause_flags & VPF_down, in memory and in a register */
static const uint8_t is_down[] = {
    0xf6, 0x87, 0x40, 0x01, 0x00, 0x00, 0x02, /* testb $2,0x140(%rdi) */
    0xc3,                                     /* ret */
};
static const uint8_t is_down_in_rax[] = {
    0x48, 0x8b, 0x87, 0x40, 0x01, 0x00, 0x00, /* mov 0x140(%rdi),%rax */
    0xa8, 0x02,                               /* test $2,%al */
    0xc3,                                     /* ret */
};
/* 4.22: what a vCPU has run is asked for alone. */
static const uint8_t is_blocked[] = {
    0x48,        0x8b, 0x47, 0x10, /* mov 0x10(%rdi),%rax */
    0x48,        0x8b, 0x18,       /* mov (%rax),%rbx */
    0x48,        0x89, 0xdf,       /* mov %rbx,%rdi */
    CALL(1, 10),                   /* call vcpu_runstate_get_running */
    0x48,        0x8b, 0x83, 0x40, 0x01, 0x00, 0x00, /* mov 0x140(%rbx),%rax */
    0xa8,        0x02,                               /* test $2,%al */
    0x75,        0x02,                               /* jne 1f */
    0xa8,        0x01,                               /* test $1,%al */
    0xc3,                                            /* 1: ret */
};
/* v->arch.hvm.vmx.vmcs_pa == this_cpu(current_vmcs) */
static const uint8_t vmcs_is_loaded[] = {
    0xba, 0xff, 0x7f, 0x00,      0x00,             /* mov $0x7fff,%edx */
    0x48, 0x09, 0xe2,                              /* or %rsp,%rdx */
    0x48, 0x8b, 0x52, 0xd1,                        /* mov -0x2f(%rdx),%rdx */
    0x48, 0x8b, 0x8f, 0x80,      0x05, 0x00, 0x00, /* mov 0x580(%rdi),%rcx */
    0x48, 0x8d, 0x05, TO(1, 21),                   /* lea current_vmcs,%rax */
    0x48, 0x39, 0x0c, 0x10,                        /* cmp %rcx,(%rax,%rdx) */
    0xc3,                                          /* ret */
};
/* __vmptrld(v->arch.hvm.vmx.vmcs_pa), and this_cpu(current_vmcs) is that */
static const uint8_t vmcs_is_changed[] = {
    0xb9, 0xff, 0x7f, 0x00,      0x00,             /* mov $0x7fff,%ecx */
    0x48, 0x09, 0xe1,                              /* or %rsp,%rcx */
    0x48, 0x8b, 0xb7, 0x80,      0x05, 0x00, 0x00, /* mov 0x580(%rdi),%rsi */
    0x48, 0x8d, 0x15, TO(1, 17),                   /* lea current_vmcs,%rdx */
    0x48, 0x8b, 0x49, 0xd1,                        /* mov -0x2f(%rcx),%rcx */
    0x48, 0x89, 0x34, 0x0a,                        /* mov %rsi,(%rdx,%rcx) */
    0xc3,                                          /* ret */
};
/* set_bit(_VPF_blocked, &current->pause_flags) */
static const uint8_t blocks[] = {
    CURRENT_IN_RAX, 0xf0, 0x0f, 0xba, 0xa8,
    0x40,           0x01, 0x00, 0x00, 0x00, /* lock btsl $0,0x140(%rax) */
    0x48,           0x8b, 0x40, 0x18,       /* mov 0x18(%rax),%rax */
    0xc3,                                   /* ret */
};
/* test_and_clear_bit(_VPF_blocked, &v->pause_flags) */
static const uint8_t unblocks[] = {
    0xf0, 0x0f, 0xba, 0xb7, 0x40, 0x01, 0x00,
    0x00, 0x00,                               /* lock btrl $0,0x140(%rdi) */
    0x83, 0xbf, 0x34, 0x01, 0x00, 0x00, 0x00, /* cmpl $0,0x134(%rdi) */
    0xc3,                                     /* ret */
};

#define SHAPES_FIELDS 4
static const struct shape {
    const char *function;
    enum xenoprof_fact fact;
    uint32_t value;
    const uint8_t *code;
    size_t size;
    const char *callees[2];
    uint8_t fields[SHAPES_FIELDS]; /* where the field's displacement is */
} shapes[] = {
#define SHAPE(function, fact, value, code, ...)                                \
    {                                                                          \
        function, XENOPROF_FACT_##fact, value, code, sizeof(code), __VA_ARGS__ \
    }
#define CREATE(code, second, ...)                                              \
    SHAPE("domain_create", domain_handle, 1928, code,                          \
          {"alloc_domain_struct", second}, __VA_ARGS__)
    CREATE(row_of_two, "-", {20, 27}),
    CREATE(row_of_four, "-", {14, 23, 38, 47}),
    CREATE(by_memcpy, "memcpy", {12}),
    CREATE(by_rep_movs, "-", {12}),
    CREATE(by_movs, "-", {12}),
    SHAPE("getdomaininfo", domain_handle, 1928, row_to_info, {"-"}, {3, 14}),
    SHAPE("getdomaininfo", domain_handle, 1928, memcpy_to_info, {"memcpy"},
          {10}),
    SHAPE("evtchn_bind_vcpu", domain_max_vcpus, 4, bound_of_vcpus, {"-"}, {19}),
    SHAPE("evtchn_check_pollers", domain_max_vcpus, 4, bits_of_vcpus,
          {"__bitmap_empty"}, {2}),
    SHAPE("arch_get_info_guest", vcpu_guest_table_user, 2496, root_to_info,
          {"-"}, {3}),
    SHAPE("vcpu_destroy_pagetables", vcpu_guest_table_user, 2496, roots_cleared,
          {"-"}, {25}),
    SHAPE("share_xen_page_with_guest", page_owner, 24, owner_set, {"-"}, {19}),
    SHAPE("get_page", page_owner, 24, owner_compared, {"-"}, {2}),
    SHAPE("svm_asm_do_resume", vcpu_vmcb_pa, 1424, runs_guests, {"-"}, {16}),
    SHAPE("write_ptbase", vcpu_cr3, 2536, root_of_a_vcpu, {"switch_cr3_cr4"},
          {3}),
    SHAPE("write_ptbase", vcpu_cr3, 2536, root_alone, {"switch_cr3_cr4"}, {3}),
    SHAPE("handle_ist_exception", cpu_info_regs, 248, frame_is_moved, {"-"},
          {13}),
    SHAPE("do_trap", cpu_info_regs, 248, frame_is_near, {"-"}, {11}),
    SHAPE("do_settime", domain_next, 144, each_domain,
          {"domain_list", "update_domain_wallclock_time"}, {23}),
    SHAPE("time_resume", domain_next, 144, each_domain,
          {"domain_list", "update_domain_wallclock_time"}, {23}),
    SHAPE("domain_destroy", domain_next, 144, domain_leaves, {"domain_list"},
          {18, 27}),
    SHAPE("domain_destroy", domain_next, 144, domain_leaves_by_gcc,
          {"domain_list"}, {22}),
    SHAPE("domain_create", domain_next, 144, domain_enters,
          {"alloc_domain_struct", "domain_list"}, {15}),
    SHAPE("arch_get_info_guest", vcpu_pause_flags, 320, is_down, {"-"}, {2}),
    SHAPE("hvm_save_cpu_ctxt", vcpu_pause_flags, 320, is_down_in_rax, {"-"},
          {3}),
    SHAPE("getdomaininfo", vcpu_pause_flags, 320, is_blocked,
          {"vcpu_runstate_get_running"}, {18}),
    SHAPE("vcpu_block", vcpu_pause_flags, 320, blocks, {"-"}, {17}),
    SHAPE("vcpu_unblock", vcpu_pause_flags, 320, unblocks, {"-"}, {4}),
    SHAPE("vmx_vmcs_try_enter", vcpu_vmcs_pa, 1408, vmcs_is_loaded,
          {"per_cpu__current_vmcs"}, {15}),
    SHAPE("vmx_vmcs_reload", vcpu_vmcs_pa, 1408, vmcs_is_loaded,
          {"per_cpu__current_vmcs"}, {15}),
    SHAPE("vmx_load_vmcs", vcpu_vmcs_pa, 1408, vmcs_is_changed,
          {"per_cpu__current_vmcs"}, {11}),
};
#define SHAPES (sizeof(shapes) / sizeof(*shapes))

/* The facts that other recipes name. */
static void set_known(struct xenoprof_facts *known)
{
    facts_clear(known);
    CHECK_EQ(facts_set(known, "cpu_info_current_vcpu=56 vcpu_domain=24 "
                              "domain_vcpu=16 vcpu_guest_table=2512 "
                              "cpu_info_per_cpu_offset=48 "
                              "vcpu_cr3=2536"),
             0);
}

/* Returns what the recipes of that fact find in that function: -1 for nothing,
 * -2 if they contradict each other. */
static long follow(const struct code_tracer *tracer, const struct shape *shape)
{
    size_t count;
    const struct facts_recipe *recipes = facts_recipes(&count);
    struct xenoprof_facts known;
    long found = -1;

    set_known(&known);
    for ( size_t i = 0; i < count; i++ )
    {
        struct pattern pattern;
        struct pattern_result result;

        if ( recipes[i].fact != shape->fact ||
             strcmp(recipes[i].function, shape->function) ||
             pattern_parse(&pattern, recipes[i].pattern, &known) )
            continue;
        pattern_match(&pattern, tracer, &result);
        if ( !result.matches )
            continue;
        if ( result.contradicts || (found >= 0 && found != result.offset) )
            return -2;
        found = result.offset;
    }
    return found;
}

static long find(const struct shape *shape, const uint8_t *code)
{
    static const uint8_t empty[] = {0xc3};
    const struct kit_function functions[] = {
        {shape->function, code, shape->size},
        {shape->callees[0], empty, sizeof(empty)},
        {shape->callees[1] ?: "+", empty, sizeof(empty)},
    };
    struct code_tracer tracer;
    struct xen_image image;
    long found;

    KIT_OPEN(&image, functions);
    CHECK_EQ(code_tracer_open(&tracer, &image), 0);
    CHECK_EQ(code_trace(&tracer, xen_image_find(&image, shape->function)), 0);
    found = follow(&tracer, shape);
    code_tracer_close(&tracer);
    xen_image_close(&image);
    return found;
}

TEST(each_shape_shows_its_fact)
{
    for ( size_t i = 0; i < SHAPES; i++ )
    {
        long found = find(&shapes[i], shapes[i].code);

        if ( found != shapes[i].value )
            test_fail(__FILE__, __LINE__, "shape %zu, %s: %ld, not %u", i,
                      shapes[i].function, found, shapes[i].value);
    }
}

/* A series that moves its structures, and keeps its code. */
TEST(each_shape_shows_where_its_field_has_moved)
{
    for ( size_t i = 0; i < SHAPES; i++ )
    {
        uint8_t moved[KIT_FUNCTION_SIZE];
        long found;

        memcpy(moved, shapes[i].code, shapes[i].size);
        for ( int j = 0; j < SHAPES_FIELDS && shapes[i].fields[j]; j++ )
            moved[shapes[i].fields[j]] += 8;
        found = find(&shapes[i], moved);
        if ( found != shapes[i].value + 8 )
            test_fail(__FILE__, __LINE__, "shape %zu, %s: %ld, not %u", i,
                      shapes[i].function, found, shapes[i].value + 8);
    }
}
