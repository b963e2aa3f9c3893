// Corrects a pose by inverse kinematics: places both feet on stairs and turns the head to a point.
// The clip was made for flat ground. The joint names are arguments, so any character can be used.
//
//   cc feet_and_look.c $(pkg-config --cflags --libs md5play) -o feet_and_look
//   ./feet_and_look models/bobbin/bobbin.md5mesh models/bobbin/idle.md5anim hips foot_l foot_r head
#include <math.h>
#include <md5model/md5pose.h>
#include <stdio.h>
#include <stdlib.h>

enum { PELVIS, LEFT, RIGHT, HEAD, NUM_NAMES };

// Returns the height of stairs that rise to the left, with steps in proportion to the model.
static float height_at(const md5_model *model, md5_vec3 position)
{
    const float size = model->bounds.max.z - model->bounds.min.z;
    return 0.08f * size * floorf(position.y / (0.2f * size));
}

static md5_vec3 joint_position(const md5_binding *binding, const md5_xform *pose, uint32_t joint)
{
    return md5_joint_in_model(&binding->model->skeleton, pose, joint).translation;
}

// Places both feet on the stairs by inverse kinematics. Sets the height of the floor below each
// ankle, then solves the legs and the pelvis. Prints the heights before and after.
static void place_feet(const md5_binding *binding, md5_xform *pose, const uint32_t *joints)
{
    const md5_skeleton *skeleton = &binding->model->skeleton;
    // A game keeps this array between frames, because the solver stores state in it.
    md5_foot feet[2] = {{.ankle = joints[LEFT]}, {.ankle = joints[RIGHT]}};
    for (int i = 0; i < 2; i++) {
        const md5_vec3 before = joint_position(binding, pose, feet[i].ankle);
        feet[i].floor = height_at(binding->model, before);
        printf("ankle at height %.2f, stair at height %.2f\n", (double)before.z,
               (double)feet[i].floor);
    }

    // Solve the legs. `weight` 1 applies the result completely.
    md5_feet_job job = {.pelvis = joints[PELVIS], .feet = feet, .num_feet = 2, .weight = 1};
    const uint32_t placed = md5_solve_feet(skeleton, &job, pose);
    for (int i = 0; i < 2; i++)
        printf("corrected height %.2f%s\n", (double)joint_position(binding, pose, feet[i].ankle).z,
               feet[i].result == MD5_LIMB_REACHED ? "" : ": out of reach");
    printf("%u feet placed, pelvis moved by %.2f\n", (unsigned)placed, (double)job.drop);
}

// Turns the head to a target in model space. The forward axis of the head joint follows from the
// bind pose, in which characters face +x.
static void look(const md5_binding *binding, md5_xform *pose, uint32_t head, md5_vec3 target)
{
    const md5_model *model = binding->model;
    const md5_quat to_head =
        md5_quat_conjugate(md5_joint_in_model(&model->skeleton, model->bind_local, head).rotation);
    const md5_vec3 ahead = {1, 0, 0};
    const md5_vec3 upward = {0, 0, 1};
    const md5_aim_job job = {
        .tip = head,
        .length = 2, // rotate the neck as well
        .target = target,
        .params = {.forward = md5_quat_rotate(to_head, ahead),
                   .up = md5_quat_rotate(to_head, upward)},
        .weight = 1,
    };
    md5_solve_aim(&model->skeleton, &job, pose);

    // Check the result: measure the angle between the direction of the head and the direction to
    // the target.
    const md5_xform posed = md5_joint_in_model(&model->skeleton, pose, head);
    const md5_vec3 forward = md5_quat_rotate(posed.rotation, job.params.forward);
    const md5_vec3 wanted = md5_vec3_normalize(md5_vec3_sub(target, posed.translation), forward);
    printf("head looks %.3f degrees away from the target\n",
           acos(fmin((double)md5_vec3_dot(forward, wanted), 1)) * 57.29578);
}

// Loads the model and the clip, samples a pose, and corrects its feet and its head.
int main(int argc, char **argv)
{
    if (argc != 3 + NUM_NAMES) {
        fprintf(stderr, "usage: feet_and_look MODEL CLIP PELVIS LEFT_ANKLE RIGHT_ANKLE HEAD\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(argv[1], NULL, &error);
    md5_anim *anim = md5_load_anim(argv[2], NULL, &error);
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    if (!binding) {
        fprintf(stderr, "%s:%u: %s\n", error.file, (unsigned)error.line, error.message);
        return 1;
    }

    // Find the joints by their names.
    uint32_t joints[NUM_NAMES];
    for (int i = 0; i < NUM_NAMES; i++) {
        joints[i] = md5_find_joint(&model->skeleton, argv[3 + i]);
        if (joints[i] == MD5_NONE) {
            fprintf(stderr, "the model has no joint '%s'\n", argv[3 + i]);
            return 1;
        }
    }

    // Sample the clip, then correct the pose. Each correction starts with the result of the last.
    md5_xform *pose = malloc(model->skeleton.num_joints * sizeof *pose);
    if (!pose)
        return 1;
    const md5_sample_position sample = md5_sample_position_at(anim, 0.5, MD5_WRAP_LOOP);
    md5_sample(binding, sample, MD5_ROOT_IN_PLACE, pose);
    place_feet(binding, pose, joints);
    const md5_vec3 head = joint_position(binding, pose, joints[HEAD]);
    const md5_vec3 target = {head.x + 60, head.y + 50, head.z + 20};
    look(binding, pose, joints[HEAD], target);

    free(pose);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
