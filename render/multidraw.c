// Path storage: groups meshes that one multi-draw can draw, and makes the commands that draw them.
#include "render/storage.h"

#include <stdlib.h>
#include <string.h>

// -- Order ------------------------------------------------------------------------------------

#define COMPARE(a, b)                  \
    do {                               \
        if ((a) != (b))                \
            return (a) < (b) ? -1 : 1; \
    } while (0)

static int by_material(const void *left, const void *right)
{
    const md5gl_draw_item *const a = (const md5gl_draw_item *)left, *const b =
                                                                        (const md5gl_draw_item *)
                                                                            right;
    const int order = md5gl_compare_materials(&a->surface->material, &b->surface->material);
    if (order != 0)
        return order;
    COMPARE(a->index, b->index);
    return 0;
}

static int by_group(const void *left, const void *right)
{
    const md5gl_draw_item *const a = (const md5gl_draw_item *)left, *const b =
                                                                        (const md5gl_draw_item *)
                                                                            right;
    COMPARE(a->group, b->group);
    COMPARE(a->index, b->index);
    return 0;
}

static uintptr_t shadow_flag(const md5gl_draw_item *item)
{
    return item->surface->material.flags & (uintptr_t)MD5GL_NO_SHADOW;
}

static bool same_alpha_test(const md5gl_draw_item *a, const md5gl_draw_item *b)
{
    if (shadow_flag(a) != shadow_flag(b))
        return false;
    if (!a->alpha_tested && !b->alpha_tested)
        return true;
    return a->alpha_tested == b->alpha_tested
           && a->surface->material.diffuse == b->surface->material.diffuse
           && a->surface->material.alpha_test == b->surface->material.alpha_test;
}

// md5gl_compare_materials() compares the alpha test's inputs first, so meshes with an equal one are
// adjacent.
static int by_alpha_test(const void *left, const void *right)
{
    const md5gl_draw_item *const a = (const md5gl_draw_item *)left, *const b =
                                                                        (const md5gl_draw_item *)
                                                                            right;
    COMPARE(shadow_flag(a), shadow_flag(b));
    COMPARE(a->alpha_tested, b->alpha_tested);
    return a->alpha_tested ? by_material(a, b) : by_group(a, b);
}

// Sorts by material, then by the file's order: the last of several coplanar surfaces is visible.
static void sort_meshes(const md5gl_model *model)
{
    md5gl_storage *const storage = model->storage;
    md5gl_draw_item *const lit = storage->lit_order;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5gl_mesh *const mesh = &model->meshes[i];
        const md5gl_surface *const surface = md5gl_surface_of(model, 0, i);
        if (mesh->visible && mesh->mesh->num_triangles > 0)
            lit[count++] = (md5gl_draw_item){mesh, surface, i, 0, !md5gl_is_opaque(surface)};
    }
    storage->num_drawn = count;
    qsort(lit, count, sizeof *lit, by_material);
    for (uint32_t i = 0; i < count; i++) {
        const bool same =
            i > 0
            && md5gl_compare_materials(&lit[i - 1].surface->material, &lit[i].surface->material)
                   == 0;
        lit[i].group = same ? lit[i - 1].group : lit[i].index;
    }
    qsort(lit, count, sizeof *lit, by_group);
    memcpy(storage->depth_order, lit, count * sizeof *lit);
    qsort(storage->depth_order, count, sizeof *storage->depth_order, by_alpha_test);
}

// -- Commands ---------------------------------------------------------------------------------

// Returns one of four lists: lit or depth order, full batches or the last batch.
static md5gl_command *list_of(const md5gl_storage *storage, bool depth, bool last)
{
    const size_t index = (depth ? 2u : 0u) + (last ? 1u : 0u);
    return storage->command_list + index * storage->num_drawn;
}

static void fill_list(const md5gl_storage *storage, bool depth, bool last)
{
    const uint32_t capacity = storage->batch_capacity;
    const uint32_t in_last = storage->count - (storage->count - 1) / capacity * capacity;
    const md5gl_draw_item *const order = depth ? storage->depth_order : storage->lit_order;
    md5gl_command *const list = list_of(storage, depth, last);
    for (uint32_t i = 0; i < storage->num_drawn; i++) {
        const md5gl_mesh *const mesh = order[i].mesh;
        list[i] = (md5gl_command){
            .num_indices = 3 * mesh->mesh->num_triangles,
            .num_instances = last ? in_last : capacity,
            .first_index = mesh->first_index,
            .first_vertex = (int32_t)mesh->first_vertex,
        };
    }
}

void md5gl_update_commands(md5gl_renderer *renderer, const md5gl_model *model)
{
    md5gl_storage *const storage = model->storage;
    const bool sorted = !storage->stale;
    if (!sorted)
        sort_meshes(model);
    if (!sorted || storage->num_command_instances != storage->count) {
        for (int i = 0; i < MD5GL_NUM_LISTS; i++)
            fill_list(storage, i >= 2, i % 2 != 0);
        md5gl_stream(renderer, MD5GL_DRAW_INDIRECT_BUFFER, storage->commands, storage->command_list,
                     storage->num_drawn * MD5GL_NUM_LISTS * sizeof *storage->command_list);
    }
    storage->stale = false;
    storage->num_command_instances = storage->count;
}

// -- Drawing ----------------------------------------------------------------------------------

static bool same_draw_group(enum md5gl_pass pass, bool culls, const md5gl_draw_item *a,
                            const md5gl_draw_item *b)
{
    const bool same_sides =
        !culls || a->surface->material.two_sided == b->surface->material.two_sided;
    if (pass == MD5GL_PASS_DEPTH)
        return same_alpha_test(a, b) && same_sides;
    return pass == MD5GL_PASS_EDGES ? same_sides : a->group == b->group;
}

const md5gl_draw_item *md5gl_next_draw_group(const md5gl_model *model, enum md5gl_pass pass,
                                             bool culls, uint32_t first, uint32_t *count)
{
    const md5gl_storage *const storage = model->storage;
    const md5gl_draw_item *const order =
        pass == MD5GL_PASS_DEPTH ? storage->depth_order : storage->lit_order;
    uint32_t end = first + 1;
    if (first >= storage->num_drawn)
        return NULL;
    while (end < storage->num_drawn && same_draw_group(pass, culls, &order[first], &order[end]))
        end++;
    *count = end - first;
    return &order[first];
}

void md5gl_multi_draw(md5gl_renderer *renderer, const md5gl_model *model, enum md5gl_pass pass,
                      uint32_t batch, uint32_t first, uint32_t count)
{
    const md5gl_storage *const storage = model->storage;
    const bool last = batch + 1 == model->num_batches;
    const md5gl_command *const list = list_of(storage, pass == MD5GL_PASS_DEPTH, last) + first;
    const size_t offset = (size_t)((const uint8_t *)list - (const uint8_t *)storage->command_list);
    renderer->gl.BindBuffer(MD5GL_DRAW_INDIRECT_BUFFER, storage->commands);
    renderer->optional.MultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT,
                                                 (const void *)offset, (GLsizei)count, 0);
}
