#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each golden session is archived: reports of the archive, which is one file
# elsewhere, are to the byte those of the session; reports of a part of its time
# are those with --filter=time=.  TAP: a case a session.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=$(cd "${top_builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8
unset COLUMNS LINES || true
mkdir "$scratch/session" "$scratch/archive"
number=0 failed=0

# NAME STATUS: a case, which $scratch/problems is about.
case_ends() {
    number=$((number + 1))
    if [ "$2" = 0 ]; then
        echo "ok $number - $1"
        return
    fi
    failed=1
    echo "not ok $number - $1"
    sed 's/^/# /' "$scratch/problems"
}

# What is said of a session that was not closed is of its folder: whether more
# is written there.
plain() {
    sed -e "s|$scratch/[a-z]*/||" -e 's/"state": "[a-z]*"/"state": "open"/' \
        -e 's/not closed: .* sample \(after \)*/still open, /' \
        -e 's/still open, 20[^,]*, /still open, /'
}

# Reports of session, and of archive: the same.
same() {
    for place in session archive; do
        status=0
        "$program" --session-dir="$scratch/$place" --width=0 "$@" 2>&1 \
            </dev/null | plain >"$scratch/$place.out" || status=$?
    done
    cmp -s "$scratch/session.out" "$scratch/archive.out" && return
    {
        echo "xenopreport $*"
        diff "$scratch/session.out" "$scratch/archive.out" | head -20
    } >>"$scratch/problems"
    return 1
}

# What is said of all samples, or of the filter, is another thing; and if no chain
# of that time has callers, none is said to lack some.
shares() {
    sed -E '/^(session|samples|lost|missed|filter|chains|trust|stopped) /d
        s/, (no|[0-9.]+%) .*chains.*//; s/\[(guest moved|truncated)\];//
        s/within [0-9.]* points//' | sort
}

# The same of a part of session's time.
same_part() {
    range=$1
    shift
    "$program" --session-dir="$scratch/session" --width=0 "$@" \
        --filter=time="$range" 2>/dev/null | shares >"$scratch/session.out"
    "$program" --session-dir="$scratch/archive" --width=0 "$@" \
        2>/dev/null | shares >"$scratch/archive.out"
    # Nothing is of that time.
    [ -s "$scratch/session.out" ] || return 0
    cmp -s "$scratch/session.out" "$scratch/archive.out" && return
    {
        echo "xenopreport $*"
        diff "$scratch/session.out" "$scratch/archive.out" | head -20
    } >>"$scratch/problems"
    return 1
}

archive() {
    "$program" --session-dir="$scratch/session" \
        --archive="$scratch/archive/current" "$@" >"$scratch/said" 2>&1
}

begin() {
    rm -rf "$scratch/session/current" "$scratch/archive/current"
    : >"$scratch/problems"
    "$build/tests/golden/make-session" "$1" "$scratch/session/current"
}

