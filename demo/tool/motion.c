// Checks the motion of a clip by the skin of its mesh: frames whose skin exceeds their bounds,
// loops that jump, roots that drift, and feet that slide. No engine rejects such clips; the errors
// are visible in the game. The main structure is motion.
#include "demo/tool/tool.h"

// == Feet =========================================================================================

static double level_distance(md5_vec3 a, md5_vec3 b)
{
    return hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
}

double tool_horizontal_speed(const md5_anim *anim, const md5_vec3 *places, uint32_t frame)
{
    const uint32_t next = frame + (frame + 1 < anim->num_frames);
    return level_distance(places[frame], places[next]) * anim->frame_rate;
}

bool tool_is_foot_planted(const md5_anim *anim, const md5_vec3 *places, uint32_t frame, float scale)
{
    const float z = places[frame].z;
    const float next_z = places[frame + (frame + 1 < anim->num_frames)].z;
    return fmaxf(z, next_z) <= 0.3f * scale
           && tool_horizontal_speed(anim, places, frame) <= 10.0 * scale;
}

bool tool_is_foot(const char *joint)
{
    return common_contains(joint, "foot") || common_contains(joint, "ankle");
}

// == Doubled frames ===============================================================================

// Returns the size of the step from a frame to the next frame: the sum over all joints of the chord
// of the rotation and of the translation, divided by `unit`.
static double measure_step(const md5_anim *anim, uint32_t frame, double unit)
{
    const size_t num_rotations = anim->num_rotations;
    const size_t num_translations = anim->num_translations;
    double sum = 0;
    for (size_t i = 0; i < num_rotations; i++) {
        const md5_quat a = anim->rotations[frame * num_rotations + i];
        const md5_quat b = anim->rotations[(frame + (size_t)1) * num_rotations + i];
        const float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
        const float x = a.x - sign * b.x;
        const float y = a.y - sign * b.y;
        const float z = a.z - sign * b.z;
        const float w = a.w - sign * b.w;
        sum += sqrt((double)(x * x + y * y + z * z + w * w));
    }
    for (size_t i = 0; i < num_translations; i++) {
        const md5_vec3 a = anim->translations[frame * num_translations + i];
        const md5_vec3 b = anim->translations[(frame + (size_t)1) * num_translations + i];
        sum += (double)md5_vec3_length(md5_vec3_sub(b, a)) / unit;
    }
    return sum;
}

// A pause of an animation begins and ends slowly. Therefore the first two frames are a mistake of
// the exporter only if the figure moves in all other frames, and at once with its full speed.
bool tool_has_doubled_frame(const md5_anim *anim)
{
    enum { MIN_FRAMES = 5 };
    const double max_still = 0.01; // of a step that is a pause
    if (anim->packed_size || anim->num_frames < MIN_FRAMES)
        return false;
    if (anim->parents_unknown) // version 6, whose clips store a start time after frame 0
        return false;
    double unit = 1e-6; // longest bone
    for (uint32_t j = 0; j < anim->skeleton.num_joints; j++)
        if (anim->skeleton.joints[j].parent != MD5_NONE)
            unit = fmax(unit, (double)md5_vec3_length(anim->constant[j].translation));
    const double start = measure_step(anim, 1, unit);
    const double next = measure_step(anim, 2, unit);
    if (measure_step(anim, 0, unit) > 1e-3 * start || start < 0.7 * next)
        return false;
    for (uint32_t f = 1; f + 1 < anim->num_frames; f++)
        if (measure_step(anim, f, unit) <= max_still * start)
            return false;
    return true;
}

// == Names ========================================================================================

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_large(char c)
{
    return c >= 'A' && c <= 'Z';
}

// Properties of a clip that the words of its name indicate: walk2, s_idle, SkeletonStand.
enum { IS_LOOP = 1, STAYS = 2, IS_ONCE = 4 };

