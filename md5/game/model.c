// modelDefs: the parser of `model` declarations. A modelDef contains inheritance, mesh, skin,
// channels, and animations with frame commands.
//
// Models may inherit other models in long chains. A model therefore shares all data of its parent
// that it does not change (md5_shared_array), and parents are parsed from a stack instead of by
// recursion. Mesh and animation files are needed for the names of joints and the number of frames.
// Each is read once per game (md5_asset).
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/material/engine_keywords.h"
#include "md5/material/material.h"
#include "md5/md5entity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Information about a mesh or animation file. Each file is read once per game.
typedef struct md5_asset {
    const char *file; // name of the file as it was first requested
    bool is_usable;   // the file was read without an error
    uint32_t num_joints;
    md5_joint *joints;       // [num_joints]
    uint32_t *joint_indices; // [num_joints] 0, 1, 2 ...: the joints of MD5_CHANNEL_ALL
    uint32_t num_frames;
    uint32_t milliseconds;
} md5_asset;

// A name or an alias of an animation. Its index is unique in the game, so that it can be the index
// of an array.
typedef struct md5_anim_name {
    const char *text;
    uint32_t index;
} md5_anim_name;

// The position of an animation in the list of a model. The index of a removed animation is not used
// again.
typedef struct md5_anim_slot {
    uint32_t index;
    uint32_t alias;                       // index of the alias
    const struct md5_anim_slot *previous; // previous slot with this alias, or NULL
} md5_anim_slot;

// The animations of a model. If the model inherits another model, it starts with a copy of that
// model's set. The copy takes constant time, because unchanged data is shared.
typedef struct md5_anim_set {
    md5_shared_array anims;   // slot index to md5_model_anim; NULL if removed
    md5_shared_array names;   // name index to md5_anim_slot, whose animation may be removed
    md5_shared_array aliases; // alias index to the last md5_anim_slot with this alias
    uint32_t num_slots;
} md5_anim_set;

// A parsed model, with data for models that inherit it.
typedef struct md5_parsed_model {
    md5_model_def def; // the public part, must be first
    const md5_asset *mesh;
    bool names_mesh;                   // the keyword `mesh` is in the declaration or in an ancestor
    uint8_t *joint_channels;           // [num_joints] channel of each joint, 0 if none
    md5_named_channel *other_channels; // def.other_channels
    md5_anim_set anims;
} md5_parsed_model;

// The state while one model is parsed. Data of the parent is shared. Other data is in
// game->scratch, except for texts and animations, which are in game->arena.
typedef struct md5_model_parser {
    md5_game *game;
    md5_decl_lex lex;
    const md5_decl *decl;
    bool is_defaulted;
    const md5_parsed_model *parent; // the last inherited model, or NULL
    const md5_asset *mesh;          // NULL before the keyword `mesh`, or if the file is unusable
    bool names_mesh;                // `mesh` was read, or its absence was reported
    const char *skin;
    md5_vec3 offset;
    uint8_t *joint_channels;
    bool owns_joint_channels; // false if `joint_channels` is the parent's
    md5_model_channel channels[MD5_NUM_CHANNELS];
    // [num_other_channels] channels that the engine does not have
    md5_named_channel *other_channels;
    uint32_t num_other_channels;
    uint32_t other_capacity;
    bool owns_other_channels; // false if `other_channels` is the parent's
    md5_anim_set anims;
    uint32_t num_inherited_slots; // slots with lower indices are inherited
} md5_model_parser;

// == Files ========================================================================================

// Returns true if a name ends with a file extension, such as ".md5mesh".
static bool has_file_extension(const md5_token *name, const char *extension)
{
    const size_t size = strlen(extension);
    return name->size >= size && memcmp(name->text + name->size - size, extension, size) == 0;
}

// Copies the names and parents of the joints of a file. If memory runs out, the arrays are NULL and
// the game's context has the error.
static void set_asset_joints(md5_game *game, const md5_skeleton *skeleton, md5_asset *asset)
{
    asset->joints = MD5_ALLOC_ZEROED(&game->arena, md5_joint, skeleton->num_joints);
    asset->joint_indices = MD5_ALLOC_ZEROED(&game->arena, uint32_t, skeleton->num_joints);
    asset->num_joints = skeleton->num_joints;
    if (!asset->joints || !asset->joint_indices)
        return;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const joint = skeleton->joints[i].name;
        asset->joint_indices[i] = i;
        asset->joints[i].name = md5_copy_text(&game->arena, joint, strlen(joint));
        asset->joints[i].parent = skeleton->joints[i].parent;
    }
}

// Sets the length of an animation in milliseconds. As in the engine, the frame rate is rounded down
// to an integer, and then the length is rounded up.
static void set_asset_length(const md5_anim *anim, md5_asset *asset)
{
    const double rate = floor(anim->frame_rate);
    const double length = rate >= 1.0 ? ceil((anim->num_frames - 1) * 1000.0 / rate) : 0.0;
    asset->num_frames = anim->num_frames;
    asset->milliseconds = length < (double)INT32_MAX ? (uint32_t)length : INT32_MAX;
}

// Reads a mesh file if `is_mesh`, else an animation file, and stores the information about it in
// `asset`. If the file does not exist or is damaged, the asset is not usable. If memory runs out,
// sets the game's error.
static void read_asset(md5_game *game, const char *path, bool is_mesh, md5_asset *asset)
{
    const md5_load_opts opts = {.allocator = game->context.allocator,
                                .skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS};
    md5_error error = {.status = MD5_OK};
    size_t size = 0;
    const md5_game_entry *const entry = md5i_game_find_file(game, path);
    const char *const text = entry ? md5i_game_open_file(game, entry, 0, &size, &error) : NULL;
    if (!text)
        return;

    // Exactly one of the two is read.
    md5_model *const model = is_mesh ? md5_parse_model(text, size, &opts, &error) : NULL;
    md5_anim *const anim = is_mesh ? NULL : md5_parse_anim(text, size, &opts, &error);
    md5i_game_close_file(game, entry, text, size);
    if (model)
        set_asset_joints(game, &model->skeleton, asset);
    if (anim) {
        set_asset_joints(game, &anim->skeleton, asset);
        set_asset_length(anim, asset);
    }
    asset->is_usable = model || anim;
    md5_free_model(model);
    md5_free_anim(anim);
    // The caller reports other errors with the engine's message.
    if (error.status == MD5_ERROR_MEMORY)
        (void)MD5_FAIL(&game->context, MD5_ERROR_MEMORY, "%s", error.message);
}

// Returns the information about a .md5mesh or .md5anim file, which is read on the first request.
// Returns NULL if the file does not exist or is damaged. If memory runs out, also sets the
// context's error.
static const md5_asset *find_asset(md5_game *game, const md5_token *name, const char *extension)
{
    const char *const key = md5_copy_text(&game->scratch, name->text, name->size);
    if (!key || !has_file_extension(name, extension))
        return NULL;

    void **const found = md5i_name_map_find(&game->assets, key);
    if (found && *found) {
        const md5_asset *const loaded = (const md5_asset *)*found;
        return loaded->is_usable ? loaded : NULL;
    }

    // A damaged file is stored, too, so that it is read only once.
    md5_asset *const asset = MD5_ALLOC_ZEROED(&game->arena, md5_asset, 1);
    if (!asset)
        return NULL;
    asset->file = md5_copy_text(&game->arena, name->text, name->size);
    read_asset(game, key, strcmp(extension, ".md5mesh") == 0, asset);
    if (!md5_game_is_ok(game))
        return NULL;

    void **const added = md5i_name_map_add(&game->assets, &game->arena, asset->file);
    if (!added)
        return NULL;
    *added = asset;
    return asset->is_usable ? asset : NULL;
}

