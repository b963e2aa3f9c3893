// ModelDefs: words and inheritance, channels, animations.
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

// What models need of a mesh or of an animation. Each file is read once.
typedef struct md5_asset {
    const char *file; // as it was asked for first
    bool is_usable;   // else it cannot be read
    uint32_t num_joints;
    md5_joint *joints; // [num_joints]
    uint32_t *numbers; // [num_joints] 0, 1, 2 ...: the joints of the channel of all
    uint32_t num_frames;
    uint32_t milliseconds;
} md5_asset;

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
    const md5_asset *mesh;
    bool names_mesh;           // the declaration, or one that it inherits, names a mesh
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
    const md5_asset *mesh;          // NULL before `mesh`, and if it cannot be read
    bool names_mesh;                // or a missing one was reported: it is reported once
    const char *skin;
    md5_vec3 offset;
    uint8_t *joint_channels;
    md5_model_channel channels[MD5_NUM_CHANNELS];
    md5_named_channel *others; // [num_others]
    uint32_t num_others;
    uint32_t other_room;
    bool owns_joint_channels, owns_others; // else they are the parent's
    md5_anim_set anims;
    uint32_t num_inherited_slots; // inherited slots have lower numbers
} md5_model_parser;

// == Files ========================================================================================

static bool ends_in(const md5_token *name, const char *ending)
{
    const size_t size = strlen(ending);
    return name->size >= size && memcmp(name->text + name->size - size, ending, size) == 0;
}

