# Builds the viewer and the element for browsers with emscripten. Included by the Makefile.
#   EMCC=emcc          the compiler
#   SITE=URL/          the URL of the published site, for search engines and previews; empty: pages contain no URL
#   JANSSON=FOLDER     the sources of libjansson, for glTF. On Debian, apt downloads them; empty: no glTF

.PHONY: web web-test npm site

EMCC ?= emcc
SITE ?=
WEB  := build/web
WEB_SITE := $(WEB)/site
JANSSON ?= $(WEB)/jansson
WEB_JSON := $(if $(JANSSON),dump error hashtable hashtable_seed load memory pack_unpack strbuffer strconv utf value version)
# The viewer is built twice: with SIMD instructions, and without them for older browsers. The page selects one.
WEB_KINDS := simd scalar
# The vectorizers stay off: the compiler of emscripten 3.1.6 (LLVM 14) moves the load of a number that it copies to all
# lanes below a later store to the same address, and only the vectorizers make such a load out of scalar code.
WEB_FLAGS_simd := -msse2 -msimd128 -fno-vectorize -fno-slp-vectorize
# Functions of the C library that math.js replaces by functions of the browser.
WEB_PAGE_MATH := pow powf sin sinf cos cosf tan tanf acosf asinf atan atan2 atan2f
# The element is built once and optimized for size, because the GPU skins. Browsers that support element.js (Chrome 125,
# Firefox 126, Safari 17.4 or later) have these instructions. With -msimd128, the compiler joins operations on vectors,
# which makes the program 3 % smaller; the kernels for SSE2 would make it larger.
WEB_FLAGS_element := -Oz -flto -msimd128 -mnontrapping-fptoint -msign-ext -mbulk-memory \
    -DMD5_HAS_FILES=0 -DMD5_NO_MANUAL $(foreach name,$(WEB_PAGE_MATH),-D$(name)=page_$(name)) -Wno-unused-function
# Code that runs in each frame is never built with -Os, which makes skinning five times slower. Loading, writing and the interface are.
WEB_SMALL := demo/common demo/convert demo/looks demo/viewer/app demo/viewer/assets demo/viewer/base demo/viewer/crowd \
    demo/viewer/draw demo/viewer/jobs demo/viewer/motion demo/viewer/pages demo/viewer/ui jansson md5/edit \
    md5/decl/decl md5/dialects $(addprefix md5/game/,entity script states) $(addprefix md5/material/,material stage) md5/play/make md5/play/schema
WEB_FLAGS := -std=c11 -O2 -DNDEBUG -ffp-contract=off -I. -isystem build/glad/include -isystem $(WEB)/include \
    -Wall -Wextra -Wno-unused-command-line-argument -DHAS_STB -DMD5VIEW_MODELS='"/models"'
# Debian's package needs modules from the folder of node's packages.
export NODE_PATH ?= /usr/share/nodejs
WEB_LINK := -O2 -s ALLOW_MEMORY_GROWTH=1 -s TOTAL_STACK=2MB -s INITIAL_MEMORY=64MB -s MODULARIZE=1
WEB_GL := -s MIN_WEBGL_VERSION=2 -s MAX_WEBGL_VERSION=2 -s GL_PREINITIALIZED_CONTEXT=0