// Returns true if the animation of a slot has not been removed. `slot` may be NULL.
static inline bool md5_has_anim(const md5_model_parser *parser, const md5_anim_slot *slot)
{
    return slot && md5i_shared_get(&parser->anims.anims, slot->index);
}

// Returns true if the model has no error that ends its parse, and memory has not run out.
static bool can_continue(const md5_model_parser *parser)
{
    return !parser->is_defaulted && md5_game_is_ok(parser->game);
}

// == Errors =======================================================================================

static void report_unexpected_end(md5_model_parser *parser)
{
    md5i_decl_error(&parser->lex, "'}'", "Unexpected end of file");
}

// Charges work on `num_joints` joints to a budget that all models of the game share, so that a
// hostile file cannot take too much time or memory. Each parse mode has its own budget. Returns
// false if the budget is exhausted, and reports this once as an error.
static bool charge_joint_budget(md5_model_parser *parser, uint32_t num_joints)
{
    // This is ten times the demand of the largest games. The channels of all models take at most 40
    // MB.
    enum { MAX_JOINTS = 8 << 20, EXHAUSTED = MAX_JOINTS + 1 };
    uint32_t *const spent = &parser->game->num_model_joints[parser->game->mode];
    if (*spent <= MAX_JOINTS && num_joints <= MAX_JOINTS - *spent) {
        *spent += num_joints;
        return true;
    }
    // The first charge that fails exhausts the budget, so that later charges do not report again.
    if (*spent != EXHAUSTED) {
        *spent = EXHAUSTED;
        md5i_decl_error(&parser->lex, "fewer joints, skipped",
                        "Too many joints in the channels of all models (limit %d)", MAX_JOINTS);
    }
    return false;
}

// Comparing this many names costs as much as other work on one joint.
enum { COMPARISONS_PER_JOINT = 32 };

// Returns the index of the mesh's joint with a name, ignoring case. Returns MD5_NONE if the joint
// or the mesh does not exist, or if the joint budget is exhausted.
static uint32_t find_mesh_joint(md5_model_parser *parser, const char *name, size_t size)
{
    const md5_token token = {.text = name, .size = size};
    const uint32_t count = parser->mesh ? parser->mesh->num_joints : 0;
    if (!charge_joint_budget(parser, 1 + count / COMPARISONS_PER_JOINT))
        return MD5_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (md5i_token_is_word(&token, parser->mesh->joints[i].name))
            return i;
    }
    return MD5_NONE;
}

// == Channels =====================================================================================
//
// A channel is the set of joints that an animation of a part of the body drives.
//
// It is written as a list of patterns, which are applied from left to right. J adds a joint, *J
// adds a joint and its descendants, and -J and -*J remove them.

// The joints of a channel in the order in which they were added.
typedef struct channel_joints {
    uint32_t *joints;      // [count], capacity [num_joints]
    uint8_t *is_contained; // [num_joints]
    uint32_t count;
    const char *source; // position in the file of the next pattern, for the location of warnings
} channel_joints;

// -- Lists of joints ------------------------------------------------------------------------------

// Returns the index after the last descendant of a joint. Descendants directly follow the joint.
// The first joint that is a root, or whose parent is before the joint, is not a descendant.
static uint32_t descendants_end(const md5_asset *mesh, uint32_t joint)
{
    uint32_t end = joint + 1;
    while (end < mesh->num_joints && mesh->joints[end].parent != MD5_NONE
           && mesh->joints[end].parent >= joint)
        end++;
    return end;
}

// Adds the joints from `first` up to `end` that the list does not contain.
static void add_joints(md5_model_parser *parser, channel_joints *list, uint32_t first, uint32_t end)
{
    if (!charge_joint_budget(parser, end - first))
        return;
    for (uint32_t i = first; i < end; i++) {
        if (!list->is_contained[i])
            list->joints[list->count++] = i;
        list->is_contained[i] = true;
    }
}

// Removes the joints from `first` up to `end`. The other joints keep their order.
static void remove_joints(md5_model_parser *parser, channel_joints *list, uint32_t first,
                          uint32_t end)
{
    if (!charge_joint_budget(parser, end - first + list->count))
        return;
    for (uint32_t i = first; i < end; i++)
        list->is_contained[i] = false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->is_contained[list->joints[i]])
            list->joints[count++] = list->joints[i];
    }
    list->count = count;
}

// Finds where a pattern is in the file, because patterns are processed in a copy. Moves the
// location of warnings to the next occurrence of name[size] in the file. Compares only the
// beginning of a long name, so that the time is linear in the size of the list. If the name is not
// found, the location does not change.
static void locate_name(md5_model_parser *parser, channel_joints *list, const char *name,
                        size_t size)
{
    enum { MAX_COMPARED = 64 };
    const char *const end = parser->lex.at;
    const size_t compared = size < MAX_COMPARED ? size : MAX_COMPARED;
    while (size <= (size_t)(end - list->source) && memcmp(list->source, name, compared) != 0)
        list->source++;
    if (size <= (size_t)(end - list->source)) {
        parser->lex.token_at = list->source;
        list->source += size;
    }
}

// Warns that the joint name[size] of a list of patterns does not exist. Does nothing if the joint
// budget is exhausted: the joint was then not searched, and the exhaustion was reported.
static void warn_about_unknown_joint(md5_model_parser *parser, const char *name, size_t size,
                                     const md5_token *patterns)
{
    if (!charge_joint_budget(parser, 0))
        return;
    const char *const model = parser->decl->name;
    md5i_decl_lex_warn(&parser->lex, "Unknown joint %s in %s for model %s",
                       md5i_quote(name, size).text, MD5_QUOTED_TOKEN(patterns), MD5_QUOTED(model));
}

// Applies one pattern, pattern[size], to the joints of a channel. Warns if its joint does not
// exist. `patterns` is the whole list of patterns, for the warning.
static void apply_joint_pattern(md5_model_parser *parser, channel_joints *list, const char *pattern,
                                size_t size, md5_token patterns)
{
    // Read the prefixes. The rest of the pattern is the name of the joint.
    size_t num_prefixes = 0;
    const bool is_removed = size > 0 && pattern[0] == '-';
    if (is_removed)
        num_prefixes++;
    const bool has_descendants = num_prefixes < size && pattern[num_prefixes] == '*';
    if (has_descendants)
        num_prefixes++;
    const char *const name = pattern + num_prefixes;
    const size_t name_size = size - num_prefixes;

    locate_name(parser, list, name, name_size);
    const uint32_t joint = find_mesh_joint(parser, name, name_size);
    if (joint == MD5_NONE) {
        warn_about_unknown_joint(parser, name, name_size, &patterns);
        return;
    }
    const uint32_t end = has_descendants ? descendants_end(parser->mesh, joint) : joint + 1;
    if (is_removed)
        remove_joints(parser, list, joint, end);
    else
        add_joints(parser, list, joint, end);
}

// -- Parsing --------------------------------------------------------------------------------------

