# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The scenarios' kit, for dom0's sh (busybox).

PATH=$PATH:/tests/bin
modules=/var/lib/xenoprof/modules
sessions=/var/lib/xenoprof/sessions

for part in agents check door entries guests livepatch pool report; do
    . /tests/kit-$part.sh
done
. /tests/settings
