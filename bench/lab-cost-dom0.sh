# SPDX-License-Identifier: GPL-2.0-or-later
# In dom0, for bench/lab-cost.sh, which puts its options into /root/options.
# shellcheck shell=sh disable=SC1091,SC2154
. /root/options
ticks=$((1000000000 << shift))
xenopctl --setup || exit 1
/root/spin 997 "$mask" "$turns" $ticks >/tmp/turns || exit 1
sort_of() {
    awk '{ off = $1 / $2; on = $3 / $4
           print 4 * (off - on) * $4 / $5 }' /tmp/turns | sort -n
}
awk -v million=$((1000000 << shift)) '
    BEGIN { printf "%12s %12s %10s %12s\n", "rounds, off", "rounds, on",
            "samples", "instructions"
            printf "%25s %10s %12s\n", "per M instructions", "", "per sample" }
    # Four instructions a round; a tick of the TSC is 2^-shift of one.
    { off = $1 / $2; on = $3 / $4
      printf "%12d %12d %10d %12d\n", off * million, on * million, $5,
          4 * (off - on) * $4 / $5 }' /tmp/turns
sort_of | awk '
    { price[NR] = $1 }
    END {
        median = NR % 2 ? price[(NR + 1) / 2] \
                        : (price[NR / 2] + price[NR / 2 + 1]) / 2
        printf "\ninstructions lost for each sample: %d (at most 3700)\n", median
        printf "from turn to turn: %d to %d\n", price[1], price[NR]
        for (rate = 97; rate <= 997; rate += 900)
            printf "share of 1 G instructions a second at %d Hz: %.3f %%\n",
                rate, median * rate / 1e7
        exit median > 3700
    }'
status=$?
xenopctl --deinit
exit $status