static bool is_blank_char(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Reads the patterns up to the closing bracket as one text. Puts a space after each token except
// "*" and "-", which belong to the next name. Returns false after an error.
static bool read_joint_list(md5_model_parser *parser, md5_token *patterns)
{
    md5_token token;
    size_t capacity = 0;
    *patterns = (md5_token){.text = ""};
    while (!md5i_decl_lex_accept(&parser->lex, ")")) {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            report_unexpected_end(parser);
            return false;
        }
        md5_arena *const scratch = &parser->game->scratch;
        const bool has_blank = !md5i_token_is(&token, "*") && !md5i_token_is(&token, "-");
        TRY(md5i_append_text(scratch, patterns, &capacity, token.text, token.size));
        TRY(md5i_append_text(scratch, patterns, &capacity, " ", has_blank ? 1 : 0));
    }
    return true;
}

// Applies all patterns of a list, which are separated by blanks.
static void apply_joint_list(md5_model_parser *parser, channel_joints *list, md5_token patterns)
{
    const char *at = patterns.text;
    const char *const end = patterns.text + patterns.size;
    while (at < end) {
        const char *const start = at;
        while (at < end && !is_blank_char(*at))
            at++;
        if (at > start)
            apply_joint_pattern(parser, list, start, (size_t)(at - start), patterns);
        if (at < end)
            at++;
    }
}

// Assigns the joints of a list to a channel. If a joint already has a channel, it keeps that
// channel, with a warning. The array of the list becomes the array of the channel.
static void assign_channel_joints(md5_model_parser *parser, channel_joints *list, uint32_t channel)
{
    // Copy the parent's array before the first change.
    if (!parser->owns_joint_channels) {
        parser->joint_channels = (uint8_t *)md5i_arena_copy(
            &parser->game->scratch, parser->joint_channels, parser->mesh->num_joints, 1);
        parser->owns_joint_channels = true;
    }
    if (!parser->joint_channels) // out of memory
        return;

    uint32_t count = 0; // joints that are kept, at the start of the array
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t joint = list->joints[i];
        if (parser->joint_channels[joint] != 0) {
            const char *const name = parser->mesh->joints[joint].name;
            md5i_decl_lex_warn(&parser->lex, "Joint %s assigned to multiple channels",
                               MD5_QUOTED(name));
            continue;
        }
        parser->joint_channels[joint] = (uint8_t)channel;
        list->joints[count++] = joint;
    }
    parser->channels[channel].joints = list->joints;
    parser->channels[channel].num_joints = count;
}

// Ensures that `other_channels` has capacity for one more channel and does not belong to the
// parent. Returns false if memory or the joint budget runs out.
static bool reserve_other_channel(md5_model_parser *parser)
{
    enum { MIN_CAPACITY = 8 };
    if (parser->owns_other_channels && parser->num_other_channels < parser->other_capacity)
        return true;
    const uint32_t capacity = 2 * parser->num_other_channels + MIN_CAPACITY;
    const uint32_t cost = capacity * (uint32_t)sizeof *parser->other_channels / sizeof(uint32_t);
    TRY(charge_joint_budget(parser, cost));
    md5_named_channel *const channels =
        MD5_ALLOC_ZEROED(&parser->game->scratch, md5_named_channel, capacity);
    TRY(channels);
    for (uint32_t i = 0; i < parser->num_other_channels; i++)
        channels[i] = parser->other_channels[i];
    parser->other_channels = channels;
    parser->other_capacity = capacity;
    parser->owns_other_channels = true;
    return true;
}

// Sets the joints of a channel that the engine does not have. Unlike for the engine's channels, a
// joint may be in several such channels.
static void set_other_channel(md5_model_parser *parser, const md5_token *name,
                              const channel_joints *list)
{
    enum { MAX_CUSTOM_CHANNELS = 256 };
    if (!reserve_other_channel(parser))
        return;

    md5_named_channel *channel = NULL;
    for (uint32_t i = 0; i < parser->num_other_channels; i++) {
        if (md5i_token_is_word(name, parser->other_channels[i].name))
            channel = &parser->other_channels[i];
    }

    if (!channel && parser->num_other_channels == MAX_CUSTOM_CHANNELS) {
        md5i_decl_error(&parser->lex, "fewer unknown channels",
                        "Too many unknown channels (limit %d)", MAX_CUSTOM_CHANNELS);
        return;
    }

    if (!channel) {
        channel = &parser->other_channels[parser->num_other_channels++];
        channel->name = md5i_copy_token(parser->game, name);
    }
    channel->channel = (md5_model_channel){list->count, list->joints};
}

// Returns the channel with a name, or MD5_NUM_CHANNELS if the name is unknown.
static uint32_t find_channel(const md5_token *name)
{
    static const char *const channels[MD5_NUM_CHANNELS] = {"", "torso", "legs", "head", "eyelids"};
    uint32_t channel = 1; // the first channel contains all joints and has no name
    while (channel < MD5_NUM_CHANNELS && !md5i_token_is_word(name, channels[channel]))
        channel++;
    return channel;
}

// Stores the joints that a list of patterns selects as a channel. `channel` is the index of the
// channel, or MD5_NUM_CHANNELS if the engine has no channel with this name.
static void store_channel(md5_model_parser *parser, const md5_token *name, uint32_t channel,
                          md5_token patterns)
{
    md5_arena *const scratch = &parser->game->scratch;
    const uint32_t num_joints = parser->mesh->num_joints;
    if (!charge_joint_budget(parser, num_joints))
        return;
    channel_joints list = {
        .joints = MD5_ALLOC_ZEROED(scratch, uint32_t, num_joints),
        .is_contained = MD5_ALLOC_ZEROED(scratch, uint8_t, num_joints),
        .source = name->at + name->size,
    };
    if (!list.joints || !list.is_contained)
        return;
    apply_joint_list(parser, &list, patterns);
    if (channel < MD5_NUM_CHANNELS)
        assign_channel_joints(parser, &list, channel);
    else
        set_other_channel(parser, name, &list);
}

// Reads `channel NAME ( JOINT ... )` from the token after the keyword.
static void read_channel(md5_model_parser *parser)
{
    md5_token name;
    md5_token patterns;
    if (!parser->names_mesh)
        md5i_decl_error(&parser->lex, "mesh", "Must specify mesh before defining channels");
    parser->names_mesh = true; // report the error only once
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &name)) {
        report_unexpected_end(parser);
        return;
    }
    if (!md5i_decl_lex_accept(&parser->lex, "(")) {
        md5i_decl_error(&parser->lex, "'('", "Expected { after %s", MD5_QUOTED_TOKEN(&name));
        return;
    }

    const uint32_t channel = find_channel(&name);
    parser->lex.token_at = name.at;
    if (channel == MD5_NUM_CHANNELS)
        md5i_decl_error(&parser->lex, "torso, legs, head or eyelids", "Unknown channel %s",
                        MD5_QUOTED_TOKEN(&name));
    if (!parser->is_defaulted && read_joint_list(parser, &patterns) && parser->mesh)
        store_channel(parser, &name, channel, patterns);
}

// == Animations ===================================================================================

// -- Frame commands -------------------------------------------------------------------------------

// Types of arguments. Texts are names of functions, events, effects and entities, which are not
// checked.
enum command_argument {
    COMMAND_TEXT = 't',
    COMMAND_OPTIONAL_TEXT = 'o',
    COMMAND_JOINT = 'j',
    COMMAND_JOINT_OR_NONE = 'J', // the name may be ""
    COMMAND_SKIN = 's',
    COMMAND_NUMBER = 'n',
};

