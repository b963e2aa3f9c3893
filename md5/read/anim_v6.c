// Reads .md5anim of version 6, from the 2002 alpha of Doom 3. It has channels instead of frames. A
// channel contains the values of one attribute of one joint, such as x or yaw, over all frames.
//
// The syntax and the order of angles follow two independent readers, md5-converter (mjsonofharry)
// and Doom3-for-Android (glKarin). The angles are defined as in idAngles: yaw about z, pitch about
// y, roll about x.
//
//   channel 7 { joint "Body" attribute "yaw" starttime s endtime s framerate f
//               strings n "..." range first end keys n k0 k1 ... }
//
// Keys are the values of the frames from `first` on. Frames before and after them use the nearest
// key. Without a range, the keys begin at frame 0. Six channels of two special joints, boundsMin
// and boundsMax, contain the bounding boxes. The file does not contain a hierarchy, so the
// hierarchy of the model is used.
//
// The reader converts the channels of each joint to a track, as in later versions. A constant
// channel becomes a constant of the base frame, and adds no component to the frames. A short text
// can declare a range of many frames. Therefore the total number of components in all frames is
// limited to the number of bytes in the text, which keeps memory linear in the size of the text.
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/read/header.h"
#include "md5/read/tables.h"

enum {
    NUMBER_BYTES = sizeof " 0" - 1, // minimum in a text
    CHANNEL_BYTES = sizeof "channel 0{joint a attribute x framerate 1 keys 1 0}" - 1,
    NUM_ATTRIBUTES = 6, // x y z yaw pitch roll
    FIRST_ANGLE = 3,
};

static const uint32_t NONE = UINT32_MAX;

// A channel: the values of one attribute of one joint, such as x or yaw, over the frames.
typedef struct channel {
    md5_span joint;
    const char *position; // position of the channel in the text
    const char *attribute_at;
    uint32_t attribute; // index; NUM_ATTRIBUTES if it is not a component of a transform
    uint32_t first;     // frame of the first key
    uint32_t end;       // end of the range of frames
    uint32_t num_keys;
    const float *keys; // NULL = not read yet
    double frame_rate; // 0 = not read yet
} channel;

// The channels of one joint by attribute; NULL if a channel is missing.
typedef struct joint_channels {
    const channel *by_attribute[NUM_ATTRIBUTES];
} joint_channels;

// State while the channels of a file are read and converted to tracks.
typedef struct channel_reader {
    md5_lex *lex;
    md5_anim_file *file;
    md5_count num_channels;
    channel *channels;
    // [num_channels] For each channel, the index of the first channel with the same joint name. It
    // identifies the joint while the joints have no indices yet. NONE if the channel is ignored,
    // because it is not a component of a transform.
    uint32_t *first_channels;
    md5_file_joint *joints;
    joint_channels *tables; // [num_joints]
    joint_channels bounds[2];
} channel_reader;

// -- One channel ----------------------------------------------------------------------------------

typedef enum channel_keyword {
    KEYWORD_JOINT,
    KEYWORD_ATTRIBUTE,
    KEYWORD_START,
    KEYWORD_END,
    KEYWORD_RATE,
    KEYWORD_STRINGS,
    KEYWORD_RANGE,
    KEYWORD_KEYS,
    NUM_CHANNEL_KEYWORDS
} channel_keyword;

// Reads the name of an attribute. Sets out->attribute to NUM_ATTRIBUTES if the channel is skipped.
static bool read_attribute(md5_lex *lex, channel *out)
{
    static const char *const names[NUM_ATTRIBUTES] = {"x", "y", "z", "yaw", "pitch", "roll"};
    md5_span name;
    out->attribute_at = md5i_lex_skip_space(lex);
    TRY(md5i_lex_text(lex, &name, "an attribute name"));

    uint32_t attribute = 0;
    while (attribute < NUM_ATTRIBUTES && !md5_span_is(name, names[attribute]))
        attribute++;
    out->attribute = attribute;
    const bool is_of_transform = attribute < NUM_ATTRIBUTES;
    if (!is_of_transform && !md5_span_is(name, "fov"))
        md5i_lex_warn(
            lex, out->attribute_at,
            "unknown attribute %s: expected x, y, z, yaw, pitch, roll or fov; channel skipped",
            md5i_quote(name.bytes, name.size).text);
    return true;
}

