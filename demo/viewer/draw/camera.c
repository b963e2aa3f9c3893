// The camera and its lens. Contains the projection, the framing of a document, the motion by the
// mouse, smooth movement, and camera paths.
#include "demo/viewer/draw/draw.h"

// Returns the axes of a camera from its two angles: to the right, upward and backward in world
// space.
static view_axes camera_axes(const view_camera *camera)
{
    const float azimuth = view_radians(camera->azimuth);
    const float elevation = view_radians(camera->elevation);
    const md5_vec3 back = {cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                           sinf(elevation)};
    // The right axis depends only on the azimuth. It is therefore horizontal, and also defined if
    // the camera looks straight down.
    const md5_vec3 right = {-sinf(azimuth), cosf(azimuth), 0};
    return (view_axes){.right = right, .up = md5_vec3_cross(back, right), .back = back};
}

// Converts the user's camera to a lens: the position of the eye, the axes, and the slopes of the
// image's edges. The view of the camera fills a region of the image. The slope of the region's
// upper edge is VIEW_HALF_HEIGHT. The slopes of the image are larger by the ratio of its size to
// the size of the region. The shift moves the center of the view to the center of the region.
view_lens view_region_lens(const view_camera *camera, view_rect region, float width, float height)
{
    const view_axes axes = camera_axes(camera);
    const bool is_orthographic = camera->orthographic;
    const float half_y = is_orthographic ? VIEW_HALF_HEIGHT * camera->distance : VIEW_HALF_HEIGHT;
    const float half_x = half_y * region.width / region.height;
    // The far plane is far behind the model, because the ground is large. The near plane is at a
    // hundredth of the distance, so that it does not cut the model in close views. An orthographic
    // lens also shows what is behind its eye, so its near plane is behind the eye.
    const float far_z = camera->distance + 60 * camera->scene_radius;
    const float near_z = is_orthographic ? -far_z : 0.01f * camera->distance;
    return (view_lens){
        .eye = view_along(camera->target, axes.back, camera->distance),
        .axes = axes,
        .half_x = half_x * (width / region.width),
        .half_y = half_y * (height / region.height),
        .shift_x = (2 * region.x + region.width) / width - 1,
        .shift_y = 1 - (2 * region.y + region.height) / height,
        .near_z = near_z,
        .far_z = far_z,
        .orthographic = is_orthographic,
    };
}

float view_half_height_at(const view_lens *lens, md5_vec3 position)
{
    const float depth = -md5_vec3_dot(md5_vec3_sub(position, lens->eye), lens->axes.back);
    if (depth <= 0)
        return 0;
    return lens->orthographic ? lens->half_y : lens->half_y * depth;
}

// The elements of the following matrices are stored by columns: m[4 * column + row].

// Returns the matrix from world space to view space. In view space, the camera is at the origin and
// looks along -z. The rows of the matrix are the axes of the camera.
static md5_mat44 make_view_matrix(const view_lens *lens)
{
    const md5_vec3 axes[3] = {lens->axes.right, lens->axes.up, lens->axes.back};
    md5_mat44 matrix = {{0}};
    for (int row = 0; row < 3; row++) {
        matrix.m[0 + row] = axes[row].x;
        matrix.m[4 + row] = axes[row].y;
        matrix.m[8 + row] = axes[row].z;
        matrix.m[12 + row] = -md5_vec3_dot(axes[row], lens->eye);
    }
    matrix.m[15] = 1;
    return matrix;
}

// Returns the projection matrix from view space to the clip space of OpenGL. Depths are -1 at the
// near plane and 1 at the far plane. The shift of the lens moves the image in clip space.
static md5_mat44 make_clip_matrix(const view_lens *lens)
{
    const float near_z = lens->near_z;
    const float far_z = lens->far_z;
    md5_mat44 matrix = {{0}};
    matrix.m[0] = 1.0f / lens->half_x;
    matrix.m[5] = 1.0f / lens->half_y;
    if (lens->orthographic) { // w is 1
        matrix.m[10] = -2.0f / (far_z - near_z);
        matrix.m[14] = -(far_z + near_z) / (far_z - near_z);
        matrix.m[15] = 1;
        matrix.m[12] = lens->shift_x;
        matrix.m[13] = lens->shift_y;
    } else { // w is -z; the shift is multiplied by w, because the result is divided by w
        matrix.m[8] = -lens->shift_x;
        matrix.m[9] = -lens->shift_y;
        matrix.m[10] = -(far_z + near_z) / (far_z - near_z);
        matrix.m[14] = -2 * far_z * near_z / (far_z - near_z);
        matrix.m[11] = -1;
    }
    return matrix;
}

