// Checks the motion of a clip, mostly by the skin of its mesh. It finds frames whose skin exceeds
// their bounds, loops that jump, roots that drift, and feet that slide. Engines accept such clips,
// but the errors are visible in the game. The main structure is clip_motion.
#include "demo/tool/tool.h"

// == Feet =========================================================================================

static double level_distance(md5_vec3 a, md5_vec3 b)
{
    return hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
}

// Returns the frame after a frame. The last frame is followed by itself.
static uint32_t next_frame(const md5_anim *anim, uint32_t frame)
{
    return frame + 1 < anim->num_frames ? frame + 1 : frame;
}

double tool_horizontal_speed(const md5_anim *anim, const md5_vec3 *positions, uint32_t frame)
{
    const md5_vec3 next = positions[next_frame(anim, frame)];
    return level_distance(positions[frame], next) * anim->frame_rate;
}

// Returns true if a foot stands on the ground from a frame to the next frame. `positions`
// contains the position of the foot in each frame, in model space. A foot is planted if it is
// near the ground in both frames and moves slowly between them.
bool tool_is_foot_planted(const md5_anim *anim, const md5_vec3 *positions, uint32_t frame,
                          float scale)
{
    static const float max_height = 0.3f; // units; both limits are the defaults of md5_hold_params
    static const double max_speed = 10.0;
    const float z = positions[frame].z;
    const float next_z = positions[next_frame(anim, frame)].z;
    return fmaxf(z, next_z) <= max_height * scale
           && tool_horizontal_speed(anim, positions, frame) <= max_speed * scale;
}

bool tool_is_foot(const char *joint)
{
    return common_contains(joint, "foot") || common_contains(joint, "ankle");
}

// == Doubled frames ===============================================================================

// Returns the distance of two rotations as points on the unit sphere of quaternions (the chord). q
// and -q are the same rotation, so the smaller distance counts.
static double rotation_chord(md5_quat a, md5_quat b)
{
    const float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
    const float x = a.x - sign * b.x;
    const float y = a.y - sign * b.y;
    const float z = a.z - sign * b.z;
    const float w = a.w - sign * b.w;
    return sqrt((double)(x * x + y * y + z * z + w * w));
}

// Returns how much a pose changes from a frame to the next. The result is the sum of the chords of
// all rotations and of the lengths of all translations. Lengths are divided by `unit`, so that they
// are comparable to chords.
static double measure_step(const md5_anim *anim, uint32_t frame, double unit)
{
    const size_t num_rotations = anim->num_rotations;
    const size_t num_translations = anim->num_translations;
    const md5_quat *const rotations = anim->rotations + frame * num_rotations;
    const md5_vec3 *const translations = anim->translations + frame * num_translations;
    const md5_quat *const next_rotations = rotations + num_rotations;
    const md5_vec3 *const next_translations = translations + num_translations;
    double sum = 0;
    for (size_t i = 0; i < num_rotations; i++)
        sum += rotation_chord(rotations[i], next_rotations[i]);
    for (size_t i = 0; i < num_translations; i++) {
        const md5_vec3 step = md5_vec3_sub(next_translations[i], translations[i]);
        sum += (double)md5_vec3_length(step) / unit;
    }
    return sum;
}

// Returns the length of the longest bone, in units, which serves as the unit of translations.
static double longest_bone(const md5_anim *anim)
{
    double length = 1e-6; // not 0, because lengths are divided by it
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        if (anim->skeleton.joints[i].parent != MD5_NONE)
            length = fmax(length, (double)md5_vec3_length(anim->constant[i].translation));
    }
    return length;
}

