# md5model: a library, a tool and a viewer for id Software's MD5 models.
#
# `make help` lists what can be made. GNU make 4 or newer.
# From the command line or the environment: CC CFLAGS LDFLAGS PREFIX DESTDIR and
#   config=release|debug|sanitize|scalar|coverage   how the code is built; side by side in build/
#   BUILD=build/NAME   objects elsewhere, to keep another compiler's apart
#   WERROR=yes         warnings are errors
#   TEST=NAME          a part of the tests: a room (core, read, pose, skin, curve, ik, play, game, load, render,
#                      viewer, tool, tree), or whatever script or test has NAME in its name
#   TEST_SCRIPTS=...   which scripts `make test` runs beside the test programs
#   DEPS=no            never install packages, only say what is missing
#   MD5GL=no           leave libmd5gl out of `make` and `make install-lib`
#   V=1                show the compiler's command lines
#   ARGS="..."         what `make run` passes to the viewer

config ?= release
BUILD ?= build/$(config)
PREFIX ?= /usr/local
DEPS ?= yes
MD5GL ?= yes
STRIP ?= strip
PKG_CONFIG ?= pkg-config
GLAD ?= glad
PYTHON ?= python3

ifeq (,$(filter $(config),release debug sanitize scalar coverage))
$(error config=$(config) is none of release, debug, sanitize, scalar, coverage)
endif

# The products of the release configuration are in build/, those of others beside their objects.
OUT := $(patsubst build/release,build,$(BUILD))

VERSION := $(shell awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $$3; dot = "." }' \
             md5/md5model.h)
# Before 1.0 every minor version may break the binary interface.
ABI := $(shell echo $(VERSION) | awk -F. '{ print $$1 == 0 ? "0." $$2 : $$1 }')

# $(call say,WORD) before a command: shows a short line instead of the command, or, with V=1, that.
say = $(if $(V),,@echo '  $(1) $@' &&)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# -- Sources ----------------------------------------------------------------------------------

