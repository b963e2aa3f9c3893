// States of scripts, compared with the original engine (MD5_CORPUS, golden/d3char; its FORMAT.md
// explains the table), and errors in scripts.
#include "test/game/entity_case.h"
#include "test/game/saved_bytes.h"
#include "test/scoped.h"

// -- The probe ------------------------------------------------------------------------------------

// A clip that a channel plays. md5_actor_channel() only returns the newest clip of a channel.
typedef struct played_clip {
    uint32_t clip; // MD5_NONE if the channel plays fewer clips
    uint32_t fade_duration;
    int64_t start;
    int64_t end;
    int64_t fade_start;
    float from_weight;
    float to_weight;
    int32_t cycles;
    float rate;
    int64_t offset;
} played_clip;

// Reads a clip of a channel from the bytes of a saved actor. The clips of a channel are ordered
// from new to old.
static played_clip read_played_clip(const md5_actor *actor, int channel, int index)
{
    // Each clip is saved twice: its current state, and its state in the last pose.
    enum { FIRST_SLOT = 68, SLOT_SIZE = 64, SLOTS_PER_CHANNEL = 3 };
    unsigned char bytes[MD5_ACTOR_SAVE_SIZE];
    md5_actor_save(actor, bytes);
    const int slot_index = 2 * (SLOTS_PER_CHANNEL * channel + index);
    const unsigned char *const slot = bytes + FIRST_SLOT + (size_t)slot_index * SLOT_SIZE;
    return (played_clip){
        .clip = (uint32_t)read_saved_integer(slot, 4),
        .fade_duration = (uint32_t)read_saved_integer(slot + 12, 4),
        .start = (int64_t)read_saved_integer(slot + 16, 8),
        .end = (int64_t)read_saved_integer(slot + 24, 8),
        .fade_start = (int64_t)read_saved_integer(slot + 32, 8),
        .from_weight = read_saved_float(slot + 40),
        .to_weight = read_saved_float(slot + 44),
        .cycles = (int32_t)read_saved_integer(slot + 48, 4),
        .rate = read_saved_float(slot + 52),
        .offset = (int64_t)read_saved_integer(slot + 56, 8),
    };
}

// Appends the part of the clip's line in the table that precedes the weights.
static void print_played_clip(test_text *text, int channel, int index, const md5_entity *entity,
                              const played_clip *slot)
{
    if (slot->clip == MD5_NONE)
        return;
    test_append(text, "p %d %d %s %lld %lld %lld %g %d %lld %u", channel, index,
                entity->clips[slot->clip].anim->name, (long long)slot->start, (long long)slot->end,
                (long long)slot->offset, (double)slot->rate, slot->cycles,
                (long long)slot->fade_start, slot->fade_duration);
}

TEST (states_play_as_in_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING table = read_golden("d3char/states.txt", NULL);
    REQUIRE(game && table);
    SCOPED_ENTITY entity = md5_load_entity(game, "probe_stilt", NULL, NULL);
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    md5_error error = {0};
    const md5_load_opts opts = {.files = md5_game_files(game)};
    SCOPED_SCRIPT script =
        md5_load_script("script/doom_main.script", "probe", entity, &opts, &error);
    CHECK_STRING(error.message, "");
    REQUIRE(entity && actor && script);
    const md5_states_desc desc = {.script = script, .entity = entity, .body = actor};
    SCOPED_STATES states = md5_create_states(&desc, NULL, &error);
    REQUIRE(states);
    md5_actor_set_in_place(actor, true);
    double origin = 300.0;
    long long last_time = 0;
    unsigned num_ticks = 0;
    unsigned num_slots = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char name[64], clip[64];
        double x;
        long long time;
        int channel;
        int slot;
        int end;
        if (sscanf(line, "setState %63s at %lld", name, &time) == 2) {
            md5_states_advance(states, (uint32_t)(time - last_time), NULL, NULL);
            last_time = time;
            CHECK(md5_states_set(states, MD5_CHANNEL_ALL, name, 0));
        } else if (sscanf(line, "f %lld probe::%63s %lf", &time, name, &x) == 3) {
            md5_states_advance(states, (uint32_t)(time - last_time), NULL, NULL);
            last_time = time;
            origin += (double)md5_actor_root_motion(actor).translation.x;
            CHECK_STRING(md5_states_channel(states, MD5_CHANNEL_ALL).name, name);
            CHECK_THAT(fabs(origin - x) <= 1e-2, "at %lld: at %g, expected %g", time, origin, x);
            num_ticks++;
        } else if (sscanf(line, "c %d", &channel) == 1) {
            const md5_channel_state state = md5_states_channel(states, (md5_channel)channel);
            char actual[128];
            snprintf(actual, sizeof actual, "c %d %s %u %u %d %d", channel, state.name, state.blend,
                     state.last_blend, state.is_idle, state.is_disabled);
            CHECK_STRING(actual, line);
        } else if (sscanf(line, "p %d %d %63s", &channel, &slot, clip) == 3) {
            test_text actual = {0};
            const played_clip played = read_played_clip(actor, channel, slot);
            print_played_clip(&actual, channel, slot, entity, &played);
            end = (int)actual.used;
            double from;
            double to;
            double weight;
            CHECK_THAT(strncmp(line, actual.bytes, actual.used) == 0, "at %lld: %s, expected %s",
                       last_time, actual.bytes, line);
            REQUIRE(sscanf(line + end, "%lf %lf %lf", &from, &to, &weight) == 3);
            CHECK_NEAR(played.from_weight, from, 1e-6);
            CHECK_NEAR(played.to_weight, to, 1e-6);
            const double passed =
                fmin(fmax((double)(last_time - played.fade_start), 0.0), played.fade_duration);
            const double part = played.fade_duration > 0 ? passed / played.fade_duration : 1.0;
            CHECK_NEAR(played.from_weight + (played.to_weight - played.from_weight) * part, weight,
                       1e-6);
            free(actual.bytes);
            num_slots++;
        }
    }
    CHECK_UINT(num_ticks, 600);
    CHECK(num_slots > 1200);
}