// The commands, in the order of md5_frame_code. Each character of `arguments` is a
// command_argument.
static const struct command_syntax {
    const char *keyword;
    const char *arguments;
} command_syntaxes[] = {
    {"call", "t"},
    {"object_call", "t"},
    {"event", "t"},
    {"sound", "t"},
    {"sound_voice", "t"},
    {"sound_voice2", "t"},
    {"sound_body", "t"},
    {"sound_body2", "t"},
    {"sound_body3", "t"},
    {"sound_weapon", "t"},
    {"sound_item", "t"},
    {"sound_global", "t"},
    {"sound_chatter", "t"},
    {"skin", "s"},
    {"trigger", "t"},
    {"triggerSmokeParticle", "t"},
    {"melee", "t"},
    {"direct_damage", "t"},
    {"attack_begin", "t"},
    {"attack_end", ""},
    {"muzzle_flash", "J"},
    {"create_missile", "j"},
    {"launch_missile", "j"},
    {"fire_missile_at_target", "jt"},
    {"footstep", ""},
    {"leftfoot", ""},
    {"rightfoot", ""},
    {"enableEyeFocus", ""},
    {"disableEyeFocus", ""},
    {"fx", "t"},
    {"disableGravity", ""},
    {"enableGravity", ""},
    {"jump", ""},
    {"enableClip", ""},
    {"disableClip", ""},
    {"enableWalkIK", ""},
    {"disableWalkIK", ""},
    {"enableLegIK", "n"},
    {"disableLegIK", "n"},
    {"recordDemo", "o"},
    {"aviGame", "o"},
    {"launch_projectile", "t"},
    {"trigger_fx", "jt"},
    {"start_emitter", "tjt"},
    {"stop_emitter", "t"},
};
enum { NUM_COMMANDS = MD5_COUNT(command_syntaxes) };

const char *md5_frame_code_name(md5_frame_code code)
{
    return (unsigned)code < NUM_COMMANDS ? command_syntaxes[code].keyword : NULL;
}

// The commands of an animation while they are read.
typedef struct command_list {
    md5_frame_command *commands; // in game->scratch
    uint32_t count;
} command_list;

// Appends an argument to the text of a command, after a space if the text is not empty. Returns
// false if memory runs out.
static bool append_argument(md5_model_parser *parser, const md5_token *argument,
                            md5_frame_command *command)
{
    const size_t previous_size = strlen(command->text);
    const size_t start = previous_size > 0 ? previous_size + 1 : 0;
    char *const text = MD5_ALLOC_ZEROED(&parser->game->arena, char, start + argument->size + 1);
    TRY(text);
    if (previous_size > 0) {
        memcpy(text, command->text, previous_size);
        text[previous_size] = ' ';
    }
    if (argument->size > 0)
        memcpy(text + start, argument->text, argument->size);
    command->text = text;
    return true;
}

// Sets the joint of a command. If `is_optional`, the name may be empty.
static void set_command_joint(md5_model_parser *parser, const md5_token *name, bool is_optional,
                              md5_frame_command *command)
{
    const bool is_none = is_optional && name->size == 0;
    command->joint = find_mesh_joint(parser, name->text, name->size);
    // If the mesh is missing, this was reported before, and the model has no joints.
    if (command->joint == MD5_NONE && !is_none && parser->mesh)
        md5i_decl_error(&parser->lex, "a joint of the mesh", "Joint %s not found",
                        MD5_QUOTED_TOKEN(name));
}

// Stores an argument in a command. A joint or a number becomes a member of the command, and other
// arguments are appended to its text. `types` are the types of this and the following arguments.
// Returns false if memory runs out.
static bool apply_argument(md5_model_parser *parser, const md5_token *argument, const char *types,
                           md5_frame_command *command)
{
    const char type = types[0];
    const bool is_last = types[1] == '\0';
    switch (type) {
    case COMMAND_JOINT:
    case COMMAND_JOINT_OR_NONE:
        set_command_joint(parser, argument, type == COMMAND_JOINT_OR_NONE, command);
        if (!is_last)
            return true;
        break; // the name of a joint is also text if it is the last argument
    case COMMAND_NUMBER:
        command->leg = md5i_token_int(argument);
        return true;
    case COMMAND_SKIN:
        // Parse the skin now, so that its errors are reported.
        if (!md5i_token_is(argument, "none"))
            (void)md5i_parse_skin_named(parser->game, argument->text, argument->size);
        break;
    default: // texts
        break;
    }
    return append_argument(parser, argument, command);
}

// Reads the arguments of a command. Returns false after an error or if memory runs out.
static bool read_command_arguments(md5_model_parser *parser, md5_frame_command *command)
{
    const char *types = command_syntaxes[command->code].arguments;
    for (; *types && !parser->is_defaulted; types++) {
        md5_token token;
        if (md5i_decl_lex_read_on_line(&parser->lex, &token)) {
            TRY(apply_argument(parser, &token, types, command));
        } else if (*types != COMMAND_OPTIONAL_TEXT) {
            md5i_decl_error(&parser->lex, "another argument", "Unexpected end of line");
            return false;
        }
    }
    return true;
}

// Reads a command with its arguments. If the command is missing or unknown, reports an error and
// returns false.
static bool read_frame_command(md5_model_parser *parser, md5_frame_command *command)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_decl_error(&parser->lex, "a frame command", "Unexpected end of line");
        return false;
    }

    uint32_t code = 0;
    while (code < NUM_COMMANDS && !md5i_token_is(&token, command_syntaxes[code].keyword))
        code++;
    if (code == NUM_COMMANDS) {
        md5i_report_unknown_keyword(&parser->lex, &token, MD5_SCOPE_MODEL, "Unknown command", NULL,
                                    "a frame command");
        return false;
    }

    command->code = (md5_frame_code)code;
    return read_command_arguments(parser, command);
}

// Reports an invalid frame number. In lenient mode, the error does not make the model defaulted,
// and the rest of the line is skipped.
static void report_frame_number(md5_model_parser *parser, const md5_token *token,
                                const char *expected, const char *message)
{
    md5i_decl_error(&parser->lex, expected, "%s", message);
    if (!parser->is_defaulted)
        md5i_skip_unknown_keyword(&parser->lex, token, MD5_SCOPE_MODEL);
}

// Reports a frame number that is not in the range of an animation.
static void report_frame_range(md5_model_parser *parser, const md5_token *token, int32_t value,
                               uint32_t num_frames)
{
    char expected[32];
    char message[48];
    (void)snprintf(expected, sizeof expected, "1 to %u", num_frames);
    (void)snprintf(message, sizeof message, "Frame %d out of range", value);
    report_frame_number(parser, token, expected, message);
}

// Reads the number of a frame, which counts from 1. Returns false after an error.
static bool read_frame_number(md5_model_parser *parser, const md5_model_anim *anim, uint32_t *frame)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_decl_error(&parser->lex, "a number", "Missing frame # after 'frame'");
        return false;
    }
    if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "-")) {
        report_frame_number(parser, &token, "a number", "Invalid frame # after 'frame'");
        return false;
    }
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(&parser->lex, "expected integer value, found %s",
                           MD5_QUOTED_TOKEN(&token));

    // An animation without a usable file is dropped together with its commands, so their frames are
    // not checked.
    const int32_t value = md5i_token_int(&token);
    const bool is_in_range = value >= 1 && (uint32_t)value <= anim->num_frames;
    if (anim->num_files > 0 && !is_in_range) {
        report_frame_range(parser, &token, value, anim->num_frames);
        return false;
    }
    *frame = (uint32_t)value;
    return true;
}

