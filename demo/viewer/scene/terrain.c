#include "demo/viewer/scene/terrain.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/scene/scene.h"

// Side and height of blocks relative to the model's size.
static const float cell_share = 0.16f, height_share = 0.035f;

// Time constant with which feet follow the terrain, seconds.
static const float smoothing = 0.06f;

uint32_t view_find_feet(view_terrain *terrain, const view_scene *scene)
{
    const md5_skeleton *const skeleton = scene->skeleton;
    *terrain = (view_terrain){0};
    for (uint32_t i = 0; i < skeleton->num_joints && terrain->num_feet < VIEW_MAX_FEET; i++) {
        const char *const name = skeleton->joints[i].name;
        const int32_t knee = skeleton->joints[i].parent;
        const int32_t hip = knee >= 0 ? skeleton->joints[knee].parent : -1;
        const int32_t pelvis = hip >= 0 ? skeleton->joints[hip].parent : -1;
        if (pelvis < 0 || (!common_contains(name, "foot") && !common_contains(name, "ankle")))
            continue;
        terrain->feet[terrain->num_feet++] = (md5_foot){.ankle = (uint32_t)i};
        terrain->pelvis = (uint32_t)pelvis;
    }
    const float size = view_size(scene->model->bounds);
    terrain->cell = cell_share * size;
    terrain->height = height_share * size;
    return terrain->num_feet;
}

float view_block_height(const view_terrain *terrain, int32_t x, int32_t y)
{
    uint32_t hash = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash ^= hash >> 13;
    return terrain->height * ((float)(hash & 0xFFFF) / 32767.5f - 1.0f);
}

int32_t view_block_of(const view_terrain *terrain, float place)
{
    return (int32_t)floorf(place / terrain->cell);
}

// Height of the terrain at a point in the character's space.
static float terrain_under(const view_terrain *terrain, const md5_mat34 *to_world, md5_vec3 point)
{
    const md5_vec3 at = md5_mat34_point(*to_world, point);
    return view_block_height(terrain, view_block_of(terrain, at.x), view_block_of(terrain, at.y));
}

// md5_ground_fn of a machine that places feet itself; the height of the terrain counts from 0.
static void find_ground(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    const view_scene *const scene = user;
    const md5_mat34 to_world = md5_mat34_from_xform(scene->machine.place);
    (void)player;
    foot->floor =
        scene->terrain.num_feet > 0 ? terrain_under(&scene->terrain, &to_world, ankle) : 0.0f;
}

bool view_give_ground(view_scene *scene)
{
    const md5_machine_desc *const desc = scene->machine.desc;
    md5_player_set_ground(scene->machine.player, find_ground, scene);
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        if (desc->modifiers[i].kind == MD5_MODIFIER_FEET)
            return true;
    return false;
}

void view_place_feet(view_scene *scene, const md5_xform *place, double time)
{
    view_terrain *const terrain = &scene->terrain;
    const md5_mat34 to_world = md5_mat34_from_xform(*place);
    for (uint32_t i = 0; i < terrain->num_feet; i++) {
        md5_foot *const foot = &terrain->feet[i];
        const md5_xform ankle = md5_joint_in_model(scene->skeleton, scene->pose, foot->ankle);
        foot->floor = terrain_under(terrain, &to_world, ankle.translation);
    }
    const float seconds = (float)view_clamp((float)fabs(time - terrain->time), 0.0f, 1.0f);
    md5_solve_feet(scene->skeleton, scene->pose, terrain->pelvis, terrain->feet, terrain->num_feet,
                   &terrain->drop, smoothing, seconds, 1.0f);
    terrain->time = time;
    md5_local_to_model(scene->skeleton, scene->pose, scene->joints);
    for (uint32_t i = 0; i < scene->num_joints; i++)
        scene->joints[i] = md5_mat34_mul(to_world, scene->joints[i]);
    md5_build_palette(scene->model, scene->joints, scene->palette);
}
