// .md5anim: header, hierarchy, bounds, base frame and frames; the channels of version 6.
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/read/tables.h"
#include "md5/read/header.h"
#include "md5/read/rows.h"

// State while an .md5anim is read.

// The fewest bytes that one of each takes in a file.
enum {
    MD5_ANIM_JOINT_BYTES = sizeof "a 0 0 0(0 0 0)(0 0 0)" - 1, // in the hierarchy and base frame
    MD5_FRAME_BYTES = sizeof "frame 0{}" - 1,
    MD5_NUMBER_BYTES = sizeof " 0" - 1,
};

typedef struct md5_anim_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_frames, num_joints, num_components;
    const char *rate_at; // NULL = not given yet
    md5_file_joint *joints;
    md5_track *tracks;
    md5_xform *base_frame;
    const char *bounds_at;

    // Number of components that the hierarchy refers to, and the position of the last reference.
    uint64_t needed;
    const char *needed_at;
    uint64_t num_used; // components, each counted as often as joints use it
    uint32_t
        *turning; // [num_turning] joints with rotation flags: frames are checked for these only
    uint32_t num_turning;

    bool is_again; // only what precedes the frames is read, for the second time
    uint32_t num_frames_read;
    int64_t first_frame; // the number of the first frame
    float *numbers;
    md5_anim_file *file;
} md5_anim_reader;

uint32_t md5i_num_flags(uint32_t flags)
{
    uint32_t bits = 0;
    for (; flags; flags &= flags - 1)
        bits++;
    return bits;
}

// == Frames ======================================================================================
//
// The frames of an .md5anim: how many numbers each has, then the numbers.

