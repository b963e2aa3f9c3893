// Values of an entity's keys.
#include "md5/core/axes.h"
#include "md5/game/entity.h"

#include <stdio.h>
#include <string.h>

// Clamps to +-1e9, more than any game needs, so that poses stay finite. NaN becomes -1e9.
static float limited(float value)
{
    const float most = 1e9f;
    return !(value > -most) ? -most : value < most ? value : most;
}

void md5i_entity_numbers(md5_game *game, const char *text, float *values, int count)
{
    md5_decl_lex lex;
    const md5_game_silence before = md5_game_begin_silence(game);
    md5i_decl_lex_begin(&lex, game, NULL, 0, text ? text : "", text ? strlen(text) : 0);
    float value;
    for (int i = 0; i < count && md5i_decl_lex_float(&lex, &value); i++)
        values[i] = limited(value);
    md5_game_end_silence(game, before);
}

md5_vec3 md5i_entity_vector(const md5_model *model, md5_vec3 vector)
{
    return md5_vec3_scale(md5i_vec3_to_axes(model->skeleton.axes, vector),
                          md5_scale_of(&model->skeleton));
}

md5_xform md5i_entity_transform(const md5_model *model, md5_xform transform)
{
    md5_xform result = md5_transform_to_axes(model->skeleton.axes, transform);
    result.translation = md5i_entity_vector(model, transform.translation);
    return result;
}

// Converts seconds to milliseconds, at most MD5_MOST_BLINK_WAIT; negative values and NaN to 0.
static uint32_t milliseconds(float seconds)
{
    const float most = (float)MD5_MOST_BLINK_WAIT;
    const float time = seconds * 1000.0f;
    return !(time > 0.0f) ? 0 : time < most ? (uint32_t)time : MD5_MOST_BLINK_WAIT;
}

// Without keys color and parm 3 are 1, the others 0.
static void set_parms(md5_game *game, md5_entity *entity)
{
    char key[24];
    for (int i = 0; i < 12; i++) {
        entity->parms[i] = i <= 3 ? 1.0f : 0.0f;
        (void)snprintf(key, sizeof key, "shaderParm%d", i);
        if (entity->def && i >= 3)
            md5i_entity_numbers(game, md5_entity_def_value(entity->def, key), &entity->parms[i], 1);
    }
    if (entity->def)
        md5i_entity_numbers(game, md5_entity_def_value(entity->def, "_color"), entity->parms, 3);
}

void md5i_set_entity_values(md5_game *game, md5_entity *entity)
{
    set_parms(game, entity);
    float offset[3] = {0.0f, 0.0f, 0.0f}, blink_min = 0.5f, blink_max = 8.0f;
    if (entity->def) {
        md5i_entity_numbers(game, md5_entity_def_value(entity->def, "offsetModel"), offset, 3);
        md5i_entity_numbers(game, md5_entity_def_value(entity->def, "blink_min"), &blink_min, 1);
        md5i_entity_numbers(game, md5_entity_def_value(entity->def, "blink_max"), &blink_max, 1);
    }
    const md5_vec3 model_offset = {offset[0], offset[1], offset[2]};
    entity->model_offset = md5i_entity_vector(entity->model, model_offset);
    entity->blink_min = milliseconds(blink_min);
    entity->blink_max = milliseconds(blink_max);
    if (entity->model_def) {
        const md5_vec3 own = entity->model_def->offset;
        const md5_vec3 cut = {limited(own.x), limited(own.y), limited(own.z)};
        entity->offset = md5i_entity_vector(entity->model, cut);
    }
}
