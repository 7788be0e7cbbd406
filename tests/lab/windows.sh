# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: windows equal the guest's stack, and reading them does no harm
# boot: windows
# long: yes
# limit: 900

# add NAME KIND: profile it; sets $id.
add() {
    local uuid
    id=$(xl domid "$1")
    uuid=$(xl vm-list | awk -v id="$id" '$2 == id { print $1 }')
    must door_command domain id="$id" vcpus=2 uuid="$uuid" kind="$2"
}

# said_of DOMAIN MODE KEY: what stack-windows said.
said_of() {
    awk -v domain="$1" -v mode="$2" -v key="$3=" '
        $1 == domain && $2 == mode {
            for (i = 3; i <= NF; i++)
                if (index($i, key) == 1) print substr($i, length(key) + 1)
            found = 1
        }
        END { if (!found) print 0 }' /tmp/windows
}

# whole NAME DOMAIN MODE SHORTEST LONGEST: each window on a known stack has as much
# of the stack as it can have, and no wrong word.
whole() {
    at_least "windows on the known stack of $1" "$(said_of "$2" "$3" known)" 100
    equal "windows with a wrong word of $1" "$(said_of "$2" "$3" wrong)" 0
    equal "bytes in the shortest of $1" "$(said_of "$2" "$3" shortest)" "$4"
    equal "bytes in the longest of $1" "$(said_of "$2" "$3" longest)" "$5"
}

# shared NAME DOMAIN: nearly all samples in its kernel have a stack, unless the
# guest had moved.
shared() {
    local samples moved other have
    samples=$(said_of "$2" kernel samples)
    moved=$(said_of "$2" kernel moved)
    other=$(said_of "$2" kernel other)
    have=$(($(said_of "$2" kernel windows) + $(said_of "$2" kernel same)))
    echo "$1: $samples samples in the kernel, $have with a stack, $moved had" \
        "moved, $other of unknown state"
    at_least "samples in the kernel of $1" "$samples" 300
    at_least "thousandths of unmoved samples of $1 with a stack" \
        $((have * 1000 / (samples - moved - other))) 990
    at_least "hundredths of all with a stack, of $1" \
        $((have * 100 / samples)) 50
}

# Two processes of dom0, one with a stack that is shorter than the budget.
stack-pattern 5000 &
first=$!
stack-pattern 12000 &
second=$!

must xenopctl --setup
must door_command reserve sampler=nmi frequency=997 mask=27 pages=64 queue=0 \
    lease=0 budget=0
must door_command domain id=0 vcpus=2 uuid=00000000000000000000000000000000 \
    kind=active
must door_command link id=0 at=8,16
add pv1 passive
pv1=$id
must door_command link id="$pv1" at=8,16
add stack64 passive
stack64=$id
add stack32 passive
stack32=$id
must door_command start
must stack-windows 20000 600
echo "$said" | tee /tmp/windows
must door_command stop
kill $first $second

lost=$(xenhypfs cat /xenoprof/status | tr -d '\0' |
    awk '$1 == "lost:" { print $2 + $4 + $6 }')
equal "made, and committed + lost" "$(door_number made)" \
    "$(($(door_number committed) + lost))"
must door_command reset
# From the red zone on.
whole "a process in dom0" 0 user 5128 8192
whole stack64 "$stack64" kernel 4096 4096
whole stack32 "$stack32" kernel 4096 4096
equal "windows of a passive domain's processes" \
    "$(said_of "$pv1" user windows)" 0
shared dom0 0
shared pv1 "$pv1"

# Both processes went on undisturbed.
for name in pv1 stack64 stack32; do
    must xl list "$name"
    says '[r-][b-]---- '
done
must xenopctl --deinit
