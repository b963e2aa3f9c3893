#include "md5/play/make/tables.h"

#include "md5/core/assert.h"

#include <stddef.h>
#include <string.h>

enum { MOST_TEXTS = 8, MOST_TABLES = 8 };
#define NO_COUNT SIZE_MAX

// A kind of struct that tables are made of: the texts in it, and the tables that it names. All that
// is neither is copied as it stands.
typedef struct table_record {
    size_t size;
    size_t texts[MOST_TEXTS];
    uint32_t num_texts;
    uint32_t last_filled; // 1 + the text that is "" where there is none; 0: such a text stays NULL
    struct {
        size_t items, count; // a pointer; a uint32_t, or NO_COUNT
        const struct table_record *record;
    } tables[MOST_TABLES];
    uint32_t num_tables;
} table_record;

#define TEXT(type, field) offsetof(type, field)
#define TABLE(type, field, record)                                    \
    {                                                                 \
        offsetof(type, field), offsetof(type, num_##field), &(record) \
    }
// One struct, or NULL.
#define ONE(type, field, record)                   \
    {                                              \
        offsetof(type, field), NO_COUNT, &(record) \
    }

static const table_record MARKER = {.size = sizeof(uint32_t)};

static const table_record EVENT = {
    .size = sizeof(md5_event),
    .texts = {TEXT(md5_event, name), TEXT(md5_event, text)},
    .num_texts = 2,
    .last_filled = 2,
};

static const table_record CLIP = {
    .size = sizeof(md5_clip_desc),
    .texts = {TEXT(md5_clip_desc, name), TEXT(md5_clip_desc, file)},
    .num_texts = 2,
    .tables = {TABLE(md5_clip_desc, events, EVENT), TABLE(md5_clip_desc, markers, MARKER)},
    .num_tables = 2,
};

static const table_record CURVE = {.size = sizeof(md5_easing_curve)};

static const table_record FOLLOW = {
    .size = sizeof(md5_follow_desc),
    .texts = {TEXT(md5_follow_desc, parameter)},
    .num_texts = 1,
    .tables = {ONE(md5_follow_desc, curve, CURVE)},
    .num_tables = 1,
};

static const table_record MORPH_KEY = {.size = sizeof(md5_morph_key)};

static const table_record MORPH = {
    .size = sizeof(md5_morph_desc),
    .texts = {TEXT(md5_morph_desc, target), TEXT(md5_morph_desc, parameter),
              TEXT(md5_morph_desc, layer), TEXT(md5_morph_desc, state), TEXT(md5_morph_desc, clip)},
    .num_texts = 5,
    .tables = {TABLE(md5_morph_desc, keys, MORPH_KEY)},
    .num_tables = 1,
};

static const table_record MASK = {
    .size = sizeof(md5_mask_desc),
    .texts = {TEXT(md5_mask_desc, name), TEXT(md5_mask_desc, joints)},
    .num_texts = 2,
};

static const table_record PARAMETER = {
    .size = sizeof(md5_parameter_desc),
    .texts = {TEXT(md5_parameter_desc, name)},
    .num_texts = 1,
};

static const table_record ITEM = {
    .size = sizeof(md5_motion_item),
    .texts = {TEXT(md5_motion_item, motion), TEXT(md5_motion_item, mask),
              TEXT(md5_motion_item, weight_parameter), TEXT(md5_motion_item, reference)},
    .num_texts = 4,
    .tables = {ONE(md5_motion_item, weight_curve, CURVE)},
    .num_tables = 1,
};

static const table_record MOTION = {
    .size = sizeof(md5_motion_desc),
    .texts = {TEXT(md5_motion_desc, name), TEXT(md5_motion_desc, clip),
              TEXT(md5_motion_desc, speed_parameter), TEXT(md5_motion_desc, x_parameter),
              TEXT(md5_motion_desc, y_parameter)},
    .num_texts = 5,
    .tables = {TABLE(md5_motion_desc, items, ITEM)},
    .num_tables = 1,
};

static const table_record STATE = {
    .size = sizeof(md5_state_desc),
    .texts = {TEXT(md5_state_desc, name), TEXT(md5_state_desc, motion)},
    .num_texts = 2,
};

static const table_record CONDITION = {
    .size = sizeof(md5_condition),
    .texts = {TEXT(md5_condition, parameter)},
    .num_texts = 1,
};

static const table_record TRANSITION = {
    .size = sizeof(md5_transition_desc),
    .texts = {TEXT(md5_transition_desc, from), TEXT(md5_transition_desc, to)},
    .num_texts = 2,
    .tables = {TABLE(md5_transition_desc, conditions, CONDITION)},
    .num_tables = 1,
};

static const table_record LAYER = {
    .size = sizeof(md5_layer_desc),
    .texts = {TEXT(md5_layer_desc, name), TEXT(md5_layer_desc, reference),
              TEXT(md5_layer_desc, mask), TEXT(md5_layer_desc, weight_parameter)},
    .num_texts = 4,
    .tables = {TABLE(md5_layer_desc, states, STATE), TABLE(md5_layer_desc, transitions, TRANSITION),
               ONE(md5_layer_desc, weight_curve, CURVE)},
    .num_tables = 3,
};

static const table_record FOOT = {
    .size = sizeof(md5_foot_desc),
    .texts = {TEXT(md5_foot_desc, ankle), TEXT(md5_foot_desc, knee), TEXT(md5_foot_desc, hip)},
    .num_texts = 3,
};

static const table_record GAZE = {
    .size = sizeof(md5_gaze_rule),
    .texts = {TEXT(md5_gaze_rule, eyes[0]), TEXT(md5_gaze_rule, eyes[1]),
              TEXT(md5_gaze_rule, eyes[2]), TEXT(md5_gaze_rule, eyes[3]),
              TEXT(md5_gaze_rule, eyes[4]), TEXT(md5_gaze_rule, eyes[5]),
              TEXT(md5_gaze_rule, eyes[6]), TEXT(md5_gaze_rule, eyes[7])},
    .num_texts = MD5_MAX_EYES,
};

static const table_record HOLD = {
    .size = sizeof(md5_hold_rule),
    .texts = {TEXT(md5_hold_rule, toes[0]), TEXT(md5_hold_rule, toes[1]),
              TEXT(md5_hold_rule, toes[2]), TEXT(md5_hold_rule, toes[3]),
              TEXT(md5_hold_rule, toes[4]), TEXT(md5_hold_rule, toes[5]),
              TEXT(md5_hold_rule, toes[6]), TEXT(md5_hold_rule, toes[7])},
    .num_texts = MD5_MOST_HELD,
};

static const table_record MODIFIER = {
    .size = sizeof(md5_modifier_desc),
    .texts = {TEXT(md5_modifier_desc, name), TEXT(md5_modifier_desc, joint),
              TEXT(md5_modifier_desc, middle), TEXT(md5_modifier_desc, root)},
    .num_texts = 4,
    .tables = {TABLE(md5_modifier_desc, feet, FOOT), ONE(md5_modifier_desc, gaze, GAZE),
               ONE(md5_modifier_desc, hold, HOLD)},
    .num_tables = 3,
};

static const table_record MACHINE = {
    .size = sizeof(md5_machine_desc),
    .texts = {TEXT(md5_machine_desc, name)},
    .num_texts = 1,
    .last_filled = 1,
    .tables = {TABLE(md5_machine_desc, clips, CLIP), TABLE(md5_machine_desc, masks, MASK),
               TABLE(md5_machine_desc, parameters, PARAMETER),
               TABLE(md5_machine_desc, motions, MOTION), TABLE(md5_machine_desc, layers, LAYER),
               TABLE(md5_machine_desc, modifiers, MODIFIER),
               TABLE(md5_machine_desc, follows, FOLLOW), TABLE(md5_machine_desc, morphs, MORPH)},
    .num_tables = 8,
};

// Tables go into the block; the texts that they name are counted meanwhile and go behind them all.
typedef struct copier {
    md5_block *block;
    char *texts; // NULL while measuring
    size_t used;
} copier;

static const char *copy_text(copier *to, const char *text)
{
    if (!text)
        return NULL;
    const size_t size = strlen(text) + 1;
    char *const copy = to->texts ? to->texts + to->used : NULL;
    if (copy)
        memcpy(copy, text, size);
    to->used += size;
    return copy;
}

// A table that is being copied: the struct that is next, and where its copy goes; NULL while
// measuring.
typedef struct copying {
    const table_record *record;
    const char *from;
    char *into;
    uint32_t left, next_table; // structs; of the tables in this one
} copying;

static copying begin_table(copier *to, const table_record *record, const void *table,
                           uint32_t count)
{
    return (copying){record, (const char *)table,
                     (char *)md5i_block_take(to->block, count, record->size), count, 0};
}

static void copy_texts(copier *to, const copying *at)
{
    const table_record *const record = at->record;
    if (at->into)
        memcpy(at->into, at->from, record->size);
    for (uint32_t i = 0; i < record->num_texts; i++) {
        const char *text;
        memcpy(&text, at->from + record->texts[i], sizeof text);
        text = copy_text(to, text || i + 1 != record->last_filled ? text : "");
        if (at->into)
            memcpy(at->into + record->texts[i], &text, sizeof text);
    }
}

// The next of the tables within a struct.
static copying begin_inner(copier *to, copying *at)
{
    const size_t pointer = at->record->tables[at->next_table].items;
    const size_t number = at->record->tables[at->next_table].count;
    const table_record *const record = at->record->tables[at->next_table++].record;
    const void *items;
    uint32_t count;
    memcpy(&items, at->from + pointer, sizeof items);
    if (number == NO_COUNT)
        count = items ? 1u : 0u;
    else
        memcpy(&count, at->from + number, sizeof count);
    const copying inner = begin_table(to, record, items, count);
    // An array may be empty, but what is not there stays NULL.
    if (at->into && (number != NO_COUNT || items))
        memcpy(at->into + pointer, &inner.into, sizeof inner.into);
    return inner;
}

// Struct after struct, with all that is in it. Only where texts are copied is `copy` written.
static void copy_all(copier *to, const md5_machine_desc *desc, md5_machine_desc *copy)
{
    enum { DEPTH = 4 }; // a machine's layers' transitions' conditions
    void *const into = to->texts ? copy : NULL;
    copying stack[DEPTH] = {{.record = &MACHINE,
                             .from = (const char *)(const void *)desc,
                             .into = (char *)into,
                             .left = 1}};
    for (int top = 0; top >= 0;) {
        copying *const at = &stack[top];
        if (at->left == 0) {
            top--;
            continue;
        }
        if (at->next_table == 0)
            copy_texts(to, at);
        if (at->next_table < at->record->num_tables) {
            stack[++top] = begin_inner(to, at);
            continue;
        }
        at->from += at->record->size;
        if (at->into)
            at->into += at->record->size;
        at->left--;
        at->next_table = 0;
    }
}

void md5i_copy_tables(md5_block *block, const md5_machine_desc *desc, md5_machine_desc *copy)
{
    // The texts' size is known only after a round through the tables, which then tells their place.
    md5_block unused = {0};
    copier measure = {.block = &unused};
    copy_all(&measure, desc, copy);
    copier to = {.block = block, .texts = (char *)md5i_block_take(block, measure.used, 1)};
    copy_all(&to, desc, copy);
}

// -- Reserved members -----------------------------------------------------------------------

#if !defined(NDEBUG)
static bool is_motion_zero(const md5_motion_desc *motion)
{
    bool all = MD5_RESERVED_IS_ZERO(motion);
    for (uint32_t i = 0; motion->items && i < motion->num_items; i++)
        all = all && MD5_RESERVED_IS_ZERO(&motion->items[i]);
    return all;
}

static bool is_layer_zero(const md5_layer_desc *layer)
{
    bool all = MD5_RESERVED_IS_ZERO(layer);
    for (uint32_t i = 0; layer->transitions && i < layer->num_transitions; i++)
        all = all && MD5_RESERVED_IS_ZERO(&layer->transitions[i]);
    return all;
}

bool md5i_are_reserved_zero(const md5_machine_desc *desc)
{
    bool all = MD5_RESERVED_IS_ZERO(desc);
    for (uint32_t i = 0; desc->clips && i < desc->num_clips; i++)
        all = all && MD5_RESERVED_IS_ZERO(&desc->clips[i]);
    for (uint32_t i = 0; desc->motions && i < desc->num_motions; i++)
        all = all && is_motion_zero(&desc->motions[i]);
    for (uint32_t i = 0; desc->layers && i < desc->num_layers; i++)
        all = all && is_layer_zero(&desc->layers[i]);
    for (uint32_t i = 0; desc->modifiers && i < desc->num_modifiers; i++) {
        const md5_gaze_rule *const gaze = desc->modifiers[i].gaze;
        const md5_hold_rule *const hold = desc->modifiers[i].hold;
        all = all && MD5_RESERVED_IS_ZERO(&desc->modifiers[i])
              && (!gaze || MD5_RESERVED_IS_ZERO(gaze)) && (!hold || MD5_RESERVED_IS_ZERO(hold));
    }
    for (uint32_t i = 0; desc->follows && i < desc->num_follows; i++)
        all = all && MD5_RESERVED_IS_ZERO(&desc->follows[i]);
    for (uint32_t i = 0; desc->morphs && i < desc->num_morphs; i++)
        all = all && MD5_RESERVED_IS_ZERO(&desc->morphs[i]);
    return all;
}
#endif
