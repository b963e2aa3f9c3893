// Tests of the creation of machines: each error in the tables is reported with a name.
// test_machine_locations.c tests the errors that the text of a machine file can contain; this file
// tests errors of tables that are written in C, and memory limits.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

// A machine with every kind of entry.
static const char rows[] =
    "machine everything { clip walk walk.md5anim { turn frame 4 footstep left frame 16 footstep\n"
    "markers ( 2 12 ) } clip run f { markers ( 3 13 ) } clip idle f\n"
    "clip lean f { window bent 2 9 curve bend ( 0 1 8 2 ) section end 10 20 }\n"
    "mask upper ( *spine ) { feather 2 } mask none ( )\n"
    "float speed 0.25 bool armed 1 trigger jump follow speed ease 1\n"
    "motion line line speed { markers item walk 0 item run 1 }\n"
    "motion plane plane speed armed { item walk 0 1 item idle 0 2 item run 1 1 }\n"
    "motion stack stack {\n"
    "  item line item lean { add mask upper weight speed reference idle 3 } }\n"
    "motion step line speed { phase speed speed item walk 0 item plane 1 }\n"
    "motion once clip idle { once start 0.5 }\n"
    "motion gait by_speed speed { item idle item walk }\n"
    "layer body { state stand stack state go step state gone nothing\n"
    "  transition stand go { when speed > 0.5 duration 0.2 }\n"
    "  transition any gone { when jump and speed > 0.5 priority 3 }\n"
    "  transition go stand { exit 0.75 inertial } }\n"
    "layer mood { add mask upper weight 0.5 state calm once state wild plane }\n"
    "modifier look aim head { limit 1 } modifier foot two_bone lfoot { stretch 1.1 }\n"
    "modifier swing spring rhand { length 2 } modifier stand feet pelvis {\n"
    "  foot lfoot { hip lhip } hold { speed 10 } } modifier eyes gaze head { eye head }\n"
    "modifier hand two_bone lhand { target pelvis of gun pole pelvis weight state body go }\n"
    "attached gun f on lfoot limit head cone ( 1 0 0 ) { min -0.2 max 0.3 swing 0.1 }\n"
    "morph smile parameter speed morph oh state body go morph blink clip idle ( 4 0 8 1 )\n"
    "slot arm { mask upper layer body } one_shot nod arm run { when jump until not armed } }";

// The tables of the machine `rows`, and pointers to their entries, so that tests can change them.
typedef struct full {
    md5_machine_file *file;
    md5_clip_desc *clips;
    md5_event *events;   // events of `walk`
    md5_window *windows; // windows of `lean`
    md5_follow_desc *follows;
    uint32_t *markers; // markers of `run`
    md5_mask_desc *masks;
    md5_parameter_desc *parameters;
    md5_motion_item *line;
    md5_motion_item *plane;
    md5_motion_item *stack;
    md5_motion_desc *motions;
    md5_state_desc *states;   // states of `body`
    md5_condition *condition; // condition of the first transition of `body`
    md5_transition_desc *transitions;
    md5_layer_desc *layers;
    md5_modifier_desc *modifiers;
    md5_attached_desc *attached;
    md5_limit_desc *limits;
    md5_morph_desc *morphs;
    md5_one_shot_desc *one_shots;
    md5_machine_desc desc;
} full;

