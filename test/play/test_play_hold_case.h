// A character with two legs that glides over its feet, for tests of feet that are held.
#ifndef TEST_PLAY_TEST_PLAY_HOLD_CASE_H
#define TEST_PLAY_TEST_PLAY_HOLD_CASE_H

#include "test/ik/test_ik_case.h"

#include "md5/md5play.h"

enum { ANKLE_L = 4, TOE_L = 5, ANKLE_R = 8, HOLD_JOINTS = 10, HOLD_CLIPS = 7, HOLD_FRAMES = 11 };

typedef struct holding {
    md5_model *model;
    md5_anim *anims[HOLD_CLIPS];
    md5_binding *bindings[HOLD_CLIPS];
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
    void *scratch;
    md5_error error;
    md5_xform place, pose[HOLD_JOINTS];
} holding;

#define HOLD_FEET "modifier legs feet pelvis { foot ankle_l foot ankle_r "
#define HOLD_TICK (1.0 / 60.0) // seconds

// Creates a machine that plays a clip in its only layer and has these words. If they are wrong,
// there is an error and no machine.
void hold_begin_in(holding *of, const char *clip, const char *words, md5_axes axes);
void hold_begin(holding *of, const char *clip, const char *words); // there is no error
void hold_end(holding *of);
#define TEST_HOLD(title, clip, words) \
    TEST_WITH (title, holding, of, hold_begin(of, clip, words), hold_end(of))
void hold_go_on(holding *of, double seconds);

// Where the sole of a foot is in the world, in id's axes: below its toe, or its ankle.
real3 hold_sole_of(const holding *of, uint32_t joint);

// Where it points in the world, and the character: degrees to the left of x.
double hold_heading_of(const holding *of, uint32_t joint);
double hold_body_heading(const holding *of);

// Largest distance by which the soles leave their places within so many steps.
double hold_slide(holding *of, int num_steps);

#endif
