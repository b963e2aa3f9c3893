// Easings, timing functions, and parameters that follow a target.
#include "demo/viewer/pages/page.h"

#include "md5/md5pose.h"

#include <math.h>

static const char *easing_word(float value)
{
    return md5_easing_name((md5_ease_kind)(int)value);
}

// Bobbin walks across the ground from left to right by the eased part, and stands again.
static void add_walker(view_picture *picture, float part, float along)
{
    const float left = -30.0f, right = 30.0f;
    view_figure *const figure = view_add_figure(picture, 0.0f, left + (right - left) * along);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    view_add_stroke(picture, (md5_vec3){0.0f, left, 0.2f}, (md5_vec3){0.0f, right, 0.2f},
                    VIEW_DIM_LINE);
    view_add_cross(picture, (md5_vec3){0.0f, left + (right - left) * part, 0.2f}, 3.0f, VIEW_RED);
    view_show_box(picture, (md5_vec3){-22.0f, -52.0f, 0.0f}, (md5_vec3){12.0f, 52.0f, 54.0f});
}

static void plot_curve(view_picture *picture, const md5_easing *curve, float part)
{
    view_add_plot(picture, "eased value", "part of the time", (md5_vec2){0.0f, -0.4f},
                  (md5_vec2){1.0f, 1.4f});
    view_add_series(picture, "linear", VIEW_DIM_LINE);
    view_add_point(picture, 0.0f, 0.0f);
    view_add_point(picture, 1.0f, 1.0f);
    view_add_series(picture, "eased", VIEW_YELLOW);
    for (int i = 0; i <= 128; i++) {
        const float t = (float)i / 128.0f;
        view_add_point(picture, t, md5_ease(*curve, t));
    }
    view_add_mark(picture, part, md5_ease(*curve, part), VIEW_RED);
}

// The part of the time: there in `seconds`, a rest of half a second, and again.
static float part_of_time(const view_picture *picture, float seconds)
{
    const double turn = fmod(picture->time, (double)seconds + 0.5);
    return fminf((float)(turn / (double)seconds), 1.0f);
}

// lines of easing
static float ease_part(md5_ease_kind easing, double elapsed, double duration)
{
    return md5_ease((md5_easing){.kind = easing}, (float)(elapsed / duration));
}
// end of lines

static void show_easing(view_picture *picture)
{
    const md5_easing curve = {.kind = (md5_ease_kind)view_choice(picture, 0)};
    const float part = part_of_time(picture, picture->values[1]);
    const float eased = ease_part(curve.kind, (double)part, 1.0);
    add_walker(picture, part, eased);
    plot_curve(picture, &curve, part);
    view_add_fact(picture, "part of the time", (double)part, "");
    view_add_fact(picture, "eased value", (double)eased, "");
    // The slope, from both sides, until he is there.
    const float step = 1e-3f;
    const float slope = (md5_ease(curve, part + step) - md5_ease(curve, part - step))
                        / (fminf(part + step, 1.0f) - fmaxf(part - step, 0.0f));
    view_add_fact(picture, "speed, linear = 1", part < 1.0f ? (double)slope : 0.0, "");
}

const view_page view_page_easing = {
    .name = "easing",
    .title = "Easing",
    .family = "Easing",
    .about = "An easing maps time to progress, both from 0 to 1: the families of easings.net, each "
             "in, out and in-out, and the square root. The red cross moves linearly.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.7,
    .sliders = {{"easing", 0.0f, (float)(MD5_EASE_CUBIC_BEZIER - 1), (float)MD5_EASE_BACK_OUT,
                 easing_word, false},
                {"seconds", 0.5f, 4.0f, 2.0f, NULL, false}},
    .num_sliders = 2,
    .show = show_easing,
};

// -- Curves with parameters -----------------------------------------------------------------

static const char *kind_word(float value)
{
    return value < 0.5f ? "cubic Bézier" : "steps";
}

// lines of timing
static float timed_part(bool is_staircase, const float points[4], uint32_t steps, float t)
{
    const md5_easing bezier = {.kind = MD5_EASE_CUBIC_BEZIER,
                               .x1 = points[0],
                               .y1 = points[1],
                               .x2 = points[2],
                               .y2 = points[3]};
    const md5_easing staircase = {.kind = MD5_EASE_STEPS, .steps = steps};
    return md5_ease(is_staircase ? staircase : bezier, t);
}
// end of lines

static void show_timing(view_picture *picture)
{
    const float *const v = picture->values;
    const bool is_staircase = view_choice(picture, 0) == 1;
    const md5_easing curve = {.kind = is_staircase ? MD5_EASE_STEPS : MD5_EASE_CUBIC_BEZIER,
                              .x1 = v[1],
                              .y1 = v[2],
                              .x2 = v[3],
                              .y2 = v[4],
                              .steps = (uint32_t)view_choice(picture, 5)};
    const float part = part_of_time(picture, 2.0f);
    const float eased = timed_part(is_staircase, &v[1], curve.steps, part);
    add_walker(picture, part, eased);
    plot_curve(picture, &curve, part);
    if (!is_staircase) {
        view_add_series(picture, "control", VIEW_BLUE);
        view_add_point(picture, 0.0f, 0.0f);
        view_add_point(picture, v[1], v[2]);
        view_add_point(picture, v[3], v[4]);
        view_add_point(picture, 1.0f, 1.0f);
        view_add_mark(picture, v[1], v[2], VIEW_BLUE);
        view_add_mark(picture, v[3], v[4], VIEW_BLUE);
    }
    view_add_fact(picture, "part of the time", (double)part, "");
    view_add_fact(picture, "eased value", (double)eased, "");
}