// Writes the two matrices of a lens for OpenGL.
void view_lens_matrices(const view_lens *lens, md5_mat44 *view_from_world,
                        md5_mat44 *clip_from_view)
{
    *view_from_world = make_view_matrix(lens);
    *clip_from_view = make_clip_matrix(lens);
}

// Returns the smallest distance from which the camera shows all points of the hull.
float view_fitting_distance(const view_camera *camera, const view_hull *hull, float filled,
                            float width, float height)
{
    const float slope_y = filled * VIEW_HALF_HEIGHT; // slope of the edges of the filled part
    const float slope_x = slope_y * width / height;
    const view_axes axes = camera_axes(camera);
    // The depth of a point is its distance in front of the eye. A point is in the image if its
    // depth is at least its offset from the axis divided by the slope of the edge. `nearer` is the
    // distance by which the point is nearer to the eye than the target is.
    float distance = -INFINITY;
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        const md5_vec3 offset = md5_vec3_sub(hull->points[i], camera->target);
        const float depth_x = fabsf(md5_vec3_dot(offset, axes.right)) / slope_x;
        const float depth_y = fabsf(md5_vec3_dot(offset, axes.up)) / slope_y;
        const float nearer = camera->orthographic ? 0 : md5_vec3_dot(offset, axes.back);
        const float needed_depth = fmaxf(depth_x, depth_y);
        distance = fmaxf(distance, needed_depth + nearer);
    }
    return distance;
}

// Moves the target parallel to the image, by distances in units. The camera moves with it.
static void move_target(view_camera *camera, const view_axes *axes, float right, float up)
{
    camera->target = view_along(camera->target, axes->right, right);
    camera->target = view_along(camera->target, axes->up, up);
}

// Returns the bounds of some meshes in the pose that was skinned last. If `material` is not
// negative, these are all meshes with the material of mesh `material`. Otherwise it is only mesh
// `mesh`.
static md5_bounds selected_bounds(const view_scene *scene, int32_t mesh, int32_t material)
{
    const md5_model *const model = scene->model;
    md5_bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        bool is_selected = (int32_t)m == mesh;
        if (material >= 0)
            is_selected = strcmp(model->meshes[m].shader, model->meshes[material].shader) == 0;
        if (!is_selected)
            continue;
        for (uint32_t v = 0; v < model->meshes[m].num_vertices; v++) {
            const md5_vec3 position = scene->skinned[m].positions[v];
            bounds = md5_bounds_union(bounds, (md5_bounds){position, position});
        }
    }
    return bounds;
}

// Moves the camera near to a mesh in the current pose, or to all meshes with the same material.
// Returns false if neither is given.
bool view_frame_meshes(view_camera *camera, view_scene *scene, const view_play *play, int32_t mesh,
                       int32_t material)
{
    const bool is_selected = mesh >= 0 || material >= 0;
    if (scene->model == NULL || !is_selected)
        return false;
    view_skin(scene);
    const md5_bounds bounds = selected_bounds(scene, mesh, material);
    if (view_is_empty(bounds))
        return true;
    // Drawing adds the distance that the character has walked to the target, so subtract it here.
    camera->target = md5_vec3_sub(view_center(bounds), view_walked(scene, play));
    camera->distance = fmaxf(0.6f * view_size(bounds) / VIEW_HALF_HEIGHT, 1e-3f);
    return true;
}

// Moves the target of the camera parallel to the image, to the center of the shape in the image.
static void center_shape(view_camera *camera, const view_axes *axes, const view_hull *hull)
{
    float left = INFINITY;
    float right = -INFINITY;
    float low = INFINITY;
    float high = -INFINITY;
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        const md5_vec3 offset = md5_vec3_sub(hull->points[i], camera->target);
        const float depth = camera->distance - md5_vec3_dot(offset, axes->back);
        // In a perspective image, points in front of the target appear larger.
        const float magnification = camera->orthographic ? 1 : camera->distance / depth;
        const float x = md5_vec3_dot(offset, axes->right) * magnification;
        const float y = md5_vec3_dot(offset, axes->up) * magnification;
        left = fminf(left, x);
        right = fmaxf(right, x);
        low = fminf(low, y);
        high = fmaxf(high, y);
    }
    move_target(camera, axes, 0.5f * (left + right), 0.5f * (low + high));
}