// x y z of a joint's rotation in a frame: what has no flag comes from the base frame. A track's
// numbers are in the order of its flags.
static inline md5_vec3 frame_rotation(const md5_track *track, const md5_xform *base,
                                      const float *numbers)
{
    const uint32_t flags = track->flags;
    const float *next = numbers + track->first + (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
    md5_vec3 rotation = {base->rotation.x, base->rotation.y, base->rotation.z};
    if (flags & 8)
        rotation.x = *next++;
    if (flags & 16)
        rotation.y = *next++;
    if (flags & 32)
        rotation.z = *next++;
    return rotation;
}

// -- How many numbers a frame has -----------------------------------------------------------

// A track without flags may have any `first`: brings it into the range that the asset promises.
static void limit_tracks(md5_anim_reader *reader, uint32_t num_components)
{
    MD5_FOR (joint, reader->num_joints.value) {
        md5_track *const track = &reader->tracks[joint];
        if (track->flags == 0 && track->first > num_components)
            track->first = 0;
    }
}

// Settles what the first frame, whose `{` was just read, decides: how many numbers each has.
// Header, hierarchy and the first frame each give the number of components. Some files have a wrong
// header, but frames that fit the hierarchy: a warning. Any other difference is an error.
static bool begin_frames(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t declared = reader->num_components.value;
    // The numbers of this frame; where number `declared` is, or the `}` if there are fewer.
    md5_lex ahead = *lex;
    const char *place = NULL;
    uint64_t count = 0;
    for (; !md5i_lex_at_block_end(&ahead); count++) {
        float number;
        if (count == declared)
            place = ahead.at;
        TRY(md5i_lex_float(&ahead, &number));
    }
    if (count != declared && count != reader->needed)
        return md5i_lex_fail(lex, place ? place : ahead.at, MD5_ERROR_SYNTAX,
                             "numAnimatedComponents says %u, but this frame has %llu", declared,
                             (unsigned long long)count);
    if (reader->needed > count)
        return md5i_lex_fail(lex, reader->needed_at, MD5_ERROR_RANGE,
                             "components up to %llu, but numAnimatedComponents is %u",
                             (unsigned long long)reader->needed, declared);
    if (count != declared)
        md5i_lex_warn(lex, reader->num_components.at,
                      "numAnimatedComponents says %u, but hierarchy and first frame have %llu: "
                      "these are used",
                      declared, (unsigned long long)count);
    const uint32_t num_components = (uint32_t)count; // `needed`, `declared`: below 2^31 + 6

    // Joints may share components, but not so often that the asset is larger than the text.
    const uint64_t text_size = (uint64_t)(lex->end - lex->text);
    if (reader->num_used > text_size / reader->num_frames.value)
        return md5i_lex_fail(lex, reader->num_components.at, MD5_ERROR_RANGE,
                             "joints share components: %llu in %u frames is more than the file has "
                             "bytes (%llu)",
                             (unsigned long long)reader->num_used, reader->num_frames.value,
                             (unsigned long long)text_size);

    // Room for no more frames than the rest of the text could hold. If there are fewer than
    // numFrames says, reading ends with an error before the room does.
    const size_t left = (size_t)(lex->end - lex->at);
    const size_t frame_bytes = MD5_FRAME_BYTES - 1 + (size_t)MD5_NUMBER_BYTES * num_components;
    const size_t most = left / frame_bytes + 1;
    const size_t num_frames = reader->num_frames.value < most ? reader->num_frames.value : most;
    limit_tracks(reader, num_components);
    TRY(reader->turning = MD5_ROOM(lex->arena, uint32_t, reader->num_joints.value));
    MD5_FOR (joint, reader->num_joints.value) {
        if (reader->tracks[joint].flags & MD5_ROTATES)
            reader->turning[reader->num_turning++] = joint;
    }
    reader->file->num_components = num_components;
    reader->numbers =
        (float *)md5i_arena_room(lex->arena, num_frames, num_components * sizeof *reader->numbers);
    TRY(reader->numbers != NULL);
    return true;
}

// -- Frames ---------------------------------------------------------------------------------

// Rotations that are longer than 1: one warning for all of the frame, at the first in the text, so
// that lines are counted forward only.
static void warn_of_frame(md5_anim_reader *reader, const char *start, const float *numbers)
{
    uint32_t num_overlong = 0, component = 0;
    md5_vec3 first = {0};
    MD5_FOR (i, reader->num_turning) {
        const uint32_t joint = reader->turning[i];
        const md5_track *const track = &reader->tracks[joint];
        const md5_vec3 rotation = frame_rotation(track, &reader->base_frame[joint], numbers);
        if (!md5_quat_is_overlong(rotation.x, rotation.y, rotation.z))
            continue;
        const uint32_t number_x = track->first + md5i_num_flags(track->flags & MD5_TRANSLATES);
        if (num_overlong == 0 || number_x < component) {
            component = number_x;
            first = rotation;
        }
        num_overlong++;
    }
    if (num_overlong > 0)
        md5i_warn_overlong(&reader->lex, md5i_find_in_rows(&reader->lex, start, "i", component, 0),
                           first, num_overlong);
}

// frame i { numbers }
static bool read_frame(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    lex->at += strlen("frame");
    // Frames are numbered 0, 1, 2 ...; some files begin with another number.
    uint32_t number;
    TRY(md5i_read_uint(lex, "frame", &number));
    if (reader->num_frames_read == 0) {
        reader->first_frame = number;
        if (number != 0)
            md5i_lex_warn(lex, lex->number_at, "frames are numbered from %u, not from 0", number);
    }
    const int64_t expected = reader->first_frame + reader->num_frames_read;
    if (number != expected)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE, "frame %u, expected frame %lld",
                             number, (long long)expected);
    TRY(md5i_lex_expect(lex, '{'));
    if (reader->num_frames_read == 0)
        TRY(begin_frames(reader));

    const char *const start = lex->at;
    const uint32_t num_components = reader->file->num_components;
    float *const numbers = reader->numbers + (size_t)reader->num_frames_read * num_components;
    uint32_t num_read;
    TRY(md5i_lex_floats(lex, numbers, num_components, &num_read));
    if (num_read < num_components)
        return md5i_fail_short(lex, "numAnimatedComponents", num_components, num_read);

    if (!md5i_lex_take(lex, '}'))
        return md5i_lex_fail_found(lex, "expected '}' after the %u numbers of this frame",
                                   num_components);
    reader->num_frames_read++;

    // Checks the range of the numbers. Without branches: a negative difference sets the highest
    // bit.
    const uint32_t sign = UINT32_C(1) << 31;
    const float longest = MD5_MOST_LENGTH;
    uint32_t max_bits, bits, differences = 0;
    memcpy(&max_bits, &longest, sizeof max_bits);
    MD5_FOR (i, num_components) {
        memcpy(&bits, &numbers[i], sizeof bits);
        differences |= max_bits - (bits & ~sign);
    }
    if (differences & sign) {
        uint32_t i = 0;
        while (md5_is_length(numbers[i]))
            i++;
        return md5i_lex_fail_length(lex, md5i_find_in_rows(lex, start, "i", i, 0));
    }

    warn_of_frame(reader, start, numbers);
    return true;
}

// == Version 6 ===================================================================================
//
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

#ifdef MD5_ONLY_VERSION_10
#define read_channels(lex, header, file) false
#else
enum {
    CHANNEL_BYTES = sizeof "channel 0{joint a attribute x framerate 1 keys 1 0}" - 1,
    NUM_ATTRIBUTES = 6, // x y z yaw pitch roll
    FIRST_ANGLE = 3,
};