// Reads `frame N COMMAND ARGUMENT ...` from the token after the keyword, all on one line.
static void read_frame(md5_model_parser *parser, const md5_model_anim *anim, command_list *list)
{
    md5_frame_command command = {.text = "", .joint = MD5_NONE};
    if (!read_frame_number(parser, anim, &command.frame) || !read_frame_command(parser, &command))
        return;
    list->commands = (md5_frame_command *)md5_grow(&parser->game->scratch, list->commands,
                                                   list->count, sizeof command);
    if (list->commands)
        list->commands[list->count++] = command;
}

// Compares two commands by frame, then by their position in the file, for qsort(). `a` and `b`
// point to pointers to the commands. All commands are in one array in the order of the file, so a
// comparison of the pointers gives that order.
static int compare_commands(const void *a, const void *b)
{
    const md5_frame_command *const first = *(const md5_frame_command *const *)a;
    const md5_frame_command *const second = *(const md5_frame_command *const *)b;
    if (first->frame != second->frame)
        return first->frame < second->frame ? -1 : 1;
    if (first != second)
        return first < second ? -1 : 1;
    return 0;
}

// -- Flags ----------------------------------------------------------------------------------------

// Returns the flag of a keyword, or 0.
static uint32_t parse_anim_flag(const md5_token *token)
{
    if (md5i_token_is(token, "prevent_idle_override"))
        return MD5_ANIM_PREVENTS_IDLE_OVERRIDE;
    if (md5i_token_is(token, "random_cycle_start"))
        return MD5_ANIM_RANDOM_CYCLE_START;
    if (md5i_token_is(token, "ai_no_turn"))
        return MD5_ANIM_NO_TURN;
    if (md5i_token_is(token, "anim_turn"))
        return MD5_ANIM_TURN;
    return 0;
}

// Copies the commands of an animation to the game's memory, sorted by frame. Commands of the same
// frame keep the order of the file. Does nothing if memory runs out or the model has an error.
static void store_commands(md5_model_parser *parser, const command_list *list, md5_model_anim *anim)
{
    md5_frame_command *const commands =
        MD5_ALLOC_ZEROED(&parser->game->arena, md5_frame_command, list->count);
    const md5_frame_command **const sorted =
        MD5_ALLOC_ZEROED(&parser->game->scratch, const md5_frame_command *, list->count);
    if (!commands || !sorted || !can_continue(parser))
        return;
    for (uint32_t i = 0; i < list->count; i++)
        sorted[i] = &list->commands[i];
    qsort(sorted, list->count, sizeof *sorted, compare_commands);
    for (uint32_t i = 0; i < list->count; i++)
        commands[i] = *sorted[i];
    anim->commands = commands;
    anim->num_commands = list->count;
}

// Reads the value of `rate`, a keyword of Quake 4: a factor of the speed.
static void read_rate(md5_model_parser *parser, md5_model_anim *anim)
{
    float rate;
    if (!md5i_decl_lex_float(&parser->lex, &rate))
        return;
    if (rate >= 0.01f && rate <= 100.0f)
        anim->rate = rate;
    else
        md5i_decl_error(&parser->lex, "0.01 to 100", "rate %g out of range", rate);
}

// Reads flags and frame commands up to the closing brace. If the text ends without a brace, lenient
// mode keeps the commands that were read.
static void read_anim_block(md5_model_parser *parser, md5_model_anim *anim)
{
    const bool accepts_rate = md5_is_lenient(parser->game);
    command_list list = {.count = 0};
    bool is_open = true;
    while (is_open && can_continue(parser)) {
        md5_token token;
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            report_unexpected_end(parser);
            is_open = false;
        } else if (md5i_token_is(&token, "}")) {
            is_open = false;
        } else if (parse_anim_flag(&token)) {
            anim->flags |= parse_anim_flag(&token);
        } else if (accepts_rate && md5i_token_is(&token, "rate")) {
            read_rate(parser, anim);
        } else if (md5i_token_is(&token, "frame")) {
            read_frame(parser, anim, &list);
        } else {
            md5i_report_unknown_keyword(&parser->lex, &token, MD5_SCOPE_MODEL, "Unknown command",
                                        NULL, "frame, a flag or '}'");
        }
    }
    store_commands(parser, &list, anim);
}

// -- Files ----------------------------------------------------------------------------------------

// Reports a difference between the joints of the mesh and of an animation. Doom 3 then ends with an
// error. Here the model becomes defaulted instead. Lenient mode ignores differences, because
// animations are bound by the names of joints.
static void check_hierarchy(md5_model_parser *parser, const md5_asset *anim)
{
    const md5_asset *const mesh = parser->mesh;
    if (!mesh || md5_is_lenient(parser->game))
        return;
    if (!charge_joint_budget(parser, 1 + anim->num_joints / COMPARISONS_PER_JOINT))
        return;

    const char *difference = NULL;
    if (mesh->num_joints != anim->num_joints)
        difference = "number of joints";
    for (uint32_t i = 0; i < anim->num_joints && !difference; i++) {
        if (strcmp(mesh->joints[i].name, anim->joints[i].name) != 0)
            difference = "name of a joint";
        else if (mesh->joints[i].parent != anim->joints[i].parent)
            difference = "parent of a joint";
    }

    if (difference)
        md5i_decl_error(&parser->lex, "the joints of the mesh",
                        "Model %s and anim %s differ in the %s: the game ends with an error",
                        MD5_QUOTED(mesh->file), MD5_QUOTED(anim->file), difference);
}

// Adds a file to an animation. All files of an animation play in sync. Therefore each must have the
// same length as the first one.
static void add_anim_file(md5_model_parser *parser, const md5_asset *asset, md5_model_anim *anim)
{
    if (anim->num_files > 0 && asset->milliseconds != anim->milliseconds) {
        md5i_decl_error(&parser->lex, "equal lengths", "Anim %s does not match length of anim %s",
                        MD5_QUOTED(asset->file), MD5_QUOTED(anim->files[0]));
        return;
    }
    if (anim->num_files == MD5_MAX_SYNCED_ANIMS) {
        md5i_decl_error(&parser->lex, "fewer files", "Exceeded max synced anims (%d)",
                        MD5_MAX_SYNCED_ANIMS);
        return;
    }
    if (anim->num_files == 0) {
        anim->num_frames = asset->num_frames;
        anim->milliseconds = asset->milliseconds;
    }
    anim->files[anim->num_files++] = asset->file;
    check_hierarchy(parser, asset);
}

// Reads the files of an animation, FILE, FILE ..., and adds them. Reports a file that cannot be
// loaded.
static void read_files(md5_model_parser *parser, md5_model_anim *anim)
{
    md5_token token;
    do {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            report_unexpected_end(parser);
            continue;
        }
        const md5_asset *const asset = find_asset(parser->game, &token, ".md5anim");
        if (!md5_game_is_ok(parser->game))
            return;
        if (asset)
            add_anim_file(parser, asset, anim);
        else
            md5i_decl_error(&parser->lex, "a readable file", "Couldn't load anim %s",
                            MD5_QUOTED_TOKEN(&token));
    } while (can_continue(parser) && md5i_decl_lex_accept(&parser->lex, ","));
}

// -- Names ----------------------------------------------------------------------------------------

// Changes an array of parser->anims. Returns false if memory runs out.
static bool set_shared(md5_model_parser *parser, md5_shared_array *array, uint32_t index,
                       const void *value)
{
    return md5i_shared_set(array, &parser->game->arena, parser->decl, index,
                           (void *)(uintptr_t)value);
}