// Parses a machine that uses every table, and sets pointers to the rows that tests change.
static void fill(const play_case *assets, full *all)
{
    md5_error error = {0};
    md5_machine_file *const file = md5_parse_machine_file(rows, sizeof rows - 1, NULL, &error);
    if (!CHECK_STRING(error.message, ""))
        abort();
    for (uint32_t i = 0; i < 4; i++)
        file->clips[i].binding = assets->bindings[i];
    *all = (full){.file = file, .clips = file->clips, .desc = file->desc};
    all->desc.model = assets->model;
    all->desc.locations = NULL; // errors are reported for tables, without locations
    all->events = (md5_event *)all->clips[0].events;
    all->windows = (md5_window *)all->clips[3].windows;
    all->follows = (md5_follow_desc *)all->desc.follows;
    all->markers = (uint32_t *)all->clips[1].markers;
    all->masks = (md5_mask_desc *)all->desc.masks;
    all->masks[1].joints = NULL;
    all->parameters = (md5_parameter_desc *)all->desc.parameters;
    all->motions = (md5_motion_desc *)all->desc.motions;
    all->motions[3].speed = 2;
    all->line = (md5_motion_item *)all->motions[0].items;
    all->plane = (md5_motion_item *)all->motions[1].items;
    all->stack = (md5_motion_item *)all->motions[2].items;
    all->layers = (md5_layer_desc *)all->desc.layers;
    all->states = (md5_state_desc *)all->layers[0].states;
    all->transitions = (md5_transition_desc *)all->layers[0].transitions;
    all->condition = (md5_condition *)all->transitions[0].conditions;
    all->modifiers = (md5_modifier_desc *)all->desc.modifiers;
    all->attached = (md5_attached_desc *)all->desc.attached;
    all->attached[0].model = assets->model;
    all->limits = (md5_limit_desc *)all->desc.limits;
    all->morphs = (md5_morph_desc *)all->desc.morphs;
    all->one_shots = (md5_one_shot_desc *)all->desc.one_shots;
}

static void drop(full *all)
{
    md5_free_machine_file(all->file);
}
#define SCOPED_FULL __attribute__((cleanup(drop))) full

static void begin(play_case *assets)
{
    static const play_walk walk = {40, 0.5, 0};
    play_begin(assets);
    for (uint32_t i = 0; i < 4; i++)
        play_add_clip(assets, 21, 20, 0.3, walk, i);
}

#define TEST_HERE(title) TEST_WITH (title, play_case, assets, begin(assets), play_end(assets))

// Applies `change` to valid tables called `all`, which must be rejected after that.
#define REFUSE(change, message)                \
    do {                                       \
        SCOPED_FULL all;                       \
        fill(assets, &all);                    \
        change;                                \
        play_desc_refused(&all.desc, message); \
    } while (0)

TEST_HERE (machine_rejects_clips) {
    play_case second_case;
    begin(&second_case);
    REFUSE(all.desc.model = NULL, "machine 'everything' has no model: expected a loaded model");
    REFUSE((all.desc.name = NULL, all.desc.model = NULL),
           "machine '' has no model: expected a loaded model");
    REFUSE(all.desc.clips = NULL,
           "machine 'everything': clips is NULL: expected an array of 4 elements");
    REFUSE(all.clips[2].name = NULL, "clip 2 has no name");
    REFUSE(all.clips[1].binding = NULL, "clip 'run' has no binding");
    REFUSE(all.clips[1].binding = second_case.bindings[0],
           "clip 'run' is bound to another model: expected a binding to the machine's model");
    md5_binding *const alone = md5_bind_skeleton(
        &assets->model->skeleton, assets->model->bind_local, assets->bindings[1]->anim, NULL, NULL);
    REFUSE(all.clips[1].binding = alone,
           "clip 'run' is bound to a skeleton: expected a binding to the machine's model");
    md5_free_binding(alone);
    REFUSE(all.clips[1].period = (md5_period)2,
           "clip 'run': period is out of range: expected 0 to 1, found 2");
    REFUSE(all.clips[1].interpolation = (md5_interpolation)9,
           "clip 'run': interpolation is out of range: expected 0 to 3, found 9");
    REFUSE(all.clips[1].root_extraction = (md5_root_extraction)4,
           "clip 'run': root_extraction is out of range: expected 0 to 3, found 4");
    REFUSE(all.clips[0].events = NULL,
           "clip 'walk': events is NULL: expected an array of 2 elements");
    REFUSE(all.clips[0].markers = NULL,
           "clip 'walk': markers is NULL: expected an array of 2 elements");
    REFUSE(all.events[1].name = NULL, "clip 'walk': name of event 1 is missing: expected a text");
    REFUSE(all.windows[0].name = NULL, "clip 'lean': name of window 0 is missing: expected a text");
    REFUSE(all.follows[0].parameter = "pace", "table 'follows' refers to unknown parameter 'pace'");
    REFUSE(all.parameters[1].value = NAN, "parameter 'armed': value is not a finite number");
    REFUSE(all.parameters[1].kind = (md5_parameter_kind)3,
           "parameter 'armed': kind is out of range: expected 0 to 2, found 3");
    play_end(&second_case);
}

