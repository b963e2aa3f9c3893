// ModelDefs: words and inheritance, channels, animations.
#include "md5/core/assert.h"
#include "md5/game/containers.h"
#include "md5/game/decls.h"
#include "md5/md5game.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What models need of a mesh and of an animation. Each file is read once.
typedef struct md5_mesh_asset {
    const char *file; // as it was asked for first
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints]
    const uint32_t *numbers; // [num_joints] 0, 1, 2 ...: the joints of the channel of all
} md5_mesh_asset;

typedef struct md5_anim_asset {
    const char *file;
    uint32_t num_frames, milliseconds;
} md5_anim_asset;

// A name or an alias of an animation: the names of a game are numbered, so that arrays are indexed
// by them.
typedef struct md5_anim_name {
    const char *text;
    uint32_t number;
} md5_anim_name;

// Where an animation is in the list of a model. Slots are never used twice.
typedef struct md5_anim_slot {
    uint32_t number;
    uint32_t alias;                     // number of the alias
    const struct md5_anim_slot *before; // the slot before it with this alias, NULL = none
} md5_anim_slot;

// The animations of a model. Models that inherit others begin with a copy, which takes no time and
// shares all that stays as it is.
typedef struct md5_anim_set {
    md5_shared_array anims;   // of md5_model_anim, by slot; NULL = removed
    md5_shared_array names;   // of md5_anim_slot, by name; its animation may be removed
    md5_shared_array aliases; // the same with the last slot of an alias
    uint32_t num_slots;
} md5_anim_set;

// A parsed model. What inherits it also needs which channel each joint is in.
typedef struct md5_parsed_model {
    md5_model_def def; // first: the public part
    const md5_mesh_asset *mesh;
    uint8_t *joint_channels;   // [num_joints], 0 = none
    md5_named_channel *others; // def.other_channels
    md5_anim_set anims;
} md5_parsed_model;

// The parse of one model. Data of a parent is shared; its own data, except texts and animations, is
// in game->scratch.
typedef struct md5_model_parser {
    md5_game *game;
    md5_decl_lex lex;
    const md5_decl *decl;
    bool is_defaulted;
    const md5_parsed_model *parent; // inherited last, NULL = none
    const md5_mesh_asset *mesh;     // NULL before `mesh`
    const char *skin;
    md5_vec3 offset;
    uint8_t *joint_channels;
    md5_model_channel channels[MD5_NUM_CHANNELS];
    md5_named_channel *others; // [num_others]
    uint32_t num_others, other_room;
    bool owns_joint_channels, owns_others; // else they are the parent's
    md5_anim_set anims;
    uint32_t num_inherited_slots; // inherited slots have lower numbers
} md5_model_parser;

// == Files ========================================================================================

// What stands for a file that cannot be read.
static void *broken_asset(void)
{
    static const char broken = 0;
    return (void *)(uintptr_t)&broken;
}

static md5_load_opts opts_of(const md5_game *game)
{
    return (md5_load_opts){.allocator = game->context.allocator,
                           .without = MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS};
}

// Passes on the error if memory has run out. Other errors are reported by the caller, in the
// engine's words.
static void *pass_on(md5_game *game, const md5_error *error)
{
    if (error->status != MD5_ERROR_MEMORY)
        return broken_asset();
    (void)md5i_fail(&game->context, MD5_ERROR_MEMORY, 0, 0, "%s", error->message);
    return NULL;
}

static md5_mesh_asset *copy_joints(md5_game *game, const char *file, const md5_skeleton *skeleton)
{
    md5_arena *const arena = &game->arena;
    md5_mesh_asset *const asset = MD5_NEW(arena, md5_mesh_asset, 1);
    md5_joint *const joints = MD5_NEW(arena, md5_joint, skeleton->num_joints);
    uint32_t *const numbers = MD5_NEW(arena, uint32_t, skeleton->num_joints);
    if (!asset || !joints || !numbers)
        return NULL;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        numbers[i] = i;
        const char *const name = skeleton->joints[i].name;
        joints[i].name = md5_copy_text(arena, name, strlen(name));
        joints[i].parent = skeleton->joints[i].parent;
        if (!joints[i].name)
            return NULL;
    }
    asset->file = file;
    asset->num_joints = skeleton->num_joints;
    asset->joints = joints;
    asset->numbers = numbers;
    return asset;
}

static void *load_mesh(md5_game *game, const char *file, const char *text, size_t size)
{
    const md5_load_opts opts = opts_of(game);
    md5_error error = {.status = MD5_OK};
    md5_model *const model = md5_parse_model(text, size, &opts, &error);
    if (!model)
        return pass_on(game, &error);
    md5_mesh_asset *const asset = copy_joints(game, file, &model->skeleton);
    md5_free_model(model);
    return asset;
}

static void *load_anim(md5_game *game, const char *file, const char *text, size_t size)
{
    const md5_load_opts opts = opts_of(game);
    md5_error error = {.status = MD5_OK};
    md5_anim *const anim = md5_parse_anim(text, size, &opts, &error);
    if (!anim)
        return pass_on(game, &error);
    md5_anim_asset *const asset = MD5_NEW(&game->arena, md5_anim_asset, 1);
    if (asset) {
        asset->file = file;
        asset->num_frames = anim->num_frames;
        // The engine's length: whole milliseconds, rounded up, at a whole frame rate.
        const double rate = floor(anim->frame_rate);
        const double length = rate >= 1.0 ? ceil((anim->num_frames - 1) * 1000.0 / rate) : 0.0;
        asset->milliseconds = length < (double)INT32_MAX ? (uint32_t)length : INT32_MAX;
    }
    md5_free_anim(anim);
    return asset;
}

typedef void *load_asset(md5_game *game, const char *file, const char *text, size_t size);

// Returns what a file was loaded to, loading it first if need be. NULL if there is no such file or
// it is broken; or, with the context's error set, if memory runs out.
static const void *find_asset(md5_game *game, const char *file, const char *extension,
                              load_asset *load)
{
    if (!md5_has_extension(file, extension))
        return NULL;
    void **const found = md5i_name_map_find(&game->assets, file);
    if (found && *found)
        return *found == broken_asset() ? NULL : *found;
    const char *const copy = md5_copy_text(&game->arena, file, strlen(file));
    if (!copy)
        return NULL;
    md5_error reason = {.status = MD5_OK};
    size_t size = 0;
    const md5_game_entry *const entry = md5i_game_find_file(game, copy);
    const char *const text = entry ? md5i_game_open_file(game, entry, 0, &size, &reason) : NULL;
    void *const asset = text ? load(game, copy, text, size) : broken_asset();
    if (text)
        md5i_game_close_file(game, entry, text, size);
    void **const added = asset ? md5i_name_map_add(&game->assets, &game->arena, copy) : NULL;
    if (!added)
        return NULL;
    *added = asset;
    return asset == broken_asset() ? NULL : asset;
}

