# Installation, packages and releases; included by the Makefile.

.PHONY: install install-lib install-programs uninstall amalgamate release windows deb docs

PREFIX     ?= /usr/local
STRIP      ?= strip
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
SHAREDIR   := $(DATADIR)/md5model
LIBRARIES  := md5model md5play md5game md5ragdoll md5edit $(if $(filter yes,$(MD5GL)),md5gl)

# Files below DESTDIR are for another system, whose package manager updates the linker's cache.
update_linker = $(if $(DESTDIR),,@sh md5/packaging/ldconfig.sh $(LIBDIR) libmd5model.so.$(ABI))
# Stripping objects for link-time optimization would remove their code.
strip_archive = $(if $(filter -flto%,$(CFLAGS)),:,$(STRIP) --strip-debug)

# Manual pages and completions, below DATADIR. The programs print them.
PROGRAM_TEXTS := $(foreach program,md5tool md5view,man/man1/$(program).1 bash-completion/completions/$(program) \
                     zsh/site-functions/_$(program) fish/vendor_completions.d/$(program).fish)
STAGED := $(addprefix $(BUILD)/share/,$(PROGRAM_TEXTS))
print_text = @mkdir -p $(@D) && $(OUT)/$(1) $(2) > $@
$(filter %.1,$(STAGED)): $(BUILD)/share/man/man1/%.1: $(OUT)/%
	$(call print_text,$*,--man)
$(filter $(BUILD)/share/bash%,$(STAGED)): $(BUILD)/share/bash-completion/completions/%: $(OUT)/%
	$(call print_text,$*,--completions bash)
$(filter $(BUILD)/share/zsh%,$(STAGED)): $(BUILD)/share/zsh/site-functions/_%: $(OUT)/%
	$(call print_text,$*,--completions zsh)
$(filter $(BUILD)/share/fish%,$(STAGED)): $(BUILD)/share/fish/vendor_completions.d/%.fish: $(OUT)/%
	$(call print_text,$*,--completions fish)

# CMakeLists.txt fills in the same templates, except targets.cmake, which CMake generates. Each file is replaced by a rename,
# because another `make install` may be reading it.
PACKAGE_FILES := $(addprefix $(BUILD)/package/,$(LIBRARIES:%=%.pc) $(addprefix md5model-,config.cmake config-version.cmake targets.cmake))
$(PACKAGE_FILES): $(BUILD)/package/%: md5/packaging/%.in FORCE
	@mkdir -p $(@D)
	@sed 's|@PREFIX@|$(PREFIX)|g; s|@LIBDIR@|$(LIBDIR)|g; s|@BINDIR@|$(BINDIR)|g; s|@INCLUDEDIR@|$(INCLUDEDIR)|g; s|@VERSION@|$(VERSION)|g' $< > $@.$$$$ \
	    && mv $@.$$$$ $@

## make install        runs install-lib and install-programs; PREFIX=/usr/local, DESTDIR
install: install-lib install-programs

## make install-lib    installs libraries (static and shared), headers, files for pkg-config and CMake
install-lib: lib $(if $(filter yes,$(MD5GL)),gl) $(PACKAGE_FILES)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/md5model $(DESTDIR)$(INCLUDEDIR)/md5model
	install -m 644 $(HEADERS_OUT) $(if $(filter md5gl,$(LIBRARIES)),$(GL_HEADERS_OUT)) $(DESTDIR)$(INCLUDEDIR)/md5model/
	@cd $(DESTDIR)$(LIBDIR) && for name in $(LIBRARIES); do \
	    install -m 644 "$(CURDIR)/$(OUT)/lib$$name.a" lib$$name.a && $(strip_archive) lib$$name.a && \
	    install -m 755 "$(CURDIR)/$(OUT)/lib$$name.so" lib$$name.so.$(VERSION) && \
	    $(STRIP) --strip-unneeded lib$$name.so.$(VERSION) && \
	    ln -sf lib$$name.so.$(VERSION) lib$$name.so.$(ABI) && ln -sf lib$$name.so.$(ABI) lib$$name.so || exit 1; done
	install -m 644 $(filter %.pc,$(PACKAGE_FILES)) $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 644 $(filter %.cmake,$(PACKAGE_FILES)) $(DESTDIR)$(LIBDIR)/cmake/md5model/
	$(update_linker)

# Our models. The files of a folder are installed by one command.
MODEL_FILES := $(shell find models -name '*.md5mesh' -o -name '*.md5anim' -o -name '*.md5camera' -o -name '*.md5machine' \
                 -o -name '*.png' -o -name '*.tga' -o -name LICENSE -o -path 'models/flame/*.mtr' -o -path 'models/place/*.mtr' 2>/dev/null)