TEST_HERE (machine_rejects_motions) {
    REFUSE(all.motions[0].kind = (md5_motion_kind)5,
           "motion 'line': kind is out of range: expected 0 to 4, found 5");
    REFUSE(all.motions[0].speed = INFINITY, "motion 'line': speed is not a finite number");
    REFUSE(all.motions[0].speed_parameter = "pace",
           "motion 'line' refers to unknown parameter 'pace'");
    REFUSE(all.motions[0].x_parameter = NULL,
           "motion 'line' has no parameter for axis x: expected the name of a parameter");
    REFUSE(all.motions[1].y_parameter = NULL,
           "motion 'plane' has no parameter for axis y: expected the name of a parameter");
    REFUSE(all.motions[0].items = NULL,
           "motion 'line': items is NULL: expected an array of 2 elements");
    REFUSE(all.motions[0].sync = (md5_sync)3,
           "motion 'line': sync is out of range: expected 0 to 2, found 3");
    REFUSE(all.line[1].motion = NULL,
           "motion 'line': motion of item 1 is missing: expected the name of a motion or clip");
    REFUSE(all.line[1].x = NAN, "motion 'line': position of an item is not a finite number");
    REFUSE(all.line[1].y = NAN, "motion 'line': position of an item is not a finite number");
    REFUSE(all.stack[1].mode = (md5_layer_mode)2,
           "motion 'stack': mode of an item is out of range: expected 0 to 1, found 2");
    REFUSE(all.motions[4].clip = NULL, "motion 'once' has no clip: expected the name of a clip");
    REFUSE(all.motions[4].mode = (md5_play_mode)3,
           "motion 'once': mode is out of range: expected 0 to 2, found 3");
    REFUSE(all.motions[4].start = NAN, "motion 'once': start is not a finite number");
    REFUSE(all.clips[0].num_markers = all.clips[1].num_markers = 0,
           "motion 'line' cannot be synchronized by markers: expected the same number in all "
           "clips, at least 1, found 0 to 0");
}

TEST_HERE (machine_rejects_layers) {
    REFUSE(all.layers[0].name = NULL, "layer 0 has no name");
    REFUSE(all.layers[0].mode = (md5_layer_mode)2,
           "layer 'body': mode is out of range: expected 0 to 1, found 2");
    REFUSE(all.layers[0].states = NULL,
           "layer 'body': states is NULL: expected an array of 3 elements");
    REFUSE((all.layers[0].states = NULL, all.layers[0].name = NULL),
           "layer '': states is NULL: expected an array of 3 elements");
    REFUSE((all.states[1].motion = "fly", all.states[1].name = NULL), "state 1 has no name");
    REFUSE(all.layers[0].transitions = NULL,
           "layer 'body': transitions is NULL: expected an array of 3 elements");
}

