# Tests, benchmarks and static checks; included by the Makefile.
#   TEST=NAME          part of the tests: a folder of test/ (core, read, pose, compress, skin, curve, ik, play, decl, material,
#                      dialects, game, ragdoll, load, render, viewer, tool, convert, tree), or all scripts and tests with NAME
#                      in their names
#   TEST_SCRIPTS=...   scripts that `make test` runs in addition to the test programs

.PHONY: test test-library test-gate test-long test-packages test-blender check nightly fuzz mutants bench coverage lint format gallery addon programs

# -- Configurations -----------------------------------------------------------------------------------

ifeq (,$(filter $(config),release debug sanitize scalar coverage))
$(error config=$(config): expected release, debug, sanitize, scalar or coverage)
endif
FLAGS_debug    := -O0 -g
# -g1: function names and lines for reports; compiling takes three quarters of the time with -g.
FLAGS_sanitize := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_scalar   := -O2 -DNDEBUG -DMD5_HAS_SIMD=0
# Atomic counts: tests use several threads, and a lost count could be the only count of a line.
FLAGS_coverage := -O0 -g --coverage -fprofile-update=atomic -DMD5_COVERAGE -DMD5_HAS_SIMD=1
LINK_sanitize  := -fsanitize=address,undefined
LINK_coverage  := --coverage
# The tests are compiled with -O1, because compiling them takes longer than running them. The library is compiled with
# its own flags.
TEST_LEVEL_release := -O1
TEST_LEVEL_scalar  := -O1
$(BUILD)/test/%.o: private LEVEL = $(TEST_LEVEL_$(config))
# -O3 for benchmarks: with -O2 gcc does not unroll the loops of the peers that the library is compared with.
$(BUILD)/test/bench/%.o: private LEVEL = -O3

# -- Programs -----------------------------------------------------------------------------------------

# Two test programs: one for the library, and one for everything that needs SDL or a GL context, also the converter.
TEST_GL_SOURCES  := $(wildcard test/render/test_*.c test/viewer/test_*.c test/convert/test_*.c)
TEST_MD5_SOURCES := $(wildcard $(patsubst %,test/%/test_*.c,core read load pose compress skin curve ik play decl material dialects game ragdoll))
TEST_MD5 := $(BUILD)/test_md5
TEST_GL  := $(if $(TEST_GL_SOURCES),$(BUILD)/test_gl)
# The viewer without main(), for its tests.
VIEW_PARTS := $(filter-out $(BUILD)/demo/viewer/app/main.o,$(VIEW_OBJECTS))

