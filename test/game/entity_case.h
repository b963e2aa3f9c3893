// A game folder in memory with a body, a head, a gun and animations with simple numbers. Frame
// numbers k start at 0. Joints of animations are relative to their parents:
//
// body.md5mesh: root at ( 0 0 5 ), its child spine at z 15, neck at z 25, lid at z 26, each the
// child of the one before; a mesh of the material "skin". head.md5mesh: a joint "top" at the
// origin, its child "jaw" at ( 2 0 0 ), and the child of that, "tooth", at ( 3 0 0 ). walk.md5anim:
// 5 frames at 10 Hz, root at ( 10 k 0 0 ) in frame k, base frame ( 0 0 0 ). Its spine is at z 10 +
// k. lift.md5anim: 3 frames at 10 Hz, spine at z 20, neck at z 10 + 5 k, root at ( 0 0 0 ).
// turn.md5anim: 3 frames at 10 Hz, the root rotates about z by 90 degrees per frame.
#ifndef TEST_ENTITY_CASE_H
#define TEST_ENTITY_CASE_H

#include "test/decl/game_case.h"

enum { ROOT, SPINE, NECK, LID, ENTITY_JOINTS }; // joints of the body

// Opens the game with a file of declarations `text`. It is read after a file that declares a model
// "body" with the channels torso ( spine ), head ( neck ) and eyelids ( lid ) and the animations
// walk, lift, turn, wander1, wander2, both and turns, a model "quick" that adds hasty, and a model
// "face" of head.md5mesh. `log` may be NULL.
md5_game *open_entity_game(const char *text, game_log *log);

// The files of the game, for tests that open the game themselves.
extern const game_text *const entity_files;
extern const size_t num_entity_files;

// Returns the folder whose results were computed by the original engine: golden/d3char of
// MD5_CORPUS.
extern const golden_folder probe_folder;

// Loads an entity, which must succeed.
md5_entity *load_entity(md5_game *game, const char *name);

// An actor of the model "body".
typedef struct actor_stage {
    md5_game *game;
    md5_entity *entity;
    md5_actor *actor;
    char fired[256]; // frame commands in the order of their calls: "walk:footstep "
} actor_stage;

void open_stage(actor_stage *stage);
void open_stage_with(actor_stage *stage, const char *model, md5_parse_mode mode);
void close_stage(actor_stage *stage);

// Returns the clip with a name, or MD5_NONE.
uint32_t stage_clip(const actor_stage *stage, const char *name);

// Advances the actor and adds to stage->fired.
void advance_stage(actor_stage *stage, uint32_t milliseconds);

#endif
