# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: xenoprofd runs as its own user, without capabilities, under a filter
# boot: main
# usually: debian13
# guests: none

must xenopctl --start
check_daemon_is_small
at_most "its memory in KiB" "$(daemon_line VmRSS | awk '{ print $1 }')" 30720

# The daemon owns what it writes, and nobody else can read it.
stop_and_check
equal "the session's owner and mode" \
    "$(stat -c '%U %a' $sessions/current)" "xenoprof 700"
for file in $sessions/current/*; do
    equal "owner and mode of $file" "$(stat -c '%U %a' "$file")" "xenoprof 600"
done
equal "the control socket's owner" "$(stat -c '%a' /run/xenoprof/control)" 600
