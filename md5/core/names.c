// Sorts names, finds a name in logarithmic time, and matches the joints of two skeletons by name.
#include "md5/core/names.h"
#include "md5/core/bytes.h"

// Orders texts by their bytes. If one text is the beginning of the other, the shorter text is
// first.
static int compare_spans(md5_span a, md5_span b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// Orders names by their hashes, and names with equal hashes by their bytes.
static int compare_sorted_names(const md5_sorted_name *a, const md5_sorted_name *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return compare_spans(a->name, b->name);
}

// Merges the sorted ranges sorted[low..middle) and sorted[middle..high) into merged[low..high). Of
// two equal names, the one from the left range is first. This makes the sort stable.
static void merge_runs(const md5_sorted_name *sorted, size_t low, size_t middle, size_t high,
                       md5_sorted_name *merged)
{
    size_t left = low;
    size_t right = middle;
    for (size_t i = low; i < high; i++) {
        bool is_left = left < middle;
        if (is_left && right < high)
            is_left = compare_sorted_names(&sorted[left], &sorted[right]) <= 0;
        merged[i] = sorted[is_left ? left++ : right++];
    }
}

static bool are_names_sorted(const md5_sorted_name *names, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (compare_sorted_names(&names[i - 1], &names[i]) > 0)
            return false;
    }
    return true;
}

// Sorts names with a bottom-up merge sort. It is stable, does not recurse, and has no slow worst
// case. Each pass merges pairs of sorted runs from one array into another, which doubles the length
// of the runs. Returns the array with the result, which is `names` or an array of the arena.
md5_sorted_name *md5i_sort_names(md5_arena *arena, md5_sorted_name *names, size_t count)
{
    if (!names || are_names_sorted(names, count))
        return names;

    md5_sorted_name *sorted = names;
    md5_sorted_name *spare = MD5_ALLOC_ARRAY(arena, md5_sorted_name, count);
    if (!spare)
        return NULL;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t low = 0; low < count; low += 2 * run) {
            const size_t middle = low + run < count ? low + run : count;
            const size_t high = middle + run < count ? middle + run : count;
            merge_runs(sorted, low, middle, high, spare);
        }
        md5_sorted_name *const swap = sorted;
        sorted = spare;
        spare = swap;
    }
    return sorted;
}

// Returns the first of the sorted names that equals `name`, or NULL. A binary search finds the
// first name that is not less than `name`.
const md5_sorted_name *md5i_find_sorted_name(const md5_sorted_name *names, size_t count,
                                             md5_span name)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_spans(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_spans(names[low].name, name) == 0 ? &names[low] : NULL;
}

// -- Joints of two skeletons ----------------------------------------------------------------------

enum {
    RADIX_BITS = 8, // bits of a hash that one pass of the radix sort compares
    NUM_BUCKETS = 1 << RADIX_BITS,
    MIN_RADIX_NAMES = 256, // for fewer names, a merge sort is faster
};

// One pass of a radix sort. Copies names from `from` to `to`, sorted by RADIX_BITS bits of their
// hashes, beginning at bit `shift`. Names with equal bits keep their order.
static void sort_by_hash_bits(const md5_sorted_name *from, size_t count, uint32_t shift,
                              md5_sorted_name *to)
{
    size_t starts[NUM_BUCKETS + 1] = {0}; // start of each bucket in `to`
    for (size_t i = 0; i < count; i++)
        starts[(from[i].hash >> shift) % NUM_BUCKETS + 1]++;
    for (size_t bucket = 1; bucket <= NUM_BUCKETS; bucket++)
        starts[bucket] += starts[bucket - 1];
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i].hash >> shift) % NUM_BUCKETS]++] = from[i];
}

// Sorts names by their hashes with a radix sort, which is stable and takes linear time. Returns
// false if memory runs out.
static bool sort_by_hash(md5_arena *arena, md5_sorted_name *names, size_t count)
{
    md5_sorted_name *const spare = MD5_ALLOC_ARRAY(arena, md5_sorted_name, count);
    TRY(spare);
    for (uint32_t shift = 0; shift < 32; shift += 2 * RADIX_BITS) {
        sort_by_hash_bits(names, count, shift, spare);
        sort_by_hash_bits(spare, count, shift + RADIX_BITS, names);
    }
    return true;
}

