// Lessons on transforms: a chain of transforms, and the w of quaternions. Lessons on skinning: the
// palette, dual quaternions, normals, and influences.
#include "demo/viewer/pages/page.h"

// -- A chain of transforms ------------------------------------------------------------------

// The hat can be attached to the head, the car, the ship or the water. These are the numbers of
// links from the water to each of them, in the order of the choice.
static const uint32_t hat_links[] = {4, 2, 1, 0};

// The lesson "chain" displays the following code, up to "End of the displayed code".

// A link is a transform relative to the parent: ship in the water, car on the ship, dragon in the
// car, head of the dragon. Returns the transform of the last object in the world.
static md5_xform chain(const md5_xform *links, uint32_t count)
{
    md5_xform placement = {.rotation = {.w = 1.0f}};
    for (uint32_t i = 0; i < count; i++)
        placement = md5_xform_mul(placement, links[i]);
    return placement;
}

// Returns the transform of an object relative to a new parent. The transform of the object in the
// world does not change.
static md5_xform link_to(md5_xform parent, md5_xform object)
{
    return md5_xform_mul(md5_xform_inverse(parent), object);
}

// End of the displayed code.

// The sliders and choices of the lesson, in the order of pages.txt.
enum { CHAIN_SHIP_ROLL, CHAIN_CAR_DISTANCE, CHAIN_DRAGON_YAW, CHAIN_HAT_PARENT };

// The links of the chain, each relative to the previous link.
enum { LINK_SHIP, LINK_CAR, LINK_DRAGON, LINK_HEAD, NUM_LINKS };

// Returns a value that swings between -1 and 1. `frequency` is in radians per second.
static float swing(double time, double frequency)
{
    return sinf((float)fmod(frequency * time, 6.283185307));
}

// Computes the links of the chain at a time, and the pose of the dragon. The ship rolls on the
// waves. The car drives on the deck. The dragon turns in the car and talks.
static void set_links(const view_picture *picture, double time, md5_xform *pose,
                      md5_xform links[NUM_LINKS])
{
    const float ship_roll = picture->values[CHAIN_SHIP_ROLL];
    const float car_distance = picture->values[CHAIN_CAR_DISTANCE];
    const float dragon_yaw = picture->values[CHAIN_DRAGON_YAW];
    const float wave = swing(time, 1.2);
    const float drive = swing(time, 0.7);
    const md5_euler ship = {.pitch = 0.3f * ship_roll * drive, .roll = ship_roll * wave};
    const md5_euler dragon = {.yaw = dragon_yaw * drive};
    links[LINK_SHIP] =
        (md5_xform){.rotation = md5_quat_from_euler(ship), .translation = {.z = 2 * drive}};
    links[LINK_CAR] =
        (md5_xform){.rotation = {.w = 1}, .translation = {.y = car_distance * drive, .z = 19}};
    links[LINK_DRAGON] =
        (md5_xform){.rotation = md5_quat_from_euler(dragon), .translation = {.z = 1}};

    view_sample_clip(picture, "talk", time, pose);
    const uint32_t head = view_page_joint(picture, "head");
    links[LINK_HEAD] = md5_joint_in_model(picture->skeleton, pose, head);
}

// Draws a closed outline through points[count] in the space of `placement`. The points are
// multiplied by `scale` and are at the height `z`.
static void draw_outline(view_picture *picture, md5_xform placement, const md5_vec2 *points,
                         int count, float scale, float z, view_color color)
{
    for (int i = 0; i <= count; i++) {
        const md5_vec2 p = points[i % count];
        view_draw_to(picture, md5_xform_point(placement, (md5_vec3){scale * p.x, scale * p.y, z}),
                     i > 0 ? color : 0);
    }
}

enum { CIRCLE_POINTS = 24 };

// Draws the brim, the band and the top of the hat.
static void draw_hat(view_picture *picture, md5_xform placement, const md5_vec2 *circle)
{
    for (int i = 0; i < 3; i++)
        draw_outline(picture, placement, circle, CIRCLE_POINTS, i == 0 ? 12 : 7, 6 * (float)i,
                     VIEW_YELLOW);
}

