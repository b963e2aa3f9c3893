// Trees of parts, the pose that they are placed in, and entities in other axes.
#include "test/game/entity_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_vector(md5_vec3 v, double x, double y, double z)
{
    CHECK_NEAR((double)v.x, x, 1e-4);
    CHECK_NEAR((double)v.y, y, 1e-4);
    CHECK_NEAR((double)v.z, z, 1e-4);
}

// -- Trees ----------------------------------------------------------------------------------------

TEST (attachments_have_attachments) {
    md5_game *const game = open_entity_game(
        "entityDef e { \"model\" \"body\" \"def_attach\" \"rider\" }\n"
        "entityDef rider { \"model\" \"body\" \"joint\" \"spine\" \"def_head\" \"face\"\n"
        "\"head_joint\" \"neck\" \"def_attach\" \"gun\" }\n"
        "entityDef gun { \"model\" \"face\" \"joint\" \"lid\" \"offsetModel\" \"0 0 5\" }",
        NULL);
    md5_entity *const entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 1);
    const md5_entity *const rider = entity->parts[0].entity;
    CHECK_UINT(rider->num_parts, 2);
    CHECK_STRING(rider->parts[0].key, "def_head");
    const md5_entity_part *const gun = &rider->parts[1];
    CHECK_STRING(gun->entity->def->decl->name, "gun");
    CHECK_UINT(gun->entity->num_parts, 0);
    // The lid of the bind pose is at z 26; the model of the gun is 5 above its origin.
    md5_mat34 joints[ENTITY_JOINTS];
    md5_local_to_model(&rider->model->skeleton, rider->model->bind_local, joints);
    check_vector(md5_entity_part_placement(gun, joints).translation, 0.0, 0.0, 31.0);
    CHECK_UINT(entity->num_warnings, 0);
    md5_free_entity(entity);
    md5_destroy_game(game);
}

TEST (entities_are_not_attached_to_themselves) {
    game_log log = {.count = 0};
    md5_game *const game = open_entity_game(
        "entityDef e { \"model\" \"body\" \"def_attach\" \"f\" }\n"
        "entityDef f { \"model\" \"body\" \"joint\" \"spine\" \"def_attach\" \"E\" }",
        &log);
    md5_entity *const entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 1);
    CHECK_UINT(entity->parts[0].entity->num_parts, 0);
    CHECK_UINT(entity->num_warnings, 1);
    md5_free_entity(entity);
    md5_destroy_game(game);
}

static uint32_t count_parts(const md5_entity *entity)
{
    const md5_entity *tree[MD5_MAX_ENTITY_PARTS + 1] = {entity};
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < tree[i]->num_parts && count <= MD5_MAX_ENTITY_PARTS; k++)
            tree[count++] = tree[i]->parts[k].entity;
    }
    return count - 1;
}

// Each entity has the next one twice: 2^20 parts if all of them were loaded.
TEST (trees_of_parts_are_limited) {
    enum { DEPTH = 20, ROOM = 200 };
    static char text[DEPTH * ROOM];
    size_t used = 0;
    for (int i = 0; i < DEPTH; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "entityDef e%d { \"model\" \"body\" \"joint\" \"spine\"\n"
                                 "\"def_attach1\" \"e%d\" \"def_attach2\" \"e%d\" }\n",
                                 i, i + 1, i + 1);
    md5_game *const game = open_entity_game(text, NULL);
    md5_entity *const entity = load_entity(game, "e0");
    CHECK_UINT(count_parts(entity), MD5_MAX_ENTITY_PARTS);
    md5_free_entity(entity);
    md5_destroy_game(game);
}

// Keys that fail count, too, because each of them reads its files again.
TEST (keys_of_parts_that_fail_are_limited) {
    enum { COUNT = 1000, ROOM = 40 };
    char *const text = malloc(COUNT * ROOM + 100);
    char *end = text + sprintf(text, "entityDef e { \"model\" \"body\"\n");
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "\"def_attach%d\" \"lost%d\"\n", i, i);
    strcpy(end, "}");
    game_log log = {.count = 0};
    md5_game *const game = open_entity_game(text, &log);
    md5_entity *const entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 0);
    CHECK_UINT(entity->num_warnings, MD5_MAX_ENTITY_PARTS);
    md5_free_entity(entity);
    md5_destroy_game(game);
    free(text);
}

TEST (trees_of_parts_survive_failure_of_every_load) {
    md5_game *const game = open_entity_game(
        "model posed { inherit body anim ik_pose lift.md5anim }\n"
        "entityDef e { \"model\" \"posed\" \"def_attach\" \"f\" \"def_head\" \"face\"\n"
        "\"head_joint\" \"neck\" }\n"
        "entityDef f { \"model\" \"posed\" \"joint\" \"spine\" \"def_attach\" \"g\" }\n"
        "entityDef g { \"model\" \"face\" \"joint\" \"lid\" }",
        NULL);
    for (size_t i = 1;; i++) {
        test_heap heap = {.fail_at = i};
        const md5_load_opts opts = {
            .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap}};
        md5_error error;
        md5_entity *const entity = md5_load_entity(game, "e", &opts, &error);
        CHECK(entity ? count_parts(entity) == 3 : error.status == MD5_ERROR_MEMORY);
        md5_free_entity(entity);
        CHECK_UINT(heap.live, 0);
        if (heap.num_allocs < i)
            break;
    }
    md5_destroy_game(game);
}

// -- The pose that parts are placed in ------------------------------------------------------------

