// The first lessons of the course: a line of a file, the two signs of a quaternion, a vertex
// through the shader, time, root motion.
#include "demo/viewer/pages/page.h"

#include "demo/viewer/assets/model_text.h"

// -- A line of .md5mesh ---------------------------------------------------------------------

// The lesson "line" displays the following code, up to "End of the displayed code".

// Reads a joint of the bind pose, in model space.
static bool read_joint(const char *line, char name[64], int *parent, md5_vec3 *p, md5_quat *q)
{
    static const char form[] = " \"%63[^\"]\" %d ( %f %f %f ) ( %f %f %f )";
    const int count = sscanf(line, form, name, parent, &p->x, &p->y, &p->z, &q->x, &q->y, &q->z);
    // The squares of all four numbers add up to 1. By convention, w is negative or 0.
    q->w = -sqrtf(fabsf(1.0f - (q->x * q->x + q->y * q->y + q->z * q->z)));
    return count == 8;
}

// End of the displayed code.

// Writes the line of a joint as text, and reads it with the displayed code. Shows the numbers of
// the line, and draws the axes of the joint and the bone to its parent.
VIEW_SHOW(line)
{
    (void)v;
    const uint32_t joint = view_page_joint(picture, view_word(picture, 0));
    const md5_joint *const written = &picture->skeleton->joints[joint];
    const md5_mat34 *const bind = picture->model->bind;
    view_text text = {0};
    view_append_joint(&text, written->name, written->parent, md5_xform_from_mat34(bind[joint]));

    char name[64];
    int parent = -1; // parent of a root
    md5_xform placement = {.rotation = {.w = 1}};
    if (!read_joint(text.text, name, &parent, &placement.translation, &placement.rotation))
        parent = -1;
    free(text.text);

    view_add_frame(picture, placement, 8);
    const md5_vec3 at = placement.translation;
    const md5_quat rotation = placement.rotation;
    const char *parent_name = "";
    if (parent >= 0) {
        view_page_line(picture, md5_mat34_translation(bind[parent]), at, VIEW_YELLOW);
        parent_name = picture->skeleton->joints[parent].name;
    }
    view_add_fact(picture, "parent", parent, parent_name);
    VIEW_FACTS(picture, at.x, at.y, at.z, rotation.x, rotation.y, rotation.z, rotation.w);
}

// -- q and -q -------------------------------------------------------------------------------

// The lesson "sign" displays the following code, up to "End of the displayed code".

// Interpolates between two unit quaternions. With `shorter`, negates one of them if this makes the
// rotation shorter.
static md5_quat interpolate_rotation(md5_quat a, md5_quat b, bool shorter, float t)
{
    float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (shorter && cosine < 0.0f) { // -b is the same rotation, but nearer
        b = (md5_quat){-b.x, -b.y, -b.z, -b.w};
        cosine = -cosine;
    }
    const float angle = acosf(fminf(fmaxf(cosine, -1.0f), 1.0f));
    const float sine = sinf(angle);
    if (sine < 1e-3f) // equal or opposite: the direction of the rotation is undefined
        return a;
    const float p = sinf((1.0f - t) * angle) / sine;
    const float q = sinf(t * angle) / sine;
    return (md5_quat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z, p * a.w + q * b.w};
}

// End of the displayed code.

// The sliders of the lesson, in the order of pages.txt, and its figures.
enum { SIGN_ANGLE, SIGN_T };
enum { FIGURE_WITHOUT_CHECK, FIGURE_SHORTER, NUM_SIGN_FIGURES };

// Draws the rotation of a figure on the ground. Draws an arc from its first direction to its
// current direction, and lines from the figure to both ends of the arc. `angle` is the angle of the
// rotation, radians; its sign is the sense of the rotation.
static void draw_rotation_arc(view_picture *picture, const view_figure *figure, float angle,
                              view_color color)
{
    enum { ARC_POINTS = 48 };
    const float radius = 26;
    const float height = 0.3f; // height above the ground
    const md5_vec3 center = {0, figure->placement.translation.y, height};
    view_draw_to(picture, center, 0);
    for (int i = 0; i <= ARC_POINTS; i++) {
        const float part = angle * (float)i / (float)ARC_POINTS;
        const md5_vec3 direction = {radius * cosf(part), radius * sinf(part), 0};
        view_draw_to(picture, md5_vec3_add(center, direction), color);
    }
    view_draw_to(picture, center, color);
}

