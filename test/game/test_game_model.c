// modelDefs, rule by rule, over a small mesh and two animations.
#include "test/decl/game_case.h"
#include "test/scoped.h"

static const md5_model_def *find_model(md5_game *game, const char *name)
{
    const md5_model_def *const model = md5_game_model_def(game, name, NULL);
    CHECK(model);
    return model;
}

// Checks the joints of a channel; `expected` contains their indices as digits.
static void check_channel(const md5_model_def *model, md5_channel channel, const char *expected)
{
    char joints[16] = "";
    for (uint32_t i = 0; i < model->channels[channel].num_joints; i++)
        joints[i] = (char)('0' + model->channels[channel].joints[i]);
    CHECK_STRING(joints, expected);
}

// Checks the names of the animations; `expected` contains each name followed by a space.
static void check_anims(const md5_model_def *model, const char *expected)
{
    char names[256] = "";
    for (uint32_t i = 0; i < model->num_anims; i++) {
        strcat(names, md5_model_def_anim(model, i)->name);
        strcat(names, " ");
    }
    CHECK_STRING(names, expected);
}

TEST (models_have_mesh_skin_and_offset) {
    SCOPED_GAME game =
        open_models("model m { mesh X.md5mesh skin Some\\Skin offset ( 1 -2 .5 ) }", NULL);
    const md5_model_def *const model = find_model(game, "M");
    CHECK_STRING(model->mesh, "X.md5mesh");
    CHECK_STRING(model->skin, "some/skin");
    CHECK_EXACT(model->offset.y, -2);
    CHECK_UINT(model->num_joints, 4);
    CHECK_STRING(model->joints[2].name, "b");
    check_channel(model, MD5_CHANNEL_ALL, "0123");
    CHECK(!md5_game_model_def(game, "none", NULL));
}

TEST (channels_add_and_remove_joints_from_left_to_right) {
    SCOPED_GAME game = open_models(
        "model m { mesh x.md5mesh channel torso ( *A -b ) channel Legs ( c *root -*a ) }\n"
        "model n { mesh x.md5mesh channel torso ( *root ) channel torso ( a ) channel head ( b ) "
        "}\n",
        NULL);
    check_channel(find_model(game, "m"), MD5_CHANNEL_TORSO, "1");
    check_channel(find_model(game, "m"), MD5_CHANNEL_LEGS, "30");
    // A second list replaces the first, but the joints of the first remain taken.
    check_channel(find_model(game, "n"), MD5_CHANNEL_TORSO, "");
    check_channel(find_model(game, "n"), MD5_CHANNEL_HEAD, "");
}

TEST (channels_warn_of_joints) {
    game_log log;
    SCOPED_GAME game = open_models(
        "model m { mesh x.md5mesh\nchannel torso ( a nobody )\nchannel head ( *a ) }", &log);
    check_channel(find_model(game, "m"), MD5_CHANNEL_HEAD, "2");
    has_logged(&log, "def/all.def:2: Unknown joint 'nobody' in 'a nobody ' for model 'm'");
    has_logged(&log, "def/all.def:3: Joint 'a' assigned to multiple channels");
}

TEST (anims_have_aliases_files_and_flags) {
    SCOPED_GAME game =
        open_models("model m { mesh x.md5mesh anim pain_12 three.md5anim , three.md5anim { "
                    "ai_no_turn anim_turn } anim run two.md5anim }",
                    NULL);
    const md5_model_def *const model = find_model(game, "m");
    check_anims(model, "pain_12 run ");
    const md5_model_anim *const anim = md5_model_def_anim(model, 0);
    CHECK_STRING(anim->alias, "pain_");
    CHECK_UINT(anim->num_files, 2);
    CHECK_STRING(anim->files[1], "three.md5anim");
    CHECK_UINT(anim->num_frames, 3);
    CHECK_UINT(anim->milliseconds, 84); // 2 frames of 1/24 s: 83.3, rounded up
    CHECK_UINT(anim->flags, MD5_ANIM_NO_TURN | MD5_ANIM_TURN);
}

