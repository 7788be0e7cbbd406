# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of options, where the shells look for it.
completed = xenopreport
if WITH_XEN
completed += opagent xenopctl xenoprof-push xenoprofd
endif
bashdir = $(datadir)/bash-completion/completions
fishdir = $(datadir)/fish/vendor_completions.d
zshdir = $(datadir)/zsh/site-functions
dist_zsh_DATA = completion/_xenoprof
EXTRA_DIST += completion/xenoprof.bash completion/xenoprof.fish

# A file for each program, which is how bash and fish find it.
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bashdir)' '$(DESTDIR)$(fishdir)'
	for program in $(completed); do \
	  $(INSTALL_DATA) $(srcdir)/completion/xenoprof.bash \
	    "$(DESTDIR)$(bashdir)/$$program" && \
	  $(INSTALL_DATA) $(srcdir)/completion/xenoprof.fish \
	    "$(DESTDIR)$(fishdir)/$$program.fish" || exit 1; \
	done
uninstall-local:
	for program in $(completed); do \
	  rm -f "$(DESTDIR)$(bashdir)/$$program" \
	    "$(DESTDIR)$(fishdir)/$$program.fish"; \
	done
