# SPDX-License-Identifier: GPL-2.0-or-later
# What a host has beside our files, where systemd sees to it.
if WITH_XEN
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
dist_sysusers_DATA = packaging/sysusers/xenoprof.conf
dist_tmpfiles_DATA = packaging/tmpfiles/xenoprof.conf

# Where it does not: xenoprofd works as a user of its own.  Not into a DESTDIR, not
# by distcheck.
install-data-hook:
	@case "$(DESTDIR)$(prefix)" in $(prefix)) ;; *) exit 0 ;; esac; \
	case "$(prefix)" in */_inst) exit 0 ;; esac; \
	if test "`id -u`" = 0 && ! id xenoprof >/dev/null 2>&1; then \
	  echo "Adding the system user xenoprof, for xenoprofd."; \
	  useradd --system --no-create-home --shell /usr/sbin/nologin xenoprof \
	    || echo "That failed; see xenoprofd(8), option --user."; \
	fi
endif

# Folders that hold nothing but ours.  The user and its sessions stay.
uninstall-hook:
	@for folder in '$(payloaddir)' '$(xenoprofincludedir)'; do \
	  test ! -d "$(DESTDIR)$$folder" || rmdir --ignore-fail-on-non-empty \
	    "$(DESTDIR)$$folder"; \
	done
	@if test -z '$(DESTDIR)' && id xenoprof >/dev/null 2>&1; then \
	  echo "Left: the user xenoprof (userdel xenoprof), and in" \
	    "/var/lib/xenoprof what was recorded."; \
	fi