TEST (frame_commands_are_sorted_by_frame) {
    SCOPED_GAME game = open_models(
        "model m { mesh x.md5mesh anim run three.md5anim { frame 3 footstep frame 1 sound snd_x\n"
        "frame 3 muzzle_flash B frame 2.5 muzzle_flash \"\" frame 1 skin none\n"
        "frame 1 fire_missile_at_target c goal frame 1 start_emitter e a smoke frame 1 "
        "disableLegIK 2 frame 2 aviGame\n} }",
        NULL);
    const md5_model_anim *const anim = md5_model_def_anim(find_model(game, "m"), 0);
    static const md5_frame_command expected[] = {
        {1, MD5_FRAME_SOUND, "snd_x", MD5_NONE, 0},
        {1, MD5_FRAME_SKIN, "none", MD5_NONE, 0},
        {1, MD5_FRAME_FIRE_MISSILE_AT_TARGET, "goal", 3, 0},
        {1, MD5_FRAME_START_EMITTER, "e smoke", 1, 0},
        {1, MD5_FRAME_DISABLE_LEG_IK, "", MD5_NONE, 2},
        {2, MD5_FRAME_MUZZLE_FLASH, "", MD5_NONE, 0},
        {2, MD5_FRAME_AVI_GAME, "", MD5_NONE, 0},
        {3, MD5_FRAME_FOOTSTEP, "", MD5_NONE, 0},
        {3, MD5_FRAME_MUZZLE_FLASH, "B", 2, 0},
    };
    enum { COUNT = COUNT_OF(expected) };
    CHECK_UINT(anim->num_commands, COUNT);
    for (uint32_t i = 0; i < COUNT && i < anim->num_commands; i++) {
        const md5_frame_command *const command = &anim->commands[i];
        CHECK_UINT(command->frame, expected[i].frame);
        CHECK_UINT(command->code, expected[i].code);
        CHECK_STRING(command->text, expected[i].text);
        CHECK(command->joint == expected[i].joint && command->leg == expected[i].leg);
    }
}

TEST (models_inherit_replace_and_remove) {
    SCOPED_GAME game = open_models(
        "model child { inherit base anim kick two.md5anim anim new two.md5anim remove pain }\n"
        "model base { mesh x.md5mesh channel torso ( *a ) anim walk1 two.md5anim\n"
        "anim kick three.md5anim { ai_no_turn } anim pain1 two.md5anim anim pain2 two.md5anim }\n",
        NULL);
    const md5_model_def *const child = find_model(game, "child");
    check_anims(child, "walk1 kick new ");
    CHECK_UINT(md5_model_def_anim(child, 1)->num_frames, 2);
    CHECK_UINT(md5_model_def_anim(child, 1)->flags, 0);
    check_channel(child, MD5_CHANNEL_TORSO, "12");
    check_anims(find_model(game, "base"), "walk1 kick pain1 pain2 ");
}

static void check_defaulted(const char *text, const char *line)
{
    game_log log;
    SCOPED_GAME game = open_models(text, &log);
    const md5_model_def *const model = find_model(game, "m");
    CHECK_UINT(model->decl->state, MD5_DECL_DEFAULTED);
    CHECK_STRING(model->mesh, "");
    CHECK_UINT(model->num_anims + model->num_joints, 0);
    has_logged(&log, line);
}

#define WITH_MESH(text) "model m { mesh x.md5mesh\n" text " }"
#define WITH_ANIM(text) WITH_MESH("anim run two.md5anim { " text " }")