// Draws three outlines, from the deck to the keel.
static void draw_ship(view_picture *picture, md5_xform placement)
{
    static const md5_vec2 deck[] = {{-24, -84}, {24, -84}, {32, 24}, {19, 64},
                                    {0, 90},    {-19, 64}, {-32, 24}};
    for (int i = 0; i < 3; i++)
        draw_outline(picture, placement, deck, COMMON_LENGTH(deck), 1 - 0.15f * (float)i,
                     14 - 9 * (float)i, VIEW_BLUE);
}

// Draws the floor and the rim of the car, and four wheels.
static void draw_car(view_picture *picture, md5_xform placement, const md5_vec2 *circle)
{
    static const md5_vec2 body[] = {{-15, -25}, {15, -25}, {15, 25}, {-15, 25}};
    for (int i = 0; i < 2; i++)
        draw_outline(picture, placement, body, COMMON_LENGTH(body), 1, 12 * (float)i, VIEW_RED);
    for (int i = 0; i < 4; i++) {
        const float side = i < 2 ? -15 : 15;
        const float along = i % 2 == 0 ? -15 : 15;
        const md5_xform wheel = {{.y = 0.70710678f, .w = 0.70710678f}, {side, along, 0}, 0};
        draw_outline(picture, md5_xform_mul(placement, wheel), circle, CIRCLE_POINTS, 5, 0,
                     VIEW_RED);
    }
}

// Draws the surface of the water as a grid of lines.
static void draw_water(view_picture *picture)
{
    for (int i = -4; i <= 4; i++) {
        const float at = 25 * (float)i;
        view_page_line(picture, (md5_vec3){at, -100, 0}, (md5_vec3){at, 100, 0}, 0x4FC9C450u);
        view_page_line(picture, (md5_vec3){-100, at, 0}, (md5_vec3){100, at, 0}, 0x4FC9C450u);
    }
}

// Draws the vehicles and the hat, whose placement in the world is `hat`, and the water.
static void draw_objects(view_picture *picture, const md5_xform *links, md5_xform hat)
{
    md5_vec2 circle[CIRCLE_POINTS];
    for (int i = 0; i < CIRCLE_POINTS; i++) {
        const float angle = 6.28318531f / (float)CIRCLE_POINTS * (float)i;
        circle[i] = (md5_vec2){cosf(angle), sinf(angle)};
    }
    draw_hat(picture, hat, circle);
    draw_ship(picture, links[LINK_SHIP]);
    draw_car(picture, chain(links, 2), circle);
    draw_water(picture);
    picture->has_no_floor = true;
}

// Draws the ship, the car, and the dragon with its hat, which is attached to the selected parent.
// Measures the distance of the hat from its position on the head.
VIEW_SHOW(chain)
{
    (void)v;
    const uint32_t num_links = hat_links[view_choice(picture, CHAIN_HAT_PARENT)];
    const uint32_t head = view_page_joint(picture, "head");
    view_figure *const figure = &picture->figures[0];
    md5_xform first_links[NUM_LINKS]; // at time 0
    md5_xform links[NUM_LINKS];
    set_links(picture, 0, view_spare_pose(picture, 0), first_links);
    set_links(picture, picture->time, figure->pose, links);
    figure->placement = chain(links, LINK_HEAD); // the links before the head

    // The hat was placed on the head in the bind pose, and attached to its parent at time 0.
    const md5_xform hat_in_model = {.rotation = {.w = 1}, .translation = {.z = 53}};
    const md5_xform head_in_model = md5_xform_from_mat34(picture->model->bind[head]);
    const md5_xform hat_on_head = link_to(head_in_model, hat_in_model);
    const md5_xform first_hat = md5_xform_mul(chain(first_links, NUM_LINKS), hat_on_head);
    const md5_xform hat_link = link_to(chain(first_links, num_links), first_hat);

    const md5_xform hat = md5_xform_mul(chain(links, num_links), hat_link);
    const md5_xform worn = md5_xform_mul(chain(links, NUM_LINKS), hat_on_head);
    draw_objects(picture, links, hat);
    VIEW_FACTS(picture, links[LINK_SHIP].translation.z, links[LINK_CAR].translation.z,
               links[LINK_DRAGON].translation.z,
               md5_xform_mul(links[LINK_HEAD], hat_on_head).translation.z);
    VIEW_FACTS(picture, hat.translation.z, view_distance(hat.translation, worn.translation));
}

// -- W --------------------------------------------------------------------------------------

// The lesson "quaternion_w" displays the following code, up to "End of the displayed code".

