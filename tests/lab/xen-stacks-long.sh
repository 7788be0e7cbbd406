# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: 10,000 chains of Xen are whole, and each caller follows a call
# boot: main
# limit: 3000
# long: yes

wanted=10000
. /tests/xen-stacks.sh
