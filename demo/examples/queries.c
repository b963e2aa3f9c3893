// Finds the part of a character that a ray hits. The bounding boxes of the joints are tested first,
// because this test is very fast. The triangles are tested afterwards. The program also finds the
// joint that is nearest to a point.
//
//   cc queries.c $(pkg-config --cflags --libs md5model) -o queries
//   ./queries models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
#include <md5model/md5model.h>
#include <md5model/md5skin.h>
#include <stdio.h>
#include <stdlib.h>

// Prints the results of three hit tests, from the fastest to the most precise. `bounds` encloses
// the posed character, and `zones` are the bounding boxes of the joints.
static void print_hits(md5_ray ray, const md5_model *model, md5_bounds bounds,
                       const md5_bounds *zones, const md5_pose_buffers *posed)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_hit hit;
    if (!md5_raycast_bounds(ray, bounds, NULL))
        printf("the ray misses the character\n");
    if (md5_raycast_joints(ray, zones, posed->joints, num_joints, &hit))
        printf("hit zone of joint %s at distance %.1f\n", model->skeleton.joints[hit.joint].name,
               (double)hit.t);
    if (md5_raycast_model(ray, model, posed->palette, &hit, posed->scratch))
        printf("triangle %u of mesh %s at distance %.1f, moved by joint %s\n",
               (unsigned)hit.triangle, model->meshes[hit.mesh].name, (double)hit.t,
               hit.joint == MD5_NONE ? "none" : model->skeleton.joints[hit.joint].name);
}

// Poses a model by a clip and shoots a ray at it. Prints the hits, and the joint nearest to the
// origin of the ray.
int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: queries MODEL.md5mesh CLIP.md5anim\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(argv[1], NULL, &error);
    md5_anim *anim = md5_load_anim(argv[2], NULL, &error);
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    if (!model || !binding) {
        char text[600];
        md5_format_error(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }

    const uint32_t num_joints = model->skeleton.num_joints;
    md5_pose_buffers *posed =
        md5_create_pose_buffers(model, md5_raycast_model_scratch(model), NULL, &error);
    md5_bounds *zones = malloc(num_joints * sizeof *zones);
    if (!posed || !zones)
        exit(1);
    const md5_mat34 *joints = posed->joints;

    md5_build_joint_bounds(model, zones); // once for each model
    const md5_sample_position sample = md5_sample_position_at(anim, 0.25, MD5_WRAP_LOOP);
    md5_pose_palette(binding, sample, MD5_ROOT_FILE, posed->pose, posed->joints, posed->palette);

    // A ray from the front to the middle of the character, in model space.
    const md5_bounds bounds = md5_bounds_from_joints(zones, joints, num_joints);
    const md5_ray ray = {
        .origin = {bounds.max.x + 100, 0, (bounds.min.z + bounds.max.z) / 2},
        .direction = {-1, 0, 0},
    };
    print_hits(ray, model, bounds, zones, posed);

    float distance = 0;
    const uint32_t nearest = md5_find_nearest_joint(joints, num_joints, ray.origin, &distance);
    if (nearest != MD5_NONE)
        printf("nearest joint to the origin: %s, %.1f away\n", model->skeleton.joints[nearest].name,
               (double)distance);

    free(zones);
    md5_destroy_pose_buffers(posed);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
