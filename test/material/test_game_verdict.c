// Lenient mode, error by error, compared with engine mode. The expected result is everything
// in the text of a case except the error.
#include "test/decl/game_case.h"
#include "test/scoped.h"

static void be_lenient(md5_game *game)
{
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL));
}

// Returns the lenient material m of a text, which the engine defaults.
static const md5_material *parse(const char *text, md5_game **game, game_log *log)
{
    *game = open_materials(text, NULL);
    CHECK_UINT(md5_game_material(*game, "m", NULL)->decl->state, MD5_DECL_DEFAULTED);
    md5_destroy_game(*game);
    *game = open_materials(text, log);
    be_lenient(*game);
    const md5_material *const material = md5_game_material(*game, "m", NULL);
    CHECK(material);
    CHECK_UINT(material->decl->state, MD5_DECL_PARSED);
    return material;
}

// Checks the images of a material that the engine defaults, and one line of its warnings.
static void check_images(const char *text, const char *expected, const char *line)
{
    md5_game *game;
    game_log log;
    char images[256] = "";
    const md5_material *const material = parse(text, &game, &log);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        strcat(images, i > 0 ? " " : "");
        strcat(images, material->stages[i].image.text);
    }
    CHECK_STRING(images, expected);
    CHECK(has_logged(&log, line));
    md5_destroy_game(game);
}

TEST (lenient_materials_skip_unknown_words) {
    check_images("m {\n nonsense 1 2 \"three\"\n diffusemap a\n}", "_flat a",
                 "materials/all.mtr:2: unknown general material parameter 'nonsense' in 'm': "
                 "expected a material keyword, a stage or '}'");
    check_images("m {\n nonsense { map a }\n { map b\n }\n}", "a b",
                 "materials/all.mtr:2: unknown general material parameter 'nonsense' in 'm': "
                 "expected a material keyword, a stage or '}'");
    check_images("m {\n {\n map a\n nonsense 1 }\n { map b }\n}", "a b",
                 "materials/all.mtr:4: unknown token 'nonsense' in material 'm': expected a stage "
                 "keyword or '}'");
    check_images("m { { map a", "a", "materials/all.mtr:1: couldn't read expected token");
}