static const uint32_t NONE = UINT32_MAX;

typedef struct channel {
    md5_span joint;
    const char *position, *attribute_at;
    uint32_t attribute; // index, or NUM_ATTRIBUTES: not of a transform
    uint32_t first, end;
    uint32_t num_keys;
    const float *keys; // NULL = not read yet
    double frame_rate; // 0 = not read yet
} channel;

// The channels of one joint by attribute, NULL where there is none.
typedef struct joint_channels {
    const channel *by_attribute[NUM_ATTRIBUTES];
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
    md5_span text;
    uint32_t count;
    switch (word) {
    case WORD_JOINT:
        return md5i_lex_text(lex, &out->joint, "a joint's name");
    case WORD_ATTRIBUTE: {
        static const char *const names[NUM_ATTRIBUTES] = {"x", "y", "z", "yaw", "pitch", "roll"};
        md5_span name;
        out->attribute_at = md5i_lex_next(lex);
        TRY(md5i_lex_text(lex, &name, "an attribute"));
        out->attribute = 0;
        while (out->attribute < NUM_ATTRIBUTES && !md5_span_is(name, names[out->attribute]))
            out->attribute++;
        if (out->attribute == NUM_ATTRIBUTES && !md5_span_is(name, "fov"))
            md5i_lex_warn(lex, out->attribute_at,
                          "the attribute %s is unknown: its channel is skipped",
                          md5i_quote(name.bytes, name.size).text);
        return true;
    }
    case WORD_RATE: {
        TRY(md5i_lex_double(lex, &out->frame_rate));
        const float narrow = (float)out->frame_rate;
        if (narrow > 0 && isfinite(narrow))
            return true;
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "framerate %g: expected more than 0", out->frame_rate);
    }
    case WORD_STRINGS:
        TRY(md5i_read_uint(lex, "strings", &count));
        MD5_FOR (i, count)
            TRY(md5i_lex_text(lex, &text, "a string"));
        return true;
    case WORD_RANGE: {
        TRY(md5i_read_uint(lex, "first frame", &out->first));
        TRY(md5i_read_uint(lex, "last frame", &out->end));
        if (out->end >= out->first)
            return true;
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "the range ends at %u, before its begin %u", out->end, out->first);
    }
    case WORD_KEYS: {
        md5_count num_keys = {NULL, 0};
        TRY(md5i_read_count(lex, "keys", 1, MD5_NUMBER_BYTES, &num_keys));
        float *const keys = MD5_ROOM(lex->arena, float, num_keys.value);
        TRY(keys);
        MD5_FOR (i, num_keys.value) {
            if (md5i_lex_at_block_end(lex))
                return md5i_fail_short(lex, "keys", num_keys.value, i);
            TRY(md5i_lex_length(lex, &keys[i]));
        }
        out->num_keys = num_keys.value;
        out->keys = keys;
        return true;
    }
    default:
        return md5i_lex_double(lex, &seconds);
    }
}

// channel i { ... }
static bool read_channel(channel_reader *reader, uint32_t index)
{
    md5_lex *const lex = reader->lex;
    channel *const out = &reader->channels[index];
    uint32_t number;
    out->position = md5i_lex_next(lex);
    if (!md5i_lex_take_word(lex, "channel"))
        return md5i_fail_short(lex, "numchannels", reader->num_channels.value, index);
    TRY(md5i_read_uint(lex, "channel", &number));
    if (number != index)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "channel %u, expected channel %u", number, index);
    TRY(md5i_lex_expect(lex, '{'));
    static const char *const words[NUM_WORDS] = {"joint",     "attribute", "starttime", "endtime",
                                                 "framerate", "strings",   "range",     "keys"};
    static const int needed[] = {WORD_JOINT, WORD_ATTRIBUTE, WORD_RATE, WORD_KEYS};
    uint32_t known = 0;
    while (!md5i_lex_take(lex, '}')) {
        int word = 0;
        while (word < NUM_WORDS && !md5_span_is(md5i_lex_peek_word(lex), words[word]))
            word++;
        if (word == NUM_WORDS || known >> word & 1)
            return md5i_lex_fail_found(lex,
                                       "expected each of joint, attribute, starttime, endtime, "
                                       "framerate, strings, range and keys once, or '}'");
        known |= UINT32_C(1) << word;
        lex->at += strlen(words[word]);
        TRY(read_values(lex, word, out));
    }
    MD5_FOR (i, MD5_COUNT(needed)) {
        if (!(known >> needed[i] & 1))
            return md5i_lex_fail(lex, lex->at - 1, MD5_ERROR_SYNTAX,
                                 "this channel ends without '%s'", words[needed[i]]);
    }

    if (index > 0 && out->frame_rate != reader->channels[0].frame_rate)
        md5i_lex_warn(lex, out->position,
                      "framerate %g, but that of the first channel is %g, which counts",
                      out->frame_rate, reader->channels[0].frame_rate);
    return true;
}

