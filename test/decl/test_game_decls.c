// Tests of declarations: the text that declares a name, tables, skins, texts that are cut off, the
// precedence of files.
#include "test/decl/game_case.h"
#include "test/misuse.h"
#include "test/scoped.h"

static void check_decl(const md5_game *game, md5_decl_type type, uint32_t index, const char *name,
                       const char *file, uint32_t line)
{
    const md5_decl *const decl = md5_game_decl(game, type, index);
    REQUIRE(decl);
    CHECK_STRING(decl->name, name);
    CHECK_STRING(decl->file, file);
    CHECK_UINT(decl->line, line);
    CHECK_UINT(decl->index, index);
    CHECK(md5_find_decl(game, type, name) == decl);
}

TEST (decls_have_the_default_type_of_their_file) {
    static const game_text texts[] = {
        {"materials/a.mtr", "m { }\nskin s1 { }\nTable t { }"},
        {"skins/b.skin", "s2 { }"},
        {"def/c.def", "e { }\nmodel d { }\nmaterial m2 { }"},
    };
    SCOPED_GAME game = open_texts(texts, 3, NULL);
    check_decl(game, MD5_DECL_MATERIAL, 0, "m", "materials/a.mtr", 1);
    check_decl(game, MD5_DECL_MATERIAL, 1, "m2", "def/c.def", 2);
    check_decl(game, MD5_DECL_SKIN, 0, "s1", "materials/a.mtr", 1);
    check_decl(game, MD5_DECL_SKIN, 1, "s2", "skins/b.skin", 1);
    check_decl(game, MD5_DECL_TABLE, 0, "t", "materials/a.mtr", 2);
    check_decl(game, MD5_DECL_ENTITY, 0, "e", "def/c.def", 1);
    check_decl(game, MD5_DECL_MODEL, 0, "d", "def/c.def", 1);
    CHECK(!md5_game_decl(game, MD5_DECL_MODEL, 1));
}

TEST (decls_are_found_in_the_order_of_file_names) {
    static const game_text texts[] = {
        {"materials/Zebra.mtr", "same { z }"},
        {"materials/ant.MTR", "same { a }"},
        {"materials/sub/bee.mtr", "deep { }"},
        {"materials/cow.txt", "text { }"},
    };
    game_log log;
    SCOPED_GAME game = open_texts(texts, 4, &log);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 1);
    check_decl(game, MD5_DECL_MATERIAL, 0, "same", "materials/ant.MTR", 1);
    has_logged(&log,
               "materials/Zebra.mtr:1: material 'same' previously defined at materials/ant.MTR:1");
}

static void check_keyword(md5_game *game, const char *name, uint32_t line, uint32_t column)
{
    const md5_decl *const decl = md5_find_decl(game, MD5_DECL_MATERIAL, name);
    REQUIRE(decl);
    CHECK_UINT(decl->keyword_line, line);
    CHECK_UINT(decl->keyword_column, column);
}

// The engine's line is the line where the previous declaration ends; it does not count ends of
// lines in comments.
TEST (decls_have_the_location_of_their_first_word) {
    SCOPED_GAME game = open_materials("first { }\n\n  material second\n{ } third { }\n"
                                      "/* a comment\n   */\n\t// another one\nfourth { }\n"
                                      "\"fifth\" { }",
                                      NULL);
    check_keyword(game, "first", 1, 1);
    check_keyword(game, "second", 3, 3);
    check_keyword(game, "third", 4, 5);
    check_keyword(game, "fourth", 8, 1);
    check_keyword(game, "fifth", 9, 1);
    // If an image is used as a material, the material is not declared in a file, so it has no
    // location.
    const md5_material *const implicit = md5_game_material(game, "nowhere", NULL);
    REQUIRE(implicit);
    CHECK_UINT(implicit->decl->keyword_line, 0);
    CHECK_UINT(implicit->decl->keyword_column, 0);
}

TEST (decl_names_have_one_spelling) {
    SCOPED_GAME game =
        open_materials("Textures\\Rock.tga { } \"two words\" { } a/v1.2/b { }", NULL);
    check_decl(game, MD5_DECL_MATERIAL, 0, "textures/rock", "materials/all.mtr", 1);
    check_decl(game, MD5_DECL_MATERIAL, 1, "two words", "materials/all.mtr", 1);
    check_decl(game, MD5_DECL_MATERIAL, 2, "a/v1", "materials/all.mtr", 1);
    CHECK(md5_find_decl(game, MD5_DECL_MATERIAL, "TEXTURES/rock.jpg"));
}

