// Tests that save, restore and copy players. In every state, a restored player must continue with
// the same bits; invalid bytes must be rejected and change nothing.
//
// MD5_SAVE_MACHINES sets the number of random machines, MD5_SAVE_SEED selects a single machine.
// Further parts test players of edited machines, invalid bytes, and saved bytes of previous format
// versions.
#include "test/scoped.h"
#include "test/play/test_play_random.h"

enum { MOMENTS = 4, STEPS = 6, MODIFIERS = 5 };

static const md5_foot_desc foot = {.ankle = "lfoot"};
static const md5_modifier_hold hold = {.params = {.height = 40, .speed = 1e3f}};
static const md5_modifier_gaze gaze = {.eyes = {"lhand"}, .params.max_seconds = 0.5f};
static const md5_modifier_desc modifiers[MODIFIERS] = {
    {.name = "sway",
     .kind = MD5_MODIFIER_SPRING,
     .joint = "lhand",
     .length = 2,
     .spring.gravity = 50},
    {.name = "look", .kind = MD5_MODIFIER_AIM, .joint = "head", .length = 3},
    {.name = "reach", .kind = MD5_MODIFIER_TWO_BONE, .joint = "lfoot"},
    {.name = "stand", .kind = MD5_MODIFIER_FEET, .joint = "pelvis", ROW(feet, foot), .hold = &hold},
    {.name = "gaze", .kind = MD5_MODIFIER_GAZE, .joint = "head", .gaze = &gaze},
};

static const md5_mask_desc masks[] = {{.name = "trunk", .joints = "head lhand"},
                                      {.name = "upper", .joints = "*spine", .feather = 2}};

typedef struct save_test {
    play_random_stock stock;
    play_random_tables tables;
    md5_machine *machine;
    play_event_log logs[2];
} save_test;

static void begin_machine(save_test *fixture, uint64_t seed, uint64_t *random)
{
    *random = seed * 0x2545F4914F6CDD1Du + 1;
    play_random_make(&fixture->stock, &fixture->tables, random);
    if (play_random_one_in(random, 2))
        play_random_step(&fixture->tables, random);
    if (seed % 4 == 0)
        play_random_add_times(&fixture->tables, random);
    if (seed % 8 == 0)
        play_random_add_one_shots(&fixture->tables, random);
    fixture->tables.desc.modifiers = modifiers;
    fixture->tables.desc.num_modifiers = MODIFIERS;
    fixture->tables.desc.masks = masks;
    fixture->tables.desc.num_masks = 2;
    fixture->machine = play_machine(&fixture->tables.desc);
}

static bool have_equal_saves(const md5_player *a, const md5_player *b)
{
    size_t sizes[2];
    void *const saved[2] = {play_save(a, &sizes[0]), play_save(b, &sizes[1])};
    const bool is_same = sizes[0] == sizes[1] && memcmp(saved[0], saved[1], sizes[0]) == 0;
    free(saved[0]);
    free(saved[1]);
    return is_same;
}

// Starts or stops the same random one-shot clip in all players.
static void change_one_shots(const save_test *fixture, md5_player *const *players,
                             uint32_t num_players, uint64_t *random)
{
    const md5_machine_desc *const desc = &fixture->tables.desc;
    static const md5_easing curves[2] = {
        {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.5f, .y1 = -0.5f, .x2 = 0.25f, .y2 = 1.5f},
        {.kind = MD5_EASE_STEPS, .steps = 3, .jump = MD5_JUMP_BOTH}};
    const uint32_t curve = play_below(random, 3);
    const md5_easing plain = {.kind = (md5_ease_kind)play_below(random, 3)};
    const md5_one_shot_desc one_shot = {
        .mode = (md5_layer_mode)play_below(random, 2),
        .reference = play_random_one_in(random, 2) ? desc->clips[0].name : NULL,
        .layer = play_random_one_in(random, 2) ? desc->layers[0].name : NULL,
        .speed = (float)(3 * test_random(random) - 1),
        .fade_in = 0.2f * (float)play_below(random, 3),
        .fade_out = 0.1f * (float)play_below(random, 3),
        .end = (md5_one_shot_end)play_below(random, 3),
        .fade_in_easing = curve < 2 ? curves[curve] : plain,
        .fade_out_easing = curve > 0 ? curves[curve - 1] : plain,
    };
    const uint32_t slot = play_below(random, 2);
    const uint32_t clip = play_below(random, desc->num_clips);
    const bool stops = play_random_one_in(random, 4);
    for (uint32_t i = 0; i < num_players; i++) {
        if (stops)
            md5_player_stop_one_shot(players[i], slot, one_shot.fade_out);
        else
            CHECK(md5_player_play_one_shot(players[i], slot, clip, &one_shot));
    }
}

// Advances each player by the same random step; their results must be bit-identical.
static bool step_equally(save_test *fixture, md5_player *const *players, uint32_t num_players,
                         uint64_t *random)
{
    const bool changes = !play_random_one_in(random, 3);
    const bool is_visible = !play_random_one_in(random, 3);
    const double seconds = play_random_one_in(random, 4) ? 0 : play_random_seconds(random) * 0.1;
    md5_xform poses[2][PLAY_JOINTS], motions[2];
    if (changes)
        play_random_change(players, num_players, &fixture->tables, random);
    if (play_random_one_in(random, 3)) {
        const uint32_t number = play_below(random, MODIFIERS);
        const float weight = (float)play_below(random, 3) * 0.5f;
        const md5_vec3 position = {(float)(20 * test_random(random)), 3,
                                   (float)(60 * test_random(random))};
        for (uint32_t i = 0; i < num_players; i++) {
            md5_target *const target = md5_player_target(players[i], number);
            target->weight = weight;
            target->position = position;
            target->has_pole = weight < 1;
            target->pole.x = 9;
            if (md5_player_feet(players[i], number))
                md5_player_feet(players[i], number)->floor = 0.1f * position.x;
        }
    }
    if (play_random_one_in(random, 3))
        change_one_shots(fixture, players, num_players, random);
    if (play_random_one_in(random, 4)) {
        const uint32_t mask = play_below(random, 3);
        const md5_detail detail = {
            .mask = mask < 2 ? masks[mask].name : NULL,
            .interval = play_below(random, 5),
            .phase = play_below(random, 5),
        };
        for (uint32_t i = 0; i < num_players; i++)
            CHECK(md5_player_set_detail(players[i], &detail));
    }
    for (uint32_t i = 0; i < num_players; i++) {
        fixture->logs[i].count = 0;
        md5_player_advance(players[i], seconds, play_log_event, &fixture->logs[i]);
        motions[i] = md5_player_root_motion(players[i]);
        if (is_visible)
            play_pose(players[i], poses[i]);
    }
    if (num_players == 1)
        return true;
    if (!play_same_events(&fixture->logs[0], &fixture->logs[1])
        || !CHECK_BYTES(&motions[0], &motions[1], sizeof motions[0]))
        return false;
    if (is_visible && !CHECK_BYTES(poses[0], poses[1], sizeof poses[0]))
        return false;
    return CHECK(have_equal_saves(players[0], players[1]));
}