// The Dark Mod has functions of two or more arguments, each of which is an expression. For Doom 3
// they are errors.
TEST (lenient_materials_have_min_and_max) {
    static const struct {
        const char *expression;
        double expected; // at time 1.5
    } cases[] = {
        {"max( 0.25, 0.5 )", 0.5},
        {"Min( 0.25, 0.5 )", 0.25},
        {"max( time, 1, 2 ) + 1", 3},
        {"min( 2 * time, max( 1, 4 ), 5 )", 3},
        {"2 * max( time - 1, ( 0.25 ) )", 1},
        {"max( 0 - 3, -2 )", -2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[200];
        snprintf(text, sizeof text, "m { { map x red %s } }", cases[i].expression);
        md5_game *game;
        game_log log;
        const md5_material *const material = parse(text, &game, &log);
        CHECK_NEAR(color_at(material, 0, 0, 1.5f), cases[i].expected, 1e-6);
        CHECK_STRING(log.text, "");
        md5_destroy_game(game);
    }
    check_images("m { { map a\nred max( 1 ) } }", "a",
                 "materials/all.mtr:2: expected ',' but found ')'");
    check_images("m { { map a\nred min( 1, 2 } }", "a",
                 "materials/all.mtr:2: expected ')' but found '}'");
}

TEST (lenient_materials_accept_words_of_other_engines) {
    check_images("m { unlit { map a } }", "a",
                 "materials/all.mtr:1: 'unlit' in 'm' is a keyword of RBDOOM, skipped");
    check_images("m { normalmap addnormals( x, y ) diffusemap a }", "_flat a",
                 "materials/all.mtr:1: 'normalmap' in 'm' is a keyword of RBDOOM, skipped");
    check_images("m { matter_stone { map a } }", "a",
                 "materials/all.mtr:1: 'matter_stone' in 'm' is a keyword of Prey, skipped");
    check_images("m { skin_macro { map a } }", "a",
                 "materials/all.mtr:1: 'skin_macro' in 'm' is a keyword of Prey, skipped");
    check_images("m { shaderFallback2\n{ { map old } }\n { map a } }", "a",
                 "materials/all.mtr:1: 'shaderFallback2' in 'm' is a keyword of Prey, skipped");
    check_images("m { materialType metal\n{ map a } }", "a",
                 "materials/all.mtr:1: 'materialType' in 'm' is a keyword of Quake 4, skipped");
    check_images(
        "m { frobstage_texture textures/frob 0.15 0.4\n diffusemap a }", "_flat a",
        "materials/all.mtr:1: 'frobstage_texture' in 'm' is a keyword of The Dark Mod, skipped");
    check_images(
        "m { frobstage_none { map a } }", "a",
        "materials/all.mtr:1: 'frobstage_none' in 'm' is a keyword of The Dark Mod, skipped");
    check_images("m { { shaderParm map 3\n map a } { map b spiritWalk blend add } }", "a b",
                 "materials/all.mtr:2: 'spiritWalk' in material 'm' is a keyword of Prey, skipped");
}

TEST (lenient_materials_keep_their_valid_parts) {
    check_images("m { deform wobble 3\n { map a } }", "a",
                 "materials/all.mtr:1: Bad deform type 'wobble': expected a deform such as sprite");
    check_images("m { { map a texgen sideways } { map b } }", "a b",
                 "materials/all.mtr:1: bad texGen 'sideways' in material m: expected normal, "
                 "reflect, skybox or wobbleSky");
    check_images("m { { map a blend shader } { map b } }", "a b",
                 "materials/all.mtr:1: unknown blend mode 'shader' in material 'm': expected a "
                 "blend mode such as blend, or two factors such as GL_ONE");
    check_images("m { { map a scroll 1 0 } { map b } }", "a b",
                 "materials/all.mtr:1: expected ',' but found '0'");
    check_images("m { { map a rotate 0.5 } { map b } }", "a b",
                 "materials/all.mtr:1: no sinTable for rotate defined: expected the name of a "
                 "table; the image is not rotated");
    check_images("m { { map a fragmentMap 99 x } { map b } }", "a b",
                 "materials/all.mtr:1: bad fragmentMap number: expected a valid input index");
    check_images("m { { map a fragmentMap 99 map b\n blend add } }", "a",
                 "materials/all.mtr:1: bad fragmentMap number: expected a valid input index");
    check_images("m { { map a megaTexture x } { map b megaTexture\n} }", "a b",
                 "materials/all.mtr:1: missing file name after 'megaTexture': expected a file");
    check_images("m { { map a } sort\n deform particle", "a",
                 "materials/all.mtr:1: missing sort parameter: expected a number or a keyword");
    check_images("m { { map a } sort\n deform particle", "a",
                 "materials/all.mtr:2: deform particle missing particle name: expected a name");
}

// Checks the value, at time 1.5 with parm4 = 0.25, of an expression whose material the engine
// defaults.
static void check_value(const char *expression, double expected)
{
    char text[256];
    md5_game *game;
    snprintf(text, sizeof text, "m { { map x red %s } }", expression);
    CHECK_NEAR(color_at(parse(text, &game, NULL), 0, 0, 1.5f), expected, 1e-6);
    md5_destroy_game(game);
}

TEST (lenient_games_evaluate_expressions_with_errors) {
    check_value("nosuchtable[ time ] * 3", 3);
    check_value("2 + nosuchword", 3);
    check_value("- parm4", -0.25);
    check_value("1 - parm4 * ( - time )", 1.375);
    check_value("( 2 + 3", 5);
    check_value("4 * )", 4);
}

TEST (lenient_games_read_tables_with_errors) {
    static const char text[] = "table t { nonsense { 1 2, three, 4, } }\ntable u { { 7, 8";
    game_log log;
    SCOPED_GAME game = open_materials(text, &log);
    CHECK_UINT(md5_game_table(game, "t", NULL)->decl->state, MD5_DECL_DEFAULTED);
    be_lenient(game);
    const md5_table *const table = md5_game_table(game, "t", NULL);
    CHECK_UINT(table->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(table->num_values, 4);
    CHECK(table->values[1] == 2 && table->values[2] == 0 && table->values[3] == 4);
    CHECK(has_logged(&log, "materials/all.mtr:1: unknown token 'nonsense': expected snap, clamp or "
                           "'{'"));
    CHECK_UINT(md5_game_table(game, "u", NULL)->num_values, 2);
}

// The last material of the skin has no replacement. The mode of the engine makes the whole skin
// a default; the lenient mode keeps the valid pair and warns.
TEST (lenient_skins) {
    static const game_text texts[] = {{"skins/a.skin", "skin s { a b lonely }"}};
    game_log log;
    SCOPED_GAME game = open_texts(texts, 1, &log);
    CHECK_UINT(md5_game_skin_def(game, "s", NULL)->num_replacements, 2);
    CHECK_UINT(md5_game_skin_def(game, "missing", NULL)->num_replacements, 1);
    be_lenient(game);
    const md5_skin_def *const skin = md5_game_skin_def(game, "s", NULL);
    CHECK_UINT(skin->num_replacements, 1);
    CHECK_UINT(skin->decl->state, MD5_DECL_PARSED);
    CHECK(has_logged(&log, "skins/a.skin:1: expected a material after 'lonely' but found '}'"));
    const md5_skin_def *const missing = md5_game_skin_def(game, "missing", NULL);
    CHECK_UINT(missing->num_replacements, 0);
    CHECK_STRING(md5_skin_def_material(game, missing, "anything"), "anything");
}

// -- Models ---------------------------------------------------------------------------------------

// Checks the names of a model's animations, each with its number of commands, and one line of its
// warnings. The engine defaults the model.
static void check_model(const char *text, const char *expected, const char *line)
{
    char anims[256] = "";
    char all[512];
    game_log log;
    snprintf(all, sizeof all, "model m { mesh x.md5mesh %s }", text);
    md5_game *game = open_models(all, NULL);
    CHECK_UINT(md5_game_model_def(game, "m", NULL)->decl->state, MD5_DECL_DEFAULTED);
    md5_destroy_game(game);
    game = open_models(all, &log);
    be_lenient(game);
    const md5_model_def *const model = md5_game_model_def(game, "m", NULL);
    CHECK_UINT(model->decl->state, MD5_DECL_PARSED);
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const size_t used = strlen(anims);
        snprintf(anims + used, sizeof anims - used, "%s%u ", md5_model_def_anim(model, i)->name,
                 md5_model_def_anim(model, i)->num_commands);
    }
    CHECK_STRING(anims, expected);
    CHECK(has_logged(&log, line));
    md5_destroy_game(game);
}

TEST (lenient_models_skip_unknown_words) {
    check_model("Anim a two.md5anim { frame 1 jump }\nanim bc two.md5anim", "bc0 ",
                "def/all.def:1: unknown token 'Anim': expected mesh, skin, offset, channel, anim, "
                "inherit or remove");
    check_model("options 3 \"x\"\nanim bc two.md5anim", "bc0 ",
                "def/all.def:1: 'options' is a keyword of RBDOOM, skipped");
    check_model("anim bc two.md5anim { sync_cycle\nframe 1 jump }", "bc1 ",
                "def/all.def:1: 'sync_cycle' is a keyword of Quake 4, skipped");
    check_model("anim bc two.md5anim { rate 0 frame 1 jump }", "bc1 ",
                "def/all.def:1: rate 0 out of range: expected 0.01 to 100");
    check_model("anim bc two.md5anim { frame 1 dance 3 frame 2 jump }", "bc1 ",
                "def/all.def:1: Unknown command 'dance': expected a frame command");
    check_model("anim bc two.md5anim { frame 1 speak \"a\" b\nframe 2 disableBlinking }", "bc0 ",
                "def/all.def:2: 'disableBlinking' is a keyword of Quake 4, skipped");
    check_model("anim bc two.md5anim { frame 1 attach torch hand\nframe 2 jump }", "bc1 ",
                "def/all.def:1: 'attach' is a keyword of The Dark Mod, skipped");
    check_model("anim bc two.md5anim { ai_no_turn frame 1 melee_attack_start sword\n }", "bc0 ",
                "def/all.def:1: 'melee_attack_start' is a keyword of The Dark Mod, skipped");
    check_model("anim bc two.md5anim { frame 1 disableautoblink\nframe 2 jump }", "bc1 ",
                "def/all.def:1: 'disableautoblink' is a keyword of Quake 4, skipped");
    check_model("anim bc two.md5anim { wobble frame 1 jump }", "bc1 ",
                "def/all.def:1: Unknown command 'wobble': expected frame, a flag or '}'");
}

// In Quake 4 each clip has a rate. The last rate is used.
TEST (lenient_models_have_rates) {
    SCOPED_GAME game = open_models("model m { mesh x.md5mesh anim ab two.md5anim\n"
                                   "anim bc two.md5anim { rate 2 rate 0.75 frame 1 jump } }",
                                   NULL);
    be_lenient(game);
    const md5_model_def *const model = md5_game_model_def(game, "m", NULL);
    CHECK_UINT(model->num_anims, 2);
    CHECK(md5_model_def_anim(model, 0)->rate == 1);
    CHECK(md5_model_def_anim(model, 1)->rate == 0.75f);
    CHECK_UINT(md5_model_def_anim(model, 1)->num_commands, 1);
}

TEST (lenient_models_keep_their_valid_parts) {
    check_model("anim w two.md5anim", "w0 ",
                "def/all.def:1: Invalid animation name 'w': expected a name of two or more "
                "characters before its number");
    check_model("anim bc two.md5anim anim bc three.md5anim { frame 3 jump }", "bc0 ",
                "def/all.def:1: Duplicate anim 'bc': expected a unique name, skipped");
    check_model("anim bc nowhere.md5anim { frame 9 jump } anim de two.md5anim", "de0 ",
                "def/all.def:1: Couldn't load anim 'nowhere.md5anim': expected a readable file");
    check_model("anim bc two.md5anim, three.md5anim", "bc0 ",
                "def/all.def:1: Anim 'three.md5anim' does not match length of anim 'two.md5anim': "
                "expected equal lengths");
    check_model("anim bc two.md5anim { frame 3 jump frame 2 jump }", "bc1 ",
                "def/all.def:1: Frame 3 out of range: expected 1 to 2");
    check_model("anim bc two.md5anim { frame -1 jump frame 2 jump }", "bc1 ",
                "def/all.def:1: Invalid frame # after 'frame': expected a number");
    check_model("anim bc two.md5anim { frame\nframe 2 jump frame 1\n frame 1 call\n}", "bc1 ",
                "def/all.def:3: Unexpected end of line: expected another argument");
    check_model("anim bc two.md5anim { frame 1 muzzle_flash nose }", "bc1 ",
                "def/all.def:1: Joint 'nose' not found: expected a joint of the mesh");
    check_model("remove bc anim bc two.md5anim remove bc", "bc0 ",
                "def/all.def:1: Couldn't find anim 'bc' to remove: expected an inherited anim");
    check_model("offset 1 2 3\nanim bc two.md5anim", "bc0 ",
                "def/all.def:1: Expected vector following 'offset': expected ( x y z )");
    check_model("channel legs\nanim bc two.md5anim", "bc0 ",
                "def/all.def:1: Expected { after 'legs': expected '('");
}

// If the time were quadratic, a million names would take hours.
TEST (models_take_linear_time_in_their_animations) {
    enum { COUNT = 20000 };
    SCOPED_TEXT text = {0};
    test_append(&text, "model m { mesh x.md5mesh\n");
    for (int i = 0; i < COUNT; i++)
        test_append(&text, "anim a%05ux two.md5anim\n", i);
    test_append(&text, "}\nmodel n { inherit m remove a00007x remove a00009x }");
    SCOPED_GAME game = open_models(text.bytes, NULL);
    const md5_model_def *const model = md5_game_model_def(game, "n", NULL);
    CHECK_UINT(model->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(model->num_anims, COUNT - 2);
    CHECK_STRING(md5_model_def_anim(model, 7)->name, "a00008x");
}

TEST (models_inherit_many_times) {
    enum { COUNT = 20000 };
    SCOPED_TEXT text = {0};
    test_append(&text, "model m { mesh x.md5mesh anim bc two.md5anim }\nmodel n {");
    for (int i = 0; i < COUNT; i++)
        test_append(&text, " inherit m");
    test_append(&text, " anim de two.md5anim }");
    SCOPED_GAME game = open_models(text.bytes, NULL);
    const md5_model_def *const model = md5_game_model_def(game, "n", NULL);
    CHECK_UINT(model->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(model->num_anims, 2);
    CHECK_STRING(md5_model_def_anim(model, 1)->name, "de");
}

TEST (animations_are_removed_by_name_and_alias) {
    static const char text[] =
        "model m { mesh x.md5mesh anim bc1 two.md5anim anim bc2 two.md5anim anim de two.md5anim }\n"
        "model n { inherit m remove bc1 anim bc1 three.md5anim remove de }\n"
        "model o { inherit m remove bc1 remove bc }\nmodel p { inherit m remove bc remove bc1 }";
    game_log log;
    SCOPED_GAME game = open_models(text, &log);
    const md5_model_def *const model = md5_game_model_def(game, "n", NULL);
    CHECK_UINT(model->num_anims, 2);
    CHECK_STRING(md5_model_def_anim(model, 0)->name, "bc2");
    CHECK_UINT(md5_model_def_anim(model, 1)->num_frames, 3);
    CHECK_UINT(md5_game_model_def(game, "o", NULL)->num_anims, 1);
    CHECK_UINT(md5_game_model_def(game, "p", NULL)->decl->state, MD5_DECL_DEFAULTED);
    CHECK(has_logged(&log, "def/all.def:4: Couldn't find anim 'bc1' to remove"));
}

TEST (lenient_models_are_read_without_a_mesh) {
    static const char text[] = "model m { mesh y.md5mesh channel legs ( a ) anim bc two.md5anim }\n"
                               "model n { anim bc two.md5anim { frame 1 jump } inherit nobody }";
    game_log log;
    SCOPED_GAME game = open_models(text, &log);
    be_lenient(game);
    const md5_model_def *const model = md5_game_model_def(game, "m", NULL);
    CHECK_UINT(model->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(model->num_joints, 0);
    CHECK_STRING(model->mesh, "");
    CHECK_UINT(model->num_anims, 1);
    CHECK_UINT(md5_model_def_anim(md5_game_model_def(game, "n", NULL), 0)->num_commands, 1);
    CHECK(has_logged(&log, "def/all.def:1: Model 'y.md5mesh' defaulted: expected a readable mesh"));
    // Line 1 contains the keyword `mesh`, so it is missing only in line 2.
    CHECK(!strstr(log.text, "def/all.def:1: Must specify mesh"));
    CHECK(has_logged(&log, "def/all.def:2: Must specify mesh before defining anims: expected "
                           "mesh"));
}

TEST (lenient_models_keep_unknown_channels) {
    static const char text[] =
        "model m { mesh x.md5mesh channel tail ( *a ) channel all ( c ) channel TAIL ( b ) channel "
        "legs ( b ) }\nmodel n { inherit m channel wings ( a ) }";
    game_log log;
    SCOPED_GAME game = open_models(text, &log);
    be_lenient(game);
    const md5_model_def *const model = md5_game_model_def(game, "n", NULL);
    CHECK_UINT(model->num_other_channels, 3);
    CHECK_STRING(model->other_channels[0].name, "tail");
    CHECK_UINT(model->other_channels[0].channel.num_joints, 1);
    CHECK_UINT(model->other_channels[0].channel.joints[0], 2);
    CHECK_STRING(model->other_channels[1].name, "all");
    CHECK_STRING(model->other_channels[2].name, "wings");
    CHECK_UINT(model->channels[MD5_CHANNEL_LEGS].num_joints, 1);
    CHECK(has_logged(&log, "def/all.def:1: Unknown channel 'tail': expected torso, legs, head or "
                           "eyelids"));
}

// Keys without quotes and a key without a value. The mode of the engine makes the whole
// entityDef a default; the lenient mode keeps the valid keys and warns.
TEST (lenient_entities) {
    static const game_text texts[] = {
        {"def/a.def", "entityDef e { model \"imp\" , \"health\" \"5\" \"sign\" - \"last\" }\n"
                      "entityDef f { \"first\""}};
    game_log log;
    SCOPED_GAME game = open_texts(texts, 1, &log);
    const md5_entity_def *entity = md5_game_entity_def(game, "e", NULL);
    CHECK_UINT(entity->decl->state, MD5_DECL_DEFAULTED);
    be_lenient(game);
    entity = md5_game_entity_def(game, "e", NULL);
    CHECK_UINT(entity->decl->state, MD5_DECL_PARSED);
    CHECK_STRING(md5_entity_def_value(entity, "model"), "imp");
    CHECK_STRING(md5_entity_def_value(entity, "health"), "5");
    CHECK_STRING(md5_entity_def_value(entity, "sign"), "-"); // only } is a missing value
    CHECK(!md5_entity_def_value(entity, "last"));
    CHECK(has_logged(&log, "def/a.def:1: Expected quoted string, but found 'model': expected a key "
                           "in double quotes"));
    CHECK(has_logged(&log, "def/a.def:1: expected a value after 'last' but found '}'"));
    CHECK(md5_game_entity_def(game, "f", NULL));
    CHECK(has_logged(&log, "def/a.def:2: Unexpected end of file: expected a value"));
}

// -- Strict and lenient mode in turn --------------------------------------------------------------

// After a change of the parse mode, declarations are parsed again. Results of the other mode
// remain valid, and are returned again in that mode.
TEST (verdicts_do_not_disturb_each_other) {
    SCOPED_GAME game = open_materials("m { unknown { map a } }\nn { { map b } }", NULL);
    const md5_material *const strict = md5_game_material(game, "m", NULL);
    md5_game_material(game, "implicit", NULL);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 3);
    be_lenient(game);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 2);
    CHECK_UINT(md5_find_decl(game, MD5_DECL_MATERIAL, "n")->state, MD5_DECL_UNPARSED);
    CHECK_UINT(md5_find_decl(game, MD5_DECL_MATERIAL, "n")->index, 1);
    const md5_material *const lenient = md5_game_material(game, "m", NULL);
    CHECK_STRING(strict->stages[0].image.text, "_default");
    CHECK_STRING(lenient->stages[0].image.text, "a");
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, NULL));
    CHECK(md5_game_material(game, "m", NULL) == strict);
    CHECK_UINT(strict->decl->state, MD5_DECL_DEFAULTED);
    be_lenient(game);
    CHECK(md5_game_material(game, "m", NULL) == lenient);
}

