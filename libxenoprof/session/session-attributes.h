/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a session's attributes (xenoprof_writer_attribute()).  The
 * daemon writes them, the report reads them, xenoprof-session(5) describes
 * them.  An attribute that changes is written again with its time.  Numbers
 * are decimal.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_ATTRIBUTES_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_ATTRIBUTES_H

#define SESSION_ATTRIBUTE_UTC      "utc"  /* ns since 1970, at its time */
#define SESSION_ATTRIBUTE_HOST     "host" /* host name of dom0 */
#define SESSION_ATTRIBUTE_XEN      "xen_version"  /* 4.17.7 */
#define SESSION_ATTRIBUTE_BUILD_ID "xen_build_id" /* hexadecimal */
#define SESSION_ATTRIBUTE_SAMPLER  "sampler"      /* nmi or timer */
#define SESSION_ATTRIBUTE_FREQUENCY                                            \
    "frequency"                           /* Hz of each pCPU, as it is now */
#define SESSION_ATTRIBUTE_ASKED   "asked" /* Hz of each pCPU, as asked for */
#define SESSION_ATTRIBUTE_PCPUS   "pcpus" /* online pCPUs in the session's set */
#define SESSION_ATTRIBUTE_STOPPED "stopped" /* why sampling stopped by itself */
#define SESSION_ATTRIBUTE_WARNING "warning" /* what a reader should know */
#define SESSION_ATTRIBUTE_PROGRAM "program" /* what wrote it: xenoprof 0.1.0 */
#define SESSION_ATTRIBUTE_KERNEL  "kernel"  /* dom0's: Linux 6.1.0-56-amd64 */
#define SESSION_ATTRIBUTE_BEGAN   "began"   /* ns since 1970 */
#define SESSION_ATTRIBUTE_ENDS    "ends"    /* Xen's ns, by --duration */
#define SESSION_ATTRIBUTE_OPTIONS "options" /* of --start, as one line */
#define SESSION_ATTRIBUTE_BY      "by"      /* who asked for it */
#define SESSION_ATTRIBUTE_EXPIRED "expired" /* samples that were dropped */
#define SESSION_ATTRIBUTE_CUT     "cut"     /* samples that a copy leaves out */
#define SESSION_ATTRIBUTE_BOOT    "boot"    /* dom0's boot id */
#define SESSION_ATTRIBUTE_NUMBER  "number" /* the module's own, since its load */
#define SESSION_ATTRIBUTE_MODULE  "module_text" /* 0xSTART+0xSIZE of our code */
#define SESSION_ATTRIBUTE_PAYLOADS                                             \
    "payloads" /* other livepatches, as they are */
#define SESSION_ATTRIBUTE_TRACE                                                \
    "trace" /* what is missing of Xen's trace buffers, which were read */
#define SESSION_ATTRIBUTE_WAITING                                              \
    "waiting" /* samples of vCPUs that waited: made 9, read 8, lost 1 */
#define SESSION_ATTRIBUTE_LOWERED                                              \
    "lowered" /* why the frequency is lower than was asked for: */
#define SESSION_LOWERED_NO      "no"
#define SESSION_LOWERED_BUDGET  "budget" /* both: budget,reader */
#define SESSION_LOWERED_READER  "reader"
#define SESSION_ATTRIBUTE_PACES "paces" /* changes of the frequency so far */
#define SESSION_ATTRIBUTE_MADE_OF                                              \
    "made_of" /* the file of another tool that xenopreport made it of */
#define SESSION_ATTRIBUTE_MERGED                                               \
    "merged" /* the guest's file that names its processes, and how it fits */
/* What is known of the kernel of domain N; N follows the key. */
#define SESSION_ATTRIBUTE_GUEST_KERNEL "guest_kernel_"

/* A function of a process's that stands between its code and callers that were
 * not seen with it, but taken from the guest's own samples. */
#define SESSION_SYMBOL_BORROWED "[callers by perf]"

/* Kinds of domain (xenoprof_writer_domain()). */
#define SESSION_KIND_XEN     "xen" /* the idle vCPU: Xen's own work */
#define SESSION_KIND_DOM0    "dom0"
#define SESSION_KIND_PASSIVE "passive"
#define SESSION_KIND_ACTIVE  "active"
#define SESSION_KIND_OTHER   "other" /* not profiled */

#endif
