// Poses and skins a scene. Measures the bounds and the convex hull of a pose or of a whole clip.
// Counts defects of normals and tangents.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/morphs.h"

// Computes the pose of the scene at the time of `play`. A model with an articulated figure falls
// as a ragdoll after the time of its death. Its motion, such as a clip, poses it before. The
// bind pose never falls.
void view_pose(view_scene *scene, const view_play *play)
{
    const view_motion_kind *const motion = view_get_motion(scene);
    if (scene->fall != NULL && !view_is_bind_pose(scene))
        view_pose_with_death(scene, motion, play);
    else
        motion->pose(scene, play);
}

md5_xform view_placement(const view_scene *scene)
{
    const view_motion_kind *const motion = view_get_motion(scene);
    return motion->placement != NULL ? motion->placement(scene) : view_at_origin();
}

md5_vec3 view_walked(const view_scene *scene, const view_play *play)
{
    const view_motion_kind *const motion = view_get_motion(scene);
    if (view_has_died(scene->fall, play->time) && !view_is_bind_pose(scene))
        return scene->fall->walked;
    return motion->walked != NULL ? motion->walked(scene, play) : view_placement(scene).translation;
}

void view_prepare_skin(view_scene *scene)
{
    if (scene->dual && scene->model != NULL)
        md5_build_dual_palette(scene->palette, scene->num_joints, scene->duals);
}

// Skins the vertices of a mesh on the CPU by the current pose, with matrices or with dual
// quaternions. Normals and tangents can be NULL.
void view_skin_mesh(view_scene *scene, uint32_t mesh, md5_vec3 *normals, md5_vec4 *tangents)
{
    md5_skin_job job = {
        .mesh = &scene->model->meshes[mesh],
        .morph = scene->morph,
        .morph_weights = scene->morph_weights,
        .positions = scene->skinned[mesh].positions,
        .normals = normals,
        .tangents = tangents,
    };
    if (scene->dual)
        job.duals = scene->duals;
    else
        job.palette = scene->palette;
    md5_skin_one(&job);
}

// Skins all meshes of the scene by the current pose; with `has_normals`, also their normals.
static void skin(view_scene *scene, bool has_normals)
{
    view_prepare_skin(scene);
    for (uint32_t i = 0; i < view_count_meshes(scene); i++)
        view_skin_mesh(scene, i, has_normals ? scene->skinned[i].normals : NULL, NULL);
}

void view_skin(view_scene *scene)
{
    skin(scene, true);
}

// Returns the value that would be at `index` if the values were sorted. Changes their order. Each
// measured pose calls it, so it uses the quickselect algorithm, whose average time is linear.
static float nth_smallest(float *values, int count, int index)
{
    // The result is in values[first] to values[last]. Each step moves the values below a pivot to
    // the left and the values above it to the right, and continues with the side that contains
    // `index`.
    int first = 0;
    int last = count - 1;
    while (first < last) {
        const float pivot = values[index];
        int left = first; // values before it are not above the pivot
        int right = last; // values after it are not below the pivot
        while (left <= right) {
            while (left < last && values[left] < pivot)
                left++;
            while (right > first && values[right] > pivot)
                right--;
            if (left > right)
                break;
            const float swapped = values[left];
            values[left] = values[right];
            values[right] = swapped;
            left++;
            right--;
        }
        if (right < index)
            first = left;
        if (index < left)
            last = right;
    }
    return values[index];
}

// Returns the number of vertices of a mesh that are measured. Eyes and meshes that are hidden by
// their materials must not affect the bounds, so it is 0 for them.
static uint32_t count_measured(const view_scene *scene, uint32_t mesh)
{
    const view_textures *const textures = scene->textures;
    const bool is_measured = textures == NULL || !view_is_unmeasured(textures, mesh);
    return is_measured ? scene->model->meshes[mesh].num_vertices : 0;
}

