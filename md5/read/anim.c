// Reads .md5anim of versions 10 and 12: header, hierarchy, bounds, base frame and frames. A
// component is one animated number of a joint. The first frame decides how many components all
// frames have. The functions at the end of this file convert the tables of any version to a clip.
#include "md5/core/math.h"
#include "md5/read/tables.h"
#include "md5/read/header.h"
#include "md5/read/rows.h"

// Minimum sizes of items in the text, in bytes. A count is an error if the remaining text is too
// short for it.
enum {
    MD5_ANIM_JOINT_BYTES = sizeof "a 0 0 0(0 0 0)(0 0 0)" - 1, // in the hierarchy and base frame
    MD5_FRAME_BYTES = sizeof "frame 0{}" - 1,
    MD5_NUMBER_BYTES = sizeof " 0" - 1,
};

// State while an .md5anim is read.
typedef struct md5_anim_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_frames;
    md5_count num_joints;
    md5_count num_components;
    const char *rate_at; // NULL = not read yet
    md5_file_joint *joints;
    md5_track *tracks;
    md5_xform *base_frame;
    const char *bounds_at;

    // Tracks refer to their first component by index. `needed` is the largest component index that
    // a track uses, plus 1. `needed_at` is the position of that track in the text.
    uint64_t needed;
    const char *needed_at;
    uint64_t num_used; // sum of the components of all joints; joints may share components
    // Joints with rotation flags, [num_rotating]. Only their rotations can change, so only they are
    // checked in each frame.
    uint32_t *rotating;
    uint32_t num_rotating;

    bool is_second_reading; // only the part before the first frame is read, without warnings
    uint32_t num_frames_read;
    int64_t first_frame; // number of the first frame in the text
    float *numbers;
    md5_anim_file *file;
} md5_anim_reader;

// Returns the number of flags that are set.
uint32_t md5i_count_flags(uint32_t flags)
{
    uint32_t bits = 0;
    for (; flags; flags &= flags - 1)
        bits++;
    return bits;
}

// == Frames ======================================================================================
//
// Every frame has as many numbers as the first frame.

// Returns x y z of a joint's rotation in a frame. Components without a flag come from the base
// frame.
//
// The numbers of a track are in the order of its flags: bits 0 to 2 for the translation, then bits
// 3 to 5 for the rotation. Therefore the function skips one number for each flag of the
// translation. It is always inlined, because the small form of the library (md5/small/) compiles
// this file for size. Even there, a call for each rotation of each frame would be slow.
static MD5_ALWAYS_INLINE md5_vec3 track_frame_rotation(const md5_track *track,
                                                       const md5_xform *base, const float *numbers)
{
    const uint32_t flags = track->flags;
    const float *next = numbers + track->first + (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
    md5_vec3 rotation = {base->rotation.x, base->rotation.y, base->rotation.z};
    if (flags & MD5_FLAG_ROTATION_X)
        rotation.x = *next++;
    if (flags & MD5_FLAG_ROTATION_Y)
        rotation.y = *next++;
    if (flags & MD5_FLAG_ROTATION_Z)
        rotation.z = *next++;
    return rotation;
}

// -- Number of components -------------------------------------------------------------------

// Sets the first component of tracks without flags to 0 if it is out of range. Such tracks have no
// components, so files may contain any number there.
static void reset_unused_tracks(md5_anim_reader *reader, uint32_t num_components)
{
    for (uint32_t joint = 0; joint < reader->num_joints.value; joint++) {
        md5_track *const track = &reader->tracks[joint];
        if (track->flags == 0 && track->first > num_components)
            track->first = 0;
    }
}

// Finds the number of components per frame. The lexer must be after the `{` of the first frame.
//
// The header, the hierarchy and the first frame each imply this number. Some files have a wrong
// number in the header, but frames that match the hierarchy. They are read with a warning. Any
// other difference is an error.
static bool find_num_components(md5_anim_reader *reader, uint32_t *num_components)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t declared = reader->num_components.value;
    const char *excess_at = NULL; // position of the first number above the declared count
    uint64_t count = 0;

    // Count the numbers of the first frame, without moving the lexer.
    md5_lex ahead = *lex;
    for (; !md5i_lex_at_block_end(&ahead); count++) {
        float number;
        if (count == declared)
            excess_at = ahead.at;
        TRY(md5i_lex_float(&ahead, &number));
    }

    const bool matches_header = count == declared;
    const bool matches_hierarchy = count == reader->needed;
    if (!matches_header && !matches_hierarchy) {
        const char *const position = excess_at ? excess_at : ahead.at;
        return md5i_lex_fail(
            lex, position, MD5_ERROR_SYNTAX,
            "wrong number of values in frame: expected %u (numAnimatedComponents), found %llu",
            declared, (unsigned long long)count);
    }

    if (reader->needed > count)
        return md5i_lex_fail(lex, reader->needed_at, MD5_ERROR_RANGE,
                             "hierarchy uses too many components: expected at most %u "
                             "(numAnimatedComponents), found %llu",
                             declared, (unsigned long long)reader->needed);

    if (!matches_header)
        md5i_lex_warn(lex, reader->num_components.at,
                      "numAnimatedComponents does not match hierarchy and first frame: declared "
                      "%u, found %llu; the declared value is ignored",
                      declared, (unsigned long long)count);
    *num_components = (uint32_t)count; // `needed` and `declared` are below 2^31 + 6
    return true;
}

