#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# intree/apply, in a made-up tree that has what the anchors look for; then all that
# it copied, but for what sees Xen's structures, is compiled as in Xen's tree:
# without a C library, in Xen's C, by its warnings.
source_folder=$(cd "${top_srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree ours=$work/tree/xen/arch/x86/xenoprof
count=0

# case_of NAME COMMAND...
case_of() {
    count=$((count + 1))
    if "${@:2}" >"$work/said" 2>&1; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        sed 's/^/# /' "$work/said" | head -n 40
    fi
}

# put FILE LINE...
put() {
    mkdir -p "$tree/xen/$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$tree/xen/$1"
}

make_tree() {
    rm -rf "$tree"
    put arch/x86/traps.c '#include <asm/apic.h>' 'static char opt_nmi[10] = "a";' \
        'static int use(void) { return opt_nmi[0]; }' 'void do_nmi(regs)' '{' \
        '    if ( callback && callback(regs, cpu) )' '        goto out;' '' ' out:' '}'
    put arch/x86/nmi.c 'static unsigned int nmi_perfctr_msr;' \
        'static unsigned int nmi_p6_event_width;'
    put common/softirq.c 'static handler softirq_handlers[NR];' 'void process(void)' '{' \
        '    unsigned long ignore_mask = (1UL << SCHEDULE_SOFTIRQ) |' \
        '                                (1UL << SCHED_SLAVE_SOFTIRQ);' '' '    ignore();' '}'
    put include/xen/softirq.h 'enum {' '    RCU_SOFTIRQ,' '    SCHED_SLAVE_SOFTIRQ,' '};'
    put arch/x86/domain.c 'static void default_idle(void);' 'static void default_idle(void)' '{' '}'
    put arch/x86/acpi/cpu_idle.c 'static void acpi_idle_do_entry(struct state *cx)' \
        'static void acpi_processor_idle(void)'
    put arch/x86/cpu/mwait-idle.c 'static void mwait_idle(void)'
    put arch/x86/time.c 'static DEFINE_PER_CPU(struct cpu_time, cpu_time);'
    put arch/x86/x86_64/entry.S 'FUNC_LOCAL(restore_all_guest)' 'END(restore_all_guest)'
    put arch/x86/hvm/svm/entry.S '        stgi' '        call svm_vmexit_handler'
    # shellcheck disable=SC2016
    put arch/x86/Makefile 'obj-y += cpu/' 'obj-y += x86_64/'
    put arch/x86/Kconfig 'endmenu' '' 'source "common/Kconfig"' 'source "drivers/Kconfig"'
    put common/Kconfig 'config HYPFS'
    put include/xen/sched.h 'struct domain' '{' '    bool             is_shutting_down;' '};'
    put include/xen/types.h 'typedef unsigned char uint8_t;' 'typedef unsigned short uint16_t;' \
        'typedef unsigned int uint32_t;' 'typedef unsigned long uint64_t, uintptr_t;' \
        'typedef short int16_t;' 'typedef int int32_t;' 'typedef long int64_t;'
}

apply() {
    "$source_folder/intree/apply" "$tree"
}

# Names that were static are not, whatever only uses them stays, and there is an option
# more.
has_changes() {
    grep -x 'char opt_nmi\[10\] = "a";' "$tree/xen/arch/x86/traps.c" &&
        grep -x 'static int use(void) { return opt_nmi\[0\]; }' "$tree/xen/arch/x86/traps.c" &&
        grep -cx 'void default_idle(void);*' "$tree/xen/arch/x86/domain.c" | grep -x 2 &&
        ! grep -rn '^static' "$tree"/xen/arch/x86/{nmi.c,acpi,cpu,domain.c,time.c} &&
        grep -x 'DEFINE_PER_CPU(struct cpu_time, cpu_time);' "$tree/xen/arch/x86/time.c" &&
        sed -n 2,4p "$tree/xen/arch/x86/x86_64/entry.S" | tr -s ' \n' ' ' |
        grep -x ' .globl restore_all_guest #endif FUNC_LOCAL(restore_all_guest) ' &&
        tr -d ' \n' <"$tree/xen/arch/x86/hvm/svm/entry.S" |
        grep -x 'stgi#if.*svm_stgi_label:.endif#endifcallsvm_vmexit_handler' &&
        has_option XENOPROF
}

# Our call follows the callback's; our softirq comes before the scheduler's, and is left
# out where they are.
has_hooks() {
    sed -n '/callback(regs/,/out:/p' "$tree/xen/arch/x86/traps.c" | diff - <(
        printf '%s\n' '    if ( callback && callback(regs, cpu) )' '        goto out;' '' \
            '    if ( IS_ENABLED(CONFIG_XENOPROF) && xenoprof_nmi(regs) )' '        goto out;' '' ' out:'
    ) && head -n 2 "$tree/xen/arch/x86/traps.c" | grep '"xenoprof/.*/hooks.h"' &&
        tr -d ' \n' <"$tree/xen/include/xen/softirq.h" |
        grep -x 'enum{RCU_SOFTIRQ,#ifdefCONFIG_XENOPROFXENOPROF_SOFTIRQ,#endifSCHED_SLAVE_SOFTIRQ,};' &&
        sed -n '/SCHED_SLAVE_SOFTIRQ);/,/ignore();/p' "$tree/xen/common/softirq.c" |
        grep 'ignore_mask |= 1UL << XENOPROF_SOFTIRQ;'
}

# has_option NAME: it is there, and our folder hangs on it.
has_option() {
    # shellcheck disable=SC2016
    sed -n 2p "$tree/xen/arch/x86/Makefile" | grep -xF 'obj-$(CONFIG_'"$1"') += xenoprof/' &&
        sed -n 3,5p "$tree/xen/arch/x86/Kconfig" | tr '\n' ' ' |
        grep -x 'source "arch/x86/xenoprof/Kconfig"  source "common/Kconfig" ' &&
        grep -x "config $1" "$ours/Kconfig" && ! grep -rn --exclude=*.def CONFIG_XENOPROF "$tree/xen" | grep -v "CONFIG_$1\b"
}

# Where Xen has a profiler of its own, the option is not that one's.
other_profiler_is_left_alone() {
    make_tree
    put common/Kconfig 'config XENOPROF' '  def_bool y'
    apply && has_option XENOPROF_SAMPLER &&
        diff - "$tree/xen/common/Kconfig" <<<$'config XENOPROF\n  def_bool y'
}

# The core is byte for byte ours.
has_core() {
    (cd "$source_folder" && find hypervisor include/xenoprof -name '*.[ch]' -o -name '*.def') |
        while read -r file; do
            case $file in
            */port-payload/*) ;;
            include/*) cmp "$source_folder/$file" "$ours/include/${file#include/}" || exit 1 ;;
            *) cmp "$source_folder/$file" "$ours/$file" || exit 1 ;;
            esac
        done
}

again_is_the_same() {
    cp -r "$tree" "$work/once"
    apply && diff -r "$work/once" "$tree"
}

git_of_tree() {
    git -C "$tree" -c user.name=Someone -c user.email=some@one.example "$@"
}

# What the patches make of the tree is what apply makes of it; whoever has it gets no more
# than the commit, is the author, and did not sign off.
series_is_the_same() {
    make_tree
    git -C "$work" init -q tree && git_of_tree add -A && git_of_tree commit -q -m before || return 1
    git_of_tree config user.name Someone && git_of_tree config user.email some@one.example
    echo left >"$tree/untracked"
    series "$work/patches" && [ "$(git_of_tree status --porcelain)" = '?? untracked' ] || return 1
    ls "$work/patches"
    [ "$(find "$work/patches" -name '*.patch' | wc -l)" -le 15 ] &&
        ! grep -L '^From: Someone <some@one.example>' "$work"/patches/* | grep . &&
        ! grep -l '^Signed-off-by' "$work"/patches/* || return 1
    git -C "$tree" am -q "$work"/patches/* && rm "$tree/untracked" || return 1
    cp -r "$tree" "$work/sent"
    git_of_tree reset -q --hard HEAD~13 && apply && diff -r -x .git "$work/sent" "$tree"
}

# Only the last patch has anything of ours compiled.
series_compiles_at_its_end() {
    ! grep -l '^+obj-.*xenoprof/' "$work"/patches/00{0,10,11,12}* &&
        grep '^+obj-.*xenoprof/' "$work"/patches/0013*
}

# By Xen's CODING_STYLE, which has no program: no more than 80 columns, but for what is
# said to a user, no tab but in Kconfig, and nothing at the end of a line.
series_keeps_to_style() {
    ! cat "$work"/patches/*.patch | awk '
        /^\+\+\+ / { file = $2 }
        !/^\+/ || /^\+\+\+ / { next }
        { line = substr($0, 2) }
        length(line) > 80 && line !~ /"/ || line ~ /[ \t]$/ ||
            (line ~ /\t/ && file !~ /Kconfig$/) { print file ": " line }' | grep .
}

series() {
    "$source_folder/intree/series" "$tree" "$1"
}

# A commit that has it, or no commit.
no_series_is_refused() {
    git_of_tree add -A && git_of_tree commit -q -m applied || return 1
    ! series "$work/none" && series "$work/none" 2>&1 | grep 'a patch would be empty: x86: let' &&
        [ ! -e "$work/none" ] && rm -rf "$tree/.git" &&
        series "$work/none" 2>&1 | grep 'is not a git work tree'
}

# Exit status 1 with the anchor, and nothing is changed.
misfit_is_said() {
    make_tree
    put common/softirq.c 'static handler others[NR];'
    rm -rf "$work/before"
    cp -r "$tree" "$work/before"
    ! apply && apply 2>&1 | grep 'common/softirq.c: no place for: below ' &&
        diff -r "$work/before" "$tree"
}

# The name that facts.c asks for is another one there, and else nothing is said.
other_member_is_taken() {
    make_tree
    apply && ! grep is_shutting_down "$ours/Makefile" || return 1
    put include/xen/sched.h 'struct domain' '{' '    enum state shutdown_state;' '};'
    apply && grep 'facts.o: .* -Dis_shutting_down=shutdown_state$' "$ours/Makefile" || return 1
    put include/xen/sched.h 'struct domain' '{' '    int other;' '};'
    ! apply
}

other_folder_is_refused() {
    ! "$source_folder/intree/apply" "$work" &&
        "$source_folder/intree/apply" "$work" 2>&1 | grep 'not a tree of Xen'
}

# As the Makefile has it, with a macro as Xen's configuration has some.
compiles() {
    echo '#define always_inline __inline__ __attribute__((__always_inline__))' >"$work/config.h"
    sed -n 's/^obj-y += \(.*\)\.o$/\1.c/p' "$ours/Makefile" >"$work/objects"
    [ "$(wc -l <"$work/objects")" -gt 50 ] || return 1
    grep -v port-xen/facts.c "$work/objects" |
        (cd "$tree/xen" && xargs -P 2 -I FILE "${CC:-gcc}" -std=gnu99 -nostdinc -ffreestanding \
            -O1 -Wall -Wstrict-prototypes -Wdeclaration-after-statement -Werror \
            -include "$work/config.h" -include "$ours/include/words.h" \
            -Iinclude "-I$ours" "-I$ours/include" -DPACKAGE_VERSION='"1"' -c -o /dev/null "$ours/FILE")
}

# facts_of FLAG: the facts as the compiler reads them, in a tree with no structures.
facts_of() {
    local file
    for file in xen/init.h xen/mm.h xen/sched.h xen/softirq.h asm/current.h asm/p2m.h; do
        mkdir -p "$work/empty/$(dirname $file)" && : >"$work/empty/$file"
    done
    "${CC:-gcc}" -E -P -nostdinc "$1" "-I$work/empty" -I"$tree/xen/include" "-I$ours" "-I$ours/include" \
        "$ours/hypervisor/port-xen/facts.c" | tr -d ' \n'
}

# Without HVM guests what is only known of these is absent, and nothing else.
facts_are_those_of_the_build() {
    facts_of '-DIS_ENABLED(option)=1' >"$work/with" && facts_of '-DIS_ENABLED(option)=0' >"$work/without" || return 1
    grep -F '.p2m_phys_table=(offsetof(structp2m_domain,phys_table)),' "$work/with" &&
        ! grep -F '=0xffffffffu' "$work/with" &&
        grep -F '.p2m_phys_table=0xffffffffu,.p2m_max_mapped_pfn=0xffffffffu,' "$work/without" &&
        grep -F '.vcpu_guest_table=(offsetof(structvcpu,arch.guest_table)),' "$work/without" &&
        [ "$(grep -oF '=0xffffffffu' "$work/without" | wc -l)" -eq 5 ]
}

make_tree
case_of "a tree of Xen's gets it" apply
case_of "its anchors are changed" has_changes
case_of "it is called by hooks of its own" has_hooks
case_of "the core is the same, byte for byte" has_core
case_of "all of it compiles without a C library" compiles
case_of "without HVM guests their facts are absent" facts_are_those_of_the_build
case_of "once more changes nothing" again_is_the_same
case_of "an anchor that does not fit is named" misfit_is_said
case_of "beside Xen's old profiler it has another option" other_profiler_is_left_alone
case_of "a member that is called otherwise is found" other_member_is_taken
case_of "what is not Xen's is refused" other_folder_is_refused
if command -v git >/dev/null; then
    case_of "a series of patches makes the same" series_is_the_same
    case_of "it keeps to Xen's style" series_keeps_to_style
    case_of "nothing is compiled before its last patch" series_compiles_at_its_end
    case_of "where there is nothing to send that is said" no_series_is_refused
fi
echo "1..$count"
