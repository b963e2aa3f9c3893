// Layers of lit stages: which stages of a material are drawn together, in which colours, and when.
#include "test/test.h"

#include "demo/viewer/assets/layers.h"

enum { WHITE = MD5_FIRST_REGISTER, HALF, OFF, NUM_REGISTERS, MOST_STAGES = 6 };

static const float registers[NUM_REGISTERS] = {[WHITE] = 1.0f, [HALF] = 0.5f};

static md5_stage lit_stage(md5_stage_light light, uint32_t condition, uint32_t red)
{
    return (md5_stage){.light = light, .condition = condition, .color = {red, WHITE, WHITE, WHITE}};
}

// Layers whose textures have the numbers of their stages, from 1.
typedef struct lit_case {
    md5_stage stages[MOST_STAGES];
    md5gl_texture textures[MOST_STAGES];
    md5gl_material shown[MOST_STAGES];
    md5_material material;
    view_lit_layers lit;
} lit_case;

static void choose(lit_case *c, uint32_t num_stages)
{
    for (uint32_t i = 0; i < MOST_STAGES; i++)
        c->textures[i] = i + 1;
    c->material =
        (md5_material){.stages = c->stages, .num_stages = num_stages, ROWS(registers, registers)};
    c->lit.textures = c->textures;
    c->lit.shown = c->shown;
    view_choose_lit_layers(&c->lit, &c->material, registers);
}

// A layer begins with a bump map, and with a second diffuse map; a specular map belongs to the
// diffuse map before it. The mesh's own maps are 0.
TEST (view_lit_stages_are_layers) {
    lit_case c = {
        .stages = {
            lit_stage(MD5_STAGE_BUMP, WHITE, WHITE), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
            lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF), lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE),
            lit_stage(MD5_STAGE_BUMP, WHITE, WHITE), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE)}};
    static const md5gl_texture expected[3][3] = {{0, 0, 0}, {3, 1, 4}, {6, 5, 0}};
    choose(&c, 6);
    CHECK_UINT(c.lit.num_shown, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_UINT(c.shown[i].diffuse, expected[i][0]);
        CHECK_UINT(c.shown[i].normals, expected[i][1]);
        CHECK_UINT(c.shown[i].specular, expected[i][2]);
        CHECK(view_reflects(c.shown[i].specular_color) == (i == 1));
    }
    const md5_vec3 color = c.shown[1].diffuse_color;
    CHECK(color.x == 0.5f && color.y == 1.0f && color.z == 1.0f);
}

// What is off is as if it were not there; without a map nothing is reflected.
TEST (view_lit_stages_that_are_off_draw_nothing) {
    lit_case c = {.stages = {lit_stage(MD5_STAGE_BUMP, WHITE, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, OFF, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                             lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)}};
    choose(&c, 4);
    CHECK(c.lit.num_shown == 1 && c.shown[0].diffuse == 3 && c.shown[0].specular == 0);
    c.stages[2].condition = OFF;
    choose(&c, 4);
    const md5_vec3 black = c.shown[0].diffuse_color; // not 0, which is white
    CHECK(c.lit.num_shown == 1 && black.x > 0.0f && black.x < 1e-30f && black.y < 1e-30f
          && black.z < 1e-30f);
    CHECK(view_reflects(c.shown[0].specular_color));
    choose(&c, 1);
    CHECK_UINT(c.lit.num_shown, 0);
    c.stages[1].condition = WHITE;
    c.lit.lacks_diffuse = true;
    choose(&c, 2);
    CHECK_UINT(c.lit.num_shown, 0);
    c.lit.lacks_diffuse = false;
    choose(&c, 2);
    CHECK_UINT(c.lit.num_shown, 1);
}

// The last diffuse or specular stage of a layer decides.
TEST (view_lit_stages_say_what_vertex_colours_do) {
    lit_case c = {.stages = {lit_stage(MD5_STAGE_BUMP, WHITE, WHITE),
                             lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                             lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)}};
    for (int i = 0; i < 3; i++) {
        c.stages[2].vertex_color = (md5_vertex_color)i;
        choose(&c, 3);
        CHECK(c.lit.num_shown == 1 && c.shown[0].no_vertex_color == (i == 0)
              && c.shown[0].inverse_vertex_color == (i == 2));
        CHECK(view_is_painted(&c.material, &c.stages[2]) == (i > 0));
    }
}

TEST (view_lit_stages_of_other_colours_are_painted) {
    const md5_stage stages[4] = {
        lit_stage(MD5_STAGE_BUMP, WHITE, HALF), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
        lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF),
        lit_stage(MD5_STAGE_SPECULAR, WHITE, 1)}; // a register that changes
    const md5_material material = {ROWS(stages, stages), ROWS(registers, registers)};
    for (int i = 0; i < 4; i++)
        CHECK(view_is_painted(&material, &stages[i]) == (i > 1));
}