// Computes w, because files contain only x, y and z.
static md5_quat with_w(float x, float y, float z)
{
    const float rest = 1.0f - (x * x + y * y + z * z);
    return (md5_quat){x, y, z, -sqrtf(fabsf(rest))};
}

// End of the displayed code.

// Writes a rotation with a number of digits and reads it again. Returns the result, and the
// rotation before rounding in *stored. A quaternion and its negative are the same rotation, so the
// one with w <= 0 is stored.
static md5_quat through_text(md5_vec3 axis, float degrees, float digits, md5_quat *stored)
{
    const double scale = pow(10, round((double)digits));
    md5_quat q = md5_quat_from_axis_angle(axis, view_radians(degrees));
    if (q.w > 0)
        q = (md5_quat){-q.x, -q.y, -q.z, -q.w};
    *stored = q;
    return with_w((float)(round(q.x * scale) / scale), (float)(round(q.y * scale) / scale),
                  (float)(round(q.z * scale) / scale));
}

// Writes a rotation with few digits and reads it again. Plots the error over the angle of the
// rotation, and shows both rotations on the figures.
VIEW_SHOW(quaternion_w)
{
    enum { SLIDER_ANGLE, SLIDER_AXIS_X, SLIDER_AXIS_Y, SLIDER_DIGITS }; // as in pages.txt
    const float angle = v[SLIDER_ANGLE];
    const float digits = v[SLIDER_DIGITS];
    const md5_vec3 axis = md5_vec3_normalize((md5_vec3){v[SLIDER_AXIS_X], v[SLIDER_AXIS_Y], 0.6f},
                                             (md5_vec3){0, 0, 1});

    // The last step of the loop computes the rotation by the angle of the slider.
    md5_quat stored = {.w = 1};
    md5_quat rebuilt = stored;
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const double x = view_step_x(picture->plots, i, angle);
        rebuilt = through_text(axis, (float)x, digits, &stored);
        view_plot_step(picture->plots, 0, i, x, view_angle(stored, rebuilt));
    }

    const md5_quat rotations[2] = {stored, md5_quat_normalize(rebuilt, (md5_quat){.w = 1})};
    for (int i = 0; i < 2; i++)
        view_add_frame(picture, view_rotate_figure(&picture->figures[i], rotations[i]), 32);
    VIEW_FACTS(picture, 0.6, stored.w, rebuilt.w, view_angle(stored, rebuilt));
}

// -- Palette --------------------------------------------------------------------------------

// The lesson "palette" displays the following code, up to "End of the displayed code".

// Returns the skinning matrix of a joint from its matrices in the current pose and in the bind
// pose, both in model space.
static md5_mat34 palette_matrix(md5_mat34 posed, md5_mat34 bind)
{
    // Map from the bind pose to the space of the joint, then to the current pose.
    return md5_mat34_mul(posed, md5_mat34_inverse(bind));
}

// End of the displayed code.

// Returns a number of a matrix for display. A tiny rounding error becomes 0, because it would be
// shown instead of 0.
static double matrix_number(float number)
{
    return fabsf(number) < 1e-6f ? 0 : number;
}

// Draws the path of a fingertip from `tip`, its position in the bind pose, to `moved_tip`, to which
// the palette moves it. Both are in model space. The second figure also shows the arm in the bind
// pose.
static void draw_moved_tip(view_picture *picture, uint32_t finger, md5_vec3 tip, md5_vec3 moved_tip)
{
    const uint32_t shoulder = view_page_joint(picture, "upperarm_r");
    const view_figure *const bind = &picture->figures[0];
    const view_figure *const posed = &picture->figures[1];
    const view_figure in_bind_pose = {.pose = bind->pose, .placement = posed->placement};
    uint32_t joint = finger;
    while (joint != shoulder && joint != MD5_NONE) {
        view_add_bone(picture, &in_bind_pose, joint, VIEW_BLUE);
        joint = picture->skeleton->joints[joint].parent;
    }
    const md5_vec3 from = md5_xform_point(posed->placement, tip);
    const md5_vec3 to = md5_xform_point(posed->placement, moved_tip);
    view_page_cross(picture, md5_xform_point(bind->placement, tip), 2, VIEW_RED);
    view_page_cross(picture, from, 2, VIEW_BLUE);
    view_page_cross(picture, to, 2, VIEW_RED);
    view_page_line(picture, from, to, VIEW_RED);
}

