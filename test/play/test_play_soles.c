// Characters as their machine files have them, without a word about their feet: how fast the
// vertices of their soles slide that are on the floor.
#include "md5/md5skin.h"
#include "test/test.h"

#include "md5/md5play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_SECOND = 60, MOST_SOLES = 512 };

// Units: vertices that are no higher in the bind pose are soles; no higher they are on the floor.
static const float sole_height = 0.3f, on_floor = 0.15f;

typedef struct strider {
    md5_character *character;
    md5_player *player;
    void *scratch;
    md5_xform *pose, place;
    md5_mat34 *palette;
    md5_vec3 *skin; // of the largest mesh
    uint32_t num_soles, mesh[MOST_SOLES], vertex[MOST_SOLES];
    md5_vec3 at[MOST_SOLES]; // in the world
} strider;

static void find_soles(strider *of)
{
    const md5_model *const model = of->character->model;
    uint32_t most = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        most = mesh->num_vertices > most ? mesh->num_vertices : most;
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            if (mesh->positions[v].z <= sole_height && CHECK(of->num_soles < MOST_SOLES)) {
                of->mesh[of->num_soles] = m;
                of->vertex[of->num_soles++] = v;
            }
    }
    of->skin = malloc(most * sizeof *of->skin);
}

static void pose(strider *of)
{
    const md5_model *const model = of->character->model;
    md5_player_pose(of->player, of->pose, NULL, of->palette, of->scratch);
    uint32_t mesh = model->num_meshes;
    for (uint32_t i = 0; i < of->num_soles; i++) {
        if (of->mesh[i] != mesh)
            md5_skin(&model->meshes[mesh = of->mesh[i]], of->palette, of->skin, NULL, NULL);
        of->at[i] = md5_xform_point(of->place, of->skin[of->vertex[i]]);
    }
}

static bool begin(strider *of, const char *file)
{
    md5_error error;
    memset(of, 0, sizeof *of);
    of->character = md5_load_character(test_path(file), NULL, &error);
    CHECK_STRING(error.message, "");
    if (of->character == NULL)
        return false;
    const uint32_t num_joints = of->character->model->skeleton.num_joints;
    of->player = md5_create_player(of->character->machine, NULL, NULL);
    of->scratch = malloc(md5_player_pose_scratch(of->character->machine));
    of->pose = malloc(num_joints * sizeof *of->pose);
    of->palette = malloc(num_joints * sizeof *of->palette);
    of->place.rotation.w = 1.0f;
    find_soles(of);
    pose(of);
    return true;
}

static void end(strider *of)
{
    free(of->skin);
    free(of->palette);
    free(of->pose);
    free(of->scratch);
    md5_destroy_player(of->player);
    md5_free_character(of->character);
}

static void set(const strider *of, const char *name, float value)
{
    const uint32_t parameter = md5_find_parameter(of->character->machine, name);
    CHECK(parameter != MD5_NONE && md5_player_set(of->player, parameter, value));
}

// What sole vertices do from step to step that are on the floor before and after it.
typedef struct slide_record {
    double fastest, mean; // units a second
    double share;         // of them that is faster than 2
    uint32_t count;
} slide_record;

static void step(strider *of, slide_record *seen)
{
    md5_vec3 before[MOST_SOLES];
    memcpy(before, of->at, sizeof before);
    md5_player_advance(of->player, 1.0 / (double)STEPS_A_SECOND, NULL, NULL);
    of->place = md5_xform_mul(of->place, md5_player_root_motion(of->player));
    pose(of);
    for (uint32_t i = 0; i < of->num_soles; i++) {
        if (before[i].z > on_floor || of->at[i].z > on_floor)
            continue;
        const double x = (double)of->at[i].x - (double)before[i].x,
                     y = (double)of->at[i].y - (double)before[i].y;
        const double slide = hypot(x, y) * (double)STEPS_A_SECOND;
        seen->fastest = fmax(seen->fastest, slide);
        seen->mean += slide;
        seen->share += slide > 2.0 ? 1.0 : 0.0;
        seen->count++;
    }
}

