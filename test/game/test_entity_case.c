#include "test/game/entity_case.h"

#include "test/test.h"

// -- The probe ------------------------------------------------------------------------------------

#define PROBE "models/probe/"
STRINGS(probe_files) = {
    "def/probe.def",
    "script/doom_main.script",
    "script/doom_defs.script",
    "af/stilt.af",
    "af/trestle.af",
    PROBE "stilt.md5mesh",
    PROBE "trestle.md5mesh",
    PROBE "bust.md5mesh",
    PROBE "stilt_bind.md5anim",
    PROBE "stilt_ik_pose.md5anim",
    PROBE "stilt_af_pose.md5anim",
    PROBE "stilt_idle.md5anim",
    PROBE "stilt_walk.md5anim",
    PROBE "stilt_pain.md5anim",
    PROBE "trestle_bind.md5anim",
    PROBE "trestle_walk.md5anim",
    PROBE "bust_idle.md5anim",
};

const golden_folder probe_folder = {"d3char/game/base", probe_files, COUNT_OF(probe_files)};

#define HEAD "MD5Version 10\ncommandline \"\"\n"

static const char body_mesh[] =
    HEAD "numJoints 4\nnumMeshes 1\njoints {\n\"root\" -1 ( 0 0 5 ) ( 0 0 0 )\n"
         "\"spine\" 0 ( 0 0 15 ) ( 0 0 0 )\n\"neck\" 1 ( 0 0 25 ) ( 0 0 0 )\n"
         "\"lid\" 2 ( 0 0 26 ) ( 0 0 0 )\n}\n"
         "mesh {\nshader \"skin\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\n"
         "vert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 1 2\nnumweights 3\n"
         "weight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 4 0 0 )\nweight 2 1 1 ( 0 4 0 )\n}\n";
static const char head_mesh[] =
    HEAD "numJoints 3\nnumMeshes 0\njoints {\n\"top\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
         "\"jaw\" 0 ( 2 0 0 ) ( 0 0 0 )\n\"tooth\" 1 ( 3 0 0 ) ( 0 0 0 )\n}\n";
static const char foreign_mesh[] =
    HEAD "numJoints 1\nnumMeshes 0\njoints {\n\"other\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";

#define JOINTS(root, spine, neck)                                                \
    "hierarchy {\n\"root\" -1 " root "\n\"spine\" 0 " spine "\n\"neck\" 1 " neck \
    "\n\"lid\" 2 0 0\n}\n"
#define BOX "( -1 -1 -1 ) ( 1 1 1 )\n"
#define BASE(spine)                                                                         \
    "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 " spine " ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )\n" \
    "( 0 0 1 ) ( 0 0 0 )\n}\n"

static const char walk_anim[] =
    HEAD "numFrames 5\nnumJoints 4\nframeRate 10\nnumAnimatedComponents 2\n" JOINTS(
        "1 0", "4 1", "0 0") "bounds {\n" BOX BOX BOX BOX BOX
                             "}\n" BASE("10") "frame 0 {\n0 10\n}\nframe 1 {\n10 11\n}\nframe 2 "
                                              "{\n20 12\n}\nframe 3 {\n30 13\n}\n"
                                              "frame 4 {\n40 14\n}\n";
static const char lift_anim[] =
    HEAD "numFrames 3\nnumJoints 4\nframeRate 10\nnumAnimatedComponents 1\n" JOINTS(
        "0 0", "0 0",
        "4 0") "bounds {\n" BOX BOX BOX
               "}\n" BASE("20") "frame 0 {\n10\n}\nframe 1 {\n15\n}\nframe 2 {\n20\n}\n";
// The third component of rotations by 0, 90 and 180 degrees; w is completed as the engine does.
static const char turn_anim[] =
    HEAD "numFrames 3\nnumJoints 4\nframeRate 10\nnumAnimatedComponents 1\n" JOINTS(
        "32 0", "0 0",
        "0 0") "bounds {\n" BOX BOX BOX
               "}\n" BASE("10") "frame 0 {\n0\n}\nframe 1 {\n-0.70710678\n}\nframe 2 {\n-1\n}\n";
