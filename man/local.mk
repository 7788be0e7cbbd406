# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages of what is built --without-xen, too.
dist_man_MANS += \
	man/libxenoprof.3 \
	man/xenopreport-annotate.1 \
	man/xenopreport-json.5 \
	man/xenopreport.1 \
	man/xenoprof-records.5 \
	man/xenoprof-session.5 \
	man/xenoprof.7