// Checks the total number of values that decoding the tracks would produce. Joints can share
// components, so a small hostile text could describe a huge animation. It is an error if there are
// more values than bytes in the text.
static bool check_shared_components(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint64_t text_size = (uint64_t)(lex->end - lex->text);
    if (reader->num_used > text_size / reader->num_frames.value)
        return md5i_lex_fail(lex, reader->num_components.at, MD5_ERROR_RANGE,
                             "joints share too many components: %llu components in %u frames "
                             "exceed the file size (%llu bytes)",
                             (unsigned long long)reader->num_used, reader->num_frames.value,
                             (unsigned long long)text_size);
    return true;
}

// Lists the joints with rotation flags in reader->rotating. Only their rotations are checked in
// each frame, because all others are constant.
static bool list_rotating_joints(md5_anim_reader *reader)
{
    const uint32_t num_joints = reader->num_joints.value;
    reader->rotating = MD5_ALLOC_ARRAY(reader->lex.arena, uint32_t, num_joints);
    TRY(reader->rotating);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (reader->tracks[joint].flags & MD5_ROTATION_FLAGS)
            reader->rotating[reader->num_rotating++] = joint;
    }
    return true;
}

// Allocates the memory for all frames. The lexer must be after the `{` of the first frame, because
// the number of values per frame is known only then.
static bool begin_frames(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    uint32_t num_components = 0;
    TRY(find_num_components(reader, &num_components));
    TRY(check_shared_components(reader));
    reset_unused_tracks(reader, num_components);
    TRY(list_rotating_joints(reader));

    // Allocate no more frames than the remaining text could contain. If that is less than
    // numFrames, reading fails before it needs the missing frames.
    const size_t left = (size_t)(lex->end - lex->at);
    const size_t frame_bytes = MD5_FRAME_BYTES - 1 + (size_t)MD5_NUMBER_BYTES * num_components;
    const size_t max_frames = left / frame_bytes + 1;
    const size_t declared_frames = reader->num_frames.value;
    const size_t num_frames = declared_frames < max_frames ? declared_frames : max_frames;
    reader->file->num_components = num_components;
    reader->numbers = (float *)md5i_arena_alloc_raw(lex->arena, num_frames,
                                                    num_components * sizeof *reader->numbers);
    TRY(reader->numbers != NULL);
    return true;
}

// -- Frames ---------------------------------------------------------------------------------

