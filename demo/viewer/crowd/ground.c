// Creates the ground of a terrain as a model, so that it is drawn and lit like all models. The
// model is written as the text of an .md5mesh file of version 12. This version can contain colors
// and normals. The normals are continuous across the borders of tiles.
#include "demo/viewer/crowd/ground.h"

#include "demo/viewer/assets/model_text.h"
#include "demo/viewer/base/math.h"

// Returns the upward unit normal at a corner of the squares. The slope is the difference of the
// heights of the two neighboring corners, divided by the distance of two squares.
static md5_vec3 normal_at(const view_terrain *terrain, int32_t x, int32_t y)
{
    const float east = view_corner_height(terrain, x + 1, y);
    const float west = view_corner_height(terrain, x - 1, y);
    const float north = view_corner_height(terrain, x, y + 1);
    const float south = view_corner_height(terrain, x, y - 1);
    const float distance = view_corner_x(terrain, x + 1) - view_corner_x(terrain, x - 1);
    const md5_vec3 normal = {west - east, south - north, distance};
    return md5_vec3_scale(normal, 1.0f / md5_vec3_length(normal));
}

// The vertices are the corners of the squares of a tile. Corner (x, y) has the index y * SIDE + x.
enum { SIDE = VIEW_GROUND_SQUARES + 1, NUM_CORNERS = SIDE * SIDE };

// Writes the vertices with their normals and tangents. Each vertex has one weight. The tangent is
// along x, perpendicular to the normal, with the sign 1.
static void write_vertices(const view_terrain *terrain, view_text *to)
{
    for (int32_t i = 0; i < NUM_CORNERS; i++) {
        const int32_t x = i % SIDE;
        const int32_t y = i / SIDE;
        const md5_vec3 n = normal_at(terrain, x, y);
        const float length = hypotf(n.x, n.z);
        const float tangent_x = n.z / length;
        const float tangent_z = -n.x / length;
        view_append(to, "vert %d ( %d %d ) %d 1 ( %.6f %.6f %.6f ) ( %.6f 0 %.6f 1 )\n", i, x, y, i,
                    n.x, n.y, n.z, tangent_x, tangent_z);
    }
}

// Writes two triangles for each square. `corner` is its corner with the smallest x and y; the next
// row of corners follows after SIDE corners.
static void write_triangles(view_text *to)
{
    enum { NUM_SQUARES = VIEW_GROUND_SQUARES * VIEW_GROUND_SQUARES };
    view_append(to, "numtris %d\n", 2 * NUM_SQUARES);
    for (int i = 0; i < NUM_SQUARES; i++) {
        const int x = i % VIEW_GROUND_SQUARES;
        const int y = i / VIEW_GROUND_SQUARES;
        const int corner = y * SIDE + x;
        view_append(to, "tri %d %d %d %d tri %d %d %d %d\n", 2 * i, corner, corner + SIDE,
                    corner + 1, 2 * i + 1, corner + 1, corner + SIDE, corner + SIDE + 1);
    }
}

// Writes the positions of the vertices as weights of joint 0. The corners of a lift belong to joint
// 1, which moves them up and down.
static void write_weights(const view_terrain *terrain, view_text *to)
{
    view_append(to, "numweights %d\n", NUM_CORNERS);
    for (int32_t i = 0; i < NUM_CORNERS; i++) {
        const int32_t x = i % SIDE;
        const int32_t y = i / SIDE;
        view_append(to, "weight %d %d 1 ( %.6f %.6f %.6f )\n", i, view_is_lift(terrain, y),
                    view_corner_x(terrain, x), ((float)y * terrain->cell),
                    view_corner_height(terrain, x, y));
    }
}

// Writes the colors of the vertices. Hollows have the color of grass; hills and the lift are dry
// and stony.
static void write_colors(const view_terrain *terrain, view_text *to)
{
    view_append(to, "numvertexcolors %d\n", NUM_CORNERS);
    for (int32_t i = 0; i < NUM_CORNERS; i++) {
        const int32_t x = i % SIDE;
        const int32_t y = i / SIDE;
        float height = 1; // relative to the highest hill
        if (!view_is_lift(terrain, y))
            height = view_corner_height(terrain, x, y) / terrain->height;
        const float dryness = view_clamp(0.5f + 0.7f * height, 0, 1);
        const float red = 0.05f + 0.20f * dryness;
        const float green = 0.11f + 0.10f * dryness;
        const float blue = 0.04f + 0.05f * dryness;
        view_append(to, "vertexcolor %d ( %.4f %.4f %.4f 1 )\n", i, red, green, blue);
    }
}

