// Poses and skins a scene, measures the bounds and the convex hull of a pose or of a whole clip,
// and counts defects of normals and tangents.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/morphs.h"

void view_pose(view_scene *scene, const view_play *play)
{
    const view_motion_kind *const motion = view_motion_of(scene);
    if (scene->fall != NULL && !view_is_bind_pose(scene))
        view_pose_with_death(scene, motion, play);
    else
        motion->pose(scene, play);
}

md5_xform view_placement(const view_scene *scene)
{
    const view_motion_kind *const motion = view_motion_of(scene);
    return motion->place != NULL ? motion->place(scene) : view_at_origin();
}

md5_vec3 view_walked(const view_scene *scene, const view_play *play)
{
    const view_motion_kind *const motion = view_motion_of(scene);
    if (view_has_died(scene->fall, play->time) && !view_is_bind_pose(scene))
        return scene->fall->walked;
    return motion->walked != NULL ? motion->walked(scene, play) : view_placement(scene).translation;
}

void view_prepare_skin(view_scene *scene)
{
    if (scene->dual && scene->model != NULL)
        md5_build_dual_palette(scene->palette, scene->num_joints, scene->duals);
}

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

// Returns the value that sorting would put at `index`, by selection in linear time. It is called
// for each measured pose.
static float nth_smallest(float *values, int count, int index)
{
    int low = 0;
    int high = count - 1;
    while (low < high) {
        const float pivot = values[index];
        int i = low;
        int j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i > j)
                break;
            const float value = values[i];
            values[i++] = values[j];
            values[j--] = value;
        }
        low = j < index ? i : low;
        high = index < i ? j : high;
    }
    return values[index];
}

// Returns the number of vertices of a mesh, or 0 if the mesh is excluded from measurements.
static uint32_t count_measured(const view_scene *scene, uint32_t mesh)
{
    const view_textures *const textures = scene->textures;
    const bool is_measured = textures == NULL || !view_is_unmeasured(textures, mesh);
    return is_measured ? scene->model->meshes[mesh].num_vertices : 0;
}

// Returns a sphere around all vertices except outliers: at most one of 25 vertices, more than three
// times as far out as the others. Helper triangles and muzzle flashes are outliers; framing them
// would make the model small.
static view_sphere find_core(const view_scene *scene)
{
    enum { SAMPLES = 512, SHARE = 25 };
    md5_vec3 points[SAMPLES];
    float x[SAMPLES], y[SAMPLES], z[SAMPLES];
    const uint32_t stride = view_count_vertices(scene->model) / SAMPLES + 1;
    uint32_t next = 0; // index in the current mesh of the next sample
    int count = 0;
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const uint32_t num_vertices = count_measured(scene, i);
        for (; next < num_vertices; next += stride) {
            const md5_vec3 point = points[count] = scene->skinned[i].positions[next];
            x[count] = point.x;
            y[count] = point.y;
            z[count++] = point.z;
        }
        next -= num_vertices;
    }
    if (count < 2 * SHARE)
        return (view_sphere){.radius = INFINITY};
    const int middle = count / 2;
    const int outer = count - 1 - count / SHARE;
    view_sphere core = {.centre = {nth_smallest(x, count, middle), nth_smallest(y, count, middle),
                                   nth_smallest(z, count, middle)}};
    for (int i = 0; i < count; i++)
        x[i] = md5_vec3_length(md5_vec3_sub(points[i], core.centre));
    core.radius = 3 * nth_smallest(x, count, outer);
    return core;
}

// Returns direction 0..25 of the hull: towards the centers of a cube's faces and edges, and its
// corners.
static md5_vec3 hull_direction(int index)
{
    const int cell = index < 13 ? index : index + 1; // 13 is the cube's center
    const int x = cell % 3 - 1;
    const int y = cell / 3 % 3 - 1;
    const int z = cell / 9 - 1;
    const md5_vec3 direction = {(float)x, (float)y, (float)z};
    return md5_vec3_scale(direction, 1.0f / md5_vec3_length(direction));
}

// Returns the corner of a box that is farthest in a direction.
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