typedef bool transfer_state(md5_player *to, const md5_player *from);

static bool by_saving(md5_player *to, const md5_player *from)
{
    md5_error error = {0};
    size_t size;
    SCOPED void *const bytes = play_save(from, &size);
    const bool is_restored = md5_player_restore(to, bytes, size, &error);
    return CHECK_STRING(error.message, "") && CHECK(is_restored);
}

static bool by_adopting(md5_player *to, const md5_player *from)
{
    md5_player_migrate(to, from, NULL, NULL);
    return true;
}

static bool by_copying(md5_player *to, const md5_player *from)
{
    md5_player_copy(to, from);
    return true;
}

// Checks the transfer of states. One player plays. At random times a second player, which has
// played something else, receives its state, and both continue.
static bool check_machine(save_test *fixture, uint64_t seed, transfer_state *transfer)
{
    uint64_t random;
    begin_machine(fixture, seed, &random);
    SCOPED_MACHINE second = play_machine(&fixture->tables.desc); // with the same tables
    md5_player *const players[2] = {
        play_player(fixture->machine),
        play_player(transfer == by_adopting ? second : fixture->machine)};
    bool is_same = true;
    for (int moment = 0; moment < MOMENTS && is_same; moment++) {
        for (uint32_t i = play_below(&random, STEPS); i > 0; i--)
            step_equally(fixture, &players[0], 1, &random);
        for (uint32_t i = play_below(&random, STEPS); i > 0; i--)
            step_equally(fixture, &players[1], 1, &random);
        // Changes that are made before the next step must be part of the saved state.
        play_random_change(players, 1, &fixture->tables, &random);
        change_one_shots(fixture, players, 1, &random);
        is_same =
            transfer(players[1], players[0]) && CHECK(have_equal_saves(players[0], players[1]));
        for (int i = 0; i < STEPS && is_same; i++)
            is_same = step_equally(fixture, players, 2, &random);
    }
    CHECK_THAT(is_same, "machine of seed %llu: MD5_SAVE_SEED tries it alone",
               (unsigned long long)seed);
    md5_destroy_player(players[0]);
    md5_destroy_player(players[1]);
    md5_destroy_machine(fixture->machine);
    return is_same;
}

static void check_machines(transfer_state *transfer)
{
    enum { USUAL_MACHINES = 200, MAX_FAILED = 3 };
    const char *const wanted = getenv("MD5_SAVE_MACHINES");
    const char *const alone = getenv("MD5_SAVE_SEED");
    SCOPED save_test *const fixture = calloc(1, sizeof *fixture);
    play_random_begin(&fixture->stock);
    const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : USUAL_MACHINES;
    int num_failed = 0;
    if (!alone) {
        for (uint64_t seed = 1; seed <= count && num_failed < MAX_FAILED; seed++)
            num_failed += !check_machine(fixture, seed, transfer);
    }
    if (alone)
        check_machine(fixture, strtoull(alone, NULL, 10), transfer);
    play_end(&fixture->stock.assets);
}

TEST (restored_player_of_any_machine_continues_with_the_same_bits) {
    check_machines(by_saving);
}

TEST (copied_player_of_any_machine_continues_with_the_same_bits) {
    check_machines(by_copying);
}

TEST (adopted_player_of_equal_tables_continues_with_the_same_bits) {
    check_machines(by_adopting);
}

// Random machines share names, but their tables are different. A player that adopts the state of
// such a machine must have valid poses.
TEST (adopted_player_of_any_other_machine_has_valid_poses) {
    SCOPED save_test *const fixture = calloc(1, sizeof *fixture);
    play_random_begin(&fixture->stock);
    md5_machine *was = NULL;
    md5_player *old = NULL;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random;
        md5_xform pose[PLAY_JOINTS];
        begin_machine(fixture, seed, &random);
        md5_player *const player = play_player(fixture->machine);
        if (old)
            md5_player_migrate(player, old, NULL, NULL);
        for (int i = 0; i < STEPS; i++) {
            play_pose(player, pose);
            CHECK(play_is_sound(pose, PLAY_JOINTS));
            step_equally(fixture, &player, 1, &random);
        }
        CHECK(by_saving(player, player)); // every number is in its range
        md5_destroy_player(old);
        md5_destroy_machine(was);
        old = player;
        was = fixture->machine;
    }
    md5_destroy_player(old);
    md5_destroy_machine(was);
    play_end(&fixture->stock.assets);
}

// -- Machines that were edited ----------------------------------------------------------------

// Clips a and b have the same length, c is shorter.
static void begin_edited(play_scene *fixture, const char *rows)
{
    play_scene_begin(fixture);
    play_scene_add(fixture, 21, 20, 0.4, 1);
    play_scene_add(fixture, 21, 20, 0.7, 2);
    play_scene_add(fixture, 11, 20, 0.5, 3);
    play_scene_read(fixture, "%s", rows);
}

enum { LOST_TEXT = 256 };
static void note_lost(void *user, const char *kind, const char *name)
{
    char *const end = (char *)user + strlen(user);
    snprintf(end, LOST_TEXT - strlen(user), "%s %s, ", kind, name);
}

