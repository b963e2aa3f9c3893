// Functions with the same bits on every platform, easings, and values that follow a target.
#include "md5/core/assert.h"
#include "md5/motion/functions.h"

// == Functions ===================================================================================

// Returns 2^x for 0 <= x <= 10. The whole part of x becomes a shift. The fraction uses the Taylor
// series of exp() up to the tenth power; the next term is below 1e-9.
double md5i_power_of_two(double x)
{
    const double log_2 = 0.69314718055994531;
    const double exponent_floor = floor(x);
    const double exponent = (x - exponent_floor) * log_2;
    double sum = 1;
    for (int term = 10; term > 0; term--)
        sum = 1 + sum * exponent / term;
    return sum * (1 << (int)exponent_floor);
}

// Returns the sine of an angle in radians, |x| <= pi / 2. Uses the Taylor series up to x^17; the
// next term is below 5e-14.
double md5i_sine(double x)
{
    double sum = 1;
    for (int term = 16; term > 0; term -= 2)
        sum = 1 - sum * x * x / (term * (term + 1));
    return x * sum;
}

// Returns the sine of an angle in turns of 360 degrees. Reduces the angle to a quarter turn by
//
//   sin(pi - x) = sin(x)
double md5i_sine_of_turns(double turns)
{
    double fraction = turns - floor(turns + 0.5); // -0.5 .. 0.5
    if (fraction > 0.25)
        fraction = 0.5 - fraction;
    else if (fraction < -0.25)
        fraction = -0.5 - fraction;
    return md5i_sine(6.28318530717958648 * fraction);
}

// Returns the angle of the point (x, y) from the x axis, 0 to pi radians. A y that is not positive
// counts as 0.
//
// The slope y / x is reduced to 0..1 by complements and supplements of the angle. The following
// identity, applied three times, reduces it further to 0..0.0985:
//
//   atan(x) = 2 atan(x / (1 + sqrt(1 + x^2)))
//
// In this range, the series up to x^15 is exact to 1e-18.
double md5i_atan2(double y, double x)
{
    const double pi = 3.14159265358979324;
    const double abs_x = fabs(x);
    if (!(y > 0))
        return x < 0 ? pi : 0;

    // Compute the angle of the reduced slope by the series.
    double slope = y <= abs_x ? y / abs_x : abs_x / y; // 0 .. 1
    for (uint32_t halving = 0; halving < 3; halving++)
        slope = slope / (1 + sqrt(1 + slope * slope));
    double sum = 0;
    for (int term = 15; term > 0; term -= 2)
        sum = 1.0 / term - sum * slope * slope;

    // Transform the angle back to the octant and the side of the point (x, y).
    double angle = 8 * slope * sum;
    if (y > abs_x)
        angle = 0.5 * pi - angle;
    return x < 0 ? pi - angle : angle;
}

// Returns exp(-x) for x >= 0. Halves x until ten terms of the series of exp(-x) are exact, then
// squares the result as often as x was halved. The result has the same bits on all platforms,
// unlike the result of exp().
double md5i_decay(double x)
{
    enum { TERMS = 10 };
    const double max_exponent = 800; // exp(-800) is 0 in double precision
    double reduced = x < max_exponent ? x : max_exponent;
    int num_halvings = 0;
    while (reduced > 0.25) {
        reduced *= 0.5;
        num_halvings++;
    }
    double result = 1;
    for (int term = TERMS; term > 0; term--)
        result = 1 - result * reduced / term;
    for (int i = 0; i < num_halvings; i++)
        result *= result;
    return result;
}

#define MAX_SWING_STEPS 0x1p30 // largest time of one call, in units of the inverse of `rate`

