// The frames of an .md5anim: how many numbers each has, then the numbers.
#include "md5/core/math.h"
#include "md5/read/anim_reader.h"
#include "md5/read/rows.h"

enum { TRANSLATION_FLAGS = 7, ROTATION_FLAGS = 56 };

// -- How many numbers a frame has -----------------------------------------------------------

// Counts the numbers of the frame whose `{` was just read. Finds the position of number `declared`,
// or of the `}` if there are fewer.
static bool count_numbers(const md5_anim_reader *reader, uint32_t declared, uint64_t *count,
                          const char **declared_at)
{
    md5_lex lex = reader->lex;
    float number;
    *count = 0;
    *declared_at = NULL;
    while (!md5_lex_at_block_end(&lex)) {
        if (*count == declared)
            *declared_at = lex.at;
        TRY(md5_lex_float(&lex, &number));
        ++*count;
    }
    if (!*declared_at)
        *declared_at = lex.at;
    return true;
}

// Header, hierarchy and the first frame each give the number of components. Some files have a wrong
// header, but frames that fit the hierarchy: a warning. Any other difference is an error.
static bool settle_components(md5_anim_reader *reader, uint32_t *num_components)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t declared = reader->num_components.value;
    uint64_t count;
    const char *at;
    TRY(count_numbers(reader, declared, &count, &at));
    if (reader->needed == count && count != declared)
        md5i_lex_warn(lex, reader->num_components.at,
                      "numAnimatedComponents says %u, but hierarchy and first frame have %llu: "
                      "these are used",
                      declared, (unsigned long long)count);
    else if (count != declared)
        return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX,
                             "numAnimatedComponents says %u, but this frame has %llu", declared,
                             (unsigned long long)count);
    else if (reader->needed > declared)
        return md5i_lex_fail(lex, reader->needed_at, MD5_ERROR_RANGE,
                             "components up to %llu, but numAnimatedComponents is %u",
                             (unsigned long long)reader->needed, declared);
    *num_components = (uint32_t)count; // `needed` and `declared` are below 2^31 + 6
    return true;
}

// Limits how often joints share components, so that the asset's size is linear in that of the text.
static bool check_sharing(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint64_t text_size = (uint64_t)(lex->end - lex->text);
    if (reader->num_used <= text_size / reader->num_frames.value)
        return true;
    return md5i_lex_fail(lex, reader->num_components.at, MD5_ERROR_RANGE,
                         "joints share components: %llu in %u frames is more than the file has "
                         "bytes (%llu)",
                         (unsigned long long)reader->num_used, reader->num_frames.value,
                         (unsigned long long)text_size);
}

// A track without flags may have any `first`: brings it into the range that the asset promises.
static bool settle_tracks(md5_anim_reader *reader, uint32_t num_components)
{
    const uint32_t num_joints = reader->num_joints.value;
    reader->turning =
        (uint32_t *)md5i_arena_room(reader->lex.arena, num_joints, sizeof *reader->turning);
    TRY(reader->turning);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        md5_track *const track = &reader->tracks[joint];
        if (track->flags == 0 && track->first > num_components)
            track->first = 0;
        if (track->flags & ROTATION_FLAGS)
            reader->turning[reader->num_turning++] = joint;
    }
    return true;
}

// Prepares for reading frames, at the first one, whose `{` was just read.
static bool begin_frames(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    uint32_t num_components = 0;
    TRY(settle_components(reader, &num_components));
    TRY(check_sharing(reader));
    // Room for no more frames than the rest of the text could hold. If there are fewer than
    // numFrames says, reading ends with an error before the room does.
    const size_t left = (size_t)(lex->end - lex->at);
    const size_t frame_bytes = MD5_FRAME_BYTES - 1 + (size_t)MD5_NUMBER_BYTES * num_components;
    const size_t most = left / frame_bytes + 1;
    const size_t num_frames = reader->num_frames.value < most ? reader->num_frames.value : most;
    TRY(settle_tracks(reader, num_components));
    reader->file->num_components = num_components;
    reader->numbers =
        (float *)md5i_arena_room(lex->arena, num_frames, num_components * sizeof *reader->numbers);
    return reader->numbers != NULL;
}

// -- Frames ---------------------------------------------------------------------------------

static md5_vec3 frame_rotation(const md5_track *track, const md5_xform *base, const float *numbers)
{
    md5_vec3 rotation = {base->rotation.x, base->rotation.y, base->rotation.z};
    const float *next = numbers + track->first + md5_num_flags(track->flags & TRANSLATION_FLAGS);
    if (track->flags & 8)
        rotation.x = *next++;
    if (track->flags & 16)
        rotation.y = *next++;
    if (track->flags & 32)
        rotation.z = *next++;
    return rotation;
}