TEST_HERE (machine_rejects_transitions) {
#define OF_BODY "transition of layer 'body'"
    REFUSE(all.transitions[0].to = NULL,
           "layer 'body': transition 0 has no target state: expected the name of a state");
    REFUSE(all.transitions[0].exit = NAN, OF_BODY ": exit is not a finite number");
    REFUSE(all.transitions[0].duration = NAN,
           OF_BODY ": duration is out of range: expected 0 to 1e+06, found nan");
    REFUSE(all.transitions[0].start = INFINITY, OF_BODY ": start is not a finite number");
    REFUSE(all.transitions[0].fade = (md5_fade)2,
           OF_BODY ": fade is out of range: expected 0 to 1, found 2");
    REFUSE(all.transitions[0].easing.kind = (md5_ease_kind)35,
           OF_BODY ": easing is out of range: expected 0 to 34, found 35");
    REFUSE(all.transitions[0].interrupt = (md5_interrupt)3,
           OF_BODY ": interrupt is out of range: expected 0 to 2, found 3");
    REFUSE(all.transitions[0].conditions = NULL,
           OF_BODY ": conditions is NULL: expected an array of 1 elements");
    REFUSE(all.condition->parameter = NULL, "transition of layer 'body': parameter of a condition "
                                            "is missing: expected the name of a parameter");
    REFUSE(all.condition->compare = (md5_comparison)6,
           OF_BODY ": comparison is out of range: expected 0 to 5, found 6");
    REFUSE(all.condition->kind = (md5_condition_kind)4,
           OF_BODY ": kind of a condition is out of range: expected 0 to 3, found 4");
    REFUSE((all.condition->kind = MD5_WHEN_TIME_LEFT, all.condition->compare = MD5_IS_SET),
           "transition of layer 'body': condition has no comparison");
    REFUSE(all.transitions[0].exit_event = "",
           OF_BODY " has no event name: expected the name of an event of a clip");
    REFUSE((all.condition->kind = MD5_WHEN_EVENT, all.condition->parameter = NULL,
            all.condition->compare = MD5_IS_SET),
           OF_BODY " has no event name: expected the name of an event of a clip");
    REFUSE((all.condition->kind = MD5_WHEN_EVENT, all.condition->parameter = "footstep left"),
           OF_BODY
           ": condition about an event has a wrong comparison: expected 0 (MD5_IS_SET), found 3");
    REFUSE(all.condition->value = NAN, OF_BODY ": value of a condition is not a finite number");
}

TEST_HERE (machine_rejects_modifiers) {
    REFUSE(all.modifiers[0].kind = (md5_modifier_kind)8,
           "modifier 'look': kind is out of range: expected 0 to 7, found 8");
    REFUSE(all.modifiers[0].space = (md5_joint_space)4,
           "modifier 'look': space is out of range: expected 0 to 3, found 4");
    REFUSE(all.modifiers[0].joint = NULL,
           "modifier 'look' has no joint: expected the name of a joint");
    REFUSE(all.modifiers[0].aim.forward.x = NAN, "modifier 'look': forward is not a finite number");
    REFUSE(all.modifiers[0].aim.forward.y = NAN, "modifier 'look': forward is not a finite number");
    REFUSE(all.modifiers[0].aim.up.z = NAN, "modifier 'look': up is not a finite number");
    REFUSE(all.modifiers[2].spring.gravity = NAN,
           "modifier 'swing': gravity is not a finite number");
    REFUSE(all.modifiers[3].smoothing = NAN,
           "modifier 'stand': smoothing is out of range: expected 0 to 1e+06, found nan");
    REFUSE(all.modifiers[2].length = 65,
           "modifier 'swing': chain length is out of range: expected 2 to 64 joints, found 65");
}

TEST_HERE (machine_rejects_masks) {
    REFUSE(all.masks[0].joints = "*spin", "mask 'upper': unknown joint 'spin'");
}

TEST_HERE (machine_rejects_invalid_targets_of_modifiers) {
    static const md5_modifier_point nowhere = {.joint = NULL};
    md5_attached_desc many[MD5_MAX_ATTACHED + 1] = {{0}};
    char names[MD5_MAX_ATTACHED + 1][8];
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        snprintf(names[i], sizeof names[i], "gun%zu", i);
        many[i] = (md5_attached_desc){.name = names[i], .model = assets->model};
    }
    REFUSE(all.modifiers[5].target = &nowhere,
           "modifier 'hand': position of the target has no joint: expected the name of a joint");
    REFUSE(all.modifiers[5].pole = &nowhere,
           "modifier 'hand': position of the pole has no joint: expected the name of a joint");
    REFUSE(all.attached[0].model = NULL, "attached 'gun' has no model: expected a loaded model");
    REFUSE((all.desc.attached = many, all.desc.num_attached = COUNT_OF(many)),
           "too many attached models: expected at most 16, found 17");
    REFUSE(all.attached[0].joint = "lhand",
           "modifier 'hand': target is attached to joint 'lhand', which the modifier moves");
}