// -- Scripts in memory ----------------------------------------------------------------------------

static const void *open_script(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)error;
    const game_text *text = user;
    while (text->name && strcmp(text->name, path) != 0)
        text++;
    *size = text->name ? strlen(text->text) : 0;
    return text->name ? test_copy(text->text, *size) : NULL;
}

static void close_script(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

// The last entry of the files does not have a name. The object is "o" of a.script.
static md5_script *load(const game_text *texts, md5_load_opts opts, md5_error *error)
{
    opts.files = (md5_files){open_script, close_script, (void *)(uintptr_t)texts};
    return md5_load_script("a.script", "o", NULL, &opts, error);
}

#define HEAD                                                                              \
    "#include \"b.script\"\n"                                                             \
    "object base { float r; boolean AI_PAIN; string word; vector v; float two();\n"       \
    "float three() { return r + 3; } };\n"                                                \
    "object o : base { float two(); void Torso_A(); void Legs_A(); };\n"                  \
    "float base::two() { return 1; } float o::two() { return 2; }\n"                      \
    "float times( float a, float b ) { return a * b; } float global = -3;\n"              \
    "namespace outer { namespace inner { float one() { return 1; } }\n"                   \
    "float six() { return two() * 3; } float two() { return 2; } entity none = $box; }\n" \
    "void o::Legs_A() { while ( 1 ) { waitFrame(); } }\n"
static const char macros[] = "/* shared */ #define TWICE( x ) ( ( x ) * 2 )\n"
                             "#define QUAD( x ) TWICE( TWICE( x ) ) // of both\n"
                             "#define waitUntil( x ) while ( !( x ) ) \\\n { waitFrame(); }\n"
                             "#define eachFrame for ( ; 1; waitFrame() )\n"
                             "#include \"a.script\"\n";

// Creates a monster of the model "body" in the state Torso_A of a script with this statement.
typedef struct script_case {
    actor_stage stage;
    md5_script *script;
    md5_states *states;
    md5_error error;
    game_log log;
} script_case;

static bool open_case(script_case *fixture, const char *statement)
{
    *fixture = (script_case){.script = NULL};
    test_text text = {0};
    test_append(&text, HEAD "void o::Torso_A() {\n%s\n}\n", statement);
    const game_text texts[] = {{"a.script", text.bytes}, {"b.script", macros}, {NULL, NULL}};
    open_stage(&fixture->stage);
    const md5_load_opts opts = {.warn = log_warning, .warn_user = &fixture->log};
    fixture->script = load(texts, opts, &fixture->error);
    free(text.bytes);
    if (!fixture->script)
        return false;
    const md5_states_desc desc = {
        .script = fixture->script, .entity = fixture->stage.entity, .body = fixture->stage.actor};
    fixture->states = md5_create_states(&desc, NULL, NULL);
    CHECK(md5_states_set(fixture->states, MD5_CHANNEL_TORSO, "Torso_A", 0));
    return true;
}

static void close_case(script_case *fixture)
{
    md5_destroy_states(fixture->states);
    md5_free_script(fixture->script);
    close_stage(&fixture->stage);
}

typedef struct script_row {
    const char *statement;
    double expected; // expected value of r
} script_row;

TEST (scripts_evaluate_expressions_by_the_rules_of_the_language) {
    static const script_row rows[] = {
        {"r = 1 + 2 * 3;", 7},
        {"r = ( 1 + 2 ) * 3;", 9},
        {"r = 7 / 2 - -1;", 4.5},
        {"r = 7 - 2 - 1;", 4},
        {"r = 7 % 4 + ( 6 & 3 ) + ( 4 | 1 );", 10},
        {"r = -7 % 3;", -1}, // the result has the sign of the first operand, as in C++
        {"r = 7 % -3;", 1},
        {"r = -7 % -3;", -1},
        {"r = ( 1 <= 1 ) + ( 2 >= 3 ) * 10 + ( 1 != 2 ) * 100 + ( 0 || 2 ) * 1000;", 1101},
        {"r = ( 2 > 1 && 0 );", 0},
        {"r = ( !1 == 2 );", 1}, // ! covers comparisons
        {"float a; r = a = 5; r += a; r *= 2; r -= 1; r++;", 20},
        {"vector w = '1 2 3'; w_y = 5; r = w * '1 1 1';", 9},
        {"v = '3 0 4' * 2; r = v * '1 0 1' + v_z;", 22},
        {"string s = \"a\" + 1; r = ( s + word == \"a1\" );", 1},
        {"float i; for ( i = 0; i < 5; i++ ) { if ( i == 3 ) { continue; } r += i; }", 7},
        {"float i = 3; do { r = r * 10 + i; i--; } while ( i > 0 );", 321},
        {"while ( 1 ) { r = 4; break; r = 5; }", 4},
        {"if ( 0 ) if ( 1 ) r = 1; else r = 2; r += 4;", 4},
        {"if ( 0 ) { r = 1; } else if ( 1 ) { r = 2; } else { r = 3; }", 2},
        {"r = two() * 100 + base::two() * 10 + self.two();", 212},
        {"r = times( 4, times( 1, 3 ) ) + global;", 9},
        {"r = 1; return; r = 2;", 1},
        {"r = QUAD( 3 + 1 ) + TWICE( times( 1, 2 ) );", 20},
        {"r = nothing( 3 ) + sys.getTime() + $box.getKey( \"a\" ) + 2;", 2},
        {"eachFrame { r++; if ( r == 3 ) { break; } }", 1},
        {"waitUntil( AI_PAIN ); r = 1;", 0},
        {"r = hasAnim( 1, \"walk\" ) + hasAnim( 1, \"swim\" ) * 10 + animLength( 1, \"walk\" );",
         1.4},
        {"r = animDistance( 2, \"walk\" ) + playAnim( 1, \"swim\" );", 40},
        {"r = random( 4 ) + getFloatKey( \"none\" );", 2},
        {"r = three() + outer::six() * 10 + inner::one() * 100;", 163},
        {"thread ( times( 2, 3 ) ); r = 1;", 1},
        {"\n#ifdef QUAD\nr = 1;\n#else\nr = 2;\n#endif\n", 1},
        {"\n#ifndef QUAD\nr = 1;\n#ifdef NONE\n#else\n#endif\n#else\nr = 2;\n#endif\n", 2},
        {"\n#undef QUAD\n#ifdef QUAD\n#include \"none\"\n#endif\nr = 1;", 1},
        {"r = 1.5f + int( 2.75 ) + int( -2.75 ) + .25F;", 1.75},
        {"r = -2 + 5;", 3},
        // The engine has the same results: see neo/game/script/Script_Compiler.cpp of dhewm3, the
        // priorities in GetTerm() and the patches of loops, and Script_Interpreter.cpp, OP_DIV_F.
        {"float a = 2; r = -a + 5;", -7}, // - of a variable covers sums, as ! does
        {"float a = 1, b = 0; r = ( a = a && b ) + a * 10;", 10}, // = binds tighter than &&
        {"float a; do { a++; if ( a < 3 ) { continue; } r = a; } while ( 0 );", 3}, // not tested
        {"for ( r = 1, r++; r < 5; r++, r++ ) { }", 6},
        {"float a = 5; r = a % 0 + ( a / 0 == 1e30 ) * 10;", 15},
    };
    for (size_t j = 0; j < COUNT_OF(rows); j++) {
        const script_row *const row = &rows[j];
        script_case fixture;
        if (CHECK_THAT(open_case(&fixture, row->statement), "%s: %s", row->statement,
                       fixture.error.message)) {
            md5_states_advance(fixture.states, 0, NULL, NULL);
            const double r = (double)md5_states_variable(fixture.states, "r");
            CHECK_THAT(fabs(r - row->expected) <= 1e-6, "%s: %g, expected %g", row->statement, r,
                       row->expected);
        }
        close_case(&fixture);
    }
}

static void count_command(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                          md5_channel channel)
{
    (void)command, (void)clip, (void)channel;
    ++*(unsigned *)user;
}

// A function and a method may have the same name. A waiting method continues unless another method
// starts.
TEST (frame_commands_call_functions_that_no_state_calls) {
    static const game_text texts[] = {
        {"a.script",
         "object o { float r; void Torso_A(); void shout(); void hush(); }; float g;\n"
         "void o::Torso_A() { playAnim( 1, \"shout\" ); while ( 1 ) { waitFrame(); } }\n"
         "void shout() { g++; } void o::shout() { r += 100; wait( 0.15 ); r += 1000; }\n"
         "void o::hush() { r++; wait( 0.05 ); r += 10; }\n"
         "void endless() { while ( 1 ) { } } namespace far { void shout( entity who ) { g += 5; } "
         "}\n"},
        {NULL, NULL}};
    SCOPED_GAME game = open_entity_game(
        "model caller { inherit body anim shout walk.md5anim { frame 1 call shout\n"
        "frame 2 object_call shout frame 3 object_call hush frame 4 call nothing\n"
        "frame 4 call far::shout frame 4 call none::shout\n"
        "frame 4 call endless frame 4 call shout } }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "caller");
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    const md5_load_opts opts = {.files = {open_script, close_script, (void *)(uintptr_t)texts}};
    SCOPED_SCRIPT script = md5_load_script("a.script", "o", entity, &opts, NULL);
    REQUIRE(actor && script);
    const md5_states_desc desc = {.script = script, .entity = entity, .body = actor};
    SCOPED_STATES states = md5_create_states(&desc, NULL, NULL);
    CHECK(md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_A", 0));
    unsigned num_commands = 0;
    static const uint32_t milliseconds[] = {0, 10, 100, 100, 100};
    static const double expected[][2] = {{0, 0}, {1, 0}, {1, 100}, {1, 101}, {6, 111}};
    for (int i = 0; i < 5; i++) {
        md5_states_advance(states, milliseconds[i], count_command, &num_commands);
        CHECK_NEAR(md5_states_variable(states, "g"), expected[i][0], 0);
        CHECK_NEAR(md5_states_variable(states, "r"), expected[i][1], 0);
    }
    CHECK_UINT(num_commands, 8);
}

TEST (unknown_functions_are_reported_once) {
    script_case fixture;
    CHECK(open_case(&fixture, "fly( 1 ); fly( 2 );\nthread two(); $a.b();"));
    CHECK_STRING(fixture.log.text, "a.script:11: 'fly' is an unknown function: calls return "
                                   "0\na.script:12: 'two' is an unknown function: calls return "
                                   "0\na.script:12: 'b' is an unknown function: calls return 0\n");
    CHECK_UINT(fixture.script->num_unknown, 3);
    close_case(&fixture);
}

TEST (scripts_report_truncated_text_and_unclosed_conditions) {
    script_case fixture;
    CHECK(open_case(&fixture,
                    "word = \"0123456789012345678901234567890123456789012345678901234567890123"
                    "\";\n#ifdef QUAD\nr = ( word == \"0123456789012345678901234567890123"
                    "45678901234567890123456789012\" );"));
    md5_states_advance(fixture.states, 0, NULL, NULL);
    CHECK_NEAR(md5_states_variable(fixture.states, "r"), 1, 0);
    CHECK(strstr(fixture.log.text, "a.script:14: expected #endif, found the end of the file\n"));
    CHECK(strstr(fixture.log.text,
                 "' is too long: expected at most 63 bytes; the rest is ignored\n"));
    close_case(&fixture);
}

TEST (scripts_list_states_and_variables) {
    script_case fixture;
    CHECK(open_case(&fixture, "word = \"a\"; r = 1; wait( 0.05 ); r = 2;"));
    CHECK_UINT(fixture.script->num_states, 2);
    CHECK_STRING(fixture.script->states[1].name, "Torso_A");
    CHECK_UINT(fixture.script->states[1].channel, MD5_CHANNEL_TORSO);
    CHECK_UINT(fixture.script->num_variables, 6);
    CHECK_STRING(fixture.script->variables[1].name, "AI_PAIN");
    CHECK_UINT(fixture.script->variables[1].type, MD5_SCRIPT_BOOLEAN);
    CHECK(!md5_states_set(fixture.states, MD5_CHANNEL_LEGS, "Legs_B", 0));
    CHECK(!md5_states_set_variable(fixture.states, "word", 1.0f));
    CHECK(md5_states_set_variable(fixture.states, "AI_PAIN", 1.0f));
    CHECK_NEAR(md5_states_variable(fixture.states, "AI_PAIN"), 1, 0);
    md5_states_advance(fixture.states, 10, NULL, NULL);
    CHECK_NEAR(md5_states_variable(fixture.states, "AI_PAIN"), 0, 0);
    // A copy continues independently.
    const md5_states_desc desc = {
        .script = fixture.script, .entity = fixture.stage.entity, .body = fixture.stage.actor};
    SCOPED_STATES copy = md5_create_states(&desc, NULL, NULL);
    REQUIRE(copy);
    md5_copy_states(copy, fixture.states);
    md5_states_advance(fixture.states, 49, NULL, NULL);
    CHECK_NEAR(md5_states_variable(fixture.states, "r"), 1, 0);
    md5_states_advance(fixture.states, 1, NULL, NULL);
    CHECK_NEAR(md5_states_variable(fixture.states, "r"), 2, 0);
    CHECK(!md5_states_channel(fixture.states, MD5_CHANNEL_TORSO).is_running);
    CHECK_NEAR(md5_states_variable(copy, "r"), 1, 0);
    md5_states_advance(copy, 0, NULL, NULL);
    CHECK_NEAR(md5_states_variable(copy, "r"), 2, 0);
    close_case(&fixture);
}

// Returns true if the actor of an entity plays a clip in a channel that started a number of
// milliseconds ago.
static bool plays(const md5_entity *entity, const md5_actor *actor, md5_channel channel,
                  const char *name, uint32_t time)
{
    const md5_actor_status status = md5_actor_channel(actor, channel);
    return status.clip != MD5_NONE && status.time == time
           && strcmp(entity->clips[status.clip].anim->name, name) == 0;
}

// A body whose head is a separate model with the same clips, and the states of both.
typedef struct headed_body {
    md5_game *game;
    md5_entity *entity;
    md5_actor *body;
    md5_actor *head;
    md5_script *script;
    md5_states *states;
} headed_body;

static void open_headed_body(headed_body *fixture, const game_text *scripts)
{
    fixture->game = open_entity_game(
        "model twin { inherit body }\n entityDef e { \"model\" \"body\" \"def_head\" \"twin\"\n"
        "\"head_joint\" \"neck\" }",
        NULL);
    fixture->entity = load_entity(fixture->game, "e");
    REQUIRE(fixture->entity && fixture->entity->num_parts == 1);
    fixture->body = md5_create_actor(fixture->entity, NULL, NULL);
    fixture->head = md5_create_actor(fixture->entity->parts[0].entity, NULL, NULL);
    fixture->script = load(scripts, (md5_load_opts){.axes = MD5_AXES_ID}, NULL);
    REQUIRE(fixture->body && fixture->head && fixture->script);
    const md5_states_desc desc = {.script = fixture->script,
                                  .entity = fixture->entity,
                                  .body = fixture->body,
                                  .head = fixture->head};
    fixture->states = md5_create_states(&desc, NULL, NULL);
}

static void close_headed_body(headed_body *fixture)
{
    md5_destroy_states(fixture->states);
    md5_free_script(fixture->script);
    md5_destroy_actor(fixture->head);
    md5_destroy_actor(fixture->body);
    md5_free_entity(fixture->entity);
    md5_destroy_game(fixture->game);
}

// The head is a separate model and plays in all its joints.
TEST (heads_follow_bodies_and_control_them) {
    static const game_text texts[] = {
        {"a.script", HEAD "void o::Torso_A() { playCycle( 1, \"walk\" ); wait( 0.1 );\n"
                          "playAnim( 1, \"lift\" ); wait( 0.1 ); idleAnim( 1, \"walk\" ); }\n"
                          "void o::Head_A() { wait( 0.3 ); playAnim( 3, \"lift\" ); }"},
        {"b.script", macros},
        {NULL, NULL}};
    headed_body fixture;
    open_headed_body(&fixture, texts);
    md5_states *const states = fixture.states;
    const md5_entity *const entity = fixture.entity;
    const md5_entity *const head_entity = entity->parts[0].entity;
    md5_actor *const body = fixture.body;
    md5_actor *const head = fixture.head;
    CHECK(md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_A", 0));
    md5_states_advance(states, 10, NULL, NULL);
    CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "walk", 0)
          && plays(head_entity, head, MD5_CHANNEL_ALL, "walk", 0));
    CHECK(md5_actor_channel(head, MD5_CHANNEL_ALL).is_cycling);
    CHECK(md5_states_set(states, MD5_CHANNEL_HEAD, "Head_A", 0));
    md5_states_advance(states, 100, NULL, NULL); // the head is not idle any more
    CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "lift", 0)
          && plays(head_entity, head, MD5_CHANNEL_ALL, "walk", 100));
    md5_states_advance(states, 100, NULL, NULL);
    CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "walk", 0)
          && plays(entity, body, MD5_CHANNEL_LEGS, "walk", 0));
    md5_states_advance(states, 200, NULL, NULL);
    CHECK(plays(head_entity, head, MD5_CHANNEL_ALL, "lift", 0));
    CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "lift", 0)
          && plays(entity, body, MD5_CHANNEL_LEGS, "lift", 0));
    close_headed_body(&fixture);
}

