/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error numbers, the same as Xen's; core_command() returns them negated.
 */
#ifndef XENOPROF_HYPERVISOR_ERRORS_H
#define XENOPROF_HYPERVISOR_ERRORS_H

enum error {
    ERROR_NONE = 0,
    ERROR_NOT_THERE = 2,      /* ENOENT */
    ERROR_AGAIN = 11,         /* EAGAIN: not done yet, repeat the command */
    ERROR_NO_MEMORY = 12,     /* ENOMEM */
    ERROR_BUSY = 16,          /* EBUSY */
    ERROR_EXISTS = 17,        /* EEXIST */
    ERROR_INVALID = 22,       /* EINVAL */
    ERROR_NO_SPACE = 28,      /* ENOSPC */
    ERROR_RANGE = 34,         /* ERANGE */
    ERROR_NOT_SUPPORTED = 95, /* EOPNOTSUPP */
};

#endif
