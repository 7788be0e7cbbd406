/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libxenvchan's header, which must not be included twice. */
#ifndef XENOPROF_AGENT_CHANNEL_VCHAN_H
#define XENOPROF_AGENT_CHANNEL_VCHAN_H

#include <libxenvchan.h>

#endif
