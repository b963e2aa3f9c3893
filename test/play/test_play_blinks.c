// Tests that characters blink as often as people do in the looping states of their machines, and
// that they do not blink in the states that forbid it. A blink is detected by the rotation of a lid
// joint.
#include "test/ik/test_ik_case.h"

#include "test/play/test_play_case.h"

enum { MAX_JOINTS = 128 };

static const double minutes = 4;
static const double steps_per_second = 30;

typedef struct blinker {
    const char *file, *lid;
    double shut;               // rotation of the closed lid from the bind pose, degrees
    const char *parameters[2]; // parameters that are set to `values`
    float values[2];
} blinker;

#define BOBBIN .file = "models/bobbin/bobbin.md5machine", .lid = "lid_upper_l", .shut = 40

#define SPINDLE .file = "models/spindle/spindle.md5machine", .lid = "lid_upper_l", .shut = 40
#define THIMBLE .file = "models/thimble/thimble.md5machine", .lid = "shutter_upper", .shut = 30

// Returns the angle between a joint and its bind pose, degrees.
static double angle_from_bind_pose(play_actor *fixture, uint32_t joint)
{
    md5_xform pose[MAX_JOINTS];
    play_pose(fixture->player, pose);
    const md5_quat rotation = pose[joint].rotation;
    const md5_quat was = fixture->character->model->bind_local[joint].rotation;
    const double dot = (double)rotation.x * was.x + (double)rotation.y * was.y
                       + (double)rotation.z * was.z + (double)rotation.w * was.w;
    return 2 * acos(fmin(fabs(dot), 1)) * 57.29578;
}

// Plays for some seconds. Returns how often the lid closed; writes the smallest opening to
// *min_angle.
static int count_blinks(play_actor *fixture, const blinker *tested, double seconds,
                        double *min_angle)
{
    const uint32_t lid = md5_find_joint(&fixture->character->model->skeleton, tested->lid);
    bool was_shut = angle_from_bind_pose(fixture, lid) > tested->shut;
    int count = 0;
    *min_angle = INFINITY;
    for (int i = 0; i < (int)(seconds * steps_per_second); i++) {
        play_advance(fixture->player, 1 / steps_per_second);
        const double angle = angle_from_bind_pose(fixture, lid);
        const bool is_shut = angle > tested->shut;
        count += is_shut && !was_shut;
        was_shut = is_shut;
        *min_angle = fmin(*min_angle, angle);
    }
    return count;
}

// People blink 15 to 20 times per minute. Without a layer for blinks, the clips would contain none.
TEST (blinks_in_loops_are_as_frequent_as_those_of_people) {
    static const blinker loops[] = {
        {BOBBIN, .parameters = {"pointer"}, .values = {1}}, // stands, with a pointer to look at
        {BOBBIN, .parameters = {"pointer", "talk"}, .values = {1, 1}},
        {BOBBIN, .parameters = {"pointer", "carry"}, .values = {1, 1}},
        {BOBBIN, .parameters = {"speed"}, .values = {20}},
        {BOBBIN, .parameters = {"speed", "talk"}, .values = {20, 1}},
        {BOBBIN, .parameters = {"speed", "carry"}, .values = {20, 1}},
        {BOBBIN, .parameters = {"speed", "turn"}, .values = {20, 60}},
        {BOBBIN, .parameters = {"speed"}, .values = {45}},
        {BOBBIN, .parameters = {"speed", "turn"}, .values = {45, -90}},
        {BOBBIN, .parameters = {"speed"}, .values = {-10}},
        {BOBBIN, .parameters = {"strafe"}, .values = {10}},
        {BOBBIN, .parameters = {"strafe"}, .values = {-10}},
        {BOBBIN, .parameters = {"turn"}, .values = {75}},
        {SPINDLE, .parameters = {"speed"}, .values = {0}},
        {SPINDLE, .parameters = {"speed"}, .values = {21}},
        {THIMBLE, .parameters = {"speed"}, .values = {0}},
        {THIMBLE, .parameters = {"speed"}, .values = {15}},
        {THIMBLE, .parameters = {"speed"}, .values = {46}},
        {THIMBLE, .parameters = {"speed"}, .values = {-11}},
        {THIMBLE, .parameters = {"turn"}, .values = {30}},
        {THIMBLE, .parameters = {"alert"}, .values = {1}},
    };
    for (size_t j = 0; j < COUNT_OF(loops); j++) {
        const blinker *const row = &loops[j];
        play_actor actor;
        double min_angle;
        if (play_actor_begin(&actor, row->file, "")) {
            for (int i = 0; i < 2; i++) {
                if (row->parameters[i])
                    play_set(actor.player, row->parameters[i], row->values[i]);
            }
            count_blinks(&actor, row, 5, &min_angle);
            const double rate = count_blinks(&actor, row, 60 * minutes, &min_angle) / minutes;
            printf("note: %s, %s %g %s %g: %g blinks a minute\n", row->file, row->parameters[0],
                   (double)row->values[0], row->parameters[1] ? row->parameters[1] : "and nothing",
                   (double)row->values[1], rate);
            CHECK_THAT(rate >= 10 && rate <= 25, "%g blinks a minute", rate);
        }
        play_actor_end(&actor);
    }
}

TEST (blinks_do_not_open_closed_eyes) {
    static const blinker sleepers[] = {{BOBBIN}, {THIMBLE, .parameters = {"fold"}}};
    for (size_t i = 0; i < COUNT_OF(sleepers); i++) {
        const blinker *const tested = &sleepers[i];
        play_actor actor;
        double min_angle;
        if (play_actor_begin(&actor, tested->file, "")) {
            if (tested->parameters[0])
                play_set(actor.player, tested->parameters[0], 1);
            count_blinks(&actor, tested, 40, &min_angle); // falls asleep / folds
            CHECK(count_blinks(&actor, tested, 60, &min_angle) == 0);
            CHECK(min_angle > tested->shut);
        }
        play_actor_end(&actor);
    }
}
