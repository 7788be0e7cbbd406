/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's pages, over a libxenforeignmemory of this test: what cannot be mapped
 * is said and given back, and the device is closed by whoever opened it.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <xenforeignmemory.h>

#include "libxenoprof/handle.h"
#include "tests/harness.h"

#define STATUS_FRAME 100u
#define INDEX_FRAME  101u

/* The linker sends the library's calls here (--wrap). */
xenforeignmemory_handle *__wrap_xenforeignmemory_open(
    struct xentoollog_logger *, unsigned int flags);
int __wrap_xenforeignmemory_close(xenforeignmemory_handle *memory);
void *__wrap_xenforeignmemory_map(xenforeignmemory_handle *memory,
                                  uint32_t domain, int protection, size_t count,
                                  const xen_pfn_t *frames, int *errors);
int __wrap_xenforeignmemory_unmap(xenforeignmemory_handle *memory, void *pages,
                                  size_t count);

static uint8_t pages[2][XENOPROF_PAGE_SIZE] __attribute__((aligned(4096)));
static struct xenoprof_status_page *const status = (void *)pages[0];
static struct xenoprof_handle *handle;

/* What the fake does next, and what it has been asked to do. */
static struct {
    int open_error; /* errno; 0: the device opens */
    int map_error;  /* of the status page, as Xen's library gives it */
    bool map_fails; /* as a whole, with ENOMEM */
    int opened;     /* now */
    int opens;      /* ever */
    int mapped;     /* pages, now */
} fake;

xenforeignmemory_handle *__wrap_xenforeignmemory_open(
    struct xentoollog_logger *logger, unsigned int flags)
{
    (void)logger;
    CHECK_EQ(flags, 0);
    errno = fake.open_error;
    if ( fake.open_error )
        return NULL;
    fake.opened++;
    fake.opens++;
    return (void *)&fake;
}

int __wrap_xenforeignmemory_close(xenforeignmemory_handle *memory)
{
    CHECK((void *)memory == &fake);
    CHECK_EQ(fake.mapped, 0);
    fake.opened--;
    return 0;
}

void *__wrap_xenforeignmemory_map(xenforeignmemory_handle *memory,
                                  uint32_t domain, int protection, size_t count,
                                  const xen_pfn_t *frames, int *errors)
{
    bool is_index = frames[0] == INDEX_FRAME;

    CHECK((void *)memory == &fake);
    CHECK_EQ(domain, DOMID_XEN);
    CHECK_EQ(count, 1);
    CHECK_EQ(protection, is_index ? PROT_READ | PROT_WRITE : PROT_READ);
    CHECK(is_index || frames[0] == STATUS_FRAME);
    errno = ENOMEM;
    if ( fake.map_fails )
        return NULL;
    errors[0] = is_index ? 0 : fake.map_error;
    fake.mapped++;
    return pages[is_index];
}

int __wrap_xenforeignmemory_unmap(xenforeignmemory_handle *memory, void *at,
                                  size_t count)
{
    CHECK((void *)memory == &fake);
    CHECK(at == pages[0] || at == pages[1]);
    fake.mapped -= count;
    return 0;
}

static void begin(void)
{
    memset(&fake, 0, sizeof(fake));
    memset(pages, 0, sizeof(pages));
    status->magic = XENOPROF_STATUS_MAGIC;
    status->version = XENOPROF_ABI_VERSION;
    status->index_mfn[0] = INDEX_FRAME;
    handle = xenoprof_open();
}

static void refused(int error, const char *why)
{
    struct xenoprof_source *source;

    CHECK_EQ(xenoprof_source_xen(handle, STATUS_FRAME, &source),
             XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_errno(handle), error);
    CHECK(strstr(xenoprof_message(handle), why));
    CHECK_EQ(fake.mapped, 0);
    CHECK_EQ(fake.opened, 0);
}

TEST(a_device_that_cannot_be_opened_is_said)
{
    begin();
    fake.open_error = EACCES;
    refused(EACCES, "/dev/xen/privcmd");
    CHECK_EQ(xenoprof_prepare_xen(handle), XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_errno(handle), EACCES);
    xenoprof_close(handle);
}

TEST(a_page_that_cannot_be_mapped_is_said_and_given_back)
{
    begin();
    fake.map_error = -EINVAL;
    refused(EINVAL, "xen: ");
    /* Whichever sign the library gives. */
    fake.map_error = EPERM;
    refused(EPERM, "xen: ");
    fake.map_error = 0;
    fake.map_fails = true;
    refused(ENOMEM, "xen: ");
    CHECK_EQ(fake.opens, 3);
    xenoprof_close(handle);
}

TEST(a_source_closes_what_it_opened)
{
    struct xenoprof_source *source;

    begin();
    CHECK_EQ(xenoprof_source_xen(handle, STATUS_FRAME, &source), XENOPROF_OK);
    CHECK_EQ(fake.mapped, 2);
    xenoprof_source_close(source);
    CHECK_EQ(fake.mapped, 0);
    CHECK_EQ(fake.opened, 0);
    xenoprof_close(handle);
}

/* As in the daemon, which opens it before it drops its privileges. */
TEST(a_prepared_device_serves_every_source_of_its_handle)
{
    struct xenoprof_source *source;

    begin();
    CHECK_EQ(xenoprof_prepare_xen(handle), XENOPROF_OK);
    CHECK_EQ(xenoprof_prepare_xen(handle), XENOPROF_OK);
    fake.open_error = EACCES;
    for ( int i = 0; i < 2; i++ )
    {
        CHECK_EQ(xenoprof_source_xen(handle, STATUS_FRAME, &source),
                 XENOPROF_OK);
        xenoprof_source_close(source);
        CHECK_EQ(fake.opened, 1);
    }
    status->magic = 0;
    CHECK(xenoprof_source_xen(handle, STATUS_FRAME, &source) != XENOPROF_OK);
    CHECK_EQ(fake.mapped, 0);
    CHECK_EQ(fake.opened, 1);
    xenoprof_close(handle);
    CHECK_EQ(fake.opened, 0);
    CHECK_EQ(fake.opens, 1);
}
