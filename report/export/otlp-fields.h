/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of fields of opentelemetry.proto.profiles.v1development.ProfilesData:
 * profiles.proto, resource.proto and common.proto of
 * github.com/open-telemetry/opentelemetry-proto at ac2c4b5.  A request to
 * export profiles has the same fields as ProfilesData.
 */
#ifndef XENOPROF_REPORT_EXPORT_OTLP_FIELDS_H
#define XENOPROF_REPORT_EXPORT_OTLP_FIELDS_H

enum otlp_data_field { OTLP_RESOURCE_PROFILES = 1, OTLP_DICTIONARY };

enum otlp_dictionary_field {
    OTLP_MAPPING_TABLE = 1,
    OTLP_LOCATION_TABLE,
    OTLP_FUNCTION_TABLE,
    OTLP_LINK_TABLE,
    OTLP_STRING_TABLE,
    OTLP_ATTRIBUTE_TABLE,
    OTLP_STACK_TABLE
};

enum otlp_resource_profiles_field { OTLP_RESOURCE = 1, OTLP_SCOPE_PROFILES };

enum otlp_resource_field { OTLP_RESOURCE_ATTRIBUTES = 1 };

enum otlp_scope_profiles_field { OTLP_SCOPE = 1, OTLP_PROFILES };

enum otlp_scope_field { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION };

enum otlp_profile_field {
    OTLP_SAMPLE_TYPE = 1,
    OTLP_SAMPLES,
    OTLP_TIME,
    OTLP_DURATION,
    OTLP_PERIOD_TYPE,
    OTLP_PERIOD
};

enum otlp_sample_field {
    OTLP_SAMPLE_STACK = 1,
    OTLP_SAMPLE_ATTRIBUTES,
    OTLP_SAMPLE_LINK,
    OTLP_SAMPLE_VALUES,
    OTLP_SAMPLE_TIMES
};

enum otlp_type_field { OTLP_TYPE_NAME = 1, OTLP_TYPE_UNIT };

enum otlp_mapping_field {
    OTLP_MAPPING_START = 1,
    OTLP_MAPPING_LIMIT,
    OTLP_MAPPING_OFFSET,
    OTLP_MAPPING_FILENAME,
    OTLP_MAPPING_ATTRIBUTES
};

enum otlp_stack_field { OTLP_STACK_LOCATIONS = 1 };

enum otlp_location_field {
    OTLP_LOCATION_MAPPING = 1,
    OTLP_LOCATION_ADDRESS,
    OTLP_LOCATION_LINES,
    OTLP_LOCATION_ATTRIBUTES
};

enum otlp_line_field { OTLP_LINE_FUNCTION = 1, OTLP_LINE_NUMBER };

enum otlp_function_field {
    OTLP_FUNCTION_NAME = 1,
    OTLP_FUNCTION_SYSTEM_NAME,
    OTLP_FUNCTION_FILENAME
};

/* An attribute in the dictionary, and elsewhere. */
enum otlp_attribute_field { OTLP_ATTRIBUTE_KEY = 1, OTLP_ATTRIBUTE_VALUE };

enum otlp_key_value_field { OTLP_KEY = 1, OTLP_VALUE };

enum otlp_value_field {
    OTLP_VALUE_TEXT = 1,
    OTLP_VALUE_NUMBER = 3,
    OTLP_VALUE_ARRAY = 5
};

enum otlp_array_field { OTLP_ARRAY_VALUES = 1 };

#endif