// Returns true if frame 1 repeats frame 0 by a mistake of the exporter. A clip can also begin with
// a pause, but after a pause a figure starts slowly. The repetition is therefore a mistake only
// under two conditions: the figure starts with its full speed, and it moves in all other frames.
bool tool_has_doubled_frame(const md5_anim *anim)
{
    enum { MIN_FRAMES = 5 };
    // All three are ratios of two steps. A step up to max_equal is 0 except for rounding. A step up
    // to max_still belongs to a pause. The first step of a motion with full speed is at least
    // min_start times the next step.
    static const double max_equal = 1e-3;
    static const double max_still = 0.01;
    static const double min_start = 0.7;
    if (anim->packed_size || anim->num_frames < MIN_FRAMES)
        return false;
    if (anim->parents_unknown) // the start time that version 6 stores follows frame 0
        return false;

    const double unit = longest_bone(anim);
    const double doubled = measure_step(anim, 0, unit); // from frame 0 to 1
    const double start = measure_step(anim, 1, unit);
    const double next = measure_step(anim, 2, unit);
    if (doubled > max_equal * start || start < min_start * next)
        return false;
    for (uint32_t i = 1; i + 1 < anim->num_frames; i++) {
        if (measure_step(anim, i, unit) <= max_still * start)
            return false;
    }
    return true;
}

// == Names ========================================================================================

static bool is_lower_case(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper_case(char c)
{
    return c >= 'A' && c <= 'Z';
}

// Properties that the words in the name of a clip suggest. Examples of names are walk2, s_idle and
// SkeletonStand.
enum { IS_LOOP = 1, STAYS = 2, IS_ONCE = 4 };

// Returns true if a word begins at a character of a name. A word begins at the start, after a
// character that is not a letter, and with a capital after a small letter, as in "SkeletonStand".
static bool begins_word(const char *name, const char *at)
{
    if (at == name)
        return true;
    const bool is_after_letter = is_lower_case(at[-1]) || is_upper_case(at[-1]);
    return !is_after_letter || (is_upper_case(*at) && is_lower_case(at[-1]));
}

// Returns true if a text begins with one of several words, ignoring case. The list separates words
// by spaces. A small letter after the word means that it is only the beginning of another word.
static bool starts_with_word(const char *text, const char *words)
{
    const char *word = words;
    while (*word) {
        const size_t length = strcspn(word, " ");
        size_t same = 0;
        while (same < length && tolower((unsigned char)text[same]) == word[same])
            same++;
        if (same == length && !is_lower_case(text[length]))
            return true;
        word += length;
        word += strspn(word, " ");
    }
    return false;
}

// Returns the properties that the words in the name of a clip suggest. IS_ONCE replaces the other
// properties: walk_to_idle is a transition, so it neither loops nor stays in place.
static int find_name_properties(const char *path)
{
    static const struct {
        const char *words;
        int properties;
    } rows[] = {
        {"idle stand breathe", IS_LOOP | STAYS},
        {"walk run trot sneak strafe swim fly cycle loop", IS_LOOP},
        {"start begin stop end to from up jump turn attack pain death die taunt", IS_ONCE},
    };
    const char *const name = common_base(path);
    int properties = 0;
    for (const char *at = name; *at; at++) {
        if (!begins_word(name, at))
            continue;
        for (size_t i = 0; i < COMMON_LENGTH(rows); i++) {
            if (starts_with_word(at, rows[i].words))
                properties |= rows[i].properties;
        }
    }
    return properties & IS_ONCE ? IS_ONCE : properties;
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

// Returns how far a point is in the direction of a side: its coordinate on an axis, negated for
// negative directions.
static float extent(md5_vec3 point, int side)
{
    const float coordinates[3] = {point.x, point.y, point.z};
    return side % 2 > 0 ? coordinates[side / 2] : -coordinates[side / 2];
}

// Finds the extreme vertices of each joint. farthest[NUM_SIDES * j + s] receives the vertex of
// joint j that is farthest in the direction of side s. It stays MD5_NONE if the joint has no
// vertices. A vertex belongs to the joint with its largest weight, which is its first influence.
static void find_farthest(const md5_mesh *mesh, uint32_t *farthest)
{
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        if (mesh->first_influence[i] == mesh->first_influence[i + 1])
            continue;
        const uint32_t joint = mesh->influence_joints[mesh->first_influence[i]];
        uint32_t *const of_joint = &farthest[NUM_SIDES * (size_t)joint];
        for (int side = 0; side < NUM_SIDES; side++) {
            uint32_t *const best = &of_joint[side];
            const md5_vec3 *const positions = mesh->positions;
            if (*best == MD5_NONE || extent(positions[i], side) > extent(positions[*best], side))
                *best = i;
        }
    }
}

// Returns false if farthest[count] is MD5_NONE or equals an earlier element. One vertex can be the
// extreme vertex of several sides.
static bool is_new_point(const uint32_t *farthest, int count)
{
    if (farthest[count] == MD5_NONE)
        return false;
    for (int i = 0; i < count; i++) {
        if (farthest[i] == farthest[count])
            return false;
    }
    return true;
}

// Returns the extreme vertices of each joint of a model on all sides, each once per mesh and joint.
// The caller frees the array.
static skin_point *find_points(const md5_model *model, uint32_t *count)
{
    skin_point *points = NULL;
    const uint32_t num_joints = model->skeleton.num_joints;
    const size_t num_sides = NUM_SIDES * (size_t)num_joints;
    uint32_t *const farthest = common_alloc(num_sides, sizeof *farthest);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        memset(farthest, 0xFF, num_sides * sizeof *farthest); // MD5_NONE
        find_farthest(&model->meshes[m], farthest);
        for (uint32_t j = 0; j < num_joints; j++) {
            const uint32_t *const of_joint = &farthest[NUM_SIDES * (size_t)j];
            for (int side = 0; side < NUM_SIDES; side++) {
                if (!is_new_point(of_joint, side))
                    continue;
                points = common_grow(points, *count, sizeof *points);
                points[(*count)++] = (skin_point){m, of_joint[side]};
            }
        }
    }
    free(farthest);
    return points;
}