for file in "$here"/*.session; do
    name=$(basename "$file" .session)
    begin "$file"
    bad=0
    if archive; then
        for view in "--json --stacks --sort=vcpu,pcpu,comm,tid,exe,unit" \
            "--header --callgraph" --why --waits --exits --folded --addresses \
            "--json --event=waiting"; do
            # shellcheck disable=SC2086
            same $view || bad=1
        done
    else
        cat "$scratch/said" >>"$scratch/problems"
        bad=1
    fi
    case_ends "archive of $name" $bad
done
# A part of its time.
for file in "$here"/*.session; do
    name=$(basename "$file" .session)
    # Its samples are of a time of which Xen says nothing, after its end.
    [ "$name" != json-moved ] || continue
    for range in 1..3 0.7..1.9 2..; do
        begin "$file"
        bad=0
        archive --filter=time=$range || bad=1
        [ $bad = 0 ] || cat "$scratch/said" >>"$scratch/problems"
        for view in "--table --no-header --sort=domain,vcpu,mode,symbol" \
            "--folded" --exits --waits; do
            # shellcheck disable=SC2086
            [ $bad = 1 ] || same_part $range $view || bad=1
        done
        case_ends "$range of $name" $bad
    done
done
# Code, and the source of it: what is shown with the files is shown without them.
code=$scratch/code
mkdir "$code"
cp "$here/annotate.s" "$code"
(
    cd "$code"
    cat >module.s <<'EOF'
        .section .text.more, "ax", @progbits
        .type   more, @function
more:   ret
        .size   more, . - more
        .text
        .globl  xennet_poll             # the linker decides where it is
        .type   xennet_poll, @function
xennet_poll: call printk
        call    more
        call    xennet_poll
        nop
        jmp     more
        lea     here(%rip), %rax
        ret
        .size   xennet_poll, . - xennet_poll
        .data
here:   .long   1
EOF
    build() {
        "${MODULE_CC:-gcc}" -g -nostdlib -static -no-pie \
            -Wl,-e,0,-Ttext="$2",--build-id="$3" -o "$1" annotate.s
    }
    build xen-syms 0xffff82d040200000 0x0123456789abcdef
    build vmlinux 0xffffffff81000000 none
    build webd 0x401000 none
    "${MODULE_CC:-gcc}" -g -c -o module.o module.s
)
files="--code=xen:$code/xen-syms --code=0:$code/vmlinux --code=web:$code/vmlinux
    --code=webd:$code/webd --code=xen_netfront:$code/module.o"

# PLACE VIEW...: all functions that the files have.
annotated() {
    place=$1
    shift
    for function in 'xen:*' kernel:spin kernel:helper 'webd:*' xennet_poll; do
        "$program" --session-dir="$scratch/$place" --width=0 --no-header \
            --annotate="$function" "$@" 2>/dev/null | sed '/^samples /d; /^filter /d'
    done
}

# NAME TEXT...: the archive's annotations are those with the files, and have texts.
code_is_same() {
    name=$1 bad=0
    shift
    : >"$scratch/problems"
    for text; do
        grep -qF -e "$text" "$scratch/with" || {
            echo "with the files there is no $text" >>"$scratch/problems"
            bad=1
        }
    done
    diff "$scratch/with" "$scratch/without" >>"$scratch/problems" || bad=1
    case_ends "$name" $bad
}

hide_files() {
    mv "$code" "$scratch/elsewhere"
}

show_files() {
    mv "$scratch/elsewhere" "$code"
}

begin "$here/annotate.session"
# shellcheck disable=SC2086
annotated session $files >"$scratch/with"
# shellcheck disable=SC2086
archive $files
hide_files
annotated archive >"$scratch/without"
code_is_same "code without its files" 'callq   printk' 'jmp     more' 'callq   +0x0' \
    'callq   helper' '# counter' "of the build-id that ran" "code      $code/webd" \
    'annotate.s:8          je      1f' 'module.s:11          nop'
"$program" --session="$scratch/archive/current" --archive="$scratch/again" \
    >"$scratch/said" 2>&1
bad=0
[ "$(wc -c <"$scratch/again")" = "$(wc -c <"$scratch/archive/current")" ] || bad=1
case_ends "an archive of an archive has no code twice" $bad
mv "$scratch/again" "$scratch/archive/current"
annotated archive >"$scratch/without"
code_is_same "code of an archive of an archive"
"$program" --session="$scratch/archive/current" --archive="$scratch/again" \
    --filter=time=1.5.. >"$scratch/said" 2>&1
show_files
# Xen's last samples come before these.
# shellcheck disable=SC2086
annotated session $files --filter=time=1.5.. >"$scratch/with"
# shellcheck disable=SC2086
archive $files --filter=time=1.5..
hide_files
annotated archive >"$scratch/without"
# Shares are of another time.
sed -i '/^itself /d' "$scratch/with" "$scratch/without"
code_is_same "code of a part of the time" 'callq   printk'
mv "$scratch/again" "$scratch/archive/current"
annotated archive | sed '/^itself /d' >"$scratch/without"
code_is_same "code of a part of an archive"
show_files
# What is not for all users is for none that get the archive.
chmod 600 "$code/annotate.s"
# shellcheck disable=SC2086
annotated session $files | sed 's/\(  annotate.s:[0-9]*\) .*/\1/' >"$scratch/with"
# shellcheck disable=SC2086
archive $files
hide_files
annotated archive >"$scratch/without"
code_is_same "source that not all users may read" 'module.s:11          nop'
# Names that are hidden are not in it, and code that is public is.
"$program" --session="$scratch/archive/current" --anonymize \
    --archive="$scratch/again" >"$scratch/said" 2>&1
