// A machine's fingerprint: FNV-1a over the numbers and names of its tables, in their order. It is
// the same on every platform, so numbers are hashed as the bytes of a little-endian double.
#include "md5/core/axes.h"
#include "md5/play/make/building.h"

#include <string.h>

static void add_bytes(uint64_t *hash, uint64_t bytes, int count)
{
    for (int i = 0; i < count; i++)
        *hash = (*hash ^ (bytes >> (8 * i) & 255u)) * 0x100000001b3u;
}

static void add(uint64_t *hash, double number)
{
    const double positive = number + 0.0; // not -0
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    add_bytes(hash, bits, 8);
}

static void add_text(uint64_t *hash, const char *text)
{
    for (const char *at = text ? text : ""; *at; at++)
        add_bytes(hash, (unsigned char)*at, 1);
    add_bytes(hash, 0, 1);
}

static void add_vector(uint64_t *hash, md5_vec3 vector)
{
    add(hash, (double)vector.x);
    add(hash, (double)vector.y);
    add(hash, (double)vector.z);
}

static void add_model(uint64_t *hash, const md5_skeleton *skeleton)
{
    add(hash, skeleton->num_joints);
    add(hash, (double)skeleton->axes);
    add(hash, (double)md5_scale_of(skeleton));
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        add_text(hash, skeleton->joints[i].name);
        add(hash, skeleton->joints[i].parent);
    }
}

static void add_clip(uint64_t *hash, const md5_clip_desc *clip)
{
    add_text(hash, clip->name);
    add(hash, clip->binding->anim->num_frames);
    add(hash, clip->binding->anim->frame_rate);
    add(hash, clip->period);
    add(hash, clip->interpolation);
    add(hash, clip->extract);
    add(hash, clip->num_events);
    for (uint32_t i = 0; i < clip->num_events; i++) {
        add(hash, clip->events[i].frame);
        add_text(hash, clip->events[i].name);
        add_text(hash, clip->events[i].text);
    }
    add(hash, clip->num_markers);
    for (uint32_t i = 0; i < clip->num_markers; i++)
        add(hash, clip->markers[i]);
}

static void add_numbers(uint64_t *hash, md5_easing easing, const md5_easing_curve *curve)
{
    if (easing == MD5_EASE_CUBIC_BEZIER) {
        add(hash, (double)curve->x1);
        add(hash, (double)curve->y1);
        add(hash, (double)curve->x2);
        add(hash, (double)curve->y2);
    } else if (easing == MD5_EASE_STEPS) {
        add(hash, curve->steps);
        add(hash, curve->jump);
    }
}

// Nothing if there is none, so that tables without curves keep their fingerprints.
static void add_curve(uint64_t *hash, const md5_easing_curve *curve)
{
    if (!curve)
        return;
    add_text(hash, "curve");
    add(hash, curve->easing);
    add_numbers(hash, curve->easing, curve);
}

static void add_motion(uint64_t *hash, const md5_motion_desc *motion)
{
    add_text(hash, motion->name);
    add(hash, motion->kind);
    add_text(hash, motion->clip);
    add(hash, motion->mode);
    add(hash, motion->start);
    add(hash, (double)motion->speed);
    add_text(hash, motion->speed_parameter);
    add_text(hash, motion->x_parameter);
    add_text(hash, motion->y_parameter);
    add(hash, motion->sync);
    add(hash, motion->num_items);
    for (uint32_t i = 0; i < motion->num_items; i++) {
        const md5_motion_item *const item = &motion->items[i];
        add_text(hash, item->motion);
        add(hash, (double)item->x);
        add(hash, (double)item->y);
        add(hash, item->mode);
        add_text(hash, item->mask);
        add(hash, (double)item->weight);
        add_text(hash, item->weight_parameter);
        add_text(hash, item->reference);
        add(hash, item->reference_frame);
        add_curve(hash, item->weight_curve);
    }
}

static void add_morph(uint64_t *hash, const md5_morph_desc *morph)
{
    add_text(hash, morph->target);
    add(hash, morph->drive);
    add_text(hash, morph->parameter);
    add_text(hash, morph->layer);
    add_text(hash, morph->state);
    add_text(hash, morph->clip);
    add(hash, morph->num_keys);
    for (uint32_t i = 0; i < morph->num_keys; i++) {
        add(hash, morph->keys[i].frame);
        add(hash, (double)morph->keys[i].weight);
    }
    add(hash, (double)morph->weight);
}

static void add_transition(uint64_t *hash, const md5_transition_desc *transition)
{
    add_text(hash, transition->from);
    add_text(hash, transition->to);
    add(hash, transition->num_conditions);
    for (uint32_t i = 0; i < transition->num_conditions; i++) {
        add_text(hash, transition->conditions[i].parameter);
        add(hash, transition->conditions[i].compare);
        add(hash, (double)transition->conditions[i].value);
    }
    add(hash, transition->waits);
    add(hash, (double)transition->exit);
    add(hash, (double)transition->duration);
    add(hash, transition->fade);
    add(hash, transition->easing);
    add_numbers(hash, transition->easing, &transition->curve);
    add(hash, transition->keeps_phase);
    add(hash, (double)transition->start);
    add(hash, transition->priority);
    add(hash, transition->interrupt);
}