// An edit of a machine whose trigger was set at 0.2 s; the edited machine adopts the player at 0.5
// s. `lost` lists the lost names, `state` is the current state, and the numbers are its normalized
// times at that time and 0.4 s later.
typedef struct edit {
    const char *was;
    const char *is;
    const char *lost;
    const char *state;
    double time, end;
} edit;

#define FADE(numbers)                                                                          \
    "trigger call layer body { state go a state far b transition go far { when call duration " \
    "0.6 " numbers " } }"
#define MIX(items) "float x 0.3 motion m line x { phase " items " } layer body { state go m }"
#define GO "layer body { state go a }"

static const edit edits[] = {
    // The file of the clip is replaced by another file of the same length, or of another length.
    // The state plays another clip. The speed of the clip changes.
    {GO, "clip b f clip a f clip c f " GO, "", "go", 0.5, 0.9},
    {GO, "clip b f clip c f clip a f " GO, "", "go", 0.5, 1.3},
    {GO, "layer body { state go b }", "", "go", 0, 0.4},
    {GO, "motion m clip a { speed 0.5 } layer body { state go m }", "", "go", 0.5, 0.7},
    // The weight of a synchronized clip changes. The clip c, which has half the length, is added to
    // the synchronized clips.
    {MIX("item a 0 item b 1"), MIX("item a 0 item b 0.7"), "", "go", 0.5, 0.9},
    {MIX("item a 0 item b 1"), MIX("item c 0 item a 0.3 item b 1"), "", "go", 0.5, 0.9},
    // During a fade, its easing changes, or one of its states is removed.
    {FADE(""), FADE("quadratic_in"), "", "far", 0.3, 0.7},
    {FADE(""), "layer body { state new c state go a }", "parameter call, state far, ", "go", 0.5,
     0.9},
    {FADE(""), "trigger call layer body { state new c state far b }", "state go, ", "far", 0.3,
     0.7},
    // If the target state of an inertial transition is removed, the source state begins again. If
    // both states are removed, the first state of the layer begins.
    {FADE("inertial"), "layer body { state new c state go a }", "parameter call, state far, ", "go",
     0, 0.4},
    {FADE(""), "layer body { state new c }", "parameter call, state go, state far, ", "new", 0,
     0.8},
    // The fade has ended before the edit, so the source state is not stored and the first state
    // begins.
    {"trigger call layer body { state go a state far b transition go far { when call duration 0.1 "
     "} }",
     "layer body { state new c state go a }", "parameter call, state far, ", "new", 0, 0.8},
};

// Advances by frames of 1/60 s. Returns the largest movement in one frame.
static double move(md5_player *player, int num_frames, md5_xform *pose)
{
    double max_distance = 0;
    for (int i = 0; i < num_frames; i++) {
        md5_xform saved_pose[PLAY_JOINTS];
        play_pose(player, saved_pose);
        play_advance(player, 1.0 / 60.0);
        play_pose(player, pose);
        max_distance = fmax(max_distance, play_pose_distance(saved_pose, pose));
    }
    return max_distance;
}

// The pose is the pose of the old machine. In the first frame it moves no farther than in a frame
// of one of the two machines; later it is the pose of a player that has always used the new
// machine.
TEST (player_of_an_edited_machine_continues_without_a_jump) {
    for (size_t i = 0; i < COUNT_OF(edits); i++) {
        const edit *const each = &edits[i];
        SCOPED_PLAY was = {0};
        SCOPED_PLAY is = {0};
        const int number = (int)i;
        begin_edited(&was, each->was);
        begin_edited(&is, each->is);
        SCOPED_PLAYER alone = play_player(is.machine);
        char lost[LOST_TEXT] = "";
        md5_xform pose[PLAY_JOINTS], old[PLAY_JOINTS];
        double max_distance = move(was.player, 12, old);
        md5_player_set(was.player, md5_find_parameter(was.machine, "call"), 1);
        max_distance = fmax(max_distance, move(was.player, 18, old));
        md5_player_migrate(is.player, was.player, note_lost, lost);
        play_pose(is.player, pose);
        CHECK_THAT(play_pose_distance(old, pose) < 1e-4, "edit %d: a jump by %g", number,
                   play_pose_distance(old, pose));
        CHECK_STRING(lost, each->lost);
        const md5_layer_status status = md5_player_layer(is.player, 0);
        CHECK_STRING(md5_machine_tables(is.machine)->layers[0].states[status.state].name,
                     each->state);
        CHECK_NEAR(status.time, each->time, 1e-9);
        CHECK(md5_player_seek(alone, 0, status.state, each->end));
        const double first = move(is.player, 1, pose);
        move(is.player, 23, pose);
        CHECK_NEAR(play_time(is.player), each->end, 1e-9);
        play_pose(alone, old);
        CHECK_THAT(play_pose_distance(old, pose) < 1e-4, "edit %d: at the end off by %g", number,
                   play_pose_distance(old, pose));
        max_distance = fmax(max_distance, move(alone, 60, old));
        CHECK_THAT(first <= max_distance, "edit %d: moves by %g, but at most by %g", number, first,
                   max_distance);
    }
}

