// Channels: animations of version 6, the 2002 alpha. The fields are those of two readers that know
// nothing of each other, md5-converter (mjsonofharry) and Doom3-for-Android (glKarin), which also
// agree in the order of the angles: yaw about z, pitch about y, roll about x, as idAngles.
//
//   channel 7 { joint "Body" attribute "yaw" starttime s endtime s framerate f
//               strings n "..." range first end keys n k0 k1 ... }
//
// Keys are those of the frames from `first` on; before and behind them the nearest one holds.
// Without a range the keys begin at frame 0. The joints boundsMin and boundsMax are the bounds.
// There is no hierarchy: it is that of the model.
//
// Each joint becomes a track as in later versions. What does not change costs nothing, and the rest
// no more numbers than the text has bytes, so that memory stays linear although ranges are short
// texts for many frames.
#include "md5/core/math.h"
#include "md5/read/anim_reader.h"
#include "md5/core/name_order.h"

enum {
    CHANNEL_BYTES = sizeof "channel 0{joint a attribute x framerate 1 keys 1 0}" - 1,
    NUM_ATTRIBUTES = 6, // x y z yaw pitch roll
    FIRST_ANGLE = 3,
};

static const uint32_t NONE = UINT32_MAX;

typedef struct channel {
    md5_span joint;
    const char *at, *attribute_at;
    uint32_t attribute; // index, or NUM_ATTRIBUTES: not of a transform
    uint32_t first, end;
    uint32_t num_keys;
    const float *keys; // NULL = not read yet
    double frame_rate; // 0 = not read yet
} channel;

// The channels of one joint by attribute, NULL where there is none.
typedef struct joint_channels {
    const channel *of[NUM_ATTRIBUTES];
} joint_channels;

typedef struct channel_reader {
    md5_lex *lex;
    md5_anim_file *file;
    md5_count num_channels;
    channel *channels;
    uint32_t *owners; // [num_channels] joint of each channel, or NONE
    md5_file_joint *joints;
    joint_channels *tables; // [num_joints]
    joint_channels bounds[2];
} channel_reader;

// -- One channel ----------------------------------------------------------------------------------

static bool read_attribute(md5_lex *lex, channel *out)
{
    static const char *const names[NUM_ATTRIBUTES] = {"x", "y", "z", "yaw", "pitch", "roll"};
    md5_span name;
    md5_lex_space(lex);
    out->attribute_at = lex->at;
    TRY(md5i_lex_text(lex, &name, "an attribute"));
    out->attribute = 0;
    while (out->attribute < NUM_ATTRIBUTES && !md5_span_is(name, names[out->attribute]))
        out->attribute++;
    if (out->attribute == NUM_ATTRIBUTES && !md5_span_is(name, "fov"))
        md5i_lex_warn(lex, out->attribute_at, "the attribute %s is unknown: its channel is skipped",
                      md5i_quote(name.bytes, name.size).text);
    return true;
}

static bool read_frame_rate(md5_lex *lex, channel *out)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_lex_double(lex, &out->frame_rate));
    const float narrow = (float)out->frame_rate;
    if (narrow > 0.0f && isfinite(narrow))
        return true;
    return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "framerate %g: expected more than 0",
                         out->frame_rate);
}

static bool read_strings(md5_lex *lex)
{
    md5_span text;
    uint32_t count;
    TRY(md5i_read_uint(lex, "strings", &count));
    for (uint32_t i = 0; i < count; i++)
        TRY(md5i_lex_text(lex, &text, "a string"));
    return true;
}

static bool read_range(md5_lex *lex, channel *out)
{
    TRY(md5i_read_uint(lex, "first frame", &out->first));
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, "last frame", &out->end));
    if (out->end >= out->first)
        return true;
    return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "the range ends at %u, before its begin %u",
                         out->end, out->first);
}

static bool read_keys(md5_lex *lex, channel *out)
{
    md5_count count = {NULL, 0};
    TRY(md5i_read_count(lex, "keys", 1, MD5_NUMBER_BYTES, &count));
    float *const keys = (float *)md5i_arena_room(lex->arena, count.value, sizeof *keys);
    TRY(keys);
    for (uint32_t i = 0; i < count.value; i++) {
        if (md5_lex_at_block_end(lex))
            return md5i_fail_short(lex, "keys", count.value, i);
        TRY(md5_lex_length(lex, &keys[i]));
    }
    out->num_keys = count.value;
    out->keys = keys;
    return true;
}