// Warns about the rotations of a frame that are longer than 1. The numbers of the frame begin at
// `start` in the text. Each frame causes at most one warning, at the first such rotation in the
// text. Warnings are therefore in the order of the text, so that counting of lines never starts
// again.
static void warn_about_frame(md5_anim_reader *reader, const char *start, const float *numbers)
{
    uint32_t num_overlong = 0;
    uint32_t first_component = 0; // component of the first such rotation
    md5_vec3 first = {0};

    for (uint32_t i = 0; i < reader->num_rotating; i++) {
        const uint32_t joint = reader->rotating[i];
        const md5_track *const track = &reader->tracks[joint];
        const md5_vec3 rotation = track_frame_rotation(track, &reader->base_frame[joint], numbers);
        if (!md5_quat_is_overlong(rotation.x, rotation.y, rotation.z))
            continue;

        const uint32_t rotation_component =
            track->first + md5i_count_flags(track->flags & MD5_TRANSLATION_FLAGS);
        if (num_overlong == 0 || rotation_component < first_component) {
            first_component = rotation_component;
            first = rotation;
        }
        num_overlong++;
    }

    if (num_overlong > 0)
        md5i_warn_overlong(&reader->lex,
                           md5i_find_item_part(&reader->lex, start, "i", first_component, 0), first,
                           num_overlong);
}

// Checks that all numbers of a frame are in the range of MD5_MAX_LENGTH. They begin at `start` in
// the text.
static bool check_numbers(md5_anim_reader *reader, const char *start, const float *numbers)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t num_components = reader->file->num_components;
    // Compare without branches. As integers, the bits of positive floats have the same order as the
    // floats. An absolute value above the limit gives a negative difference, which sets the sign
    // bit of `differences`.
    const uint32_t sign_bit = UINT32_C(1) << 31;
    const float limit = MD5_MAX_LENGTH;
    uint32_t max_bits;
    uint32_t bits;
    uint32_t differences = 0;
    memcpy(&max_bits, &limit, sizeof max_bits);

    for (uint32_t i = 0; i < num_components; i++) {
        memcpy(&bits, &numbers[i], sizeof bits);
        differences |= max_bits - (bits & ~sign_bit);
    }
    if (!(differences & sign_bit))
        return true;

    // Find the first number that is out of range, for the message.
    uint32_t i = 0;
    while (md5_length_in_range(numbers[i]))
        i++;
    return md5i_lex_fail_length(lex, md5i_find_item_part(lex, start, "i", i, 0));
}

// Reads `frame i {`. Frames must have consecutive numbers. If the first number is not 0, the file
// is accepted with a warning.
static bool read_frame_start(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    lex->at += strlen("frame");
    uint32_t number;
    TRY(md5i_read_uint(lex, "frame", &number));
    if (reader->num_frames_read == 0) {
        reader->first_frame = number;
        if (number != 0)
            md5i_lex_warn(lex, lex->number_at,
                          "wrong number of the first frame: expected 0, found %u", number);
    }
    const int64_t expected = reader->first_frame + reader->num_frames_read;
    if (number != expected)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "frame number is out of order: expected %lld, found %u",
                             (long long)expected, number);
    return md5i_lex_expect(lex, '{');
}

// Reads `frame i { numbers }`. The first frame determines how many numbers each frame has.
static bool read_frame_block(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(read_frame_start(reader));
    if (reader->num_frames_read == 0)
        TRY(begin_frames(reader));

    const char *const start = lex->at;
    const uint32_t num_components = reader->file->num_components;
    float *const numbers = reader->numbers + (size_t)reader->num_frames_read * num_components;
    uint32_t num_read;
    TRY(md5i_lex_floats(lex, numbers, num_components, &num_read));
    if (num_read < num_components)
        return md5i_fail_too_few(lex, "numAnimatedComponents", num_components, num_read);

    if (!md5i_lex_accept(lex, '}'))
        return md5i_lex_fail_expected(lex, "unterminated frame: expected '}' after %u values",
                                      num_components);
    reader->num_frames_read++;
    TRY(check_numbers(reader, start, numbers));
    warn_about_frame(reader, start, numbers);
    return true;
}

// == The file ====================================================================================

