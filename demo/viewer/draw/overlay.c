// Draws lines over the model, such as the skeleton, normals, bounds and camera paths. Finds the
// point of the body that the user clicks on (picking). Marks the selected joint and the selected
// point.
#include "demo/viewer/draw/draw.h"

// Colors of lines, 0xRRGGBBAA.
static const uint32_t red = 0xE5534BFF; // the x, y and z axis are red, green and blue
static const uint32_t green = 0x6BBF59FF;
static const uint32_t blue = 0x5C8DF0FF;
static const uint32_t bone_color = 0xF2C14EFF;
static const uint32_t normal_color = 0x59D0C8FF;
static const uint32_t defect_color = 0xFF40C8FF;
// Color of camera paths, and of bounds from a clip's file.
static const uint32_t path_color = 0xE0A03CFF;
static const uint32_t pose_bounds_color = 0xE8ECF2FF;
// Color of a figure's bodies, and of the bounds of joints.
static const uint32_t body_color = 0xC792EAFF;
static const uint32_t edge_color = 0xF1F3F6FF; // color of the frustum, and of the picked triangle
static const uint32_t vertex_color = 0xF2C14EFF;
static const uint32_t measure_color = 0x7CE0FFFF;

void view_draw_lines(view_lines *lines, md5gl_renderer *renderer, float width, bool on_top)
{
    md5gl_draw_lines(renderer, lines->vertices, lines->count, width, on_top);
    lines->count = 0;
}

void view_free_lines(view_lines *lines)
{
    free(lines->vertices);
    *lines = (view_lines){0};
}

// Adds an end of a line; view_add_line() has reserved the memory.
static void add_end(view_lines *lines, md5_vec3 position, uint32_t color)
{
    lines->vertices[lines->count++] = (md5gl_line_vertex){
        position,
        {(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color},
    };
}

// Adds a line between two points in world space. The array of vertices doubles when it is full, so
// that adding many lines takes linear time.
void view_add_line(view_lines *lines, md5_vec3 from, md5_vec3 to, uint32_t color)
{
    if (lines->count + 2 > lines->capacity) {
        lines->capacity = lines->capacity > 0 ? 2 * lines->capacity : 1024;
        lines->vertices = common_realloc(lines->vertices, lines->capacity, sizeof *lines->vertices);
    }
    add_end(lines, from, color);
    add_end(lines, to, color);
}

// Adds the line from `position` to `position + arm`. The line also extends backward, by the
// fraction `back` of the arm's length.
static void add_arm(view_lines *lines, md5_vec3 position, md5_vec3 arm, float back, uint32_t color)
{
    view_add_line(lines, md5_vec3_sub(position, md5_vec3_scale(arm, back)),
                  md5_vec3_add(position, arm), color);
}

void view_add_cross(view_lines *lines, md5_vec3 position, float size, uint32_t color)
{
    add_arm(lines, position, (md5_vec3){size, 0, 0}, 1, color);
    add_arm(lines, position, (md5_vec3){0, size, 0}, 1, color);
    add_arm(lines, position, (md5_vec3){0, 0, size}, 1, color);
}

// Adds the rotated axes as lines from a position. `sizes` contains the lengths of the x, y and z
// axis.
static void add_axes(view_lines *lines, md5_vec3 position, md5_quat rotation, md5_vec3 sizes)
{
    add_arm(lines, position, md5_quat_rotate(rotation, (md5_vec3){sizes.x, 0, 0}), 0, red);
    add_arm(lines, position, md5_quat_rotate(rotation, (md5_vec3){0, sizes.y, 0}), 0, green);
    add_arm(lines, position, md5_quat_rotate(rotation, (md5_vec3){0, 0, sizes.z}), 0, blue);
}

// Adds lines between joints and their parents.
static void add_bones(view_lines *lines, const view_scene *scene)
{
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const uint32_t parent = scene->skeleton->joints[i].parent;
        if (parent != MD5_NONE)
            view_add_line(lines, md5_mat34_translation(scene->joints[parent]),
                          md5_mat34_translation(scene->joints[i]), bone_color);
    }
}

