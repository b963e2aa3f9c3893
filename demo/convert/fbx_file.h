// The node tree of an FBX file, binary or text. A node has a name, values and child nodes. The tree
// is never built: a node refers to the bytes of its values and children, which are read on demand.
#ifndef DEMO_CONVERT_FBX_FILE_H
#define DEMO_CONVERT_FBX_FILE_H

#include "demo/convert/convert.h"

// The bytes of an FBX file, from which nodes are read on demand.
typedef struct fbx_file {
    const char *bytes;
    size_t size;
    bool is_binary;
    bool has_wide_headers; // binary files since version 7500 have headers with 64-bit numbers
} fbx_file;

// A range of bytes from which values or nodes are read.
typedef struct fbx_range {
    const char *at;
    const char *end;
} fbx_range;

// A node of an FBX file. It has a name, values and children. The nodes of a file form a tree.
typedef struct fbx_node {
    const char *name; // [name_size]
    size_t name_size;
    fbx_range values;
    fbx_range children;
} fbx_node;

typedef enum fbx_value_kind { FBX_NUMBER, FBX_TEXT, FBX_ARRAY } fbx_value_kind;

// A value of a node.
typedef struct fbx_value {
    fbx_value_kind kind;
    double number;
    int64_t integer;  // the number, if it is a whole number
    const char *text; // [size] FBX_TEXT: the text; FBX_ARRAY of a binary file: the elements
    size_t size;
    char type; // FBX_ARRAY of a binary file: type of the elements: f, d, i, l, b or c; b and c
               // cannot be read
    bool is_compressed; // FBX_ARRAY of a binary file
    size_t count;       // FBX_ARRAY: number of elements
} fbx_value;

// Determines the form of a file of version 7. Returns false for other files.
bool fbx_open(const char *bytes, size_t size, fbx_file *file);

// Returns a copy of a text file in which numbers of more than 31 characters are rounded to doubles,
// because libassimp reads such numbers as 0. The copy has the same size, and blanks follow the
// shorter numbers. Returns NULL if no number is that long. The caller frees the copy.
char *fbx_shorten_numbers(const fbx_file *file);

// Returns the range of the top-level nodes.
fbx_range fbx_top_level(const fbx_file *file);

// Reads the next node of a range and advances range->at past it. Returns false at the end of the
// range, and at a node that is damaged.
bool fbx_next_node(const fbx_file *file, fbx_range *range, fbx_node *node);

// Returns true if a node has this name.
bool fbx_is_named(const fbx_node *node, const char *name);

// Reads the next value of a node. Returns false at the end, and at a value that is damaged.
bool fbx_next_value(const fbx_file *file, fbx_range *values, fbx_value *value);

// Returns true if a value is this text.
bool fbx_is_text(const fbx_value *value, const char *text);

// Reads the array of the child with a name, as doubles. Charges the elements and bytes to the
// budget of the job. Returns NULL if the array does not exist, is damaged or exceeds the budget.
// The caller frees the array.
double *fbx_read_array(const convert_job *job, const fbx_file *file, const fbx_node *node,
                       const char *name, size_t *count);

// Reads an array of floats as their bit patterns, because some of the floats contain packed
// integers. Otherwise like fbx_read_array().
uint32_t *fbx_read_float_bits(const convert_job *job, const fbx_file *file, const fbx_node *node,
                              const char *name, size_t *count);

#endif
