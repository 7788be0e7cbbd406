# SPDX-License-Identifier: GPL-2.0-or-later
# In dom0, for bench/lab-cost.sh: SHIFT comes from /root/shift.
shift=$(cat /root/shift)
ticks=$((1000000000 << shift))
xenopctl --setup || exit 1
/root/spin 500 2000 5 $ticks >/tmp/turns || exit 1
awk '
    # Four instructions a round.
    function cost() { return 4 * ($1 - $3) / ($4 - $2) }
    BEGIN { printf "%14s %8s %14s %8s %12s\n", "rounds, low", "samples",
            "rounds, high", "samples", "instructions" }
    { printf "%14d %8d %14d %8d %12d\n", $1, $2, $3, $4, cost()
      low += $1; high += $3; few += $2; many += $4 }
    END {
        price = 4 * (low - high) / (many - few)
        printf "\ninstructions lost for each sample: %d (at most 4500)\n", price
        for (rate = 97; rate <= 997; rate += 900)
            printf "share of 1 G instructions a second at %d Hz: %.3f %%\n",
                rate, price * rate / 1e7
        exit price > 4500
    }' /tmp/turns
status=$?
xenopctl --deinit
exit $status
