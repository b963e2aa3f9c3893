// Tests with random machines that the division of time into steps does not matter. One step and any
// division of it, forward and backward, must give the same events in the same order, the same
// states, and the same displacement of the root.
//
// MD5_SPLIT_MACHINES sets the number of machines, without and with conditions on time and events;
// MD5_SPLIT_SEED selects a single machine. The last part tests interpolation between fixed steps.
#include "test/scoped.h"
#include "test/play/test_play_random.h"

enum { STEPS = 5, MAX_PARTS = 40, MAX_EVENTS = MD5_MAX_STEP_EVENTS };

typedef struct logged_event {
    const md5_event *event;
    float weight;
} logged_event;

typedef struct event_log {
    logged_event all[MAX_EVENTS];
    uint32_t count;
} event_log;

PLAY_LISTENER(hear)
{
    event_log *const to = user;
    if (to->count == MAX_EVENTS)
        return;
    const bool is_end = event->kind == MD5_EVENT_END; // at an end the weight can be 0
    CHECK(player && (is_end ? weight >= 0 : weight > 0) && weight <= 1);
    to->all[to->count++] = (logged_event){event, weight};
}

typedef struct split_test {
    play_random_stock stock;
    event_log single, split;
    bool is_cut_off;      // the step exceeded a limit of one step
    bool is_backward;     // direction of the last step that was not 0
    bool has_order;       // events have the same order
    uint32_t num_fades;   // maximum in this step
    double variation;     // largest variation of an easing
    uint64_t num_cut_off; // number of machines that exceeded a limit
} split_test;

// -- One step and a division of it --------------------------------------------------------------

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

// Divides a step into random parts, some of length 0 and some that end at borders, or into equal
// parts. Returns their number.
static uint32_t split_step(double seconds, double parts[MAX_PARTS], uint64_t *random)
{
    const uint32_t count = 1 + play_below(random, MAX_PARTS - 1);
    const bool is_even = play_random_one_in(random, 3);
    double cuts[MAX_PARTS + 1];
    cuts[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        const double at = fabs(seconds) * test_random(random);
        cuts[i] = at;
        if (play_random_one_in(random, 4))
            cuts[i] = fmin(floor(at * 20) / 20.0, fabs(seconds));
        else if (play_random_one_in(random, 8))
            cuts[i] = 0;
        if (is_even)
            cuts[i] = fabs(seconds) * i / count;
    }
    cuts[count] = fabs(seconds);
    qsort(cuts, count + 1, sizeof *cuts, compare_doubles);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = seconds < 0 ? cuts[i] - cuts[i + 1] : cuts[i + 1] - cuts[i];
    return count;
}

// Returns the index of the first part that is played. A step of 0 has the direction of the previous
// step: if the direction changes, a step of 0 must not be first.
static uint32_t first_part(split_test *fixture, const double *parts, uint32_t num_parts,
                           double seconds)
{
    uint32_t first = 0;
    const bool has_reversed = seconds != 0 && (seconds < 0) != fixture->is_backward;
    while (has_reversed && first + 1 < num_parts && parts[first] == 0)
        first++;
    fixture->is_backward = seconds != 0 ? seconds < 0 : fixture->is_backward;
    return first;
}

static int compare_events(const void *left, const void *right)
{
    const logged_event *const a = left;
    const logged_event *const b = right;
    const double left_weight = a->weight;
    const double right_weight = b->weight;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return compare_doubles(&left_weight, &right_weight);
}

static bool same_events(event_log *single, event_log *split, bool has_order)
{
    if (!has_order) {
        qsort(single->all, single->count, sizeof single->all[0], compare_events);
        qsort(split->all, split->count, sizeof split->all[0], compare_events);
    }
    const uint32_t count = single->count < split->count ? single->count : split->count;
    uint32_t i = 0;
    while (i < count && single->all[i].event == split->all[i].event)
        i++;
    const bool is_same = i == single->count && i == split->count;
    const char *const single_name = i < single->count ? single->all[i].event->name : "-";
    const char *const split_name = i < split->count ? split->all[i].event->name : "-";
    if (!CHECK_THAT(is_same, "event %u of %u in one step, of %u in a split: %s %s", i,
                    single->count, split->count, single_name, split_name))
        return false;
    for (i = 0; i < count; i++) {
        if (!CHECK_NEAR(split->all[i].weight, single->all[i].weight, 1e-5))
            return false;
    }
    return true;
}