typedef enum channel_word {
    WORD_JOINT,
    WORD_ATTRIBUTE,
    WORD_START,
    WORD_END,
    WORD_RATE,
    WORD_STRINGS,
    WORD_RANGE,
    WORD_KEYS,
    NUM_WORDS
} channel_word;

static bool read_values(md5_lex *lex, int word, channel *out)
{
    double seconds; // frames are counted by keys and ranges
    switch (word) {
    case WORD_JOINT:
        return md5i_lex_text(lex, &out->joint, "a joint's name");
    case WORD_ATTRIBUTE:
        return read_attribute(lex, out);
    case WORD_RATE:
        return read_frame_rate(lex, out);
    case WORD_STRINGS:
        return read_strings(lex);
    case WORD_RANGE:
        return read_range(lex, out);
    case WORD_KEYS:
        return read_keys(lex, out);
    default:
        return md5i_lex_double(lex, &seconds);
    }
}

static bool read_words(md5_lex *lex, channel *out)
{
    static const char *const words[NUM_WORDS] = {"joint",     "attribute", "starttime", "endtime",
                                                 "framerate", "strings",   "range",     "keys"};
    static const int needed[] = {WORD_JOINT, WORD_ATTRIBUTE, WORD_RATE, WORD_KEYS};
    uint32_t known = 0;
    while (!md5i_lex_take(lex, '}')) {
        int word = 0;
        while (word < NUM_WORDS && !md5_span_is(md5i_lex_peek_word(lex), words[word]))
            word++;
        if (word == NUM_WORDS || known >> word & 1)
            return md5i_lex_fail(
                lex, lex->at, MD5_ERROR_SYNTAX,
                "expected each of joint, attribute, starttime, endtime, framerate, "
                "strings, range and keys once, or '}', found %s",
                md5i_lex_token(lex, lex->at).text);
        known |= UINT32_C(1) << word;
        lex->at += strlen(words[word]);
        TRY(read_values(lex, word, out));
    }
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!(known >> needed[i] & 1))
            return md5i_lex_fail(lex, lex->at - 1, MD5_ERROR_SYNTAX,
                                 "this channel ends without '%s'", words[needed[i]]);
    }
    return true;
}

// channel i { ... }
static bool read_channel(channel_reader *reader, uint32_t index)
{
    md5_lex *const lex = reader->lex;
    channel *const out = &reader->channels[index];
    uint32_t number;
    md5_lex_space(lex);
    out->at = lex->at;
    if (!md5_lex_take_word(lex, "channel"))
        return md5i_fail_short(lex, "numchannels", reader->num_channels.value, index);
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, "channel", &number));
    if (number != index)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "channel %u, expected channel %u", number,
                             index);
    TRY(md5_lex_bracket(lex, '{') && read_words(lex, out));
    if (index > 0 && out->frame_rate != reader->channels[0].frame_rate)
        md5i_lex_warn(lex, out->at,
                      "framerate %g, but that of the first channel is %g, which counts",
                      out->frame_rate, reader->channels[0].frame_rate);
    return true;
}

// -- Joints ---------------------------------------------------------------------------------------

