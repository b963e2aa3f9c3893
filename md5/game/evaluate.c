// Evaluation of the registers of materials.
#include "md5/core/assert.h"
#include "md5/md5game.h"

#include <math.h>
#include <string.h>

// Truncates a float to an integer, clamped to the range of int32_t; NaN becomes 0.
static int32_t whole(float value)
{
    if (!(value > -2147483648.0f))
        return value == value ? INT32_MIN : 0;
    return value < 2147483648.0f ? (int32_t)value : INT32_MAX;
}

static float modulo(float a, float b)
{
    const int32_t by = whole(b);
    return by == 0 || by == -1 ? 0.0f : (float)(whole(a) % by);
}

static float truth(bool value)
{
    return value ? 1.0f : 0.0f;
}

static float compare(md5_material_op_kind kind, float a, float b)
{
    switch (kind) {
    case MD5_OP_GREATER:
        return truth(a > b);
    case MD5_OP_GREATER_EQUAL:
        return truth(a >= b);
    case MD5_OP_LESS:
        return truth(a < b);
    case MD5_OP_LESS_EQUAL:
        return truth(a <= b);
    case MD5_OP_EQUAL:
        return truth(a == b);
    case MD5_OP_NOT_EQUAL:
        return truth(a != b);
    case MD5_OP_AND:
        return truth(a != 0.0f && b != 0.0f);
    default:
        return truth(a != 0.0f || b != 0.0f);
    }
}

static float value_of(const md5_material_op *op, const md5_material_input *input,
                      const float *registers)
{
    const float a = registers[op->a], b = registers[op->b];
    switch (op->kind) {
    case MD5_OP_ADD:
        return a + b;
    case MD5_OP_SUBTRACT:
        return a - b;
    case MD5_OP_MULTIPLY:
        return a * b;
    case MD5_OP_DIVIDE:
        return a / b;
    case MD5_OP_MODULO:
        return modulo(a, b);
    case MD5_OP_TABLE:
        return md5_table_at(op->table, b);
    case MD5_OP_SOUND:
        return input->sound;
    default:
        return compare(op->kind, a, b);
    }
}

void md5_evaluate_material(const md5_material *material, const md5_material_input *input,
                           float *registers)
{
    MD5_ASSERT(material != NULL, "material: not NULL");
    MD5_ASSERT(input != NULL, "input: not NULL");
    MD5_ASSERT(registers != NULL, "registers: not NULL");
    memcpy(registers, material->registers, material->num_registers * sizeof *registers);
    registers[MD5_REGISTER_TIME] = input->time;
    memcpy(registers + MD5_REGISTER_PARM0, input->parms, sizeof input->parms);
    memcpy(registers + MD5_REGISTER_GLOBAL0, input->globals, sizeof input->globals);
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        registers[op->result] = value_of(op, input, registers);
    }
}

void md5_stage_matrix(const md5_stage *stage, const float *registers, float matrix[2][3])
{
    static const float identity[2][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    const float most = 40.0f; // textures repeat, and large offsets would cost precision
    MD5_ASSERT(stage != NULL, "stage: not NULL");
    MD5_ASSERT(registers != NULL, "registers: not NULL");
    memcpy(matrix, identity, sizeof identity);
    if (!stage->has_matrix)
        return;
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 3; column++)
            matrix[row][column] = registers[stage->matrix[row][column]];
        const float offset = matrix[row][2];
        if (offset < -most || offset > most)
            matrix[row][2] = offset - truncf(offset);
    }
}
