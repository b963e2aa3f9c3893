# md5model: a library, a tool and a viewer for id Software's MD5 models.
#
# `make help` lists what can be made. GNU make 4 or newer.
# From the command line or the environment: CC CFLAGS LDFLAGS PREFIX DESTDIR and
#   config=release|debug|sanitize|scalar|coverage   how the code is built; side by side in build/
#   BUILD=build/NAME   objects elsewhere, to keep another compiler's apart
#   WERROR=yes         warnings are errors
#   TEST=NAME          a part of the tests: a room (core, read, pose, skin, ik, play, load, render,
#                      viewer, tool, tree), or whatever script or test has NAME in its name
#   TEST_SCRIPTS=...   which scripts `make test` runs beside the test programs
#   DEPS=no            never install packages, only say what is missing
#   V=1                show the compiler's command lines
#   ARGS="..."         what `make run` passes to the viewer

config ?= release
BUILD ?= build/$(config)
PREFIX ?= /usr/local
DEPS ?= yes
PKG_CONFIG ?= pkg-config
GLAD ?= glad

ifeq (,$(filter $(config),release debug sanitize scalar coverage))
$(error config=$(config) is none of release, debug, sanitize, scalar, coverage)
endif

# The products of an ordinary build lie where one looks for them; all others with their objects.
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