// Replaces a frame rate of 0, with which id's engine would divide by 0. Other readers also use this
// rate.
enum { DEFAULT_FRAME_RATE = 25 };

enum { MAX_FLAGS = 63 };

// Skips the keyword and the `{` of a section. A second section of the same kind is an error.
static bool begin_section(md5_lex *lex, const char *word, bool is_duplicate)
{
    if (is_duplicate)
        return md5i_fail_duplicate_keyword(lex, lex->at, word);
    lex->at += strlen(word);
    return md5i_lex_expect(lex, '{');
}

// -- Hierarchy ------------------------------------------------------------------------------

// Reserves the memory that an ordinary file with the declared counts needs, in one chunk. The
// loader later needs one byte for each joint and component, in which it marks those that change.
// This memory is included.
static bool reserve_tables(md5_anim_reader *reader)
{
    enum { ALIGNMENT = 16, TABLES = 9 };
    const md5_lex *const lex = &reader->lex;
    const uint64_t order_bytes = sizeof(uint32_t);
    const uint64_t change_bytes = 1;
    const uint64_t bytes_per_joint = sizeof *reader->joints + sizeof *reader->tracks
                                     + sizeof *reader->base_frame + sizeof *reader->rotating
                                     + order_bytes + change_bytes;

    const uint64_t num_joints = reader->num_joints.value;
    const uint64_t num_frames = reader->num_frames.value;
    const uint64_t num_components = reader->num_components.value;

    // A file can declare more numbers than it contains. Count only as many numbers as fit into the
    // remaining bytes of the text.
    const uint64_t declared_numbers = num_frames * num_components;
    const uint64_t max_numbers = (uint64_t)(lex->end - lex->at) / MD5_NUMBER_BYTES;
    const uint64_t num_numbers = declared_numbers < max_numbers ? declared_numbers : max_numbers;

    const uint64_t joint_bytes = num_joints * bytes_per_joint;
    const uint64_t component_bytes = num_components * change_bytes;
    const uint64_t bounds_bytes = num_frames * sizeof(md5_bounds);
    const uint64_t number_bytes = num_numbers * sizeof *reader->numbers;
    const uint64_t padding = ALIGNMENT * TABLES; // before each table
    const uint64_t size = joint_bytes + component_bytes + bounds_bytes + number_bytes + padding;
    return md5i_arena_reserve(lex->arena, (size_t)size);
}

// Reads the flags and the first component of a joint, and counts the components that the hierarchy
// refers to. A joint without flags has no components, so its first component may be any number.
static bool read_hierarchy_track(md5_anim_reader *reader, md5_track *track)
{
    md5_lex *const lex = &reader->lex;
    int64_t first;
    TRY(md5i_read_uint(lex, "flags", &track->flags));
    if (track->flags > MAX_FLAGS)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "joint flags are out of range: expected 0 to 63, found %u",
                             track->flags);

    TRY(md5i_lex_int(lex, &first));
    const bool is_used = track->flags != 0;
    const bool fits = first >= 0 && first <= INT32_MAX;
    if (is_used && !fits)
        return md5i_lex_fail(
            lex, lex->number_at, MD5_ERROR_RANGE,
            "first component is out of range: expected 0 to 2147483647, found %lld",
            (long long)first);

    track->first = fits ? (uint32_t)first : 0;
    const uint64_t needed = (uint64_t)track->first + md5i_count_flags(track->flags);
    reader->num_used += md5i_count_flags(track->flags);
    if (is_used && needed > reader->needed) {
        reader->needed = needed;
        reader->needed_at = lex->number_at;
    }
    return true;
}

