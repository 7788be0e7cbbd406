# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: the same of 10,000 chains
# boot: main
# limit: 3000
# long: yes

wanted=10000
. /tests/xen-stacks.sh
