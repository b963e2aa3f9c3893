// Loads models of the Cube 2 engines from md5.cfg files.
//
// An md5.cfg file is a script. md5i_cube2_next() runs the commands of the script language, such as
// `if`. It returns the other commands, which describe the model. execute_command() stores these in
// a md5_cube2.
#include "md5/core/freed.h"
#include "md5/core/assert.h"
#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/core/math.h"
#include "md5/decl/containers.h"
#include "md5/dialects/cube2_script.h"
#include "md5/md5dialects.h"

#include <string.h>

// == Commands =====================================================================================
//
// The commands of an md5.cfg file. A model consists of parts, one for each md5load command.
// Commands apply to the last part, to the materials of its meshes, or to the whole model.

typedef struct md5_cube2_reader {
    md5_cube2_script script;
    md5_arena *arena;
    const char *folder; // folder of relative paths, ends in /
    const char *models; // folder to which the argument of md5dir is relative
    md5_cube2 cube;
    md5_cube2_part *part;      // part of the last md5load; NULL before it
    md5_name_map files;        // animation file to 1 + number of adjustments at its first use
    md5_cube2_command command; // command that is being executed
} md5_cube2_reader;

// Appends a zeroed item of `size` bytes to an array and returns it. `array` is the address of a
// pointer of any object type, so memcpy() reads and writes the pointer. Returns NULL if memory runs
// out.
static void *cube_add(md5_arena *arena, void *array, uint32_t *count, size_t size)
{
    void *items;
    memcpy(&items, array, sizeof items);
    items = md5_grow(arena, items, *count, size);
    if (!items)
        return NULL;
    memcpy(array, &items, sizeof items);
    void *const added = (char *)items + *count * size;
    ++*count;
    return memset(added, 0, size);
}

