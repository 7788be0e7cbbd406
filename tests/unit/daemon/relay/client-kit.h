/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's side of vchan-kit.h as libxenvchan opens and closes it. */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_RELAY_CLIENT_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_RELAY_CLIENT_KIT_H

#include "tests/unit/agent/channel/vchan-kit.h"

/* The only domain that has a server. */
#define KIT_DOMAIN 7

#endif
