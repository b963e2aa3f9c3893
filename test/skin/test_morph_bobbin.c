// Bobbin's expressions: lids stay outside his eyeballs however far they are shut, although targets
// move vertices along straight lines.
#include "test/test.h"
#include "test/skin/skin_jobs.h"

#include "md5/md5skin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY, EYES, NUM_MESHES };

// Units. The eyeballs' radius is 5.6; rims of lids, which curl into them, do not count.
static const double rim = 5.65, clearance = 0.05;

// Whether only joints whose names begin with `word` influence a vertex.
static bool is_carried_by(const md5_model *model, const md5_mesh *mesh, uint32_t vertex,
                          const char *word)
{
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
        if (strncmp(model->skeleton.joints[mesh->influence_joints[i]].name, word, strlen(word))
            != 0)
            return false;
    return true;
}

// Returns the distance from the middle of the eye on this side. `cosine` is that of the angle to
// the direction in which it looks.
static double from_eye(md5_vec3 at, double *cosine)
{
    const double side = at.y < 0.0f ? -1.0 : 1.0;
    const double x = (double)at.x - 5.7, y = (double)at.y - side * 5.6, z = (double)at.z - 43.2;
    const double length = sqrt(x * x + y * y + z * z);
    *cosine = (0.9588 * x + side * 0.2797 * y + 0.0499 * z) / length;
    return length;
}

// How deep lids reach into the eyeballs where they are visible: within 70 degrees of the gaze.
static double depth(const md5_model *model, md5_vec3 *const *positions)
{
    double farthest = 0.0, nearest = 1e9, cosine, unused;
    for (uint32_t i = 0; i < model->meshes[EYES].num_vertices; i++) {
        const double length = from_eye(positions[EYES][i], &cosine);
        farthest = length > farthest ? length : farthest;
    }
    const md5_mesh *const body = &model->meshes[BODY];
    for (uint32_t i = 0; i < body->num_vertices; i++) {
        const double length = from_eye(positions[BODY][i], &cosine);
        if (cosine < 0.342 || from_eye(body->positions[i], &unused) < rim
            || !is_carried_by(model, body, i, "lid_"))
            continue;
        nearest = length < nearest ? length : nearest;
    }
    return farthest - nearest;
}

TEST (morph_lids_of_bobbin_stay_outside_his_eyes) {
    static const char *const names[] = {"blink", "fright", "oh", "sleepy", "smile"};
    md5_model *const model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
    if (!CHECK(model && model->num_meshes == NUM_MESHES))
        return;
    md5_vec3 *positions[NUM_MESHES];
    for (int i = 0; i < NUM_MESHES; i++) {
        positions[i] = malloc(model->meshes[i].num_vertices * sizeof(md5_vec3));
        if (!positions[i])
            abort();
    }
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[64];
        (void)snprintf(path, sizeof path, "models/bobbin/morphs/%s.md5mesh", names[n]);
        md5_model *const shape = md5_load_model(test_path(path), NULL, NULL);
        const md5_morph_source source = {names[n], shape};
        md5_morph *const morph = shape ? md5_make_morph(model, &source, 1, NULL, NULL) : NULL;
        if (!CHECK(morph))
            break;
        double deepest = -1e9;
        for (int step = 0; step <= 20; step++) {
            const float weight = (float)step / 20.0f;
            for (uint32_t mesh = 0; mesh < NUM_MESHES; mesh++)
                skin_with_morph(morph, mesh, &weight, NULL, NULL, positions[mesh], NULL, NULL);
            const double now = depth(model, positions);
            deepest = now > deepest ? now : deepest;
        }
        if (!CHECK(deepest < -clearance))
            printf("  %s: %.3f units\n", names[n], deepest);
        md5_free_morph(morph);
        md5_free_model(shape);
    }
    for (int i = 0; i < NUM_MESHES; i++)
        free(positions[i]);
    md5_free_model(model);
}