// Writes one tile of the ground as the text of an .md5mesh file. Joint 1 moves the corners that
// belong to a lift.
static void write_ground(const view_terrain *terrain, view_text *to)
{
    view_append(
        to,
        "MD5Version 12 commandline \"\" numJoints 2 numMeshes 1 joints { \"origin\" -1 ( 0 0 0 ) "
        "( 0 0 0 ) \"lift\" -1 ( 0 0 0 ) ( 0 0 0 ) } mesh { shader \"ground\" numverts %d\n",
        NUM_CORNERS);
    write_vertices(terrain, to);
    write_triangles(to);
    write_weights(terrain, to);
    write_colors(terrain, to);
    view_append(to, "}\n");
}

// Creates the texture of the ground: gray noise, which repeats in each square. Returns 0 and fills
// `error` on failure.
static md5gl_texture create_noise_texture(md5gl_renderer *renderer, md5_error *error)
{
    enum { TEXELS = 64 };
    uint8_t rgba[4 * TEXELS * TEXELS];
    uint32_t noise = 1; // linear congruential generator, Numerical Recipes
    for (uint32_t i = 0; i < TEXELS * TEXELS; i++) {
        noise = 1664525 * noise + 1013904223;
        const uint32_t gray = 180 + (noise >> 24) * 75 / 255; // 180 to 255
        memset(rgba + 4 * (size_t)i, (int)gray, 3);
        rgba[4 * i + 3] = 255;
    }
    const md5gl_texture_desc desc = {.width = TEXELS, .height = TEXELS, .texels = rgba};
    return md5gl_create_texture(renderer, &desc, error);
}

// Creates the model of a terrain: one tile of squares, which is drawn nine times.
bool view_load_ground(view_ground *ground, const view_terrain *terrain, const view_loader *loader)
{
    md5_error error = {0};
    if (!(terrain->cell > 1e-6f && terrain->cell < 1e6f)) // the model has no size, or is huge
        return true;
    view_text to = {0};
    write_ground(terrain, &to);
    ground->model = view_end_model(&to, NULL, &error);
    if (ground->model == NULL)
        return view_log_error(loader->log, &error);
    ground->drawn = view_create_model(loader, ground->model);
    if (ground->drawn == NULL)
        return false;
    ground->grain = create_noise_texture(loader->renderer, &error);
    if (ground->grain == 0)
        return view_log_error(loader->log, &error);
    md5gl_set_material(loader->renderer, ground->drawn, 0, 0,
                       &(md5gl_material){.diffuse = ground->grain, .gloss = 0.1f});
    return true;
}

// Frees the model of the ground, and its texture and copy on the GPU if it was uploaded.
void view_free_ground(view_ground *ground, md5gl_renderer *renderer)
{
    if (ground->drawn != NULL) {
        md5gl_destroy_texture(renderer, ground->grain);
        md5gl_destroy_model(renderer, ground->drawn);
    }
    md5_free_model(ground->model);
    *ground = (view_ground){.model = NULL};
}

// Moves the nine tiles of the ground so that the center is on the middle one.
void view_lay_ground(view_ground *ground, const view_terrain *terrain, md5_vec3 center)
{
    // Nine tiles: the tile that contains the center, and its neighbors.
    const float side = (float)VIEW_GROUND_SQUARES * terrain->cell; // side of a tile, units
    for (int i = 0; i < VIEW_GROUND_TILES; i++) {
        const int column = i % 3 - 1;
        const int row = i / 3 - 1;
        const md5_vec3 corner = {side * (floorf(center.x / side) + (float)column),
                                 side * (floorf(center.y / side) + (float)row), 0};
        // Each tile has two joints: the ground, and the lift, which moves upward (m[11] is z).
        ground->palettes[2 * i] = md5_mat34_from_xform(view_at_origin());
        ground->palettes[2 * i + 1] = md5_mat34_from_xform(view_at_origin());
        ground->palettes[2 * i + 1].m[11] = terrain->rise;
        ground->placements[i] =
            md5_mat34_from_xform((md5_xform){.rotation = {.w = 1}, .translation = corner});
    }
}
