#include "md5/skin/bind_rows.h"

bool md5i_create_rows(md5_arena *arena, uint32_t num_rows, uint32_t width, md5_bind_rows *rows)
{
    *rows = (md5_bind_rows){.num_rows = num_rows, .width = width};
    const size_t row_size = width * sizeof(md5_bind_entry);
    rows->entries = (md5_bind_entry *)md5i_arena_room(arena, num_rows, row_size);
    rows->counts = (uint32_t *)md5i_arena_alloc(arena, num_rows, sizeof *rows->counts);
    return rows->entries && rows->counts;
}

void md5i_add_to_row(md5_bind_rows *rows, uint32_t row, md5_bind_entry entry)
{
    md5_bind_entry *const entries = md5_row(rows, row);
    uint32_t place = rows->counts[row];
    if (place == rows->width) {
        if (!(entry.value < entries[place - 1].value))
            return;
        place--;
    } else {
        rows->counts[row]++;
    }
    for (; place > 0 && entry.value < entries[place - 1].value; place--)
        entries[place] = entries[place - 1];
    entries[place] = entry;
}

void md5i_trim_row(md5_bind_rows *rows, uint32_t row, uint32_t most, float least)
{
    md5_bind_entry *const entries = md5_row(rows, row);
    uint32_t count = rows->counts[row];
    for (uint32_t i = 1; i < count; i++) { // at most 20
        const md5_bind_entry entry = entries[i];
        uint32_t place = i;
        for (; place > 0 && entry.value > entries[place - 1].value; place--)
            entries[place] = entries[place - 1];
        entries[place] = entry;
    }
    count = count < most ? count : most;
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++)
        sum += entries[i].value;
    while (count > 1 && entries[count - 1].value < least * sum)
        sum -= entries[--count].value;
    for (uint32_t i = 0; i < count; i++)
        entries[i].value /= sum;
    rows->counts[row] = count;
}

// Neighbours of each row, twice those of an inner edge: both of its triangles list it.
typedef struct neighbours {
    uint32_t *first; // [num_rows + 1]
    uint32_t *rows;
} neighbours;

static bool find_neighbours(md5_arena *arena, const md5_weights_desc *desc, const uint32_t *same,
                            uint32_t num_rows, neighbours *found)
{
    const size_t corners = 3 * (size_t)desc->num_triangles;
    found->first = (uint32_t *)md5i_arena_alloc(arena, (size_t)num_rows + 2, sizeof(uint32_t));
    found->rows = (uint32_t *)md5i_arena_room(arena, 2 * corners, sizeof(uint32_t));
    TRY(found->first && found->rows);
    // Counting sort in place: first[row + 2] is the count, then first[row + 1] the position of the
    // row's next neighbour, and finally first[row] the first one.
    for (size_t i = 0; i < corners; i++)
        found->first[same[desc->indices[i]] + 2] += 2;
    for (uint32_t row = 2; row < num_rows + 2; row++)
        found->first[row] += found->first[row - 1];
    for (size_t i = 0; i < corners; i++) {
        const size_t triangle = i - i % 3;
        uint32_t *const next = &found->first[same[desc->indices[i]] + 1];
        found->rows[(*next)++] = same[desc->indices[triangle + (i + 1) % 3]];
        found->rows[(*next)++] = same[desc->indices[triangle + (i + 2) % 3]];
    }
    return true;
}

// Sums of weights by joint; only those of the listed joints are not 0.
typedef struct joint_sums {
    float *of_joint; // [num_joints]
    uint32_t *joints;
    uint32_t count;
} joint_sums;

static void add_row(joint_sums *sums, const md5_bind_rows *rows, uint32_t row, float share)
{
    const md5_bind_entry *const entries = md5_row(rows, row);
    for (uint32_t i = 0; i < rows->counts[row]; i++) {
        const uint32_t joint = entries[i].joint;
        const float added = share * entries[i].value;
        if (sums->of_joint[joint] == 0.0f && added > 0.0f) // a share may be too small for a float
            sums->joints[sums->count++] = joint;
        sums->of_joint[joint] += added;
    }
}

// Writes the sums to a row, largest first, and clears them.
static void take_sums(joint_sums *sums, md5_bind_rows *rows, uint32_t row)
{
    rows->counts[row] = 0;
    for (uint32_t i = 0; i < sums->count; i++) {
        const uint32_t joint = sums->joints[i];
        md5i_add_to_row(rows, row, (md5_bind_entry){joint, -sums->of_joint[joint]});
        sums->of_joint[joint] = 0.0f;
    }
    sums->count = 0;
    md5_bind_entry *const entries = md5_row(rows, row);
    float sum = 0.0f;
    for (uint32_t i = 0; i < rows->counts[row]; i++)
        sum -= entries[i].value;
    for (uint32_t i = 0; i < rows->counts[row]; i++)
        entries[i].value /= -sum;
}

static void smooth_once(const neighbours *around, joint_sums *sums, const md5_bind_rows *from,
                        md5_bind_rows *to)
{
    for (uint32_t row = 0; row < from->num_rows; row++) {
        const uint32_t first = around->first[row], count = around->first[row + 1] - first;
        add_row(sums, from, row, count > 0 ? 0.5f : 1.0f);
        for (uint32_t i = 0; i < count; i++)
            add_row(sums, from, around->rows[first + i], 0.5f / (float)count);
        take_sums(sums, to, row);
    }
}

bool md5i_smooth_rows(md5_arena *arena, const md5_weights_desc *desc, const uint32_t *same,
                      uint32_t rounds, md5_bind_rows *rows)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    neighbours around;
    joint_sums sums = {0};
    md5_bind_rows other;
    TRY(find_neighbours(arena, desc, same, rows->num_rows, &around));
    TRY(md5i_create_rows(arena, rows->num_rows, rows->width, &other));
    sums.of_joint = (float *)md5i_arena_alloc(arena, num_joints, sizeof *sums.of_joint);
    sums.joints = (uint32_t *)md5i_arena_room(arena, num_joints, sizeof *sums.joints);
    TRY(sums.of_joint && sums.joints);
    for (uint32_t round = 0; round < rounds; round++) {
        smooth_once(&around, &sums, rows, &other);
        const md5_bind_rows swapped = *rows;
        *rows = other;
        other = swapped;
    }
    return true;
}