// Shows the bind pose, and a pose between it and the clip. The palette's matrix of a finger moves
// the fingertip from one to the other.
VIEW_SHOW(palette)
{
    enum { SLIDER_WEIGHT, SLIDER_SECONDS }; // in the order of pages.txt
    const float weight = v[SLIDER_WEIGHT];
    const float seconds = v[SLIDER_SECONDS];
    const uint32_t count = picture->scene->num_joints;
    const uint32_t finger = view_page_joint(picture, "finger_b_2_r");
    const uint32_t shoulder = view_page_joint(picture, "upperarm_r");
    const view_figure *const bind = &picture->figures[0];
    const view_figure *const posed = &picture->figures[1];

    // Pose the second figure between the bind pose and the clip.
    md5_xform *const wave = view_spare_pose(picture, 0);
    view_sample_clip(picture, "wave", seconds, wave);
    md5_blend_poses(picture->model->bind_local, wave, weight, NULL, count, posed->pose);

    // Compute the palette with the displayed code, and draw the bones of both figures.
    md5_mat34 *const joints = common_alloc(2 * (size_t)count, sizeof *joints);
    md5_mat34 *const palette = joints + count;
    md5_local_to_model(picture->skeleton, posed->pose, joints);
    for (uint32_t j = 0; j < count; j++) {
        palette[j] = palette_matrix(joints[j], picture->model->bind[j]);
        view_add_bone(picture, bind, j, 0xF1F3F690u);
        view_add_bone(picture, posed, j, 0xF1F3F690u);
    }
    const md5_vec3 tip = md5_mat34_translation(picture->model->bind[finger]);
    const md5_vec3 moved_tip = md5_mat34_point(palette[finger], tip);
    draw_moved_tip(picture, finger, tip, moved_tip);

    const float *const z_row = palette[finger].m + 8;
    VIEW_FACTS(picture, tip.x, tip.y, tip.z);
    VIEW_FACTS(picture, matrix_number(z_row[0]), matrix_number(z_row[1]), matrix_number(z_row[2]),
               z_row[3], moved_tip.z);
    VIEW_FACTS(picture, view_distance(moved_tip, tip),
               md5_vec3_length(md5_mat34_translation(palette[shoulder])));
    free(joints);
}

// -- Linear and dual ------------------------------------------------------------------------

// Converts a transform to a dual quaternion. Its two parts are the rotation, and half of the
// translation times the rotation.
static md5_dual_quat dual_from_transform(md5_xform motion)
{
    const md5_vec3 t = motion.translation;
    const md5_quat half = {0.5f * t.x, 0.5f * t.y, 0.5f * t.z, 0.0f};
    return (md5_dual_quat){motion.rotation, md5_quat_mul(half, motion.rotation)};
}

// The lesson "dual" displays the following code, up to "End of the displayed code".

// A dual quaternion has two parts: "real" is the rotation, and "dual" is half of the translation
// times the rotation. A vertex moves by the weighted sum of its joints, which is normalized.
static md5_vec3 skin_dual(const md5_mesh *mesh, uint32_t vertex, const md5_dual_quat *joints)
{
    const md5_quat f = joints[mesh->influence_joints[mesh->first_influence[vertex]]].real;
    float q[8] = {0.0f}; // sum of both quaternions
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_quat r = joints[mesh->influence_joints[i]].real;
        const md5_quat d = joints[mesh->influence_joints[i]].dual;
        const float cosine = f.x * r.x + f.y * r.y + f.z * r.z + f.w * r.w;
        const float sign = cosine < 0.0f ? -1.0f : 1.0f; // the nearer of q and -q
        const float numbers[8] = {r.x, r.y, r.z, r.w, d.x, d.y, d.z, d.w};
        for (int k = 0; k < 8; k++)
            q[k] += sign * mesh->influences[i].w * numbers[k];
    }
    const md5_quat real = {q[0], q[1], q[2], q[3]};
    const md5_quat dual = {q[4], q[5], q[6], q[7]};
    const md5_quat t = md5_quat_mul(dual, md5_quat_conjugate(real));
    const float twice = 2.0f / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const md5_vec3 translation = {twice * t.x, twice * t.y, twice * t.z};
    const md5_quat rotation = md5_quat_normalize(real, joints[0].real);
    return md5_vec3_add(md5_quat_rotate(rotation, mesh->positions[vertex]), translation);
}

// End of the displayed code.

