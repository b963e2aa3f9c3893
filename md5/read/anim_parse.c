// .md5anim: header, hierarchy, boxes, base frame, then frames of numbers.
#include "md5/core/math.h"
#include "md5/read/anim_file.h"
#include "md5/read/header.h"
#include "md5/read/rows.h"

// The fewest bytes that one of each takes in a text: see mesh_parse.c.
enum {
    JOINT_BYTES = sizeof "a 0 0 0(0 0 0)(0 0 0)" - 1, // in the hierarchy and the base frame
    FRAME_BYTES = sizeof "frame 0{}" - 1,
    NUMBER_BYTES = sizeof " 0" - 1,
};

// Frames a second where a file says 0, as other readers take it. id's engine divides by it.
enum { RATE_OF_NONE = 25 };

enum { TRANSLATION_FLAGS = 7, ROTATION_FLAGS = 56, ALL_FLAGS = 63 };

typedef struct anim_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_frames, num_joints, num_components;
    const char *rate_at; // NULL = not given yet
    md5_file_joint *joints;
    md5_track *tracks;
    md5_transform *base_frame;
    const char *bounds_at;

    // What the hierarchy asks a frame to hold, and which joint asks for the last number.
    uint64_t needed;
    const char *needed_at;
    uint64_t num_used; // components, each counted as often as joints use it
    uint32_t
        *turning; // [num_turning] joints with rotation flags: frames are checked for these only
    uint32_t num_turning;

    uint32_t num_frames_read;
    int64_t first_frame; // the number of the first frame
    float *numbers;
    md5_anim_file *file;
} anim_reader;

static uint32_t num_bits(uint32_t flags)
{
    uint32_t bits = 0;
    for (; flags; flags &= flags - 1)
        bits++;
    return bits;
}

static bool fail_short(md5_lex *lex, const char *count_word, uint32_t count, uint32_t item)
{
    return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s says %u, found %s after %u", count_word,
                        count, md5_lex_token(lex, lex->at).text, item);
}

static bool at_block_end(md5_lex *lex)
{
    md5_lex_space(lex);
    return lex->at == lex->end || *lex->at == '}';
}

// Steps over the word and `{` of a section that may stand once.
static bool begin_section(md5_lex *lex, const char *word, bool is_known)
{
    if (is_known)
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "'%s' stands here a second time", word);
    lex->at += strlen(word);
    return md5_lex_bracket(lex, '{');
}

// -- Hierarchy ------------------------------------------------------------------------------

// flags first. Where no flag is set, what the first number is does not matter.
static bool read_track(anim_reader *reader, md5_track *track)
{
    md5_lex *const lex = &reader->lex;
    int64_t first;
    md5_lex_space(lex);
    const char *at = lex->at;
    TRY(md5_read_uint(lex, "flags", &track->flags));
    if (track->flags > ALL_FLAGS)
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "flags %u, but 63 has all", track->flags);
    md5_lex_space(lex);
    at = lex->at;
    TRY(md5_lex_int(lex, &first));
    const bool is_used = track->flags != 0;
    const bool fits = first >= 0 && first <= INT32_MAX;
    if (is_used && !fits)
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "first component %lld is out of range",
                            (long long)first);
    track->first = fits ? (uint32_t)first : 0;
    const uint64_t needed = (uint64_t)track->first + num_bits(track->flags);
    reader->num_used += num_bits(track->flags);
    if (is_used && needed > reader->needed) {
        reader->needed = needed;
        reader->needed_at = at;
    }
    return true;
}

// NAME parent flags first
static bool read_joint(anim_reader *reader, uint32_t joint)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t num_joints = reader->num_joints.value;
    md5_file_joint *const out = &reader->joints[joint];
    if (at_block_end(lex))
        return fail_short(lex, "numJoints", num_joints, joint);
    out->at = (uint32_t)(lex->at - lex->text);
    TRY(md5_lex_joint_name(lex, &out->name));
    TRY(md5_read_parent(lex, num_joints, &out->parent));
    return read_track(reader, &reader->tracks[joint]);
}

// All that an ordinary file needs, in one piece, once its counts are known; and a byte for each
// joint and number, for whoever makes a clip of it.
static bool reserve_tables(const anim_reader *reader)
{
    enum { ALIGNMENT = 16, TABLES = 9 };
    const uint64_t a_joint = sizeof *reader->joints + sizeof *reader->tracks
                             + sizeof *reader->base_frame + sizeof *reader->turning
                             + sizeof(uint32_t) + 1; // place in the order
    const uint64_t num_joints = reader->num_joints.value, num_frames = reader->num_frames.value;
    const uint64_t num_components = reader->num_components.value;
    const uint64_t left = (uint64_t)(reader->lex.end - reader->lex.at);
    const uint64_t num_numbers = num_frames * num_components, most = left / NUMBER_BYTES;
    return md5_arena_reserve(
        reader->lex.arena,
        (size_t)(num_joints * a_joint + num_components + num_frames * sizeof(md5_bounds)
                 + (num_numbers < most ? num_numbers : most) * sizeof *reader->numbers
                 + ALIGNMENT * TABLES));
}

