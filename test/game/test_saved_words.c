// Restores saved states of monsters and ragdolls after 32-bit words were changed: each state is
// rejected, or the simulation remains finite. With sanitizers this also tests every index and
// length of a state.
#include "test/game/entity_case.h"
#include "test/game/saved_bytes.h"
#include "test/ragdoll/ragdoll_case.h"
#include "test/scoped.h"

// Indices and lengths, the largest float, infinity, and 1e15 as a float and as the high word of a
// double.
static const uint32_t words[] = {8,          16,         255,        0x80000000u,
                                 0x7F7FFFFF, 0x7F800000, 0x58635FA9, 0x430C6BF5};

// Changes some words at random.
static void change_words(unsigned char *bytes, size_t first, size_t num_words, uint64_t *random)
{
    const uint32_t count = 1 + test_random_u32(random) % 4;
    for (uint32_t i = 0; i < count; i++) {
        const size_t index = first + test_random_u32(random) % (num_words - first);
        uint32_t word = test_random_u32(random);
        if (word % 2 == 0)
            word = words[word / 2 % COUNT_OF(words)];
        write_word(bytes, index, word);
    }
}

static bool are_finite(const md5_xform *pose, size_t count)
{
    const float *const numbers = (const float *)pose;
    for (size_t i = 0; i < count * sizeof *pose / sizeof *numbers; i++) {
        if (!isfinite(numbers[i]))
            return false;
    }
    return true;
}

// == Monsters =====================================================================================

static const char monster_text[] =
    "model legged { inherit body anim ik_pose lift.md5anim }\n"
    "entityDef ogre { \"model\" \"legged\" \"def_head\" \"face\" \"head_joint\" \"neck\"\n"
    "\"look_joint spine\" \"0.5 0.5\" \"bone_leftEye\" \"tooth\" \"bone_focus\" \"jaw\"\n"
    "\"copy_joint lid\" \"top\" \"copy_joint_world neck\" \"jaw\"\n"
    "\"ik_numLegs\" \"1\" \"ik_waist\" \"root\" \"ik_hip1\" \"root\" \"ik_knee1\" \"spine\"\n"
    "\"ik_ankle1\" \"neck\" \"ik_foot1\" \"lid\" \"ik_usePivot\" \"1\" }";

static float floor_below(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)user, (void)from, (void)size, (void)is_waist;
    return fmaxf(to.z, 0.0f);
}

static void think(md5_monster *monster, int64_t begin, int count)
{
    md5_monster_tick tick = {.rotation = {0, 0, 0, 1},
                             .origin = {1, 2, 3},
                             .target = {100, 50, 30},
                             .has_ground = true,
                             .sweep = floor_below};
    md5_monster_look_at(monster, 1, begin, 1000);
    for (int i = 0; i < count; i++) {
        tick.time = begin + 16 * i;
        md5_monster_think(monster, &tick);
    }
}

static void check_monster(md5_monster *monster, const unsigned char *bytes, size_t size)
{
    md5_xform pose[ENTITY_JOINTS];
    md5_error error = {0};
    if (!md5_monster_restore(monster, bytes, size, &error)) {
        CHECK(error.status == MD5_ERROR_RANGE || error.status == MD5_ERROR_MISMATCH
              || error.status == MD5_ERROR_SYNTAX);
        return;
    }
    for (int i = 0; i < 4; i++) {
        md5_monster_pose(monster, pose, NULL, NULL);
        CHECK(are_finite(pose, ENTITY_JOINTS));
        md5_monster_head_pose(monster, pose, NULL, NULL);
        CHECK(are_finite(pose, 3));
        think(monster, 2000, i);
    }
}