// Returns the position of a vertex: the sum of its influences, as md5_skin() computes it.
static md5_vec3 skin_position(const md5_model *model, skin_point point, const md5_mat34 *palette)
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

// The skin may exceed bounds by these fractions of the mesh's size.
static const double FRAME_TOLERANCE = 0.05;
static const double BIND_TOLERANCE = 0.2;

// A clip on a mesh, and buffers for its poses.
typedef struct clip_motion {
    const md5_model *model;
    const md5_anim *anim;
    const md5_binding *binding;
    md5_check *clip;    // receives the violations
    skin_point *points; // [num_points] vertices that approximate the skin
    uint32_t num_points;
    double size;               // diagonal of the mesh's bounds
    md5_xform *pose;           // [joints]
    md5_mat34 *joints;         // [joints] of the pose, in model space
    md5_mat34 *palette;        // [joints]
    md5_mat34 *second_palette; // [joints] of another frame
    uint32_t feet[MAX_FEET];   // joints
    // Positions in each frame: of the root, then of the soles of the feet.
    md5_vec3 *paths[MAX_FEET + 1]; // [frames]
    uint32_t num_feet;
} clip_motion;

static void pose_frame(const clip_motion *motion, uint32_t frame, md5_root root)
{
    md5_pose_palette(motion->binding, (md5_sample_position){.frame0 = frame, .frame1 = frame}, root,
                     motion->pose, motion->joints, motion->palette);
}

// Returns how far the box `inner` extends beyond the box `outer`: the largest distance over all
// sides. The result is negative if `inner` is completely inside.
static double distance_outside(md5_bounds inner, md5_bounds outer)
{
    const md5_vec3 low = md5_vec3_sub(outer.min, inner.min);
    const md5_vec3 high = md5_vec3_sub(inner.max, outer.max);
    return fmaxf(fmaxf(fmaxf(low.x, low.y), low.z), fmaxf(fmaxf(high.x, high.y), high.z));
}

static bool is_empty(md5_bounds box)
{
    return box.min.x >= box.max.x && box.min.y >= box.max.y && box.min.z >= box.max.z;
}

// The distance by which the skin extends beyond the bounds of frames or of the bind pose.
typedef struct excess {
    double distance;
    uint32_t frame; // frame with the largest distance
    uint32_t count; // frames in which the distance exceeds the tolerance
} excess;

