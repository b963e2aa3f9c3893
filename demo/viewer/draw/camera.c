#include "demo/viewer/draw/camera.h"

#include "demo/viewer/base/math.h"

// Half the picture's height over the distance: tan(15 degrees), a vertical field of view of 30
// degrees, with as little distortion as a portrait lens.
#define HALF_HEIGHT 0.26794919f

view_camera view_default_camera(void)
{
    return (view_camera){
        .azimuth = 30.0f, .elevation = 12.0f, .distance = 100.0f, .scene_radius = 50.0f};
}

view_axes view_camera_axes(const view_camera *camera)
{
    const float azimuth = view_radians(camera->azimuth);
    const float elevation = view_radians(camera->elevation);
    const md5_vec3 back = {cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                           sinf(elevation)};
    // From the azimuth only: level, and also defined if the camera looks straight down.
    const md5_vec3 right = {-sinf(azimuth), cosf(azimuth), 0.0f};
    return (view_axes){.right = right, .up = md5_vec3_cross(back, right), .back = back};
}

view_lens view_camera_lens(const view_camera *camera, float width, float height)
{
    const view_axes axes = view_camera_axes(camera);
    const float half_y = camera->orthographic ? HALF_HEIGHT * camera->distance : HALF_HEIGHT;
    // The ground reaches far beyond the model. A near plane at a hundredth of the distance does not
    // cut close views.
    const float far_z = camera->distance + 60.0f * camera->scene_radius;
    return (view_lens){
        .eye = md5_vec3_add(camera->target, md5_vec3_scale(axes.back, camera->distance)),
        .axes = axes,
        .half_x = half_y * width / height,
        .half_y = half_y,
        .near_z = camera->orthographic ? -far_z : 0.01f * camera->distance,
        .far_z = far_z,
        .orthographic = camera->orthographic,
    };
}

void view_widen_lens(view_lens *lens, float x, float y, float box_width, float box_height,
                     float width, float height)
{
    lens->half_x *= width / box_width;
    lens->half_y *= height / box_height;
    lens->shift_x = (2.0f * x + box_width) / width - 1.0f;
    lens->shift_y = 1.0f - (2.0f * y + box_height) / height;
}

void view_lens_matrices(const view_lens *lens, md5_mat44 *view_from_world,
                        md5_mat44 *clip_from_view)
{
    const float near_z = lens->near_z, far_z = lens->far_z;
    const md5_vec3 rows[3] = {lens->axes.right, lens->axes.up, lens->axes.back};
    md5_mat44 look = {{0}}, clip = {{0}};
    for (int row = 0; row < 3; row++) {
        look.m[0 + row] = rows[row].x;
        look.m[4 + row] = rows[row].y;
        look.m[8 + row] = rows[row].z;
        look.m[12 + row] = -md5_vec3_dot(rows[row], lens->eye);
    }
    look.m[15] = 1.0f;
    *view_from_world = look;
    clip.m[0] = 1.0f / lens->half_x;
    clip.m[5] = 1.0f / lens->half_y;
    if (lens->orthographic) {
        clip.m[10] = -2.0f / (far_z - near_z);
        clip.m[14] = -(far_z + near_z) / (far_z - near_z);
        clip.m[15] = 1.0f;
        clip.m[12] = lens->shift_x;
        clip.m[13] = lens->shift_y;
    } else {
        clip.m[8] = -lens->shift_x; // times -z, which is w
        clip.m[9] = -lens->shift_y;
        clip.m[10] = -(far_z + near_z) / (far_z - near_z);
        clip.m[14] = -2.0f * far_z * near_z / (far_z - near_z);
        clip.m[11] = -1.0f;
    }
    *clip_from_view = clip;
}

// The distance at which `point` is on the edge of the picture.
static float fitting_distance(const view_camera *camera, const view_axes *axes, md5_vec3 point,
                              float half_x, float half_y)
{
    const md5_vec3 arm = md5_vec3_sub(point, camera->target);
    const float across = fabsf(md5_vec3_dot(arm, axes->right)) / half_x;
    const float high = fabsf(md5_vec3_dot(arm, axes->up)) / half_y;
    return fmaxf(across, high) + (camera->orthographic ? 0.0f : md5_vec3_dot(arm, axes->back));
}

