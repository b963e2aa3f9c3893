// A machine under construction: the shared state of the files in this folder, the lookup of names,
// and errors.
//
// A description (md5_machine_desc) contains tables. Their rows refer to each other by name. The
// machine contains the same rows with indices instead of names. md5_building contains both, and a
// sorted list of names for each kind of row. All memory is in an arena, because the size of the
// machine is not known in advance.
#ifndef MD5_PLAY_BUILD_BUILDING_H
#define MD5_PLAY_BUILD_BUILDING_H

#include "md5/play/machine.h"
#include "md5/play/schema.h"

// -- Names of the rows of a table -----------------------------------------------------------------

// The name of one row.
typedef struct md5_name {
    const char *text;
    const char *const *member; // address of the name in the table, for its location in the file
    uint32_t number;           // index of its row
} md5_name;

// The names of all rows of a kind, sorted for binary search.
typedef struct md5_names {
    const char *kind; // kind of the named rows, such as "clip", for messages
    bool may_repeat;  // names may be equal; a search finds the first
    md5_name *sorted; // [count]
    uint32_t count;
} md5_names;

// -- The machine under construction ---------------------------------------------------------------

// The construction of one machine. The current row is the row whose kind and name error messages
// contain.
typedef struct md5_building {
    md5_context *context;
    md5_arena *arena;   // becomes the machine's memory
    md5_arena *scratch; // freed when the machine is complete
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
    // [machine->num_event_bits] The event name of each bit: see MD5_MAX_EVENT_BITS.
    const char *event_bits[MD5_MAX_EVENT_BITS];
    const char *kind;   // kind of the current row, such as "motion"
    const char *owner;  // name of the current row
    bool *marks;        // [joints] scratch: a set of joints
    md5_xform *sampled; // [joints] scratch: a sampled pose
    // Numbers of rows in all tables, for the allocation of arrays. num_easings may exceed the
    // number of easings in the machine.
    size_t num_windows;
    size_t num_curves;
    size_t num_items;
    size_t num_conditions;
    size_t num_feet;
    size_t num_easings;
} md5_building;

// Each of these functions builds a part of the machine. They must be called in this order. At the
// first error they set the context's error and return false.
bool md5i_build_curves(md5_building *building);    // curves of clips; allocates all morph rows
bool md5i_build_layers(md5_building *building);    // masks, motions, layers, one-shots, morphs
bool md5i_build_modifiers(md5_building *building); // modifiers, bounds of vertices

// Adds the names of rows to a list. The first member of each row is its name. The indices continue
// after the names that are already in the list. A name must exist, must not be empty, and must be
// unique unless names may repeat. Sets the error and returns false if a name is invalid or memory
// runs out.
bool md5i_list_names(md5_building *building, md5_names *names, const void *rows, uint32_t count,
                     size_t row_size);