// Returns the effect of a time of `seconds` on a damped spring. The position and the velocity
// afterwards are linear combinations of those before; see md5_swing.
//
// The matrix A of the spring's equation satisfies
//
//   A^2 = -damping A - stiffness
//
// Therefore each power of A is a sum a + b A, and so is exp(A t). This gives one formula for
// underdamped, critically damped and overdamped springs. The coefficients a and b are computed like
// md5i_decay(): the time is halved until ten terms of the series are exact, then the result is
// squared as often.
md5_swing md5i_swing_for(double stiffness, double damping, double seconds)
{
    enum { TERMS = 10 };
    const double rate = sqrt(stiffness) + damping;
    double t = rate * seconds < MAX_SWING_STEPS ? seconds : MAX_SWING_STEPS / rate;
    int num_halvings = 0;
    while (rate * t > 0.25) {
        t *= 0.5;
        num_halvings++;
    }

    // Compute exp(A t) = a + b A by its series in Horner's form: 1 + A t (1 + A t / 2 (1 + A t / 3
    // ...)).
    double a = 1;
    double b = 0;
    for (int term = TERMS; term > 0; term--) {
        const double h = t / term;
        const double next_a = 1 - h * stiffness * b;
        b = h * (a - damping * b);
        a = next_a;
    }

    // Square a + b A for each halving of the time.
    for (int i = 0; i < num_halvings; i++) {
        const double squared = a * a - stiffness * (b * b);
        b *= 2 * a - damping * b;
        a = squared;
    }
    return (md5_swing){a, b};
}

// == Easings =====================================================================================
//
// Each family of easings has one function, from 0 at t = 0 to 1 at t = 1, that starts slowly
// ("in"). The variants "out" and "in-out" are computed from it.

typedef double easing_function(double t);

static double ease_linear(double t)
{
    return t;
}

static double smooth(double t)
{
    return t * t * (3 - 2 * t);
}

static double ease_square(double t)
{
    return t * t;
}

static double cube(double t)
{
    return t * t * t;
}

static double fourth_power(double t)
{
    return ease_square(ease_square(t));
}

static double fifth_power(double t)
{
    return ease_square(ease_square(t)) * t;
}

// Doubles with every increase of t by 0.1. It is 0 at t = 0, and 1/1024 directly after it.
static double exponential(double t)
{
    return t > 0 ? md5i_power_of_two(10 * t) / 1024.0 : 0;
}

// Equal to (1 - cos(pi t)) / 2.
static double half_wave(double t)
{
    return 0.5 + 0.5 * md5i_sine(3.14159265358979324 * (t - 0.5));
}

static double quarter_wave(double t)
{
    return 2 * half_wave(0.5 * t);
}

static double circle(double t)
{
    return 1 - sqrt(1 - t * t);
}

// With this parameter, the minimum of draw_back() is -0.1.
#define OVERSHOOT 1.70158

static double draw_back(double t)
{
    return (OVERSHOOT + 1) * cube(t) - OVERSHOOT * ease_square(t);
}

static double draw_back_farther(double t)
{
    const double c = 1.525 * OVERSHOOT;
    return (c + 1) * cube(t) - c * ease_square(t);
}

// Returns a value of a sine wave with this period, in tenths of t, whose amplitude grows from
// 1/1024 to 1.
static double ease_swing(double t, double period)
{
    const double tenths = 10 * t;
    return -md5i_power_of_two(tenths) / 1024.0
           * md5i_sine_of_turns((tenths - 10 - 0.25 * period) / period);
}

static double elastic(double t)
{
    return ease_swing(t, 3);
}

static double elastic_slower(double t)
{
    return ease_swing(t, 4.5);
}

// Returns the height of a bouncing ball, reversed in time. The ball falls from height 1 and bounces
// to 1/4, 1/16 and 1/64. The first fall takes 1 / 2.75 of the time, and 7.5625 is 2.75^2.
static double bounce(double t)
{
    double time = 1 - t; // since the start of the fall, then from the highest point of the bounce
    double drop = 0;     // 1 minus the height of the highest point
    if (time >= 2.5 / 2.75) {
        time -= 2.625 / 2.75;
        drop = 0.984375;
    } else if (time >= 2.0 / 2.75) {
        time -= 2.25 / 2.75;
        drop = 0.9375;
    } else if (time >= 1.0 / 2.75) {
        time -= 1.5 / 2.75;
        drop = 0.75;
    }
    return 1 - (7.5625 * ease_square(time) + drop);
}

typedef enum easing_variant {
    IN,
    OUT,
    IN_OUT,
} easing_variant;