// Returns the entry of a name, or NULL if no animation of the game has the name or memory runs out.
static const md5_anim_name *find_anim_name(md5_model_parser *parser, const md5_token *name)
{
    const char *const key = md5_copy_text(&parser->game->scratch, name->text, name->size);
    void **const found = key ? md5i_name_map_find(&parser->game->anim_names, key) : NULL;
    return found ? (const md5_anim_name *)*found : NULL;
}

// Returns the entry of a name, which is added to the game if it is new. Returns NULL if memory runs
// out.
static const md5_anim_name *add_anim_name(md5_model_parser *parser, const char *text, size_t size)
{
    md5_game *const game = parser->game;
    const md5_token token = {.text = text, .size = size};
    const md5_anim_name *const existing = find_anim_name(parser, &token);
    if (existing || !md5_game_is_ok(game))
        return existing;
    md5_anim_name *const name = MD5_ALLOC_ZEROED(&game->arena, md5_anim_name, 1);
    const char *const copy = name ? md5_copy_text(&game->arena, text, size) : NULL;
    void **const added = copy ? md5i_name_map_add(&game->anim_names, &game->arena, copy) : NULL;
    if (!added)
        return NULL;
    name->text = copy;
    name->index = game->num_anim_names++;
    *added = name;
    return name;
}

// Returns the length of the alias of an animation, which is its name without the digits at the end.
// If the alias has less than two characters, reports an error, and the alias is the whole name.
static size_t find_alias_size(md5_model_parser *parser, const md5_token *name)
{
    size_t size = name->size;
    while (size > 1 && name->text[size - 1] >= '0' && name->text[size - 1] <= '9')
        size--;
    if (size > 1)
        return size;
    md5i_decl_error(&parser->lex, "a name of two or more characters before its number",
                    "Invalid animation name %s", MD5_QUOTED_TOKEN(name));
    return name->size;
}

// Adds a slot at the end of the list of the model. It becomes the slot of its name, and the last
// slot of its alias. Returns NULL if memory runs out.
static const md5_anim_slot *add_anim_slot(md5_model_parser *parser, const md5_anim_name *name,
                                          const md5_anim_name *alias)
{
    md5_anim_set *const anims = &parser->anims;
    md5_anim_slot *const slot = MD5_ALLOC_ZEROED(&parser->game->arena, md5_anim_slot, 1);
    if (!slot)
        return NULL;
    slot->index = anims->num_slots++;
    slot->alias = alias->index;
    slot->previous = (const md5_anim_slot *)md5i_shared_get(&anims->aliases, alias->index);
    (void)set_shared(parser, &anims->names, name->index, slot);
    (void)set_shared(parser, &anims->aliases, alias->index, slot);
    return slot;
}

// Adds an animation to the list of the model. If `slot` is not NULL, it replaces the animation of
// this slot. `token` is its name. The first `alias_size` bytes of the name are its alias.
static void add_anim(md5_model_parser *parser, const md5_model_anim *anim, const md5_token *token,
                     size_t alias_size, const md5_anim_slot *slot)
{
    const md5_anim_name *const name = add_anim_name(parser, token->text, token->size);
    const md5_anim_name *const alias = name ? add_anim_name(parser, token->text, alias_size) : NULL;
    if (!alias)
        return;

    md5_model_anim *const copy = MD5_ALLOC_ZEROED(&parser->game->arena, md5_model_anim, 1);
    if (!copy)
        return;
    *copy = *anim;
    copy->name = name->text;
    copy->alias = alias->text;
    if (!slot)
        slot = add_anim_slot(parser, name, alias);
    if (slot)
        (void)set_shared(parser, &parser->anims.anims, slot->index, copy);
}

// Returns the slot of the animation with a name, or NULL.
static const md5_anim_slot *find_anim_slot(md5_model_parser *parser, const md5_token *token)
{
    const md5_anim_name *const name = find_anim_name(parser, token);
    if (!name)
        return NULL;
    const md5_anim_slot *const slot =
        (const md5_anim_slot *)md5i_shared_get(&parser->anims.names, name->index);
    return md5_has_anim(parser, slot) ? slot : NULL;
}

// Reads `anim NAME FILE, FILE { ... }` from the token after the keyword.
static void read_model_anim(md5_model_parser *parser)
{
    md5_token token;
    if (!parser->names_mesh)
        md5i_decl_error(&parser->lex, "mesh", "Must specify mesh before defining anims");
    parser->names_mesh = true; // report the error only once
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &token)) {
        report_unexpected_end(parser);
        return;
    }

    // An animation replaces an inherited animation with its name.
    const md5_anim_slot *const slot = find_anim_slot(parser, &token);
    const bool is_duplicate = slot && slot->index >= parser->num_inherited_slots;
    if (is_duplicate)
        md5i_decl_error(&parser->lex, "a unique name, skipped", "Duplicate anim %s",
                        MD5_QUOTED_TOKEN(&token));
    const size_t alias_size = parser->is_defaulted ? 0 : find_alias_size(parser, &token);

    // The tokens of a duplicate must be skipped, so it is read, but it is not added.
    md5_model_anim anim = {.rate = 1.0f};
    if (can_continue(parser))
        read_files(parser, &anim);
    if (can_continue(parser) && md5i_decl_lex_accept(&parser->lex, "{"))
        read_anim_block(parser, &anim);
    if (can_continue(parser) && !is_duplicate && anim.num_files > 0)
        add_anim(parser, &anim, &token, alias_size, slot);
}

// == Models =======================================================================================
//
// model NAME { inherit, skin, mesh, offset, channel, anim, remove ... }
//
// Parents are parsed from a stack before the models that inherit them, because a long chain of
// parents would need deep recursion. A model that inherits itself, directly or through other
// models, inherits nothing.

// -- Keywords -------------------------------------------------------------------------------------

// Resets all values that were read, as the engine does before it copies a parent.
static void reset_parser(md5_model_parser *parser)
{
    *parser = (md5_model_parser){
        .game = parser->game,
        .lex = parser->lex,
        .decl = parser->decl,
        .is_defaulted = parser->is_defaulted,
    };
}

// Starts with the values of a parent. Shares its data instead of copying it, because chains of
// parents may be long.
static void share_parent(md5_model_parser *parser, const md5_parsed_model *parent)
{
    parser->parent = parent;
    parser->mesh = parent->mesh;
    parser->names_mesh = parent->names_mesh;
    parser->skin = parent->def.skin;
    parser->offset = parent->def.offset;
    parser->joint_channels = parent->joint_channels;
    memcpy(parser->channels, parent->def.channels, sizeof parser->channels);
    parser->other_channels = parent->other_channels;
    parser->num_other_channels = parent->def.num_other_channels;
    parser->anims = parent->anims;
    parser->num_inherited_slots = parent->anims.num_slots;
}

// Reads `inherit MODEL`. The values of the parent replace all values that were read before.
static void read_inherit(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_MODEL, name->text, name->size);
    if (!entry) {
        md5i_decl_lex_warn(&parser->lex, "Unknown model definition %s", MD5_QUOTED_TOKEN(name));
    } else if (entry->decl.state == MD5_DECL_DEFAULTED) {
        md5i_decl_error(&parser->lex, "a model definition without errors",
                        "inherited model definition %s defaulted", MD5_QUOTED_TOKEN(name));
    } else {
        reset_parser(parser);
        if (entry->parsed)
            share_parent(parser, (const md5_parsed_model *)entry->parsed);
    }
}