static bool read_hierarchy(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "hierarchy", reader->joints != NULL));
    const uint32_t num_joints = reader->num_joints.value;
    TRY(reserve_tables(reader));
    reader->joints = md5_arena_room(lex->arena, num_joints, sizeof *reader->joints);
    TRY(reader->joints);
    reader->tracks = md5_arena_alloc(lex->arena, num_joints, sizeof *reader->tracks);
    TRY(reader->tracks);
    for (uint32_t joint = 0; joint < num_joints; joint++)
        TRY(read_joint(reader, joint));
    TRY(md5_end_rows(lex, "numJoints", num_joints, "niii"));
    return md5_order_joints(lex, reader->joints, num_joints, &reader->file->order);
}

// -- Boxes and base frame -------------------------------------------------------------------

static bool is_empty(const md5_bounds *box)
{
    const md5_vec3 low = box->min, high = box->max;
    const bool is_inverted = low.x > high.x || low.y > high.y || low.z > high.z;
    return is_inverted || (low.x == high.x && low.y == high.y && low.z == high.z);
}

// Exporters that do not compute boxes write zeros.
static void check_boxes(md5_lex *lex, const char *at, const md5_bounds *bounds, uint32_t count)
{
    uint32_t frame = 0;
    while (frame < count && is_empty(&bounds[frame]))
        frame++;
    if (frame == count)
        md5_lex_warn(
            lex, at,
            "no box of 'bounds' holds anything: programs that cull by them hide the model");
}

// More boxes than frames: the first ones are kept. Fewer: which frames they belong to is not
// known, and none is.
static bool read_bounds(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const char *const at = lex->at;
    uint32_t num_boxes = 0;
    TRY(md5_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(begin_section(lex, "bounds", reader->bounds_at != NULL));
    reader->bounds_at = at;
    const uint32_t num_frames = reader->num_frames.value;
    md5_bounds *const bounds = md5_arena_room(lex->arena, num_frames, sizeof *bounds);
    TRY(bounds);
    while (!at_block_end(lex)) {
        md5_bounds box;
        TRY(md5_read_vec3(lex, &box.min));
        TRY(md5_read_vec3(lex, &box.max));
        if (num_boxes < num_frames)
            bounds[num_boxes] = box;
        num_boxes += num_boxes < UINT32_MAX;
    }
    TRY(md5_lex_expect(lex, '}'));
    if (num_boxes >= num_frames) {
        reader->file->bounds = bounds;
        check_boxes(lex, at, bounds, num_frames);
    }
    if (num_boxes != num_frames)
        md5_lex_warn(lex, at, "numFrames says %u, but 'bounds' has %u boxes: %s", num_frames,
                     num_boxes, num_boxes > num_frames ? "the first are used" : "none is used");
    return true;
}

static bool read_base_transform(md5_lex *lex, md5_transform *transform)
{
    md5_vec3 rotation;
    TRY(md5_read_point(lex, &transform->translation));
    TRY(md5_read_rotation(lex, &rotation));
    transform->rotation = (md5_quat){.x = rotation.x, .y = rotation.y, .z = rotation.z};
    return true;
}

static bool read_base_frame(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "baseframe", reader->base_frame != NULL));
    const uint32_t num_joints = reader->num_joints.value;
    reader->base_frame = md5_arena_alloc(lex->arena, num_joints, sizeof *reader->base_frame);
    TRY(reader->base_frame);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (at_block_end(lex))
            return fail_short(lex, "numJoints", num_joints, joint);
        TRY(read_base_transform(lex, &reader->base_frame[joint]));
    }
    return md5_end_rows(lex, "numJoints", num_joints, "pp");
}

// -- How many numbers a frame has -----------------------------------------------------------

// Counts the numbers of the frame whose `{` was just read, without keeping them, and finds where
// number `declared` stands, or the `}` if there are fewer.
static bool count_numbers(const anim_reader *reader, uint32_t declared, uint64_t *count,
                          const char **declared_at)
{
    md5_lex lex = reader->lex;
    float number;
    *count = 0;
    *declared_at = NULL;
    while (!at_block_end(&lex)) {
        if (*count == declared)
            *declared_at = lex.at;
        TRY(md5_lex_float(&lex, &number));
        ++*count;
    }
    if (!*declared_at)
        *declared_at = lex.at;
    return true;
}