// A torso that overrideAnim() disables plays the clip of the legs, in sync with it, and so does a
// head that is idle (idActor::Event_OverrideAnim() of Actor.cpp).
TEST (heads_follow_a_disabled_torso) {
    static const game_text texts[] = {
        {"a.script", HEAD "void o::Legs_B() { playCycle( 2, \"walk\" ); }\n"
                          "void o::Torso_A() { playCycle( 1, \"lift\" ); wait( 0.1 );\n"
                          "overrideAnim( 1 ); }"},
        {"b.script", macros},
        {NULL, NULL}};
    headed_body fixture;
    open_headed_body(&fixture, texts);
    md5_states *const states = fixture.states;
    const md5_entity *const entity = fixture.entity;
    const md5_entity *const head_entity = entity->parts[0].entity;
    md5_actor *const body = fixture.body;
    md5_actor *const head = fixture.head;
    CHECK(md5_states_set(states, MD5_CHANNEL_LEGS, "Legs_B", 0));
    md5_states_advance(states, 10, NULL, NULL);
    CHECK(plays(entity, body, MD5_CHANNEL_LEGS, "walk", 0));
    CHECK(md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_A", 0));
    md5_states_advance(states, 10, NULL, NULL);
    CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "lift", 0)
          && plays(head_entity, head, MD5_CHANNEL_ALL, "lift", 0));
    md5_states_advance(states, 100, NULL, NULL);
    CHECK(md5_states_channel(states, MD5_CHANNEL_TORSO).is_disabled);
    CHECK(plays(entity, body, MD5_CHANNEL_LEGS, "walk", 110));
    CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "walk", 110));
    CHECK(plays(head_entity, head, MD5_CHANNEL_ALL, "walk", 110));
    close_headed_body(&fixture);
}