TEST (decls_continue_after_invalid_text) {
    game_log log;
    SCOPED_GAME game = open_materials("{ lost { } }\none two three { }\na-b { }\nend { open", &log);
    check_decl(game, MD5_DECL_MATERIAL, 0, "three", "materials/all.mtr", 2);
    check_decl(game, MD5_DECL_MATERIAL, 1, "b", "materials/all.mtr", 3);
    check_decl(game, MD5_DECL_MATERIAL, 2, "end", "materials/all.mtr", 3);
    has_logged(&log, "materials/all.mtr:1: Missing decl name");
    has_logged(&log, "materials/all.mtr:2: Expecting '{' but found 'two'");
    has_logged(&log, "materials/all.mtr:3: Expecting '{' but found '-'");
}

TEST (decls_of_exports_are_skipped) {
    SCOPED_GAME game = open_materials("export x { a { } } m { }", NULL);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 1);
    check_decl(game, MD5_DECL_MATERIAL, 0, "m", "materials/all.mtr", 1);
}

TEST (decls_are_parsed_on_request) {
    game_log log;
    SCOPED_GAME game = open_materials("bad { nonsense }", &log);
    CHECK_UINT(log.count, 0);
    CHECK_UINT(md5_game_decl(game, MD5_DECL_MATERIAL, 0)->state, MD5_DECL_UNPARSED);
    md5_game_material(game, "bad", NULL);
    md5_game_material(game, "bad", NULL);
    CHECK_UINT(log.count, 1);
    CHECK_UINT(md5_game_decl(game, MD5_DECL_MATERIAL, 0)->state, MD5_DECL_DEFAULTED);
}

TEST (decl_index_contains_many_names) {
    enum { COUNT = 2000, CAPACITY = 16 };
    static char text[COUNT * CAPACITY];
    size_t used = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        // Names with long common prefixes, in an order without a pattern.
        const unsigned number = i * 7919 % COUNT;
        for (unsigned digit = 1; digit < 10000; digit *= 10)
            text[used++] = (char)('a' + number / digit % 10);
        memcpy(text + used, "{}\n", 3);
        used += 3;
    }
    SCOPED_GAME game = open_materials(text, NULL);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), COUNT);
    uint32_t found = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const md5_decl *const decl = md5_game_decl(game, MD5_DECL_MATERIAL, i);
        found += md5_find_decl(game, MD5_DECL_MATERIAL, decl->name) == decl;
    }
    CHECK_UINT(found, COUNT);
    CHECK(!md5_find_decl(game, MD5_DECL_MATERIAL, "abc"));
}

// -- Tables ---------------------------------------------------------------------------------------

// Returns the value of a table at x. For this, evaluates a material whose only operation is the
// look-up.
static double table_at(md5_game *game, const char *name, float x)
{
    const float zeros[MD5_FIRST_REGISTER + 1] = {0};
    const md5_material_op op = {
        .kind = MD5_OP_TABLE,
        .b = MD5_REGISTER_TIME,
        .result = MD5_FIRST_REGISTER,
        .table = md5_game_table(game, name, NULL),
    };
    const md5_material material = {
        .num_registers = MD5_FIRST_REGISTER + 1, .registers = zeros, .num_ops = 1, .ops = &op};
    const md5_material_input input = {.time = x};
    float registers[MD5_FIRST_REGISTER + 1];
    if (!CHECK(op.table))
        return -1e30;
    md5_evaluate_material(&material, &input, registers);
    return registers[MD5_FIRST_REGISTER];
}

// A table interpolates between its values and repeats. With `snap` it does not interpolate, and
// with `clamp` it does not repeat.
TEST (tables_repeat_snap_and_clamp) {
    SCOPED_GAME game = open_materials("table t { { 0, 1, 2, 3 } } table s { snap { 0, 1, 2, 3 } }\n"
                                      "table c { clamp { 0, 10, 20 } } table one { { 7 } }",
                                      NULL);
    CHECK_NEAR(table_at(game, "t", 0.375f), 1.5, 1e-6); // 1.5 of 4 values
    CHECK_NEAR(table_at(game, "t", 0.875f), 1.5, 1e-6); // between 3 and the first value again
    CHECK_NEAR(table_at(game, "t", -0.25f), 3, 1e-6);
    CHECK_NEAR(table_at(game, "t", 5.25f), 1, 1e-6);
    CHECK_NEAR(table_at(game, "s", 0.49f), 1, 1e-6);
    CHECK_NEAR(table_at(game, "c", 0.25f), 5, 1e-6);
    CHECK_SMALL(table_at(game, "c", -1), 1e-6);
    CHECK_NEAR(table_at(game, "c", 9), 20, 1e-6);
    CHECK_NEAR(table_at(game, "one", 0.3f), 1, 1e-6);
    CHECK_SMALL(table_at(game, "t", 1e38f * 10), 1e-6);
    CHECK(!md5_game_table(game, "none", NULL));
}