static bool same_states(md5_player *const players[2], uint32_t num_layers)
{
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_layer_status a = md5_player_layer(players[0], i);
        const md5_layer_status b = md5_player_layer(players[1], i);
        if (!CHECK_UINT(b.state, a.state) || !CHECK_NEAR(b.time, a.time, 1e-7))
            return false;
        if (!CHECK_NEAR(b.progress, a.progress, 1e-5)
            || !CHECK_UINT((uint64_t)b.from, (uint64_t)a.from))
            return false;
    }
    for (uint32_t i = 0; i < PLAY_SLOTS; i++) {
        const md5_one_shot_status a = md5_player_one_shot(players[0], i);
        const md5_one_shot_status b = md5_player_one_shot(players[1], i);
        if (!CHECK_UINT(b.clip, a.clip) || !CHECK_UINT(b.is_playing, a.is_playing)
            || !CHECK_UINT(b.is_stopping, a.is_stopping))
            return false;
        if (!CHECK_NEAR(b.time, a.time, 1e-7) || !CHECK_NEAR(b.weight, a.weight, 1e-5))
            return false;
    }
    return true;
}

// Returns the total variation of an easing, up and down.
static double easing_variation(md5_ease_kind easing)
{
    double sum = 0;
    double before = 0;
    for (int i = 1; i <= 1000; i++) {
        const double weight =
            fmin(fmax(md5_ease((md5_easing){.kind = easing}, (float)i / 1000.0f), 0), 1);
        sum += fabs(weight - before);
        before = weight;
    }
    return sum;
}

// Returns the allowed distance between the displacements of a whole step and of its parts, as
// md5play.h documents. For a cross-fade, each displacement has an error of at most the change of
// the weights in a part (an eighth, or a quarter of a second) times the movement of both motions in
// it. If root motion with rotation is blended, only short steps are exact; `path` is the length of
// the root's path, in both directions.
static double max_displacement_error(const split_test *fixture, const play_random_tables *tables,
                                     double pace, double path)
{
    if (tables->extracts_rotation)
        return 5 + 0.2 * path;
    const double exact = 1e-3 + 1e-6 * path;
    if (!tables->has_crossfades || fixture->num_fades == 0)
        return exact;
    const double part = fmin(tables->longest / 8.0, 0.25);
    return exact
           + 2.0 * fixture->num_fades * fixture->variation * 2 * play_random_speed(tables, pace)
                 * part;
}

static bool check_positions(play_position single, play_position split, double tolerance)
{
    return CHECK_NEAR(split.x, single.x, tolerance) && CHECK_NEAR(split.y, single.y, tolerance)
           && CHECK_NEAR(split.z, single.z, tolerance)
           && CHECK_SMALL(remainder(split.yaw - single.yaw, 6.283185307179586), 0.02 * tolerance);
}

