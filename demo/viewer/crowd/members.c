// Creates the members of a crowd: selects the placement, the clip and the time offset of each
// member.
#include "demo/viewer/crowd/crowd.h"

// Factor that turns a small number into a seed for view_next_random(): 2^64 divided by the golden
// ratio.
static const uint64_t seed_factor = UINT64_C(0x9E3779B97F4A7C15);

// Discards the first random numbers, which are similar for similar seeds.
static void discard_similar_numbers(uint64_t *random)
{
    enum { NUM_DISCARDED = 4 };
    for (int i = 0; i < NUM_DISCARDED; i++)
        view_next_random(random);
}

// Returns the middle of the group to which a cell belongs, in cells. Each square of 2 x 2 cells
// contains the middle of one group, at a random position away from its border. A cell belongs to
// the nearest middle, so most groups have two to six members. *random receives a random state that
// is the same for all members of the group.
static md5_vec3 find_group(md5_vec3 cell, uint64_t *random)
{
    md5_vec3 nearest = {INFINITY, 0, 0};
    for (int i = 0; i < 9; i++) { // the square of the cell and its eight neighbors
        const int x = (int)(0.5f * cell.x) + i % 3 - 1;
        const int y = (int)(0.5f * cell.y) + i / 3 - 1;
        // The position of the square is the seed, so the members of a group find the same middle.
        uint64_t state = (((uint64_t)x << 32) + (uint64_t)y + 2) * seed_factor;
        discard_similar_numbers(&state);
        const float in_square_x = 0.2f + 0.6f * view_next_random(&state); // relative to its side
        const float in_square_y = 0.2f + 0.6f * view_next_random(&state);
        const md5_vec3 middle = {2 * ((float)x + in_square_x), 2 * ((float)y + in_square_y), 0};
        if (view_distance(middle, cell) < view_distance(nearest, cell)) {
            nearest = middle;
            *random = state;
        }
    }
    return nearest;
}

// Returns the cells of the members: 0 to count - 1, shuffled, so that neighbors differ in kind and
// clip. The caller frees them.
static uint32_t *shuffle_cells(uint32_t count)
{
    uint32_t *const cells = common_alloc(count, sizeof *cells);
    uint64_t random = seed_factor;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t swapped = (uint32_t)(view_next_random(&random) * (float)(i + 1)) % (i + 1);
        cells[i] = cells[swapped];
        cells[swapped] = i;
    }
    return cells;
}

// Places a member near the middle of the group of its cell. In some groups, the members face the
// middle and talk. In the others, they roughly face the viewer, and walk in that direction
// together.
static void position_member(const view_crowd *crowd, view_member *member, md5_vec3 cell)
{
    const float step = VIEW_MEMBER_SPACING * crowd->size; // side of a cell, units
    uint64_t group_random = 0;
    const md5_vec3 middle = find_group(cell, &group_random);
    const md5_vec3 to_middle = md5_vec3_sub(middle, cell);
    const float group_heading = 0.7f * VIEW_PI * (view_next_random(&group_random) - 0.5f);
    member->talks = view_next_random(&group_random) < 0.5f;
    if (!member->talks)
        member->random = group_random; // the group makes the same choices

    const md5_vec3 position = md5_vec3_scale(view_along(cell, to_middle, 0.4f), step);
    const md5_vec3 center = {crowd->spread, crowd->spread, 0}; // center of the square of all cells
    const float heading = member->talks ? atan2f(to_middle.y, to_middle.x) : group_heading;
    member->placement.translation = md5_vec3_sub(position, center);
    member->placement.rotation = view_rotate_about_z((md5_quat){.w = 1}, heading);
}

// Selects the clip and the start time of member `index` of a kind. Members are sorted by clip, so
// that the poses of a batch belong to one clip; otherwise a batch takes twice as long. The start
// times of a clip's members are spread over the clip, so that they do not move in step.
static void select_clip(const view_kind *kind, view_member *member, uint32_t index)
{
    const uint32_t count = kind->end - kind->begin;
    member->clip = (uint32_t)((uint64_t)index * kind->num_clips / count);
    const double members_per_clip = (double)count / kind->num_clips;
    const double part = (index + (double)view_next_random(&member->random)) / members_per_clip;
    member->offset = kind->clips[member->clip]->anim->duration * (part - member->clip);
}

// Creates a member of a kind in a cell of the square, with a player or a clip. Returns false and
// logs an error on failure.
static bool create_member(view_crowd *crowd, uint32_t index, uint32_t kind_index, md5_vec3 cell,
                          view_log *log)
{
    const view_kind *const kind = &crowd->kinds[kind_index];
    view_member *const member = &crowd->members[index];
    *member = (view_member){.kind = kind_index, .random = (index + 1) * seed_factor};
    discard_similar_numbers(&member->random);
    position_member(crowd, member, cell);
    member->next_choice = 3 * (double)view_next_random(&member->random);
    if (kind->machine == NULL) {
        select_clip(kind, member, index - kind->begin);
        return true;
    }

    md5_error error = {0};
    member->player = md5_create_player(kind->machine, NULL, &error);
    if (member->player == NULL)
        return view_log_error(log, &error);
    md5_player_seed(member->player, index); // each member blinks at different times
    return true;
}

bool view_create_members(view_crowd *crowd, view_log *log)
{
    const uint32_t side = (uint32_t)ceil(sqrt(crowd->count)); // cells per side of the square
    uint32_t *const cells = shuffle_cells(crowd->count);
    bool is_created = true;
    uint32_t kind = 0;
    for (uint32_t i = 0; i < crowd->count && is_created; i++) {
        if (i == crowd->kinds[kind].end)
            kind++;
        const uint32_t row = cells[i] / side;
        const uint32_t column = cells[i] % side;
        const md5_vec3 middle = {(float)column + 0.5f, (float)row + 0.5f, 0}; // center of the cell
        is_created = create_member(crowd, i, kind, middle, log);
    }
    free(cells);
    return is_created;
}