#define MD5_LIST_NAMES(building, names, owner, rows) \
    md5i_list_names(building, names, (owner)->rows, (owner)->num_##rows, sizeof *(owner)->rows)

// Returns true if easings of this kind have parameters.
static inline bool md5_has_easing_parameters(uint32_t easing)
{
    return easing == MD5_EASE_CUBIC_BEZIER || easing == MD5_EASE_STEPS;
}

// Sets the current row for messages. `owner` is its name, or NULL.
static inline void md5_begin_row(md5_building *building, const char *kind, const char *owner)
{
    building->kind = kind;
    building->owner = owner ? owner : "";
}

// Checks the number of steps of an easing of the current row.
bool md5i_check_steps(md5_building *building, const md5_easing *easing);

// Checks an easing and adds it to the machine's easings. Sets *number to its index. Index 0 is the
// linear easing.
bool md5i_build_easing(md5_building *building, const md5_easing *easing, uint32_t *number);

// Finds a layer and one of its states by name, and sets their indices in `row`. Both names are
// required.
bool md5i_resolve_state(md5_building *building, const char *const *layer, const char *const *state,
                        md5_sum_row *row);

// Sets an error at the location of a member of the tables in the machine file. Tables in C do not
// have locations. Returns false.
bool md5i_fail_at(md5_building *building, const void *member, md5_status status, const char *format,
                  ...) MD5_PRINTF(4, 5);

// Sets an error like md5i_fail_at(), with the kind and the name of the current row before the
// message. Returns false.
bool md5i_fail_row(md5_building *building, const void *member, md5_status status,
                   const char *format, ...) MD5_PRINTF(4, 5);
#define MD5_MISMATCH(building, member, ...) \
    md5i_fail_row(building, member, MD5_ERROR_MISMATCH, __VA_ARGS__)
#define MD5_OUT_OF_RANGE(building, member, ...) \
    md5i_fail_row(building, member, MD5_ERROR_RANGE, __VA_ARGS__)

// Sets *number to the index of the row with a name, or to MD5_NONE if *name is NULL. `name` must be
// a member of the tables, because its address gives the location of an error. Sets the error and
// returns false if no row has this name.
bool md5i_resolve(md5_building *building, const md5_names *names, const char *const *name,
                  uint32_t *number);
#define MD5_RESOLVE(building, names, member, number) \
    md5i_resolve(building, &(building)->names, &(member), &(number))

// Returns the larger of two counts.
static inline uint32_t md5_larger_count(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// -- joint_sets.c ---------------------------------------------------------------------------------

// Marks the joints of a set and clears all other marks.
void md5i_mark_set(md5_building *building, const md5_joint_set *set);

// Clears the marks of all joints: building->marks[num_joints].
void md5i_clear_marks(md5_building *building);

// Marks the joints that a motion can move away from a reference. For a motion with many clips or
// with nested motions, these are all joints.
void md5i_mark_changed(md5_building *building, const md5_motion *motion,
                       const md5_xform *reference);

// Builds the set of the marked joints that have a weight above 0 in a mask. The set is a range of
// joints or, if that is faster, a list of them.
bool md5i_build_marked_set(md5_building *building, uint32_t mask, md5_joint_set *set);

// Reduces the work of a state in a layer that affects only some joints. `state->targets` becomes
// the list of the clip's rotations and translations (slots) that must be sampled for these joints.
// Also sets
//
// - state->is_partial if these are not all slots of the clip,
// - state->is_exact if sampling writes only these joints, so that the result needs no copy.
//
// A state that blends several clips is always sampled completely.
void md5i_narrow_state(md5_building *building, const md5_play_layer *layer, md5_state *state);

// Builds the masks: their names, weights and sets of joints.
bool md5i_build_masks(md5_building *building);

// -- motions.c ------------------------------------------------------------------------------------

// Samples a frame of a clip as a reference pose. An additive item or layer adds the difference
// between its pose and this pose. `clip` is MD5_NONE for the first clip of the motion. `frame` is a
// member of a row, whose address gives the location of an error.
bool md5i_build_reference(md5_building *building, uint32_t clip, const md5_motion *motion,
                          const uint32_t *frame, const md5_xform **reference);

// Builds the motions. Clips and motions share one list of names; indices below the number of clips
// are clips.
bool md5i_build_motions(md5_building *building);

// Builds the blend tree of a motion as an array of parts, in which items precede the motion that
// blends them. A motion that is used several times has separate parts for each use. Players
// evaluate the tree by a loop over the parts, without recursion.
bool md5i_build_tree(md5_building *building, md5_motion *motion);

// -- Passes over the tables -----------------------------------------------------------------------

// Checks all values that do not depend on other rows: numbers, choices and required arrays. Also
// counts the rows.
bool md5i_check_tables(md5_building *building, const md5_schema *schema, const void *row);

// Copies a row, and all rows and texts below it, into the arena. Sets the error and returns false
// if memory runs out.
bool md5i_copy_tables(md5_arena *arena, const md5_schema *schema, const void *row, void *copy);

// Returns the fingerprint of a machine. It is a hash of the row, of all rows and texts below it, of
// the joints of the model, and of the frame counts and frame rates of the clips. The row must be
// valid.
uint64_t md5i_compute_fingerprint(const md5_schema *schema, const void *row);

#endif
