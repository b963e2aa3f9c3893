// Memory and budget of plain scenes, and names of files.
#include "demo/convert/plain_scene.h"

bool plain_charge(const plain_scene *scene, uint64_t count)
{
    return convert_charge(scene->job, count, scene->error);
}

static void free_mesh(const plain_mesh *mesh)
{
    for (size_t i = 0; i < mesh->num_primitives; i++) {
        free((void *)mesh->primitives[i].moves);
        free(mesh->primitives[i].indices);
    }
    free(mesh->primitives);
    free((void *)mesh->target_names);
}

void plain_free(plain_scene *scene)
{
    for (size_t i = 0; i < scene->num_nodes; i++)
        free(scene->nodes[i].weights);
    for (size_t i = 0; i < scene->num_meshes; i++)
        free_mesh(&scene->meshes[i]);
    for (size_t i = 0; i < scene->num_skins; i++)
        free(scene->skins[i].joints);
    for (size_t i = 0; i < scene->num_materials; i++)
        free(scene->materials[i].shader);
    for (size_t i = 0; i < scene->num_animations; i++) {
        free(scene->animations[i].tracks);
        free(scene->animations[i].fovs);
    }
    free(scene->nodes);
    free(scene->order);
    free(scene->meshes);
    free(scene->skins);
    free(scene->materials);
    free(scene->cameras);
    free(scene->animations);
    *scene = (plain_scene){.job = NULL};
}

char *plain_file_name(const char *text)
{
    enum { MAX_LENGTH = 100 };
    char *const name = common_copy(text ? text : "");
    size_t used = 0;
    for (const char *c = name; *c != '\0' && used < MAX_LENGTH; c++) {
        const char lower = (char)(*c | 0x20);
        const bool is_letter = lower >= 'a' && lower <= 'z';
        const bool is_kept = is_letter || (*c >= '0' && *c <= '9');
        if (is_kept || (used > 0 && name[used - 1] != '_'))
            name[used++] = is_kept ? *c : '_';
    }
    while (used > 0 && name[used - 1] == '_')
        used--;
    name[used] = '\0';
    if (used > 0)
        return name;
    free(name);
    return NULL;
}
