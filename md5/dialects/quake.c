// Features of the Quake re-releases that their MD5 files do not contain. Quake finds the skins of a
// model by the file names of images. Quake II scales joints by numbers in .md5scale files.
#include "md5/core/freed.h"
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/core/file.h"
#include "md5/decl/containers.h"
#include "md5/md5dialects.h"
#include "md5/core/lex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// == Skins of Quake ===============================================================================
//
// Skin SS of a mesh consists of the images progs/SHADER_SS_FF. SHADER is the mesh's shader, and FF
// is the number of the image. A skin with several images is animated.

// Writes the name of an image of a skin, and a NUL, to text[size]. The name consists of the mesh's
// shader, the index of the skin and the index of the image, such as ogre_01_00. Returns the length
// of the complete name, like snprintf().
size_t md5_quake_image_name(const char *shader, uint32_t skin, uint32_t image, char *text,
                            size_t size)
{
    MD5_ASSERT_NOT_NULL(shader);
    MD5_ASSERT(text != NULL || size == 0, "text: must not be NULL unless size is 0");
    const int length = snprintf(text, size, "%s_%02u_%02u", shader, skin, image);
    return length > 0 ? (size_t)length : 0;
}

// Returns true if an image of a skin exists in one of the folders for images. Calls `has_image`
// with each possible path, because only the caller can access the files.
static bool image_exists(const char *shader, uint32_t skin, uint32_t image,
                         md5_quake_has_image *has_image, void *user)
{
    enum { FOLDER_SIZE = 64, NAME_SIZE = 1024 };
    static const char *const folders[] = {"", "progs/", "textures/"};
    char name[NAME_SIZE];
    char path[FOLDER_SIZE + NAME_SIZE];
    if (md5_quake_image_name(shader, skin, image, name, sizeof name) >= sizeof name)
        return false;
    for (uint32_t i = 0; i < MD5_COUNT(folders); i++) {
        (void)snprintf(path, sizeof path, "%s%s", folders[i], name);
        if (has_image(user, path))
            return true;
    }
    return false;
}

// Counts the skins of a mesh and the images of each skin by testing which image files exist. Skins
// and images are numbered without gaps: the first missing number ends each list.
void md5_build_quake_skins(const char *shader, md5_quake_has_image *has_image, void *user,
                           md5_quake_skins *skins)
{
    MD5_ASSERT_NOT_NULL(shader);
    MD5_ASSERT_NOT_NULL(has_image);
    MD5_ASSERT_NOT_NULL(skins);
    skins->num_skins = 0;
    for (uint32_t skin = 0; skin < MD5_MAX_QUAKE_SKINS; skin++) {
        uint32_t count = 0;
        while (count < MD5_MAX_QUAKE_IMAGES && image_exists(shader, skin, count, has_image, user))
            count++;
        skins->num_images[skin] = count;
        if (count == 0)
            return;
        skins->num_skins = skin + 1;
    }
}

// Returns the index of the image that an animated skin shows at a time in seconds. Images change
// ten times per second.
uint32_t md5_quake_image_at(const md5_quake_skins *skins, uint32_t skin, double time)
{
    MD5_ASSERT_NOT_NULL(skins);
    const uint32_t count = skin < skins->num_skins ? skins->num_images[skin] : 0;
    const double tenths = floor(time * 10.0);
    // Above 9e15 a double cannot represent every integer, so the index would be wrong. The negated
    // condition also excludes NaN.
    if (count < 2 || !(tenths >= 0.0 && tenths < 9e15))
        return 0;

    // The sequence always has four slots. They show the images 0 1 0 1 of two images, 0 1 2 0 of
    // three images, and 0 1 2 3 of four images.
    const uint32_t slot = (uint32_t)((uint64_t)tenths % MD5_MAX_QUAKE_IMAGES);
    return slot % count;
}

// == Reading scales ===============================================================================
//
// A .md5scale file is JSON:
//
//   {"JOINT": {"scale_positions": true, "FRAME": SCALE, ...}, ...}
//
// A value of any other type is skipped with a warning. The functions do not recurse, so that
// hostile nesting cannot overflow the stack.

