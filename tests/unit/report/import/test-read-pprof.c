/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/import/import-formats.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "import-kit.h"
#include "pprof-kit.h"
#include "report/export/pprof-fields.h"
#include "tests/harness.h"

#define OURS                                                                   \
    "web.2@0 xen 77:0:nginx xen!do_call+x kernel!read+k /bin/web!0x401000+u\n"

TEST(our_labels_say_whose_samples_they_are)
{
    struct buffer profile = {0};

    pprof_kit_ours(&profile);
    CHECK_TEXT(import_kit(profile.bytes, profile.used),
               "time 4 " OURS "time 3 " OURS "time 3 " OURS);
    buffer_free(&profile);
}

TEST(another_tools_is_one_domain)
{
    struct buffer profile = {0};

    pprof_kit_other(&profile);
    CHECK_TEXT(import_kit(profile.bytes, profile.used),
               "allocs 3 file.0@0 user !inner+u !outer+u !0x1234+u\n"
               "space 1024 file.0@0 user !inner+u !outer+u !0x1234+u\n");
    buffer_free(&profile);
}

TEST(gzip_is_unpacked)
{
    struct buffer profile = {0};
    char path[] = "/tmp/xenoprof-pprof-XXXXXX";
    int fd = mkstemp(path);
    gzFile file = gzdopen(dup(fd), "wb");
    uint8_t packed[4096];
    ssize_t size;

    pprof_kit_ours(&profile);
    CHECK_EQ(gzwrite(file, profile.bytes, (unsigned int)profile.used),
             profile.used);
    CHECK(!gzclose(file));
    size = pread(fd, packed, sizeof(packed), 0);
    CHECK(size > 18);
    CHECK_TEXT(import_kit(packed, (size_t)size),
               "time 4 " OURS "time 3 " OURS "time 3 " OURS);
    CHECK_TEXT(import_kit(packed, (size_t)size - 1),
               "file cannot be read as a profile of pprof: its gzip is "
               "damaged, or cut");
    close(fd);
    unlink(path);
    buffer_free(&profile);
}

/* Cut anywhere, it is a sentence, or what was before; never a crash. */
TEST(a_cut_profile_is_refused)
{
    struct buffer profile = {0};

    pprof_kit_ours(&profile);
    for ( size_t size = 1; size < profile.used; size++ )
        import_kit(profile.bytes, size);
    CHECK_TEXT(import_kit(profile.bytes, profile.used - 1),
               "file cannot be read as a profile of pprof: it ends within a "
               "field, or is not a profile at all");
    buffer_free(&profile);
}

static const char *with_sample(size_t values, const uint64_t *value,
                               uint64_t label)
{
    static const char *const texts[] = {"", "samples", "count"};
    const uint64_t type[] = {1, 2};
    struct buffer profile = {0}, sample = {0};
    const char *text;

    pprof_kit_message(&profile, PPROF_SAMPLE_TYPE, 2, type);
    for ( size_t i = 0; i < values; i++ )
        pprof_kit_number(&sample, PPROF_SAMPLE_VALUE, value[i]);
    if ( label )
        pprof_kit_message(&sample, PPROF_SAMPLE_LABEL, 1, &label);
    pprof_kit_bytes(&profile, PPROF_SAMPLE, sample.bytes, sample.used);
    for ( size_t i = 0; i < 3; i++ )
        pprof_kit_text(&profile, texts[i]);
    text = import_kit(profile.bytes, profile.used);
    buffer_free(&profile);
    buffer_free(&sample);
    return text;
}

TEST(what_makes_no_sense_is_refused)
{
    const uint64_t two[] = {2, 2}, below[] = {(uint64_t)-5};

    CHECK_TEXT(with_sample(1, two, 0), "samples 1 file.0@0 user\n"
                                       "samples 1 file.0@0 user\n");
    CHECK_TEXT(with_sample(2, two, 0),
               "file cannot be read as a profile of pprof: one of its samples "
               "has not as many values as it says that there are");
    CHECK_TEXT(with_sample(0, NULL, 0),
               "file cannot be read as a profile of pprof: one of its samples "
               "has not as many values as it says that there are");
    CHECK_TEXT(with_sample(1, below, 0),
               "file cannot be read as a profile of pprof: it has values below "
               "0, as the difference of two profiles: give both to --diff");
    CHECK_TEXT(with_sample(1, two, 99),
               "file cannot be read as a profile of pprof: one of its samples "
               "is cut");
}