// Whether the animation of a slot has not been removed.
static inline bool md5_has_anim(const md5_model_parser *parser, const md5_anim_slot *slot)
{
    return slot && md5i_shared_get(&parser->anims.anims, slot->number);
}

static bool may_go_on(const md5_model_parser *parser)
{
    return !parser->is_defaulted && md5_game_has_memory(parser->game);
}

// == Mistakes =====================================================================================
//
// What all readers of a model share.

// Reports that the text ends.
static void model_fail_at_end(md5_model_parser *parser)
{
    md5i_mistake(&parser->lex, "'}'", "Unexpected end of file");
}

// Takes the work on so many joints from what all models of the game may cost together. Returns
// false if that is used up, and reports it as a mistake when that happens.
static bool model_spend(md5_model_parser *parser, uint32_t num_joints)
{
    // Ten times what the largest games need: with it models take at most 40 MB for their channels.
    enum { MOST_JOINTS = 8 << 20 };
    uint32_t *const spent = &parser->game->num_model_joints;
    if (*spent < MOST_JOINTS && num_joints <= MOST_JOINTS - *spent) {
        *spent += num_joints;
        return true;
    }
    if (*spent < MOST_JOINTS) {
        *spent = MOST_JOINTS;
        md5i_mistake(&parser->lex, "fewer, skipped",
                     "The channels of all models have more than %d joints", (int)MOST_JOINTS);
    }
    return false;
}

// Returns the joint of a name, ignoring case, or MD5_NONE.
static uint32_t model_find_joint(md5_model_parser *parser, const char *name, size_t size)
{
    enum { QUICK = 32 }; // comparing a name is so much quicker than what else is done with a joint
    const md5_token word = {.text = name, .size = size};
    const uint32_t count = parser->mesh ? parser->mesh->num_joints : 0;
    const bool may_search = model_spend(parser, 1 + count / QUICK);
    for (uint32_t i = 0; may_search && i < count; i++) {
        if (md5i_token_is_word(&word, parser->mesh->joints[i].name))
            return i;
    }
    return MD5_NONE;
}

// == Channels =====================================================================================
//
// Channels: the joints that an animation of a part of the body drives.
//
// Names are read from left to right: J adds a joint, *J it and all below it, -J and -*J remove
// them.

// The joints of a channel in the order in which they were added.
typedef struct channel_joints {
    uint32_t *joints; // [num_joints], `count` of them used
    uint8_t *is_in;   // [num_joints]
    uint32_t count;
    const char *source; // the names that have not been applied yet, in the text read
} channel_joints;

// -- Lists of joints ------------------------------------------------------------------------------

// The joints below one follow it in the file, up to one whose parent comes before it.
static void change_joints(md5_model_parser *parser, channel_joints *list, uint32_t joint,
                          bool with_children, bool is_removed)
{
    const md5_mesh_asset *const mesh = parser->mesh;
    uint32_t end = joint + 1;
    while (with_children && end < mesh->num_joints && mesh->joints[end].parent != MD5_NONE
           && mesh->joints[end].parent >= joint)
        end++;
    if (!model_spend(parser, end - joint + (is_removed ? list->count : 0)))
        return;
    for (uint32_t i = joint; i < end; i++) {
        if (!is_removed && !list->is_in[i])
            list->joints[list->count++] = i;
        list->is_in[i] = !is_removed;
    }
    if (is_removed) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < list->count; i++) {
            if (list->is_in[list->joints[i]])
                list->joints[count++] = list->joints[i];
        }
        list->count = count;
    }
}

// Points warnings at the next name of the list. Of long ones only the beginning is compared, so
// that the time is linear.
static void point_at_name(md5_decl_lex *lex, channel_joints *list, const char *name, size_t size)
{
    const size_t compared = size < 64 ? size : 64;
    while (size <= (size_t)(lex->at - list->source) && memcmp(list->source, name, compared) != 0)
        list->source++;
    if (size > (size_t)(lex->at - list->source))
        return;
    lex->token_at = list->source;
    list->source += size;
}

// Applies one name of the list `all`.
static void apply_name(md5_model_parser *parser, channel_joints *list, const char *name,
                       size_t size, md5_token all)
{
    const bool is_removed = size > 0 && *name == '-';
    name += is_removed;
    size -= is_removed;
    const bool with_children = size > 0 && *name == '*';
    name += with_children;
    size -= with_children;
    point_at_name(&parser->lex, list, name, size);
    const uint32_t joint = model_find_joint(parser, name, size);
    if (joint != MD5_NONE) {
        change_joints(parser, list, joint, with_children, is_removed);
        return;
    }
    if (!model_spend(parser, 0)) // nothing is looked up any more
        return;
    const char *const model = parser->decl->name;
    md5i_decl_lex_warn(&parser->lex, "Unknown joint %s in %s for model %s",
                       md5i_quote(name, size).text, md5i_token_show(&all).text, MD5_QUOTED(model));
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// -- Reading --------------------------------------------------------------------------------------

// Appends a token to a text in game->scratch, whose room doubles.
static bool append(md5_model_parser *parser, md5_token *all, size_t *room, const md5_token *token)
{
    const bool has_blank = !md5i_token_is(token, "*") && !md5i_token_is(token, "-");
    const size_t size = all->size + token->size + 1;
    char *memory = (char *)(uintptr_t)all->text;
    if (size > *room) {
        *room = 2 * size;
        memory = (char *)md5i_arena_room(&parser->game->scratch, *room, 1);
        TRY(memory);
        if (all->size > 0)
            memcpy(memory, all->text, all->size);
        all->text = memory;
    }
    if (token->size > 0)
        memcpy(memory + all->size, token->text, token->size);
    memory[all->size + token->size] = ' ';
    all->size += token->size + has_blank;
    return true;
}

// Reads the names up to the bracket behind them, as one text: a blank follows each but * and -.
static bool read_names(md5_model_parser *parser, md5_token *all)
{
    md5_token token;
    size_t room = 0;
    *all = (md5_token){.text = ""};
    while (!md5i_decl_lex_take(&parser->lex, ")")) {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            model_fail_at_end(parser);
            return false;
        }
        TRY(append(parser, all, &room, &token));
    }
    return true;
}