TEST (errors_default_a_model) {
    check_defaulted("model m { anim run two.md5anim }",
                    "def/all.def:1: Must specify mesh before defining anims");
    check_defaulted("model m { channel head ( a ) }",
                    "def/all.def:1: Must specify mesh before defining channels");
    check_defaulted("model m { mesh x.MD5MESH }", "def/all.def:1: Invalid model for MD5 mesh");
    check_defaulted("model m { mesh y.md5mesh }", "def/all.def:1: Model 'y.md5mesh' defaulted");
    check_defaulted(WITH_MESH("Anim run two.md5anim"), "def/all.def:2: unknown token 'Anim'");
    check_defaulted(WITH_MESH("anim 12 two.md5anim"), "def/all.def:2: Invalid animation name '12'");
    check_defaulted(WITH_MESH("anim w1 two.md5anim"), "def/all.def:2: Invalid animation name 'w1'");
    check_defaulted(WITH_MESH("anim run one.md5anim"),
                    "def/all.def:2: Couldn't load anim 'one.md5anim'");
    check_defaulted(
        WITH_MESH("anim run two.md5anim,three.md5anim"),
        "def/all.def:2: Anim 'three.md5anim' does not match length of anim 'two.md5anim'");
    check_defaulted(WITH_MESH("anim run two.md5anim,two.md5anim,two.md5anim,two.md5anim"),
                    "def/all.def:2: Exceeded max synced anims (3)");
    check_defaulted(WITH_MESH("anim run two.md5anim anim run two.md5anim"),
                    "def/all.def:2: Duplicate anim 'run'");
    check_defaulted(WITH_MESH("channel all ( a )"), "def/all.def:2: Unknown channel 'all'");
    check_defaulted(
        WITH_MESH("anim run two.md5anim remove run"),
        "def/all.def:2: Anim 'run' was not inherited.  Anim should be removed from the model def.");
    check_defaulted(WITH_MESH("remove run"), "def/all.def:2: Couldn't find anim 'run' to remove");
    check_defaulted(WITH_MESH("offset 1 2 3"), "def/all.def:2: Expected vector following 'offset'");
    check_defaulted("model m { inherit n } model n { wrong }",
                    "def/all.def:1: inherited model definition 'n' defaulted");
}

TEST (errors_in_frame_commands_default_a_model) {
    check_defaulted(WITH_ANIM("frame 0 jump"), "def/all.def:2: Frame 0 out of range");
    check_defaulted(WITH_ANIM("frame 3 jump"), "def/all.def:2: Frame 3 out of range");
    check_defaulted(WITH_ANIM("frame 1\njump"), "def/all.def:2: Unexpected end of line");
    check_defaulted(WITH_ANIM("frame 1 call\nf"), "def/all.def:2: Unexpected end of line");
    check_defaulted(WITH_ANIM("frame 1 dance"), "def/all.def:2: Unknown command 'dance'");
    check_defaulted(WITH_ANIM("frame - 1 jump"), "def/all.def:2: Invalid frame # after 'frame'");
    check_defaulted(WITH_ANIM("frame 1 launch_missile nobody"),
                    "def/all.def:2: Joint 'nobody' not found");
    check_defaulted(WITH_ANIM("rate 2"), "def/all.def:2: Unknown command 'rate'");
}

TEST (long_lines_of_parents_are_no_deep_recursion) {
    enum { COUNT = 20000 };
    SCOPED_TEXT text = {0};
    for (int i = COUNT; i > 0; i--)
        test_append(&text, "model m%d { inherit m%d }\n", i, i - 1);
    test_append(&text, "model m0 { offset ( 7 0 0 ) }");
    SCOPED_GAME game = open_models(text.bytes, NULL);
    CHECK_EXACT(find_model(game, "m20000")->offset.x, 7);
}

