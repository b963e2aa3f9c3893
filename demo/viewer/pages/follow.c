// Parameters that follow a target: Bobbin's head looks at a ball that jumps from side to side.
#include "demo/viewer/pages/families.h"

#include "md5/md5pose.h"

#include <math.h>

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
        md5_follow_spring(&f->value, &f->velocity, target, f->speed * f->speed,
                          2.0f * f->damping * f->speed, dt);
    else {
        const md5_easing_curve curve = {.easing = MD5_EASE_CUBIC_IN_OUT};
        f->since += (double)dt;
        f->value = f->from + (target - f->from) * md5_ease_over(&curve, f->since, f->seconds);
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
    (void)md5_solve_aim(picture->scene->skeleton, figure->pose, &look);
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
