# md5model: a library, a tool and a viewer for id Software's MD5 models.
#
# GNU make 4 or newer. `make help` prints the targets and these variables, which the command line or the environment sets:
#
#   CC CFLAGS LDFLAGS PREFIX DESTDIR                as usual
#   config=release|debug|sanitize|scalar|coverage   kind of build; each kind has its own folder in build/
#   BUILD=build/NAME   folder for objects, for example for another compiler
#   WERROR=yes         treats warnings as errors
#   DEPS=no            only prints missing packages and does not install them
#   MD5GL=no           builds and installs without libmd5gl
#   ASSIMP=yes|no      yes: requires libassimp and jansson, for reading FBX, Collada and other formats; no: builds without them
#   V=1                prints complete commands
#   ARGS="..."         arguments of the viewer for `make run`

config     ?= release
BUILD      ?= build/$(config)
DEPS       ?= yes
MD5GL      ?= yes
PKG_CONFIG ?= pkg-config
PYTHON     ?= python3

# Use all cores unless -j is given. A make that another make started shares the jobs of that make.
ifeq (0,$(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)))
MAKEFLAGS += -j$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
endif

# Products of the release build are in build/, products of other builds next to their objects.
OUT     := $(patsubst build/release,build,$(BUILD))
VERSION := $(shell awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $$3; dot = "." }' md5/md5model.h)
# Before version 1.0 each minor version can change the binary interface.
ABI     := $(shell echo $(VERSION) | awk -F. '{ print $$1 == 0 ? "0." $$2 : $$1 }')
GOALS   := $(or $(MAKECMDGOALS),all)

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all lib gl tool run deps check-deps clean help FORCE

# $(call show,CC,FILE) before a command prints "CC FILE" instead of the command. With V=1 the command is printed.
show = $(if $(V),,@echo '$(1) $(2)' &&)

# -- Sources: CMakeLists.txt selects the same files by the same patterns -------------------------------

MD5_SOURCES     := $(filter-out md5/small/%,$(wildcard md5/*.c md5/*/*.c md5/*/*/*.c))
RENDER_SOURCES  := $(wildcard render/*.c)
COMMON_SOURCES  := $(wildcard demo/common/*.c)
CONVERT_SOURCES := $(wildcard demo/convert/*.c demo/looks/*.c)
TOOL_SOURCES    := $(wildcard demo/tool/*.c)
VIEW_SOURCES    := $(wildcard demo/viewer/*/*.c)

# Libraries on top of libmd5model: the modules of each library, and the internal modules that it copies in addition to core.
LEAVES          := play ragdoll game edit
MODULES_play    := motion play
MODULES_ragdoll := ragdoll
MODULES_game    := decl material dialects game
MODULES_edit    := edit
COPIES_edit     := read

# $(call objects,SOURCES); $(call sources_in,MODULES): sources of modules of md5/, with their subfolders.
objects    = $(patsubst %.c,$(BUILD)/%.o,$(1))
sources_in = $(filter $(patsubst %,md5/%/%,$(1)),$(MD5_SOURCES))

# $(call leaf_objects,LIBRARY): objects of its modules, and private copies, which are compiled to $(BUILD)/of/LIBRARY.
copied_sources = $(call sources_in,core $(COPIES_$(1)))
leaf_objects   = $(call objects,$(call sources_in,$(MODULES_$(1)))) $(patsubst %.c,$(BUILD)/of/$(1)/%.o,$(copied_sources))
leaf_sources  := $(call sources_in,$(foreach leaf,$(LEAVES),$(MODULES_$(leaf))))

MD5_OBJECTS     := $(call objects,$(filter-out $(leaf_sources),$(MD5_SOURCES)))
RENDER_OBJECTS  := $(call objects,$(RENDER_SOURCES)) $(BUILD)/made/shaders.o $(BUILD)/made/gl.o
COMMON_OBJECTS  := $(call objects,$(COMMON_SOURCES))
CONVERT_OBJECTS := $(call objects,$(CONVERT_SOURCES))
# The decoders of render/ that md5tool links without the renderer.
PICTURES        := $(BUILD)/render/pictures.o $(BUILD)/render/assert.o
TOOL_OBJECTS    := $(call objects,$(TOOL_SOURCES)) $(CONVERT_OBJECTS) $(PICTURES) $(COMMON_OBJECTS)
VIEW_OBJECTS    := $(call objects,$(VIEW_SOURCES)) $(CONVERT_OBJECTS) $(COMMON_OBJECTS) $(BUILD)/made/font.o $(BUILD)/made/pages.o