// Adds points within `box` in direction `i` and in the opposite direction, 25 - i. No point reaches
// farther than the far corner of the box, not even by rounding, because each operation of the dot
// product is monotonic in its operands.
static void widen_both_ways(view_hull *hull, int i, md5_vec3 direction, md5_bounds box,
                            const md5_vec3 *points, uint32_t count)
{
    const md5_vec3 back = md5_vec3_scale(direction, -1);
    const int opposite = VIEW_HULL_POINTS - 1 - i;
    float high = hull->reach[i];
    float low = -hull->reach[opposite];
    if (md5_vec3_dot(direction, far_corner(box, direction)) <= high
        && md5_vec3_dot(direction, far_corner(box, back)) >= low)
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

// Most points are inside the hull of earlier points, and so are their neighbors. Therefore only the
// boxes of small groups of points are compared.
enum { BOX_POINTS = 64 };

static void widen_hull(view_hull *hull, md5_bounds box, const md5_vec3 *points, uint32_t count)
{
    for (int i = 0; i < VIEW_HULL_POINTS / 2; i++)
        widen_both_ways(hull, i, hull_direction(i), box, points, count);
}

md5_bounds view_widen_hull(view_hull *hull, const md5_vec3 *points, uint32_t count)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t first = 0; first < count; first += BOX_POINTS) {
        const uint32_t num = count - first < BOX_POINTS ? count - first : BOX_POINTS;
        const md5_bounds box = md5_bounds_from_points(points + first, num);
        widen_hull(hull, box, points + first, num);
        bounds = md5_bounds_union(bounds, box);
    }
    return bounds;
}

static md5_bounds widen_by_joints(const view_scene *scene, view_hull *hull)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    md5_vec3 points[BOX_POINTS];
    for (uint32_t joint = 0; joint < scene->num_joints; joint++) {
        const uint32_t at = joint % BOX_POINTS;
        points[at] = md5_mat34_translation(scene->joints[joint]);
        if (at + 1 == BOX_POINTS || joint + 1 == scene->num_joints)
            bounds = md5_bounds_union(bounds, view_widen_hull(hull, points, at + 1));
    }
    return bounds;
}

// Returns true if a sphere contains a box.
static bool contains_box(const view_sphere *sphere, md5_bounds box)
{
    const md5_vec3 low = md5_vec3_sub(sphere->centre, box.min);
    const md5_vec3 high = md5_vec3_sub(box.max, sphere->centre);
    const md5_vec3 out = {fmaxf(low.x, high.x), fmaxf(low.y, high.y), fmaxf(low.z, high.z)};
    return md5_vec3_dot(out, out) <= sphere->radius * sphere->radius;
}

// Copies the points inside a sphere, and returns their number.
static uint32_t copy_inside(const view_sphere *core, const md5_vec3 *points, uint32_t count,
                            md5_vec3 *kept)
{
    uint32_t num_kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 out = md5_vec3_sub(points[i], core->centre);
        if (md5_vec3_dot(out, out) <= core->radius * core->radius)
            kept[num_kept++] = points[i];
    }
    return num_kept;
}

md5_bounds view_pose_bounds(const view_scene *scene, view_hull *hull)
{
    view_hull unused = {.lowest = 0};
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    const view_sphere core = find_core(scene);
    if (hull == NULL)
        hull = &unused;
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const uint32_t num_vertices = count_measured(scene, i);
        for (uint32_t first = 0; first < num_vertices; first += BOX_POINTS) {
            const md5_vec3 *points = scene->skinned[i].positions + first;
            uint32_t count = num_vertices - first < BOX_POINTS ? num_vertices - first : BOX_POINTS;
            md5_bounds box = md5_bounds_from_points(points, count);
            md5_vec3 kept[BOX_POINTS];
            hull->lowest = fminf(hull->lowest, box.min.z);
            if (!contains_box(&core, box)) {
                count = copy_inside(&core, points, count, kept);
                points = kept;
                box = md5_bounds_from_points(points, count);
            }
            widen_hull(hull, box, points, count);
            bounds = md5_bounds_union(bounds, box);
        }
    }
    if (view_is_skeleton_only(scene)) {
        bounds = md5_bounds_union(bounds, widen_by_joints(scene, hull));
        hull->lowest = fminf(hull->lowest, bounds.min.z);
    }
    return bounds;
}

float view_pose_lowest(view_scene *scene)
{
    float lowest = INFINITY;
    skin(scene, false);
    for (uint32_t i = 0; i < view_count_meshes(scene); i++)
        for (uint32_t v = 0; v < count_measured(scene, i); v++)
            lowest = fminf(lowest, scene->skinned[i].positions[v].z);
    return lowest;
}

static void widen_by_pose(view_scene *scene, md5_bounds *bounds, view_hull *hull)
{
    skin(scene, false);
    *bounds = md5_bounds_union(*bounds, view_pose_bounds(scene, hull));
}

// The hull of the joints, and for each direction the clip and frame of the extreme point.
typedef struct far_frames {
    view_hull hull;
    uint32_t clip[VIEW_HULL_POINTS];
    uint32_t frame[VIEW_HULL_POINTS];
} far_frames;

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
    const view_motion_kind *const motion = view_motion_of(scene);
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    if (motion->pose_frame != NULL)
        motion->pose_frame(scene, clip, frame);
    else
        view_pose_at(scene, &sample);
}

