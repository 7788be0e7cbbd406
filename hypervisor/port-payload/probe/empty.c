/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emptiest payload that Xen's loader takes: xenopctl --check uploads and
 * withdraws it, without ever applying it, to see whether that is allowed.
 */
typedef void hook(void);

static void nothing(void)
{
}

__attribute__((section(".livepatch.hooks.load"), used))
hook *const empty_load_hook = nothing;
