// Figures for ragdolls: a man of twelve bodies, chains and stars, in a game folder in memory; and
// the ground on which they fall. It does not need other files of tests, so it can be used in builds
// that contain only a few tests.
#ifndef TEST_RAGDOLL_CASE_H
#define TEST_RAGDOLL_CASE_H

#include "test/test.h"

#include "md5/md5game.h"
#include "md5/md5ragdoll.h"

typedef struct ragdoll_case {
    test_text texts[3]; // mesh, clip, declarations
    md5_game *game;
    md5_entity *entity;
    md5_figure *figure;
} ragdoll_case;

static inline const char *case_name(void *user, size_t index)
{
    static const char *const names[] = {"d.md5mesh", "d.md5anim", "def/d.def"};
    (void)user;
    return names[index];
}

static inline const void *case_open(void *user, size_t index, size_t *size, md5_error *error)
{
    const ragdoll_case *const fixture = user;
    (void)error;
    *size = fixture->texts[index].used;
    return fixture->texts[index].bytes;
}

static inline void case_close(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
}

// A body of a human figure, and the joint that it moves. The body is a bone from `at` to `end`, or
// a box with the center `at`.
typedef struct man_part {
    const char *joint;
    const char *parent;
    int at[3];
    int end[3];
    int width;         // 0: a box from at - end to at + end
    const char *limit; // limit of the joint to the parent
} man_part;

static const man_part man_parts[] = {
    {"hips", "", {0, 0, 40}, {5, 7, 5}, 0, ""},
    {"chest", "hips", {0, 0, 56}, {5, 8, 8}, 0, "pyramidLimit ( 0, 0, 1 ), 70, 50, 10"},
    {"head", "chest", {1, 0, 71}, {4, 4, 5}, 0, "coneLimit ( 0, 0, 1 ), 70"},
    {"larm", "chest", {0, 9, 62}, {0, 12, 50}, 4, "coneLimit ( 0.3, 0.6, -0.5 ), 130"},
    {"lhand", "larm", {0, 12, 50}, {2, 14, 38}, 3, "limit -60, 120, 0"},
    {"rarm", "chest", {0, -9, 62}, {0, -12, 50}, 4, "coneLimit ( 0.3, -0.6, -0.5 ), 130"},
    {"rhand", "rarm", {0, -12, 50}, {2, -14, 38}, 3, "limit -60, 120, 0"},
    {"lthigh", "hips", {0, 4, 38}, {1, 5, 21}, 5, "coneLimit ( 0.4, 0.3, -1 ), 100"},
    {"lshin", "lthigh", {1, 5, 21}, {0, 5, 4}, 4, "limit 60, 120, 0"},
    {"lfoot", "lshin", {0, 5, 3}, {6, 3, 2}, 0, "coneLimit ( 0, 0, -1 ), 50"},
    {"rthigh", "hips", {0, -4, 38}, {1, -5, 21}, 5, "coneLimit ( 0.4, -0.3, -1 ), 100"},
    {"rshin", "rthigh", {1, -5, 21}, {0, -5, 4}, 4, "limit 60, 120, 0"},
    {"rfoot", "rshin", {0, -5, 3}, {6, 3, 2}, 0, "coneLimit ( 0, 0, -1 ), 50"},
};

static inline int part_index(const char *joint)
{
    for (int i = 0; i < (int)COUNT_OF(man_parts); i++) {
        if (strcmp(man_parts[i].joint, joint) == 0)
            return i;
    }
    return -1;
}

// The joints of the man with the given declarations: a modelDef "doll" is before them. `opts` may
// be NULL.
static inline bool open_case_with(ragdoll_case *fixture, const char *keys, const char *figure,
                                  const md5_load_opts *opts)
{
    memset(fixture, 0, sizeof *fixture);
    test_text *const mesh = &fixture->texts[0];
    test_text *const clip = &fixture->texts[1];
    const int count = (int)COUNT_OF(man_parts);
    test_append(mesh,
                "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 0\njoints {\n"
                "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n",
                count + 1);
    test_append(clip,
                "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints %d\nframeRate 24\n"
                "numAnimatedComponents 0\nhierarchy {\n\"origin\" -1 0 0\n",
                count + 1);
    for (int i = 0; i < count; i++) {
        const man_part *const part = &man_parts[i];
        const int parent = part_index(part->parent) + 1;
        test_append(mesh, "\"%s\" %d ( %d %d %d ) ( 0 0 0 )\n", part->joint, parent, part->at[0],
                    part->at[1], part->at[2]);
        test_append(clip, "\"%s\" %d 0 0\n", part->joint, parent);
    }
    test_append(mesh, "}\n");
    test_append(clip, "}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n");
    for (int i = 0; i < count; i++) {
        static const int origin[3];
        const int parent = part_index(man_parts[i].parent);
        const int *const from = parent >= 0 ? man_parts[parent].at : origin;
        test_append(clip, "( %d %d %d ) ( 0 0 0 )\n", man_parts[i].at[0] - from[0],
                    man_parts[i].at[1] - from[1], man_parts[i].at[2] - from[2]);
    }
    test_append(clip, "}\nframe 0 {\n}\n");
    test_append(&fixture->texts[2],
                "model body { mesh d.md5mesh anim af_pose d.md5anim { frame 1 event posed } "
                "}\nentityDef doll { \"model\" "
                "\"body\" %s }\narticulatedFigure doll {\n%s\n}\n",
                keys, figure);
    const md5_game_path search_path = {
        .num_files = 3, .name = case_name, .open = case_open, .close = case_close, .user = fixture};
    fixture->game = md5_create_game(&search_path, 1, opts, NULL);
    fixture->entity = fixture->game ? md5_load_entity(fixture->game, "doll", opts, NULL) : NULL;
    const md5_figure_def *const def =
        fixture->game ? md5_game_figure_def(fixture->game, "doll", NULL) : NULL;
    md5_error error = {0};
    fixture->figure =
        fixture->entity && def ? md5_create_figure(def, fixture->entity, opts, &error) : NULL;
    return CHECK_THAT(fixture->figure, "%s", error.message);
}

