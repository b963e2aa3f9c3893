// How the meshes of an md5.cfg look, and what of it is not shown.
#include "demo/viewer/scene/cube_model.h"

#include "demo/common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The last value that a line sets for the whole model, or `fallback`.
static float setting_of(const md5_cube *cube, const char *word, float fallback)
{
    for (uint32_t i = cube->num_settings; i-- > 0;) {
        const md5_cube_setting *const setting = &cube->settings[i];
        if (strcmp(setting->word, word) == 0 && setting->num_values > 0)
            return strtof(setting->values[0], NULL);
    }
    return fallback;
}

// What a mesh sets, else the model, else the engines; as a share of `whole`, 0 to 1.
static float share_of(const md5_cube *cube, float own, const char *word, float usual, float whole)
{
    const float value = own >= 0.0f ? own : setting_of(cube, word, usual);
    return value > 0.0f ? (value < whole ? value / whole : 1.0f) : 0.0f;
}

// The renderer does not blend: what would be blended is cut out. Without either all is opaque but
// what is wholly transparent.
static float alpha_test_of(const md5_cube *cube, const md5_cube_skin *skin)
{
    const float NEXT_TO_NONE = 1e-6f;
    const float test =
        skin->alpha_test >= 0.0f ? skin->alpha_test : setting_of(cube, "mdlalphatest", -1.0f);
    const float blend =
        skin->alpha_blend >= 0 ? (float)skin->alpha_blend : setting_of(cube, "mdlalphablend", 1.0f);
    const bool is_opaque = test == 0.0f && blend == 0.0f;
    return is_opaque ? NEXT_TO_NONE : test > 0.0f && test < 1.0f ? test : 0.0f;
}

static char *copy_path(const md5_cube_image *image)
{
    return image->path != NULL ? common_copy(image->path) : NULL;
}

// Highlights are 100 % unless a line says otherwise, and glow is 300 % in the engines, where light
// may exceed 1; here that is the color of the texture.
view_look view_cube_look(const md5_cube *cube, const md5_cube_part *part, const char *mesh)
{
    md5_cube_skin skin;
    md5_build_cube2_look(part, mesh, &skin);
    return (view_look){
        .diffuse = copy_path(&skin.texture),
        .normals = copy_path(&skin.normal_map),
        .masks = copy_path(&skin.masks),
        .specular = share_of(cube, skin.specular, "mdlspec", 100.0f, 100.0f),
        .glow = share_of(cube, skin.glow, "mdlglow", 300.0f, 300.0f),
        .alpha_test = alpha_test_of(cube, &skin),
        .two_sided = skin.cull_face == 0,
    };
}

view_look *view_cube_looks(const view_cube_model *joined, uint32_t *num_looks)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < joined->cube->num_parts; p++)
        count += joined->parts[p].model != NULL ? joined->parts[p].model->num_meshes : 0;
    view_look *const looks = common_alloc(count, sizeof *looks);
    *num_looks = count;
    count = 0;
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        const md5_model *const model = joined->parts[p].model;
        for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
            looks[count++] =
                view_cube_look(joined->cube, &joined->cube->parts[p], model->meshes[m].name);
    }
    return looks;
}

// -- What is not shown ----------------------------------------------------------------------------

// Words, or their beginnings, and how they are called.
static const struct unshown_word {
    const char *begin, *name;
} unshown_words[] = {
    {"rd", "the ragdoll"},
    {"md5envmap", "reflections"},
    {"mdlenvmap", "reflections"},
    {"md5shader", "shaders"},
    {"mdlshader", "shaders"},
    {"md5glare", "glare"},
    {"mdlglare", "glare"},
    {"md5scroll", "scrolling textures"},
    {"md5fullbright", "full brightness"},
    {"mdlfullbright", "full brightness"},
    {"md5alphablend", "blending by alpha, cut out instead"},
    {"mdlalphablend", "blending by alpha, cut out instead"},
    {"md5material", "colors of players"},
    {"mdlmaterial", "colors of players"},
    {"mdlspin", "spinning"},
};

enum { NUM_UNSHOWN = sizeof unshown_words / sizeof unshown_words[0] };

// Returns the first entry of the same name as that of a word, NUM_UNSHOWN if it has none.
static size_t find_unshown(const char *word)
{
    size_t found = 0;
    while (found < NUM_UNSHOWN
           && strncmp(word, unshown_words[found].begin, strlen(unshown_words[found].begin)) != 0)
        found++;
    size_t first = 0;
    while (found < NUM_UNSHOWN && strcmp(unshown_words[first].name, unshown_words[found].name) != 0)
        first++;
    return found < NUM_UNSHOWN ? first : NUM_UNSHOWN;
}

void view_report_unshown(const md5_cube *cube, const char *path, view_log *log)
{
    bool is_used[NUM_UNSHOWN + 1] = {false};
    char text[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < cube->num_settings; i++)
        is_used[find_unshown(cube->settings[i].word)] = true;
    for (uint32_t p = 0; p < cube->num_parts; p++)
        for (uint32_t i = 0; i < cube->parts[p].num_rows; i++)
            is_used[find_unshown(cube->parts[p].rows[i].word)] = true;
    for (size_t i = 0; i < NUM_UNSHOWN; i++) {
        if (!is_used[i])
            continue;
        (void)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                       unshown_words[i].name); // all of them are shorter
        used = strlen(text);
    }
    if (used > 0)
        view_info(log, "%s: not shown: %s", path, text);
}