# -- Flags: test/test.mk has the flags of the other configurations ------------------------------------

# Fused multiply-adds would change the last bits of results. Without semantic interposition, -fPIC costs nothing.
STANDARD := -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden -fno-semantic-interposition -I.
# For s390x, gcc in standard C evaluates float expressions as double unless this option forbids it.
ifeq (1,$(shell echo __FLT_EVAL_METHOD__ | $(CC) -std=c11 -E -P - 2>/dev/null))
STANDARD += -fexcess-precision=fast
endif
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes $(if $(filter yes,$(WERROR)),-Werror)
FLAGS_release := -O2 -DNDEBUG
# The user's flags come last. -flto=auto: plain -flto makes gcc link on one core and print a warning.
ALL_CFLAGS  = $(STANDARD) $(FLAGS_$(config)) $(LEVEL) $(WARNINGS) $(CFLAGS)
ALL_LDFLAGS = $(LINK_$(config)) $(LDFLAGS) $(if $(filter -flto,$(CFLAGS) $(LDFLAGS)),-flto=auto)

# -- Packages: recipes expand these variables, after `deps` has installed the packages ----------------

# -isystem suppresses warnings about headers of other projects.
package_cflags = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(1)))
# The viewer defines main() itself, also on Windows.
SDL_CFLAGS  = $(filter-out -Dmain=%,$(call package_cflags,sdl2))
SDL_LIBS    = $(shell $(PKG_CONFIG) --libs sdl2)
VIEW_CFLAGS = -isystem build/glad/include $(SDL_CFLAGS) $(call package_cflags,libjpeg)
FONTCONFIG_LIBS  = $(shell $(PKG_CONFIG) --libs fontconfig 2>/dev/null)
FONTCONFIG_FLAGS = $(if $(filter -lfontconfig,$(FONTCONFIG_LIBS)),-DVIEW_HAS_FONTCONFIG $(call package_cflags,fontconfig))

# Optional packages of the programs: -DHAS_NAME and linker flags of each package that this compiler can link.
OPTIONAL = libzip jansson meshoptimizer stb libjpeg zlib $(if $(filter no,$(ASSIMP)),,assimp)
REQUIRED = $(if $(filter yes,$(ASSIMP)),assimp jansson)
link_flags = $(shell PKG_CONFIG='$(PKG_CONFIG)' sh demo/linkable.sh $(1) $(CC) $(CFLAGS) $(ALL_LDFLAGS))
not_linked = $(if $(filter $(1),$(REQUIRED)),$(error ASSIMP=yes: $(CC) cannot link $(1): in Debian lib$(1)-dev))
# The first expansion replaces this definition with its result, so that each package is tried once.
PACKAGES = $(eval PACKAGES := $(foreach name,$(OPTIONAL),$(or $(call link_flags,$(name)),$(call not_linked,$(name)))))$(PACKAGES)
PACKAGE_DEFINES = $(filter -D%,$(PACKAGES))
PACKAGE_LIBS    = $(filter-out -D%,$(PACKAGES))
PICTURE_LIBS    = $(PACKAGE_LIBS) $(FONTCONFIG_LIBS) -lpthread -lm

# -- Products -----------------------------------------------------------------------------------------

LIBRARY := $(patsubst %,$(OUT)/libmd5%.a,$(LEAVES) model)
# The public headers under the names that programs include. They are installed into one folder.
INCLUDE        := build/include/md5model
HEADERS_OUT    := $(addprefix $(INCLUDE)/,$(notdir $(wildcard md5/md5*.h)))
GL_HEADERS_OUT := $(addprefix $(INCLUDE)/,$(notdir $(wildcard render/md5gl*.h)))

