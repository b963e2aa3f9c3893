// Alternative displays of a surface: colors by weights, a grid of texture coordinates, and defects
// of normals and tangents.
#include "demo/viewer/assets/surfaces.h"

#include "demo/common/memory.h"

// Returns the color of a heat map for a value from 0 to 1. Interpolates linearly between five
// colors: dark blue, blue, green, yellow and red. The value 0 itself is dark gray.
md5_vec4 view_heat_color(float value)
{
    enum { LAST_INTERVAL = 3 }; // between the last two of the five stops
    static const md5_vec4 stops[LAST_INTERVAL + 2] = {{0.02f, 0.06f, 0.55f, 1},
                                                      {0.01f, 0.40f, 0.72f, 1},
                                                      {0.06f, 0.58f, 0.08f, 1},
                                                      {0.91f, 0.64f, 0.04f, 1},
                                                      {0.83f, 0.04f, 0.02f, 1}};
    const md5_vec4 gray = {0.12f, 0.13f, 0.15f, 1};
    if (!(value > 0)) // also NaN
        return gray;
    const float position = 4 * (value < 1 ? value : 1); // from 0, the first stop, to 4, the last
    int interval = 0;
    while (interval < LAST_INTERVAL && position >= (float)(interval + 1))
        interval++;
    const float part = position - (float)interval; // position within the interval, 0 to 1
    const md5_vec4 a = stops[interval];
    const md5_vec4 b = stops[interval + 1];
    return (md5_vec4){a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part,
                      1};
}

// Returns the value that the heat map shows at a vertex. This is the weight of a joint. If `joint`
// is -1, it is the number of joints that influence the vertex.
float view_joint_weight(const md5_mesh *mesh, uint32_t vertex, int32_t joint)
{
    const uint32_t begin = mesh->first_influence[vertex];
    const uint32_t end = mesh->first_influence[vertex + 1];
    if (joint < 0) // the number of influences
        return (float)(end - begin);
    for (uint32_t i = begin; i < end; i++) {
        if ((int32_t)mesh->influence_joints[i] == joint)
            return mesh->influences[i].w;
    }
    return 0;
}

// Returns true if the colored copy of a model exists and is up to date. It must show the requested
// values or joint. It must have morph targets if the model has them.
static bool is_prepared(const view_heat *heat, const md5_morph *morph, const float *values,
                        int32_t joint)
{
    if (heat->drawn == NULL || heat->joint != joint || heat->values != values)
        return false;
    return heat->drawn_morph != NULL || morph == NULL;
}

// Writes the colors of all vertices of the model. A color shows the vertex's element of `values`.
// If `values` is NULL, it shows the weight of a joint. For joint -1, it shows the number of
// influences.
static void write_heat_colors(view_heat *heat, const md5_model *model, const float *values,
                              int32_t joint)
{
    const float max_value = joint >= 0 ? 1 : 4; // weight, or number of influences
    size_t first = 0;                           // index of the mesh's first vertex in the model
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        md5_vec4 *const colors = heat->colors + first;
        heat->meshes[i] = *mesh;
        heat->meshes[i].colors = colors;
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            float value;
            if (values != NULL)
                value = values[first + v];
            else
                value = view_joint_weight(mesh, v, joint) / max_value;
            colors[v] = view_heat_color(value);
        }
        first += mesh->num_vertices;
    }
}

// Creates heat->model, a copy whose meshes have vertex colors. It shares all other arrays with the
// model.
static void create_heat_model(view_heat *heat, const md5_model *model)
{
    size_t num_vertices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        num_vertices += model->meshes[i].num_vertices;
    heat->model = common_alloc(1, sizeof *heat->model);
    heat->meshes = common_alloc(model->num_meshes, sizeof *heat->meshes);
    heat->colors = common_alloc(num_vertices, sizeof *heat->colors);
    *heat->model = *model;
    heat->model->meshes = heat->meshes;
    write_heat_colors(heat, model, heat->values, heat->joint);
}

// Creates a copy of the model whose vertex colors show weights, unless the copy is already
// valid. Returns false and fills `error` on failure.
bool view_prepare_heat(view_heat *heat, md5gl_renderer *renderer, const md5_model *model,
                       const md5_morph *morph, const float *values, int32_t joint, md5_error *error)
{
    if (is_prepared(heat, morph, values, joint))
        return true;
    view_free_heat(heat, renderer);
    heat->values = values;
    heat->joint = joint;
    create_heat_model(heat, model);

    heat->drawn = md5gl_create_model(renderer, heat->model, MD5GL_PATH_AUTO, error);
    if (heat->drawn == NULL)
        return false;
    if (morph == NULL)
        return true;
    heat->morph = *morph;
    heat->morph.model = heat->model;
    heat->drawn_morph = md5gl_create_morph(renderer, &heat->morph, error);
    return heat->drawn_morph != NULL;
}

