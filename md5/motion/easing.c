// Easings: one function per family, which starts slowly (ease in), and its variants.
#include "md5/motion/easing.h"

#include "md5/core/assert.h"
#include "md5/motion/functions.h"

#include <math.h>
#include <string.h>

typedef double ease_in(double t);

static double line(double t)
{
    return t;
}

static double smooth(double t)
{
    return t * t * (3.0 - 2.0 * t);
}

static double square(double t)
{
    return t * t;
}

static double cube(double t)
{
    return t * t * t;
}

static double fourth_power(double t)
{
    return square(square(t));
}

static double fifth_power(double t)
{
    return square(square(t)) * t;
}

// Doubles with every 0.1 of t. Starts at 1/1024, with a jump from 0.
static double exponential(double t)
{
    return t > 0.0 ? md5i_power_of_two(10.0 * t) / 1024.0 : 0.0;
}

// (1 - cos(pi t)) / 2 as (1 + sin(pi (t - 1/2))) / 2.
static double half_wave(double t)
{
    return 0.5 + 0.5 * md5i_sine(3.14159265358979324 * (t - 0.5));
}

static double quarter_wave(double t)
{
    return 2.0 * half_wave(0.5 * t);
}

static double circle(double t)
{
    return 1.0 - sqrt(1.0 - t * t);
}

// Overshoot parameter for a minimum of -0.1.
#define OVERSHOOT 1.70158

static double draw_back(double t)
{
    return (OVERSHOOT + 1.0) * cube(t) - OVERSHOOT * square(t);
}

static double draw_back_farther(double t)
{
    const double c = 1.525 * OVERSHOOT;
    return (c + 1.0) * cube(t) - c * square(t);
}

// A sine of this period, in tenths of t, that grows by 2^10.
static double swing(double t, double period)
{
    const double tenths = 10.0 * t;
    return -md5i_power_of_two(tenths) / 1024.0
           * md5i_sine_of_turns((tenths - 10.0 - 0.25 * period) / period);
}

static double elastic(double t)
{
    return swing(t, 3.0);
}

static double elastic_slower(double t)
{
    return swing(t, 4.5);
}

// 1 minus the height of a ball that falls from 1 and bounces to 1/4, 1/16 and 1/64, reversed in
// time. 7.5625 is 2.75^2: the first fall takes 1 / 2.75 of the time.
static double bounce(double t)
{
    double after = 1.0 - t; // time since the start of the fall
    double height = 0.0;    // of the apex, below 1
    if (after >= 2.5 / 2.75) {
        after -= 2.625 / 2.75;
        height = 0.984375;
    } else if (after >= 2.0 / 2.75) {
        after -= 2.25 / 2.75;
        height = 0.9375;
    } else if (after >= 1.0 / 2.75) {
        after -= 1.5 / 2.75;
        height = 0.75;
    }
    return 1.0 - (7.5625 * square(after) + height);
}

typedef enum way {
    IN,
    OUT,
    IN_OUT,
} way;

// In the order of md5_ease_kind.
static const struct easing_row {
    const char *name;
    ease_in *in; // NULL if it has parameters
    way way;
} rows[] = {
    {"linear", line, IN},
    {"smooth", smooth, IN},
    {"quadratic_in", square, IN},
    {"quadratic_out", square, OUT},
    {"quadratic_in_out", square, IN_OUT},
    {"cubic_in", cube, IN},
    {"cubic_out", cube, OUT},
    {"cubic_in_out", cube, IN_OUT},
    {"exponential_in", exponential, IN},
    {"exponential_out", exponential, OUT},
    {"sine_in_out", half_wave, IN},
    {"square_root", sqrt, IN},
    {"quartic_in", fourth_power, IN},
    {"quartic_out", fourth_power, OUT},
    {"quartic_in_out", fourth_power, IN_OUT},
    {"quintic_in", fifth_power, IN},
    {"quintic_out", fifth_power, OUT},
    {"quintic_in_out", fifth_power, IN_OUT},
    {"exponential_in_out", exponential, IN_OUT},
    {"sine_in", quarter_wave, IN},
    {"sine_out", quarter_wave, OUT},
    {"circular_in", circle, IN},
    {"circular_out", circle, OUT},
    {"circular_in_out", circle, IN_OUT},
    {"back_in", draw_back, IN},
    {"back_out", draw_back, OUT},
    {"back_in_out", draw_back_farther, IN_OUT},
    {"elastic_in", elastic, IN},
    {"elastic_out", elastic, OUT},
    {"elastic_in_out", elastic_slower, IN_OUT},
    {"bounce_in", bounce, IN},
    {"bounce_out", bounce, OUT},
    {"bounce_in_out", bounce, IN_OUT},
    {"cubic_bezier", NULL, IN},
    {"steps", NULL, IN},
};