// Advances one player by a random step and the other by parts of this step. Returns true if both
// have the same events, states and root motion.
static bool check_step(split_test *fixture, const play_random_tables *tables,
                       md5_player *const players[2], uint64_t *random)
{
    const double seconds = play_random_seconds(random);
    const double pace = md5_player_get(players[0], PLAY_PACE);
    double parts[MAX_PARTS];
    const uint32_t num_parts = split_step(seconds, parts, random);
    play_position single = {0};
    play_position split = {0};
    double path = 0;
    // The result must be the same if poses are computed after the steps.
    const bool is_visible = play_random_one_in(random, 4);
    fixture->single.count = fixture->split.count = 0;
    fixture->num_fades = 0;
    for (uint32_t i = 0; i < tables->desc.num_layers; i++)
        fixture->num_fades += md5_player_layer(players[0], i).from != MD5_NONE;
    const md5_advance_status status =
        md5_player_advance(players[0], seconds, hear, &fixture->single);
    play_apply_motion(&single, md5_player_root_motion(players[0]));
    for (uint32_t i = first_part(fixture, parts, num_parts, seconds); i < num_parts; i++) {
        md5_player_advance(players[1], parts[i], hear, &fixture->split);
        const md5_xform motion = md5_player_root_motion(players[1]);
        md5_xform pose[PLAY_JOINTS];
        if (is_visible && play_random_one_in(random, 3)) {
            play_pose(players[1], pose);
            if (!CHECK(play_is_sound(pose, PLAY_JOINTS)))
                return false;
        }
        const md5_vec3 by = motion.translation;
        path += sqrt((double)by.x * by.x + (double)by.y * by.y + (double)by.z * by.z);
        play_apply_motion(&split, motion);
    }
    for (uint32_t i = 0; i < fixture->single.count; i++)
        fixture->num_fades += fixture->single.all[i].event->kind == MD5_EVENT_ENTER;
    if (status.num_dropped > 0 || status.undivided > 0) {
        fixture->is_cut_off = true;
        return true;
    }
    return same_events(&fixture->single, &fixture->split, fixture->has_order)
           && same_states(players, tables->desc.num_layers)
           && check_positions(single, split, max_displacement_error(fixture, tables, pace, path));
}

// Extra features of the random machines. One-shots and states that begin at the event of each other
// can begin about 1e-10 s early each time, because a time within 1e-9 counts as reached; events of
// one instant can then have another order, or, for one in some thousand machines, a different
// result. The same fraction of machines has synchronized clocks, each exact to 1e-7 of a cycle,
// that decide together if a time is reached.
typedef enum extra { NOTHING, STEPS_SHARED, TIMES, STEPS_AND_TIMES, ONE_SHOTS } extra;

// Checks steps and divided steps of a random machine, which `seed` determines. Returns false if
// they differ.
static bool check_machine(split_test *fixture, uint64_t seed, extra kind)
{
    static play_random_tables tables;
    uint64_t random = seed * 0x2545F4914F6CDD1Du + 1;
    play_random_make(&fixture->stock, &tables, &random);
    if (kind == STEPS_SHARED || kind == STEPS_AND_TIMES)
        play_random_step(&tables, &random);
    if (kind >= TIMES)
        play_random_add_times(&tables, &random);
    if (kind == ONE_SHOTS)
        play_random_add_one_shots(&tables, &random);
    fixture->has_order = kind != ONE_SHOTS;
    SCOPED_MACHINE machine = play_machine(&tables.desc);
    md5_player *const players[2] = {play_player(machine), play_player(machine)};
    bool is_same = true;
    fixture->is_cut_off = fixture->is_backward = false;
    for (int i = 0; i < STEPS && is_same && !fixture->is_cut_off; i++) {
        play_random_change(players, 2, &tables, &random);
        is_same = check_step(fixture, &tables, players, &random);
    }
    fixture->num_cut_off += fixture->is_cut_off;
    CHECK_THAT(is_same, "machine of seed %llu: MD5_SPLIT_SEED tries it alone",
               (unsigned long long)seed);
    md5_destroy_player(players[0]);
    md5_destroy_player(players[1]);
    return is_same;
}

// Machines whose division once had another result: events and fades that end at the same time
// within rounding, instants that were too early, clips that rested for a time of 0 at their end.
static const uint64_t hard[] = {102758, 128932, 137671, 237263, 350927, 419914,
                                421860, 474843, 499869, 515201, 1132802};

// The same for synchronized machines: clocks that reverse or stand at a marker, vertical tangents
// of easings, states that begin a rounding error before the end of a cycle, exits of states that
// have just become synchronized, and events in parts of steep fades.
static const uint64_t hard_steps[] = {3264, 4030, 5581, 5618, 6709, 13122, 16503};

