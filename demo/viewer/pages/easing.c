// Lessons on timing: easings, and parameters that follow a target.
#include "demo/viewer/pages/page.h"

// The series of the plot of the lesson on easings, in the order of pages.txt.
enum { SERIES_LINEAR, SERIES_EASED };

// Bobbin walks across the ground from left to right by the eased fraction of the time, and the red
// cross moves by the fraction itself. The walk takes `seconds`, followed by a pause of half a
// second, and repeats. Plots the easing, and adds the fact of the fraction. Returns the fraction.
static float show_walker(view_picture *picture, md5_easing easing, double seconds)
{
    const double pause = 0.5;
    const float part = fminf((float)(fmod(picture->time, seconds + pause) / seconds), 1);
    const float eased = md5_ease(easing, part);

    // The figure, its path slightly above the ground, and the cross; units.
    const float left = -30;
    const float right = 30;
    const float path_height = 0.2f;
    picture->figures[0].place.translation.y = left + (right - left) * eased;
    view_page_line(picture, (md5_vec3){0, left, path_height}, (md5_vec3){0, right, path_height},
                   VIEW_DIM_LINE);
    view_page_cross(picture, (md5_vec3){0, left + (right - left) * part, path_height}, 3, VIEW_RED);

    view_plot *const plot = &picture->plots[0];
    view_add_point(plot, SERIES_LINEAR, 0, 0);
    view_add_point(plot, SERIES_LINEAR, 1, 1);
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const double x = view_plot_x(plot, i);
        view_add_point(plot, SERIES_EASED, x, md5_ease(easing, (float)x));
    }
    view_add_mark(plot, part, eased, VIEW_YELLOW);
    VIEW_FACTS(picture, part);
    return part;
}

// lines of easing
enum { SINE = 4, CIRCULAR, EXPONENTIAL, BACK, ELASTIC, BOUNCE }; // 0 to 3: powers 2 to 5

static double ease_in(int family, double t, bool is_half);

// "Out" is "in" reversed. "In-out" is the first half of "in" and the second half of "out".
static double ease(int family, bool in, bool out, double t)
{
    if (in && out)
        return t < 0.5 ? ease_in(family, 2 * t, true) / 2
                       : 1 - ease_in(family, 2 - 2 * t, true) / 2;
    return in ? ease_in(family, t, false) : 1 - ease_in(family, 1 - t, false);
}

static double ease_in(int family, double t, bool is_half)
{
    const double pi = 3.14159265358979323846;
    const double c = is_half ? 2.5949095 : 1.70158;
    const double period = is_half ? 4.5 : 3;
    double begin = 0, width = 1.0 / 11; // parabolas, each twice as wide as the previous one
    switch (family) {
    case SINE:
        return 1 - cos(pi * t / 2);
    case CIRCULAR:
        return 1 - sqrt(1 - t * t);
    case EXPONENTIAL:
        return t > 0 ? pow(2, 10 * t - 10) : 0;
    case BACK:
        return (c + 1) * t * t * t - c * t * t;
    case ELASTIC:
        return -pow(2, 10 * t - 10) * sin(2 * pi * (10 * t - 10 - period / 4) / period);
    case BOUNCE:
        while (t > begin + width) {
            begin += width;
            width *= 2;
        }
        return 7.5625 * (t - begin) * (begin + width - t);
    default:
        return pow(t, family + 2);
    }
}
// end of lines

// Evaluates an easing with the displayed code if it contains the kind, otherwise with the library.
static double ease_kind(md5_easing curve, float t)
{
    static const char *const families[] = {"quadratic", "cubic",    "quartic",     "quintic",
                                           "sine",      "circular", "exponential", "back",
                                           "elastic",   "bounce"};
    const char *const name = md5_easing_name(curve.kind);
    if (curve.kind == MD5_EASE_CUBIC_BEZIER || curve.kind == MD5_EASE_STEPS)
        return md5_ease(curve, t);
    // A name consists of the family and "_in", "_out" or "_in_out". The index of a family is its
    // number in the displayed code, which is defined only between 0 and 1.
    for (int i = 0; i < (int)COMMON_LENGTH(families); i++) {
        if (strncmp(name, families[i], strlen(families[i])) == 0 && t > 0 && t < 1)
            return ease(i, strstr(name, "_in") != NULL, strstr(name, "_out") != NULL, t);
    }
    return md5_ease(curve, t);
}