mv "$scratch/again" "$scratch/archive/current"
annotated archive >"$scratch/without"
"$program" --session-dir="$scratch/archive" --annotate >>"$scratch/without"
bad=0
: >"$scratch/problems"
for text in "$code" webd module.o module.s printk; do
    if grep -F -e "$text" "$scratch/without" >>"$scratch/problems"; then
        bad=1
    fi
done
for text in 'callq   helper' 'annotate.s:8' '/xen-syms' '# counter'; do
    grep -qF -e "$text" "$scratch/without" || {
        echo "there is no $text" >>"$scratch/problems"
        bad=1
    }
done
case_ends "public code has no private names" $bad
show_files
# A file that is not what ran is as wrong as with --annotate.
: >"$scratch/problems"
if archive --code=xen:"$code/webd"; then
    echo "code of another build is archived" >"$scratch/problems"
fi
grep -qF 'is another build' "$scratch/said" || cat "$scratch/said" \
    >>"$scratch/problems"
case_ends "code of another build" "$([ ! -s "$scratch/problems" ]; echo $?)"
# Sessions of simulated hosts (tests/README.md), of many samples.  Waits are in
# units of 100 us, so shares of a part of the time are a hundredth of a point apart.
percents() {
    "$program" --session-dir="$scratch/$1" --table --width=0 --percent-limit=0 \
        --sort=domain,mode,symbol "$2" 2>/dev/null |
        sed -n 's/^ *\([0-9.]*\)% *[0-9]* *[0-9.]* s */\1 /p'
}

near() {
    awk 'NR == FNR { share = $1; $1 = ""; shares[$0] = share; next }
        { share = $1; $1 = ""; off = share - shares[$0]; delete shares[$0]
          rows++
          if ( off > 0.1 || off < -0.1 )
              print "off by", off ":" $0 }
        END { for ( row in shares ) if ( shares[row] > 0.1 ) print "none of" row
              if ( rows < 10 ) print rows + 0, "rows" }' \
        "$scratch/session.out" "$scratch/archive.out" >>"$scratch/problems"
    [ ! -s "$scratch/problems" ]
}

for seed in 1 2 3; do
    rm -rf "$scratch/session/current" "$scratch/archive/current" "$scratch/truth"
    : >"$scratch/problems"
    "$build/tests/truth/make-truth" $seed "$scratch/truth" >/dev/null
    mv "$(dirname "$(find "$scratch/truth" -name DATA.0000)")" \
        "$scratch/session/current"
    bad=0
    archive || bad=1
    for view in "--json --stacks --sort=vcpu,comm" --waits --folded; do
        # shellcheck disable=SC2086
        [ $bad = 1 ] || same $view || bad=1
    done
    case_ends "archive of simulated host $seed" $bad
    archive --filter=time=1.3..3.7 || bad=1
    percents session --filter=time=1.3..3.7 >"$scratch/session.out"
    percents archive --no-header >"$scratch/archive.out"
    near || bad=1
    case_ends "1.3..3.7 of simulated host $seed" $bad
done
echo "1..$number"
exit $failed
