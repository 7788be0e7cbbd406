/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smaller floor counts: small disks may be used up to 95 %, large ones up
 * to their last GiB. */
#include <sys/statvfs.h>

#include "disk.h"

int disk_check(const char *dir, struct failure *failure)
{
    struct statvfs disk;
    unsigned long long size, left, floor;

    if ( statvfs(dir, &disk) || !disk.f_blocks )
        return 0;
    size = (unsigned long long)disk.f_blocks * disk.f_frsize;
    left = (unsigned long long)disk.f_bavail * disk.f_frsize;
    floor = size / 100 * DISK_FLOOR_PERCENT;
    if ( floor > DISK_FLOOR_BYTES )
        floor = DISK_FLOOR_BYTES;
    if ( left >= floor )
        return 0;
    return fail(failure, STATUS_DISK_FULL,
                "the disk of %s is nearly full (%llu MiB are free, %llu must "
                "stay): delete what is not needed, or give another folder "
                "with --session-dir",
                dir, left >> 20, floor >> 20);
}

uint64_t disk_share(const char *dir)
{
    uint64_t share = DISK_SHARE_BYTES;
    struct statvfs disk;

    if ( statvfs(dir, &disk) || !disk.f_blocks )
        return share;
    if ( share > (uint64_t)disk.f_blocks * disk.f_frsize / DISK_SHARE_PART )
        share = (uint64_t)disk.f_blocks * disk.f_frsize / DISK_SHARE_PART;
    return share > DISK_SHARE_LEAST ? share : DISK_SHARE_LEAST;
}
