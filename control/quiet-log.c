/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "quiet-log.h"

static void drop_message(struct xentoollog_logger *logger,
                         xentoollog_level level, int errnoval,
                         const char *context, const char *format, va_list al)
{
    (void)logger, (void)level, (void)errnoval;
    (void)context, (void)format, (void)al;
}

static void drop_progress(struct xentoollog_logger *logger, const char *context,
                          const char *doing_what, int percent,
                          unsigned long done, unsigned long total)
{
    (void)logger, (void)context, (void)doing_what;
    (void)percent, (void)done, (void)total;
}

static void keep(struct xentoollog_logger *logger)
{
    (void)logger;
}

xentoollog_logger *quiet_log(void)
{
    static xentoollog_logger logger = {drop_message, drop_progress, keep};

    return &logger;
}
