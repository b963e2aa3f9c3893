// Channels: the joints that an animation of a part of the body drives.
//
// Names are read from left to right: J adds a joint, *J it and all below it, -J and -*J remove
// them.
#include "md5/game/model.h"

#include <string.h>

// The joints of a channel in the order in which they were added.
typedef struct channel_joints {
    uint32_t *joints; // [num_joints], `count` of them used
    uint8_t *is_in;   // [num_joints]
    uint32_t count;
    const char *source; // the names that have not been applied yet, in the text read
} channel_joints;

// -- Lists of joints ------------------------------------------------------------------------------

// Removes the joints that are not in it any more.
static void shrink(channel_joints *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->is_in[list->joints[i]])
            list->joints[kept++] = list->joints[i];
    }
    list->count = kept;
}

// The joints below one follow it in the file, up to one whose parent comes before it.
static void change_joints(md5_model_parser *parser, channel_joints *list, uint32_t joint,
                          bool with_children, bool is_removed)
{
    const md5_mesh_asset *const mesh = parser->mesh;
    uint32_t end = joint + 1;
    while (with_children && end < mesh->num_joints && mesh->joints[end].parent >= (int32_t)joint)
        end++;
    if (!md5i_model_spend(parser, end - joint + (is_removed ? list->count : 0)))
        return;
    for (uint32_t i = joint; i < end; i++) {
        if (!is_removed && !list->is_in[i])
            list->joints[list->count++] = i;
        list->is_in[i] = !is_removed;
    }
    if (is_removed)
        shrink(list);
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
    const int32_t joint = md5i_model_find_joint(parser, name, size);
    if (joint >= 0) {
        change_joints(parser, list, (uint32_t)joint, with_children, is_removed);
        return;
    }
    if (!md5i_model_spend(parser, 0)) // nothing is looked up any more
        return;
    const char *const model = parser->decl->name;
    md5i_decl_lex_warn(&parser->lex, "Unknown joint %s in %s for model %s",
                       md5i_quote(name, size).text, md5i_token_show(&all).text,
                       md5i_quote(model, strlen(model)).text);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void apply_names(md5_model_parser *parser, channel_joints *list, md5_token all)
{
    const char *at = all.text, *const end = all.text + all.size;
    while (at < end) {
        const char *const start = at;
        while (at < end && !is_blank(*at))
            at++;
        if (at > start)
            apply_name(parser, list, start, (size_t)(at - start), all);
        at += at < end;
    }
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
            md5i_model_fail_at_end(parser);
            return false;
        }
        parser->has_memory &= append(parser, all, &room, &token);
        if (!parser->has_memory)
            return false;
    }
    return true;
}

// Copies the joints' channels if they are still shared with the parent.
static bool own_joint_channels(md5_model_parser *parser)
{
    const uint32_t count = parser->mesh->num_joints;
    if (parser->owns_joint_channels)
        return true;
    uint8_t *const copy = (uint8_t *)md5i_arena_room(&parser->game->scratch, count, 1);
    parser->has_memory &= copy != NULL;
    TRY(copy);
    if (count > 0)
        memcpy(copy, parser->joint_channels, count);
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
                               md5i_quote(name, strlen(name)).text);
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
    if (!md5i_model_spend(parser, room * (uint32_t)sizeof *parser->others / sizeof(uint32_t)))
        return false;
    md5_named_channel *const others =
        (md5_named_channel *)md5i_arena_alloc(&parser->game->scratch, room, sizeof *others);
    parser->has_memory &= others != NULL;
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
        md5i_model_fail(parser, "no further channel", "%d unknown channels", (int)MOST);
        return NULL;
    }
    const char *const copy = md5i_keep_token(parser->game, name);
    parser->has_memory &= copy != NULL;
    if (!copy)
        return NULL;
    md5_named_channel *const other = &parser->others[parser->num_others++];
    other->name = copy;
    return other;
}

// Gives the joints of a list to a channel that the engine does not know. They may be in other
// channels too.
static void keep_other(md5_model_parser *parser, const channel_joints *list, const md5_token *name)
{
    md5_named_channel *other = NULL;
    if (!make_room(parser))
        return;
    for (uint32_t i = 0; i < parser->num_others; i++) {
        if (md5i_token_is_word(name, parser->others[i].name))
            other = &parser->others[i];
    }
    if (!other)
        other = add_other(parser, name);
    if (other)
        other->channel = (md5_model_channel){list->count, list->joints};
}

static uint32_t channel_of(const md5_token *name)
{
    static const char *const names[MD5_NUM_CHANNELS] = {"", "torso", "legs", "head", "eyelids"};
    uint32_t channel = 1;
    while (channel < MD5_NUM_CHANNELS && !md5i_token_is_word(name, names[channel]))
        channel++;
    return channel;
}

void md5i_read_channel(md5_model_parser *parser)
{
    md5_arena *const scratch = &parser->game->scratch;
    md5_token name, names;
    if (!parser->mesh)
        md5i_model_fail(parser, "mesh", "Must specify mesh before defining channels");
    if (parser->is_defaulted)
        return;
    if (!md5i_decl_lex_read(&parser->lex, &name)) {
        md5i_model_fail_at_end(parser);
        return;
    }
    if (!md5i_decl_lex_take(&parser->lex, "(")) {
        md5i_model_fail(parser, "'('", "Expected { after %s", md5i_token_show(&name).text);
        return;
    }
    const uint32_t channel = channel_of(&name);
    parser->lex.token_at = name.at;
    if (channel == MD5_NUM_CHANNELS)
        md5i_model_fail(parser, "torso, legs, head or eyelids", "Unknown channel %s",
                        md5i_token_show(&name).text);
    if (parser->is_defaulted || !read_names(parser, &names) || !parser->mesh)
        return;
    const uint32_t count = parser->mesh->num_joints;
    if (!md5i_model_spend(parser, count))
        return;
    channel_joints list = {
        .joints = (uint32_t *)md5i_arena_alloc(scratch, count, sizeof(uint32_t)),
        .is_in = (uint8_t *)md5i_arena_alloc(scratch, count, 1),
        .source = name.at + name.size,
    };
    parser->has_memory &= list.joints && list.is_in;
    if (!parser->has_memory)
        return;
    apply_names(parser, &list, names);
    if (channel < MD5_NUM_CHANNELS)
        keep_joints(parser, &list, channel);
    else
        keep_other(parser, &list, &name);
}