// Appends a zeroed item to owner->items, whose length is owner->num_items. Returns the item, or
// NULL if memory runs out.
#define CUBE_NEW(reader, type, owner, items) \
    ((type *)cube_add((reader)->arena, &(owner)->items, &(owner)->num_##items, sizeof(type)))

// -- Arguments ------------------------------------------------------------------------------------

// Returns a word of the command as text. A missing word is empty. Word 0 is the name of the
// command.
static const char *get_text(const md5_cube2_reader *reader, uint32_t word)
{
    return word < reader->command.num_words ? reader->command.words[word].text : "";
}

// Reads a number from the start of a word. As in the engines, text after the number is ignored.
// Returns false if the word does not begin with a number, or the number is out of range.
static bool scan_word_number(const md5_cube2_word *word, float *value)
{
    if (word->kind != MD5_CUBE2_WORD)
        return false;
    const char *const end = word->text + strlen(word->text);
    return md5i_scan_float(word->text, end, value) && md5_length_in_range(*value);
}

// Returns a word of the command as a number. As in the engines, a missing or empty word is 0. Any
// other word that is not a number is 0 too, with a warning.
static float get_number(md5_cube2_reader *reader, uint32_t word)
{
    if (word >= reader->command.num_words)
        return 0.0f;
    const md5_cube2_word *const argument = &reader->command.words[word];
    float value = 0.0f;
    if (scan_word_number(argument, &value))
        return value;

    const bool is_empty_word = argument->kind == MD5_CUBE2_WORD && argument->text[0] == '\0';
    if (!is_empty_word)
        md5i_lex_warn(md5i_cube2_lex(&reader->script), argument->at,
                      "expected a number, found %s; using 0", MD5_QUOTED(argument->text));
    return 0.0f;
}

static int32_t get_int(md5_cube2_reader *reader, uint32_t word)
{
    return (int32_t)get_number(reader, word); // get_number() limits it to 1e9, so it fits
}

// Returns three words of the command as a vector in the space of the md5mesh file. The words begin
// with the word of index `word`. The engines mirror the y axis of loaded files, so y is negated.
static md5_vec3 get_vector(md5_cube2_reader *reader, uint32_t word)
{
    const float x = get_number(reader, word);
    const float y = get_number(reader, word + 1);
    return (md5_vec3){x, -y, get_number(reader, word + 2)};
}

// Returns true if the command has at least `count` arguments. Otherwise reports a warning with the
// text `expected`, which describes the arguments.
static bool has_arguments(md5_cube2_reader *reader, uint32_t count, const char *expected)
{
    const md5_cube2_word *const words = reader->command.words;
    if (reader->command.num_words > count)
        return true;
    md5i_lex_warn(md5i_cube2_lex(&reader->script), words[0].at, "expected %s after %s", expected,
                  MD5_QUOTED(words[0].text));
    return false;
}

// Returns the path of the file for a word of the command, relative to the current folder. Returns
// NULL if memory runs out.
static const char *get_path(md5_cube2_reader *reader, uint32_t word)
{
    return md5i_cube2_path(reader->arena, reader->folder, get_text(reader, word));
}

// Reads the name of a texture. Image commands in <>, such as <dds>, may precede it. They are stored
// separately. If the name is missing, does not change `image`. Returns false if memory runs out.
static bool read_cube2_image(md5_cube2_reader *reader, uint32_t word, md5_cube2_image *image)
{
    const char *const text = get_text(reader, word);
    const char *name = text;
    while (*name == '<' && strchr(name, '>'))
        name = strchr(name, '>') + 1;
    if (*name == '\0')
        return true;
    image->commands = md5_copy_text(reader->arena, text, (size_t)(name - text));
    image->path = md5i_cube2_path(reader->arena, reader->folder, name);
    return image->commands && image->path;
}

// -- Parts ----------------------------------------------------------------------------------------

// Adds a part, to which later commands apply. Its first mask contains all joints and applies to
// animations before the first md5animpart command. Returns false if memory runs out.
static bool add_part(md5_cube2_reader *reader, const char *mesh)
{
    md5_cube2_part *const part = CUBE_NEW(reader, md5_cube2_part, &reader->cube, parts);
    TRY(part && CUBE_NEW(reader, md5_cube2_mask, part, masks));
    part->mesh = mesh;
    part->skeleton = "";
    reader->part = part;
    reader->files = (md5_name_map){NULL};
    return true;
}

// Clamps an angle to 0..180 degrees.
static float clamp_degrees(float degrees)
{
    if (degrees <= 0.0f)
        return 0.0f;
    return degrees > 180.0f ? 180.0f : degrees;
}

// Reads md5load MESH [SKELETON] [DEGREES]: adds a part with the meshes of a file. The normals of
// two triangles at an edge are smoothed if the angle between them is at most DEGREES.
static bool read_load(md5_cube2_reader *reader)
{
    const char *const mesh = get_path(reader, 1);
    TRY(mesh && add_part(reader, mesh));
    reader->part->skeleton = get_text(reader, 2);
    reader->part->smooth = clamp_degrees(get_number(reader, 3));
    return true;
}

// Reads md5dir FOLDER: sets the folder to which the paths of later commands are relative.
static bool read_dir(md5_cube2_reader *reader)
{
    const char *const folder = md5i_cube2_path(reader->arena, get_text(reader, 1), "/");
    reader->folder = folder ? md5i_cube2_path(reader->arena, reader->models, folder) : NULL;
    return reader->folder != NULL;
}

// Returns the rotation of a tag for its angles in degrees. The engines multiply rotations about x,
// y and z, and mirror the result in y. The mirroring negates x and z of the quaternion.
static md5_quat tag_rotation(float degrees_x, float degrees_y, float degrees_z)
{
    // A quaternion contains the sine and cosine of half of an angle.
    const float half_degree = 0.00872664626f; // radians
    const float half_x = degrees_x * half_degree;
    const float half_y = degrees_y * half_degree;
    const float half_z = degrees_z * half_degree;
    const float cx = cosf(half_x);
    const float sx = sinf(half_x);
    const float cy = cosf(half_y);
    const float sy = sinf(half_y);
    const float cz = cosf(half_z);
    const float sz = sinf(half_z);
    return (md5_quat){
        -(sx * cy * cz - cx * sy * sz),
        cx * sy * cz + sx * cy * sz,
        -(cx * cy * sz - sx * sy * cz),
        cx * cy * cz + sx * sy * sz,
    };
}

// Reads md5tag JOINT TAG [tx ty tz [rx ry rz]]: adds an attachment point to a joint.
static bool read_tag(md5_cube2_reader *reader)
{
    md5_cube2_tag *const tag = CUBE_NEW(reader, md5_cube2_tag, reader->part, tags);
    TRY(tag);
    const float degrees_x = get_number(reader, 6); // separate statements fix the order of warnings
    const float degrees_y = get_number(reader, 7);
    const float degrees_z = get_number(reader, 8);
    tag->joint = get_text(reader, 1);
    tag->name = get_text(reader, 2);
    tag->transform.translation = get_vector(reader, 3);
    tag->transform.rotation = tag_rotation(degrees_x, degrees_y, degrees_z);
    return true;
}

// Reads md5pitch JOINT SCALE [OFFSET [MIN MAX]]: a joint that rotates with the pitch of the
// player's view. If both limits are missing or 0, they allow a pitch of up to 360 degrees in both
// directions.
static bool read_pitch(md5_cube2_reader *reader)
{
    md5_cube2_pitch *const pitch = CUBE_NEW(reader, md5_cube2_pitch, reader->part, pitches);
    TRY(pitch);
    pitch->joint = get_text(reader, 1);
    pitch->scale = get_number(reader, 2);
    pitch->offset = get_number(reader, 3);
    pitch->min = get_number(reader, 4);
    pitch->max = get_number(reader, 5);
    if (pitch->min == 0.0f && pitch->max == 0.0f) {
        const float range = 360.0f * fabsf(pitch->scale);
        pitch->min = pitch->offset - range;
        pitch->max = pitch->offset + range;
    }
    return true;
}

// Reads md5adjust JOINT [YAW PITCH ROLL [x y z]]: a transform that is added to a joint in all
// animations that are loaded later. The engines divide the translation by 4, so this function does
// too.
static bool read_adjust(md5_cube2_reader *reader)
{
    md5_cube2_adjustment *const adjustment =
        CUBE_NEW(reader, md5_cube2_adjustment, reader->part, adjustments);
    TRY(adjustment);
    const md5_vec3 translation = get_vector(reader, 5);
    adjustment->joint = get_text(reader, 1);
    adjustment->yaw = get_number(reader, 2);
    adjustment->pitch = get_number(reader, 3);
    adjustment->roll = get_number(reader, 4);
    adjustment->translation =
        (md5_vec3){translation.x / 4.0f, translation.y / 4.0f, translation.z / 4.0f};
    return true;
}

// Reads md5anim NAMES FILE [FPS [PRIORITY [START [END]]]]: an animation for the joints of the last
// mask. The engines load and adjust each file only once. Therefore only adjustments before the
// first use of the file apply, also to its later uses.
static bool read_anim(md5_cube2_reader *reader)
{
    md5_cube2_part *const part = reader->part;
    md5_cube2_anim *const anim = CUBE_NEW(reader, md5_cube2_anim, part, anims);
    const char *const file = get_path(reader, 2);

    // The map contains the number of adjustments plus 1, because NULL means that the file is new.
    void **const value =
        anim && file ? md5i_name_map_add(&reader->files, reader->arena, file) : NULL;
    TRY(value);
    if (!*value)
        *value = (void *)((uintptr_t)part->num_adjustments + 1);

    const float rate = get_number(reader, 3);
    anim->names = get_text(reader, 1);
    anim->file = file;
    anim->frame_rate = rate > 0.0f ? rate : 10.0f;
    anim->priority = get_int(reader, 4);
    anim->start = get_int(reader, 5);
    anim->end = get_int(reader, 6);
    anim->mask = part->num_masks - 1;
    anim->num_adjustments = (uint32_t)((uintptr_t)*value - 1);
    return true;
}

// Reads md5animpart "JOINT !JOINT ...": adds a mask. A mask is the set of joints to which the
// following animations apply. A ! before a name excludes the joint, and is stored with the name.
static bool read_anim_part(md5_cube2_reader *reader)
{
    static const char blanks[] = " \t\r\n";
    md5_cube2_mask *const mask = CUBE_NEW(reader, md5_cube2_mask, reader->part, masks);
    TRY(mask);
    const char *at = get_text(reader, 1);
    at += strspn(at, blanks);
    while (*at != '\0') {
        const size_t length = strcspn(at, blanks);
        const char **const name = CUBE_NEW(reader, const char *, mask, joints);
        TRY(name);
        *name = md5_copy_text(reader->arena, at, length);
        TRY(*name);
        at += length;
        at += strspn(at, blanks);
    }
    return true;
}

// Reads md5link PARENT CHILD TAG [x y z]: attaches the part CHILD to a tag of the part PARENT. Both
// are indices of parts. If a part is not loaded yet, the link is skipped with a warning.
static bool read_link(md5_cube2_reader *reader)
{
    const uint32_t num_parts = reader->cube.num_parts;
    const int32_t parent = get_int(reader, 1);
    const int32_t child = get_int(reader, 2);
    const bool has_parent = parent >= 0 && (uint32_t)parent < num_parts;
    const bool has_child = child >= 0 && (uint32_t)child < num_parts;

    if (!has_parent || !has_child) {
        md5i_lex_warn(md5i_cube2_lex(&reader->script), reader->command.words[1].at,
                      "link refers to an unknown part: expected indices below %u, found %d and %d",
                      num_parts, parent, child);
        return true;
    }

    md5_cube2_link *const link = CUBE_NEW(reader, md5_cube2_link, &reader->cube, links);
    TRY(link);
    link->parent = (uint32_t)parent;
    link->child = (uint32_t)child;
    link->tag = get_text(reader, 3);
    link->translation = get_vector(reader, 4);
    return true;
}

// -- Materials ------------------------------------------------------------------------------------

// Types of arguments in material_form.arguments.
enum {
    CUBE2_IMAGE = 'i',
    CUBE2_NAME = 'n', // a name that is not a path
    CUBE2_NUMBER = 'f',
};

// A command for the material of a mesh. The first argument is the mesh. `arguments` contains the
// type of each following argument, as one of the letters above.
typedef struct material_form {
    const char *keyword;
    const char *arguments;
} material_form;

static const material_form material_forms[] = {
    {.keyword = "md5skin", .arguments = "iiff"},    {.keyword = "md5bumpmap", .arguments = "i"},
    {.keyword = "md5envmap", .arguments = "n"},     {.keyword = "md5shader", .arguments = "n"},
    {.keyword = "md5spec", .arguments = "f"},       {.keyword = "md5ambient", .arguments = "f"},
    {.keyword = "md5glow", .arguments = "f"},       {.keyword = "md5glare", .arguments = "ff"},
    {.keyword = "md5alphatest", .arguments = "f"},  {.keyword = "md5alphablend", .arguments = "f"},
    {.keyword = "md5cullface", .arguments = "f"},   {.keyword = "md5fullbright", .arguments = "f"},
    {.keyword = "md5scroll", .arguments = "ff"},    {.keyword = "md5material", .arguments = "ff"},
    {.keyword = "md5gloss", .arguments = "f"},      {.keyword = "md5decal", .arguments = "i"},
    {.keyword = "md5mixer", .arguments = "f"},      {.keyword = "md5pattern", .arguments = "f"},
    {.keyword = "md5noclip", .arguments = "f"},     {.keyword = "md5tricollide", .arguments = "f"},
    {.keyword = "md5alphadepth", .arguments = "f"}, {.keyword = "md5depthoffset", .arguments = "f"},
    {.keyword = "md5color", .arguments = "ff"},     {.keyword = "md5smooth", .arguments = "f"},
};

// -- The whole model ------------------------------------------------------------------------------

// Executes a command that sets the scale or the transform of the whole model. Returns false for any
// other command.
static bool read_cube2_member(md5_cube2_reader *reader)
{
    md5_cube2 *const cube = &reader->cube;
    const char *const word = get_text(reader, 0);
    if (strcmp(word, "mdlscale") == 0) {
        // 100 percent is a scale of DEFAULT_CUBE2_SCALE, which is 1/4.
        const float percent = get_number(reader, 1);
        cube->scale = (percent > 0.0f ? percent : 100.0f) / 400.0f;
    } else if (strcmp(word, "mdltrans") == 0) {
        cube->translation = get_vector(reader, 1);
    } else if (strcmp(word, "mdlyaw") == 0) {
        cube->yaw = get_number(reader, 1);
    } else if (strcmp(word, "mdlpitch") == 0) {
        cube->pitch = get_number(reader, 1);
    } else if (strcmp(word, "mdlroll") == 0) {
        cube->roll = get_number(reader, 1);
    } else {
        return false;
    }
    return true;
}

// Commands of Cube 2, Tesseract, Red Eclipse and libprimis that only games need, such as collision
// shapes. The library does not interpret them. It stores their arguments as text for the caller.
static const char *const settings[] = {
    "mdlname",
    "mdlspec",
    "mdlgloss",
    "mdlambient",
    "mdlalphatest",
    "mdlalphablend",
    "mdlalphadepth",
    "mdldepthoffset",
    "mdlglow",
    "mdlglare",
    "mdlenvmap",
    "mdlfullbright",
    "mdlshader",
    "mdlcullface",
    "mdlcolor",
    "mdlcollide",
    "mdltricollide",
    "mdlellipsecollide",
    "mdlbb",
    "mdlextendbb",
    "mdlshadow",
    "mdlspin",
    "mdlspinpitch",
    "mdlspinroll",
    "mdlmaterial",
    "mdlmixer",
    "mdlpattern",
    "mdleffect",
    "mdlcollisionsonlyfortriggering",
    "mdlperentitycollisionboxes",
    "mdlblend",
    "mdllod",
    "mdlgravity",
    "mdlbumpmap",
    "rdvert",
    "rdeye",
    "rdtri",
    "rdjoint",
    "rdlimitdist",
    "rdlimitrot",
    "rdanimjoints",
    "md5pitchtarget",
    "md5pitchcorrect",
    "md5hitzone",
    "md5wind",
};

// -- Commands -------------------------------------------------------------------------------------

typedef struct part_command {
    const char *keyword;
    bool (*read)(md5_cube2_reader *reader);
    bool needs_part;        // the command is skipped before the first md5load
    uint32_t num_arguments; // required arguments
    const char *expected;   // description of the required arguments for warnings
} part_command;

static const part_command part_commands[] = {
    {
        .keyword = "md5load",
        .read = read_load,
        .num_arguments = 1,
        .expected = "a mesh file",
    },
    {
        .keyword = "md5dir",
        .read = read_dir,
        .num_arguments = 1,
        .expected = "a folder",
    },
    {
        .keyword = "md5tag",
        .read = read_tag,
        .needs_part = true,
        .num_arguments = 2,
        .expected = "a joint and a tag name",
    },
    {
        .keyword = "md5pitch",
        .read = read_pitch,
        .needs_part = true,
        .num_arguments = 2,
        .expected = "a joint and a factor",
    },
    {
        .keyword = "md5adjust",
        .read = read_adjust,
        .needs_part = true,
        .num_arguments = 1,
        .expected = "a joint",
    },
    {
        .keyword = "md5anim",
        .read = read_anim,
        .needs_part = true,
        .num_arguments = 2,
        .expected = "an animation name and its file",
    },
    {
        .keyword = "md5animpart",
        .read = read_anim_part,
        .needs_part = true,
    },
    {
        .keyword = "md5link",
        .read = read_link,
        .needs_part = true,
        .num_arguments = 3,
        .expected = "two part indices and a tag name",
    },
};

// Stores a command for the material of a mesh in the last part. `form` describes the arguments of
// the command. md5_build_cube2_material() applies the stored commands. Returns false if memory runs
// out.
static bool read_material_command(md5_cube2_reader *reader, const material_form *form)
{
    if (!has_arguments(reader, 1, "a mesh name or *"))
        return true;

    md5_cube2_material_command *const command =
        CUBE_NEW(reader, md5_cube2_material_command, reader->part, commands);
    TRY(command);

    command->keyword = form->keyword;
    command->mesh = get_text(reader, 1);
    command->images[0].commands = "";
    command->images[1].commands = "";

    uint32_t num_images = 0;
    uint32_t num_numbers = 0;
    for (uint32_t i = 0; form->arguments[i]; i++) {
        const uint32_t word = i + 2; // after the keyword and the mesh
        switch (form->arguments[i]) {
        case CUBE2_NUMBER:
            command->values[num_numbers++] = get_number(reader, word);
            break;
        case CUBE2_NAME:
            command->images[0].path = get_text(reader, word);
            break;
        default: // CUBE2_IMAGE
            TRY(read_cube2_image(reader, word, &command->images[num_images++]));
            break;
        }
    }
    return true;
}

// Stores a command and its arguments as text. Returns false if memory runs out.
static bool read_setting(md5_cube2_reader *reader)
{
    md5_cube2_setting *const setting = CUBE_NEW(reader, md5_cube2_setting, &reader->cube, settings);
    TRY(setting);
    setting->keyword = get_text(reader, 0);
    for (uint32_t i = 1; i < reader->command.num_words; i++) {
        const char **const value = CUBE_NEW(reader, const char *, setting, values);
        TRY(value);
        *value = get_text(reader, i);
    }
    return true;
}

// Executes a command of part_commands, if its required arguments exist. Returns false if memory
// runs out.
static bool execute_part_command(md5_cube2_reader *reader, const part_command *command)
{
    if (!has_arguments(reader, command->num_arguments, command->expected))
        return true;
    return command->read(reader);
}

// Executes one command of an md5.cfg file. The command concerns a part, a material or the whole
// model, or is a setting for the game. An unknown command causes a warning. Returns false if memory
// runs out.
static bool execute_command(md5_cube2_reader *reader)
{
    md5_lex *const lex = md5i_cube2_lex(&reader->script);
    const md5_cube2_word *const word = &reader->command.words[0];
    const part_command *const command = (const part_command *)md5i_find_in_table(
        word->text, part_commands, MD5_COUNT(part_commands), sizeof part_commands[0]);
    const material_form *const form = (const material_form *)md5i_find_in_table(
        word->text, material_forms, MD5_COUNT(material_forms), sizeof material_forms[0]);

    const bool needs_part = form || (command && command->needs_part);
    if (needs_part && !reader->part) {
        md5i_lex_warn(lex, word->at,
                      "command %s before 'md5load' is skipped; move it after 'md5load'",
                      MD5_QUOTED(word->text));
        return true;
    }
    if (command)
        return execute_part_command(reader, command);
    if (form)
        return read_material_command(reader, form);
    if (read_cube2_member(reader))
        return true;
    if (md5i_find_in_table(word->text, settings, MD5_COUNT(settings), sizeof settings[0]))
        return read_setting(reader);

    md5i_lex_warn(lex, word->at, "unknown command %s: the line is skipped", MD5_QUOTED(word->text));
    return true;
}

// == Loading ======================================================================================
//
// Finds the folders, runs the script, and returns the result as an md5_cube2.

// The loaded model with the memory of its texts and arrays. `cube` is the first member, so that
// md5_free_cube2() can convert its address to the address of this structure.
typedef struct loaded_cube {
    md5_cube2 cube;
    md5_context context;
    md5_arena arena;
} loaded_cube;

// -- Folders --------------------------------------------------------------------------------------

// Searches for the last occurrence of `part`, one or more folder names, in path[length]. Returns
// the position after it, or 0 if it does not occur. Only whole folder names match: `data/` does not
// match in `mydata/`.
static size_t find_part_end(const char *path, size_t length, const char *part)
{
    const size_t size = strlen(part);
    for (size_t start = length; start-- > 0;) {
        const bool is_folder_start = start == 0 || path[start - 1] == '/';
        if (is_folder_start && length - start >= size && memcmp(path + start, part, size) == 0)
            return start + size;
    }
    return 0;
}

// -- Models without an md5.cfg --------------------------------------------------------------------

// Returns true if a file can be read. Otherwise clears the context's error, because the file is
// optional. An out-of-memory error is kept.
static bool can_open(md5_context *context, const char *file)
{
    md5_file_text text = {0};
    const bool is_open = md5i_read_file_text(context, file, &text);
    md5i_free_file_text(context, &text);
    if (!is_open && context->error.status != MD5_ERROR_MEMORY)
        context->error.status = MD5_OK;
    return is_open;
}

// Returns the path of a folder's default file: the name of the folder with an extension, such as
// models/ogre/ogre.md5mesh. `folder` is empty or ends in /. Returns NULL if memory runs out.
static const char *default_file(md5_arena *arena, const char *folder, const char *extension)
{
    const size_t length = strlen(folder);
    const size_t end = length > 0 ? length - 1 : 0; // position of the last /
    size_t start = end;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    const char *const name = md5_copy_text(arena, folder + start, end - start);
    const char *const file = name ? md5i_cube2_path(arena, folder, name) : NULL;
    return file ? md5i_cube2_path(arena, file, extension) : NULL;
}

// -- Reading --------------------------------------------------------------------------------------

// Adds the animation of a model without an md5.cfg file, if the animation file can be read. The
// model plays this animation for the action "mapmodel". Returns false if memory runs out.
static bool add_default_anim(md5_cube2_reader *reader, const char *file)
{
    md5_context *const context = reader->arena->context;
    if (!can_open(context, file))
        return context->error.status == MD5_OK;
    md5_cube2_anim *const anim = CUBE_NEW(reader, md5_cube2_anim, reader->part, anims);
    TRY(anim);
    anim->names = "mapmodel";
    anim->file = file;
    anim->frame_rate = 10.0f;
    return true;
}

// Loads the default files of the folder after the md5.cfg file could not be opened. The default
// animation may be missing. Returns false if the default mesh is missing, and keeps the error about
// the md5.cfg file.
static bool use_default_model(md5_cube2_reader *reader)
{
    md5_context *const context = reader->arena->context;
    const md5_error missing_script = context->error;
    if (missing_script.status != MD5_ERROR_IO)
        return false;
    context->error.status = MD5_OK;
    const char *const mesh = default_file(reader->arena, reader->folder, ".md5mesh");
    const char *const anim = default_file(reader->arena, reader->folder, ".md5anim");
    TRY(mesh && anim);
    if (!can_open(context, mesh)) {
        if (context->error.status == MD5_OK)
            context->error = missing_script;
        return false;
    }

    md5i_warn(context, 0, 0, "configuration file not found: using model %s", MD5_QUOTED(mesh));
    TRY(add_part(reader, mesh));
    return add_default_anim(reader, anim);
}

// Executes all commands of a script and of the scripts that it includes by `exec`. Returns false
// and sets the context's error if no mesh is loaded or memory runs out.
static bool read_script(md5_cube2_reader *reader, const char *path)
{
    md5_context *const context = reader->arena->context;
    if (!md5i_cube2_open(&reader->script, path))
        return use_default_model(reader);

    while (md5i_cube2_next(&reader->script, &reader->command) && execute_command(reader))
        continue;
    while (reader->script.depth > 0)
        md5i_cube2_end_text(&reader->script);

    md5i_context_set_file(context, path);
    TRY(context->error.status == MD5_OK); // a loop that ended early has set an error
    if (!reader->part)
        return MD5_FAIL(context, MD5_ERROR_SYNTAX,
                        "configuration file does not load a mesh: expected a line 'md5load FILE'");
    return true;
}

// The folder of models in the data of Cube 2's engines, relative to the root.
static const char models_folder[] = "packages/models/";

// Finds the folders to which paths in a script are relative. These are the script's folder, the
// root of the game data, and the folder of models. Returns false if memory runs out.
//
// The root is `root` if this is not NULL. Otherwise it follows from the path of the script. It is
// the folder that contains "packages/models/", or the folder "data/" in other engines.
static bool find_folders(md5_cube2_reader *reader, const char *path, const char *root)
{
    md5_arena *const arena = reader->arena;
    const char *const slash = strrchr(path, '/');
    const size_t folder_length = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t models_end = find_part_end(path, folder_length, models_folder);
    const bool has_models = models_end > 0;

    size_t root_length;
    if (has_models)
        root_length = models_end - strlen(models_folder);
    else
        root_length = find_part_end(path, folder_length, "data/");

    reader->folder = md5_copy_text(arena, path, folder_length);
    if (root)
        reader->script.root = md5i_cube2_path(arena, root, root[0] ? "/" : "");
    else
        reader->script.root = md5_copy_text(arena, path, root_length);

    TRY(reader->folder && reader->script.root);
    reader->models = md5i_cube2_path(arena, reader->script.root, has_models ? models_folder : "");
    return reader->models != NULL;
}

#define DEFAULT_CUBE2_SCALE 0.25f // scale of models without the command mdlscale

// Loads a model into loaded->cube. `path` is the path of its md5.cfg file. `root` is the data
// folder of the game, or NULL: see find_folders(). Returns false on failure and sets the error of
// loaded->context.
static bool read_cube(loaded_cube *loaded, const char *path, const char *root)
{
    md5_cube2_reader *const reader = MD5_ALLOC_ZEROED(&loaded->arena, md5_cube2_reader, 1);
    TRY(reader);
    reader->arena = &loaded->arena;
    reader->script.arena = &loaded->arena;
    reader->script.context = &loaded->context;
    reader->cube.scale = DEFAULT_CUBE2_SCALE;
    TRY(find_folders(reader, path, root));
    TRY(read_script(reader, path));
    reader->cube.num_warnings = loaded->context.num_warnings;
    reader->cube.internal = loaded->cube.internal;
    loaded->cube = reader->cube;
    return true;
}

// Loads a model of the Cube 2 engines: runs the commands of its md5.cfg file, which list the paths
// of meshes, animations and images. Returns NULL and sets the error on failure.
md5_cube2 *md5_load_cube2(const char *path, const char *root, const md5_load_opts *opts,
                          md5_error *error)
{
    MD5_ASSERT_NOT_NULL(path);
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5i_context_begin(&context, opts, path, error);
    loaded_cube *const loaded = (loaded_cube *)md5i_alloc(&context, sizeof *loaded);
    if (!loaded)
        return NULL;

    *loaded = (loaded_cube){.cube = {.internal = {.tag = MD5_TAG_CUBE2}}, .context = context};
    loaded->context.caller = NULL; // an optional file may be missing without an error
    loaded->arena.context = &loaded->context;

    if (read_cube(loaded, path ? path : "", root))
        return &loaded->cube;
    if (error)
        *error = loaded->context.error;
    md5_free_cube2(&loaded->cube);
    return NULL;
}

// Frees a model with all its texts. NULL has no effect.
void md5_free_cube2(md5_cube2 *cube)
{
    MD5_ASSERT_NULL_OR_ALIVE(cube, MD5_TAG_CUBE2);
    if (!cube)
        return;
    loaded_cube *const loaded = (loaded_cube *)cube; // `cube` is its first member
    md5i_arena_free_object(&loaded->arena);
    const md5_allocator allocator = loaded->context.allocator;
    md5i_free_object(&allocator, loaded, sizeof *loaded);
}

// == Queries ======================================================================================
//
// Queries of a loaded model: animations by name, ranges of frames, materials, adjusted poses.

// -- Animations -----------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Returns true if the pattern from `pattern` up to `end` matches the complete name. A * matches one
// or more characters up to the next space or the end of the name.
static bool alternative_matches(const char *pattern, const char *end, const char *name)
{
    for (; pattern < end; pattern++) {
        if (*pattern != '*') {
            if (*name != *pattern)
                return false;
            name++;
            continue;
        }
        if (*name == '\0' || is_space(*name))
            return false;
        while (*name && !is_space(*name))
            name++;
    }
    return *name == '\0';
}

// Returns true if a pattern matches the name of an animation. A pattern contains alternatives with
// | between them, and one of them must match.
static bool pattern_matches(const char *pattern, const char *name)
{
    for (;;) {
        const char *const end = pattern + strcspn(pattern, "|");
        if (alternative_matches(pattern, end, name))
            return true;
        if (*end == '\0')
            return false;
        pattern = end + 1;
    }
}

// Returns the index of the animation that a part plays for an action, such as "jump". Returns
// MD5_NONE if it does not exist. Only animations of the mask with index `mask` are found, for
// example animations of the upper body.
uint32_t md5_find_cube2_anim(const md5_cube2_part *part, uint32_t mask, const char *name)
{
    MD5_ASSERT_PART(part, mesh);
    if (!name)
        return MD5_NONE;
    // A later animation replaces earlier animations of its name, so search backwards.
    for (uint32_t i = part->num_anims; i-- > 0;) {
        if (part->anims[i].mask == mask && pattern_matches(part->anims[i].names, name))
            return i;
    }
    return MD5_NONE;
}

// Clamps a frame number to min..max. A negative number counts from the end: `end` is added to it
// first.
static int64_t clamp_from_end(int64_t value, int64_t end, int64_t min, int64_t max)
{
    const int64_t from_start = value < 0 ? end + value : value;
    if (from_start < min)
        return min;
    return from_start < max ? from_start : max;
}

// Converts the start and end of a script's animation to a range of frames. The animation file has
// `num_frames` frames. Negative numbers in the script count from the end of the file.
void md5_cube2_anim_range(const md5_cube2_anim *anim, uint32_t num_frames, uint32_t *first,
                          uint32_t *count)
{
    MD5_ASSERT_PART(anim, names);
    MD5_ASSERT(num_frames > 0, "num_frames: must be at least 1");
    MD5_ASSERT(first != NULL && count != NULL, "first, count: must not be NULL");
    const int64_t total = num_frames;
    const int64_t start = clamp_from_end(anim->start, total, 0, total - 1);
    const int64_t remaining = total - start;
    int64_t length = remaining; // an end of 0 means all remaining frames
    if (anim->end != 0)
        length = clamp_from_end(anim->end, remaining, 1, remaining);
    *first = (uint32_t)start;
    *count = (uint32_t)length;
}

// -- Materials ------------------------------------------------------------------------------------

// Applies md5skin MESH TEXTURE [MASKS [MIN MAX]].
static void apply_skin(const md5_cube2_material_command *command, md5_cube2_material *material)
{
    material->texture = command->images[0];
    if (!command->images[1].path) // the engines ignore MIN and MAX without MASKS
        return;
    material->masks = command->images[1];
    memcpy(material->environment_range, command->values, sizeof material->environment_range);
}

static md5_cube2_switch switch_from_value(float value)
{
    return value != 0.0f ? MD5_CUBE2_ON : MD5_CUBE2_OFF;
}

// Applies a command with one number to a material. Returns false for any other command.
static bool apply_material_number(const char *keyword, float value, md5_cube2_material *material)
{
    if (strcmp(keyword, "md5spec") == 0) {
        material->specular = value;
    } else if (strcmp(keyword, "md5ambient") == 0) {
        material->ambient = value;
    } else if (strcmp(keyword, "md5glow") == 0) {
        material->glow = value;
    } else if (strcmp(keyword, "md5alphatest") == 0) {
        material->alpha_test = value > 0.0f ? value : 0.0f;
    } else if (strcmp(keyword, "md5alphablend") == 0) {
        material->alpha_blend = switch_from_value(value);
    } else if (strcmp(keyword, "md5cullface") == 0) {
        material->cull_face = switch_from_value(value);
    } else if (strcmp(keyword, "md5fullbright") == 0) {
        material->fullbright = value;
    } else {
        return false;
    }
    return true;
}

// Applies one command of an md5.cfg file, such as `md5glow MESH 2`, to a material. A later command
// overwrites the values of an earlier command with the same keyword. Commands for which
// md5_cube2_material has no member have no effect.
static void apply_material_command(const md5_cube2_material_command *command,
                                   md5_cube2_material *material)
{
    const char *const keyword = command->keyword;
    if (apply_material_number(keyword, command->values[0], material))
        return;
    if (strcmp(keyword, "md5skin") == 0) {
        apply_skin(command, material);
    } else if (strcmp(keyword, "md5bumpmap") == 0) {
        material->normal_map = command->images[0];
    } else if (strcmp(keyword, "md5envmap") == 0) {
        material->environment = command->images[0].path;
    } else if (strcmp(keyword, "md5shader") == 0) {
        material->shader = command->images[0].path;
    } else if (strcmp(keyword, "md5glare") == 0) {
        memcpy(material->glare, command->values, sizeof material->glare);
    } else if (strcmp(keyword, "md5scroll") == 0) {
        memcpy(material->scroll, command->values, sizeof material->scroll);
    } else if (strcmp(keyword, "md5material") == 0) {
        material->materials[0] = (int32_t)command->values[0];
        material->materials[1] = (int32_t)command->values[1];
    }
}

// Computes the material of a mesh. Starts with default values and applies the script's commands in
// order. A command applies if its mesh is `mesh` or "*", which means all meshes.
void md5_build_cube2_material(const md5_cube2_part *part, const char *mesh,
                              md5_cube2_material *material)
{
    MD5_ASSERT_PART(part, mesh);
    MD5_ASSERT_NOT_NULL(mesh);
    MD5_ASSERT_NOT_NULL(material);

    const md5_cube2_image none = {NULL, ""};
    *material = (md5_cube2_material){
        .texture = none,
        .masks = none,
        .normal_map = none,
        .specular = -1.0f,
        .ambient = -1.0f,
        .glow = -1.0f,
        .alpha_test = -1.0f,
    };

    for (uint32_t i = 0; i < part->num_commands; i++) {
        const md5_cube2_material_command *const command = &part->commands[i];
        if (strcmp(command->mesh, "*") == 0 || strcmp(command->mesh, mesh) == 0)
            apply_material_command(command, material);
    }
}

// -- Adjustments ----------------------------------------------------------------------------------

// A transform in the engines' representation: a rotation r and a translation t. The engines store
// it as a dual quaternion with the dual part t r / 2. In a rigid transform, the w of t is 0. The
// engines' adjustments can make it different from 0, so t is a quaternion here.
typedef struct cube_transform {
    md5_quat rotation;
    md5_quat translation;
} cube_transform;

// Rotates a transform by an angle about a unit axis, with the fault of the engines. They multiply
// the real part by the rotation q, but the dual part by the inverse of q. So the translation t
// becomes
//
//   q^-1 t q^-1.
//
// The components of t perpendicular to the axis do not change. The component along the axis is
// multiplied by the cosine of the angle, and t gets a w. The next rotation converts this w to a
// translation along its own axis.
static void apply_angle(cube_transform *transform, md5_vec3 axis, float degrees)
{
    const float radians_per_degree = 0.01745329252f;
    if (degrees == 0.0f)
        return;
    const md5_quat q = md5_quat_from_axis_angle(axis, degrees * radians_per_degree);
    const md5_quat inverse = {-q.x, -q.y, -q.z, q.w};
    transform->rotation = md5_quat_mul(q, transform->rotation);
    transform->translation = md5_quat_mul(md5_quat_mul(inverse, transform->translation), inverse);
}

// Applies an adjustment to a transform in the space of the file. The engines rotate about up, -y
// and -x of their mirrored space. Therefore the signs of the angles and of the y axis differ here.
// The w of the final translation is dropped, because the engines' matrices do not contain it.
static md5_xform apply_adjustment(const md5_cube2_adjustment *adjustment, md5_xform transform)
{
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec3 right = {0.0f, -1.0f, 0.0f};
    const md5_vec3 forward = {1.0f, 0.0f, 0.0f};
    const md5_vec3 t = transform.translation;
    cube_transform rotated = {transform.rotation, {t.x, t.y, t.z, 0.0f}};
    apply_angle(&rotated, up, -adjustment->yaw);
    apply_angle(&rotated, right, adjustment->pitch);
    apply_angle(&rotated, forward, adjustment->roll);

    const md5_vec3 moved = {rotated.translation.x, rotated.translation.y, rotated.translation.z};
    md5_xform adjusted = transform;
    adjusted.rotation = rotated.rotation;
    adjusted.translation = md5_vec3_add(moved, adjustment->translation);
    return adjusted;
}

// Returns true if a later adjustment replaces the adjustment `index`, because it has the same
// joint. Only the first `count` adjustments are compared.
static bool is_adjustment_replaced(const md5_cube2_part *part, uint32_t count, uint32_t index)
{
    for (uint32_t i = index + 1; i < count; i++) {
        if (strcmp(part->adjustments[i].joint, part->adjustments[index].joint) == 0)
            return true;
    }
    return false;
}

// Multiplies the translation of a transform by a factor, to convert its unit of length.
static md5_xform scale_transform(md5_xform transform, float scale)
{
    md5_xform scaled = transform;
    scaled.translation = md5_vec3_scale(transform.translation, scale);
    return scaled;
}

// Applies the adjustments of an animation (md5adjust commands) to the joints of a pose, as the Cube
// 2 engines do. If a joint has several adjustments, only the last one applies.
void md5_cube2_adjust_pose(const md5_cube2_part *part, const md5_cube2_anim *anim,
                           const md5_skeleton *skeleton, md5_xform *pose)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_PART(part, mesh);
    MD5_ASSERT_PART(anim, names);
    MD5_ASSERT_NOT_NULL(pose);
    const float scale = md5_skeleton_scale(skeleton);
    for (uint32_t i = 0; i < anim->num_adjustments; i++) {
        const md5_cube2_adjustment *const adjustment = &part->adjustments[i];
        const uint32_t joint = md5_find_joint(skeleton, adjustment->joint);
        if (joint == MD5_NONE || is_adjustment_replaced(part, anim->num_adjustments, i))
            continue;

        // An adjustment is defined in the axes and the unit of the file. Convert the pose to them
        // and back.
        const md5_xform in_file_axes = md5i_transform_from_axes(skeleton->axes, pose[joint]);
        const md5_xform in_file = scale_transform(in_file_axes, 1.0f / scale);
        const md5_xform adjusted = apply_adjustment(adjustment, in_file);
        pose[joint] = md5i_transform_to_axes(skeleton->axes, scale_transform(adjusted, scale));
    }
}
