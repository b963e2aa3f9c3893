#include "md5/play/root_track.h"

#include "md5/core/math.h"

static const md5_way NO_WAY = {.cosine = 1.0};

md5_way md5_way_mul(md5_way a, md5_way b)
{
    return (md5_way){
        .x = a.x + (a.cosine * b.x - a.sine * b.y),
        .y = a.y + (a.sine * b.x + a.cosine * b.y),
        .z = a.z + b.z,
        .cosine = a.cosine * b.cosine - a.sine * b.sine,
        .sine = a.cosine * b.sine + a.sine * b.cosine,
    };
}

md5_way md5_way_inverse(md5_way way)
{
    return (md5_way){
        .x = -(way.cosine * way.x + way.sine * way.y),
        .y = -(way.cosine * way.y - way.sine * way.x),
        .z = -way.z,
        .cosine = way.cosine,
        .sine = -way.sine,
    };
}

// An arc over its chord is (t/2) / sin(t/2), t being the angle: the product of 1 / cos(t/4),
// 1 / cos(t/8) and so on (Viete), each cosine the root of half of 1 + the one before.
md5_stride md5_way_stride(const md5_way *way)
{
    enum { HALVINGS = 26 }; // then the cosine is 1
    double cosine = sqrt(fmin(fmax(0.5 + 0.5 * way->cosine, 0.0), 1.0));
    const double sine =
        way->sine < 0.0 ? -sqrt(1.0 - cosine * cosine) : sqrt(1.0 - cosine * cosine);
    const double x = cosine * way->x + sine * way->y, y = cosine * way->y - sine * way->x;
    double longer = 1.0;
    for (int i = 0; i < HALVINGS; i++) {
        cosine = sqrt(0.5 + 0.5 * cosine);
        longer /= cosine;
    }
    return (md5_stride){x * longer, y * longer, way->z};
}

// Half the angle of a complex number is found by adding 1; a half turn has two halves, of which
// this takes the one to the left.
md5_transform md5_way_transform(md5_way way)
{
    double w = 1.0 + way.cosine, z = way.sine;
    if (w < 1e-12) {
        w = 0.0;
        z = 1.0;
    }
    const double length = sqrt(w * w + z * z);
    return (md5_transform){
        .rotation = {.z = (float)(z / length), .w = (float)(w / length)},
        .translation = {(float)way.x, (float)way.y, (float)way.z},
    };
}

// The part of a rotation that turns about z, as a complex number; that of `before` where it turns
// upside down and there is none. The quaternion's w + iz is half of it, and squared the whole.
static void take_yaw(md5_quat rotation, const md5_way *before, md5_way *way)
{
    const double w = (double)rotation.w, z = (double)rotation.z;
    const double square = w * w + z * z;
    if (square < 1e-8) {
        way->cosine = before->cosine;
        way->sine = before->sine;
        return;
    }
    way->cosine = (w * w - z * z) / square;
    way->sine = 2.0 * w * z / square;
}

void md5_make_root_track(md5_extract extract, const md5_transform *roots, uint32_t num_frames,
                         md5_way *frames)
{
    md5_way back = NO_WAY;
    md5_way way = NO_WAY;
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_vec3 place = roots[i].translation;
        way.x = (double)place.x;
        way.y = (double)place.y;
        way.z = extract == MD5_EXTRACT_MOVE ? (double)place.z : 0.0;
        if (extract == MD5_EXTRACT_TURN)
            take_yaw(roots[i].rotation, &way, &way);
        if (i == 0)
            back = md5_way_inverse(way);
        frames[i] = md5_way_mul(way, back);
    }
    if (num_frames > 0)
        frames[0] = NO_WAY;
}

// Between two frames. The shorter arc of yaw is near enough to its chord, brought to unit length;
// what this is off from the sampled rotation stays in the pose.
md5_way md5_way_at(const md5_root_track *track, const md5_moment *moment)
{
    const md5_way *a = &track->frames[moment->frame0], *b = &track->frames[moment->frame1];
    if (moment->frame1 < moment->frame0)
        b = a; // back to the first frame: the character waits
    const double t = (double)moment->fraction;
    md5_way way = {
        .x = a->x + (b->x - a->x) * t,
        .y = a->y + (b->y - a->y) * t,
        .z = a->z + (b->z - a->z) * t,
        .cosine = a->cosine + (b->cosine - a->cosine) * t,
        .sine = a->sine + (b->sine - a->sine) * t,
    };
    const double square = way.cosine * way.cosine + way.sine * way.sine;
    if (square < 1e-12) { // half a turn from frame to frame: there is no shorter arc
        way.cosine = a->cosine;
        way.sine = a->sine;
        return way;
    }
    const double scale = 1.0 / sqrt(square);
    way.cosine *= scale;
    way.sine *= scale;
    return way;
}

// way^power, by squaring.
static md5_way repeated(md5_way way, int64_t power)
{
    md5_way square = power < 0 ? md5_way_inverse(way) : way;
    uint64_t rest = power < 0 ? 0 - (uint64_t)power : (uint64_t)power;
    md5_way product = NO_WAY;
    for (; rest > 0; rest /= 2) {
        if (rest % 2 == 1)
            product = md5_way_mul(product, square);
        square = md5_way_mul(square, square);
    }
    return product;
}

md5_root_place md5_root_place_at(const md5_root_track *track, const md5_timing *timing,
                                 md5_clock clock)
{
    const md5_moment moment = md5_clock_moment(timing, clock, MD5_INTERPOLATE_LINEAR);
    return (md5_root_place){clock, moment.cycle, md5_way_at(track, &moment)};
}

md5_way md5_way_between(const md5_root_track *track, const md5_root_place *from,
                        const md5_root_place *to)
{
    md5_way way = to->way;
    if (to->cycle != from->cycle) {
        const md5_way cycle = track->frames[track->num_frames - 1];
        way = md5_way_mul(repeated(cycle, to->cycle - from->cycle), way);
    }
    return md5_way_mul(md5_way_inverse(from->way), way);
}

void md5_take_way(md5_way way, md5_transform *root)
{
    *root = md5_transform_mul(md5_way_transform(md5_way_inverse(way)), *root);
}