// -- Joints ---------------------------------------------------------------------------------------

static void enter(channel_reader *reader, joint_channels *table, const channel *added)
{
    const channel **const known = &table->by_attribute[added->attribute];
    if (!*known)
        *known = added;
    else
        md5i_lex_warn(reader->lex, added->attribute_at,
                      "the attribute appears a second time for %s: the first is used",
                      md5i_quote(added->joint.bytes, added->joint.size).text);
}

// -- Frames ---------------------------------------------------------------------------------------

static float value_at(const channel *from, uint32_t frame)
{
    if (!from)
        return 0;
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
    return (md5_vec3){value_at(table->by_attribute[0], frame),
                      value_at(table->by_attribute[1], frame),
                      value_at(table->by_attribute[2], frame)};
}

// x y z of a rotation whose w is negative.
static md5_vec3 rotation_at(const joint_channels *table, uint32_t frame)
{
    const float yaw = value_at(table->by_attribute[FIRST_ANGLE], frame);
    const float pitch = value_at(table->by_attribute[FIRST_ANGLE + 1], frame);
    const float roll = value_at(table->by_attribute[FIRST_ANGLE + 2], frame);
    return md5_stored_rotation(md5_quat_from_euler((md5_euler){pitch, yaw, roll}));
}

// Sets the flags of the joints and the number of components.
static bool make_tracks(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    md5_arena *const arena = reader->lex->arena;
    md5_track *const tracks = MD5_NEW(arena, md5_track, file->num_joints);
    md5_xform *const base = MD5_NEW(arena, md5_xform, file->num_joints);
    TRY(tracks && base);
    MD5_FOR (joint, file->num_joints) {
        const joint_channels *const table = &reader->tables[joint];
        MD5_FOR (i, NUM_ATTRIBUTES) {
            if (changes(table->by_attribute[i]))
                tracks[joint].flags |= i < FIRST_ANGLE ? UINT32_C(1) << i : (uint32_t)MD5_ROTATES;
        }
        if (tracks[joint].flags != 0)
            tracks[joint].first = file->num_components;
        file->num_components += md5i_num_flags(tracks[joint].flags);
        const md5_vec3 rotation = rotation_at(table, 0);
        base[joint].translation = translation_at(table, 0);
        base[joint].rotation = (md5_quat){rotation.x, rotation.y, rotation.z, 0};
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
    MD5_FOR (i, reader->num_channels.value) {
        const channel *const next = &reader->channels[i];
        const uint64_t keys = (uint64_t)next->first + next->num_keys;
        const uint64_t count = next->end > keys ? next->end : keys;
        if (next->attribute < NUM_ATTRIBUTES && count > most) {
            most = count;
            longest = next;
        }
    }
    const uint64_t components = file->num_components > 0 ? file->num_components : 1;
    if (most > size / components)
        return md5i_lex_fail(lex, longest->position, MD5_ERROR_RANGE,
                             "%llu frames of %u changing numbers: more than the file has bytes "
                             "(%llu)",
                             (unsigned long long)most, file->num_components,
                             (unsigned long long)size);
    file->num_frames = (uint32_t)most;
    return true;
}

static bool make_frames(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    const size_t count = file->num_components;
    float *const numbers =
        (float *)md5i_arena_room(reader->lex->arena, file->num_frames, count * sizeof *numbers);
    TRY(numbers);
    MD5_FOR (joint, file->num_joints) {
        MD5_FOR_WHILE (frame, file->num_frames, file->tracks[joint].flags) {
            const md5_track *const track = &file->tracks[joint];
            const joint_channels *const table = &reader->tables[joint];
            float *to = numbers + frame * count + track->first;
            MD5_FOR (i, FIRST_ANGLE) {
                if (track->flags >> i & 1)
                    *to++ = value_at(table->by_attribute[i], frame);
            }
            if (track->flags >> FIRST_ANGLE == 0)
                continue;
            const md5_vec3 rotation = rotation_at(table, frame);
            to[0] = rotation.x;
            to[1] = rotation.y;
            to[2] = rotation.z;
        }
    }
    file->numbers = numbers;
    return true;
}

// Bounds need all six numbers.
static bool make_bounds(channel_reader *reader)
{
    md5_anim_file *const file = reader->file;
    MD5_FOR (i, FIRST_ANGLE) {
        if (!reader->bounds[0].by_attribute[i] || !reader->bounds[1].by_attribute[i])
            return true;
    }
    md5_bounds *const bounds = MD5_ROOM(reader->lex->arena, md5_bounds, file->num_frames);
    TRY(bounds);
    MD5_FOR (frame, file->num_frames)
        bounds[frame] = (md5_bounds){translation_at(&reader->bounds[0], frame),
                                     translation_at(&reader->bounds[1], frame)};
    file->bounds = bounds;
    return true;
}

// Reads the number after `numchannels` of version 6, which was consumed, and all that follows.
static bool read_channels(md5_lex *lex, md5_header *header, md5_anim_file *file)
{
    channel_reader reader = {.lex = lex, .file = file};
    TRY(md5i_read_count(lex, "numchannels", 1, CHANNEL_BYTES, &reader.num_channels));
    const uint32_t count = reader.num_channels.value;
    reader.channels = MD5_NEW(lex->arena, channel, count);
    TRY(reader.channels);
    MD5_FOR (i, count)
        TRY(read_channel(&reader, i));
    TRY(md5i_header_end(lex, header, "channel", "numchannels", &reader.num_channels));
    file->frame_rate = reader.channels[0].frame_rate;

    // The owner of a channel is the first one of the same joint; NONE if it is not of a transform.
    md5_arena *const arena = lex->arena;
    reader.owners = MD5_ROOM(arena, uint32_t, count);
    TRY(reader.owners);
    const md5_arena_mark before = md5i_arena_here(arena);
    md5_ordered_name *names = MD5_ROOM(arena, md5_ordered_name, count);
    TRY(names);
    uint32_t num_names = 0;
    MD5_FOR (i, count) {
        reader.owners[i] = NONE;
        if (reader.channels[i].attribute < NUM_ATTRIBUTES)
            names[num_names++] = (md5_ordered_name){reader.channels[i].joint, i};
    }
    TRY(names = md5i_order_names(arena, names, num_names));
    for (uint32_t i = 0, first = 0; i < num_names; i++) {
        const md5_span name = names[i].name, group = names[first].name;
        if (name.size != group.size
            || (name.size > 0 && memcmp(name.bytes, group.bytes, name.size) != 0))
            first = i;
        reader.owners[names[i].number] = names[first].number;
    }
    md5i_arena_rewind(arena, before);

    // The joints, in the order of their first channels, with all channels.
    reader.joints = MD5_NEW(arena, md5_file_joint, count);
    reader.tables = MD5_NEW(arena, joint_channels, count);
    uint32_t *const order = MD5_ROOM(arena, uint32_t, count);
    TRY(reader.joints && reader.tables && order);
    uint32_t num_joints = 0;
    MD5_FOR (i, count) {
        const channel *const added = &reader.channels[i];
        const uint32_t owner = reader.owners[i];
        const bool is_max = md5_span_is(added->joint, "boundsMax");
        if (owner == NONE)
            continue;
        if (is_max || md5_span_is(added->joint, "boundsMin")) {
            enter(&reader, &reader.bounds[is_max], added);
            continue;
        }
        if (owner == i) { // its first channel; from here on this has the number of the joint
            order[num_joints] = num_joints;
            reader.joints[num_joints] =
                (md5_file_joint){added->joint, (uint32_t)(added->position - lex->text), MD5_NONE};
            reader.owners[i] = num_joints++;
        }
        enter(&reader, &reader.tables[reader.owners[owner]], added);
    }
    file->num_joints = num_joints;
    file->joints = reader.joints;
    file->order = order;
    file->parents_unknown = true;
    if (num_joints == 0)
        return md5i_lex_fail(lex, reader.num_channels.at, MD5_ERROR_RANGE,
                             "no channel moves a joint");
    TRY(make_tracks(&reader) && count_frames(&reader));
    return make_frames(&reader) && make_bounds(&reader);
}
#endif

// == The file ====================================================================================

// The frame rate used instead of 0, as in other readers. id's engine divides by 0.
enum { RATE_OF_NONE = 25 };

enum { MAX_FLAGS = 63 };

// Skips the keyword and `{` of a section that may appear once.
static bool begin_section(md5_lex *lex, const char *word, bool is_known)
{
    if (is_known)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "'%s' appears a second time", word);
    lex->at += strlen(word);
    return md5i_lex_expect(lex, '{');
}

