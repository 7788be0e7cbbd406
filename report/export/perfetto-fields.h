/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of fields of perfetto.protos.Trace: protos/perfetto/trace of
 * github.com/google/perfetto at ec5d16b14b.
 */
#ifndef XENOPROF_REPORT_EXPORT_PERFETTO_FIELDS_H
#define XENOPROF_REPORT_EXPORT_PERFETTO_FIELDS_H

enum perfetto_trace_field { PERFETTO_PACKET = 1 };

enum perfetto_packet_field {
    PERFETTO_CLOCK_SNAPSHOT = 6,
    PERFETTO_TIMESTAMP = 8,
    PERFETTO_SEQUENCE = 10,
    PERFETTO_TRACK_EVENT = 11,
    PERFETTO_INTERNED = 12,
    PERFETTO_SEQUENCE_FLAGS = 13,
    PERFETTO_DEFAULTS = 59,
    PERFETTO_TRACK = 60,
    PERFETTO_SAMPLE = 66
};

/* A sequence begins; a packet needs what was interned before. */
enum perfetto_sequence_flag { PERFETTO_CLEARED = 1, PERFETTO_NEEDS = 2 };

enum perfetto_snapshot_field { PERFETTO_CLOCK = 1 };
enum perfetto_clock_field { PERFETTO_CLOCK_ID = 1, PERFETTO_CLOCK_TIME };
enum perfetto_clock_id { PERFETTO_REALTIME = 1, PERFETTO_BOOTTIME = 6 };

enum perfetto_defaults_field { PERFETTO_SAMPLE_DEFAULTS = 12 };
enum perfetto_sample_defaults_field { PERFETTO_TIMEBASE = 1 };
enum perfetto_timebase_field {
    PERFETTO_TIMEBASE_PERIOD = 1,
    PERFETTO_TIMEBASE_NAME = 10
};

enum perfetto_sample_field {
    PERFETTO_SAMPLE_CPU = 1,
    PERFETTO_SAMPLE_PID,
    PERFETTO_SAMPLE_TID,
    PERFETTO_SAMPLE_STACK,
    PERFETTO_SAMPLE_MODE,
    PERFETTO_SAMPLE_COUNT
};

enum perfetto_mode {
    PERFETTO_MODE_HYPERVISOR = 3,
    PERFETTO_MODE_GUEST_KERNEL,
    PERFETTO_MODE_GUEST_USER
};

enum perfetto_interned_field {
    PERFETTO_FUNCTION_NAMES = 5,
    PERFETTO_FRAMES = 6,
    PERFETTO_STACKS = 7,
    PERFETTO_PATHS = 17,
    PERFETTO_SOURCES = 18,
    PERFETTO_MAPPINGS = 19
};

enum perfetto_string_field { PERFETTO_STRING_ID = 1, PERFETTO_STRING_TEXT };
enum perfetto_mapping_field {
    PERFETTO_MAPPING_ID = 1,
    PERFETTO_MAPPING_PATHS = 7
};
enum perfetto_frame_field {
    PERFETTO_FRAME_ID = 1,
    PERFETTO_FRAME_FUNCTION,
    PERFETTO_FRAME_MAPPING,
    PERFETTO_FRAME_SOURCE = 5,
    PERFETTO_FRAME_LINE
};
enum perfetto_stack_field { PERFETTO_STACK_ID = 1, PERFETTO_STACK_FRAMES };

enum perfetto_track_field {
    PERFETTO_TRACK_ID = 1,
    PERFETTO_TRACK_NAME = 2,
    PERFETTO_TRACK_PROCESS = 3,
    PERFETTO_TRACK_THREAD = 4,
    PERFETTO_TRACK_PARENT = 5,
    PERFETTO_TRACK_COUNTER = 8
};
enum perfetto_process_field {
    PERFETTO_PROCESS_PID = 1,
    PERFETTO_PROCESS_NAME = 6
};
enum perfetto_thread_field {
    PERFETTO_THREAD_PID = 1,
    PERFETTO_THREAD_TID = 2,
    PERFETTO_THREAD_NAME = 5
};
enum perfetto_counter_field { PERFETTO_COUNTER_UNIT = 3 };
enum perfetto_unit { PERFETTO_UNIT_NS = 1, PERFETTO_UNIT_COUNT };

enum perfetto_event_field {
    PERFETTO_EVENT_TYPE = 9,
    PERFETTO_EVENT_TRACK = 11,
    PERFETTO_EVENT_NAME = 23,
    PERFETTO_EVENT_VALUE = 30
};
enum perfetto_event_type {
    PERFETTO_SLICE_BEGIN = 1,
    PERFETTO_SLICE_END,
    PERFETTO_INSTANT,
    PERFETTO_COUNTER_VALUE
};

#endif
