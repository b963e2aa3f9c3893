// Selects the rest pose, the axes and the unit of a motion capture. Files do not define them
// reliably.
//
// In the rest pose of a plain scene, the nodes should form a standing figure. In some files they do
// not, because each joint has its own axes. The first frame then becomes the rest pose. The limbs
// define the axes, and the length of the legs suggests the unit; see convert_measure().
#include "demo/convert/plain_scene.h"
#include "demo/convert/retarget.h"

static convert_xform node_transform(const plain_node *node)
{
    const double *const t = node->parts[PLAIN_TRANSLATION];
    const double *const r = node->parts[PLAIN_ROTATION];
    return (convert_xform){convert_unit((convert_quat){r[0], r[1], r[2], r[3]}),
                           {t[0], t[1], t[2]}};
}

// Creates a model of all nodes in the rest pose. Returns NULL and fills the scene's error on
// failure.
static md5_model *create_rest_model(const plain_scene *plain)
{
    const size_t count = plain->num_nodes;
    convert_xform *const placed = common_alloc(count, sizeof *placed); // in the space of the scene
    md5_doc doc = {.kind = MD5_DOC_MODEL,
                   .num_joints = (uint32_t)count,
                   .joints = common_alloc(count, sizeof *doc.joints)};
    for (size_t i = 0; i < count; i++) { // parents precede their children
        const plain_node *const node = &plain->nodes[i];
        placed[i] = node_transform(node);
        if (node->parent != MD5_NONE)
            placed[i] = convert_mul(placed[node->parent], placed[i]);
        doc.joints[i] = convert_doc_joint(node->name, node->parent, placed[i]);
    }

    char *text = NULL;
    size_t size = 0;
    md5_model *model = NULL;
    if (convert_print_doc(&doc, &text, &size, plain->error))
        model = md5_parse_model(text, size, NULL, plain->error);
    free(text);
    free(doc.joints);
    free(placed);
    return model;
}

// Measures the figure of all nodes in the rest pose, in the axes of the file.
static bool measure_rest(const plain_scene *plain, convert_stance *stance)
{
    md5_model *const model = create_rest_model(plain);
    if (!model)
        return false;
    *stance = convert_measure(model);
    md5_free_model(model);
    return true;
}

// Replaces the rest pose by the pose of the first clip's first frame.
static void use_first_frame(const plain_scene *plain)
{
    const plain_animation *const clip = &plain->animations[0];
    for (size_t i = 0; i < clip->num_tracks; i++) {
        const plain_track *const track = &clip->tracks[i];
        for (size_t k = 0; k < track->width; k++)
            plain->nodes[track->node].parts[track->part][k] = track->values[k];
    }
}

// Returns the number of MD5 units per unit of the file. It is guessed from the length of the legs.
static double guess_unit(const convert_job *job, double legs)
{
    static const struct guess {
        double min_length;
        double max_length;
        double unit;
        const char *reason;
    } guesses[] = {
        {0.4, 1.3, 1.0 / 0.0254, "the length of the legs suggests meters"},
        {45, 130, 1.0 / 2.54, "the length of the legs suggests centimeters"},
        {0, 0, 1, "assuming inches"},
    };
    if (job->scale > 0) {
        convert_note(job, "scale of the motion, MD5 units per unit of the file: %.6g", job->scale);
        return job->scale;
    }

    const struct guess *guess = guesses;
    while (guess->max_length > 0 // the last guess accepts any length
           && !(legs >= guess->min_length && legs <= guess->max_length))
        guess++;

    convert_note(job,
                 "scale of the motion, MD5 units per unit of the file: %.6g: %s; use --scale to "
                 "override",
                 guess->unit, guess->reason);
    return guess->unit;
}

// Finds the axes and the unit of a motion capture, because BVH does not store them. They are
// measured on a standing figure. This is the pose without rotations or, if that pose does not
// stand, the first frame.
bool plain_orient_capture(plain_scene *plain)
{
    convert_stance stance = {.is_standing = false};
    if (!measure_rest(plain, &stance))
        return false;
    if (!stance.is_standing) {
        use_first_frame(plain);
        if (!measure_rest(plain, &stance))
            return false;
        convert_note(plain->job,
                     "%s: the pose without rotations is not a standing figure: the first frame is "
                     "used as the rest pose",
                     plain->path);
    }
    const convert_quat axes = convert_from_xform((md5_xform){.rotation = stance.axes}).rotation;
    plain->axes = convert_affine_from_xform((convert_xform){axes, {0, 0, 0}});
    plain->unit = guess_unit(plain->job, stance.legs);
    return true;
}
