// Ragdolls fall in the same way on every platform: compares a hash of the final positions of the
// bodies with the hash on x86-64.
#include "test/ragdoll/ragdoll_case.h"

// Steps whose triangles are exact in floats.
static uint32_t stairs(void *user, md5_bounds box, md5_vec3 (*corners)[3], uint32_t capacity)
{
    uint32_t count = 0;
    (void)user;
    for (int i = 0; i < 8; i++) {
        const float x = 16.0f * (float)i;
        const float z = 64.0f - 8.0f * (float)i;
        const float end = i < 7 ? x : 1e4f;
        const float begin = i > 0 ? x - 16.0f : -1e4f;
        const md5_vec3 a = {begin, -1e3f, z};
        const md5_vec3 b = {begin, 1e3f, z};
        const md5_vec3 c = {end, 1e3f, z};
        const md5_vec3 d = {end, -1e3f, z};
        const md5_vec3 e = {end, 1e3f, z - 8.0f};
        const md5_vec3 f = {end, -1e3f, z - 8.0f};
        const md5_vec3 triangles[4][3] = {{a, b, c}, {a, c, d}, {d, c, e}, {d, e, f}};
        for (int k = 0; k < (i < 7 ? 4 : 2); k++) {
            if (count < capacity && box.max.x >= begin && box.min.x <= end)
                memcpy(corners[count++], triangles[k], sizeof triangles[k]);
        }
    }
    return count;
}

static uint64_t hash_floats(uint64_t hash, const void *floats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)floats + i * sizeof bits, sizeof bits);
        for (uint32_t k = 0; k < 4; k++) // lowest byte first
            hash = (hash ^ (bits >> (8 * k) & 0xFF)) * UINT64_C(0x100000001B3);
    }
    return hash;
}

TEST (ragdolls_have_the_same_bits_everywhere) {
    ragdoll_case fixture;
    ragdoll_case *const man = &fixture;
    if (open_man(man, "")) {
        uint64_t hash = UINT64_C(0xCBF29CE484222325);
        uint64_t random = 7;
        const md5_ragdoll_desc desc = {.figure = man->figure, .ground = {.triangles = stairs}};
        md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
        md5_body_state bodies[16] = {0};
        for (int i = 0; i < 3; i++) {
            const md5_xform transform = {.rotation = random_rotation(&random),
                                         .translation = {8, 0, 90}};
            const md5_vec3 linear = random_vec3(200, &random);
            const md5_vec3 angular = random_vec3(3, &random);
            set_body_transforms(man->figure, transform, linear, angular, bodies);
            md5_ragdoll_start(ragdoll, bodies);
            md5_ragdoll_apply_impulse(ragdoll, 2, bodies[2].transform.translation,
                                      (md5_vec3){4000, 500, 0});
            for (int k = 0; k < 60; k++) {
                md5_ragdoll_advance(ragdoll, 1.0 / 30.0);
                const md5_body_state *const simulated_bodies = md5_ragdoll_bodies(ragdoll);
                for (uint32_t body = 0; body < man->figure->num_bodies; body++) {
                    hash = hash_floats(hash, &simulated_bodies[body].transform.rotation, 4);
                    hash = hash_floats(hash, &simulated_bodies[body].transform.translation, 3);
                }
            }
        }
        md5_destroy_ragdoll(ragdoll);
        CHECK_THAT(hash == UINT64_C(0x51389677410047c8), "%016llx", (unsigned long long)hash);
    }
    close_case(man);
}