## make                builds the libraries (static and shared), md5tool and md5view in build/
all: lib $(if $(filter yes,$(MD5GL)),gl) $(OUT)/md5tool $(OUT)/md5view
## make lib            builds libmd5model, libmd5play, libmd5game, libmd5ragdoll, libmd5edit, headers in build/include; needs only a C compiler
lib: $(LIBRARY) $(LIBRARY:.a=.so) $(HEADERS_OUT)
## make gl             builds libmd5gl, which draws with OpenGL; needs glad, but no GL library
gl: lib $(OUT)/libmd5gl.a $(OUT)/libmd5gl.so $(GL_HEADERS_OUT)
## make tool           builds md5tool; needs only a C compiler
tool: $(OUT)/md5tool
## make run            opens our own model in the viewer; without a display it writes an image of the model
run: $(OUT)/md5view
	@sh demo/viewer/run_viewer.sh $(OUT)/md5view build/md5view.png $(ARGS)

# $(call library,NAME,OBJECTS,LIBRARIES): rules for libNAME.a and libNAME.so, which is linked with other LIBRARIES. A program
# that is linked with libNAME.so looks for the name with the ABI's version, hence the link.
define library
$(OUT)/lib$(1).a: $(2) $(BUILD)/sources
	@mkdir -p $$(@D) && rm -f $$@
	$$(call show,AR,$$@) ar rcs $$@ $(2)
$(OUT)/lib$(1).so: $(2) $(3) $(BUILD)/sources
	@mkdir -p $$(@D)
	$$(call show,LD,$$@) $$(CC) -shared -Wl,-soname,lib$(1).so.$(ABI) $$(ALL_LDFLAGS) -o $$@ $(2) $(3) -lm
	@ln -sf lib$(1).so $$@.$(ABI)
endef
$(eval $(call library,md5model,$(MD5_OBJECTS)))
$(foreach leaf,$(LEAVES),$(eval $(call library,md5$(leaf),$(call leaf_objects,$(leaf)),$(OUT)/libmd5model.so)))
$(eval $(call library,md5gl,$(RENDER_OBJECTS),$(OUT)/libmd5model.so))

vpath md5%.h md5 render
$(HEADERS_OUT) $(GL_HEADERS_OUT): $(INCLUDE)/%: %
	@mkdir -p $(@D) && sed 's|^\#include "md5/|\#include "|' $< > $@

$(OUT)/md5tool: $(TOOL_OBJECTS) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(PACKAGE_LIBS) -lpthread -lm
$(OUT)/md5view: $(VIEW_OBJECTS) $(RENDER_OBJECTS) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(PICTURE_LIBS)

# -- Objects ------------------------------------------------------------------------------------------

