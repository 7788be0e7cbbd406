/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest payload that Xen's loader accepts: xenopctl --check uploads and
 * deletes it, without applying it, to see whether that is allowed.
 */
typedef void hook(void);

static void nothing(void)
{
}

__attribute__((section(".livepatch.hooks.load"), used))
hook *const empty_load_hook = nothing;
