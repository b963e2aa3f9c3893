// Defects of normals and tangents, counted in a square of two triangles.
#include "test/viewer/test_view_case.h"

enum { CORNERS = 4, INDICES = 6 };

// A square in the plane z = 0, seen from above: u grows along x and v against y, as in an image.
typedef struct square {
    md5_mesh mesh;
    md5_vec3 positions[CORNERS], normals[CORNERS];
    md5_vec2 texcoords[CORNERS];
    md5_vec4 tangents[CORNERS];
    uint32_t indices[INDICES];
} square;

static void make_square(square *s)
{
    static const uint32_t indices[INDICES] = {0, 1, 2, 0, 2, 3}; // clockwise from above
    memset(s, 0, sizeof *s);
    for (int i = 0; i < CORNERS; i++) {
        const float x = i == 1 || i == 2 ? 1.0f : 0.0f;
        const float y = i >= 2 ? 1.0f : 0.0f;
        s->positions[i] = (md5_vec3){x, -y, 0};
        s->texcoords[i] = (md5_vec2){x, y};
        s->normals[i] = (md5_vec3){0, 0, 1};
        // The bitangent is w * cross(N, T). cross(N, T) is +y, and v grows along -y, so w is -1.
        s->tangents[i] = (md5_vec4){1, 0, 0, -1};
    }
    memcpy(s->indices, indices, sizeof indices);
    s->mesh = (md5_mesh){.name = "",
                         .shader = "",
                         .num_vertices = CORNERS,
                         .num_triangles = INDICES / 3,
                         .indices = s->indices,
                         .texcoords = s->texcoords,
                         .positions = s->positions,
                         .normals = s->normals,
                         .tangents = s->tangents};
}

static bool are_faults(const view_mesh_defects *a, uint32_t num_short, uint32_t num_skewed,
                       uint32_t num_flipped, uint32_t num_mirrored, uint32_t num_flat)
{
    const view_mesh_defects b = {{num_short, num_skewed, num_flipped, num_mirrored, num_flat}};
    return memcmp(a, &b, sizeof b) == 0;
}

TEST (view_faults_are_counted_by_kind) {
    bool marks[CORNERS];
    square s;
    make_square(&s);
    view_mesh_defects faults = view_find_defects(&s.mesh, NULL, marks);
    CHECK(are_faults(&faults, 0, 0, 0, 0, 0));
    CHECK(!marks[0] && !marks[1]);
    CHECK(!marks[2] && !marks[3]);

    s.normals[1] = (md5_vec3){0, 0, 0}; // affects only the first triangle
    faults = view_find_defects(&s.mesh, NULL, marks);
    CHECK(are_faults(&faults, 1, 0, 0, 0, 0));
    CHECK(!marks[0] && marks[1]);
    CHECK(!marks[2] && !marks[3]);
    s.normals[1] = (md5_vec3){0, 0, (float)NAN};
    faults = view_find_defects(&s.mesh, NULL, NULL);
    CHECK_UINT(faults.counts[VIEW_FAULT_SHORT], 1);

    make_square(&s);
    s.normals[3] = (md5_vec3){0, 0, -1}; // affects only the second triangle
    faults = view_find_defects(&s.mesh, NULL, marks);
    CHECK(are_faults(&faults, 0, 0, 1, 0, 0));
    CHECK(marks[3] && !marks[1]);

    make_square(&s);
    s.tangents[0] = (md5_vec4){0.6f, 0, 0.8f, -1}; // leans out of the surface
    faults = view_find_defects(&s.mesh, NULL, marks);
    CHECK(are_faults(&faults, 0, 1, 0, 0, 0));
    CHECK(marks[0]);

    make_square(&s);
    s.tangents[2].w = 1.0f; // affects both triangles
    faults = view_find_defects(&s.mesh, NULL, marks);
    CHECK(are_faults(&faults, 0, 0, 0, 2, 0));
    CHECK(marks[2] && !marks[0]);

    make_square(&s);
    s.positions[3] = s.positions[2];
    // This vertex is not part of a triangle with an area, so its normal cannot face away from a
    // triangle.
    s.normals[3] = (md5_vec3){0, 0, -1};
    faults = view_find_defects(&s.mesh, NULL, NULL);
    CHECK(are_faults(&faults, 0, 0, 0, 0, 1));
    CHECK_UINT(view_count_defects(&faults), 0);
}