// Adds the joints as small crosses along their axes, and lines to their parents. The positive half
// of an axis is longer than the negative half, which shows its direction.
static void add_skeleton(view_lines *lines, const view_scene *scene, float cross_size)
{
    const float negative_part = 0.35f; // relative to the positive half
    static const md5_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t colors[3] = {red, green, blue};
    add_bones(lines, scene);
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const md5_mat34 *const joint = &scene->joints[i];
        const md5_vec3 position = md5_mat34_translation(*joint);
        for (int axis = 0; axis < 3; axis++) {
            const md5_vec3 direction = md5_mat34_direction(*joint, axes[axis]);
            add_arm(lines, position, md5_vec3_scale(direction, cross_size), negative_part,
                    colors[axis]);
        }
    }
}

// Adds the normal of every vertex as a line. If the vertex has a defect (see view_find_defects()),
// the line is magenta. The scene must be skinned.
static void add_normals(view_lines *lines, view_scene *scene, float length)
{
    const size_t num_vertices = view_count_vertices(scene->model);
    bool *const has_defect = common_alloc(num_vertices + 1, sizeof *has_defect);
    view_find_pose_faults(scene, has_defect);

    size_t index = 0; // index of the vertex among the vertices of all meshes
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const view_skinned *const skinned = &scene->skinned[i];
        for (uint32_t v = 0; v < scene->model->meshes[i].num_vertices; v++) {
            const uint32_t color = has_defect[index] ? defect_color : normal_color;
            add_arm(lines, skinned->positions[v], md5_vec3_scale(skinned->normals[v], length), 0,
                    color);
            index++;
        }
    }
    free(has_defect);
}

// Adds lines along the tangent (red) and the bitangent (green) of every vertex. Skins the scene.
static void add_tangents(view_lines *lines, view_scene *scene, float length)
{
    view_prepare_skin(scene);
    for (uint32_t i = 0; scene->model != NULL && i < scene->model->num_meshes; i++) {
        const md5_mesh *const mesh = &scene->model->meshes[i];
        const view_skinned *const skinned = &scene->skinned[i];
        if (mesh->tangents == NULL)
            continue;
        md5_vec4 *const tangents = common_alloc((size_t)mesh->num_vertices + 1, sizeof *tangents);
        view_skin_mesh(scene, i, skinned->normals, tangents);
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const md5_vec3 along_u = {tangents[v].x, tangents[v].y, tangents[v].z};
            const md5_vec3 along_v =
                md5_vec3_scale(md5_vec3_cross(skinned->normals[v], along_u), tangents[v].w);
            add_arm(lines, skinned->positions[v], md5_vec3_scale(along_u, length), 0, red);
            add_arm(lines, skinned->positions[v], md5_vec3_scale(along_v, length), 0, green);
        }
        free(tangents);
    }
}

// Adds the 12 edges of a box in the space of `placement`; NULL: world space. Adds nothing if the
// box is empty.
static void add_box(view_lines *lines, const md5_mat34 *placement, md5_bounds bounds,
                    uint32_t color)
{
    md5_vec3 corners[8];
    for (unsigned i = 0; i < 8; i++) {
        corners[i] = view_corner(bounds, i);
        if (placement != NULL)
            corners[i] = md5_mat34_point(*placement, corners[i]);
    }
    // Corners whose indices differ in one bit share an edge.
    for (unsigned corner = 0; corner < 8 && !view_is_empty(bounds); corner++) {
        for (unsigned bit = 1; bit < 8; bit *= 2) {
            if ((corner & bit) == 0)
                view_add_line(lines, corners[corner], corners[corner | bit], color);
        }
    }
}

// Adds the frustum of a lens as a pyramid of the height `depth`. A triangle on the upper edge of
// its base marks the upper side of the image.
static void add_frustum(view_lines *lines, const view_lens *lens, float depth)
{
    const md5_vec3 middle = view_along(lens->eye, lens->axes.back, -depth);
    const md5_vec3 across = md5_vec3_scale(lens->axes.right, depth * lens->half_x);
    const md5_vec3 high = md5_vec3_scale(lens->axes.up, depth * lens->half_y);
    const md5_vec3 top = md5_vec3_add(middle, high);
    const md5_vec3 bottom = md5_vec3_sub(middle, high);
    const md5_vec3 corners[4] = {md5_vec3_sub(top, across), md5_vec3_add(top, across),
                                 md5_vec3_add(bottom, across), md5_vec3_sub(bottom, across)};
    for (int i = 0; i < 4; i++) {
        view_add_line(lines, lens->eye, corners[i], edge_color);
        view_add_line(lines, corners[i], corners[(i + 1) % 4], edge_color);
    }

    const md5_vec3 tip = view_along(top, high, 0.5f);
    view_add_line(lines, md5_vec3_sub(top, md5_vec3_scale(across, 0.5f)), tip, edge_color);
    view_add_line(lines, view_along(top, across, 0.5f), tip, edge_color);
}