// The easings, in the order of md5_ease_kind.
static const struct easing_row {
    const char *name;
    easing_function *in; // NULL if the easing has parameters
    easing_variant variant;
} easing_rows[] = {
    {"linear", ease_linear, IN},
    {"smooth", smooth, IN},
    {"quadratic_in", ease_square, IN},
    {"quadratic_out", ease_square, OUT},
    {"quadratic_in_out", ease_square, IN_OUT},
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

enum { NUM_ROWS = sizeof easing_rows / sizeof easing_rows[0] };

// -- Parameters -----------------------------------------------------------------------------------

// Returns one coordinate of a cubic Bézier curve at the parameter s. The coordinates of its control
// points are 0, a, b and 1. bezier_slope() returns the derivative by s.
static double bezier(double a, double b, double s)
{
    return s * (3 * (1 - s) * ((1 - s) * a + s * b) + s * s);
}

static double bezier_slope(double a, double b, double s)
{
    return 3 * ((1 - s) * ((1 - s) * a + 2 * s * (b - a)) + s * s * (1 - b));
}

// Clamps a number to 0..1. NaN becomes 0.
static double clamp_unit(float value)
{
    if (!(value > 0))
        return 0;
    return value < 1 ? value : 1;
}

// The search of solve_bezier() ends after this number of steps, or when the parameter changes by
// less than the tolerance.
enum { MAX_BEZIER_STEPS = 64 };
#define BEZIER_TOLERANCE 1e-12

// Solves x(s) = x for s, where x(s) increases with s. Uses Newton's method. Uses bisection if a
// step would leave the interval that contains the solution, for example at a vertical or horizontal
// tangent.
static double solve_bezier(double x1, double x2, double x)
{
    double low = 0;
    double high = 1;
    double s = x;
    for (uint32_t step = 0; step < MAX_BEZIER_STEPS; step++) {
        const double error = bezier(x1, x2, s) - x;
        if (error == 0)
            return s;
        if (error > 0)
            high = s;
        else
            low = s;

        const double slope = bezier_slope(x1, x2, s);
        const double next = s - error / (slope > 0 ? slope : 1);
        const bool is_inside = slope > 0 && next > low && next < high;
        const double previous = s;
        s = is_inside ? next : 0.5 * (low + high);
        if (fabs(s - previous) < BEZIER_TOLERANCE)
            break;
    }
    return s;
}

// -- Public functions -----------------------------------------------------------------------------

// Returns the value of an easing with steps. A step at t = k / steps must begin exactly at this t.
// A float can be slightly below it, so that t is first increased by the rounding error of a float.
static double ease_steps(const md5_easing *easing, double t)
{
    const md5_jump jump = easing->jump;
    const double rounding = 1 + 0x1p-23;
    double jumps = easing->steps;
    double step = floor(fmin(fmax(t, 0.0), 1.0) * jumps * rounding);
    if (jump == MD5_JUMP_START || jump == MD5_JUMP_BOTH)
        step += 1;
    if (jump == MD5_JUMP_BOTH)
        jumps += 1;
    else if (jump == MD5_JUMP_NONE)
        jumps -= 1;
    return step < jumps ? step / jumps : 1;
}

// Returns the value of an easing without parameters, 0 < t < 1.
static double ease_by_table(md5_ease_kind kind, double t)
{
    const struct easing_row *const row = &easing_rows[kind];
    double value;
    if (row->variant == IN)
        value = row->in(t);
    else if (row->variant == OUT)
        value = 1 - row->in(1 - t);
    else // the first half in, the second half out
        value = t < 0.5 ? 0.5 * row->in(2 * t) : 1 - 0.5 * row->in(2 - 2 * t);

    if (kind >= MD5_EASE_BACK_IN && kind <= MD5_EASE_ELASTIC_IN_OUT)
        return value; // may overshoot 0..1
    // Near its ends, rounding errors of the series can move the value out of 0..1.
    return fmin(fmax(value, 0.0), 1.0);
}

// Returns the eased value of `t` in double precision. Except for steps, it is 0 for t <= 0 and 1
// for t >= 1.
double md5i_eased(const md5_easing *easing, double t)
{
    if (easing->kind == MD5_EASE_STEPS)
        return ease_steps(easing, t);
    if (!(t > 0))
        return 0;
    if (t >= 1)
        return 1;
    if (easing->kind == MD5_EASE_CUBIC_BEZIER) {
        const double s = solve_bezier(clamp_unit(easing->x1), clamp_unit(easing->x2), t);
        return bezier(easing->y1, easing->y2, s);
    }
    return ease_by_table(easing->kind, t);
}

// Nodes and weights of Gauss-Legendre quadrature over 0..1.
static const md5_mean_point gauss[MD5_MEAN_POINTS] = {{0.04691007703066800, 0.11846344252809454},
                                                      {0.23076534494715845, 0.23931433524968324},
                                                      {0.5, 0.28444444444444444},
                                                      {0.76923465505284155, 0.23931433524968324},
                                                      {0.95308992296933200, 0.11846344252809454}};

// Returns the v in 0..1 for which v^2 (3 - 2 v) = x. Uses the trigonometric solution of a cubic
// equation with three real roots.
static double inverse_smoothstep(double x)
{
    const double limited = fmin(fmax(x, 0.0), 1.0);
    const double angle = md5i_atan2(2 * sqrt(limited * (1 - limited)), 1 - 2 * limited);
    return 0.5 - md5i_sine((0.5 * 3.14159265358979324 - angle) / 3.0);
}

// Writes the points and weights of a quadrature between two positions: see md5_mean_point. The
// integral uses the substitution
//
//   x = v^2 (3 - 2 v)
//
// Its derivative is 0 near 0 and 1, so the points are denser there.
void md5i_mean_points(double from, double to, md5_mean_point *points)
{
    const double begin = inverse_smoothstep(from);
    const double width = inverse_smoothstep(to) - begin;
    double sum = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++) {
        const double v = begin + width * gauss[i].position;
        points[i] = (md5_mean_point){v * v * (3 - 2 * v), gauss[i].weight * v * (1 - v)};
        sum += points[i].weight;
    }
    // If both ends are 0 or both are 1, all weights are 0. The mean then uses the Gauss weights.
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++)
        points[i].weight = sum > 0 ? points[i].weight / sum : gauss[i].weight;
}