# $(EXTRA): additional flags of a target.
define compile
@mkdir -p $(@D)
$(call show,CC,$<) $(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c $< -o $@
endef
$(BUILD)/%.o: %.c $(BUILD)/flags
	$(compile)

# Private copies: a header that is included first renames md5i_fail() to md5i_play_fail() in libmd5play, and so on, because
# static libraries cannot hide names.
$(BUILD)/of/%.h: $(wildcard md5/core/*.h md5/read/*.h)
	@mkdir -p $(@D)
	@grep -oh 'md5i_[a-z0-9_]*' $^ | sort -u | sed 's/md5i_\(.*\)/#define & md5i_$*_\1/' > $@
define renamed
$(call leaf_objects,$(1)): EXTRA = -include $(BUILD)/of/$(1).h
$(call leaf_objects,$(1)): $(BUILD)/of/$(1).h
$(BUILD)/of/$(1)/%.o: %.c $(BUILD)/flags
	$$(compile)
endef
$(foreach leaf,$(LEAVES),$(eval $(call renamed,$(leaf))))

RENDER_ONLY   := $(filter-out $(PICTURES),$(call objects,$(RENDER_SOURCES)))
VIEWER_ONLY   := $(call objects,$(VIEW_SOURCES))
WITH_PACKAGES := $(BUILD)/demo/common/game_folder.o $(CONVERT_OBJECTS)
GLAD_HEADER   := build/glad/include/glad/gl.h
# An installed viewer finds our models in this folder; a viewer in the repository uses models/.
VIEWER_DEFINES = -DMD5VIEW_MODELS='"$(SHAREDIR)/models"'

$(RENDER_ONLY) $(PICTURES): EXTRA = -isystem build/glad/include
$(VIEWER_ONLY): EXTRA = $(VIEW_CFLAGS) $(VIEWER_DEFINES)
$(BUILD)/demo/viewer/base/font.o: EXTRA += $(FONTCONFIG_FLAGS)
$(BUILD)/demo/viewer/crowd/reduce.o: EXTRA += $(PACKAGE_DEFINES)
$(WITH_PACKAGES): EXTRA = $(PACKAGE_DEFINES) $(foreach name,libjpeg zlib,$(call package_cflags,$(name)))
$(RENDER_ONLY) $(VIEWER_ONLY): $(GLAD_HEADER) | deps
$(VIEWER_ONLY): $(BUILD)/viewer-flags
$(WITH_PACKAGES) $(BUILD)/demo/viewer/crowd/reduce.o: $(BUILD)/package-flags

# $(call remember,FILE,TEXT): a rule that rewrites FILE only if TEXT has changed. Targets that depend on it are rebuilt with
# another compiler, other flags or other sources.
define remember
$(1): FORCE
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quote,$(2)) | cmp -s - $$@ || printf '%s\n' $$(call quote,$(2)) > $$@
endef
quote = '$(subst ','\'',$(1))'
$(eval $(call remember,$(BUILD)/flags,$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS)))
$(eval $(call remember,$(BUILD)/viewer-flags,$$(VIEWER_DEFINES) $$(FONTCONFIG_FLAGS)))
$(eval $(call remember,$(BUILD)/package-flags,$$(PACKAGES)))
$(eval $(call remember,$(BUILD)/sources,$$(MD5_SOURCES) $$(ABI)))
# The search for packages runs after `deps`, except for targets that need no packages.
$(BUILD)/package-flags: | $(if $(filter-out lib tool test-library %/md5tool %/test_md5,$(GOALS)),deps)
$(BUILD)/viewer-flags: | deps

# -- Generated code: the same in every configuration, compiled without warnings -----------------------

$(BUILD)/made/%.o: EXTRA = -w -Ibuild/glad/include
$(BUILD)/made/%.o: build/%.c $(BUILD)/flags
	$(compile)
build/gl.c: $(GLAD_HEADER)
	@echo '#include "glad/src/gl.c"' > $@
$(GLAD_HEADER): render/gl_loader.py | deps
	$(call show,GEN,$@) GLAD='$(or $(GLAD),glad)' $(PYTHON) $< build/glad && touch $@
# These depend on folders too: the modification time of a folder changes when a file is removed.
embed = $(call show,GEN,$@) $(PYTHON) render/embed.py
build/shaders.c: shaders $(sort $(filter-out %.md,$(wildcard shaders/*.*))) render/embed.py | deps
	$(embed) text md5gli_shader $@ $(filter shaders/%,$^)
build/font.c: md5/packaging/deps.sh render/embed.py | deps
	$(embed) bytes md5view_font $@ "$$(sh $< --font DejaVuSans)" md5view_code_font "$$(sh $< --font DejaVuSansMono)"
build/pages.c: demo/viewer/pages demo/viewer/pages/pages.txt $(sort $(wildcard demo/viewer/pages/*.c)) render/embed.py \
    md5/md5curve.h models/zoo/first.md5machine test/techniques.md | deps
	$(embed) pages demo/viewer/pages/page.h $@ $(filter %.txt %.c,$^)

# -- Other targets ------------------------------------------------------------------------------------

## make deps           finds missing packages, and installs them if apt-get exists
# One call for all targets, so that no two installations run at the same time.
deps: check-deps
	@DEPS=$(DEPS) sh md5/packaging/deps.sh $(NEEDS)
# Compiling begins after this check and while `deps` installs packages, so that a build that cannot succeed stops before it
# writes objects.
check-deps:
	@DEPS=$(DEPS) sh md5/packaging/deps.sh --check $(NEEDS)
$(BUILD)/flags: | $(if $(filter all run test programs install,$(GOALS)),check-deps)
NEEDS = $(if $(filter-out gl install-lib amalgamate release docs web-test,$(GOALS)),viewer,gl) $(TEST_NEEDS) \
    $(filter deb docs windows,$(GOALS)) $(if $(filter web web-test site npm,$(GOALS)),web docs)
## make clean          removes build/
clean:
	rm -rf build
## make help           prints this list
help:
	@sed -n 's/^## //p' Makefile $(PARTS)
	@sed -n 's/^#   /   /p' Makefile $(PARTS)

PARTS := test/test.mk md5/packaging/install.mk demo/web/web.mk
include $(PARTS)
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
