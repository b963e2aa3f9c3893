// Measures and reports the scale of joints, which MD5 cannot store.
#include "demo/convert/loss.h"

double convert_max_element(const convert_affine *a)
{
    double max = 0;
    for (int k = 0; k < 3; k++)
        max = fmax(max, fmax(fabs(a->c[k].x), fmax(fabs(a->c[k].y), fabs(a->c[k].z))));
    return max;
}

static convert_vec displacement(const convert_affine *moves, const md5_weight *weights,
                                uint32_t count)
{
    convert_vec sum = {0, 0, 0};
    for (uint32_t w = 0; w < count; w++) {
        const convert_vec by =
            convert_affine_point(&moves[weights[w].joint], convert_from_vec3(weights[w].offset));
        sum = convert_add(sum, convert_times(by, weights[w].bias));
    }
    return sum;
}

void convert_measure_loss(convert_loss *worst, const convert_loss_clip *clip,
                          const convert_affine *moves, double time)
{
    const double max_points = (double)(1 << 26) / ((double)clip->num_clips + 1);
    const md5_doc *const model = clip->model;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &model->meshes[m];
        const double points = mesh->num_vertices * (double)clip->num_frames;
        const uint32_t stride = 1 + (uint32_t)fmin(points / max_points, 1e9);
        for (uint32_t v = 0; v < mesh->num_vertices; v += stride) {
            const md5_weight *const weights = mesh->weights + mesh->vertices[v].first_weight;
            const convert_vec move = displacement(moves, weights, mesh->vertices[v].num_weights);
            const double distance = sqrt(convert_dot(move, move));
            if (!(distance > worst->distance))
                continue;
            uint32_t joint = weights[0].joint; // the highest scaled ancestor
            for (uint32_t above = joint; above != MD5_NONE; above = model->joints[above].parent)
                if (convert_max_element(&moves[above]) > 1e-5)
                    joint = above;
            *worst = (convert_loss){
                .distance = distance, .joint = joint, .time = time, .mesh = mesh->name};
            COMMON_TEXT(worst->clip, "%.47s", clip->name);
        }
    }
}

bool convert_report_loss(const convert_job *job, const convert_loss *loss, const md5_doc *model,
                         double size, double unit, const char *path, md5_error *error)
{
    if (!(loss->distance > 1e-5 * size))
        return true;
    char text[240];
    COMMON_TEXT(text,
                "MD5 cannot store the scale of joint %.47s in clip %s: vertices move by up to %.4g "
                "units (%.3g in the file, %.2g %% of the size)",
                model->joints[loss->joint].name, loss->clip, loss->distance, loss->distance / unit,
                100 * loss->distance / size);
    convert_note(job, "%s; largest error at %g s in mesh %s", text, loss->time,
                 loss->mesh ? loss->mesh : "?");
    return loss->distance <= 0.01 * size || job->is_forced
           || convert_fail(error, MD5_ERROR_SYNTAX, path,
                           "%s; use --force to convert the file anyway", text);
}