// Reads hierarchy { NAME parent flags first ... } and finds the order of the joints.
static bool read_hierarchy(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "hierarchy", reader->joints != NULL));

    const uint32_t num_joints = reader->num_joints.value;
    if (!reader->is_second_reading)
        TRY(reserve_tables(reader));
    reader->joints = MD5_ALLOC_ARRAY(lex->arena, md5_file_joint, num_joints);
    TRY(reader->joints);
    reader->tracks = MD5_ALLOC_ZEROED(lex->arena, md5_track, num_joints);
    TRY(reader->tracks);

    for (uint32_t joint = 0; joint < num_joints; joint++) {
        TRY(md5i_read_joint(lex, num_joints, joint, &reader->joints[joint]));
        TRY(read_hierarchy_track(reader, &reader->tracks[joint]));
    }

    TRY(md5i_end_table(lex, "numJoints", num_joints, "niii"));
    return md5i_order_joints(lex, reader->joints, num_joints, &reader->file->order);
}

// -- Bounds and base frame ------------------------------------------------------------------

// Returns true if a bounding box contains no volume. Either it is a point, or a minimum is above a
// maximum.
static bool is_empty_box(const md5_bounds *box)
{
    const md5_vec3 low = box->min;
    const md5_vec3 high = box->max;
    const bool is_inverted = low.x > high.x || low.y > high.y || low.z > high.z;
    const bool is_point = low.x == high.x && low.y == high.y && low.z == high.z;
    return is_inverted || is_point;
}

// Warns if all bounding boxes are empty, or if their number is wrong. `position` is the position of
// the keyword `bounds` in the text.
static void warn_about_bounds(md5_lex *lex, const char *position, uint32_t num_boxes,
                              uint32_t num_frames, bool are_empty)
{
    if (num_boxes >= num_frames && are_empty)
        md5i_lex_warn(lex, position,
                      "all bounding boxes in 'bounds' are empty: programs that use them for "
                      "culling hide the model");
    if (num_boxes != num_frames)
        md5i_lex_warn(
            lex, position,
            "number of bounding boxes does not match numFrames: expected %u, found %u; %s",
            num_frames, num_boxes,
            num_boxes > num_frames ? "excess boxes are ignored" : "all boxes are ignored");
}

// Reads bounds { ( min ) ( max ) ... }. Surplus boxes are ignored. If there are fewer boxes than
// frames, none is used, because it is unknown to which frames they belong.
static bool read_bounds_block(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const char *const position = lex->at;
    uint32_t num_boxes = 0;
    bool are_empty = true; // exporters that do not compute bounds write zeros

    TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(begin_section(lex, "bounds", reader->bounds_at != NULL));
    reader->bounds_at = position;

    const uint32_t num_frames = reader->num_frames.value;
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(lex->arena, md5_bounds, num_frames);
    TRY(bounds);

    while (!md5i_lex_at_block_end(lex)) {
        md5_bounds box;
        TRY(md5i_lex_vec3(lex, md5i_lex_float, &box.min));
        TRY(md5i_lex_vec3(lex, md5i_lex_float, &box.max));
        if (num_boxes < num_frames) {
            bounds[num_boxes] = box;
            are_empty = are_empty && is_empty_box(&box);
        }
        if (num_boxes < UINT32_MAX)
            num_boxes++;
    }
    TRY(md5i_lex_expect(lex, '}'));

    if (num_boxes >= num_frames)
        reader->file->bounds = bounds;
    warn_about_bounds(lex, position, num_boxes, num_frames, are_empty);
    return true;
}

// Reads baseframe { ( translation ) ( rotation ) ... }.
static bool read_base_frame_block(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "baseframe", reader->base_frame != NULL));
    const uint32_t num_joints = reader->num_joints.value;
    reader->base_frame = MD5_ALLOC_ZEROED(lex->arena, md5_xform, num_joints);
    TRY(reader->base_frame);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (md5i_lex_at_block_end(lex))
            return md5i_fail_too_few(lex, "numJoints", num_joints, joint);
        TRY(md5i_read_transform(lex, &reader->base_frame[joint]));
    }
    return md5i_end_table(lex, "numJoints", num_joints, "pp");
}

// -- The file -------------------------------------------------------------------------------

