// Contacts of one box with triangles: touching features, and the directions out of the surface.
#include "test/ragdoll/ragdoll_case.h"

#include "md5/ragdoll/ragdoll.h"

enum { MAX_FACES = 160 };

// The ground: a function that returns all triangles, independent of the position of the body.
typedef struct contact_ground {
    uint32_t num_triangles;
    md5_vec3 triangles[MAX_FACES][3];
} contact_ground;

static uint32_t all_triangles(void *user, md5_bounds box, md5_vec3 (*corners)[3], uint32_t capacity)
{
    const contact_ground *const ground = user;
    const uint32_t count = ground->num_triangles < capacity ? ground->num_triangles : capacity;
    (void)box;
    memcpy(corners, ground->triangles, count * sizeof *corners);
    return ground->num_triangles;
}

static void add_triangle(contact_ground *ground, md5_vec3 a, md5_vec3 b, md5_vec3 c)
{
    md5_vec3 *const triangle = ground->triangles[ground->num_triangles++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

// A rectangle, clockwise as seen from its outer side.
static void add_rectangle(contact_ground *ground, md5_vec3 a, md5_vec3 b, md5_vec3 c, md5_vec3 d)
{
    add_triangle(ground, a, b, c);
    add_triangle(ground, a, c, d);
}

// A stair: a tread at z = 0 up to x = 0, a riser 12 high, and the next tread at z = -12.
static void add_stair(contact_ground *ground)
{
    add_rectangle(ground, (md5_vec3){-100, -100, 0}, (md5_vec3){-100, 100, 0},
                  (md5_vec3){0, 100, 0}, (md5_vec3){0, -100, 0});
    add_rectangle(ground, (md5_vec3){0, -100, 0}, (md5_vec3){0, 100, 0}, (md5_vec3){0, 100, -12},
                  (md5_vec3){0, -100, -12});
    add_rectangle(ground, (md5_vec3){0, -100, -12}, (md5_vec3){0, 100, -12},
                  (md5_vec3){100, 100, -12}, (md5_vec3){100, -100, -12});
}

typedef struct contact_case {
    ragdoll_case figure;
    contact_ground ground;
    md5_ragdoll *ragdoll;
} contact_case;

static bool open_contacts(contact_case *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    if (!open_case(&fixture->figure, "",
                   "body \"a\" { joint \"origin\" model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) }"))
        return false;
    const md5_ragdoll_desc desc = {
        .figure = fixture->figure.figure,
        .ground = {.triangles = all_triangles, .user = &fixture->ground}};
    fixture->ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
    return CHECK(fixture->ragdoll);
}

static void close_contacts(contact_case *fixture)
{
    md5_destroy_ragdoll(fixture->ragdoll);
    close_case(&fixture->figure);
}

#define TEST_CONTACTS(title) \
    TEST_IF (title, contact_case, fixture, open_contacts(fixture), close_contacts(fixture))

// Places the center of the box and finds its contacts.
static const ragdoll_node *box_contacts(contact_case *fixture, md5_vec3 center, md5_euler rotation)
{
    const md5_body_state body = {
        .transform = {.rotation = md5_quat_from_euler(rotation), .translation = center}};
    md5_ragdoll_start(fixture->ragdoll, &body);
    md5i_find_ragdoll_contacts(fixture->ragdoll);
    return fixture->ragdoll->nodes;
}

static double contact_gap(const ragdoll_node *node, uint32_t index)
{
    const ragdoll_contact *const contact = &node->contacts[index];
    return md5_vec3d_dot(contact->normal, md5_transform_point(&node->transform, contact->position))
           - contact->level;
}

// Checks that there are at least `count` contacts, none if it is 0, their normal, and the gap of
// the deepest one.
static void check_contacts(const ragdoll_node *node, uint32_t count, md5_vec3d normal, double gap)
{
    double deepest = INFINITY;
    CHECK_THAT(node->num_contacts >= count && (count > 0) == (node->num_contacts > 0),
               "%u contacts, expected %u", node->num_contacts, count);
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const md5_vec3d found = node->contacts[i].normal;
        CHECK_THAT(md5_vec3d_dot(found, normal) > 0.999, "contact %u: normal %.3f %.3f %.3f", i,
                   found.x, found.y, found.z);
        deepest = fmin(deepest, contact_gap(node, i));
    }
    if (count > 0)
        CHECK_NEAR(deepest, gap, 1e-4);
}

static const md5_euler upright = {0};
static const md5_vec3d up = {0, 0, 1};
static const md5_vec3d forward = {1, 0, 0};

TEST_CONTACTS(contacts_of_a_box_on_a_tread_point_up)
{
    add_stair(&fixture->ground);
    check_contacts(box_contacts(fixture, (md5_vec3){-20, 0, 4.75f}, upright), 4, up, -0.25);
    check_contacts(box_contacts(fixture, (md5_vec3){-20, 0, 5.5f}, upright), 4, up, 0.5);
    check_contacts(box_contacts(fixture, (md5_vec3){-20, 0, 8}, upright), 0, up, 0.0);
}

// Half of the box is over the edge: the ridge holds it where its edges cross.
TEST_CONTACTS(contacts_of_a_box_over_a_ridge_point_up)
{
    add_stair(&fixture->ground);
    check_contacts(box_contacts(fixture, (md5_vec3){1, 0, 4.9f}, upright), 4, up, -0.1);
}

// Boxes that lie nearly flat over the edge, in any direction: all contacts hold them up, and none
// is deeper than the box is in the ground.
TEST_CONTACTS(contacts_of_boxes_over_a_ridge_never_point_into_the_ground)
{
    uint64_t random = 5;
    add_stair(&fixture->ground);
    for (int i = 0; i < 300; i++) {
        const md5_euler rotation = {.pitch = test_betweenf(-1.0f, 1.0f, &random),
                                    .yaw = test_betweenf(0.0f, 360.0f, &random),
                                    .roll = test_betweenf(-1.0f, 1.0f, &random)};
        const md5_vec3 center = {test_betweenf(-4.0f, 3.0f, &random), 0.0f, 5.0f};
        const ragdoll_node *const node = box_contacts(fixture, center, rotation);
        CHECK(node->num_contacts > 1);
        for (uint32_t k = 0; k < node->num_contacts; k++) {
            const md5_vec3d normal = node->contacts[k].normal;
            const double gap = contact_gap(node, k);
            CHECK_THAT(gap > -0.3, "box %d: gap %.3f", i, gap);
            CHECK_THAT(normal.z > 0.99 || (normal.x > 0.99 && gap > -0.1),
                       "box %d: normal %.3f %.3f %.3f, gap %.3f", i, normal.x, normal.y, normal.z,
                       gap);
        }
    }
}

// A box next to the stair is 6 units below the tread, but only 0.3 units inside the riser.
// Therefore the contacts push it out of the riser.
TEST_CONTACTS(contacts_of_a_box_at_a_riser_point_forward)
{
    add_stair(&fixture->ground);
    check_contacts(box_contacts(fixture, (md5_vec3){4.7f, 0, -0.5f}, upright), 4, forward, -0.3);
    check_contacts(box_contacts(fixture, (md5_vec3){4.99f, 0, -0.5f}, upright), 4, forward, -0.01);
    check_contacts(box_contacts(fixture, (md5_vec3){5.25f, 0, -0.5f}, upright), 4, forward, 0.25);
}

// Here the way up is shorter than the way to the side.
TEST_CONTACTS(contacts_of_a_box_in_the_edge_of_a_stair_take_the_shorter_way)
{
    add_stair(&fixture->ground);
    check_contacts(box_contacts(fixture, (md5_vec3){3, 0, 4.7f}, upright), 4, up, -0.3);
    check_contacts(box_contacts(fixture, (md5_vec3){4.7f, 0, 3}, upright), 4, forward, -0.3);
}

// An edge of a box across a ridge: the normal is perpendicular to both.
TEST_CONTACTS(contacts_of_edges_are_perpendicular_to_both)
{
    add_stair(&fixture->ground);
    // Rotated by 45 degrees about y and about z: no face is parallel to the ridge.
    const md5_euler rotation = {.pitch = 45, .yaw = 45};
    const ragdoll_node *const node = box_contacts(fixture, (md5_vec3){4.2f, 0, 4.2f}, rotation);
    REQUIRE(CHECK(node->num_contacts > 0));
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const md5_vec3d normal = node->contacts[i].normal;
        CHECK_SMALL(normal.y, 1e-6);
        CHECK_THAT(normal.x > -0.02 && normal.z > -0.02, "%g %g", normal.x, normal.z);
        CHECK_THAT(contact_gap(node, i) > -8.0, "%g", contact_gap(node, i));
    }
}