TEST_HERE (machine_rejects_invalid_sources_of_modifiers) {
    static const char two[] =
        "modifier 'hand' has several weight sources: expected one of a state, a curve and a window";
    REFUSE(all.modifiers[5].weight_curve = "bend", two);
    REFUSE(all.modifiers[5].weight_window = "bent", two);
    REFUSE(all.modifiers[5].weight_layer = NULL, "modifier 'hand' has no layer");
    REFUSE(all.modifiers[5].weight_state = NULL, "modifier 'hand' has no state");
    REFUSE(all.modifiers[5].weight_parameter = "sped",
           "modifier 'hand' refers to unknown parameter 'sped'");
    REFUSE((all.modifiers[5].weight_easing.kind = MD5_EASE_STEPS),
           "modifier 'hand': number of steps is out of range: expected 1 to 65536, found 0");
}

TEST_HERE (machine_rejects_limits) {
    REFUSE(all.limits[0].axis = ((md5_vec3){0, 0, 0}),
           "limit 'head' has no axis: expected a vector that is not 0, found ( 0 0 0 )");
    REFUSE(all.limits[0].min = 1.0f,
           "limit 'head': range is not ascending: expected min <= max, found min 1 and max 0.3");
    md5_limit_desc two[2];
    REFUSE((two[0] = two[1] = all.limits[0], all.desc.limits = two, all.desc.num_limits = 2),
           "limit 'head' is a duplicate: expected one limit per joint");
    REFUSE(all.limits[0].joint = NULL, "limit '' has no joint: expected the name of a joint");
}

TEST_HERE (machine_rejects_morphs) {
    REFUSE(all.morphs[1].target = NULL,
           "morph 1 has no target: expected the name of a morph target");
    REFUSE(all.morphs[0].parameter = NULL, "morph 'smile' has no parameter");
    REFUSE(all.morphs[1].state = NULL, "morph 'oh' has no state");
    REFUSE(all.morphs[2].clip = NULL, "morph 'blink' has no clip");
}

TEST_HERE (machine_rejects_one_shots) {
    static md5_slot_desc many[MD5_MAX_ONE_SHOTS + 1];
    static md5_condition late = {.kind = MD5_WHEN_TIME_LEFT, .compare = MD5_IS_LESS};
    REFUSE(all.one_shots[0].slot = NULL, "one_shot 'nod' has no slot");
    REFUSE(all.one_shots[0].clip = NULL, "one_shot 'nod' has no clip");
    REFUSE(all.one_shots[0].mask = "lower", "one_shot 'nod' refers to unknown mask 'lower'");
    REFUSE(all.one_shots[0].layer = "legs", "one_shot 'nod' refers to unknown layer 'legs'");
    REFUSE(all.one_shots[0].reference = "ran", "one_shot 'nod' refers to unknown clip 'ran'");
    REFUSE((all.one_shots[0].reference = "idle", all.one_shots[0].reference_frame = 21),
           "one_shot 'nod': reference frame is out of range: expected 0 to 20, found 21");
    REFUSE(all.one_shots[0].fade_out_easing.kind = MD5_EASE_STEPS,
           "one_shot 'nod': number of steps is out of range: expected 1 to 65536, found 0");
    REFUSE(all.one_shots[0].conditions = &late, "one_shot 'nod': 'state_time' and 'time_left' "
                                                "are not supported in conditions of one-shots");
    REFUSE((all.desc.slots = many, all.desc.num_slots = COUNT_OF(many)),
           "too many slots: expected at most 64, found 65");
}

