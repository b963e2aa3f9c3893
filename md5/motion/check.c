// Checks descriptions of curves.
#include "md5/motion/pieces.h"

#define LEAST_WEIGHT 0.001f
#define MOST_WEIGHT 1000.0f
#define LEAST_SPAN 1e-9 // of the range of the knots

uint32_t md5i_curve_degree(const md5_curve_desc *desc)
{
    switch (desc->kind) {
    case MD5_CURVE_BEZIER:
        return desc->num_points - 1;
    case MD5_CURVE_NURBS:
        return desc->degree != 0 ? desc->degree : 3;
    default:
        return 3;
    }
}

static bool check_points(md5_context *context, const md5_curve_desc *desc)
{
    for (uint32_t i = 0; i < desc->num_points; i++) {
        const md5_vec3 p = desc->points[i];
        if (!(fabsf(p.x) <= FLT_MAX && fabsf(p.y) <= FLT_MAX && fabsf(p.z) <= FLT_MAX))
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "point %u is %g %g %g, expected finite numbers", i, (double)p.x,
                             (double)p.y, (double)p.z);
    }
    return true;
}

// The number of points that a kind needs.
static bool check_count(md5_context *context, const md5_curve_desc *desc)
{
    static const char *const names[] = {"Catmull-Rom curve",  "Catmull-Rom curve",
                                        "cubic Bezier curve", "Bezier curve",
                                        "B-spline",           "NURBS"};
    const char *const kind = names[desc->kind], *const form = desc->is_closed ? "closed" : "open";
    const uint32_t n = desc->num_points;
    uint32_t least = 3, most = MD5_MAX_CURVE_POINTS;
    if (!desc->is_closed)
        least = desc->kind <= MD5_CURVE_CATMULL_ROM_UNIFORM || desc->kind == MD5_CURVE_BEZIER
                    ? 2
                    : md5i_curve_degree(desc) + 1;
    if (desc->kind == MD5_CURVE_BEZIER)
        most = MD5_MAX_CURVE_DEGREE + 1;
    if (n < least || n > most)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "%u points of %s %s, expected %u to %u", n,
                         form, kind, least, most);
    if (desc->kind == MD5_CURVE_BEZIER && desc->is_closed)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "a %s of one piece is closed, expected an open one", kind);
    if (desc->kind == MD5_CURVE_CUBIC_BEZIER && n % 3 != (desc->is_closed ? 0 : 1))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "%u points of %s %s, expected 3 n%s", n,
                         form, kind, desc->is_closed ? "" : " + 1");
    return true;
}

static bool check_weights(md5_context *context, const md5_curve_desc *desc)
{
    for (uint32_t i = 0; desc->weights && i < desc->num_points; i++) {
        const float weight = desc->weights[i];
        if (!(weight >= LEAST_WEIGHT && weight <= MOST_WEIGHT))
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "weight %u is %g, expected %g to %g",
                             i, (double)weight, (double)LEAST_WEIGHT, (double)MOST_WEIGHT);
    }
    return true;
}

static bool check_knots(md5_context *context, const md5_curve_desc *desc)
{
    const uint32_t degree = md5i_curve_degree(desc), n = desc->num_points;
    const float *const knots = desc->knots;
    const double range = (double)knots[n] - (double)knots[degree];
    for (uint32_t i = 0; i <= n + degree; i++) {
        if (!(fabsf(knots[i]) <= FLT_MAX))
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "knot %u is %g, expected a finite number", i, (double)knots[i]);
        const double step = i > 0 ? (double)knots[i] - (double)knots[i - 1] : 0.0;
        if (step < 0.0)
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "knot %u is %g, expected at least knot %u, %g", i, (double)knots[i],
                             i - 1, (double)knots[i - 1]);
        if (step > 0.0 && step < LEAST_SPAN * range)
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "knots %u and %u differ by %g, expected 0 or at least %g", i - 1, i,
                             step, LEAST_SPAN * range);
    }
    if (!(range > 0.0))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "knots %u and %u are both %g, expected a range", degree, n,
                         (double)knots[n]);
    for (uint32_t i = 1; i < n; i++) {
        if (knots[i] == knots[i + degree])
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "knots %u to %u are all %g, expected at most %u equal ones", i,
                             i + degree, (double)knots[i], degree);
    }
    return true;
}

static bool check_nurbs(md5_context *context, const md5_curve_desc *desc)
{
    if (desc->kind != MD5_CURVE_NURBS && (desc->weights || desc->knots || desc->degree != 0))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "degree, weights or knots of another curve than NURBS");
    TRY(check_weights(context, desc));
    if (desc->knots && desc->is_closed)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "knots of a closed NURBS, expected none: it is uniform");
    return !desc->knots || check_knots(context, desc);
}

bool md5i_check_curve(md5_context *context, const md5_curve_desc *desc)
{
    if ((unsigned)desc->kind > MD5_CURVE_NURBS)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "curve kind %u, expected 0 to %u",
                         (unsigned)desc->kind, (unsigned)MD5_CURVE_NURBS);
    if (desc->degree > MD5_MAX_CURVE_DEGREE)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "degree %u, expected at most %u",
                         desc->degree, (unsigned)MD5_MAX_CURVE_DEGREE);
    TRY(check_count(context, desc));
    TRY(check_points(context, desc));
    return check_nurbs(context, desc);
}