// Frees the colored copy of the model and its objects on the GPU. The arrays that the copy
// shares with the model remain.
void view_free_heat(view_heat *heat, md5gl_renderer *renderer)
{
    md5gl_destroy_model(renderer, heat->drawn);
    md5gl_destroy_morph(renderer, heat->drawn_morph);
    free(heat->model);
    free(heat->meshes);
    free(heat->colors);
    *heat = (view_heat){.drawn = NULL};
}

// Finds the largest value of the heat map. Also counts the vertices that the joint moves. Without a
// joint (-1), counts the vertices that have more than 4 influences.
view_heatmap_stats view_measure_heat(const md5_model *model, int32_t joint)
{
    const double threshold = joint >= 0 ? 0 : 4; // weight, or number of influences
    view_heatmap_stats stats = {.max_value = 0};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const double value = view_joint_weight(mesh, v, joint);
            if (value > stats.max_value)
                stats.max_value = value;
            if (value > threshold)
                stats.num_vertices++;
        }
    }
    return stats;
}

// -- Texture coordinates --------------------------------------------------------------------

// The letters A to H and the digits 1 to 8: five bits per line, the left pixel in the highest bit.
enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7, GLYPH_SCALE = 3 };
static const uint8_t glyphs[2][VIEW_UV_CELLS][GLYPH_HEIGHT] = {
    {{14, 17, 17, 31, 17, 17, 17},
     {30, 17, 17, 30, 17, 17, 30},
     {14, 17, 16, 16, 16, 17, 14},
     {30, 17, 17, 17, 17, 17, 30},
     {31, 16, 16, 30, 16, 16, 31},
     {31, 16, 16, 30, 16, 16, 16},
     {14, 17, 16, 23, 17, 17, 14},
     {17, 17, 17, 31, 17, 17, 17}},
    {{4, 12, 4, 4, 4, 4, 14},
     {14, 17, 1, 2, 4, 8, 31},
     {14, 17, 1, 6, 1, 17, 14},
     {2, 6, 10, 18, 31, 2, 2},
     {31, 16, 30, 1, 1, 17, 14},
     {6, 8, 16, 30, 17, 17, 14},
     {31, 1, 2, 4, 4, 8, 8},
     {14, 17, 17, 14, 17, 17, 14}},
};

// Returns true if the name of a cell covers pixel (x, y) of the cell. The name is a letter for the
// column and a digit for the row.
static bool is_in_name(uint32_t column, uint32_t row, uint32_t x, uint32_t y)
{
    // Position of the name in the cell, and distance of its two characters, pixels. A bit of a
    // glyph is a square of GLYPH_SCALE pixels. The width of two bits is between the characters.
    enum { LEFT = 12, TOP = 21, ADVANCE = (GLYPH_WIDTH + 2) * GLYPH_SCALE };
    if (x < LEFT || y < TOP || y >= TOP + GLYPH_HEIGHT * GLYPH_SCALE)
        return false;
    const uint32_t character = (x - LEFT) / ADVANCE; // 0: the letter, 1: the digit
    const uint32_t glyph_x = (x - LEFT) % ADVANCE / GLYPH_SCALE;
    const uint32_t glyph_y = (y - TOP) / GLYPH_SCALE;
    if (character >= 2 || glyph_x >= GLYPH_WIDTH)
        return false;
    const uint32_t index = character == 0 ? column : row;
    const uint8_t bits = glyphs[character][index][glyph_y];
    return (bits >> (GLYPH_WIDTH - 1 - glyph_x) & 1) != 0;
}