// An edited machine keeps the values of parameters, targets, one-shots and the level of detail by
// their names. The last part uses models with other joints.
TEST (player_of_an_edited_machine_keeps_values_by_name) {
    static const char was[] = "float x 0.3 float y 2 follow y smooth 3 mask top ( *spine ) "
                              "modifier sway spring lhand { length 2 } modifier look aim head " GO;
    static const char is[] = "float y 1 float z 4 modifier look aim head modifier sway spring "
                             "lhand { length 2 } layer new { state rest nothing } " GO;
    SCOPED_PLAY from = {0};
    SCOPED_PLAY to = {0};
    char lost[LOST_TEXT] = "";
    begin_edited(&from, was);
    begin_edited(&to, is);
    CHECK(md5_player_set(from.player, 1, 5));
    CHECK(md5_player_play_one_shot(from.player, 2, 1, NULL));
    CHECK(PLAY_ONE_SHOT(from.player, 3, 2, .mask = "top"));
    CHECK(md5_player_set_detail(from.player, &(md5_detail){.mask = "top", .interval = 3}));
    md5_player_target(from.player, 1)->position.x = 7;
    play_advance(from.player, 0.25);
    md5_player_migrate(to.player, from.player, note_lost, lost);
    CHECK_STRING(lost, "mask top, parameter x, ");
    CHECK_EXACT(md5_player_get(to.player, 0), 5); // the machine no longer follows the parameter
    CHECK_EXACT(md5_player_get(to.player, 1), 4);
    CHECK_EXACT(md5_player_target(to.player, 0)->position.x, 7);
    CHECK_NEAR(md5_player_one_shot(to.player, 2).time, 0.25, 1e-9);
    CHECK(!md5_player_one_shot(to.player, 3).is_playing); // its mask was removed
    CHECK_NEAR(md5_player_layer(to.player, 1).time, 0.25, 1e-9);
}

// -- Windows and slots of an edited machine ------------------------------------------------------

PLAY_LISTENER(note_window)
{
    char *const end = (char *)user + strlen(user);
    snprintf(end, LOST_TEXT - strlen(user), "%s%s%u ", event->kind == MD5_EVENT_BEGIN ? "+" : "-",
             event->name, event->frame);
}

// Clip a at frame 5 of 20, where `hit` of frames 2 to 8 is open, and the events from there to frame
// 19.
TEST (open_window_of_an_edited_machine_is_identified_among_equal_names) {
#define OF_A(windows) "clip a f { " windows " } clip b f clip c f " GO
    static const struct {
        const char *is;
        const char *events;
        const char *lost;
    } cases[] = {
        {OF_A("window hit 10-12 w\nwindow hit 2-8"), "-hit8 +hit10 -hit12 ", ""},
        {OF_A("window hit 2-8\nwindow hit 10-12 w"), "-hit8 +hit10 -hit12 ", ""},
        {OF_A("window far 4-6\nwindow hit 2-8"), "+far4 -far6 -hit8 ", ""},
        {OF_A("window hit 10-13\nwindow hit 3-9"), "-hit9 +hit10 -hit13 ", ""},
        {OF_A("window hit 2-8"), "-hit8 ", ""},
        {OF_A("window far 10-12"), "+far10 -far12 ", "window hit, "},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_PLAY was = {0};
        SCOPED_PLAY is = {0};
        char events[LOST_TEXT] = "";
        char lost[LOST_TEXT] = "";
        begin_edited(&was, OF_A("window hit 10-12 w\nwindow hit 2-8"));
        begin_edited(&is, cases[i].is);
        md5_player_advance(was.player, 0.25, note_window, events);
        CHECK_STRING(events, "+hit2 ");
        md5_player_migrate(is.player, was.player, note_lost, lost);
        events[0] = '\0';
        md5_player_advance(is.player, 0.7, note_window, events);
        CHECK_STRING(events, cases[i].events);
        CHECK_STRING(lost, cases[i].lost);
    }
}

TEST (one_shot_of_an_edited_machine_continues_in_the_slot_of_its_name) {
    SCOPED_PLAY was = {0};
    SCOPED_PLAY is = {0};
    char lost[LOST_TEXT] = "";
    begin_edited(
        &was,
        "slot gone slot arm slot leg one_shot g gone a one_shot l leg c one_shot r arm b " GO);
    begin_edited(&is, "slot leg slot new slot arm " GO);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(md5_player_play_one_shot(was.player, MD5_NONE, MD5_NONE,
                                       &md5_machine_tables(was.machine)->one_shots[i]));
    md5_player_migrate(is.player, was.player, note_lost, lost);
    CHECK_STRING(lost, "slot gone, ");
    CHECK_UINT(md5_player_one_shot(is.player, 0).clip, 2);
    CHECK(!md5_player_one_shot(is.player, 1).is_playing);
    CHECK_UINT(md5_player_one_shot(is.player, 2).clip, 1);
}

// -- Invalid bytes ------------------------------------------------------------------------------

// Restores bytes that can be invalid. Returns true if they were rejected without a change, or if
// the player is valid, has finite poses, and is saved as the same bytes.
static bool is_refused_or_valid(md5_player *player, const md5_player *before, const void *bytes,
                                size_t size)
{
    md5_error error = {0};
    md5_xform pose[PLAY_JOINTS];
    if (!md5_player_restore(player, bytes, size, &error))
        return CHECK(error.status != MD5_OK && error.message[0])
               && CHECK(have_equal_saves(player, before));
    size_t saved_size;
    void *const saved = play_save(player, &saved_size);
    // If the bytes have a previous version, the player is saved with the current version, so the
    // bytes differ.
    const bool is_old = size > 4 && ((const uint8_t *)bytes)[4] < 5;
    const bool is_same = is_old || (saved_size == size && memcmp(saved, bytes, size) == 0);
    free(saved);
    for (int i = 0; i < 3; i++) {
        play_pose(player, pose);
        play_advance(player, 0.05);
    }
    md5_player_copy(player, before);
    return CHECK(is_same);
}

TEST (restoring_invalid_bytes_does_not_change_a_player) {
    enum { MACHINES = 5 };
    SCOPED save_test *const fixture = calloc(1, sizeof *fixture);
    play_random_begin(&fixture->stock);
    bool is_right = true;
    for (uint64_t seed = 1; is_right && seed <= MACHINES; seed++) {
        uint64_t random;
        begin_machine(fixture, seed, &random);
        md5_player *const player = play_player(fixture->machine);
        md5_player *const second = play_player(fixture->machine);
        for (int i = 0; i < 4; i++)
            step_equally(fixture, &player, 1, &random);
        play_random_change(&player, 1, &fixture->tables, &random);
        md5_player_copy(second, player);
        size_t size;
        SCOPED uint8_t *const bytes = play_save(player, &size);
        for (size_t cut = 0; cut < size && is_right; cut++) {
            SCOPED uint8_t *const part = test_copy(bytes, cut);
            is_right = CHECK(!md5_player_restore(player, part, cut, NULL));
        }
        static const uint8_t flips[] = {0x01, 0x10, 0x80, 0xff};
        for (size_t i = 0; i < 4 * size && is_right; i++) {
            bytes[i / 4] ^= flips[i % 4];
            is_right = is_refused_or_valid(player, second, bytes, size);
            bytes[i / 4] ^= flips[i % 4];
        }
        md5_destroy_player(player);
        md5_destroy_player(second);
        md5_destroy_machine(fixture->machine);
    }
    play_end(&fixture->stock.assets);
}