// -- The core of a pose ---------------------------------------------------------------------------
//
// The core is a sphere around all vertices except outliers, such as helper triangles and muzzle
// flashes. If the camera framed the outliers, the model would be small in the image. A vertex is an
// outlier if it is more than three times as far from the middle as the others. At most one of 25
// vertices may be an outlier. A sample of the vertices is sufficient to find the core.

enum { MAX_SAMPLES = 512, SAMPLES_PER_OUTLIER = 25, MIN_SAMPLES = 2 * SAMPLES_PER_OUTLIER };
static const float core_factor = 3;

// Copies every n-th measured vertex to `samples`, and returns the number of samples. The count
// continues from mesh to mesh, so that the samples of a mesh are in proportion to its vertices.
static int sample_vertices(const view_scene *scene, md5_vec3 samples[MAX_SAMPLES])
{
    const uint32_t stride = view_count_vertices(scene->model) / MAX_SAMPLES + 1;
    uint32_t vertex = 0; // index of the next sample in the current mesh
    int count = 0;
    for (uint32_t mesh = 0; mesh < view_count_meshes(scene); mesh++) {
        const uint32_t num_vertices = count_measured(scene, mesh);
        while (vertex < num_vertices) {
            samples[count++] = scene->skinned[mesh].positions[vertex];
            vertex += stride;
        }
        vertex -= num_vertices; // continue the stride in the next mesh
    }
    return count;
}

// Returns the median of each coordinate. Unlike a mean, it is not moved by outliers.
static md5_vec3 median_point(const md5_vec3 *points, int count)
{
    float x[MAX_SAMPLES] = {0};
    float y[MAX_SAMPLES] = {0};
    float z[MAX_SAMPLES] = {0};
    const int middle = count / 2;
    for (int i = 0; i < count; i++) {
        x[i] = points[i].x;
        y[i] = points[i].y;
        z[i] = points[i].z;
    }
    return (md5_vec3){nth_smallest(x, count, middle), nth_smallest(y, count, middle),
                      nth_smallest(z, count, middle)};
}

// Returns the core of the skinned pose. In a scene with few vertices, none can be considered an
// outlier; the radius is then infinite.
static view_sphere find_core(const view_scene *scene)
{
    md5_vec3 samples[MAX_SAMPLES];
    float distances[MAX_SAMPLES];
    const int count = sample_vertices(scene, samples);
    if (count < MIN_SAMPLES)
        return (view_sphere){.radius = INFINITY};
    view_sphere core = {.center = median_point(samples, count)};
    for (int i = 0; i < count; i++)
        distances[i] = md5_vec3_length(md5_vec3_sub(samples[i], core.center));
    const int max_outliers = count / SAMPLES_PER_OUTLIER;
    core.radius = core_factor * nth_smallest(distances, count, count - 1 - max_outliers);
    return core;
}

// Returns true if the core contains a whole box. It suffices to test the corner that is farthest
// from the center of the core.
static bool contains_box(const view_sphere *core, md5_bounds box)
{
    const md5_vec3 to_min = md5_vec3_sub(core->center, box.min);
    const md5_vec3 to_max = md5_vec3_sub(box.max, core->center);
    const md5_vec3 farthest = {fmaxf(to_min.x, to_max.x), fmaxf(to_min.y, to_max.y),
                               fmaxf(to_min.z, to_max.z)};
    return md5_vec3_dot(farthest, farthest) <= core->radius * core->radius;
}

// Copies the points inside the core to inside[count], and returns their number.
static uint32_t copy_inside(const view_sphere *core, const md5_vec3 *points, uint32_t count,
                            md5_vec3 *inside)
{
    uint32_t num_inside = 0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 offset = md5_vec3_sub(points[i], core->center);
        if (md5_vec3_dot(offset, offset) <= core->radius * core->radius)
            inside[num_inside++] = points[i];
    }
    return num_inside;
}