TEST (tables_with_errors_are_defaulted) {
    game_log log;
    SCOPED_GAME game = open_materials(
        "table a { { 1 2 } }\ntable b { { x } }\ntable c { wrong }\ntable d { { 1, 2 } }", &log);
    CHECK_EXACT(table_at(game, "a", 0), 1);
    CHECK_EXACT(table_at(game, "b", 0), 1);
    CHECK_EXACT(table_at(game, "c", 0), 1);
    CHECK_UINT(md5_find_decl(game, MD5_DECL_TABLE, "a")->state, MD5_DECL_DEFAULTED);
    CHECK_UINT(md5_find_decl(game, MD5_DECL_TABLE, "d")->state, MD5_DECL_UNPARSED);
    has_logged(&log, "materials/all.mtr:1: expected comma or brace");
    has_logged(&log, "materials/all.mtr:2: expected float value, found 'x'");
    has_logged(&log, "materials/all.mtr:3: unknown token 'wrong'");
}

// -- Skins ----------------------------------------------------------------------------------------

TEST (skins_replace_materials_by_their_first_row) {
    static const game_text texts[] = {
        {"materials/a.mtr", "body { map x }\nhull { nonsolid }"},
        {"skins/a.skin", "skin s { model m.lwo Body.tga one body two * three }"},
    };
    SCOPED_GAME game = open_texts(texts, 2, NULL);
    const md5_skin_def *const skin = md5_game_skin_def(game, "S", NULL);
    CHECK_UINT(skin->num_replacements, 3);
    CHECK_UINT(skin->num_models, 1);
    CHECK_STRING(skin->models[0], "m.lwo");
    CHECK(!skin->replacements[2].from);
    CHECK_STRING(md5_skin_def_material(game, skin, "BODY"), "one");
    CHECK_STRING(md5_skin_def_material(game, skin, "other"), "three");
    CHECK(md5_game_material(game, "hull", NULL)->num_stages == 0);
    CHECK_STRING(md5_skin_def_material(game, skin, "hull"), "hull");
}

TEST (skins_that_are_missing_or_broken_are_default) {
    static const game_text texts[] = {
        {"materials/a.mtr", "shiny { { map x } }"},
        {"skins/a.skin", "skin odd { lonely"},
    };
    SCOPED_GAME game = open_texts(texts, 2, NULL);
    const md5_skin_def *skin = md5_game_skin_def(game, "nowhere", NULL);
    CHECK_UINT(skin->decl->state, MD5_DECL_DEFAULTED);
    CHECK_STRING(md5_skin_def_material(game, skin, "any"), "_default");
    skin = md5_game_skin_def(game, "shiny", NULL);
    CHECK_UINT(skin->decl->state, MD5_DECL_PARSED);
    CHECK_STRING(md5_skin_def_material(game, skin, "_default"), "shiny");
    CHECK_STRING(md5_skin_def_material(game, skin, "any"), "any");
    skin = md5_game_skin_def(game, "odd", NULL);
    CHECK_UINT(skin->decl->state, MD5_DECL_DEFAULTED);
    CHECK_STRING(md5_skin_def_material(game, skin, "any"), "_default");
}

// -- Declarations that are cut off ----------------------------------------------------------------
// Declarations that are cut off at any byte: each of them is read to its end, in both modes.

// Every kind of declaration and block.
static const char complete[] =
    "table t { snap { 0, 1 } }\n"
    "material m { qer_editorimage e polygonOffset 1 deform turb t 1 2 3 zz { y }\n"
    "diffusemap addnormals( a, heightmap( b, 4 ) )\n"
    "{ blend gl_one, gl_zero map add( a, b ) if ( t[ time ] + parm1 * ( 2 - 1 ) ) rgb 1\n"
    "scroll time, 1 fragmentMap 0 c vertexParm 0 1, 2 } }\n"
    "skin s { model x a b c d }\n"
    "entityDef e { \"inherit\" \"f\" \"a\" \"b\" }\n"
    "model b { mesh x.md5mesh channel legs ( c ) anim run three.md5anim }\n"
    "model n { inherit b skin s mesh x.md5mesh offset ( 1 2 3 ) channel torso ( *a -b )\n"
    "anim walk two.md5anim , two.md5anim { random_cycle_start frame 1 sound_body s\n"
    "frame 2 start_emitter a root c frame 1 zz } zz { y } remove run }\n";

