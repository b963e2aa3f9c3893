// What the commands of an md5.cfg do: those that build parts, those that set how meshes look, and
// those of the whole model.
#include "md5/game/cube.h"
#include "md5/read/lex_values.h"

#include <string.h>

void *md5i_cube_add(md5_arena *arena, md5_cube_list *list, size_t size)
{
    enum { FIRST = 8 };
    if (list->count == list->room) {
        const uint32_t room = list->room ? 2 * list->room : FIRST;
        void *const grown = md5i_arena_room(arena, room, size);
        if (!grown)
            return NULL;
        if (list->count > 0)
            memcpy(grown, list->items, list->count * size);
        list->items = grown;
        list->room = room;
    }
    void *const item = (char *)list->items + list->count++ * size;
    return memset(item, 0, size);
}

// -- Arguments ------------------------------------------------------------------------------------

typedef struct cube_call {
    md5_cube_reader *reader;
    md5_cube_part_reader *part; // the last one; NULL before md5load
    const md5_cube_command *command;
} cube_call;

static const char *text_of(const cube_call *call, uint32_t word)
{
    return word < call->command->num_words ? call->command->words[word].text : "";
}

// As in the engines, a missing argument is 0, and text behind a number is ignored.
static float number_of(const cube_call *call, uint32_t word)
{
    float value = 0.0f;
    if (word >= call->command->num_words)
        return 0.0f;
    const md5_cube_word *const given = &call->command->words[word];
    const char *const end = given->text + strlen(given->text);
    const char *const next =
        given->kind == MD5_CUBE_WORD ? md5_scan_float(given->text, end, &value) : NULL;
    if (next && md5_is_length(value))
        return value;
    if (given->text[0] != '\0' || given->kind != MD5_CUBE_WORD)
        md5i_cube_script_warn(&call->reader->script, given,
                              "expected a number, found %s: read as 0",
                              md5i_quote(given->text, strlen(given->text)).text);
    return 0.0f;
}

static int32_t whole_of(const cube_call *call, uint32_t word)
{
    return (int32_t)number_of(call, word); // within 1e9
}

static md5_vec3 vector_of(const cube_call *call, uint32_t word)
{
    const float x = number_of(call, word), y = number_of(call, word + 1);
    return (md5_vec3){x, -y, number_of(call, word + 2)}; // the engines mirror y
}

// Warns unless the command has its first `count` arguments.
static bool has_words(const cube_call *call, uint32_t count, const char *expected)
{
    const md5_cube_word *const words = call->command->words;
    if (call->command->num_words > count)
        return true;
    md5i_cube_script_warn(&call->reader->script, &words[0], "expected %s after %s", expected,
                          md5i_quote(words[0].text, strlen(words[0].text)).text);
    return false;
}

static const char *path_of(const cube_call *call, uint32_t word)
{
    return md5i_cube_join(call->reader->arena, call->reader->folder, text_of(call, word));
}

// A texture's name, which may have commands in <> before it. Returns false if memory runs out.
static bool read_image(const cube_call *call, uint32_t word, md5_cube_image *image)
{
    const char *const text = text_of(call, word);
    const char *name = text;
    while (*name == '<' && strchr(name, '>'))
        name = strchr(name, '>') + 1;
    if (*name == '\0')
        return true;
    char *const commands =
        (char *)md5i_arena_alloc(call->reader->arena, (size_t)(name - text) + 1, 1);
    TRY(commands);
    memcpy(commands, text, (size_t)(name - text));
    image->commands = commands;
    image->path = md5i_cube_join(call->reader->arena, call->reader->folder, name);
    return image->path != NULL;
}

// -- Parts ----------------------------------------------------------------------------------------

md5_cube_part_reader *md5i_cube_add_part(md5_cube_reader *reader, const char *mesh)
{
    md5_cube_part_reader *const part =
        (md5_cube_part_reader *)md5i_cube_add(reader->arena, &reader->parts, sizeof *part);
    if (!part || !md5i_cube_add(reader->arena, &part->masks, sizeof(md5_cube_mask)))
        return NULL;
    part->mesh = mesh;
    part->skeleton = "";
    return part;
}

