#include "md5/play/run/archive.h"

#include <string.h>

bool md5i_archive_fail(md5_archive *archive, md5_status status, const char *what)
{
    if (archive->context)
        md5i_fail(archive->context, status, 0, 0, "saved player, up to byte %zu: %s", archive->used,
                  what);
    return false;
}

static bool fail_range(md5_archive *archive, const char *what, double value, double least,
                       double most)
{
    return md5i_fail(archive->context, MD5_ERROR_RANGE, 0, 0,
                     "saved player, up to byte %zu: %s is %g, but must be in %g .. %g",
                     archive->used, what, value, least, most);
}

// What is read into may hold anything before: it is not looked at.
static bool is_written(const md5_archive *archive)
{
    return archive->mode == MD5_ARCHIVE_WRITE;
}

// Writes or reads the lowest `size` bytes of a number.
static bool keep_bytes(md5_archive *archive, uint64_t *number, size_t size)
{
    if (is_written(archive) && !archive->to) {
        archive->used += size;
        return true;
    }
    if (size > archive->size - archive->used)
        return md5i_archive_fail(archive, MD5_ERROR_SYNTAX, "the bytes end too soon");
    if (is_written(archive)) {
        for (size_t i = 0; i < size; i++)
            archive->to[archive->used + i] = (uint8_t)(*number >> (8 * i));
    } else {
        *number = 0;
        for (size_t i = 0; i < size; i++)
            *number |= (uint64_t)archive->from[archive->used + i] << (8 * i);
    }
    archive->used += size;
    return true;
}

bool md5i_keep_uint(md5_archive *archive, uint32_t *value, uint32_t least, uint32_t most,
                    const char *what)
{
    uint64_t bits = is_written(archive) ? *value : 0;
    TRY(keep_bytes(archive, &bits, 4));
    *value = (uint32_t)bits;
    if (archive->mode == MD5_ARCHIVE_CHECK && (*value < least || *value > most))
        return fail_range(archive, what, *value, least, most);
    return true;
}

bool md5i_keep_int(md5_archive *archive, int32_t *value, int32_t least, int32_t most,
                   const char *what)
{
    uint64_t bits = is_written(archive) ? (uint32_t)*value : 0;
    TRY(keep_bytes(archive, &bits, 4));
    const uint32_t low = (uint32_t)bits;
    memcpy(value, &low, sizeof low);
    if (archive->mode == MD5_ARCHIVE_CHECK && (*value < least || *value > most))
        return fail_range(archive, what, *value, least, most);
    return true;
}

bool md5i_keep_int64(md5_archive *archive, int64_t *value, int64_t least, int64_t most,
                     const char *what)
{
    uint64_t bits = is_written(archive) ? (uint64_t)*value : 0;
    TRY(keep_bytes(archive, &bits, 8));
    memcpy(value, &bits, sizeof bits);
    if (archive->mode == MD5_ARCHIVE_CHECK && (*value < least || *value > most))
        return fail_range(archive, what, (double)*value, (double)least, (double)most);
    return true;
}

bool md5i_keep_uint64(md5_archive *archive, uint64_t *value)
{
    return keep_bytes(archive, value, 8);
}

bool md5i_keep_bool(md5_archive *archive, bool *value, const char *what)
{
    uint64_t bits = is_written(archive) && *value;
    TRY(keep_bytes(archive, &bits, 1));
    if (archive->mode == MD5_ARCHIVE_CHECK && bits > 1)
        return fail_range(archive, what, (double)bits, 0.0, 1.0);
    *value = bits != 0;
    return true;
}

bool md5i_keep_floats(md5_archive *archive, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t low;
        memcpy(&low, &values[i], sizeof low);
        uint64_t bits = low;
        TRY(keep_bytes(archive, &bits, 4));
        low = (uint32_t)bits;
        memcpy(&values[i], &low, sizeof low);
    }
    return true;
}

bool md5i_keep_float(md5_archive *archive, float *value, float least, float most, const char *what)
{
    TRY(md5i_keep_floats(archive, value, 1));
    if (archive->mode == MD5_ARCHIVE_CHECK && !(*value >= least && *value <= most))
        return fail_range(archive, what, (double)*value, (double)least, (double)most);
    return true;
}

bool md5i_keep_double(md5_archive *archive, double *value, double least, double most,
                      const char *what)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    TRY(keep_bytes(archive, &bits, 8));
    memcpy(value, &bits, sizeof bits);
    if (archive->mode == MD5_ARCHIVE_CHECK && !(*value >= least && *value <= most))
        return fail_range(archive, what, *value, least, most);
    return true;
}