// -- The hull of a pose ---------------------------------------------------------------------------
//
// A hull contains the extreme point in each of 26 directions. The reach in a direction is the
// distance of its extreme point from the origin along this direction. Most points are inside the
// hull of earlier points, and so are their neighbors. Points are therefore added in small groups.
// If the bounding box of a group does not extend the hull in a direction, the points of the group
// are skipped for this direction.

enum { GROUP_SIZE = 64 };

// Returns direction 0..25 of the hull as a unit vector. The directions are those from the center of
// a 3x3x3 grid to its 26 outer cells. They point to the faces, the edges and the corners of a cube.
// Directions i and 25 - i are opposite.
static md5_vec3 hull_direction(int index)
{
    const int middle_cell = 13;
    const int cell = index < middle_cell ? index : index + 1;
    const int x = cell % 3 - 1;
    const int y = cell / 3 % 3 - 1;
    const int z = cell / 9 - 1;
    const md5_vec3 direction = {(float)x, (float)y, (float)z};
    return md5_vec3_scale(direction, 1.0f / md5_vec3_length(direction));
}

// Returns the corner of a box that reaches farthest along a direction.
static md5_vec3 far_corner(md5_bounds box, md5_vec3 direction)
{
    md5_vec3 corner = box.min;
    if (direction.x > 0)
        corner.x = box.max.x;
    if (direction.y > 0)
        corner.y = box.max.y;
    if (direction.z > 0)
        corner.z = box.max.z;
    return corner;
}

// Extends the hull by points within `box`, in direction `i` and in the opposite direction. Skips
// the points if the box does not extend the hull. No point is missed, because no point reaches
// farther than the far corner of the box. This also holds with rounding: each operation of the dot
// product is monotonic in its operands.
static void widen_both_ways(view_hull *hull, int i, md5_vec3 direction, md5_bounds box,
                            const md5_vec3 *points, uint32_t count)
{
    const md5_vec3 back = md5_vec3_scale(direction, -1);
    const int opposite = VIEW_HULL_POINTS - 1 - i;
    float high = hull->reach[i];        // along `direction`
    float low = -hull->reach[opposite]; // along `direction`, of the opposite extreme point
    const bool is_below_high = md5_vec3_dot(direction, far_corner(box, direction)) <= high;
    const bool is_above_low = md5_vec3_dot(direction, far_corner(box, back)) >= low;
    if (is_below_high && is_above_low)
        return;
    for (uint32_t p = 0; p < count; p++) {
        const float reach = md5_vec3_dot(direction, points[p]);
        if (reach > high) {
            high = reach;
            hull->points[i] = points[p];
        }
        if (reach < low) {
            low = reach;
            hull->points[opposite] = points[p];
        }
    }
    hull->reach[i] = high;
    hull->reach[opposite] = -low;
}

// Extends the hull by a group of points with the bounding box `box`.
static void widen_hull(view_hull *hull, md5_bounds box, const md5_vec3 *points, uint32_t count)
{
    for (int i = 0; i < VIEW_HULL_POINTS / 2; i++)
        widen_both_ways(hull, i, hull_direction(i), box, points, count);
}

// Returns the number of points in the group that begins at point `first` of `count` points.
static uint32_t group_size(uint32_t first, uint32_t count)
{
    return count - first < GROUP_SIZE ? count - first : GROUP_SIZE;
}

// Adds points to a hull in groups. The bounding box of a group shows whether its points can extend
// the hull. Most groups cannot, which saves time.
md5_bounds view_widen_hull(view_hull *hull, const md5_vec3 *points, uint32_t count)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t first = 0; first < count; first += GROUP_SIZE) {
        const uint32_t size = group_size(first, count);
        const md5_bounds box = md5_bounds_from_points(points + first, size);
        widen_hull(hull, box, points + first, size);
        bounds = md5_bounds_union(bounds, box);
    }
    return bounds;
}

