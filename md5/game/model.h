// Models while they are parsed: see model.c.
#ifndef MD5_GAME_MODEL_H
#define MD5_GAME_MODEL_H

#include "md5/game/decls.h"
#include "md5/game/model_assets.h"
#include "md5/game/shared_array.h"
#include "md5/game/verdict.h"

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
    bool is_defaulted, has_memory;
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

// -- model_parser.c -------------------------------------------------------------------------------

// Report a mistake, which defaults the model unless the verdict is lenient: see md5i_mistake().
// md5i_model_fail_at_end(): that the text ends.
void md5i_model_fail(md5_model_parser *parser, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);
void md5i_model_fail_at_end(md5_model_parser *parser);

// Reports a word that this engine does not know, as md5i_model_fail() does. In the lenient verdict
// also skips what belongs to it.
void md5i_model_skip_unknown(md5_model_parser *parser, const md5_token *word, const char *what,
                             const char *expected);

// Returns the joint of a name, ignoring case, or -1.
int32_t md5i_model_find_joint(md5_model_parser *parser, const char *name, size_t size);

// Takes the work on so many joints from what all models of the game may cost together. Returns
// false if that is used up, and reports it as a mistake when that happens.
bool md5i_model_spend(md5_model_parser *parser, uint32_t num_joints);

// -- model_channels.c -----------------------------------------------------------------------------

// Reads `channel NAME ( JOINT ... )` behind its first word.
void md5i_read_channel(md5_model_parser *parser);

// -- model_anims.c --------------------------------------------------------------------------------

// Reads `anim NAME FILE, FILE { ... }` behind its first word.
void md5i_read_model_anim(md5_model_parser *parser);

// Returns a name of animations, or NULL if no animation of the game has it. If memory runs out,
// returns NULL and sets parser->has_memory to false.
const md5_anim_name *md5i_find_anim_name(md5_model_parser *parser, const md5_token *name);

// Whether the animation of a slot has not been removed.
static inline bool md5_has_anim(const md5_model_parser *parser, const md5_anim_slot *slot)
{
    return slot && md5i_shared_get(&parser->anims.anims, slot->number);
}

// Changes an array of parser->anims. If memory runs out, returns false and sets parser->has_memory
// to false.
bool md5i_set_shared(md5_model_parser *parser, md5_shared_array *array, uint32_t index,
                     const void *value);

#endif
