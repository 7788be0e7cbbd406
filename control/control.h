/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How xenopctl and xenoprofd talk.
 *
 * A stream socket at CONTROL_PATH, for root alone.  The client sends one
 * request line (line.h), the daemon answers with lines, the last of which is
 *
 *   ok
 *   error STATUS text=SENTENCE       STATUS as in exit-status.def
 *
 * and both sides close.  Requests:
 *
 *   start KEY=VALUE ...   options of --start by their long names, by=WHO
 *   stop
 *   dump
 *   reset
 *   save name=NAME
 *   status
 *   shutdown              the daemon stops what runs and ends
 *
 * Lines before the last, by their first word:
 *
 *   already text=...      the request's work was done before; all the same ok
 *   warning text=...      what the user should know
 *   session name= dir= state= since= until= by= options=
 *                         state: starting, running, stopped; times in ns
 *                         since 1970, until=0 while it goes on
 *   sampler name= frequency= asked= slowed= pcpus=
 *   counters due= missed= idle= made= read= lost= switched= moved= cost=
 *   lost cause= count=    one for each cause
 *   ring number= generation= kind=vcpu|pcpu domain= name= uuid= unit= state=
 *        made= read= lost= size=
 *                         unit: the vCPU, or the pCPU; state: open, waits
 *                         (for the parser), closed, stopped, gone,
 *                         broken
 *   daemon pid= version= user_ns= system_ns= resident=
 *   trouble text=...      why sampling is not as it was asked for
 */
#ifndef XENOPROF_CONTROL_CONTROL_H
#define XENOPROF_CONTROL_CONTROL_H

#define CONTROL_DIR  "/run/xenoprof"
#define CONTROL_PATH CONTROL_DIR "/control"

/* Where the socket is: CONTROL_PATH, or what the environment's
 * XENOPROF_CONTROL says (for tests). */
const char *control_path(void);

#endif