static void ask_for_all(md5_game *game)
{
    md5_error error = {0};
    md5_game_table(game, "t", &error);
    CHECK(error.status == MD5_OK && md5_game_material(game, "m", &error));
    CHECK(error.status == MD5_OK && md5_game_skin_def(game, "s", &error));
    md5_game_model_def(game, "n", &error);
    CHECK_UINT(error.status, MD5_OK);
}

TEST (declarations_that_are_truncated_end_at_the_file_end) {
    static char text[sizeof complete];
    for (size_t size = sizeof complete - 1; size > 0; size--) {
        memcpy(text, complete, size);
        text[size] = '\0';
        SCOPED_GAME game = open_models(text, NULL);
        ask_for_all(game);
        CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL));
        ask_for_all(game);
    }
}

// In lenient mode, everything before the end of the file is used.
TEST (frame_commands_without_a_closing_brace_are_read) {
    game_log log = {.count = 0};
    SCOPED_GAME game =
        open_models("model n { mesh x.md5mesh anim walk two.md5anim {\nframe 1 footstep", &log);
    CHECK(md5_game_model_def(game, "n", NULL)->decl->state == MD5_DECL_DEFAULTED);
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL));
    const md5_model_def *const model = md5_game_model_def(game, "n", NULL);
    CHECK(model && model->num_anims == 1 && md5_model_def_anim(model, 0)->num_commands == 1);
    CHECK(has_logged(&log, "def/all.def:2: Unexpected end of file: expected '}'"));
}

// -- Files ----------------------------------------------------------------------------------------

// The precedence of files that several search paths contain.

static md5_game *open_search_paths(const md5_game_path *search_paths, size_t count)
{
    md5_game *const game = md5_create_game(search_paths, count, NULL, NULL);
    CHECK(game);
    return game;
}

// Checks the text of a file as loaders of assets receive it.
static void check_text(md5_game *game, const char *name, const char *expected)
{
    const md5_files files = md5_game_files(game);
    md5_error error = {.status = MD5_OK};
    size_t size = 0;
    const char *const bytes = files.open(files.user, name, &size, &error);
    REQUIRE(bytes);
    CHECK_UINT(size, strlen(expected));
    CHECK_BYTES(bytes, expected, size);
    files.close(files.user, bytes, size);
}

TEST (game_prefers_files_of_the_first_search_path) {
    static const game_text mod[] = {{"a.txt", "mod"}};
    static const game_text base[] = {{"A.TXT", "base"}, {"b.txt", "b"}};
    const md5_game_path search_paths[] = {make_game_path(mod, 1, false),
                                          make_game_path(base, 2, false)};
    SCOPED_GAME game = open_search_paths(search_paths, 2);
    check_text(game, "a.txt", "mod");
    check_text(game, "b.txt", "b");
}

TEST (game_ignores_case_and_slash_direction_of_paths) {
    static const game_text texts[] = {{"Models/MD5\\Imp.md5mesh", "imp"}};
    const md5_game_path search_path = make_game_path(texts, 1, false);
    SCOPED_GAME game = open_search_paths(&search_path, 1);
    check_text(game, "models/md5/imp.MD5MESH", "imp");
    check_text(game, "/models\\md5\\imp.md5mesh", "imp");
    CHECK(md5_game_find_file(game, "models/md5/../md5/imp.md5mesh", 0) == MD5_NONE);
    CHECK(md5_game_find_file(game, "models/imp.md5mesh", 0) == MD5_NONE);
}

TEST (game_uses_the_last_of_equal_names_in_an_archive) {
    static const game_text texts[] = {{"a.txt", "1"}, {"A.txt", "2"}};
    const md5_game_path archive = make_game_path(texts, 2, true);
    md5_game *game = open_search_paths(&archive, 1);
    check_text(game, "a.txt", "2");
    md5_destroy_game(game);
    const md5_game_path folder = make_game_path(texts, 2, false);
    game = open_search_paths(&folder, 1);
    check_text(game, "a.txt", "1");
    md5_destroy_game(game);
}