// Returns the properties that the name of a clip indicates.
static int find_name_properties(const char *path)
{
    static const struct {
        const char *words;
        int kind;
    } rows[] = {
        {"idle stand breathe", IS_LOOP | STAYS},
        {"walk run trot sneak strafe swim fly cycle loop", IS_LOOP},
        {"start begin stop end to from up jump turn attack pain death die taunt", IS_ONCE},
    };
    const char *const name = common_base(path);
    int kinds = 0;
    for (const char *at = name; *at; at++) {
        // A word begins after a character that is not a letter, and with a capital after a small
        // letter.
        const bool is_first = at == name || !(is_small(at[-1]) || is_large(at[-1]));
        const bool begins = is_first || (is_large(*at) && is_small(at[-1]));
        if (begins) {
            for (size_t i = 0; i < COMMON_LENGTH(rows); i++) {
                for (const char *word = rows[i].words; *word; word += *word == ' ') {
                    size_t same = 0;
                    while (word[same] > ' ' && (at[same] | 0x20) == word[same])
                        same++;
                    if (word[same] <= ' ' && !is_small(at[same]))
                        kinds |= rows[i].kind;
                    word += strcspn(word, " ");
                }
            }
        }
    }
    return kinds & IS_ONCE ? IS_ONCE : kinds;
}

// == Points =======================================================================================
//
// A few vertices approximate the skin: for each joint, the farthest of its vertices along the axes
// in both directions.

enum { NUM_SIDES = 6 }; // -x x -y y -z z

// A drawn vertex of a model.
typedef struct skin_point {
    uint32_t mesh;
    uint32_t vertex;
} skin_point;

// Writes the farthest vertices of each joint: of direction s of joint j to [NUM_SIDES * j + s], or
// MD5_NONE. A vertex belongs to the joint of its first influence, which has the largest weight.
static void find_farthest(const md5_mesh *mesh, uint32_t *farthest)
{
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        if (mesh->first_influence[i] == mesh->first_influence[i + 1])
            continue;
        const uint32_t joint = mesh->influence_joints[mesh->first_influence[i]];
        for (int side = 0; side < NUM_SIDES; side++) {
            uint32_t *const best = &farthest[NUM_SIDES * (size_t)joint + (size_t)side];
            const float sign = side % 2 > 0 ? 1 : -1;
            float components[3] = {0};
            components[side / 2] = sign;
            const md5_vec3 axis = {components[0], components[1], components[2]};
            if (*best == MD5_NONE
                || md5_vec3_dot(axis, mesh->positions[i])
                       > md5_vec3_dot(axis, mesh->positions[*best]))
                *best = i;
        }
    }
}

// Returns the different farthest vertices of all meshes.
static skin_point *find_points(const md5_model *model, uint32_t *count)
{
    skin_point *points = NULL;
    const size_t num_sides = NUM_SIDES * (size_t)model->skeleton.num_joints;
    uint32_t *const farthest = common_alloc(num_sides, sizeof *farthest);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        memset(farthest, 0xFF, num_sides * sizeof *farthest);
        find_farthest(&model->meshes[m], farthest);
        for (size_t i = 0; i < num_sides; i++) {
            bool is_new = farthest[i] != MD5_NONE;
            for (size_t k = i - i % NUM_SIDES; k < i && is_new; k++)
                is_new = farthest[k] != farthest[i];
            if (!is_new)
                continue;
            points = common_grow(points, *count, sizeof *points);
            points[(*count)++] = (skin_point){m, farthest[i]};
        }
    }
    free(farthest);
    return points;
}

// Returns the position of a vertex: the sum of its influences, as md5_skin() computes it.
static md5_vec3 place_of(const md5_model *model, skin_point point, const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[point.mesh];
    md5_vec3 sum = {0};
    for (uint32_t k = mesh->first_influence[point.vertex];
         k < mesh->first_influence[point.vertex + 1]; k++) {
        const float *const m = palette[mesh->influence_joints[k]].m;
        const md5_vec4 v = mesh->influences[k];
        sum.x += m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3] * v.w;
        sum.y += m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7] * v.w;
        sum.z += m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11] * v.w;
    }
    return sum;
}

// == Frames =======================================================================================

enum { MAX_FEET = 16 };

// Distances by which the skin may exceed bounds, as fractions of the size of the mesh.
static const double OWN_PART = 0.05;
static const double BIND_PART = 0.2;

typedef struct motion {
    skin_point *points; // [num_points]
    uint32_t num_points;
    const md5_model *model;
    const md5_anim *anim;
    const md5_binding *binding;
    md5_xform *pose;                // [joints]
    md5_mat34 *palette;             // [joints]
    md5_mat34 *before;              // [joints] palette of another frame
    md5_mat34 *joints;              // [joints]
    double size;                    // diagonal of the mesh's bounds
    uint32_t feet[MAX_FEET];        // joints
    md5_vec3 *places[MAX_FEET + 1]; // [frames] positions of the root and the feet
    uint32_t num_feet;
    md5_check *clip;
} motion;