// Copies the joints' channels if they are still shared with the parent.
static bool own_joint_channels(md5_model_parser *parser)
{
    const uint32_t count = parser->mesh->num_joints;
    if (parser->owns_joint_channels)
        return true;
    uint8_t *const copy =
        (uint8_t *)md5i_arena_copy(&parser->game->scratch, parser->joint_channels, count, 1);
    TRY(copy);
    parser->joint_channels = copy;
    parser->owns_joint_channels = true;
    return true;
}

// Gives the joints of a list to a channel, except those that are in one already.
static void keep_joints(md5_model_parser *parser, channel_joints *list, uint32_t channel)
{
    uint32_t kept = 0;
    if (!own_joint_channels(parser))
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t joint = list->joints[i];
        if (parser->joint_channels[joint] != 0) {
            const char *const name = parser->mesh->joints[joint].name;
            md5i_decl_lex_warn(&parser->lex, "Joint %s assigned to multiple channels",
                               MD5_QUOTED(name));
            continue;
        }
        parser->joint_channels[joint] = (uint8_t)channel;
        list->joints[kept++] = joint;
    }
    parser->channels[channel].joints = list->joints;
    parser->channels[channel].num_joints = kept;
}

// Makes room for another channel, in a list that is the parser's own.
static bool make_room(md5_model_parser *parser)
{
    enum { LEAST = 8 };
    if (parser->owns_others && parser->num_others < parser->other_room)
        return true;
    const uint32_t room = 2 * parser->num_others + LEAST;
    if (!model_spend(parser, room * (uint32_t)sizeof *parser->others / sizeof(uint32_t)))
        return false;
    md5_named_channel *const others = MD5_NEW(&parser->game->scratch, md5_named_channel, room);
    TRY(others);
    for (uint32_t i = 0; i < parser->num_others; i++)
        others[i] = parser->others[i];
    parser->others = others;
    parser->other_room = room;
    parser->owns_others = true;
    return true;
}

// Returns a new channel of a name, NULL if there are too many or memory runs out.
static md5_named_channel *add_other(md5_model_parser *parser, const md5_token *name)
{
    enum { MOST = 256 };
    if (parser->num_others == MOST) {
        md5i_mistake(&parser->lex, "no further channel", "%d unknown channels", (int)MOST);
        return NULL;
    }
    const char *const copy = md5i_keep_token(parser->game, name);
    if (!copy)
        return NULL;
    md5_named_channel *const other = &parser->others[parser->num_others++];
    other->name = copy;
    return other;
}

// Reads `channel NAME ( JOINT ... )` behind its first word.
static void read_channel(md5_model_parser *parser)
{
    md5_arena *const scratch = &parser->game->scratch;
    md5_token name, names;
    if (!parser->mesh)
        md5i_mistake(&parser->lex, "mesh", "Must specify mesh before defining channels");
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &name)) {
        model_fail_at_end(parser);
        return;
    }
    if (!md5i_decl_lex_take(&parser->lex, "(")) {
        md5i_mistake(&parser->lex, "'('", "Expected { after %s", md5i_token_show(&name).text);
        return;
    }
    static const char *const words[MD5_NUM_CHANNELS] = {"", "torso", "legs", "head", "eyelids"};
    uint32_t channel = 1;
    while (channel < MD5_NUM_CHANNELS && !md5i_token_is_word(&name, words[channel]))
        channel++;
    parser->lex.token_at = name.at;
    if (channel == MD5_NUM_CHANNELS)
        md5i_mistake(&parser->lex, "torso, legs, head or eyelids", "Unknown channel %s",
                     md5i_token_show(&name).text);
    if (parser->is_defaulted || !read_names(parser, &names) || !parser->mesh)
        return;
    const uint32_t count = parser->mesh->num_joints;
    if (!model_spend(parser, count))
        return;
    channel_joints list = {
        .joints = MD5_NEW(scratch, uint32_t, count),
        .is_in = MD5_NEW(scratch, uint8_t, count),
        .source = name.at + name.size,
    };
    if (!list.joints || !list.is_in)
        return;
    const char *at = names.text, *const end = names.text + names.size;
    while (at < end) {
        const char *const start = at;
        while (at < end && !is_blank(*at))
            at++;
        if (at > start)
            apply_name(parser, &list, start, (size_t)(at - start), names);
        at += at < end;
    }
    if (channel < MD5_NUM_CHANNELS) {
        keep_joints(parser, &list, channel);
    } else { // a channel that the engine does not know: its joints may be in others too
        md5_named_channel *other = NULL;
        if (!make_room(parser))
            return;
        for (uint32_t i = 0; i < parser->num_others; i++) {
            if (md5i_token_is_word(&name, parser->others[i].name))
                other = &parser->others[i];
        }
        if (!other)
            other = add_other(parser, &name);
        if (other)
            other->channel = (md5_model_channel){list.count, list.joints};
    }
}

// == Animations ===================================================================================
//
// Animations of models: names, files, flags and frame commands.

// -- Frame commands -------------------------------------------------------------------------------