// md5load MESH [SKELETON] [DEGREES]
static bool read_load(const cube_call *call)
{
    if (!has_words(call, 1, "the file of a mesh"))
        return true;
    const char *const mesh = path_of(call, 1);
    md5_cube_part_reader *const part = mesh ? md5i_cube_add_part(call->reader, mesh) : NULL;
    TRY(part);
    part->skeleton = text_of(call, 2);
    const float degrees = number_of(call, 3);
    part->smooth = degrees <= 0.0f ? 0.0f : degrees < 180.0f ? degrees : 180.0f;
    return true;
}

// md5dir FOLDER
static bool read_dir(const cube_call *call)
{
    md5_cube_reader *const reader = call->reader;
    if (!has_words(call, 1, "a folder"))
        return true;
    const char *const folder = md5i_cube_join(reader->arena, text_of(call, 1), "/");
    reader->folder = folder ? md5i_cube_join(reader->arena, reader->models, folder) : NULL;
    return reader->folder != NULL;
}

// md5tag JOINT TAG [tx ty tz [rx ry rz]]: the rotation is the engines' product of three half
// angles, mirrored.
static bool read_tag(const cube_call *call)
{
    const float half = 0.00872664626f; // of a degree, in radians
    if (!has_words(call, 2, "a joint and the name of a tag"))
        return true;
    md5_cube_tag *const tag =
        (md5_cube_tag *)md5i_cube_add(call->reader->arena, &call->part->tags, sizeof *tag);
    TRY(tag);
    const float x = number_of(call, 6) * half, y = number_of(call, 7) * half;
    const float z = number_of(call, 8) * half;
    const float cx = cosf(x), sx = sinf(x), cy = cosf(y), sy = sinf(y), cz = cosf(z), sz = sinf(z);
    tag->joint = text_of(call, 1);
    tag->name = text_of(call, 2);
    tag->transform.translation = vector_of(call, 3);
    tag->transform.rotation = (md5_quat){
        -(sx * cy * cz - cx * sy * sz),
        cx * sy * cz + sx * cy * sz,
        -(cx * cy * sz - sx * sy * cz),
        cx * cy * cz + sx * sy * sz,
    };
    return true;
}

// md5pitch JOINT SCALE [OFFSET [LEAST MOST]]
static bool read_pitch(const cube_call *call)
{
    if (!has_words(call, 2, "a joint and a factor"))
        return true;
    md5_cube_pitch *const pitch =
        (md5_cube_pitch *)md5i_cube_add(call->reader->arena, &call->part->pitches, sizeof *pitch);
    TRY(pitch);
    pitch->joint = text_of(call, 1);
    pitch->scale = number_of(call, 2);
    pitch->offset = number_of(call, 3);
    pitch->least = number_of(call, 4);
    pitch->most = number_of(call, 5);
    if (pitch->least == 0.0f && pitch->most == 0.0f) {
        const float range = 360.0f * fabsf(pitch->scale);
        pitch->least = pitch->offset - range;
        pitch->most = pitch->offset + range;
    }
    return true;
}

// md5adjust JOINT [YAW PITCH ROLL [x y z]]
static bool read_adjust(const cube_call *call)
{
    if (!has_words(call, 1, "a joint"))
        return true;
    md5_cube_adjustment *const adjustment = (md5_cube_adjustment *)md5i_cube_add(
        call->reader->arena, &call->part->adjustments, sizeof *adjustment);
    TRY(adjustment);
    const md5_vec3 translation = vector_of(call, 5);
    adjustment->joint = text_of(call, 1);
    adjustment->yaw = number_of(call, 2);
    adjustment->pitch = number_of(call, 3);
    adjustment->roll = number_of(call, 4);
    adjustment->translation =
        (md5_vec3){translation.x / 4.0f, translation.y / 4.0f, translation.z / 4.0f};
    return true;
}

