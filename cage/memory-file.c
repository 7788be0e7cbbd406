/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of memory, and the seals that keep what a process was promised. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory-file.h"

/* Of newer kernels than the C library that we are built with. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

int memory_file_make(const char *label)
{
    const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int file = memfd_create(label, flags | MFD_NOEXEC_SEAL);

    return file < 0 && errno == EINVAL ? memfd_create(label, flags) : file;
}

bool memory_file_fix_size(int file, size_t size)
{
    return ftruncate(file, (off_t)size) == 0 &&
           fcntl(file, F_ADD_SEALS,
                 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

bool memory_file_seal(int file)
{
    return fcntl(file, F_ADD_SEALS,
                 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

const void *memory_file_map(int file, size_t *size)
{
    struct stat status;
    void *bytes;

    if ( fstat(file, &status) || status.st_size <= 0 )
        return NULL;
    *size = (size_t)status.st_size;
    bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}
