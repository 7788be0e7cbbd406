/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths as systemd, docker, podman and kubelet make them, and others. */
#include <string.h>

#include "report/origin/cgroup-text.h"
#include "tests/harness.h"

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "8b4b2a3e-9f2e-4c52-b2b4-0d7f5f1d9a11"

static const struct {
    const char *path, *unit, *container, *pod;
} paths[] = {
    {"", "", "", ""},
    {"/", "", "", ""},
    {"/init.scope", "init.scope", "", ""},
    {"/system.slice", "", "", ""},
    {"/system.slice/nginx.service", "nginx.service", "", ""},
    {"/system.slice/system-getty.slice/getty@tty1.service",
     "getty@tty1.service", "", ""},
    {"/user.slice/user-1000.slice/user@1000.service/app.slice/vim.service",
     "user@1000.service", "", ""},
    {"/user.slice/user-0.slice/session-2.scope", "session-2.scope", "", ""},
    {"/system.slice/docker-" ID ".scope", "docker-" ID ".scope", "0123456789ab",
     ""},
    {"/docker/" ID, "", "0123456789ab", ""},
    {"/machine.slice/libpod-" ID ".scope/container", "libpod-" ID ".scope",
     "0123456789ab", ""},
    {"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod"
     "8b4b2a3e_9f2e_4c52_b2b4_0d7f5f1d9a11.slice/cri-containerd-" ID ".scope",
     "cri-containerd-" ID ".scope", "0123456789ab", UID},
    {"/kubepods/besteffort/pod" UID "/" ID, "", "0123456789ab", UID},
    {"/system.slice/containerd.service/kubepods-pod" UID
     ".slice:cri-containerd:" ID,
     "containerd.service", "0123456789ab", UID},
    /* What only looks like one of them. */
    {"/docker-abc.scope", "docker-abc.scope", "", ""},
    {"/" ID "0", "", "", ""},
    {"/x" ID, "", "", ""},
    {"/tripod" UID, "", "", ""},
    {"/podium-9f2e-4c52-b2b4-0d7f5f1d9a11-and-so-on", "", "", ""},
    {"/.service", "", "", ""},
    {"//a//b.service//", "b.service", "", ""},
    {"...f.slice/a.service", "a.service", "", ""},
};

TEST(what_paths_say)
{
    struct cgroup_text text;

    for ( unsigned int i = 0; i < sizeof(paths) / sizeof(paths[0]); i++ )
    {
        memset(&text, 'x', sizeof(text));
        cgroup_read(paths[i].path, &text);
        CHECK_TEXT(text.unit, paths[i].unit);
        CHECK_TEXT(text.container, paths[i].container);
        CHECK_TEXT(text.pod, paths[i].pod);
    }
}

/* Of somebody's session. */
TEST(paths_that_are_too_long)
{
    static char path[100000];
    struct cgroup_text text;

    memset(path, 'a', sizeof(path) - 1);
    strcpy(path + sizeof(path) - 10, ".service");
    cgroup_read(path, &text);
    CHECK_TEXT(text.unit, "");
    CHECK_TEXT(text.container, "");
}