TEST (any_split_of_a_step_of_any_machine_is_the_same) {
    enum { USUAL_MACHINES = 200, MAX_FAILED = 5, MAX_OF_ALL_KINDS = 3000 };
    const char *const wanted = getenv("MD5_SPLIT_MACHINES");
    const char *const single_seed = getenv("MD5_SPLIT_SEED");
    SCOPED split_test *const fixture = calloc(1, sizeof *fixture);
    play_random_begin(&fixture->stock);
    for (int i = 0; i < MD5_EASE_CUBIC_BEZIER; i++)
        fixture->variation = fmax(fixture->variation, easing_variation((md5_ease_kind)i));
    if (single_seed) {
        for (int i = NOTHING; i <= ONE_SHOTS; i++)
            check_machine(fixture, strtoull(single_seed, NULL, 10), (extra)i);
    } else {
        const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : USUAL_MACHINES;
        int num_failed = 0;
        for (size_t i = 0; i < COUNT_OF(hard); i++)
            num_failed += !check_machine(fixture, hard[i], NOTHING);
        for (size_t i = 0; i < COUNT_OF(hard_steps); i++)
            num_failed += !check_machine(fixture, hard_steps[i], STEPS_SHARED);
        for (uint64_t seed = 1; seed <= count && num_failed < MAX_FAILED; seed++) {
            for (int i = NOTHING; i <= (seed <= MAX_OF_ALL_KINDS ? ONE_SHOTS : TIMES); i++)
                num_failed += !check_machine(fixture, seed, (extra)i);
        }
    }
    play_end(&fixture->stock.assets);
}

// -- Motion that depends on the split -----------------------------------------------------------

// Returns the position of the root after two seconds in `steps` steps, during a fade from a clip
// that moves straight on to a clip that rotates.
static play_position go(md5_player *player, md5_fade fade, md5_ease_kind easing, int steps)
{
    play_position at = {0};
    md5_player_reset(player);
    play_advance(player, 0.3);
    if (fade <= MD5_FADE_INERTIAL)
        md5_player_fade_to(player, 0, 1, 1.6f, fade, easing);
    md5_player_set(player, 0, 1);
    for (int i = 0; i < steps; i++) {
        play_advance(player, 2.0 / steps);
        play_apply_motion(&at, md5_player_root_motion(player));
    }
    return at;
}

static double distance_to(play_position a, play_position b)
{
    return hypot(a.x - b.x, a.y - b.y) + 50 * fabs(a.yaw - b.yaw);
}

// With steps of half the length the error is a quarter, if steps are as short as the parts of a
// fade.
TEST (splits_of_exceptions_are_of_second_order) {
    enum { CASES = 4, HALVES = 3 };
    for (int i = 0; i < CASES; i++) {
        SCOPED_PLAY fixture;
        play_scene_begin(&fixture);
        for (uint32_t k = 0; k < 2; k++)
            play_add_clip(&fixture.assets, 21 + 10 * k, 20 + 5.0 * k, 0.3,
                          (play_walk){40 + 60.0 * k, 0.9 * k, 0}, k);
        play_scene_read(&fixture,
                        "float x follow x smooth 2 clip a f { turn } clip b f { turn } "
                        "motion line line x { phase item a 0 item b 1 } layer body { %s }",
                        i == 3 ? "state line line" : "state a a state b b");
        const md5_fade fade = i == 3 ? (md5_fade)9 : (md5_fade)(i == 2);
        const md5_ease_kind easing = i == 1 ? MD5_EASE_SINE_IN_OUT : MD5_EASE_SMOOTH;
        const play_position exact = go(fixture.player, fade, easing, 150 << 6);
        double previous_time = INFINITY;
        for (int half = 0; half < HALVES; half++) {
            const double error = distance_to(go(fixture.player, fade, easing, 150 << half), exact);
            CHECK(error < 0.02 && error < previous_time / 3.0);
            previous_time = error;
        }
    }
}

// == Display between fixed steps ================================================================