enum { NUM_ROWS = sizeof rows / sizeof rows[0] };

// -- Parameters -----------------------------------------------------------------------------------

// The coordinate of a cubic Bézier from 0 to 1 with control values a and b, and its derivative.
static double bezier(double a, double b, double s)
{
    return s * (3.0 * (1.0 - s) * ((1.0 - s) * a + s * b) + s * s);
}

static double bezier_slope(double a, double b, double s)
{
    return 3.0 * ((1.0 - s) * ((1.0 - s) * a + 2.0 * s * (b - a)) + s * s * (1.0 - b));
}

static double unit(float value)
{
    return value > 0.0f ? value < 1.0f ? (double)value : 1.0 : 0.0;
}

// x rises with s. Newton's method, with bisection where it would leave the interval that holds the
// solution, as at a vertical or horizontal tangent.
static double solve_bezier(double x1, double x2, double x)
{
    double low = 0.0, high = 1.0, s = x;
    for (int step = 0; step < 64; step++) {
        const double miss = bezier(x1, x2, s) - x;
        if (miss == 0.0)
            return s;
        if (miss > 0.0)
            high = s;
        else
            low = s;
        const double slope = bezier_slope(x1, x2, s);
        const double next = s - miss / (slope > 0.0 ? slope : 1.0);
        const bool is_inside = slope > 0.0 && next > low && next < high;
        const double last = s;
        s = is_inside ? next : 0.5 * (low + high);
        if (fabs(s - last) < 1e-12)
            break;
    }
    return s;
}

static double ease_steps(uint32_t steps, md5_jump jump, double t)
{
    const double rounding = 1.0 + 0x1p-23;
    double step = floor(fmin(fmax(t, 0.0), 1.0) * steps * rounding), jumps = steps;
    if (jump == MD5_JUMP_START || jump == MD5_JUMP_BOTH)
        step += 1.0;
    if (jump == MD5_JUMP_BOTH)
        jumps += 1.0;
    else if (jump == MD5_JUMP_NONE)
        jumps -= 1.0;
    return step < jumps ? step / jumps : 1.0;
}

// -- Public functions -----------------------------------------------------------------------------

double md5i_eased(const md5_easing *easing, double t)
{
    if (easing->kind == MD5_EASE_STEPS)
        return ease_steps(easing->steps, easing->jump, t);
    if (!(t > 0.0))
        return 0.0;
    if (t >= 1.0)
        return 1.0;
    if (easing->kind == MD5_EASE_CUBIC_BEZIER) {
        const double s = solve_bezier(unit(easing->x1), unit(easing->x2), t);
        return bezier((double)easing->y1, (double)easing->y2, s);
    }
    ease_in *const in = rows[easing->kind].in;
    double value = 0.0;
    switch (rows[easing->kind].way) {
    case OUT:
        value = 1.0 - in(1.0 - t);
        break;
    case IN_OUT: // the first half in, the second half out
        value = t < 0.5 ? 0.5 * in(2.0 * t) : 1.0 - 0.5 * in(2.0 - 2.0 * t);
        break;
    default:
        value = in(t);
        break;
    }
    if (easing->kind >= MD5_EASE_BACK_IN && easing->kind <= MD5_EASE_ELASTIC_IN_OUT)
        return value; // overshoots
    // The series have rounding errors at 0 and 1.
    return fmin(fmax(value, 0.0), 1.0);
}

