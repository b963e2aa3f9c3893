// Animations of models: names, files, flags and frame commands.
#include "md5/game/model.h"

#include "md5/game/skin.h"
#include "md5/md5game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    uint32_t count, room;
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
    char *const text = (char *)md5i_arena_alloc(arena, start + token->size + 1, 1);
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

static void read_joint(md5_model_parser *parser, const md5_token *token, bool may_be_empty,
                       md5_frame_command *command)
{
    command->joint = md5i_model_find_joint(parser, token->text, token->size);
    if (command->joint < 0 && !(may_be_empty && token->size == 0))
        md5i_model_fail(parser, "a joint of the mesh", "Joint %s not found",
                        md5i_token_show(token).text);
}

// Applies the argument `token`, of a kind of command_words.
static void apply_argument(md5_model_parser *parser, const md5_token *token, const char *kind,
                           md5_frame_command *command)
{
    const bool is_joint = *kind == 'j' || *kind == 'J';
    if (is_joint)
        read_joint(parser, token, *kind == 'J', command);
    if (*kind == 's' && !md5i_token_is(token, "none"))
        parser->has_memory &= md5i_parse_skin_of(parser->game, token->text, token->size) != NULL;
    if (*kind == 'n')
        command->leg = md5i_token_int(token);
    // The joint is the text if it is the only argument.
    const bool is_only_joint = is_joint && kind[1] == '\0';
    if (*kind == 't' || *kind == 's' || *kind == 'o' || is_only_joint)
        parser->has_memory &= keep_text(parser, token, command);
}

// Returns false if there is no command, which is reported.
static bool read_command(md5_model_parser *parser, md5_frame_command *command)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_model_fail(parser, "a frame command", "Unexpected end of line");
        return false;
    }
    const struct command_word *const word = command_of(&token);
    if (!word) {
        md5i_model_skip_unknown(parser, &token, "Unknown command", "a frame command");
        return false;
    }
    command->code = word->code;
    for (const char *kind = word->arguments; *kind && !parser->is_defaulted; kind++) {
        if (md5i_decl_lex_read_on_line(&parser->lex, &token)) {
            apply_argument(parser, &token, kind, command);
        } else if (*kind != 'o') {
            md5i_model_fail(parser, "another argument", "Unexpected end of line");
            return false;
        }
    }
    return true;
}

static bool add_command(md5_model_parser *parser, command_list *list,
                        const md5_frame_command *command)
{
    enum { FIRST = 32 };
    if (list->count == list->room) {
        const uint32_t room = list->room ? 2 * list->room : FIRST;
        md5_frame_command *const commands =
            (md5_frame_command *)md5i_arena_room(&parser->game->scratch, room, sizeof *commands);
        TRY(commands);
        if (list->count > 0)
            memcpy(commands, list->commands, list->count * sizeof *commands);
        list->commands = commands;
        list->room = room;
    }
    list->commands[list->count++] = *command;
    return true;
}

// `frame N COMMAND ARGUMENT ...` behind its first word, all on one line.
static void read_frame(md5_model_parser *parser, const md5_model_anim *anim, command_list *list)
{
    md5_token token;
    md5_frame_command command = {.text = "", .joint = -1};
    if (!md5i_decl_lex_read_on_line(&parser->lex, &token)) {
        md5i_model_fail(parser, "a number", "Missing frame # after 'frame'");
        return;
    }
    if (token.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&token, "-")) {
        md5i_model_fail(parser, "a number", "Invalid frame # after 'frame'");
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
        md5i_model_fail(parser, expected, "Frame %d out of range", (int)frame);
        if (!parser->is_defaulted)
            md5i_skip_unknown_word(&parser->lex, &token, MD5_WORD_MODEL);
        return;
    }
    command.frame = (uint32_t)frame;
    if (read_command(parser, &command))
        parser->has_memory &= add_command(parser, list, &command);
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
    md5_frame_command *const kept =
        (md5_frame_command *)md5i_arena_alloc(&parser->game->arena, list->count, sizeof *kept);
    ordered_command *const ordered =
        (ordered_command *)md5i_arena_alloc(&parser->game->scratch, list->count, sizeof *ordered);
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
        md5i_model_fail(parser, "0.01 to 100", "rate %g out of range", (double)rate);
}

