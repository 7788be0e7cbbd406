#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# unwind-table-cost.sh [BUILD]: makes, on this machine, the unwind tables of the
# hypervisors that the lab has (both hosts', and Debian 12's older 4.17.5). Fails
# if one takes a second, or covers less than 99.9 % of the code.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}"
set --
for which in 'debian12' 'debian12 --xen 4.17.5' 'debian13'; do
    # shellcheck disable=SC2086
    set -- "$@" "$("$here/../lab/lab" path --host $which xen-syms)"
done
bench/unwind-table-cost "$@"