// Extends the hull by the positions of the joints. Returns the bounding box of the positions.
static md5_bounds widen_by_joints(const view_scene *scene, view_hull *hull)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    md5_vec3 group[GROUP_SIZE];
    for (uint32_t first = 0; first < scene->num_joints; first += GROUP_SIZE) {
        const uint32_t size = group_size(first, scene->num_joints);
        for (uint32_t i = 0; i < size; i++)
            group[i] = md5_mat34_translation(scene->joints[first + i]);
        bounds = md5_bounds_union(bounds, view_widen_hull(hull, group, size));
    }
    return bounds;
}

// Extends the hull by the points of a group that are inside the core. Returns the bounding box of
// these points. hull->lowest includes outliers too, because the ground must not hide them.
static md5_bounds widen_by_group(const view_sphere *core, const md5_vec3 *points, uint32_t count,
                                 view_hull *hull)
{
    const md5_bounds box = md5_bounds_from_points(points, count);
    hull->lowest = fminf(hull->lowest, box.min.z);
    if (contains_box(core, box)) {
        widen_hull(hull, box, points, count);
        return box;
    }

    md5_vec3 inside[GROUP_SIZE];
    const uint32_t num_inside = copy_inside(core, points, count, inside);
    const md5_bounds inside_box = md5_bounds_from_points(inside, num_inside);
    widen_hull(hull, inside_box, inside, num_inside);
    return inside_box;
}

// Extends the hull by the measured vertices of a mesh that are inside the core. Returns their
// bounding box.
static md5_bounds widen_by_mesh(const view_scene *scene, const view_sphere *core, uint32_t mesh,
                                view_hull *hull)
{
    const md5_vec3 *const positions = scene->skinned[mesh].positions;
    const uint32_t num_vertices = count_measured(scene, mesh);
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t first = 0; first < num_vertices; first += GROUP_SIZE) {
        const md5_bounds box =
            widen_by_group(core, positions + first, group_size(first, num_vertices), hull);
        bounds = md5_bounds_union(bounds, box);
    }
    return bounds;
}

// Returns the bounds of the current pose without outliers, which determine the distance of the
// camera. Adds the measured points to `hull`, unless it is NULL.
md5_bounds view_pose_bounds(const view_scene *scene, view_hull *hull)
{
    view_hull unused_hull = {.lowest = 0};
    view_hull *const widened = hull != NULL ? hull : &unused_hull;
    const view_sphere core = find_core(scene);
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t mesh = 0; mesh < view_count_meshes(scene); mesh++)
        bounds = md5_bounds_union(bounds, widen_by_mesh(scene, &core, mesh, widened));
    if (view_is_skeleton_only(scene)) {
        bounds = md5_bounds_union(bounds, widen_by_joints(scene, widened));
        widened->lowest = fminf(widened->lowest, bounds.min.z);
    }
    return bounds;
}

// Returns the height of the lowest vertex of the current pose, or infinity without vertices.
// Skips meshes that must not affect the bounds, such as hidden meshes.
float view_pose_lowest(view_scene *scene)
{
    float lowest = INFINITY;
    skin(scene, false);
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const uint32_t num_vertices = count_measured(scene, i);
        for (uint32_t v = 0; v < num_vertices; v++)
            lowest = fminf(lowest, scene->skinned[i].positions[v].z);
    }
    return lowest;
}

// -- The bounds of clips --------------------------------------------------------------------------
//
// Skinning every frame of a clip would take too long, so only a few frames at equal distances are
// skinned. The clip may move far between them. Posing joints costs less, so the joints are posed in
// every frame, or in every n-th frame of a very long clip. For each direction of the hull, the
// frame in which a joint reaches farthest is then skinned too.

enum {
    SKINNED_FRAMES = 13,         // skinned frames of a single clip
    SKINNED_FRAMES_PER_CLIP = 3, // if the motion has several clips
    MAX_POSED_FRAMES = 600,      // posed frames of each clip
};