// Reads flags and frame commands, up to the brace behind them. Those before the end of the text are
// kept, too, if the verdict allows that there is no brace.
static void read_block(md5_model_parser *parser, md5_model_anim *anim)
{
    const bool is_quake4 = md5_is_lenient(parser->game);
    command_list list = {.count = 0};
    md5_token token;
    bool is_open = true;
    while (is_open && !parser->is_defaulted && parser->has_memory) {
        if (!md5i_decl_lex_read(&parser->lex, &token)) {
            md5i_model_fail_at_end(parser);
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
            md5i_model_skip_unknown(parser, &token, "Unknown command", "frame, a flag or '}'");
        }
    }
    if (!parser->is_defaulted && parser->has_memory)
        parser->has_memory &= keep_commands(parser, &list, anim);
}

// -- Files ----------------------------------------------------------------------------------------

static void add_file(md5_model_parser *parser, const md5_token *token, md5_model_anim *anim)
{
    const char *const file = md5_game_copy(&parser->game->scratch, token->text, token->size);
    const md5_anim_asset *const asset = file ? md5i_find_anim_asset(parser->game, file) : NULL;
    if (parser->game->context.error->status != MD5_OK) {
        parser->has_memory = false;
    } else if (!asset) {
        md5i_model_fail(parser, "a file that can be read", "Couldn't load anim %s",
                        md5i_token_show(token).text);
    } else if (anim->num_files > 0 && asset->milliseconds != anim->milliseconds) {
        md5i_model_fail(parser, "equal lengths", "Anim %s does not match length of anim %s",
                        md5i_quote(asset->file, strlen(asset->file)).text,
                        md5i_quote(anim->files[0], strlen(anim->files[0])).text);
    } else if (anim->num_files == MD5_MAX_SYNCED_ANIMS) {
        md5i_model_fail(parser, "no further file", "Exceeded max synced anims (%d)",
                        (int)MD5_MAX_SYNCED_ANIMS);
    } else {
        if (anim->num_files == 0) {
            anim->num_frames = asset->num_frames;
            anim->milliseconds = asset->milliseconds;
        }
        anim->files[anim->num_files++] = asset->file;
    }
}

// FILE, FILE ...
static void read_files(md5_model_parser *parser, md5_model_anim *anim)
{
    md5_token token;
    do {
        if (md5i_decl_lex_read(&parser->lex, &token))
            add_file(parser, &token, anim);
        else
            md5i_model_fail_at_end(parser);
    } while (!parser->is_defaulted && parser->has_memory && md5i_decl_lex_take(&parser->lex, ","));
}

// -- Names ----------------------------------------------------------------------------------------

bool md5i_set_shared(md5_model_parser *parser, md5_shared_array *array, uint32_t index,
                     const void *value)
{
    parser->has_memory &=
        md5i_shared_set(array, &parser->game->arena, parser->decl, index, (void *)(uintptr_t)value);
    return parser->has_memory;
}

const md5_anim_name *md5i_find_anim_name(md5_model_parser *parser, const md5_token *name)
{
    const char *const key = md5_game_copy(&parser->game->scratch, name->text, name->size);
    parser->has_memory &= key != NULL;
    void **const found = key ? md5i_name_map_find(&parser->game->anim_names, key) : NULL;
    return found ? (const md5_anim_name *)*found : NULL;
}

// Returns the name of a text, which gets a number if it is new; NULL if memory runs out.
static const md5_anim_name *add_name(md5_model_parser *parser, const char *text, size_t size)
{
    md5_game *const game = parser->game;
    const md5_token token = {.text = text, .size = size};
    const md5_anim_name *const known = md5i_find_anim_name(parser, &token);
    if (known || !parser->has_memory)
        return known;
    md5_anim_name *const name = (md5_anim_name *)md5i_arena_alloc(&game->arena, 1, sizeof *name);
    const char *const copy = name ? md5_game_copy(&game->arena, text, size) : NULL;
    void **const added = copy ? md5i_name_map_add(&game->anim_names, &game->arena, copy) : NULL;
    parser->has_memory &= added != NULL;
    if (!added)
        return NULL;
    name->text = copy;
    name->number = game->num_anim_names++;
    *added = name;
    return name;
}