// Commands and their arguments: t a text, j a joint, J a joint or "", s a skin, n a number, o a
// text or nothing. Names of functions, events, effects and entities are not looked up.
static const struct command_word {
    const char *word, *arguments;
    md5_frame_code code;
} command_words[] = {
    {"call", "t", MD5_FRAME_CALL},
    {"object_call", "t", MD5_FRAME_OBJECT_CALL},
    {"event", "t", MD5_FRAME_EVENT},
    {"sound", "t", MD5_FRAME_SOUND},
    {"sound_voice", "t", MD5_FRAME_SOUND_VOICE},
    {"sound_voice2", "t", MD5_FRAME_SOUND_VOICE2},
    {"sound_body", "t", MD5_FRAME_SOUND_BODY},
    {"sound_body2", "t", MD5_FRAME_SOUND_BODY2},
    {"sound_body3", "t", MD5_FRAME_SOUND_BODY3},
    {"sound_weapon", "t", MD5_FRAME_SOUND_WEAPON},
    {"sound_global", "t", MD5_FRAME_SOUND_GLOBAL},
    {"sound_item", "t", MD5_FRAME_SOUND_ITEM},
    {"sound_chatter", "t", MD5_FRAME_SOUND_CHATTER},
    {"skin", "s", MD5_FRAME_SKIN},
    {"fx", "t", MD5_FRAME_FX},
    {"trigger", "t", MD5_FRAME_TRIGGER},
    {"triggerSmokeParticle", "t", MD5_FRAME_TRIGGER_SMOKE_PARTICLE},
    {"melee", "t", MD5_FRAME_MELEE},
    {"direct_damage", "t", MD5_FRAME_DIRECT_DAMAGE},
    {"attack_begin", "t", MD5_FRAME_ATTACK_BEGIN},
    {"attack_end", "", MD5_FRAME_ATTACK_END},
    {"muzzle_flash", "J", MD5_FRAME_MUZZLE_FLASH},
    {"create_missile", "j", MD5_FRAME_CREATE_MISSILE},
    {"launch_missile", "j", MD5_FRAME_LAUNCH_MISSILE},
    {"fire_missile_at_target", "jt", MD5_FRAME_FIRE_MISSILE_AT_TARGET},
    {"launch_projectile", "t", MD5_FRAME_LAUNCH_PROJECTILE},
    {"trigger_fx", "jt", MD5_FRAME_TRIGGER_FX},
    {"start_emitter", "tjt", MD5_FRAME_START_EMITTER},
    {"stop_emitter", "t", MD5_FRAME_STOP_EMITTER},
    {"footstep", "", MD5_FRAME_FOOTSTEP},
    {"leftfoot", "", MD5_FRAME_LEFT_FOOT},
    {"rightfoot", "", MD5_FRAME_RIGHT_FOOT},
    {"enableEyeFocus", "", MD5_FRAME_ENABLE_EYE_FOCUS},
    {"disableEyeFocus", "", MD5_FRAME_DISABLE_EYE_FOCUS},
    {"disableGravity", "", MD5_FRAME_DISABLE_GRAVITY},
    {"enableGravity", "", MD5_FRAME_ENABLE_GRAVITY},
    {"jump", "", MD5_FRAME_JUMP},
    {"enableClip", "", MD5_FRAME_ENABLE_CLIP},
    {"disableClip", "", MD5_FRAME_DISABLE_CLIP},
    {"enableWalkIK", "", MD5_FRAME_ENABLE_WALK_IK},
    {"disableWalkIK", "", MD5_FRAME_DISABLE_WALK_IK},
    {"enableLegIK", "n", MD5_FRAME_ENABLE_LEG_IK},
    {"disableLegIK", "n", MD5_FRAME_DISABLE_LEG_IK},
    {"recordDemo", "o", MD5_FRAME_RECORD_DEMO},
    {"aviGame", "o", MD5_FRAME_AVI_GAME},
};

const char *md5_frame_code_name(md5_frame_code code)
{
    for (size_t i = 0; i < sizeof command_words / sizeof command_words[0]; i++) {
        if (command_words[i].code == code)
            return command_words[i].word;
    }
    return NULL;
}

// Commands while they are read, in game->scratch.
typedef struct command_list {
    md5_frame_command *commands;
    uint32_t count;
} command_list;

static const struct command_word *command_of(const md5_token *token)
{
    for (size_t i = 0; i < sizeof command_words / sizeof command_words[0]; i++) {
        if (md5i_token_is(token, command_words[i].word))
            return &command_words[i];
    }
    return NULL;
}

// Appends a text to that of a command, behind a blank if there is one already.
static bool keep_text(md5_model_parser *parser, const md5_token *token, md5_frame_command *command)
{
    md5_arena *const arena = &parser->game->arena;
    const size_t before = strlen(command->text), start = before > 0 ? before + 1 : 0;
    char *const text = MD5_NEW(arena, char, start + token->size + 1);
    TRY(text);
    if (before > 0) {
        memcpy(text, command->text, before);
        text[before] = ' ';
    }
    if (token->size > 0)
        memcpy(text + start, token->text, token->size);
    command->text = text;
    return true;
}

// Returns false if there is no command, which is reported.
static bool read_command(md5_model_parser *parser, md5_frame_command *command)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_mistake(&parser->lex, "a frame command", "Unexpected end of line");
        return false;
    }
    const struct command_word *const word = command_of(&token);
    if (!word) {
        md5i_unknown_word(&parser->lex, &token, MD5_WORD_MODEL, "Unknown command", NULL,
                          "a frame command");
        return false;
    }
    command->code = word->code;
    for (const char *kind = word->arguments; *kind && !parser->is_defaulted; kind++) {
        if (md5i_decl_lex_read_on_line(&parser->lex, &token)) {
            // Applies the argument `token`, of a kind of command_words.
            const bool is_joint = *kind == 'j' || *kind == 'J';
            if (is_joint) {
                command->joint = model_find_joint(parser, token.text, token.size);
                if (command->joint == MD5_NONE && !((*kind == 'J') && token.size == 0))
                    md5i_mistake(&parser->lex, "a joint of the mesh", "Joint %s not found",
                                 md5i_token_show(&token).text);
            }
            if (*kind == 's' && !md5i_token_is(&token, "none"))
                (void)md5i_parse_skin_of(parser->game, token.text, token.size);
            if (*kind == 'n')
                command->leg = md5i_token_int(&token);
            // The joint is the text if it is the only argument.
            const bool is_only_joint = is_joint && kind[1] == '\0';
            if (*kind == 't' || *kind == 's' || *kind == 'o' || is_only_joint)
                TRY(keep_text(parser, &token, command));
        } else if (*kind != 'o') {
            md5i_mistake(&parser->lex, "another argument", "Unexpected end of line");
            return false;
        }
    }
    return true;
}