// Order `first` is given at rest, `then` (or a trigger) 2.5 seconds later; seen are the seconds
// from `from` to `until`.
typedef struct order {
    const char *name;
    float first, then, turn;
    const char *trigger;
    double from, until;
} order;

// `weight` below 0: that of the machine file.
static slide_record stride(const char *file, const order *given, float weight)
{
    strider of;
    slide_record seen = {0}, unseen;
    if (!begin(&of, file))
        return seen;
    const uint32_t feet = md5_find_modifier(of.character->machine, "legs");
    if (CHECK(feet != MD5_NONE) && weight >= 0.0f)
        md5_player_target(of.player, feet)->weight = weight;
    set(&of, "speed", given->first);
    set(&of, "turn", given->turn);
    for (int i = 0; i < (int)(given->until * (double)STEPS_A_SECOND); i++) {
        if (i == 5 * STEPS_A_SECOND / 2) {
            set(&of, "speed", given->then);
            set(&of, "turn", 0.0f);
            if (given->trigger)
                set(&of, given->trigger, 1.0f);
        }
        step(&of, i >= (int)(given->from * (double)STEPS_A_SECOND) ? &seen : &unseen);
    }
    end(&of);
    if (CHECK(seen.count > 500)) {
        seen.mean /= seen.count;
        seen.share *= 100.0 / seen.count;
    }
    return seen;
}

static void check_order(const char *file, const order *given, double most_share)
{
    const slide_record off = stride(file, given, 0.0f), on = stride(file, given, 1.0f);
    const slide_record as_it_is = stride(file, given, -1.0f);
    printf("note: %s, %s: sole vertices on the floor slide at %.2f units a second on average, "
           "above 2 in %.2f %%, at most %.1f; with feet that are not held %.2f, %.2f %%, %.1f\n",
           file, given->name, as_it_is.mean, as_it_is.share, as_it_is.fastest, off.mean, off.share,
           off.fastest);
    CHECK(as_it_is.mean == on.mean && as_it_is.fastest == on.fastest);
    CHECK(off.mean > 0.1);
    CHECK(as_it_is.mean < 0.6 * off.mean && as_it_is.share <= most_share * off.share);
}

// The fastest are not bounded: where the root's speed jumps, as when a run begins, so do soles that
// are about to lift.
TEST (soles_of_bobbin_stand_without_a_word) {
    static const order orders[] = {
        {"hit out of a run", 45.0f, 45.0f, 0.0f, "hit", 2.5, 3.4},
        {"start of a run", 45.0f, 45.0f, 0.0f, NULL, 0.0, 2.0},
        {"start of a walk", 22.5f, 22.5f, 0.0f, NULL, 0.0, 2.0},
        {"stop of a walk", 22.5f, 0.0f, 0.0f, NULL, 2.5, 4.5},
        {"steps back", -3.0f, 0.0f, 0.0f, NULL, 0.0, 4.5},
        {"turn", 0.0f, 0.0f, 60.0f, NULL, 0.0, 4.5},
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        check_order("models/bobbin/bobbin.md5machine", &orders[i], 0.8);
}

TEST (soles_of_thimble_stand_without_a_word) {
    static const order orders[] = {
        {"shot out of a trot", 45.0f, 45.0f, 0.0f, "shoot", 2.5, 4.0},
        {"start of a trot", 45.0f, 45.0f, 0.0f, NULL, 0.0, 2.0},
        {"start of a walk", 22.5f, 22.5f, 0.0f, NULL, 0.0, 2.0},
        {"stop of a walk", 22.5f, 0.0f, 0.0f, NULL, 2.5, 4.5},
        {"steps back", -3.0f, 0.0f, 0.0f, NULL, 0.0, 4.5},
        {"turn", 0.0f, 0.0f, 30.0f, NULL, 0.0, 4.5},
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        check_order("models/thimble/thimble.md5machine", &orders[i], 0.0);
}