// Header, hierarchy and the first frame each say how many numbers a frame has. Files occur whose
// header is wrong while frames fit their hierarchy; anything else has no sense to be found.
static bool settle_components(anim_reader *reader, uint32_t *num_components)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t declared = reader->num_components.value;
    uint64_t count;
    const char *at;
    TRY(count_numbers(reader, declared, &count, &at));
    if (reader->needed == count && count != declared)
        md5_lex_warn(lex, reader->num_components.at,
                     "numAnimatedComponents says %u, but hierarchy and first frame have %llu: "
                     "these count",
                     declared, (unsigned long long)count);
    else if (count != declared)
        return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX,
                            "numAnimatedComponents says %u, but this frame has %llu", declared,
                            (unsigned long long)count);
    else if (reader->needed > declared)
        return md5_lex_fail(lex, reader->needed_at, MD5_ERROR_RANGE,
                            "components up to %llu, but numAnimatedComponents is %u",
                            (unsigned long long)reader->needed, declared);
    *num_components = (uint32_t)count; // `needed` and `declared` are below 2^31 + 6
    return true;
}

// Joints may share components. Bounded, so that what is made of a file is linear in its size.
static bool check_sharing(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint64_t text_size = (uint64_t)(lex->end - lex->text);
    if (reader->num_used <= text_size / reader->num_frames.value)
        return true;
    return md5_lex_fail(lex, reader->num_components.at, MD5_ERROR_RANGE,
                        "joints share components: %llu in %u frames is more than the file has "
                        "bytes (%llu)",
                        (unsigned long long)reader->num_used, reader->num_frames.value,
                        (unsigned long long)text_size);
}

// A track without flags may point anywhere, but not in what others rely on.
static bool settle_tracks(anim_reader *reader, uint32_t num_components)
{
    const uint32_t num_joints = reader->num_joints.value;
    reader->turning = md5_arena_room(reader->lex.arena, num_joints, sizeof *reader->turning);
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

// At the first frame, whose `{` was just read: all that is needed for the others is known.
static bool begin_frames(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    uint32_t num_components = 0;
    TRY(settle_components(reader, &num_components));
    TRY(check_sharing(reader));
    // Room for no more frames than the rest of the text could hold. If there are fewer than
    // numFrames says, reading ends with an error before the room does.
    const size_t left = (size_t)(lex->end - lex->at);
    const size_t frame_bytes = FRAME_BYTES - 1 + (size_t)NUMBER_BYTES * num_components;
    const size_t most = left / frame_bytes + 1;
    const size_t num_frames = reader->num_frames.value < most ? reader->num_frames.value : most;
    TRY(settle_tracks(reader, num_components));
    reader->file->num_components = num_components;
    reader->numbers =
        md5_arena_room(lex->arena, num_frames, num_components * sizeof *reader->numbers);
    return reader->numbers != NULL;
}

// -- Frames ---------------------------------------------------------------------------------

static md5_vec3 mixed_rotation(const md5_track *track, const md5_transform *base,
                               const float *numbers)
{
    md5_vec3 rotation = {base->rotation.x, base->rotation.y, base->rotation.z};
    const float *next = numbers + track->first + num_bits(track->flags & TRANSLATION_FLAGS);
    if (track->flags & 8)
        rotation.x = *next++;
    if (track->flags & 16)
        rotation.y = *next++;
    if (track->flags & 32)
        rotation.z = *next++;
    return rotation;
}

// Where component `component` of the frame stands whose numbers begin at `start`.
static const char *find_component(const anim_reader *reader, const char *start, uint32_t component)
{
    md5_lex lex = reader->lex;
    float number;
    lex.at = start;
    for (uint32_t i = 0; i < component; i++)
        md5_lex_float(&lex, &number); // as before, without an error
    md5_lex_space(&lex);
    return lex.at;
}

// Once a frame's numbers are known. Without branches: a difference below 0 shows in the highest
// bit.
static bool check_lengths(anim_reader *reader, const float *numbers, const char *start)
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
    return md5_lex_fail_length(&reader->lex, find_component(reader, start, first));
}

// Once a frame's numbers are known: warns of rotations that are too long, once for all of them,
// at the first in the text, so that places are counted forward only.
static void check_rotations(anim_reader *reader, const float *numbers, const char *start)
{
    uint32_t num_overlong = 0, component = 0;
    md5_vec3 first = {0};
    for (uint32_t i = 0; i < reader->num_turning; i++) {
        const uint32_t joint = reader->turning[i];
        const md5_track *const track = &reader->tracks[joint];
        const md5_vec3 rotation = mixed_rotation(track, &reader->base_frame[joint], numbers);
        if (!md5_quat_is_overlong(rotation.x, rotation.y, rotation.z))
            continue;
        const uint32_t at = track->first + num_bits(track->flags & TRANSLATION_FLAGS);
        if (num_overlong == 0 || at < component) {
            component = at;
            first = rotation;
        }
        num_overlong++;
    }
    if (num_overlong > 0)
        md5_warn_overlong(&reader->lex, find_component(reader, start, component), first,
                          num_overlong);
}

