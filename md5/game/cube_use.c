// Queries of a loaded Cube 2 model: which animation, which frames, how a mesh looks.
#include "md5/core/assert.h"
#include "md5/core/axes.h"
#include "md5/core/math.h"
#include "md5/md5dialects.h"

#include <string.h>

// -- Animations -----------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Whether one alternative, which ends at | or NUL, matches the name. Returns its end in *end.
static bool alternative_matches(const char *pattern, const char *name, const char **end)
{
    bool is_match = true;
    for (; *pattern && *pattern != '|'; pattern++) {
        if (!is_match)
            continue;
        if (*pattern != '*') {
            is_match = *name == *pattern;
            name += is_match;
            continue;
        }
        is_match = *name && !is_space(*name);
        while (*name && !is_space(*name))
            name++;
    }
    *end = pattern;
    return is_match && *name == '\0';
}

bool md5_cube_matches(const char *pattern, const char *name)
{
    MD5_ASSERT(pattern != NULL, "pattern: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    for (;;) {
        const char *end;
        if (alternative_matches(pattern, name, &end))
            return true;
        if (*end == '\0')
            return false;
        pattern = end + 1;
    }
}

int32_t md5_find_cube2_anim(const md5_cube_part *part, uint32_t mask, const char *name)
{
    MD5_ASSERT(part != NULL, "part: not NULL");
    for (uint32_t i = part->num_anims; name && i-- > 0;) {
        if (part->anims[i].mask == mask && md5_cube_matches(part->anims[i].names, name))
            return (int32_t)i;
    }
    return -1;
}

void md5_cube2_anim_range(const md5_cube_anim *anim, uint32_t num_frames, uint32_t *first,
                          uint32_t *count)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT(num_frames > 0, "num_frames: at least 1");
    MD5_ASSERT(first != NULL && count != NULL, "first, count: not NULL");
    const int64_t total = num_frames, last = total - 1;
    const int64_t behind = total + anim->start;
    int64_t start = anim->start > last ? last : anim->start;
    if (anim->start < 0)
        start = behind > 0 ? behind : 0;
    int64_t left = total - start;
    if (anim->end > 0 && anim->end < left)
        left = anim->end;
    else if (anim->end < 0)
        left = left + anim->end > 1 ? left + anim->end : 1;
    *first = (uint32_t)start;
    *count = (uint32_t)left;
}

// -- Looks ----------------------------------------------------------------------------------------

static void apply_skin(const md5_cube_row *row, md5_cube_skin *skin)
{
    skin->texture = row->images[0];
    if (!row->images[1].path) // without masks the rest of the line is not read
        return;
    skin->masks = row->images[1];
    skin->environment_range[0] = row->numbers[0];
    skin->environment_range[1] = row->numbers[1];
}

// Applies rows of one number, or two.
static void apply_numbers(const md5_cube_row *row, md5_cube_skin *skin)
{
    const float value = row->numbers[0];
    if (strcmp(row->word, "md5spec") == 0)
        skin->specular = value;
    else if (strcmp(row->word, "md5ambient") == 0)
        skin->ambient = value;
    else if (strcmp(row->word, "md5glow") == 0)
        skin->glow = value;
    else if (strcmp(row->word, "md5alphatest") == 0)
        skin->alpha_test = value > 0.0f ? value : 0.0f;
    else if (strcmp(row->word, "md5alphablend") == 0)
        skin->alpha_blend = value != 0.0f;
    else if (strcmp(row->word, "md5cullface") == 0)
        skin->cull_face = value != 0.0f;
    else if (strcmp(row->word, "md5fullbright") == 0)
        skin->fullbright = value;
    else if (strcmp(row->word, "md5glare") == 0)
        memcpy(skin->glare, row->numbers, sizeof skin->glare);
    else if (strcmp(row->word, "md5scroll") == 0)
        memcpy(skin->scroll, row->numbers, sizeof skin->scroll);
    else if (strcmp(row->word, "md5material") == 0) {
        skin->materials[0] = (int32_t)value;
        skin->materials[1] = (int32_t)row->numbers[1];
    }
}

