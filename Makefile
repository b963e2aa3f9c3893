# md5model: a library, a tool and a viewer for id Software's MD5 models.
#
# `make help` lists what can be made. GNU make 4 or newer. All cores compile, unless -j says otherwise.
# From the command line or the environment: CC CFLAGS LDFLAGS PREFIX DESTDIR and
#   config=release|debug|sanitize|scalar|coverage   how the code is built; side by side in build/
#   BUILD=build/NAME   objects elsewhere, to keep another compiler's apart
#   WERROR=yes         warnings are errors
#   DEPS=no            never install packages, only say what is missing
#   MD5GL=no           leave libmd5gl out of `make` and `make install-lib`
#   ASSIMP=yes|no      insist on libassimp and jansson, through which programs read FBX, Collada and others; or do without
#   V=1                show the compiler's command lines
#   ARGS="..."         what `make run` passes to the viewer

config ?= release
BUILD ?= build/$(config)
DEPS ?= yes
MD5GL ?= yes
PKG_CONFIG ?= pkg-config
PYTHON ?= python3

ifeq (0,$(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)))
MAKEFLAGS += -j$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
endif
# The products of the release configuration are in build/, those of others beside their objects.
OUT := $(patsubst build/release,build,$(BUILD))
VERSION := $(shell awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $$3; dot = "." }' md5/md5model.h)
# Before 1.0 every minor version may break the binary interface.
ABI := $(shell echo $(VERSION) | awk -F. '{ print $$1 == 0 ? "0." $$2 : $$1 }')
GOALS := $(or $(MAKECMDGOALS),all)
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all lib gl tool run deps clean help FORCE

