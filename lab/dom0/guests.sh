# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
start_guests() {
    :
}
look_at_guests() {
    :
}