// Adds a camera path with axes at some of its frames: red points forward, green left, blue up. The
// path consists of shots, which cuts separate and no line connects. `played` counts the frames in
// the order in which they are played, which can skip frames of the file.
static void add_camera_path(view_lines *lines, const view_camera_path *camera_path, float axis_size)
{
    enum { MAX_AXES = 40 }; // more axes would hide the path
    const md5_vec3 sizes = {2 * axis_size, axis_size, axis_size};
    const uint32_t num_played = camera_path->clock.num_frames;
    const uint32_t stride = 1 + num_played / MAX_AXES;
    uint32_t shot = 0;
    uint32_t last_shot = 0;
    for (uint32_t played = 0; played < num_played; played++) {
        const uint32_t frame = view_camera_path_frame(camera_path, played, &shot);
        const md5_camera_view *const view = &camera_path->camera->frames[frame];
        const bool is_last = played + 1 == num_played;
        const bool begins_shot = shot != last_shot;
        if (played % stride == 0 || begins_shot || is_last)
            add_axes(lines, view->position, view->rotation, sizes);
        // A shot ends at its cut, so that no line leads to the next shot.
        const bool has_next_frame = frame + 1 < camera_path->camera->num_frames;
        if (!is_last && has_next_frame)
            view_add_line(lines, view->position, view[1].position, path_color);
        last_shot = shot;
    }
}

// Adds the edges of a body of an articulated figure at its transform, one line for each edge.
static void add_body(view_lines *lines, const md5_figure *figure, const md5_body_part *body,
                     md5_xform transform)
{
    for (uint32_t i = 0; i < 3 * body->num_triangles; i++) {
        const uint32_t *const triangle = figure->triangles[body->first_triangle + i / 3];
        const uint32_t from = triangle[i % 3];
        const uint32_t to = triangle[(i + 1) % 3];
        // Two triangles share each edge, in opposite directions. Draw it only for one of them.
        if (from > to)
            continue;
        view_add_line(lines, md5_xform_point(transform, figure->vertices[from]),
                      md5_xform_point(transform, figure->vertices[to]), body_color);
    }
}

// Adds the bodies of an articulated figure in the current pose.
static void add_bodies(view_lines *lines, const view_scene *scene)
{
    const md5_figure *const figure = scene->fall->bodies;
    md5_body_state *const states = common_alloc(figure->num_bodies, sizeof *states);
    md5_figure_from_joints(figure, scene->joints, (md5_xform){.rotation = {.w = 1}}, 0, states);
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        add_body(lines, figure, &figure->bodies[i], states[i].transform);
    free(states);
}

// -- Overlays of a document -----------------------------------------------------------------

// Adds the bounding box of the current pose. If the file of the shown clip contains boxes, also
// adds the box of the current frame. The scene must be skinned.
static void add_bounds(const view_stage *stage)
{
    view_scene *const scene = &stage->document->scene;
    const md5_anim *const anim = view_shown_anim(scene);
    add_box(stage->lines, NULL, view_pose_bounds(scene, NULL), pose_bounds_color);
    if (anim == NULL || anim->frame_bounds == NULL)
        return;
    md5_bounds box = md5_anim_bounds(anim, view_sample_position(stage->play, anim), scene->root);
    // MD5_ROOT_ID bounds are relative to the origin joint.
    if (scene->root == MD5_ROOT_ID) {
        box.min = md5_vec3_add(box.min, scene->pose[0].translation);
        box.max = md5_vec3_add(box.max, scene->pose[0].translation);
    }
    add_box(stage->lines, NULL, view_rotate_bounds(&scene->rotation, box), path_color);
}

