// Models while they are parsed: see model.c.
#ifndef MD5_GAME_MODEL_H
#define MD5_GAME_MODEL_H

#include "md5/game/decls.h"
#include "md5/game/model_assets.h"
#include "md5/game/verdict.h"

// A parsed model. What inherits it also needs which channel each joint is in.
typedef struct md5_parsed_model {
    md5_model_def def; // first: the public part
    const md5_mesh_asset *mesh;
    uint8_t *joint_channels; // [num_joints], 0 = none
} md5_parsed_model;

// An animation of a model that is being parsed.
typedef struct md5_anim_slot {
    md5_model_anim anim;
    bool is_inherited, is_removed;
    uint32_t next; // 1 + the slot before it with this alias, 0 = none
} md5_anim_slot;

// The value of a map: 1 + the index of a slot, 0 = none.
typedef struct md5_anim_index {
    uint32_t slot;
} md5_anim_index;

// The parse of one model. Everything here but texts is in game->scratch.
typedef struct md5_model_parser {
    md5_game *game;
    md5_decl_lex lex;
    const md5_decl *decl;
    bool is_defaulted, has_memory;
    const md5_mesh_asset *mesh; // NULL before `mesh`
    const char *skin;
    md5_vec3 offset;
    uint8_t *joint_channels;
    md5_model_channel channels[MD5_NUM_CHANNELS];
    md5_named_channel *others; // [num_others]
    uint32_t num_others, other_room;
    md5_anim_slot *slots;
    uint32_t num_slots, slot_room;
    md5_name_map names;   // of animations: md5_anim_index with the slot
    md5_name_map aliases; // the same with the last slot of an alias; others by md5_anim_slot.next
    uint32_t num_inherited;
} md5_model_parser;

// -- model_parser.c -------------------------------------------------------------------------------

// Report a mistake, which defaults the model unless the verdict is lenient: see md5_mistake().
// md5_model_fail_at_end(): that the text ends.
void md5_model_fail(md5_model_parser *parser, const char *expected, const char *format, ...)
    MD5_PRINTF(3, 4);
void md5_model_fail_at_end(md5_model_parser *parser);

// Reports a word that this engine does not know, as md5_model_fail() does. In the lenient verdict
// also skips what belongs to it.
void md5_model_skip_unknown(md5_model_parser *parser, const md5_token *word, const char *what,
                            const char *expected);

// Returns the joint of a name, ignoring case, or -1.
int32_t md5_model_find_joint(const md5_model_parser *parser, const char *name, size_t size);

// -- model_channels.c: `channel NAME ( JOINT ... )` behind its first word
// --------------------------

void md5_read_channel(md5_model_parser *parser);

// -- model_anims.c: `anim NAME FILE, FILE { ... }` behind its first word
// ---------------------------

void md5_read_model_anim(md5_model_parser *parser);

// Enters the names of a slot into the maps. Returns false if memory runs out.
bool md5_name_anim_slot(md5_model_parser *parser, uint32_t slot);

// Returns the index of a name in one of the maps, or NULL if the name is in none.
md5_anim_index *md5_find_anim_index(md5_model_parser *parser, const md5_name_map *map,
                                    const md5_token *name);

#endif