// Checks that everything that the first frame depends on was read.
static bool check_before_frames(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(md5i_need_count(lex, &reader->num_components, "numAnimatedComponents"));
    if (!reader->joints)
        return md5i_fail_missing_keyword(lex, "hierarchy");
    if (!reader->base_frame)
        return md5i_fail_missing_keyword(lex, "baseframe");
    if (!reader->rate_at)
        return md5i_fail_missing_keyword(lex, "frameRate");
    return true;
}

// Reads the keyword `word` and its values, outside of all blocks. Only frames and unknown keywords
// may follow the first frame.
static bool read_anim_keyword(md5_anim_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    const bool is_after_frame = reader->num_frames_read > 0;

    if (md5_span_is(word, "frame")) {
        if (!is_after_frame)
            TRY(check_before_frames(reader));
        return read_frame_block(reader);
    }

    if (is_after_frame) {
        const bool is_unknown_keyword = md5_span_is_name(word) && !md5i_is_top_level_keyword(word);
        if (!is_unknown_keyword)
            return md5i_fail_too_few(lex, "numFrames", reader->num_frames.value,
                                     reader->num_frames_read);
        reader->file->has_unknown_keywords = true;
        return md5i_read_header_keyword(lex, &reader->header, word);
    }

    if (md5_span_is(word, "hierarchy"))
        return read_hierarchy(reader);
    if (md5_span_is(word, "bounds"))
        return read_bounds_block(reader);
    if (md5_span_is(word, "baseframe"))
        return read_base_frame_block(reader);

    if (md5i_lex_accept_keyword(lex, "numFrames"))
        return md5i_read_count(lex, "numFrames", 1, MD5_FRAME_BYTES, &reader->num_frames);
    if (md5i_lex_accept_keyword(lex, "numJoints"))
        return md5i_read_count(lex, "numJoints", 1, MD5_ANIM_JOINT_BYTES, &reader->num_joints);
    if (md5i_lex_accept_keyword(lex, "numAnimatedComponents"))
        return md5i_read_count(lex, "numAnimatedComponents", 0, 1, &reader->num_components);
    if (md5i_lex_accept_keyword(lex, "frameRate"))
        return md5i_read_frame_rate(lex, DEFAULT_FRAME_RATE, &reader->rate_at,
                                    &reader->file->frame_rate);

    return md5i_read_header_keyword(lex, &reader->header, word);
}

// Reads all keywords and their values, up to the last declared frame. A second reading stops before
// the first frame.
static bool read_anim_keywords(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    bool has_all_frames = false;
    while (!has_all_frames) {
        const md5_span word = md5i_lex_peek_word(lex);
        if (reader->is_second_reading && md5_span_is(word, "frame"))
            return true;
        md5i_warn_about_version(lex, &reader->header, word);
        if (lex->at == lex->end && reader->num_frames_read == 0)
            return md5i_lex_fail_expected(lex, "expected 'frame'");
        TRY(read_anim_keyword(reader, word));
        has_all_frames =
            reader->num_frames_read > 0 && reader->num_frames_read >= reader->num_frames.value;
    }
    return true;
}

// Reads the tables of an .md5anim of version 10 or 12. If `num_components` is not NULL, the text is
// read for the second time. Reading then stops before the first frame, and warnings at the end are
// not repeated.
bool md5i_read_anim_text(md5_arena *arena, const md5_versions *versions, uint32_t version,
                         md5_span text, const uint32_t *num_components, md5_anim_file *file)
{
    *file = (md5_anim_file){.num_components = num_components ? *num_components : 0};
    md5_anim_reader reader = {
        .header = {.kind = MD5_KIND_ANIM, .versions = versions, .version = version},
        .is_second_reading = num_components != NULL,
        .file = file,
    };

    md5_lex *const lex = &reader.lex;
    md5i_lex_begin(lex, arena, text.bytes, text.size);
    TRY(md5i_begin_header(lex, &reader.header));
    TRY(read_anim_keywords(&reader));
    if (num_components) {
        reset_unused_tracks(&reader, *num_components);
    } else {
        md5i_warn_at_file_end(lex, &reader.header, "frame", "numFrames", &reader.num_frames);
        TRY(md5_lex_is_ok(lex));
    }

    file->command_line = reader.header.command_line;
    file->lex = *lex;
    file->num_frames = reader.num_frames.value;
    file->num_joints = reader.num_joints.value;
    file->joints = reader.joints;
    file->tracks = reader.tracks;
    file->base_frame = reader.base_frame;
    file->numbers = reader.numbers;
    return true;
}