// Counts a frame if its excess is larger than allowed, and updates the largest excess.
static void add_excess(excess *to, double outside, uint32_t frame, double allowed)
{
    if (outside > allowed)
        to->count++;
    if (outside > to->distance)
        *to = (excess){outside, frame, to->count};
}

// Returns the bounds of the points of the posed skin.
static md5_bounds skin_point_bounds(const clip_motion *motion)
{
    md5_bounds box = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < motion->num_points; i++) {
        const md5_vec3 p = skin_position(motion->model, motion->points[i], motion->palette);
        box.min = (md5_vec3){fminf(box.min.x, p.x), fminf(box.min.y, p.y), fminf(box.min.z, p.z)};
        box.max = (md5_vec3){fmaxf(box.max.x, p.x), fmaxf(box.max.y, p.y), fmaxf(box.max.z, p.z)};
    }
    return box;
}

// Measures how far the posed skin extends beyond the bounds of its frame and beyond the bounds of
// the bind pose. An excess is NULL if no requested engine has a rule about these bounds.
static void measure_bounds(const clip_motion *motion, uint32_t frame, excess *frame_excess,
                           excess *bind_excess)
{
    const md5_bounds *const frame_bounds = frame_excess ? &motion->anim->frame_bounds[frame] : NULL;
    const bool has_frame_bounds = frame_bounds && !is_empty(*frame_bounds);
    if (!bind_excess && !has_frame_bounds)
        return;
    const md5_bounds skin = skin_point_bounds(motion);
    if (bind_excess)
        add_excess(bind_excess, distance_outside(skin, motion->model->bounds), frame,
                   BIND_TOLERANCE * motion->size);
    if (has_frame_bounds)
        add_excess(frame_excess, distance_outside(skin, *frame_bounds), frame,
                   FRAME_TOLERANCE * motion->size);
}

// Stores the positions of the root and of the soles of the feet in a posed frame. The sole is a
// point that moves with the joint of the foot. In the bind pose it is on the ground below the
// joint.
static void store_positions(const clip_motion *motion, uint32_t frame)
{
    motion->paths[0][frame] = md5_mat34_translation(motion->joints[0]);
    for (uint32_t i = 0; i < motion->num_feet; i++) {
        const uint32_t joint = motion->feet[i];
        md5_vec3 sole = md5_mat34_translation(motion->model->bind[joint]);
        sole.z = 0;
        motion->paths[i + 1][frame] = md5_mat34_point(motion->palette[joint], sole);
    }
}

// Poses the frames, measures how far the skin exceeds bounds, and stores the paths of the root and
// the feet. A very long clip is sampled at every n-th frame, so its paths are incomplete. Returns
// true if all frames were posed.
static bool measure_frames(const clip_motion *motion, excess *frame_excess, excess *bind_excess)
{
    enum { MAX_WORK = 1 << 26 }; // number of posed joints and skinned points in all frames
    const md5_engines engines = motion->clip->engines;
    const uint32_t num_frames = motion->anim->num_frames;
    const uint64_t work = motion->num_points + (uint64_t)motion->model->skeleton.num_joints;
    const uint32_t step = (uint32_t)(work * num_frames / MAX_WORK) + 1;
    if (!motion->anim->frame_bounds || !tool_has_rule(engines, "bounds-small"))
        frame_excess = NULL;
    if (!tool_has_rule(engines, "bind-box"))
        bind_excess = NULL;

    for (uint64_t i = 0; i < num_frames; i += step) {
        const uint32_t frame = (uint32_t)i;
        pose_frame(motion, frame, MD5_ROOT_FILE);
        measure_bounds(motion, frame, frame_excess, bind_excess);
        store_positions(motion, frame);
    }
    return step == 1;
}

// Returns how far the skin extends beyond a box in a frame. In contrast to measure_bounds(), it
// uses all vertices, because the result is printed.
static double exact_excess(const clip_motion *motion, uint32_t frame, md5_bounds box)
{
    pose_frame(motion, frame, MD5_ROOT_FILE);
    return distance_outside(md5_skin_bounds(motion->model, motion->palette), box);
}