// Reads the skin with which a model is drawn by default.
static void read_model_skin(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const skin = md5i_parse_skin_named(parser->game, name->text, name->size);
    if (skin)
        parser->skin = skin->decl.name;
}

// Reads `mesh FILE`. As in the engine, this removes all joints from their channels, but does not
// change the lists of joints that channels have.
static void read_mesh(md5_model_parser *parser, const md5_token *name)
{
    md5_game *const game = parser->game;
    parser->names_mesh = true;
    if (!has_file_extension(name, ".md5mesh")) {
        md5i_decl_error(&parser->lex, "a .md5mesh file", "Invalid model for MD5 mesh");
        return;
    }

    const md5_asset *const mesh = find_asset(game, name, ".md5mesh");
    if (!md5_game_is_ok(game))
        return;
    if (!mesh) {
        md5i_decl_error(&parser->lex, "a readable mesh", "Model %s defaulted",
                        MD5_QUOTED_TOKEN(name));
        return;
    }
    if (!charge_joint_budget(parser, mesh->num_joints)) {
        md5i_decl_error(&parser->lex, "fewer joints in all models", "Model %s defaulted",
                        MD5_QUOTED_TOKEN(name));
        return;
    }
    parser->mesh = mesh;
    parser->joint_channels = MD5_ALLOC_ZEROED(&game->scratch, uint8_t, mesh->num_joints);
    parser->owns_joint_channels = true;
}

// Removes the animation of a slot. Returns false and reports an error if it is not inherited.
static bool remove_anim(md5_model_parser *parser, const md5_anim_slot *slot, const md5_token *name)
{
    if (slot->index < parser->num_inherited_slots)
        return set_shared(parser, &parser->anims.anims, slot->index, NULL);
    md5i_decl_error(&parser->lex, "an inherited anim",
                    "Anim %s was not inherited.  Anim should be removed from the model def.",
                    MD5_QUOTED_TOKEN(name));
    return false;
}

// Sets the last slot of an alias to `slot`. If its animation is removed, sets it to the nearest
// slot before it whose animation is not. Later searches then need not visit removed slots.
static void update_last_alias_slot(md5_model_parser *parser, uint32_t alias,
                                   const md5_anim_slot *slot)
{
    while (slot && !md5_has_anim(parser, slot))
        slot = slot->previous;
    (void)set_shared(parser, &parser->anims.aliases, alias, slot);
}

// Removes all animations with an alias. Sets *is_found to true if there are any. Returns false
// after an error.
static bool remove_by_alias(md5_model_parser *parser, const md5_anim_name *name,
                            const md5_token *token, bool *is_found)
{
    // The slots of an alias form a list from the last to the first animation with this alias.
    const md5_anim_slot *slot =
        (const md5_anim_slot *)md5i_shared_get(&parser->anims.aliases, name->index);
    for (; slot; slot = slot->previous) {
        if (!md5_has_anim(parser, slot))
            continue;
        *is_found = true;
        TRY(remove_anim(parser, slot, token));
    }
    if (*is_found)
        update_last_alias_slot(parser, name->index, NULL);
    return true;
}

// Removes the animation with a name. The animation is also in the list of its alias, which is the
// name without the digits at the end: the alias of `stand2` is `stand`. That list is updated too.
// Sets *is_found to true if the animation exists.
static void remove_by_name(md5_model_parser *parser, const md5_anim_name *name,
                           const md5_token *token, bool *is_found)
{
    const md5_anim_set *const anims = &parser->anims;
    const md5_anim_slot *const slot =
        (const md5_anim_slot *)md5i_shared_get(&anims->names, name->index);
    if (!md5_has_anim(parser, slot))
        return;
    *is_found = true;
    (void)remove_anim(parser, slot, token);
    update_last_alias_slot(parser, slot->alias,
                           (const md5_anim_slot *)md5i_shared_get(&anims->aliases, slot->alias));
}

// Reads `remove NAME`: removes all animations with the alias NAME and the animation NAME.
static void read_remove(md5_model_parser *parser, const md5_token *token)
{
    const md5_anim_name *const name = find_anim_name(parser, token);
    bool is_found = false;
    if (name && remove_by_alias(parser, name, token, &is_found))
        remove_by_name(parser, name, token, &is_found);
    if (!is_found)
        md5i_decl_error(&parser->lex, "an inherited anim", "Couldn't find anim %s to remove",
                        MD5_QUOTED_TOKEN(token));
}

// Keywords with one name as an argument.
static const struct model_keyword {
    const char *keyword;
    void (*read)(md5_model_parser *parser, const md5_token *name);
} name_keywords[] = {
    {"inherit", read_inherit},
    {"skin", read_model_skin},
    {"mesh", read_mesh},
    {"remove", read_remove},
};

// Reads `offset ( X Y Z )`.
static void read_offset(md5_model_parser *parser)
{
    float values[3] = {0.0f, 0.0f, 0.0f};
    if (md5i_decl_lex_vector(&parser->lex, values, 3))
        parser->offset = (md5_vec3){values[0], values[1], values[2]};
    else
        md5i_decl_error(&parser->lex, "( x y z )", "Expected vector following 'offset'");
}

// Reads the arguments of a keyword of a model and applies the keyword. Reports an unknown keyword
// and skips its arguments and its block.
static void read_model_keyword(md5_model_parser *parser, const md5_token *token)
{
    if (md5i_token_is(token, "anim")) {
        read_model_anim(parser);
        return;
    }
    if (md5i_token_is(token, "channel")) {
        read_channel(parser);
        return;
    }
    if (md5i_token_is(token, "offset")) {
        read_offset(parser);
        return;
    }

    for (uint32_t i = 0; i < MD5_COUNT(name_keywords); i++) {
        if (!md5i_token_is(token, name_keywords[i].keyword))
            continue;
        md5_token name;
        if (md5i_decl_lex_read(&parser->lex, &name))
            name_keywords[i].read(parser, &name);
        else
            report_unexpected_end(parser);
        return;
    }

    md5i_report_unknown_keyword(&parser->lex, token, MD5_SCOPE_MODEL, "unknown token", NULL,
                                "mesh, skin, offset, channel, anim, inherit or remove");
    // Skip the block of the unknown keyword.
    if (!parser->is_defaulted && md5i_decl_lex_accept(&parser->lex, "{"))
        (void)md5i_decl_lex_skip_braces(&parser->lex, 1);
}

// -- Storing --------------------------------------------------------------------------------------

// Copies the joints of a channel to the game's memory. Drops joints that the mesh does not have,
// because a later `mesh` can have fewer joints. Returns false if memory runs out.
static bool copy_channel_joints(md5_model_parser *parser, const md5_model_channel *from,
                                md5_model_channel *result)
{
    const uint32_t num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    uint32_t *const joints = MD5_ALLOC_ZEROED(&parser->game->arena, uint32_t, from->num_joints);
    TRY(joints);
    result->joints = joints;
    result->num_joints = 0;
    for (uint32_t i = 0; i < from->num_joints; i++) {
        if (from->joints[i] < num_joints)
            joints[result->num_joints++] = from->joints[i];
    }
    return true;
}

