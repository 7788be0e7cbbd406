# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: kernels found in guests' memory name their stacks, and no byte is kept
# boot: names
# long: yes
# guests: zero-pv zero-kaslr
# limit: 1200

guests='zero-pv zero-kaslr'
linked=ffffffff81000000
secret=XPSECRET

# symbols GUEST: the guest's own names for its code, to /tmp/GUEST.symbols, as
# lines 'ADDRESS NAME[IMAGE]'.
symbols() {
    local log="/var/log/xen/guest-$1.log"
    wait_for 180 "$1 to say its symbols" grep -q KALLSYMS-END "$log"
    tr -d '\r' <"$log" | sed -n '/^KALLSYMS$/,/^KALLSYMS-END$/p' |
        grep -v '^KALLSYMS' | base64 -d >"/tmp/$1.symbols.gz" &&
        gunzip -c "/tmp/$1.symbols.gz" >"/tmp/$1.kallsyms" ||
        fail "$1's console mixed other words with its symbols"
    awk '{ print $1, $3 ($4 ? $4 : "[kernel]") }' "/tmp/$1.kallsyms" \
        >"/tmp/$1.symbols"
    at_least "symbols that $1 says it has" "$(wc -l <"/tmp/$1.symbols")" 20000
    at_least "modules that $1 says it has" "$(modules_of "$1")" 3
}

# modules_of GUEST: how many modules it says it has, without BPF, which the guest
# compiled itself.
modules_of() {
    sed 's/.*\[//' "/tmp/$1.symbols" | sort -u |
        grep -cvE '^(kernel|bpf|__builtin__.*)\]'
}

# check_address GUEST: the guest itself says whether KASLR was on.
check_address() {
    local own
    own=$(sed -n 's/ _text\[kernel\]$//p' "/tmp/$1.symbols")
    echo "$1's kernel is at $own"
    case $1 in
    *-kaslr) [ "$own" != $linked ] ||
        fail "$1's kernel chose no address; by chance it chooses this one, too, but in less than 1 of 400 boots" ;;
    *) equal "where $1's kernel is" "$own" $linked ;;
    esac
    equal "where $1's kernel was found" "$(kernel_fact "$1" /tmp/report base)" "0x$own"
    equal "modules of $1 that were found" \
        "$(kernel_fact "$1" /tmp/report modules)" "$(modules_of "$1")"
}

# wrong_names GUEST: addresses in its stacks with a name that the guest does not
# have for the last symbol at or below them. All addresses have 16 digits, so
# they are sorted as text.
wrong_names() {
    {
        awk '{ print $1, 0, $2 }' "/tmp/$1.symbols"
        sed 's/ [0-9]*$//' /tmp/stacks | tr ';' '\n' | sort -u |
            sed -n 's/^0x\([0-9a-f]*\):/\1 1 /p'
    } | sort | awk '
        $2 == 0 {
            if ($1 != last) names = " "
            last = $1
            names = names $3 " "
        }
        $2 == 1 {
            asked++
            if (index(names, " " $3 " ") == 0)
                print $3 " at " $1 ", which the guest calls" names
        }
        END { print asked + 0 >"/dev/stderr" }' 2>/tmp/asked
}

# samples_of PATTERN: how many samples have a stack that matches.
samples_of() {
    awk -v pattern="$1" '
        $0 ~ pattern { sum += $NF }
        END { print sum + 0 }' /tmp/chains
}

# check_loads GUEST: the stacks of its known loads are whole.
check_loads() {
    local entry='^entry_SYSCALL_64[^;]*;([^;]*;)*do_syscall_64.kernel.;([^;]*;)*'
    sed 's/0x[0-9a-f]*://g' /tmp/stacks >/tmp/chains
    at_least "samples in $1's modules" \
        "$(samples_of '[[](wp512|algif_hash|af_alg)[]] [0-9]+$')" 20
    at_least "of $1, samples that read zeros" "$(samples_of \
        "${entry}ksys_read.kernel.;vfs_read.kernel.;read_zero.kernel.")" 20
    at_least "of $1, samples in one module called through another" "$(samples_of \
        "${entry}ksys_write.kernel.;.*hash_sendmsg.algif_hash.;.*wp512_[a-z_]*.wp512. ")" 20
}

# check_names GUEST
check_names() {
    local wrong
    at_least "samples in $1's kernel" \
        "$(awk '{ sum += $NF } END { print sum + 0 }' /tmp/stacks)" 100
    wrong=$(wrong_names "$1")
    [ -z "$wrong" ] || fail "$1's names are not its own: $wrong"
    at_least "addresses of $1 whose names were compared" "$(cat /tmp/asked)" 50
    echo "$1: the names of $(cat /tmp/asked) addresses are its own"
}