// A head that does not have the clip of the body cycles "idle". "idle" is not restarted for the
// next clip. A head without "idle" continues its current clip (idAFAttachment::PlayIdleAnim() of
// AFEntity.cpp).
TEST (heads_without_the_clip_of_the_body_are_idle) {
    static const game_text texts[] = {
        {"a.script", HEAD "void o::Torso_A() { playCycle( 1, \"walk\" ); wait( 0.1 );\n"
                          "playCycle( 1, \"lift\" ); }"},
        {"b.script", macros},
        {NULL, NULL}};
    SCOPED_GAME game = open_entity_game(
        "model bust { mesh body.md5mesh anim idle turn.md5anim }\n"
        "model mask { mesh body.md5mesh anim smile turn.md5anim }\n"
        "entityDef e0 { \"model\" \"body\" \"def_head\" \"bust\" \"head_joint\" \"neck\" }\n"
        "entityDef e1 { \"model\" \"body\" \"def_head\" \"mask\" \"head_joint\" \"neck\" }",
        NULL);
    SCOPED_SCRIPT script = load(texts, (md5_load_opts){.axes = MD5_AXES_ID}, NULL);
    REQUIRE(script);
    for (int i = 0; i < 2; i++) {
        SCOPED_ENTITY entity = load_entity(game, i == 0 ? "e0" : "e1");
        REQUIRE(entity && entity->num_parts == 1);
        const md5_entity *const head_entity = entity->parts[0].entity;
        SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
        SCOPED_ACTOR head = md5_create_actor(head_entity, NULL, NULL);
        const md5_states_desc desc = {
            .script = script, .entity = entity, .body = body, .head = head};
        SCOPED_STATES states = md5_create_states(&desc, NULL, NULL);
        CHECK(i == 0 || md5_actor_play(head, MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0));
        CHECK(md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_A", 0));
        md5_states_advance(states, 10, NULL, NULL);
        const char *const clip = i == 0 ? "idle" : "smile";
        const uint32_t time = i == 0 ? 0 : 10;
        CHECK(plays(head_entity, head, MD5_CHANNEL_ALL, clip, time));
        md5_states_advance(states, 100, NULL, NULL);
        CHECK(plays(entity, body, MD5_CHANNEL_TORSO, "lift", 0));
        CHECK(plays(head_entity, head, MD5_CHANNEL_ALL, clip, time + 100));
        CHECK(md5_actor_channel(head, MD5_CHANNEL_ALL).is_cycling);
    }
}

// -- Errors ---------------------------------------------------------------------------------------

typedef struct error_row {
    const char *text;
    uint32_t line, column;
    const char *message;
} error_row;

TEST (errors_in_scripts_name_location_and_expected_token) {
#define BODY "object o { void Torso_A(); };\nvoid o::Torso_A() {\n"
    static const error_row rows[] = {
        {BODY "r = 1;\n}", 3, 1, "expected a variable, found 'r'"},
        {BODY "float a = 1 +;\n}", 3, 14, "expected a value, found ';'"},
        {BODY "if ( 1 { }\n}", 3, 8, "expected ')', found '{'"},
        {BODY "wait( 1;\n}", 3, 8, "expected ')', found ';'"},
        {BODY "break;\n}", 3, 1, "expected a variable, found 'break'"},
        {BODY "wait( \"a );\n}", 3, 7, "expected a closing quote, found '\"a );'"},
        {BODY "wait( '1 2' );\n}", 3, 7, "expected three numbers, found ''1 2''"},
        {BODY "float a; a = 1", 3, 15, "expected '}', found the end of the script"},
        {"object o { float a }", 1, 20, "expected ';', found '}'"},
        {"object o { };\n#include b\n", 2, 2,
         "expected a file name in quotes after #include, found 'include'"},
        {"#undef 1", 1, 2, "expected the name of a macro after the directive, found 'undef'"},
        {"#if 1", 1, 2,
         "expected #define, #undef, #ifdef, #ifndef, #else, #endif or #include, found 'if'"},
        {"#include \"\n", 1, 10, "expected a closing quote, found '\"'"},
        {"#endif", 1, 2, "expected #ifdef or #ifndef before #else or #endif, found 'endif'"},
        {"\n#ifdef A\n#ifdef B\n#endif", 4, 7, "expected #endif, found the end of the script"},
        {"namespace a { float b;", 1, 23, "expected '}', found the end of the script"},
        {"#include \"c\"", 1, 10, "expected a readable file, found '\"c\"'"},
        {"#define A( b ) b\nfloat x = A( 1, 2 );", 2, 19,
         "expected as many arguments as the macro has parameters, found ')'"},
        {"object o { void a(); }; void o::a() { } void o::a() { }", 1, 49,
         "expected a function name that is not defined yet, found 'a'"},
        {"void p::a() { }", 1, 6,
         "expected a script object that is declared before this one, found 'p'"},
        {"/* open", 1, 1, "unterminated comment: expected '*/', found the end of the file"},
        {"object o : p { }; object p : o { };", 0, 0,
         "script object 'o' inherits from itself: expected another object"},
        {"object p { };", 0, 0, "unknown script object 'o'"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const error_row *const row = &rows[i];
        const game_text texts[] = {{"a.script", row->text}, {NULL, NULL}};
        md5_error error = {0};
        SCOPED_SCRIPT script = load(texts, (md5_load_opts){.axes = MD5_AXES_ID}, &error);
        CHECK(!script);
        CHECK_STRING(error.message, row->message);
        CHECK_STRING(error.file, "a.script");
        CHECK_UINT(error.line, row->line);
        CHECK_UINT(error.column, row->column);
    }
    const game_text texts[] = {
        {"a.script", "#include \"b.script\"\n"}, {"b.script", BODY "float a = ;\n}"}, {NULL, NULL}};
    md5_error error = {0};
    SCOPED_SCRIPT script = load(texts, (md5_load_opts){.axes = MD5_AXES_ID}, &error);
    CHECK_STRING(error.file, "b.script");
}

// -- Limits of scripts ----------------------------------------------------------------------------

// Appends a text `count` times, separated by commas.
static void append_list(test_text *text, const char *item, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        test_append(text, "%s%s", i > 0 ? ", " : "", item);
}

static void check_limit(const char *item, uint32_t count, const char *text, const char *message)
{
    const game_text texts[] = {{"a.script", text}, {NULL, NULL}};
    md5_error error = {0};
    SCOPED_SCRIPT script = load(texts, (md5_load_opts){.axes = MD5_AXES_ID}, &error);
    CHECK_THAT(strcmp(error.message, message) == 0, "%u %s: %s", count, item, error.message);
}

// A thread has 64 values. A call that is compiled has at most 255 arguments.
TEST (scripts_have_limits_of_arguments_and_locals) {
    static const char too_many[] = "expected a function with at most 64 local variables and "
                                   "intermediate values, found 'Torso_A'";
    static const struct {
        uint32_t count;
        const char *message;
    } arguments[] = {
        {64, ""},
        {65, too_many},
        {255, too_many},
        {256, "expected ')', found ','"},
    };
    for (size_t i = 0; i < COUNT_OF(arguments); i++) {
        test_text text = {0};
        test_append(&text, BODY "nothing( ");
        append_list(&text, "1", arguments[i].count);
        test_append(&text, " );\n}");
        check_limit("arguments", arguments[i].count, text.bytes, arguments[i].message);
        free(text.bytes);
    }
    for (uint32_t count = 63; count <= 65; count++) { // the last assignment needs one more value
        test_text text = {0};
        test_append(&text, BODY "float ");
        for (uint32_t i = 0; i < count; i++)
            test_append(&text, "%sl%u", i > 0 ? ", " : "", i);
        test_append(&text, ";\n}");
        const char *message = "";
        if (count == 64)
            message = too_many;
        else if (count == 65)
            message = "expected at most 64 local variables in a function, found 'l64'";
        check_limit("locals", count, text.bytes, message);
        free(text.bytes);
    }
}

// A macro has at most 8 parameters. At most 64 files and macros are open at a time, including the
// first file.
TEST (scripts_have_limits_of_parameters_and_nested_macros) {
    for (uint32_t count = 8; count <= 9; count++) {
        test_text text = {0};
        test_append(&text, "object o { };\n#define A( ");
        for (uint32_t i = 0; i < count; i++)
            test_append(&text, "%sp%u", i > 0 ? ", " : "", i);
        test_append(&text, " ) p7\nfloat x = A( ");
        append_list(&text, "1", count);
        test_append(&text, " );\n");
        check_limit("parameters", count, text.bytes,
                    count == 8 ? ""
                               : "expected at most 8 parameters separated by ',' and a closing "
                                 "')', found 'p8'");
        free(text.bytes);
    }
    for (uint32_t count = 63; count <= 64; count++) {
        test_text text = {0};
        test_append(&text, "object o { };\n#define M%u 1\n", count);
        for (uint32_t i = count; i > 1; i--)
            test_append(&text, "#define M%u M%u\n", i - 1, i);
        test_append(&text, "float x = M1;\n");
        check_limit("nested macros", count, text.bytes,
                    count == 63 ? "" : "expected at most 64 nested files and macros, found 'M64'");
        free(text.bytes);
    }
}

typedef struct depth_row {
    const char *statement;
    int num_locals;  // number of local variables of wide()
    double expected; // expected value of r
    bool is_stopped;
} depth_row;

// At most 32 calls can be nested, including the call of the state. The values of a call are above
// the values of its caller. A call needs one value more than its number of locals.
TEST (scripts_have_limits_of_calls_and_values) {
    static const depth_row rows[] = {
        {"r = deep( 31 );", 0, 31, false}, {"r = deep( 32 );", 0, 0, true},
        {"r = 1 + wide();", 62, 2, false}, {"r = 1 + wide();", 63, 0, true},
        {"r = wide();", 63, 1, false},
    };
    for (size_t j = 0; j < COUNT_OF(rows); j++) {
        const depth_row *const row = &rows[j];
        test_text text = {0};
        test_append(&text, "object o { float r; void Torso_A(); };\nfloat deep( float n ) { if ( n "
                           "> 1 ) { return deep( n - 1 ) + 1; } "
                           "return 1; }\nfloat wide() { ");
        for (int i = 0; i < row->num_locals; i++)
            test_append(&text, "float l%d; ", i);
        test_append(&text, "return 1; }\nvoid o::Torso_A() { %s while ( 1 ) { waitFrame(); } }",
                    row->statement);
        const game_text texts[] = {{"a.script", text.bytes}, {NULL, NULL}};
        actor_stage stage;
        open_stage(&stage);
        md5_error error = {0};
        SCOPED_SCRIPT script = load(texts, (md5_load_opts){.axes = MD5_AXES_ID}, &error);
        CHECK_STRING(error.message, "");
        const md5_states_desc desc = {
            .script = script, .entity = stage.entity, .body = stage.actor};
        SCOPED_STATES states = script ? md5_create_states(&desc, NULL, NULL) : NULL;
        if (CHECK(states && md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_A", 0))) {
            md5_states_advance(states, 0, NULL, NULL);
            CHECK_NEAR(md5_states_variable(states, "r"), row->expected, 0);
            const md5_channel_state torso = md5_states_channel(states, MD5_CHANNEL_TORSO);
            CHECK_UINT(torso.was_stopped, row->is_stopped);
        }
        close_stage(&stage);
        free(text.bytes);
    }
}

// "walk" has 400 ms, and 6 frames at 24 Hz are 250 ms: the animation is done from 150 ms on.
TEST (animations_are_done_some_frames_before_their_end) {
    static const uint32_t times[] = {149, 150};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        script_case fixture;
        if (CHECK(open_case(&fixture, "playAnim( 1, \"walk\" );\n"
                                      "while ( 1 ) { r = animDone( 1, 6 ); waitFrame(); }"))) {
            md5_states_advance(fixture.states, 0, NULL, NULL);
            CHECK_NEAR(md5_states_variable(fixture.states, "r"), 0, 0);
            md5_states_advance(fixture.states, times[i], NULL, NULL);
            CHECK_NEAR(md5_states_variable(fixture.states, "r"), times[i] == 150, 0);
        }
        close_case(&fixture);
    }
}

// Blend times above the limit become the limit, both in scripts and in md5_states_set().
TEST (states_have_a_limit_of_blend_times) {
    enum { LIMIT = 1000000 };
    for (uint32_t frames = LIMIT - 1; frames <= LIMIT + 1; frames++) {
        const uint32_t expected = frames < LIMIT ? frames : LIMIT;
        char statement[96];
        snprintf(statement, sizeof statement,
                 "setBlendFrames( 1, %u ); while ( 1 ) { waitFrame(); }", frames);
        script_case fixture;
        if (CHECK(open_case(&fixture, statement))) {
            md5_states_advance(fixture.states, 0, NULL, NULL);
            CHECK_UINT(md5_states_channel(fixture.states, MD5_CHANNEL_TORSO).last_blend, expected);
            CHECK(md5_states_set(fixture.states, MD5_CHANNEL_LEGS, "Legs_A", frames));
            CHECK_UINT(md5_states_channel(fixture.states, MD5_CHANNEL_LEGS).last_blend, expected);
        }
        close_case(&fixture);
    }
}

TEST (entities_without_a_script_object_have_no_states) {
    static const game_text texts[] = {{"a.script", "object o { };"}, {NULL, NULL}};
    const md5_load_opts opts = {.files = {open_script, close_script, (void *)(uintptr_t)texts}};
    md5_error error = {0};
    CHECK_REFUSED(md5_load_script("a.script", NULL, NULL, &opts, &error), error, MD5_ERROR_MISMATCH,
                  "unknown script object ''");
}

// Returns a text that contains `count` copies of a text between two other texts.
typedef struct long_row {
    const char *before;
    const char *repeated;
    const char *after;
    bool is_valid;
} long_row;

TEST (long_and_deep_scripts_take_linear_time_and_memory) {
    static const long_row rows[] = {
        {BODY, "wait( 1 );\n", "}", true},
        {BODY, "{", "}", false},
        {BODY, "if ( 1 ) ", "; }", true},
        {BODY "float a = ", "(", "}", false},
        {BODY "float a = ", "!", "1; }", true},
        {BODY "float a = ", "1 + (", "}", false},
        {BODY "float a = 1", " + 1", "; }", true},
        {BODY "while ( 1 ) {", "break; ", "} }", true},
        {BODY "float a = ", "wait( ", "}", false},
        {"", "object o : o { };", "", false},
        {"#define A A A\n", "A ", "", false},
        {"#define A( x ) x x\n", "A( ", "", false},
        {BODY "}", "#include \"a.script\"\n", "", false},
        {BODY, "#ifdef A\n", "}", false},
        {BODY, "#ifndef A\n", "}", true},
        {BODY "}", "namespace a { ", "", false},
        {BODY "}", "namespace a { void b(); }", "", true},
        {"object o { ", "void b() { } ", "};", false},
    };
    for (size_t j = 0; j < COUNT_OF(rows); j++) {
        const long_row *const row = &rows[j];
        size_t peaks[2];
        for (int pass = 0; pass < 2; pass++) {
            test_text text = {0};
            test_heap heap = {0};
            test_append(&text, "%s", row->before);
            for (int i = 0; i < (pass == 0 ? 25000 : 100000); i++)
                test_append(&text, "%s", row->repeated);
            test_append(&text, "%s", row->after);
            const game_text texts[] = {{"a.script", text.bytes}, {NULL, NULL}};
            const md5_allocator counted = {test_heap_alloc, test_heap_free, &heap, 0};
            md5_error error = {0};
            SCOPED_SCRIPT script = load(texts, (md5_load_opts){.allocator = counted}, &error);
            CHECK_THAT((script != NULL) == row->is_valid, "%s: %s", row->repeated, error.message);
            peaks[pass] = heap.peak_bytes;
            free(text.bytes);
        }
        CHECK_THAT(peaks[1] <= 5 * peaks[0], "%s: %zu bytes, a quarter has %zu", row->repeated,
                   peaks[1], peaks[0]);
    }
}

TEST (functions_that_never_wait_are_ended) {
    STRINGS(statements) = {"while ( 1 ) { r++; }", "Torso_A();", "r = times( 1, Torso_A() );"};
    for (size_t i = 0; i < COUNT_OF(statements); i++) {
        script_case fixture;
        REQUIRE(open_case(&fixture, statements[i]));
        CHECK(md5_states_set(fixture.states, MD5_CHANNEL_LEGS, "Legs_A", 0));
        md5_states_advance(fixture.states, 16, NULL, NULL);
        CHECK(md5_states_channel(fixture.states, MD5_CHANNEL_TORSO).was_stopped);
        CHECK(!md5_states_channel(fixture.states, MD5_CHANNEL_TORSO).is_running);
        CHECK(md5_states_channel(fixture.states, MD5_CHANNEL_LEGS).is_running);
        close_case(&fixture);
    }
}

TEST (scripts_report_memory_that_runs_out) {
    static const game_text texts[] = {
        {"a.script", HEAD "void o::Torso_A() { float a = QUAD( 2 ) + fly(); }"},
        {"b.script", macros},
        {NULL, NULL}};
    actor_stage stage;
    open_stage(&stage);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_SCRIPT script = load(texts, failure.opts, &failure.error);
        CHECK(script || failure.error.status == MD5_ERROR_MEMORY);
        const md5_states_desc desc = {
            .script = script, .entity = stage.entity, .body = stage.actor};
        SCOPED_STATES states =
            script ? md5_create_states(&desc, &failure.opts.allocator, &failure.error) : NULL;
        CHECK(states || failure.error.status == MD5_ERROR_MEMORY);
    }
    close_stage(&stage);
}

// -- Playing --------------------------------------------------------------------------------------

// "walk" has 400 ms, and its root moves by 40.
TEST_WITH (clips_change_rate_cycles_and_start, actor_stage, stage, open_stage(stage),
           close_stage(stage)) {
    md5_actor *const actor = stage->actor;
    const md5_channel legs = MD5_CHANNEL_LEGS;
    const uint32_t walk = stage_clip(stage, "walk");
    CHECK(!md5_actor_set_rate(actor, legs, 2.0f) && !md5_actor_set_cycles(actor, legs, 2));
    CHECK(md5_actor_play(actor, legs, walk, MD5_ACTOR_ONCE, 0, 0));
    md5_actor_advance(actor, 100, NULL, NULL);
    CHECK(md5_actor_set_rate(actor, legs, 2.0f)); // its time does not jump
    CHECK_UINT(md5_actor_channel(actor, legs).time, 100);
    md5_actor_advance(actor, 50, NULL, NULL);
    CHECK_UINT(md5_actor_channel(actor, legs).time, 200);
    CHECK(md5_actor_set_rate(actor, legs, 0.0f));
    md5_actor_advance(actor, 1000, NULL, NULL);
    CHECK_UINT(md5_actor_channel(actor, legs).time, 200);
    CHECK(!md5_actor_channel(actor, legs).has_ended);
    CHECK(!md5_actor_set_rate(actor, legs, -1.0f) && !md5_actor_set_rate(actor, legs, NAN));
    CHECK(md5_actor_set_rate(actor, legs, 1.0f) && md5_actor_set_cycles(actor, legs, 3));
    md5_actor_advance(actor, 999, NULL, NULL);
    CHECK(!md5_actor_channel(actor, legs).has_ended);
    md5_actor_advance(actor, 1, NULL, NULL);
    CHECK(md5_actor_channel(actor, legs).has_ended);
    CHECK(md5_actor_set_start(actor, legs, 300));
    CHECK(!md5_actor_set_start(actor, legs, -1));
    CHECK(!md5_actor_set_cycles(actor, legs, MD5_MAX_CYCLES + 1));
    CHECK(md5_actor_set_cycles(actor, legs, -1));
    md5_actor_advance(actor, 1000000, NULL, NULL);
    CHECK(md5_actor_channel(actor, legs).is_cycling);
    CHECK(!md5_actor_channel(actor, legs).has_ended);
    const md5_entity_clip *const clip = &stage->entity->clips[walk];
    CHECK_NEAR(md5_entity_clip_movement(clip).x, 40, 0);
}
