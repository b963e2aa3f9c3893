#include "md5/read/binary.h"

#include "md5/core/lex_values.h"

#include <stdarg.h>
#include <stdio.h>

void md5i_binary_begin(md5_binary *in, md5_arena *arena, const char *bytes, size_t size)
{
    const unsigned char *const start = (const unsigned char *)bytes;
    *in = (md5_binary){.arena = arena, .start = start, .at = start, .end = start + size};
}

bool md5i_binary_fail(md5_binary *in, md5_status status, const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    in->has_failed = true;
    return md5i_fail(in->arena->context, status, 1, (uint32_t)(in->at - in->start) + 1, "%s",
                     message);
}

const unsigned char *md5i_binary_take(md5_binary *in, size_t size)
{
    const unsigned char *const bytes = in->at;
    if (!in->has_failed && size > (size_t)(in->end - in->at))
        (void)md5i_binary_fail(in, MD5_ERROR_SYNTAX, "expected %zu bytes more, but %zu are left",
                               size, (size_t)(in->end - in->at));
    if (in->has_failed)
        return NULL;
    in->at += size;
    return bytes;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t md5i_binary_little_32(md5_binary *in)
{
    const unsigned char *const b = md5i_binary_take(in, 4);
    return b ? (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0] : 0;
}

uint32_t md5i_binary_big_32(md5_binary *in)
{
    const unsigned char *const b = md5i_binary_take(in, 4);
    return b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
}

float md5i_binary_big_float(md5_binary *in)
{
    return float_of(md5i_binary_big_32(in));
}

float md5i_binary_little_float(md5_binary *in)
{
    return float_of(md5i_binary_little_32(in));
}

bool md5i_binary_text(md5_binary *in, md5_span *text, const char *what)
{
    const uint32_t size = md5i_binary_little_32(in);
    const unsigned char *const bytes = md5i_binary_take(in, size);
    TRY(bytes);
    if (size > 0 && memchr(bytes, '\0', size)) {
        in->at = bytes;
        return md5i_binary_fail(in, MD5_ERROR_SYNTAX, "%s contains a NUL byte", what);
    }
    *text = (md5_span){(const char *)bytes, size};
    return true;
}

bool md5i_binary_count(md5_binary *in, const char *what, uint32_t least, size_t bytes,
                       uint32_t *count)
{
    const uint32_t value = md5i_binary_big_32(in);
    const size_t left = (size_t)(in->end - in->at);
    TRY(!in->has_failed);
    if (value >= least && value <= INT32_MAX && value <= left / bytes) {
        *count = value;
        return true;
    }
    in->at -= 4;
    return md5i_binary_fail(in, MD5_ERROR_RANGE, "%lld %s: expected at least %u, in %zu bytes",
                            (long long)(int32_t)value, what, least, left);
}

bool md5i_binary_point(md5_binary *in, md5_vec3 *point)
{
    const unsigned char *const at = in->at;
    const float x = md5i_binary_little_float(in), y = md5i_binary_little_float(in);
    *point = (md5_vec3){x, y, md5i_binary_little_float(in)};
    TRY(!in->has_failed);
    if (md5_is_point(*point))
        return true;
    in->at = at;
    return md5i_binary_fail(in, MD5_ERROR_RANGE, "a position beyond 1e9");
}

bool md5i_binary_rotation(md5_binary *in, md5_quat *rotation)
{
    const unsigned char *const at = in->at;
    const float x = md5i_binary_big_float(in), y = md5i_binary_big_float(in);
    const float z = md5i_binary_big_float(in), w = md5i_binary_big_float(in);
    const float square = x * x + y * y + z * z + w * w;
    TRY(!in->has_failed);
    if (square >= 0.25f && square <= 4.0f) {
        const float scale = 1.0f / sqrtf(square);
        *rotation = (md5_quat){x * scale, y * scale, z * scale, -w * scale};
        return true;
    }
    in->at = at;
    return md5i_binary_fail(in, MD5_ERROR_RANGE, "a rotation whose length is not 1");
}