// Moves the target within the picture plane so that the shape is centred.
static void centre_target(view_camera *camera, const view_axes *axes, const view_hull *hull)
{
    float left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        const md5_vec3 arm = md5_vec3_sub(hull->points[i], camera->target);
        const float depth = camera->distance - md5_vec3_dot(arm, axes->back);
        // Perspective: near points appear larger.
        const float zoom = camera->orthographic ? 1.0f : camera->distance / depth;
        const float x = md5_vec3_dot(arm, axes->right) * zoom,
                    y = md5_vec3_dot(arm, axes->up) * zoom;
        left = fminf(left, x);
        right = fmaxf(right, x);
        low = fminf(low, y);
        high = fmaxf(high, y);
    }
    camera->target =
        md5_vec3_add(camera->target, md5_vec3_scale(axes->right, 0.5f * (left + right)));
    camera->target = md5_vec3_add(camera->target, md5_vec3_scale(axes->up, 0.5f * (low + high)));
}

void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height)
{
    const bool empty = view_is_empty(bounds);
    // The share of the picture that the shape may fill; the panel covers its edges.
    const float filled = 0.84f, half_y = filled * HALF_HEIGHT, half_x = half_y * width / height;
    const view_axes axes = view_camera_axes(camera);
    camera->target = empty ? (md5_vec3){0, 0, 0} : view_centre(bounds);
    // A single point has no size; any small one will do.
    camera->scene_radius = empty ? 1.0f : fmaxf(0.5f * view_size(bounds), 1e-3f);

    // A change of distance shifts the centre a little; three passes are close enough.
    camera->distance = 4.0f * camera->scene_radius;
    for (int pass = 0; pass < 3 && !empty; pass++) {
        centre_target(camera, &axes, hull);
        float distance = 0.5f * camera->scene_radius;
        for (int i = 0; i < VIEW_HULL_POINTS; i++)
            distance =
                fmaxf(distance, fitting_distance(camera, &axes, hull->points[i], half_x, half_y));
        camera->distance = distance;
    }
}

// Distance and target move by equal shares, so that the point under the mouse, at which both were
// aimed by view_zoom(), stays where it is on the way.
bool view_follow_camera(view_camera *seen, const view_camera *camera, float share)
{
    const md5_vec3 way = md5_vec3_sub(camera->target, seen->target);
    const float turn = remainderf(camera->azimuth - seen->azimuth, 360.0f);
    const float rise = camera->elevation - seen->elevation;
    const float farther = camera->distance - seen->distance;
    const float length = fmaxf(fabsf(farther), md5_vec3_length(way));
    const bool is_there =
        fmaxf(fabsf(turn), fabsf(rise)) < 0.02f && length < 2e-4f * camera->distance;
    const view_camera from = *seen;
    *seen = *camera;
    if (is_there || share >= 1.0f)
        return false;
    seen->azimuth = remainderf(from.azimuth + turn * share, 360.0f);
    seen->elevation = from.elevation + rise * share;
    seen->distance = from.distance + farther * share;
    seen->target = md5_vec3_lerp(from.target, camera->target, share);
    return true;
}

void view_orbit(view_camera *camera, float right, float down, float height)
{
    // A drag over the picture's height turns by 180 degrees.
    camera->azimuth = remainderf(camera->azimuth - right * 180.0f / height, 360.0f);
    camera->elevation = view_clamp(camera->elevation + down * 180.0f / height, -90.0f, 90.0f);
}

// Size of a pixel at the target, units.
static float pixel_size(const view_camera *camera, float height)
{
    return 2.0f * HALF_HEIGHT * camera->distance / height;
}

void view_pan(view_camera *camera, float right, float down, float height)
{
    const view_axes axes = view_camera_axes(camera);
    const float pixel = pixel_size(camera, height);
    camera->target = md5_vec3_add(camera->target, md5_vec3_scale(axes.right, -right * pixel));
    camera->target = md5_vec3_add(camera->target, md5_vec3_scale(axes.up, down * pixel));
}

void view_zoom(view_camera *camera, float factor, float x, float y, float height)
{
    const float before = pixel_size(camera, height);
    camera->distance = view_clamp(camera->distance / factor, 1e-3f * camera->scene_radius,
                                  200.0f * camera->scene_radius);
    const float change = before - pixel_size(camera, height);
    const view_axes axes = view_camera_axes(camera);
    camera->target = md5_vec3_add(camera->target, md5_vec3_scale(axes.right, x * change));
    camera->target = md5_vec3_add(camera->target, md5_vec3_scale(axes.up, -y * change));
}