// Returns the position of a component in the frame whose numbers begin at `start`.
static const char *find_component(const md5_anim_reader *reader, const char *start,
                                  uint32_t component)
{
    md5_lex lex = reader->lex;
    float number;
    lex.at = start;
    for (uint32_t i = 0; i < component; i++)
        md5_lex_float(&lex, &number); // as before, without an error
    md5_lex_space(&lex);
    return lex.at;
}

// Checks the range of a frame's numbers. Without branches: a negative difference sets the highest
// bit.
static bool check_lengths(md5_anim_reader *reader, const float *numbers, const char *start)
{
    const uint32_t count = reader->file->num_components, sign = UINT32_C(1) << 31;
    const float longest = MD5_MOST_LENGTH;
    uint32_t most, bits, differences = 0;
    memcpy(&most, &longest, sizeof most);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&bits, &numbers[i], sizeof bits);
        differences |= most - (bits & ~sign);
    }
    if (!(differences & sign))
        return true;
    uint32_t first = 0;
    while (md5_is_length(numbers[first]))
        first++;
    return md5i_lex_fail_length(&reader->lex, find_component(reader, start, first));
}

// Warns of a frame's rotations that are longer than 1: once for all of them, at the first in the
// text, so that lines are counted forward only.
static void check_rotations(md5_anim_reader *reader, const float *numbers, const char *start)
{
    uint32_t num_overlong = 0, component = 0;
    md5_vec3 first = {0};
    for (uint32_t i = 0; i < reader->num_turning; i++) {
        const uint32_t joint = reader->turning[i];
        const md5_track *const track = &reader->tracks[joint];
        const md5_vec3 rotation = frame_rotation(track, &reader->base_frame[joint], numbers);
        if (!md5_quat_is_overlong(rotation.x, rotation.y, rotation.z))
            continue;
        const uint32_t at = track->first + md5_num_flags(track->flags & TRANSLATION_FLAGS);
        if (num_overlong == 0 || at < component) {
            component = at;
            first = rotation;
        }
        num_overlong++;
    }
    if (num_overlong > 0)
        md5i_warn_overlong(&reader->lex, find_component(reader, start, component), first,
                           num_overlong);
}

// Frames are numbered 0, 1, 2 ...; some files begin with another number.
static bool read_frame_number(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    uint32_t number;
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, "frame", &number));
    if (reader->num_frames_read == 0) {
        reader->first_frame = number;
        if (number != 0)
            md5i_lex_warn(lex, at, "frames are numbered from %u, not from 0", number);
    }
    const int64_t expected = reader->first_frame + reader->num_frames_read;
    if (number != expected)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "frame %u, expected frame %lld", number,
                             (long long)expected);
    return true;
}

static bool read_numbers(md5_lex *lex, float *numbers, uint32_t count)
{
    // Numbers that are not plain come in groups: after one, the lexer reads this many.
    enum { NOT_TRIED = 8 };
    for (uint32_t i = 0; i < count;) {
        i += (uint32_t)md5i_row_numbers(lex, &numbers[i], count - i);
        for (int n = 0; n < NOT_TRIED && i < count; n++, i++) {
            if (md5_lex_at_block_end(lex))
                return md5i_fail_short(lex, "numAnimatedComponents", count, i);
            TRY(md5_lex_float(lex, &numbers[i]));
        }
    }
    return true;
}

// frame i { numbers }
bool md5i_read_frame(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    lex->at += strlen("frame");
    TRY(read_frame_number(reader));
    TRY(md5_lex_bracket(lex, '{'));
    if (reader->num_frames_read == 0)
        TRY(begin_frames(reader));

    const char *const start = lex->at;
    const uint32_t num_components = reader->file->num_components;
    float *const numbers = reader->numbers + (size_t)reader->num_frames_read * num_components;
    TRY(read_numbers(lex, numbers, num_components));
    if (!md5i_lex_take(lex, '}'))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "expected '}' after the %u numbers of this frame, found %s",
                             num_components, md5i_lex_token(lex, lex->at).text);
    reader->num_frames_read++;
    TRY(check_lengths(reader, numbers, start));
    check_rotations(reader, numbers, start);
    return true;
}

bool md5i_read_first_frame(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(md5i_need_count(lex, &reader->num_components, "numAnimatedComponents"));
    if (!reader->joints || !reader->base_frame)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s' before the first frame",
                             reader->joints ? "baseframe" : "hierarchy");
    if (!reader->rate_at)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "expected 'frameRate' before the first frame");
    return md5i_read_frame(reader);
}