// Rotates both figures about the vertical axis to the same final rotation. One figure rotates in
// the direction that the signs of the quaternions define, the other in the shorter direction. Draws
// both rotations, and plots their angles.
VIEW_SHOW(sign)
{
    static const view_color colors[NUM_SIGN_FIGURES] = {VIEW_RED, VIEW_GREEN};
    const float angle = view_radians(v[SIGN_ANGLE]);
    const float t = view_moving_part(picture, v[SIGN_T]);
    const md5_quat from = {.w = 1};
    const md5_quat to = {.z = sinf(0.5f * angle), .w = cosf(0.5f * angle)};
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const bool is_for_figures = i == VIEW_PAGE_POINTS; // the additional step
        const float part = (float)view_step_x(picture->plots, i, t);
        for (int k = 0; k < NUM_SIGN_FIGURES; k++) {
            view_figure *const figure = &picture->figures[k];
            const md5_quat rotation = interpolate_rotation(from, to, k == FIGURE_SHORTER, part);
            const float rotation_angle = 2 * acosf(view_clamp(rotation.w, -1, 1));
            view_plot_step(picture->plots, k, i, part, view_degrees(rotation_angle));
            if (is_for_figures) {
                figure->placement.rotation = rotation;
                draw_rotation_arc(picture, figure, copysignf(rotation_angle, rotation.z),
                                  colors[k]);
            }
        }
    }
    VIEW_FACTS(picture, to.w, v[SIGN_ANGLE], fminf(v[SIGN_ANGLE], 360 - v[SIGN_ANGLE]));
}

// -- One vertex through the shader ----------------------------------------------------------

// The lesson "vertex" displays the following code, up to "End of the displayed code".

// An influence is the position of the vertex in the bind pose times a weight, and the weight.
static md5_vec3 skin_vertex(const md5_mesh *mesh, uint32_t vertex, const md5_mat34 *palette)
{
    md5_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const float *const m = palette[mesh->influence_joints[i]].m;
        const md5_vec4 v = mesh->influences[i];
        sum.x += m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3] * v.w;
        sum.y += m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7] * v.w;
        sum.z += m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11] * v.w;
    }
    return sum;
}

// End of the displayed code.

// Draws how a joint moves a vertex. A green line leads from the joint to the position to which it
// alone would move the vertex. A blue line leads from there to `skinned`, the weighted mean over
// all joints. `influence` is the bind position of the vertex times its weight, and the weight.
static void draw_influence(view_picture *picture, uint32_t joint, md5_vec4 influence,
                           md5_mat34 matrix, md5_vec3 skinned)
{
    const md5_vec3 weighted_position = {influence.x, influence.y, influence.z};
    const md5_vec3 bind_position = md5_vec3_scale(weighted_position, 1 / influence.w);
    const md5_vec3 by_joint = md5_mat34_point(matrix, bind_position);
    const md5_vec3 joint_position = view_joint_position(picture, &picture->figures[0], joint);
    view_page_line(picture, joint_position, by_joint, VIEW_GREEN);
    view_page_line(picture, by_joint, skinned, VIEW_BLUE);
    view_add_fact(picture, "weight", influence.w, picture->skeleton->joints[joint].name);
    view_add_fact(picture, "moved to the height", by_joint.z, "units");
}