// With the opposite vertex order a triangle faces down, unless the axes are left-handed.
TEST (view_faults_detect_the_outer_side) {
    square s;
    make_square(&s);
    for (int i = 0; i < INDICES; i += 3) {
        const uint32_t swapped = s.indices[i];
        s.indices[i] = s.indices[i + 1];
        s.indices[i + 1] = swapped;
    }
    view_mesh_defects faults = view_find_defects(&s.mesh, NULL, NULL);
    CHECK_UINT(faults.counts[VIEW_FAULT_FLIPPED], 2);
    s.mesh.is_mirrored = true;
    faults = view_find_defects(&s.mesh, NULL, NULL);
    CHECK(are_faults(&faults, 0, 0, 0, 0, 0));
    s.mesh.tangents = NULL; // without tangents no defects of tangents are counted
    s.normals[0].z = -1.0f;
    faults = view_find_defects(&s.mesh, NULL, NULL);
    CHECK(are_faults(&faults, 0, 0, 2, 0, 0));
}

TEST (view_faults_are_named) {
    char text[192];
    view_mesh_defects faults = {{0}};
    view_describe_defects(&faults, text, sizeof text);
    CHECK_STRING(text, "none");
    const view_mesh_defects a = {{[VIEW_FAULT_SHORT] = 1, [VIEW_FAULT_FLAT] = 4}};
    const view_mesh_defects b = {{[VIEW_FAULT_FLIPPED] = 2, [VIEW_FAULT_FLAT] = 1}};
    faults = view_add_defects(a, b);
    view_describe_defects(&faults, text, sizeof text);
    CHECK_STRING(
        text, "1 normals or tangents not normalized, 2 triangles facing away from a vertex normal, "
              "5 degenerate triangles");
    CHECK_UINT(view_count_defects(&faults), 3);
    view_describe_defects(&faults, text, 8);
    CHECK_STRING(text, "1 norma");
}

// In the bind pose the three lines of a vertex are perpendicular.
TEST (view_tangents_are_drawn_at_the_surface) {
    view_document document = {.ground = 0};
    view_scene *const scene = &document.scene;
    view_lines lines = {0};
    view_log log = quiet_log;
    const char *const file = test_path("models/bobbin/bobbin.md5mesh");
    if (CHECK(view_load_scene(scene, &file, 1, NULL, false, &log))) {
        const view_play play = {.speed = 1};
        const view_shown tangents = {.tangents = true};
        const view_shown normals = {.normals = true};
        // With a scene radius of 25, the lines of the vertices are half a unit long.
        const view_camera camera = {.scene_radius = 25};
        const view_camera nearer = {.scene_radius = 20};
        view_stage stage = {
            .document = &document, .camera = &camera, .shown = &tangents, .lines = &lines};
        view_pose(scene, &play);
        view_add_overlays(&stage, false);
        stage.shown = &normals;
        stage.camera = &nearer;
        view_add_overlays(&stage, false);
        const uint32_t count = scene->model->meshes[0].num_vertices;
        const uint32_t all = view_count_vertices(scene->model);
        CHECK_UINT(lines.count, 6 * (size_t)all);
        for (uint32_t v = 0; v < count; v++) {
            const md5gl_line_vertex *const u = lines.vertices + 4 * (size_t)v;
            const md5gl_line_vertex *const n = lines.vertices + 4 * (size_t)all + 2 * (size_t)v;
            const md5_vec3 at = scene->skinned[0].positions[v];
            const md5_vec3 along_u = md5_vec3_sub(u[1].position, at);
            const md5_vec3 along_v = md5_vec3_sub(u[3].position, at);
            const md5_vec3 out = md5_vec3_sub(n[1].position, at);
            const double values[] = {md5_vec3_dot(along_u, along_v), md5_vec3_dot(along_u, out),
                                     md5_vec3_dot(along_v, out), md5_vec3_length(along_u) - 0.5,
                                     md5_vec3_length(along_v) - 0.5};
            for (size_t i = 0; i < COUNT_OF(values); i++)
                CHECK_SMALL(values[i], 1e-3);
        }
        view_free_lines(&lines);
    }
    view_free_scene(scene);
}