// Returns the area below the Bézier curve of an easing, from x = `from` to x = `to`. With the
// parameter s of the curve, this is the integral of y(s) x'(s) ds, by Gauss-Legendre quadrature.
static double area_of_bezier(const md5_easing *easing, double from, double to)
{
    const double x1 = clamp_unit(easing->x1);
    const double x2 = clamp_unit(easing->x2);
    const double y1 = easing->y1;
    const double y2 = easing->y2;
    const double begin = solve_bezier(x1, x2, from);
    const double width = solve_bezier(x1, x2, to) - begin;
    double sum = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++) {
        const double s = begin + width * gauss[i].position;
        sum += gauss[i].weight * bezier_slope(x1, x2, s) * bezier(y1, y2, s);
    }
    return width * sum;
}

// Returns the mean of an easing from `begin` to `end`. 0..1 is divided into `num_parts` equal
// parts, and both ends are within part `part`. The easing is smooth within a part, so that the
// quadrature is accurate.
static double mean_in_part(const md5_easing *easing, uint32_t part, uint32_t num_parts,
                           double begin, double end)
{
    md5_mean_point points[MD5_MEAN_POINTS];
    md5i_mean_points(begin * num_parts - part, end * num_parts - part, points);
    double mean = 0;
    for (uint32_t i = 0; i < MD5_MEAN_POINTS; i++)
        mean += points[i].weight * md5i_eased(easing, (part + points[i].position) / num_parts);
    return mean;
}

// Returns the integral of an easing between two times within 0..1, with an error of at most 1e-7.
// It is the sum of the integrals over parts in which the easing is smooth.
double md5i_eased_area(const md5_easing *easing, double from, double to)
{
    const bool is_bezier = easing->kind == MD5_EASE_CUBIC_BEZIER;
    const uint32_t num_parts = easing->kind == MD5_EASE_STEPS ? easing->steps : MD5_EASE_PARTS;
    double area = 0;
    for (uint32_t i = (uint32_t)(from * num_parts); i < to * num_parts; i++) {
        const double begin = fmax((double)i / num_parts, from);
        const double end = fmin((i + 1.0) / num_parts, to);
        if (is_bezier)
            area += area_of_bezier(easing, begin, end);
        else
            area += mean_in_part(easing, i, num_parts, begin, end) * (end - begin);
    }
    return area;
}

