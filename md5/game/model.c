// Models: model NAME { inherit, skin, mesh, offset, channel, anim, remove ... }
//
// Parents are parsed before what inherits them, from a stack, so that a long chain of them needs no
// deep recursion. A model that inherits itself, directly or through others, inherits nothing.
#include "md5/game/model.h"

#include "md5/core/assert.h"
#include "md5/game/skin.h"

#include <string.h>

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

// Shares what a parent has instead of copying it: chains of models may be long.
static void share_parent(md5_model_parser *parser, const md5_parsed_model *parent)
{
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

static void read_inherit(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_MODEL, name->text, name->size);
    if (!entry) {
        md5i_decl_lex_warn(&parser->lex, "Unknown model definition %s", md5i_token_show(name).text);
    } else if (entry->decl.state == MD5_DECL_DEFAULTED) {
        md5i_model_fail(parser, "one without a mistake", "inherited model definition %s defaulted",
                        md5i_token_show(name).text);
    } else {
        clear(parser);
        if (entry->parsed)
            share_parent(parser, (const md5_parsed_model *)entry->parsed);
    }
}

static void read_skin(md5_model_parser *parser, const md5_token *name)
{
    const md5_decl_entry *const skin = md5i_parse_skin_of(parser->game, name->text, name->size);
    parser->has_memory &= skin != NULL;
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
        md5i_model_fail(parser, "a .md5mesh file", "Invalid model for MD5 mesh");
        return;
    }
    const char *const file = md5_game_copy(&game->scratch, name->text, name->size);
    const md5_mesh_asset *const mesh = file ? md5i_find_mesh_asset(game, file) : NULL;
    if (game->context.error->status != MD5_OK) {
        parser->has_memory = false;
        return;
    }
    if (!mesh) {
        md5i_model_fail(parser, "a mesh that can be read", "Model %s defaulted",
                        md5i_token_show(name).text);
        return;
    }
    if (!md5i_model_spend(parser, mesh->num_joints)) {
        md5i_model_fail(parser, "fewer joints in all models", "Model %s defaulted",
                        md5i_token_show(name).text);
        return;
    }
    parser->mesh = mesh;
    parser->joint_channels = (uint8_t *)md5i_arena_alloc(&game->scratch, mesh->num_joints, 1);
    parser->owns_joint_channels = true;
    parser->has_memory &= parser->joint_channels != NULL;
}

// Removes the animation of a slot, if it is inherited.
static bool remove_anim(md5_model_parser *parser, const md5_anim_slot *slot, const md5_token *name)
{
    if (slot->number < parser->num_inherited_slots)
        return md5i_set_shared(parser, &parser->anims.anims, slot->number, NULL);
    md5i_model_fail(parser, "an inherited anim",
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
    (void)md5i_set_shared(parser, &parser->anims.aliases, alias, slot);
}

// Removes all animations of an alias, and the one of this name.
static void read_remove(md5_model_parser *parser, const md5_token *token)
{
    const md5_anim_name *const name = md5i_find_anim_name(parser, token);
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
        md5i_model_fail(parser, "an inherited anim", "Couldn't find anim %s to remove",
                        md5i_token_show(token).text);
}

static void read_offset(md5_model_parser *parser)
{
    float values[3] = {0.0f, 0.0f, 0.0f};
    if (md5i_decl_lex_vector(&parser->lex, values, 3))
        parser->offset = (md5_vec3){values[0], values[1], values[2]};
    else
        md5i_model_fail(parser, "( x y z )", "Expected vector following 'offset'");
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
        md5i_read_model_anim(parser);
        return;
    }
    if (md5i_token_is(token, "channel")) {
        md5i_read_channel(parser);
        return;
    }
    if (md5i_token_is(token, "offset")) {
        read_offset(parser);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!md5i_token_is(token, words[i].word))
            continue;
        if (md5i_decl_lex_read(&parser->lex, &name))
            words[i].read(parser, &name);
        else
            md5i_model_fail_at_end(parser);
        return;
    }
    md5i_model_skip_unknown(parser, token, "unknown token",
                            "mesh, skin, offset, channel, anim, inherit or remove");
    // The block of a word that has been skipped.
    if (!parser->is_defaulted && md5i_decl_lex_take(&parser->lex, "{"))
        (void)md5i_decl_lex_skip_braces(&parser->lex, 1);
}

