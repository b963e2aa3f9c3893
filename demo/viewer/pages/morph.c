// Morph targets: expressions of a face, blended before skinning.
#include "demo/viewer/pages/families.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>

enum { NUM_EXPRESSIONS = 5 };

// lines of morph
// Skins a mesh with expressions; weights are in the order of the targets.
static void skin_expression(const md5_morph *morph, uint32_t mesh, const float *weights,
                            const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals)
{
    const md5_skin_job job = {.mesh = &morph->model->meshes[mesh],
                              .palette = palette,
                              .morph = morph,
                              .morph_weights = weights,
                              .positions = positions,
                              .normals = normals};
    md5_skin_batch(&job, 1, NULL);
}
// end of lines

// The weights of the sliders in the order of the targets.
static void order_weights(const view_picture *picture, const view_page *page, float *weights)
{
    const md5_morph *const morph = picture->scene->morph;
    for (uint32_t i = 0; i < morph->num_targets; i++)
        weights[i] = 0.0f;
    for (uint32_t i = 0; i < page->num_sliders; i++) {
        const int32_t target = md5_find_morph_target(morph, page->sliders[i].name);
        if (target >= 0)
            weights[target] = picture->values[i];
    }
}

// How far the expression takes the vertex of a mesh that it moves the most.
static double largest_move(const view_picture *picture, uint32_t number, const float *weights)
{
    const md5_model *const model = picture->scene->model;
    const md5_mesh *const mesh = &model->meshes[number];
    const uint32_t count = mesh->num_vertices, num_joints = model->skeleton.num_joints;
    md5_vec3 *const positions = common_alloc(2 * (size_t)count + 1, sizeof *positions);
    md5_mat34 *const palette = common_alloc((size_t)num_joints + 1, sizeof *palette);
    for (uint32_t i = 0; i < num_joints; i++)
        palette[i] = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    skin_expression(picture->scene->morph, number, weights, palette, positions, positions + count);
    double largest = 0.0;
    for (uint32_t i = 0; i < count; i++)
        largest =
            fmax(largest, (double)md5_vec3_length(md5_vec3_sub(positions[i], mesh->positions[i])));
    free(palette);
    free(positions);
    return largest;
}

static void show_morph(view_picture *picture)
{
    const view_page *const page = &view_page_morph;
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose); // which does not blink
    view_show_box(picture, (md5_vec3){-16.0f, -22.0f, 26.0f}, (md5_vec3){16.0f, 22.0f, 60.0f});
    const md5_morph *const morph = picture->scene->morph;
    if (morph == NULL)
        return;
    float *const weights = common_alloc((size_t)morph->num_targets + 1, sizeof *weights);
    order_weights(picture, page, weights);
    for (uint32_t i = 0; i < morph->num_targets && i < VIEW_PAGE_TARGETS; i++)
        figure->morph_weights[i] = weights[i];
    figure->is_morphed = true;
    const md5_model *const model = picture->scene->model;
    uint32_t num_changed = 0, num_vertices = 0;
    double largest = 0.0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        num_changed += morph->meshes[i].num_vertices;
        num_vertices += model->meshes[i].num_vertices;
        largest = fmax(largest, largest_move(picture, i, weights));
    }
    view_add_fact(picture, "largest move", largest, "units");
    view_add_fact(picture, "vertices that some target changes", (double)num_changed, "");
    view_add_fact(picture, "of", (double)num_vertices, "");
    free(weights);
}

const view_page view_page_morph = {
    .name = "morph",
    .title = "Morph targets",
    .family = "Vertices",
    .about = "Each expression is the difference of two models of one topology. Any number of them "
             "is added to the bind pose, by weights that may exceed 1, before it is skinned.",
    .model = "bobbin/bobbin.md5mesh",
    .sliders = {{"smile", -0.5f, 1.5f, 0.8f, NULL, false},
                {"fright", -0.5f, 1.5f, 0.0f, NULL, false},
                {"sleepy", -0.5f, 1.5f, 0.0f, NULL, false},
                {"oh", -0.5f, 1.5f, 0.3f, NULL, false},
                {"blink", 0.0f, 1.0f, 0.0f, NULL, false}},
    .num_sliders = NUM_EXPRESSIONS,
    .has_morphs = true,
    .show = show_morph,
};