// Returns the distance of a point from the vertical axis through `axis`.
static double distance_from_axis(md5_vec3 point, md5_vec3 axis)
{
    return hypot((double)(point.x - axis.x), (double)(point.y - axis.y));
}

// Returns the sum of a vertex's weights of a joint and its descendants.
static float weight_below(const md5_model *model, const md5_mesh *mesh, uint32_t vertex,
                          uint32_t joint)
{
    float sum = 0;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        uint32_t ancestor = mesh->influence_joints[i];
        while (ancestor != MD5_NONE && ancestor != joint)
            ancestor = model->skeleton.joints[ancestor].parent;
        sum += ancestor != MD5_NONE ? mesh->influences[i].w : 0;
    }
    return sum;
}

// Returns the size of the waist of a mesh at a joint. The waist consists of the vertices of which
// the joint and its descendants have a weight between 0.25 and 0.75. The size is the sum of their
// distances from the vertical axis through the joint.
static double waist_size(const md5_model *model, const md5_mesh *mesh, uint32_t joint,
                         const md5_vec3 *positions)
{
    const md5_vec3 axis = md5_mat34_translation(model->bind[joint]);
    double sum = 0;
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const float weight = weight_below(model, mesh, vertex, joint);
        const bool is_in_waist = weight > 0.25f && weight < 0.75f;
        if (is_in_waist)
            sum += distance_from_axis(positions[vertex], axis);
    }
    return sum;
}

// A vertex, and the sum of its weights of the joints above the waist.
typedef struct waist_vertex {
    const md5_mesh *mesh; // NULL: not found
    uint32_t index;
    float weight;
} waist_vertex;

// Returns the vertex whose weights on both sides of a joint are closest to equal. Of several
// vertices it is the last, which is on the right side of the body, where the camera sees its line.
// The lesson also rotates `excluded` and its descendants, so vertices with weights of these are
// skipped.
static waist_vertex find_waist_vertex(const md5_model *model, uint32_t joint, uint32_t excluded)
{
    waist_vertex best = {.weight = INFINITY};
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
            const float weight = weight_below(model, mesh, vertex, joint);
            const bool is_closer = fabsf(weight - 0.5f) <= fabsf(best.weight - 0.5f);
            if (is_closer && weight_below(model, mesh, vertex, excluded) <= 0)
                best = (waist_vertex){mesh, vertex, weight};
        }
    }
    return best;
}

// Draws a line from the vertical axis through a joint to a position of a figure. Returns its
// length.
static double draw_axis_distance(view_picture *picture, const view_figure *figure, uint32_t joint,
                                 md5_vec3 position)
{
    md5_vec3 on_axis = md5_mat34_translation(picture->model->bind[joint]);
    on_axis.z = position.z;
    const md5_vec3 end = md5_xform_point(figure->placement, position);
    view_page_line(picture, md5_xform_point(figure->placement, on_axis), end, VIEW_YELLOW);
    view_page_cross(picture, end, 2, VIEW_YELLOW);
    return view_distance(on_axis, position);
}

// The bind pose and the two methods of skinning.
enum { BIND, LINEAR, DUAL, NUM_SKINNINGS };

// Measurements of the bind pose and of both methods, units.
typedef struct waist_comparison {
    double waists[NUM_SKINNINGS];    // sizes of the waist; see waist_size()
    double distances[NUM_SKINNINGS]; // distances of one vertex from the axis
    double max_distance;             // largest distance between the methods, of all vertices
} waist_comparison;

// Measures the distances of a vertex of the waist from the vertical axis through the joint `spine`,
// in the bind pose and with both methods. Draws the distances on both figures.
static void compare_vertex(view_picture *picture, uint32_t spine, md5_vec3 bind, md5_vec3 linear,
                           md5_vec3 dual, double distances[NUM_SKINNINGS])
{
    const md5_vec3 axis = md5_mat34_translation(picture->model->bind[spine]);
    distances[BIND] = distance_from_axis(bind, axis);
    distances[LINEAR] = draw_axis_distance(picture, &picture->figures[0], spine, linear);
    distances[DUAL] = draw_axis_distance(picture, &picture->figures[1], spine, dual);
}