static void pose_frame(const motion *of, uint32_t frame, md5_root root)
{
    md5_pose_palette(of->binding, (md5_sample_position){.frame0 = frame, .frame1 = frame}, root,
                     of->pose, of->joints, of->palette);
}

// Returns the distance by which a box exceeds another box.
static double reach_out(md5_bounds inner, md5_bounds outer)
{
    const md5_vec3 low = md5_vec3_sub(outer.min, inner.min);
    const md5_vec3 high = md5_vec3_sub(inner.max, outer.max);
    return fmaxf(fmaxf(fmaxf(low.x, low.y), low.z), fmaxf(fmaxf(high.x, high.y), high.z));
}

static bool is_empty(md5_bounds box)
{
    return box.min.x >= box.max.x && box.min.y >= box.max.y && box.min.z >= box.max.z;
}

// The distance by which the skin exceeds the bounds of the frames, or of the bind pose.
typedef struct reach {
    double most;
    uint32_t frame; // with the largest distance
    uint32_t count; // frames with a larger distance than allowed
} reach;

static void add_reach(reach *to, double outside, uint32_t frame, double allowed)
{
    to->count += outside > allowed;
    if (outside > to->most)
        *to = (reach){outside, frame, to->count};
}

// Returns the bounds of the points.
static md5_bounds bounds_of(const motion *of)
{
    md5_bounds box = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < of->num_points; i++) {
        const md5_vec3 at = place_of(of->model, of->points[i], of->palette);
        const float point[3] = {at.x, at.y, at.z};
        for (int k = 0; k < 3; k++) {
            float *const low = &box.min.x + k;
            float *const high = &box.max.x + k;
            if (point[k] < *low)
                *low = point[k];
            if (point[k] > *high)
                *high = point[k];
        }
    }
    return box;
}

// Examines all frames, or some if there are very many. Returns true if all frames were examined, so
// that of->places are valid.
static bool look_at_frames(const motion *of, reach *own, reach *bind)
{
    enum { MAX_WORK = 1 << 26 }; // joints and points
    const uint32_t num_frames = of->anim->num_frames;
    const uint64_t work = of->num_points + (uint64_t)of->model->skeleton.num_joints;
    const uint32_t step = (uint32_t)(work * num_frames / MAX_WORK) + 1;
    const bool minds_own =
        of->anim->frame_bounds && tool_has_rule(of->clip->engines, "bounds-small");
    const bool minds_bind = tool_has_rule(of->clip->engines, "bind-box");
    for (uint64_t i = 0; i < num_frames; i += step) {
        const uint32_t frame = (uint32_t)i;
        pose_frame(of, frame, MD5_ROOT_FILE);
        const bool has_box = minds_own && !is_empty(of->anim->frame_bounds[frame]);
        md5_bounds skin = {0};
        if (minds_bind || has_box)
            skin = bounds_of(of);
        if (minds_bind)
            add_reach(bind, reach_out(skin, of->model->bounds), frame, BIND_PART * of->size);
        if (has_box)
            add_reach(own, reach_out(skin, of->anim->frame_bounds[frame]), frame,
                      OWN_PART * of->size);
        for (uint32_t k = 0; k <= of->num_feet; k++) {
            const uint32_t joint = k > 0 ? of->feet[k - 1] : 0;
            md5_vec3 ground = md5_mat34_translation(of->model->bind[joint]);
            ground.z = 0;
            of->places[k][frame] = k > 0 ? md5_mat34_point(of->palette[joint], ground)
                                         : md5_mat34_translation(of->joints[0]);
        }
    }
    return step == 1;
}

// Returns the distance by which the complete skin exceeds a box in a frame.
static double exact_reach(const motion *of, uint32_t frame, md5_bounds box)
{
    pose_frame(of, frame, MD5_ROOT_FILE);
    return reach_out(md5_skin_bounds(of->model, of->palette), box);
}

static void judge_boxes(const motion *of, reach own, reach bind)
{
    if (own.count > 0)
        tool_add_violation(
            of->clip, "bounds-small", of->clip->bounds_line,
            "the skin exceeds the bounds of %u frames, by up to %.3g units in frame %u", own.count,
            exact_reach(of, own.frame, of->anim->frame_bounds[own.frame]), own.frame);
    if (bind.count > 0)
        tool_add_violation(
            of->clip, "bind-box", 0,
            "the skin exceeds the bounds of the bind pose, by up to %.3g units in frame %u",
            exact_reach(of, bind.frame, of->model->bounds), bind.frame);
}