// Reports bounds that the skin exceeds by more than the tolerance: of frames, and of the bind pose.
static void check_bounds(const clip_motion *motion, excess frames, excess bind)
{
    if (frames.count > 0) {
        const md5_bounds bounds = motion->anim->frame_bounds[frames.frame];
        tool_add_violation(motion->clip, "bounds-small", motion->clip->bounds_line,
                           "bounds are too small: the skin exceeds the bounds of %u %s, by up "
                           "to %.3g units in frame %u",
                           frames.count, common_noun(frames.count, "frame", "frames"),
                           exact_excess(motion, frames.frame, bounds), frames.frame);
    }
    if (bind.count > 0)
        tool_add_violation(motion->clip, "bind-box", 0,
                           "bounds of the bind pose are too small: the skin exceeds them by up to "
                           "%.3g units in frame %u",
                           exact_excess(motion, bind.frame, motion->model->bounds), bind.frame);
}

// Returns how far the skin moves between two frames: the largest distance of a point. Two distances
// are measured: without root motion, and relative to the root. The smaller one is returned. If a
// clip rotates the character, only the second distance is independent of this rotation.
static double distance_of_frames(const clip_motion *motion, uint32_t a, uint32_t b)
{
    const size_t num_joints = motion->model->skeleton.num_joints;
    double max_distance = 0;
    double max_root_distance = 0;
    pose_frame(motion, a, MD5_ROOT_IN_PLACE);
    memcpy(motion->second_palette, motion->palette, num_joints * sizeof *motion->palette);
    const md5_mat34 root_a = motion->joints[0];
    pose_frame(motion, b, MD5_ROOT_IN_PLACE);
    const md5_mat34 a_from_b = md5_mat34_mul(root_a, md5_mat34_inverse(motion->joints[0]));

    for (uint32_t i = 0; i < motion->num_points; i++) {
        const md5_vec3 in_a =
            skin_position(motion->model, motion->points[i], motion->second_palette);
        const md5_vec3 in_b = skin_position(motion->model, motion->points[i], motion->palette);
        const md5_vec3 aligned = md5_mat34_point(a_from_b, in_b);
        max_distance = fmax(max_distance, md5_vec3_length(md5_vec3_sub(in_b, in_a)));
        max_root_distance = fmax(max_root_distance, md5_vec3_length(md5_vec3_sub(aligned, in_a)));
    }
    return fmin(max_distance, max_root_distance);
}

// Reports a loop whose root does not return to its first position in the last frame. Its height is
// always compared, and its position along the ground only if the clip stays in place.
static void check_root_drift(const clip_motion *motion, int properties, double min_jump)
{
    const md5_vec3 *const root = motion->paths[0];
    const md5_vec3 drift = md5_vec3_sub(root[motion->anim->num_frames - 1], root[0]);
    const double distance = level_distance((md5_vec3){0}, drift);
    const bool is_moved = (properties & STAYS) && distance > min_jump;
    if (is_moved || fabs((double)drift.z) > min_jump)
        tool_add_violation(motion->clip, "root-drift", 0,
                           "root does not return to its start: the loop jumps by %.3g units, and "
                           "%.3g units up, at its restart",
                           distance, drift.z);
}

// Reports a loop whose skin jumps when it restarts. There are two cases. In the first case, the
// last frame is missing: the clip ends one step before its first pose. In the second case, the name
// of the clip suggests a loop, and the last pose is near the first pose but differs from it. If the
// poses differ by more, the clip is probably not a loop.
static void check_loop(const clip_motion *motion, int properties)
{
    // visible_jump is the smallest visible jump, as a fraction of the mesh's size. max_steps is the
    // largest jump that a loop may have, in steps between two frames.
    static const double visible_jump = 0.005;
    static const double max_steps = 4;

    const double min_jump = visible_jump * motion->size;
    const uint32_t last = motion->anim->num_frames - 1;
    const bool lacks_last = md5_find_loop(motion->anim, 0, 0).end == MD5_LOOP_WITHOUT_LAST_FRAME;
    if (!lacks_last && !(properties & IS_LOOP))
        return;
    if (!lacks_last) // if the last frame is missing, the root is a step away from its start
        check_root_drift(motion, properties, min_jump);

    const double jump = distance_of_frames(motion, 0, last);
    if (jump <= min_jump)
        return;
    if (lacks_last) {
        tool_add_violation(motion->clip, "loop", 0,
                           "last frame %u is one step before frame 0: the skin jumps by %.3g units "
                           "when the loop restarts; use md5tool fix --close-loop to append frame 0",
                           last, jump);
        return;
    }

    const double step =
        fmax(distance_of_frames(motion, 0, 1), distance_of_frames(motion, last, last - 1));
    if (jump < max_steps * step)
        tool_add_violation(motion->clip, "loop", 0,
                           "last frame %u differs from frame 0: the skin jumps by %.3g units when "
                           "the loop restarts; use md5tool fix --close-loop to blend the last "
                           "frames towards it",
                           last, jump);
}