// == Clips =======================================================================================
//
// Converts the numbers of a file to a clip that can be sampled.

// Sets changes[num_components] to 1 for each component that differs between frames, otherwise to 0.
// The values 0 and -0 count as equal, because exporters alternate between them for constants. The
// outer loop is over frames, so that the table is read once, in the order of memory.
static void find_changes(const md5_anim_file *source, uint8_t *changes)
{
    const size_t num_components = source->num_components;
    const float *const first_frame = source->numbers;
    if (num_components == 0)
        return;
    memset(changes, 0, num_components);
    for (size_t frame = 1; frame < source->num_frames; frame++) {
        const float *const numbers = first_frame + frame * num_components;
        if (memcmp(numbers, first_frame, num_components * sizeof *numbers) == 0)
            continue;
        for (size_t i = 0; i < num_components; i++)
            changes[i] |= numbers[i] != first_frame[i];
    }
}

// Returns the flags MD5_ROTATION_CHANGES and MD5_TRANSLATION_CHANGES of a track. A track has one
// component for each of its own flags. changes[] is the result of find_changes().
static uint8_t find_track_changes(const md5_track *track, const uint8_t *changes)
{
    uint8_t track_changes = 0;
    uint32_t component = track->first;
    for (uint32_t i = 0; i < MD5_NUM_TRACK_FLAGS; i++) {
        const uint32_t flag = 1u << i;
        if (!(track->flags & flag))
            continue;
        if (changes[component])
            track_changes |=
                flag & MD5_ROTATION_FLAGS ? MD5_ROTATION_CHANGES : MD5_TRANSLATION_CHANGES;
        component++;
    }
    return track_changes;
}

// Finds the joints whose rotation or translation changes over the frames. Writes the flags of each
// joint to moves[num_joints], and counts the joints with each flag. changes[num_components] is
// scratch memory.
void md5i_plan_clip(const md5_anim_file *source, uint8_t *changes, uint8_t *moves,
                    uint32_t *num_rotations, uint32_t *num_translations)
{
    *num_rotations = 0;
    *num_translations = 0;
    find_changes(source, changes);
    for (uint32_t joint = 0; joint < source->num_joints; joint++) {
        moves[joint] = find_track_changes(&source->tracks[joint], changes);
        if (moves[joint] & MD5_ROTATION_CHANGES)
            (*num_rotations)++;
        if (moves[joint] & MD5_TRANSLATION_CHANGES)
            (*num_translations)++;
    }
}

// Returns the translation of a joint in a frame. Components without a flag come from the base
// frame.
static md5_vec3 decode_translation(const md5_anim_file *source, uint32_t joint,
                                   const float *numbers)
{
    const uint32_t flags = source->tracks[joint].flags;
    const float *next = numbers + source->tracks[joint].first;
    md5_vec3 translation = source->base_frame[joint].translation;
    if (flags & MD5_FLAG_TRANSLATION_X)
        translation.x = *next++;
    if (flags & MD5_FLAG_TRANSLATION_Y)
        translation.y = *next++;
    if (flags & MD5_FLAG_TRANSLATION_Z)
        translation.z = *next++;
    return translation;
}

// Returns the rotation of a joint in a frame. Components without a flag come from the base frame. w
// is computed from x, y and z.
static md5_quat decode_rotation(const md5_anim_file *source, uint32_t joint, const float *numbers)
{
    const md5_vec3 v =
        track_frame_rotation(&source->tracks[joint], &source->base_frame[joint], numbers);
    return md5_quat_from_xyz(v.x, v.y, v.z);
}

