// A machine while it is made: from tables of names to tables of numbers. Everything lies in an
// arena until its size is known.
#ifndef MD5_PLAY_BUILD_BUILDING_H
#define MD5_PLAY_BUILD_BUILDING_H

#include "md5/play/machine.h"
#include "md5/play/schema.h"

// -- Names of a machine's tables: each once in its table, found fast ----------------------------

typedef struct md5_name {
    const char *text;
    const char *const *member; // of the table, for its place in the text
    uint32_t number;
} md5_name;

typedef struct md5_names {
    const char *what; // the things have these names: "clip", for messages
    bool may_repeat;  // then the first of equal names is found
    md5_name *sorted; // [count]
    uint32_t count;
} md5_names;

// -- A machine while it is made -----------------------------------------------------------------

typedef struct md5_building {
    md5_context *context;
    md5_arena *arena;   // becomes the machine's memory
    md5_arena *scratch; // until it is made
    const md5_machine_desc *desc;
    md5_machine *machine;
    md5_names clips;
    md5_names motions;
    md5_names masks;
    md5_names parameters;
    md5_names joints;
    md5_names windows;
    md5_names curves;
    md5_names attached;
    md5_names *attached_joints;
    const char *ears[MD5_MAX_EARS]; // [machine->num_ears] what they hear
    const char *kind, *owner;       // of the row that is made, for messages: "motion", its name
    bool *marks;                    // [joints]
    md5_xform *sampled;             // [joints]
    // Rows in all tables; of easings at least as many as the machine keeps.
    size_t num_windows;
    size_t num_curves;
    size_t num_items;
    size_t num_conditions;
    size_t num_feet;
    size_t num_easings;
} md5_building;

// Each resolves a part of the tables, in this order. False, with the error set, at the first fault.
bool md5i_build_curves(md5_building *building);    // of clips, with room for what is driven
bool md5i_build_layers(md5_building *building);    // masks, motions, layers, one-shots, morphs
bool md5i_build_modifiers(md5_building *building); // and where vertices are

// Adds the names of rows, of which they are the first members; their numbers go on from those that
// are there. False, with the error set, without memory, or when one is missing, empty or there
// twice, unless they may repeat.
bool md5i_list_names(md5_building *building, md5_names *names, const void *rows, uint32_t count,
                     size_t row_size);
#define MD5_LIST(building, names, owner, rows) \
    md5i_list_names(building, names, (owner)->rows, (owner)->num_##rows, sizeof *(owner)->rows)

// Whether an easing has numbers of its own.
static inline bool md5_has_numbers(uint32_t easing)
{
    return easing == MD5_EASE_CUBIC_BEZIER || easing == MD5_EASE_STEPS;
}

// Begins to make a row; its owner is NULL if it has no name.
static inline void md5_begin_row(md5_building *building, const char *kind, const char *owner)
{
    building->kind = kind;
    building->owner = owner ? owner : "";
}

// Checks the number of steps of an easing of the row.
bool md5i_check_steps(md5_building *building, const md5_easing *easing);

// Checks an easing and adds it to the machine's: *number becomes its index; if it is linear, 0.
bool md5i_build_easing(md5_building *building, const md5_easing *easing, uint32_t *number);

// The numbers of a layer and of a state in it, which the row must name.
bool md5i_resolve_state(md5_building *building, const char *const *layer, const char *const *state,
                        md5_morph_row *row);

// Fails at the place of a member of the tables; of C tables there is none. Returns false.
bool md5i_fail_at(md5_building *building, const void *member, md5_status status, const char *format,
                  ...) MD5_PRINTF(4, 5);

// The same with a message that begins with the kind and the name of the row.
bool md5i_fail_row(md5_building *building, const void *member, md5_status status,
                   const char *format, ...) MD5_PRINTF(4, 5);
#define MD5_MISMATCH(building, member, ...) \
    md5i_fail_row(building, member, MD5_ERROR_MISMATCH, __VA_ARGS__)
#define MD5_OUT_OF_RANGE(building, member, ...) \
    md5i_fail_row(building, member, MD5_ERROR_RANGE, __VA_ARGS__)

// The number of a name, which is a member of the tables; MD5_NONE for NULL. False, with the error
// set, when there is none of that name.
bool md5i_resolve(md5_building *building, const md5_names *names, const char *const *name,
                  uint32_t *number);
#define MD5_RESOLVE(building, names, member, number) \
    md5i_resolve(building, &(building)->names, &(member), &(number))

// -- Walks over the tables ----------------------------------------------------------------------

// Checks what needs no other row: numbers, choices, that arrays are there. Counts rows.
bool md5i_check_tables(md5_building *building, const md5_schema *schema, const void *row);

// Copies a row and all that it names into the arena. False, with the error set, without memory.
bool md5i_copy_tables(md5_arena *arena, const md5_schema *schema, const void *row, void *copy);

// A hash of a row and all that it names, which are valid, and of the joints and durations that they
// refer to.
uint64_t md5i_fingerprint_of(const md5_schema *schema, const void *row);

#endif
