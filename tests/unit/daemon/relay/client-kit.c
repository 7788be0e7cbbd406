/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client-kit.h"

#include <string.h>

struct libxenvchan *libxenvchan_client_init(struct xentoollog_logger *logger,
                                            int domain, const char *xs_path)
{
    if ( !logger || domain != KIT_DOMAIN || !kit_vchan->ring.srv_live ||
         strcmp(xs_path, "/local/domain/7/data/opagent") )
        return NULL;
    return kit_vchan_connect();
}

int libxenvchan_data_ready(struct libxenvchan *channel)
{
    return (int)(__atomic_load_n(&channel->read.shr->prod, __ATOMIC_ACQUIRE) -
                 __atomic_load_n(&channel->read.shr->cons, __ATOMIC_ACQUIRE));
}

void libxenvchan_close(struct libxenvchan *channel)
{
    (void)channel;
    kit_vchan_leave();
}
