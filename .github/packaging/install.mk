# Installing, and what else is given away; included by the Makefile.

.PHONY: install install-lib install-programs uninstall amalgamate release windows deb docs

PREFIX     ?= /usr/local
STRIP      ?= strip
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
SHAREDIR   := $(DATADIR)/md5model
LIBRARIES  := md5model md5play md5game md5edit $(if $(filter yes,$(MD5GL)),md5gl)

# Files below DESTDIR are for another system, whose package manager updates the cache.
update_linker = $(if $(DESTDIR),,@sh .ci/ldconfig.sh $(LIBDIR) libmd5model.so.$(ABI))
# Objects for link-time optimisation would lose their code with their debug information.
strip_archive = $(if $(filter -flto%,$(CFLAGS)),:,$(STRIP) --strip-debug)

# Texts for the system, below DATADIR: manual pages and completions, printed by the programs.
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

# CMakeLists.txt fills in the same templates, except for targets.cmake, which CMake generates. Whole files replace
# the old ones, because another `make install` may read them at this moment.
PACKAGE_FILES := $(addprefix $(BUILD)/package/,$(LIBRARIES:%=%.pc) $(addprefix md5model-,config.cmake config-version.cmake targets.cmake))
$(PACKAGE_FILES): $(BUILD)/package/%: .github/packaging/%.in FORCE
	@mkdir -p $(@D)
	@sed 's|@PREFIX@|$(PREFIX)|g; s|@LIBDIR@|$(LIBDIR)|g; s|@BINDIR@|$(BINDIR)|g; s|@INCLUDEDIR@|$(INCLUDEDIR)|g; s|@VERSION@|$(VERSION)|g' $< > $@.$$$$ \
	    && mv $@.$$$$ $@

## make install        to PREFIX=/usr/local, below DESTDIR; both of the following
install: install-lib install-programs

## make install-lib    libraries (static, shared), headers, and what pkg-config and CMake look for
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

# Our models. Files of one folder are installed in one call.
MODEL_FILES := $(shell find models -name '*.md5mesh' -o -name '*.md5anim' -o -name '*.md5camera' -o -name '*.md5machine' \
                 -o -name '*.png' -o -name '*.tga' -o -name LICENSE -o -path 'models/flame/*.mtr' -o -path 'models/place/*.mtr' 2>/dev/null)
MODEL_FOLDERS = $(sort $(dir $(MODEL_FILES)))
model_files = $(foreach file,$(MODEL_FILES),$(if $(filter $(1),$(dir $(file))),$(file)))

# For desktops: file in .github/packaging/desktop -> folder below DATADIR.
DESKTOP_FILES := md5view.desktop:applications md5model.xml:mime/packages md5view.thumbnailer:thumbnailers \
                 md5view.png:icons/hicolor/256x256/apps
desktop_file = $(firstword $(subst :, ,$(1)))
desktop_path = $(DESTDIR)$(DATADIR)/$(lastword $(subst :, ,$(1)))/$(desktop_file)
# Files below DESTDIR are for another system, whose package manager updates the databases.
update_desktop = $(if $(DESTDIR),,@for update in 'update-mime-database $(DATADIR)/mime' \
    'update-desktop-database -q $(DATADIR)/applications'; do \
    ! command -v $${update%% *} >/dev/null || $$update || exit 1; done)

## make install-programs   md5tool and md5view, their manual pages and completions, our models,
##                     and what desktops need to show thumbnails and to open files
install-programs: $(OUT)/md5tool $(OUT)/md5view $(STAGED)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DATADIR)/doc/md5model
	install -m 755 $(OUT)/md5tool $(OUT)/md5view $(DESTDIR)$(BINDIR)/
	$(STRIP) $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	@for text in $(PROGRAM_TEXTS); do \
	    install -D -m 644 $(BUILD)/share/$$text $(DESTDIR)$(DATADIR)/$$text || exit 1; done
	install -m 644 md5/play/machine_files.md LICENSE $(DESTDIR)$(DATADIR)/doc/md5model/
	@install -d $(addprefix $(DESTDIR)$(SHAREDIR)/,$(MODEL_FOLDERS))
	@$(foreach folder,$(MODEL_FOLDERS),install -m 644 $(call model_files,$(folder)) $(DESTDIR)$(SHAREDIR)/$(folder) &&) :
	$(foreach file,$(DESKTOP_FILES),install -D -m 644 .github/packaging/desktop/$(call desktop_file,$(file)) \
	    $(call desktop_path,$(file)) &&) :
	$(update_desktop)

## make uninstall      removes what `make install` with the same PREFIX has installed
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	rm -f $(addprefix $(DESTDIR)$(DATADIR)/,$(PROGRAM_TEXTS)) $(foreach file,$(DESKTOP_FILES),$(call desktop_path,$(file)))
	rm -f $(foreach name,md5model md5play md5game md5edit md5gl,$(DESTDIR)$(LIBDIR)/pkgconfig/$(name).pc \
	    $(addprefix $(DESTDIR)$(LIBDIR)/lib$(name),.a .so .so.$(ABI) .so.$(VERSION)))
	rm -rf $(DESTDIR)$(INCLUDEDIR)/md5model $(DESTDIR)$(LIBDIR)/cmake/md5model $(DESTDIR)$(DATADIR)/doc/md5model \
	    $(DESTDIR)$(SHAREDIR)
	$(update_linker)
	$(update_desktop)

# -- Other forms --------------------------------------------------------------------------------------

## make amalgamate     each library as two files, such as md5model.h and md5model.c: the folder build/amalgamated/md5model;
##                     and build/amalgamated/small for engines
AMALGAMATED := build/amalgamated
amalgamate: $(if $(filter yes,$(MD5GL)),$(GLAD_HEADER) build/shaders.c)
	@rm -rf $(AMALGAMATED)
	$(PYTHON) .ci/amalgamate.py $(AMALGAMATED)/md5model $(if $(filter yes,$(MD5GL)),build/glad build/shaders.c)
	$(PYTHON) .ci/amalgamate.py --small $(AMALGAMATED)/small

## make release        that folder with first programs and a machine as build/md5model-VERSION.tar.gz: the same bytes each time
release: amalgamate
	@$(PYTHON) .ci/release.py $(AMALGAMATED) build

## make windows        md5tool and md5view for Windows, by mingw-w64, as build/md5model-VERSION-windows.zip
windows: | deps
	@sh .ci/windows.sh build/windows
	@$(PYTHON) .ci/release.py --windows build/windows/bin build

## make deb            Debian packages of what is committed, in build/deb
deb: | deps
	@sh .ci/deb.sh build/deb

## make docs           guides and reference as static HTML: build/docs/index.html; needs Doxygen
docs: | deps
	@rm -rf build/docs && mkdir -p build
	doxygen .github/docs/Doxyfile
	@$(PYTHON) .github/docs/finish.py build/docs