// Adds the bodies of an articulated figure, or an oriented box for each joint that influences
// vertices.
static void add_joint_bounds(const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    if (scene->joint_bounds == NULL)
        return;
    if (scene->fall != NULL) {
        add_bodies(stage->lines, scene);
        return;
    }
    for (uint32_t i = 0; i < scene->num_joints; i++)
        add_box(stage->lines, &scene->joints[i], scene->joint_bounds[i], body_color);
}

// Adds the lines of the overlays that show the posed surface: normals, tangents and bounds.
// Surfaces in front of these lines hide them.
static void add_pose_overlays(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    view_scene *const scene = &stage->document->scene;
    const float radius = stage->camera->scene_radius;
    if (shown->normals || shown->bounds)
        view_skin(scene);
    if (shown->normals)
        add_normals(stage->lines, scene, 0.025f * radius);
    if (shown->tangents)
        add_tangents(stage->lines, scene, 0.02f * radius);
    if (shown->bounds)
        add_bounds(stage);
    if (shown->joint_bounds)
        add_joint_bounds(stage);
}

// Adds the lines that are visible through the model: the axes of the world and the skeleton.
static void add_top_overlays(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    const view_scene *const scene = &stage->document->scene;
    const float radius = stage->camera->scene_radius;
    if (shown->axes)
        add_axes(stage->lines, (md5_vec3){0, 0, 0}, (md5_quat){.w = 1},
                 (md5_vec3){radius, radius, radius});
    const bool is_posed = !view_shows_crowd(stage->document); // a crowd has no single pose
    const bool shows_skeleton = shown->skeleton || view_is_skeleton_only(scene);
    if (is_posed && scene->skeleton != NULL && shows_skeleton)
        add_skeleton(stage->lines, scene, 0.03f * radius);
}

// Adds the camera path of the document with the frustum of its current view.
static void add_camera(const view_stage *stage)
{
    const float radius = stage->camera->scene_radius;
    const view_lens lens = view_path_lens(stage->document, stage->play, stage->camera,
                                          stage->width / stage->height, 1);
    add_camera_path(stage->lines, &stage->document->scene.camera_path, 0.05f * radius);
    add_frustum(stage->lines, &lens, 0.3f * radius);
}

// Adds lines that explain the model, such as its skeleton, axes, bounds and normals. With `on_top`,
// adds the lines that are visible through the model, otherwise those that the model hides.
void view_add_overlays(const view_stage *stage, bool on_top)
{
    if (on_top) {
        add_top_overlays(stage);
        return;
    }
    if (!view_shows_crowd(stage->document)) // a crowd has no single pose
        add_pose_overlays(stage);
    // A camera path is not shown while the view follows it.
    if (!stage->following && stage->document->scene.camera_path.camera != NULL)
        add_camera(stage);
}

// == Picking ===============================================================================

// -- Points ---------------------------------------------------------------------------------

// Returns the index of vertex `i` (0 to 2) of the picked triangle in its mesh.
static uint32_t picked_index(const view_scene *scene, const view_pick *pick, uint32_t i)
{
    return scene->model->meshes[pick->mesh].indices[3 * (size_t)pick->triangle + i];
}

// Returns the position of vertex `i` (0 to 2) of the picked triangle in the skinned pose.
static md5_vec3 corner(const view_scene *scene, const view_pick *pick, uint32_t i)
{
    return scene->skinned[pick->mesh].positions[picked_index(scene, pick, i)];
}

md5_vec3 view_pick_point(const view_scene *scene, const view_pick *pick)
{
    md5_vec3 point = {0, 0, 0};
    for (uint32_t i = 0; i < 3u; i++)
        point = view_along(point, corner(scene, pick, i), pick->weights[i]);
    return point;
}

// -- Finding --------------------------------------------------------------------------------

// Returns the ray of a pixel in world space. With a perspective lens it begins at the eye.
md5_ray view_lens_ray(const view_lens *lens, float x, float y, float width, float height)
{
    // Offset from the axis of the lens, at depth 1 or, if orthographic, at any depth.
    const float right = (2 * x / width - 1 - lens->shift_x) * lens->half_x;
    const float up = (1 - 2 * y / height - lens->shift_y) * lens->half_y;
    const md5_vec3 offset =
        md5_vec3_add(md5_vec3_scale(lens->axes.right, right), md5_vec3_scale(lens->axes.up, up));
    const md5_vec3 back = lens->axes.back;
    if (!lens->orthographic)
        return (md5_ray){.origin = lens->eye, .direction = md5_vec3_sub(offset, back)};
    // An orthographic ray begins at the near plane, because the image also shows what is behind the
    // eye.
    return (md5_ray){.origin = view_along(md5_vec3_add(lens->eye, offset), back, -lens->near_z),
                     .direction = md5_vec3_scale(back, -1)};
}