// Returns the sorted names of all joints in an array of the arena. Each name has the index of its
// joint. If `is_hashed`, the names are sorted by their hashes, which is faster, otherwise
// alphabetically. Returns NULL if memory runs out.
static const md5_sorted_name *sort_joint_names(md5_arena *arena, const md5_skeleton *skeleton,
                                               bool is_hashed)
{
    const uint32_t count = skeleton->num_joints;
    md5_sorted_name *const names = MD5_ALLOC_ARRAY(arena, md5_sorted_name, count);
    if (!names)
        return NULL;
    for (uint32_t joint = 0; joint < count; joint++) {
        const char *const name = skeleton->joints[joint].name;
        const size_t size = strlen(name);
        const uint32_t hash = is_hashed ? (uint32_t)md5_fnv(MD5_FNV, name, size) : 0;
        names[joint] = (md5_sorted_name){{name, size}, joint, hash};
    }

    // The radix sort orders many names by their hashes. The merge sort after it then only orders
    // names with equal hashes.
    const bool uses_radix_sort = is_hashed && count >= MIN_RADIX_NAMES;
    if (uses_radix_sort && !sort_by_hash(arena, names, count))
        return NULL;
    return md5i_sort_names(arena, names, count);
}

const md5_sorted_name *md5i_sort_joint_names(md5_arena *arena, const md5_skeleton *skeleton)
{
    return sort_joint_names(arena, skeleton, false);
}

// Returns true if all joints have equal names and parents.
static bool are_equal_skeletons(const md5_skeleton *a, const md5_skeleton *b)
{
    if (a->num_joints != b->num_joints)
        return false;
    for (uint32_t joint = 0; joint < a->num_joints; joint++) {
        if (a->joints[joint].parent != b->joints[joint].parent)
            return false;
        if (strcmp(a->joints[joint].name, b->joints[joint].name) != 0)
            return false;
    }
    return true;
}

// Matches the joints of two different skeletons: see md5i_match_joints(). Returns false if memory
// runs out.
static bool match_by_name(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                          uint32_t *tracks, uint32_t *targets)
{
    for (uint32_t joint = 0; joint < model->num_joints; joint++)
        tracks[joint] = MD5_NONE;
    for (uint32_t joint = 0; joint < anim->num_joints; joint++)
        targets[joint] = MD5_NONE;

    const md5_sorted_name *const model_by_name = sort_joint_names(arena, model, true);
    const md5_sorted_name *const anim_by_name = sort_joint_names(arena, anim, true);
    TRY(model_by_name && anim_by_name);

    // Advance in both sorted lists together. If a name occurs several times, the k-th joint of that
    // name in one skeleton matches the k-th in the other.
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < model->num_joints && j < anim->num_joints) {
        const uint32_t joint = model_by_name[i].number;
        const uint32_t track = anim_by_name[j].number;
        const int order = compare_sorted_names(&model_by_name[i], &anim_by_name[j]);
        if (order == 0) {
            tracks[joint] = track;
            targets[track] = joint;
        }
        if (order <= 0)
            i++;
        if (order >= 0)
            j++;
    }
    return true;
}

// Matches the joints of a model and of an animation by name. tracks[model joint] becomes the index
// of the animation joint, and targets[animation joint] the index of the model joint. Joints without
// a match get MD5_NONE.
bool md5i_match_joints(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       uint32_t *tracks, uint32_t *targets)
{
    const bool is_same_skeleton = are_equal_skeletons(model, anim); // usual for clips of a model
    if (!is_same_skeleton)
        return match_by_name(arena, model, anim, tracks, targets);
    for (uint32_t joint = 0; joint < model->num_joints; joint++) {
        tracks[joint] = joint;
        targets[joint] = joint;
    }
    return true;
}
