// Helpers shared by look-at, walk IK and articulated figures: rotations in the engine's
// representation, keys of the entity that refer to joints, and lists of joints.
#include "md5/decl/game.h"
#include "md5/game/actor.h"
#include "md5/game/character.h"

#include <string.h>

// Returns the axes of a rotation by `roll` about x, then `pitch` about y, then `yaw` about z, in
// degrees. c and s in the names are the cosine and the sine.
axes3 md5i_axes_from_angles(double pitch, double yaw, double roll)
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

// Returns the horizontal direction of a vector as an angle, counterclockwise from the x axis, from
// 0 to below 360 degrees. Returns 0 for a vertical vector.
double md5i_yaw_degrees(md5_vec3d v)
{
    const bool is_vertical = v.x == 0.0 && v.y == 0.0;
    if (is_vertical)
        return 0.0;
    const double yaw = atan2(v.y, v.x) / DEGREE;
    return yaw < 0.0 ? yaw + 360.0 : yaw;
}

// Returns the angle between a vector and the horizontal plane, from 0 to below 360 degrees, as the
// engine's function does.
double md5i_pitch_degrees(md5_vec3d v)
{
    if (v.x == 0.0 && v.y == 0.0)
        return v.z > 0.0 ? 90.0 : 270.0;
    const double pitch = atan2(v.z, sqrt(v.x * v.x + v.y * v.y)) / DEGREE;
    return pitch < 0.0 ? pitch + 360.0 : pitch;
}

// Converts a transform to the engine's form, in double precision: an origin, and three axes as
// rows.
world_transform md5i_world_transform(md5_xform transform)
{
    const md5_mat34 matrix = md5_mat34_compose(transform.rotation, transform.translation);
    world_transform world = {.origin = md5_vec3d_from_vec3(transform.translation)};
    for (uint32_t i = 0; i < 3; i++)
        world.axes.row[i] =
            (md5_vec3d){(double)matrix.m[i], (double)matrix.m[4 + i], (double)matrix.m[8 + i]};
    return world;
}

// Converts three axes to a quaternion of this library. They are the rows of a rotation matrix of
// the engine. The engine's matrices are the transposes of the matrices of this library.
md5_quat md5i_quat_from_axes(const axes3 *axes)
{
    md5_mat34 matrix = {{0.0f}};
    for (uint32_t i = 0; i < 3; i++) {
        matrix.m[i] = (float)axes->row[i].x;
        matrix.m[4 + i] = (float)axes->row[i].y;
        matrix.m[8 + i] = (float)axes->row[i].z;
    }
    return md5_mat34_rotation(&matrix);
}

// Returns the number in a key of the monster, or `default_value` if the key is missing.
float md5i_monster_float(const md5_monster *monster, const char *key, float default_value)
{
    const md5_entity *const entity = monster->desc.entity;
    float value = default_value;
    md5i_entity_numbers(md5_entity_def_value(entity->def, key), &value, 1);
    return value;
}

// Tracks a joint, so that its transform in model space is computed in each tick. Also tracks all
// its ancestors, because its transform depends on theirs. The ancestors get at least the use
// `ancestor_use`. Does nothing if `joint` is MD5_NONE.
void md5i_track_joint(driven_actor *driven, uint32_t joint, joint_use ancestor_use)
{
    const md5_joint *const joints = driven->actor->entity->model->skeleton.joints;
    if (joint == MD5_NONE)
        return;
    if (driven->uses[joint] == JOINT_UNUSED)
        driven->uses[joint] = JOINT_TRACKED;

    // If an ancestor has at least this use, all ancestors above it have it too.
    uint32_t ancestor = joints[joint].parent;
    while (ancestor != MD5_NONE && driven->uses[ancestor] < ancestor_use) {
        driven->uses[ancestor] = (uint8_t)ancestor_use;
        ancestor = joints[ancestor].parent;
    }
}

// Returns the joint of the actor with a name. Returns MD5_NONE if the name is empty. If the joint
// does not exist, warns and returns MD5_NONE.
uint32_t md5i_find_named_joint(driven_actor *driven, const md5_entity *entity,
                               const md5_entity_key *key, const char *name, md5_context *context)
{
    if (!name[0])
        return MD5_NONE;
    const int32_t joint = md5i_find_joint(&driven->actor->entity->model->skeleton, name);
    if (joint < 0)
        (void)md5i_report_key(context, MD5_WARNING, key, "key %s: joint %s not found in entity %s",
                              MD5_QUOTED(key->name), MD5_QUOTED(name),
                              MD5_QUOTED(entity->def->decl->name));
    return (uint32_t)joint; // -1 is MD5_NONE
}

// Returns the key with exactly this name, or NULL.
const md5_entity_key *md5i_find_monster_key(const md5_entity *entity, const char *name)
{
    const md5_entity_key *key = NULL;
    do
        key = md5_entity_def_next_key(entity->def, name, key);
    while (key && !md5_equals_ignore_case(key->name, name));
    return key;
}

// Returns the joint whose name is the value of the key `name`. Returns MD5_NONE if the key is
// missing. If the joint does not exist, warns and returns MD5_NONE.
uint32_t md5i_find_key_joint(driven_actor *driven, const md5_entity *entity, const char *name,
                             md5_context *context)
{
    const md5_entity_key *const key = md5i_find_monster_key(entity, name);
    return key ? md5i_find_named_joint(driven, entity, key, key->value, context) : MD5_NONE;
}

