// The facts that the pages of baked vertices, impostors and automatic weights show.
#include "test/viewer/test_view_page_case.h"

#include "demo/viewer/pages/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Vertices in double precision -----------------------------------------------------------

typedef struct double_point {
    double at[3];
} double_point;

// The sum of bias * (joint * offset) over weights[count], as the file format defines it.
static double_point posed(const md5_weight *weights, uint32_t count, const md5_mat34 *joints)
{
    double_point sum = {{0.0, 0.0, 0.0}};
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 offset = weights[i].offset;
        const double p[4] = {(double)offset.x, (double)offset.y, (double)offset.z, 1.0};
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 4; k++)
                sum.at[row] += (double)weights[i].bias
                               * (double)joints[weights[i].joint].m[4 * row + k] * p[k];
    }
    return sum;
}

static double_point posed_vertex(const md5_mesh *mesh, uint32_t vertex, const md5_mat34 *joints)
{
    const md5_vertex of = mesh->file_vertices[mesh->sources[vertex]];
    return posed(mesh->weights + of.first_weight, of.num_weights, joints);
}

static double apart(double_point a, double_point b)
{
    const double x = a.at[0] - b.at[0], y = a.at[1] - b.at[1], z = a.at[2] - b.at[2];
    return sqrt(x * x + y * y + z * z);
}

typedef struct moved {
    const view_clip *clip;
    md5_xform *pose;
    md5_mat34 *joints, *palette;
} moved;

static bool begin_moving(moved *of, const page_case *page, const char *clip)
{
    const uint32_t count = page->scene.num_joints;
    of->clip = view_page_clip(&page->picture, clip);
    of->pose = malloc(count * sizeof *of->pose);
    of->joints = malloc(3 * count * sizeof *of->joints);
    of->palette = malloc(count * sizeof *of->palette);
    return of->clip != NULL && of->pose != NULL && of->joints != NULL && of->palette != NULL;
}

static void end_moving(moved *of)
{
    free(of->pose);
    free(of->joints);
    free(of->palette);
}

static void move(moved *of, double part, md5_mat34 *joints)
{
    const md5_moment moment =
        md5_moment_at(of->clip->anim, part * of->clip->anim->duration, MD5_WRAP_LOOP);
    md5_pose_palette(of->clip->binding, moment, MD5_ROOT_IN_PLACE, of->pose, joints, of->palette);
}

// -- Baked ----------------------------------------------------------------------------------

// The largest distance between the means of two frames' vertices and the vertices halfway between
// the frames.
static double middle_error(moved *of, const page_case *page, uint32_t frame, uint32_t frames)
{
    const uint32_t count = page->scene.num_joints;
    double largest = 0.0;
    for (int i = 0; i < 3; i++)
        move(of, (frame + 0.5 * i) / frames, of->joints + (size_t)i * count);
    for (uint32_t m = 0; m < page->scene.model->num_meshes; m++) {
        const md5_mesh *const mesh = &page->scene.model->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const double_point a = posed_vertex(mesh, v, of->joints),
                               own = posed_vertex(mesh, v, of->joints + count),
                               b = posed_vertex(mesh, v, of->joints + 2 * (size_t)count);
            double_point middle;
            for (int k = 0; k < 3; k++)
                middle.at[k] = 0.5 * (a.at[k] + b.at[k]);
            const double off = apart(middle, own);
            largest = off > largest ? off : largest;
        }
    }
    return largest;
}

TEST_PAGE (page_bake_shows_the_error_between_frames, "bake") {
    moved by;
    page_set(of, "clip", 0.0f); // a walk of one second
    page_set(of, "frames a second", 12.0f);
    page_show(of, 0.3);
    const double shown = page_fact(of, "largest error");
    const uint32_t frames = (uint32_t)page_fact(of, "frames");
    double largest = 0.0;
    if (CHECK(begin_moving(&by, of, "walk"))) {
        CHECK_UINT(frames, (uint32_t)round(12.0 * by.clip->anim->duration));
        for (uint32_t i = 0; i < frames; i++) {
            const double error = middle_error(&by, of, i, frames);
            largest = error > largest ? error : largest;
        }
    }
    end_moving(&by);
    CHECK(largest > 0.1);
    // The error is largest near the middle, not exactly there, and baked positions are
    // quantized.
    CHECK(shown > largest - 0.01 && shown < 1.15 * largest + 0.01);
    CHECK(page_fact(of, "error at frames") < 0.002);
    CHECK_UINT(of->picture.num_figures, 3);
    page_set(of, "frames a second", 24.0f); // half the interval: about a quarter of the error
    page_show(of, 0.3);
    CHECK(page_fact(of, "largest error") < 0.5 * shown);
}

// Whatever the numbers of frames: 96 frames of a dance once had no error, measured at 96 moments.
TEST_PAGE (page_bake_measures_between_all_frames, "bake") {
    moved by;
    page_set(of, "clip", 2.0f);
    page_set(of, "frames a second", 24.0f);
    page_show(of, 0.3);
    CHECK_UINT((uint32_t)page_fact(of, "frames"), 96);
    double largest = 0.0;
    if (CHECK(begin_moving(&by, of, "dance")))
        for (uint32_t i = 0; i < 96; i++)
            largest = fmax(largest, middle_error(&by, of, i, 96));
    end_moving(&by);
    CHECK(largest > 1.0);
    CHECK(page_fact(of, "largest error") > largest - 0.01
          && page_fact(of, "largest error") < 1.15 * largest + 0.01);
}