md5_bounds view_clip_bounds(view_scene *scene, const view_play *still, view_hull *hull)
{
    const view_motion_kind *const motion = view_motion_of(scene);
    const md5_camera *const camera = scene->skeleton == NULL ? scene->camera_path.camera : NULL;
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    far_frames far;
    memset(&far, 0, sizeof far);
    *hull = (view_hull){.lowest = INFINITY};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull->reach[i] = far.hull.reach[i] = -INFINITY;
    if (scene->skeleton != NULL && still != NULL) {
        view_pose(scene, still);
        widen_by_pose(scene, &bounds, hull);
        return bounds;
    }
    if (camera != NULL) {
        for (uint32_t i = 0; i < camera->num_frames; i++)
            bounds =
                md5_bounds_union(bounds, view_widen_hull(hull, &camera->frames[i].position, 1));
        return bounds;
    }
    const md5_anim *anim = motion->clip != NULL ? motion->clip(scene, 0) : view_shown_anim(scene);
    for (uint32_t clip = 0; clip == 0 || anim != NULL; clip++) {
        // Skin a few frames at equal distances; fewer frames per clip if the motion has many clips.
        // A clip may jump between them, so check the joints, which cost less, in every frame; in
        // very long clips, in every n-th frame.
        enum { SKINNED = 13, SKINNED_PER_CLIP = 3, MAX_FRAMES = 600 };
        const uint32_t num_skinned = motion->clip != NULL ? SKINNED_PER_CLIP : SKINNED;
        const uint32_t last = anim != NULL ? anim->num_frames - 1 : 0;
        const uint32_t stride = 1 + last / MAX_FRAMES;
        for (uint32_t frame = 0; frame <= last; frame += stride) {
            pose_frame(scene, clip, frame);
            update_far_frames(scene, clip, frame, &far);
        }
        for (uint32_t i = 0; i < num_skinned && (i == 0 || last > 0); i++) {
            pose_frame(scene, clip, (uint32_t)((uint64_t)last * i / (num_skinned - 1)));
            widen_by_pose(scene, &bounds, hull);
        }
        anim = motion->clip != NULL ? motion->clip(scene, clip + 1) : NULL;
    }
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        // The first frame of each clip is already skinned, and no frame needs to be skinned twice.
        bool was_skinned = far.frame[i] == 0;
        for (int k = 0; k < i; k++)
            was_skinned =
                was_skinned || (far.clip[k] == far.clip[i] && far.frame[k] == far.frame[i]);
        if (was_skinned)
            continue;
        pose_frame(scene, far.clip[i], far.frame[i]);
        widen_by_pose(scene, &bounds, hull);
    }
    return bounds;
}

// -- Defects of normals and tangents -------------------------------------------------------------

// Maximum cosine between normal and tangent that is not reported. Blended matrices are not
// rotations: at every bent joint, normal and tangent are a few degrees off. 6 degrees are visible
// in the lighting of a normal map.
static const float max_skew = 0.1f;

view_mesh_defects view_find_pose_faults(view_scene *scene, bool *marks)
{
    view_mesh_defects faults = {{0}};
    view_prepare_skin(scene);
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const md5_mesh *const mesh = &scene->model->meshes[i];
        const view_skinned *const skinned = &scene->skinned[i];
        md5_vec4 *const tangents =
            mesh->tangents != NULL ? common_alloc(mesh->num_vertices, sizeof *tangents) : NULL;
        view_skin_mesh(scene, i, skinned->normals, tangents);
        const view_directed pose = {skinned->positions, skinned->normals, tangents, max_skew};
        faults = view_add_defects(faults, view_find_defects(mesh, &pose, marks));
        marks = marks != NULL ? marks + mesh->num_vertices : NULL;
        free(tangents);
    }
    return faults;
}

view_clip_faults view_find_clip_faults(view_scene *scene)
{
    const md5_anim *const anim = scene->model != NULL ? view_shown_anim(scene) : NULL;
    view_clip_faults found = {.num_frames = anim != NULL ? anim->num_frames : 0};
    for (uint32_t frame = 0; frame < found.num_frames; frame++) {
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        view_pose_at(scene, &sample);
        const view_mesh_defects faults = view_find_pose_faults(scene, NULL);
        found.num_faulty += view_count_defects(&faults) > 0;
        if (frame == 0 || view_count_defects(&faults) > view_count_defects(&found.worst)) {
            found.worst = faults;
            found.worst_frame = frame;
        }
    }
    return found;
}