// The last value of a saved number that is accepted, and the next value, which is rejected with
// this message.
typedef struct saved_limit {
    const char *message;
    size_t num_bytes;
    uint64_t limit;
    uint64_t next;
} saved_limit;

static void write_number(uint8_t *bytes, uint64_t number, size_t num_bytes)
{
    for (size_t i = 0; i < num_bytes; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

// Writes the next value at each position of a saved player. Returns true if it is rejected at one
// of them, where the limit is accepted.
static bool has_limit(md5_player *player, const uint8_t *bytes, size_t size,
                      const saved_limit *number)
{
    SCOPED uint8_t *const changed = test_copy(bytes, size);
    bool is_found = false;
    for (size_t i = 0; i + number->num_bytes <= size && !is_found; i++) {
        char expected[128];
        md5_error error = {0};
        (void)snprintf(expected, sizeof expected, "at byte %zu: %s", i + number->num_bytes,
                       number->message);
        write_number(changed + i, number->next, number->num_bytes);
        if (!md5_player_restore(player, changed, size, &error) && strstr(error.message, expected)) {
            error = (md5_error){0};
            write_number(changed + i, number->limit, number->num_bytes);
            is_found = md5_player_restore(player, changed, size, &error)
                       || !strstr(error.message, expected);
        }
        memcpy(changed + i, bytes + i, number->num_bytes);
    }
    return is_found;
}

// Floats and doubles are written as their bits. The limit of positions, 1e30, is a double between
// two floats.
TEST (saved_numbers_have_limits) {
    enum { MACHINES = 40 };
    static const saved_limit limits[] = {
        {"position of a pose is out of range", 4, 0x7149F2C9, 0x7149F2CA},
        {"inertial offset is out of range", 4, 0x7149F2C9, 0x7149F2CA},
        {"weight of a morph is out of range", 4, 0x7149F2C9, 0x7149F2CA},
        {"velocity of the root is out of range", 8, 0x44EA784379D99DB4, 0x44EA784379D99DB5},
        {"phase of a clip is out of range", 8, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000},
        {"cycle of a clip is out of range: expected -2 to", 8, 2, 3},
        {"cycle of a clip is out of range: expected -4.6", 8, (uint64_t)1 << 62,
         ((uint64_t)1 << 62) + 1024}, // doubles have steps of 1024 here
        {"rate of a one-shot is out of range", 8, 0x412E848000000000, 0x412E848000000001},
        {"remaining time is out of range", 8, 0x412E848000000000, 0x412E848000000001},
        {"weight of a one-shot is out of range", 4, 0x3F800000, 0x3F800001},
        {"mask of a one-shot is out of range", 4, COUNT_OF(masks) - 1, COUNT_OF(masks)},
        {"mask of a level of detail is out of range", 4, COUNT_OF(masks) - 1, COUNT_OF(masks)},
        {"mode of a one-shot is out of range", 4, MD5_LAYER_ADD, MD5_LAYER_ADD + 1},
        {"target of a gaze is out of range", 4, 0, 1},
        {"result of a foot is out of range", 4, MD5_LIMB_NOT_FINITE, MD5_LIMB_NOT_FINITE + 1},
        {"value of a bool or trigger is out of range: expected 0 or 1", 4, 0x3F800000, 0x3F000000},
        {"time until a foot is locked is out of range", 4, 0x49742400, 0x49742401},
        {"height of a step is out of range", 4, 0x58635FA9, 0x58635FAA},
        {"height of a foot is out of range", 4, 0x58635FA9, 0x58635FAA},
        {"rotation of the root is out of range", 8, 0x3FF004189374BC6A, 0x3FF004189374BC6B},
        {"rotation of an inertial offset is out of range", 4, 0x3F8020C5, 0x3F8020C6},
        {"velocity of an inertial offset is out of range", 4, 0x7149F2C9, 0x7149F2CA},
        {"weight of a window is out of range", 4, 0x3F800000, 0x3F800001},
        {"remaining weight of a one-shot is out of range", 4, 0x3F800000, 0x3F800001},
        {"end mode of a one-shot is out of range", 4, MD5_ONE_SHOT_LOOPS, MD5_ONE_SHOT_LOOPS + 1},
        {"kind of an easing is out of range", 4, MD5_EASE_STEPS, MD5_EASE_STEPS + 1},
        {"jump mode of an easing is out of range", 4, MD5_JUMP_BOTH, MD5_JUMP_BOTH + 1},
        {"number of steps of an easing is out of range", 4, MD5_MAX_EASE_STEPS,
         MD5_MAX_EASE_STEPS + 1},
        {"x1 of an easing is out of range", 4, 0x3F800000, 0x3F800001},
        {"interruption mode of a transition is out of range", 4, MD5_INTERRUPT_NONE,
         MD5_INTERRUPT_NONE + 1},
        {"number of active states is out of range: expected 1 to 4", 4, 4, 5},
    };
    SCOPED save_test *const fixture = calloc(1, sizeof *fixture);
    bool is_found[COUNT_OF(limits)] = {false};
    play_random_begin(&fixture->stock);
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        uint64_t random;
        begin_machine(fixture, seed, &random);
        md5_player *const player = play_player(fixture->machine);
        for (int i = 0; i < 4; i++)
            step_equally(fixture, &player, 1, &random);
        play_random_change(&player, 1, &fixture->tables, &random);
        size_t size;
        SCOPED uint8_t *const bytes = play_save(player, &size);
        for (size_t i = 0; i < COUNT_OF(limits); i++)
            is_found[i] = is_found[i] || has_limit(player, bytes, size, &limits[i]);
        md5_destroy_player(player);
        md5_destroy_machine(fixture->machine);
    }
    play_end(&fixture->stock.assets);
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        CHECK_THAT(is_found[i], "%s: the limit is not found", limits[i].message);
}

// -- Fingerprint and version --------------------------------------------------------------------

// The text of a small machine with replaceable parts.
#define SMALL_OF(clip, parameter, layer) \
    "clip a f { " clip " } " parameter " layer body { " layer " state go a }"
#define SMALL SMALL_OF("", "float speed", "state stand a")

static void begin_small(play_scene *fixture, const char *rows)
{
    play_scene_clips(fixture, 1, 11, 10);
    play_scene_read(fixture, "%s", rows);
}

TEST (player_of_another_machine_is_rejected_by_name) {
    SCOPED_PLAY first, second;
    begin_small(&first, SMALL);
    begin_small(&second, SMALL);
    CHECK_UINT(md5_machine_fingerprint(first.machine), md5_machine_fingerprint(second.machine));
    size_t size;
    SCOPED void *const bytes = play_save(first.player, &size);
    CHECK(md5_player_restore(second.player, bytes, size, NULL));

    md5_machine_desc desc = *md5_machine_tables(first.machine);
    md5_layer_desc body = desc.layers[0];
    const md5_state_desc states[2] = {body.states[0], {.name = "run", .motion = "a"}};
    body.states = states;
    desc.layers = &body;
    desc.name = "hero";
    SCOPED_MACHINE hero = play_machine(&desc);
    SCOPED_PLAYER runs = play_player(hero);
    md5_error error = {0};
    CHECK_SAYS(md5_player_restore(runs, bytes, size, &error), error, MD5_ERROR_MISMATCH,
               "of machine 'hero', found ");
}

TEST (player_of_another_version_is_rejected_by_number) {
    SCOPED_PLAY first;
    begin_small(&first, SMALL);
    size_t size;
    SCOPED uint8_t *const bytes = play_save(first.player, &size);
    bytes[4] = 200;
    md5_error error = {0};
    CHECK_SAYS(md5_player_restore(first.player, bytes, size, &error), error, MD5_ERROR_MISMATCH,
               "unsupported version of a saved player: expected 2 to 6, found 200");
    bytes[0] = 'X';
    CHECK_FAILS(md5_player_restore(first.player, bytes, size, &error), error, MD5_ERROR_SYNTAX);
}

// The bytes ff ff ff ff are -1, which means that no entry of a table is selected; lower numbers are
// invalid.
TEST (saved_indices_below_none_are_rejected) {
    SCOPED_PLAY first;
    begin_small(&first, SMALL);
    static const uint8_t none[4] = {0xff, 0xff, 0xff, 0xff};
    size_t size;
    size_t num_none = 0;
    size_t num_states = 0;
    SCOPED uint8_t *const bytes = play_save(first.player, &size);
    for (size_t i = 0; i + 4 <= size; i++) {
        if (memcmp(bytes + i, none, 4) != 0)
            continue;
        md5_error error = {0};
        bytes[i] = 0xfe;
        CHECK_FAILS(md5_player_restore(first.player, bytes, size, &error), error, MD5_ERROR_RANGE);
        num_none++;
        num_states += strstr(error.message, "entered state of a layer") != NULL;
        bytes[i] = 0xff;
    }
    CHECK(num_none > 1);
    CHECK_UINT(num_states, 1);
}

// The format begins with a magic number, version and fingerprint, all little-endian; then three
// flags and, as a double, the time since the last pose.
TEST (saved_bytes_are_little_endian) {
    SCOPED_PLAY first;
    begin_small(&first, SMALL);
    play_advance(first.player, 0.75);
    size_t size;
    SCOPED uint8_t *const bytes = play_save(first.player, &size);
    CHECK_BYTES(bytes, "M5PS\6\0\0\0", 8);
    uint64_t fingerprint = 0;
    for (int i = 0; i < 8; i++)
        fingerprint |= (uint64_t)bytes[8 + i] << (8 * i);
    CHECK_UINT(fingerprint, md5_machine_fingerprint(first.machine));
    static const uint8_t three_quarters[8] = {0, 0, 0, 0, 0, 0, 0xe8, 0x3f};
    CHECK_BYTES(bytes + 19, three_quarters, 8);
}

TEST (save_to_a_small_buffer_is_truncated_and_returns_the_size) {
    SCOPED_PLAY first;
    begin_small(&first, SMALL);
    size_t size;
    SCOPED void *const bytes = play_save(first.player, &size);
    SCOPED uint8_t *const cut = malloc(size);
    for (size_t capacity = 0; capacity < size; capacity++) {
        memset(cut, 0x5a, size);
        CHECK_UINT(md5_player_save(first.player, cut, capacity), size);
        CHECK(memcmp(cut, bytes, capacity) == 0 && cut[capacity] == 0x5a);
    }
}

// Each change of a table that a player depends on must change the fingerprint.
TEST (fingerprint_depends_on_every_table) {
    STRINGS(changed) = {
        SMALL_OF("", "float speed", "weight 0.5 state stand a"),
        SMALL_OF("", "float speed 1", "state stand a"),
        SMALL_OF("", "bool speed", "state stand a"),
        SMALL_OF("open", "float speed", "state stand a"),
        SMALL_OF("frame 1 step", "float speed", "state stand a"),
        SMALL_OF("", "float speed", "state stand nothing"),
    };
    SCOPED_PLAY first;
    begin_small(&first, SMALL);
    for (size_t i = 0; i < COUNT_OF(changed); i++) {
        SCOPED_PLAY second;
        begin_small(&second, changed[i]);
        CHECK_THAT(md5_machine_fingerprint(second.machine)
                       != md5_machine_fingerprint(first.machine),
                   "%s", changed[i]);
    }
}

// -- Old versions ---------------------------------------------------------------------------------
//
// Saved players of previous versions of the format, as bytes that those versions of the library
// wrote, can still be restored. In version 2 one-shots had one easing without parameters for both
// fades. In version 5 inertial transitions did not include the root's velocity, and the velocity of
// a spring was its current velocity.

static const md5_parameter_desc parameters[2] = {{.name = "speed", .kind = MD5_PARAMETER_FLOAT},
                                                 {.name = "armed", .kind = MD5_PARAMETER_BOOL}};
static const md5_follow_desc follow = {.parameter = "speed",
                                       .kind = MD5_FOLLOW_EASE,
                                       .duration = 0.5f,
                                       .easing.kind = MD5_EASE_SMOOTH};
static const md5_mask_desc mask = {.name = "upper", .joints = "*spine", .feather = 2};
static const md5_state_desc states[2] = {{.name = "low", .motion = "a"},
                                         {.name = "high", .motion = "b"}};
static const md5_condition is_armed = {.parameter = "armed", .compare = MD5_IS_SET};
static const md5_transition_desc rise = {
    .from = "low",
    .to = "high",
    ROW(conditions, is_armed),
    .duration = 0.5f,
    .easing = {.kind = MD5_EASE_CUBIC_BEZIER, .x1 = 0.25f, .y1 = 0.125f, .x2 = 0.25f, .y2 = 1}};
static const md5_layer_desc layer = {
    .name = "body", .states = states, .transitions = &rise, .num_states = 2, .num_transitions = 1};
static const md5_modifier_desc look = {
    .name = "look", .kind = MD5_MODIFIER_AIM, .joint = "head", .length = 3};

static void begin(play_scene *fixture)
{
    const md5_machine_desc desc = {
        .name = "old",
        .masks = &mask,
        .parameters = parameters,
        .layers = &layer,
        .modifiers = &look,
        .num_masks = 1,
        .num_parameters = 2,
        .num_layers = 1,
        .num_modifiers = 1,
        ROW(follows, follow),
        .max_one_shots = 2,
    };
    play_scene_clips(fixture, 1, 11, 10);
    play_scene_add(fixture, 17, 20, 0.4, 2);
    play_scene_play(fixture, &desc);
}

// The output of md5_player_save() of that version, in hexadecimal.
static const char saved[] =
    "4d355053020000007a72686d79a899f3010100000000000000d43f000000000000000000000000000000"
    "000000000000000000000000000000f03f00000000000000000000000000000000000000000000000000"
    "000000ffffffff01000000000000000000000000000000000000af3f0000803f00000040000000000000"
    "0000000000000000d43f0000003f0000a0410000a040000070420000000000000000000000000000803f"
    "000000000000000000000000000000000000ffffffff0200000000000000ffffffff0000000000000000"
    "00000000000000000000d43f000000000000000000000000000000000000000000000000000000000000"
    "0000d43f000100000000000000210000000000000000000000000000000000d43f000000000000e03f01"
    "0000000000000000000000000000000000000000000000d93f0002000000010000000100000000000000"
    "000000000100000000000000000000000000403f000000000000f43f000000000000e03f000000000000"
    "d03f01000000020000000000000000000000000000000000ce3f00000000000000c83f00010000803f00"
    "0000000000b03f000000000000e03f0000000001000000ffffffff000000000000000000000000020000"
    "000000803f000000000000f03f0000000000000000000000000000e03f02000000000000000000000000"
    "000000000000000000e23f00000000000000b03f00000000803f010000000000000001000000ffffffff"
    "010000000000000000000000010000000000803f000000000000f0bf0000000000000000000000000000"
    "c03f06000000060000000000000000000000000000000000ea3f00000000000000c83f00010000803f00"
    "0000000000b03f000000000000d03f";

enum { SAVED_SIZE = (sizeof saved - 1) / 2 };

TEST (saved_player_of_version_2_is_restored) {
    SCOPED_PLAY old, same;
    uint8_t bytes[SAVED_SIZE];
    begin(&old);
    begin(&same);

    // The history of the saved player: it is in a transition, a parameter follows its goal, and
    // three one-shots play, of which one is being replaced and one is being stopped.
    md5_player *player = same.player;
    md5_player_set(player, 0, 2);
    md5_player_set(player, 1, 1);
    md5_target *const target = md5_player_target(player, 0);
    target->weight = 0.5f;
    target->position = (md5_vec3){20, 5, 60};
    play_advance(player, 0.125);
    PLAY_ONE_SHOT(player, 0, 1, .mask = "upper", .weight = 0.75f, .fade_in = 0.25f,
                  .fade_out = 0.5f, .fade_in_easing.kind = MD5_EASE_SMOOTH,
                  .fade_out_easing.kind = MD5_EASE_SMOOTH);
    PLAY_ONE_SHOT(player, 1, 0, .mode = MD5_LAYER_ADD, .speed = -1, .end = MD5_ONE_SHOT_HOLDS,
                  .fade_in = 0.125f, .fade_in_easing.kind = MD5_EASE_CUBIC_OUT,
                  .fade_out_easing.kind = MD5_EASE_CUBIC_OUT);
    play_advance(player, 0.125);
    PLAY_ONE_SHOT(player, 0, 0, .fade_in = 0.5f, .fade_in_easing.kind = MD5_EASE_QUADRATIC_IN,
                  .fade_out_easing.kind = MD5_EASE_QUADRATIC_IN, .end = MD5_ONE_SHOT_LOOPS,
                  .start = 0.5);
    md5_player_stop_one_shot(player, 1, 0.25f);
    play_advance(player, 0.0625);

    play_unhex(saved, SAVED_SIZE, bytes);
    md5_error error = {0};
    if (!CHECK(md5_player_restore(old.player, bytes, sizeof bytes, &error)))
        printf("%s\n", error.message);
    for (int step = 0; step < 20; step++) {
        CHECK(play_player_distance(old.player, same.player) == 0);
        for (uint32_t slot = 0; slot < 2; slot++) {
            const md5_one_shot_status a = md5_player_one_shot(old.player, slot);
            const md5_one_shot_status b = md5_player_one_shot(same.player, slot);
            CHECK(a.is_playing == b.is_playing && a.is_stopping == b.is_stopping);
            // The saved times are sums of other terms than the times of this version, so their
            // rounding differs.
            CHECK(a.clip == b.clip && a.weight == b.weight);
            CHECK_NEAR(a.time, b.time, 1e-15);
        }
        CHECK(md5_player_get(old.player, 0) == md5_player_get(same.player, 0));
        play_advance(old.player, 0.0625);
        play_advance(same.player, 0.0625);
    }
}

// The player is saved again in the current version without loss.
TEST (saved_player_of_version_2_is_saved_in_the_newest) {
    SCOPED_PLAY fixture, second;
    uint8_t bytes[SAVED_SIZE], again[2 * SAVED_SIZE];
    begin(&fixture);
    begin(&second);
    play_unhex(saved, SAVED_SIZE, bytes);
    CHECK(md5_player_restore(fixture.player, bytes, sizeof bytes, NULL));
    const size_t size = md5_player_save(fixture.player, again, sizeof again);
    CHECK(size > sizeof bytes);
    CHECK_UINT(again[4], 6);
    CHECK(md5_player_restore(second.player, again, size, NULL));
    CHECK(play_player_distance(fixture.player, second.player) == 0);
}

// In version 2 easings have no parameters, so the easing cubic_bezier is invalid. Saved players
// with more or fewer bytes are rejected.
TEST_PLAY (saved_player_of_version_2_is_checked, begin(fixture)) {
    uint8_t bytes[SAVED_SIZE + 1] = {0};
    md5_error error = {0};
    play_unhex(saved, SAVED_SIZE, bytes);
    CHECK_FAILS(md5_player_restore(fixture->player, bytes, SAVED_SIZE + 1, &error), error,
                MD5_ERROR_SYNTAX);
    CHECK_FAILS(md5_player_restore(fixture->player, bytes, SAVED_SIZE - 1, &error), error,
                MD5_ERROR_SYNTAX);
    // The bytes of the last one-shot end with its two easings, 4 bytes each, and 47 more bytes that
    // begin with its clock.
    const size_t easing = SAVED_SIZE - 55;
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_UINT(bytes[easing + 4 * i], MD5_EASE_CUBIC_OUT);
        bytes[easing + 4 * i] = MD5_EASE_CUBIC_BEZIER;
        CHECK_FAILS(md5_player_restore(fixture->player, bytes, SAVED_SIZE, &error), error,
                    MD5_ERROR_RANGE);
        bytes[easing + 4 * i] = MD5_EASE_CUBIC_OUT;
    }
    bytes[4] = 1;
    CHECK(!md5_player_restore(fixture->player, bytes, SAVED_SIZE, &error));
    CHECK_STRING(error.message, "unsupported version of a saved player: expected 2 to 6, found 1");
}