// A fraction of a screw motion, computed from its axis: a point rotates by `fraction` of the angle
// about a line and moves along it. The library computes it from the chord.
TEST (fraction_of_a_rigid_motion_is_on_its_screw) {
    uint64_t random = 5;
    for (int i = 0; i < 200; i++) {
        const double angle = i == 0 ? 0 : 3.1 * test_random(&random);
        const double fraction = test_random(&random);
        const double yaw = 6 * test_random(&random);
        const double rise = 2 * test_random(&random) - 1;
        const double pitch = 5 * test_random(&random);
        const double cx = 9 * test_random(&random);
        // The axis is a = (r cos yaw, r sin yaw, rise / n) through the point c = (cx, 2, -3).
        const double n = sqrt(1 + rise * rise);
        const real3 a = {cos(yaw) / n, sin(yaw) / n, rise / n};
        const real3 c = {cx, 2, -3};
        md5_xform at[2];
        real3 positions[2];
        for (int k = 0; k < 2; k++) { // the whole motion, then the fraction
            const double t = k == 0 ? 1 : fraction;
            const double s = sin(0.5 * angle * t);
            const double w = cos(0.5 * angle * t);
            const real4 q = {a.x * s, a.y * s, a.z * s, w};
            const real3 rotated = real4_rotate(q, real3_scale(c, -1));
            positions[k] = real3_add(real3_add(c, rotated), real3_scale(a, pitch * t));
            at[k] = (md5_xform){.rotation = {(float)q.x, (float)q.y, (float)q.z, (float)q.w},
                                .translation = {(float)positions[k].x, (float)positions[k].y,
                                                (float)positions[k].z}};
        }
        const md5_model nothing = {0};
        md5_interpolated_pose_job job = {.model = &nothing, .motion = at[0]};
        md5_pose_interpolated(&job, 1, (float)fraction, NULL);
        CHECK_NEAR(job.partial_motion.translation.x, positions[1].x, 1e-5);
        CHECK_NEAR(job.partial_motion.translation.y, positions[1].y, 1e-5);
        CHECK_NEAR(job.partial_motion.translation.z, positions[1].z, 1e-5);
        CHECK_NEAR(job.partial_motion.rotation.w, at[1].rotation.w, 1e-6);
        CHECK_NEAR(job.partial_motion.rotation.x, at[1].rotation.x, 1e-6);
        md5_pose_interpolated(&job, 1, 1, NULL);
        CHECK_BYTES(&job.partial_motion, &at[0], sizeof job.partial_motion);
        md5_pose_interpolated(&job, 1, NAN, NULL);
        CHECK(job.partial_motion.rotation.w == 1 && job.partial_motion.translation.x == 0);
    }
}

static void run_backward(void *pool, size_t count, md5_range_fn *range, void *user)
{
    (void)pool;
    for (size_t i = count; i-- > 0;)
        range(user, (uint32_t)(i % 3), i, i + 1);
}

// md5_pose_interpolated() must give the same bits as md5_blend_poses(), with any number of threads.
// For a step with a cut, it must return the new pose.
TEST (poses_between_steps_are_blended_ones_but_over_cuts) {
    SCOPED_PLAY fixture = {0};
    play_scene_begin(&fixture);
    play_scene_add(&fixture, 21, 20, 0.4, 1);
    play_scene_add(&fixture, 21, 20, 0.7, 2);
    // In the layer `body`, the first transition keeps the phase and the second is a cut. The layer
    // `top` has weight 0, so its transition has no effect.
    play_scene_read(&fixture,
                    "float none layer body { state go a state on a state far b "
                    "transition go on { exit 0.25 keep_phase } transition on far { exit 0.65 } }"
                    " layer top { weight none state one a state two b "
                    "transition one two { exit 0.05 } }");
    CHECK(PLAY_ONE_SHOT(fixture.player, 0, 1, .start = 0.05));
    enum { JOBS = 10 };
    md5_xform poses[JOBS + 1][PLAY_JOINTS], blended[2][JOBS][PLAY_JOINTS];
    md5_mat34 palettes[JOBS][PLAY_JOINTS], palette[PLAY_JOINTS];
    md5_interpolated_pose_job jobs[JOBS];
    play_pose(fixture.player, poses[0]);
    for (int i = 0; i < JOBS; i++) {
        const md5_advance_status status = md5_player_advance(fixture.player, 0.1, NULL, NULL);
        CHECK_UINT(status.num_cuts, i == 6 || i == 9); // the clip of the one-shot ends at 0.95
        play_pose(fixture.player, poses[i + 1]);
        jobs[i] = (md5_interpolated_pose_job){.model = fixture.assets.model,
                                              .before = poses[i],
                                              .after = poses[i + 1],
                                              .has_cut = status.num_cuts > 0,
                                              .pose = blended[0][i],
                                              .palette = palettes[i]};
    }
    md5_pose_interpolated(jobs, JOBS, 0.3f, NULL);
    for (int i = 0; i < JOBS; i++) {
        md5_blend_poses(poses[i], poses[i + 1], i == 6 || i == 9 ? 1 : 0.3f, NULL, PLAY_JOINTS,
                        blended[1][i]);
        CHECK_BYTES(blended[0][i], blended[1][i], sizeof blended[0][i]);
        md5_local_to_palette(fixture.assets.model, blended[1][i], NULL, palette);
        CHECK_BYTES(palettes[i], palette, sizeof palette);
        jobs[i].pose = blended[1][i];
    }
    const md5_threads threads = {.run = run_backward, .num_workers = 3};
    memset(blended[1], 0, sizeof blended[1]);
    md5_pose_interpolated(jobs, JOBS, 0.3f, &threads);
    CHECK_BYTES(blended[0], blended[1], sizeof blended[0]);
}