// -- Hierarchy ------------------------------------------------------------------------------

static bool read_hierarchy(md5_anim_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    TRY(begin_section(lex, "hierarchy", reader->joints != NULL));
    const uint32_t num_joints = reader->num_joints.value;

    // The memory that an ordinary file needs, in one chunk, now that its counts are known. Includes
    // a byte for each joint and number, which loading needs.
    enum { ALIGNMENT = 16, TABLES = 9 };
    const uint64_t a_joint = sizeof *reader->joints + sizeof *reader->tracks
                             + sizeof *reader->base_frame + sizeof *reader->turning
                             + sizeof(uint32_t) + 1; // place in the order
    const uint64_t num_frames = reader->num_frames.value;
    const uint64_t num_components = reader->num_components.value;
    const uint64_t num_numbers = num_frames * num_components;
    const uint64_t max_numbers = (uint64_t)(lex->end - lex->at) / MD5_NUMBER_BYTES;
    TRY(reader->is_again
        || md5i_arena_reserve(lex->arena,
                              (size_t)(num_joints * a_joint + num_components
                                       + num_frames * sizeof(md5_bounds)
                                       + (num_numbers < max_numbers ? num_numbers : max_numbers)
                                             * sizeof *reader->numbers
                                       + ALIGNMENT * TABLES)));
    TRY(reader->joints = MD5_ROOM(lex->arena, md5_file_joint, num_joints));
    TRY(reader->tracks = MD5_NEW(lex->arena, md5_track, num_joints));
    MD5_FOR (joint, num_joints) {
        // NAME parent flags first. Without flags the value of `first` is ignored.
        TRY(md5i_read_joint(lex, num_joints, joint, &reader->joints[joint]));
        md5_track *const track = &reader->tracks[joint];
        int64_t first;
        TRY(md5i_read_uint(lex, "flags", &track->flags));
        if (track->flags > MAX_FLAGS)
            return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE, "flags %u: expected 0 to 63",
                                 track->flags);
        TRY(md5i_lex_int(lex, &first));
        const bool is_used = track->flags != 0;
        const bool fits = first >= 0 && first <= INT32_MAX;
        if (is_used && !fits)
            return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                                 "first component %lld is out of range", (long long)first);
        track->first = fits ? (uint32_t)first : 0;
        const uint64_t needed = (uint64_t)track->first + md5i_num_flags(track->flags);
        reader->num_used += md5i_num_flags(track->flags);
        if (is_used && needed > reader->needed) {
            reader->needed = needed;
            reader->needed_at = lex->number_at;
        }
    }
    TRY(md5i_end_rows(lex, "numJoints", num_joints, "niii"));
    return md5i_order_joints(lex, reader->joints, num_joints, &reader->file->order);
}