# The fuzz targets that tests run, as archives: other platforms link only some tests, which may not need a target.
FUZZ_LIBRARY := $(BUILD)/test/fuzz.a
FUZZ_PROGRAMS := $(BUILD)/test/fuzz_programs.a
$(FUZZ_LIBRARY): $(call objects,$(wildcard test/fuzz/library/*.c))
$(FUZZ_PROGRAMS): $(call objects,$(wildcard test/fuzz/programs/*.c))
$(FUZZ_LIBRARY) $(FUZZ_PROGRAMS):
	$(call show,AR,$@) ar rcs $@ $^

$(TEST_MD5): $(call objects,test/test.c test/misuse.c $(TEST_MD5_SOURCES)) $(FUZZ_LIBRARY) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ -lpthread -lm

$(TEST_GL): $(call objects,test/test.c test/misuse.c test/load/test_axes_case.c test/pose/test_generated_pose.c $(TEST_GL_SOURCES)) \
    $(FUZZ_PROGRAMS) $(VIEW_PARTS) $(RENDER_OBJECTS) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) $(PICTURE_LIBS)

# Prints properties of the viewer's images for scripts.
TEST_PNG := $(BUILD)/view_png
$(TEST_PNG): $(call objects,test/viewer/view_png.c demo/looks/image.c demo/looks/png.c) $(COMMON_OBJECTS) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(PICTURE_LIBS)

# Benchmarks that need a GL context are a separate program, so that the others run anywhere. If assimp is installed, it is
# measured with the same files.
ASSIMP_LIBS = $(shell $(PKG_CONFIG) --libs assimp 2>/dev/null)
$(BUILD)/test/bench/bench.o: EXTRA = $(if $(ASSIMP_LIBS),-DBENCH_ASSIMP)
$(BUILD)/test/bench/bench.o: | deps
$(BUILD)/bench: $(BUILD)/test/bench/bench.o $(COMMON_OBJECTS) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(ASSIMP_LIBS) $(PICTURE_LIBS)
$(BUILD)/bench_steps: $(BUILD)/test/bench/bench_steps.o $(OUT)/libmd5model.a
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ -lm -lpthread
$(BUILD)/bench_gl: $(BUILD)/test/bench/bench_gl.o $(RENDER_OBJECTS) $(LIBRARY)
	$(call show,LD,$@) $(CC) $(ALL_LDFLAGS) -o $@ $^ $(SDL_LIBS) -lm

TEST_VIEW_OBJECTS := $(call objects,$(TEST_GL_SOURCES) test/bench/bench_gl.c test/viewer/view_png.c)
$(TEST_VIEW_OBJECTS): EXTRA = $(VIEW_CFLAGS)
$(BUILD)/test/viewer/test_view_font.o: EXTRA += $(FONTCONFIG_FLAGS)
$(TEST_VIEW_OBJECTS): $(GLAD_HEADER) | deps

# Keeps GL drivers loaded, because their memory would be reported as a leak.
ifeq (sanitize,$(config))
$(OUT)/md5view $(TEST_GL) $(BUILD)/bench_gl: $(BUILD)/test/build/keep_loaded.o
endif

# A copy of models/ with small textures: decoding the original textures takes half of the time of opening a model.
SMALL_MODELS := build/small/models
$(SMALL_MODELS): $(shell find models -type f) test/build/small_models.sh | $(TEST_PNG)
	$(call show,GEN,$@) sh test/build/small_models.sh models $@ $(TEST_PNG)

programs: all $(TEST_MD5) $(TEST_GL) $(TEST_PNG) $(SMALL_MODELS)

# -- Tests --------------------------------------------------------------------------------------------

# Scripts that need a window or other compilers, or check products or complete lists, run in the gate or in nightly only, unless
# TEST= selects them.
GATE_SCRIPTS := $(addprefix test/,tree/amalgamate.sh tree/build.sh tree/cmake.sh tree/compilers.sh tree/engine.sh tree/examples.sh \
    tree/guides.sh tree/install.sh tree/nightly.sh viewer/random_input.sh viewer/record.sh viewer/window.sh viewer/window_game.sh \
    viewer/window_lists.sh viewer/window_random.sh)
NIGHTLY_SCRIPTS := $(addprefix test/,tree/clips.sh tree/null_sizes.sh tree/release.sh game/limits.sh viewer/window_start.sh)
TEST_SCRIPTS ?= $(filter-out $(if $(TEST),,$(GATE_SCRIPTS) $(NIGHTLY_SCRIPTS)),$(sort $(wildcard test/tree/*.sh test/tool/*.sh test/convert/*.sh test/material/*.sh test/game/*.sh test/render/*.sh test/viewer/*.sh)))
# The longest suites start first, so that no core is idle at the end.
PROGRAM_SHARES := $(foreach program,$(TEST_GL) $(TEST_MD5),$(program)@1/2 $(program)@2/2)
LONGEST := $(PROGRAM_SHARES) $(addprefix test/,tool/check.sh convert/bounds.sh tool/tool.sh viewer/view.sh)
SUITES := $(filter $(TEST_SCRIPTS) $(PROGRAM_SHARES),$(LONGEST)) $(filter-out $(LONGEST),$(TEST_SCRIPTS))
LONG_SCRIPTS := test/long/machines.sh test/long/compilers.sh
LONG_SCRIPTS += $(filter-out $(LONG_SCRIPTS),$(sort $(wildcard test/long/*.sh)))
# Scripts that `make test` does not run, and scripts of `make test` with checks that only `make test-long` runs.
SLOW_SCRIPTS := $(GATE_SCRIPTS) $(NIGHTLY_SCRIPTS) $(shell grep -lE '^ *(check_long|if is_long)' $(filter-out $(GATE_SCRIPTS) $(NIGHTLY_SCRIPTS),$(TEST_SCRIPTS)))

# Sets of packages that the goals need; see md5/packaging/deps.sh.
TEST_NEEDS = $(if $(filter test test-gate test-long mutants coverage programs,$(GOALS)),test) \
    $(if $(filter bench,$(GOALS)),bench) $(if $(filter test-long fuzz,$(GOALS)),long) \
    $(if $(filter lint format,$(GOALS)),lint)

# The folder of our models that the tests read. `make test-library` does not build the copy.
TEST_MODELS = $(SMALL_MODELS)

# Tests that call make or the compiler get the same settings, so that they do not rebuild anything. Other environment variables,
# such as MD5_CORPUS, are inherited.
RUN_TESTS = MD5_ROOT=. MD5_MODELS=$(TEST_MODELS) MD5_BUILD=$(OUT) MD5_LINK_FLAGS='$(ALL_LDFLAGS)' config=$(config) \
    BUILD=$(BUILD) CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' WERROR=$(WERROR) \
    PREFIX=$(PREFIX) DEPS=$(DEPS) sh test/build/run_tests.sh

## make test           runs the tests in 3 to 6 minutes on two cores; MD5_CORPUS=FOLDER adds real models;
##                     TEST=pose selects test/pose, or the tests with "pose" in their names
test: programs | deps
	@$(RUN_TESTS) $(SUITES)

## make test-gate      runs the slow tests of the gate: windows, the two-file form, installing, examples, CMake, guides, recording
test-gate: programs | deps
	@$(RUN_TESTS) $(GATE_SCRIPTS)

# The gate adds scripts.
LIBRARY_SCRIPTS ?= test/tool/tool.sh

## make test-library   runs the tests of the library and of md5tool; needs only a C compiler
test-library: TEST_MODELS = models
test-library: lib tool $(TEST_MD5)
	@$(RUN_TESTS) $(TEST_MD5)@1/2 $(TEST_MD5)@2/2 $(LIBRARY_SCRIPTS)

## make test-long      runs the long tests, each for at most an hour
test-long: programs | deps
	@MD5_TEST_LONG=all MD5_TEST_TIMEOUT=$${MD5_TEST_TIMEOUT:-3600} $(RUN_TESTS) $(LONG_SCRIPTS) $(SLOW_SCRIPTS)

## make check          runs the build, the tests and the warnings of two compilers, in 8 minutes; .ci/run is the gate
## make nightly        runs all checks, in hours; PART=NAME runs one of its parts of at most 80 minutes, FROM=STAGE continues
##                     an earlier run; `.ci/run nightly --list` prints parts, stages and results
check:
	@bash .ci/run check
nightly:
	@bash .ci/run nightly $(if $(PART),--part $(PART)) $(if $(FROM),--from $(FROM))

## make test-blender   compares the Blender add-on with the library; needs Blender, a large package
test-blender: lib tool
	@$(RUN_TESTS) test/blender/blender.sh

## make test-packages  downloads two Debian packages (1 GB), reads and draws all their models
test-packages: tool $(OUT)/md5view
	@MD5_TEST_TIMEOUT=$${MD5_TEST_TIMEOUT:-3600} $(RUN_TESTS) test/packages/packages.sh

## make addon          writes the add-on for Blender to build/io_md5.zip; needs Python
addon:
	@rm -rf build/addon && mkdir -p build/addon/io_md5
	@cp models/blender/io_md5/*.py models/blender/io_md5/*.toml models/blender/io_md5/README.md build/addon/io_md5
	@rm -f build/io_md5.zip && cd build/addon && $(PYTHON) -m zipfile -c ../io_md5.zip io_md5
	@echo build/io_md5.zip

## make fuzz           fuzzes each target for FUZZ_SECONDS=60
fuzz: | deps
	@MD5_TEST_TIMEOUT=1000000 $(RUN_TESTS) test/fuzz/fuzz.sh

## make mutants        inserts MUTANTS=30 small faults into lines that changed since SINCE=COMMIT (default: yesterday)
##                     and reports the faults that no test finds; MUTANTS=list plants the fixed list of faults
mutants: | deps
	@MD5_TEST_TIMEOUT=1000000 $(RUN_TESTS) test/long/mutants.sh

## make coverage       runs the tests and prints the percentage of lines and branches that they reach, per module;
##                     COVERAGE=test-library skips render and demo
COVERAGE ?= test
coverage:
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory config=coverage $(COVERAGE); status=$$?; \
	    sh test/build/coverage.sh build/coverage || status=1; exit $$status

# -- Benchmarks and static checks ---------------------------------------------------------------------

## make bench          measures speed: prints a table and writes build/bench.csv; COMPARE=OLD.csv prints the
##                     differences from another table, BEFORE=COMMIT compares instructions with the library of a
##                     commit, PEERS=FOLDER measures other libraries in FOLDER/peers.so
bench: $(BUILD)/bench $(BUILD)/bench_gl
	@$(BUILD)/bench build/bench.csv $(filter-out models/zoo/%,$(filter %.md5mesh %.md5anim,$(MODEL_FILES)))
	@$(BUILD)/bench_gl build/bench.csv models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
	@echo 'Table: build/bench.csv'
	@$(if $(COMPARE),python3 test/bench/compare.py $(COMPARE) build/bench.csv)
	@[ -z '$(BEFORE)' ] && ! grep -q '^"goals not judged"' build/bench.csv || \
	    BEFORE=$(BEFORE) BUILD=$(BUILD) CC='$(CC)' sh test/long/instructions.sh

## make lint           runs static checks: warnings as errors (gcc, clang), clang-tidy, cppcheck, layout, scripts, Python
lint: $(GLAD_HEADER) $(HEADERS_OUT) $(GL_HEADERS_OUT) | deps
	@SDL_CFLAGS='$(SDL_CFLAGS)' PACKAGE_DEFINES='$(PACKAGE_DEFINES)' sh test/build/lint.sh

## make format         formats all C sources with clang-format
format: | deps
	clang-format -i $(filter-out %/md5config.h,$(wildcard md5/*.[ch] md5/*/*.[ch] md5/*/*/*.[ch] render/*.[ch] demo/*/*.[ch] \
	    demo/*/*/*.[ch] test/*.[ch] test/*/*.[ch]))

## make gallery        writes images of all our models, and of MD5_CORPUS, to build/gallery
gallery: $(OUT)/md5view
	@sh demo/viewer/gallery.sh $(OUT)/md5view build/gallery
