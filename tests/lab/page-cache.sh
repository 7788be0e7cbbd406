# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: functions of passive guests have names, by the pages of files that are in their memory
# boot: leaves
# long: yes
# limit: 600

# Nothing is in the guests, and dom0 has none of their files. known-leaves is in
# known_first, known_second and known_third for 1, 2 and 3 parts of its time, and for 2
# in a function that has no name for others.
guests='leaf-pv leaf-kaslr'
after=0

# leaves GUEST: 'FIRST SECOND THIRD REST UNKNOWN': samples of known-leaves by their
# function; REST are in its file, and have none.
leaves() {
    xenopreport --json --sort=image,symbol \
        --filter="comm=known-leaves,mode=user,domain=$1,time=$after.." \
        >"/tmp/leaves-$1" || return 1
    awk '/"samples": / && /"image": / {
        count = $0
        sub(/.*"samples": /, "", count)
        count += 0
        if (!/"image": "[^"]*\/known-leaves"/) unknown += count
        else if (/"symbol": "known_first"/) first += count
        else if (/"symbol": "known_second"/) second += count
        else if (/"symbol": "known_third"/) third += count
        else if (/"symbol": null/) rest += count
        else unknown += count
    }
    END { print first + 0, second + 0, third + 0, rest + 0, unknown + 0 }' \
        "/tmp/leaves-$1"
}

# Reports cost the guests the time that they should work in.
named() {
    sleep 3
    for guest in $guests; do
        # shellcheck disable=SC2046
        set -- $(leaves $guest)
        echo "$guest: $*"
        [ "${3:-0}" -ge "$wanted" ] || return 1
    done
}

for guest in $guests; do
    must xl sched-credit2 -d $guest -c 60
    work_at $guest leaves
done
must xenopctl --start --passive-domains=leaf-pv,leaf-kaslr --frequency=197
began=$(date +%s)
wanted=5
wait_for 200 "functions of both guests to have names" named
after=$(($(date +%s) - began))
wanted=100
wait_for 250 "samples of both guests once they have names" named
for guest in $guests; do
    # shellcheck disable=SC2046
    set -- $(leaves $guest)
    all=$(($1 + $2 + $3 + $4 + $5))
    echo "$guest: of $all samples $1, $2 and $3 in its functions, $4 elsewhere in the file, $5 unknown"
    at_most "of $guest's samples, those without their file, in thousandths" \
        $(($5 * 1000 / all)) 20
    at_least "of $guest's samples, known_third's, in thousandths" $(($3 * 1000 / all)) 275
    at_most "of $guest's samples, known_third's, in thousandths" $(($3 * 1000 / all)) 475
    at_least "of $guest's samples, known_first's, in thousandths" $(($1 * 1000 / all)) 60
    at_most "of $guest's samples, known_first's, in thousandths" $(($1 * 1000 / all)) 190
done
stop_and_check