# runs GUEST KEY VALUE: who ran in the guest's samples with that, as lines 'NAME
# SAMPLES'; '-' where that is not known.
runs() {
    awk -v guest="\"domain_name\": \"$1\"" -v with="\"$2\": \"$3\"" '
        function get(key,   rest) {
            rest = substr($0, index($0, "\"" key "\": ") + length(key) + 4)
            if (rest ~ /^null/) return "-"
            sub(/^"/, "", rest)
            sub(/[",}].*/, "", rest)
            return rest
        }
        index($0, guest) && index($0, with) && /"comm":/ && /"samples":/ { sum[get("comm")] += get("samples") }
        END { for (comm in sum) print comm, sum[comm] }' /tmp/who
}

# only GUEST PROGRAM FUNCTION MIN: of its programs, one alone runs that function of
# its kernel, and Xen says that it does.
only() {
    local others
    others=$(runs "$1" symbol "$3" | grep -vE "^($2|-) ")
    [ -z "$others" ] || fail "in $1, others than $2 run $3: $others"
    at_least "samples of $1 in which $2 runs $3" \
        "$(runs "$1" symbol "$3" | awk -v who="$2" '$1 == who { print $2 }')" "$4"
}

# nobody GUEST MODE MOST: of at most MOST in a thousand samples nobody knows who ran.
nobody() {
    runs "$1" mode "$2" | sort -k 2 -rn >/tmp/ran
    echo "$1 ran in mode $2: $(head -n 6 /tmp/ran | tr '\n' ',')"
    at_most "samples of $1 in mode $2 of which nobody knows who ran, in thousandths" \
        "$(awk '{ all += $2 }
                $1 == "-" { unknown = $2 }
                END { print int(unknown * 1000 / (all ? all : 1)) }' /tmp/ran)" "$3"
}

# check_who GUEST: in Xen, some are of a vCPU that has left the pCPU since, or whose
# instruction Xen has done meanwhile. read_zero has few, since it calls another
# function for what takes time.
check_who() {
    equal "what is known of $1's processes" \
        "$(kernel_fact "$1" /tmp/report tasks)" known
    nobody "$1" kernel 20
    nobody "$1" xen 300
    only "$1" hash-writer wp512_process_buffer 20
    only "$1" zero-reader read_zero 1
}

for guest in $guests; do
    symbols "$guest"
    # The guests would take all the time that dom0 does not use.
    must xl sched-credit2 -d "$guest" -c 30
    work_at "$guest" zeros
done
# shellcheck disable=SC2086
sample_kernels $guests
must save-rings /tmp/rings
more_samples 100
stop_and_check
# The guests would only slow down what follows.
for guest in $guests; do
    must xl pause "$guest"
done
keep guest-names
# By address, since kernels have the same functions in different places.
report_json /tmp/report --stacks --filter="time=$after.." \
    --sort=domain,mode,image,symbol,address
report_json /tmp/who --filter="time=$after.." --sort=domain,mode,symbol,comm
unpack-all "$sessions"/current/* >/tmp/unpacked ||
    fail "the session is not packed as expected"

for guest in $guests; do
    check_address "$guest"
    chains "$guest" /tmp/report >/tmp/stacks
    check_names "$guest"
    check_loads "$guest"
    check_who "$guest"
    grep -aq "release=$(uname -r | cut -d. -f1)" /tmp/unpacked ||
        fail "the session does not say which kernel was found"
done

# The secret was in what Xen recorded, but nothing that is kept has it.
grep -aq $secret /tmp/rings ||
    fail "the guests' secret is not in the rings: that it is not on disk means nothing"
if grep -aq $secret /tmp/unpacked; then
    fail "the guests' secret is in the session"
fi
found=$(grep -rl $secret /var/lib/xenoprof /run/xenoprof /var/log 2>/dev/null |
    grep -v /var/log/xen/guest-)
[ -z "$found" ] || fail "the guests' secret is in $found"

# The walker of its stacks is sandboxed, and ends with its session.
must xl unpause zero-pv
must xenopctl --start --passive-domains=zero-pv
more_samples 100
walkers() {
    local pid
    for pid in $(pidof xenoprofd); do
        [ "$(cat /proc/"$pid"/comm)" != xenoprof-walker ] || echo "$pid"
    done
}
descriptors() {
    find /proc/"$1"/fd -type l 2>/dev/null | wc -l
}
# It begins when the kernel was found, and closes what it does not need; one may
# end while it is looked at, and another begin with newer tables.
shut_walker() {
    parser=$(walkers | head -n 1)
    [ -n "$parser" ] && [ "$(descriptors "$parser")" = 2 ] &&
        allowed=$(cat /proc/"$parser"/status 2>/dev/null)
}
wait_for 60 "a process for the guest's stacks, with two descriptors" shut_walker
for line in NoNewPrivs:1 Seccomp:2 CapEff:0000000000000000 CapBnd:0000000000000000; do
    equal "the walker's ${line%%:*}" \
        "$(echo "$allowed" | sed -n "s/^${line%%:*}:[[:space:]]*//p")" "${line##*:}"
done
# Killing it costs names, never samples.
kill_walker() {
    parser=$(walkers | head -n 1)
    [ -n "$parser" ] && kill -KILL "$parser" 2>/dev/null
}
wait_for 60 "a process for the guest's stacks, to be killed" kill_walker
more_samples 200
stop_and_check