TEST (saved_monsters_with_changed_words_are_rejected_or_stay_finite) {
    enum { HEAD_WORDS = 4, NUM_RANDOM = 3000 };
    SCOPED_GAME game = open_entity_game(monster_text, NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    SCOPED_ACTOR head_actor = md5_create_actor(entity->parts[0].entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body, .head = head_actor};
    md5_monster *const monster = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(monster && md5_monster_state(monster).num_legs == 1);
    think(monster, 0, 20);
    md5_monster_mods(monster)[LID] =
        (md5_joint_mod){MD5_MOD_LOCAL, MD5_MOD_LOCAL, {0, 0, 0, 1}, {1, 2, 3}};
    const size_t size = md5_monster_save_size(monster);
    const size_t num_words = size / 4;
    SCOPED unsigned char *const bytes = test_alloc(size), *const changed = test_alloc(size);
    md5_monster_save(monster, bytes);
    CHECK(md5_monster_restore(monster, bytes, size, NULL));
    for (size_t i = 0; i < num_words; i++) {
        for (size_t j = 0; j < COUNT_OF(words); j++) {
            memcpy(changed, bytes, size);
            write_word(changed, i, words[j]);
            check_monster(monster, changed, size);
        }
    }
    uint64_t random = 3;
    for (int i = 0; i < NUM_RANDOM; i++) {
        memcpy(changed, bytes, size);
        change_words(changed, HEAD_WORDS, num_words, &random);
        check_monster(monster, changed, size);
    }
    md5_destroy_monster(monster);
}

// A number of 8 bytes of a saved state: the largest one that is accepted; one more is refused.
typedef struct index_limit {
    const char *name;
    size_t index;
    uint64_t max;
} index_limit;

TEST (saved_monsters_have_limits_of_indices) {
    enum { HEAD = 2, NUM_NUMBERS = 54, MOD_WORDS = 9 };
    static const index_limit limits[] = {
        {"enabled legs", HEAD, 1},
        {"foot of the pivot", HEAD + 2, 0},
        {"legs enabled next", HEAD + NUM_NUMBERS - 3, 1},
    };
    SCOPED_GAME game = open_entity_game(monster_text, NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body};
    md5_monster *const monster = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(monster);
    think(monster, 0, 3);
    const size_t size = md5_monster_save_size(monster);
    SCOPED unsigned char *const bytes = test_alloc(size), *const changed = test_alloc(size);
    md5_monster_save(monster, bytes);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        const index_limit *const limit = &limits[i];
        for (uint64_t extra = 0; extra < 2; extra++) {
            memcpy(changed, bytes, size);
            write_number(changed, limit->index, limit->max + extra);
            CHECK_THAT(md5_monster_restore(monster, changed, size, NULL) == (extra == 0), "%s",
                       limit->name);
        }
    }
    for (size_t i = 0; i < 2 * ENTITY_JOINTS; i++) { // modes of rotation and position of each mod
        const size_t word = 2 * (HEAD + NUM_NUMBERS) + MOD_WORDS * (i / 2) + i % 2;
        for (uint32_t extra = 0; extra < 2; extra++) {
            memcpy(changed, bytes, size);
            write_word(changed, word, MD5_MOD_WORLD_OVERRIDE + extra);
            CHECK_THAT(md5_monster_restore(monster, changed, size, NULL) == (extra == 0),
                       "mode %zu", i);
        }
    }
    md5_destroy_monster(monster);
}

// A saved monster of another size is refused. Its header has 16 bytes.
TEST (saved_monsters_of_another_size_are_rejected) {
    enum { HEADER_SIZE = 16 };
    SCOPED_GAME game = open_entity_game(monster_text, NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body};
    md5_monster *const monster = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(monster);
    const size_t size = md5_monster_save_size(monster);
    const size_t wrong_sizes[] = {HEADER_SIZE, size - 1, size + 1};
    SCOPED unsigned char *const bytes = test_alloc(size + 1);
    md5_monster_save(monster, bytes);
    for (size_t i = 0; i < COUNT_OF(wrong_sizes); i++) {
        char text[100];
        md5_error error = {0};
        snprintf(text, sizeof text,
                 "wrong size of a saved monster: expected %zu bytes, found %zu bytes", size,
                 wrong_sizes[i]);
        CHECK_SAYS(md5_monster_restore(monster, bytes, wrong_sizes[i], &error), error,
                   MD5_ERROR_MISMATCH, text);
    }
    md5_error error = {0};
    CHECK_SAYS(md5_monster_restore(monster, bytes, HEADER_SIZE - 1, &error), error,
               MD5_ERROR_SYNTAX,
               "data is not a saved monster: expected at least 16 bytes, found 15 bytes");
    md5_destroy_monster(monster);
}

// Coordinates and angles are at most 1e15, and the squared length of a rotation or of an axis is at
// most 1.001: 1.0004 squared is less, 1.0005 squared is more.
TEST (saved_monsters_have_limits_of_coordinates) {
    enum { HEAD = 2, FIRST_FLOAT = HEAD + 3, AXES = HEAD + 35, NUM_NUMBERS = 54 };
    enum { ROTATION = 2, TRANSLATION = 6, MOD_WORDS = 9 };
    const float max = 1e15f;
    const float above = nextafterf(max, 2 * max);
    SCOPED_GAME game = open_entity_game(monster_text, NULL);
    SCOPED_ENTITY entity = load_entity(game, "ogre");
    SCOPED_ACTOR body = md5_create_actor(entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = entity, .body = body};
    md5_monster *const monster = md5_create_monster(&desc, NULL, NULL);
    REQUIRE(monster);
    const size_t size = md5_monster_save_size(monster);
    SCOPED unsigned char *const bytes = test_alloc(size), *const changed = test_alloc(size);
    md5_monster_save(monster, bytes);
    for (size_t i = FIRST_FLOAT; i < AXES + 9; i++) {
        const double limit = i < AXES ? (double)max : 1.0004;
        const double next = i < AXES ? nextafter((double)max, 1e30) : 1.0005;
        memcpy(changed, bytes, size);
        write_double(changed, i, -limit);
        CHECK_THAT(md5_monster_restore(monster, changed, size, NULL), "number %zu", i);
        write_double(changed, i, -next);
        CHECK_THAT(!md5_monster_restore(monster, changed, size, NULL), "number %zu: next", i);
    }
    for (size_t i = ROTATION; i < MOD_WORDS; i++) {
        const size_t word = 2 * (HEAD + NUM_NUMBERS) + i;
        memcpy(changed, bytes, size);
        memset(changed + 4 * (word - i + ROTATION), 0, 4 * 4);
        write_float(changed, word, i < TRANSLATION ? 1.0004f : -max);
        CHECK_THAT(md5_monster_restore(monster, changed, size, NULL), "word %zu of a mod", i);
        write_float(changed, word, i < TRANSLATION ? 1.0005f : -above);
        CHECK_THAT(!md5_monster_restore(monster, changed, size, NULL), "word %zu of a mod: next",
                   i);
    }
    md5_destroy_monster(monster);
}