// -- The file -------------------------------------------------------------------------------

static bool read_top_word(md5_anim_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (reader->num_frames_read > 0) {
        if (md5_span_is(word, "frame"))
            return read_frame(reader);
        if (!md5_span_is_name(word) || md5i_is_top_word(word))
            return md5i_fail_short(lex, "numFrames", reader->num_frames.value,
                                   reader->num_frames_read);
        reader->file->has_others = true;
    }
    if (md5_span_is(word, "frame")) {
        // What the first frame needs must have been read before.
        TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
        TRY(md5i_need_count(lex, &reader->num_components, "numAnimatedComponents"));
        if (!reader->joints || !reader->base_frame)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "expected '%s' before the first frame",
                                 reader->joints ? "baseframe" : "hierarchy");
        if (!reader->rate_at)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "expected 'frameRate' before the first frame");
        return read_frame(reader);
    }
    if (md5_span_is(word, "hierarchy"))
        return read_hierarchy(reader);
    if (md5_span_is(word, "bounds")) {
        // If there are more boxes than frames, keeps the first ones. If there are fewer, keeps
        // none: it is unknown to which frames they belong.
        const char *const position = lex->at;
        uint32_t num_boxes = 0;
        bool are_empty = true; // exporters that do not compute bounds write zeros
        TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
        TRY(begin_section(lex, "bounds", reader->bounds_at != NULL));
        reader->bounds_at = position;
        const uint32_t num_frames = reader->num_frames.value;
        md5_bounds *const bounds = MD5_ROOM(lex->arena, md5_bounds, num_frames);
        TRY(bounds);
        while (!md5i_lex_at_block_end(lex)) {
            md5_bounds box;
            TRY(md5i_lex_vec3(lex, md5i_lex_float, &box.min));
            TRY(md5i_lex_vec3(lex, md5i_lex_float, &box.max));
            const md5_vec3 low = box.min, high = box.max;
            const bool is_inverted = low.x > high.x || low.y > high.y || low.z > high.z;
            const bool is_point = low.x == high.x && low.y == high.y && low.z == high.z;
            if (num_boxes < num_frames) {
                bounds[num_boxes] = box;
                are_empty = are_empty && (is_inverted || is_point);
            }
            num_boxes += num_boxes < UINT32_MAX;
        }
        TRY(md5i_lex_expect(lex, '}'));
        if (num_boxes >= num_frames)
            reader->file->bounds = bounds;
        if (num_boxes >= num_frames && are_empty)
            md5i_lex_warn(lex, position,
                          "all boxes of 'bounds' are empty: programs that use them for culling "
                          "hide the model");
        if (num_boxes != num_frames)
            md5i_lex_warn(lex, position, "numFrames says %u, but 'bounds' has %u boxes: %s",
                          num_frames, num_boxes,
                          num_boxes > num_frames ? "the first are used" : "none is used");
        return true;
    }
    if (md5_span_is(word, "baseframe")) {
        TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
        TRY(begin_section(lex, "baseframe", reader->base_frame != NULL));
        const uint32_t num_joints = reader->num_joints.value;
        reader->base_frame = MD5_NEW(lex->arena, md5_xform, num_joints);
        TRY(reader->base_frame);
        MD5_FOR (joint, num_joints) {
            if (md5i_lex_at_block_end(lex))
                return md5i_fail_short(lex, "numJoints", num_joints, joint);
            md5_vec3 rotation;
            TRY(md5i_lex_vec3(lex, md5i_lex_length, &reader->base_frame[joint].translation));
            TRY(md5i_read_rotation(lex, &rotation));
            reader->base_frame[joint].rotation =
                (md5_quat){.x = rotation.x, .y = rotation.y, .z = rotation.z};
        }
        return md5i_end_rows(lex, "numJoints", num_joints, "pp");
    }
    if (md5i_lex_take_word(lex, "numFrames"))
        return md5i_read_count(lex, "numFrames", 1, MD5_FRAME_BYTES, &reader->num_frames);
    if (md5i_lex_take_word(lex, "numJoints"))
        return md5i_read_count(lex, "numJoints", 1, MD5_ANIM_JOINT_BYTES, &reader->num_joints);
    if (md5i_lex_take_word(lex, "numAnimatedComponents"))
        return md5i_read_count(lex, "numAnimatedComponents", 0, 1, &reader->num_components);
    if (md5i_lex_take_word(lex, "frameRate"))
        return md5i_read_frame_rate(lex, RATE_OF_NONE, &reader->rate_at, &reader->file->frame_rate);
    return md5i_header_word(lex, &reader->header, word);
}

bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size,
                         const uint32_t *num_components, md5_anim_file *file)
{
    *file = (md5_anim_file){.num_components = num_components ? *num_components : 0};
    md5_anim_reader reader = {
        .header = {.kind = MD5_KIND_ANIM}, .is_again = num_components != NULL, .file = file};
    md5_header *const header = &reader.header;
    md5_lex *const lex = &reader.lex;
    md5i_lex_begin(lex, arena, text, size);
    TRY(md5i_header_begin(lex, header));
    while (file->num_frames == 0
           && (reader.num_frames_read == 0 || reader.num_frames_read < reader.num_frames.value)) {
        const md5_span word = md5i_lex_peek_word(lex);
        if (reader.is_again && md5_span_is(word, "frame"))
            break;
        md5i_header_see(lex, header, word);
        const bool is_end = lex->at == lex->end && reader.num_frames_read == 0;
        if (MD5_IS_VERSION_6(header) && md5i_lex_take_word(lex, "numchannels"))
            TRY(read_channels(lex, header, file));
        else if (is_end || (MD5_IS_VERSION_6(header) && md5_span_is(word, "channel")))
            return md5i_lex_fail_found(lex, "expected '%s'",
                                       MD5_IS_VERSION_6(header) ? "numchannels" : "frame");
        else
            TRY(read_top_word(&reader, word));
    }
    file->command_line = header->command_line;
    if (file->num_frames > 0) // of version 6
        return true;
    if (num_components)
        limit_tracks(&reader, *num_components);
    else
        TRY(md5i_header_end(lex, header, "frame", "numFrames", &reader.num_frames));
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
// Converts the numbers of a file to a clip that is ready to sample.

void md5i_clip_plan(const md5_anim_file *source, uint8_t *changes, uint8_t *moves,
                    uint32_t *num_rotations, uint32_t *num_translations)
{
    // Numbers that differ between frames. The outer loop is over frames, so that the table is read
    // once, in memory order. Exporters alternate 0 and -0 for constants: they compare equal.
    const size_t width = source->num_components;
    if (width > 0)
        memset(changes, 0, width);
    for (size_t frame = 1; frame < source->num_frames && width > 0; frame++) {
        const float *numbers = source->numbers + frame * width;
        if (memcmp(numbers, source->numbers, width * sizeof *numbers) == 0)
            continue;
        for (size_t i = 0; i < width; i++)
            changes[i] |= numbers[i] != source->numbers[i];
    }

    *num_rotations = *num_translations = 0;
    MD5_FOR (joint, source->num_joints) {
        uint32_t number = source->tracks[joint].first;
        moves[joint] = 0;
        MD5_FOR (component, 6) {
            const uint32_t flag = 1u << component;
            if ((source->tracks[joint].flags & flag) && changes[number++])
                moves[joint] |= flag & MD5_ROTATES ? MD5_MOVES_ROTATION : MD5_MOVES_TRANSLATION;
        }
        *num_rotations += (moves[joint] & MD5_MOVES_ROTATION) != 0;
        *num_translations += (moves[joint] & MD5_MOVES_TRANSLATION) != 0;
    }
}

static md5_vec3 decode_translation(const md5_anim_file *source, uint32_t joint,
                                   const float *numbers)
{
    const uint32_t flags = source->tracks[joint].flags;
    const float *next = numbers + source->tracks[joint].first;
    md5_vec3 translation = source->base_frame[joint].translation;
    if (flags & 1)
        translation.x = *next++;
    if (flags & 2)
        translation.y = *next++;
    if (flags & 4)
        translation.z = *next++;
    return translation;
}

static md5_quat decode_rotation(const md5_anim_file *source, uint32_t joint, const float *numbers)
{
    const md5_vec3 v = frame_rotation(&source->tracks[joint], &source->base_frame[joint], numbers);
    return md5_quat_from_xyz(v.x, v.y, v.z);
}

// Files hold only x y z of rotations.
static void add_w(md5_xform *transforms, uint32_t count)
{
    MD5_FOR (i, count) {
        const md5_quat q = transforms[i].rotation;
        transforms[i].rotation = md5_quat_from_xyz(q.x, q.y, q.z);
    }
}

// Reads a frame again, which had no error.
static void read_again(md5_lex *lex, uint32_t count, float *numbers)
{
    uint32_t number;
    (void)(md5i_lex_take_word(lex, "frame") && md5i_read_uint(lex, "frame", &number)
           && md5i_lex_take(lex, '{') && md5i_lex_floats(lex, numbers, count, &number)
           && md5i_lex_take(lex, '}'));
}

void md5i_clip_build(const md5_anim_file *source, const uint8_t *moves, float *again,
                     const md5_clip_arrays *arrays)
{
    md5_lex lex = source->lex;
    uint32_t num_rotations = 0, num_translations = 0;
    MD5_FOR (joint, source->num_joints) {
        if (moves[joint] & MD5_MOVES_ROTATION)
            arrays->rotation_joints[num_rotations++] = joint;
        if (moves[joint] & MD5_MOVES_TRANSLATION)
            arrays->translation_joints[num_translations++] = joint;
    }

    md5_quat *rotation = arrays->rotations;
    md5_vec3 *translation = arrays->translations;
    const float *numbers = again ? again : source->numbers;
    MD5_FOR (frame, source->num_frames) {
        if (again)
            read_again(&lex, source->num_components, again);
        MD5_FOR_WHILE (joint, source->num_joints, frame == 0) {
            // A file without animated components has no `numbers`: none are read for joints without
            // flags.
            const uint32_t flags = source->tracks[joint].flags;
            md5_xform *const constant = &arrays->constant[joint];
            *constant = source->base_frame[joint];
            if (flags & MD5_TRANSLATES)
                constant->translation = decode_translation(source, joint, numbers);
            if (flags & MD5_ROTATES) {
                const md5_vec3 v = frame_rotation(&source->tracks[joint], constant, numbers);
                constant->rotation = (md5_quat){v.x, v.y, v.z, 0};
            }
        }
        MD5_FOR (i, num_rotations)
            *rotation++ = decode_rotation(source, arrays->rotation_joints[i], numbers);
        MD5_FOR (i, num_translations)
            *translation++ = decode_translation(source, arrays->translation_joints[i], numbers);
        if (numbers && !again)
            numbers += source->num_components;
    }
    MD5_FOR (joint, source->num_joints)
        arrays->base_frame[joint] = source->base_frame[joint];
    add_w(arrays->base_frame, source->num_joints);
    add_w(arrays->constant, source->num_joints);
}