// Skins a vertex with the displayed code, and shows how each of its joints moves it.
VIEW_SHOW(vertex)
{
    enum { NUM_POSITIONS = 400 };           // positions of the slider that selects a vertex
    enum { SLIDER_VERTEX, SLIDER_SECONDS }; // in the order of pages.txt
    const md5_mesh *const mesh = &picture->model->meshes[0]; // the body of the character
    const view_figure *const figure = &picture->figures[0];
    view_sample_clip(picture, "walk", v[SLIDER_SECONDS], figure->pose);
    md5_mat34 *const palette = common_alloc(picture->scene->num_joints, sizeof *palette);
    md5_local_to_palette(picture->model, figure->pose, NULL, palette);

    const uint32_t last_vertex = mesh->num_vertices - 1;
    const uint32_t vertex = view_choice(picture, SLIDER_VERTEX) * last_vertex / NUM_POSITIONS;
    const md5_vec3 skinned = skin_vertex(mesh, vertex, palette);
    view_page_cross(picture, skinned, 2, VIEW_RED);
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const uint32_t joint = mesh->influence_joints[i];
        const bool has_weight = mesh->influences[i].w > 0;
        if (has_weight)
            draw_influence(picture, joint, mesh->influences[i], palette[joint], skinned);
    }
    VIEW_FACTS(picture, skinned.z);
    free(palette);
}

// -- Time -----------------------------------------------------------------------------------

// The lesson "time" displays the following code, up to "End of the displayed code".

enum { LOOP, CYCLE, CLAMP };

static double frame_at(double seconds, double rate, int frames, int after, int *frame0, int *frame1)
{
    // The last frame of a loop equals its first frame.
    // A cycle continues from the last to the first.
    const int intervals = after == CYCLE ? frames : frames - 1;
    double position = seconds * rate;
    if (after == CLAMP)
        position = fmin(fmax(position, 0.0), intervals);
    else
        position -= intervals * floor(position / intervals); // also for negative positions
    *frame0 = (int)position;
    *frame1 = after == CLAMP && *frame0 == intervals ? *frame0 : (*frame0 + 1) % frames;
    return position; // its fraction is the weight of frame1
}

// End of the displayed code.

// The sliders and choices of the lesson, in the order of pages.txt.
enum { TIME_AFTER_END, TIME_FRAME_RATE, TIME_FRAMES, TIME_SCALE };

// Poses a figure between two frames of the walk. The walk is treated as a clip with `num_intervals`
// intervals between its frames. `fraction` is the weight of the second frame.
static void pose_between_frames(view_picture *picture, const int frames[2], int num_intervals,
                                float fraction)
{
    const view_clip *const walk = view_page_clip(picture, "walk");
    const double duration = walk != NULL ? walk->anim->duration : 1;
    md5_xform *const pose = picture->figures[0].pose;
    md5_xform *const poses[2] = {pose, view_spare_pose(picture, 0)};
    for (int k = 0; k < 2; k++)
        view_sample_clip(picture, "walk", duration * frames[k] / num_intervals, poses[k]);
    md5_blend_poses(poses[0], poses[1], fraction, NULL, picture->scene->num_joints, pose);
}

// Plays the walk as a clip with the selected number of frames. The displayed code computes two
// frames and the fraction between them, which pose the figure. Plots the position in frames.
VIEW_SHOW(time)
{
    const int after = (int)view_choice(picture, TIME_AFTER_END);
    const double frame_rate = v[TIME_FRAME_RATE];
    const int num_frames = (int)view_choice(picture, TIME_FRAMES);
    const double time_scale = v[TIME_SCALE];
    const int num_intervals = after == CYCLE ? num_frames : num_frames - 1;
    view_plot *const plot = picture->plots;
    plot->row.high.y = (float)num_frames;
    const double current_time = fmod(picture->time, plot->row.high.x);

    // The last step computes the frames and the position of the figure.
    double clip_time = 0;
    double position = 0;
    int frames[2];
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const double time = view_step_x(plot, i, current_time);
        clip_time = time_scale * time;
        position = frame_at(clip_time, frame_rate, num_frames, after, &frames[0], &frames[1]);
        view_plot_step(plot, 0, i, time, position);
        view_plot_step(plot, 1, i, time, frames[0]);
    }
    const double fraction = position - frames[0];
    pose_between_frames(picture, frames, num_intervals, (float)fraction);
    VIEW_FACTS(picture, clip_time, frames[0], frames[1], fraction);
    VIEW_FACTS(picture, num_intervals / frame_rate);
}

// -- Root motion ----------------------------------------------------------------------------

// The lesson "root" displays the following code, up to "End of the displayed code".

