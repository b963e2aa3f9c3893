// What the commands that judge files share: the rules by name, and what was found in a file.
#ifndef DEMO_TOOL_RULES_H
#define DEMO_TOOL_RULES_H

#include "demo/tool/tool.h"

#include <stdarg.h>

// Each is a row of the table in rules.c.
typedef enum rule_id {
    RULE_VERSION,
    RULE_NO_VERSION,
    RULE_COMMAND_LINE,
    RULE_LONG_LINE,
    RULE_MESH_NAME,
    RULE_WORD,
    RULE_ORDER,
    RULE_ORDER_CLIP,
    RULE_MISSING,
    RULE_BRACE,
    RULE_BRACE_END,
    RULE_BROKEN_ROW,
    RULE_BLANKS,
    RULE_ROW_ORDER,
    RULE_NAN,
    RULE_IND,
    RULE_EXPONENT,
    RULE_COMMA,
    RULE_PLUS,
    RULE_OCTAL,
    RULE_LEADING_ZERO,
    RULE_HEX,
    RULE_BARE_NAME,
    RULE_ROWS,
    RULE_JOINTS,
    RULE_NO_WEIGHTS,
    RULE_WEIGHT_RANGE,
    RULE_WEIGHT_JOINT,
    RULE_CORNER,
    RULE_PARENT,
    RULE_LAST_PARENT,
    RULE_ROOTS,
    RULE_ROOTS_CLIP,
    RULE_256_JOINTS,
    RULE_4_WEIGHTS,
    RULE_8_WEIGHTS,
    RULE_VERTICES,
    RULE_Q2PRO_LIMIT,
    RULE_SUM,
    RULE_NEGATIVE,
    RULE_LONG_ROTATION,
    RULE_LONG_NAME,
    RULE_BLANK_NAME,
    RULE_SAME_NAME,
    RULE_PAIR_COUNT,
    RULE_PAIR_NAME,
    RULE_PAIR_ORDER,
    RULE_PAIR_PARENT,
    RULE_FLAGS,
    RULE_COMPONENTS,
    RULE_FIRST,
    RULE_PARTIAL,
    RULE_BASE_ROOT,
    RULE_FRAME_SIZE,
    RULE_FRAMES,
    RULE_FRAME_NUMBER,
    RULE_FRAME_ORDER,
    RULE_MORE_FRAMES,
    RULE_RATE,
    RULE_BOUNDS_ROWS,
    RULE_BOUNDS,
    RULE_SKIN,
    RULE_LONG_SKIN,
    RULE_LONG_SKIN_58,
    RULE_SHADER,
    RULE_MATERIAL,
    RULE_IMAGE,
    RULE_SKIN_DECL,
    RULE_DEFAULTED,
    RULE_NO_CLIP,
    RULE_NO_MESHES,
    RULE_FEWER_MESHES,
    RULE_EMPTY_MESH,
    RULE_NO_AREA,
    RULE_MANY_MESHES,
    RULE_BEFORE,
    RULE_SEAM,
    RULE_APART,
    RULE_INSIDE_OUT,
    RULE_BOUNDS_SMALL,
    RULE_BIND_BOX,
    RULE_LOOP,
    RULE_ROOT_DRIFT,
    RULE_FEET,
    RULE_FEWER_FRAMES,
    RULE_TGA,
    RULE_PCX,
    RULE_IMAGE_SIDES,
    NUM_RULES
} rule_id;

typedef struct text_place {
    uint32_t line, column;
} text_place;

typedef struct named_shader {
    char *name;
    text_place at;
} named_shader;

typedef struct named_joint {
    char *name;
    int32_t parent;
    uint32_t line, flags, first;
} named_joint;

// A drawn vertex of a model.
typedef struct skin_point {
    uint32_t mesh, vertex;
} skin_point;

// Of one file what its clip or mesh is compared with, and what was found.
struct tool_facts {
    char *path;
    bool is_clip, is_whole; // whole: read to its end
    tool_engines asked;
    const tool_facts *judged_with;    // the mesh that it was compared with last
    named_joint *joints;              // [num_joints]
    uint32_t num_joints, joints_line; // of the word numJoints
    uint32_t bounds_line;             // of the word bounds
    int32_t num_frames;               // as counted
    bool is_seen;                     // tool_judge_motion() has looked at the clip
    named_shader *shaders;            // [num_shaders] of meshes
    size_t num_shaders;
    skin_point *points; // [num_points] of a mesh whose model was judged: see tool_find_points()
    uint32_t num_points;
    tool_finding *found; // [num_found]
    size_t num_found;
};

// Adds what breaks a rule at a place of the file.
void tool_add_finding(tool_facts *facts, rule_id rule, text_place at, const char *format,
                      va_list values);

// The same in a line, or in none, 0, of what has been read.
void tool_found(tool_facts *facts, rule_id rule, uint32_t line, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Finds the points of a model's skin that tell where it is.
void tool_find_points(tool_facts *facts, const md5_model *model);

#endif
