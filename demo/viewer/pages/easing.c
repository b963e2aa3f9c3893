// Lessons on timing: easings, and a value that follows a target at any frame rate.
#include "demo/viewer/pages/page.h"

// The series of the plot of the lesson on easings, in the order of pages.txt.
enum { SERIES_LINEAR, SERIES_EASED };

// Moves Bobbin across the ground from left to right. Bobbin moves by the eased fraction of the
// time, and the red cross by the fraction `part` itself.
static void move_walker(view_picture *picture, float part, float eased)
{
    const float left = -30; // units
    const float right = 30;
    const float path_height = 0.2f; // slightly above the ground
    picture->figures[0].placement.translation.y = left + (right - left) * eased;
    view_page_line(picture, (md5_vec3){0, left, path_height}, (md5_vec3){0, right, path_height},
                   VIEW_DIM_LINE);
    view_page_cross(picture, (md5_vec3){0, left + (right - left) * part, path_height}, 3, VIEW_RED);
}

// Shows a walk that takes `seconds`, pauses for half a second, and repeats. Plots the easing, marks
// the current point, and adds the fraction of the walk's time as a fact. Returns this fraction.
static float show_walker(view_picture *picture, md5_easing easing, double seconds)
{
    const double pause = 0.5;
    const float part = fminf((float)(fmod(picture->time, seconds + pause) / seconds), 1);
    const float eased = md5_ease(easing, part);
    move_walker(picture, part, eased);

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

// The lesson "easing" displays the following code, up to "End of the displayed code".

enum { SINE = 4, CIRCULAR, EXPONENTIAL }; // 0 to 3: powers 2 to 5

// A shortened md5_ease() for display: the library's function also contains back, elastic and
// bounce.
static double ease_in(int family, double t)
{
    if (family == SINE)
        return 1 - cos(1.5707963267948966 * t);
    if (family == CIRCULAR)
        return 1 - sqrt(1 - t * t);
    if (family == EXPONENTIAL)
        return t > 0 ? pow(2, 10 * t - 10) : 0;
    return pow(t, family + 2);
}

// "Out" is "in" reversed. "In-out" is the first half of "in" and the second half of "out".
static double ease(int family, bool in, bool out, double t)
{
    if (in && out && t < 0.5)
        return ease_in(family, 2 * t) / 2;
    if (in && out)
        return 1 - ease_in(family, 2 - 2 * t) / 2;
    return in ? ease_in(family, t) : 1 - ease_in(family, 1 - t);
}

// End of the displayed code.

// Evaluates an easing. Uses the displayed code for the kinds that it contains. The library
// evaluates the others: back, elastic, bounce, and the timing functions of CSS.
static double ease_kind(md5_easing curve, float t)
{
    static const char *const families[] = {"quadratic", "cubic",    "quartic",    "quintic",
                                           "sine",      "circular", "exponential"};
    const char *const name = md5_easing_name(curve.kind);
    if (curve.kind == MD5_EASE_CUBIC_BEZIER) // its name begins with the name of a family
        return md5_ease(curve, t);
    // A name consists of the family and "_in", "_out" or "_in_out". The index of the family is its
    // number in the displayed code. This code is defined only between 0 and 1.
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
    // The parameters are the same as for the two functions of CSS.
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

// -- Following at any frame rate ------------------------------------------------------------

// The lesson "frame_rate" displays the following code, up to "End of the displayed code".

// Moves a value towards its target in a frame of `dt` seconds. Only with `exact`, the result is
// independent of the frame rate.
static float next_value(float value, float target, float speed, float dt, bool exact)
{
    // If frames are long, speed * dt exceeds 1, but 1 - e^(-speed * dt) does not.
    const float fraction = exact ? 1.0f - expf(-speed * dt) : speed * dt;
    return value + (target - value) * fraction;
}

// End of the displayed code.

// Rotates the head of a figure towards a ball, which a value from -1 to 1 moves to the side.
static void look_at_ball(view_picture *picture, const view_figure *figure, float value,
                         view_color color)
{
    const md5_aim_job look = {.tip = view_page_joint(picture, "head"),
                              .length = 3,
                              .target = {45, 26 * view_clamp(value, -2, 2), 40},
                              .weight = 1};
    md5_solve_aim(picture->skeleton, &look, figure->pose);
    view_page_cross(picture, md5_xform_point(figure->placement, look.target), 2, color);
}

// Rotates two heads from -1 to 1 at the frame rate of the slider, by two formulas. The curve shows
// the limit of an infinite frame rate.
VIEW_SHOW(frame_rate)
{
    enum { SLIDER_SPEED, SLIDER_FRAME_RATE }; // in the order of pages.txt
    const float speed = v[SLIDER_SPEED];
    const float frame_rate = v[SLIDER_FRAME_RATE];
    const float dt = 1.0f / frame_rate;
    view_plot *const plot = picture->plots;
    const double span = plot->row.high.x;
    const double current_time = fmod(picture->time, span);
    for (int i = 0; i < VIEW_PAGE_POINTS; i++)
        view_add_point(plot, 0, view_plot_x(plot, i),
                       1 - 2 * exp(-(double)speed * view_plot_x(plot, i)));

    // A value changes only at a frame, so it is constant until the next frame.
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
            if (time <= current_time)
                shown_value = value;
            previous_value = value;
            value = next_value(value, 1, speed, dt, exact == 1);
        }
        view_add_mark(plot, current_time, shown_value, color);
        look_at_ball(picture, &picture->figures[exact], shown_value, color);
    }
    const double rest = 1 - (double)(speed * dt);
    VIEW_FACTS(picture, speed * dt, md5_smoothing_fraction(speed, dt), pow(rest, frame_rate),
               exp(-(double)speed));
}
