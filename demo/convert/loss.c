// Measures and reports the effect of the scale of joints, because MD5 joints have no scale.
//
// For each pose of a clip, a reader computes a difference for each joint: its transform in the file
// minus the transform that MD5 stores. The weighted sum of these differences at a vertex is the
// displacement of the vertex by the conversion. The main structure is convert_loss, the largest
// displacement.
#include "demo/convert/loss.h"

// Returns the largest absolute value of the elements of a transform.
double convert_max_element(const convert_affine *a)
{
    double max = 0;
    for (int k = 0; k < 3; k++)
        max = fmax(max, fmax(fabs(a->c[k].x), fmax(fabs(a->c[k].y), fabs(a->c[k].z))));
    return max;
}

// Returns the displacement of a vertex: the sum of its weights' displacements.
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

// Returns the step between measured vertices; 1 means that all are measured. The step limits the
// time for meshes with many vertices in many frames and clips.
static uint32_t vertex_step(const convert_loss_clip *clip, const md5_doc_mesh *mesh)
{
    const double max_positions = 1 << 26; // vertices of a mesh in all clips
    const double max_step = 1e9;          // a number that uint32_t can store
    const double max_per_clip = max_positions / ((double)clip->num_clips + 1);
    const double num_positions = mesh->num_vertices * (double)clip->num_frames;
    return 1 + (uint32_t)fmin(num_positions / max_per_clip, max_step);
}

// Returns the joint that causes a difference of scale. Joints inherit scale from their parents. The
// cause is therefore the highest ancestor whose scale differs from that in MD5. Without such an
// ancestor, it is the joint itself.
static uint32_t find_scaled_ancestor(const md5_doc *model, const convert_affine *moves,
                                     uint32_t joint)
{
    const double min_difference = 1e-5; // larger than rounding errors
    uint32_t highest = joint;
    for (uint32_t i = joint; i != MD5_NONE; i = model->joints[i].parent) {
        if (convert_max_element(&moves[i]) > min_difference)
            highest = i;
    }
    return highest;
}

// Compares the vertices of one frame with and without the scale of joints. Stores the largest
// distance with its mesh, joint and time.
void convert_measure_loss(convert_loss *worst, const convert_loss_clip *clip,
                          const convert_affine *moves, double time)
{
    const md5_doc *const model = clip->model;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &model->meshes[m];
        const uint32_t step = vertex_step(clip, mesh);
        for (uint32_t v = 0; v < mesh->num_vertices; v += step) {
            const md5_vertex *const vertex = &mesh->vertices[v];
            const md5_weight *const weights = mesh->weights + vertex->first_weight;
            const convert_vec move = displacement(moves, weights, vertex->num_weights);
            const double distance = sqrt(convert_dot(move, move));
            if (distance > worst->distance) {
                worst->distance = distance;
                worst->joint = find_scaled_ancestor(model, moves, weights[0].joint);
                worst->time = time;
                worst->mesh = mesh->name;
                COMMON_TEXT(worst->clip, "%.47s", clip->name);
            }
        }
    }
}

// Reports the largest displacement of convert_measure_loss(). Above 1 % of the model's size it is
// an error, and below it is a note.
bool convert_report_loss(const convert_job *job, const convert_loss *loss, const md5_doc *model,
                         double size, double unit, const char *path, md5_error *error)
{
    const double min_noted_distance = 1e-5; // fraction of the model's size
    const double max_accepted_distance = 0.01;
    if (!(loss->distance > min_noted_distance * size))
        return true;

    char text[240];
    COMMON_TEXT(text,
                "MD5 cannot store the scale of joint %.47s in clip %s: vertices move by up to %.4g "
                "units (%.3g units of the file, %.3g %% of the size)",
                model->joints[loss->joint].name, loss->clip, loss->distance, loss->distance / unit,
                100 * loss->distance / size);
    convert_note(job, "%s; the error is largest at %g s in mesh %s", text, loss->time,
                 loss->mesh ? loss->mesh : "?");

    const bool is_small = loss->distance <= max_accepted_distance * size;
    if (is_small || job->is_forced)
        return true;
    return convert_fail(error, MD5_ERROR_SYNTAX, path,
                        "%s; remove the scale keys, or use --force to ignore them", text);
}