// Computes w of rotations from their unit length, because files contain only x y z.
static void add_w(md5_xform *transforms, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_quat q = transforms[i].rotation;
        transforms[i].rotation = md5_quat_from_xyz(q.x, q.y, q.z);
    }
}

// Reads the numbers of a frame for the second time. Always returns true, because the first reading
// found no errors.
static bool read_numbers_again(md5_lex *lex, uint32_t count, float *numbers)
{
    uint32_t number;
    TRY(md5i_lex_accept_keyword(lex, "frame"));
    TRY(md5i_read_uint(lex, "frame", &number));
    TRY(md5i_lex_accept(lex, '{'));
    TRY(md5i_lex_floats(lex, numbers, count, &number));
    return md5i_lex_accept(lex, '}');
}

// Computes constants[num_joints], the transform of each joint in the first frame. Their rotations
// have no w yet. `numbers` are the numbers of the first frame.
static void decode_constants(const md5_anim_file *source, const float *numbers,
                             md5_xform *constants)
{
    for (uint32_t joint = 0; joint < source->num_joints; joint++) {
        // A file without animated components has no `numbers`. In such a file no joint has flags,
        // so `numbers` is not read.
        const uint32_t flags = source->tracks[joint].flags;
        md5_xform *const constant = &constants[joint];
        *constant = source->base_frame[joint];
        if (flags & MD5_TRANSLATION_FLAGS)
            constant->translation = decode_translation(source, joint, numbers);
        if (flags & MD5_ROTATION_FLAGS) {
            const md5_vec3 v = track_frame_rotation(&source->tracks[joint], constant, numbers);
            constant->rotation = (md5_quat){v.x, v.y, v.z, 0};
        }
    }
}

// Lists the joints with a changing rotation, and those with a changing translation, in the arrays
// of a clip. Counts both.
static void list_moving_joints(const uint8_t *moves, uint32_t num_joints,
                               const md5_clip_arrays *arrays, uint32_t *num_rotations,
                               uint32_t *num_translations)
{
    *num_rotations = 0;
    *num_translations = 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (moves[joint] & MD5_ROTATION_CHANGES)
            arrays->rotation_joints[(*num_rotations)++] = joint;
        if (moves[joint] & MD5_TRANSLATION_CHANGES)
            arrays->translation_joints[(*num_translations)++] = joint;
    }
}

// Fills the arrays of a clip from the tables of a file. They contain the values that change in each
// frame, and the constant values. moves[joint] contains the flags of a joint. If `frame_buffer` is
// not NULL, the file's numbers are not in memory. Then each frame is read from the text again into
// frame_buffer[num_components].
void md5i_build_clip(const md5_anim_file *source, const uint8_t *moves, float *frame_buffer,
                     const md5_clip_arrays *arrays)
{
    uint32_t num_rotations;
    uint32_t num_translations;
    list_moving_joints(moves, source->num_joints, arrays, &num_rotations, &num_translations);

    // Decode the changing values frame by frame. `numbers` always points to the current frame.
    md5_lex lex = source->lex;
    md5_quat *rotation = arrays->rotations;
    md5_vec3 *translation = arrays->translations;
    const float *numbers = frame_buffer ? frame_buffer : source->numbers;
    for (uint32_t frame = 0; frame < source->num_frames; frame++) {
        if (frame_buffer)
            (void)read_numbers_again(&lex, source->num_components, frame_buffer);
        if (frame == 0)
            decode_constants(source, numbers, arrays->constant);
        for (uint32_t i = 0; i < num_rotations; i++)
            *rotation++ = decode_rotation(source, arrays->rotation_joints[i], numbers);
        for (uint32_t i = 0; i < num_translations; i++)
            *translation++ = decode_translation(source, arrays->translation_joints[i], numbers);
        if (numbers && !frame_buffer)
            numbers += source->num_components;
    }

    for (uint32_t joint = 0; joint < source->num_joints; joint++)
        arrays->base_frame[joint] = source->base_frame[joint];
    add_w(arrays->base_frame, source->num_joints);
    add_w(arrays->constant, source->num_joints);
}