static void read_model(md5_model_parser *parser)
{
    md5_token token;
    (void)md5i_decl_lex_skip_until(&parser->lex, "{");
    while (!parser->is_defaulted && parser->has_memory && md5i_decl_lex_read(&parser->lex, &token)
           && !md5i_token_is(&token, "}"))
        read_word(parser, &token);
    if (parser->is_defaulted)
        clear(parser);
}

// -- Keeping --------------------------------------------------------------------------------------

// Returns the parent if its lists of joints can be shared, which needs the same mesh; else NULL.
static const md5_parsed_model *parent_of_mesh(const md5_model_parser *parser)
{
    const md5_parsed_model *const parent = parser->parent;
    return parent && parent->mesh == parser->mesh ? parent : NULL;
}

// Copies a channel's joints, without those that a later mesh lacks.
static bool keep_joints(md5_model_parser *parser, const md5_model_channel *from,
                        md5_model_channel *kept)
{
    const uint32_t num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    uint32_t *const joints =
        (uint32_t *)md5i_arena_alloc(&parser->game->arena, from->num_joints, sizeof *joints);
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
            TRY(keep_joints(parser, channel, &def->channels[i]));
    }
    return true;
}

static bool keep_others(md5_model_parser *parser, md5_parsed_model *model)
{
    md5_arena *const arena = &parser->game->arena;
    model->def.num_other_channels = parser->num_others;
    model->others = parser->others;
    if (parser->owns_others || !parent_of_mesh(parser)) {
        model->others =
            (md5_named_channel *)md5i_arena_alloc(arena, parser->num_others, sizeof *model->others);
        TRY(model->others);
        for (uint32_t i = 0; i < parser->num_others; i++) {
            model->others[i].name = parser->others[i].name;
            TRY(keep_joints(parser, &parser->others[i].channel, &model->others[i].channel));
        }
    }
    model->def.other_channels = model->others;
    return true;
}

static bool keep_joint_channels(md5_model_parser *parser, md5_parsed_model *model)
{
    const uint32_t num_joints = parser->mesh ? parser->mesh->num_joints : 0;
    model->joint_channels = parser->joint_channels;
    if (!parser->owns_joint_channels)
        return true;
    model->joint_channels = (uint8_t *)md5i_arena_alloc(&parser->game->arena, num_joints, 1);
    TRY(model->joint_channels);
    if (num_joints > 0)
        memcpy(model->joint_channels, parser->joint_channels, num_joints);
    return true;
}

static bool keep_model(md5_model_parser *parser, md5_decl_entry *entry)
{
    md5_arena *const arena = &parser->game->arena;
    md5_parsed_model *const model = (md5_parsed_model *)md5i_arena_alloc(arena, 1, sizeof *model);
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
    TRY(keep_joint_channels(parser, model) && keep_channels(parser, &model->def));
    TRY(keep_others(parser, model));
    entry->parsed = model;
    entry->decl.state = parser->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

static bool parse_alone(md5_game *game, md5_decl_entry *entry)
{
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    md5_model_parser parser = {.game = game, .has_memory = true};
    parser.decl = &entry->decl;
    md5i_decl_lex_begin_decl(&parser.lex, game, entry);
    read_model(&parser);
    const bool is_kept =
        parser.has_memory && game->context.error->status == MD5_OK && keep_model(&parser, entry);
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
    waiting_model *const added =
        (waiting_model *)md5i_arena_alloc(&game->scratch, 1, sizeof *added);
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
    md5i_decl_lex_begin_decl(&lex, game, child);
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
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    md5_game_begin(game, error);
    md5_decl_entry *const entry = md5i_find_entry(game, MD5_DECL_MODEL, name, strlen(name));
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_there = entry && (entry->parsed || parse_with_parents(game, entry));
    md5i_arena_rewind(&game->scratch, before);
    game->context.error = &game->context.unseen;
    return is_there ? &((const md5_parsed_model *)entry->parsed)->def : NULL;
}
