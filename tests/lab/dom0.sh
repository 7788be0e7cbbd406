# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Runs the planned scenarios in dom0, one after the other, and checks after each
# of them that the host is as it was before.

. /tests/kit.sh

# header NAME KEY
header() {
    sed -n "s/^# $2: *//p" "/tests/$1.sh" | head -n 1
}

# dom0's log without a warning that is QEMU's fault: after cmpxchg16b its flags may
# be those of some number, and a trap flag among them traps in dom0's kernel.
own_log() {
    dmesg | tail -n +$((log_before + 1)) | awk '
        /cut here/ { print block; block = "" }
        { block = block $0 "\n" }
        /end trace/ && block ~ /WARNING: .* exc_debug_kernel/ { block = "" }
        END { print block }'
}

# Lines of Xen's console and of dom0's log that should not be there.
bad_words() {
    xl dmesg | tail -n +$((console_before + 1)) |
        grep -aE 'Panic|FATAL|Assertion|Xen BUG|Xen WARN|general protection|page fault|unhandled'
    own_log |
        grep -aiE 'unknown NMI|NMI received|Dazed|BUG:|Oops|Call Trace|rcu.*stall|soft lockup'
}

remember() {
    console_before=$(xl dmesg | wc -l)
    log_before=$(dmesg | wc -l)
    tree_before=$(xenhypfs tree)
}

# Other payloads are reverted from the top.
remove_payloads() {
    local name
    for name in $(payloads | sed '1!G;h;$!d'); do
        livepatch revert "$name"
        xen-livepatch unload "$name"
    done
}

clean_up() {
    # shellcheck disable=SC2046
    kill -CONT $(daemon_pid) 2>/dev/null
    timeout 60 xenopctl --deinit >/tmp/deinit.said 2>&1 || cat /tmp/deinit.said
    # shellcheck disable=SC2046
    kill -KILL $(daemon_pid) 2>/dev/null
    remove_payloads >/dev/null 2>&1
    rm -rf "${sessions:?}"/* /tmp/*
}

memory_is_back() {
    [ $((free_before - $(free-pages))) -le "$memory_slack" ]
}

# Xen's own caches may keep up to 64 KiB.
memory_slack=16

# check_host: after clean_up; prints what differs from before.
check_host() {
    bad_words | sed 's/^/left in the logs: /'
    payloads | sed 's/^/still loaded: /'
    [ "$(xenhypfs tree)" = "$tree_before" ] || echo "hypfs is another: $(xenhypfs tree)"
    [ "$1" = changes ] || holds 5 memory_is_back ||
        echo "Xen had $free_before pages free, and has $(free-pages)"
}

# Each scenario runs in a process session of its own, so that every process that
# it leaves behind can be ended.
run_scenario() {
    local limit=$2 pid result=0
    setsid sh -c ". /tests/kit.sh; . /tests/$1.sh" &
    pid=$!
    holds "$limit" not_alive $pid || {
        echo "FAILED: not done after $limit s"
        result=1
    }
    kill -KILL -$pid 2>/dev/null
    wait $pid || result=1
    return $result
}

not_alive() {
    ! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

one() {
    local name=$1 limit memory result=passed wrong begun
    begun=$(date +%s)
    limit=$(header "$name" limit)
    memory=$(header "$name" memory)
    echo "scenario $name begins"
    remember
    free_before=$(free-pages)
    rest_guests "$name"
    run_scenario "$name" "${limit:-300}" || result=failed
    clean_up
    wake_guests
    wrong=$(check_host "$memory")
    if [ -n "$wrong" ]; then
        echo "FAILED: the host is not as it was: $wrong"
        result=failed
    fi
    if [ $result = failed ]; then
        echo "--- Xen's console meanwhile:"
        xl dmesg | tail -n +$((console_before + 1)) | tail -n 20
    fi
    echo "scenario $name $result ($(($(date +%s) - begun)) s)"
    [ $result = passed ]
}

# rest_guests NAME: those that this scenario does not need are paused, since a
# guest that works makes each command of dom0 take twice as long.
rest_guests() {
    local guests guest
    resting=
    guests=$(header "$1" guests)
    [ -n "$guests" ] || return 0
    for guest in $(xl list | awk 'NR > 1 && $5 !~ /p/ { print $1 }'); do
        case " Domain-0 $guests " in
        *" $guest "*) ;;
        *) xl pause "$guest" && resting="$resting $guest" ;;
        esac
    done
}

wake_guests() {
    local guest
    for guest in $resting; do
        xl unpause "$guest"
    done
}

# Guests called held-* are paused until a scenario lets them go: where
# instructions are counted, one CPU does the work of all.
hold_guests() {
    local name
    for name in $(xl list | awk '$1 ~ /^held-/ { print $1 }'); do
        xl pause "$name"
    done
}

# Making a module takes a quarter of a minute under emulation, so the module that
# the first boot of a host makes serves the others. Its name says what Xen and
# what programs it is for.
take_modules() {
    mkdir -p "$modules"
    chmod 700 "$modules"
    cp /tests/modules/* "$modules/" 2>/dev/null || :
}

give_modules() {
    : >/tests/own-module
    # A Xen that was built with us has none.
    set -- "$modules/$(xen_build)"*.livepatch
    [ -e "$1" ] || return 0
    mkdir -p "$OUT/modules"
    cp "$modules"/*.livepatch "$OUT/modules/"
    # Scenarios make others, for Xen with other payloads.
    echo "$1" >/tests/own-module
}

# Memory that is taken once for each boot would look like a leak of the first
# scenario.
warm_up() {
    xenopctl --setup && xenopctl --deinit
    must xenopctl --start
    must xenopctl --stop
    clean_up
}

# A guest that never sleeps would take half of dom0's time.
tame_guests() {
    local name
    for name in test64 test32; do
        ! xl domid $name >/dev/null 2>&1 || xl sched-credit2 -d $name -c 25
    done
}

all_passed=0
tame_guests
hold_guests
take_modules
warm_up
give_modules
while read -r name; do
    one "$name" || all_passed=1
done </tests/plan
exit $all_passed