// The hull of all posed joints. For each of its directions, also the clip and the frame of the
// extreme joint.
typedef struct far_frames {
    view_hull hull;
    uint32_t clip[VIEW_HULL_POINTS];
    uint32_t frame[VIEW_HULL_POINTS];
} far_frames;

// Measurements of the clips of a scene so far.
typedef struct clip_extent {
    md5_bounds bounds; // bounds of the skinned frames
    view_hull *hull;   // hull of the skinned frames
    far_frames far;    // extent of all posed frames
} clip_extent;

// Returns a hull without points, which the first point extends in all directions.
static view_hull empty_hull(void)
{
    view_hull hull = {.lowest = INFINITY};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull.reach[i] = -INFINITY;
    return hull;
}

// Skins the current pose, and extends bounds and hull by it.
static void widen_by_pose(view_scene *scene, clip_extent *extent)
{
    skin(scene, false);
    extent->bounds = md5_bounds_union(extent->bounds, view_pose_bounds(scene, extent->hull));
}

// Extends the hull of the joints by the current pose. Where the hull has grown, records the clip
// and frame of the pose for this direction.
static void update_far_frames(const view_scene *scene, uint32_t clip, uint32_t frame,
                              far_frames *far)
{
    const view_hull before = far->hull;
    (void)widen_by_joints(scene, &far->hull);
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        if (far->hull.reach[i] > before.reach[i]) {
            far->clip[i] = clip;
            far->frame[i] = frame;
        }
    }
}

// Poses a frame of the shown clip, or of a clip of the motion.
static void pose_frame(view_scene *scene, uint32_t clip, uint32_t frame)
{
    const view_motion_kind *const motion = view_get_motion(scene);
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    if (motion->pose_frame != NULL)
        motion->pose_frame(scene, clip, frame);
    else
        view_pose_at(scene, &sample);
}

// Measures a clip. Poses the joints of its frames, and skins `num_skinned` frames (at least two) at
// equal distances, including the first and the last frame. If `anim` is NULL, the motion has no
// clip and is measured in one pose.
static void measure_clip(view_scene *scene, uint32_t clip, const md5_anim *anim,
                         uint32_t num_skinned, clip_extent *extent)
{
    const uint32_t last_frame = anim != NULL ? anim->num_frames - 1 : 0;
    const uint32_t stride = 1 + last_frame / MAX_POSED_FRAMES;
    for (uint32_t frame = 0; frame <= last_frame; frame += stride) {
        pose_frame(scene, clip, frame);
        update_far_frames(scene, clip, frame, &extent->far);
    }
    const uint32_t num_poses = last_frame > 0 ? num_skinned : 1;
    for (uint32_t i = 0; i < num_poses; i++) {
        const uint64_t frame = (uint64_t)last_frame * i / (num_skinned - 1);
        pose_frame(scene, clip, (uint32_t)frame);
        widen_by_pose(scene, extent);
    }
}

// Returns true if the extreme frame of a direction is already skinned, because it is the first
// frame of a clip or also the extreme frame of an earlier direction.
static bool is_far_frame_skinned(const far_frames *far, int direction)
{
    if (far->frame[direction] == 0)
        return true;
    for (int i = 0; i < direction; i++) {
        if (far->clip[i] == far->clip[direction] && far->frame[i] == far->frame[direction])
            return true;
    }
    return false;
}

// Returns the bounds of the positions of a camera in all frames.
static md5_bounds camera_bounds(const md5_camera *camera, view_hull *hull)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < camera->num_frames; i++) {
        const md5_vec3 *const position = &camera->frames[i].position;
        bounds = md5_bounds_union(bounds, view_widen_hull(hull, position, 1));
    }
    return bounds;
}