MD5_SOURCES    := $(wildcard md5/*.c md5/*/*.c md5/*/*/*.c)
RENDER_SOURCES := $(wildcard render/*.c)
COMMON_SOURCES := $(wildcard demo/common/*.c)
TOOL_SOURCES   := $(wildcard demo/tool/*.c)
VIEW_SOURCES   := $(wildcard demo/viewer/*/*.c)
SHADERS        := $(sort $(filter-out %.md,$(wildcard shaders/*.*)))

MODEL_FILES := $(shell find models -name '*.md5mesh' -o -name '*.md5anim' -o -name '*.md5camera' -o -name '*.md5machine' \
                 -o -name '*.png' -o -name '*.tga' -o -name LICENSE 2>/dev/null)

# Two test programs: the library's, and what needs a GL context. The viewer's parts count as that.
TEST_GL_SOURCES  := $(wildcard test/render/test_*.c test/viewer/test_*.c)
TEST_MD5_SOURCES := $(wildcard $(patsubst %,test/%/test_*.c,core read load pose skin ik play))
TEST_SCRIPTS     ?= $(sort $(wildcard test/tree/*.sh test/tool/*.sh test/viewer/*.sh))
LONG_SCRIPTS     := $(sort $(wildcard test/long/*.sh))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
MD5_OBJECTS    := $(call objects,$(MD5_SOURCES))
RENDER_OBJECTS := $(call objects,$(RENDER_SOURCES)) $(BUILD)/made/shaders.o $(BUILD)/made/gl.o
COMMON_OBJECTS := $(call objects,$(COMMON_SOURCES))
TOOL_OBJECTS   := $(call objects,$(TOOL_SOURCES)) $(COMMON_OBJECTS)
VIEW_OBJECTS   := $(call objects,$(VIEW_SOURCES)) $(COMMON_OBJECTS) $(BUILD)/made/font.o
TEST_MD5_OBJECTS := $(call objects,test/test.c test/mistake.c $(TEST_MD5_SOURCES))
TEST_GL_OBJECTS  := $(call objects,test/test.c test/pose/test_made_pose.c $(TEST_GL_SOURCES))

# Keeps GL drivers loaded, whose memory would look like a leak of ours.
KEEP_LOADED := $(if $(filter sanitize,$(config)),$(BUILD)/test/build/keep_loaded.o)

# Whatever is compiled against SDL2, stb or the generated GL loader.
NEEDS_GL := $(call objects,$(RENDER_SOURCES) $(VIEW_SOURCES) $(TEST_GL_SOURCES) test/bench/bench_gl.c test/viewer/view_png.c)
GLAD_HEADER := build/glad/include/glad/gl.h

# -- Flags ------------------------------------------------------------------------------------

# -ffp-contract=off: fused multiply-adds would give other bits on other machines.
# Position-independent objects serve both libraries; without semantic interposition they are as
# fast as others.
STANDARD := -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden -fno-semantic-interposition -I.
# In standard C, gcc for s390x computes with floats as doubles, unless it is told not to.
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
LINK_sanitize  := -fsanitize=address,undefined
LINK_coverage  := --coverage

# The user's flags come last, so that they win.
ALL_CFLAGS = $(STANDARD) $(FLAGS_$(config)) $(WARNINGS) $(CFLAGS)
# A plain -flto links on one core, and says so as a warning.
ALL_LDFLAGS = $(LINK_$(config)) $(LDFLAGS) $(if $(filter -flto,$(CFLAGS) $(LDFLAGS)),-flto=auto)

# Asked for only when they are used, which is after `deps` has installed SDL2. -isystem: the
# warnings are for our own code.
SDL_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags sdl2))
SDL_LIBS = $(shell $(PKG_CONFIG) --libs sdl2)
JPEG_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libjpeg))
JPEG_LIBS = $(shell $(PKG_CONFIG) --libs libjpeg)

# -- Products ---------------------------------------------------------------------------------

LIBRARY := $(OUT)/libmd5model.a
SHARED  := $(OUT)/libmd5model.so
TOOL    := $(OUT)/md5tool
VIEWER  := $(OUT)/md5view

.PHONY: all lib tool run gallery help clean deps FORCE

## make                the library (static, shared), md5tool and md5view, in build/
all: $(LIBRARY) $(SHARED) $(TOOL) $(VIEWER)

## make lib            the library alone; needs nothing but a C compiler
lib: $(LIBRARY) $(SHARED)

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

$(TOOL): $(TOOL_OBJECTS) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ -lm

$(VIEWER): $(VIEW_OBJECTS) $(RENDER_OBJECTS) $(KEEP_LOADED) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(JPEG_LIBS) -lm

# -- Objects ----------------------------------------------------------------------------------

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c $< -o $@

$(NEEDS_GL): EXTRA = -isystem build/glad/include $(SDL_CFLAGS) $(JPEG_CFLAGS)
$(NEEDS_GL): $(GLAD_HEADER) | deps

# An installed viewer finds the models there; one that runs in the tree has models/ beside it.
VIEWER_DEFINES = -DMD5VIEW_MODELS='"$(PREFIX)/share/md5model/models"'
$(call objects,$(VIEW_SOURCES)): EXTRA += $(VIEWER_DEFINES)
$(call objects,$(VIEW_SOURCES)): $(BUILD)/viewer-flags

# Generated code: not ours to warn about.
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
$(eval $(call remember,$(BUILD)/viewer-flags,$$(VIEWER_DEFINES)))
$(eval $(call remember,$(BUILD)/sources,$$(MD5_SOURCES) $$(ABI)))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# -- Generated code, the same in every configuration ------------------------------------------

# The GL loader, offline, from the generator's own copy of the specification. --mx: functions in
# a struct of the caller's instead of globals.
$(GLAD_HEADER): Makefile | deps
	@mkdir -p build
	$(call say,GLAD) $(GLAD) --quiet --api gl:core=3.3 --reproducible --extensions GL_KHR_debug \
	    --out-path build/glad c --mx
	@touch $@

build/embed: test/build/embed.c
	@mkdir -p build
	$(call say,CC) $(CC) -O1 -o $@ $<

# Depends on the folder too, whose time changes when a shader is taken away.
build/shaders.c: $(SHADERS) shaders build/embed
	$(call say,EMBED) build/embed text md5gl_shader $(SHADERS) > $@

build/font.c: build/embed test/build/deps.sh | deps
	$(call say,EMBED) build/embed bytes md5view_font "$$(sh test/build/deps.sh --font)" > $@

# -- What must be installed first -------------------------------------------------------------

# One call for all goals, so that two never install at the same time.
NEEDS := viewer \
    $(if $(filter test test-long coverage programs,$(MAKECMDGOALS)),test) \
    $(if $(filter bench,$(MAKECMDGOALS)),bench) \
    $(if $(filter test-long fuzz,$(MAKECMDGOALS)),long) \
    $(if $(filter lint format,$(MAKECMDGOALS)),lint)

## make deps           looks for what the build needs, installs it where apt-get can
deps:
	@DEPS=$(DEPS) sh test/build/deps.sh $(NEEDS)

# -- Tests ------------------------------------------------------------------------------------

.PHONY: test test-library test-long test-blender fuzz bench coverage lint format programs

TEST_MD5 := $(BUILD)/test_md5
TEST_GL  := $(if $(TEST_GL_SOURCES),$(BUILD)/test_gl)
# The parts of the viewer without its main(), for tests of them.
VIEW_PARTS := $(filter-out $(BUILD)/demo/viewer/app/main.o,$(VIEW_OBJECTS))

$(TEST_MD5): $(TEST_MD5_OBJECTS) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ -lm

$(TEST_GL): $(TEST_GL_OBJECTS) $(VIEW_PARTS) $(RENDER_OBJECTS) $(KEEP_LOADED) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(JPEG_LIBS) -lm

# What looks at the viewer's pictures for the scripts.
TEST_PNG := $(BUILD)/view_png
$(TEST_PNG): $(call objects,test/viewer/view_png.c demo/viewer/scene/image.c demo/viewer/scene/image_check.c demo/viewer/scene/jpeg.c \
    demo/viewer/base/stb.c) $(COMMON_OBJECTS) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(JPEG_LIBS) -lm

# Tests that call make or the compiler themselves get the same settings, so that they build nothing
# anew; whatever else is in the environment, such as MD5_CORPUS, passes through.
RUN_TESTS = MD5_ROOT=. MD5_BUILD=$(OUT) MD5_LINK_FLAGS='$(ALL_LDFLAGS)' config=$(config) \
    BUILD=$(BUILD) CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' WERROR=$(WERROR) \
    PREFIX=$(PREFIX) DEPS=$(DEPS) sh test/build/run_tests.sh

programs: all $(TEST_MD5) $(TEST_GL) $(TEST_PNG)

# What takes longest begins first, so that nothing runs alone at the end.
LONGEST := $(addprefix test/viewer/,window.sh view.sh) $(TEST_GL) $(TEST_MD5) \
    $(addprefix test/viewer/,window_lists.sh window_start.sh window_random.sh verify.sh crowd.sh)
ALL_SUITES := $(filter $(TEST_SCRIPTS) $(TEST_MD5) $(TEST_GL),$(LONGEST)) \
    $(filter-out $(LONGEST),$(TEST_SCRIPTS))

# TEST: of the scripts those in the room of that name, or with it in their own; of the tests in the two
# programs those that run_tests.sh finds by it.
TEST_PART := $(if $(TEST),$(if $(wildcard test/$(TEST)/.),test/$(TEST)/,$(TEST)))
PROGRAM_PART := $(if $(filter test_md5 test_gl,$(TEST)),,$(TEST_PART))
IN_PART = $(findstring $(TEST_PART),$(if $(filter test/%/,$(TEST_PART)),$(1),$(notdir $(1))))
IS_PROGRAM = $(if $(PROGRAM_PART),$(filter $(TEST_MD5) $(TEST_GL),$(1)))
SUITES = $(if $(TEST),$(foreach suite,$(ALL_SUITES),$(if $(call IS_PROGRAM,$(suite))$(call IN_PART,$(suite)),$(suite))),$(ALL_SUITES))

## make test           every test, two minutes at most; MD5_CORPUS=FOLDER adds the real models;
##                     TEST=pose: those of a room, or with that in their name
test: programs | deps
	@MD5_TEST_PART=$(call quote,$(PROGRAM_PART)) $(RUN_TESTS) $(SUITES)

## make test-library   the library's and the tool's alone; needs nothing but a C compiler
test-library: lib tool $(TEST_MD5)
	@$(RUN_TESTS) test/tool/tool.sh $(TEST_MD5)

## make test-long      the tests that take longer, an hour at most for each
test-long: programs | deps
	@MD5_TEST_TIMEOUT=$${MD5_TEST_TIMEOUT:-3600} $(RUN_TESTS) $(LONG_SCRIPTS)

## make test-blender   the Blender add-on against the library; needs Blender, which is large
test-blender: lib tool
	@$(RUN_TESTS) test/blender/blender.sh

## make fuzz           looks for inputs that break it: FUZZ_SECONDS=60 for each target
fuzz: | deps
	@MD5_TEST_TIMEOUT=1000000 $(RUN_TESTS) test/fuzz/fuzz.sh

## make bench          how fast it is: a table, and build/bench.csv
bench: $(BUILD)/bench $(BUILD)/bench_gl
	@$(BUILD)/bench build/bench.csv $(filter-out models/zoo/%,$(filter %.md5mesh %.md5anim,$(MODEL_FILES)))
	@$(BUILD)/bench_gl build/bench.csv models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
	@echo 'Table: build/bench.csv'

# assimp reads the same files beside us where it is installed.
ASSIMP_LIBS = $(shell $(PKG_CONFIG) --libs assimp 2>/dev/null)
$(BUILD)/test/bench/bench.o: EXTRA = $(if $(ASSIMP_LIBS),-DBENCH_ASSIMP)
$(BUILD)/test/bench/bench.o: | deps

$(BUILD)/bench: $(BUILD)/test/bench/bench.o $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(ASSIMP_LIBS) -lpthread -lm

# What needs a GL context by itself, so that the rest can be measured anywhere.
$(BUILD)/bench_gl: $(BUILD)/test/bench/bench_gl.o $(RENDER_OBJECTS) $(KEEP_LOADED) $(LIBRARY)
	$(call say,LINK) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) -lm

## make coverage       the tests, then the lines and branches they reach, room by room;
##                     COVERAGE=test-library leaves out render and demo
COVERAGE ?= test
coverage:
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory config=coverage $(COVERAGE); status=$$?; \
	    sh test/build/coverage.sh build/coverage || status=1; exit $$status

## make lint           warnings as errors (gcc, clang), clang-tidy, cppcheck, layout, scripts, Python, rooms
lint: $(GLAD_HEADER) | deps
	@MAKE='$(MAKE)' SDL_CFLAGS='$(SDL_CFLAGS)' sh test/build/lint.sh

## make format         lays out all C sources as .clang-format says
format: | deps
	clang-format -i $(wildcard md5/*.[ch] md5/*/*.[ch] md5/*/*/*.[ch] render/*.[ch] demo/*/*.[ch] \
	    demo/*/*/*.[ch] test/*.[ch] test/*/*.[ch])

# -- Installing -------------------------------------------------------------------------------

.PHONY: install uninstall

BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
SHAREDIR   := $(PREFIX)/share/md5model

# What lies below DESTDIR is for another system, whose packages see to this.
update_linker = $(if $(DESTDIR),,@sh test/build/ldconfig.sh $(LIBDIR) libmd5model.so.$(ABI))

## make install        to PREFIX=/usr/local, below DESTDIR, with a pkg-config file
install: all $(BUILD)/md5model.pc
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/md5model
	install -m 644 md5/md5model.h md5/md5pose.h md5/md5play.h $(DESTDIR)$(INCLUDEDIR)/md5model/
	install -m 644 $(LIBRARY) $(DESTDIR)$(LIBDIR)/libmd5model.a
	install -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)/libmd5model.so.$(VERSION)
	ln -sf libmd5model.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libmd5model.so.$(ABI)
	ln -sf libmd5model.so.$(ABI) $(DESTDIR)$(LIBDIR)/libmd5model.so
	install -m 644 $(BUILD)/md5model.pc $(DESTDIR)$(LIBDIR)/pkgconfig/md5model.pc
	install -m 755 $(TOOL) $(DESTDIR)$(BINDIR)/md5tool
	install -m 755 $(VIEWER) $(DESTDIR)$(BINDIR)/md5view
	@for file in $(MODEL_FILES); do \
	    install -D -m 644 $$file $(DESTDIR)$(SHAREDIR)/$$file || exit 1; done
	$(update_linker)

## make uninstall      takes away what `make install` with the same PREFIX has put there
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/md5tool $(DESTDIR)$(BINDIR)/md5view
	rm -f $(DESTDIR)$(LIBDIR)/libmd5model.a $(DESTDIR)$(LIBDIR)/libmd5model.so \
	    $(DESTDIR)$(LIBDIR)/libmd5model.so.$(ABI) $(DESTDIR)$(LIBDIR)/libmd5model.so.$(VERSION)
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/md5model.pc
	rm -rf $(DESTDIR)$(INCLUDEDIR)/md5model $(DESTDIR)$(SHAREDIR)
	$(update_linker)

$(BUILD)/md5model.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
	    'Name: md5model' 'Description: Reads, poses and skins MD5 models' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lmd5model' 'Libs.private: -lm' > $@

# -- The rest ---------------------------------------------------------------------------------

## make clean          takes build/ away
clean:
	rm -rf build

## make help           this list
help:
	@sed -n 's/^## //p' Makefile
	@sed -n 's/^#  /  /p' Makefile