// Moves the camera so that the shape, whose convex hull is `hull`, is centered and fills most of
// the image. If the bounds are empty, the camera looks at the origin.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height)
{
    const float filled_part = 0.84f; // fraction of the image, because panels cover its edges
    const float min_radius = 1e-3f;  // a single point has no size
    const view_axes axes = camera_axes(camera);
    if (view_is_empty(bounds)) {
        camera->target = (md5_vec3){0, 0, 0};
        camera->scene_radius = 1;
        camera->distance = 4 * camera->scene_radius;
        return;
    }

    camera->target = view_center(bounds);
    camera->scene_radius = fmaxf(0.5f * view_size(bounds), min_radius);
    camera->distance = 4 * camera->scene_radius;

    // In a perspective image, the center of the shape depends on the distance, and the distance
    // depends on the center. Three passes are sufficient, because the iteration converges fast.
    for (int pass = 0; pass < 3; pass++) {
        center_shape(camera, &axes, hull);
        camera->distance = fmaxf(0.5f * camera->scene_radius,
                                 view_fitting_distance(camera, hull, filled_part, width, height));
    }
}

// Moves the target and the distance by the same fraction. view_zoom() has set both so that the
// point under the mouse is fixed. With equal fractions, it also remains fixed during the movement.
bool view_follow_camera(view_camera *drawn, const view_camera *camera, float fraction)
{
    const view_camera from = *drawn;
    const md5_vec3 offset = md5_vec3_sub(camera->target, from.target);
    const float azimuth = remainderf(camera->azimuth - from.azimuth, 360); // degrees to rotate
    const float elevation = camera->elevation - from.elevation;
    const float distance = camera->distance - from.distance;
    const float max_angle = fmaxf(fabsf(azimuth), fabsf(elevation));
    const float max_length = fmaxf(fabsf(distance), md5_vec3_length(offset));
    const bool has_arrived = max_angle < 0.02f && max_length < 2e-4f * camera->distance;
    *drawn = *camera;
    if (has_arrived || fraction >= 1)
        return false;
    drawn->azimuth = remainderf(from.azimuth + azimuth * fraction, 360);
    drawn->elevation = from.elevation + elevation * fraction;
    drawn->distance = from.distance + distance * fraction;
    drawn->target = md5_vec3_lerp(from.target, camera->target, fraction);
    return true;
}

// Returns the size of a pixel at the target, in units, for an image of `height` pixels.
static float pixel_size(const view_camera *camera, float height)
{
    return 2 * VIEW_HALF_HEIGHT * camera->distance / height;
}

void view_pan(view_camera *camera, float right, float down, float height)
{
    const view_axes axes = camera_axes(camera);
    const float pixel = pixel_size(camera, height);
    move_target(camera, &axes, -right * pixel, down * pixel);
}

// Changes the distance, and moves the target so that the point under pixel (x, y) remains there.
// The size of a pixel at the target is proportional to the distance.
void view_zoom(view_camera *camera, float factor, float x, float y, float height)
{
    const float min_distance = 1e-3f * camera->scene_radius;
    const float max_distance = 200 * camera->scene_radius;
    const float pixel_before = pixel_size(camera, height);
    camera->distance = view_clamp(camera->distance / factor, min_distance, max_distance);
    const float change = pixel_before - pixel_size(camera, height);
    const view_axes axes = camera_axes(camera);
    move_target(camera, &axes, x * change, -y * change);
}

// Converts the view of an .md5camera file to a lens. In such a file the camera looks along x,
// with y to the left and z up.
view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height)
{
    const md5_camera_view view = view_camera_path_at(&document->scene.camera_path, play);
    // A file may contain any field of view. 180 degrees and more have no projection.
    const float half_x = tanf(0.5f * view_radians(view_clamp(view.fov, 1, 175)));
    const md5_vec3 center = view_center(document->bounds);
    const float distance = view_distance(center, view.position);
    return (view_lens){
        .eye = view.position,
        .axes = {.right = md5_quat_rotate(view.rotation, (md5_vec3){0, -1, 0}),
                 .up = md5_quat_rotate(view.rotation, (md5_vec3){0, 0, 1}),
                 .back = md5_quat_rotate(view.rotation, (md5_vec3){-1, 0, 0})},
        .half_x = half_x,
        .half_y = half_x * height / width,
        .near_z = 0.005f * camera->scene_radius, // camera paths come close to the model
        .far_z = distance + 60 * camera->scene_radius,
    };
}

// Returns the lens of the image, which contains the matrices with which the image is drawn. It is
// the lens of the camera path if the view follows the path, otherwise the lens of the user's
// camera. The camera follows a character that walks, so its target moves by the distance that the
// character has walked.
view_lens view_stage_lens(const view_stage *stage)
{
    if (stage->following)
        return view_path_lens(stage->document, stage->play, stage->camera, stage->width,
                              stage->height);
    view_camera camera = *stage->camera;
    camera.target = md5_vec3_add(camera.target, view_walked(&stage->document->scene, stage->play));
    return view_region_lens(&camera, stage->region, stage->width, stage->height);
}