// Stores the channels that the engine does not have. Shares them with the parent if they have not
// changed, otherwise copies them to the game's memory. Returns false if memory runs out.
static bool store_other_channels(md5_model_parser *parser, bool has_parent, md5_parsed_model *model)
{
    const uint32_t count = parser->num_other_channels;
    const bool is_shared = has_parent && !parser->owns_other_channels;
    model->def.num_other_channels = count;
    if (is_shared) {
        model->other_channels = parser->other_channels;
        model->def.other_channels = model->other_channels;
        return true;
    }

    model->other_channels = MD5_ALLOC_ZEROED(&parser->game->arena, md5_named_channel, count);
    TRY(model->other_channels);
    for (uint32_t i = 0; i < count; i++) {
        model->other_channels[i].name = parser->other_channels[i].name;
        TRY(copy_channel_joints(parser, &parser->other_channels[i].channel,
                                &model->other_channels[i].channel));
    }
    model->def.other_channels = model->other_channels;
    return true;
}

// Stores the channel of each joint. Copies the array to the game's memory, unless it is the array
// of the parent model. Returns false if memory runs out.
static bool store_joint_channels(md5_model_parser *parser, md5_parsed_model *model)
{
    model->joint_channels = parser->joint_channels;
    if (!parser->owns_joint_channels)
        return true;
    model->joint_channels = (uint8_t *)md5i_arena_copy(&parser->game->arena, parser->joint_channels,
                                                       model->def.num_joints, 1);
    return model->joint_channels != NULL;
}

// Stores the joints of the engine's channels. MD5_CHANNEL_ALL uses the array of the mesh. Channels
// that have not changed use the arrays of `parent`, which may be NULL. Returns false if memory runs
// out.
static bool store_channels(md5_model_parser *parser, const md5_parsed_model *parent,
                           md5_parsed_model *model)
{
    if (parser->mesh)
        model->def.channels[MD5_CHANNEL_ALL] =
            (md5_model_channel){parser->mesh->num_joints, parser->mesh->joint_indices};
    for (uint32_t i = MD5_CHANNEL_ALL + 1; i < MD5_NUM_CHANNELS; i++) {
        const md5_model_channel *const channel = &parser->channels[i];
        const bool is_unchanged = parent && channel->joints == parent->def.channels[i].joints;
        if (is_unchanged)
            model->def.channels[i] = *channel;
        else
            TRY(copy_channel_joints(parser, channel, &model->def.channels[i]));
    }
    return true;
}

// Stores a parsed modelDef in the game's memory: the public part, and what models that inherit it
// need. Returns false if memory runs out.
static bool store_model(md5_model_parser *parser, md5_decl_entry *entry)
{
    md5_parsed_model *const model = MD5_ALLOC_ZEROED(&parser->game->arena, md5_parsed_model, 1);
    TRY(model);

    // The members that are only for models that inherit this model.
    model->mesh = parser->mesh;
    model->names_mesh = parser->names_mesh;
    model->anims = parser->anims;

    // Fill the part of the definition that programs can read.
    model->def.decl = &entry->decl;
    model->def.mesh = "";
    if (parser->mesh) {
        model->def.mesh = parser->mesh->file;
        model->def.num_joints = parser->mesh->num_joints;
        model->def.joints = parser->mesh->joints;
    }
    model->def.skin = parser->skin;
    model->def.offset = parser->offset;
    model->def.num_anims = md5i_shared_count(&parser->anims.anims);
    TRY(store_joint_channels(parser, model));

    // Channels can only be shared with a parent that has the same joints.
    const bool has_parent = parser->parent && parser->parent->mesh == parser->mesh;
    TRY(store_channels(parser, has_parent ? parser->parent : NULL, model));
    TRY(store_other_channels(parser, has_parent, model));

    entry->parsed = model;
    entry->decl.state = parser->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

// Parses a model, and stores it. Its parents must be parsed already. As in the engine, a model with
// an error is stored without content. Returns false if memory runs out.
static bool parse_single(md5_game *game, md5_decl_entry *entry)
{
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    md5_model_parser parser = {.game = game, .decl = &entry->decl};
    md5i_decl_lex_begin_decl(&parser.lex, game, entry, &parser.is_defaulted);

    md5_token token;
    (void)md5i_decl_lex_skip_until(&parser.lex, "{");
    while (can_continue(&parser) && md5i_decl_lex_read(&parser.lex, &token)
           && !md5i_token_is(&token, "}"))
        read_model_keyword(&parser, &token);

    if (parser.is_defaulted)
        reset_parser(&parser);
    const bool is_stored = md5_game_is_ok(game) && store_model(&parser, entry);
    md5i_arena_rewind(&game->scratch, before);
    return is_stored;
}

// -- Parents --------------------------------------------------------------------------------------

// A model on the stack of models to parse.
typedef struct waiting_model {
    struct waiting_model *below;
    md5_decl_entry *entry;
    bool has_pushed_parents;
} waiting_model;

// Pushes a model on the stack. Returns false if memory runs out.
static bool push_model(md5_game *game, waiting_model **top, md5_decl_entry *entry)
{
    waiting_model *const added = MD5_ALLOC_ZEROED(&game->scratch, waiting_model, 1);
    TRY(added);
    added->below = *top;
    added->entry = entry;
    *top = added;
    return true;
}

// Pushes all models that the text of a model inherits. Skips models that are parsed, or that wait
// for their parents. Errors in the text are not reported here, but when the model is parsed.
// Returns false if memory runs out.
static bool push_parents(md5_game *game, waiting_model **top, md5_decl_entry *entry)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin_decl(&lex, game, entry, NULL);
    lex.is_silent = true;

    md5_token token;
    bool is_name = false; // the token follows `inherit`
    while (md5i_decl_lex_read(&lex, &token)) {
        md5_decl_entry *parent = NULL;
        if (is_name)
            parent = md5i_find_entry(game, MD5_DECL_MODEL, token.text, token.size);
        if (parent && !parent->parsed && !parent->is_open)
            TRY(push_model(game, top, parent));
        is_name = !is_name && md5i_token_is(&token, "inherit");
    }
    return true;
}

// Parses a model and its ancestors if they have not been parsed. Returns false if memory runs out.
static bool parse_with_parents(md5_game *game, md5_decl_entry *entry)
{
    waiting_model *top = NULL;
    TRY(entry->parsed || push_model(game, &top, entry));
    // A model is visited twice. The first visit pushes its parents above it. At the second visit
    // they are parsed, so the model can be parsed. A model between its two visits is open and is
    // not pushed again. Otherwise a model that inherits itself would cause an endless loop.
    while (top) {
        waiting_model *const current = top;
        if (!current->entry->parsed && !current->has_pushed_parents) {
            current->has_pushed_parents = true;
            current->entry->is_open = true;
            TRY(push_parents(game, &top, current->entry));
            continue;
        }
        TRY(current->entry->parsed || parse_single(game, current->entry));
        current->entry->is_open = false;
        top = current->below;
    }
    return true;
}

// Returns an animation of a modelDef by its index, 0 to num_anims - 1. The animations are in the
// order of the engine.
const md5_model_anim *md5_model_def_anim(const md5_model_def *model, uint32_t index)
{
    MD5_ASSERT_PART(model, decl);
    MD5_ASSERT(index < model->num_anims, "index: must be below num_anims");
    // Every md5_model_def is the first member of an md5_parsed_model.
    const md5_parsed_model *const parsed = (const md5_parsed_model *)(const void *)model;
    return (const md5_model_anim *)md5i_shared_array_at(&parsed->anims.anims, index);
}

// Returns the modelDef with the given name. If no file declares the name, returns NULL without an
// error. The engine then uses the name as the name of a model file.
const md5_model_def *md5_game_model_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    const md5_parsed_model *const parsed = (const md5_parsed_model *)md5i_request_decl(
        game, MD5_DECL_MODEL, name, parse_with_parents, error);
    return parsed ? &parsed->def : NULL;
}