static void add_layer(uint64_t *hash, const md5_layer_desc *layer)
{
    add_text(hash, layer->name);
    add(hash, layer->mode);
    add_text(hash, layer->reference);
    add(hash, layer->reference_frame);
    add_text(hash, layer->mask);
    add(hash, (double)layer->weight);
    add_text(hash, layer->weight_parameter);
    add_curve(hash, layer->weight_curve);
    add(hash, layer->num_states);
    for (uint32_t i = 0; i < layer->num_states; i++) {
        add_text(hash, layer->states[i].name);
        add_text(hash, layer->states[i].motion);
    }
    add(hash, layer->num_transitions);
    for (uint32_t i = 0; i < layer->num_transitions; i++)
        add_transition(hash, &layer->transitions[i]);
}

// Nothing if there is none, so that tables without gazes keep their fingerprints.
static void add_gaze(uint64_t *hash, const md5_gaze_rule *gaze)
{
    if (!gaze)
        return;
    for (uint32_t i = 0; i < MD5_MAX_EYES && gaze->eyes[i]; i++)
        add_text(hash, gaze->eyes[i]);
    add(hash, gaze->length);
    add(hash, (double)gaze->interest);
    add(hash, (double)gaze->wide);
    add(hash, (double)gaze->high);
    add(hash, (double)gaze->distance);
    add(hash, (double)gaze->least_seconds);
    add(hash, (double)gaze->most_seconds);
    add(hash, (double)gaze->head_share);
    add(hash, (double)gaze->head_seconds);
    add(hash, (double)gaze->head_limit);
    add(hash, (double)gaze->eye_limit);
    add(hash, gaze->seed);
}

// Likewise.
static void add_hold(uint64_t *hash, const md5_hold_rule *hold)
{
    if (!hold)
        return;
    for (uint32_t i = 0; i < MD5_MOST_HELD && hold->toes[i]; i++)
        add_text(hash, hold->toes[i]);
    add(hash, (double)hold->height);
    add(hash, (double)hold->speed);
    add(hash, (double)hold->distance);
    add(hash, (double)hold->release);
}

static void add_modifier(uint64_t *hash, const md5_modifier_desc *modifier)
{
    add_text(hash, modifier->name);
    add(hash, modifier->kind);
    add_text(hash, modifier->joint);
    add_text(hash, modifier->middle);
    add_text(hash, modifier->root);
    add(hash, modifier->length);
    add(hash, modifier->space);
    add_vector(hash, modifier->forward);
    add_vector(hash, modifier->up);
    add(hash, (double)modifier->limit);
    add(hash, (double)modifier->soften);
    add(hash, (double)modifier->stretch);
    add(hash, (double)modifier->stiffness);
    add(hash, (double)modifier->damping);
    add(hash, (double)modifier->gravity);
    add(hash, (double)modifier->smoothing);
    add(hash, modifier->num_feet);
    for (uint32_t i = 0; i < modifier->num_feet; i++) {
        add_text(hash, modifier->feet[i].ankle);
        add_text(hash, modifier->feet[i].knee);
        add_text(hash, modifier->feet[i].hip);
    }
    add_gaze(hash, modifier->gaze);
    add_hold(hash, modifier->hold);
    if (modifier->weight != 0.0f) // older machines have none
        add(hash, (double)modifier->weight);
}

static void add_follow(uint64_t *hash, const md5_follow_desc *follow)
{
    add_text(hash, follow->parameter);
    add(hash, follow->kind);
    add(hash, (double)follow->rate);
    add(hash, (double)follow->stiffness);
    add(hash, (double)follow->damping);
    add(hash, (double)follow->duration);
    add(hash, follow->easing);
    add_curve(hash, follow->curve);
}

uint64_t md5i_fingerprint_of(const md5_machine_desc *desc)
{
    uint64_t hash = 0xcbf29ce484222325u;
    add_text(&hash, desc->name);
    add_model(&hash, &desc->model->skeleton);
    add(&hash, desc->num_clips);
    for (uint32_t i = 0; i < desc->num_clips; i++)
        add_clip(&hash, &desc->clips[i]);
    add(&hash, desc->num_masks);
    for (uint32_t i = 0; i < desc->num_masks; i++) {
        add_text(&hash, desc->masks[i].name);
        add_text(&hash, desc->masks[i].joints);
        add(&hash, desc->masks[i].feather);
    }
    add(&hash, desc->num_parameters);
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        add_text(&hash, desc->parameters[i].name);
        add(&hash, desc->parameters[i].kind);
        add(&hash, (double)desc->parameters[i].value);
    }
    for (uint32_t i = 0; i < desc->num_follows; i++)
        add_follow(&hash, &desc->follows[i]);
    add(&hash, desc->num_motions);
    for (uint32_t i = 0; i < desc->num_motions; i++)
        add_motion(&hash, &desc->motions[i]);
    add(&hash, desc->num_layers);
    for (uint32_t i = 0; i < desc->num_layers; i++)
        add_layer(&hash, &desc->layers[i]);
    add(&hash, desc->max_shots);
    add(&hash, desc->report.enter);
    add(&hash, desc->report.leave);
    add(&hash, desc->report.transition_end);
    add(&hash, desc->report.clip_end);
    add(&hash, desc->num_modifiers);
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        add_modifier(&hash, &desc->modifiers[i]);
    for (uint32_t i = 0; i < desc->num_morphs; i++)
        add_morph(&hash, &desc->morphs[i]);
    return hash;
}
