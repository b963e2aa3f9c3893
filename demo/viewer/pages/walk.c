// Legs that walk by rules alone: steps that are planned, feet that are placed.
#include "demo/viewer/pages/families.h"

#include "md5/md5pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PRINTS = 96 };

// A walk begins again after this time; steps are computed at 120 in a second.
static const double span = 16.0, tick = 1.0 / 120.0;

// Seconds that the plot shows.
static const double shown = 4.0;

// -- Ground ---------------------------------------------------------------------------------

typedef struct hills {
    float height; // units
} hills;

static float height_at(const hills *ground, float x, float y)
{
    return ground->height * (sinf(0.071f * x) * cosf(0.083f * y) + 0.5f * sinf(0.11f * y + 1.0f));
}

static float terrain(void *user, md5_vec3 at, md5_vec3 *normal)
{
    const float height = height_at(user, at.x, at.y);
    *normal = (md5_vec3){height - height_at(user, at.x + 1.0f, at.y),
                         height - height_at(user, at.x, at.y + 1.0f), 1.0f};
    return height;
}

// lines of walk
static void walk_on(const md5_walk_desc *desc, md5_walk *walk, float speed, float direction,
                    float turn, double seconds)
{
    const md5_vec3 velocity = {speed * cosf(direction), speed * sinf(direction), 0.0f};
    md5_walk_advance(desc, walk, velocity, turn, seconds);
}

static void pose_walker(const md5_walk_desc *desc, const md5_walk *walk, md5_xform *pose,
                        md5_xform *place)
{
    *place = md5_walk_placement(walk);
    md5_walk_pose(desc, walk, pose);
}
// end of lines

// -- Simulation -----------------------------------------------------------------------------

// What the walk has done until now.
typedef struct walked {
    md5_vec3 prints[MOST_PRINTS]; // where feet were placed, the newest going round
    uint32_t num_prints;
    bool stood[MD5_MAX_LEGS];      // in the last pose
    md5_vec3 stands[MD5_MAX_LEGS]; // where the ankle was posed when it came to stand
    double slid;                   // the farthest that a posed ankle moved while it stood
} walked;

static void watch_steps(const md5_walk *before, const md5_walk *after, walked *seen)
{
    for (uint32_t i = 0; i < after->num_legs; i++)
        if (before->feet[i].is_stepping && !after->feet[i].is_stepping)
            seen->prints[seen->num_prints++ % MOST_PRINTS] = after->feet[i].position;
}

// Whether the ankles of what stands do so, as they are posed.
static void watch_ankles(view_picture *picture, const md5_walk_desc *desc, const md5_walk *walk,
                         walked *seen)
{
    md5_xform *const pose = view_spare_pose(picture, 1), place;
    memcpy(pose, picture->scene->model->bind_local, picture->scene->num_joints * sizeof *pose);
    pose_walker(desc, walk, pose, &place);
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const md5_xform ankle = md5_joint_in_model(desc->skeleton, pose, desc->legs[i].limb.tip);
        const md5_vec3 at = md5_xform_point(place, ankle.translation);
        const bool stands = !walk->feet[i].is_stepping;
        if (stands && !seen->stood[i])
            seen->stands[i] = at;
        if (stands)
            seen->slid =
                fmax(seen->slid, (double)md5_vec3_length(md5_vec3_sub(at, seen->stands[i])));
        seen->stood[i] = stands;
    }
}

// A leg is in the air: a point of its line in the plot is higher.
static void plot_feet(const md5_walk *walk, float time, view_plot *plot)
{
    for (uint32_t i = 0; i < plot->num_series && i < walk->num_legs; i++) {
        view_series *const series = &plot->series[i];
        if (series->count < VIEW_PAGE_POINTS)
            series->points[series->count++] =
                (md5_vec2){time, -(float)i + (walk->feet[i].is_stepping ? 0.6f : 0.0f)};
    }
}

static void simulate(view_picture *picture, const md5_walk_desc *desc, double now, md5_walk *walk,
                     walked *seen)
{
    const float *const v = picture->values;
    const int steps = (int)(now / tick), first = steps - (int)(shown / tick);
    for (int i = 0; i < steps; i++) {
        const md5_walk before = *walk;
        walk_on(desc, walk, v[0], v[1] / 57.2957795f, v[2] / 57.2957795f, tick);
        watch_steps(&before, walk, seen);
        if (i >= first)
            watch_ankles(picture, desc, walk, seen);
        if (i >= first && i % 4 == 0)
            plot_feet(walk, (float)((i - steps) * tick), &picture->plots[0]);
    }
}

// -- Lines ----------------------------------------------------------------------------------

static void draw_ground(view_picture *picture, const hills *ground, md5_vec3 centre)
{
    enum { CELLS = 14 };
    const float cell = 8.0f;
    const float x0 = floorf(centre.x / cell - 0.5f * (float)CELLS) * cell,
                y0 = floorf(centre.y / cell - 0.5f * (float)CELLS) * cell;
    for (int i = 0; i <= CELLS; i++)
        for (int k = 0; k <= CELLS; k++) {
            const float x = x0 + cell * (float)i, y = y0 + cell * (float)k;
            const md5_vec3 at = {x, y, height_at(ground, x, y)};
            const md5_vec3 right = {x + cell, y, height_at(ground, x + cell, y)},
                           ahead = {x, y + cell, height_at(ground, x, y + cell)};
            if (i < CELLS)
                view_add_stroke(picture, at, right, VIEW_DIM_LINE);
            if (k < CELLS)
                view_add_stroke(picture, at, ahead, VIEW_DIM_LINE);
        }
}