// Returns what is known of a .md5mesh or .md5anim file, loading it first if need be. NULL if there
// is no such file or it is broken; or, with the context's error set, if memory runs out.
static const md5_asset *find_asset(md5_game *game, const md5_token *name, const char *extension)
{
    const char *const key = md5_copy_text(&game->scratch, name->text, name->size);
    if (!key || !ends_in(name, extension))
        return NULL;
    void **const found = md5i_name_map_find(&game->assets, key);
    if (found && *found)
        return ((const md5_asset *)*found)->is_usable ? (const md5_asset *)*found : NULL;
    md5_asset *const asset = MD5_NEW(&game->arena, md5_asset, 1);
    if (!asset)
        return NULL;
    asset->file = md5_copy_text(&game->arena, name->text, name->size);
    const md5_load_opts opts = {.allocator = game->context.allocator,
                                .skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS};
    md5_error error = {.status = MD5_OK};
    size_t size = 0;
    const md5_game_entry *const entry = md5i_game_find_file(game, key);
    const char *const text = entry ? md5i_game_open_file(game, entry, 0, &size, &error) : NULL;
    const bool is_mesh = strcmp(extension, ".md5mesh") == 0;
    md5_model *const model = text && is_mesh ? md5_parse_model(text, size, &opts, &error) : NULL;
    md5_anim *const anim = text && !is_mesh ? md5_parse_anim(text, size, &opts, &error) : NULL;
    if (text)
        md5i_game_close_file(game, entry, text, size);
    const md5_skeleton *const skeleton = model ? &model->skeleton : anim ? &anim->skeleton : NULL;
    if (skeleton) {
        asset->joints = MD5_NEW(&game->arena, md5_joint, skeleton->num_joints);
        asset->numbers = MD5_NEW(&game->arena, uint32_t, skeleton->num_joints);
        asset->num_joints = skeleton->num_joints;
        for (uint32_t i = 0; asset->joints && asset->numbers && i < skeleton->num_joints; i++) {
            const char *const joint = skeleton->joints[i].name;
            asset->numbers[i] = i;
            asset->joints[i].name = md5_copy_text(&game->arena, joint, strlen(joint));
            asset->joints[i].parent = skeleton->joints[i].parent;
        }
    }
    if (anim) {
        // The engine's length: whole milliseconds, rounded up, at a whole frame rate.
        const double rate = floor(anim->frame_rate);
        const double length = rate >= 1.0 ? ceil((anim->num_frames - 1) * 1000.0 / rate) : 0.0;
        asset->num_frames = anim->num_frames;
        asset->milliseconds = length < (double)INT32_MAX ? (uint32_t)length : INT32_MAX;
    }
    asset->is_usable = model || anim;
    md5_free_model(model);
    md5_free_anim(anim);
    // Other errors are reported by the caller, in the engine's words.
    if (text && error.status == MD5_ERROR_MEMORY)
        (void)MD5_FAIL(&game->context, MD5_ERROR_MEMORY, "%s", error.message);
    void **const added = md5_game_has_memory(game)
                             ? md5i_name_map_add(&game->assets, &game->arena, asset->file)
                             : NULL;
    if (!added)
        return NULL;
    *added = asset;
    return asset->is_usable ? asset : NULL;
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

// == Errors =======================================================================================
//
// What all readers of a model share.

// Reports that the text ends.
static void model_fail_at_end(md5_model_parser *parser)
{
    md5i_decl_error(&parser->lex, "'}'", "Unexpected end of file");
}

// Charges the work on `num_joints` joints to the budget of all models of the game, which each
// mode has separately. Returns false if the budget is exhausted, and reports this once as an
// error.
static bool model_spend(md5_model_parser *parser, uint32_t num_joints)
{
    // Ten times what the largest games need: with it models take at most 40 MB for their channels.
    enum { MAX_JOINTS = 8 << 20 };
    uint32_t *const spent = &parser->game->num_model_joints[parser->game->mode];
    if (*spent < MAX_JOINTS && num_joints <= MAX_JOINTS - *spent) {
        *spent += num_joints;
        return true;
    }
    if (*spent < MAX_JOINTS) {
        *spent = MAX_JOINTS;
        md5i_decl_error(&parser->lex, "fewer joints, skipped",
                        "Too many joints in the channels of all models (limit %d)", MAX_JOINTS);
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
    const md5_asset *const mesh = parser->mesh;
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
    // Points warnings at the next name of the list. Of long ones only the beginning is compared, so
    // that the time is linear.
    const char *const end = parser->lex.at;
    const size_t compared = size < 64 ? size : 64;
    while (size <= (size_t)(end - list->source) && memcmp(list->source, name, compared) != 0)
        list->source++;
    if (size <= (size_t)(end - list->source)) {
        parser->lex.token_at = list->source;
        list->source += size;
    }
    const uint32_t joint = model_find_joint(parser, name, size);
    if (joint != MD5_NONE) {
        change_joints(parser, list, joint, with_children, is_removed);
        return;
    }
    if (!model_spend(parser, 0)) // nothing is looked up any more
        return;
    const char *const model = parser->decl->name;
    md5i_decl_lex_warn(&parser->lex, "Unknown joint %s in %s for model %s",
                       md5i_quote(name, size).text, MD5_SHOWN(&all), MD5_QUOTED(model));
}

// -- Reading --------------------------------------------------------------------------------------

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
        md5_arena *const scratch = &parser->game->scratch;
        const bool has_blank = !md5i_token_is(&token, "*") && !md5i_token_is(&token, "-");
        TRY(md5i_append_text(scratch, all, &room, token.text, token.size)
            && md5i_append_text(scratch, all, &room, " ", has_blank));
    }
    return true;
}

// Gives the joints of a list to a channel, except those that are in one already.
static void keep_joints(md5_model_parser *parser, channel_joints *list, uint32_t channel)
{
    uint32_t count = 0;
    if (!parser->owns_joint_channels) { // they are still shared with the parent
        parser->joint_channels = (uint8_t *)md5i_arena_copy(
            &parser->game->scratch, parser->joint_channels, parser->mesh->num_joints, 1);
        parser->owns_joint_channels = true;
    }
    if (!parser->joint_channels)
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
        list->joints[count++] = joint;
    }
    parser->channels[channel].joints = list->joints;
    parser->channels[channel].num_joints = count;
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