// Reads the frame rate of a channel. The rate must be above 0 and finite, also when it is rounded
// to float.
static bool read_channel_rate(md5_lex *lex, channel *out)
{
    TRY(md5i_lex_double(lex, &out->frame_rate));
    const float rounded = (float)out->frame_rate;
    const bool is_in_range = rounded > 0 && isfinite(rounded);
    if (!is_in_range)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "framerate is out of range: expected more than 0, found %g",
                             out->frame_rate);
    return true;
}

// Reads and ignores a list of strings: their number, then the strings.
static bool skip_strings(md5_lex *lex)
{
    uint32_t count;
    TRY(md5i_read_uint(lex, "strings", &count));
    for (uint32_t i = 0; i < count; i++) {
        md5_span text;
        TRY(md5i_lex_text(lex, &text, "a string"));
    }
    return true;
}

// Reads the range of frames for which a channel stores values.
static bool read_range(md5_lex *lex, channel *out)
{
    TRY(md5i_read_uint(lex, "first frame", &out->first));
    TRY(md5i_read_uint(lex, "last frame", &out->end));
    if (out->end < out->first)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "range ends before it begins: expected at least %u, found %u",
                             out->first, out->end);
    return true;
}

// Reads keys n k0 k1 ... after its keyword.
static bool read_keys(md5_lex *lex, channel *out)
{
    md5_count num_keys = {NULL, 0};
    TRY(md5i_read_count(lex, "keys", 1, NUMBER_BYTES, &num_keys));
    float *const keys = MD5_ALLOC_ARRAY(lex->arena, float, num_keys.value);
    TRY(keys);
    for (uint32_t i = 0; i < num_keys.value; i++) {
        if (md5i_lex_at_block_end(lex))
            return md5i_fail_too_few(lex, "keys", num_keys.value, i);
        TRY(md5i_lex_length(lex, &keys[i]));
    }
    out->num_keys = num_keys.value;
    out->keys = keys;
    return true;
}

// Reads the values of a keyword of a channel.
static bool read_values(md5_lex *lex, int keyword, channel *out)
{
    double seconds; // not needed, because keys and ranges count frames
    switch (keyword) {
    case KEYWORD_JOINT:
        return md5i_lex_text(lex, &out->joint, "a joint's name");
    case KEYWORD_ATTRIBUTE:
        return read_attribute(lex, out);
    case KEYWORD_RATE:
        return read_channel_rate(lex, out);
    case KEYWORD_STRINGS:
        return skip_strings(lex);
    case KEYWORD_RANGE:
        return read_range(lex, out);
    case KEYWORD_KEYS:
        return read_keys(lex, out);
    default:
        return md5i_lex_double(lex, &seconds);
    }
}

static const char *const channel_keywords[NUM_CHANNEL_KEYWORDS] = {
    [KEYWORD_JOINT] = "joint", [KEYWORD_ATTRIBUTE] = "attribute", [KEYWORD_START] = "starttime",
    [KEYWORD_END] = "endtime", [KEYWORD_RATE] = "framerate",      [KEYWORD_STRINGS] = "strings",
    [KEYWORD_RANGE] = "range", [KEYWORD_KEYS] = "keys",
};

// Reads one keyword of a channel with its values. Bit k of *found is set if keyword k was read
// before. Each keyword may occur once.
static bool read_channel_keyword(md5_lex *lex, uint32_t *found, channel *out)
{
    const md5_span word = md5i_lex_peek_word(lex);
    int keyword = 0;
    while (keyword < NUM_CHANNEL_KEYWORDS && !md5_span_is(word, channel_keywords[keyword]))
        keyword++;
    if (keyword == NUM_CHANNEL_KEYWORDS || *found >> keyword & 1)
        return md5i_lex_fail_expected(
            lex, "invalid channel: expected each of joint, attribute, starttime, endtime, "
                 "framerate, strings, range and keys once, or '}'");

    *found |= UINT32_C(1) << keyword;
    lex->at += strlen(channel_keywords[keyword]);
    return read_values(lex, keyword, out);
}