TEST (models_that_inherit_themselves_end) {
    game_log log;
    SCOPED_GAME game = open_models(
        "model a { inherit b offset ( 1 0 0 ) } model b { inherit a } model c { inherit c }", &log);
    CHECK_EXACT(find_model(game, "a")->offset.x, 1);
    CHECK_UINT(find_model(game, "b")->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(find_model(game, "c")->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(log.count, 0);
}

TEST (models_survive_failure_of_every_allocation) {
    static const game_text texts[] = {
        {"def/all.def",
         "model b { inherit m remove run skin s }\n"
         "model m { mesh x.md5mesh channel head ( *a ) anim run two.md5anim { frame 1 call f } }"},
        {"x.md5mesh", game_mesh},
        {"two.md5anim", game_anim2},
    };
    const md5_game_path search_path = make_game_path(texts, 3, false);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_GAME game = md5_create_game(&search_path, 1, &failure.opts, &failure.error);
        const md5_model_def *const model =
            game ? md5_game_model_def(game, "b", &failure.error) : NULL;
        CHECK(model ? model->num_joints == 4 : failure.error.status == MD5_ERROR_MEMORY);
    }
}

// -- Model chain ----------------------------------------------------------------------------------

// modelDefs that inherit each other in long chains and in trees: their contents, compared with
// lists that are copied, and their memory.

// -- Chains ---------------------------------------------------------------------------------------

// Writes a text in which # is replaced by a number, and @ by the number minus one.
static void write_form(test_text *text, const char *form, int number)
{
    for (; *form; form++) {
        if (*form == '#' || *form == '@')
            test_append(text, "%d", number - (*form == '@'));
        else
            test_append(text, "%c", *form);
    }
}

// Returns a chain m0, m1 ... of models, which the caller must free. `form` is the text of each
// model: see write_form().
static char *write_chain(int count, const char *first, const char *form)
{
    test_text text = {0};
    test_append(&text, "model m0 { mesh x.md5mesh channel torso ( *a ) %s }\n", first);
    for (int i = 1; i <= count; i++) {
        write_form(&text, "model m# { inherit m@ ", i);
        write_form(&text, form, i);
        write_form(&text, " }\n", i);
    }
    return text.bytes;
}

static md5_game *open_chain(const char *text, test_heap *heap)
{
    static game_text texts[3] = {
        {"x.md5mesh", game_mesh}, {"two.md5anim", game_anim2}, {"def/all.def", NULL}};
    static md5_game_path search_path;
    texts[2].text = text;
    search_path = make_game_path(texts, 3, false);
    const md5_load_opts opts = {
        .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = heap}};
    md5_game *const game = md5_create_game(&search_path, 1, &opts, NULL);
    CHECK(game && md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, NULL));
    return game;
}

// Returns the memory of parsing all models of a chain, bytes.
static size_t chain_size(int count, const char *first, const char *form, uint32_t num_anims)
{
    SCOPED_STRING text = write_chain(count, first, form);
    test_heap heap = {.fail_at = 0};
    md5_game *const game = open_chain(text, &heap);
    const size_t initial_bytes = heap.live_bytes;
    char name[16];
    for (int i = count; i >= 0; i--) {
        snprintf(name, sizeof name, "m%d", i);
        const md5_model_def *const model = md5_game_model_def(game, name, NULL);
        CHECK(model && model->decl->state == MD5_DECL_PARSED);
        CHECK_UINT(model->channels[MD5_CHANNEL_TORSO].num_joints, 2);
        if (i == count)
            CHECK_UINT(model->num_anims, num_anims);
    }
    const size_t size = heap.peak_bytes - initial_bytes;
    md5_destroy_game(game);
    CHECK_UINT(heap.live, 0);
    return size;
}

// Checks that a chain four times as long takes about four times the memory. Lists that are copied
// would take sixteen times. The depth of arrays grows with the logarithm of their length; memory
// comes in chunks that double.
static void check_growth(const char *first, const char *form, uint32_t few, uint32_t many)
{
    const size_t small = chain_size(5000, first, form, few);
    const size_t large = chain_size(20000, first, form, many);
    CHECK_THAT(large < 6 * small, "%s: %zu bytes, then %zu", form, small, large);
    CHECK_THAT(large < (size_t)20000 * 6000, "%s: %zu bytes", form, large);
}

TEST (chains_that_add_animations_take_linear_memory) {
    check_growth("", "anim add#x two.md5anim", 5000, 20000);
}

TEST (chains_that_replace_animations_take_linear_memory) {
    check_growth("anim one two.md5anim anim two two.md5anim", "anim one two.md5anim { ai_no_turn }",
                 2, 2);
}

TEST (chains_that_remove_what_the_last_link_added_take_linear_memory) {
    check_growth("anim add0x two.md5anim", "anim add#x two.md5anim remove add@x", 1, 1);
}

TEST (chains_that_only_inherit_take_little_memory) {
    check_growth("anim one two.md5anim", "skin s#", 1, 1);
}