// -- Version 5 ----------------------------------------------------------------------------------

// A parameter with a spring has moved from 1 toward 5 for 0.375 seconds. An inertial transition of
// one second, from a clip of 40 units per second to a clip of 100, has lasted for 0.125 seconds.
static const char saved_5[] =
    "4d355053050000001843986f3c078898010100000000000000d83f000000000000294000000000000000"
    "000000000000000000000000000000f03f00000000000000000000000000000000000000000000000000"
    "000000ffffffff0100000000000000000000000000000000b25ada400000a04033af1cc10000803f0000"
    "00000000d83f00010000ffffffff01000000000000000000c03f000000000000f03f0000000000000000"
    "0000000000000000000000000000000000000000000000006205ce3b2dfceb3cd38a783d00000000c832"
    "9abe00000000000000000000000042af29bc0ded1a3c5c947d3c5fa700c228a8a9bf0000000000000000"
    "000000001869ed3d992ab3bd550d533c000000004bc890bf000000000000000025d479c03acb813c0101"
    "383d823fb23d00000000f844d33d0000000000000000000000000526a4bd856eb43cc4ca053d6b80d0bf"
    "130d9f3f0000000000000000000000003feaf9bc4e128fbd95148e3c011fc9bfbfaa9e3f000000000000"
    "000085d136c0971d4a3d9063c7bd725f603d00000000b87bc63d0000000000000000f07197c202da063d"
    "69e77a3d6a3fc13d0dc9e2bf094391bf000000000000000000000000abc25ebc82e9cb3d9789503b5cb4"
    "abc03760a9bf00000000000000005413fbbf5f4da33dee4876bd1c129d3d00000000da1097be00000000"
    "00000000b60fc3c1a4646cbdf7e37bbd6bbf553d00000000b490803f0000000000000000000000000100"
    "000000000000000000000000000000000000000000000000c03f000000000000f03f0000000000000000"
    "00000000000000000000000000000000c03f0000000000000000000000000000000000";

