// Rotations along keys, by squad.
//
// Between keys q0 and q1 squad(u) = slerp(slerp(q0, q1, u), slerp(a, b, u), 2 u (1 - u)), whose
// derivative is
//   q0 (log(q0^-1 q1) + 2 log(q0^-1 a)) at u = 0, and q1 (log(q0^-1 q1) - 2 log(q1^-1 b)) at 1.
// For a velocity V at a key, and h seconds between the keys, these are h V with
//   a = q0 exp((h V0 - log(q0^-1 q1)) / 2), b = q1 exp((log(q0^-1 q1) - h V1) / 2)
// and if all h are equal and V is the mean of both sides, a = b at each key are Shoemake's.
// Logarithms are rotation vectors of half the angle.
#include "md5/core/assert.h"
#include "md5/core/arena.h"
#include "md5/core/math.h"
#include "md5/motion/functions.h"
#include "md5/md5curve.h"

#define PI 3.14159265358979324

// From one key to the next.
typedef struct span {
    double start, seconds;
    md5_quatd key, inner;           // at the start: q0 and a
    md5_vec3d key_turn, inner_turn; // to q1 and b
} span;

struct md5_squad {
    uint32_t num_spans;
    double first, end, period; // seconds; 0: not periodic
    size_t size;               // of this block
    md5_allocator allocator;
    md5_quatd last; // key
    span spans[];
};

// -- Quaternions ----------------------------------------------------------------------------------

// The logarithm of the turn from one to the other, by an angle of 0 to pi. The axis of -1 is
// undefined: returns 0.
static md5_vec3d turn_between(md5_quatd from, md5_quatd to)
{
    const md5_quatd turn = md5_quatd_mul(md5_quatd_conjugate(from), to);
    const md5_vec3d axis = {turn.x, turn.y, turn.z};
    const double sine = md5_vec3d_length(axis);
    return md5_vec3d_scale(axis, sine > 0.0 ? md5i_angle(sine, turn.w) / sine : 0.0);
}

// By the exponential of a share of a turn.
static md5_quatd turned(md5_quatd q, md5_vec3d turn, double share)
{
    const md5_vec3d part = md5_vec3d_scale(turn, share);
    const double angle = md5_vec3d_length(part), turns = angle / (2.0 * PI);
    const double scale = angle > 0.0 ? md5i_sine_of_turns(turns) / angle : 0.0;
    const double cosine = angle > 0.0 ? md5i_sine_of_turns(turns + 0.25) : 1.0;
    return md5_quatd_mul(q, (md5_quatd){part.x * scale, part.y * scale, part.z * scale, cosine});
}

static double dot(md5_quatd a, md5_quatd b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// -- Creation -------------------------------------------------------------------------------------

typedef struct keys {
    const md5_quat *keys;
    const double *times;
    uint32_t num_keys, num_spans;
    double period;
} keys;

static bool check_keys(md5_context *context, const keys *list)
{
    for (uint32_t i = 0; i < list->num_keys; i++) {
        const md5_quat q = list->keys[i];
        const double square = dot(md5_quatd_of(q), md5_quatd_of(q));
        if (!(square > 1e-30 && square < 1e30))
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "key %u is %g %g %g %g, expected a rotation", i, (double)q.x,
                             (double)q.y, (double)q.z, (double)q.w);
        if (!(fabs(list->times[i]) <= DBL_MAX) || (i > 0 && !(list->times[i] > list->times[i - 1])))
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "key %u is at %g seconds, expected a time after the key before", i,
                             list->times[i]);
    }
    const double last = list->times[list->num_keys - 1];
    if (list->period != 0.0 && !(list->times[0] + list->period > last && list->period <= DBL_MAX))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "the period is %g seconds, expected 0 or more than the %g of the keys",
                         list->period, last - list->times[0]);
    return true;
}