# CMakeLists.txt takes the same files by the same patterns.
PUBLIC_HEADERS := $(wildcard md5/md5*.h)
GL_HEADERS     := $(wildcard render/md5gl*.h)
MD5_SOURCES    := $(wildcard md5/*.c md5/*/*.c md5/*/*/*.c)
RENDER_SOURCES := $(wildcard render/*.c)
COMMON_SOURCES := $(wildcard demo/common/*.c)
TOOL_SOURCES   := $(wildcard demo/tool/*.c)
VIEW_SOURCES   := $(wildcard demo/viewer/*/*.c)
SHADERS        := $(sort $(filter-out %.md,$(wildcard shaders/*.*)))

MODEL_FILES := $(shell find models -name '*.md5mesh' -o -name '*.md5anim' -o -name '*.md5camera' -o -name '*.md5machine' \
                 -o -name '*.png' -o -name '*.tga' -o -name LICENSE -o -path 'models/flame/*.mtr' 2>/dev/null)

# Two test programs: the library's, and what needs a GL context. The viewer's parts count as that.
TEST_GL_SOURCES  := $(wildcard test/render/test_*.c test/viewer/test_*.c)
TEST_MD5_SOURCES := $(wildcard $(patsubst %,test/%/test_*.c,core read load pose compress skin curve ik play game))
TEST_SCRIPTS     ?= $(sort $(wildcard test/tree/*.sh test/tool/*.sh test/game/*.sh test/render/*.sh test/viewer/*.sh))
# The longest first: see LONGEST.
LONG_SCRIPTS     := test/long/machines.sh test/long/compilers.sh
LONG_SCRIPTS     += $(filter-out $(LONG_SCRIPTS),$(sort $(wildcard test/long/*.sh)))
# Scripts of `make test` with checks that only `make test-long` has time for.
SLOW_SCRIPTS     := $(shell grep -lE '^ *(check_long|if is_long)' $(TEST_SCRIPTS))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
MD5_OBJECTS    := $(call objects,$(MD5_SOURCES))
RENDER_OBJECTS := $(call objects,$(RENDER_SOURCES)) $(BUILD)/made/shaders.o $(BUILD)/made/gl.o
COMMON_OBJECTS := $(call objects,$(COMMON_SOURCES))
TOOL_OBJECTS   := $(call objects,$(TOOL_SOURCES)) $(COMMON_OBJECTS)
VIEW_OBJECTS   := $(call objects,$(VIEW_SOURCES)) $(COMMON_OBJECTS) $(BUILD)/made/font.o $(BUILD)/made/page_lines.o
TEST_MD5_OBJECTS := $(call objects,test/test.c test/mistake.c $(TEST_MD5_SOURCES))
TEST_GL_OBJECTS  := $(call objects,test/test.c test/mistake.c test/load/test_axes_case.c test/pose/test_made_pose.c $(TEST_GL_SOURCES))

# Keeps GL drivers loaded, whose memory would look like a leak of ours.
KEEP_LOADED := $(if $(filter sanitize,$(config)),$(BUILD)/test/build/keep_loaded.o)

# Objects that are compiled with SDL2, stb or the generated GL loader.
NEEDS_GL := $(call objects,$(VIEW_SOURCES) $(TEST_GL_SOURCES) test/bench/bench_gl.c test/viewer/view_png.c)
GLAD_HEADER := build/glad/include/glad/gl.h

# -- Flags ------------------------------------------------------------------------------------

# -ffp-contract=off: fused multiply-adds would give other bits on other machines.
# Position-independent objects serve both libraries; without semantic interposition they are as
# fast as others.
STANDARD := -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden -fno-semantic-interposition -I.
# In standard C, gcc for s390x computes with floats as doubles, unless this option forbids it.
ifeq (1,$(shell echo __FLT_EVAL_METHOD__ | $(CC) -std=c11 -E -P - 2>/dev/null))
STANDARD += -fexcess-precision=fast
endif
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes \
            $(if $(filter yes,$(WERROR)),-Werror)

FLAGS_release  := -O2 -g -DNDEBUG
FLAGS_debug    := -O0 -g
FLAGS_sanitize := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
                  -fno-sanitize-recover=all
FLAGS_scalar   := -O2 -g -DNDEBUG -DMD5_NO_SIMD
# Atomic counts: tests run on many threads, and a lost count can be the only one of its line.
FLAGS_coverage := -O0 -g --coverage -fprofile-update=atomic -DMD5_COVERAGE
# Tests are compiled more often than they run; what they measure is the library and keeps its flags.
TEST_LEVEL_release := -O1
TEST_LEVEL_scalar  := -O1
LINK_sanitize  := -fsanitize=address,undefined
LINK_coverage  := --coverage

# The user's flags come last, so that they win.
ALL_CFLAGS = $(STANDARD) $(FLAGS_$(config)) $(LEVEL) $(WARNINGS) $(CFLAGS)
# With a plain -flto, gcc links on one core and prints a warning.
ALL_LDFLAGS = $(LINK_$(config)) $(LDFLAGS) $(if $(filter -flto,$(CFLAGS) $(LDFLAGS)),-flto=auto)

# Evaluated only when used, after `deps` has installed SDL2. -isystem suppresses warnings about headers
# of other projects.
SDL_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags sdl2))
SDL_LIBS = $(shell $(PKG_CONFIG) --libs sdl2)
JPEG_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libjpeg))
JPEG_LIBS = $(shell $(PKG_CONFIG) --libs libjpeg)
# Compresses the viewer's PNG files, if it is there.
ZLIB_LIBS = $(shell $(PKG_CONFIG) --libs zlib 2>/dev/null)
ZLIB_FLAGS = $(if $(ZLIB_LIBS),-DVIEW_HAS_ZLIB $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags zlib)))

# Archives are read through libzip, if this compiler can link it. Found when a program is made.
find_zip = $(shell PKG_CONFIG='$(PKG_CONFIG)' sh test/build/zip.sh $(CC) $(CFLAGS) $(ALL_LDFLAGS))
ZIP_LIBS = $(eval ZIP_LIBS := $(find_zip))$(ZIP_LIBS)
ZIP_DEFINES = $(if $(ZIP_LIBS),-DCOMMON_HAS_ZIP)

# -- Products ---------------------------------------------------------------------------------

LIBRARY := $(OUT)/libmd5model.a
SHARED  := $(OUT)/libmd5model.so
GL_LIBRARY := $(OUT)/libmd5gl.a
GL_SHARED  := $(OUT)/libmd5gl.so
TOOL    := $(OUT)/md5tool
VIEWER  := $(OUT)/md5view

# The public headers under the names that programs include, here and where they are installed.
INCLUDE := build/include/md5model
HEADERS_OUT    := $(addprefix $(INCLUDE)/,$(notdir $(PUBLIC_HEADERS)))
GL_HEADERS_OUT := $(addprefix $(INCLUDE)/,$(notdir $(GL_HEADERS)))

.PHONY: all lib gl tool run gallery help clean deps FORCE

## make                the library (static, shared), md5tool and md5view, in build/
all: lib $(if $(filter yes,$(MD5GL)),gl) $(TOOL) $(VIEWER)

## make lib            the library alone, headers in build/include; needs nothing but a C compiler
lib: $(LIBRARY) $(SHARED) $(HEADERS_OUT)

## make gl             libmd5gl, which draws with OpenGL; needs glad, and no GL library
gl: lib $(GL_LIBRARY) $(GL_SHARED) $(GL_HEADERS_OUT)

## make tool           md5tool alone, likewise
tool: $(TOOL)

## make run            the viewer on our own model; without a display a picture of it
run: $(VIEWER)
	@sh test/build/run_viewer.sh $(VIEWER) build/md5view.png $(ARGS)

## make gallery        pictures of all our models, and of MD5_CORPUS, into build/gallery
gallery: $(VIEWER)
	@sh test/build/gallery.sh $(VIEWER) build/gallery

$(LIBRARY): $(MD5_OBJECTS) $(BUILD)/sources
	@mkdir -p $(@D) && rm -f $@
	$(call say,AR) ar rcs $@ $(MD5_OBJECTS)

# The second name is the one that a program linked with build/libmd5model.so looks for.
$(SHARED): $(MD5_OBJECTS) $(BUILD)/sources
	@mkdir -p $(@D)
	$(call say,LINK) $(CC) -shared -Wl,-soname,libmd5model.so.$(ABI) $(ALL_LDFLAGS) -o $@ $(MD5_OBJECTS) -lm
	@ln -sf libmd5model.so $@.$(ABI)

$(GL_LIBRARY): $(RENDER_OBJECTS) $(BUILD)/sources
	@mkdir -p $(@D) && rm -f $@
	$(call say,AR) ar rcs $@ $(RENDER_OBJECTS)

$(GL_SHARED): $(RENDER_OBJECTS) $(SHARED) $(BUILD)/sources
	@mkdir -p $(@D)
	$(call say,LINK) $(CC) -shared -Wl,-soname,libmd5gl.so.$(ABI) $(ALL_LDFLAGS) -o $@ $(RENDER_OBJECTS) $(SHARED) -lm
	@ln -sf libmd5gl.so $@.$(ABI)

# Installed, the public headers lie beside each other.
$(HEADERS_OUT): $(INCLUDE)/%: md5/%
	@mkdir -p $(@D)
	@sed 's|^#include "md5/|#include "|' $< > $@
$(GL_HEADERS_OUT): $(INCLUDE)/%: render/%
	@mkdir -p $(@D)
	@sed 's|^#include "md5/|#include "|' $< > $@

.PHONY: amalgamate
## make amalgamate     the library as two files, build/md5model.h and build/md5model.c; also md5gl.h and md5gl.c
amalgamate: $(if $(filter yes,$(MD5GL)),$(GLAD_HEADER) build/shaders.c)
	@mkdir -p build
	$(PYTHON) test/build/amalgamate.py build $(if $(filter yes,$(MD5GL)),build/glad build/shaders.c)

$(TOOL): $(TOOL_OBJECTS) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(ZIP_LIBS) -lpthread -lm

$(VIEWER): $(VIEW_OBJECTS) $(RENDER_OBJECTS) $(KEEP_LOADED) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(JPEG_LIBS) $(ZIP_LIBS) $(ZLIB_LIBS) -lpthread -lm

# -- Objects ----------------------------------------------------------------------------------

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c $< -o $@

$(BUILD)/test/%.o: private LEVEL = $(TEST_LEVEL_$(config))
# With -O2 gcc does not unroll the loops of the peers that the library is compared with.
$(BUILD)/test/bench/%.o: private LEVEL = -O3

$(call objects,$(RENDER_SOURCES)): EXTRA = -isystem build/glad/include
$(call objects,$(RENDER_SOURCES)): $(GLAD_HEADER) | deps

$(NEEDS_GL): EXTRA = -isystem build/glad/include $(SDL_CFLAGS) $(JPEG_CFLAGS)
$(NEEDS_GL): $(GLAD_HEADER) | deps

$(BUILD)/demo/common/archive_zip.o: EXTRA = $(ZIP_DEFINES)
$(BUILD)/demo/common/archive_zip.o: $(BUILD)/zip-flags
# Looked for after `deps` has installed it; goals that need no packages do without.
$(BUILD)/zip-flags: | $(if $(filter-out lib tool test-library,$(or $(MAKECMDGOALS),all)),deps)

# An installed viewer finds the models there; one that runs in the tree has models/ beside it.
VIEWER_DEFINES = -DMD5VIEW_MODELS='"$(SHAREDIR)/models"'
$(call objects,$(VIEW_SOURCES)): EXTRA += $(VIEWER_DEFINES)
$(call objects,$(VIEW_SOURCES)): $(BUILD)/viewer-flags
$(BUILD)/demo/viewer/base/stb.o: EXTRA += $(ZLIB_FLAGS)
$(BUILD)/viewer-flags: | deps

# Generated code is compiled without warnings.
$(BUILD)/made/gl.o: $(GLAD_HEADER) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(ALL_CFLAGS) -w -Ibuild/glad/include -c build/glad/src/gl.c -o $@

$(BUILD)/made/%.o: build/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(ALL_CFLAGS) -w -MMD -MP -c $< -o $@

# Files that are rewritten only when their text changes: another compiler, other flags or another
# set of sources rebuild what depends on them.
define remember
$(1): FORCE
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quote,$(2)) | cmp -s - $$@ || printf '%s\n' $$(call quote,$(2)) > $$@
endef
quote = '$(subst ','\'',$(1))'
$(eval $(call remember,$(BUILD)/flags,$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS)))
$(eval $(call remember,$(BUILD)/viewer-flags,$$(VIEWER_DEFINES) $$(ZLIB_FLAGS)))
$(eval $(call remember,$(BUILD)/zip-flags,$$(ZIP_DEFINES) $$(ZIP_LIBS)))
$(eval $(call remember,$(BUILD)/sources,$$(MD5_SOURCES) $$(ABI)))

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)

# -- Generated code, the same in every configuration ------------------------------------------

GL_LOADER := test/build/gl_loader.py
$(GLAD_HEADER): $(GL_LOADER) | deps
	@mkdir -p build
	$(call say,GLAD) GLAD='$(GLAD)' $(PYTHON) $(GL_LOADER) build/glad
	@touch $@

# Depends on the folder too: its modification time changes when a shader is removed.
EMBED := test/build/embed.py
build/shaders.c: $(SHADERS) shaders $(EMBED) | deps
	@mkdir -p build
	$(call say,EMBED) $(PYTHON) $(EMBED) text md5gl_shader $@ $(SHADERS)

build/font.c: $(EMBED) test/build/deps.sh | deps
	@mkdir -p build
	$(call say,EMBED) $(PYTHON) $(EMBED) bytes md5view_font $@ "$$(sh test/build/deps.sh --font DejaVuSans)" \
	    md5view_code_font "$$(sh test/build/deps.sh --font DejaVuSansMono)"

# The lines of C that the viewer's pages show, from their sources.
PAGE_SOURCES := $(sort $(wildcard demo/viewer/pages/*.c))
build/page_lines.c: $(PAGE_SOURCES) demo/viewer/pages $(EMBED) | deps
	@mkdir -p build
	$(call say,EMBED) $(PYTHON) $(EMBED) lines demo/viewer/pages/families.h $@ $(PAGE_SOURCES)

# -- Required packages ------------------------------------------------------------------------

# One call for all goals, so that no two installations run at the same time.
NEEDS := $(if $(filter docs,$(MAKECMDGOALS)),docs) $(if $(filter-out gl install-lib amalgamate docs,$(or $(MAKECMDGOALS),all)),viewer,gl) \
    $(if $(filter test test-long mutants coverage programs,$(MAKECMDGOALS)),test) \
    $(if $(filter bench,$(MAKECMDGOALS)),bench) \
    $(if $(filter test-long fuzz,$(MAKECMDGOALS)),long) \
    $(if $(filter lint format,$(MAKECMDGOALS)),lint) \
    $(if $(filter deb,$(MAKECMDGOALS)),deb)

## make deps           finds missing packages and installs them if there is apt-get
deps:
	@DEPS=$(DEPS) sh test/build/deps.sh $(NEEDS)

# -- Tests ------------------------------------------------------------------------------------

.PHONY: test test-library test-long test-packages test-blender fuzz mutants bench coverage lint format programs

TEST_MD5 := $(BUILD)/test_md5
TEST_GL  := $(if $(TEST_GL_SOURCES),$(BUILD)/test_gl)
# The parts of the viewer without its main(), for tests of them.
VIEW_PARTS := $(filter-out $(BUILD)/demo/viewer/app/main.o,$(VIEW_OBJECTS))

$(TEST_MD5): $(TEST_MD5_OBJECTS) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ -lpthread -lm

$(TEST_GL): $(TEST_GL_OBJECTS) $(VIEW_PARTS) $(RENDER_OBJECTS) $(KEEP_LOADED) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(JPEG_LIBS) $(ZIP_LIBS) $(ZLIB_LIBS) -lpthread -lm

# The program with which scripts examine the viewer's pictures.
TEST_PNG := $(BUILD)/view_png
$(TEST_PNG): $(call objects,test/viewer/view_png.c demo/viewer/scene/image.c demo/viewer/scene/image_check.c demo/viewer/scene/jpeg.c \
    demo/viewer/base/stb.c) $(COMMON_OBJECTS) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(JPEG_LIBS) $(ZIP_LIBS) $(ZLIB_LIBS) -lpthread -lm

# A copy of models/ with small textures: most tests look at other things, and decoding the real ones takes
# half of the time of opening a model.
SMALL_MODELS := build/small/models
$(SMALL_MODELS): $(shell find models -type f) test/build/small_models.sh | $(TEST_PNG)
	$(call say,COPY) sh test/build/small_models.sh models $@ $(TEST_PNG)

# Tests that call make or the compiler get the same settings, so that they rebuild nothing; other
# environment variables, such as MD5_CORPUS, pass through.
RUN_TESTS = MD5_ROOT=. MD5_MODELS=$(SMALL_MODELS) MD5_BUILD=$(OUT) MD5_LINK_FLAGS='$(ALL_LDFLAGS)' config=$(config) \
    BUILD=$(BUILD) CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' WERROR=$(WERROR) \
    PREFIX=$(PREFIX) DEPS=$(DEPS) sh test/build/run_tests.sh

programs: all $(TEST_MD5) $(TEST_GL) $(TEST_PNG) $(SMALL_MODELS)

# The longest suites start first, so that none of them still runs alone after all others have ended.
LONGEST := $(TEST_GL) $(TEST_MD5) $(addprefix test/viewer/,window.sh view.sh window_start.sh window_lists.sh \
    window_random.sh crowd.sh)
ALL_SUITES := $(filter $(TEST_SCRIPTS) $(TEST_MD5) $(TEST_GL),$(LONGEST)) \
    $(filter-out $(LONGEST),$(TEST_SCRIPTS))

# TEST selects the scripts in the room of that name or with TEST in their own name; run_tests.sh selects
# tests of the two programs in the same way.
TEST_PART := $(if $(TEST),$(if $(wildcard test/$(TEST)/.),test/$(TEST)/,$(TEST)))
PROGRAM_PART := $(if $(filter test_md5 test_gl,$(TEST)),,$(TEST_PART))
IN_PART = $(findstring $(TEST_PART),$(if $(filter test/%/,$(TEST_PART)),$(1),$(notdir $(1))))
IS_PROGRAM = $(if $(PROGRAM_PART),$(filter $(TEST_MD5) $(TEST_GL),$(1)))
SUITES = $(if $(TEST),$(foreach suite,$(ALL_SUITES),$(if $(call IS_PROGRAM,$(suite))$(call IN_PART,$(suite)),$(suite))),$(ALL_SUITES))

## make test           runs the tests in a minute or two; MD5_CORPUS=FOLDER adds real models;
##                     TEST=pose selects a room, or the tests with that in their name
test: programs | deps
	@MD5_TEST_PART=$(call quote,$(PROGRAM_PART)) $(RUN_TESTS) $(SUITES)

## make test-library   runs the tests of the library and of md5tool; needs only a C compiler
test-library: lib tool $(TEST_MD5)
	@$(RUN_TESTS) test/tool/tool.sh $(TEST_MD5)@1/2 $(TEST_MD5)@2/2

## make test-long      runs the long tests, each for an hour at most
test-long: programs | deps
	@MD5_TEST_LONG=all MD5_TEST_TIMEOUT=$${MD5_TEST_TIMEOUT:-3600} $(RUN_TESTS) $(LONG_SCRIPTS) $(SLOW_SCRIPTS)

## make test-blender   compares the Blender add-on with the library; needs Blender, a large package
test-blender: lib tool
	@$(RUN_TESTS) test/blender/blender.sh

## make test-packages  reads and draws all models of two Debian packages, 1 GB, which it fetches
test-packages: tool $(VIEWER)
	@MD5_TEST_TIMEOUT=$${MD5_TEST_TIMEOUT:-3600} $(RUN_TESTS) test/packages/packages.sh

## make fuzz           fuzzes each target for FUZZ_SECONDS=60
fuzz: | deps
	@MD5_TEST_TIMEOUT=1000000 $(RUN_TESTS) test/fuzz/fuzz.sh

## make mutants        plants MUTANTS=30 small faults in what has changed since SINCE=COMMIT, by default
##                     yesterday's, and reports those that no test notices
mutants: | deps
	@MD5_TEST_TIMEOUT=1000000 $(RUN_TESTS) test/long/mutants.sh

## make bench          measures speed: prints a table and writes build/bench.csv;
##                     COMPARE=OLD.csv says what differs from another table
bench: $(BUILD)/bench $(BUILD)/bench_gl
	@$(BUILD)/bench build/bench.csv $(filter-out models/zoo/%,$(filter %.md5mesh %.md5anim,$(MODEL_FILES)))
	@$(BUILD)/bench_gl build/bench.csv models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
	@echo 'Table: build/bench.csv'
	@$(if $(COMPARE),python3 test/bench/compare.py $(COMPARE) build/bench.csv)

# If assimp is installed, it is measured on the same files.
ASSIMP_LIBS = $(shell $(PKG_CONFIG) --libs assimp 2>/dev/null)
$(BUILD)/test/bench/bench.o: EXTRA = $(if $(ASSIMP_LIBS),-DBENCH_ASSIMP)
$(BUILD)/test/bench/bench.o: | deps

$(BUILD)/bench: $(BUILD)/test/bench/bench.o $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(ASSIMP_LIBS) -lpthread -lm

# Benchmarks that need a GL context are a separate program, so that the others run anywhere.
$(BUILD)/bench_gl: $(BUILD)/test/bench/bench_gl.o $(RENDER_OBJECTS) $(KEEP_LOADED) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) -lm

## make coverage       runs the tests, then prints the lines and branches they reach in each room;
##                     COVERAGE=test-library leaves out render and demo
COVERAGE ?= test
coverage:
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory config=coverage $(COVERAGE); status=$$?; \
	    sh test/build/coverage.sh build/coverage || status=1; exit $$status

## make lint           warnings as errors (gcc, clang), clang-tidy, cppcheck, layout, scripts, Python, rooms
lint: $(GLAD_HEADER) $(HEADERS_OUT) $(GL_HEADERS_OUT) | deps
	@MAKE='$(MAKE)' SDL_CFLAGS='$(SDL_CFLAGS)' sh test/build/lint.sh

## make format         formats all C sources with clang-format
format: | deps
	clang-format -i $(wildcard md5/*.[ch] md5/*/*.[ch] md5/*/*/*.[ch] render/*.[ch] demo/*/*.[ch] \
	    demo/*/*/*.[ch] test/*.[ch] test/*/*.[ch])

.PHONY: docs
## make docs           guides and reference as static HTML: build/docs/index.html; needs Doxygen
docs: | deps
	@rm -rf build/docs && mkdir -p build
	doxygen .github/docs/Doxyfile
	@$(PYTHON) .github/docs/finish.py build/docs

# -- Installing -------------------------------------------------------------------------------

.PHONY: install install-lib install-programs uninstall

BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
SHAREDIR   := $(DATADIR)/md5model
LIBRARIES  := md5model $(if $(filter yes,$(MD5GL)),md5gl)

# Files below DESTDIR are for another system, whose package manager updates the cache.
update_linker = $(if $(DESTDIR),,@sh test/build/ldconfig.sh $(LIBDIR) libmd5model.so.$(ABI))
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

# Files of one folder are installed in one call.
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
install-programs: $(TOOL) $(VIEWER) $(STAGED)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DATADIR)/doc/md5model
	install -m 755 $(TOOL) $(VIEWER) $(DESTDIR)$(BINDIR)/
	$(STRIP) $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	@for text in $(PROGRAM_TEXTS); do \
	    install -D -m 644 $(BUILD)/share/$$text $(DESTDIR)$(DATADIR)/$$text || exit 1; done
	install -m 644 md5/play/machine_files.md LICENSE $(DESTDIR)$(DATADIR)/doc/md5model/
	@install -d $(addprefix $(DESTDIR)$(SHAREDIR)/,$(MODEL_FOLDERS))
	@$(foreach folder,$(MODEL_FOLDERS),install -m 644 $(call model_files,$(folder)) $(DESTDIR)$(SHAREDIR)/$(folder) &&) :
	$(foreach file,$(DESKTOP_FILES),install -D -m 644 .github/packaging/desktop/$(call desktop_file,$(file)) \
	    $(call desktop_path,$(file)) &&) :
	$(update_desktop)

.PHONY: deb
## make deb            Debian packages of what is committed, in build/deb
deb: | deps
	@sh test/build/deb.sh build/deb

## make uninstall      removes what `make install` with the same PREFIX has installed
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	rm -f $(addprefix $(DESTDIR)$(DATADIR)/,$(PROGRAM_TEXTS)) $(foreach file,$(DESKTOP_FILES),$(call desktop_path,$(file)))
	rm -f $(foreach name,md5model md5gl,$(DESTDIR)$(LIBDIR)/pkgconfig/$(name).pc \
	    $(addprefix $(DESTDIR)$(LIBDIR)/lib$(name),.a .so .so.$(ABI) .so.$(VERSION)))
	rm -rf $(DESTDIR)$(INCLUDEDIR)/md5model $(DESTDIR)$(LIBDIR)/cmake/md5model $(DESTDIR)$(DATADIR)/doc/md5model \
	    $(DESTDIR)$(SHAREDIR)
	$(update_linker)
	$(update_desktop)

# -- Other targets ----------------------------------------------------------------------------

## make clean          removes build/
clean:
	rm -rf build

## make help           prints this list
help:
	@sed -n 's/^## //p' Makefile
	@sed -n 's/^#  /  /p' Makefile
