// Loads the peers themselves, which then replace the code that was written for the comparison.
// PEERS=FOLDER in the environment selects a folder with a library peers.so. It contains one or more
// of the functions below, under these names, with C linkage. Missing functions are replaced as
// before. The arrays belong to the benchmark and are aligned to 16 bytes. A peer must not store
// pointers to them.
#ifndef TEST_BENCH_BENCH_REAL_H
#define TEST_BENCH_BENCH_REAL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Vertices with `num_influences` influences each, which is at least 1.
typedef struct real_skin_job {
    uint32_t num_joints;
    uint32_t num_vertices;
    uint32_t num_influences;
    const float *palette;   // [num_joints][4][4] from bind pose to pose, by columns
    const uint16_t *joints; // [num_vertices][num_influences]
    const float *weights;   // the same, which sum to 1
    const float *positions; // [num_vertices][3], as the outputs are
    const float *normals;   // [num_vertices][3], or NULL, as its output is
    const float *tangents;  // [num_vertices][4], or NULL, as its output is
    float *to_positions;
    float *to_normals;
    float *to_tangents;
} real_skin_job;

// Four joints are [10][4] floats: three of translations, four of rotations, three of scales.
typedef struct real_layer {
    const float *joints;        // [num_fours]
    const float *joint_weights; // [num_fours][4], or NULL
    float weight;
} real_layer;

// A job that blends two layers or, if `is_additive` is not 0, adds the second layer, which is a
// difference, to the first.
typedef struct real_blend_job {
    uint32_t num_fours, is_additive;
    real_layer layers[2];
    float *out; // [num_fours]
} real_blend_job;

typedef struct real_peers {
    void (*skin)(const real_skin_job *job);               // peer_skin
    void (*blend)(const real_blend_job *job);             // peer_blend
    uint64_t (*read_mesh)(const char *text, size_t size); // peer_read_mesh: returns rows read
} real_peers;

static real_peers real;

// Ends the program if PEERS is set but no function can be loaded from that folder.
static void find_real_peers(void)
{
    const char *const folder = getenv("PEERS");
    char path[1024];
    if (!folder || !*folder)
        return;
    snprintf(path, sizeof path, "%s/peers.so", folder);
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) { // the form in which POSIX allows pointers to functions
        *(void **)&real.skin = dlsym(library, "peer_skin");
        *(void **)&real.blend = dlsym(library, "peer_blend");
        *(void **)&real.read_mesh = dlsym(library, "peer_read_mesh");
    }
    if (!real.skin && !real.blend && !real.read_mesh) {
        fprintf(stderr, "bench: %s\n", library ? "peers.so has none of the functions" : dlerror());
        exit(1);
    }
    const char *const skinning = real.skin ? " skinning" : "";
    const char *const blending = real.blend ? " blending" : "";
    const char *const reading = real.read_mesh ? " reading" : "";
    printf("peers themselves: %s%s%s\n", skinning, blending, reading);
}

#endif