// Returns the eased value of `t`. `t` is the fraction of the duration that has elapsed.
float md5_ease(md5_easing easing, float t)
{
    MD5_ASSERT((unsigned)easing.kind <= MD5_EASE_STEPS,
               "easing.kind: must be a value of md5_ease_kind");
    if (easing.kind == MD5_EASE_STEPS) {
        MD5_ASSERT((unsigned)easing.jump <= MD5_JUMP_BOTH,
                   "easing.jump: must be a value of md5_jump");
        MD5_ASSERT(
            easing.steps >= (easing.jump == MD5_JUMP_NONE ? 2u : 1u)
                && easing.steps <= MD5_MAX_EASE_STEPS,
            "easing.steps: must be 1 to MD5_MAX_EASE_STEPS, and at least 2 with MD5_JUMP_NONE");
    }
    return (float)md5i_eased(&easing, t);
}

const char *md5_easing_name(md5_ease_kind kind)
{
    return (unsigned)kind < NUM_ROWS ? easing_rows[kind].name : NULL;
}

// Short names of families of easings.
static const struct short_name {
    const char *name;
    const char *full;
} short_names[] = {
    {"quad", "quadratic"},   {"quart", "quartic"}, {"quint", "quintic"},
    {"expo", "exponential"}, {"circ", "circular"}, {"sqrt", "square_root"},
};

// Returns true if a given character matches a character of an easing's name. - also matches _.
static bool is_same_character(char given, char full)
{
    return given == full || (given == '-' && full == '_');
}

// Returns true if `name` is equal to `full`. - also matches _.
static bool is_easing_name(const char *name, const char *full)
{
    while (*name != '\0' && is_same_character(*name, *full)) {
        name++;
        full++;
    }
    return *name == *full;
}

// Returns true if `name` is equal to `full` after its family is replaced by its short name, for
// example "quad_in" for "quadratic_in".
static bool is_short_easing_name(const char *name, const char *full)
{
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++) {
        const char *const family = short_names[i].full;
        const char *const short_family = short_names[i].name;
        const size_t size = strlen(short_family);
        const size_t full_size = strlen(family);
        if (strncmp(full, family, full_size) != 0 || strncmp(name, short_family, size) != 0)
            continue;
        if (is_easing_name(name + size, full + full_size))
            return true;
    }
    return false;
}

// Finds an easing by its name or by its short name, such as quad-in-out. Returns false if the name
// is unknown.
bool md5_easing_from_name(const char *name, md5_ease_kind *kind)
{
    MD5_ASSERT_NOT_NULL(kind);
    if (!name)
        return false;
    for (uint32_t i = 0; i < NUM_ROWS; i++) {
        const char *const full = easing_rows[i].name;
        if (is_easing_name(name, full) || is_short_easing_name(name, full)) {
            *kind = (md5_ease_kind)i;
            return true;
        }
    }
    return false;
}

// == Following a target ==========================================================================

float md5_smoothing_fraction(float rate, float seconds)
{
    const double exponent = (double)rate * seconds;
    return rate > 0 && exponent > 0 ? (float)(1 - md5i_decay(exponent)) : 0;
}

// Moves a value and its velocity toward a target like a damped spring. The motion is exact for a
// time step of any length: see md5_swing.
void md5_spring_damp(float target, float stiffness, float damping, float seconds, float *value,
                     float *velocity)
{
    MD5_ASSERT_NOT_NULL(value);
    MD5_ASSERT_NOT_NULL(velocity);
    const double k = stiffness;
    const double c = damping > 0 ? damping : 0;
    const double x = (double)*value - target;
    const double v = *velocity;
    const double t = seconds;
    // The sum is finite only if all its terms are finite.
    if (!(k > 0 && t > 0) || !isfinite(k + c + x + v + t))
        return;
    const md5_swing swing = md5i_swing_for(k, c, t);
    *value = (float)(target + swing.keep * x + swing.drift * v);
    *velocity = (float)(-k * swing.drift * x + (swing.keep - c * swing.drift) * v);
}