// Returns the largest distance of a point between two frames: in place or, if that is smaller,
// relative to the root, for clips that rotate.
static double distance_of_frames(const motion *of, uint32_t a, uint32_t b)
{
    double most = 0;
    double most_of_root = 0;
    pose_frame(of, a, MD5_ROOT_IN_PLACE);
    memcpy(of->before, of->palette, of->model->skeleton.num_joints * sizeof *of->before);
    const md5_mat34 root = of->joints[0];
    pose_frame(of, b, MD5_ROOT_IN_PLACE);
    const md5_mat34 back = md5_mat34_mul(root, md5_mat34_inverse(of->joints[0]));
    for (uint32_t i = 0; i < of->num_points; i++) {
        const md5_vec3 from = place_of(of->model, of->points[i], of->before);
        const md5_vec3 to = place_of(of->model, of->points[i], of->palette);
        const md5_vec3 turned = md5_mat34_point(back, to);
        most = fmax(most, md5_vec3_length(md5_vec3_sub(to, from)));
        most_of_root = fmax(most_of_root, md5_vec3_length(md5_vec3_sub(turned, from)));
    }
    return fmin(most, most_of_root);
}

// Reports a clip that lacks its last frame, or that has the name of a loop and ends near its first
// pose, but not at it. With a larger difference the clip is not a loop.
static void judge_loop(const motion *of, int kind)
{
    const bool lacks_last = md5_find_loop(of->anim, 0, 0).end == MD5_LOOP_WITHOUT_LAST_FRAME;
    const uint32_t last = of->anim->num_frames - 1;
    const double min_jump = 0.005 * of->size;
    const md5_vec3 drift = md5_vec3_sub(of->places[0][last], of->places[0][0]);
    const double level = kind & STAYS ? level_distance((md5_vec3){0}, drift) : 0;
    if (!lacks_last && !(kind & IS_LOOP))
        return;
    const bool has_drift = level > min_jump || fabs((double)drift.z) > min_jump;
    if (!lacks_last && has_drift) // without the last frame, the drift is a part of the step
        tool_add_violation(of->clip, "root-drift", 0,
                           "the root moves by %.3g units, and %.3g up, when the loop restarts",
                           level_distance((md5_vec3){0}, drift), drift.z);
    const double away = distance_of_frames(of, 0, last);
    if (away <= min_jump)
        return;
    const double step = fmax(distance_of_frames(of, 0, 1), distance_of_frames(of, last, last - 1));
    const char *const difference =
        lacks_last ? "is one step before frame 0" : "differs from frame 0";
    const char *const effect =
        lacks_last ? "to append frame 0" : "to blend the last frames towards it";
    if (lacks_last || away < 4 * step)
        tool_add_violation(
            of->clip, "loop", 0,
            "last frame %u %s: the skin jumps by %.3g units when the loop restarts; use "
            "md5tool fix --close-loop %s",
            last, difference, away, effect);
}

// The farthest horizontal distance that a planted foot moves from its first position.
typedef struct foot_slide {
    double distance;
    uint32_t joint;
    uint32_t frame; // at the end of the movement
} foot_slide;

// Updates `slide` with the movement of a foot whose sole has a position per frame.
static void measure_slide(const motion *of, uint32_t joint, const md5_vec3 *positions,
                          foot_slide *slide)
{
    // The limits of tool_is_foot_planted() are for a person of 60 units.
    const float scale = fminf((float)of->size / 60.0f, 1.0f);
    uint32_t first = 0; // frame since which the foot is planted
    for (uint32_t i = 0; i + 1 < of->anim->num_frames; i++) {
        if (!tool_is_foot_planted(of->anim, positions, i, scale)) {
            first = i + 1;
            continue;
        }
        const double distance = level_distance(positions[first], positions[i + 1]);
        if (distance > slide->distance)
            *slide = (foot_slide){.distance = distance, .joint = joint, .frame = i + 1};
    }
}

// Returns the length of the root's path along the ground.
static double root_path_length(const motion *of)
{
    const md5_vec3 *const positions = of->places[0];
    double length = 0;
    for (uint32_t i = 1; i < of->anim->num_frames; i++)
        length += level_distance(positions[i - 1], positions[i]);
    return length;
}

