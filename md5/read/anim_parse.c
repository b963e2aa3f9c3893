// .md5anim: header, hierarchy, bounds, base frame. anim_frames.c reads the frames.
#include "md5/read/anim_reader.h"
#include "md5/read/rows.h"

// The frame rate used instead of 0, as in other readers. id's engine divides by 0.
enum { RATE_OF_NONE = 25 };

enum { MOST_FLAGS = 63 };

// Skips the keyword and `{` of a section that may appear once.
static bool begin_section(md5_lex *lex, const char *word, bool is_known)
{
    if (is_known)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "'%s' appears a second time", word);
    lex->at += strlen(word);
    return md5_lex_bracket(lex, '{');
}

// -- Hierarchy ------------------------------------------------------------------------------

// flags first. Without flags the value of `first` is ignored.
static bool read_track(md5_anim_reader *reader, md5_track *track)
{
    md5_lex *const lex = &reader->lex;
    int64_t first;
    md5_lex_space(lex);
    const char *at = lex->at;
    TRY(md5i_read_uint(lex, "flags", &track->flags));
    if (track->flags > MOST_FLAGS)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "flags %u: expected 0 to 63", track->flags);
    md5_lex_space(lex);
    at = lex->at;
    TRY(md5_lex_int(lex, &first));
    const bool is_used = track->flags != 0;
    const bool fits = first >= 0 && first <= INT32_MAX;
    if (is_used && !fits)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "first component %lld is out of range",
                             (long long)first);
    track->first = fits ? (uint32_t)first : 0;
    const uint64_t needed = (uint64_t)track->first + md5_num_flags(track->flags);
    reader->num_used += md5_num_flags(track->flags);
    if (is_used && needed > reader->needed) {
        reader->needed = needed;
        reader->needed_at = at;
    }
    return true;
}

// NAME parent flags first
static bool read_joint(md5_anim_reader *reader, uint32_t joint)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t num_joints = reader->num_joints.value;
    md5_file_joint *const out = &reader->joints[joint];
    if (md5_lex_at_block_end(lex))
        return md5i_fail_short(lex, "numJoints", num_joints, joint);
    out->at = (uint32_t)(lex->at - lex->text);
    TRY(md5i_lex_joint_name(lex, &out->name));
    TRY(md5i_read_parent(lex, num_joints, &out->parent));
    return read_track(reader, &reader->tracks[joint]);
}

// Reserves the memory that an ordinary file needs in one chunk, once its counts are known. Includes
// a byte for each joint and number, which load_anim.c needs.
static bool reserve_tables(const md5_anim_reader *reader)
{
    enum { ALIGNMENT = 16, TABLES = 9 };
    const uint64_t a_joint = sizeof *reader->joints + sizeof *reader->tracks
                             + sizeof *reader->base_frame + sizeof *reader->turning
                             + sizeof(uint32_t) + 1; // place in the order
    const uint64_t num_joints = reader->num_joints.value, num_frames = reader->num_frames.value;
    const uint64_t num_components = reader->num_components.value;
    const uint64_t left = (uint64_t)(reader->lex.end - reader->lex.at);
    const uint64_t num_numbers = num_frames * num_components, most = left / MD5_NUMBER_BYTES;
    return md5i_arena_reserve(
        reader->lex.arena,
        (size_t)(num_joints * a_joint + num_components + num_frames * sizeof(md5_bounds)
                 + (num_numbers < most ? num_numbers : most) * sizeof *reader->numbers
                 + ALIGNMENT * TABLES));
}

static bool read_hierarchy(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "hierarchy", reader->joints != NULL));
    const uint32_t num_joints = reader->num_joints.value;
    TRY(reserve_tables(reader));
    reader->joints =
        (md5_file_joint *)md5i_arena_room(lex->arena, num_joints, sizeof *reader->joints);
    TRY(reader->joints);
    reader->tracks = (md5_track *)md5i_arena_alloc(lex->arena, num_joints, sizeof *reader->tracks);
    TRY(reader->tracks);
    for (uint32_t joint = 0; joint < num_joints; joint++)
        TRY(read_joint(reader, joint));
    TRY(md5i_end_rows(lex, "numJoints", num_joints, "niii"));
    return md5i_order_joints(lex, reader->joints, num_joints, &reader->file->order);
}

// -- Bounds and base frame ------------------------------------------------------------------

static bool is_empty(const md5_bounds *box)
{
    const md5_vec3 low = box->min, high = box->max;
    const bool is_inverted = low.x > high.x || low.y > high.y || low.z > high.z;
    return is_inverted || (low.x == high.x && low.y == high.y && low.z == high.z);
}

// Exporters that do not compute bounds write zeros.
static void check_boxes(md5_lex *lex, const char *at, const md5_bounds *bounds, uint32_t count)
{
    uint32_t frame = 0;
    while (frame < count && is_empty(&bounds[frame]))
        frame++;
    if (frame == count)
        md5i_lex_warn(
            lex, at,
            "all boxes of 'bounds' are empty: programs that use them for culling hide the model");
}