static md5_quatd unit_key(const keys *list, uint32_t key)
{
    const md5_quatd q = md5_quatd_of(list->keys[key % list->num_keys]);
    const double scale = 1.0 / sqrt(dot(q, q));
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Copies times and keys, each key with the sign nearer to the key before.
static void fill_keys(const keys *list, md5_squad *squad)
{
    md5_quatd q = unit_key(list, 0);
    for (uint32_t i = 0; i < list->num_spans; i++) {
        const bool is_last = i + 1 == list->num_keys;
        const double end = is_last ? list->times[0] + list->period : list->times[i + 1];
        md5_quatd next = unit_key(list, i + 1);
        if (dot(q, next) < 0.0)
            next = md5_quatd_negate(next);
        squad->spans[i] = (span){
            .start = list->times[i],
            .seconds = end - list->times[i],
            .key = q,
            .key_turn = turn_between(q, next),
        };
        q = next;
    }
    squad->last = q;
}

// The velocity at the start of span `i`, which is the end of the span before; at the ends of a
// non-periodic curve that of the adjacent span.
static md5_vec3d velocity_at(const md5_squad *squad, uint32_t i)
{
    const uint32_t count = squad->num_spans;
    const bool has_before = i > 0 || squad->period > 0.0;
    const bool has_after = i < count || squad->period > 0.0;
    const uint32_t previous = (i + count - 1) % count;
    const span *const after = &squad->spans[has_after ? i % count : previous];
    const span *const before = has_before ? &squad->spans[previous] : after;
    const double sum = before->seconds + after->seconds;
    const md5_vec3d velocity =
        md5_vec3d_add(md5_vec3d_scale(before->key_turn, after->seconds / sum / before->seconds),
                      md5_vec3d_scale(after->key_turn, before->seconds / sum / after->seconds));
    const double most = PI / fmax(before->seconds, after->seconds);
    const double length = md5_vec3d_length(velocity);
    if (!(length <= DBL_MAX))
        return (md5_vec3d){0.0, 0.0, 0.0};
    return length > most ? md5_vec3d_scale(velocity, most / length) : velocity;
}

md5_squad *md5_create_squad(const md5_quat *rotations, const double *times, uint32_t num_keys,
                            double period, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_OPTS(opts);
    MD5_ASSERT(rotations != NULL || num_keys == 0, "rotations: not NULL");
    MD5_ASSERT(times != NULL || num_keys == 0, "times: not NULL");
    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    const keys list = {
        .keys = rotations,
        .times = times,
        .num_keys = num_keys,
        .num_spans = period != 0.0 ? num_keys : num_keys - 1,
        .period = period,
    };
    if (num_keys == 0)
        md5i_fail(&context, MD5_ERROR_RANGE, 0, 0, "no keys, expected at least 1");
    if (num_keys == 0 || !check_keys(&context, &list))
        return NULL;
    md5_block block = {NULL, 0};
    md5i_block_take(&block, 1, sizeof(md5_squad));
    md5i_block_take(&block, list.num_spans, sizeof(span));
    md5_squad *const squad = (md5_squad *)md5i_alloc(&context, block.used);
    if (!squad)
        return NULL;
    squad->num_spans = list.num_spans;
    squad->first = times[0];
    squad->end = period > 0.0 ? times[0] + period : times[num_keys - 1];
    squad->period = period;
    squad->size = block.used;
    squad->allocator = context.allocator;
    fill_keys(&list, squad);
    // The inner points, of which each depends on the velocities at both ends of its span.
    for (uint32_t i = 0; i < squad->num_spans; i++) {
        span *const each = &squad->spans[i];
        const md5_quatd end = i + 1 < squad->num_spans ? squad->spans[i + 1].key : squad->last;
        const md5_vec3d start_turn = md5_vec3d_scale(velocity_at(squad, i), each->seconds);
        const md5_vec3d end_turn = md5_vec3d_scale(velocity_at(squad, i + 1), each->seconds);
        each->inner = turned(each->key, md5_vec3d_sub(start_turn, each->key_turn), 0.5);
        each->inner_turn =
            turn_between(each->inner, turned(end, md5_vec3d_sub(each->key_turn, end_turn), 0.5));
    }
    return squad;
}

void md5_destroy_squad(md5_squad *squad)
{
    if (!squad)
        return;
    const md5_allocator allocator = squad->allocator;
    allocator.free(allocator.user, squad, squad->size);
}

// -- Evaluation -----------------------------------------------------------------------------------

static md5_quat rounded(md5_quatd q)
{
    const double scale = 1.0 / sqrt(dot(q, q));
    return (md5_quat){(float)(q.x * scale), (float)(q.y * scale), (float)(q.z * scale),
                      (float)(q.w * scale)};
}

static double within(const md5_squad *squad, double time)
{
    if (squad->period > 0.0 && !(time >= squad->first && time < squad->end)) {
        const double cycles = floor((time - squad->first) / squad->period);
        time -= squad->period * cycles;
    }
    return time > squad->first ? time < squad->end ? time : squad->end : squad->first;
}

md5_quat md5_squad_rotation(const md5_squad *squad, double time)
{
    MD5_ASSERT(squad != NULL, "squad: not NULL");
    const double inside = within(squad, time);
    if (squad->num_spans == 0 || inside >= squad->end)
        return rounded(squad->last);
    uint32_t low = 0, high = squad->num_spans;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (squad->spans[middle].start <= inside)
            low = middle;
        else
            high = middle;
    }
    const span *const each = &squad->spans[low];
    const double u = (inside - each->start) / each->seconds;
    const md5_quatd key = turned(each->key, each->key_turn, u);
    const md5_quatd inner = turned(each->inner, each->inner_turn, u);
    return rounded(turned(key, turn_between(key, inner), 2.0 * u * (1.0 - u)));
}