// Returns the motion of the root between two times: whole cycles, plus a part of a cycle.
static md5_vec3 moved_between(const md5_vec3 *root, uint32_t num_frames, double from_time,
                              double to_time)
{
    const double times[2] = {from_time, to_time};
    const uint32_t last = num_frames - 1;
    const md5_vec3 cycle = md5_vec3_sub(root[last], root[0]);
    md5_vec3 at[2];
    for (int i = 0; i < 2; i++) {
        const double num_cycles = floor(times[i] / last);
        const double rest = times[i] - num_cycles * last;
        const uint32_t frame = rest < last ? (uint32_t)rest : last - 1;
        at[i] = md5_vec3_lerp(root[frame], root[frame + 1], (float)(rest - frame));
        at[i] = md5_vec3_add(at[i], md5_vec3_scale(cycle, (float)num_cycles));
    }
    return md5_vec3_sub(at[1], at[0]);
}

// End of the displayed code.

// Returns the position of the clip's root in each frame. The caller frees them.
static md5_vec3 *sample_root(const view_clip *clip, md5_xform *scratch)
{
    const uint32_t num_frames = clip->anim->num_frames;
    md5_vec3 *const root = common_alloc(num_frames, sizeof *root);
    for (uint32_t i = 0; i < num_frames; i++) {
        md5_sample(clip->binding, md5_sample_position_from_frames(clip->anim, i, i, 0),
                   MD5_ROOT_FILE, scratch);
        root[i] = scratch[0].translation;
    }
    return root;
}

// Plots the position of the clip's root, which returns to its start in each cycle. Also plots the
// sum of the root motion over all images, which does not return. `rate` is in frames per second.
// Returns the sum at the end of the plot.
static md5_vec3 plot_root(view_plot *plot, const md5_vec3 *root, uint32_t num_frames, double rate)
{
    enum { SERIES_POSITION, SERIES_SUM };
    const double step = plot->row.high.x / (double)VIEW_PAGE_STEPS; // seconds
    const uint32_t last_frame = num_frames - 1;
    md5_vec3 sum = {0, 0, 0};
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const double time = view_plot_x(plot, i);
        if (i > 0) {
            const double before = rate * (time - step);
            sum = md5_vec3_add(sum, moved_between(root, num_frames, before, rate * time));
        }
        const double frame_in_cycle = fmod(rate * time, last_frame);
        const md5_vec3 position = moved_between(root, num_frames, 0, frame_in_cycle);
        view_add_point(plot, SERIES_POSITION, time, position.x);
        view_add_point(plot, SERIES_SUM, time, sum.x);
    }
    return sum;
}

// Compares the position of the clip's root with the sum of its root motion. The root motion moves
// the first figure; the second stays at its place.
VIEW_SHOW(root)
{
    const double time_scale = v[0];
    const view_clip *const walk = view_page_clip(picture, "walk");
    if (walk == NULL || walk->anim->num_frames < 2)
        return;
    const double rate = time_scale * walk->anim->frame_rate; // frames per second
    const uint32_t num_frames = walk->anim->num_frames;
    const uint32_t last_frame = num_frames - 1;
    md5_vec3 *const root = sample_root(walk, view_spare_pose(picture, 0));
    const md5_vec3 sum = plot_root(picture->plots, root, num_frames, rate);

    // The box of the picture contains the whole path of the first figure, at any rate.
    const float reach = 24; // from the root to the tip of a foot in the longest stride, units
    picture->bounds.max.x = sum.x + reach;

    const double current_time = fmod(picture->time, picture->plots->row.high.x);
    const md5_vec3 displacement = moved_between(root, num_frames, 0, rate * current_time);
    const md5_vec3 cycle = moved_between(root, num_frames, 0, last_frame);
    for (int i = 0; i < 2; i++)
        view_sample_clip(picture, "walk", time_scale * current_time, picture->figures[i].pose);
    picture->figures[0].placement.translation.x += displacement.x;
    picture->labels[0].position.x += displacement.x; // the label of the first figure moves with it
    view_add_mark(picture->plots, current_time, displacement.x, VIEW_YELLOW);
    VIEW_FACTS(picture, current_time, last_frame / rate, cycle.x, displacement.x, sum.x);
    free(root);
}