// The spine of the base frame is turned by 90 degrees to the left; that of the frame is not.
static const char tilt_anim[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 4\nframeRate 10\n"
    "numAnimatedComponents 1\nhierarchy {\n\"root\" -1 0 0\n\"spine\" 0 32 0\n\"neck\" 1 0 0\n"
    "\"lid\" 2 0 0\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 7 0 0 ) ( 0 0 0 )\n"
    "( 0 0 10 ) ( 0 0 -0.70710678 )\n( 0 0 10 ) ( 0 0 0 )\n( 0 0 1 ) ( 0 0 0 )\n}\n"
    "frame 0 {\n0\n}\n";

static md5_game *open_tilted(const char *text)
{
    enum { MOST = 16 };
    static game_text texts[MOST];
    for (size_t i = 0; i < num_entity_files; i++)
        texts[i] = entity_files[i];
    texts[num_entity_files] = (game_text){"tilt.md5anim", tilt_anim};
    texts[num_entity_files + 1] = (game_text){"def/b.def", text};
    return open_texts(texts, num_entity_files + 2, NULL);
}

// In that pose a head has the axes of the entity, an attachment those of its joint.
TEST (parts_are_placed_in_the_pose_ik_pose) {
    md5_game *const game = open_tilted(
        "model tilted { mesh body.md5mesh anim walk walk.md5anim anim ik_pose other.md5anim\n"
        "anim ik_pose2 tilt.md5anim }\n"
        "entityDef e { \"model\" \"tilted\" \"def_attach\" \"gun\" \"def_head\" \"face\"\n"
        "\"head_joint\" \"spine\" }\n"
        "entityDef gun { \"model\" \"face\" \"joint\" \"spine\" \"origin\" \"1 0 0\" }");
    const md5_vec3 x = {1.0f, 0.0f, 0.0f};
    md5_entity *const entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 2);
    const md5_xform head = entity->parts[0].offset, gun = entity->parts[1].offset;
    check_vector(head.translation, 0.0, 0.0, 0.0);
    check_vector(md5_quat_rotate(head.rotation, x), 0.0, -1.0, 0.0);
    check_vector(gun.translation, 0.0, -1.0, 0.0);
    check_vector(md5_quat_rotate(gun.rotation, x), 1.0, 0.0, 0.0);
    md5_free_entity(entity);
    md5_destroy_game(game);
}

// Poses stay finite, whatever the declarations say.
TEST (offsets_are_limited) {
    md5_game *const game =
        open_tilted("model far { mesh body.md5mesh offset ( 1e30 -1e39 5 ) }\n"
                    "entityDef e { \"model\" \"far\" \"offsetModel\" \"7 1e38 -1e38\" }");
    md5_entity *const entity = load_entity(game, "e");
    check_vector(entity->offset, 1e9, -1e9, 5.0);
    check_vector(entity->model_offset, 7.0, 1e9, -1e9);
    md5_free_entity(entity);
    md5_destroy_game(game);
}

// -- Axes -----------------------------------------------------------------------------------------

// Writes the positions of a point of each joint and of the gun, and the root motion.
static void pose_points(md5_game *game, const md5_load_opts *opts, const char *clip,
                        md5_vec3 inside, md5_vec3 points[ENTITY_JOINTS + 2])
{
    md5_entity *const entity = md5_load_entity(game, "e", opts, NULL);
    md5_actor *const actor = md5_create_actor(entity, NULL, NULL);
    md5_xform pose[ENTITY_JOINTS];
    md5_mat34 joints[ENTITY_JOINTS];
    md5_actor_set_in_place(actor, strcmp(clip, "turn") == 0);
    CHECK(md5_actor_play(actor, MD5_CHANNEL_ALL, md5_actor_choose(actor, NULL, clip),
                         MD5_ACTOR_CYCLE, 0, 0));
    md5_actor_advance(actor, 130, NULL, NULL);
    md5_actor_pose(actor, pose, joints, NULL);
    for (int i = 0; i < ENTITY_JOINTS; i++)
        points[i] = md5_mat34_point(joints[i], inside);
    const md5_xform gun = md5_entity_part_placement(&entity->parts[0], joints);
    points[ENTITY_JOINTS] = md5_xform_point(gun, inside);
    points[ENTITY_JOINTS + 1] = md5_actor_root_motion(actor).translation;
    md5_destroy_actor(actor);
    md5_free_entity(entity);
}

// In all axes the results are those of id's axes, converted.
TEST (entities_are_loaded_in_other_axes) {
    static const char *const clips[] = {"walk", "turn"};
    md5_game *const game =
        open_tilted("entityDef e { \"model\" \"body\" \"def_attach\" \"gun\" }\n"
                    "entityDef gun { \"model\" \"face\" \"joint\" \"spine\" \"origin\" \"1 2 3\"\n"
                    "\"angles\" \"10 20 30\" \"offsetModel\" \"0 5 6\" }");
    const md5_vec3 inside = {1.0f, 2.0f, 4.0f};
    md5_vec3 expected[ENTITY_JOINTS + 2], points[ENTITY_JOINTS + 2];
    for (md5_axes axes = MD5_AXES_ID; axes <= MD5_AXES_BLENDER; axes = (md5_axes)(axes + 1)) {
        for (size_t k = 0; k < sizeof clips / sizeof clips[0]; k++) {
            const md5_load_opts opts = {.axes = axes, .scale = 0.5f};
            const md5_mat34 to_axes = md5_mat34_from_axes(axes, opts.scale);
            pose_points(game, NULL, clips[k], inside, expected);
            pose_points(game, &opts, clips[k], md5_mat34_point(to_axes, inside), points);
            for (int i = 0; i < ENTITY_JOINTS + 2; i++) {
                const md5_vec3 p = md5_mat34_point(to_axes, expected[i]);
                check_vector(points[i], (double)p.x, (double)p.y, (double)p.z);
            }
        }
    }
    md5_destroy_game(game);
}
