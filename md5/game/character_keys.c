// What looking, walking and figures share: axes as rows, joints, keys of the entity.
#include "md5/decl/game.h"
#include "md5/game/actor.h"
#include "md5/game/character.h"

#include <string.h>

axes3 md5i_axes_of_angles(double pitch, double yaw, double roll)
{
    const double cp = cos(pitch * DEGREE);
    const double sp = sin(pitch * DEGREE);
    const double cy = cos(yaw * DEGREE);
    const double sy = sin(yaw * DEGREE);
    const double cr = cos(roll * DEGREE);
    const double sr = sin(roll * DEGREE);
    return (axes3){{{cp * cy, cp * sy, -sp},
                    {sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp},
                    {cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp}}};
}

double md5i_yaw_of(md5_vec3d v)
{
    const double yaw = v.x == 0.0 && v.y == 0.0 ? 0.0 : atan2(v.y, v.x) / DEGREE;
    return yaw < 0.0 ? yaw + 360.0 : yaw;
}

double md5i_pitch_of(md5_vec3d v)
{
    const double pitch = v.x == 0.0 && v.y == 0.0
                             ? (v.z > 0.0 ? 90.0 : 270.0)
                             : atan2(v.z, sqrt(v.x * v.x + v.y * v.y)) / DEGREE;
    return pitch < 0.0 ? pitch + 360.0 : pitch;
}

world_place md5i_world_place(md5_xform place)
{
    const md5_mat34 joint = md5_mat34_of(place.rotation, place.translation);
    world_place world = {.origin = md5_vec3d_of(place.translation)};
    for (uint32_t i = 0; i < 3; i++)
        world.axes.row[i] =
            (md5_vec3d){(double)joint.m[i], (double)joint.m[4 + i], (double)joint.m[8 + i]};
    return world;
}

md5_quat md5i_quat_of_axes(const axes3 *axes)
{
    md5_mat34 matrix = {{0.0f}};
    for (uint32_t i = 0; i < 3; i++) {
        matrix.m[i] = (float)axes->row[i].x;
        matrix.m[4 + i] = (float)axes->row[i].y;
        matrix.m[8 + i] = (float)axes->row[i].z;
    }
    return md5_quat_of(&matrix);
}

float md5i_monster_number(const md5_monster *monster, const char *key, float otherwise)
{
    const md5_entity *const entity = monster->desc.entity;
    md5i_entity_numbers(md5_entity_def_value(entity->def, key), &otherwise, 1);
    return otherwise;
}

void md5i_know_joint(moved_actor *moved, uint32_t joint, joint_use above)
{
    const md5_joint *const joints = moved->actor->entity->model->skeleton.joints;
    if (joint != MD5_NONE && moved->uses[joint] == JOINT_UNKNOWN)
        moved->uses[joint] = JOINT_KNOWN;
    while (joint != MD5_NONE && (joint = joints[joint].parent) != MD5_NONE
           && moved->uses[joint] < above)
        moved->uses[joint] = (uint8_t)above;
}

uint32_t md5i_monster_joint(moved_actor *of, const md5_entity *entity, const md5_entity_key *key,
                            const char *name, md5_context *context)
{
    const int32_t joint = name[0] ? md5i_find_joint(&of->actor->entity->model->skeleton, name) : -1;
    if (joint < 0 && name[0])
        (void)md5i_report_key(context, MD5_WARNING, key, "%s: joint %s not found on %s",
                              MD5_QUOTED(key->name), MD5_QUOTED(name),
                              MD5_QUOTED(entity->def->decl->name));
    return (uint32_t)joint; // -1 is MD5_NONE
}

const md5_entity_key *md5i_monster_key(const md5_entity *entity, const char *name)
{
    const md5_entity_key *key = NULL;
    do
        key = md5_entity_def_next_key(entity->def, name, key);
    while (key && !md5_is_same_word(key->name, name));
    return key;
}

uint32_t md5i_joint_of_key(moved_actor *of, const md5_entity *entity, const char *name,
                           md5_context *context)
{
    const md5_entity_key *const key = md5i_monster_key(entity, name);
    return key ? md5i_monster_joint(of, entity, key, key->value, context) : MD5_NONE;
}

bool md5i_expect_ids_space(md5_context *context, const md5_entity *entity)
{
    const md5_skeleton *const skeleton = &entity->model->skeleton;
    return (skeleton->axes == MD5_AXES_ID && md5_scale_of(skeleton) == 1.0f)
           || MD5_FAIL(context, MD5_ERROR_MISMATCH,
                       "entity was loaded with changed axes or scale: expected id's; load it with "
                       "the default axes and scale");
}

bool md5i_begin_clip(const md5_entity *entity, const char *name, md5_xform *pose, md5_xform *places)
{
    const md5_sample_position first = {.frame0 = 0};
    uint32_t clip = 0;
    while (clip < entity->num_clips
           && (entity->clips[clip].num_files == 0
               || strcmp(entity->clips[clip].anim->name, name) != 0))
        clip++;
    TRY(clip < entity->num_clips && entity->model->skeleton.num_joints > 0);
    md5_sample(entity->clips[clip].bindings[0], first, MD5_ROOT_ID, pose);
    pose[0].translation = entity->offset; // monsters remove the motion of the root
    md5_local_to_model_xforms(&entity->model->skeleton, pose, places);
    return true;
}

// == Lists of joints ==============================================================================

bool md5i_next_listed(const char **list, md5_listed_joint *listed)
{
    static const char blanks[] = " \t\r\n";
    const char *word = *list + strspn(*list, blanks);
    const size_t length = strcspn(word, blanks);
    *list = word + length;
    listed->is_without = *word == '-';
    word += listed->is_without;
    listed->has_below = *word == '*';
    word += listed->has_below;
    const size_t size = (size_t)(*list - word);
    const size_t room = sizeof listed->name - 1;
    memcpy(listed->name, word, size < room ? size : room);
    listed->name[size < room ? size : room] = '\0';
    return length > 0;
}

md5_damage_zone md5_entity_damage_zone(const md5_entity *entity, uint32_t joint)
{
    static const char zones[] = "damage_zone ";
    static const char scales[] = "damage_scale ";
    MD5_ASSERT_ALIVE(entity, MD5_TAG_ENTITY);
    const md5_skeleton *const skeleton = &entity->model->skeleton;
    MD5_ASSERT(joint < skeleton->num_joints, "joint: must be below num_joints");
    md5_damage_zone zone = {"", 1.0f};
    const md5_entity_key *key = NULL;
    while (entity->def && (key = md5_entity_def_next_key(entity->def, zones, key))) {
        const char *at = key->value;
        bool is_in = false;
        md5_listed_joint top;
        while (md5i_next_listed(&at, &top)) {
            uint32_t from = joint;
            while (from != MD5_NONE && !md5_is_same_word(skeleton->joints[from].name, top.name))
                from = top.has_below ? skeleton->joints[from].parent : MD5_NONE;
            is_in = from != MD5_NONE ? !top.is_without : is_in;
        }
        zone.name = is_in ? md5_behind_prefix(key->name, zones) : zone.name;
    }
    while (entity->def && (key = md5_entity_def_next_key(entity->def, scales, key))) {
        if (strcmp(md5_behind_prefix(key->name, scales), zone.name) != 0)
            continue;
        zone.scale = 0.0f; // of what is no number
        md5i_entity_numbers(key->value, &zone.scale, 1);
    }
    return zone;
}