// == Framing ===============================================================================

view_camera view_chosen_camera(const view_options *options)
{
    view_camera camera = view_default_camera();
    camera.orthographic = options->orthographic;
    if (options->azimuth_given)
        camera.azimuth = options->azimuth;
    if (options->elevation_given)
        camera.elevation = options->elevation;
    return camera;
}

// The camera comes no farther from a crowd than a viewer in front of its first row.
view_framing view_frame_document(view_camera *camera, const view_document *document,
                                 view_rect region)
{
    const view_crowd *const crowd = &document->crowd;
    view_frame_all(camera, document->bounds, &document->hull, region.width, region.height);
    const float nearest_view = crowd->spread + 2.0f * crowd->size;
    if (crowd->count > 0 && !camera->orthographic && camera->distance > nearest_view) {
        camera->distance = nearest_view;
        camera->target = view_centre(document->bounds);
    }
    return (view_framing){*camera, view_size(document->bounds), region.width, region.height};
}

bool view_is_framed(const view_framing *framing, const view_camera *camera)
{
    const md5_vec3 a = framing->camera.target, b = camera->target;
    return framing->width > 0.0f && camera->distance == framing->camera.distance && a.x == b.x
           && a.y == b.y && a.z == b.z;
}

bool view_holds_document(const view_framing *framing, const view_camera *camera,
                         const view_document *document, view_rect region)
{
    if (region.width != framing->width || region.height != framing->height
        || !(view_size(document->bounds) >= 0.5f * framing->size))
        return false;
    // The whole shape is visible, with a margin of 8 %.
    const float filled = 0.92f, half_y = filled * HALF_HEIGHT;
    const float half_x = half_y * region.width / region.height;
    const view_axes axes = view_camera_axes(camera);
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        if (fitting_distance(camera, &axes, document->hull.points[i], half_x, half_y)
            > camera->distance)
            return false;
    return true;
}

// That of the camera path, for a scene that is centred on `centre`.
static view_lens path_lens(const view_document *document, const view_play *play, md5_vec3 centre,
                           float scene_radius, float width, float height)
{
    const md5_camera_view view = view_camera_path_at(&document->scene.camera_path, play);
    // A file may hold any value; a field of view of 180 degrees has no projection.
    const float half_x = tanf(0.5f * view_radians(view_clamp(view.fov, 1.0f, 175.0f)));
    const float distance = md5_vec3_length(md5_vec3_sub(centre, view.position));
    return (view_lens){
        .eye = view.position,
        .axes = {.right = md5_quat_rotate(view.rotation, (md5_vec3){0, -1, 0}),
                 .up = md5_quat_rotate(view.rotation, (md5_vec3){0, 0, 1}),
                 .back = md5_quat_rotate(view.rotation, (md5_vec3){-1, 0, 0})},
        .half_x = half_x,
        .half_y = half_x * height / width,
        .near_z = 0.005f * scene_radius, // camera paths come close
        .far_z = distance + 60.0f * scene_radius,
    };
}

view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height)
{
    return path_lens(document, play, view_centre(document->bounds), camera->scene_radius, width,
                     height);
}

// The target is on the lens's axis at the depth of the centre, where sizes stay the same. Roll and
// field of view are lost.
void view_take_path(view_camera *camera, const view_document *document, const view_play *play,
                    float width, float height)
{
    const md5_vec3 walked = view_walked(&document->scene, play);
    const md5_vec3 centre = md5_vec3_add(view_centre(document->bounds), walked);
    const view_lens lens = path_lens(document, play, centre, camera->scene_radius, width, height);
    const md5_vec3 back = lens.axes.back;
    // The target cannot be behind the camera.
    const float depth =
        fmaxf(md5_vec3_dot(md5_vec3_sub(lens.eye, centre), back), 0.25f * camera->scene_radius);
    camera->azimuth = view_degrees(atan2f(back.y, back.x));
    camera->elevation = view_degrees(asinf(view_clamp(back.z, -1.0f, 1.0f)));
    camera->target = md5_vec3_sub(md5_vec3_sub(lens.eye, md5_vec3_scale(back, depth)), walked);
    camera->distance = depth * lens.half_y / HALF_HEIGHT;
    camera->orthographic = false;
}