static inline bool open_case(ragdoll_case *fixture, const char *keys, const char *figure)
{
    return open_case_with(fixture, keys, figure, NULL);
}

static inline void close_case(ragdoll_case *fixture)
{
    md5_free_figure(fixture->figure);
    md5_free_entity(fixture->entity);
    md5_destroy_game(fixture->game);
    for (size_t i = 0; i < COUNT_OF(fixture->texts); i++)
        free(fixture->texts[i].bytes);
}

static inline void append_man(test_text *text)
{
    for (size_t i = 0; i < COUNT_OF(man_parts); i++) {
        const man_part *const part = &man_parts[i];
        const int *const at = part->at;
        const int *const end = part->end;
        test_append(text, "body \"%s\" { joint \"%s\" ", part->joint,
                    part == man_parts ? "origin" : part->joint);
        if (part->width > 0)
            test_append(text,
                        "model bone( ( %d, %d, %d ), ( %d, %d, %d ), %d ) "
                        "origin ( %g, %g, %g ) }\n",
                        at[0], at[1], at[2], end[0], end[1], end[2], part->width,
                        0.5 * (at[0] + end[0]), 0.5 * (at[1] + end[1]), 0.5 * (at[2] + end[2]));
        else
            test_append(text,
                        "model box( ( -%d, -%d, -%d ), ( %d, %d, %d ) ) "
                        "origin ( %d, %d, %d ) }\n",
                        end[0], end[1], end[2], end[0], end[1], end[2], at[0], at[1], at[2]);
        if (!part->limit[0])
            continue;
        const bool is_hinge = part->limit[0] == 'l';
        const char *axes = "shafts ( 0, 0, -1 ), ( 0, 0, 1 )";
        if (is_hinge)
            axes = "axis ( 0, 1, 0 )";
        else if (part->limit[0] == 'p' || part->joint[0] == 'h')
            axes = "shafts ( 0, 0, 1 ), ( 0, 0, -1 )";
        test_append(text, "%s \"%s\" { body1 \"%s\" body2 \"%s\" anchor joint( \"%s\" ) %s %s }\n",
                    is_hinge ? "hinge" : "universalJoint", part->joint, part->joint, part->parent,
                    part->joint, axes, part->limit);
    }
}

static inline bool open_man_with(ragdoll_case *fixture, const char *keys, const md5_load_opts *opts)
{
    test_text text = {0};
    append_man(&text);
    const bool is_open = open_case_with(fixture, keys, text.bytes, opts);
    free(text.bytes);
    return is_open;
}

static inline bool open_man(ragdoll_case *fixture, const char *keys)
{
    return open_man_with(fixture, keys, NULL);
}

// Returns the bodies in their setup pose, moved and rotated, all with the same velocity.
static inline void set_body_transforms(const md5_figure *figure, md5_xform transform,
                                       md5_vec3 linear, md5_vec3 angular, md5_body_state *bodies)
{
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        bodies[i].transform = md5_xform_mul(transform, figure->setup[i]);
        const md5_vec3 from =
            md5_vec3_sub(bodies[i].transform.translation, bodies[0].transform.translation);
        bodies[i].linear = md5_vec3_add(linear, md5_vec3_cross(angular, from));
        bodies[i].angular = angular;
    }
}

static inline md5_vec3 random_vec3(double extent, uint64_t *state)
{
    const float x = test_betweenf((float)-extent, (float)extent, state);
    const float y = test_betweenf((float)-extent, (float)extent, state);
    const float z = test_betweenf((float)-extent, (float)extent, state);
    return (md5_vec3){x, y, z};
}

static inline md5_quat random_rotation(uint64_t *state)
{
    const md5_vec3 v = random_vec3(1.0, state);
    const md5_quat q = {v.x, v.y, v.z, test_betweenf(-1.0f, 1.0f, state)};
    return md5_quat_normalize(q, (md5_quat){0, 0, 0, 1});
}

#endif
