// What is wrong with a clip at the skin of its mesh: frames that leave their boxes, loops that
// jump, roots that drift and feet that slide. No engine refuses any of it: it is seen in the game.
#include "md5/md5pose.h"
#include "md5/md5skin.h"
#include "demo/common/file.h"
#include "demo/tool/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// == Feet =========================================================================================

void tool_sample_place(const md5_binding *binding, uint32_t joint, bool is_foot, md5_vec3 *places)
{
    const md5_model *const model = binding->model;
    md5_vec3 point = md5_mat34_translation(model->bind[joint]);
    point.z = 0.0f;
    point = is_foot ? md5_mat34_point(model->inverse_bind[joint], point) : (md5_vec3){0};
    md5_xform *const pose = common_alloc(model->skeleton.num_joints, sizeof *pose);
    for (uint32_t i = 0; i < binding->anim->num_frames; i++) {
        md5_sample(binding, (md5_moment){.frame0 = i, .frame1 = i}, MD5_ROOT_FILE, pose);
        places[i] = md5_xform_point(md5_joint_in_model(&model->skeleton, pose, joint), point);
    }
    free(pose);
}

static double level_distance(md5_vec3 a, md5_vec3 b)
{
    return hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
}

double tool_level_speed(const md5_anim *anim, const md5_vec3 *places, uint32_t frame)
{
    const uint32_t next = frame + (frame + 1 < anim->num_frames);
    return level_distance(places[frame], places[next]) * anim->frame_rate;
}

bool tool_stands(const md5_anim *anim, const md5_vec3 *places, uint32_t frame, float scale)
{
    const float z = places[frame].z, next_z = places[frame + (frame + 1 < anim->num_frames)].z;
    return fmaxf(z, next_z) <= 0.3f * scale
           && tool_level_speed(anim, places, frame) <= 10.0 * (double)scale;
}

bool tool_is_foot(const char *joint)
{
    return common_contains(joint, "foot") || common_contains(joint, "ankle");
}

// == Names ========================================================================================

// What the words of a clip's name say of it: walk2, s_idle, SkeletonStand.
enum { IS_LOOP = 1, STAYS = 2, IS_ONCE = 4 };

static int kind_of_name(const char *path)
{
    static const struct {
        const char *word;
        int kind;
    } rows[] = {
        {"idle", IS_LOOP | STAYS},
        {"stand", IS_LOOP | STAYS},
        {"breathe", IS_LOOP | STAYS},
        {"walk", IS_LOOP},
        {"run", IS_LOOP},
        {"trot", IS_LOOP},
        {"sneak", IS_LOOP},
        {"strafe", IS_LOOP},
        {"swim", IS_LOOP},
        {"fly", IS_LOOP},
        {"cycle", IS_LOOP},
        {"loop", IS_LOOP},
        {"start", IS_ONCE},
        {"begin", IS_ONCE},
        {"stop", IS_ONCE},
        {"end", IS_ONCE},
        {"to", IS_ONCE},
        {"from", IS_ONCE},
        {"up", IS_ONCE},
        {"jump", IS_ONCE},
        {"turn", IS_ONCE},
        {"attack", IS_ONCE},
        {"pain", IS_ONCE},
        {"death", IS_ONCE},
        {"die", IS_ONCE},
    };
    const char *const name = common_base(path);
    int kinds = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t length = strlen(rows[i].word);
        for (const char *at = name; *at; at++) {
            // A word begins behind what is no letter, or with a large letter behind a small one.
            const bool begins = at == name || !isalpha((unsigned char)at[-1])
                                || (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
            size_t same = 0;
            while (begins && same < length
                   && tolower((unsigned char)at[same]) == rows[i].word[same])
                same++;
            if (same == length && !islower((unsigned char)at[length]))
                kinds |= rows[i].kind;
        }
    }
    return kinds & IS_ONCE ? 0 : kinds;
}

// == Frames =======================================================================================

typedef struct motion {
    const md5_model *model;
    const md5_anim *anim;
    const md5_binding *binding;
    md5_xform *pose;    // [joints]
    md5_mat34 *joints;  // [joints]
    md5_mat34 *palette; // [joints]
    md5_mat34 *before;  // [joints] a palette
    md5_vec3 *points;   // [twice the vertices of any mesh]
    double size;        // of the mesh: the diagonal of its box
    tool_facts *clip;
} motion;