TEST (models_inherit_all_animations_of_a_long_chain) {
    SCOPED_STRING text = write_chain(1000, "", "anim add#x two.md5anim");
    SCOPED_GAME game = open_models(text, NULL);
    const md5_model_def *const last = md5_game_model_def(game, "m1000", NULL);
    const md5_model_def *const middle = md5_game_model_def(game, "m400", NULL);
    CHECK_UINT(middle->num_anims, 400);
    CHECK_STRING(md5_model_def_anim(middle, 399)->name, "add400x");
    CHECK_STRING(md5_model_def_anim(last, 0)->name, "add1x");
    CHECK_STRING(md5_model_def_anim(last, 999)->name, "add1000x");
    CHECK(md5_model_def_anim(last, 17) == md5_model_def_anim(middle, 17));
    CHECK(last->channels[MD5_CHANNEL_TORSO].joints == middle->channels[MD5_CHANNEL_TORSO].joints);
}

TEST (models_in_a_ring_inherit_those_that_are_parsed_before_them) {
    game_log log;
    SCOPED_GAME game = open_models("model a { inherit b mesh x.md5mesh anim aa two.md5anim }\n"
                                   "model b { inherit c mesh x.md5mesh anim bb two.md5anim }\n"
                                   "model c { inherit a mesh x.md5mesh anim cc two.md5anim }\n"
                                   "model d { inherit d mesh x.md5mesh anim dd two.md5anim }\n",
                                   &log);
    // a inherits b, b inherits c, and c inherits a, which is being parsed and has nothing yet.
    CHECK_UINT(md5_game_model_def(game, "a", NULL)->num_anims, 3);
    CHECK_UINT(md5_game_model_def(game, "b", NULL)->num_anims, 2);
    CHECK_UINT(md5_game_model_def(game, "c", NULL)->num_anims, 1);
    CHECK_UINT(md5_game_model_def(game, "d", NULL)->num_anims, 1);
    CHECK_UINT(log.count, 0);
}

// -- Trees, against lists that are copied ---------------------------------------------------------

enum { NUM_MODELS = 120, MAX_ANIMS = 400, NAME = 8 };

typedef struct plain_model {
    char names[MAX_ANIMS][NAME];
    bool is_two[MAX_ANIMS]; // true: clips of two.md5anim; false: clips of three.md5anim
    int count, num_inherited;
} plain_model;

static bool has_alias(const char *name, const char *alias)
{
    size_t size = strlen(name);
    while (size > 1 && name[size - 1] >= '0' && name[size - 1] <= '9')
        size--;
    return strlen(alias) == size && strncmp(name, alias, size) == 0;
}

// Adds or replaces an animation. Returns false if the engine would not.
static bool add_plain(plain_model *model, const char *name, bool is_two)
{
    int at = model->count - 1;
    while (at >= 0 && strcmp(model->names[at], name) != 0)
        at--;

    if (at >= model->num_inherited || model->count == MAX_ANIMS)
        return false;
    if (at < 0) {
        at = model->count++;
        strcpy(model->names[at], name);
    }
    model->is_two[at] = is_two;
    return true;
}

// Removes the animations of an alias or a name. Returns false if the engine would not.
static bool remove_plain(plain_model *model, const char *name)
{
    plain_model kept = {.count = 0};
    for (int i = 0; i < model->count; i++) {
        const bool is_replaced =
            has_alias(model->names[i], name) || strcmp(model->names[i], name) == 0;
        if (is_replaced && i >= model->num_inherited)
            return false;
        if (is_replaced)
            continue;
        strcpy(kept.names[kept.count], model->names[i]);
        kept.is_two[kept.count++] = model->is_two[i];
        kept.num_inherited += i < model->num_inherited;
    }
    if (kept.count == model->count)
        return false;
    *model = kept;
    return true;
}

// Writes a random change that the engine allows, and makes it.
static void write_change(test_text *text, plain_model *model, uint64_t *random)
{
    STRINGS(aliases) = {"run", "pain_", "walk", "kick", "die"};
    const char *const alias = aliases[test_random_u32(random) % 5];
    const uint32_t number = test_random_u32(random) % 12;
    const bool is_two = test_random_u32(random) % 2 == 0;
    char name[NAME];
    snprintf(name, sizeof name, "%s%u", alias, number);
    const bool is_integer = number < 10;
    if (test_random_u32(random) % 3 > 0 && add_plain(model, name, is_two)) {
        test_append(text, " anim %s %s.md5anim", name, is_two ? "two" : "three");
        return;
    }
    if (remove_plain(model, is_integer ? name : alias))
        test_append(text, " remove %s", is_integer ? name : alias);
}

