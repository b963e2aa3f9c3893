// One frame: background, ground, model, lines, panel.
#include "demo/viewer/app/view.h"

#include "demo/viewer/base/math.h"

static const view_color sky = 0x47515FFF, floor_color = 0x262B33FF;

// Where nothing covers it, the gradient's middle.
static const float middle[3] = {0.214f, 0.243f, 0.286f};

md5_vec3 view_walked(const view_state *viewer)
{
    const md5_anim *const anim = view_shown_anim(&viewer->scene);
    if (viewer->scene.machine.player != NULL && !viewer->scene.bind_pose)
        return viewer->scene.machine.place.translation;
    if (anim == NULL || viewer->scene.root != MD5_ROOT_ID)
        return (md5_vec3){0, 0, 0};
    const md5_moment begin = {0}, now = view_moment(&viewer->play, anim);
    return md5_root_motion(anim, &begin, &now);
}

// Of the flight at this moment, for a picture of that shape.
static view_lens flight_lens(const view_state *viewer, float width, float height)
{
    const md5_camera_view view = view_flight_at(&viewer->scene.flight, &viewer->play);
    return view_flight_lens(&view, view_centre(viewer->bounds), viewer->camera.scene_radius, width,
                            height);
}

static view_lens choose_lens(const view_state *viewer, float width, float height)
{
    if (viewer->flying)
        return flight_lens(viewer, width, height);
    view_camera camera = viewer->camera;
    camera.target = view_add(camera.target, view_walked(viewer));
    return view_camera_lens(&camera, width, height);
}

static md5gl_frame describe_frame(const view_state *viewer, md5gl_target *target, uint32_t width,
                                  uint32_t height, bool transparent, view_lens *lens,
                                  md5gl_point_light points[VIEW_NUM_POINTS])
{
    md5gl_frame frame = {.target = target, .width = width, .height = height};
    const float *const color =
        viewer->options->background_given ? viewer->options->background : middle;
    for (int i = 0; i < 3; i++)
        frame.background[i] = transparent ? 0.0f : color[i];
    frame.background[3] = transparent ? 0.0f : 1.0f;
    *lens = choose_lens(viewer, (float)width, (float)height);
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);

    view_set_lights(viewer, lens->axes, points, &frame);
    return frame;
}

static void draw_background(view_state *viewer, float width, float height)
{
    view_clear_canvas(&viewer->canvas);
    view_draw_gradient(&viewer->canvas, (view_rect){0, 0, width, height}, sky, floor_color);
    md5gl_draw_panel(viewer->renderer, viewer->font.mask, viewer->canvas.vertices,
                     viewer->canvas.count);
}

// Squares that are small beside the model and of a size that people count in: 1, 10, 100 units.
static void draw_grid(view_state *viewer)
{
    const float radius = viewer->camera.scene_radius;
    const float cell = powf(10.0f, floorf(log10f(radius * 0.6f)));
    const md5_vec3 centre = view_add(view_centre(viewer->bounds), view_walked(viewer));
    md5gl_draw_grid(viewer->renderer, viewer->ground, cell,
                    (md5_vec3){centre.x, centre.y, viewer->ground}, 7.0f * radius);
}

static bool draw_model(view_state *viewer, md5_error *error)
{
    const view_shown *const shown = &viewer->shown;
    if (viewer->drawn == NULL)
        return true;
    uint32_t style = MD5GL_LIT;
    if (shown->untextured)
        style |= MD5GL_UNTEXTURED;
    if (shown->edges)
        style |= MD5GL_WIREFRAME;
    if (viewer->crowd.count > 0) {
        if (!view_pose_crowd(viewer, error))
            return false;
        view_shade_crowd(viewer);
        view_draw_crowd(viewer, style);
        return true;
    }
    view_set_materials(viewer, &viewer->textures, viewer->drawn);
    if (!md5gl_pose_models(viewer->renderer, viewer->drawn, viewer->scene.palette, NULL, 1, error)
        || !view_pose_companions(viewer, error))
        return false;
    md5gl_draw_shadows(viewer->renderer, viewer->drawn);
    view_shade_companions(viewer);
    md5gl_draw_posed(viewer->renderer, viewer->drawn, style);
    view_draw_companions(viewer, style);
    return true;
}

static void draw_boxes(view_state *viewer, view_lines *lines)
{
    const md5_anim *const anim = view_shown_anim(&viewer->scene);
    view_add_bounds(lines, view_pose_bounds(&viewer->scene), 0xE8ECF2FF);
    if (anim == NULL || anim->frame_bounds == NULL)
        return;
    const md5_moment moment = view_moment(&viewer->play, anim);
    const md5_root root = viewer->scene.root;
    md5_bounds box = md5_anim_bounds(anim, &moment, root);
    // With that root the box is about the origin joint.
    if (root == MD5_ROOT_ID) {
        box.min = view_add(box.min, viewer->scene.pose[0].translation);
        box.max = view_add(box.max, viewer->scene.pose[0].translation);
    }
    view_add_bounds(lines, box, 0xE0A03CFF);
}