static void pose_frame(const motion *of, uint32_t frame, md5_root root)
{
    md5_pose_palette(of->binding, (md5_moment){.frame0 = frame, .frame1 = frame}, root, of->pose,
                     of->joints, of->palette);
}

// How far a box reaches out of another one.
static double reach_out(md5_bounds inner, md5_bounds outer)
{
    const md5_vec3 low = md5_vec3_sub(outer.min, inner.min);
    const md5_vec3 high = md5_vec3_sub(inner.max, outer.max);
    return (double)fmaxf(fmaxf(fmaxf(low.x, low.y), low.z), fmaxf(fmaxf(high.x, high.y), high.z));
}

static bool is_empty(md5_bounds box)
{
    return box.min.x >= box.max.x && box.min.y >= box.max.y && box.min.z >= box.max.z;
}

// Of a very long clip of a large mesh only some frames are skinned.
static void judge_boxes(const motion *of)
{
    enum { MOST_WORK = 1 << 27 }; // influences
    const double tight = 0.05 * of->size, loose = 0.2 * of->size;
    uint64_t work = 1;
    for (uint32_t i = 0; i < of->model->num_meshes; i++)
        work += of->model->meshes[i].num_influences;
    work *= of->anim->num_frames;
    const uint32_t step = (uint32_t)(work / MOST_WORK) + 1, num_frames = of->anim->num_frames;
    double out_of_own = 0.0, out_of_bind = 0.0;
    uint32_t own = 0, bind = 0, count = 0;
    for (uint32_t i = 0; i < num_frames; i += step < num_frames - i ? step : num_frames - i) {
        pose_frame(of, i, MD5_ROOT_FILE);
        const md5_bounds skin = md5_skin_bounds(of->model, of->palette);
        const double away = reach_out(skin, of->model->bounds);
        if (away > out_of_bind)
            out_of_bind = away, bind = i;
        if (!of->anim->frame_bounds || is_empty(of->anim->frame_bounds[i]))
            continue;
        const double outside = reach_out(skin, of->anim->frame_bounds[i]);
        count += outside > tight;
        if (outside > out_of_own)
            out_of_own = outside, own = i;
    }
    if (out_of_own > tight)
        tool_found(of->clip, RULE_BOUNDS_SMALL, of->clip->bounds_line,
                   "the skin reaches out of the boxes of %u frames, in frame %u by %.3g units",
                   count, own, out_of_own);
    if (out_of_bind > loose)
        tool_found(of->clip, RULE_BIND_BOX, 0,
                   "the skin reaches out of the box of the bind pose, in frame %u by %.3g units",
                   bind, out_of_bind);
}

// The farthest that a vertex is from one frame to another: in place or, if that is nearer, relative
// to the root, as in a clip that turns.
static double distance_of_frames(const motion *of, uint32_t a, uint32_t b)
{
    const uint32_t count = of->model->skeleton.num_joints;
    double most = 0.0, most_of_root = 0.0;
    pose_frame(of, a, MD5_ROOT_IN_PLACE);
    memcpy(of->before, of->palette, count * sizeof *of->before);
    const md5_mat34 root = of->joints[0];
    pose_frame(of, b, MD5_ROOT_IN_PLACE);
    const md5_mat34 back = md5_mat34_mul(root, md5_mat34_inverse(of->joints[0]));
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        const md5_mesh *const mesh = &of->model->meshes[i];
        md5_vec3 *const from = of->points, *const to = from + mesh->num_vertices;
        md5_skin(mesh, of->before, from, NULL, NULL);
        md5_skin(mesh, of->palette, to, NULL, NULL);
        for (uint32_t k = 0; k < mesh->num_vertices; k++) {
            const md5_vec3 turned = md5_mat34_point(back, to[k]);
            most = fmax(most, (double)md5_vec3_length(md5_vec3_sub(to[k], from[k])));
            most_of_root =
                fmax(most_of_root, (double)md5_vec3_length(md5_vec3_sub(turned, from[k])));
        }
    }
    return fmin(most, most_of_root);
}