// Samples a clip at a time in seconds.
static void sample_clip(const md5_binding *binding, double time, md5_xform *pose)
{
    const md5_sample_position position =
        md5_sample_position_at(binding->anim, time, MD5_WRAP_CLAMP);
    md5_sample(binding, position, MD5_ROOT_FILE, pose);
}

// Returns the largest distance between the position of a joint in an interpolated pose and in the
// clip. Steps have the rate `rate` in Hz, and poses are interpolated at eighths of steps.
static double max_joint_distance(const md5_machine *machine, uint32_t clip, double rate)
{
    const md5_model *const model = md5_machine_tables(machine)->model;
    const uint32_t num_joints = model->skeleton.num_joints;
    SCOPED md5_xform *const before = malloc(num_joints * sizeof *before);
    SCOPED md5_xform *const after = malloc(num_joints * sizeof *after);
    SCOPED md5_xform *const pose = malloc(num_joints * sizeof *pose);
    SCOPED md5_mat34 *const interpolated = malloc(num_joints * sizeof *interpolated);
    SCOPED md5_mat34 *const exact = malloc(num_joints * sizeof *exact);
    const md5_binding *const binding = md5_machine_tables(machine)->clips[clip].binding;
    md5_interpolated_pose_job job = {
        .model = model, .before = before, .after = after, .pose = pose, .joints = interpolated};
    const double step = 1.0 / rate;
    double max_distance = 0;
    for (double time = 0.0; time + step <= binding->anim->duration; time += 0.37 * step) {
        sample_clip(binding, time, before);
        sample_clip(binding, time + step, after);
        for (double fraction = 0.125; fraction < 1; fraction += 0.125) {
            md5_pose_interpolated(&job, 1, (float)fraction, NULL);
            sample_clip(binding, time + fraction * step, pose);
            md5_local_to_model(&model->skeleton, pose, exact);
            for (uint32_t i = 0; i < num_joints; i++)
                real_update_max(&max_distance, real_distance(md5_mat34_translation(interpolated[i]),
                                                             md5_mat34_translation(exact[i])));
        }
    }
    return max_distance;
}

TEST (interpolated_pose_is_near_the_exact_pose) {
    md5_error error = {0};
    SCOPED_CHARACTER character =
        md5_load_character(test_path("models/bobbin/bobbin.md5machine"), NULL, &error);
    if (!CHECK_STRING(error.message, ""))
        return;
    const md5_bounds bounds = character->model->bounds;
    for (int half = 1; half <= 2; half++) { // 30 and 60 Hz, as in md5play.h
        double max_distance = 0;
        for (uint32_t i = 0; i < character->num_clips; i++)
            real_update_max(&max_distance, max_joint_distance(character->machine, i, 30.0 * half));
        CHECK(max_distance / (double)(bounds.max.z - bounds.min.z) <= 0.034 / half);
    }
}