// The box is below the tread and behind the riser: the planes of both sides of a valley act.
TEST_CONTACTS(contacts_in_a_valley_point_out_of_both_sides)
{
    add_stair(&fixture->ground);
    const ragdoll_node *const node = box_contacts(fixture, (md5_vec3){4.95f, 0, -7.05f}, upright);
    double gaps[2] = {INFINITY, INFINITY};
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const md5_vec3d normal = node->contacts[i].normal;
        const bool is_up = normal.z > 0.999;
        CHECK(is_up || normal.x > 0.999);
        gaps[is_up] = fmin(gaps[is_up], contact_gap(node, i));
    }
    CHECK_NEAR(gaps[0], -0.05, 1e-4);
    CHECK_NEAR(gaps[1], -0.05, 1e-4);
}

// Tiles whose edges are inside of a flat floor, also where they do not share vertices.
TEST_CONTACTS(contacts_with_flat_tiles_point_up)
{
    for (int i = -2; i < 2; i++) {
        for (int k = -2; k < 2; k++) {
            const float x = 8.0f * (float)i;
            const float y = 8.0f * (float)k + (i < 0 ? 3.0f : 0.0f);
            add_rectangle(&fixture->ground, (md5_vec3){x, y, 0}, (md5_vec3){x, y + 8, 0},
                          (md5_vec3){x + 8, y + 8, 0}, (md5_vec3){x + 8, y, 0});
        }
    }
    check_contacts(box_contacts(fixture, (md5_vec3){0.5f, 0.25f, 4.9f}, upright), 4, up, -0.1);
    check_contacts(box_contacts(fixture, (md5_vec3){0.5f, 0.25f, 4.5f}, (md5_euler){.yaw = 30}), 4,
                   up, -0.5);
}

