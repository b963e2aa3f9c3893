#include "md5/skin/bind_paths.h"

bool md5i_create_paths(md5_arena *arena, const md5_grid *grid, const md5_bones *bones,
                       md5_paths *paths)
{
    *paths = (md5_paths){.grid = grid, .bones = bones};
    paths->lengths = (float *)md5i_arena_room(arena, grid->num_voxels, sizeof *paths->lengths);
    paths->heap = (uint32_t *)md5i_arena_room(arena, grid->num_voxels, sizeof *paths->heap);
    paths->places = (uint32_t *)md5i_arena_room(arena, grid->num_voxels, sizeof *paths->places);
    return paths->lengths && paths->heap && paths->places;
}

static void put(md5_paths *paths, uint32_t place, uint32_t voxel)
{
    paths->heap[place] = voxel;
    paths->places[voxel] = place;
}

// Moves a voxel whose length has decreased towards the top of the heap.
static void rise(md5_paths *paths, uint32_t place, uint32_t voxel)
{
    const float length = paths->lengths[voxel];
    while (place > 0) {
        const uint32_t above = (place - 1) / 2;
        if (!(length < paths->lengths[paths->heap[above]]))
            break;
        put(paths, place, paths->heap[above]);
        place = above;
    }
    put(paths, place, voxel);
}

static uint32_t take_shortest(md5_paths *paths)
{
    const uint32_t shortest = paths->heap[0], last = paths->heap[--paths->heap_size];
    const float length = paths->lengths[last];
    uint32_t place = 0;
    for (;;) {
        uint32_t below = 2 * place + 1;
        if (below >= paths->heap_size)
            break;
        if (below + 1 < paths->heap_size
            && paths->lengths[paths->heap[below + 1]] < paths->lengths[paths->heap[below]])
            below++;
        if (!(paths->lengths[paths->heap[below]] < length))
            break;
        put(paths, place, paths->heap[below]);
        place = below;
    }
    if (paths->heap_size > 0)
        put(paths, place, last);
    return shortest;
}

// Sets a shorter path to a voxel. Lengths never fall below that of a voxel removed from the heap,
// so a removed voxel is not added again.
static void shorten(md5_paths *paths, uint32_t voxel, float length)
{
    const float before = paths->lengths[voxel];
    if (!(length < before))
        return;
    paths->lengths[voxel] = length;
    rise(paths, before < INFINITY ? paths->places[voxel] : paths->heap_size++, voxel);
}

// Adds the voxels along a bone, with the distances of their centres from it.
static void start_at_bone(md5_paths *paths, const md5_bone *bone, uint32_t joint)
{
    const md5_vec3d way = md5_vec3d_sub(bone->to, bone->from);
    const uint32_t steps = (uint32_t)(2.0 * md5_vec3d_length(way)) + 1;
    for (uint32_t i = 0; i <= steps; i++) {
        const md5_vec3d at =
            md5_vec3d_add(bone->from, md5_vec3d_scale(way, (double)i / (double)steps));
        const uint32_t voxel = md5i_voxel_at(paths->grid, at);
        if (voxel == MD5_NO_VOXEL)
            continue;
        const md5_vec3d middle = md5_cell_center(paths->grid, paths->grid->cells[voxel]);
        const md5_vec3d nearest = md5i_nearest_on_bones(paths->bones, joint, middle);
        shorten(paths, voxel, (float)md5_vec3d_length(md5_vec3d_sub(middle, nearest)));
    }
}

void md5i_measure_paths(md5_paths *paths, uint32_t joint)
{
    static const float lengths[4] = {0.0f, 1.0f, 1.41421356f, 1.73205081f};
    const md5_grid *const grid = paths->grid;
    const md5_bones *const bones = paths->bones;
    const int64_t row = (int64_t)grid->count[0], layer = row * (int64_t)grid->count[1];
    for (uint32_t voxel = 0; voxel < grid->num_voxels; voxel++)
        paths->lengths[voxel] = INFINITY;
    paths->heap_size = 0;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++)
        start_at_bone(paths, &bones->bones[i], joint);
    while (paths->heap_size > 0) {
        const uint32_t voxel = take_shortest(paths);
        const float length = paths->lengths[voxel];
        // No voxel is in the outermost cells, so all neighbours are cells.
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) {
                    const int64_t cell = (int64_t)grid->cells[voxel] + z * layer + y * row + x;
                    const uint32_t next = grid->voxels[cell];
                    if (next != MD5_NO_VOXEL)
                        shorten(paths, next, length + lengths[x * x + y * y + z * z]);
                }
    }
}