// `frame N COMMAND ARGUMENT ...` behind its first word, all on one line.
static void read_frame(md5_model_parser *parser, const md5_model_anim *anim, command_list *list)
{
    md5_token token;
    md5_frame_command command = {.text = "", .joint = MD5_NONE};
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_mistake(&parser->lex, "a number", "Missing frame # after 'frame'");
        return;
    }
    if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "-")) {
        md5i_mistake(&parser->lex, "a number", "Invalid frame # after 'frame'");
        if (!parser->is_defaulted)
            md5i_skip_unknown_word(&parser->lex, &token, MD5_WORD_MODEL);
        return;
    }
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(&parser->lex, "expected integer value, found %s",
                           md5i_token_show(&token).text);
    const int32_t frame = md5i_token_int(&token);
    // Without its files an animation will be left out, with all its commands.
    if (anim->num_files > 0 && (frame < 1 || (uint32_t)frame > anim->num_frames)) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "1 to %u", (unsigned)anim->num_frames);
        md5i_mistake(&parser->lex, expected, "Frame %d out of range", (int)frame);
        if (!parser->is_defaulted)
            md5i_skip_unknown_word(&parser->lex, &token, MD5_WORD_MODEL);
        return;
    }
    command.frame = (uint32_t)frame;
    if (!read_command(parser, &command))
        return;
    list->commands = (md5_frame_command *)md5i_grow(&parser->game->scratch, list->commands,
                                                    list->count, sizeof command);
    if (list->commands)
        list->commands[list->count++] = command;
}

// Sorted by frame; `order`, the position in the file, decides between equal ones.
typedef struct ordered_command {
    md5_frame_command command;
    uint32_t order;
} ordered_command;

static int compare_commands(const void *a, const void *b)
{
    const ordered_command *const first = (const ordered_command *)a;
    const ordered_command *const second = (const ordered_command *)b;
    if (first->command.frame != second->command.frame)
        return first->command.frame < second->command.frame ? -1 : 1;
    return first->order < second->order ? -1 : 1;
}

static bool keep_commands(md5_model_parser *parser, const command_list *list, md5_model_anim *anim)
{
    md5_frame_command *const kept = MD5_NEW(&parser->game->arena, md5_frame_command, list->count);
    ordered_command *const ordered = MD5_NEW(&parser->game->scratch, ordered_command, list->count);
    TRY(kept && ordered);
    for (uint32_t i = 0; i < list->count; i++) {
        ordered[i].command = list->commands[i];
        ordered[i].order = i;
    }
    if (list->count > 0)
        qsort(ordered, list->count, sizeof *ordered, compare_commands);
    for (uint32_t i = 0; i < list->count; i++)
        kept[i] = ordered[i].command;
    anim->commands = kept;
    anim->num_commands = list->count;
    return true;
}

// -- Flags ----------------------------------------------------------------------------------------

static uint32_t flag_of(const md5_token *token)
{
    return md5i_token_is(token, "prevent_idle_override") ? MD5_ANIM_PREVENTS_IDLE_OVERRIDE
           : md5i_token_is(token, "random_cycle_start")  ? MD5_ANIM_RANDOM_CYCLE_START
           : md5i_token_is(token, "ai_no_turn")          ? MD5_ANIM_NO_TURN
           : md5i_token_is(token, "anim_turn")           ? MD5_ANIM_TURN
                                                         : 0;
}

static void read_rate(md5_model_parser *parser, md5_model_anim *anim)
{
    float rate;
    if (!md5i_decl_lex_float(&parser->lex, &rate))
        return;
    if (rate >= 0.01f && rate <= 100.0f)
        anim->rate = rate;
    else
        md5i_mistake(&parser->lex, "0.01 to 100", "rate %g out of range", (double)rate);
}

// Reads flags and frame commands, up to the brace behind them. Those before the end of the text are
// kept, too, if the verdict allows that there is no brace.
static void read_block(md5_model_parser *parser, md5_model_anim *anim)
{
    const bool is_quake4 = md5_is_lenient(parser->game);
    command_list list = {.count = 0};
    md5_token token;
    bool is_open = true;
    while (is_open && may_go_on(parser)) {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            model_fail_at_end(parser);
            is_open = false;
        } else if (md5i_token_is(&token, "}")) {
            is_open = false;
        } else if (flag_of(&token)) {
            anim->flags |= flag_of(&token);
        } else if (is_quake4 && md5i_token_is(&token, "rate")) {
            read_rate(parser, anim);
        } else if (md5i_token_is(&token, "frame")) {
            read_frame(parser, anim, &list);
        } else {
            md5i_unknown_word(&parser->lex, &token, MD5_WORD_MODEL, "Unknown command", NULL,
                              "frame, a flag or '}'");
        }
    }
    if (may_go_on(parser))
        (void)keep_commands(parser, &list, anim);
}

// -- Files ----------------------------------------------------------------------------------------

// FILE, FILE ...
static void read_files(md5_model_parser *parser, md5_model_anim *anim)
{
    md5_token token;
    do {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            model_fail_at_end(parser);
            continue;
        }
        const char *const file = md5_copy_text(&parser->game->scratch, token.text, token.size);
        const md5_anim_asset *const asset =
            file ? (const md5_anim_asset *)find_asset(parser->game, file, ".md5anim", load_anim)
                 : NULL;
        if (!md5_game_has_memory(parser->game))
            return;
        if (!asset) {
            md5i_mistake(&parser->lex, "a file that can be read", "Couldn't load anim %s",
                         md5i_token_show(&token).text);
        } else if (anim->num_files > 0 && asset->milliseconds != anim->milliseconds) {
            md5i_mistake(&parser->lex, "equal lengths", "Anim %s does not match length of anim %s",
                         MD5_QUOTED(asset->file), MD5_QUOTED(anim->files[0]));
        } else if (anim->num_files == MD5_MAX_SYNCED_ANIMS) {
            md5i_mistake(&parser->lex, "no further file", "Exceeded max synced anims (%d)",
                         (int)MD5_MAX_SYNCED_ANIMS);
        } else {
            if (anim->num_files == 0) {
                anim->num_frames = asset->num_frames;
                anim->milliseconds = asset->milliseconds;
            }
            anim->files[anim->num_files++] = asset->file;
        }
    } while (may_go_on(parser) && md5i_decl_lex_take(&parser->lex, ","));
}

// -- Names ----------------------------------------------------------------------------------------

// Changes an array of parser->anims. Returns false if memory runs out.
static bool set_shared(md5_model_parser *parser, md5_shared_array *array, uint32_t index,
                       const void *value)
{
    return md5i_shared_set(array, &parser->game->arena, parser->decl, index,
                           (void *)(uintptr_t)value);
}

