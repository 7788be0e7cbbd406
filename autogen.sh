#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ./configure; needed only in a git checkout.
set -e
cd "$(dirname "$0")"
build-aux/list-sources --update
exec autoreconf --install --warnings=all,no-obsolete,no-portability
