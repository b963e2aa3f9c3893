// The facts that the page of morph targets shows.
#include "test/viewer/test_view_page_case.h"

#include <math.h>
#include <stdio.h>

static double apart(md5_vec3 a, md5_vec3 b)
{
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    const double z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

static md5_model *load_target(const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "models/bobbin/morphs/%s.md5mesh", name);
    md5_model *const target = md5_load_model(test_path(path), NULL, NULL);
    CHECK(target != NULL);
    return target;
}

// The largest distance between vertices of the base and of a target's file.
static double difference_of_files(const md5_model *base, const char *name)
{
    md5_model *const target = load_target(name);
    double largest = 0.0;
    for (uint32_t m = 0; target != NULL && m < target->num_meshes; m++)
        for (uint32_t v = 0; v < target->meshes[m].num_vertices; v++) {
            const double move = apart(target->meshes[m].positions[v], base->meshes[m].positions[v]);
            largest = move > largest ? move : largest;
        }
    md5_free_model(target);
    return largest;
}

// How many vertices of all meshes some target's file has elsewhere, or with another normal or
// tangent, by more than `least`.
static uint32_t count_changed(const view_scene *scene, double least)
{
    enum { MOST = 16 };
    md5_model *targets[MOST] = {NULL};
    const uint32_t count = scene->morph->num_targets;
    uint32_t num_changed = 0;
    for (uint32_t i = 0; CHECK(count <= MOST) && i < count; i++)
        targets[i] = load_target(scene->morph->targets[i].name);
    for (uint32_t m = 0; m < scene->model->num_meshes; m++)
        for (uint32_t v = 0; v < scene->model->meshes[m].num_vertices; v++) {
            const md5_mesh *const base = &scene->model->meshes[m];
            bool is_changed = false;
            for (uint32_t i = 0; i < count; i++) {
                const md5_mesh *const mesh = &targets[i]->meshes[m];
                const md5_vec4 a = mesh->tangents[v], b = base->tangents[v];
                is_changed = is_changed || apart(mesh->positions[v], base->positions[v]) > least
                             || apart(mesh->normals[v], base->normals[v]) > least
                             || apart((md5_vec3){a.x, a.y, a.z}, (md5_vec3){b.x, b.y, b.z}) > least;
            }
            num_changed += is_changed ? 1u : 0u;
        }
    for (uint32_t i = 0; i < count; i++)
        md5_free_model(targets[i]);
    return num_changed;
}

TEST_PAGE (page_morph_counts_the_vertices_of_all_meshes, "morph") {
    page_show(of, 1.0);
    const md5_model *const model = of->scene.model;
    const double all = model->meshes[0].num_vertices + model->meshes[1].num_vertices;
    CHECK(model->num_meshes == 2 && page_fact(of, "of") == all);
    const double changed = page_fact(of, "vertices that some target changes");
    CHECK(changed >= count_changed(&of->scene, 1e-4) && changed <= count_changed(&of->scene, 1e-6));
}

TEST_PAGE (page_morph_moves_by_the_files_differences, "morph") {
    static const char *const names[] = {"smile", "fright", "sleepy", "oh", "blink"};
    for (int i = 0; i < 5; i++)
        page_set(of, names[i], 0.0f);
    page_show(of, 1.0);
    CHECK_NEAR(page_fact(of, "largest move"), 0.0, 1e-5);
    for (int i = 0; i < 5; i++) {
        page_set(of, names[i], 1.0f);
        page_show(of, 1.0);
        CHECK_NEAR(page_fact(of, "largest move"), difference_of_files(of->scene.model, names[i]),
                   1e-4);
        const uint32_t target = md5_find_morph_target(of->scene.morph, names[i]);
        CHECK(target != MD5_NONE && of->picture.figures[0].morph_weights[target] == 1.0f);
        page_set(of, names[i], 0.0f);
    }
}