// md5anim NAMES FILE [FPS [PRIORITY [START [END]]]]. A file that is named again is not loaded
// again, so it keeps the adjustments of the first time.
static bool read_anim(const cube_call *call)
{
    md5_cube_part_reader *const part = call->part;
    md5_arena *const arena = call->reader->arena;
    if (!has_words(call, 2, "the name of an animation and its file"))
        return true;
    md5_cube_anim *const anim = (md5_cube_anim *)md5i_cube_add(arena, &part->anims, sizeof *anim);
    const char *const file = path_of(call, 2);
    TRY(anim && file);
    void **const known = md5i_name_map_find(&part->files, file);
    void **const value = known ? known : md5i_name_map_add(&part->files, arena, file);
    TRY(value);
    if (!*value)
        *value = (void *)((uintptr_t)part->adjustments.count + 1);
    const float rate = number_of(call, 3);
    anim->names = text_of(call, 1);
    anim->file = file;
    anim->frame_rate = rate > 0.0f ? rate : 10.0f;
    anim->priority = whole_of(call, 4);
    anim->start = whole_of(call, 5);
    anim->end = whole_of(call, 6);
    anim->mask = part->masks.count - 1;
    anim->num_adjustments = (uint32_t)((uintptr_t)*value - 1);
    return true;
}

// md5animpart "JOINT !JOINT ..."
static bool read_anim_part(const cube_call *call)
{
    md5_arena *const arena = call->reader->arena;
    md5_cube_list names = {0};
    md5_cube_mask *const mask =
        (md5_cube_mask *)md5i_cube_add(arena, &call->part->masks, sizeof *mask);
    TRY(mask);
    for (const char *at = text_of(call, 1); *at;) {
        const size_t length = strcspn(at, " \t\r\n");
        if (length > 0) {
            const char **const name = (const char **)md5i_cube_add(arena, &names, sizeof *name);
            char *const copy = (char *)md5i_arena_alloc(arena, length + 1, 1);
            TRY(name && copy);
            memcpy(copy, at, length);
            *name = copy;
        }
        at += length;
        at += *at != '\0';
    }
    mask->num_joints = names.count;
    mask->joints = (const char *const *)names.items;
    return true;
}

// md5link PARENT CHILD TAG [x y z]
static bool read_link(const cube_call *call)
{
    const uint32_t num_parts = call->reader->parts.count;
    if (!has_words(call, 3, "two parts and the name of a tag"))
        return true;
    const int32_t parent = whole_of(call, 1), child = whole_of(call, 2);
    if (parent < 0 || child < 0 || (uint32_t)parent >= num_parts || (uint32_t)child >= num_parts) {
        md5i_cube_script_warn(&call->reader->script, &call->command->words[1],
                              "link from part %d to part %d: there are %u", parent, child,
                              num_parts);
        return true;
    }
    md5_cube_link *const link =
        (md5_cube_link *)md5i_cube_add(call->reader->arena, &call->reader->links, sizeof *link);
    TRY(link);
    link->parent = (uint32_t)parent;
    link->child = (uint32_t)child;
    link->tag = text_of(call, 3);
    link->translation = vector_of(call, 4);
    return true;
}

// -- Looks ----------------------------------------------------------------------------------------

// A word, and the arguments behind its MESH: images (i), a name that is not a path (n), or numbers
// (f).
typedef struct row_form {
    const char *word, *values;
} row_form;

static const row_form row_forms[] = {
    {"md5skin", "iiff"},    {"md5bumpmap", "i"},     {"md5envmap", "n"},   {"md5shader", "n"},
    {"md5spec", "f"},       {"md5ambient", "f"},     {"md5glow", "f"},     {"md5glare", "ff"},
    {"md5alphatest", "f"},  {"md5alphablend", "f"},  {"md5cullface", "f"}, {"md5fullbright", "f"},
    {"md5scroll", "ff"},    {"md5material", "ff"},   {"md5gloss", "f"},    {"md5decal", "i"},
    {"md5mixer", "f"},      {"md5pattern", "f"},     {"md5noclip", "f"},   {"md5tricollide", "f"},
    {"md5alphadepth", "f"}, {"md5depthoffset", "f"}, {"md5color", "ff"},   {"md5smooth", "f"},
};

static const row_form *find_form(const char *word)
{
    for (size_t i = 0; i < sizeof row_forms / sizeof row_forms[0]; i++) {
        if (strcmp(row_forms[i].word, word) == 0)
            return &row_forms[i];
    }
    return NULL;
}