static const char foreign_anim[] =
    HEAD "numFrames 1\nnumJoints 1\nframeRate 10\nnumAnimatedComponents 0\nhierarchy {\n"
         "\"stranger\" -1 0 0\n}\nbounds {\n" BOX "}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n"
         "frame 0 {\n}\n";

static const char declarations[] =
    "model body { mesh body.md5mesh offset ( 0 0 100 )\n"
    "channel torso ( spine ) channel head ( neck ) channel eyelids ( lid )\n"
    "anim walk walk.md5anim { frame 1 footstep frame 3 sound_body snd_step frame 5 event last }\n"
    "anim lift lift.md5anim { frame 2 rightfoot }\n"
    "anim turn turn.md5anim { anim_turn }\n"
    "anim wander1 walk.md5anim { random_cycle_start } anim wander2 walk.md5anim\n"
    "anim both walk.md5anim , walk.md5anim\n"
    "anim turns turn.md5anim , turn.md5anim { anim_turn }\n"
    "}\n"
    "model quick { inherit body anim hasty walk.md5anim { rate 2.5 frame 3 footstep } }\n"
    "model face { mesh head.md5mesh }\n";

static const game_text all_files[] = {
    {"body.md5mesh", body_mesh},     {"head.md5mesh", head_mesh}, {"other.md5mesh", foreign_mesh},
    {"walk.md5anim", walk_anim},     {"lift.md5anim", lift_anim}, {"turn.md5anim", turn_anim},
    {"other.md5anim", foreign_anim}, {"def/a.def", declarations},
};
const game_text *const entity_files = all_files;
const size_t num_entity_files = COUNT_OF(all_files);

md5_game *open_entity_game(const char *text, game_log *log)
{
    enum { COUNT = COUNT_OF(all_files) };
    static game_text texts[COUNT + 1];
    for (int i = 0; i < COUNT; i++)
        texts[i] = all_files[i];
    texts[COUNT] = (game_text){"def/b.def", text};
    return open_texts(texts, COUNT + 1, log);
}

md5_entity *load_entity(md5_game *game, const char *name)
{
    md5_error error = {0};
    md5_entity *const entity = md5_load_entity(game, name, NULL, &error);
    CHECK_THAT(entity != NULL, "%s: %s", name, error.message);
    return entity;
}

void open_stage(actor_stage *stage)
{
    open_stage_with(stage, "body", MD5_PARSE_ENGINE);
}

void open_stage_with(actor_stage *stage, const char *model, md5_parse_mode mode)
{
    stage->game = open_entity_game("", NULL);
    CHECK(md5_game_set_parse_mode(stage->game, mode, NULL));
    stage->entity = load_entity(stage->game, model);
    stage->actor = md5_create_actor(stage->entity, NULL, NULL);
    stage->fired[0] = '\0';
}

void close_stage(actor_stage *stage)
{
    md5_destroy_actor(stage->actor);
    md5_free_entity(stage->entity);
    md5_destroy_game(stage->game);
}

uint32_t stage_clip(const actor_stage *stage, const char *name)
{
    for (uint32_t i = 0; i < stage->entity->num_clips; i++) {
        if (strcmp(stage->entity->clips[i].anim->name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

static void add_command(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                        md5_channel channel)
{
    actor_stage *const stage = user;
    const size_t used = strlen(stage->fired);
    (void)channel;
    snprintf(stage->fired + used, sizeof stage->fired - used, "%s:%s%s%s ", clip->anim->name,
             md5_frame_code_name(command->code), command->text[0] ? "=" : "", command->text);
}

void advance_stage(actor_stage *stage, uint32_t milliseconds)
{
    md5_actor_advance(stage->actor, milliseconds, add_command, stage);
}