// Creates the test image that shows how texture coordinates are placed on a model: a grid of
// cells with names. Red increases along u, and green along v. The caller frees the image.
view_image view_make_uv_grid(void)
{
    enum { SIZE = VIEW_UV_GRID_SIZE, CELL = SIZE / VIEW_UV_CELLS };
    view_image image = {common_alloc((size_t)SIZE * SIZE, 4), SIZE, SIZE};
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t u = i % SIZE;
        const uint32_t v = i / SIZE;
        const uint32_t column = u / CELL;
        const uint32_t row = v / CELL;
        const uint32_t x = u % CELL; // within the cell
        const uint32_t y = v % CELL;

        // A checkerboard, which is redder along u and greener along v.
        const bool is_dark = (column + row) % 2 != 0;
        const uint32_t low = is_dark ? 30 : 90;
        const uint32_t range = is_dark ? 130 : 150;
        uint8_t *const rgba = image.rgba + 4 * (size_t)i;
        rgba[0] = (uint8_t)(low + range * u / (SIZE - 1));
        rgba[1] = (uint8_t)(low + range * v / (SIZE - 1));
        rgba[2] = is_dark ? 70 : 150;
        rgba[3] = 255;

        // Dark lines between the cells, and the names of the cells.
        const bool is_edge = x == 0 || y == 0;
        if (is_in_name(column, row, x, y))
            memset(rgba, 250, 3);
        else if (is_edge)
            memset(rgba, 15, 3);
    }
    return image;
}

// -- Defects -------------------------------------------------------------------------------------

static const float slack = 0.01f; // tolerance of a unit length, or of a cosine that should be 0

// Returns true if a direction is normalized. Returns false for NaN.
static bool is_unit(md5_vec3 direction)
{
    return fabsf(md5_vec3_length(direction) - 1) <= slack;
}

// Counts the vertices of a pose whose normals and tangents are not of unit length, or not
// perpendicular to each other. If `marks` is not NULL, sets marks[num_vertices] to true for these
// vertices and to false for all others.
static void check_vertices(const md5_mesh *mesh, const view_directed *pose,
                           view_mesh_defects *faults, bool *marks)
{
    const float max_skew = pose->max_skew > 0 ? pose->max_skew : slack;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vec3 normal = pose->normals[v];
        bool is_short = !is_unit(normal);
        bool is_skewed = false;
        if (pose->tangents != NULL) {
            const md5_vec4 t = pose->tangents[v];
            const md5_vec3 tangent = {t.x, t.y, t.z};
            is_short = is_short || !is_unit(tangent);
            is_skewed = !is_short && !(fabsf(md5_vec3_dot(normal, tangent)) <= max_skew);
        }
        if (is_short)
            faults->counts[VIEW_FAULT_SHORT]++;
        if (is_skewed)
            faults->counts[VIEW_FAULT_SKEWED]++;
        if (marks != NULL)
            marks[v] = is_short || is_skewed;
    }
}

// Returns the sign with which cross(outward, along u) points along v on a triangle. Returns 0 if
// its texture coordinates have no area. Two edges of the triangle from the same vertex are given,
// in space and in texture coordinates. du and dv are the texture coordinates of an edge. On the
// triangle, u and v increase in the directions
//
//     along u = (edges[0] * dv1 - edges[1] * dv0) / area
//     along v = (edges[1] * du0 - edges[0] * du1) / area
//
// The area divides both directions, so its sign does not affect the result.
static float tangent_sign(const md5_vec3 edges[2], const md5_vec2 uv_edges[2], md5_vec3 outward)
{
    const float du0 = uv_edges[0].x;
    const float dv0 = uv_edges[0].y;
    const float du1 = uv_edges[1].x;
    const float dv1 = uv_edges[1].y;
    const float doubled_area = du0 * dv1 - dv0 * du1;
    if (!(doubled_area < 0 || doubled_area > 0)) // also NaN
        return 0;
    const md5_vec3 along_u =
        md5_vec3_sub(md5_vec3_scale(edges[0], dv1), md5_vec3_scale(edges[1], dv0));
    const md5_vec3 along_v =
        md5_vec3_sub(md5_vec3_scale(edges[1], du0), md5_vec3_scale(edges[0], du1));
    return md5_vec3_dot(md5_vec3_cross(outward, along_u), along_v) < 0 ? -1 : 1;
}

// The shape of a triangle in a pose. The edges begin at its first vertex; they are given in space
// and in texture coordinates. `outward` is perpendicular to the front side. Its length is twice the
// area of the triangle.
typedef struct triangle_shape {
    md5_vec3 edges[2];
    md5_vec2 uv_edges[2];
    md5_vec3 outward;
} triangle_shape;