// Reads `channel NAME ( JOINT ... )` behind its first word.
static void read_channel(md5_model_parser *parser)
{
    enum { MAX_OTHERS = 256 };
    md5_arena *const scratch = &parser->game->scratch;
    md5_token name, names;
    if (!parser->names_mesh)
        md5i_decl_error(&parser->lex, "mesh", "Must specify mesh before defining channels");
    parser->names_mesh = true;
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &name)) {
        model_fail_at_end(parser);
        return;
    }
    if (!md5i_decl_lex_take(&parser->lex, "(")) {
        md5i_decl_error(&parser->lex, "'('", "Expected { after %s", MD5_SHOWN(&name));
        return;
    }
    static const char *const words[MD5_NUM_CHANNELS] = {"", "torso", "legs", "head", "eyelids"};
    uint32_t channel = 1;
    while (channel < MD5_NUM_CHANNELS && !md5i_token_is_word(&name, words[channel]))
        channel++;
    parser->lex.token_at = name.at;
    if (channel == MD5_NUM_CHANNELS)
        md5i_decl_error(&parser->lex, "torso, legs, head or eyelids", "Unknown channel %s",
                        MD5_SHOWN(&name));
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
    const char *place = names.text;
    const char *const end = names.text + names.size;
    while (place < end) {
        const char *const start = place;
        while (place < end && *place != ' ' && !(*place >= '\t' && *place <= '\r'))
            place++;
        if (place > start)
            apply_name(parser, &list, start, (size_t)(place - start), names);
        place += place < end;
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
        if (!other && parser->num_others == MAX_OTHERS) {
            md5i_decl_error(&parser->lex, "fewer unknown channels",
                            "Too many unknown channels (limit %d)", MAX_OTHERS);
            return;
        }
        if (!other) {
            other = &parser->others[parser->num_others++];
            other->name = md5i_keep_token(parser->game, &name);
        }
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
    const char *word;
    const char *arguments;
} command_words[] = {
    // In the order of md5_frame_code.
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
enum { NUM_COMMANDS = MD5_COUNT(command_words) };

const char *md5_frame_code_name(md5_frame_code code)
{
    return (unsigned)code < NUM_COMMANDS ? command_words[code].word : NULL;
}

// Commands while they are read, in game->scratch.
typedef struct command_list {
    md5_frame_command *commands;
    uint32_t count;
} command_list;

// Returns false if there is no command, which is reported.
static bool read_command(md5_model_parser *parser, md5_frame_command *command)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_decl_error(&parser->lex, "a frame command", "Unexpected end of line");
        return false;
    }
    uint32_t code = 0;
    while (code < NUM_COMMANDS && !md5i_token_is(&token, command_words[code].word))
        code++;
    if (code == NUM_COMMANDS) {
        md5i_report_unknown_keyword(&parser->lex, &token, MD5_SCOPE_MODEL, "Unknown command", NULL,
                          "a frame command");
        return false;
    }
    command->code = (md5_frame_code)code;
    for (const char *kind = command_words[code].arguments; *kind && !parser->is_defaulted; kind++) {
        if (md5i_decl_lex_read_on_line(&parser->lex, &token)) {
            // Applies the argument `token`, of a kind of command_words.
            const bool is_joint = *kind == 'j' || *kind == 'J';
            if (is_joint) {
                command->joint = model_find_joint(parser, token.text, token.size);
                const bool is_none = *kind == 'J' && token.size == 0;
                // Without its mesh, which was reported, the model has no joints.
                if (command->joint == MD5_NONE && !is_none && parser->mesh)
                    md5i_decl_error(&parser->lex, "a joint of the mesh", "Joint %s not found",
                                    MD5_SHOWN(&token));
            }
            if (*kind == 's' && !md5i_token_is(&token, "none"))
                (void)md5i_parse_skin_named(parser->game, token.text, token.size);
            if (*kind == 'n')
                command->leg = md5i_token_int(&token);
            // The joint is the text if it is the only argument.
            const bool is_only_joint = is_joint && kind[1] == '\0';
            if (*kind == 't' || *kind == 's' || *kind == 'o' || is_only_joint) {
                // Behind a blank if the command has a text already.
                const size_t before = strlen(command->text);
                const size_t start = before > 0 ? before + 1 : 0;
                char *const text = MD5_NEW(&parser->game->arena, char, start + token.size + 1);
                TRY(text);
                if (before > 0) {
                    memcpy(text, command->text, before);
                    text[before] = ' ';
                }
                if (token.size > 0)
                    memcpy(text + start, token.text, token.size);
                command->text = text;
            }
        } else if (*kind != 'o') {
            md5i_decl_error(&parser->lex, "another argument", "Unexpected end of line");
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
        md5i_decl_error(&parser->lex, "a number", "Missing frame # after 'frame'");
        return;
    }
    if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "-")) {
        md5i_decl_error(&parser->lex, "a number", "Invalid frame # after 'frame'");
        if (!parser->is_defaulted)
            md5i_skip_unknown_keyword(&parser->lex, &token, MD5_SCOPE_MODEL);
        return;
    }
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(&parser->lex, "expected integer value, found %s", MD5_SHOWN(&token));
    const int32_t frame = md5i_token_int(&token);
    // Without its files an animation will be left out, with all its commands.
    if (anim->num_files > 0 && (frame < 1 || (uint32_t)frame > anim->num_frames)) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "1 to %u", anim->num_frames);
        md5i_decl_error(&parser->lex, expected, "Frame %d out of range", frame);
        if (!parser->is_defaulted)
            md5i_skip_unknown_keyword(&parser->lex, &token, MD5_SCOPE_MODEL);
        return;
    }
    command.frame = (uint32_t)frame;
    if (!read_command(parser, &command))
        return;
    list->commands = (md5_frame_command *)md5_grow(&parser->game->scratch, list->commands,
                                                   list->count, sizeof command);
    if (list->commands)
        list->commands[list->count++] = command;
}