// Skins a mesh with both methods, and adds its measurements to `compared`. `vertex` is the vertex
// of the waist whose distances are drawn; it may be in another mesh.
static void compare_mesh(view_picture *picture, const md5_mesh *mesh, uint32_t spine,
                         const md5_mat34 *palette, const md5_dual_quat *dual_palette,
                         const waist_vertex *vertex, waist_comparison *compared)
{
    const md5_model *const model = picture->model;
    md5_vec3 *const linear = common_alloc(2 * (size_t)mesh->num_vertices, sizeof *linear);
    md5_vec3 *const dual = linear + mesh->num_vertices;
    md5_skin(mesh, palette, linear, NULL, NULL);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        dual[i] = skin_dual(mesh, i, dual_palette);
        compared->max_distance = fmax(compared->max_distance, view_distance(linear[i], dual[i]));
    }

    if (mesh == vertex->mesh) {
        const uint32_t i = vertex->index;
        compare_vertex(picture, spine, mesh->positions[i], linear[i], dual[i], compared->distances);
    }
    compared->waists[BIND] += waist_size(model, mesh, spine, mesh->positions);
    compared->waists[LINEAR] += waist_size(model, mesh, spine, linear);
    compared->waists[DUAL] += waist_size(model, mesh, spine, dual);
    free(linear);
}

// Twists both figures at two joints about the vertical axis, by the angles of the sliders, degrees.
static void twist_figures(view_picture *picture, const char *const names[2], const float *angles)
{
    for (int joint = 0; joint < 2; joint++) {
        const md5_vec3 up = {0, 0, 1};
        const md5_quat rotation = md5_quat_from_axis_angle(up, view_radians(angles[joint]));
        for (int figure = 0; figure < 2; figure++)
            view_rotate_joint(picture, picture->figures[figure].pose, names[joint], rotation);
    }
}

// Adds the facts of the comparison, in percent of the bind pose. They are the size of the waist
// that theory predicts for linear skinning, and the measured distances and sizes of both methods.
static void add_waist_facts(view_picture *picture, const waist_comparison *compared,
                            float waist_angle, float vertex_weight)
{
    const double *const waists = compared->waists;
    const double *const distances = compared->distances;
    VIEW_FACTS(picture, 100 * fabs(cos((double)view_radians(0.5f * waist_angle))),
               100 * distances[LINEAR] / distances[BIND], 100 * distances[DUAL] / distances[BIND],
               vertex_weight);
    VIEW_FACTS(picture, 100 * waists[LINEAR] / waists[BIND], 100 * waists[DUAL] / waists[BIND],
               compared->max_distance);
}

// Twists the waist and the neck of two figures, which are skinned linearly and with dual
// quaternions. Compares the sizes of their waists.
VIEW_SHOW(dual)
{
    static const char *const names[2] = {"spine_2", "neck"};
    const uint32_t num_joints = picture->scene->num_joints;
    const md5_model *const model = picture->model;
    const uint32_t spine = view_page_joint(picture, names[0]);
    const uint32_t neck = view_page_joint(picture, names[1]);
    picture->figures[1].kind = VIEW_FIGURE_DUAL;
    twist_figures(picture, names, v);

    // Both figures have the same pose. Each method has its own palette of this pose.
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_dual_quat *const dual_palette = common_alloc(num_joints, sizeof *dual_palette);
    md5_local_to_palette(model, picture->figures[0].pose, NULL, palette);
    for (uint32_t i = 0; i < num_joints; i++)
        dual_palette[i] = dual_from_transform(md5_xform_from_mat34(palette[i]));

    waist_comparison compared = {.distances = {[BIND] = 1}};
    const waist_vertex vertex = find_waist_vertex(model, spine, neck);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        compare_mesh(picture, &model->meshes[m], spine, palette, dual_palette, &vertex, &compared);
    add_waist_facts(picture, &compared, v[0], vertex.weight);
    free(palette);
    free(dual_palette);
}

// -- Normals of a stretched body ------------------------------------------------------------

// The lesson "normals" displays the following code, up to "End of the displayed code".