// The peak is in the middle of a face of the box.
TEST_CONTACTS(contacts_of_a_face_with_a_peak_have_the_normal_of_the_face)
{
    const md5_vec3 peak = {0, 0, 0};
    const md5_vec3 a = {-3, -3, -3};
    const md5_vec3 b = {-3, 3, -3};
    const md5_vec3 c = {3, 3, -3};
    const md5_vec3 d = {3, -3, -3};
    add_triangle(&fixture->ground, a, b, peak);
    add_triangle(&fixture->ground, b, c, peak);
    add_triangle(&fixture->ground, c, d, peak);
    add_triangle(&fixture->ground, d, a, peak);
    check_contacts(box_contacts(fixture, (md5_vec3){1, 2, 4.9f}, upright), 1, up, -0.1);
    check_contacts(box_contacts(fixture, (md5_vec3){1, 2, 5.5f}, upright), 1, up, 0.5);
    check_contacts(box_contacts(fixture, (md5_vec3){20, 2, 4.9f}, upright), 0, up, 0.0);
}

// A bridge is solid from above only. It does not act on a box below it, nor on a box next to it
// that extends above its level.
TEST_CONTACTS(contacts_with_a_bridge_are_on_its_outer_side)
{
    add_rectangle(&fixture->ground, (md5_vec3){-100, -100, 0}, (md5_vec3){-100, 100, 0},
                  (md5_vec3){0, 100, 0}, (md5_vec3){0, -100, 0});
    check_contacts(box_contacts(fixture, (md5_vec3){-20, 0, -5.5f}, upright), 0, up, 0.0);
    check_contacts(box_contacts(fixture, (md5_vec3){-20, 0, 4.5f}, upright), 4, up, -0.5);
    // One corner is 3.5 units below the bridge, and another corner is above the level of the
    // bridge. Both are beyond the edge of the bridge.
    const md5_euler tilted = {.pitch = 45};
    const ragdoll_node *const node = box_contacts(fixture, (md5_vec3){3.6f, 0, -5.8f}, tilted);
    for (uint32_t i = 0; i < node->num_contacts; i++)
        CHECK_THAT(contact_gap(node, i) > -0.5, "%g", contact_gap(node, i));
}

// The ground has one triangle more than the maximum that is read; the last triangle has no effect.
TEST_CONTACTS(contacts_use_a_limited_number_of_triangles)
{
    enum { MAX_READ = 64 };
    const md5_vec3 far_away = {900, 0, 0};
    for (uint32_t extra = 0; extra < 2; extra++) {
        fixture->ground.num_triangles = 0;
        for (uint32_t i = 0; i < MAX_READ - 1 + extra; i++)
            add_triangle(&fixture->ground, far_away, (md5_vec3){900, 1, 0}, (md5_vec3){901, 1, 0});
        add_triangle(&fixture->ground, (md5_vec3){-100, -100, 0}, (md5_vec3){-100, 100, 0},
                     (md5_vec3){100, 0, 0});
        check_contacts(box_contacts(fixture, (md5_vec3){0, 0, 4.9f}, upright), extra ? 0 : 4, up,
                       -0.1);
    }
}