// If there are more boxes than frames, keeps the first ones. If there are fewer, keeps none: it is
// unknown to which frames they belong.
static bool read_bounds(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const char *const at = lex->at;
    uint32_t num_boxes = 0;
    TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(begin_section(lex, "bounds", reader->bounds_at != NULL));
    reader->bounds_at = at;
    const uint32_t num_frames = reader->num_frames.value;
    md5_bounds *const bounds =
        (md5_bounds *)md5i_arena_room(lex->arena, num_frames, sizeof *bounds);
    TRY(bounds);
    while (!md5_lex_at_block_end(lex)) {
        md5_bounds box;
        TRY(md5_read_vec3(lex, &box.min));
        TRY(md5_read_vec3(lex, &box.max));
        if (num_boxes < num_frames)
            bounds[num_boxes] = box;
        num_boxes += num_boxes < UINT32_MAX;
    }
    TRY(md5i_lex_expect(lex, '}'));
    if (num_boxes >= num_frames) {
        reader->file->bounds = bounds;
        check_boxes(lex, at, bounds, num_frames);
    }
    if (num_boxes != num_frames)
        md5i_lex_warn(lex, at, "numFrames says %u, but 'bounds' has %u boxes: %s", num_frames,
                      num_boxes, num_boxes > num_frames ? "the first are used" : "none is used");
    return true;
}

static bool read_base_transform(md5_lex *lex, md5_xform *transform)
{
    md5_vec3 rotation;
    TRY(md5_read_point(lex, &transform->translation));
    TRY(md5i_read_rotation(lex, &rotation));
    transform->rotation = (md5_quat){.x = rotation.x, .y = rotation.y, .z = rotation.z};
    return true;
}

static bool read_base_frame(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "baseframe", reader->base_frame != NULL));
    const uint32_t num_joints = reader->num_joints.value;
    reader->base_frame =
        (md5_xform *)md5i_arena_alloc(lex->arena, num_joints, sizeof *reader->base_frame);
    TRY(reader->base_frame);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (md5_lex_at_block_end(lex))
            return md5i_fail_short(lex, "numJoints", num_joints, joint);
        TRY(read_base_transform(lex, &reader->base_frame[joint]));
    }
    return md5i_end_rows(lex, "numJoints", num_joints, "pp");
}

// -- The file -------------------------------------------------------------------------------

static bool read_top_word(md5_anim_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (reader->num_frames_read > 0) {
        if (md5_span_is(word, "frame"))
            return md5i_read_frame(reader);
        if (!md5_span_is_name(word) || md5i_is_top_word(word))
            return md5i_fail_short(lex, "numFrames", reader->num_frames.value,
                                   reader->num_frames_read);
    }
    if (md5_span_is(word, "frame"))
        return md5i_read_first_frame(reader);
    if (md5_span_is(word, "hierarchy"))
        return read_hierarchy(reader);
    if (md5_span_is(word, "bounds"))
        return read_bounds(reader);
    if (md5_span_is(word, "baseframe"))
        return read_base_frame(reader);
    if (md5_lex_take_word(lex, "numFrames"))
        return md5i_read_count(lex, "numFrames", 1, MD5_FRAME_BYTES, &reader->num_frames);
    if (md5_lex_take_word(lex, "numJoints"))
        return md5i_read_count(lex, "numJoints", 1, MD5_ANIM_JOINT_BYTES, &reader->num_joints);
    if (md5_lex_take_word(lex, "numAnimatedComponents"))
        return md5i_read_count(lex, "numAnimatedComponents", 0, 1, &reader->num_components);
    if (md5_lex_take_word(lex, "frameRate"))
        return md5i_read_frame_rate(lex, RATE_OF_NONE, &reader->rate_at, &reader->file->frame_rate);
    return md5i_header_word(lex, &reader->header, word);
}

static bool read_file(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_header_begin(lex, &reader->header));
    while (reader->num_frames_read == 0 || reader->num_frames_read < reader->num_frames.value) {
        const md5_span word = md5i_lex_peek_word(lex);
        md5i_header_see(lex, &reader->header, word);
        const bool is_old = reader->header.version == MD5_VERSION_6;
        if (is_old && md5_lex_take_word(lex, "numchannels"))
            return md5i_read_channels(lex, &reader->header, reader->file);
        const bool is_end = lex->at == lex->end && reader->num_frames_read == 0;
        if (is_end || (is_old && md5_span_is(word, "channel")))
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s', found %s",
                                 is_old ? "numchannels" : "frame",
                                 md5i_lex_token(lex, lex->at).text);
        TRY(read_top_word(reader, word));
    }
    return md5i_header_end(lex, &reader->header, "frame", "numFrames", &reader->num_frames);
}

bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size, md5_anim_file *file)
{
    *file = (md5_anim_file){0};
    md5_anim_reader reader = {.header = {.kind = MD5_KIND_ANIM}, .file = file};
    md5i_lex_begin(&reader.lex, arena, text, size);
    TRY(read_file(&reader));
    file->command_line = reader.header.command_line;
    if (file->num_frames > 0) // of version 6
        return true;
    file->num_frames = reader.num_frames.value;
    file->num_joints = reader.num_joints.value;
    file->joints = reader.joints;
    file->tracks = reader.tracks;
    file->base_frame = reader.base_frame;
    file->numbers = reader.numbers;
    return true;
}