TEST (inherited_animations_equal_those_of_copied_lists) {
    static plain_model models[NUM_MODELS];
    SCOPED_TEXT text = {0};
    uint64_t random = 11;
    test_append(&text, "model m0 { mesh x.md5mesh }\n");
    for (int i = 1; i < NUM_MODELS; i++) {
        const int parent = (int)(test_random_u32(&random) % (uint32_t)i);
        models[i] = models[parent];
        models[i].num_inherited = models[i].count;
        test_append(&text, "model m%d { inherit m%d", i, parent);
        for (int change = 0; change < 12; change++)
            write_change(&text, &models[i], &random);
        test_append(&text, " }\n");
    }
    game_log log;
    SCOPED_GAME game = open_models(text.bytes, &log);
    for (int i = NUM_MODELS - 1; i >= 0; i--) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        const md5_model_def *const model = md5_game_model_def(game, name, NULL);
        CHECK_UINT(model->num_anims, (uint32_t)models[i].count);
        for (int j = 0; j < models[i].count && (uint32_t)j < model->num_anims; j++) {
            const md5_model_anim *const anim = md5_model_def_anim(model, (uint32_t)j);
            CHECK_STRING(anim->name, models[i].names[j]);
            CHECK_UINT(anim->num_frames, models[i].is_two[j] ? 2 : 3);
            CHECK(has_alias(anim->name, anim->alias));
        }
    }
    CHECK_UINT(log.count, 0);
}

// A `mesh` in a child releases the joints of its parents' channels. Additions of a child do not
// change the parent.
TEST (channels_of_parents_are_not_changed_by_children) {
    SCOPED_GAME game = open_models(
        "model m { mesh x.md5mesh channel torso ( a ) channel tail ( c ) }\n"
        "model n { inherit m channel legs ( root ) channel tail ( b ) channel ear ( b ) }\n"
        "model o { inherit n mesh x.md5mesh channel head ( *root ) }\n",
        NULL);
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL));
    const md5_model_def *const m = md5_game_model_def(game, "m", NULL);
    const md5_model_def *const n = md5_game_model_def(game, "n", NULL);
    const md5_model_def *const o = md5_game_model_def(game, "o", NULL);
    CHECK_UINT(m->num_other_channels, 1);
    CHECK_UINT(m->other_channels[0].channel.joints[0], 3);
    CHECK_UINT(m->channels[MD5_CHANNEL_LEGS].num_joints, 0);
    CHECK_UINT(n->num_other_channels, 2);
    CHECK_UINT(n->other_channels[0].channel.joints[0], 2);
    CHECK_UINT(n->channels[MD5_CHANNEL_TORSO].joints[0], 1);
    CHECK_UINT(n->channels[MD5_CHANNEL_LEGS].joints[0], 0);
    CHECK_UINT(o->num_other_channels, 2);
    CHECK_UINT(o->channels[MD5_CHANNEL_HEAD].num_joints, 4); // `mesh` frees all joints
    CHECK_UINT(o->channels[MD5_CHANNEL_ALL].num_joints, 4);
}

TEST (models_have_a_limit_of_unknown_channels) {
    enum { LIMIT = 256 };
    for (uint32_t count = LIMIT; count <= LIMIT + 1; count++) {
        test_text text = {0};
        test_append(&text, "model m { mesh x.md5mesh\n");
        for (uint32_t i = 0; i < count; i++)
            test_append(&text, "channel ear%u ( a )\n", i);
        test_append(&text, "channel ear0 ( b ) }\n");
        SCOPED_GAME game = open_models(text.bytes, NULL);
        CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL));
        const md5_model_def *const model = md5_game_model_def(game, "m", NULL);
        REQUIRE(model);
        CHECK_UINT(model->num_other_channels, LIMIT);
        CHECK_UINT(model->other_channels[0].channel.joints[0], 2); // a known name is replaced
        free(text.bytes);
    }
}