// Checks that a channel contained all required keywords. Bit k of `found` is set if keyword k was
// read. The lexer must be after the brace of the channel.
static bool check_channel_keywords(md5_lex *lex, uint32_t found)
{
    static const int required[] = {KEYWORD_JOINT, KEYWORD_ATTRIBUTE, KEYWORD_RATE, KEYWORD_KEYS};
    for (uint32_t i = 0; i < MD5_COUNT(required); i++) {
        if (!(found >> required[i] & 1))
            return md5i_lex_fail(lex, lex->at - 1, MD5_ERROR_SYNTAX,
                                 "incomplete channel: '%s' is missing",
                                 channel_keywords[required[i]]);
    }
    return true;
}

// Reads `channel i { ... }`: the keys of one attribute of one joint.
static bool read_channel(channel_reader *reader, uint32_t index)
{
    md5_lex *const lex = reader->lex;
    channel *const out = &reader->channels[index];
    uint32_t number;
    out->position = md5i_lex_skip_space(lex);
    if (!md5i_lex_accept_keyword(lex, "channel"))
        return md5i_fail_too_few(lex, "numchannels", reader->num_channels.value, index);
    TRY(md5i_read_uint(lex, "channel", &number));
    if (number != index)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "channel number is out of order: expected %u, found %u", index,
                             number);

    TRY(md5i_lex_expect(lex, '{'));
    uint32_t found = 0;
    while (!md5i_lex_accept(lex, '}'))
        TRY(read_channel_keyword(lex, &found, out));
    TRY(check_channel_keywords(lex, found));

    if (index > 0 && out->frame_rate != reader->channels[0].frame_rate)
        md5i_lex_warn(lex, out->position,
                      "channels have different frame rates: expected %g as in the first channel, "
                      "found %g; using the first",
                      reader->channels[0].frame_rate, out->frame_rate);
    return true;
}

// -- Joints ---------------------------------------------------------------------------------------

// Adds a channel to the channels of its joint. A duplicate attribute is ignored with a warning.
static void add_channel(channel_reader *reader, joint_channels *table, const channel *added)
{
    const channel **const slot = &table->by_attribute[added->attribute];
    if (!*slot)
        *slot = added;
    else
        md5i_lex_warn(reader->lex, added->attribute_at,
                      "duplicate attribute of joint %s: using the first channel",
                      md5i_quote(added->joint.bytes, added->joint.size).text);
}

// -- Frames ---------------------------------------------------------------------------------------

// Returns the value of a channel at a frame. Frames before the first key and after the last key use
// the nearest key. `from` is NULL for a missing channel, whose value is 0.
static float value_at(const channel *from, uint32_t frame)
{
    if (!from)
        return 0;
    const uint32_t last_key = from->num_keys - 1;
    const uint32_t key = frame > from->first ? frame - from->first : 0;
    return from->keys[key < last_key ? key : last_key];
}

// Returns true if a channel, which may be NULL, is not constant.
static bool is_channel_changing(const channel *from)
{
    if (!from)
        return false;
    uint32_t key = 1;
    while (key < from->num_keys && from->keys[key] == from->keys[0])
        key++;
    return key < from->num_keys;
}

// Returns the translation of a joint in a frame, from its three channels.
static md5_vec3 translation_at(const joint_channels *table, uint32_t frame)
{
    return (md5_vec3){value_at(table->by_attribute[0], frame),
                      value_at(table->by_attribute[1], frame),
                      value_at(table->by_attribute[2], frame)};
}

// Returns x y z of a rotation. As in later versions, w follows from them.
static md5_vec3 rotation_at(const joint_channels *table, uint32_t frame)
{
    const float yaw = value_at(table->by_attribute[FIRST_ANGLE], frame);
    const float pitch = value_at(table->by_attribute[FIRST_ANGLE + 1], frame);
    const float roll = value_at(table->by_attribute[FIRST_ANGLE + 2], frame);
    return md5_quat_to_xyz(md5_quat_from_euler((md5_euler){pitch, yaw, roll}));
}

