/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control-kit.h"
#include "opcontrol/agents-say.h"

#define DOM0    "agent domain=0 name=Domain-0 state=absent text=none\n"
#define PRESENT "agent domain=3 name=web state=present text=\n"
#define COMING  "agent domain=4 name=db state=coming text=\n"
#define ABSENT  "agent domain=4 name=db state=absent text=nobody%20answers\n"

/* A daemon that is asked so often, and says that each time, the last one again
 * and again. */
static struct {
    pthread_t thread;
    int listener;
    const char *const *answers;
    size_t count, asked;
} daemon_thread;

/* What is left of a request when its connection is closed is an error there. */
static void take_request(int client)
{
    char byte = 0;

    while ( byte != '\n' && recv(client, &byte, 1, 0) == 1 )
        ;
}

static void *answer(void *argument)
{
    int client;

    (void)argument;
    while ( (client = accept(daemon_thread.listener, NULL, NULL)) >= 0 )
    {
        size_t i = daemon_thread.asked++;
        const char *text =
            daemon_thread
                .answers[i < daemon_thread.count ? i : daemon_thread.count - 1];

        take_request(client);
        CHECK(send(client, text, strlen(text), MSG_NOSIGNAL) > 0);
        CHECK(send(client, "ok\n", 3, MSG_NOSIGNAL) == 3);
        close(client);
    }
    return NULL;
}

/* Returns what is said, malloc'ed. */
static char *said(const char *const *answers, size_t count, uint64_t patience)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    control_begin();
    daemon_thread.listener = control_listen("control");
    daemon_thread.answers = answers;
    daemon_thread.count = count;
    daemon_thread.asked = 0;
    CHECK(!pthread_create(&daemon_thread.thread, NULL, answer, NULL));
    agents_say(file, patience);
    CHECK(!shutdown(daemon_thread.listener, SHUT_RDWR));
    CHECK(!pthread_join(daemon_thread.thread, NULL));
    close(daemon_thread.listener);
    control_end();
    CHECK(!fclose(file));
    return text;
}

TEST(who_answers_is_not_said)
{
    const char *const answers[] = {DOM0 PRESENT};
    char *text = said(answers, 1, AGENTS_SAY_PATIENCE);

    CHECK_TEXT(text, "");
    CHECK_EQ(daemon_thread.asked, 1);
    free(text);
}

TEST(who_is_called_is_waited_for)
{
    const char *const answers[] = {PRESENT COMING, PRESENT COMING,
                                   PRESENT ABSENT};
    char *text = said(answers, 3, 60 * AGENTS_SAY_PATIENCE);

    CHECK(
        strstr(text, "note: db: nobody answers; its user code has addresses"));
    CHECK(!strstr(text, "web"));
    CHECK_EQ(daemon_thread.asked, 3);
    free(text);
}

TEST(who_does_not_come_is_not_waited_for_without_end)
{
    const char *const answers[] = {COMING};
    char *text = said(answers, 1, 1);

    CHECK(strstr(text, "note: db: no agent answers yet; "));
    free(text);
}