// Applies `change` to valid tables called `all`, which must be accepted after that.
#define ACCEPT(change)                                                        \
    do {                                                                      \
        SCOPED_FULL all;                                                      \
        fill(assets, &all);                                                   \
        change;                                                               \
        md5_error error = {0};                                                \
        SCOPED_MACHINE machine = md5_create_machine(&all.desc, NULL, &error); \
        CHECK_DONE(machine, error);                                           \
    } while (0)

// test/play/test_play_one_shots.c and the tests above refuse the next number.
TEST_HERE (machine_accepts_numbers_up_to_their_limits) {
    md5_attached_desc attached[MD5_MAX_ATTACHED] = {{0}};
    char attached_names[MD5_MAX_ATTACHED][8];
    for (size_t i = 0; i < COUNT_OF(attached); i++) {
        snprintf(attached_names[i], sizeof attached_names[i], "gun%zu", i);
        attached[i] = (md5_attached_desc){.name = attached_names[i], .model = assets->model};
    }
    ACCEPT(attached[0] = all.attached[0]; all.desc.attached = attached;
           all.desc.num_attached = MD5_MAX_ATTACHED);

    md5_slot_desc slots[MD5_MAX_ONE_SHOTS] = {{0}};
    char slot_names[MD5_MAX_ONE_SHOTS][8];
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        snprintf(slot_names[i], sizeof slot_names[i], "slot%zu", i);
        slots[i] = (md5_slot_desc){.name = slot_names[i]};
    }
    ACCEPT(slots[0] = all.desc.slots[0]; all.desc.slots = slots;
           all.desc.num_slots = MD5_MAX_ONE_SHOTS);
    ACCEPT(all.desc.max_one_shots = MD5_MAX_ONE_SHOTS);
    const md5_easing steps = {MD5_EASE_STEPS, .steps = MD5_MAX_EASE_STEPS};
    ACCEPT(all.one_shots[0].fade_out_easing = steps);
    REFUSE(all.one_shots[0].fade_out_easing = steps;
           all.one_shots[0].fade_out_easing.steps++,
           "one_shot 'nod': number of steps is out of range: expected 1 to 65536, found 65537");
}

// One event more than a bit set can contain.
TEST_HERE (machine_rejects_conditions_about_too_many_events) {
    enum { COUNT = 65 };
    static char names[COUNT][8];
    md5_event events[COUNT] = {{0}};
    md5_condition conditions[COUNT] = {{0}};
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "e%u", i);
        events[i] = (md5_event){.name = names[i]};
        conditions[i] =
            (md5_condition){.parameter = names[i], .kind = MD5_WHEN_EVENT, .compare = MD5_IS_SET};
    }
    for (uint32_t count = COUNT - 1; count <= COUNT; count++) {
        SCOPED_FULL all;
        fill(assets, &all);
        all.clips[0].events = events;
        all.clips[0].num_events = COUNT;
        all.transitions[0].conditions = conditions;
        all.transitions[0].num_conditions = count;
        md5_error error = {0};
        SCOPED_MACHINE machine = md5_create_machine(&all.desc, NULL, &error);
        CHECK((machine != NULL) == (count < COUNT));
        CHECK_STRING(
            error.message,
            machine ? "" : OF_BODY " refers to too many events: expected at most 64 in a machine");
    }
}