// Gauss-Legendre quadrature with five points: of y dx along a Bézier curve; else of y over
// x = from + width v^2 (3 - 2 v), which stands still at both ends, where a tangent may be vertical.
static double area_between(const md5_easing *easing, double from, double to)
{
    static const double points[] = {0.04691007703066800, 0.23076534494715845, 0.5,
                                    0.76923465505284155, 0.95308992296933200};
    static const double weights[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                     0.23931433524968324, 0.11846344252809454};
    const double x1 = unit(easing->x1), x2 = unit(easing->x2);
    const double y1 = (double)easing->y1, y2 = (double)easing->y2;
    const bool is_bezier = easing->kind == MD5_EASE_CUBIC_BEZIER;
    const double begin = is_bezier ? solve_bezier(x1, x2, from) : from;
    const double width = (is_bezier ? solve_bezier(x1, x2, to) : to) - begin;
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        const double v = points[i], s = begin + width * (is_bezier ? v : v * v * (3.0 - 2.0 * v));
        const double slope = is_bezier ? bezier_slope(x1, x2, s) : 6.0 * v * (1.0 - v);
        sum += weights[i] * slope * (is_bezier ? bezier(y1, y2, s) : md5i_eased(easing, s));
    }
    return width * sum;
}

double md5i_eased_area(const md5_easing *easing, double from, double to)
{
    // Edges of bounces, and of both halves of them, lie at multiples of 1/44.
    const uint32_t parts = easing->kind == MD5_EASE_STEPS ? easing->steps : 44;
    double area = 0.0;
    for (uint32_t i = (uint32_t)(from * parts); i < to * parts; i++)
        area += area_between(easing, fmax((double)i / parts, from), fmin((i + 1.0) / parts, to));
    return area;
}

float md5_ease(md5_easing easing, float t)
{
    MD5_ASSERT((unsigned)easing.kind <= MD5_EASE_STEPS, "easing.kind: a md5_ease_kind");
    if (easing.kind == MD5_EASE_STEPS) {
        MD5_ASSERT((unsigned)easing.jump <= MD5_JUMP_BOTH, "easing.jump: a md5_jump");
        MD5_ASSERT(easing.steps >= (easing.jump == MD5_JUMP_NONE ? 2u : 1u)
                       && easing.steps <= MD5_MAX_EASE_STEPS,
                   "easing.steps: 1 to MD5_MAX_EASE_STEPS, with MD5_JUMP_NONE at least 2");
    }
    return (float)md5i_eased(&easing, (double)t);
}

const char *md5_easing_name(md5_ease_kind kind)
{
    return (unsigned)kind < NUM_ROWS ? rows[kind].name : NULL;
}

static const struct short_name {
    const char *name, *full;
} short_names[] = {
    {"quad", "quadratic"},   {"quart", "quartic"}, {"quint", "quintic"},
    {"expo", "exponential"}, {"circ", "circular"}, {"sqrt", "square_root"},
};

// Whether `name` is `full`, with - for _.
static bool is_name(const char *name, const char *full)
{
    while (*name != '\0' && (*name == *full || (*name == '-' && *full == '_'))) {
        name++;
        full++;
    }
    return *name == *full;
}

bool md5_find_easing(const char *name, md5_ease_kind *kind)
{
    MD5_ASSERT(kind != NULL, "kind: not NULL");
    for (int i = 0; name && i < NUM_ROWS; i++) {
        bool is_found = is_name(name, rows[i].name);
        // The same with the short name of the family.
        for (size_t k = 0; !is_found && k < sizeof short_names / sizeof short_names[0]; k++) {
            const size_t size = strlen(short_names[k].name);
            const size_t full_size = strlen(short_names[k].full);
            is_found = strncmp(rows[i].name, short_names[k].full, full_size) == 0
                       && strncmp(name, short_names[k].name, size) == 0
                       && is_name(name + size, rows[i].name + full_size);
        }
        if (is_found) {
            *kind = (md5_ease_kind)i;
            return true;
        }
    }
    return false;
}