// Transforms a normal by a matrix. If the matrix scales unequally, only the cofactors give a normal
// that is perpendicular to the surface.
static md5_vec3 carry_normal(md5_mat34 m, md5_vec3 n, bool by_cofactors)
{
    const md5_vec3 x = {m.m[0], m.m[4], m.m[8]};
    const md5_vec3 y = {m.m[1], m.m[5], m.m[9]};
    const md5_vec3 z = {m.m[2], m.m[6], m.m[10]};
    // Correct only for rotations and equal scales.
    if (!by_cofactors)
        return md5_mat34_direction(m, n);
    // The cofactors are the inverse transpose times the determinant, without a division.
    const md5_vec3 along_x = md5_vec3_scale(md5_vec3_cross(y, z), n.x);
    const md5_vec3 along_y = md5_vec3_scale(md5_vec3_cross(z, x), n.y);
    const md5_vec3 along_z = md5_vec3_scale(md5_vec3_cross(x, y), n.z);
    return md5_vec3_add(md5_vec3_add(along_x, along_y), along_z);
}

// End of the displayed code.

// Returns the angle between two directions, degrees. Unlike acos(), atan2() is exact for small
// angles.
static double angle_between(md5_vec3 a, md5_vec3 b)
{
    return atan2((double)md5_vec3_length(md5_vec3_cross(a, b)), (double)md5_vec3_dot(a, b))
           * 57.29577951308232;
}

// The methods that transform a normal, which are also the indices of their figures. One uses the
// matrix of the positions, the other its cofactors.
enum { METHOD_MATRIX, METHOD_COFACTORS, NUM_NORMAL_METHODS };

// Draws the normals of some vertices on the side of the figure that faces the camera.
static void draw_normals(view_picture *picture, int method, md5_mat34 stretch,
                         const md5_vec3 *positions, const md5_vec3 *normals, uint32_t count)
{
    enum { STRIDE = 24 };
    static const view_color colors[NUM_NORMAL_METHODS] = {VIEW_RED, VIEW_GREEN};
    const float length = 6;
    const md5_vec3 to_camera = {0.97f, 0.17f, 0.2f}; // direction of view_page_azimuth()
    const md5_xform *const placement = &picture->figures[method].placement;
    for (uint32_t k = 0; k < count; k += STRIDE) {
        const md5_vec3 correct_normal = carry_normal(stretch, normals[k], true);
        const bool faces_camera = md5_vec3_dot(correct_normal, to_camera) > 0;
        if (!faces_camera)
            continue;
        const md5_vec3 carried = carry_normal(stretch, normals[k], method == METHOD_COFACTORS);
        const md5_vec3 normal = md5_vec3_normalize(carried, normals[k]);
        const md5_vec3 from = md5_xform_point(*placement, md5_mat34_point(stretch, positions[k]));
        view_page_line(picture, from, view_along(from, normal, length), colors[method]);
    }
}

// Returns the maximum angle between two normals of a triangle: the transformed normal, and the
// normal of the transformed vertices. It would be 0 without errors.
static double largest_normal_error(const md5_mesh *mesh, const md5_vec3 *positions,
                                   md5_mat34 stretch, bool by_cofactors)
{
    double largest = 0;
    for (uint32_t k = 0; k < mesh->num_triangles; k++) {
        const uint32_t *const vertices = mesh->indices + 3 * (size_t)k;
        const md5_vec3 origin = positions[vertices[0]];
        const md5_vec3 a = md5_vec3_sub(positions[vertices[1]], origin);
        const md5_vec3 b = md5_vec3_sub(positions[vertices[2]], origin);
        const md5_vec3 true_normal =
            md5_vec3_cross(md5_mat34_direction(stretch, a), md5_mat34_direction(stretch, b));
        const md5_vec3 normal = carry_normal(stretch, md5_vec3_cross(a, b), by_cofactors);
        largest = fmax(largest, angle_between(true_normal, normal));
    }
    return largest;
}

// Skins a mesh and draws its normals on both figures. Sets the error of each method to the larger
// of its value and the largest error of this mesh.
static void compare_normals(view_picture *picture, const md5_mesh *mesh, const md5_mat34 *palette,
                            md5_mat34 stretch, double errors[NUM_NORMAL_METHODS])
{
    md5_vec3 *const positions = common_alloc(2 * (size_t)mesh->num_vertices, sizeof *positions);
    md5_vec3 *const normals = positions + mesh->num_vertices;
    md5_skin(mesh, palette, positions, normals, NULL);
    for (int method = 0; method < NUM_NORMAL_METHODS; method++) {
        draw_normals(picture, method, stretch, positions, normals, mesh->num_vertices);
        const double error =
            largest_normal_error(mesh, positions, stretch, method == METHOD_COFACTORS);
        errors[method] = fmax(errors[method], error);
    }
    free(positions);
}