// Returns the flags of the components of a joint that change. A coordinate of the translation
// changes if its channel does. If one angle changes, all of x, y and z of the rotation may change.
static uint32_t find_changing_flags(const joint_channels *table)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < NUM_ATTRIBUTES; i++) {
        const bool is_angle = i >= FIRST_ANGLE;
        if (is_channel_changing(table->by_attribute[i]))
            flags |= is_angle ? (uint32_t)MD5_ROTATION_FLAGS : UINT32_C(1) << i;
    }
    return flags;
}

// Creates the tracks and the base frame of all joints, and counts the components of a frame. The
// base frame has the values of frame 0.
static bool build_tracks(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    md5_arena *const arena = reader->lex->arena;
    md5_track *const tracks = MD5_ALLOC_ZEROED(arena, md5_track, file->num_joints);
    md5_xform *const base = MD5_ALLOC_ZEROED(arena, md5_xform, file->num_joints);
    TRY(tracks && base);

    for (uint32_t joint = 0; joint < file->num_joints; joint++) {
        const joint_channels *const table = &reader->tables[joint];
        const uint32_t flags = find_changing_flags(table);
        tracks[joint] = (md5_track){flags, flags != 0 ? file->num_components : 0};
        file->num_components += md5i_count_flags(flags);

        const md5_vec3 rotation = rotation_at(table, 0);
        base[joint].translation = translation_at(table, 0);
        base[joint].rotation = (md5_quat){rotation.x, rotation.y, rotation.z, 0};
    }

    file->tracks = tracks;
    file->base_frame = base;
    return true;
}

// Returns the number of frames that a channel needs, which is the end of its range or of its keys.
// A skipped channel needs one frame.
static uint64_t channel_end(const channel *from)
{
    const bool is_of_transform = from->attribute < NUM_ATTRIBUTES;
    if (!is_of_transform)
        return 1;
    const uint64_t keys_end = (uint64_t)from->first + from->num_keys;
    return from->end > keys_end ? from->end : keys_end;
}

// Finds the number of frames, which the longest channel determines. Checks that all frames together
// have no more numbers than the text has bytes, because a hostile text could declare any end.
static bool count_frames(channel_reader *reader)
{
    md5_lex *const lex = reader->lex;
    md5_anim_file *const file = reader->file;
    const uint64_t size = (uint64_t)(lex->end - lex->text);
    const channel *longest = &reader->channels[0];
    uint64_t num_frames = 1;
    for (uint32_t i = 0; i < reader->num_channels.value; i++) {
        const uint64_t end = channel_end(&reader->channels[i]);
        if (end > num_frames) {
            num_frames = end;
            longest = &reader->channels[i];
        }
    }

    const uint64_t components = file->num_components > 0 ? file->num_components : 1;
    if (num_frames > size / components)
        return md5i_lex_fail(lex, longest->position, MD5_ERROR_RANGE,
                             "animation is too large: %llu frames of %u components exceed the file "
                             "size (%llu bytes)",
                             (unsigned long long)num_frames, file->num_components,
                             (unsigned long long)size);
    file->num_frames = (uint32_t)num_frames;
    return true;
}

// Writes the components of a joint at a frame in the order of its flags. These are the changing
// coordinates of its translation, and then its rotation.
static void write_joint_components(const joint_channels *table, uint32_t flags, uint32_t frame,
                                   float *numbers)
{
    float *next = numbers;
    for (uint32_t i = 0; i < FIRST_ANGLE; i++) {
        const uint32_t flag = UINT32_C(1) << i;
        if (flags & flag)
            *next++ = value_at(table->by_attribute[i], frame);
    }
    if (flags & MD5_ROTATION_FLAGS) {
        const md5_vec3 rotation = rotation_at(table, frame);
        next[0] = rotation.x;
        next[1] = rotation.y;
        next[2] = rotation.z;
    }
}