// Sorted by frame; the position in the file decides between equal ones.
static int compare_commands(const void *a, const void *b)
{
    const md5_frame_command *const first = *(const md5_frame_command *const *)a;
    const md5_frame_command *const second = *(const md5_frame_command *const *)b;
    if (first->frame != second->frame)
        return first->frame < second->frame ? -1 : 1;
    return first < second ? -1 : first > second;
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

// Reads flags and frame commands, up to the brace behind them. Those before the end of the text are
// kept, too, if the mode allows that there is no brace.
static void read_block(md5_model_parser *parser, md5_model_anim *anim)
{
    const bool is_quake4 = md5_is_lenient(parser->game);
    command_list list = {.count = 0};
    md5_token token;
    bool is_open = true;
    while (is_open && may_go_on(parser)) {
        float rate;
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            model_fail_at_end(parser);
            is_open = false;
        } else if (md5i_token_is(&token, "}")) {
            is_open = false;
        } else if (flag_of(&token)) {
            anim->flags |= flag_of(&token);
        } else if (is_quake4 && md5i_token_is(&token, "rate")) {
            const bool is_read = md5i_decl_lex_float(&parser->lex, &rate);
            if (is_read && rate >= 0.01f && rate <= 100.0f)
                anim->rate = rate;
            else if (is_read)
                md5i_decl_error(&parser->lex, "0.01 to 100", "rate %g out of range", rate);
        } else if (md5i_token_is(&token, "frame")) {
            read_frame(parser, anim, &list);
        } else {
            md5i_report_unknown_keyword(&parser->lex, &token, MD5_SCOPE_MODEL, "Unknown command", NULL,
                              "frame, a flag or '}'");
        }
    }
    md5_frame_command *const commands =
        MD5_NEW(&parser->game->arena, md5_frame_command, list.count);
    const md5_frame_command **const sorted =
        MD5_NEW(&parser->game->scratch, const md5_frame_command *, list.count);
    if (!commands || !sorted || !may_go_on(parser))
        return;
    for (uint32_t i = 0; i < list.count; i++)
        sorted[i] = &list.commands[i];
    qsort(sorted, list.count, sizeof *sorted, compare_commands);
    for (uint32_t i = 0; i < list.count; i++)
        commands[i] = *sorted[i];
    anim->commands = commands;
    anim->num_commands = list.count;
}