// Returns a name of animations, or NULL if no animation of the game has it or memory runs out.
static const md5_anim_name *find_anim_name(md5_model_parser *parser, const md5_token *name)
{
    const char *const key = md5_copy_text(&parser->game->scratch, name->text, name->size);
    void **const found = key ? md5i_name_map_find(&parser->game->anim_names, key) : NULL;
    return found ? (const md5_anim_name *)*found : NULL;
}

// Returns the name of a text, which gets a number if it is new; NULL if memory runs out.
static const md5_anim_name *add_name(md5_model_parser *parser, const char *text, size_t size)
{
    md5_game *const game = parser->game;
    const md5_token token = {.text = text, .size = size};
    const md5_anim_name *const known = find_anim_name(parser, &token);
    if (known || !md5_game_has_memory(game))
        return known;
    md5_anim_name *const name = MD5_NEW(&game->arena, md5_anim_name, 1);
    const char *const copy = name ? md5_copy_text(&game->arena, text, size) : NULL;
    void **const added = copy ? md5i_name_map_add(&game->anim_names, &game->arena, copy) : NULL;
    if (!added)
        return NULL;
    name->text = copy;
    name->number = game->num_anim_names++;
    *added = name;
    return name;
}

static const md5_anim_slot *find_slot(md5_model_parser *parser, const md5_token *token)
{
    const md5_anim_name *const name = find_anim_name(parser, token);
    const md5_anim_slot *const slot =
        name ? (const md5_anim_slot *)md5i_shared_get(&parser->anims.names, name->number) : NULL;
    return md5_has_anim(parser, slot) ? slot : NULL;
}

// Adds a slot behind all others. Returns NULL if memory runs out.
static const md5_anim_slot *add_slot(md5_model_parser *parser, const md5_anim_name *name,
                                     const md5_anim_name *alias)
{
    md5_anim_set *const anims = &parser->anims;
    md5_anim_slot *const slot = MD5_NEW(&parser->game->arena, md5_anim_slot, 1);
    if (!slot)
        return NULL;
    slot->number = anims->num_slots++;
    slot->alias = alias->number;
    slot->before = (const md5_anim_slot *)md5i_shared_get(&anims->aliases, alias->number);
    const bool is_named = set_shared(parser, &anims->names, name->number, slot)
                          && set_shared(parser, &anims->aliases, alias->number, slot);
    return is_named ? slot : NULL;
}

// Returns the length of an animation's alias: its name without the digits at its end, of which at
// least two characters must be left.
static size_t alias_size(md5_model_parser *parser, const md5_token *name)
{
    size_t last = name->size;
    while (last > 1 && name->text[last - 1] >= '0' && name->text[last - 1] <= '9')
        last--;
    if (last > 1)
        return last;
    md5i_mistake(&parser->lex, "two characters before its number", "Invalid animation name %s",
                 md5i_token_show(name).text);
    return name->size;
}

// Reads `anim NAME FILE, FILE { ... }` behind its first word.
static void read_model_anim(md5_model_parser *parser)
{
    md5_token token;
    md5_model_anim anim = {.rate = 1.0f};
    if (!parser->mesh)
        md5i_mistake(&parser->lex, "mesh", "Must specify mesh before defining anims");
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &token)) {
        model_fail_at_end(parser);
        return;
    }
    const md5_anim_slot *slot = find_slot(parser, &token);
    const bool is_duplicate = slot && slot->number >= parser->num_inherited_slots;
    if (is_duplicate)
        md5i_mistake(&parser->lex, "another name, skipped", "Duplicate anim %s",
                     md5i_token_show(&token).text);
    const size_t size = parser->is_defaulted ? 0 : alias_size(parser, &token);
    if (may_go_on(parser))
        read_files(parser, &anim);
    if (may_go_on(parser) && md5i_decl_lex_take(&parser->lex, "{"))
        read_block(parser, &anim);
    if (!may_go_on(parser) || is_duplicate || anim.num_files == 0)
        return;
    const md5_anim_name *const name = add_name(parser, token.text, token.size);
    const md5_anim_name *const alias = name ? add_name(parser, token.text, size) : NULL;
    if (!alias)
        return;
    md5_model_anim *const copy = MD5_NEW(&parser->game->arena, md5_model_anim, 1);
    if (!copy)
        return;
    *copy = anim;
    copy->name = name->text;
    copy->alias = alias->text;
    if (!slot) // it replaces none
        slot = add_slot(parser, name, alias);
    if (slot)
        (void)set_shared(parser, &parser->anims.anims, slot->number, copy);
}

// == Models =======================================================================================
//
// Models: model NAME { inherit, skin, mesh, offset, channel, anim, remove ... }
//
// Parents are parsed before what inherits them, from a stack, so that a long chain of them needs no
// deep recursion. A model that inherits itself, directly or through others, inherits nothing.

// -- Words ----------------------------------------------------------------------------------------

// Forgets everything, as the engine does before it copies a parent.
static void clear(md5_model_parser *parser)
{
    parser->parent = NULL;
    parser->mesh = NULL;
    parser->skin = NULL;
    parser->offset = (md5_vec3){0.0f, 0.0f, 0.0f};
    parser->joint_channels = NULL;
    memset(parser->channels, 0, sizeof parser->channels);
    parser->others = NULL;
    parser->num_others = parser->other_room = 0;
    parser->owns_joint_channels = parser->owns_others = false;
    memset(&parser->anims, 0, sizeof parser->anims);
    parser->num_inherited_slots = 0;
}

static void read_inherit(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_MODEL, name->text, name->size);
    if (!entry) {
        md5i_decl_lex_warn(&parser->lex, "Unknown model definition %s", md5i_token_show(name).text);
    } else if (entry->decl.state == MD5_DECL_DEFAULTED) {
        md5i_mistake(&parser->lex, "one without a mistake",
                     "inherited model definition %s defaulted", md5i_token_show(name).text);
    } else {
        clear(parser);
        if (entry->parsed) {
            // Share what a parent has instead of copying it: chains of models may be long.
            const md5_parsed_model *parent = (const md5_parsed_model *)entry->parsed;
            parser->parent = parent;
            parser->mesh = parent->mesh;
            parser->skin = parent->def.skin;
            parser->offset = parent->def.offset;
            parser->joint_channels = parent->joint_channels;
            memcpy(parser->channels, parent->def.channels, sizeof parser->channels);
            parser->others = parent->others;
            parser->num_others = parent->def.num_other_channels;
            parser->anims = parent->anims;
            parser->num_inherited_slots = parent->anims.num_slots;
        }
    }
}

