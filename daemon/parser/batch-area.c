/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared memory that is locked as far as it is used, and given back. */
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "batch-area.h"
#include "base/scope.h"
#include "cage/memory-file.h"

#define SMALL_BATCHES 16u

/* Stacks of guests are not to be written to a swap device.  If the limit of
 * locked memory does not allow it, they may be. */
static void lock(struct batch_area *area)
{
    mlock2(area->bytes, BATCH_SIZE, MLOCK_ONFAULT);
}

int batch_area_open(struct batch_area *area, const struct batch_head *head)
{
    int file = memory_file_make("xenoprof-batch");

    *area = (struct batch_area){.bytes = MAP_FAILED};
    if ( file >= 0 && memory_file_fix_size(file, BATCH_SIZE) )
        area->bytes = mmap(NULL, BATCH_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                           file, 0);
    if ( area->bytes == MAP_FAILED )
    {
        area->bytes = NULL;
        if ( file >= 0 )
            close(file);
        return -1;
    }
    lock(area);
    memcpy(area->bytes, head, sizeof(*head));
    return file;
}

void batch_area_close(struct batch_area *area)
{
    if ( area->bytes )
        munmap(area->bytes, BATCH_SIZE);
    area->bytes = NULL;
}

void batch_area_copy_out(const struct batch_area *area, uint32_t at, void *to,
                         size_t size)
{
    memcpy(to, area->bytes + at, size);
    /* The compiler must not go back to the area for what is in the copy. */
    __asm__ volatile("" : : "r"(to) : "memory");
}

void batch_area_trim(struct batch_area *area, uint32_t bytes)
{
    const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
    uint32_t keep = (bytes + page - 1) & -page;

    if ( bytes >= area->high / 4 || ++area->small < SMALL_BATCHES )
    {
        if ( bytes > area->high )
            area->high = bytes;
        if ( bytes >= area->high / 4 )
            area->small = 0;
        return;
    }
    area->high = bytes;
    area->small = 0;
    /* Locked memory cannot be given back.  Sanitizers have a munlock() that
     * does nothing. */
    syscall(SYS_munlock, area->bytes, BATCH_SIZE);
    madvise(area->bytes + keep, BATCH_SIZE - keep, MADV_REMOVE);
    lock(area);
}
