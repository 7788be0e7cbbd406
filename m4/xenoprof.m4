dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl What configure.ac reads like a story is written out here.

AC_DEFUN([XENOPROF_OPTIONS], [
  AC_ARG_WITH([xen],
    [AS_HELP_STRING([--without-xen],
      [build only what needs no Xen libraries: library, replay, reports])],
    [], [with_xen=yes])
  AM_CONDITIONAL([WITH_XEN], [test "x$with_xen" != xno])
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [], [enable_werror=no])
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers],
      [build everything that runs in user space with ASan and UBSan])],
    [], [enable_sanitizers=no])
  AC_ARG_ENABLE([fuzzing],
    [AS_HELP_STRING([--enable-fuzzing],
      [link tests/fuzz/ with clang's libFuzzer instead of the replayer])],
    [], [enable_fuzzing=no])
  AC_ARG_ENABLE([relocatable],
    [AS_HELP_STRING([--enable-relocatable],
      [programs find libxenoprof in ../lib, so that what is installed may be moved])],
    [], [enable_relocatable=no])
  RELOCATABLE_LDFLAGS=
  AS_IF([test "x$enable_relocatable" = xyes],
    [RELOCATABLE_LDFLAGS="-Wl,-rpath,'\$\$ORIGIN/../lib'"])
  AC_SUBST([RELOCATABLE_LDFLAGS])
  AC_ARG_WITH([systemdsystemunitdir],
    [AS_HELP_STRING([--with-systemdsystemunitdir=DIR],
      [where units of systemd go])],
    [], [with_systemdsystemunitdir='${prefix}/lib/systemd/system'])
  AC_SUBST([systemdsystemunitdir], [$with_systemdsystemunitdir])
])

dnl XENOPROF_NEED(VARIABLE, HEADER, LIBRARY, FUNCTION, DEBIAN PACKAGE, [MORE LIBS])
dnl Remembers what is missing; all of it is said at once.
AC_DEFUN([XENOPROF_NEED], [
  xenoprof_found=yes
  AC_CHECK_HEADER([$2], [], [xenoprof_found=no], [AC_INCLUDES_DEFAULT
#define PACKAGE 1
#define PACKAGE_VERSION 1])
  AS_IF([test $xenoprof_found = yes],
    [AC_CHECK_LIB([$3], [$4], [$1="-l$3 $6"], [xenoprof_found=no], [$6])])
  AS_IF([test $xenoprof_found = no],
    [xenoprof_missing="$xenoprof_missing $5"
     xenoprof_why="$xenoprof_why
  $3 ($2): Debian package $5"])
  AC_SUBST([$1])
])

AC_DEFUN([XENOPROF_DEPENDENCIES], [
  xenoprof_missing= xenoprof_why=
  XENOPROF_NEED([POPT_LIBS], [popt.h], [popt], [poptGetContext],
                [libpopt-dev])
  XENOPROF_NEED([ZSTD_LIBS], [zstd.h], [zstd], [ZSTD_compress],
                [libzstd-dev])
  XENOPROF_NEED([Z_LIBS], [zlib.h], [z], [crc32], [zlib1g-dev])
  XENOPROF_NEED([LZMA_LIBS], [lzma.h], [lzma], [lzma_stream_decoder],
                [liblzma-dev])
  XENOPROF_NEED([BFD_LIBS], [bfd.h], [bfd], [bfd_init], [binutils-dev])
  XENOPROF_NEED([ELF_LIBS], [libelf.h], [elf], [elf_version], [libelf-dev])
  XENOPROF_NEED([DW_LIBS], [elfutils/libdw.h], [dw], [dwarf_begin],
                [libdw-dev])
  XENOPROF_NCURSES
  XENOPROF_NEED([CAPSTONE_LIBS], [capstone/capstone.h], [capstone], [cs_open],
                [libcapstone-dev])
  AS_IF([test "x$with_xen" != xno], [
    XENOPROF_NEED([SECCOMP_LIBS], [seccomp.h], [seccomp], [seccomp_init],
                  [libseccomp-dev])
    XENOPROF_NEED([XENCTRL_LIBS], [xenctrl.h], [xenctrl], [xc_interface_open],
                  [libxen-dev])
    XENOPROF_NEED([XENHYPFS_LIBS], [xenhypfs.h], [xenhypfs], [xenhypfs_open],
                  [libxen-dev])
    XENOPROF_NEED([XENFOREIGNMEMORY_LIBS], [xenforeignmemory.h],
                  [xenforeignmemory], [xenforeignmemory_open], [libxen-dev])
    XENOPROF_NEED([XENCALL_LIBS], [xencall.h], [xencall], [xencall_open],
                  [libxen-dev])
    XENOPROF_NEED([XENEVTCHN_LIBS], [xenevtchn.h], [xenevtchn],
                  [xenevtchn_open], [libxen-dev])
    XENOPROF_NEED([XENSTORE_LIBS], [xenstore.h], [xenstore], [xs_open],
                  [libxen-dev])
    XENOPROF_NEED([XENGNTTAB_LIBS], [xengnttab.h], [xengnttab],
                  [xengntshr_open], [libxen-dev])
    XENOPROF_XENCTRL
  ])
  XENOPROF_LIBPFM
  XENOPROF_LIBCURL
  AS_IF([test -n "$xenoprof_missing"], [
    xenoprof_packages=`echo $xenoprof_missing | tr ' ' '\n' | sort -u |
                       tr '\n' ' '`
    AC_MSG_ERROR([these are missing:
$xenoprof_why

On Debian: apt-get install $xenoprof_packages
(--without-xen builds the library and the reports without Xen's.)])
  ])
])

dnl Some systems have the half of it that knows terminals as a library of its own.
AC_DEFUN([XENOPROF_NCURSES], [
  AC_CHECK_LIB([tinfo], [tigetstr], [xenoprof_tinfo=-ltinfo], [xenoprof_tinfo=])
  XENOPROF_NEED([NCURSES_LIBS], [curses.h], [ncursesw], [newterm],
                [libncurses-dev], [$xenoprof_tinfo])
])

dnl Without it events have seven names, and codes.
AC_DEFUN([XENOPROF_LIBPFM], [
  AC_ARG_WITH([libpfm],
    [AS_HELP_STRING([--without-libpfm],
      [know no names of events but those that all processors have])],
    [], [with_libpfm=check])
  PFM_LIBS=
  AS_IF([test "x$with_xen" != xno && test "x$with_libpfm" != xno],
    [AC_CHECK_HEADER([perfmon/pfmlib.h],
      [AC_CHECK_LIB([pfm], [pfm_get_os_event_encoding], [PFM_LIBS=-lpfm])])])
  AS_IF([test "x$with_libpfm" = xyes && test -z "$PFM_LIBS"],
    [xenoprof_missing="$xenoprof_missing libpfm4-dev"
     xenoprof_why="$xenoprof_why
  pfm (perfmon/pfmlib.h): Debian package libpfm4-dev"])
  AC_SUBST([PFM_LIBS])
  AM_CONDITIONAL([HAVE_LIBPFM], [test -n "$PFM_LIBS"])
])

dnl Without it xenoprof-push says that it sends nothing.
AC_DEFUN([XENOPROF_LIBCURL], [
  AC_ARG_WITH([curl],
    [AS_HELP_STRING([--without-curl], [send no profiles to other hosts])],
    [], [with_curl=check])
  CURL_LIBS=
  AS_IF([test "x$with_xen" != xno && test "x$with_curl" != xno],
    [AC_CHECK_HEADER([curl/curl.h],
      [AC_CHECK_DECL([CURLOPT_PROTOCOLS_STR],
        [AC_CHECK_LIB([curl], [curl_easy_perform], [CURL_LIBS=-lcurl])],
        [], [#include <curl/curl.h>])])])
  AS_IF([test "x$with_curl" = xyes && test -z "$CURL_LIBS"],
    [xenoprof_missing="$xenoprof_missing libcurl4-openssl-dev"
     xenoprof_why="$xenoprof_why
  curl (curl/curl.h, 7.85 or newer): Debian package libcurl4-openssl-dev"])
  AC_SUBST([CURL_LIBS])
  AM_CONDITIONAL([HAVE_LIBCURL], [test -n "$CURL_LIBS"])
])

dnl Since 4.19 (62a72092a5) uploading a livepatch takes one more argument.
AC_DEFUN([XENOPROF_XENCTRL], [
  AC_MSG_CHECKING([how libxenctrl uploads a livepatch])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([#include <xenctrl.h>],
      [return xc_livepatch_upload(0, 0, 0, 0, 0);])],
    [AC_MSG_RESULT([with a flag])
     XENCTRL_CPPFLAGS="-DXC_LIVEPATCH_UPLOAD_MORE=',false'"],
    [AC_MSG_RESULT([without a flag])
     XENCTRL_CPPFLAGS="-DXC_LIVEPATCH_UPLOAD_MORE="])
  AC_SUBST([XENCTRL_CPPFLAGS])
])

AC_DEFUN([XENOPROF_WARNINGS], [
  WARN_CFLAGS="-Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes"
  AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
  SANITIZE_FLAGS=
  AS_IF([test "x$enable_sanitizers" = xyes],
    [SANITIZE_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"])
  AS_IF([test "x$enable_fuzzing" = xyes],
    [SANITIZE_FLAGS="$SANITIZE_FLAGS -fsanitize=fuzzer-no-link"])
  AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])
  AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" = xyes])
  XENOPROF_FOLDERS
  AC_SUBST([WARN_CFLAGS])
  AC_SUBST([SANITIZE_FLAGS])
])

dnl Debug information names no folder of this machine: what is built elsewhere, or
dnl later, has the same bytes.
AC_DEFUN([XENOPROF_FOLDERS], [
  AC_MSG_CHECKING([whether $CC can leave out where it builds])
  xenoprof_cflags=$CFLAGS
  CFLAGS="$CFLAGS -ffile-prefix-map=/nowhere=."
  FOLDER_CFLAGS=
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
    [AC_MSG_RESULT([yes])
     FOLDER_CFLAGS="-ffile-prefix-map='\$(abs_top_srcdir)'=. \
-ffile-prefix-map='\$(abs_top_builddir)'=./build"],
    [AC_MSG_RESULT([no])])
  CFLAGS=$xenoprof_cflags
  AC_SUBST([FOLDER_CFLAGS])
])

dnl The hypervisor module is freestanding x86-64 code that follows the rules
dnl of Xen's livepatch loader, whatever the user's CFLAGS say.  With -fbuiltin a
dnl few bytes are copied and compared without a call.
AC_DEFUN([XENOPROF_MODULE_COMPILER], [
  MODULE_CFLAGS="-std=gnu11 -O2 -ffreestanding -fbuiltin -fPIE \
-fvisibility=hidden -mno-red-zone -fno-stack-protector -mgeneral-regs-only \
-mno-sse -mno-mmx -fcf-protection=branch -fno-asynchronous-unwind-tables \
-fno-jump-tables -fno-common -fno-strict-aliasing -fno-builtin-printf \
-fno-tree-vectorize -Wall -Wextra -Wframe-larger-than=512"
  AS_IF([test "x$enable_werror" = xyes],
    [MODULE_CFLAGS="$MODULE_CFLAGS -Werror"])
  AC_ARG_VAR([MODULE_CC], [gcc that compiles the hypervisor module])
  AC_ARG_VAR([MODULE_LD], [linker that joins its objects])
  AC_CHECK_TOOLS([MODULE_CC], [gcc], [$CC])
  AC_CHECK_TOOLS([MODULE_LD], [ld], [ld])
  MODULE_CFLAGS="$MODULE_CFLAGS -mindirect-branch=thunk-extern \
-mindirect-branch-register -mfunction-return=thunk-extern"
  AC_SUBST([MODULE_CFLAGS])
  XENOPROF_MODULE_AS_ONE
])

dnl A sample calls some sixty functions of a few lines each, in as many files:
dnl compiled as one they cost no calls, of which each also returns by a thunk.
AC_DEFUN([XENOPROF_MODULE_AS_ONE], [
  AC_MSG_CHECKING([whether $MODULE_CC compiles several files as one])
  MODULE_LTO="-flto"
  MODULE_JOIN="$MODULE_CC $MODULE_CFLAGS -flto -flto-partition=one \
-flinker-output=nolto-rel -r -nostdlib"
  echo 'int xenoprof_one = 1;' >conftest.c
  AS_IF([$MODULE_CC $MODULE_CFLAGS $MODULE_LTO -c -o conftest.1.o conftest.c &&
         $MODULE_JOIN -o conftest.2.o conftest.1.o],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     MODULE_LTO=
     MODULE_JOIN="$MODULE_LD -r"]) 2>&AS_MESSAGE_LOG_FD
  rm -f conftest.c conftest.1.o conftest.2.o
  AC_SUBST([MODULE_LTO])
  AC_SUBST([MODULE_JOIN])
])

AC_DEFUN([XENOPROF_SUMMARY], [
  AS_IF([test -n "$PFM_LIBS"], [xenoprof_names="by libpfm"],
        [test "x$with_xen" = xno], [xenoprof_names="not needed"],
        [xenoprof_names="seven and codes; Debian package libpfm4-dev has more"])
  AS_IF([test -n "$CURL_LIBS"], [xenoprof_push="by libcurl"],
        [test "x$with_xen" = xno], [xenoprof_push="not built"],
        [xenoprof_push="no; Debian package libcurl4-openssl-dev has what it takes"])
  AC_MSG_NOTICE([
xenoprof $PACKAGE_VERSION
  Xen programs (xenopctl, xenoprofd, module): $with_xen
  names of hardware events: $xenoprof_names
  profiles sent to other hosts: $xenoprof_push
  sanitizers: $enable_sanitizers

Now: make, make check, make install])
])
