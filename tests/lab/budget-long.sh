# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# title: the same for ten minutes
# boot: main
# limit: 3000
# long: yes

wanted=100000
. /tests/budget.sh