TEST (game_omits_names_that_cannot_be_opened) {
    static const game_text texts[] = {{"../materials/a.mtr", "a { }"},
                                      {"/materials/b.mtr", "b { }"}};
    const md5_game_path search_path = make_game_path(texts, 2, true);
    SCOPED_GAME game = open_search_paths(&search_path, 1);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 0);
    CHECK(md5_game_find_file(game, "materials/b.mtr", 0) == MD5_NONE);
}

TEST (game_reports_a_missing_file_to_loaders) {
    SCOPED_GAME game = open_search_paths(NULL, 0);
    const md5_load_opts opts = {.files = md5_game_files(game)};
    md5_error error = {0};
    CHECK_REFUSED(md5_load_model("models/imp.md5mesh", &opts, &error), error, MD5_ERROR_IO,
                  "cannot open the file: file not found in the folders and archives of the game");
}

TEST (game_warns_of_files_that_cannot_be_read) {
    static const game_text texts[] = {{"materials/a.mtr", NULL}, {"materials/b.mtr", "b { }"}};
    game_log log;
    SCOPED_GAME game = open_texts(texts, 2, &log);
    has_logged(&log, "materials/a.mtr:0: cannot read the file: 'it is on the moon'");
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 1);
}

// Returns a material of `size` bytes, most of which are blanks.
static char *long_material(const char *name, size_t size)
{
    char *const text = test_alloc(size + 1);
    memset(text, ' ', size);
    text[size] = '\0';
    memcpy(text, name, strlen(name));
    text[strlen(name)] = '{';
    text[size - 1] = '}';
    return text;
}

TEST (declarations_have_a_limit_of_size) {
    enum { LIMIT = 2 << 20 };
    SCOPED char *const longest = long_material("longest", LIMIT);
    SCOPED char *const longer = long_material("longer", LIMIT + 1);
    const game_text texts[] = {{"materials/a.mtr", longest}, {"materials/b.mtr", longer}};
    game_log log;
    SCOPED_GAME game = open_texts(texts, 2, &log);
    CHECK(md5_find_decl(game, MD5_DECL_MATERIAL, "longest"));
    CHECK(!md5_find_decl(game, MD5_DECL_MATERIAL, "longer"));
    CHECK(has_logged(&log, "materials/b.mtr:1: material 'longer' is too large: expected at most "
                           "2097152 bytes, found 2097153; skipped"));
}

TEST (files_of_declarations_have_a_limit_of_size) {
    enum { LIMIT = 16 << 20 };
    SCOPED char *const longest = long_material("a { } b ", LIMIT);
    SCOPED char *const longer = long_material("c { } d ", LIMIT + 1);
    const game_text texts[] = {{"materials/a.mtr", longest}, {"materials/b.mtr", longer}};
    SCOPED_GAME game = open_texts(texts, 2, NULL);
    CHECK(md5_find_decl(game, MD5_DECL_MATERIAL, "a"));
    CHECK(!md5_find_decl(game, MD5_DECL_MATERIAL, "c"));
}

TEST (game_finds_images_by_the_engines_rule) {
    static const game_text texts[] = {{"t/a.tga", ""}, {"t/b.jpg", ""}};
    SCOPED_GAME game = open_texts(texts, 2, NULL);
    CHECK_STRING(md5_game_image_file(game, "T\\a"), "t/a.tga");
    CHECK_STRING(md5_game_image_file(game, "t/b.tga"), "t/b.jpg");
    CHECK_STRING(md5_game_image_file(game, "t/b"), "t/b.jpg");
    CHECK(!md5_game_image_file(game, "t/a.jpg"));
    CHECK(!md5_game_image_file(game, "_white"));
}

TEST (game_survives_failure_of_every_allocation) {
    static const game_text texts[] = {
        {"materials/a.mtr",
         "table t { { 0, 1, 2 } }\na { bumpmap heightmap( x, 4 ) { map y rgb t[ time ] } }\n"},
        {"skins/a.skin", "skin s { model m.lwo a b * c }\n"},
    };
    const md5_game_path search_path = make_game_path(texts, 2, false);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_GAME game = md5_create_game(&search_path, 1, &failure.opts, &failure.error);
        CHECK(game || failure.error.status == MD5_ERROR_MEMORY);
        if (game) {
            for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MATERIAL); i++)
                md5_game_material(game, md5_game_decl(game, MD5_DECL_MATERIAL, i)->name,
                                  &failure.error);
            for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_SKIN); i++)
                md5_game_skin_def(game, md5_game_decl(game, MD5_DECL_SKIN, i)->name,
                                  &failure.error);
        }
    }
}

