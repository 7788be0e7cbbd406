/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Somebody else's livepatch, as far as Xen's loader is concerned: it does
 * nothing, can lie below, above or between others, and can be replaced.
 */
#include "hypervisor/port-payload/xen.h"

typedef void hook(void);

static void load(void)
{
    printk("lab payload: in\n");
}

static void unload(void)
{
    printk("lab payload: out\n");
}

__attribute__((section(".livepatch.hooks.load"),
               used)) static hook *const load_hook = load;
__attribute__((section(".livepatch.hooks.unload"),
               used)) static hook *const unload_hook = unload;