// Where each foot stands, or from where and to where it steps, along its arc.
static void draw_feet(view_picture *picture, const md5_walk *walk)
{
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const md5_foothold *const foot = &walk->feet[i];
        if (!foot->is_stepping) {
            view_add_cross(picture, foot->position, 2.5f, VIEW_GREEN);
            continue;
        }
        view_add_cross(picture, foot->to, 3.0f, VIEW_YELLOW);
        md5_vec3 last = foot->from;
        for (int k = 1; k <= 16; k++) {
            const float t = (float)k / 16.0f;
            md5_vec3 at = md5_vec3_lerp(foot->from, foot->to, t);
            at.z += 16.0f * foot->lift * t * t * (1.0f - t) * (1.0f - t);
            view_add_stroke(picture, last, at, VIEW_YELLOW);
            last = at;
        }
    }
}

static void draw_prints(view_picture *picture, const walked *seen)
{
    const uint32_t count = seen->num_prints < MOST_PRINTS ? seen->num_prints : MOST_PRINTS;
    for (uint32_t i = 0; i < count; i++)
        view_add_cross(picture, seen->prints[i], 1.0f, VIEW_BLUE);
}

// -- Picture --------------------------------------------------------------------------------

static void begin_plot(view_picture *picture, uint32_t num_legs)
{
    static const view_color colors[] = {VIEW_RED,    VIEW_GREEN,  VIEW_BLUE,
                                        VIEW_YELLOW, VIEW_VIOLET, VIEW_CYAN};
    static const char *const names[] = {"front left",   "front right", "middle left",
                                        "middle right", "back left",   "back right"};
    view_add_plot(picture, "feet in the air", "seconds", (md5_vec2){-(float)shown, -5.4f},
                  (md5_vec2){0.0f, 1.0f});
    for (uint32_t i = 0; i < VIEW_PAGE_SERIES && i < num_legs; i++)
        view_add_series(picture, names[i], colors[i]);
}

static void show_walk(view_picture *picture)
{
    const float *const v = picture->values;
    const view_scene *const scene = picture->scene;
    hills ground = {.height = v[3]};
    view_legs legs;
    view_show_box(picture, (md5_vec3){-60.0f, -60.0f, 0.0f}, (md5_vec3){60.0f, 60.0f, 60.0f});
    if (view_find_legs(scene, &legs) == 0)
        return;
    const md5_walk_desc desc = {.skeleton = scene->skeleton,
                                .legs = legs.legs,
                                .num_legs = legs.num_legs,
                                .num_groups = 2,
                                .body = legs.body,
                                .terrain = terrain,
                                .user = &ground,
                                .step_height = v[4],
                                .bank = 0.001f * v[5]};
    md5_walk walk;
    walked seen = {.num_prints = 0};
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    (void)md5_walk_begin(&desc, figure->pose, figure->place, &walk);
    begin_plot(picture, legs.num_legs);
    simulate(picture, &desc, fmod(fmax(picture->time, 0.0), span), &walk, &seen);
    pose_walker(&desc, &walk, figure->pose, &figure->place);
    view_point_pistons(&legs, scene->skeleton, figure->pose);
    draw_ground(picture, &ground, walk.position);
    draw_prints(picture, &seen);
    draw_feet(picture, &walk);
    const md5_vec3 at = walk.position;
    view_show_box(picture, (md5_vec3){at.x - 34.0f, at.y - 34.0f, at.z - 6.0f},
                  (md5_vec3){at.x + 34.0f, at.y + 34.0f, at.z + 32.0f});
    picture->has_no_floor = true;
    md5_xform *const again = view_spare_pose(picture, 0);
    memcpy(again, scene->model->bind_local, scene->num_joints * sizeof *again);
    view_add_fact(picture, "legs that reach", (double)md5_walk_pose(&desc, &walk, again), "");
    view_add_fact(picture, "feet placed", (double)seen.num_prints, "");
    view_add_fact(picture, "a standing ankle moved", seen.slid, "units in 4 s");
    view_add_fact(picture, "a step takes", (double)walk.seconds, "s");
    view_add_fact(picture, "speed", (double)md5_vec3_length(walk.velocity), "units/s");
    view_add_fact(picture, "body tilts", acos(fmin((double)walk.normal.z, 1.0)) * 57.29577951,
                  "degrees");
}

const view_page view_page_walk = {
    .name = "walk",
    .title = "Walking by rules",
    .family = "Inverse kinematics",
    .about = "No clip: a group of legs steps when its feet lag behind. Each step is planned "
             "(yellow) to where the foot's rest position will be; planted feet (green) do not "
             "move. Blue: footprints.",
    .model = "thimble/thimble.md5mesh",
    .start = 3.3,
    .sliders = {{"speed, units/s", 0.0f, 50.0f, 18.0f, NULL, false},
                {"direction, degrees", -180.0f, 180.0f, 0.0f, NULL, false},
                {"turn, degrees/s", -60.0f, 60.0f, 20.0f, NULL, false},
                {"hills, units", 0.0f, 8.0f, 4.0f, NULL, false},
                {"step height, units", 0.5f, 12.0f, 3.0f, NULL, false},
                {"lean into curves", 0.0f, 5.0f, 1.0f, NULL, false}},
    .num_sliders = 6,
    .show = show_walk,
};