// Frames are numbered 0, 1, 2 ...; another start occurs.
static bool read_frame_number(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    uint32_t number;
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_read_uint(lex, "frame", &number));
    if (reader->num_frames_read == 0) {
        reader->first_frame = number;
        if (number != 0)
            md5_lex_warn(lex, at, "frames are numbered from %u, not from 0", number);
    }
    const int64_t expected = reader->first_frame + reader->num_frames_read;
    if (number != expected)
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "frame %u, expected frame %lld", number,
                            (long long)expected);
    return true;
}

static bool read_numbers(md5_lex *lex, float *numbers, uint32_t count)
{
    // Where one number is not plain, others are not either: so many are read without trying.
    enum { NOT_TRIED = 8 };
    for (uint32_t i = 0; i < count;) {
        i += (uint32_t)md5_row_numbers(lex, &numbers[i], count - i);
        for (int n = 0; n < NOT_TRIED && i < count; n++, i++) {
            if (at_block_end(lex))
                return fail_short(lex, "numAnimatedComponents", count, i);
            TRY(md5_lex_float(lex, &numbers[i]));
        }
    }
    return true;
}

// frame i { numbers }
static bool read_frame(anim_reader *reader)
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
    if (!md5_lex_take(lex, '}'))
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                            "expected '}' after the %u numbers of this frame, found %s",
                            num_components, md5_lex_token(lex, lex->at).text);
    reader->num_frames_read++;
    TRY(check_lengths(reader, numbers, start));
    check_rotations(reader, numbers, start);
    return true;
}

static bool read_first_frame(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(md5_need_count(lex, &reader->num_components, "numAnimatedComponents"));
    if (!reader->joints || !reader->base_frame)
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s' before the first frame",
                            reader->joints ? "baseframe" : "hierarchy");
    if (!reader->rate_at)
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                            "expected 'frameRate' before the first frame");
    return read_frame(reader);
}

// -- The file -------------------------------------------------------------------------------

static bool read_top_word(anim_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (reader->num_frames_read > 0) {
        if (md5_span_is(word, "frame"))
            return read_frame(reader);
        if (!md5_span_is_name(word) || md5_is_top_word(word))
            return fail_short(lex, "numFrames", reader->num_frames.value, reader->num_frames_read);
    }
    if (md5_span_is(word, "frame"))
        return read_first_frame(reader);
    if (md5_span_is(word, "hierarchy"))
        return read_hierarchy(reader);
    if (md5_span_is(word, "bounds"))
        return read_bounds(reader);
    if (md5_span_is(word, "baseframe"))
        return read_base_frame(reader);
    if (md5_lex_take_word(lex, "numFrames"))
        return md5_read_count(lex, "numFrames", 1, FRAME_BYTES, &reader->num_frames);
    if (md5_lex_take_word(lex, "numJoints"))
        return md5_read_count(lex, "numJoints", 1, JOINT_BYTES, &reader->num_joints);
    if (md5_lex_take_word(lex, "numAnimatedComponents"))
        return md5_read_count(lex, "numAnimatedComponents", 0, 1, &reader->num_components);
    if (md5_lex_take_word(lex, "frameRate"))
        return md5_read_frame_rate(lex, RATE_OF_NONE, &reader->rate_at, &reader->file->frame_rate);
    return md5_header_word(lex, &reader->header, word);
}

static bool read_file(anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5_header_begin(lex, &reader->header));
    while (reader->num_frames_read == 0 || reader->num_frames_read < reader->num_frames.value) {
        const md5_span word = md5_lex_peek_word(lex);
        if (lex->at == lex->end && reader->num_frames_read == 0)
            return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                "expected 'frame', found the end of the file");
        TRY(read_top_word(reader, word));
    }
    return md5_header_end(lex, &reader->header, "frame", "numFrames", &reader->num_frames);
}

bool md5_read_anim_file(md5_arena *arena, const char *text, size_t size, md5_anim_file *file)
{
    *file = (md5_anim_file){0};
    anim_reader reader = {.header = {.kind = MD5_KIND_ANIM}, .file = file};
    md5_lex_begin(&reader.lex, arena, text, size);
    TRY(read_file(&reader));
    file->command_line = reader.header.command_line;
    file->num_frames = reader.num_frames.value;
    file->num_joints = reader.num_joints.value;
    file->joints = reader.joints;
    file->tracks = reader.tracks;
    file->base_frame = reader.base_frame;
    file->numbers = reader.numbers;
    return true;
}
