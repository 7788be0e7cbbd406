# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: each sample of a process is of the thread that ran, and says where it comes from
# boot: names
# long: yes
# guests: mix-pv mix-pvh
# limit: 420

# thread-mix computes at addresses that say which thread it is: loop N from
# 0x7000000000 on, 16 bytes each, is that of threads with the number N modulo 4096.
domains='mix-pv mix-pvh Domain-0'

# judged DOMAIN: 'RIGHT WRONG UNKNOWN', samples at such addresses by what they say of
# the thread.
judged() {
    awk -v domain="\"domain_name\": \"$1\"" '
        function get(key,   rest) {
            rest = substr($0, index($0, "\"" key "\": ") + length(key) + 4)
            sub(/^"/, "", rest)
            sub(/[",}].*/, "", rest)
            return rest
        }
        function number(hex,   i, sum) {
            for (i = 1; i <= length(hex); i++)
                sum = sum * 16 + index("123456789abcdef", substr(hex, i, 1))
            return sum
        }
        index($0, domain) && /"mode": "user"/ && /"tid":/ {
            loop = get("address")
            if (loop !~ /^0x0*700000[0-9a-f][0-9a-f][0-9a-f][0-9a-f]$/)
                next
            tid = get("tid")
            loop = number(substr(loop, length(loop) - 3, 3))
            if (tid == "null") unknown += get("samples")
            else if (tid % 4096 == loop) right += get("samples")
            else {
                wrong += get("samples")
                print "thread " tid " in loop " loop >"/dev/stderr"
            }
        }
        END { print right + 0, wrong + 0, unknown + 0 }' /tmp/who
}

# Reports cost the guests the time that they should work in, so they get as much of
# their own before each: a slow machine would do nothing but reports.
pause=2
report_rarely() {
    local begun
    sleep $pause
    begun=$(date +%s)
    must xenopreport --json "$@"
    pause=$(($(date +%s) - begun + 2))
}

enough_judged() {
    local domain
    report_rarely --sort=domain,mode,address,tid --filter="mode=user,time=$after.."
    echo "$said" >/tmp/who
    for domain in $domains; do
        # shellcheck disable=SC2046
        set -- $(judged "$domain" 2>/tmp/wrong)
        echo "$domain: $1 right, $2 wrong, $3 unknown"
        [ "$1" -ge 100 ] || return 1
    done
}

check_domain() {
    # shellcheck disable=SC2046
    set -- "$1" $(judged "$1" 2>/tmp/wrong)
    echo "$1: $2 samples of the right thread, $3 of a wrong one, $4 of unknown ones"
    [ "$3" = 0 ] || fail "$1: $(head -n 3 /tmp/wrong)"
    at_most "samples of $1 whose thread is not known, in thousandths" \
        $(($4 * 1000 / ($2 + $4))) 50
}

# origins_of DOMAIN: 'RIGHT WRONG UNKNOWN', samples of its thread-mix by the program
# and the unit that they name.
origins_of() {
    report_rarely --sort=domain,comm,exe,unit \
        --filter="comm=thread-mix,time=$after.."
    echo "$said" | awk -v domain="\"domain_name\": \"$1\"" '
        index($0, domain) && /"samples": / {
            count = $0
            sub(/.*"samples": /, "", count)
            count += 0
            if (/"exe": null/ && /"unit": null/) unknown += count
            else if (/"exe": "[^"]*\/thread-mix"/ &&
                /"unit": "mix.service"/) right += count
            else {
                wrong += count
                print >"/dev/stderr"
            }
        }
        END { print right + 0, wrong + 0, unknown + 0 }'
}

# Threads that live long have an origin in the end; children that live 5 ms have not.
# How soon depends on the machine: a search waits for 20 times what the last one took.
enough_origins() {
    # shellcheck disable=SC2046
    set -- $(origins_of mix-pvh 2>/dev/null)
    [ "$1" -ge 100 ] && [ $(($1 * 100 / ($1 + $3))) -ge 25 ]
}

check_origins() {
    # shellcheck disable=SC2046
    set -- "$1" $(origins_of "$1" 2>/tmp/wrong)
    echo "$1: $2 samples with their program and unit, $3 with others, $4 without"
    [ "$3" = 0 ] || fail "$1: $(head -n 3 /tmp/wrong)"
    at_least "samples of $1 that say where they come from, in hundredths" \
        $(($2 * 100 / ($2 + $4))) 20
}

must xenopctl --setup
for guest in mix-pv mix-pvh; do
    must xl sched-credit2 -d $guest -c 60
    work_at $guest threads
done
began=$(date +%s)
must xenopctl --start --passive-domains=mix-pv,mix-pvh --frequency=197 --stacks=xen \
    --labels=mix-pvh:all
known() {
    local guest
    report_rarely --sort=domain,comm --filter=mode=user
    for guest in mix-pv mix-pvh; do
        echo "$said" | grep "\"$guest\"" | grep -q '"comm": "thread-mix"' || return 1
    done
    echo "$said" | grep '"Domain-0"' | grep -q '"comm": "'
}
wait_for 120 "each kernel's threads to be known" known
# Kernels are found sooner while dom0 has nothing else to do.
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /sys/fs/cgroup/mix.slice/mix.service
sh -c 'echo 0 >/sys/fs/cgroup/mix.slice/mix.service/cgroup.procs
    exec thread-mix' &
mix=$!
after=$(($(date +%s) - began + 1))
wait_for 200 "100 samples of each domain's threads" enough_judged
wait_for 200 "a quarter of mix-pvh's samples to say where they come from" enough_origins
kill $mix
stop_and_check
for domain in $domains; do
    check_domain "$domain"
done
check_origins mix-pvh
# Of a passive domain only if it is asked for.
# shellcheck disable=SC2046
set -- $(origins_of mix-pv 2>&1)
equal "samples of mix-pv that say where they come from" "$1 $2" "0 0"
at_least "samples of mix-pv" "$3" 100