static const md5_anim_slot *find_slot(md5_model_parser *parser, const md5_token *token)
{
    const md5_anim_name *const name = md5i_find_anim_name(parser, token);
    const md5_anim_slot *const slot =
        name ? (const md5_anim_slot *)md5i_shared_get(&parser->anims.names, name->number) : NULL;
    return md5_has_anim(parser, slot) ? slot : NULL;
}

// Adds a slot behind all others. Returns NULL if memory runs out.
static const md5_anim_slot *add_slot(md5_model_parser *parser, const md5_anim_name *name,
                                     const md5_anim_name *alias)
{
    md5_anim_set *const anims = &parser->anims;
    md5_anim_slot *const slot =
        (md5_anim_slot *)md5i_arena_alloc(&parser->game->arena, 1, sizeof *slot);
    parser->has_memory &= slot != NULL;
    if (!slot)
        return NULL;
    slot->number = anims->num_slots++;
    slot->alias = alias->number;
    slot->before = (const md5_anim_slot *)md5i_shared_get(&anims->aliases, alias->number);
    const bool is_named = md5i_set_shared(parser, &anims->names, name->number, slot)
                          && md5i_set_shared(parser, &anims->aliases, alias->number, slot);
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
    md5i_model_fail(parser, "two characters before its number", "Invalid animation name %s",
                    md5i_token_show(name).text);
    return name->size;
}

// Keeps an animation in `slot`, that of the animation which it replaces, or in a new slot if that
// is NULL.
static void keep_anim(md5_model_parser *parser, const md5_anim_slot *slot,
                      const md5_model_anim *anim, const md5_anim_name *name,
                      const md5_anim_name *alias)
{
    md5_model_anim *const kept =
        (md5_model_anim *)md5i_arena_alloc(&parser->game->arena, 1, sizeof *kept);
    parser->has_memory &= kept != NULL;
    if (!kept)
        return;
    *kept = *anim;
    kept->name = name->text;
    kept->alias = alias->text;
    if (!slot)
        slot = add_slot(parser, name, alias);
    if (slot)
        (void)md5i_set_shared(parser, &parser->anims.anims, slot->number, kept);
}

// Reads what is behind the name of an animation.
static void read_body(md5_model_parser *parser, md5_model_anim *anim)
{
    if (!parser->is_defaulted && parser->has_memory)
        read_files(parser, anim);
    if (!parser->is_defaulted && parser->has_memory && md5i_decl_lex_take(&parser->lex, "{"))
        read_block(parser, anim);
}

void md5i_read_model_anim(md5_model_parser *parser)
{
    md5_token token;
    md5_model_anim anim = {.rate = 1.0f};
    if (!parser->mesh)
        md5i_model_fail(parser, "mesh", "Must specify mesh before defining anims");
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &token)) {
        md5i_model_fail_at_end(parser);
        return;
    }
    const md5_anim_slot *const slot = find_slot(parser, &token);
    const bool is_duplicate = slot && slot->number >= parser->num_inherited_slots;
    if (is_duplicate)
        md5i_model_fail(parser, "another name, skipped", "Duplicate anim %s",
                        md5i_token_show(&token).text);
    const size_t size = parser->is_defaulted ? 0 : alias_size(parser, &token);
    read_body(parser, &anim);
    if (parser->is_defaulted || !parser->has_memory || is_duplicate || anim.num_files == 0)
        return;
    const md5_anim_name *const name = add_name(parser, token.text, token.size);
    const md5_anim_name *const alias = name ? add_name(parser, token.text, size) : NULL;
    if (alias)
        keep_anim(parser, slot, &anim, name, alias);
}