// Samples the changing channels at all frames. The result has the layout of later versions.
static bool build_channel_frames(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    const size_t count = file->num_components;
    float *const numbers = (float *)md5i_arena_alloc_raw(reader->lex->arena, file->num_frames,
                                                         count * sizeof *numbers);
    TRY(numbers);

    for (uint32_t joint = 0; joint < file->num_joints; joint++) {
        const md5_track *const track = &file->tracks[joint];
        const joint_channels *const table = &reader->tables[joint];
        if (track->flags == 0)
            continue;

        for (uint32_t frame = 0; frame < file->num_frames; frame++)
            write_joint_components(table, track->flags, frame,
                                   numbers + frame * count + track->first);
    }

    file->numbers = numbers;
    return true;
}

// Creates the bounding boxes of all frames, if the file contains all six channels for them: x y z
// of the joints boundsMin and boundsMax.
static bool build_bounds(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    for (uint32_t i = 0; i < FIRST_ANGLE; i++) {
        if (!reader->bounds[0].by_attribute[i] || !reader->bounds[1].by_attribute[i])
            return true;
    }
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(reader->lex->arena, md5_bounds, file->num_frames);
    TRY(bounds);
    for (uint32_t frame = 0; frame < file->num_frames; frame++)
        bounds[frame] = (md5_bounds){translation_at(&reader->bounds[0], frame),
                                     translation_at(&reader->bounds[1], frame)};
    file->bounds = bounds;
    return true;
}