// md5_machine_tables() returns a copy of all tables, which is valid after the caller has freed its
// description.
TEST_HERE (machine_keeps_its_tables) {
    SCOPED_FULL all;
    fill(assets, &all);
    SCOPED_MACHINE machine = play_machine(&all.desc);
    drop(&all); // the machine must not use the caller's memory
    all.file = NULL;
    const md5_machine_desc *const kept = md5_machine_tables(machine);
    CHECK_STRING(kept->name, "everything");
    CHECK_STRING(kept->clips[0].file, "walk.md5anim");
    CHECK_STRING(kept->clips[0].events[0].text, "left");
    CHECK_STRING(kept->clips[0].events[1].text, "");
    CHECK_UINT(kept->clips[1].markers[1], 13);
    CHECK(!kept->masks[1].joints);
    CHECK_STRING(kept->motions[2].items[1].weight_parameter, "speed");
    CHECK_STRING(kept->layers[0].transitions[1].conditions[0].parameter, "jump");
    CHECK(!kept->layers[0].transitions[1].from);
    CHECK_STRING(kept->modifiers[2].joint, "rhand");
    CHECK_STRING(kept->modifiers[3].feet[0].hip, "lhip");
    CHECK(!kept->modifiers[3].feet[0].knee);
    CHECK(md5_find_parameter(machine, "armed") == 1
          && md5_find_parameter(machine, "x") == MD5_NONE);
    CHECK(md5_find_layer(machine, "mood") == 1 && md5_find_layer(machine, NULL) == MD5_NONE);
    CHECK(md5_find_state(machine, 0, "go") == 1 && md5_find_state(machine, 0, "wild") == MD5_NONE);
    CHECK(md5_find_state(machine, 1, "wild") == 1 && md5_find_state(machine, 2, "go") == MD5_NONE);
    CHECK(md5_find_clip(machine, "run") == 1 && md5_find_clip(machine, "RUN") == MD5_NONE);
    CHECK(md5_find_modifier(machine, "swing") == 2 && md5_find_modifier(machine, "x") == MD5_NONE);
    md5_destroy_machine(NULL);
    md5_destroy_player(NULL);
}

// Creates a machine from the tables, plays 3 seconds, and returns the transform of the head.
static md5_xform head_after(const full *all)
{
    md5_xform pose[PLAY_JOINTS];
    SCOPED_MACHINE machine = play_machine(&all->desc);
    SCOPED_PLAYER player = play_player(machine);
    for (int step = 0; step < 60; step++)
        play_advance(player, 0.05);
    play_pose(player, pose);
    return pose[4];
}

// A gaze modifier whose `gaze` is NULL has the same effect as one with default values.
TEST_HERE (machine_has_defaults_for_a_gaze_without_a_row) {
    static const md5_modifier_gaze defaults = {.seed = 0};
    SCOPED_FULL all;
    fill(assets, &all);
    all.modifiers[4].gaze = &defaults;
    const md5_xform expected = head_after(&all);
    all.modifiers[4].gaze = NULL;
    const md5_xform is = head_after(&all);
    CHECK_BYTES(&is, &expected, sizeof is);
    all.modifiers[4].weight = MD5_EXPLICIT_ZERO;
    const md5_xform without = head_after(&all);
    CHECK(memcmp(&without, &is, sizeof is) != 0);
}

static void survive_failures(const md5_machine_desc *desc)
{
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_MACHINE machine = md5_create_machine(desc, &failure.opts, &failure.error);
        const size_t blocks = failure.heap.live;
        SCOPED_PLAYER player =
            machine ? md5_create_player(machine, &failure.opts.allocator, &failure.error) : NULL;
        CHECK((failure.error.status == MD5_OK) == (player != NULL));
        CHECK(player || failure.error.status == MD5_ERROR_MEMORY);
        CHECK((blocks > 0) == (machine != NULL));
        CHECK_UINT(failure.heap.live, blocks + (player != NULL));
    }
}