// == Ragdolls =====================================================================================

static void check_ragdoll(md5_ragdoll *ragdoll, uint32_t num_bodies, const unsigned char *bytes,
                          size_t size)
{
    md5_error error = {0};
    if (!md5_ragdoll_restore(ragdoll, bytes, size, &error)) {
        CHECK(error.status == MD5_ERROR_RANGE || error.status == MD5_ERROR_MISMATCH
              || error.status == MD5_ERROR_SYNTAX);
        return;
    }
    md5_ragdoll_advance(ragdoll, 2.0 / (double)MD5_RAGDOLL_RATE);
    const md5_body_state *const bodies = md5_ragdoll_bodies(ragdoll);
    for (uint32_t i = 0; i < num_bodies; i++)
        CHECK_THAT(are_finite(&bodies[i].transform, 1), "body %u", i);
}

TEST (saved_ragdolls_with_changed_words_are_rejected_or_stay_finite) {
    enum { HEAD_WORDS = 4, NUM_RANDOM = 1000 };
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure,
                                       .ground = {.plane_normal = {0, 0, 1}}};
        md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
        md5_body_state bodies[16];
        const md5_xform transform = {.rotation = {0.6f, 0, 0, 0.8f}, .translation = {4, 0, 40}};
        set_body_transforms(fixture.figure, transform, (md5_vec3){80, 10, 0}, (md5_vec3){1, 2, 1},
                            bodies);
        md5_ragdoll_start(ragdoll, bodies);
        md5_ragdoll_advance(ragdoll, 1.0);
        CHECK(md5_ragdoll_state(ragdoll).num_contacts > 0);
        const size_t size = md5_ragdoll_save_size(ragdoll);
        const size_t num_words = size / 4;
        SCOPED unsigned char *const bytes = test_alloc(size), *const changed = test_alloc(size);
        md5_ragdoll_save(ragdoll, bytes);
        for (size_t i = 0; i < num_words; i++) {
            for (size_t j = 0; j < COUNT_OF(words); j++) {
                memcpy(changed, bytes, size);
                write_word(changed, i, words[j]);
                check_ragdoll(ragdoll, fixture.figure->num_bodies, changed, size);
            }
        }
        uint64_t random = 3;
        for (int i = 0; i < NUM_RANDOM; i++) {
            memcpy(changed, bytes, size);
            change_words(changed, HEAD_WORDS, num_words, &random);
            check_ragdoll(ragdoll, fixture.figure->num_bodies, changed, size);
        }
        md5_destroy_ragdoll(ragdoll);
    }
    close_case(&fixture);
}

TEST (saved_ragdolls_have_limits_of_indices_and_sizes) {
    enum { HEAD = 2, AT_REST = HEAD + 22, DRAGGED = HEAD + 23, LINK = HEAD + 24, NODE = LINK + 7 };
    static const index_limit limits[] = {
        {"rest", AT_REST, 1},
        {"dragged body", DRAGGED, COUNT_OF(man_parts)}, // this value means no body
        {"rows of the first link", LINK, 6},
        {"contacts of the first body", NODE + 28, 8},
        {"contacts of the second body", NODE + 28 + 36 + 11 * 8 - 7, 8},
    };
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure};
        md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
        const size_t size = md5_ragdoll_save_size(ragdoll);
        SCOPED unsigned char *const bytes = test_calloc(1, size + 1);
        SCOPED unsigned char *const changed = test_alloc(size);
        md5_ragdoll_save(ragdoll, bytes);
        for (size_t i = 0; i < COUNT_OF(limits); i++) {
            const index_limit *const limit = &limits[i];
            for (uint64_t extra = 0; extra < 2; extra++) {
                memcpy(changed, bytes, size);
                write_number(changed, limit->index, limit->max + extra);
                CHECK_THAT(md5_ragdoll_restore(ragdoll, changed, size, NULL) == (extra == 0), "%s",
                           limit->name);
            }
        }
        CHECK(!md5_ragdoll_restore(ragdoll, bytes, size - 1, NULL));
        CHECK(!md5_ragdoll_restore(ragdoll, bytes, size + 1, NULL));
        CHECK(md5_ragdoll_restore(ragdoll, bytes, size, NULL));
        md5_destroy_ragdoll(ragdoll);
    }
    close_case(&fixture);
}
