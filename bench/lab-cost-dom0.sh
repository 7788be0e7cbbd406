# SPDX-License-Identifier: GPL-2.0-or-later
# In dom0, for bench/lab-cost.sh: SHIFT comes from /root/shift.
shift=$(cat /root/shift)
ticks=$((2000000000 << shift >> 1))
xenopctl --setup || exit 1
printf '%8s %12s %12s %8s %22s\n' Hz "loops off" "loops on" samples \
    "instructions a sample"
for hz in 97 997; do
    taskset 1 /root/spin $hz 3 $ticks >/tmp/turns || exit 1
    awk -v hz=$hz '
        # Four instructions a round.
        { off += $1; on += $2; samples += $3 }
        END {
            lost = samples ? 4 * (off - on) / samples : 0
            printf "%8d %12d %12d %8d %22d\n", hz, off, on, samples, lost
            printf "         share of 1 G instructions a second at %d Hz: " \
                   "%.3f %%\n", hz, lost * hz / 1e7
        }' /tmp/turns
done
xenopctl --deinit