// Moves the walker with the selected easing. Compares the value of the displayed code with the
// value of the library, and measures the slope of the curve.
VIEW_SHOW(easing)
{
    enum { CHOICE_KIND, SLIDER_SECONDS }; // in the order of pages.txt
    // The parameters are those of the two functions of CSS.
    const md5_easing curve = {.kind = view_choice(picture, CHOICE_KIND),
                              .x1 = 0.42f,
                              .y1 = -0.2f,
                              .x2 = 0.58f,
                              .y2 = 1.2f,
                              .steps = 5};
    const float part = show_walker(picture, curve, v[SLIDER_SECONDS]);
    VIEW_FACTS(picture, ease_kind(curve, part), md5_ease(curve, part));
    // The slope of the curve, by a central difference, during the walk.
    const float step = 1e-3f;
    const float slope = (md5_ease(curve, part + step) - md5_ease(curve, part - step))
                        / (fminf(part + step, 1) - fmaxf(part - step, 0));
    VIEW_FACTS(picture, part < 1 ? slope : 0);
}

// == Following =============================================================================
//
// Parameters that follow a target: Bobbin's head looks at a ball that jumps from side to side.

static const double beat = 1.5; // interval between the jumps of the ball, seconds
static const double rate = 240; // simulated steps per second

// Returns the side of the ball: -1 or 1.
static float ball_at(double time)
{
    return fmod(floor(time / beat), 2) < 0.5 ? -1 : 1;
}

// lines of follow
typedef struct follower {
    uint32_t manner;
    float speed, damping, seconds; // damping 1 is critical; seconds: duration of the easing
    float value;
    float velocity;
    float from, target; // start and end of the easing
    double since;
} follower;

static void follow(follower *f, float target, float dt)
{
    const float x = f->value - target;
    const float v = f->velocity;
    const float w = f->speed;
    const float a = f->damping * w;
    if (f->manner == 0) { // exponential smoothing: the same for any division of the time
        f->value = target + x * expf(-w * dt);
    } else if (f->manner == 1) { // spring: exact solution of x'' = -w^2 x - 2 a x'
        const float u = sqrtf(fabsf(w * w - a * a));
        const float left = expf(-a * dt);
        const float c = w > a ? cosf(u * dt) : coshf(u * dt);
        const float sine = w > a ? sinf(u * dt) : sinhf(u * dt);
        const float s = u < 1e-3f ? dt : sine / u;
        f->value = target + left * (c * x + s * (v + a * x));
        f->velocity = left * (c * v - s * (w * w * x + a * v));
    } else { // easing from the previous value over a fixed time
        f->since += (double)dt;
        const float part = fminf((float)(f->since / (double)f->seconds), 1.0f);
        const float rest = 1.0f - part;
        const float eased =
            part < 0.5f ? 4.0f * part * part * part : 1.0f - 4.0f * rest * rest * rest;
        f->value = f->from + (target - f->from) * eased;
    }
}
// end of lines