// An entry of the text. It is the scale of a joint in one frame, or the flag "scale_positions" of a
// joint. The flag means that the joint's position is scaled too.
typedef struct scale_entry {
    uint32_t joint;
    bool is_position; // the entry is the flag "scale_positions"
    uint32_t frame;   // only for a scale
    uint32_t order;   // index in the text: the last entry of a joint and frame is used
    float value;      // the scale; or the flag, 0 or 1
} scale_entry;

typedef struct scale_reader {
    md5_lex *lex;
    const md5_anim *anim;
    md5_name_map joints;  // joint name to 1 + its index in the animation
    scale_entry *entries; // [count]
    uint32_t count;
} scale_reader;

// Returns the token at the position of the lexer, quoted for a message.
static md5_quoted quote_token(const md5_lex *lex)
{
    return md5i_lex_token(lex, lex->at);
}

// Reads the character `c`. If a different character follows, returns false and sets an error.
// `where` describes the expected position, such as "after a name".
static bool expect_char(md5_lex *lex, char c, const char *where)
{
    if (!md5i_lex_accept(lex, c))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%c' %s, found %s", c, where,
                             quote_token(lex).text);
    return true;
}

// Returns the closing quote of the string that begins at `start`. Returns NULL if the string does
// not end on its line. A quote after a backslash does not close the string.
static const char *find_closing_quote(const md5_lex *lex, const char *start)
{
    const char *end = start + 1;
    while (end < lex->end && *end != '"' && *end != '\n')
        end += *end == '\\' && lex->end - end > 1 ? 2 : 1;
    const bool is_closed = end < lex->end && *end == '"';
    return is_closed ? end : NULL;
}

// Reads a string in quotes and returns a copy in the arena. Removes the backslash of each escaped
// character. Exception: \u and its digits are copied unchanged. Returns NULL after an error.
static const char *read_json_string(md5_lex *lex)
{
    const char *const start = md5i_lex_skip_space(lex);
    if (start == lex->end || *start != '"') {
        md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX, "expected a quoted name, found %s",
                      quote_token(lex).text);
        return NULL;
    }
    const char *const end = find_closing_quote(lex, start);
    if (!end) {
        md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX,
                      "unterminated string: expected a closing quote before the end of the line");
        return NULL;
    }

    // The copy is zeroed, so that it ends with NUL.
    char *const copy = MD5_ALLOC_ZEROED(lex->arena, char, (size_t)(end - start));
    if (!copy)
        return NULL;
    char *written = copy;
    for (const char *from = start + 1; from < end; from++) {
        if (*from == '\\' && from[1] != 'u')
            from++;
        *written++ = *from;
    }
    lex->at = end + 1;
    return copy;
}

// -- Values ---------------------------------------------------------------------------------------

// Returns the end of the number, `true`, `false` or `null` that begins at lex->at.
static const char *literal_end(const md5_lex *lex)
{
    const char *byte = lex->at;
    while (byte != lex->end && *byte > ' ' && !strchr(",}]:", *byte))
        byte++;
    return byte;
}

// Skips an object or an array with everything that it contains. Its opening bracket is at lex->at.
// Returns false and sets the error if it is not closed.
static bool skip_brackets(md5_lex *lex)
{
    const char *const start = lex->at;
    size_t depth = 0;
    while (lex->at < lex->end) {
        const char c = *lex->at;
        if (c == '"') {
            TRY(read_json_string(lex));
            continue;
        }

        lex->at++;
        if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        if (depth == 0)
            return true;
    }

    return md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX,
                         "unterminated '%c': expected '%c' before the end of the file", *start,
                         *start == '{' ? '}' : ']');
}