// Sets reader->owners: of each channel the first one of the same joint; NONE if it is not of a
// transform.
static bool group_channels(channel_reader *reader)
{
    md5_arena *const arena = reader->lex->arena;
    const uint32_t count = reader->num_channels.value;
    reader->owners = (uint32_t *)md5i_arena_room(arena, count, sizeof *reader->owners);
    TRY(reader->owners);
    const md5_arena_mark before = md5i_arena_here(arena);
    md5_ordered_name *const names =
        (md5_ordered_name *)md5i_arena_room(arena, count, sizeof *names);
    TRY(names);
    uint32_t num_names = 0;
    for (uint32_t i = 0; i < count; i++) {
        reader->owners[i] = NONE;
        if (reader->channels[i].attribute < NUM_ATTRIBUTES)
            names[num_names++] = (md5_ordered_name){reader->channels[i].joint, i};
    }
    md5i_order_names(names, num_names);
    for (uint32_t i = 0, first = 0; i < num_names; i++) {
        const md5_span name = names[i].name, group = names[first].name;
        if (name.size != group.size
            || (name.size > 0 && memcmp(name.bytes, group.bytes, name.size) != 0))
            first = i;
        reader->owners[names[i].number] = names[first].number;
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// 0 or 1 for the joints that hold bounds, else NONE.
static uint32_t bounds_of(md5_span joint)
{
    return md5_span_is(joint, "boundsMin") ? 0 : md5_span_is(joint, "boundsMax") ? 1 : NONE;
}

static void enter(channel_reader *reader, joint_channels *table, const channel *added)
{
    const channel **const known = &table->of[added->attribute];
    if (*known)
        md5i_lex_warn(reader->lex, added->attribute_at,
                      "the attribute appears a second time for %s: the first is used",
                      md5i_quote(added->joint.bytes, added->joint.size).text);
    else
        *known = added;
}

// Makes the joints, in the order of their first channels, and enters all channels.
static bool make_joints(channel_reader *reader)
{
    md5_arena *const arena = reader->lex->arena;
    const uint32_t count = reader->num_channels.value;
    reader->joints = (md5_file_joint *)md5i_arena_alloc(arena, count, sizeof *reader->joints);
    reader->tables = (joint_channels *)md5i_arena_alloc(arena, count, sizeof *reader->tables);
    uint32_t *const order = (uint32_t *)md5i_arena_room(arena, count, sizeof *order);
    TRY(reader->joints && reader->tables && order);
    uint32_t num_joints = 0;
    for (uint32_t i = 0; i < count; i++) {
        const channel *const added = &reader->channels[i];
        const uint32_t bounds = bounds_of(added->joint), owner = reader->owners[i];
        if (owner == NONE)
            continue;
        if (bounds != NONE) {
            enter(reader, &reader->bounds[bounds], added);
            continue;
        }
        if (owner == i) { // its first channel; from here on this has the number of the joint
            order[num_joints] = num_joints;
            reader->joints[num_joints] =
                (md5_file_joint){added->joint, (uint32_t)(added->at - reader->lex->text), -1};
            reader->owners[i] = num_joints++;
        }
        enter(reader, &reader->tables[reader->owners[owner]], added);
    }
    reader->file->num_joints = num_joints;
    reader->file->joints = reader->joints;
    reader->file->order = order;
    reader->file->parents_unknown = true;
    return num_joints > 0
           || md5i_lex_fail(reader->lex, reader->num_channels.at, MD5_ERROR_RANGE,
                            "no channel moves a joint");
}

// -- Frames ---------------------------------------------------------------------------------------

static float value_at(const channel *from, uint32_t frame)
{
    if (!from)
        return 0.0f;
    const uint32_t key = frame > from->first ? frame - from->first : 0;
    return from->keys[key < from->num_keys ? key : from->num_keys - 1];
}

static bool changes(const channel *from)
{
    uint32_t key = 1;
    while (from && key < from->num_keys && from->keys[key] == from->keys[0])
        key++;
    return from && key < from->num_keys;
}

static md5_vec3 translation_at(const joint_channels *table, uint32_t frame)
{
    return (md5_vec3){value_at(table->of[0], frame), value_at(table->of[1], frame),
                      value_at(table->of[2], frame)};
}

// x y z of a rotation whose w is negative.
static md5_vec3 rotation_at(const joint_channels *table, uint32_t frame)
{
    const float yaw = value_at(table->of[FIRST_ANGLE], frame);
    const float pitch = value_at(table->of[FIRST_ANGLE + 1], frame);
    const float roll = value_at(table->of[FIRST_ANGLE + 2], frame);
    const md5_quat q = md5_quat_from_euler((md5_euler){pitch, yaw, roll});
    const float sign = q.w > 0.0f ? -1.0f : 1.0f;
    return (md5_vec3){q.x * sign, q.y * sign, q.z * sign};
}

// Sets the flags of the joints and the number of components.
static bool make_tracks(channel_reader *reader)
{
    enum { ROTATION = 8 | 16 | 32 };
    md5_anim_file *const file = reader->file;
    md5_arena *const arena = reader->lex->arena;
    md5_track *const tracks =
        (md5_track *)md5i_arena_alloc(arena, file->num_joints, sizeof *tracks);
    md5_xform *const base = (md5_xform *)md5i_arena_alloc(arena, file->num_joints, sizeof *base);
    TRY(tracks && base);
    for (uint32_t joint = 0; joint < file->num_joints; joint++) {
        const joint_channels *const table = &reader->tables[joint];
        for (uint32_t i = 0; i < NUM_ATTRIBUTES; i++) {
            if (changes(table->of[i]))
                tracks[joint].flags |= i < FIRST_ANGLE ? UINT32_C(1) << i : ROTATION;
        }
        if (tracks[joint].flags != 0)
            tracks[joint].first = file->num_components;
        file->num_components += md5_num_flags(tracks[joint].flags);
        const md5_vec3 rotation = rotation_at(table, 0);
        base[joint].translation = translation_at(table, 0);
        base[joint].rotation = (md5_quat){rotation.x, rotation.y, rotation.z, 0.0f};
    }
    file->tracks = tracks;
    file->base_frame = base;
    return true;
}

// Finds the number of frames, and checks that they ask for no more numbers than the text has bytes.
static bool count_frames(channel_reader *reader)
{
    md5_lex *const lex = reader->lex;
    md5_anim_file *const file = reader->file;
    const uint64_t size = (uint64_t)(lex->end - lex->text);
    const channel *longest = &reader->channels[0];
    uint64_t most = 1;
    for (uint32_t i = 0; i < reader->num_channels.value; i++) {
        const channel *const at = &reader->channels[i];
        const uint64_t keys = (uint64_t)at->first + at->num_keys;
        const uint64_t count = at->end > keys ? at->end : keys;
        if (at->attribute < NUM_ATTRIBUTES && count > most) {
            most = count;
            longest = at;
        }
    }
    const uint64_t components = file->num_components > 0 ? file->num_components : 1;
    if (most > size / components)
        return md5i_lex_fail(lex, longest->at, MD5_ERROR_RANGE,
                             "%llu frames of %u changing numbers: more than the file has bytes "
                             "(%llu)",
                             (unsigned long long)most, file->num_components,
                             (unsigned long long)size);
    file->num_frames = (uint32_t)most;
    return true;
}

static void write_joint(const channel_reader *reader, uint32_t joint, uint32_t frame, float *to)
{
    const md5_track *const track = &reader->file->tracks[joint];
    const joint_channels *const table = &reader->tables[joint];
    to += track->first;
    for (uint32_t i = 0; i < FIRST_ANGLE; i++) {
        if (track->flags >> i & 1)
            *to++ = value_at(table->of[i], frame);
    }
    if (track->flags >> FIRST_ANGLE == 0)
        return;
    const md5_vec3 rotation = rotation_at(table, frame);
    to[0] = rotation.x;
    to[1] = rotation.y;
    to[2] = rotation.z;
}

static bool make_frames(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    const size_t count = file->num_components;
    float *const numbers =
        (float *)md5i_arena_room(reader->lex->arena, file->num_frames, count * sizeof *numbers);
    TRY(numbers);
    for (uint32_t joint = 0; joint < file->num_joints; joint++) {
        for (uint32_t frame = 0; frame < file->num_frames && file->tracks[joint].flags; frame++)
            write_joint(reader, joint, frame, numbers + frame * count);
    }
    file->numbers = numbers;
    return true;
}

// Bounds need all six numbers.
static bool make_bounds(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    for (int i = 0; i < FIRST_ANGLE; i++) {
        if (!reader->bounds[0].of[i] || !reader->bounds[1].of[i])
            return true;
    }
    md5_bounds *const bounds =
        (md5_bounds *)md5i_arena_room(reader->lex->arena, file->num_frames, sizeof *bounds);
    TRY(bounds);
    for (uint32_t frame = 0; frame < file->num_frames; frame++)
        bounds[frame] = (md5_bounds){translation_at(&reader->bounds[0], frame),
                                     translation_at(&reader->bounds[1], frame)};
    file->bounds = bounds;
    return true;
}

bool md5i_read_channels(md5_lex *lex, md5_header *header, md5_anim_file *file)
{
    channel_reader reader = {.lex = lex, .file = file};
    TRY(md5i_read_count(lex, "numchannels", 1, CHANNEL_BYTES, &reader.num_channels));
    const uint32_t count = reader.num_channels.value;
    reader.channels = (channel *)md5i_arena_alloc(lex->arena, count, sizeof *reader.channels);
    TRY(reader.channels);
    for (uint32_t i = 0; i < count; i++)
        TRY(read_channel(&reader, i));
    TRY(md5i_header_end(lex, header, "channel", "numchannels", &reader.num_channels));
    file->frame_rate = reader.channels[0].frame_rate;
    TRY(group_channels(&reader) && make_joints(&reader));
    TRY(make_tracks(&reader) && count_frames(&reader));
    return make_frames(&reader) && make_bounds(&reader);
}