static bool are_spans_equal(md5_span a, md5_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

// Finds, for each channel, the first channel of the same joint. Stores their indices in
// reader->first_channels. Channels refer to their joint by name.
static bool find_first_channels(channel_reader *reader)
{
    md5_arena *const arena = reader->lex->arena;
    const uint32_t count = reader->num_channels.value;
    uint32_t *const first_channels = MD5_ALLOC_ARRAY(arena, uint32_t, count);
    TRY(first_channels);

    // Sort the channels by the name of their joint. Channels with the same name keep their order.
    const md5_arena_mark before = md5i_arena_position(arena);
    md5_sorted_name *names = MD5_ALLOC_ARRAY(arena, md5_sorted_name, count);
    TRY(names);
    uint32_t num_names = 0;
    for (uint32_t i = 0; i < count; i++) {
        first_channels[i] = NONE;
        if (reader->channels[i].attribute < NUM_ATTRIBUTES)
            names[num_names++] = (md5_sorted_name){reader->channels[i].joint, i, 0};
    }
    names = md5i_sort_names(arena, names, num_names);
    TRY(names);

    uint32_t first = 0; // the first of the names that are equal to names[i]
    for (uint32_t i = 0; i < num_names; i++) {
        if (!are_spans_equal(names[i].name, names[first].name))
            first = i;
        first_channels[names[i].number] = names[first].number;
    }

    md5i_arena_rewind(arena, before);
    reader->first_channels = first_channels;
    return true;
}

// Returns the channels of the minimum or the maximum of the bounding boxes, if the channel `added`
// belongs to them. Its joint then has the name boundsMin or boundsMax, and is not a joint of the
// skeleton. Otherwise returns NULL.
static joint_channels *find_bounds_channels(channel_reader *reader, const channel *added)
{
    if (md5_span_is(added->joint, "boundsMin"))
        return &reader->bounds[0];
    if (md5_span_is(added->joint, "boundsMax"))
        return &reader->bounds[1];
    return NULL;
}

// Creates the joints in the order of their first channels, and assigns each channel to its joint or
// to the bounding boxes. Joint j has its name in reader->joints[j] and its channels in
// reader->tables[j]. A channel begins a new joint if it is the first channel with that name. All
// later channels of the joint refer to it by first_channels[]. No joint has a parent, because the
// file does not contain the hierarchy.
static bool build_channel_joints(channel_reader *reader)
{
    const md5_lex *const lex = reader->lex;
    md5_arena *const arena = lex->arena;
    const uint32_t count = reader->num_channels.value;
    reader->joints = MD5_ALLOC_ZEROED(arena, md5_file_joint, count);
    reader->tables = MD5_ALLOC_ZEROED(arena, joint_channels, count);
    uint32_t *const order = MD5_ALLOC_ARRAY(arena, uint32_t, count);
    // joint_indices[channel] is the index of the joint that begins with this channel. The elements
    // of other channels are not set.
    uint32_t *const joint_indices = MD5_ALLOC_ARRAY(arena, uint32_t, count);
    TRY(reader->joints && reader->tables && order && joint_indices);

    uint32_t num_joints = 0;
    for (uint32_t i = 0; i < count; i++) {
        const channel *const added = &reader->channels[i];
        const uint32_t first_channel = reader->first_channels[i];
        if (first_channel == NONE)
            continue;

        joint_channels *const bounds_channels = find_bounds_channels(reader, added);
        if (bounds_channels) {
            add_channel(reader, bounds_channels, added);
            continue;
        }

        const bool is_new_joint = first_channel == i;
        if (is_new_joint) {
            const uint32_t offset = (uint32_t)(added->position - lex->text);
            reader->joints[num_joints] = (md5_file_joint){added->joint, offset, MD5_NONE};
            order[num_joints] = num_joints;
            joint_indices[i] = num_joints;
            num_joints++;
        }
        const uint32_t joint = joint_indices[first_channel];
        add_channel(reader, &reader->tables[joint], added);
    }

    reader->file->num_joints = num_joints;
    reader->file->joints = reader->joints;
    reader->file->order = order;
    reader->file->parents_unknown = true;
    return true;
}

// Reads the number after `numchannels`, which was consumed, and everything after it.
static bool read_channels(md5_lex *lex, const md5_header *header, md5_anim_file *file)
{
    channel_reader reader = {.lex = lex, .file = file};
    TRY(md5i_read_count(lex, "numchannels", 1, CHANNEL_BYTES, &reader.num_channels));
    const uint32_t count = reader.num_channels.value;
    reader.channels = MD5_ALLOC_ZEROED(lex->arena, channel, count);
    TRY(reader.channels);

    for (uint32_t i = 0; i < count; i++)
        TRY(read_channel(&reader, i));
    md5i_warn_at_file_end(lex, header, "channel", "numchannels", &reader.num_channels);
    TRY(md5_lex_is_ok(lex));

    file->frame_rate = reader.channels[0].frame_rate;
    TRY(find_first_channels(&reader));
    TRY(build_channel_joints(&reader));

    if (file->num_joints == 0)
        return md5i_lex_fail(
            lex, reader.num_channels.at, MD5_ERROR_RANGE,
            "no joint is animated: expected a channel with x, y, z, yaw, pitch or roll");

    TRY(build_tracks(&reader) && count_frames(&reader));
    return build_channel_frames(&reader) && build_bounds(&reader);
}

// Reads an .md5anim of version 6, the format of the 2002 alpha. Its channels are converted to
// tracks and frames, as in files of later versions.
bool md5i_read_anim_v6(md5_arena *arena, const md5_versions *versions, md5_span text,
                       md5_anim_file *file)
{
    *file = (md5_anim_file){0};
    md5_header header = {.kind = MD5_KIND_ANIM, .versions = versions, .version = MD5_VERSION_6};
    md5_lex file_lex;
    md5_lex *const lex = &file_lex;
    md5i_lex_begin(lex, arena, text.bytes, text.size);
    TRY(md5i_begin_header(lex, &header));

    // Read the header, up to the number of channels.
    for (;;) {
        const md5_span word = md5i_lex_peek_word(lex);
        md5i_warn_about_version(lex, &header, word);
        if (md5i_lex_accept_keyword(lex, "numchannels"))
            break;
        if (lex->at == lex->end || md5_span_is(word, "channel"))
            return md5i_lex_fail_expected(lex, "expected 'numchannels'");
        TRY(md5i_read_header_keyword(lex, &header, word));
    }

    TRY(read_channels(lex, &header, file));
    file->command_line = header.command_line;
    return true;
}