// Skips a value of the wrong type and reports a warning. `expected` describes the required type in
// the warning. Returns false and sets the error if no value follows or memory runs out.
static bool skip_value(md5_lex *lex, const char *expected)
{
    md5i_lex_skip_space(lex);
    md5i_lex_warn(lex, lex->at, "expected %s, found %s: skipped", expected, quote_token(lex).text);
    const char first = lex->at < lex->end ? *lex->at : '\0';
    if (first == '"')
        return read_json_string(lex) != NULL;
    if (first == '{' || first == '[')
        return skip_brackets(lex);
    const char *const end = literal_end(lex);
    if (end == lex->at)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected a value, found %s",
                             quote_token(lex).text);
    lex->at = end;
    return true;
}

// Reads a number. If the value has another type, skips it with a warning and sets `is_number` to
// false. Returns false after an error.
static bool read_number(md5_lex *lex, float *value, bool *is_number)
{
    md5i_lex_skip_space(lex);
    const char *const end = literal_end(lex);
    const char *const next = md5i_scan_float(lex->at, end, value);
    *is_number = next && next == end && md5_length_in_range(*value);
    if (!*is_number)
        return skip_value(lex, "a number from -1e9 to 1e9");
    lex->at = end;
    return true;
}

// Reads true or false. As in the engine, only the first letter is checked. If the value has
// another type, skips it with a warning and sets `is_bool` to false. Returns false after an error.
static bool read_json_bool(md5_lex *lex, bool *value, bool *is_bool)
{
    md5i_lex_skip_space(lex);
    const char first = lex->at < lex->end ? *lex->at : '\0';
    *is_bool = first == 't' || first == 'f';
    *value = first == 't';
    if (!*is_bool)
        return skip_value(lex, "true or false");
    lex->at = literal_end(lex);
    return true;
}

// -- Entries --------------------------------------------------------------------------------------

// Appends an entry and sets its `order`. Returns false if memory runs out.
static bool add_entry(scale_reader *reader, scale_entry entry)
{
    reader->entries = (scale_entry *)md5_grow(reader->lex->arena, reader->entries, reader->count,
                                              sizeof *reader->entries);
    TRY(reader->entries);
    entry.order = reader->count;
    reader->entries[reader->count++] = entry;
    return true;
}

// Returns a name as a frame number. Returns UINT32_MAX if the name is not a number or too large,
// which no animation has as a frame.
static uint32_t parse_frame(const char *name)
{
    uint64_t number = 0;
    if (*name == '\0')
        return UINT32_MAX;
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || number > UINT32_MAX)
            return UINT32_MAX;
        number = 10 * number + (uint64_t)(*name - '0');
    }
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

// Reads the value of an entry: true or false for the flag "scale_positions", a number for a scale.
// If the value has another type, reports a warning and sets *is_read to false. Returns false after
// an error.
static bool read_scale_value(md5_lex *lex, scale_entry *entry, bool *is_read)
{
    if (!entry->is_position)
        return read_number(lex, &entry->value, is_read);
    bool scales_positions = false;
    TRY(read_json_bool(lex, &scales_positions, is_read));
    entry->value = scales_positions ? 1.0f : 0.0f;
    return true;
}

// Reads a member of a joint's object, such as "scale_positions": true or, for frame 12, "12": 0.5.
// Adds it as an entry. Members of an unknown joint and invalid values are not added. Returns false
// after an error.
static bool read_scale_member(scale_reader *reader, uint32_t joint, bool joint_exists)
{
    md5_lex *const lex = reader->lex;
    const char *const position = md5i_lex_skip_space(lex);
    const char *const name = read_json_string(lex);
    TRY(name && expect_char(lex, ':', "after a name"));

    scale_entry entry = {.joint = joint};
    entry.is_position = strcmp(name, "scale_positions") == 0;
    if (!entry.is_position)
        entry.frame = parse_frame(name);
    bool is_read;
    TRY(read_scale_value(lex, &entry, &is_read));

    if (!entry.is_position && entry.frame >= reader->anim->num_frames) {
        md5i_lex_warn(lex, position, "unknown frame %s: expected 0 to %u", MD5_QUOTED(name),
                      reader->anim->num_frames - 1);
        return true;
    }
    if (!is_read || !joint_exists)
        return true;
    return add_entry(reader, entry);
}