// Triangles without area or with numbers that are not finite are skipped.
TEST_CONTACTS(contacts_skip_triangles_without_area)
{
    const float numbers[] = {NAN, INFINITY, -INFINITY, 3e38f};
    add_triangle(&fixture->ground, (md5_vec3){0, 0, 0}, (md5_vec3){1, 0, 0}, (md5_vec3){2, 0, 0});
    add_triangle(&fixture->ground, (md5_vec3){0, 0, 0}, (md5_vec3){0, 0, 0}, (md5_vec3){2, 0, 0});
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        add_triangle(&fixture->ground, (md5_vec3){numbers[i], 0, 0}, (md5_vec3){0, 100, 0},
                     (md5_vec3){100, 0, 0});
    add_stair(&fixture->ground);
    check_contacts(box_contacts(fixture, (md5_vec3){-20, 0, 4.75f}, upright), 4, up, -0.25);
}

// == Limits of figures ============================================================================

// Cylinders have 3 to 10 sides, cones 3 to 15; a hull has at most 20 vertices.
TEST (hulls_have_limits_of_sides) {
    static const struct {
        const char *shape;
        uint32_t sides;
        uint32_t num_vertices;
    } rows[] = {
        {"cylinder", 2, 6},   {"cylinder", 3, 6}, {"cylinder", 4, 8}, {"cylinder", 10, 20},
        {"cylinder", 11, 20}, {"cone", 2, 4},     {"cone", 3, 4},     {"cone", 4, 5},
        {"cone", 15, 16},     {"cone", 16, 16},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_text text = {0};
        ragdoll_case fixture;
        test_append(&text,
                    "body \"a\" { joint \"origin\" model %s( ( -5, -5, -5 ), ( 5, 5, 5 ), %u ) }",
                    rows[i].shape, rows[i].sides);
        if (open_case(&fixture, "", text.bytes)) {
            CHECK_THAT(fixture.figure->bodies[0].num_vertices == rows[i].num_vertices,
                       "%s of %u: %u", rows[i].shape, rows[i].sides,
                       fixture.figure->bodies[0].num_vertices);
            const md5_ragdoll_desc desc = {.figure = fixture.figure,
                                           .ground = {.plane_normal = {0, 0, 1}}};
            md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
            const md5_body_state body = {
                .transform = {.rotation = {0.3f, 0.2f, 0.1f, 0.9f}, .translation = {0, 0, 20}}};
            md5_ragdoll_start(ragdoll, &body);
            md5_ragdoll_advance(ragdoll, 3.0);
            CHECK(md5_ragdoll_is_at_rest(ragdoll));
            CHECK(md5_ragdoll_state(ragdoll).max_penetration < 0.1f);
            md5_destroy_ragdoll(ragdoll);
        }
        close_case(&fixture);
        free(text.bytes);
    }
}

// The last keyword applies: "none" removes the keywords before it.
TEST (bodies_fall_through_the_ground_if_their_mask_ends_with_none) {
    static const struct {
        const char *mask;
        bool is_solid;
    } rows[] = {
        {"solid", true},
        {"none", false},
        {"solid, none", false},
        {"none, solid", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_text text = {0};
        ragdoll_case fixture;
        test_append(&text,
                    "body \"a\" { joint \"origin\" model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) "
                    "clipMask %s }",
                    rows[i].mask);
        if (open_case(&fixture, "", text.bytes)) {
            const md5_ragdoll_desc desc = {.figure = fixture.figure,
                                           .ground = {.plane_normal = {0, 0, 1}}};
            md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
            md5_ragdoll_wake(ragdoll);
            md5_ragdoll_advance(ragdoll, 1.5);
            const float height = md5_ragdoll_bodies(ragdoll)->transform.translation.z;
            CHECK_THAT((height > 0.0f) == rows[i].is_solid, "%s: %g", rows[i].mask, (double)height);
            md5_destroy_ragdoll(ragdoll);
        }
        close_case(&fixture);
        free(text.bytes);
    }
}