// Fails if an entity was loaded with axes or a scale that differ from id Software's. The engine's
// formulas need these axes and units.
bool md5i_check_id_space(md5_context *context, const md5_entity *entity)
{
    const md5_skeleton *const skeleton = &entity->model->skeleton;
    if (skeleton->axes != MD5_AXES_ID || md5_skeleton_scale(skeleton) != 1.0f)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "axes or scale of the entity differ from Doom 3: expected the defaults; "
                        "load the entity without md5_load_opts.axes and scale");
    return true;
}

// Returns the first clip of an entity with this name whose files were loaded, or NULL.
static const md5_entity_clip *find_playable_clip(const md5_entity *entity, const char *name)
{
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        const md5_entity_clip *const clip = &entity->clips[i];
        if (clip->num_files > 0 && strcmp(clip->anim->name, name) == 0)
            return clip;
    }
    return NULL;
}

// Writes the first pose of a clip, without root motion, and the transforms of its joints in model
// space. Returns false if the entity does not have the clip.
bool md5i_sample_clip_start(const md5_entity *entity, const char *name, md5_xform *pose,
                            md5_xform *transforms)
{
    const md5_sample_position first = {.frame0 = 0};
    const md5_entity_clip *const clip = find_playable_clip(entity, name);
    TRY(clip && entity->model->skeleton.num_joints > 0);
    md5_sample(clip->bindings[0], first, MD5_ROOT_ID, pose);
    pose[0].translation = entity->offset; // monsters remove root motion
    md5_local_to_model_xforms(&entity->model->skeleton, pose, transforms);
    return true;
}

// == Lists of joints ==============================================================================

// Reads the next element of a list such as "*waist -head", and moves *list after it. An element
// names a joint. `*` before the name includes its descendants, and `-` excludes the joint. Returns
// false at the end of the list.
bool md5i_next_joint_pattern(const char **list, md5_joint_pattern *pattern)
{
    // Find the next word of the list, and move to its end.
    static const char blanks[] = " \t\r\n";
    const char *text = *list + strspn(*list, blanks);
    const size_t length = strcspn(text, blanks);
    *list = text + length;

    // The prefixes - and *.
    pattern->is_excluded = *text == '-';
    if (pattern->is_excluded)
        text++;
    pattern->has_descendants = *text == '*';
    if (pattern->has_descendants)
        text++;

    // Copy the name, cut to the capacity of the pattern.
    const size_t capacity = sizeof pattern->name - 1;
    size_t size = (size_t)(*list - text);
    if (size > capacity)
        size = capacity;
    memcpy(pattern->name, text, size);
    pattern->name[size] = '\0';
    return length > 0;
}

// Returns true if a pattern refers to a joint, whether it includes or excludes it.
static bool matches_joint(const md5_skeleton *skeleton, uint32_t joint,
                          const md5_joint_pattern *pattern)
{
    if (md5_equals_ignore_case(skeleton->joints[joint].name, pattern->name))
        return true;
    if (!pattern->has_descendants)
        return false;
    uint32_t ancestor = skeleton->joints[joint].parent;
    while (ancestor != MD5_NONE) {
        if (md5_equals_ignore_case(skeleton->joints[ancestor].name, pattern->name))
            return true;
        ancestor = skeleton->joints[ancestor].parent;
    }
    return false;
}

// Returns true if a list of joints contains a joint. If several patterns refer to the joint, the
// last one decides.
static bool list_contains_joint(const char *list, const md5_skeleton *skeleton, uint32_t joint)
{
    bool is_contained = false;
    md5_joint_pattern pattern;
    while (md5i_next_joint_pattern(&list, &pattern)) {
        if (matches_joint(skeleton, joint, &pattern))
            is_contained = !pattern.is_excluded;
    }
    return is_contained;
}

// Returns the damage zone of a joint, and the factor by which hits there are multiplied. They come
// from the keys "damage_zone NAME" and "damage_scale NAME". If several zones contain the joint, the
// last one is used.
md5_damage_zone md5_entity_damage_zone(const md5_entity *entity, uint32_t joint)
{
    static const char zones[] = "damage_zone ";
    static const char scales[] = "damage_scale ";
    MD5_ASSERT_ALIVE(entity, MD5_TAG_ENTITY);

    const md5_skeleton *const skeleton = &entity->model->skeleton;
    MD5_ASSERT(joint < skeleton->num_joints, "joint: must be below num_joints");
    md5_damage_zone zone = {"", 1.0f};
    if (!entity->def)
        return zone;

    // The last zone whose list contains the joint, and the last scale with the name of the zone.
    for (const md5_entity_key *key = md5_entity_def_next_key(entity->def, zones, NULL); key;
         key = md5_entity_def_next_key(entity->def, zones, key)) {
        if (list_contains_joint(key->value, skeleton, joint))
            zone.name = md5_skip_prefix(key->name, zones);
    }

    for (const md5_entity_key *key = md5_entity_def_next_key(entity->def, scales, NULL); key;
         key = md5_entity_def_next_key(entity->def, scales, key)) {
        if (strcmp(md5_skip_prefix(key->name, scales), zone.name) != 0)
            continue;
        zone.scale = 0.0f; // used if the value is not a number
        md5i_entity_numbers(key->value, &zone.scale, 1);
    }
    return zone;
}