// Reads the scales of a joint, "NAME": { ... }, and adds their entries. If the animation does not
// have the joint, reports a warning and ignores the entries. Returns false after an error.
static bool read_joint(scale_reader *reader)
{
    md5_lex *const lex = reader->lex;
    const char *const position = md5i_lex_skip_space(lex);
    const char *const name = read_json_string(lex);
    TRY(name && expect_char(lex, ':', "after a name"));

    md5i_lex_skip_space(lex);
    if (lex->at < lex->end && *lex->at != '{')
        return skip_value(lex, "an object");
    TRY(expect_char(lex, '{', "before the scales of a joint"));

    // The map contains 1 + the index of each joint, because NULL would mean a missing value.
    void **const joint = md5i_name_map_find(&reader->joints, name);
    if (!joint)
        md5i_lex_warn(lex, position, "unknown joint %s: the animation does not have it",
                      MD5_QUOTED(name));
    const uint32_t index = joint ? (uint32_t)((uintptr_t)*joint - 1) : 0;

    if (md5i_lex_accept(lex, '}'))
        return true;
    do
        TRY(read_scale_member(reader, index, joint != NULL));
    while (md5i_lex_accept(lex, ','));
    return expect_char(lex, '}', "or ',' after a scale");
}

// Maps the names of the animation's joints to 1 + their indices. The loop runs backward, so that
// the first of several joints with the same name remains in the map. Returns false if memory runs
// out.
static bool map_scaled_joints(scale_reader *reader)
{
    const md5_skeleton *const skeleton = &reader->anim->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const char *const name = skeleton->joints[i].name;
        void **const joint = md5i_name_map_add(&reader->joints, reader->lex->arena, name);
        TRY(joint);
        *joint = (void *)((uintptr_t)i + 1);
    }
    return true;
}

// Reads all entries of the text into the lexer's arena. Returns false and sets the context's error
// on failure.
static bool read_entries(md5_lex *lex, const md5_anim *anim, scale_entry **entries, size_t *count)
{
    scale_reader reader = {.lex = lex, .anim = anim};
    TRY(map_scaled_joints(&reader));
    TRY(expect_char(lex, '{', "at the start of scales"));
    if (!md5i_lex_accept(lex, '}')) {
        do
            TRY(read_joint(&reader));
        while (md5i_lex_accept(lex, ','));
        TRY(expect_char(lex, '}', "or ',' after a joint"));
    }

    md5i_lex_skip_space(lex);
    TRY(md5_lex_is_ok(lex)); // false after an unterminated comment
    if (lex->at < lex->end)
        md5i_lex_warn(lex, lex->at, "text after the last brace is ignored");
    *entries = reader.entries;
    *count = reader.count;
    return true;
}

// == Scales of Quake II ===========================================================================
//
// Builds md5_scales from the entries of a .md5scale file, and applies the scales to poses and
// palettes.

// -- Loading --------------------------------------------------------------------------------------

// Compares entries for qsort(): by joint, flags before scales, by frame, then by order in the text.
static int compare_scale_entries(const void *left, const void *right)
{
    const scale_entry *const a = (const scale_entry *)left;
    const scale_entry *const b = (const scale_entry *)right;
    if (a->joint != b->joint)
        return a->joint < b->joint ? -1 : 1;
    if (a->is_position != b->is_position)
        return a->is_position ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return 0;
}

// Returns true if `next` replaces `entry`, because both have the same joint, type and frame.
static bool is_scale_replaced(const scale_entry *entry, const scale_entry *next)
{
    return next->joint == entry->joint && next->is_position == entry->is_position
           && next->frame == entry->frame;
}

