#include "md5/play/root_track.h"

#include "md5/core/axes.h"

static const md5_root_delta NO_DELTA = {.cosine = 1.0};

// An arc over its chord is (t/2) / sin(t/2), t being the angle: the product of 1 / cos(t/4),
// 1 / cos(t/8) and so on (Viete), each cosine the root of half of 1 + the one before.
md5_stride md5i_root_delta_stride(const md5_root_delta *delta)
{
    enum { HALVINGS = 26 }; // then the cosine is 1
    double cosine = sqrt(fmin(fmax(0.5 + 0.5 * delta->cosine, 0.0), 1.0));
    const double sine =
        delta->sine < 0.0 ? -sqrt(1.0 - cosine * cosine) : sqrt(1.0 - cosine * cosine);
    const double x = cosine * delta->x + sine * delta->y, y = cosine * delta->y - sine * delta->x;
    double longer = 1.0;
    for (int i = 0; i < HALVINGS; i++) {
        cosine = sqrt(0.5 + 0.5 * cosine);
        longer /= cosine;
    }
    return (md5_stride){x * longer, y * longer, delta->z};
}

// Half the angle of a complex number is found by adding 1; a half turn has two halves, of which
// this takes the one to the left.
md5_xform md5i_root_delta_transform(md5_root_delta delta)
{
    double w = 1.0 + delta.cosine, z = delta.sine;
    if (w < 1e-12) {
        w = 0.0;
        z = 1.0;
    }
    const double length = sqrt(w * w + z * z);
    return (md5_xform){
        .rotation = {.z = (float)(z / length), .w = (float)(w / length)},
        .translation = {(float)delta.x, (float)delta.y, (float)delta.z},
    };
}

// The part of a rotation that turns about z, as a complex number; that of `before` where it turns
// upside down and there is none. The quaternion's w + iz is half of it, and squared the whole.
static void take_yaw(md5_quat rotation, const md5_root_delta *before, md5_root_delta *delta)
{
    const double w = (double)rotation.w, z = (double)rotation.z;
    const double square = w * w + z * z;
    if (square < 1e-8) {
        delta->cosine = before->cosine;
        delta->sine = before->sine;
        return;
    }
    delta->cosine = (w * w - z * z) / square;
    delta->sine = 2.0 * w * z / square;
}

void md5i_make_root_track(md5_extract extract, const md5_xform *roots, uint32_t num_frames,
                          md5_root_delta *frames)
{
    md5_root_delta back = NO_DELTA;
    md5_root_delta delta = NO_DELTA;
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_vec3 position = roots[i].translation;
        delta.x = (double)position.x;
        delta.y = (double)position.y;
        delta.z = extract == MD5_EXTRACT_MOVE ? (double)position.z : 0.0;
        if (extract == MD5_EXTRACT_TURN)
            take_yaw(roots[i].rotation, &delta, &delta);
        if (i == 0)
            back = md5_root_delta_inverse(delta);
        frames[i] = md5_root_delta_mul(delta, back);
    }
    if (num_frames > 0)
        frames[0] = NO_DELTA;
}

// Between two frames. The shorter arc of yaw is near enough to its chord, brought to unit length;
// what this is off from the sampled rotation stays in the pose.
md5_root_delta md5i_root_delta_at(const md5_root_track *track, const md5_moment *moment)
{
    const md5_root_delta *a = &track->frames[moment->frame0], *b = &track->frames[moment->frame1];
    if (moment->frame1 < moment->frame0)
        b = a; // back to the first frame: no displacement
    const double t = (double)moment->fraction;
    md5_root_delta delta = {
        .x = a->x + (b->x - a->x) * t,
        .y = a->y + (b->y - a->y) * t,
        .z = a->z + (b->z - a->z) * t,
        .cosine = a->cosine + (b->cosine - a->cosine) * t,
        .sine = a->sine + (b->sine - a->sine) * t,
    };
    const double square = delta.cosine * delta.cosine + delta.sine * delta.sine;
    if (square < 1e-12) { // half a turn from frame to frame: there is no shorter arc
        delta.cosine = a->cosine;
        delta.sine = a->sine;
        return delta;
    }
    const double scale = 1.0 / sqrt(square);
    delta.cosine *= scale;
    delta.sine *= scale;
    return delta;
}

// delta^power, by squaring.
static md5_root_delta repeated(md5_root_delta delta, int64_t power)
{
    md5_root_delta square = power < 0 ? md5_root_delta_inverse(delta) : delta;
    uint64_t rest = power < 0 ? 0 - (uint64_t)power : (uint64_t)power;
    md5_root_delta product = NO_DELTA;
    for (; rest > 0; rest /= 2) {
        if (rest % 2 == 1)
            product = md5_root_delta_mul(product, square);
        square = md5_root_delta_mul(square, square);
    }
    return product;
}

md5_root_position md5i_root_position_at(const md5_root_track *track, const md5_timing *timing,
                                        md5_clock clock)
{
    const md5_moment moment = md5i_clock_moment(timing, clock, MD5_INTERPOLATE_LINEAR);
    return (md5_root_position){clock, moment.cycle, md5i_root_delta_at(track, &moment)};
}

md5_root_delta md5i_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                       const md5_root_position *to)
{
    md5_root_delta delta = to->delta;
    if (to->cycle != from->cycle) {
        const md5_root_delta cycle = track->frames[track->num_frames - 1];
        delta = md5_root_delta_mul(repeated(cycle, to->cycle - from->cycle), delta);
    }
    return md5_root_delta_mul(md5_root_delta_inverse(from->delta), delta);
}

void md5i_remove_root_delta(md5_axes axes, md5_root_delta delta, md5_xform *root)
{
    const md5_xform back = md5i_root_delta_transform(md5_root_delta_inverse(delta));
    *root = md5_xform_mul(md5_transform_to_axes(axes, back), *root);
}