// -- Files ----------------------------------------------------------------------------------------

// Reports what differs between the joints of the mesh and those of an animation, which ends Doom 3
// with an error and spoils the model here. In lenient mode this is not an error: animations are
// bound by names.
static void check_hierarchy(md5_model_parser *parser, const md5_asset *anim)
{
    const md5_asset *const mesh = parser->mesh;
    const char *difference = NULL;
    enum { QUICK = 32 }; // so much quicker than what else is done with a joint
    if (!mesh || md5_is_lenient(parser->game) || !model_spend(parser, 1 + anim->num_joints / QUICK))
        return;
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

// FILE, FILE ...
static void read_files(md5_model_parser *parser, md5_model_anim *anim)
{
    md5_token token;
    do {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            model_fail_at_end(parser);
            continue;
        }
        const md5_asset *const asset = find_asset(parser->game, &token, ".md5anim");
        if (!md5_game_has_memory(parser->game))
            return;
        if (!asset) {
            md5i_decl_error(&parser->lex, "a readable file", "Couldn't load anim %s",
                            MD5_SHOWN(&token));
        } else if (anim->num_files > 0 && asset->milliseconds != anim->milliseconds) {
            md5i_decl_error(&parser->lex, "equal lengths",
                            "Anim %s does not match length of anim %s", MD5_QUOTED(asset->file),
                            MD5_QUOTED(anim->files[0]));
        } else if (anim->num_files == MD5_MAX_SYNCED_ANIMS) {
            md5i_decl_error(&parser->lex, "fewer files", "Exceeded max synced anims (%d)",
                            MD5_MAX_SYNCED_ANIMS);
        } else {
            if (anim->num_files == 0) {
                anim->num_frames = asset->num_frames;
                anim->milliseconds = asset->milliseconds;
            }
            anim->files[anim->num_files++] = asset->file;
            check_hierarchy(parser, asset);
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

// Returns the length of an animation's alias: its name without the digits at its end, of which at
// least two characters must be left.
static size_t alias_size(md5_model_parser *parser, const md5_token *name)
{
    size_t last = name->size;
    while (last > 1 && name->text[last - 1] >= '0' && name->text[last - 1] <= '9')
        last--;
    if (last > 1)
        return last;
    md5i_decl_error(&parser->lex, "a name of two or more characters before its number",
                    "Invalid animation name %s", MD5_SHOWN(name));
    return name->size;
}

// Reads `anim NAME FILE, FILE { ... }` behind its first word.
static void read_model_anim(md5_model_parser *parser)
{
    md5_token token;
    md5_model_anim anim = {.rate = 1.0f};
    if (!parser->names_mesh)
        md5i_decl_error(&parser->lex, "mesh", "Must specify mesh before defining anims");
    parser->names_mesh = true;
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &token)) {
        model_fail_at_end(parser);
        return;
    }
    md5_anim_set *const anims = &parser->anims;
    const md5_anim_name *const known = find_anim_name(parser, &token);
    const md5_anim_slot *slot =
        known ? (const md5_anim_slot *)md5i_shared_get(&anims->names, known->number) : NULL;
    if (!md5_has_anim(parser, slot))
        slot = NULL; // it replaces none
    const bool is_duplicate = slot && slot->number >= parser->num_inherited_slots;
    if (is_duplicate)
        md5i_decl_error(&parser->lex, "a unique name, skipped", "Duplicate anim %s",
                        MD5_SHOWN(&token));
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
    if (!slot) {
        md5_anim_slot *const added = MD5_NEW(&parser->game->arena, md5_anim_slot, 1);
        if (!added)
            return;
        added->number = anims->num_slots++;
        added->alias = alias->number;
        added->before = (const md5_anim_slot *)md5i_shared_get(&anims->aliases, alias->number);
        (void)set_shared(parser, &anims->names, name->number, added);
        (void)set_shared(parser, &anims->aliases, alias->number, added);
        slot = added;
    }
    (void)set_shared(parser, &anims->anims, slot->number, copy);
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
    *parser = (md5_model_parser){
        .game = parser->game,
        .lex = parser->lex,
        .decl = parser->decl,
        .is_defaulted = parser->is_defaulted,
    };
}

static void read_inherit(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_MODEL, name->text, name->size);
    if (!entry) {
        md5i_decl_lex_warn(&parser->lex, "Unknown model definition %s", MD5_SHOWN(name));
    } else if (entry->decl.state == MD5_DECL_DEFAULTED) {
        md5i_decl_error(&parser->lex, "a model definition without errors",
                        "inherited model definition %s defaulted", MD5_SHOWN(name));
    } else {
        clear(parser);
        if (entry->parsed) {
            // Share what a parent has instead of copying it: chains of models may be long.
            const md5_parsed_model *parent = (const md5_parsed_model *)entry->parsed;
            parser->parent = parent;
            parser->mesh = parent->mesh;
            parser->names_mesh = parent->names_mesh;
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
    const md5_decl_entry *const skin = md5i_parse_skin_named(parser->game, name->text, name->size);
    if (skin)
        parser->skin = skin->decl.name;
}

// A mesh begins with all joints in no channel; the lists of channels stay, as in the engine.
static void read_mesh(md5_model_parser *parser, const md5_token *name)
{
    md5_game *const game = parser->game;
    parser->names_mesh = true;
    if (!ends_in(name, ".md5mesh")) {
        md5i_decl_error(&parser->lex, "a .md5mesh file", "Invalid model for MD5 mesh");
        return;
    }
    const md5_asset *const mesh = find_asset(game, name, ".md5mesh");
    if (!md5_game_has_memory(game))
        return;
    if (!mesh || !model_spend(parser, mesh->num_joints)) {
        md5i_decl_error(&parser->lex, mesh ? "fewer joints in all models" : "a readable mesh",
                        "Model %s defaulted", MD5_SHOWN(name));
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
    md5i_decl_error(&parser->lex, "an inherited anim",
                    "Anim %s was not inherited.  Anim should be removed from the model def.",
                    MD5_SHOWN(name));
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
    bool is_any = false;
    bool is_right = true;
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
        md5i_decl_error(&parser->lex, "an inherited anim", "Couldn't find anim %s to remove",
                        MD5_SHOWN(token));
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
            md5i_decl_error(&parser->lex, "( x y z )", "Expected vector following 'offset'");
        return;
    }
    for (uint32_t i = 0; i < MD5_COUNT(words); i++) {
        if (!md5i_token_is(token, words[i].word))
            continue;
        if (md5i_decl_lex_read(&parser->lex, &name))
            words[i].read(parser, &name);
        else
            model_fail_at_end(parser);
        return;
    }
    md5i_report_unknown_keyword(&parser->lex, token, MD5_SCOPE_MODEL, "unknown token", NULL,
                      "mesh, skin, offset, channel, anim, inherit or remove");
    // The block of a word that has been skipped.
    if (!parser->is_defaulted && md5i_decl_lex_take(&parser->lex, "{"))
        (void)md5i_decl_lex_skip_braces(&parser->lex, 1);
}

// -- Keeping --------------------------------------------------------------------------------------

// Copies a channel's joints, without those that a later mesh lacks.
static bool keep_channel_joints(md5_model_parser *parser, const md5_model_channel *from,
                                md5_model_channel *result)
{
    const uint32_t num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    uint32_t *const joints = MD5_NEW(&parser->game->arena, uint32_t, from->num_joints);
    TRY(joints);
    result->joints = joints;
    result->num_joints = 0;
    for (uint32_t i = 0; i < from->num_joints; i++) {
        if (from->joints[i] < num_joints)
            joints[result->num_joints++] = from->joints[i];
    }
    return true;
}

static bool keep_model(md5_model_parser *parser, md5_decl_entry *entry)
{
    md5_arena *const arena = &parser->game->arena;
    md5_parsed_model *const model = MD5_NEW(arena, md5_parsed_model, 1);
    TRY(model);
    model->mesh = parser->mesh;
    model->names_mesh = parser->names_mesh;
    model->anims = parser->anims;
    model->def.decl = &entry->decl;
    model->def.mesh = parser->mesh ? parser->mesh->file : "";
    model->def.skin = parser->skin;
    model->def.offset = parser->offset;
    model->def.num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    model->def.joints = parser->mesh ? parser->mesh->joints : NULL;
    model->def.num_anims = md5i_shared_count(&parser->anims.anims);
    model->joint_channels = parser->joint_channels;
    if (parser->owns_joint_channels)
        model->joint_channels =
            (uint8_t *)md5i_arena_copy(arena, parser->joint_channels, model->def.num_joints, 1);
    TRY(model->joint_channels || !parser->owns_joint_channels);
    // The channel of all joints belongs to the mesh; those of the parent stay as they are.
    const bool has_parent = parser->parent && parser->parent->mesh == parser->mesh;
    const md5_parsed_model *const parent = has_parent ? parser->parent : NULL;
    if (parser->mesh)
        model->def.channels[MD5_CHANNEL_ALL] =
            (md5_model_channel){parser->mesh->num_joints, parser->mesh->numbers};
    for (uint32_t i = MD5_CHANNEL_ALL + 1; i < MD5_NUM_CHANNELS; i++) {
        const md5_model_channel *const channel = &parser->channels[i];
        if (parent && channel->joints == parent->def.channels[i].joints)
            model->def.channels[i] = *channel;
        else
            TRY(keep_channel_joints(parser, channel, &model->def.channels[i]));
    }
    model->def.num_other_channels = parser->num_others;
    model->others = parser->others;
    if (parser->owns_others || !parent) {
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

static bool parse_with_parents(md5_game *game, md5_decl_entry *entry)
{
    waiting_model *top = NULL;
    TRY(entry->parsed || push(game, &top, entry));
    while (top) {
        waiting_model *const current = top;
        if (!current->entry->parsed && !current->has_parents) {
            current->has_parents = current->entry->is_open = true;
            // All models that its text inherits, unless they are parsed or wait for their own
            // parents, come above it. What is wrong with the text is reported when it is parsed.
            md5_decl_lex lex;
            md5_token token;
            bool is_name = false;
            md5i_decl_lex_begin_decl(&lex, game, current->entry, NULL);
            lex.is_silent = true;
            while (md5i_decl_lex_read(&lex, &token)) {
                md5_decl_entry *const parent =
                    is_name ? md5i_find_entry(game, MD5_DECL_MODEL, token.text, token.size) : NULL;
                if (parent && !parent->parsed && !parent->is_open)
                    TRY(push(game, &top, parent));
                is_name = !is_name && md5i_token_is(&token, "inherit");
            }
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
    MD5_ASSERT_PART(model, decl);
    MD5_ASSERT(index < model->num_anims, "index: must be below num_anims");
    // Only md5_game_model_def() makes models.
    const md5_parsed_model *const parsed = (const md5_parsed_model *)(const void *)model;
    return (const md5_model_anim *)md5i_shared_nth(&parsed->anims.anims, index);
}

const md5_model_def *md5_game_model_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    const md5_parsed_model *const parsed = (const md5_parsed_model *)md5i_request(
        game, MD5_DECL_MODEL, name, parse_with_parents, error);
    return parsed ? &parsed->def : NULL;
}