// Fills joints[] and keys[] from entries that are sorted by compare_scale_entries(). `joints` has
// space for all joints of the entries, and `keys` for all entries. The keys of each joint are
// consecutive.
static void fill_scales(const scale_entry *entries, size_t count, md5_scaled_joint *joints,
                        md5_scale_key *keys)
{
    md5_scaled_joint *joint = NULL; // last joint
    md5_scale_key *key = keys;      // position for the next key
    for (size_t i = 0; i < count; i++) {
        const scale_entry *const entry = &entries[i];
        const bool is_new_joint = i == 0 || entry->joint != entries[i - 1].joint;
        if (is_new_joint) {
            joint = joint ? joint + 1 : joints;
            *joint = (md5_scaled_joint){.joint = entry->joint, .keys = key};
        }

        // If several entries have the same joint, type and frame, the last entry in the text is
        // used.
        if (i + 1 < count && is_scale_replaced(entry, &entries[i + 1]))
            continue;
        if (entry->is_position) {
            joint->scales_position = entry->value != 0.0f;
            continue;
        }

        *key++ = (md5_scale_key){entry->frame, entry->value};
        joint->num_keys++;
    }
}

// Allocates the scales in a block, and fills them from sorted entries. A block without memory only
// adds up the size; this function then returns NULL.
static md5_scales *create_scales(const md5_context *context, md5_block *block, uint32_t num_joints,
                                 const scale_entry *entries, size_t count)
{
    md5_scales *const scales = (md5_scales *)md5i_block_alloc(block, 1, sizeof *scales);
    md5_scaled_joint *const joints =
        (md5_scaled_joint *)md5i_block_alloc(block, num_joints, sizeof *joints);
    md5_scale_key *const keys = (md5_scale_key *)md5i_block_alloc(block, count, sizeof *keys);

    if (!block->base)
        return NULL;
    fill_scales(entries, count, joints, keys);

    *scales = (md5_scales){
        .num_joints = num_joints,
        .joints = joints,
        .num_warnings = context->num_warnings,
        .size = block->used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_SCALES},
    };
    return scales;
}

// Returns the number of joints in entries that are sorted by joint.
static uint32_t count_entry_joints(const scale_entry *entries, size_t count)
{
    uint32_t num_joints = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_new_joint = i == 0 || entries[i].joint != entries[i - 1].joint;
        if (is_new_joint)
            num_joints++;
    }
    return num_joints;
}

// Reads scales from a text and stores them in one block of memory, sorted by joint and frame.
// Temporary data is in the arena. Returns NULL and sets the context's error on failure.
static md5_scales *build_scales(md5_arena *arena, const char *text, size_t size,
                                const md5_anim *anim)
{
    md5_lex lex;
    scale_entry *entries;
    size_t count;
    md5i_lex_begin(&lex, arena, text, size);
    if (!read_entries(&lex, anim, &entries, &count))
        return NULL;
    if (count > 0)
        qsort(entries, count, sizeof *entries, compare_scale_entries);

    // The first call of create_scales() computes the size of the block. The second call fills the
    // allocated block.
    const uint32_t num_joints = count_entry_joints(entries, count);
    md5_block block = {0};
    create_scales(arena->context, &block, num_joints, entries, count);
    if (!md5i_block_end_measuring(arena->context, &block))
        return NULL;
    return create_scales(arena->context, &block, num_joints, entries, count);
}

// Creates scales from a text, and frees the temporary data at the end. Returns NULL and sets the
// context's error on failure.
static md5_scales *build_with_arena(md5_context *context, const char *text, size_t size,
                                    const md5_anim *anim)
{
    md5_arena arena = {.context = context};
    md5_scales *const scales =
        md5_check_text_size(context, size) ? build_scales(&arena, text, size, anim) : NULL;
    md5i_arena_free(&arena);
    return scales;
}

// Parses the content of an .md5scale file in memory. The names of joints and the frames in the file
// refer to the animation `anim`. Returns NULL and sets `error` on failure.
md5_scales *md5_parse_scales(const void *text, size_t size, const md5_anim *anim,
                             const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT(text != NULL || size == 0, "text: must not be NULL unless size is 0");
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    if (!text)
        return build_with_arena(&context, "", 0, anim);
    return build_with_arena(&context, (const char *)text, size, anim);
}