MODEL_FOLDERS = $(sort $(dir $(MODEL_FILES)))
model_files = $(foreach file,$(MODEL_FILES),$(if $(filter $(1),$(dir $(file))),$(file)))

# Desktop integration: file in md5/packaging/desktop, colon, folder below DATADIR.
DESKTOP_FILES := md5view.desktop:applications md5model.xml:mime/packages md5view.thumbnailer:thumbnailers \
                 md5view.png:icons/hicolor/256x256/apps
desktop_file = $(firstword $(subst :, ,$(1)))
desktop_path = $(DESTDIR)$(DATADIR)/$(lastword $(subst :, ,$(1)))/$(desktop_file)
# Files below DESTDIR are for another system, whose package manager updates the databases.
update_desktop = $(if $(DESTDIR),,@for update in 'update-mime-database $(DATADIR)/mime' \
    'update-desktop-database -q $(DATADIR)/applications'; do \
    ! command -v $${update%% *} >/dev/null || $$update || exit 1; done)

## make install-programs   installs md5tool and md5view, manual pages, completions, our models, and files with which
##                     desktops show thumbnails and open models
install-programs: $(OUT)/md5tool $(OUT)/md5view $(STAGED)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DATADIR)/doc/md5model
	install -m 755 $(OUT)/md5tool $(OUT)/md5view $(DESTDIR)$(BINDIR)/
	$(STRIP) $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	@for text in $(PROGRAM_TEXTS); do \
	    install -D -m 644 $(BUILD)/share/$$text $(DESTDIR)$(DATADIR)/$$text || exit 1; done
	install -m 644 md5/play/machine_files.md LICENSE $(DESTDIR)$(DATADIR)/doc/md5model/
	@install -d $(addprefix $(DESTDIR)$(SHAREDIR)/,$(MODEL_FOLDERS))
	@$(foreach folder,$(MODEL_FOLDERS),install -m 644 $(call model_files,$(folder)) $(DESTDIR)$(SHAREDIR)/$(folder) &&) :
	$(foreach file,$(DESKTOP_FILES),install -D -m 644 md5/packaging/desktop/$(call desktop_file,$(file)) \
	    $(call desktop_path,$(file)) &&) :
	$(update_desktop)

## make uninstall      removes the files that `make install` with the same PREFIX installed
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	rm -f $(addprefix $(DESTDIR)$(DATADIR)/,$(PROGRAM_TEXTS)) $(foreach file,$(DESKTOP_FILES),$(call desktop_path,$(file)))
	rm -f $(foreach name,md5model md5play md5game md5ragdoll md5edit md5gl,$(DESTDIR)$(LIBDIR)/pkgconfig/$(name).pc \
	    $(addprefix $(DESTDIR)$(LIBDIR)/lib$(name),.a .so .so.$(ABI) .so.$(VERSION)))
	rm -rf $(DESTDIR)$(INCLUDEDIR)/md5model $(DESTDIR)$(LIBDIR)/cmake/md5model $(DESTDIR)$(DATADIR)/doc/md5model \
	    $(DESTDIR)$(SHAREDIR)
	$(update_linker)
	$(update_desktop)

# -- Packages and releases ----------------------------------------------------------------------------

## make amalgamate     writes each library as two files, such as md5model.h and md5model.c, to build/amalgamated/md5model,
##                     and the small form for engines to build/amalgamated/small
AMALGAMATED := build/amalgamated
amalgamate: $(if $(filter yes,$(MD5GL)),$(GLAD_HEADER) build/shaders.c)
	@rm -rf $(AMALGAMATED)
	$(PYTHON) md5/packaging/amalgamate.py $(AMALGAMATED)/md5model $(if $(filter yes,$(MD5GL)),build/glad build/shaders.c)
	$(PYTHON) md5/packaging/amalgamate.py --small $(AMALGAMATED)/small

## make release        writes build/md5model-VERSION.tar.gz: these folders, example programs and a model; reproducible
release: amalgamate
	@$(PYTHON) md5/packaging/release.py $(AMALGAMATED) build

## make windows        builds md5tool and md5view for Windows with mingw-w64: build/md5model-VERSION-windows.zip
windows: | deps
	@sh md5/packaging/windows.sh build/windows
	@$(PYTHON) md5/packaging/release.py --windows build/windows/bin build

## make deb            builds Debian packages of the last commit in build/deb
deb: | deps
	@sh md5/packaging/deb.sh build/deb

## make docs           writes guides and reference as static HTML, build/docs/index.html; needs Doxygen
docs: | deps
	@rm -rf build/docs && mkdir -p build
	doxygen md5/docs/site/Doxyfile
	@$(PYTHON) md5/docs/site/finish.py build/docs