// The flight from outside: its path, and what it sees now.
static void draw_flight(const view_state *viewer, view_lines *lines, float aspect)
{
    const float radius = viewer->camera.scene_radius;
    const view_lens lens = flight_lens(viewer, aspect, 1.0f);
    view_add_path(lines, &viewer->scene.flight, 0.05f * radius);
    view_add_lens(lines, &lens, 0.3f * radius, 0xF1F3F6FF);
}

static void draw_overlays(view_state *viewer, float aspect)
{
    const view_shown *const shown = &viewer->shown;
    view_lines *const lines = &viewer->lines;
    const float radius = viewer->camera.scene_radius, width = viewer->font.scale;

    view_clear_lines(lines);
    if (shown->normals || shown->bounds)
        view_skin(&viewer->scene);
    if (shown->normals)
        view_add_normals(lines, &viewer->scene, 0.025f * radius);
    if (shown->bounds)
        draw_boxes(viewer, lines);
    if (viewer->scene.steps.num_feet > 0 && viewer->scene.skeleton != NULL)
        view_add_blocks(lines, &viewer->scene.steps, view_translation(&viewer->scene.joints[0]));
    if (!viewer->flying && viewer->scene.flight.camera != NULL)
        draw_flight(viewer, lines, aspect);
    if (lines->count > 0)
        md5gl_draw_lines(viewer->renderer, lines->vertices, lines->count, width, false);

    // What lies inside the model is seen through it.
    view_clear_lines(lines);
    if (shown->axes)
        view_add_axes(lines, radius);
    // Joints alone are all there is to see.
    if (shown->skeleton || viewer->scene.model == NULL)
        view_add_skeleton(lines, &viewer->scene, 0.03f * radius);
    if (lines->count > 0)
        md5gl_draw_lines(viewer->renderer, lines->vertices, lines->count, 1.5f * width, true);
}

static void draw_text(view_state *viewer, float width, float height)
{
    view_clear_canvas(&viewer->canvas);
    viewer->layout = (view_layout){0};
    if (viewer->shown.panel)
        view_draw_panel(viewer, width, height);
    view_draw_lists(viewer, width, height);
    if (viewer->canvas.count > 0)
        md5gl_draw_panel(viewer->renderer, viewer->font.mask, viewer->canvas.vertices,
                         viewer->canvas.count);
}

// Only what the picture shows is posed.
static void run_crowd(view_state *viewer, const view_lens *lens, const md5gl_frame *frame)
{
    view_sight sight = view_make_sight(lens, frame, fminf(viewer->ground, viewer->bounds.min.z));
    sight.all = !viewer->crowd.culls;
    view_run_crowd(&viewer->crowd, viewer->play.time, &sight);
}

// Where the driver does not take the shaders, tells why and goes on as before.
static void blend_as_chosen(view_state *viewer, md5gl_model *drawn)
{
    md5_error error;
    const md5gl_blending wanted = viewer->scene.dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    if (drawn == NULL || md5gl_model_blending(drawn) == wanted
        || md5gl_set_blending(viewer->renderer, drawn, wanted, &error))
        return;
    view_log_error(&viewer->log, &error);
    viewer->scene.dual = false;
}

// All that is drawn, alike.
static void blend_all(view_state *viewer)
{
    blend_as_chosen(viewer, viewer->drawn);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        blend_as_chosen(viewer, viewer->companions[i].drawn);
    for (uint32_t i = 0; i < viewer->crowd.num_kinds; i++)
        blend_as_chosen(viewer, viewer->crowd.kinds[i].drawn);
}

bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error)
{
    // First of all: a machine's character walks, and the camera goes along. In a crowd the camera
    // says who is seen.
    if (viewer->crowd.count == 0)
        view_pose(&viewer->scene, &viewer->play);
    blend_all(viewer);
    if (viewer->scene.dual && viewer->crowd.count == 0) // for the box of what casts shadows
        view_skin(&viewer->scene);
    md5gl_point_light points[VIEW_NUM_POINTS];
    view_lens lens;
    const md5gl_frame frame =
        describe_frame(viewer, target, width, height, transparent, &lens, points);
    if (viewer->crowd.count > 0)
        run_crowd(viewer, &lens, &frame);

    md5gl_begin_frame(viewer->renderer, &frame);
    if (!transparent && !viewer->options->background_given)
        draw_background(viewer, (float)width, (float)height);
    md5_error draw_error;
    const bool drawn = draw_model(viewer, &draw_error);
    // Blended and without depth of its own: after what it would show through.
    const bool level = viewer->scene.steps.num_feet == 0;
    if (level && !transparent && drawn && viewer->drawn != NULL)
        md5gl_draw_ground(viewer->renderer, view_centre(frame.casters),
                          3.0f * viewer->camera.scene_radius);
    if (level && viewer->shown.grid)
        draw_grid(viewer);
    draw_overlays(viewer, (float)width / (float)height);
    if (!clean)
        draw_text(viewer, (float)width, (float)height);
    const bool ended = md5gl_end_frame(viewer->renderer, error);
    if (!drawn && error != NULL)
        *error = draw_error;
    return drawn && ended;
}