// The tables are copied. 8 times as many entries need at most 8 times the memory, also while the
// machine is created, plus a few blocks: the size of a new block is a quarter of the memory in use,
// and the last block, a fifth of the total, can be empty.
TEST (machine_memory_is_linear_in_its_tables) {
    enum { ROWS_IN_ALL = 4096 };
    play_case assets;
    begin(&assets);
    const md5_clip_desc clip = {.name = "a", .binding = assets.bindings[0]};
    static char names[ROWS_IN_ALL][8];
    static md5_state_desc states[ROWS_IN_ALL];
    static md5_transition_desc transitions[ROWS_IN_ALL];
    for (int i = 0; i < ROWS_IN_ALL; i++) {
        snprintf(names[i], sizeof names[i], "s%04u", i); // all names have the same length
        states[i] = (md5_state_desc){.name = names[i], .motion = "a"};
        transitions[i] = (md5_transition_desc){.from = names[i], .to = names[0]};
    }
    test_heap initial_heap = {0};
    for (uint32_t count = ROWS_IN_ALL / 8; count <= ROWS_IN_ALL; count *= 8) {
        test_heap heap = {0};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
        const md5_layer_desc layer = {.name = "body",
                                      .states = states,
                                      .num_states = count,
                                      .transitions = transitions,
                                      .num_transitions = count};
        const md5_machine_desc desc = {.model = assets.model, ROW(clips, clip), ROW(layers, layer)};
        SCOPED_MACHINE machine = md5_create_machine(&desc, &opts, NULL);
        CHECK(machine);
        CHECK(initial_heap.live == 0 || heap.live_bytes / 5 * 4 <= 8 * initial_heap.live_bytes);
        CHECK(initial_heap.live == 0 || heap.peak_bytes / 5 * 4 <= 8 * initial_heap.peak_bytes);
        CHECK(initial_heap.live == 0 || heap.live <= 3 * initial_heap.live);
        initial_heap = heap;
    }
    play_end(&assets);
}

TEST_HERE (machine_survives_failure_of_every_allocation) {
    SCOPED_FULL all;
    fill(assets, &all);
    survive_failures(&all.desc);
}

// The clip is long enough that the data computed from its frames needs a separate block.
TEST_WITH (machine_of_a_long_clip_survives_failure_of_every_allocation, play_case, assets,
           play_begin(assets), play_end(assets)) {
    play_add_clip(assets, 2000, 30, 0.1, (play_walk){0.1, 0, 0}, 1);
    SCOPED_MACHINE machine =
        play_machine_read(assets, NULL,
                          "clip a f { turn } layer l { state s a } modifier stand feet pelvis { "
                          "foot lfoot { hip lhip } hold { speed 10 } }");
    survive_failures(md5_machine_tables(machine));
}

// Arenas allocate large blocks, so only the allocation at the end of a block can fail. With each
// additional parameter another allocation is at the end of a block.
TEST_HERE (machine_survives_failure_of_every_block) {
    enum { MAX = 512 };
    static char names[MAX][8];
    static md5_parameter_desc parameters[MAX];
    SCOPED_FULL all;
    fill(assets, &all);
    for (uint32_t i = 0; i < MAX; i++) {
        snprintf(names[i], sizeof names[i], "p%03u", i);
        parameters[i] = i < all.desc.num_parameters ? all.parameters[i]
                                                    : (md5_parameter_desc){.name = names[i]};
    }
    all.desc.report = (md5_report_desc){.enter = true, .clip_end = true};
    all.desc.parameters = parameters;
    for (; all.desc.num_parameters < MAX; all.desc.num_parameters++) {
        for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
            SCOPED_MACHINE machine = md5_create_machine(&all.desc, &failure.opts, &failure.error);
            CHECK(failure.error.status == (machine ? MD5_OK : MD5_ERROR_MEMORY));
        }
    }
}

// The peak of the heap must not exceed the limit. The limits cause each allocation to fail once.
TEST_HERE (machine_obeys_every_memory_limit) {
    SCOPED_FULL all;
    fill(assets, &all);
    bool is_created = false;
    for (size_t limit = 1; !is_created; limit += 97) {
        test_heap heap = {0};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, limit}};
        md5_error error = {0};
        SCOPED_MACHINE machine = md5_create_machine(&all.desc, &opts, &error);
        is_created = machine != NULL;
        CHECK((error.status == MD5_OK) == is_created);
        CHECK(is_created || error.status == MD5_ERROR_MEMORY);
        CHECK(heap.peak_bytes <= limit);
    }
}