static void read_skin(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const skin = md5i_parse_skin_of(parser->game, name->text, name->size);
    if (skin)
        parser->skin = skin->decl.name;
}

static bool is_mesh_name(const md5_token *name)
{
    static const char extension[] = ".md5mesh";
    const size_t size = sizeof extension - 1;
    return name->size >= size && memcmp(name->text + name->size - size, extension, size) == 0;
}

// A mesh begins with all joints in no channel; the lists of channels stay, as in the engine.
static void read_mesh(md5_model_parser *parser, const md5_token *name)
{
    md5_game *const game = parser->game;
    if (!is_mesh_name(name)) {
        md5i_mistake(&parser->lex, "a .md5mesh file", "Invalid model for MD5 mesh");
        return;
    }
    const char *const file = md5_copy_text(&game->scratch, name->text, name->size);
    const md5_mesh_asset *const mesh =
        file ? (const md5_mesh_asset *)find_asset(game, file, ".md5mesh", load_mesh) : NULL;
    if (!md5_game_has_memory(game))
        return;
    if (!mesh) {
        md5i_mistake(&parser->lex, "a mesh that can be read", "Model %s defaulted",
                     md5i_token_show(name).text);
        return;
    }
    if (!model_spend(parser, mesh->num_joints)) {
        md5i_mistake(&parser->lex, "fewer joints in all models", "Model %s defaulted",
                     md5i_token_show(name).text);
        return;
    }
    parser->mesh = mesh;
    parser->joint_channels = MD5_NEW(&game->scratch, uint8_t, mesh->num_joints);
    parser->owns_joint_channels = true;
}

// Removes the animation of a slot, if it is inherited.
static bool remove_anim(md5_model_parser *parser, const md5_anim_slot *slot, const md5_token *name)
{
    if (slot->number < parser->num_inherited_slots)
        return set_shared(parser, &parser->anims.anims, slot->number, NULL);
    md5i_mistake(&parser->lex, "an inherited anim",
                 "Anim %s was not inherited.  Anim should be removed from the model def.",
                 md5i_token_show(name).text);
    return false;
}

// Sets the last slot of an alias to the last one from `slot` on that is not removed, so that later
// searches do not visit those again.
static void set_last_of_alias(md5_model_parser *parser, uint32_t alias, const md5_anim_slot *slot)
{
    while (slot && !md5_has_anim(parser, slot))
        slot = slot->before;
    (void)set_shared(parser, &parser->anims.aliases, alias, slot);
}

// Removes all animations of an alias, and the one of this name.
static void read_remove(md5_model_parser *parser, const md5_token *token)
{
    const md5_anim_name *const name = find_anim_name(parser, token);
    const md5_anim_set *const anims = &parser->anims;
    const md5_anim_slot *slot =
        name ? (const md5_anim_slot *)md5i_shared_get(&anims->aliases, name->number) : NULL;
    const md5_anim_slot *const whole =
        name ? (const md5_anim_slot *)md5i_shared_get(&anims->names, name->number) : NULL;
    bool is_any = false, is_right = true;
    for (; slot && is_right; slot = slot->before) {
        if (!md5_has_anim(parser, slot))
            continue;
        is_right = remove_anim(parser, slot, token);
        is_any = true;
    }
    if (name && is_any && is_right)
        set_last_of_alias(parser, name->number, NULL);
    if (is_right && md5_has_anim(parser, whole)) {
        (void)remove_anim(parser, whole, token);
        is_any = true;
        const uint32_t alias = whole->alias;
        set_last_of_alias(parser, alias,
                          (const md5_anim_slot *)md5i_shared_get(&anims->aliases, alias));
    }
    if (!is_any)
        md5i_mistake(&parser->lex, "an inherited anim", "Couldn't find anim %s to remove",
                     md5i_token_show(token).text);
}

// Words that a name follows.
static const struct model_word {
    const char *word;
    void (*read)(md5_model_parser *parser, const md5_token *name);
} words[] = {
    {"inherit", read_inherit},
    {"skin", read_skin},
    {"mesh", read_mesh},
    {"remove", read_remove},
};

static void read_word(md5_model_parser *parser, const md5_token *token)
{
    md5_token name;
    if (md5i_token_is(token, "anim")) {
        read_model_anim(parser);
        return;
    }
    if (md5i_token_is(token, "channel")) {
        read_channel(parser);
        return;
    }
    if (md5i_token_is(token, "offset")) {
        float values[3] = {0.0f, 0.0f, 0.0f};
        if (md5i_decl_lex_vector(&parser->lex, values, 3))
            parser->offset = (md5_vec3){values[0], values[1], values[2]};
        else
            md5i_mistake(&parser->lex, "( x y z )", "Expected vector following 'offset'");
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!md5i_token_is(token, words[i].word))
            continue;
        if (md5i_decl_lex_read(&parser->lex, &name))
            words[i].read(parser, &name);
        else
            model_fail_at_end(parser);
        return;
    }
    md5i_unknown_word(&parser->lex, token, MD5_WORD_MODEL, "unknown token", NULL,
                      "mesh, skin, offset, channel, anim, inherit or remove");
    // The block of a word that has been skipped.
    if (!parser->is_defaulted && md5i_decl_lex_take(&parser->lex, "{"))
        (void)md5i_decl_lex_skip_braces(&parser->lex, 1);
}

// -- Keeping --------------------------------------------------------------------------------------

// Returns the parent if its lists of joints can be shared, which needs the same mesh; else NULL.
static const md5_parsed_model *parent_of_mesh(const md5_model_parser *parser)
{
    const md5_parsed_model *const parent = parser->parent;
    return parent && parent->mesh == parser->mesh ? parent : NULL;
}

// Copies a channel's joints, without those that a later mesh lacks.
static bool keep_channel_joints(md5_model_parser *parser, const md5_model_channel *from,
                                md5_model_channel *kept)
{
    const uint32_t num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    uint32_t *const joints = MD5_NEW(&parser->game->arena, uint32_t, from->num_joints);
    TRY(joints);
    kept->joints = joints;
    kept->num_joints = 0;
    for (uint32_t i = 0; i < from->num_joints; i++) {
        if (from->joints[i] < num_joints)
            joints[kept->num_joints++] = from->joints[i];
    }
    return true;
}