// Writes a mesh file with the joints j0, j1 ..., which are children of j0.
static char *write_joints(uint32_t count)
{
    test_text text = {0};
    test_append(&text, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes 0\njoints {\n",
                count);
    for (uint32_t i = 0; i < count; i++)
        test_append(&text, "\"j%u\" %d ( 0 0 0 ) ( 0 0 0 )\n", i, i > 0 ? 0 : -1);
    test_append(&text, "}\n");
    return text.bytes;
}

// `mesh` and each `channel` charge the number of joints to a budget of all models of a game. The
// first model uses the budget up exactly, without an error. The second model needs one joint more.
TEST (models_have_a_limit_of_joints_in_all_channels) {
    enum { NUM_JOINTS = 8192, LIMIT = 8 << 20, NUM_CHANNELS = LIMIT / NUM_JOINTS - 1 };
    test_text text = {0};
    test_append(&text, "model full { mesh many.md5mesh\n");
    for (uint32_t i = 0; i < NUM_CHANNELS; i++)
        test_append(&text, "channel torso ( )\n");
    test_append(&text, "}\nmodel more { mesh one.md5mesh }\n");
    char *const many = write_joints(NUM_JOINTS);
    char *const single_joint = write_joints(1);
    const game_text texts[] = {
        {"def/all.def", text.bytes}, {"many.md5mesh", many}, {"one.md5mesh", single_joint}};
    game_log log;
    SCOPED_GAME game = open_texts(texts, 3, &log);
    const md5_model_def *const full = find_model(game, "full");
    CHECK_UINT(log.count, 0);
    CHECK_UINT(full->decl->state, MD5_DECL_PARSED);
    CHECK_UINT(full->num_joints, NUM_JOINTS);

    char line[128];
    CHECK_UINT(find_model(game, "more")->decl->state, MD5_DECL_DEFAULTED);
    snprintf(line, sizeof line,
             "def/all.def:%d: Too many joints in the channels of all models (limit %d)",
             NUM_CHANNELS + 3, LIMIT);
    CHECK(has_logged(&log, line));
    free(text.bytes);
    free(many);
    free(single_joint);
}

// Animations that the mesh does not fit end Doom 3; in lenient mode they are accepted.
TEST (animations_have_the_joints_of_the_mesh) {
    static const struct {
        const char *from;
        const char *to;
        const char *difference;
    } cases[] = {
        {"\"b\" 1", "\"B\" 1", "name"},
        {"\"b\" 1", "\"b\" 0", "parent"},
        {"\"c\" 0 ( 0 0 0 ) ( 0 0 0 )", "", "number"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char mesh[1024], line[256];
        const char *const at = strstr(game_mesh, cases[i].from);
        snprintf(mesh, sizeof mesh, "%.*s%s%s", (int)(at - game_mesh), game_mesh, cases[i].to,
                 at + strlen(cases[i].from));
        char *const count = strstr(mesh, "numJoints 4");
        count[strlen("numJoints ")] = cases[i].to[0] ? '4' : '3';
        const game_text texts[] = {
            {"def/all.def", "model m { mesh x.md5mesh anim run two.md5anim }"},
            {"x.md5mesh", mesh},
            {"two.md5anim", game_anim2}};
        game_log log;
        SCOPED_GAME game = open_texts(texts, 3, &log);
        const md5_model_def *const model = find_model(game, "m");
        CHECK_UINT(model->decl->state, MD5_DECL_DEFAULTED);
        snprintf(line, sizeof line,
                 "def/all.def:1: Model 'x.md5mesh' and anim 'two.md5anim' differ in the %s%s: the "
                 "game ends with an error",
                 cases[i].difference, cases[i].to[0] ? " of a joint" : " of joints");
        CHECK(has_logged(&log, line));
        md5_error error = {0};
        CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, &error));
        CHECK_UINT(md5_game_model_def(game, "m", &error)->num_anims, 1);
    }
}