const view_page view_page_timing = {
    .name = "timing",
    .title = "Cubic Bézier and steps",
    .family = "Easing",
    .about = "The timing functions of CSS: a cubic Bézier curve with two control points, or steps.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 1.0,
    .sliders = {{"kind", 0.0f, 1.0f, 0.0f, kind_word, false},
                {"x1", 0.0f, 1.0f, 0.42f, NULL, false},
                {"y1", -0.4f, 1.4f, 0.0f, NULL, false},
                {"x2", 0.0f, 1.0f, 0.58f, NULL, false},
                {"y2", -0.4f, 1.4f, 1.0f, NULL, false},
                {"steps", 1.0f, 12.0f, 5.0f, NULL, true}},
    .num_sliders = 6,
    .show = show_timing,
};

// == Following =============================================================================
//
// Parameters that follow a target: Bobbin's head looks at a ball that jumps from side to side.

static const char *manner_word(float value)
{
    static const char *const words[] = {"smoothing", "spring", "easing"};
    return words[(int)value < 3 ? (int)value : 2];
}

// The ball jumps every second and a half.
static const double beat = 1.5, rate = 240.0;

static float ball_at(double time)
{
    return fmod(floor(time / beat), 2.0) < 0.5 ? -1.0f : 1.0f;
}

typedef struct follower {
    int manner;
    float speed, damping, seconds; // damping: 1 is critical; seconds: of an easing
    float value, velocity;
    float from, target; // of an easing
    double since;
} follower;

// lines of follow
static void follow(follower *f, float target, float dt)
{
    if (f->manner == 0)
        f->value += (target - f->value) * md5_follow_share(f->speed, dt);
    else if (f->manner == 1)
        md5_follow_spring(target, f->speed * f->speed, 2.0f * f->damping * f->speed, dt, &f->value,
                          &f->velocity);
    else {
        const md5_easing curve = {.kind = MD5_EASE_CUBIC_IN_OUT};
        f->since += (double)dt;
        const float part = (float)(f->since / (double)f->seconds);
        f->value = f->from + (target - f->from) * md5_ease(curve, part);
    }
}
// end of lines

static void step_follower(follower *f, double time)
{
    const float target = ball_at(time);
    if (target != f->target) { // an easing begins again from where it is
        f->from = f->value;
        f->target = target;
        f->since = 0.0;
    }
    follow(f, target, (float)(1.0 / rate));
}

static void show_follow(view_picture *picture)
{
    const float *const v = picture->values;
    follower f = {.manner = view_choice(picture, 0),
                  .speed = v[1],
                  .damping = v[2],
                  .seconds = v[3],
                  .value = -1.0f,
                  .from = -1.0f,
                  .target = -1.0f};
    // Two jumps are shown, from rest.
    const double span = 2.0 * beat, now = fmod(picture->time, span);
    float shown = -1.0f, most = -1.0f;
    view_add_plot(picture, "value and target", "seconds", (md5_vec2){0.0f, -2.0f},
                  (md5_vec2){(float)span, 2.0f});
    view_add_series(picture, "target", VIEW_DIM_LINE);
    for (int i = 0; i <= 128; i++)
        view_add_point(picture, (float)(span * i / 128), ball_at(span * i / 128 + beat));
    view_add_series(picture, "value", VIEW_YELLOW);
    const int steps = (int)(span * rate);
    for (int i = 0; i <= steps; i++) {
        const double time = (double)i / rate;
        if (i * 128 / steps != (i - 1) * 128 / steps || i == 0)
            view_add_point(picture, (float)time, f.value);
        if (time <= now)
            shown = f.value;
        if (time < beat)
            most = fmaxf(most, f.value);
        step_follower(&f, time + beat);
    }
    view_add_mark(picture, (float)now, shown, VIEW_RED);

    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    const md5_vec3 ball = {45.0f, 26.0f * ball_at(now + beat), 40.0f};
    const md5_aim_job look = {.tip = view_page_joint(picture, "head"),
                              .length = 3,
                              .target = {45.0f, 26.0f * shown, 40.0f},
                              .weight = 1.0f};
    (void)md5_solve_aim(picture->scene->skeleton, &look, figure->pose);
    view_add_cross(picture, ball, 3.0f, VIEW_RED);
    view_add_cross(picture, look.target, 2.0f, VIEW_YELLOW);
    view_show_box(picture, (md5_vec3){-20.0f, -38.0f, 0.0f}, (md5_vec3){46.0f, 38.0f, 56.0f});
    view_add_fact(picture, "target", (double)ball_at(now + beat), "");
    view_add_fact(picture, "value", (double)shown, "");
    view_add_fact(picture, "overshoot", fmax((double)most - 1.0, 0.0), "");
}

const view_page view_page_follow = {
    .name = "follow",
    .title = "Following a target",
    .family = "Easing",
    .about = "A parameter can follow its target smoothly: by exponential smoothing, by a spring "
             "(damping 1 is the fastest without overshoot), or by an easing over a fixed time.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.2,
    .sliders = {{"manner", 0.0f, 2.0f, 1.0f, manner_word, false},
                {"speed, 1/s", 1.0f, 20.0f, 9.0f, NULL, false},
                {"damping", 0.0f, 2.0f, 0.35f, NULL, false},
                {"seconds", 0.1f, 1.4f, 0.8f, NULL, false}},
    .num_sliders = 4,
    .show = show_follow,
};
