/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to an agent, and what its answers say. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_TALK_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_TALK_KIT_H

#include <stddef.h>
#include <xenoprof/agent.h>

struct kit_message {
    uint64_t bytes[AGENT_MESSAGE_MAX / 8];
    size_t size;
};

void kit_hello(struct kit_message *to, uint16_t version);
/* number 7, of the newest version, as the next three */
void kit_where(struct kit_message *to, const struct agent_question *questions,
               uint32_t count);
void kit_space_question(struct kit_message *to,
                        const struct agent_question *question);
void kit_rows_question(struct kit_message *to,
                       const struct agent_rows_question *question);
void kit_inlines(struct kit_message *to, const struct agent_question *questions,
                 uint32_t count);
/* What a process has mapped from a time on; paths are among the texts. */
void kit_tell(struct kit_message *to, uint32_t tgid, uint64_t since,
              const struct agent_known_mapping *mappings, uint32_t count,
              const char *texts, size_t size);
struct agent_head kit_head(const struct kit_message *message);
struct agent_answer kit_answer(const struct kit_message *there, uint32_t index);
const char *kit_text(const struct kit_message *there, uint32_t at);
struct agent_mapping kit_mapping(const struct kit_message *mapped,
                                 uint32_t index);
struct agent_table kit_table(const struct kit_message *piece);
struct agent_inlined kit_inlined(const struct kit_message *said,
                                 uint32_t index);
/* Returns the name of a level of what was inlined. */
const char *kit_inlined_name(const struct kit_message *said, uint32_t index,
                             uint32_t level);
/* Returns the path of the line of a level; "" if that is not known. */
const char *kit_source_path(const struct kit_message *said, uint32_t index,
                            uint32_t level);
/* Checks all that an answer to such a question must be, whatever was asked. */
void kit_check_there(const struct kit_message *there, uint32_t count);
/* The same of the mappings of a process, of a piece of a table, and of what was
 * inlined. */
void kit_check_mapped(const struct kit_message *mapped);
void kit_check_table(const struct kit_message *piece, uint64_t offset);
void kit_check_inlined(const struct kit_message *said, uint32_t count);

#endif