// A clip that is named like a loop, whose last frame is not the first again, but near it: otherwise
// it is none.
static void judge_loop(const motion *of, int kind)
{
    const uint32_t last = of->anim->num_frames - 1;
    const double least = 0.005 * of->size;
    const md5_vec3 drift = md5_anim_root_motion(of->anim, (md5_moment){0},
                                                (md5_moment){.frame0 = last, .frame1 = last});
    const double level = kind & STAYS ? level_distance((md5_vec3){0}, drift) : 0.0;
    if (level > least || fabs((double)drift.z) > least)
        tool_found(of->clip, RULE_ROOT_DRIFT, 0,
                   "the root is %.3g units away, and %.3g up, when the clip begins anew",
                   level_distance((md5_vec3){0}, drift), (double)drift.z);
    const double away = distance_of_frames(of, 0, last);
    if (away <= least)
        return;
    const double step = fmax(distance_of_frames(of, 0, 1), distance_of_frames(of, last, last - 1));
    if (away < 4.0 * step)
        tool_found(of->clip, RULE_LOOP, 0,
                   "frame %u, the last, is not frame 0 again: the skin jumps by %.3g units", last,
                   away);
}

// Feet that move while they stand. Nothing is said of a clip that walks on the spot.
static void judge_feet(const motion *of, int kind)
{
    const md5_skeleton *const skeleton = &of->model->skeleton;
    const uint32_t num_frames = of->anim->num_frames;
    const double most = 0.02 * of->size;
    const float scale = fminf((float)of->size / 60.0f, 1.0f); // the numbers are those of a person
    md5_vec3 *const places = common_alloc(num_frames, sizeof *places);
    double path = 0.0, slide = 0.0;
    uint32_t foot = 0, at = 0;
    tool_sample_place(of->binding, 0, false, places);
    for (uint32_t i = 1; i < num_frames; i++)
        path += level_distance(places[i - 1], places[i]);
    const bool is_judged = kind & STAYS || path > 0.1 * of->size;
    for (uint32_t i = 0; i < skeleton->num_joints && is_judged; i++) {
        if (!tool_is_foot(skeleton->joints[i].name))
            continue;
        tool_sample_place(of->binding, i, true, places);
        for (uint32_t k = 0, first = 0; k + 1 < num_frames; k++) {
            if (!tool_stands(of->anim, places, k, scale)) {
                first = k + 1;
            } else if (level_distance(places[first], places[k + 1]) > slide) {
                slide = level_distance(places[first], places[k + 1]);
                foot = i, at = k + 1;
            }
        }
    }
    if (slide > most)
        tool_found(of->clip, RULE_FEET, 0,
                   "'%.60s' slides by %.3g units up to frame %u while it stands",
                   skeleton->joints[foot].name, slide, at);
    free(places);
}

void tool_judge_motion(tool_facts *clip, const md5_model *model, const md5_anim *anim)
{
    enum { MOST_FRAMES = 1 << 20 };
    md5_error error = {0};
    const bool is_seen = clip->is_seen;
    clip->is_seen = true;
    if (is_seen || anim->num_frames > MOST_FRAMES)
        return;
    md5_binding *const binding = md5_bind(model, anim, NULL, &error);
    const uint32_t count = model->skeleton.num_joints;
    size_t num_points = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        if (model->meshes[i].num_vertices > num_points)
            num_points = model->meshes[i].num_vertices;
    // What the clip does not move may hang anywhere.
    if (binding && binding->num_missing == 0 && num_points > 0) {
        const motion of = {
            .model = model,
            .anim = anim,
            .binding = binding,
            .pose = common_alloc(count, sizeof *of.pose),
            .joints = common_alloc(count, sizeof *of.joints),
            .palette = common_alloc(count, sizeof *of.palette),
            .before = common_alloc(count, sizeof *of.before),
            .points = common_alloc(2 * num_points, sizeof *of.points),
            .size = (double)md5_vec3_length(md5_vec3_sub(model->bounds.max, model->bounds.min)),
            .clip = clip,
        };
        const int kind = kind_of_name(clip->path);
        judge_boxes(&of);
        if (kind & IS_LOOP && anim->num_frames > 2)
            judge_loop(&of, kind);
        judge_feet(&of, kind);
        free(of.pose);
        free(of.joints);
        free(of.palette);
        free(of.before);
        free(of.points);
    }
    md5_free_binding(binding);
}

bool tool_is_seen(const tool_facts *clip)
{
    return clip->is_seen;
}
