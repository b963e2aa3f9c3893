// How much there is of each thing in an .md5mesh, before it is read.
#include "md5/read/mesh_bytes.h"
#include "md5/read/mesh_file.h"

// Where a text has an `n` more often than this without a count behind it, it is left at what is
// known: so many that looking on would take long do not occur in a table.
enum { FREE_MISSES = 1000, BYTES_A_MISS = 64 };

enum { JOINTS, MESHES, VERTICES, TRIANGLES, WEIGHTS, NUM_WORDS };

#define WORD(word) (word), sizeof(word) - 1

static const struct {
    const char *word;
    size_t length;
    size_t bytes; // that each thing takes at least
} words[NUM_WORDS] = {
    [JOINTS] = {WORD("numJoints "), MD5_JOINT_BYTES},
    [MESHES] = {WORD("numMeshes "), MD5_MESH_BYTES},
    [VERTICES] = {WORD("numverts "), MD5_VERTEX_BYTES},
    [TRIANGLES] = {WORD("numtris "), MD5_TRIANGLE_BYTES},
    [WEIGHTS] = {WORD("numweights "), MD5_WEIGHT_BYTES},
};

// NUM_WORDS for none. The fourth letter tells them apart.
static size_t find_word(const char *at, size_t size)
{
    enum { SHORTEST = sizeof "numtris " - 1, TELLING = 3 };
    size_t i = 0;
    if (size < SHORTEST || at[1] != 'u' || at[2] != 'm')
        return NUM_WORDS;
    while (i < NUM_WORDS && words[i].word[TELLING] != at[TELLING])
        i++;
    return i < NUM_WORDS && words[i].length <= size
                   && memcmp(at, words[i].word, words[i].length) == 0
               ? i
               : NUM_WORDS;
}

// Steps over it, too.
static uint64_t read_number(const char **at, const char *end)
{
    const uint64_t enough = UINT32_MAX;
    uint64_t value = 0;
    while (*at < end && **at == ' ')
        ++*at;
    for (; *at < end && (unsigned char)(**at - '0') < 10; ++*at)
        value = value < enough ? 10 * value + (uint64_t)(**at - '0') : value;
    return value;
}

md5_mesh_counts md5i_count_mesh_file(const char *text, size_t size)
{
    const char *const end = text + size;
    const char *at = text;
    uint64_t sums[NUM_WORDS] = {0}, most_vertices = 0;
    size_t num_misses = 0;
    while (at < end && num_misses < FREE_MISSES + (size_t)(at - text) / BYTES_A_MISS) {
        at = (const char *)memchr(at, 'n', (size_t)(end - at));
        if (!at)
            break;
        const size_t word = find_word(at, (size_t)(end - at));
        if (word == NUM_WORDS) {
            at++;
            num_misses++;
            continue;
        }
        at += words[word].length;
        const uint64_t number = read_number(&at, end);
        const uint64_t most = (size_t)(end - at) / words[word].bytes;
        const uint64_t count = number < most ? number : most;
        // Of joints and of meshes there is one count, the first: if all that a text says were added
        // up, a few bytes for each could ask for the whole text's worth again.
        if (word >= VERTICES || sums[word] == 0)
            sums[word] += count;
        if (word == VERTICES && count > most_vertices)
            most_vertices = count;
        // Tables follow their counts, and take no less.
        at += word >= VERTICES ? count * words[word].bytes : 0;
    }
    return (md5_mesh_counts){
        .num_joints = sums[JOINTS],
        .num_meshes = sums[MESHES],
        .num_vertices = sums[VERTICES],
        .num_triangles = sums[TRIANGLES],
        .num_weights = sums[WEIGHTS],
        .most_vertices = most_vertices,
    };
}

enum { ALIGNMENT = 16 };

size_t md5i_file_joints_size(const md5_mesh_counts *counts)
{
    enum { TABLES = 6 };
    const uint64_t a_joint = sizeof(md5_file_joint) + sizeof(md5_xform) + sizeof(uint32_t);
    const uint64_t to_order = 2 * sizeof(uint32_t); // while the order is made
    return (size_t)(counts->num_joints * (a_joint + to_order) + TABLES * ALIGNMENT);
}

size_t md5i_mesh_file_size(const md5_mesh_counts *counts)
{
    enum { TABLES = 1, TABLES_A_MESH = 4 };
    const md5_file_mesh *const mesh = NULL;
    const uint64_t a_vertex = sizeof *mesh->vertices + sizeof *mesh->texcoords;
    const uint64_t a_corner = counts->most_vertices <= MD5_MOST_NARROW
                                  ? sizeof *mesh->narrow_triangles
                                  : sizeof *mesh->triangles;
    return (size_t)(counts->num_meshes * sizeof *mesh + counts->num_vertices * a_vertex
                    + counts->num_triangles * 3 * a_corner
                    + counts->num_weights * sizeof *mesh->weights
                    + ALIGNMENT * (TABLES + 1 + TABLES_A_MESH * counts->num_meshes));
}