// -- Locations of warnings
// -------------------------------------------------------------------------

static void keep_warning(void *user, const md5_error *warning)
{
    *(md5_error *)user = *warning;
}

// A column is the position of the first byte of the error or, if something is missing, the end of
// the text before it. An unknown joint is located among the names of its list.
TEST (warnings_point_to_the_beginning_of_words) {
    static const struct {
        const char *file, *text;
        uint32_t column;
    } cases[] = {
        {"materials/a.mtr", "m { nonsense }", 5},
        {"materials/a.mtr", "m { \"no sense\" }", 5},
        {"materials/a.mtr", "m {\n{ map a alphaTest nowhere[ 1 ] } }", 19},
        {"materials/a.mtr", "m { sort\n}", 9},
        {"materials/a.mtr", "m { deform wobble }", 12},
        {"materials/a.mtr", "m { } m { }", 7},
        {"materials/a.mtr", "m /* /* */ { }", 6},
        {"skins/a.skin", "m { a }", 7},
        {"def/a.def", "entityDef m { \"k\" \"1\"\n\"other\" \"1\" \"k\" \"long\" }", 13},
        {"def/a.def", "model m { mesh a.md5mesh channel arms ( toe ) }", 34},
        {"def/a.def", "model m { mesh a.md5mesh channel legs ( root *knee toe ) }", 47},
        {"def/a.def", "model m { mesh a.md5mesh channel legs ( toes toe es ) }", 50},
        {"def/a.def", "model m { mesh a.md5mesh anim ab a.md5anim }", 34},
    };
    static const char mesh[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
        "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"toe\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const game_text texts[] = {{cases[i].file, cases[i].text}, {"a.md5mesh", mesh}};
        const md5_game_path path = make_game_path(texts, 2, false);
        md5_error last = {.line = 0};
        const md5_load_opts opts = {.warn = keep_warning, .warn_user = &last};
        SCOPED_GAME game = md5_create_game(&path, 1, &opts, NULL);
        CHECK(game);
        md5_game_material(game, "m", NULL);
        md5_game_skin_def(game, "m", NULL);
        md5_game_model_def(game, "m", NULL);
        md5_game_entity_def(game, "m", NULL);
        CHECK_THAT(last.column == cases[i].column, "%s: column %u of %s", cases[i].text,
                   (unsigned)last.column, last.message);
    }
}

TEST (decl_lex_warns_at_line_and_column) {
    const game_text texts[] = {{"materials/a.mtr", "a { }\n  b @\n"}};
    const md5_game_path path = make_game_path(texts, 1, false);
    md5_error last = {.line = 0};
    const md5_load_opts opts = {.warn = keep_warning, .warn_user = &last};
    SCOPED_GAME game = md5_create_game(&path, 1, &opts, NULL);
    CHECK_STRING(last.file, "materials/a.mtr");
    CHECK_UINT(last.line, 2);
    CHECK_UINT(last.column, 5);
}

// -- Errors ---------------------------------------------------------------------------------------

// Invalid calls: builds with assertions abort with a message.

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static void release_nothing(void *user, const void *pixels)
{
    (void)user, (void)pixels;
}

TEST (image_asserts_its_arguments) {
    MISUSE("decoder.decode and decoder.release must both be set", {
        md5_image_opts opts = {.allocator = {.limit = 0}};
        opts.decoder.release = release_nothing;
        md5_parse_image("", 0, &opts, NULL);
    });
}

TEST (game_asserts_its_arguments) {
    MISUSE("md5_create_game(): paths: must not be NULL", md5_create_game(NULL, 1, NULL, NULL));
    MISUSE("md5_game_skin_def(): name: must not be NULL", {
        md5_game *const game = md5_create_game(NULL, 0, NULL, NULL);
        md5_game_skin_def(game, NULL, NULL);
    });
    MISUSE("md5_evaluate_material(): material", md5_evaluate_material(NULL, NULL, NULL));
}

#endif

TEST (game_answers_invalid_types) {
    SCOPED_GAME game = md5_create_game(NULL, 0, NULL, NULL);
    CHECK_UINT(md5_game_num_decls(game, MD5_NUM_DECL_TYPES), 0);
    CHECK(!md5_find_decl(game, MD5_NUM_DECL_TYPES, "a"));
    CHECK(!md5_game_decl(game, MD5_DECL_TABLE, 0));
    md5_destroy_game(NULL);
}