// Reports feet that move while they stand, except in clips that walk in place.
static void judge_feet(const motion *of, int kind)
{
    if (!(kind & STAYS) && root_path_length(of) <= 0.1 * of->size)
        return;
    foot_slide slide = {0};
    for (uint32_t i = 0; i < of->num_feet; i++)
        measure_slide(of, of->feet[i], of->places[i + 1], &slide);
    if (slide.distance > 0.02 * of->size)
        tool_add_violation(of->clip, "sliding-feet", 0,
                           "foot '%.60s' slides by %.3g units until frame %u while it is planted",
                           of->model->skeleton.joints[slide.joint].name, slide.distance,
                           slide.frame);
}

// Reports a clip whose motion along the ground is not on a root joint at the ground: engines move
// the character by joint 0, and id's engine draws joint 0 at the character's origin.
static void judge_root_motion(md5_check *clip, const md5_model *model, const md5_anim *anim)
{
    const md5_root_motion carried = md5_find_root_motion(anim);
    if (carried.joint == MD5_NONE)
        return;
    const char *const name = anim->skeleton.joints[carried.joint].name;
    const double distance = level_distance((md5_vec3){0}, carried.displacement);
    const float height = model ? model->bounds.max.z - model->bounds.min.z : INFINITY;
    if (carried.joint > 0)
        tool_add_violation(
            clip, "root-motion", 0,
            "joint '%.100s' moves the figure by %.3g units along the ground, but the first "
            "joint '%.100s' does not: games leave the character in place",
            name, distance, anim->skeleton.joints[0].name);
    else if (carried.height > 0.25f * height)
        tool_add_violation(
            clip, "root-motion", 0,
            "the first joint '%.100s' moves the figure by %.3g units along the ground, but "
            "is %.3g units above it: the figure sinks; use md5tool fix --add-root NAME "
            "--root-motion '%.100s' for the mesh and its clips",
            name, distance, carried.height, name);
}

void tool_check_motion(md5_check *clip, const md5_model *model, const md5_anim *anim)
{
    enum { MAX_FRAMES = 1 << 16 };
    const int kind = find_name_properties(clip->file);
    md5_error error = {0};
    if (anim->num_frames > MAX_FRAMES)
        return;
    judge_root_motion(clip, model, anim);
    if (tool_has_doubled_frame(anim))
        tool_add_violation(
            clip, "doubled-frame", 0,
            "frame 1 repeats frame 0, but the figure moves in all other frames: the motion "
            "stops for a frame; use md5tool fix to remove frame 0");
    if (!model) {
        if (!(kind & IS_ONCE) && md5_find_loop(anim, 0, 0).end == MD5_LOOP_WITHOUT_LAST_FRAME)
            tool_add_violation(
                clip, "loop", 0,
                "last frame %u is one step before frame 0; use md5tool fix --close-loop to "
                "append frame 0",
                anim->num_frames - 1);
        return;
    }
    uint32_t num_points = 0;
    skin_point *const points = find_points(model, &num_points);
    md5_binding *const binding =
        md5_bind(model, anim, &(md5_load_opts){.allow_partial_binding = true}, &error);
    const md5_skeleton *const skeleton = &model->skeleton;
    if (binding)
        md5_check_binding(clip, binding);
    // Joints that the clip does not move may have any position.
    if (binding && num_points > 0 && binding->num_missing == 0) {
        const uint32_t count = skeleton->num_joints;
        motion of = {
            .points = points,
            .num_points = num_points,
            .model = model,
            .anim = anim,
            .binding = binding,
            .pose = common_alloc(count, sizeof *of.pose),
            .palette = common_alloc(3 * (size_t)count, sizeof *of.palette),
            .size = md5_vec3_length(md5_vec3_sub(model->bounds.max, model->bounds.min)),
            .clip = clip,
        };
        of.joints = of.palette + count;
        of.before = of.joints + count;
        for (uint32_t i = 0; i < count && of.num_feet < MAX_FEET; i++)
            if (tool_is_foot(skeleton->joints[i].name))
                of.feet[of.num_feet++] = i;
        md5_vec3 *const places =
            common_alloc((of.num_feet + (size_t)1) * anim->num_frames, sizeof *places);
        for (uint32_t i = 0; i <= of.num_feet; i++)
            of.places[i] = places + (size_t)i * anim->num_frames;
        reach own = {0};
        reach bind = {0};
        const bool has_places = look_at_frames(&of, &own, &bind);
        judge_boxes(&of, own, bind);
        if (has_places && !(kind & IS_ONCE) && anim->num_frames > 2)
            judge_loop(&of, kind);
        if (has_places)
            judge_feet(&of, kind);
        free(of.pose);
        free(of.palette);
        free(places);
    }
    md5_free_binding(binding);
    free(points);
}