// The longest horizontal distance of a planted foot from the position at which it was planted.
typedef struct foot_slide {
    double distance;
    uint32_t joint;
    uint32_t frame; // at the end of the movement
} foot_slide;

// Updates `slide` with the farthest movement of a foot while it is planted. `positions` contains
// the position of its sole in each frame.
static void measure_slide(const clip_motion *motion, uint32_t joint, const md5_vec3 *positions,
                          foot_slide *slide)
{
    // The default limits of tool_is_foot_planted() are for a mesh as large as a person. For a
    // smaller mesh, the limits decrease in proportion to its size.
    static const float person_size = 60.0f; // units
    const float scale = fminf((float)motion->size / person_size, 1.0f);
    uint32_t first = 0; // frame since which the foot is planted
    for (uint32_t i = 0; i + 1 < motion->anim->num_frames; i++) {
        if (!tool_is_foot_planted(motion->anim, positions, i, scale)) {
            first = i + 1;
            continue;
        }
        const double distance = level_distance(positions[first], positions[i + 1]);
        if (distance > slide->distance)
            *slide = (foot_slide){.distance = distance, .joint = joint, .frame = i + 1};
    }
}

// Returns the length of the root's path along the ground.
static double root_path_length(const clip_motion *motion)
{
    const md5_vec3 *const positions = motion->paths[0];
    double length = 0;
    for (uint32_t i = 1; i < motion->anim->num_frames; i++)
        length += level_distance(positions[i - 1], positions[i]);
    return length;
}

// Reports feet that move while they stand. Clips that walk in place are skipped, because their feet
// must move.
static void check_feet(const clip_motion *motion, int properties)
{
    // Fractions of the mesh's size. If the path of the root is shorter than min_path, the clip
    // walks in place. A slide shorter than min_slide is not visible.
    static const double min_path = 0.1;
    static const double min_slide = 0.02;
    if (!(properties & STAYS) && root_path_length(motion) <= min_path * motion->size)
        return;
    foot_slide slide = {0};
    for (uint32_t i = 0; i < motion->num_feet; i++)
        measure_slide(motion, motion->feet[i], motion->paths[i + 1], &slide);
    if (slide.distance > min_slide * motion->size)
        tool_add_violation(motion->clip, "sliding-feet", 0,
                           "foot '%.60s' slides by %.3g units until frame %u while it is planted",
                           motion->model->skeleton.joints[slide.joint].name, slide.distance,
                           slide.frame);
}

// Reports a clip whose root motion games cannot use. Games move the character by joint 0 and draw
// joint 0 at the origin of the character. Another joint must therefore not carry the motion along
// the ground, and joint 0 must be near the ground. `model` may be NULL.
static void check_root_motion(md5_check *clip, const md5_model *model, const md5_anim *anim)
{
    // Largest height of a root joint above the ground, as a fraction of the mesh's height.
    static const float max_root_height = 0.25f;
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
    else if (carried.height > max_root_height * height)
        tool_add_violation(
            clip, "root-motion", 0,
            "the first joint '%.100s' moves the figure by %.3g units along the ground, but "
            "is %.3g units above it: the figure sinks; use md5tool fix --add-root NAME "
            "--root-motion '%.100s' for the mesh and its clips",
            name, distance, carried.height, name);
}

