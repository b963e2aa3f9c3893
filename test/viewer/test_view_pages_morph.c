// The facts that the page of morph targets shows.
#include "test/viewer/test_view_page_case.h"

#include <math.h>
#include <stdio.h>

static double apart(md5_vec3 a, md5_vec3 b)
{
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    const double z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

// The largest distance between vertices of the base and of a target's file.
static double difference_of_files(const md5_model *base, const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "models/bobbin/morphs/%s.md5mesh", name);
    md5_model *const target = md5_load_model(test_path(path), NULL, NULL);
    double largest = 0.0;
    for (uint32_t v = 0; CHECK(target != NULL) && v < target->meshes[0].num_vertices; v++) {
        const double move = apart(target->meshes[0].positions[v], base->meshes[0].positions[v]);
        largest = move > largest ? move : largest;
    }
    md5_free_model(target);
    return largest;
}

TEST (page_morph_moves_by_the_files_differences) {
    static const char *const names[] = {"smile", "fright", "sleepy", "oh", "blink"};
    page_case of;
    if (page_open(&of, "morph")) {
        for (int i = 0; i < 5; i++)
            page_set(&of, names[i], 0.0f);
        page_show(&of, 1.0);
        CHECK_NEAR(page_fact(&of, "largest move"), 0.0, 1e-5);
        for (int i = 0; i < 5; i++) {
            page_set(&of, names[i], 1.0f);
            page_show(&of, 1.0);
            CHECK_NEAR(page_fact(&of, "largest move"),
                       difference_of_files(of.scene.model, names[i]), 1e-4);
            const int32_t target = md5_find_morph_target(of.scene.morph, names[i]);
            CHECK(target >= 0 && of.picture.figures[0].morph_weights[target] == 1.0f);
            CHECK(of.picture.figures[0].is_morphed);
            page_set(&of, names[i], 0.0f);
        }
    }
    page_close(&of);
}
