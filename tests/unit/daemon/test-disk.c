/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of a disk stays free, on disks of any size. */
#include <string.h>
#include <sys/statvfs.h>

#include "daemon/disk.h"
#include "libxenoprof/session/session-writer.h"
#include "recording-kit.h"

#define GIB (1ull << 30)

/* The disk that the next calls see; size 0: the real one. */
static unsigned long long size, left;

/* The linker sends the daemon's statvfs() here (--wrap). */
int __real_statvfs(const char *path, struct statvfs *ret);
int __wrap_statvfs(const char *path, struct statvfs *ret);

int __wrap_statvfs(const char *path, struct statvfs *ret)
{
    if ( !size )
        return __real_statvfs(path, ret);
    memset(ret, 0, sizeof(*ret));
    ret->f_frsize = 4096;
    ret->f_blocks = size / 4096;
    ret->f_bavail = left / 4096;
    return 0;
}

static int check(unsigned long long disk, unsigned long long room)
{
    static struct failure failure;

    size = disk;
    left = room;
    return disk_check("/somewhere", &failure);
}

TEST(five_percent_of_a_small_disk_stay_free)
{
    CHECK_EQ(check(10 * GIB, GIB), 0);
    CHECK_EQ(check(10 * GIB, GIB / 2), 0);
    CHECK_EQ(check(10 * GIB, GIB / 2 - GIB / 100), STATUS_DISK_FULL);
}

TEST(a_gib_of_a_large_disk_stays_free)
{
    CHECK_EQ(check(10000 * GIB, GIB), 0);
    CHECK_EQ(check(10000 * GIB, GIB - 4096), STATUS_DISK_FULL);
}

static uint64_t share(unsigned long long disk)
{
    size = disk;
    left = 0;
    return disk_share("/somewhere");
}

TEST(what_goes_on_for_ever_takes_a_part_of_the_disk)
{
    CHECK_EQ(share(5 * GIB), GIB / 2);
    CHECK_EQ(share(20 * GIB), 2 * GIB);
    CHECK_EQ(share(10000 * GIB), 2 * GIB);
    CHECK_EQ(share(GIB / 1024), GIB / 128);
    size = 0;
    CHECK_EQ(disk_share("/not/there"), 2 * GIB);
}

/* The daemon that goes on has the same limits; --max-size is the user's. */
TEST(a_recording_for_ever_has_a_size_and_an_age)
{
    static struct recording_kit kit;
    const struct xenoprof_writer *writer;

    kit_begin(&kit);
    size = 5 * GIB;
    left = 2 * GIB;
    kit_run(&kit, " keep=3 lease=0");
    for ( int i = 0; i < 2; i++ )
    {
        writer = kit.recording.writer;
        CHECK_EQ(writer->max_size, GIB / 2);
        CHECK_EQ(writer->max_age, 3 * 86400 * 1000000000ull);
        if ( i )
            break;
        kit_kill(&kit);
        CHECK(recording_adopt(&kit.recording, kit.dir));
    }
    CHECK_EQ(kit_finish(&kit), 0);
    kit_run(&kit, " keep=3 max-size=100");
    CHECK_EQ(kit.recording.writer->max_size, 100u << 20);
    CHECK_EQ(kit_finish(&kit), 0);
    size = 0;
    kit_end(&kit);
}

TEST(sampling_stops_before_the_disk_is_full)
{
    static struct recording_kit kit;
    struct kit_content content;

    size = 0;
    kit_begin(&kit);
    size = 10 * GIB;
    left = 5 * GIB;
    kit_run(&kit, " frequency=200");
    left = GIB / 4;
    kit.recording.next_look = 0;
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK(kit.recording.cannot_store);
    CHECK(strstr(kit.recording.trouble, "nearly full (256 MiB are free"));
    CHECK_EQ(kit.recording.status.state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_read_session(&kit, "current", &content);
    CHECK(content.closed);
    CHECK_EQ(content.lost, 0);
    CHECK_EQ(kit_start(&kit, " frequency=200"), STATUS_DISK_FULL);
    size = 0;
    kit_end(&kit);
}