// A square whose normals and tangents are correct in the bind pose, and wrong in other poses.
TEST (view_faults_are_counted_in_a_pose) {
    bool marks[CORNERS];
    square s, posed;
    make_square(&s);
    make_square(&posed);
    const view_directed pose = {posed.positions, posed.normals, posed.tangents, 0};
    view_directed lax = pose;
    lax.max_skew = 0.1f;
    posed.normals[1].z = -1.0f; // both triangles have vertices 0 and 2, one has vertex 1
    view_mesh_defects faults = view_find_defects(&s.mesh, &pose, marks);
    CHECK(are_faults(&faults, 0, 0, 1, 0, 0) && marks[1] && !marks[3]);
    posed.normals[1].z = 1.0f;
    posed.tangents[2] = (md5_vec4){sqrtf(1.0f - 0.0025f), 0, 0.05f, -1};
    faults = view_find_defects(&s.mesh, &pose, marks);
    CHECK(are_faults(&faults, 0, 1, 0, 0, 0) && marks[2]);
    faults = view_find_defects(&s.mesh, &lax, marks);
    CHECK(are_faults(&faults, 0, 0, 0, 0, 0));
    posed.positions[1].x = -2.0f; // flips its triangle
    faults = view_find_defects(&s.mesh, &lax, NULL);
    CHECK(faults.counts[VIEW_FAULT_FLIPPED] == 1);
    faults = view_find_defects(&s.mesh, NULL, NULL);
    CHECK_UINT(view_count_defects(&faults), 0);
}

TEST (view_faults_of_a_clip_come_from_its_worst_frame) {
    view_scene scene = {0};
    view_log log = quiet_log;
    const char *const files[] = {test_path("models/bobbin/bobbin.md5mesh")};
    if (CHECK(view_load_scene(&scene, files, 1, NULL, false, &log))
        && CHECK(view_add_clip(&scene, test_path("models/bobbin/run.md5anim"), &log))) {
        view_play play = {.speed = 1};
        const md5_anim *const anim = scene.clips[0].anim;
        const view_clip_faults all = view_find_clip_faults(&scene);
        uint32_t max_count = 0;
        uint32_t num_faulty = 0;
        CHECK_UINT(all.num_frames, anim->num_frames);
        for (uint32_t i = 0; i + 1 < anim->num_frames; i++) { // the last frame equals the first
            play.time = i / anim->frame_rate;
            view_pose(&scene, &play);
            const view_mesh_defects faults = view_find_pose_faults(&scene, NULL);
            const uint32_t count = view_count_defects(&faults);
            max_count = count > max_count ? count : max_count;
            num_faulty += count > 0;
        }
        CHECK(max_count > 0 && view_count_defects(&all.worst) == max_count);
        CHECK(all.num_faulty >= num_faulty && all.num_faulty <= num_faulty + 1);
        view_show_bind_pose(&scene, true, NULL);
        view_pose(&scene, &play);
        const view_mesh_defects posed = view_find_pose_faults(&scene, NULL);
        view_mesh_defects bind = {{0}};
        for (uint32_t i = 0; i < scene.model->num_meshes; i++) {
            const md5_mesh *const mesh = &scene.model->meshes[i];
            bind = view_add_defects(bind, view_find_defects(mesh, NULL, NULL));
        }
        CHECK_UINT(view_count_defects(&posed), view_count_defects(&bind));
    }
    view_free_scene(&scene);
}