TEST (saved_player_of_version_5_is_restored) {
    SCOPED_PLAY fixture;
    uint8_t bytes[(sizeof saved_5 - 1) / 2];
    play_scene_begin(&fixture);
    for (uint32_t i = 0; i < 2; i++)
        play_add_clip(&fixture.assets, 21, 20, 0.3, (play_walk){40 + 60.0 * i, 0, 0}, i);
    play_scene_read(&fixture, "clip a f { walk } clip b f { walk } float pace 1 "
                              "follow pace spring 100 4 layer body { state a a state b b }");
    play_unhex(saved_5, sizeof bytes, bytes);
    CHECK(md5_player_restore(fixture.player, bytes, sizeof bytes, NULL));
    SCOPED_PLAYER same = play_player(fixture.machine);
    md5_player_set(same, 0, 5);
    play_advance(same, 0.375);
    for (int step = 0; step < 10; step++) {
        CHECK_NEAR(md5_player_get(fixture.player, 0), md5_player_get(same, 0), 2e-6);
        CHECK(md5_player_layer(fixture.player, 0).from == 0);
        play_advance(fixture.player, 0.0625);
        play_advance(same, 0.0625);
        // The transition continues as in version 5: the root has the velocity of the new clip.
        CHECK_NEAR(md5_player_root_motion(fixture.player).translation.x, 6.25, 1e-4);
    }
}