void md5_build_cube2_look(const md5_cube_part *part, const char *mesh, md5_cube_skin *skin)
{
    MD5_ASSERT(part != NULL, "part: not NULL");
    MD5_ASSERT(mesh != NULL, "mesh: not NULL");
    MD5_ASSERT(skin != NULL, "skin: not NULL");
    const md5_cube_image none = {NULL, ""};
    *skin = (md5_cube_skin){
        .texture = none,
        .masks = none,
        .normal_map = none,
        .specular = -1.0f,
        .ambient = -1.0f,
        .glow = -1.0f,
        .alpha_test = -1.0f,
        .alpha_blend = -1,
        .cull_face = -1,
    };
    for (uint32_t i = 0; i < part->num_rows; i++) {
        const md5_cube_row *const row = &part->rows[i];
        if (strcmp(row->mesh, "*") != 0 && strcmp(row->mesh, mesh) != 0)
            continue;
        if (strcmp(row->word, "md5skin") == 0)
            apply_skin(row, skin);
        else if (strcmp(row->word, "md5bumpmap") == 0)
            skin->normal_map = row->images[0];
        else if (strcmp(row->word, "md5envmap") == 0)
            skin->environment = row->images[0].path;
        else if (strcmp(row->word, "md5shader") == 0)
            skin->shader = row->images[0].path;
        else
            apply_numbers(row, skin);
    }
}

// -- Adjustments ----------------------------------------------------------------------------------

// A transform of the engines: a rotation r, and a translation t that is a whole quaternion, since
// the dual part t r / 2 of their dual quaternions need not be that of a transform.
typedef struct cube_transform {
    md5_quat rotation, translation;
} cube_transform;

// Turns a transform by an angle about a unit axis. The engines multiply the real part by the
// rotation q, but the dual part by the inverse of q, which makes the translation q^-1 t q^-1.
// Across the axis that is t; along it, it is shorter by the cosine of the angle, and t gets a w,
// which the next rotation turns into a translation along its own axis.
static void turn(cube_transform *transform, md5_vec3 axis, float degrees)
{
    if (degrees == 0.0f)
        return;
    const md5_quat q = md5_quat_from_axis_angle(axis, degrees * 0.01745329252f);
    const md5_quat inverse = {-q.x, -q.y, -q.z, q.w};
    transform->rotation = md5_quat_mul(q, transform->rotation);
    transform->translation = md5_quat_mul(md5_quat_mul(inverse, transform->translation), inverse);
}

// The engines turn about up, -y and -x of their mirrored space. Mirrored back, the angles change
// their signs, and so does the axis y. The w of a translation changes nothing further on: matrices
// leave it out.
md5_xform md5_cube_adjust(const md5_cube_adjustment *adjustment, md5_xform transform)
{
    MD5_ASSERT(adjustment != NULL, "adjustment: not NULL");
    const md5_vec3 up = {0.0f, 0.0f, 1.0f}, right = {0.0f, -1.0f, 0.0f};
    const md5_vec3 forward = {1.0f, 0.0f, 0.0f}, t = transform.translation;
    cube_transform turned = {transform.rotation, {t.x, t.y, t.z, 0.0f}};
    turn(&turned, up, -adjustment->yaw);
    turn(&turned, right, adjustment->pitch);
    turn(&turned, forward, adjustment->roll);
    const md5_vec3 moved = {turned.translation.x, turned.translation.y, turned.translation.z};
    transform.rotation = turned.rotation;
    transform.translation = md5_vec3_add(moved, adjustment->translation);
    return transform;
}

// Whether a later adjustment of the same animation replaces this one.
static bool is_replaced(const md5_cube_part *part, uint32_t count, uint32_t index)
{
    for (uint32_t i = index + 1; i < count; i++) {
        if (strcmp(part->adjustments[i].joint, part->adjustments[index].joint) == 0)
            return true;
    }
    return false;
}

static md5_xform scaled(md5_xform transform, float scale)
{
    transform.translation = md5_vec3_scale(transform.translation, scale);
    return transform;
}

void md5_cube2_adjust_pose(const md5_cube_part *part, const md5_cube_anim *anim,
                           const md5_skeleton *skeleton, md5_xform *pose)
{
    MD5_ASSERT(part != NULL, "part: not NULL");
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    const float scale = md5_scale_of(skeleton);
    for (uint32_t i = 0; i < anim->num_adjustments; i++) {
        const md5_cube_adjustment *const adjustment = &part->adjustments[i];
        const int32_t joint = md5_find_joint(skeleton, adjustment->joint);
        if (joint < 0 || is_replaced(part, anim->num_adjustments, i))
            continue;
        const md5_xform local =
            scaled(md5i_transform_from_axes(skeleton->axes, pose[joint]), 1.0f / scale);
        const md5_xform adjusted = scaled(md5_cube_adjust(adjustment, local), scale);
        pose[joint] = md5_transform_to_axes(skeleton->axes, adjusted);
    }
}