// Keeps the channel of all joints, which belongs to the mesh, and the others: those of the parent
// as they are.
static bool keep_channels(md5_model_parser *parser, md5_model_def *def)
{
    const md5_parsed_model *const parent = parent_of_mesh(parser);
    if (parser->mesh)
        def->channels[MD5_CHANNEL_ALL] =
            (md5_model_channel){parser->mesh->num_joints, parser->mesh->numbers};
    for (uint32_t i = MD5_CHANNEL_ALL + 1; i < MD5_NUM_CHANNELS; i++) {
        const md5_model_channel *const channel = &parser->channels[i];
        if (parent && channel->joints == parent->def.channels[i].joints)
            def->channels[i] = *channel;
        else
            TRY(keep_channel_joints(parser, channel, &def->channels[i]));
    }
    return true;
}

static bool keep_joint_channels(md5_model_parser *parser, md5_parsed_model *model)
{
    const uint32_t num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    model->joint_channels = parser->joint_channels;
    if (!parser->owns_joint_channels)
        return true;
    model->joint_channels =
        (uint8_t *)md5i_arena_copy(&parser->game->arena, parser->joint_channels, num_joints, 1);
    return model->joint_channels != NULL;
}

static bool keep_model(md5_model_parser *parser, md5_decl_entry *entry)
{
    md5_arena *const arena = &parser->game->arena;
    md5_parsed_model *const model = MD5_NEW(arena, md5_parsed_model, 1);
    TRY(model);
    model->mesh = parser->mesh;
    model->anims = parser->anims;
    model->def.decl = &entry->decl;
    model->def.mesh = parser->mesh ? parser->mesh->file : "";
    model->def.skin = parser->skin;
    model->def.offset = parser->offset;
    model->def.num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    model->def.joints = parser->mesh ? parser->mesh->joints : NULL;
    model->def.num_anims = md5i_shared_count(&parser->anims.anims);
    TRY(keep_joint_channels(parser, model));
    TRY(keep_channels(parser, &model->def));
    model->def.num_other_channels = parser->num_others;
    model->others = parser->others;
    if (parser->owns_others || !parent_of_mesh(parser)) {
        model->others = MD5_NEW(arena, md5_named_channel, parser->num_others);
        TRY(model->others);
        for (uint32_t i = 0; i < parser->num_others; i++) {
            model->others[i].name = parser->others[i].name;
            TRY(keep_channel_joints(parser, &parser->others[i].channel, &model->others[i].channel));
        }
    }
    model->def.other_channels = model->others;
    entry->parsed = model;
    entry->decl.state = parser->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

static bool parse_alone(md5_game *game, md5_decl_entry *entry)
{
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    md5_model_parser parser = {.game = game, .decl = &entry->decl};
    md5i_decl_lex_begin_decl(&parser.lex, game, entry, &parser.is_defaulted);
    md5_token token;
    (void)md5i_decl_lex_skip_until(&parser.lex, "{");
    while (may_go_on(&parser) && md5i_decl_lex_read(&parser.lex, &token)
           && !md5i_token_is(&token, "}"))
        read_word(&parser, &token);
    if (parser.is_defaulted)
        clear(&parser);
    const bool is_kept = md5_game_has_memory(game) && keep_model(&parser, entry);
    md5i_arena_rewind(&game->scratch, before);
    return is_kept;
}

// -- Parents --------------------------------------------------------------------------------------

// A model that waits for its parents, or for its turn.
typedef struct waiting_model {
    struct waiting_model *below;
    md5_decl_entry *entry;
    bool has_parents; // they have been put above it
} waiting_model;

static bool push(md5_game *game, waiting_model **top, md5_decl_entry *entry)
{
    waiting_model *const added = MD5_NEW(&game->scratch, waiting_model, 1);
    TRY(added);
    added->below = *top;
    added->entry = entry;
    *top = added;
    return true;
}

// Puts all models above `child` that its text inherits and that are neither parsed nor waiting for
// their own parents. What is wrong with the text is reported when it is parsed.
static bool push_parents(md5_game *game, waiting_model **top, const md5_decl_entry *child)
{
    md5_decl_lex lex;
    md5_token token;
    bool is_name = false, has_memory = true;
    const md5_game_silence before = md5_game_begin_silence(game);
    md5i_decl_lex_begin_decl(&lex, game, child, NULL);
    while (has_memory && md5i_decl_lex_read(&lex, &token)) {
        md5_decl_entry *const parent =
            is_name ? md5i_find_entry(game, MD5_DECL_MODEL, token.text, token.size) : NULL;
        if (parent && !parent->parsed && !parent->is_open)
            has_memory = push(game, top, parent);
        is_name = !is_name && md5i_token_is(&token, "inherit");
    }
    md5_game_end_silence(game, before);
    return has_memory;
}

static bool parse_with_parents(md5_game *game, md5_decl_entry *entry)
{
    waiting_model *top = NULL;
    TRY(push(game, &top, entry));
    while (top) {
        waiting_model *const current = top;
        if (!current->entry->parsed && !current->has_parents) {
            current->has_parents = current->entry->is_open = true;
            TRY(push_parents(game, &top, current->entry));
            continue;
        }
        TRY(current->entry->parsed || parse_alone(game, current->entry));
        current->entry->is_open = false;
        top = current->below;
    }
    return true;
}

const md5_model_anim *md5_model_def_anim(const md5_model_def *model, uint32_t index)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(index < model->num_anims, "index: below num_anims");
    // Only md5_game_model_def() makes models.
    const md5_parsed_model *const parsed = (const md5_parsed_model *)(const void *)model;
    return (const md5_model_anim *)md5i_shared_nth(&parsed->anims.anims, index);
}

const md5_model_def *md5_game_model_def(md5_game *game, const char *name, md5_error *error)
{
    if (!md5_game_begin(game, error))
        return NULL;
    MD5_ASSERT(name != NULL, "name: not NULL");
    md5_decl_entry *const entry = md5i_find_entry(game, MD5_DECL_MODEL, name, strlen(name));
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_there = entry && (entry->parsed || parse_with_parents(game, entry));
    md5i_arena_rewind(&game->scratch, before);
    md5_game_end(game);
    return is_there ? &((const md5_parsed_model *)entry->parsed)->def : NULL;
}