static bool read_row(const cube_call *call, const row_form *form)
{
    uint32_t num_images = 0, num_numbers = 0;
    if (!has_words(call, 1, "the name of a mesh, or *"))
        return true;
    md5_cube_row *const row =
        (md5_cube_row *)md5i_cube_add(call->reader->arena, &call->part->rows, sizeof *row);
    TRY(row);
    row->word = form->word;
    row->mesh = text_of(call, 1);
    row->images[0].commands = row->images[1].commands = "";
    for (uint32_t i = 0; form->values[i]; i++) {
        if (form->values[i] == 'f')
            row->numbers[num_numbers++] = number_of(call, i + 2);
        else if (form->values[i] == 'n')
            row->images[0].path = text_of(call, i + 2);
        else
            TRY(read_image(call, i + 2, &row->images[num_images++]));
    }
    return true;
}

// -- The whole model ------------------------------------------------------------------------------

static bool read_setting(const cube_call *call)
{
    const md5_cube_command *const command = call->command;
    md5_arena *const arena = call->reader->arena;
    md5_cube_setting *const setting =
        (md5_cube_setting *)md5i_cube_add(arena, &call->reader->settings, sizeof *setting);
    const char **const values =
        (const char **)md5i_arena_alloc(arena, command->num_words, sizeof *values);
    TRY(setting && values);
    for (uint32_t i = 1; i < command->num_words; i++)
        values[i - 1] = text_of(call, i);
    setting->word = command->words[0].text;
    setting->num_values = command->num_words - 1;
    setting->values = values;
    return true;
}

// Reads a command that sets a member of md5_cube. Returns whether it is one.
static bool read_member(const cube_call *call)
{
    md5_cube *const cube = &call->reader->cube;
    const char *const word = text_of(call, 0);
    if (strcmp(word, "mdlscale") == 0) {
        const float percent = number_of(call, 1);
        cube->scale = (percent > 0.0f ? percent : 100.0f) / 400.0f;
    } else if (strcmp(word, "mdltrans") == 0) {
        cube->translation = vector_of(call, 1);
    } else if (strcmp(word, "mdlyaw") == 0) {
        cube->yaw = number_of(call, 1);
    } else if (strcmp(word, "mdlpitch") == 0) {
        cube->pitch = number_of(call, 1);
    } else if (strcmp(word, "mdlroll") == 0) {
        cube->roll = number_of(call, 1);
    } else {
        return false;
    }
    return true;
}

// Words of the models of Cube 2, Tesseract, Red Eclipse and libprimis that only games need.
static bool is_setting(const char *word)
{
    static const char *const words[] = {
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
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0)
            return true;
    }
    return false;
}

// -- Commands -------------------------------------------------------------------------------------

typedef struct part_word {
    const char *word;
    bool (*read)(const cube_call *call);
    bool needs_part;
} part_word;

static const part_word part_words[] = {
    {"md5load", read_load, false},
    {"md5dir", read_dir, false},
    {"md5tag", read_tag, true},
    {"md5pitch", read_pitch, true},
    {"md5adjust", read_adjust, true},
    {"md5anim", read_anim, true},
    {"md5animpart", read_anim_part, true},
    {"md5link", read_link, true},
};

static const part_word *find_part_word(const char *word)
{
    for (size_t i = 0; i < sizeof part_words / sizeof part_words[0]; i++) {
        if (strcmp(part_words[i].word, word) == 0)
            return &part_words[i];
    }
    return NULL;
}

bool md5i_cube_run(md5_cube_reader *reader, const md5_cube_command *command)
{
    const md5_cube_word *const word = &command->words[0];
    md5_cube_part_reader *const parts = (md5_cube_part_reader *)reader->parts.items;
    const cube_call call = {
        .reader = reader,
        .part = reader->parts.count > 0 ? &parts[reader->parts.count - 1] : NULL,
        .command = command,
    };
    const part_word *const known = find_part_word(word->text);
    const row_form *const form = find_form(word->text);
    if (!call.part && (form || (known && known->needs_part))) {
        md5i_cube_script_warn(&reader->script, word, "%s before 'md5load': skipped",
                              md5i_quote(word->text, strlen(word->text)).text);
        return true;
    }
    if (known)
        return known->read(&call);
    if (form)
        return read_row(&call, form);
    if (read_member(&call))
        return true;
    if (is_setting(word->text))
        return read_setting(&call);
    md5i_cube_script_warn(&reader->script, word, "unknown word %s: its line is skipped",
                          md5i_quote(word->text, strlen(word->text)).text);
    return true;
}