# -- Sources: CMakeLists.txt takes the same files by the same patterns --------------------------------
MD5_SOURCES    := $(wildcard md5/*.c md5/*/*.c md5/*/*/*.c)
# The leaves: their rooms, and, beside core, those of which each has a copy under names of its own, as nobody offers them.
LEAVES      := play game edit
ROOMS_play  := motion play
ROOMS_game  := game
ROOMS_edit  := edit
COPIES_edit := read
RENDER_SOURCES := $(wildcard render/*.c)
VIEW_SOURCES   := $(wildcard demo/viewer/*/*.c)
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
sources_in = $(filter $(patsubst %,md5/%/%,$(1)),$(MD5_SOURCES))
MD5_OBJECTS    := $(call objects,$(filter-out $(call sources_in,$(foreach leaf,$(LEAVES),$(ROOMS_$(leaf)))),$(MD5_SOURCES)))
leaf_objects = $(call objects,$(call sources_in,$(ROOMS_$(1)))) $(patsubst %.c,$(BUILD)/of/$(1)/%.o,$(call sources_in,core $(COPIES_$(1))))
RENDER_OBJECTS := $(call objects,$(RENDER_SOURCES)) $(BUILD)/made/shaders.o $(BUILD)/made/gl.o
COMMON_OBJECTS := $(call objects,$(wildcard demo/common/*.c))
PICTURES       := $(BUILD)/render/pictures.o $(BUILD)/render/assert.o
PACKAGED       := $(BUILD)/demo/common/game_folder.o $(call objects,$(wildcard demo/convert/*.c demo/looks/*.c))
TOOL_OBJECTS   := $(call objects,$(wildcard demo/tool/*.c)) $(PACKAGED) $(PICTURES) $(COMMON_OBJECTS)
VIEW_OBJECTS   := $(call objects,$(VIEW_SOURCES) $(wildcard demo/convert/*.c demo/looks/*.c)) $(COMMON_OBJECTS) $(BUILD)/made/font.o $(BUILD)/made/pages.o

# -- Flags: test/test.mk has those of the other configurations ----------------------------------------
# Fused multiply-adds give other bits on other machines. Without semantic interposition, -fPIC costs nothing.
STANDARD := -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden -fno-semantic-interposition -I.
# In standard C, gcc for s390x computes with floats as doubles, unless this option forbids it.
STANDARD += $(if $(filter 1,$(shell echo __FLT_EVAL_METHOD__ | $(CC) -std=c11 -E -P - 2>/dev/null)),-fexcess-precision=fast)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes $(if $(filter yes,$(WERROR)),-Werror)
FLAGS_release := -O2 -DNDEBUG
# The user's flags come last. With a plain -flto, gcc links on one core and prints a warning.
ALL_CFLAGS = $(STANDARD) $(FLAGS_$(config)) $(LEVEL) $(WARNINGS) $(CFLAGS)
ALL_LDFLAGS = $(LINK_$(config)) $(LDFLAGS) $(if $(filter -flto,$(CFLAGS) $(LDFLAGS)),-flto=auto)
# Evaluated only when used, after `deps` has installed the packages. -isystem: no warnings about headers of others.
package_cflags = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(1)))
SDL_CFLAGS = $(filter-out -Dmain=%,$(call package_cflags,sdl2)) # the viewer's main() is its own, also on Windows
VIEW_CFLAGS = -isystem build/glad/include $(SDL_CFLAGS) $(call package_cflags,libjpeg)
FOUND_LIBS = $(shell $(PKG_CONFIG) --libs fontconfig 2>/dev/null)
FOUND_FLAGS = $(if $(filter -lfontconfig,$(FOUND_LIBS)),-DVIEW_HAS_FONTCONFIG $(call package_cflags,fontconfig))
SDL_LIBS = $(shell $(PKG_CONFIG) --libs sdl2)
# Found when a program is made: what reads archives, glTF, PNG and JPEG, and packs PNG, if this compiler can link it.
linkable = $(or $(shell PKG_CONFIG='$(PKG_CONFIG)' sh .ci/linkable.sh $(1) $(CC) $(CFLAGS) $(ALL_LDFLAGS)),$(if $(filter yesassimp yesjansson,$(ASSIMP)$(1)),$(error ASSIMP=yes: $(CC) cannot link $(1): in Debian lib$(1)-dev)))
PACKAGES = $(eval PACKAGES := $(foreach name,libzip jansson meshoptimizer stb libjpeg zlib $(if $(filter no,$(ASSIMP)),,assimp),$(call linkable,$(name))))$(PACKAGES)
PACKAGE_DEFINES = $(filter -D%,$(PACKAGES))
PICTURE_LIBS = $(filter-out -D%,$(PACKAGES)) $(FOUND_LIBS) -lpthread -lm
# $(say) before a command shows the step, or, with V=1, the command. A dry run counts the steps; there COUNTING is set.
count_steps = $(shell $(MAKE) -n COUNTING=yes $(MAKEOVERRIDES) $(MAKECMDGOALS) 2>/dev/null | grep -c '^: step')
NUM_STEPS = $(eval NUM_STEPS := $(count_steps))$(NUM_STEPS)
step = $(eval DONE += x)sh .ci/progress.sh $(words $(DONE)) $(NUM_STEPS) $(or $(filter %.c,$<),$@)
say = $(if $(V),,@$(if $(COUNTING),: step,$(step)) &&)

# -- Products -----------------------------------------------------------------------------------------
LIBRARY := $(patsubst %,$(OUT)/libmd5%.a,$(LEAVES) model)
# The public headers under the names that programs include; installed, they lie beside each other.
INCLUDE := build/include/md5model
HEADERS_OUT    := $(addprefix $(INCLUDE)/,$(notdir $(wildcard md5/md5*.h)))
GL_HEADERS_OUT := $(addprefix $(INCLUDE)/,$(notdir $(wildcard render/md5gl*.h)))

## make                the library (static, shared), md5tool and md5view, in build/
all: lib $(if $(filter yes,$(MD5GL)),gl) $(OUT)/md5tool $(OUT)/md5view
## make lib            libmd5model, libmd5play, libmd5game, libmd5edit, headers in build/include; needs nothing but a C compiler
lib: $(LIBRARY) $(LIBRARY:.a=.so) $(HEADERS_OUT)
## make gl             libmd5gl, which draws with OpenGL; needs glad, and no GL library
gl: lib $(OUT)/libmd5gl.a $(OUT)/libmd5gl.so $(GL_HEADERS_OUT)
## make tool           md5tool alone, likewise
tool: $(OUT)/md5tool
## make run            the viewer on our own model; without a display a picture of it
run: $(OUT)/md5view
	@sh .ci/run_viewer.sh $(OUT)/md5view build/md5view.png $(ARGS)
# $(call library,NAME,OBJECTS,LIBRARIES): static, and shared, linked with other LIBRARIES. The second name is the
# one that a program linked with build/libNAME.so looks for.
define library
$(OUT)/lib$(1).a: $(2) $(BUILD)/sources
	@mkdir -p $$(@D) && rm -f $$@
	$$(say) ar rcs $$@ $(2)
$(OUT)/lib$(1).so: $(2) $(3) $(BUILD)/sources
	@mkdir -p $$(@D)
	$$(say) $$(CC) -shared -Wl,-soname,lib$(1).so.$(ABI) $$(ALL_LDFLAGS) -o $$@ $(2) $(3) -lm
	@ln -sf lib$(1).so $$@.$(ABI)
endef
$(eval $(call library,md5model,$(MD5_OBJECTS)))
$(foreach leaf,$(LEAVES),$(eval $(call library,md5$(leaf),$(call leaf_objects,$(leaf)),$(OUT)/libmd5model.so)))
$(eval $(call library,md5gl,$(RENDER_OBJECTS),$(OUT)/libmd5model.so))
vpath md5%.h md5 render
$(HEADERS_OUT) $(GL_HEADERS_OUT): $(INCLUDE)/%: %
	@mkdir -p $(@D) && sed 's|^\#include "md5/|\#include "|' $< > $@

$(OUT)/md5tool: $(TOOL_OBJECTS) $(LIBRARY)
	$(say) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(filter-out -D%,$(PACKAGES)) -lpthread -lm
$(OUT)/md5view: $(VIEW_OBJECTS) $(RENDER_OBJECTS) $(LIBRARY)
	$(say) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(PICTURE_LIBS)

# -- Objects ------------------------------------------------------------------------------------------
define compile
@mkdir -p $(@D)
$(say) $(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c $< -o $@
endef
$(BUILD)/%.o: %.c $(BUILD)/flags
	$(compile)
# md5i_fail() of md5/core is md5i_play_fail() in libmd5play, for the linker.
$(BUILD)/of/%.h: $(wildcard md5/core/*.h md5/read/*.h)
	@mkdir -p $(@D)
	@grep -oh 'md5i_[a-z0-9_]*' $^ | sort -u | sed 's/md5i_\(.*\)/#define & md5i_$*_\1/' > $@
define renamed
$(2): EXTRA = -include $(BUILD)/of/$(1).h
$(2): $(BUILD)/of/$(1).h
$(BUILD)/of/$(1)/%.o: %.c $(BUILD)/flags
	$$(compile)
endef
$(foreach leaf,$(LEAVES),$(eval $(call renamed,$(leaf),$(call leaf_objects,$(leaf)))))
GLAD_HEADER := build/glad/include/glad/gl.h
$(call objects,$(RENDER_SOURCES)): EXTRA = -isystem build/glad/include
# An installed viewer finds the models there; one that runs in the tree has models/ beside it.
VIEWER_DEFINES = -DMD5VIEW_MODELS='"$(SHAREDIR)/models"'
$(call objects,$(VIEW_SOURCES)): EXTRA = $(VIEW_CFLAGS) $(VIEWER_DEFINES)
$(BUILD)/demo/viewer/base/font.o: EXTRA += $(FOUND_FLAGS)
$(PACKAGED): EXTRA = $(PACKAGE_DEFINES) $(foreach name,libjpeg zlib,$(call package_cflags,$(name)))
$(filter-out $(PICTURES),$(call objects,$(RENDER_SOURCES))) $(call objects,$(VIEW_SOURCES)): $(GLAD_HEADER) | deps
$(call objects,$(VIEW_SOURCES)): $(BUILD)/viewer-flags
$(PACKAGED): $(BUILD)/package-flags
# Looked for after `deps`; goals that need no packages do without.
$(BUILD)/package-flags: | $(if $(filter-out lib tool test-library %/md5tool %/test_md5,$(GOALS)),deps)
$(BUILD)/viewer-flags: | deps
# Files that are rewritten only when their text changes: another compiler, flags or sources rebuild what depends on them.
define remember
$(1): $(if $(COUNTING),,FORCE)
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quote,$(2)) | cmp -s - $$@ || printf '%s\n' $$(call quote,$(2)) > $$@
endef
quote = '$(subst ','\'',$(1))'
$(eval $(call remember,$(BUILD)/flags,$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS)))
$(eval $(call remember,$(BUILD)/viewer-flags,$$(VIEWER_DEFINES) $$(FOUND_FLAGS)))
$(eval $(call remember,$(BUILD)/package-flags,$$(PACKAGES)))
$(eval $(call remember,$(BUILD)/sources,$$(MD5_SOURCES) $$(ABI)))

# -- Generated code, the same in every configuration, and compiled without warnings -------------------
$(BUILD)/made/%.o: EXTRA = -w -Ibuild/glad/include
$(BUILD)/made/%.o: build/%.c $(BUILD)/flags
	$(compile)
build/gl.c: $(GLAD_HEADER)
	@echo '#include "glad/src/gl.c"' > $@
$(GLAD_HEADER): .ci/gl_loader.py | deps
	$(say) GLAD='$(or $(GLAD),glad)' $(PYTHON) $< build/glad && touch $@
# Each depends on the folder too: its modification time changes when a file is removed.
embed = $(say) $(PYTHON) .ci/embed.py
build/shaders.c: shaders $(sort $(filter-out %.md,$(wildcard shaders/*.*))) .ci/embed.py | deps
	$(embed) text md5gli_shader $@ $(filter shaders/%,$^)
build/font.c: .ci/deps.sh .ci/embed.py | deps
	$(embed) bytes md5view_font $@ "$$(sh $< --font DejaVuSans)" md5view_code_font "$$(sh $< --font DejaVuSansMono)"
# The viewer's pages: their texts, and the lines of C that they show, from their sources.
build/pages.c: demo/viewer/pages demo/viewer/pages/pages.txt $(sort $(wildcard demo/viewer/pages/*.c)) .ci/embed.py md5/md5curve.h models/zoo/first.md5machine test/techniques.md | deps
	$(embed) pages demo/viewer/pages/page.h $@ $(filter %.txt %.c,$^)

# -- Other targets ------------------------------------------------------------------------------------
# One call for all goals, so that no two installations run at the same time.
NEEDS = $(if $(filter-out gl install-lib amalgamate release docs web-test,$(GOALS)),viewer,gl) $(TEST_NEEDS) $(filter deb docs windows,$(GOALS)) $(if $(filter web web-test site npm,$(GOALS)),web docs)
## make deps           finds missing packages and installs them if there is apt-get
deps:
	@DEPS=$(DEPS) sh .ci/deps.sh $(NEEDS)
## make clean          removes build/
clean:
	rm -rf build
## make help           prints this list
help:
	@sed -n 's/^## //p' Makefile $(PARTS)
	@sed -n 's/^#  /  /p' Makefile $(PARTS)
PARTS := test/test.mk .github/packaging/install.mk demo/web/web.mk
include $(PARTS)
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