// Returns the shape of a triangle in the given pose.
static triangle_shape measure_triangle(const md5_mesh *mesh, const view_directed *pose,
                                       const uint32_t vertices[3])
{
    const md5_vec3 origin = pose->positions[vertices[0]];
    const md5_vec2 origin_uv = mesh->texcoords[vertices[0]];
    triangle_shape shape;
    for (int k = 0; k < 2; k++) {
        const uint32_t vertex = vertices[k + 1];
        const md5_vec2 uv = mesh->texcoords[vertex];
        shape.edges[k] = md5_vec3_sub(pose->positions[vertex], origin);
        shape.uv_edges[k] = (md5_vec2){uv.x - origin_uv.x, uv.y - origin_uv.y};
    }
    // The vertices of a triangle are in clockwise order, seen from outside.
    const float winding = mesh->is_mirrored ? 1 : -1;
    shape.outward = md5_vec3_scale(md5_vec3_cross(shape.edges[0], shape.edges[1]), winding);
    return shape;
}

// Counts the defects of a triangle. It has a defect if it has no area, or if it faces away from the
// normal of a vertex. A third defect is that its texture is mirrored, but the tangent of a vertex
// is not, or the reverse. Marks the vertices of the last two defects, unless `marks` is NULL.
static void check_triangle(const md5_mesh *mesh, const view_directed *pose, uint32_t triangle,
                           view_mesh_defects *faults, bool *marks)
{
    const uint32_t *const vertices = mesh->indices + 3 * (size_t)triangle;
    const triangle_shape shape = measure_triangle(mesh, pose, vertices);
    const bool has_area = md5_vec3_length(shape.outward) > 0; // false also for NaN
    if (!has_area) {
        faults->counts[VIEW_FAULT_FLAT]++;
        return;
    }

    const bool has_tangents = pose->tangents != NULL;
    const float sign = has_tangents ? tangent_sign(shape.edges, shape.uv_edges, shape.outward) : 0;
    bool is_flipped = false;
    bool is_mirrored = false;
    for (int k = 0; k < 3; k++) {
        const uint32_t vertex = vertices[k];
        const bool faces_away = md5_vec3_dot(pose->normals[vertex], shape.outward) < 0;
        const bool has_opposite_sign = has_tangents && pose->tangents[vertex].w * sign < 0;
        is_flipped = is_flipped || faces_away;
        is_mirrored = is_mirrored || has_opposite_sign;
        if (marks != NULL)
            marks[vertex] = marks[vertex] || faces_away || has_opposite_sign;
    }
    if (is_flipped)
        faults->counts[VIEW_FAULT_FLIPPED]++;
    if (is_mirrored)
        faults->counts[VIEW_FAULT_MIRRORED]++;
}

// Counts the defects of the normals and tangents of a mesh in a pose. If `pose` is NULL, this is
// the bind pose. Checks each vertex by itself, then each triangle against its vertices.
view_mesh_defects view_find_defects(const md5_mesh *mesh, const view_directed *pose, bool *marks)
{
    const view_directed bind_pose = {mesh->positions, mesh->normals, mesh->tangents, slack};
    const view_directed *const checked = pose != NULL ? pose : &bind_pose;
    view_mesh_defects faults = {{0}};
    check_vertices(mesh, checked, &faults, marks);
    for (uint32_t i = 0; i < mesh->num_triangles; i++)
        check_triangle(mesh, checked, i, &faults, marks);
    return faults;
}

view_mesh_defects view_add_defects(view_mesh_defects a, view_mesh_defects b)
{
    for (int i = 0; i < VIEW_NUM_FAULTS; i++)
        a.counts[i] += b.counts[i];
    return a;
}

uint32_t view_count_defects(const view_mesh_defects *faults)
{
    uint32_t count = 0;
    for (int i = 0; i < VIEW_FAULT_FLAT; i++)
        count += faults->counts[i];
    return count;
}

// Writes a description of the defects of normals and tangents to text[size], or "none". Lists
// only the kinds of defects that occur, each with its count.
void view_describe_defects(const view_mesh_defects *faults, char *text, size_t size)
{
    static const char *const names[VIEW_NUM_FAULTS] = {
        "normals or tangents not normalized",
        "tangents not perpendicular to the normal",
        "triangles facing away from a vertex normal",
        "triangles with a wrong tangent sign",
        "degenerate triangles",
    };
    text[0] = '\0';
    for (int i = 0; i < VIEW_NUM_FAULTS; i++) {
        if (faults->counts[i] > 0)
            common_append(text, size, ", ", "%u %s", faults->counts[i], names[i]);
    }
    if (text[0] == '\0')
        common_append(text, size, "", "none");
}