// Reports a clip whose last frame is missing. Used for clips without a mesh.
static void check_missing_last_frame(md5_check *clip, const md5_anim *anim)
{
    if (md5_find_loop(anim, 0, 0).end == MD5_LOOP_WITHOUT_LAST_FRAME)
        tool_add_violation(clip, "loop", 0,
                           "last frame %u is one step before frame 0; use md5tool fix --close-loop "
                           "to append frame 0",
                           anim->num_frames - 1);
}

// Finds the feet of the model by the names of its joints.
static void find_feet(clip_motion *motion)
{
    const md5_skeleton *const skeleton = &motion->model->skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints && motion->num_feet < MAX_FEET; i++) {
        if (tool_is_foot(skeleton->joints[i].name))
            motion->feet[motion->num_feet++] = i;
    }
}

// Poses the frames of a clip and checks bounds, loop and feet. `properties` result from the name of
// the clip.
static void check_skin_motion(clip_motion *motion, int properties)
{
    const size_t num_joints = motion->model->skeleton.num_joints;
    const size_t num_frames = motion->anim->num_frames;
    find_feet(motion);

    // Allocate three arrays of matrices in one block, and the paths of root and feet in another.
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const matrices = common_alloc(3 * num_joints, sizeof *matrices);
    md5_vec3 *const positions =
        common_alloc((motion->num_feet + (size_t)1) * num_frames, sizeof *positions);
    motion->pose = pose;
    motion->palette = matrices;
    motion->joints = matrices + num_joints;
    motion->second_palette = matrices + 2 * num_joints;
    for (uint32_t i = 0; i <= motion->num_feet; i++)
        motion->paths[i] = positions + i * num_frames;

    excess frame_excess = {0};
    excess bind_excess = {0};
    const bool has_paths = measure_frames(motion, &frame_excess, &bind_excess);
    check_bounds(motion, frame_excess, bind_excess);
    if (has_paths && !(properties & IS_ONCE) && num_frames > 2)
        check_loop(motion, properties);
    if (has_paths)
        check_feet(motion, properties);
    free(positions);
    free(matrices);
    free(pose);
}

// Binds a clip to its mesh and checks the motion of the skin. Does nothing if the clip cannot be
// bound, because other rules report this.
static void check_motion_of_mesh(md5_check *clip, const md5_model *model, const md5_anim *anim,
                                 int properties)
{
    const md5_load_opts opts = {.allow_partial_binding = true};
    md5_binding *const binding = md5_bind(model, anim, &opts, NULL);
    if (!binding)
        return;
    md5_check_binding(clip, binding);

    uint32_t num_points = 0;
    skin_point *const points = find_points(model, &num_points);
    // A joint that the clip does not move keeps its pose from another clip in games. The skin is
    // then unknown.
    if (num_points > 0 && binding->num_missing == 0) {
        clip_motion motion = {
            .points = points,
            .num_points = num_points,
            .model = model,
            .anim = anim,
            .binding = binding,
            .size = md5_vec3_length(md5_vec3_sub(model->bounds.max, model->bounds.min)),
            .clip = clip,
        };
        check_skin_motion(&motion, properties);
    }
    free(points);
    md5_free_binding(binding);
}

// Checks the motion of joints and, with a model, of the skin. Very long clips are not checked.
void tool_check_motion(md5_check *clip, const md5_model *model, const md5_anim *anim)
{
    enum { MAX_FRAMES = 1 << 16 }; // limits the time of the check
    if (anim->num_frames > MAX_FRAMES)
        return;

    check_root_motion(clip, model, anim);
    if (tool_has_doubled_frame(anim))
        tool_add_violation(clip, "doubled-frame", 0,
                           "frame 1 repeats frame 0, but the figure moves in all other frames: the "
                           "motion stops for a frame; use md5tool fix to remove frame 0");

    const int properties = find_name_properties(clip->file);
    if (model)
        check_motion_of_mesh(clip, model, anim, properties);
    else if (!(properties & IS_ONCE))
        check_missing_last_frame(clip, anim);
}