// Stretches two figures by the same matrix. The matrix also transforms the normals of the first
// figure. The normals of the second figure are transformed by the cofactors of the matrix. Measures
// the errors of both methods.
VIEW_SHOW(normals)
{
    enum { SLIDER_WIDTH, SLIDER_HEIGHT, SLIDER_LEAN }; // in the order of pages.txt
    const float width = v[SLIDER_WIDTH];
    const float height = v[SLIDER_HEIGHT];
    const float lean = v[SLIDER_LEAN];
    const md5_mat34 stretch = {{1, 0, 0, 0, 0, width, lean, 0, 0, 0, height, 0}};
    double errors[NUM_NORMAL_METHODS] = {0, 0};
    md5_mat34 *const palette = common_alloc(picture->scene->num_joints, sizeof *palette);
    md5_local_to_palette(picture->model, picture->figures[0].pose, NULL, palette);
    for (uint32_t i = 0; i < picture->model->num_meshes; i++)
        compare_normals(picture, &picture->model->meshes[i], palette, stretch, errors);
    for (int method = 0; method < NUM_NORMAL_METHODS; method++) {
        picture->figures[method].shape = stretch;
        VIEW_FACTS(picture, errors[method]);
    }
    free(palette);
}

// -- Influences -----------------------------------------------------------------------------

// The lesson "influences" displays the following code, up to "End of the displayed code".

// Returns the weight of a joint at a vertex, or 0 if the joint does not move the vertex.
static float weight_of_joint(const md5_mesh *mesh, uint32_t vertex, uint32_t joint)
{
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        if (mesh->influence_joints[i] == joint)
            return mesh->influences[i].w;
    }
    return 0.0f;
}

// End of the displayed code.

// Returns the largest weight of a joint, of all vertices.
static float largest_weight(const md5_model *model, uint32_t joint)
{
    float largest = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        for (uint32_t k = 0; k < model->meshes[m].num_vertices; k++)
            largest = fmaxf(largest, weight_of_joint(&model->meshes[m], k, joint));
    }
    return largest;
}

// Labels the colors of the heat map, from red at the top to blue: weights or numbers of joints.
static void add_color_key(view_picture *picture, bool has_joint)
{
    static const view_color colors[] = {VIEW_RED, VIEW_YELLOW, VIEW_GREEN, 0x1FAEDDFFu, VIEW_BLUE};
    static const char *const weights[] = {"weight 1", "0.75", "0.5", "0.25", "near 0"};
    static const char *const numbers[] = {"4 joints or more", "3", "2", "1 joint", NULL};
    const char *const *const texts = has_joint ? weights : numbers;
    for (int i = 0; i < (int)COMMON_LENGTH(colors); i++) {
        if (texts[i] != NULL)
            view_add_label(picture, (md5_vec3){0, -62, 54 - 8 * (float)i}, colors[i], texts[i]);
    }
}

// Colors the second figure by the weights of the selected joint. The first choice selects no joint:
// the colors then show how many joints influence each vertex.
VIEW_SHOW(influences)
{
    (void)v;
    enum { CHOICE_JOINT, CHOICE_DANCES }; // in the order of pages.txt
    const bool has_joint = view_choice(picture, CHOICE_JOINT) > 0;
    const bool dances = view_choice(picture, CHOICE_DANCES) == 1;
    const uint32_t joint = view_page_joint(picture, view_word(picture, CHOICE_JOINT));
    picture->heat_joint = has_joint ? (int32_t)joint : -1;
    picture->figures[1].kind = VIEW_FIGURE_HEAT;
    for (int i = 0; i < 2; i++) {
        const view_figure *const figure = &picture->figures[i];
        if (dances)
            view_sample_clip(picture, "dance", picture->time, figure->pose);
        if (has_joint)
            view_page_cross(picture, view_joint_position(picture, figure, joint), 2, VIEW_RED);
    }

    add_color_key(picture, has_joint);
    const view_heatmap_stats stats = view_measure_heat(picture->model, picture->heat_joint);
    if (has_joint) {
        view_add_fact(picture, "largest weight", largest_weight(picture->model, joint), "");
        view_add_fact(picture, "vertices that it moves", stats.num_vertices, "");
    } else {
        view_add_fact(picture, "most joints of a vertex", stats.max_value, "");
        view_add_fact(picture, "vertices with 5+ joints", stats.num_vertices, "");
    }
}