// Loads an .md5scale file. The names of joints and the frames in the file refer to the animation
// `anim`. Returns NULL and sets `error` on failure.
md5_scales *md5_load_scales(const char *path, const md5_anim *anim, const md5_load_opts *opts,
                            md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT_NOT_NULL(path);
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_file_text text = {.bytes = NULL};
    md5_scales *scales = NULL;
    md5i_context_begin(&context, opts, path, error);
    if (md5i_read_file_text(&context, path, &text))
        scales = build_with_arena(&context, text.bytes, text.size, anim);
    md5i_free_file_text(&context, &text);
    return scales;
}

void md5_free_scales(md5_scales *scales)
{
    MD5_FREE(scales, MD5_TAG_SCALES);
}

// -- Use ------------------------------------------------------------------------------------------

// Searches sorted items for a number. Returns the item whose first member is `number`, or NULL.
// Each item is a structure of `size` bytes that begins with a uint32_t, its sort key.
static const void *find_number(const void *items, uint32_t count, size_t size, uint32_t number)
{
    uint32_t first = 0;
    uint32_t end = count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const uint32_t *const item =
            (const uint32_t *)(const void *)((const char *)items + middle * size);
        if (*item == number)
            return item;
        if (*item < number)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

// Returns the scales of a joint of the animation, or NULL if it does not have scales. The joint is
// MD5_NONE for a joint of the model that the animation does not have.
static const md5_scaled_joint *find_scaled(const md5_scales *scales, uint32_t joint)
{
    if (joint == MD5_NONE)
        return NULL;
    return (const md5_scaled_joint *)find_number(scales->joints, scales->num_joints,
                                                 sizeof *scales->joints, joint);
}

// Returns the scale of a joint at a sample position. Scales are not interpolated: between two
// frames, the scale of the later frame applies. A frame without a key has scale 1.
static float scale_at(const md5_scaled_joint *scaled, const md5_sample_position *sample)
{
    const uint32_t frame = sample->fraction > 0.0f ? sample->frame1 : sample->frame0;
    const md5_scale_key *const key = (const md5_scale_key *)find_number(
        scaled->keys, scaled->num_keys, sizeof *scaled->keys, frame);
    return key ? key->scale : 1.0f;
}

// Scales the positions of those joints in a pose that have the flag "scale_positions". Call it
// before the joint matrices are computed.
void md5_scale_pose(const md5_scales *scales, const md5_binding *binding,
                    md5_sample_position sample, md5_xform *pose)
{
    MD5_ASSERT_ALIVE(scales, MD5_TAG_SCALES);
    MD5_ASSERT_BINDING(binding);
    MD5_ASSERT_NOT_NULL(pose);
    for (uint32_t j = 0; j < binding->skeleton->num_joints; j++) {
        const md5_scaled_joint *const scaled = find_scaled(scales, binding->tracks[j]);
        if (scaled && scaled->scales_position)
            pose[j].translation = md5_vec3_scale(pose[j].translation, scale_at(scaled, &sample));
    }
}

// Scales the vertices: scales the matrix of each scaled joint and computes its palette entry again.
// The scale does not affect the joint's descendants, so joints[] remains unchanged.
void md5_scale_palette(const md5_scales *scales, const md5_binding *binding,
                       md5_sample_position sample, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_ALIVE(scales, MD5_TAG_SCALES);
    MD5_ASSERT_BINDING(binding);
    MD5_ASSERT(joints != NULL && palette != NULL, "joints, palette: must not be NULL");

    for (uint32_t j = 0; j < binding->skeleton->num_joints; j++) {
        const md5_scaled_joint *const scaled = find_scaled(scales, binding->tracks[j]);
        const float scale = scaled ? scale_at(scaled, &sample) : 1.0f;
        if (scale == 1.0f)
            continue;

        // Scale only the three axes of the joint's matrix. The fourth column is the position, and
        // md5_scale_pose() has already scaled it if necessary.
        md5_mat34 joint = joints[j];
        for (uint32_t i = 0; i < 12; i++) {
            const bool is_position = i % 4 == 3;
            if (!is_position)
                joint.m[i] *= scale;
        }
        palette[j] = md5_mat34_mul(joint, binding->inverse_bind[j]);
    }
}
