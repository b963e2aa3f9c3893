// Colours of lit stages: which of a material's are taken, and when.
#include "test/test.h"

#include "demo/viewer/scene/lit_layers.h"

enum { WHITE = MD5_FIRST_REGISTER, HALF, OFF, NUM_REGISTERS };

static md5_stage lit_stage(md5_stage_light light, uint32_t condition, uint32_t red)
{
    return (md5_stage){.light = light, .condition = condition, .color = {red, WHITE, WHITE, WHITE}};
}

TEST (view_lit_stages_paint_the_surface) {
    float registers[NUM_REGISTERS] = {0};
    registers[WHITE] = 1.0f;
    registers[HALF] = 0.5f;
    const md5_stage stages[5] = {
        lit_stage(MD5_STAGE_BUMP, WHITE, HALF), lit_stage(MD5_STAGE_DIFFUSE, OFF, WHITE),
        lit_stage(MD5_STAGE_DIFFUSE, WHITE, HALF), lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
        lit_stage(MD5_STAGE_SPECULAR, WHITE, 1)}; // a register that changes
    const md5_material material = {
        .stages = stages, .num_stages = 5, .registers = registers, .num_registers = NUM_REGISTERS};
    const float half[3] = {0.5f, 1.0f, 1.0f}, black_red[3] = {0.0f, 1.0f, 1.0f};
    uintptr_t colors[2];
    view_paint_first_layer(&material, registers, colors);
    CHECK(colors[0] == md5gl_color(half) && colors[1] == md5gl_color(black_red));
    static const bool painted[5] = {false, false, true, false, true};
    for (int i = 0; i < 5; i++)
        CHECK(view_is_painted(&material, &stages[i]) == painted[i]);
}

TEST (view_lit_stages_paint_nothing_without_a_diffuse_stage) {
    float registers[NUM_REGISTERS] = {0};
    const md5_material material = {.registers = registers, .num_registers = NUM_REGISTERS};
    uintptr_t colors[2] = {1, 1};
    view_paint_first_layer(&material, registers, colors);
    CHECK(colors[0] == 0 && colors[1] == 0);
    CHECK(view_lit_vertex_color(&material) == MD5GL_NO_VERTEX_COLOR);
}

// The last diffuse or specular stage decides.
TEST (view_lit_stages_say_what_vertex_colours_do) {
    static const uintptr_t expected[3] = {MD5GL_NO_VERTEX_COLOR, 0, MD5GL_INVERSE_VERTEX_COLOR};
    float registers[NUM_REGISTERS] = {0};
    md5_stage stages[2] = {lit_stage(MD5_STAGE_DIFFUSE, WHITE, WHITE),
                           lit_stage(MD5_STAGE_SPECULAR, WHITE, WHITE)};
    const md5_material material = {
        .stages = stages, .num_stages = 2, .registers = registers, .num_registers = NUM_REGISTERS};
    registers[WHITE] = 1.0f;
    for (int i = 0; i < 3; i++) {
        stages[1].vertex_color = (md5_vertex_color)i;
        CHECK(view_lit_vertex_color(&material) == expected[i]);
        CHECK(view_is_painted(&material, &stages[1]) == (i > 0));
    }
}
