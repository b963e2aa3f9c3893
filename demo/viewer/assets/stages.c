// Properties of the materials of a game and of their stages.
#include "demo/viewer/assets/textures.h"

bool view_is_first_stage(const md5_material *material, const md5_stage *stage)
{
    const md5_stage *first = material->stages;
    while (first->light != stage->light)
        first++;
    return first == stage;
}

float view_constant_value(const md5_material *material, uint32_t reg)
{
    if (reg < MD5_FIRST_REGISTER)
        return 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        if (material->ops[i].result == reg)
            return 0;
    }
    return material->registers[reg];
}

bool view_is_colored_stage(const md5_material *material, const md5_stage *stage)
{
    bool is_white = stage->vertex_color == MD5_VERTEX_COLOR_IGNORE;
    for (int i = 0; i < 3; i++)
        is_white = is_white && view_constant_value(material, stage->color[i]) >= 1;
    return !is_white && (stage->light == MD5_STAGE_DIFFUSE || stage->light == MD5_STAGE_SPECULAR);
}

bool view_is_lit_stage(const md5_stage *stage)
{
    return stage->light != MD5_STAGE_AMBIENT;
}

bool view_tests_alpha(const md5_material *material, const md5_stage *stage)
{
    return stage->has_alpha_test && material->coverage == MD5_COVERAGE_PERFORATED;
}

bool view_is_alpha_test_of_lit_surface(const md5_material *material, const md5_stage *stage)
{
    if (!view_tests_alpha(material, stage) || stage->light != MD5_STAGE_DIFFUSE
        || stage->has_matrix)
        return false;
    const bool has_constant_threshold = view_constant_value(material, stage->alpha_test) > 0;
    const bool is_always_on = view_constant_value(material, stage->condition) != 0;
    const bool has_alpha_of_map = view_constant_value(material, stage->color[3]) >= 1;
    return has_constant_threshold && is_always_on && has_alpha_of_map;
}

bool view_is_decal(const md5_material *material)
{
    const float decal = 2; // value of `sort` of decals
    return material->has_polygon_offset || material->sort == decal;
}

bool view_needs_stages_to_cut(const md5_material *material, const md5_stage *stage)
{
    return view_tests_alpha(material, stage) && !view_is_alpha_test_of_lit_surface(material, stage);
}