// Finds the nearest hit of a ray among the visible meshes. `hidden` has a bit for each hidden mesh.
// Returns false if the ray hits none.
static bool find_hit(const view_scene *scene, uint64_t hidden, const md5_ray *ray, md5_hit *nearest)
{
    bool is_hit = false;
    for (uint32_t i = 0; i < scene->model->num_meshes; i++) {
        md5_hit hit;
        if (view_is_hidden(hidden, i))
            continue;
        if (!md5_raycast_mesh(*ray, &scene->model->meshes[i], scene->skinned[i].positions, &hit))
            continue;
        if (is_hit && hit.t >= nearest->t)
            continue;
        is_hit = true;
        *nearest = hit;
        nearest->mesh = i;
    }
    return is_hit;
}

// Sets pick->vertex to the vertex of the picked triangle that is nearest to the picked point.
static void pick_nearest_vertex(const view_scene *scene, view_pick *pick)
{
    const md5_vec3 point = view_pick_point(scene, pick);
    float min_distance = INFINITY;
    for (uint32_t i = 0; i < 3u; i++) {
        const float distance = view_distance(corner(scene, pick, i), point);
        if (distance >= min_distance)
            continue;
        min_distance = distance;
        pick->vertex = picked_index(scene, pick, i);
    }
}

// Finds the triangle at which a ray, usually from the mouse pointer, hits the skinned model, the
// vertex that is nearest to the hit, and the joint with the largest influence there. Bit i of
// `hidden` excludes mesh i.
view_pick view_find_pick(view_scene *scene, uint64_t hidden, const md5_ray *ray)
{
    if (scene->model == NULL)
        return (view_pick){.is_set = false};

    // A triangle that faces the camera has priority over a back face, even if it is farther away.
    // The user sees only back faces that no front face covers.
    md5_hit hit;
    md5_ray front_ray = *ray;
    front_ray.front_only = true;
    view_skin(scene);
    if (!find_hit(scene, hidden, &front_ray, &hit) && !find_hit(scene, hidden, ray, &hit))
        return (view_pick){.is_set = false};
    view_pick pick = {
        .is_set = true,
        .mesh = hit.mesh,
        .triangle = hit.triangle,
        .joint = hit.joint == MD5_NONE ? -1 : (int32_t)hit.joint,
        .weights = {hit.weights[0], hit.weights[1], hit.weights[2]},
    };
    pick_nearest_vertex(scene, &pick);
    return pick;
}

// == Marks ================================================================================

// -- Heat -----------------------------------------------------------------------------------

// Writes the color of a weight. Small weights are blue, larger weights cyan, green and yellow, and
// weight 1 is red. Weight 0 is transparent. The opacity reaches its maximum at weight 1/40, so that
// the edge of the influenced area is soft.
static void write_heat_color(float weight, uint8_t rgba[4])
{
    static const float stops[5][3] = {
        {40, 70, 200}, {30, 170, 220}, {70, 200, 80}, {245, 210, 60}, {235, 60, 45}};
    const float max_alpha = 235;
    const float position = 4 * view_clamp(weight, 0, 1); // from the first stop to the last
    const int low = position < 4 ? (int)position : 3;    // so that low + 1 is a valid index
    const float part = position - (float)low;
    for (int i = 0; i < 3; i++)
        rgba[i] = (uint8_t)(stops[low][i] + (stops[low + 1][i] - stops[low][i]) * part);
    rgba[3] = (uint8_t)(view_clamp(40 * weight, 0, 1) * max_alpha);
}