// Measures the shown clip, or all clips of a motion that has its own clips, such as a machine.
static void measure_clips(view_scene *scene, clip_extent *extent)
{
    const view_motion_kind *const motion = view_get_motion(scene);
    if (motion->clip == NULL) {
        measure_clip(scene, 0, view_shown_anim(scene), SKINNED_FRAMES, extent);
        return;
    }
    // A motion that returns no clip is measured in one pose, so the loop runs at least once.
    uint32_t clip = 0;
    const md5_anim *anim = motion->clip(scene, clip);
    do {
        measure_clip(scene, clip, anim, SKINNED_FRAMES_PER_CLIP, extent);
        clip++;
        anim = motion->clip(scene, clip);
    } while (anim != NULL);
}

// Skins the frames in which a joint reaches farthest, unless they are already skinned.
static void measure_far_frames(view_scene *scene, clip_extent *extent)
{
    const far_frames *const far = &extent->far;
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        if (is_far_frame_skinned(far, i))
            continue;
        pose_frame(scene, far->clip[i], far->frame[i]);
        widen_by_pose(scene, extent);
    }
}

// Measures one pose, or the whole clip, so that the camera can show each of its frames.
md5_bounds view_clip_bounds(view_scene *scene, const view_play *still, view_hull *hull)
{
    *hull = empty_hull();
    const bool has_skeleton = scene->skeleton != NULL;
    if (!has_skeleton && scene->camera_path.camera != NULL)
        return camera_bounds(scene->camera_path.camera, hull);

    clip_extent extent = {
        .bounds = md5_bounds_from_points(NULL, 0), .hull = hull, .far = {.hull = empty_hull()}};
    if (has_skeleton && still != NULL) {
        view_pose(scene, still);
        widen_by_pose(scene, &extent);
        return extent.bounds;
    }
    measure_clips(scene, &extent);
    measure_far_frames(scene, &extent);
    return extent.bounds;
}

// -- Defects of normals and tangents -------------------------------------------------------------

// Maximum cosine of the angle between normal and tangent that is not a defect. Blended matrices are
// not rotations, so normals and tangents are a few degrees off at every bent joint. 6 degrees are
// visible in the lighting of a normal map.
static const float max_skew = 0.1f;

// Skins the meshes in the current pose and counts their defects, such as normals that are not of
// unit length. A mesh without tangents is skinned without them.
view_mesh_defects view_find_pose_faults(view_scene *scene, bool *marks)
{
    view_mesh_defects sum = {{0}};
    bool *mesh_marks = marks; // marks of the current mesh; NULL: no marks
    view_prepare_skin(scene);
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const md5_mesh *const mesh = &scene->model->meshes[i];
        const view_skinned *const skinned = &scene->skinned[i];
        md5_vec4 *tangents = NULL;
        if (mesh->tangents != NULL)
            tangents = common_alloc(mesh->num_vertices, sizeof *tangents);
        view_skin_mesh(scene, i, skinned->normals, tangents);

        const view_directed pose = {skinned->positions, skinned->normals, tangents, max_skew};
        sum = view_add_defects(sum, view_find_defects(mesh, &pose, mesh_marks));
        if (mesh_marks != NULL)
            mesh_marks += mesh->num_vertices;
        free(tangents);
    }
    return sum;
}

// Counts the defects of each frame of the shown clip, and finds the frame with the highest count.
view_clip_faults view_find_clip_faults(view_scene *scene)
{
    const md5_anim *const anim = scene->model != NULL ? view_shown_anim(scene) : NULL;
    if (anim == NULL)
        return (view_clip_faults){.num_frames = 0};
    view_clip_faults found = {.num_frames = anim->num_frames};
    uint32_t highest_count = 0;
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        view_pose_at(scene, &sample);
        const view_mesh_defects defects = view_find_pose_faults(scene, NULL);
        const uint32_t count = view_count_defects(&defects);
        if (count > 0)
            found.num_faulty++;
        if (frame == 0 || count > highest_count) {
            highest_count = count;
            found.worst = defects;
            found.worst_frame = frame;
        }
    }
    return found;
}