WEB_PARTS := $(COMMON_OBJECTS:$(BUILD)/%=%) $(MD5_SOURCES:.c=.o) $(RENDER_SOURCES:.c=.o) \
    $(patsubst %.c,%.o,$(filter-out demo/viewer/platform/platform_sdl.c,$(VIEW_SOURCES)) $(wildcard demo/convert/*.c demo/looks/*.c) demo/web/platform.c) \
    made/shaders.o made/gl.o made/font.o made/pages.o $(WEB_JSON:%=jansson/%.o)
WEB_LIBRARY := $(MD5_SOURCES:.c=.o)
WEB_ELEMENT := $(filter-out $(patsubst %,md5/%/%,$(MODULES_game) $(MODULES_ragdoll) edit),$(WEB_LIBRARY)) md5/material/image.o $(RENDER_SOURCES:.c=.o) made/element_shaders.o demo/web/element.o

# libjansson has a configuration for systems on which its configure script cannot run: Android's.
WEB_JSON_FLAGS := $(if $(JANSSON),-DHAS_JANSSON -isystem $(JANSSON)/src -isystem $(JANSSON)/android)

# $(call web,KIND): the objects, products and tests of one kind.
define web
$(WEB)/$(1)/made/%.o: EXTRA = -w -Ibuild/glad/include
$(WEB)/$(1)/made/font.o: $(WEB)/font.c $(WEB)/$(1)/flags
	$$(compile_web)
$(WEB)/$(1)/made/%.o: build/%.c $(WEB)/$(1)/flags | deps
	$$(compile_web)
$(WEB)/$(1)/jansson/%.o: EXTRA = -w -DHAVE_STDINT_H $(WEB_JSON_FLAGS)
$(WEB)/$(1)/jansson/%.o: $(JANSSON)/src/%.c $(WEB)/$(1)/flags | deps
	$$(compile_web)
$(WEB)/$(1)/demo/convert/%.o: EXTRA = $(WEB_JSON_FLAGS)
$(WEB)/$(1)/demo/convert/%.o: demo/convert/%.c $(WEB)/$(1)/flags | $(WEB)/include/stb $(JANSSON:%=%/src/jansson.h)
	$$(compile_web)
$(WEB)/$(1)/%.o: %.c $(WEB)/$(1)/flags $(GLAD_HEADER) | $(WEB)/include/stb
	$$(compile_web)
$(addprefix $(WEB)/$(1)/,$(sort $(WEB_PARTS) $(WEB_ELEMENT))): KIND_FLAGS = $(WEB_FLAGS_$(1))
ifneq ($(1),element)
$(addprefix $(WEB)/$(1)/,$(filter $(addsuffix %,$(WEB_SMALL)),$(WEB_PARTS))): KIND_FLAGS = $(WEB_FLAGS_$(1)) -Oz
endif
$(addprefix $(WEB)/$(1)/,test/web/skin.o test/test.o test/misuse.o test/load/test_same_bits.o): KIND_FLAGS = $(WEB_FLAGS_$(1))

# Every SDL symbol must be defined; otherwise emscripten links its built-in SDL 1, which has different events.
$(WEB)/site/md5view-$(1).js: $(addprefix $(WEB)/$(1)/,$(WEB_PARTS)) demo/web/web.mk
	@! $(NM) -u $$(filter %.o,$$^) 2>/dev/null | grep -w 'U SDL_.*' || { echo '$$@: names of SDL are left' >&2; exit 1; }
	@mkdir -p $$(@D)
	$$(call show,LD,$$@) $(EMCC) $(WEB_LINK) $(WEB_GL) -s EXPORT_ES6=1 -s USE_ES6_IMPORT_META=0 -s ENVIRONMENT=web -s FORCE_FILESYSTEM=1 -s EXIT_RUNTIME=0 \
	    -s EXPORTED_RUNTIME_METHODS='[FS,callMain,stringToUTF8,lengthBytesUTF8,ccall]' -s INVOKE_RUN=0 -o $$@ $$(filter %.o,$$^)

# Programs for node: the hash of results that all platforms must have, and a benchmark of skinning.
$(WEB)/$(1)/bits.js: $(addprefix $(WEB)/$(1)/,$(WEB_LIBRARY) test/test.o test/misuse.o test/load/test_same_bits.o)
	$$(call show,LD,$$@) $(EMCC) $(WEB_NODE) -o $$@ $$^
$(WEB)/$(1)/skin.js: $(addprefix $(WEB)/$(1)/,$(WEB_LIBRARY) test/web/skin.o)
	$$(call show,LD,$$@) $(EMCC) $(WEB_NODE) -o $$@ $$^
endef
WEB_NODE := -O2 -s NODERAWFS=1 -s SINGLE_FILE=1 -s ALLOW_MEMORY_GROWTH=1 -s TOTAL_STACK=4MB
NM := $(or $(shell command -v llvm-nm-14 llvm-nm-15 llvm-nm-19 llvm-nm 2>/dev/null | head -n 1),nm)
define compile_web
@mkdir -p $(@D)
$(call show,CC,$<) $(EMCC) $(WEB_FLAGS) $(KIND_FLAGS) $(EXTRA) -MMD -MP -c $< -o $@
endef
$(foreach kind,$(WEB_KINDS) element,$(eval $(call web,$(kind))))
$(foreach kind,$(WEB_KINDS) element,$(eval $(call remember,$(WEB)/$(kind)/flags,$$(EMCC) $$(WEB_FLAGS) $$(WEB_FLAGS_$(kind)))))

# The npm package of the element. All files except the glue code are unchanged; the program is optimized for size.
WEB_NPM := $(WEB)/npm
# Minifies a file in place. Without terser, the file works but is larger.
TERSER := terser --module --compress passes=3,ecma=2020,unsafe_arrows --mangle --mangle-props regex='/^\#/'
MINIFY = $(if $(shell command -v terser),$(TERSER) $@ -o $@)
WEB_ELEMENT_FILES := md5-model.js element.js core.js machine_text.js unpack.js md5core.js md5core.wasm
WEB_PACKAGE_FILES := $(WEB_ELEMENT_FILES) md5-model.d.ts react.d.ts custom-elements.json package.json README.md LICENSE
WEB_VERSION := $(shell sed -n 's/^.define MD5_VERSION_[MP][A-Z]* //p' md5/md5model.h | paste -sd.)
# The limits for inlining and the order of the functions give the smallest file after compression with brotli.
WEB_PASSES := --one-caller-inline-max-function-size=160,--always-inline-max-function-size=6,--low-memory-unused,--flatten,--rereloop,-Oz,-Oz,--flatten,--rereloop,-Oz,-Oz,--reorder-functions
$(WEB_NPM)/md5core.js: $(addprefix $(WEB)/element/,$(WEB_ELEMENT)) | demo/web/segments.py demo/web/math.js demo/web/glue.sed
	@mkdir -p $(@D)
	$(call show,LD,$@) $(EMCC) $(WEB_FLAGS_element) -s BINARYEN_EXTRA_PASSES=$(WEB_PASSES) $(WEB_GL) \
	    -s GL_TRACK_ERRORS=0 -s GL_POOL_TEMP_BUFFERS=0 -s GL_WORKAROUND_SAFARI_GETCONTEXT_BUG=0 -s SUPPORT_ERRNO=0 --js-library demo/web/math.js \
	    -s GL_SUPPORT_AUTOMATIC_ENABLE_EXTENSIONS=0 -s GL_EXTENSIONS_IN_PREFIXED_FORMAT=0 -s TEXTDECODER=2 -s INCOMING_MODULE_JS_API='[instantiateWasm]' \
	    -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=16MB -s MODULARIZE=1 -s EXPORT_ES6=1 -s USE_ES6_IMPORT_META=0 -s ENVIRONMENT=web \
	    -s FILESYSTEM=0 -s MALLOC=emmalloc -s MIN_CHROME_VERSION=97 -s MIN_FIREFOX_VERSION=113 -s MIN_SAFARI_VERSION=160400 -s EXPORT_NAME=md5core -s EXPORTED_RUNTIME_METHODS='[GL,UTF8ToString]' \
	    -s EXPORTED_FUNCTIONS='[_malloc,_free,_md5gl_destroy_renderer,_md5_player_get,_md5_player_set]' -o $@ $^
	@$(PYTHON) demo/web/segments.py $(@:.js=.wasm)
	@sed -i -f demo/web/glue.sed $@
	@$(MINIFY)
$(WEB_NPM)/md5core.wasm: $(WEB_NPM)/md5core.js ;
$(WEB_NPM)/%.d.ts: demo/web/%.d.ts
	@mkdir -p $(@D) && cp $< $@
$(WEB_NPM)/LICENSE: LICENSE
	@mkdir -p $(@D) && cp $< $@
$(WEB_NPM)/package.json: demo/web/package.json md5/md5model.h
	@mkdir -p $(@D) && sed 's/"VERSION"/"$(WEB_VERSION)"/' $< > $@
# The README of the package is the chapter about the element.
$(WEB_NPM)/README.md: demo/web/README.md
	@mkdir -p $(@D) && sed -n '/^## The element/,/^## Rules/{/^## Rules/d;s/^## The element/# <md5-model>/;p;}' $< > $@
# The manifest for editors, generated from the table of element.js.
$(WEB_NPM)/custom-elements.json: demo/web/manifest.mjs $(addprefix $(WEB_NPM)/,element.js md5core.js core.js machine_text.js unpack.js package.json)
	@node demo/web/manifest.mjs $(CURDIR)/$(WEB_NPM)/element.js > $@
$(WEB)/element/demo/web/element.o: $(WEB)/include/gl_used.h
$(WEB_NPM)/%.js: demo/web/%.js md5/md5model.h
	@mkdir -p $(@D) && sed 's/"VERSION"/"$(WEB_VERSION)"/; s/^ *//' $< > $@
	@$(MINIFY)

# The shaders of the element. Shaders that the element does not use are empty; the renderer's overlays then draw nothing.
WEB_NO_SHADERS := impostor_views.glsl impostor.glsl impostor.vert impostor.frag impostor_depth.frag picture.frag stage.frag outputs.frag \
    preskin.glsl preskin.comp environment.vert environment.frag environment.glsl sky_environment.glsl sky_host.glsl spot.glsl \
    classic.glsl previous.glsl table_buffer.glsl blend_dual.glsl skin_baked.glsl smooth.frag dither.glsl
WEB_NO_PROGRAMS := line.vert line.frag grid.vert grid.frag panel.vert panel.frag image.frag blob.vert blob.frag flat.frag resolve.frag \
    capture.vert
build/element_shaders.c: demo/web/web.mk shaders render/embed.py $(sort $(filter-out %.md,$(wildcard shaders/*.*))) | deps
	@rm -rf $(WEB)/shaders && mkdir -p $(WEB)/shaders && cp $(filter shaders/%.vert shaders/%.frag shaders/%.comp shaders/%.glsl,$^) $(WEB)/shaders
	@cd $(WEB)/shaders && for file in $(WEB_NO_SHADERS); do : > $$file; done && \
	    for file in $(WEB_NO_PROGRAMS); do printf 'void main(){}' > $$file; done
	$(embed) text md5gli_shader $@ $(WEB)/shaders/*
# The functions of WebGL that render/ calls: functions of OpenGL ES, except for the mapping of buffers.
$(WEB)/include/gl_used.h: $(RENDER_SOURCES) $(GLAD_HEADER)
	@mkdir -p $(@D)
	@sed -n '/ glad_gl_load_GL_ES_VERSION/,/^}/s/^ *context->\([A-Za-z0-9]*\) = .*/\1/p' build/glad/src/gl.c | LC_ALL=C sort -u > $@.all
	@grep -oh 'gl\(->\|[.]\)[A-Z][A-Za-z0-9]*' $(RENDER_SOURCES) | sed 's/gl[->.]*//' | LC_ALL=C sort -u | LC_ALL=C comm -12 - $@.all | \
	    sed '/mapBuffer\|MapBuffer/d; s/.*/USED(&)/' > $@ && rm $@.all

# A folder with stb's headers, without the other headers of this system.
$(WEB)/include/stb: | deps
	@mkdir -p $(@D) && ln -sfn "$$(dirname "$$(sh md5/packaging/deps.sh --stb)")" $@
$(WEB)/jansson/src/jansson.h: md5/packaging/deps.sh
	@rm -rf $(WEB)/jansson && sh md5/packaging/deps.sh --source jansson $(WEB)/jansson && touch $(@D)/jansson_private_config.h $@
$(WEB_JSON:%=$(WEB)/jansson/src/%.c): $(WEB)/jansson/src/jansson.h ;
# The fonts, reduced to the letters that the viewer draws.
$(WEB)/font.c: demo/web/font.py demo/viewer/base/font.c md5/packaging/deps.sh render/embed.py | deps
	@mkdir -p $(@D)
	@for name in DejaVuSans DejaVuSansMono; do $(PYTHON) $< "$$(sh md5/packaging/deps.sh --font $$name)" $(WEB)/$$name.ttf || exit 1; done
	$(embed) bytes md5view_font $@ $(WEB)/DejaVuSans.ttf md5view_code_font $(WEB)/DejaVuSansMono.ttf

# The files of the site: pages, programs, and our models. The viewer loads models in packs, which take one request each and a third
# of the bytes: first WEB_FIRST, which the first frame needs, then the remaining files of that model, then the other models.
WEB_OWN := models/bobbin
WEB_FIRST := $(addprefix $(WEB_OWN)/,bobbin.md5machine bobbin.md5mesh idle.md5anim bobbin.png bobbin_eye.png)
WEB_PAGES := $(patsubst demo/web/%,$(WEB_SITE)/%,$(filter-out %/index.html,$(wildcard demo/web/*.html demo/web/*.css)) \
    $(addprefix demo/web/,view.js files.js machine_text.js unpack.js unzip.js start.js embed.js style.css))
WEB_MODELS := $(shell find models/bobbin models/flame models/lantern models/place models/spindle models/tendril models/thimble -type f \
    ! -name '*.py' ! -name '*.md' | LC_ALL=C sort)
$(WEB_SITE)/style.css: md5/docs/site/style.css
$(filter-out %/style.css,$(WEB_PAGES)): $(WEB_SITE)/%: demo/web/%
$(WEB_PAGES):
	@mkdir -p $(@D) && sed 's/md5model-VERSION/md5model-$(WEB_VERSION)/' $< > $@
$(WEB_SITE)/index.html: demo/web/index.html
	@sed 's|<!-- where it is.*|$(if $(SITE),<link rel="canonical" href="$(SITE)index.html"><meta property="og:image" content="$(SITE)pictures/bobbin.jpg">)|' $< > $@
# The documents, with a link to the start page.
$(WEB_SITE)/docs/index.html: $(wildcard md5/docs/*.md md5/docs/site/* demo/docs/*.md demo/docs/*/* md5/*.h md5/play/*.md render/*.h demo/examples/*)
	@$(MAKE) --no-print-directory docs
	@rm -rf $(@D) && cp -r build/docs $(@D)
	@sed 's|^var menudata={children:\[|&{text:"About",url:"../index.html"},|' build/docs/menudata.js > $(@D)/menudata.js
# Images of the site are drawn by the viewer and stored as JPEG files, which take a fifth of the bytes of PNG files.
$(WEB)/jpeg: demo/web/jpeg.c | $(WEB)/include/stb
	$(call show,CC,$<) $(CC) -O2 -w -isystem $(WEB)/include $< -o $@ -lm
# The lessons as HTML pages, each with an image.
WEB_TECHNIQUES := $(shell sed -n 's/^\[\([a-z0-9_]*\)\]$$/\1/p' demo/viewer/pages/pages.txt)
WEB_TECHNIQUE_FILES := $(WEB_SITE)/techniques/index.html $(WEB_TECHNIQUES:%=$(WEB_SITE)/techniques/%.jpg)
$(WEB_SITE)/techniques/index.html: demo/web/techniques.py render/embed.py demo/viewer/pages/pages.txt $(wildcard demo/viewer/pages/*.c) test/techniques.md models/zoo/first.md5machine
	@mkdir -p $(@D) && $(PYTHON) $< $(@D) $(filter %.txt %.c,$^)
$(WEB_TECHNIQUES:%=$(WEB_SITE)/techniques/%.jpg): $(WEB_SITE)/techniques/%.jpg: $(OUT)/md5view $(WEB_MODELS) $(WEB)/jpeg
	@mkdir -p $(@D) && $(OUT)/md5view --no-config --resolution 960,600 --lesson $* --panel=no --output - | $(WEB)/jpeg $@
# Images of the start page, at twice the size at which a phone shows them, which is larger than in a wide window.
WEB_PICTURES := bobbin ik spindle edges thimble tendril lantern
picture_of = $(or $(firstword $(wildcard models/$(1)/$(1).md5machine models/$(1)/$(1).md5mesh)),$(picture_of_$(1)))
picture_of_ik := --lesson ik --panel=no
picture_of_edges := models/bobbin/bobbin.md5mesh --untextured --edges
$(WEB_PICTURES:%=$(WEB_SITE)/pictures/%.jpg): $(WEB_SITE)/pictures/%.jpg: $(OUT)/md5view $(WEB_MODELS) $(WEB)/jpeg
	@mkdir -p $(@D) && $(OUT)/md5view --no-config --resolution 656,410 --samples 4 $(call picture_of,$*) --output - | $(WEB)/jpeg $@
WEB_FILES := $(WEB_TECHNIQUE_FILES) $(WEB_PICTURES:%=$(WEB_SITE)/pictures/%.jpg) $(foreach kind,$(WEB_KINDS),$(WEB_SITE)/md5view-$(kind).js) \
    $(addprefix $(WEB_SITE)/,index.html models.json docs/index.html) $(addprefix $(WEB_SITE)/element/,$(WEB_ELEMENT_FILES) md5model-$(WEB_VERSION).tgz) \
    $(WEB_PAGES)
# A hash of each file, for sw.js, which contains a hash of this list and so changes with every file.
$(WEB_SITE)/files.json: $(WEB_FILES)
	@cd $(@D) && find . -type f ! -name sw.js ! -name files.json ! -path './test/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | \
	    sed 's|^\(........\)[^ ]*  ./\(.*\)|"\2":"\1",|; 1 s/^/{/; $$ s/,$$/}/' > $(@F)
$(WEB_SITE)/sw.js: demo/web/sw.js $(WEB_SITE)/files.json
	@sed "s/VERSION/$$(sha256sum < $(@D)/files.json | cut -c 1-16)/" $< > $@
$(WEB_SITE)/element/md5model-$(WEB_VERSION).tgz: $(WEB_PACKAGE_FILES:%=$(WEB_NPM)/%)
	@mkdir -p $(@D) && cp "$$($(PYTHON) md5/packaging/release.py --npm $(WEB_NPM) $(WEB) | grep 'tgz$$')" $@
$(WEB_SITE)/element/%: $(WEB_NPM)/%
	@mkdir -p $(@D) && cp $< $@
$(eval $(call remember,$(WEB)/models,$$(WEB_MODELS)))
# Clips are compressed: no point of the skin moves by more than 0.01 units.
$(WEB_SITE)/models.json: $(WEB_MODELS) $(WEB)/models demo/web/web.mk $(OUT)/md5tool
	@for file in $(WEB_MODELS); do to=$(@D)/$$file; mkdir -p $${to%/*}; [ $$to -nt $$file ] || case $$file in \
	    *.md5anim) name=$${file#models/} && name=$${name%%/*} && $(OUT)/md5tool compress $$file models/$$name/$$name.md5mesh -o $$to > /dev/null ;; \
	    *) cp $$file $$to ;; esac || exit 1; done
	@for file in $(WEB_FIRST) $(filter-out $(WEB_FIRST),$(WEB_MODELS)); do name=$${file#models/} && name=$${name%%/*}; \
	    case " $(WEB_FIRST) " in *" $$file "*) name=$$name.1 ;; *) case $$file in $(WEB_OWN)/*) name=$$name.2 ;; esac ;; esac; \
	    echo "$$file $$(wc -c < $(@D)/$$file) $$name"; done > $(WEB)/packs
	@rm -f $(@D)/models/*.gz && for pack in $$(cut -d ' ' -f 3 $(WEB)/packs | sort -u); do \
	    (cd $(@D) && cat $$(awk -v pack=$$pack '$$3 == pack { print $$1 }' $(CURDIR)/$(WEB)/packs)) | gzip -9n > $(@D)/models/$$pack.gz || exit 1; done
	@sed 's/\(.*\) \(.*\) \(.*\)/["\1",\2,"\3"],/; 1 s/^/[/; $$ s/,$$/]/' $(WEB)/packs > $@

## make web            builds the viewer, the element <md5-model> and the documents as web pages in build/web/site, with emscripten
web: $(WEB_FILES) $(WEB_SITE)/sw.js | deps
## make site           writes build/md5model-VERSION-site.tar.gz, the complete site for any web server
site: web
	@$(PYTHON) md5/packaging/release.py --site $(WEB_SITE) build
## make npm            writes the element as an npm package, build/md5model-VERSION.tgz; reproducible
npm: $(WEB_PACKAGE_FILES:%=$(WEB_NPM)/%)
	@$(PYTHON) md5/packaging/release.py --npm $(WEB_NPM) build
## make web-test       builds the tests of the library for node, with and without SIMD, for test/long/web.sh
web-test: $(foreach kind,$(WEB_KINDS),$(WEB)/$(kind)/bits.js $(WEB)/$(kind)/skin.js) | deps
-include $(shell find $(WEB) -type f -name '*.d' 2>/dev/null)