// Covers a triangle with lines that are parallel to its side from corner 1 to corner 2, at the
// distance `spacing`. The colors at the ends of a line show the interpolated weights.
static void add_heat_lines(view_lines *lines, const md5_vec3 corners[3], const float weights[3],
                           float spacing)
{
    enum { MAX_LINES = 48 };
    const float reach =
        fmaxf(view_distance(corners[1], corners[0]), view_distance(corners[2], corners[0]));
    const int count = (int)view_clamp(ceilf(reach / spacing), 1, MAX_LINES);
    for (int i = 0; i <= count; i++) {
        const float part = (float)i / (float)count;
        view_add_line(lines, md5_vec3_lerp(corners[0], corners[1], part),
                      md5_vec3_lerp(corners[0], corners[2], part), 0);
        // view_add_line() gives a line one color, so set the colors of both ends here.
        md5gl_line_vertex *const ends = &lines->vertices[lines->count - 2];
        write_heat_color(weights[0] + (weights[1] - weights[0]) * part, ends[0].rgba);
        write_heat_color(weights[0] + (weights[2] - weights[0]) * part, ends[1].rgba);
    }
}

// Adds the lines of a heat map over the triangles of a mesh that a joint influences. `spacing` is
// their distance, and `lift` their height above the surface, units.
static void add_mesh_heat(view_lines *lines, const md5_mesh *mesh, const view_skinned *skinned,
                          int32_t joint, float spacing, float lift)
{
    for (uint32_t t = 0; t < mesh->num_triangles; t++) {
        const uint32_t *const indices = mesh->indices + 3 * (size_t)t;
        md5_vec3 corners[3];
        float weights[3];
        for (uint32_t i = 0; i < 3u; i++) {
            const uint32_t vertex = indices[i];
            weights[i] = view_joint_weight(mesh, vertex, joint);
            corners[i] = view_along(skinned->positions[vertex], skinned->normals[vertex], lift);
        }
        const bool is_influenced = weights[0] != 0 || weights[1] != 0 || weights[2] != 0;
        if (is_influenced)
            add_heat_lines(lines, corners, weights, spacing);
    }
}

// Draws a heat map of a joint's weights, as lines over the triangles that the joint influences.
// `spacing` is the distance of the lines in model space, `width` their width in pixels.
static void draw_heat(const view_stage *stage, int32_t joint, float spacing, float width)
{
    view_scene *const scene = &stage->document->scene;
    const float lift = 0.0015f * stage->camera->scene_radius; // avoids z-fighting
    if (scene->model == NULL)
        return;
    view_skin(scene);
    for (uint32_t m = 0; m < scene->model->num_meshes; m++) {
        if (!view_is_hidden(stage->hidden_meshes, m))
            add_mesh_heat(stage->lines, &scene->model->meshes[m], &scene->skinned[m], joint,
                          spacing, lift);
    }
    view_draw_lines(stage->lines, stage->renderer, width, false);
}

// -- Marks of the selection -------------------------------------------------------------------

// Adds a line between two points, with a cross at each.
static void add_measure(view_lines *lines, md5_vec3 begin, md5_vec3 end, float radius)
{
    view_add_line(lines, begin, end, measure_color);
    view_add_cross(lines, begin, 0.015f * radius, measure_color);
    view_add_cross(lines, end, 0.015f * radius, measure_color);
}

// Adds lines from a joint to its parent and to its children.
static void add_joint_bones(view_lines *lines, const view_scene *scene, int32_t joint)
{
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const uint32_t parent = scene->skeleton->joints[i].parent;
        if (parent == MD5_NONE)
            continue;
        const bool is_joint = (int32_t)i == joint;
        const bool is_child = (int32_t)parent == joint;
        if (is_joint || is_child)
            view_add_line(lines, md5_mat34_translation(scene->joints[parent]),
                          md5_mat34_translation(scene->joints[i]),
                          is_joint ? VIEW_DIM : bone_color);
    }
}

// Returns the size of a pixel at the center of the model, units. If the center is behind the
// camera, returns a size that is small compared to the model.
static float center_pixel_size(const view_stage *stage)
{
    const view_lens lens = view_stage_lens(stage);
    const float half_height = view_half_height_at(&lens, view_center(stage->document->bounds));
    if (half_height > 0)
        return 2 * half_height / stage->height;
    return stage->camera->scene_radius * 0.01f;
}