TEST (verdicts_fail_without_memory) {
    enum { COUNT = 4000 };
    static char text[COUNT * 8 + 1];
    for (int i = 0; i < COUNT; i++)
        snprintf(text + (size_t)i * 8, 9, "m%04u{}\n", i);
    const game_text texts[] = {{"materials/a.mtr", text}};
    const md5_game_path search_path = make_game_path(texts, 1, false);
    uint32_t failed = 0;
    uint32_t changed = 0;
    for (size_t step = 1; step < 100 && changed == 0; step++) {
        test_heap heap = {.fail_at = 0};
        const md5_load_opts opts = heap_opts(&heap, 0);
        md5_error error = {0};
        md5_game *const game = md5_create_game(&search_path, 1, &opts, &error);
        if (!CHECK(game) || !CHECK(md5_game_material(game, "m0001", &error)))
            return;
        heap.fail_at = heap.num_allocs + step;
        if (md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, &error)) {
            changed++;
        } else {
            failed++;
            CHECK_UINT(error.status, MD5_ERROR_MEMORY);
            CHECK(md5_find_decl(game, MD5_DECL_MATERIAL, "m0999"));
        }
        md5_destroy_game(game);
        CHECK_UINT(heap.live_bytes, 0);
    }
    CHECK(failed > 0);
    CHECK_UINT(changed, 1);
}