// Lets a value follow the ball with the displayed code. Plots both, and rotates the head towards
// the value at the current time. Measures how far the value overshoots after a jump.
VIEW_SHOW(follow)
{
    enum { CHOICE_MANNER, SLIDER_SPEED, SLIDER_DAMPING, SLIDER_SECONDS }; // as in pages.txt
    follower f = {.manner = view_choice(picture, CHOICE_MANNER),
                  .speed = v[SLIDER_SPEED],
                  .damping = v[SLIDER_DAMPING],
                  .seconds = v[SLIDER_SECONDS],
                  .value = -1,
                  .from = -1,
                  .target = -1};
    // Two jumps are shown, from rest.
    const double span = 2 * beat;
    const double now = fmod(picture->time, span);
    const int steps = (int)(span * rate);
    float shown = -1;
    float highest = -1;
    for (int i = 0; i <= steps; i++) {
        const double time = i / rate;
        const float target = ball_at(time + beat);
        // Plot the first simulated step of each step of the plot.
        const int plot_step = i * VIEW_PAGE_STEPS / steps;
        const int previous_plot_step = (i - 1) * VIEW_PAGE_STEPS / steps;
        if (i == 0 || plot_step != previous_plot_step) {
            view_add_point(picture->plots, 0, time, target);
            view_add_point(picture->plots, 1, time, f.value);
        }
        if (time <= now)
            shown = f.value;
        if (time < beat)
            highest = fmaxf(highest, f.value);
        if (target != f.target) { // the easing restarts from the current value
            f.from = f.value;
            f.target = target;
            f.since = 0;
        }
        follow(&f, target, (float)(1.0 / rate));
    }
    view_add_mark(picture->plots, now, shown, VIEW_YELLOW);
    const float ball = ball_at(now + beat);
    const md5_aim_job look = {.tip = view_page_joint(picture, "head"),
                              .length = 3,
                              .target = {45, 26 * shown, 40},
                              .weight = 1};
    md5_solve_aim(picture->skeleton, &look, picture->figures[0].pose);
    view_page_cross(picture, (md5_vec3){45, 26 * ball, 40}, 3, VIEW_RED);
    view_page_cross(picture, look.target, 2, VIEW_YELLOW);
    VIEW_FACTS(picture, fmod(now, beat));
    VIEW_FACTS(picture, ball, shown, fmaxf(highest - 1, 0));
}

// -- Following at any frame rate ------------------------------------------------------------

// lines of frame_rate
static float next_value(float value, float target, float speed, float dt, bool exact)
{
    // speed * dt exceeds 1 if frames are long; 1 - e^(-speed * dt) never does.
    const float share = exact ? 1.0f - expf(-speed * dt) : speed * dt;
    return value + (target - value) * share;
}
// end of lines

// Rotates the head of a figure towards a ball, which a value from -1 to 1 moves to the side.
static void look_at_ball(view_picture *picture, const view_figure *figure, float value,
                         view_color color)
{
    const md5_aim_job look = {.tip = view_page_joint(picture, "head"),
                              .length = 3,
                              .target = {45, 26 * view_clamp(value, -2, 2), 40},
                              .weight = 1};
    md5_solve_aim(picture->skeleton, &look, figure->pose);
    view_page_cross(picture, md5_xform_point(figure->place, look.target), 2, color);
}

// Rotates two heads from -1 to 1 at the frame rate of the slider. The curve is the limit of an
// infinite frame rate.
VIEW_SHOW(frame_rate)
{
    enum { SLIDER_SPEED, SLIDER_FRAME_RATE }; // in the order of pages.txt
    const float speed = v[SLIDER_SPEED];
    const float frame_rate = v[SLIDER_FRAME_RATE];
    const float dt = 1.0f / frame_rate;
    view_plot *const plot = picture->plots;
    const double span = plot->row.high.x;
    const double now = fmod(picture->time, span);
    for (int i = 0; i < VIEW_PAGE_POINTS; i++)
        view_add_point(plot, 0, view_plot_x(plot, i),
                       1 - 2 * exp(-(double)speed * view_plot_x(plot, i)));

    // Each value is constant until the next frame.
    for (int exact = 0; exact < 2; exact++) {
        const int series = 1 + exact;
        const view_color color = plot->row.series[series].color;
        float value = -1;
        float previous_value = value;
        float shown_value = value;
        for (int frame = 0; frame * (double)dt <= span; frame++) {
            const double time = frame * (double)dt;
            view_add_point(plot, series, time, previous_value);
            view_add_point(plot, series, time, value);
            if (time <= now)
                shown_value = value;
            previous_value = value;
            value = next_value(value, 1, speed, dt, exact == 1);
        }
        view_add_mark(plot, now, shown_value, color);
        look_at_ball(picture, &picture->figures[exact], shown_value, color);
    }
    const double rest = 1 - (double)(speed * dt);
    VIEW_FACTS(picture, speed * dt, md5_smoothing_fraction(speed, dt), pow(rest, frame_rate),
               exp(-(double)speed));
}