// Marks the selected joint. Draws its weights and lines to its parent and its children. If its
// distance to another joint is measured, also draws a line to this joint. The weights are omitted
// if the surface already shows them.
static void draw_joint_marks(const view_stage *stage, int32_t joint)
{
    const view_scene *const scene = &stage->document->scene;
    view_lines *const lines = stage->lines;
    const float scale = stage->font->scale;
    const view_surface surface = stage->options->surface;
    const bool is_colored = surface != VIEW_SURFACE_LIT && surface != VIEW_SURFACE_TEXTURES;
    if (!is_colored)
        draw_heat(stage, joint, 2 * scale * center_pixel_size(stage), 3 * scale);

    // The lines are visible through the model.
    add_joint_bones(lines, scene, joint);
    const int32_t measured_from = stage->selection->measured_from;
    if (measured_from >= 0)
        add_measure(lines, md5_mat34_translation(scene->joints[measured_from]),
                    md5_mat34_translation(scene->joints[joint]), stage->camera->scene_radius);
    view_draw_lines(lines, stage->renderer, 2 * scale, true);
}

// Draws the edges of the highlighted mesh. The scene must be skinned.
static void draw_mesh_edges(const view_stage *stage, const md5_mesh *mesh,
                            const md5_vec3 *positions)
{
    for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++) {
        const size_t next = i % 3 == 2 ? i - 2 : i + 1;
        view_add_line(stage->lines, positions[mesh->indices[i]], positions[mesh->indices[next]],
                      VIEW_ACCENT);
    }
    view_draw_lines(stage->lines, stage->renderer, stage->font->scale, false);
}

// Adds a cross at the nearest vertex of a picked point.
static void add_vertex_mark(view_lines *lines, const view_scene *scene, const view_pick *pick,
                            float size)
{
    view_add_cross(lines, scene->skinned[pick->mesh].positions[pick->vertex], size, vertex_color);
}

// Adds the edges and the nearest vertex of the triangle that was picked in the image.
static void add_picked_triangle(view_lines *lines, view_scene *scene, const view_pick *pick,
                                float vertex_size)
{
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t next = (i + 1) % 3;
        view_add_line(lines, corner(scene, pick, i), corner(scene, pick, next), edge_color);
    }
    add_vertex_mark(lines, scene, pick, vertex_size);
}

// Marks the selected and the hovered item: the edges of a mesh, the vertex under the mouse, the
// picked triangle and vertex, or a measured distance.
static void draw_mesh_marks(const view_stage *stage)
{
    view_scene *const scene = &stage->document->scene;
    view_lines *const lines = stage->lines;
    const view_pick *const pick = &stage->selection->pick;
    const view_pick *const highlight = &stage->selection->highlighted_point;
    const view_pick *const measured = &stage->selection->measured; // set only if `pick` is also set
    const int32_t highlighted_mesh = stage->highlighted_mesh;
    const bool has_highlighted_mesh =
        highlighted_mesh >= 0 && (uint32_t)highlighted_mesh < scene->model->num_meshes;
    const float radius = stage->camera->scene_radius;

    view_skin(scene);
    if (has_highlighted_mesh)
        draw_mesh_edges(stage, &scene->model->meshes[highlighted_mesh],
                        scene->skinned[highlighted_mesh].positions);
    if (highlight->is_set)
        add_vertex_mark(lines, scene, highlight, 0.02f * radius);
    if (pick->is_set)
        add_picked_triangle(lines, scene, pick, 0.01f * radius);
    if (measured->is_set)
        add_measure(lines, view_pick_point(scene, pick), view_pick_point(scene, measured), radius);
    view_draw_lines(lines, stage->renderer, 2 * stage->font->scale, true);
}

// Marks the selection of the user: a joint with its weights, a mesh, a triangle, or a measured
// distance.
void view_draw_marks(const view_stage *stage)
{
    if (view_shows_crowd(stage->document)) // a crowd has no single pose
        return;
    if (stage->joint >= 0)
        draw_joint_marks(stage, stage->joint);
    const view_selection *const selection = stage->selection;
    const bool has_point = selection->pick.is_set || selection->highlighted_point.is_set;
    const bool has_mesh_marks = has_point || stage->highlighted_mesh >= 0;
    if (stage->document->scene.model != NULL && has_mesh_marks)
        draw_mesh_marks(stage);
}