// -- Automatic weights ----------------------------------------------------------------------

static double largest_difference(moved *of, const page_case *page, const md5_weights *weights,
                                 double *mean)
{
    double largest = 0.0, sum = 0.0;
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t first = 0;
        move(of, i / 24.0, of->joints);
        for (uint32_t m = 0; m < page->scene.model->num_meshes; m++) {
            const md5_mesh *const mesh = &page->scene.model->meshes[m];
            for (uint32_t v = 0; v < mesh->num_vertices; v++) {
                const md5_vertex bound = weights->vertices[first + v];
                const double off = apart(
                    posed_vertex(mesh, v, of->joints),
                    posed(weights->weights + bound.first_weight, bound.num_weights, of->joints));
                largest = off > largest ? off : largest;
                sum += off;
            }
            first += mesh->num_vertices;
        }
        *mean = sum / (24.0 * first);
    }
    return largest;
}

TEST_PAGE (page_bind_shows_the_difference_from_own_weights, "bind") {
    moved by;
    double mean = 0.0;
    page_set(of, "voxels along him", 32.0f);
    page_set(of, "influences", 3.0f);
    page_set(of, "clip", 0.0f);
    page_show(of, 0.3);
    const md5_weights_desc desc = {.resolution = 32, .max_influences = 3};
    md5_weights *const weights = view_bind_weights(of->scene.model, desc, NULL);
    if (CHECK(begin_moving(&by, of, "walk")) && CHECK(weights != NULL)) {
        const double largest = largest_difference(&by, of, weights, &mean);
        CHECK_NEAR(page_fact(of, "largest difference"), largest, 2e-3);
        CHECK_NEAR(page_fact(of, "mean difference"), mean, 1e-3);
        CHECK(page_fact(of, "voxels inside") == (double)weights->num_voxels);
        CHECK(mean > 0.01 && largest > 1.0);
    }
    md5_free_weights(weights);
    end_moving(&by);
    CHECK(of->kept.bound != NULL && of->kept.bound->meshes[0].max_influences == 3);
    page_set(of, "voxels along him", 16.0f);
    page_set(of, "rounds of smoothing", 0.0f);
    page_set(of, "falloff", 0.0f);
    const double voxels = page_fact(of, "voxels inside");
    page_show(of, 0.3);
    CHECK(page_fact(of, "voxels inside") < 0.3 * voxels);
}

TEST_PAGE (page_bind_has_a_model_of_the_same_surface, "bind") {
    page_set(of, "voxels along him", 16.0f);
    page_show(of, 0.3);
    const md5_model *const own = of->scene.model, *const bound = of->kept.bound;
    double largest = 0.0;
    for (uint32_t m = 0; CHECK(bound != NULL) && m < own->num_meshes; m++)
        for (uint32_t v = 0; v < own->meshes[m].num_vertices; v++) {
            const double off = (double)md5_vec3_length(
                md5_vec3_sub(own->meshes[m].positions[v], bound->meshes[m].positions[v]));
            largest = off > largest ? off : largest;
        }
    CHECK(largest < 1e-4);
}

// -- Impostors ------------------------------------------------------------------------------

// The largest angle from a direction between the rings, at 0.17 and 0.79 radians, to the nearest
// picture, by trying all.
static double farthest_from_pictures(int num_around)
{
    static const double rings[2] = {0.17, 0.79};
    double farthest = 0.0;
    for (int i = 0; i <= 400; i++)
        for (int k = 0; k < 100; k++) {
            const double up = rings[0] + (rings[1] - rings[0]) * i / 400.0;
            const double around = 6.28318530717959 / num_around * k / 100.0;
            double cosine = -1.0;
            for (int view = 0; view < 2 * num_around; view++) {
                const double ring = rings[view % 2],
                             at = 6.28318530717959 * (view / 2) / num_around;
                cosine = fmax(cosine, sin(up) * sin(ring) + cos(up) * cos(ring) * cos(around - at));
            }
            farthest = fmax(farthest, acos(fmin(cosine, 1.0)));
        }
    return farthest * 57.29577951308232;
}

TEST_PAGE (page_impostor_shows_the_nearest_frame, "impostor") {
    page_set(of, "texels", 1.0f); // 32
    page_set(of, "directions around", 10.0f);
    page_set(of, "frames of the clip", 8.0f);
    const view_picture *const picture = &of->picture;
    page_show(of, 0.0);
    const double second = view_page_clip(picture, "walk")->anim->duration;
    for (int i = 0; i <= 16; i++) {
        page_show(of, second * (i + 0.4) / 16.0);
        const uint32_t frame = (uint32_t)(i + 1) / 2 % 8;
        for (uint32_t k = 0; k < picture->num_figures; k++)
            CHECK_UINT(picture->figures[k].moment.frame0, frame);
    }
    CHECK_UINT(picture->num_figures, 6);
    CHECK(page_fact(of, "pictures of a frame") == 21.0);
    CHECK_NEAR(page_fact(of, "farthest from a picture"), farthest_from_pictures(10), 0.02);
    // 8 frames of 21 pictures of 32 * 32 texels of 8 bytes, and a third for smaller levels.
    CHECK_NEAR(page_fact(of, "memory, about"), 1.75, 1e-9);
}
