/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the path of a cgroup says of who made it:
 *
 *   /system.slice/nginx.service                         unit nginx.service
 *   /user.slice/user-1000.slice/user@1000.service/...   unit user@1000.service
 *   /system.slice/docker-ID.scope, /docker/ID           container ID
 *   .../kubepods-burstable-podUID.slice/cri-containerd-ID.scope     pod UID
 *
 * Ids have their first 12 digits, as docker, podman and crictl show them.
 */
#ifndef XENOPROF_REPORT_ORIGIN_CGROUP_TEXT_H
#define XENOPROF_REPORT_ORIGIN_CGROUP_TEXT_H

#define CGROUP_TEXT_MAX 255u

/* Each "" if the path does not say it. */
struct cgroup_text {
    char unit[CGROUP_TEXT_MAX + 1];
    char container[13];
    char pod[37];
};

void cgroup_read(const char *path, struct cgroup_text *ret);

#endif
