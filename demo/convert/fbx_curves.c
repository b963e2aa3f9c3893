// Animation curves of FBX files.
//
//   stack ◀── layer ◀── curve node ──▶ property of a model, or weight of a layer
//                           ▲
//                         curve, one for each of x, y, z
//
// A stack is a clip, and a model is a node of the scene. A layer contains the curves of one clip; a
// clip can have several layers, which are blended. A curve node contains the curves of one property
// of a model, such as its rotation, or the curve of the weight of a layer. Objects have ids, and
// connections between ids form the graph above.
//
// The interpolation of the keys and the layers were verified against ufbx; test/convert/fbx.sh
// tests frames between keys.
#include "demo/convert/fbx_curves.h"

#include "demo/convert/budget.h"
#include "demo/convert/fbx_file.h"
#include "demo/convert/fbx_layers.h"

// Flags of a key. The interpolation after a key is constant, linear or cubic.
enum {
    KEY_CONSTANT = 0x2,
    KEY_CUBIC = 0x8,
    KEY_NEXT = 0x100, // constant: holds the value of the next key
    KEY_TCB = 0x200,  // cubic: the file stores tension, continuity and bias
    KEY_USER = 0x400, // cubic: the file stores slopes; otherwise they are computed
    KEY_CLAMP = 0x1000,
    KEY_TIME_INDEPENDENT = 0x2000,
    KEY_CLAMP_PROGRESSIVE = 0x4000,
    KEY_WEIGHTED_RIGHT = 0x1000000,
    KEY_WEIGHTED_NEXT_LEFT = 0x2000000,
};

static const double ticks_of_version_7 = 46186158000.0; // per second
#define DEFAULT_WEIGHT 0.333333 // length of a tangent, as a fraction of the time between two keys

// A key of a curve. Its slopes and weights define the tangents to the neighboring keys.
typedef struct fbx_key {
    double time; // seconds
    double value;
    uint32_t flags;
    double slopes[2]; // left and right, units per second
    double weights[2];
} fbx_key;

// Types of extrapolation, as in the file.
enum {
    EXTRAPOLATE_CONSTANT = 'C',
    EXTRAPOLATE_SLOPE = 'K',
    EXTRAPOLATE_REPEAT = 'R',
    EXTRAPOLATE_MIRROR = 'M',
    EXTRAPOLATE_REPEAT_OFFSET = 'A', // each repetition begins at the end of the previous one
};

// The ways in which a curve continues before its first key or after its last key.
typedef struct fbx_extrapolation {
    char type;    // EXTRAPOLATE_CONSTANT ...; unknown types are constant
    double count; // number of repetitions; negative: no limit
} fbx_extrapolation;

// An animation curve: one number as a function of time. It has no keys if it is damaged.
typedef struct fbx_curve {
    fbx_key *keys; // [num_keys]
    size_t num_keys;
    fbx_extrapolation before;
    fbx_extrapolation after;
} fbx_curve;

// The curves of one property, one each for x, y and z.
typedef struct fbx_curve_node {
    double values[3]; // values of axes without a curve
    size_t curves[3]; // or SIZE_MAX
    size_t layer;     // or SIZE_MAX
} fbx_curve_node;

// A connection between a curve node and a property of a model.
typedef struct fbx_link {
    size_t curve_node;
    size_t model;
    int property;
    size_t order;    // position among the connections of the file
    size_t position; // position of the layer in its stack, or SIZE_MAX
    size_t next; // link of the same property in the next layer of the selected stack, or SIZE_MAX
} fbx_link;

// An animation layer of a stack. Its values are blended with the result of the layers below it.
typedef struct fbx_layer {
    char *name;
    size_t stack;    // or SIZE_MAX
    size_t position; // in the stack; layer 0 is the lowest and sets the values
    fbx_blending blending;
    size_t weight_node; // curve node of the weight in percent, or SIZE_MAX
    bool is_muted;
    bool is_solo; // if a layer is solo, only such layers of the stack are used
} fbx_layer;

// A clip of the file, which consists of layers.
typedef struct fbx_stack {
    char *name;
    double start; // seconds; INFINITY: the first key
    size_t num_layers;
    bool has_solo; // a layer is solo
} fbx_stack;

// Other animated properties of a model. Its transform is T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S
// Sp^-1.
enum {
    ROTATION_OFFSET = FBX_NUM_PROPERTIES,
    ROTATION_PIVOT,
    PRE_ROTATION,
    POST_ROTATION,
    SCALING_OFFSET,
    SCALING_PIVOT,
    NUM_FACTORS
};

// A node of the scene, with its properties at rest and its links to the curves of the selected
// stack.
typedef struct fbx_model {
    char *name;                    // see fbx_rename_models()
    char *title;                   // name in the file, if it differs from `name`; or NULL
    size_t name_offset;            // offset of the name in the file
    double values[NUM_FACTORS][3]; // FBX_TRANSLATION ... SCALING_PIVOT
    double geometric[3][3];        // FBX_TRANSLATION ... FBX_SCALING of the meshes of the node only
    int rotation_order;
    plain_inheritance inheritance; // how the model inherits the scale of its parent
    bool is_rotation_active;       // false: see has_rotation_space()
    bool is_order_for_limits;      // the rotation order and the rotations before and after apply to
                                   // limits only
    size_t links[NUM_FACTORS];     // links in the first layer of the selected stack, or SIZE_MAX
    size_t last_links[NUM_FACTORS]; // links in the last layer
    const char *blended_layer;      // name of a layer that changes the model, or NULL
    bool has_duplicate_name;        // another model has the same name
} fbx_model;

// Kinds of objects that animation needs.
typedef enum fbx_kind { MODEL, CURVE, CURVE_NODE, LAYER, STACK, NUM_KINDS } fbx_kind;

// An object of the file: its id, and its index in the array of its kind.
typedef struct fbx_object {
    int64_t id;
    fbx_kind kind;
    size_t index;
} fbx_object;

struct fbx_curves {
    const convert_job *job;
    fbx_file file;
    fbx_object *objects; // [num_objects] sorted by id
    size_t num_objects;
    fbx_model defaults; // properties of models that do not store their own
    fbx_model *models;  // [counts[MODEL]], and so on
    fbx_curve *curves;
    fbx_curve_node *curve_nodes;
    fbx_layer *layers;
    fbx_stack *stacks;
    size_t counts[NUM_KINDS];
    fbx_link *links; // [num_links] sorted by the positions of their layers
    size_t num_links;
    size_t num_blended; // links of the selected stack that change the value of another link
    // Name of a layer of the selected stack that is muted, or that is not solo while another layer
    // is solo; NULL if there is none.
    const char *skipped_layer;
    common_text_index names; // names of models, with the index of the first model of each name
    size_t *name_models;     // [names.count]
    size_t num_new_names;    // names that fbx_rename_models() has tried
    char *renamed_bytes;     // the file with these names, or NULL
    double start;            // start of the selected stack, seconds
    double ticks_per_second; // units of all times per second
    bool has_old_shapes;     // see fbx_has_old_shapes()
};

// -- Keys -----------------------------------------------------------------------------------------

// For keys with the flag KEY_CLAMP. If the values of such a key and a neighbor differ by at most
// this number, the curve is flat at the key.
static const double max_flat_step = 0.001;

// Returns an addition to the slope of a key for a bias above 500 %. It is 40 units per second times
// the square of the excess, with the sign of `direction`. `bias` is in percent.
static double steep_slope(double bias, double direction)
{
    const double max_usual_bias = 5; // 500 %
    const double slope_per_square = 40;
    const double excess = fmax(fabs(bias) / 100 - max_usual_bias, 0);
    return excess * excess * (direction > 0 ? slope_per_square : -slope_per_square);
}

// Differences in time and value between a key and its two neighbors.
typedef struct key_steps {
    double left_time; // seconds
    double right_time;
    double left_value;
    double right_value;
} key_steps;

// Applies a bias to a slope. First averages the slope with the slope of the parabola through the
// three keys. Then moves it by `bias` percent toward the slope of the line to one neighbor. This is
// the right neighbor if the bias is positive, otherwise the left neighbor.
static double apply_bias(const key_steps *steps, double slope, double bias)
{
    const double min_bias_step = 1e-5; // smaller differences have no direction
    const double left_slope = steps->left_value / steps->left_time;
    const double right_slope = steps->right_value / steps->right_time;
    const double fraction = steps->left_time / (steps->left_time + steps->right_time);
    const double parabola_slope = left_slope + (right_slope - left_slope) * fraction;
    const double average = (slope + parabola_slope) / 2;
    const double bias_step = (bias > 0 ? right_slope : left_slope) - average;
    const double direction = fabs(bias_step) > min_bias_step ? bias_step : bias;
    return average + bias_step * fabs(bias) / 100 + steep_slope(bias, direction);
}

// Limits a slope so that the curve does not pass the value of a neighbor. The inner control points
// of the Bézier curve then stay between the values of the keys; each is weight * time away from its
// key. At a minimum or maximum the slope becomes 0.
static double limit_slope(const fbx_key *key, const key_steps *steps, double slope)
{
    const double sign = slope >= 0 ? 1 : -1;
    const double max_left = sign * steps->left_value / (key->weights[0] * steps->left_time);
    const double max_right = sign * steps->right_value / (key->weights[1] * steps->right_time);
    const double limit = fmax(fmin(max_left, max_right), 0);
    return sign * fmin(sign * slope, limit);
}

// Computes the slope of a key that has two neighbors and does not store a slope.
static double automatic_slope(const fbx_key *key, double bias)
{
    const fbx_key *const before = key - 1;
    const fbx_key *const after = key + 1;
    const key_steps steps = {.left_time = key->time - before->time,
                             .right_time = after->time - key->time,
                             .left_value = key->value - before->value,
                             .right_value = after->value - key->value};
    const double min_step = fmin(fabs(steps.left_value), fabs(steps.right_value));
    if ((key->flags & KEY_CLAMP) && min_step <= max_flat_step)
        return 0;

    // The slope of the line from the previous key to the next key.
    double slope = (steps.left_value + steps.right_value) / (steps.left_time + steps.right_time);
    if (!(key->flags & KEY_TIME_INDEPENDENT))
        slope = apply_bias(&steps, slope, bias);
    if (key->flags & KEY_CLAMP_PROGRESSIVE)
        slope = limit_slope(key, &steps, slope);
    return slope;
}

// Computes the slope of the first or last key if the key does not store it. `a` and `b` are this
// key and its only neighbor, in the order of time.
static double automatic_end_slope(const fbx_key *a, const fbx_key *b, uint32_t flags, double bias)
{
    const double step = b->value - a->value;
    const bool is_flat = (flags & KEY_CLAMP) && fabs(step) <= max_flat_step;
    if (is_flat || (flags & KEY_CLAMP_PROGRESSIVE))
        return 0;

    const double slope = step / (b->time - a->time);
    return flags & KEY_TIME_INDEPENDENT ? slope : slope + steep_slope(bias, bias);
}

// Computes the slopes of a key from tension, continuity and bias (Kochanek and Bartels 1984), the
// three `parameters`.
static void compute_tcb(fbx_key *key, bool is_first, bool is_last, const double *parameters)
{
    const double tension = parameters[0];
    const double continuity = parameters[1];
    const double bias = parameters[2];
    const bool is_end = is_first || is_last;
    const double factor = (is_end ? 1 : 0.5) * (1 - tension);
    const double left = is_first ? 0 : (key->value - key[-1].value) / (key->time - key[-1].time);
    const double right = is_last ? 0 : (key[1].value - key->value) / (key[1].time - key->time);
    key->slopes[0] =
        factor * ((1 + bias) * (1 - continuity) * left + (1 - bias) * (1 + continuity) * right);
    key->slopes[1] =
        factor * ((1 + bias) * (1 + continuity) * left + (1 - bias) * (1 - continuity) * right);
}

// Computes the left and the right slope of a key that stores neither. Until then key->slopes[]
// contains its left and right bias in percent. The first and the last key have only one neighbor.
static void compute_automatic_slopes(fbx_key *key, bool is_first, bool is_last)
{
    const double left_bias = key->slopes[0];
    const double right_bias = key->slopes[1];
    if (!is_first && !is_last) {
        const bool is_smooth = fabs(left_bias + right_bias) <= 1e-4;
        key->slopes[0] = automatic_slope(key, is_smooth ? right_bias : -left_bias);
        key->slopes[1] = automatic_slope(key, right_bias);
        return;
    }

    double slope = 0; // slope of a curve with a single key
    if (!is_first)
        slope = automatic_end_slope(key - 1, key, key->flags, -left_bias);
    else if (!is_last)
        slope = automatic_end_slope(key, key + 1, key->flags, right_bias);
    key->slopes[0] = slope;
    key->slopes[1] = slope;
}

// Computes the slopes of a cubic key that does not store them. `parameters` are its tension,
// continuity and bias.
static void compute_slopes(fbx_curve *curve, size_t index, const double *parameters)
{
    fbx_key *const key = &curve->keys[index];
    const bool is_first = index == 0;
    const bool is_last = index + 1 == curve->num_keys;
    if (!(key->flags & KEY_CUBIC))
        return;
    if (key->flags & KEY_TCB)
        compute_tcb(key, is_first, is_last, parameters);
    else if (!(key->flags & KEY_USER))
        compute_automatic_slopes(key, is_first, is_last);
}

// Returns the float whose bits an integer contains, as a double.
static double float_from_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

// Returns a weight that a file stores in units of 1/10000. With a weight above 1, the time could
// decrease along the curve, so weights are clamped to 1.
static double read_weight(uint32_t stored)
{
    return fmin((double)stored / 10000, 1);
}

enum { DATA_PER_RUN = 4 }; // numbers of 32 bits

// Sets the attributes of a key from data[DATA_PER_RUN]. data[0] contains the bits of its right
// slope, and data[1] the bits of the left slope of the next key. data[2] contains the weights of
// both, with 16 bits each. data[3] is not used.
static void set_attributes(fbx_curve *curve, size_t index, uint32_t flags, const uint32_t *data)
{
    fbx_key *const key = &curve->keys[index];
    key->flags = flags;
    key->slopes[1] = float_from_bits(data[0]);
    key->weights[1] = DEFAULT_WEIGHT;
    if (flags & KEY_WEIGHTED_RIGHT)
        key->weights[1] = read_weight(data[2] & 0xffff);
    const bool is_tcb = (flags & KEY_CUBIC) && (flags & KEY_TCB);
    if (index + 1 == curve->num_keys || is_tcb)
        return;
    key[1].slopes[0] = float_from_bits(data[1]);
    key[1].weights[0] = DEFAULT_WEIGHT;
    if (flags & KEY_WEIGHTED_NEXT_LEFT)
        key[1].weights[0] = read_weight(data[2] >> 16);
}

// Returns true if the times of keys increase and all numbers are finite.
static bool is_curve_valid(const fbx_curve *curve)
{
    for (size_t i = 0; i < curve->num_keys; i++) {
        const fbx_key *const key = &curve->keys[i];
        if (!isfinite(key->time) || !isfinite(key->value))
            return false;
        if (!isfinite(key->slopes[0]) || !isfinite(key->slopes[1]))
            return false;
        if (i > 0 && !(key->time > key[-1].time))
            return false;
    }
    return true;
}

// The arrays of a curve in a file. Attributes are run-length encoded: a run is a number of
// consecutive keys with the same flags and data. The first runs[0] keys have flags[0] and the first
// DATA_PER_RUN elements of data[], the next runs[1] keys have flags[1], and so on.
typedef struct curve_arrays {
    double *times;  // [num_keys], ticks
    double *values; // [num_keys]
    size_t num_times;
    size_t num_values;
    double *runs;   // [num_runs] number of keys in each run
    double *flags;  // [num_runs] flags of the keys of each run
    uint32_t *data; // [num_runs][DATA_PER_RUN] slopes and weights: see set_attributes()
    size_t num_runs;
    size_t num_flags;
    size_t num_data;
} curve_arrays;

// Returns the data of the keys of a run.
static const uint32_t *get_run_data(const curve_arrays *arrays, size_t run)
{
    return arrays->data + DATA_PER_RUN * run;
}

// Copies the attributes of each run to its keys. Returns false if the runs do not contain as many
// keys as the curve, or the flags of a run are not an integer of 32 bits. Files store integers with
// or without a sign, so both are accepted.
static bool set_run_attributes(fbx_curve *curve, const curve_arrays *arrays)
{
    const double flags_end = 4294967296.0; // 2^32
    size_t index = 0;
    for (size_t run = 0; run < arrays->num_runs; run++) {
        const double length = arrays->runs[run];
        const double flags = arrays->flags[run];
        const size_t num_left = curve->num_keys - index;
        if (!(length >= 0) || length > (double)num_left || !(fabs(flags) < flags_end))
            return false;
        const size_t run_end = index + (size_t)length;
        const uint32_t flag_bits = (uint32_t)(int64_t)flags;
        for (; index < run_end; index++)
            set_attributes(curve, index, flag_bits, get_run_data(arrays, run));
    }
    return index == curve->num_keys;
}

// Computes the slopes of all keys. This is done after all attributes were set, because the data of
// a key contains the left slope of the next key.
static void compute_run_slopes(fbx_curve *curve, const curve_arrays *arrays)
{
    size_t index = 0;
    for (size_t run = 0; run < arrays->num_runs; run++) {
        const uint32_t *const data = get_run_data(arrays, run);
        const double parameters[3] = {float_from_bits(data[0]), float_from_bits(data[1]),
                                      float_from_bits(data[2])};
        const size_t run_end = index + (size_t)arrays->runs[run];
        for (; index < run_end; index++)
            compute_slopes(curve, index, parameters);
    }
}

// Combines the arrays of a curve. Returns false if they are invalid.
static bool build_keys(fbx_curve *curve, const curve_arrays *arrays, double ticks_per_second)
{
    for (size_t i = 0; i < curve->num_keys; i++)
        curve->keys[i] = (fbx_key){.time = arrays->times[i] / ticks_per_second,
                                   .value = arrays->values[i],
                                   .weights = {DEFAULT_WEIGHT, DEFAULT_WEIGHT}};
    if (!set_run_attributes(curve, arrays) || !is_curve_valid(curve))
        return false;
    compute_run_slopes(curve, arrays);
    return is_curve_valid(curve);
}

// Reads the type and the number of repetitions of an extrapolation from the children of its node.
// The type is stored as a letter, either in a text or as its character code.
static void read_extrapolation_node(const fbx_file *file, const fbx_node *node,
                                    fbx_extrapolation *found)
{
    fbx_range children = node->children;
    fbx_node item;
    fbx_value value;
    while (fbx_next_node(file, &children, &item)) {
        if (!fbx_next_value(file, &item.values, &value))
            continue;
        if (fbx_is_named(&item, "Repetition"))
            found->count = value.number;
        else if (fbx_is_named(&item, "Type") && value.size > 0)
            found->type = value.text[0];
        else if (fbx_is_named(&item, "Type"))
            found->type = (char)value.integer;
    }
}

// Reads how a curve continues before its first key or after its last key. `name` is
// "Pre-Extrapolation" or "Post-Extrapolation".
static fbx_extrapolation read_extrapolation(const fbx_curves *curves, const fbx_node *curve,
                                            const char *name)
{
    fbx_extrapolation found = {.type = EXTRAPOLATE_CONSTANT, .count = -1};
    fbx_range children = curve->children;
    fbx_node child;
    while (fbx_next_node(&curves->file, &children, &child)) {
        if (fbx_is_named(&child, name))
            read_extrapolation_node(&curves->file, &child, &found);
    }
    return found;
}

// Returns true if all arrays exist and have matching sizes.
static bool has_matching_arrays(const curve_arrays *arrays)
{
    const bool has_keys = arrays->times && arrays->values && arrays->num_times > 0;
    const bool has_attributes = arrays->runs && arrays->flags && arrays->data;
    return has_keys && has_attributes && arrays->num_times == arrays->num_values
           && arrays->num_flags == arrays->num_runs
           && arrays->num_data / DATA_PER_RUN >= arrays->num_runs;
}

// Frees the arrays of a curve after its keys were created from them.
static void free_arrays(curve_arrays *arrays)
{
    free(arrays->times);
    free(arrays->values);
    free(arrays->runs);
    free(arrays->flags);
    free(arrays->data);
}

// Creates the keys of a curve from its arrays. If they are damaged or too large, the curve remains
// without keys.
static void create_keys(const fbx_curves *curves, const curve_arrays *arrays, fbx_curve *curve)
{
    if (!has_matching_arrays(arrays)
        || !convert_can_charge_bytes(curves->job, arrays->num_times, sizeof *curve->keys))
        return;
    curve->num_keys = arrays->num_times;
    curve->keys = common_alloc(curve->num_keys, sizeof *curve->keys);
    if (!build_keys(curve, arrays, curves->ticks_per_second)) {
        free(curve->keys);
        *curve = (fbx_curve){.num_keys = 0};
    }
}

// Reads a curve. Its keys are NULL if it is damaged.
static void read_curve(fbx_curves *curves, const fbx_node *node, fbx_curve *curve)
{
    const convert_job *const job = curves->job;
    const fbx_file *const file = &curves->file;
    curve_arrays arrays = {.times = NULL};
    arrays.times = fbx_read_array(job, file, node, "KeyTime", &arrays.num_times);
    arrays.values = fbx_read_array(job, file, node, "KeyValueFloat", &arrays.num_values);
    arrays.runs = fbx_read_array(job, file, node, "KeyAttrRefCount", &arrays.num_runs);
    arrays.flags = fbx_read_array(job, file, node, "KeyAttrFlags", &arrays.num_flags);
    arrays.data = fbx_read_float_bits(job, file, node, "KeyAttrDataFloat", &arrays.num_data);

    create_keys(curves, &arrays, curve);
    curve->before = read_extrapolation(curves, node, "Pre-Extrapolation");
    curve->after = read_extrapolation(curves, node, "Post-Extrapolation");
    free_arrays(&arrays);
}

// -- Objects --------------------------------------------------------------------------------------

// Returns the offset of the name in the value that contains the class and the name of an object. In
// a text file, the value is "Class::Name". In a binary file, the name is at the beginning, before a
// NUL.
static size_t find_object_name(const fbx_value *value, bool is_binary)
{
    static const char mark[] = "::";
    char *const text = common_format("%.*s", (int)value->size, value->text);
    const char *const found = is_binary ? NULL : strstr(text, mark);
    const size_t offset = found ? (size_t)(found - text) + strlen(mark) : 0;
    free(text);
    return offset;
}

// Returns a copy of the name of an object.
static char *object_name(const fbx_value *value, bool is_binary)
{
    const size_t offset = find_object_name(value, is_binary);
    return common_format("%.*s", (int)(value->size - offset), value->text + offset);
}

// Reads up to `count` numbers of a property. The texts before them (name, type and flags) are
// skipped.
static void read_property_numbers(const fbx_file *file, fbx_range values, double *numbers,
                                  size_t count)
{
    fbx_value value;
    size_t num_read = 0;
    while (num_read < count && fbx_next_value(file, &values, &value)) {
        if (value.kind == FBX_NUMBER)
            numbers[num_read++] = value.number;
    }
}

// Calls `read` with the name and the values of each property of an object. `to` is passed to it.
static void read_properties(const fbx_file *file, const fbx_node *object, void *to,
                            void (*read)(const fbx_file *file, const fbx_value *name,
                                         fbx_range values, void *to))
{
    fbx_range children = object->children;
    fbx_node child;
    while (fbx_next_node(file, &children, &child)) {
        fbx_range properties = child.children;
        fbx_node property;
        if (!fbx_is_named(&child, "Properties70"))
            continue;
        while (fbx_next_node(file, &properties, &property)) {
            fbx_value name;
            if (fbx_next_value(file, &property.values, &name))
                read(file, &name, property.values, to);
        }
    }
}

static const char *const property_names[NUM_FACTORS] = {
    [FBX_TRANSLATION] = "Lcl Translation", [FBX_ROTATION] = "Lcl Rotation",
    [FBX_SCALING] = "Lcl Scaling",         [ROTATION_OFFSET] = "RotationOffset",
    [ROTATION_PIVOT] = "RotationPivot",    [PRE_ROTATION] = "PreRotation",
    [POST_ROTATION] = "PostRotation",      [SCALING_OFFSET] = "ScalingOffset",
    [SCALING_PIVOT] = "ScalingPivot"};

static const char *const geometric_names[FBX_NUM_PROPERTIES] = {
    [FBX_TRANSLATION] = "GeometricTranslation",
    [FBX_ROTATION] = "GeometricRotation",
    [FBX_SCALING] = "GeometricScaling"};

// Returns the first number of a property, or 0.
static double read_property_number(const fbx_file *file, fbx_range values)
{
    double number = 0;
    read_property_numbers(file, values, &number, 1);
    return number;
}

// Returns the inheritance of scale for a value of the property InheritType.
static plain_inheritance find_inheritance(double type)
{
    // Autodesk's names of the values are RrSs, RSrs and Rrs. They show the order of the factors. R
    // and S are the rotation and the scale of the parent, r and s are the rotation and the scale of
    // the node.
    static const plain_inheritance types[] = {PLAIN_INHERIT_SCALE_BY_AXIS, PLAIN_INHERIT_SCALE,
                                              PLAIN_IGNORE_PARENT_SCALE};
    const size_t num_types = COMMON_LENGTH(types);
    const bool is_valid = type >= 0 && type < (double)num_types;
    return is_valid ? types[(size_t)type] : PLAIN_INHERIT_SCALE;
}

// Stores one property of a model in the fbx_model `to`. It may be a factor of the transform, the
// rotation order, a flag of the rotation space, or the inheritance of scale. Ignores other
// properties. A callback for read_properties().
static void read_model_property(const fbx_file *file, const fbx_value *name, fbx_range values,
                                void *to)
{
    fbx_model *const model = to;
    for (int i = 0; i < NUM_FACTORS; i++) {
        if (fbx_is_text(name, property_names[i]))
            read_property_numbers(file, values, model->values[i], 3);
    }
    for (int i = 0; i < FBX_NUM_PROPERTIES; i++) {
        if (fbx_is_text(name, geometric_names[i]))
            read_property_numbers(file, values, model->geometric[i], 3);
    }
    if (fbx_is_text(name, "RotationOrder")) {
        const double order = read_property_number(file, values);
        model->rotation_order = order >= 0 && order < 6 ? (int)order : 0;
    } else if (fbx_is_text(name, "InheritType")) {
        model->inheritance = find_inheritance(read_property_number(file, values));
    } else if (fbx_is_text(name, "RotationActive")) {
        model->is_rotation_active = fabs(read_property_number(file, values)) > 0;
    } else if (fbx_is_text(name, "RotationSpaceForLimitOnly")) {
        model->is_order_for_limits = fabs(read_property_number(file, values)) > 0;
    }
}

// For read_section(): reads the default properties of models from the section "Definitions". Models
// store only the properties that differ from these.
static void read_model_template(fbx_curves *curves, const fbx_node *type)
{
    fbx_range values = type->values;
    fbx_value name;
    fbx_range children = type->children;
    fbx_node child;
    if (!fbx_is_named(type, "ObjectType") || !fbx_next_value(&curves->file, &values, &name)
        || !fbx_is_text(&name, "Model"))
        return;
    while (fbx_next_node(&curves->file, &children, &child)) {
        if (fbx_is_named(&child, "PropertyTemplate"))
            read_properties(&curves->file, &child, &curves->defaults, read_model_property);
    }
}

// Returns the axis of a name: 0 for "d|X", 1 for "d|Y", 2 for "d|Z", -1 for others. The weight of a
// layer, "d|Weight", is stored as axis 0.
static int find_axis(const fbx_value *name)
{
    static const char *const axis_names[3] = {"d|X", "d|Y", "d|Z"};
    for (int axis = 0; axis < 3; axis++) {
        if (fbx_is_text(name, axis_names[axis]))
            return axis;
    }
    return fbx_is_text(name, "d|Weight") ? 0 : -1;
}

// For read_properties(): stores the constant value of one axis of a curve node.
static void read_curve_node_property(const fbx_file *file, const fbx_value *name, fbx_range values,
                                     void *to)
{
    const int axis = find_axis(name);
    if (axis >= 0)
        read_property_numbers(file, values, &((fbx_curve_node *)to)->values[axis], 1);
}

// Receives the LocalStart and LocalStop of a stack, in ticks.
typedef struct stack_span {
    double start;
    double stop;
} stack_span;

// Stores the start or the end of an animation stack, in ticks. For read_properties().
static void read_stack_property(const fbx_file *file, const fbx_value *name, fbx_range values,
                                void *to)
{
    stack_span *const span = to;
    if (fbx_is_text(name, "LocalStart"))
        read_property_numbers(file, values, &span->start, 1);
    else if (fbx_is_text(name, "LocalStop"))
        read_property_numbers(file, values, &span->stop, 1);
}

// Adds the name of a model to an index, in which the nodes of libassimp are looked up. The index
// refers to the first model with a name. If a further model has this name, both models are marked
// as ambiguous.
static void index_model_name(fbx_curves *curves, size_t model)
{
    const char *const name = curves->models[model].name;
    const size_t num_names = curves->names.count;
    const size_t index = common_index_text(&curves->names, name, strlen(name));
    if (index < num_names) {
        curves->models[curves->name_models[index]].has_duplicate_name = true;
        curves->models[model].has_duplicate_name = true;
        return;
    }
    curves->name_models = common_grow(curves->name_models, index, sizeof *curves->name_models);
    curves->name_models[index] = model;
}

// Adds a model, which is a node of the scene.
static void add_model(fbx_curves *curves, const fbx_node *node, const fbx_value *name)
{
    const size_t index = curves->counts[MODEL]++;
    curves->models = common_grow(curves->models, index, sizeof *curves->models);
    fbx_model *const model = &curves->models[index];
    *model = curves->defaults;
    model->name = object_name(name, curves->file.is_binary);
    model->name_offset =
        (size_t)(name->text - curves->file.bytes) + find_object_name(name, curves->file.is_binary);
    for (int i = 0; i < NUM_FACTORS; i++)
        model->links[i] = SIZE_MAX;
    read_properties(&curves->file, node, model, read_model_property);
    index_model_name(curves, index);
}

// Adds an animation stack, which is a clip. In a file without time spans, the start and the end are
// 0. The clip then starts with its first key, which the value INFINITY indicates.
static void add_stack(fbx_curves *curves, const fbx_node *node, const fbx_value *name)
{
    const size_t index = curves->counts[STACK]++;
    stack_span span = {0};
    read_properties(&curves->file, node, &span, read_stack_property);
    curves->stacks = common_grow(curves->stacks, index, sizeof *curves->stacks);
    const bool has_span = span.start < 0 || span.start > 0 || span.stop < 0 || span.stop > 0;
    curves->stacks[index] = (fbx_stack){
        .name = object_name(name, curves->file.is_binary),
        .start = has_span ? span.start / curves->ticks_per_second : INFINITY,
    };
}

// Returns the weight of a layer, 0 to 1, from its value in percent, which may be out of range.
static double weight_from_percent(double percent)
{
    return fmin(fmax(percent / 100, 0), 1);
}

// Stores one property of an animation layer in *to, an fbx_layer. It is a callback for
// read_properties(). Unknown properties are ignored.
static void read_layer_property(const fbx_file *file, const fbx_value *name, fbx_range values,
                                void *to)
{
    fbx_layer *const layer = to;
    double number = 0;
    read_property_numbers(file, values, &number, 1);
    const bool is_set = number < 0 || number > 0;
    if (fbx_is_text(name, "Weight"))
        layer->blending.weight = weight_from_percent(number);
    else if (fbx_is_text(name, "BlendMode"))
        layer->blending.mode = number >= 0 && number <= 2 ? (fbx_blend_mode)number : FBX_OVERRIDE;
    else if (fbx_is_text(name, "RotationAccumulationMode"))
        layer->blending.has_separate_angles = is_set;
    else if (fbx_is_text(name, "ScaleAccumulationMode"))
        layer->blending.has_separate_scaling = is_set;
    else if (fbx_is_text(name, "Mute"))
        layer->is_muted = is_set;
    else if (fbx_is_text(name, "Solo"))
        layer->is_solo = is_set;
}

// Adds an animation layer. Its curves are blended with the result of the layers below it.
static void add_layer(fbx_curves *curves, const fbx_node *node, const fbx_value *name)
{
    const size_t index = curves->counts[LAYER]++;
    curves->layers = common_grow(curves->layers, index, sizeof *curves->layers);
    curves->layers[index] = (fbx_layer){.name = object_name(name, curves->file.is_binary),
                                        .stack = SIZE_MAX,
                                        .blending = {.mode = FBX_ADDITIVE, .weight = 1},
                                        .weight_node = SIZE_MAX};
    read_properties(&curves->file, node, &curves->layers[index], read_layer_property);
}

static void add_curve(fbx_curves *curves, const fbx_node *node)
{
    const size_t index = curves->counts[CURVE]++;
    curves->curves = common_grow(curves->curves, index, sizeof *curves->curves);
    curves->curves[index] = (fbx_curve){.num_keys = 0};
    read_curve(curves, node, &curves->curves[index]);
}

// Adds a curve node and reads its constant values. Connections add its curves later.
static void add_curve_node(fbx_curves *curves, const fbx_node *node)
{
    const size_t index = curves->counts[CURVE_NODE]++;
    curves->curve_nodes = common_grow(curves->curve_nodes, index, sizeof *curves->curve_nodes);
    curves->curve_nodes[index] =
        (fbx_curve_node){.curves = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, .layer = SIZE_MAX};
    read_properties(&curves->file, node, &curves->curve_nodes[index], read_curve_node_property);
}

// Adds an object of a kind. `name` is the second value of its node.
static void add_object_of_kind(fbx_curves *curves, fbx_kind kind, const fbx_node *node,
                               const fbx_value *name)
{
    switch (kind) {
    case MODEL:
        add_model(curves, node, name);
        break;
    case STACK:
        add_stack(curves, node, name);
        break;
    case LAYER:
        add_layer(curves, node, name);
        break;
    case CURVE:
        add_curve(curves, node);
        break;
    default:
        add_curve_node(curves, node);
        break;
    }
}

// Returns the kind of an object, or NUM_KINDS if animation does not need such objects.
static fbx_kind find_kind(const fbx_node *node)
{
    static const char *const names[NUM_KINDS] = {[MODEL] = "Model",
                                                 [CURVE] = "AnimationCurve",
                                                 [CURVE_NODE] = "AnimationCurveNode",
                                                 [LAYER] = "AnimationLayer",
                                                 [STACK] = "AnimationStack"};
    fbx_kind kind = MODEL;
    while (kind < NUM_KINDS && !fbx_is_named(node, names[kind]))
        kind++;
    return kind;
}

// Adds an object of the file if animation needs it. Its id is stored, because connections between
// objects refer to ids.
static void add_object(fbx_curves *curves, const fbx_node *node)
{
    const fbx_kind kind = find_kind(node);
    if (kind == NUM_KINDS)
        return;
    fbx_range values = node->values;
    fbx_value id;
    fbx_value name;
    if (!fbx_next_value(&curves->file, &values, &id)
        || !fbx_next_value(&curves->file, &values, &name) || name.kind != FBX_TEXT)
        return;
    curves->objects = common_grow(curves->objects, curves->num_objects, sizeof *curves->objects);
    curves->objects[curves->num_objects++] = (fbx_object){id.integer, kind, curves->counts[kind]};
    add_object_of_kind(curves, kind, node, &name);
}

// For sorting and bsearch: orders objects by their ids.
static int compare_objects(const void *a, const void *b)
{
    const int64_t x = ((const fbx_object *)a)->id;
    const int64_t y = ((const fbx_object *)b)->id;
    return (x > y) - (x < y);
}

// Returns the object with an id, or NULL if it was not added.
static const fbx_object *find_object(const fbx_curves *curves, const fbx_value *id)
{
    const fbx_object key = {.id = id->integer};
    if (curves->num_objects == 0)
        return NULL;
    return bsearch(&key, curves->objects, curves->num_objects, sizeof key, compare_objects);
}

// -- Connections ----------------------------------------------------------------------------------

// Adds a layer to its stack. The order of the connections in the file is the order in which layers
// are blended.
static void connect_layer(fbx_curves *curves, fbx_layer *layer, size_t stack)
{
    if (layer->stack != SIZE_MAX)
        return;
    layer->stack = stack;
    layer->position = curves->stacks[stack].num_layers++;
    curves->stacks[stack].has_solo |= layer->is_solo;
}

// Connects a curve node to a property of a model. Does nothing if the property is not a factor of
// the model's transform.
static void connect_property(fbx_curves *curves, size_t curve_node, size_t model,
                             const fbx_value *property)
{
    for (int i = 0; i < NUM_FACTORS; i++) {
        if (!fbx_is_text(property, property_names[i]))
            continue;
        curves->links = common_grow(curves->links, curves->num_links, sizeof *curves->links);
        curves->links[curves->num_links] = (fbx_link){
            .curve_node = curve_node, .model = model, .property = i, .order = curves->num_links};
        curves->num_links++;
    }
}

// Stores a connection between two known objects: `child` belongs to `property` of `parent`. See the
// graph at the head of this file. Connections of other kinds are ignored.
static void connect_objects(fbx_curves *curves, const fbx_object *child, const fbx_object *parent,
                            const fbx_value *property)
{
    if (child->kind == LAYER && parent->kind == STACK) {
        connect_layer(curves, &curves->layers[child->index], parent->index);
    } else if (child->kind == CURVE_NODE && parent->kind == LAYER) {
        if (fbx_is_text(property, "Weight"))
            curves->layers[parent->index].weight_node = child->index;
        else
            curves->curve_nodes[child->index].layer = parent->index;
    } else if (child->kind == CURVE && parent->kind == CURVE_NODE) {
        const int axis = find_axis(property);
        if (axis >= 0)
            curves->curve_nodes[parent->index].curves[axis] = child->index;
    } else if (child->kind == CURVE_NODE && parent->kind == MODEL) {
        connect_property(curves, child->index, parent->index, property);
    }
}

// Reads a connection. It consists of its kind, the id of the child and the id of the parent. A
// connection of kind "OP" connects an object to a property. It also contains the name of this
// property of the parent.
static void read_connection(fbx_curves *curves, const fbx_node *node)
{
    const fbx_file *const file = &curves->file;
    fbx_range values = node->values;
    fbx_value kind;
    fbx_value child_id;
    fbx_value parent_id;
    fbx_value property = {.kind = FBX_TEXT, .text = ""};
    if (!fbx_next_value(file, &values, &kind) || !fbx_next_value(file, &values, &child_id)
        || !fbx_next_value(file, &values, &parent_id))
        return;
    if (fbx_is_text(&kind, "OP") && !fbx_next_value(file, &values, &property))
        return;
    const fbx_object *const child = find_object(curves, &child_id);
    const fbx_object *const parent = find_object(curves, &parent_id);
    if (child && parent)
        connect_objects(curves, child, parent, &property);
}

// Calls `read` for each child of the top-level nodes with a name, such as "Objects".
static void read_section(fbx_curves *curves, const char *name,
                         void (*read)(fbx_curves *curves, const fbx_node *node))
{
    fbx_range top = fbx_top_level(&curves->file);
    fbx_node section;
    fbx_node node;
    while (fbx_next_node(&curves->file, &top, &section)) {
        fbx_range children = section.children;
        if (!fbx_is_named(&section, name))
            continue;
        while (fbx_next_node(&curves->file, &children, &node))
            read(curves, &node);
    }
}

// For read_section(): marks a file in which a geometry contains its morph targets, as in FBX 6.
static void find_old_shapes(fbx_curves *curves, const fbx_node *object)
{
    fbx_range children = object->children;
    fbx_node child;
    if (!fbx_is_named(object, "Geometry"))
        return;
    while (fbx_next_node(&curves->file, &children, &child))
        curves->has_old_shapes |= fbx_is_named(&child, "Shape");
}

// Orders the links of a property by the position of their layer, then by their order in the
// file.
static int compare_links(const void *a, const void *b)
{
    const fbx_link *const x = a;
    const fbx_link *const y = b;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// Sorts the links by the positions of their layers, so that layers are blended in this order.
static void sort_links(fbx_curves *curves)
{
    for (size_t i = 0; i < curves->num_links; i++) {
        const size_t layer = curves->curve_nodes[curves->links[i].curve_node].layer;
        curves->links[i].position = layer != SIZE_MAX ? curves->layers[layer].position : SIZE_MAX;
    }
    common_sort(curves->links, curves->num_links, sizeof *curves->links, compare_links);
}

// Finds the first node of a range with a name. Returns false if there is no such node.
static bool find_node(const fbx_file *file, fbx_range nodes, const char *name, fbx_node *found)
{
    while (fbx_next_node(file, &nodes, found)) {
        if (fbx_is_named(found, name))
            return true;
    }
    return false;
}

// Returns the first value of the node of a range with a name, or `fallback` if there is no such
// node.
static double read_node_number(const fbx_file *file, fbx_range nodes, const char *name,
                               double fallback)
{
    fbx_node node;
    fbx_value value;
    if (!find_node(file, nodes, name, &node) || !fbx_next_value(file, &node.values, &value))
        return fallback;
    return value.number;
}

// Returns the number of ticks per second of the times in a file. FBX 8 has another time unit. A
// file uses it if its header has at least version 1004 and TCDefinition is not 127.
static double read_ticks_per_second(const fbx_file *file)
{
    const double ticks_of_version_8 = 141120000.0;
    const double min_header_version = 1004;
    const double definition_of_version_7 = 127;
    fbx_node header;
    fbx_node flags;
    if (!find_node(file, fbx_top_level(file), "FBXHeaderExtension", &header)
        || !find_node(file, header.children, "OtherFlags", &flags))
        return ticks_of_version_7;

    const double header_version = read_node_number(file, header.children, "FBXHeaderVersion", 0);
    const double definition =
        read_node_number(file, flags.children, "TCDefinition", definition_of_version_7);
    const bool has_unit_of_7 = fabs(definition - definition_of_version_7) < 0.5;
    if (has_unit_of_7 || header_version < min_header_version)
        return ticks_of_version_7;
    return ticks_of_version_8;
}

// Reads all models, curves, layers and stacks of a file and connects them. Returns NULL if the
// file is not FBX 7 or has no models.
fbx_curves *fbx_read_curves(const convert_job *job, const char *bytes, size_t size)
{
    fbx_file file;
    if (!fbx_open(bytes, size, &file))
        return NULL;
    fbx_curves *const curves = common_alloc(1, sizeof *curves);
    *curves = (fbx_curves){.job = job,
                           .file = file,
                           .ticks_per_second = read_ticks_per_second(&file),
                           .defaults = {.values = {[FBX_SCALING] = {1, 1, 1}},
                                        .geometric = {[FBX_SCALING] = {1, 1, 1}},
                                        .is_rotation_active = true}};
    read_section(curves, "Definitions", read_model_template);
    read_section(curves, "Objects", add_object);
    common_sort(curves->objects, curves->num_objects, sizeof *curves->objects, compare_objects);
    read_section(curves, "Objects", find_old_shapes);
    read_section(curves, "Connections", read_connection);
    sort_links(curves);
    if (curves->counts[MODEL] > 0)
        return curves;
    fbx_free_curves(curves);
    return NULL;
}

static void free_model_names(fbx_model *model)
{
    free(model->name);
    free(model->title);
}

// Frees the objects of all kinds, their links, and the structure itself. Accepts NULL.
void fbx_free_curves(fbx_curves *curves)
{
    if (!curves)
        return;
    for (size_t i = 0; i < curves->counts[MODEL]; i++)
        free_model_names(&curves->models[i]);

    for (size_t i = 0; i < curves->counts[CURVE]; i++)
        free(curves->curves[i].keys);

    for (size_t i = 0; i < curves->counts[STACK]; i++)
        free(curves->stacks[i].name);

    for (size_t i = 0; i < curves->counts[LAYER]; i++)
        free(curves->layers[i].name);

    common_free_text_index(&curves->names);
    free(curves->name_models);
    free(curves->renamed_bytes);
    free(curves->objects);
    free(curves->models);
    free(curves->curves);
    free(curves->curve_nodes);
    free(curves->layers);
    free(curves->stacks);
    free(curves->links);
    free(curves);
}

// -- Unique names ---------------------------------------------------------------------------------

// Gives a model a new name of the same length in curves->renamed_bytes. Only its last characters
// change. Returns false if no unused name was found, for example because the name is empty.
static bool rename_model(fbx_curves *curves, size_t model_index)
{
    enum { MAX_DIGITS = 6, MAX_TRIES = 64 };
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    const size_t base = sizeof digits - 1;
    fbx_model *const model = &curves->models[model_index];
    const size_t length = strlen(model->name);
    char *const name = common_copy(model->name);
    bool is_unused = false;
    for (int i = 0; i < MAX_TRIES && !is_unused; i++) {
        size_t number = curves->num_new_names++;
        for (size_t k = 0; k < MAX_DIGITS && k < length; k++) {
            name[length - 1 - k] = digits[number % base];
            number /= base;
        }
        is_unused = !common_has_text(&curves->names, name);
    }
    if (!is_unused) {
        free(name);
        return false;
    }

    memcpy(curves->renamed_bytes + model->name_offset, name, length);
    model->title = model->name;
    model->name = name;
    index_model_name(curves, model_index);
    return true;
}

// Returns the first model with a name. A model must have this name.
static size_t find_first_model(fbx_curves *curves, const char *name)
{
    return curves->name_models[common_index_text(&curves->names, name, strlen(name))];
}

// Returns true if a model has the name of an earlier model.
static bool has_equal_names(const fbx_curves *curves)
{
    bool has_equal = false;
    for (size_t i = 0; i < curves->counts[MODEL]; i++)
        has_equal |= curves->models[i].has_duplicate_name;
    return has_equal;
}

const char *fbx_rename_models(fbx_curves *curves)
{
    const fbx_file *const file = &curves->file;
    if (!has_equal_names(curves) || !convert_can_charge_bytes(curves->job, file->size, 1))
        return file->bytes;
    curves->renamed_bytes = common_alloc(file->size, 1);
    memcpy(curves->renamed_bytes, file->bytes, file->size);
    for (size_t i = 0; i < curves->counts[MODEL]; i++) {
        fbx_model *const model = &curves->models[i];
        if (!model->has_duplicate_name)
            continue;
        const size_t first = find_first_model(curves, model->name);
        model->has_duplicate_name = first != i && !rename_model(curves, i);
        curves->models[first].has_duplicate_name |= model->has_duplicate_name;
    }
    return curves->renamed_bytes;
}

const char *fbx_ambiguous_name(const fbx_curves *curves)
{
    for (size_t i = 0; i < curves->counts[MODEL]; i++) {
        if (curves->models[i].has_duplicate_name)
            return curves->models[i].name;
    }
    return NULL;
}

// -- Evaluation -----------------------------------------------------------------------------------

// Returns the index of the only model with a name; SIZE_MAX if no model or several models have
// it.
size_t fbx_find_model(fbx_curves *curves, const char *name)
{
    if (!common_has_text(&curves->names, name))
        return SIZE_MAX;
    const size_t number = common_index_text(&curves->names, name, strlen(name));
    const size_t model = curves->name_models[number];
    return curves->models[model].has_duplicate_name ? SIZE_MAX : model;
}

// Returns the time of the first key of a curve node; INFINITY without keys.
static double first_time(const fbx_curves *curves, const fbx_curve_node *node)
{
    double first = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        const fbx_curve *const curve =
            node->curves[axis] != SIZE_MAX ? &curves->curves[node->curves[axis]] : NULL;
        if (curve && curve->keys)
            first = fmin(first, curve->keys[0].time);
    }
    return first;
}

// Returns the index of the stack (a clip of FBX) with a name. Returns SIZE_MAX if no stack or
// several stacks have this name.
static size_t find_stack(const fbx_curves *curves, const char *name)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < curves->counts[STACK]; i++) {
        if (strcmp(curves->stacks[i].name, name) != 0)
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

// Removes the links of all models to the curves of the previous clip.
static void disconnect_models(fbx_curves *curves)
{
    for (size_t i = 0; i < curves->counts[MODEL]; i++) {
        fbx_model *const model = &curves->models[i];
        model->blended_layer = NULL;
        for (int property = 0; property < NUM_FACTORS; property++)
            model->links[property] = SIZE_MAX;
    }
    curves->num_blended = 0;
    curves->skipped_layer = NULL;
}

// Appends a link to the list of links of its property. The list has one link for each layer that
// animates the property.
static void append_link(fbx_curves *curves, size_t index, const fbx_layer *layer)
{
    fbx_link *const link = &curves->links[index];
    fbx_model *const model = &curves->models[link->model];
    link->next = SIZE_MAX;
    if (model->links[link->property] == SIZE_MAX) {
        model->links[link->property] = index;
    } else {
        curves->links[model->last_links[link->property]].next = index;
        curves->num_blended++;
    }
    model->last_links[link->property] = index;
    if (layer->position > 0)
        model->blended_layer = layer->name;
}

// Connects the properties of the models to the curves of a stack. Muted layers are skipped. If the
// stack has solo layers, all layers that are not solo are skipped. Returns the time of the first
// key, or INFINITY without keys.
static double connect_links(fbx_curves *curves, size_t stack)
{
    double first = INFINITY;
    const bool has_solo = curves->stacks[stack].has_solo;
    for (size_t i = 0; i < curves->num_links; i++) {
        const fbx_curve_node *const node = &curves->curve_nodes[curves->links[i].curve_node];
        if (node->layer == SIZE_MAX || curves->layers[node->layer].stack != stack)
            continue;
        const fbx_layer *const layer = &curves->layers[node->layer];
        const bool is_active = has_solo ? layer->is_solo : !layer->is_muted;
        if (!is_active) {
            curves->skipped_layer = layer->name;
            continue;
        }
        append_link(curves, i, layer);
        first = fmin(first, first_time(curves, node));
    }
    return first;
}

// Selects a clip: connects the models to the curves of its stack. Also finds the time at which the
// clip starts.
bool fbx_select_clip(fbx_curves *curves, const char *name)
{
    const uint64_t cost =
        (uint64_t)curves->counts[STACK] + curves->counts[MODEL] + curves->num_links;
    if (!convert_can_charge(curves->job, cost))
        return false;
    disconnect_models(curves);
    const size_t stack = find_stack(curves, name);
    if (stack == SIZE_MAX)
        return false;

    const double first = connect_links(curves, stack);
    curves->start = curves->stacks[stack].start;
    if (!isfinite(curves->start))
        curves->start = isfinite(first) ? first : 0;
    return true;
}

// Returns true if the selected clip animates a property of a model.
bool fbx_is_animated(const fbx_curves *curves, size_t model)
{
    for (int property = 0; property < NUM_FACTORS; property++) {
        if (curves->models[model].links[property] != SIZE_MAX)
            return true;
    }
    return false;
}

// Returns true if all curves of a curve node are valid.
static bool is_curve_node_valid(const fbx_curves *curves, size_t curve_node)
{
    for (int axis = 0; axis < 3; axis++) {
        const size_t curve = curves->curve_nodes[curve_node].curves[axis];
        if (curve != SIZE_MAX && !curves->curves[curve].keys)
            return false;
    }
    return true;
}

// Returns false if a curve of the link, or of the weight of its layer, cannot be evaluated.
static bool is_link_valid(const fbx_curves *curves, const fbx_link *link)
{
    const size_t layer = curves->curve_nodes[link->curve_node].layer;
    const size_t weight_node = curves->layers[layer].weight_node;
    const bool is_weight_valid =
        weight_node == SIZE_MAX || is_curve_node_valid(curves, weight_node);
    return is_weight_valid && is_curve_node_valid(curves, link->curve_node);
}

// Returns true if all curves that move a model can be evaluated.
bool fbx_is_supported(const fbx_curves *curves, size_t model)
{
    for (int property = 0; property < NUM_FACTORS; property++) {
        const size_t first = curves->models[model].links[property];
        for (size_t i = first; i != SIZE_MAX; i = curves->links[i].next) {
            if (!is_link_valid(curves, &curves->links[i]))
                return false;
        }
    }
    return true;
}

size_t fbx_num_models(const fbx_curves *curves)
{
    return curves->counts[MODEL];
}

const char *fbx_model_name(const fbx_curves *curves, size_t model)
{
    const fbx_model *const named = &curves->models[model];
    return named->title ? named->title : named->name;
}

const char *fbx_blended_layer(const fbx_curves *curves, size_t model)
{
    return curves->models[model].blended_layer;
}

const char *fbx_skipped_layer(const fbx_curves *curves)
{
    return curves->skipped_layer;
}

// Returns true if any clip of the file has a second layer with curves.
bool fbx_has_blended_layers(const fbx_curves *curves)
{
    for (size_t i = 0; i < curves->num_links; i++) {
        if (curves->links[i].position != SIZE_MAX && curves->links[i].position > 0)
            return true;
    }
    return false;
}

size_t fbx_num_blended(const fbx_curves *curves)
{
    return curves->num_blended;
}

bool fbx_has_old_shapes(const fbx_curves *curves)
{
    return curves->has_old_shapes;
}

double fbx_time_factor(const fbx_curves *curves)
{
    return ticks_of_version_7 / curves->ticks_per_second;
}

// Returns the parameter t at which a cubic Bézier curve from 0 to 1 has the value x. The inner
// control points x1 and x2 are from 0 to 1. The curve therefore never decreases, and bisection
// finds t.
static double find_parameter(double x1, double x2, double x)
{
    double low = 0;
    double high = 1;
    for (int i = 0; i < 50; i++) {
        const double t = (low + high) / 2;
        const double u = 1 - t;
        const double curve_x = 3 * u * u * t * x1 + 3 * u * t * t * x2 + t * t * t;
        if (curve_x < x)
            low = t;
        else
            high = t;
    }
    return (low + high) / 2;
}

// Evaluates the curve between two adjacent keys: constant, linear, or a cubic Bézier curve. Each of
// its inner control points is at the end of a tangent of a key. The length of a tangent in time is
// the weight times the distance of the keys.
static double evaluate_segment(const fbx_key *a, const fbx_key *b, double time)
{
    const double length = b->time - a->time;
    const double x = (time - a->time) / length;
    if (a->flags & KEY_CONSTANT)
        return a->flags & KEY_NEXT ? b->value : a->value;
    if (!(a->flags & KEY_CUBIC))
        return a->value + (b->value - a->value) * x;

    // With default weights, the time is a linear function of the parameter.
    const double a_weight = a->weights[1];
    const double b_weight = b->weights[0];
    const bool is_even =
        fabs(a_weight - DEFAULT_WEIGHT) < 1e-5 && fabs(b_weight - DEFAULT_WEIGHT) < 1e-5;
    const double t = is_even ? x : find_parameter(a_weight, 1 - b_weight, x);
    const double u = 1 - t;
    const double y1 = a->value + a->slopes[1] * a_weight * length;
    const double y2 = b->value - b->slopes[0] * b_weight * length;
    return u * u * u * a->value + 3 * u * u * t * y1 + 3 * u * t * t * y2 + t * t * t * b->value;
}

// Returns the value of a curve at a time. Before the first key and after the last key, it is the
// value of this key.
static double evaluate_keys(const fbx_curve *curve, double time)
{
    size_t first = 0;
    size_t high = curve->num_keys;
    while (high - first > 1) {
        const size_t middle = first + (high - first) / 2;
        if (curve->keys[middle].time <= time)
            first = middle;
        else
            high = middle;
    }
    const fbx_key *const key = &curve->keys[first];
    if (time <= key->time || first + 1 == curve->num_keys)
        return key->value;
    return evaluate_segment(key, key + 1, time);
}

// Returns the value of a curve outside of its keys, where it repeats. Repetitions are forward,
// mirrored every other time, or shifted so that each begins where the previous one ends. `distance`
// is the time from the nearest key. `is_before` is true before the first key.
static double repeat_curve(const fbx_curve *curve, const fbx_extrapolation *extrapolation,
                           bool is_before, double distance)
{
    const fbx_key *const first = &curve->keys[0];
    const fbx_key *const last = &curve->keys[curve->num_keys - 1];
    const double duration = last->time - first->time;
    double cycle = floor(distance / duration);   // index of the repetition
    double offset = distance - cycle * duration; // from the start of the repetition
    if (extrapolation->count > 0 && cycle >= extrapolation->count) {
        cycle = extrapolation->count - 1; // after the last repetition its end is held
        offset = duration;
    }

    const bool is_even = fmod(cycle, 2) < 1;
    const bool is_mirrored = extrapolation->type == EXTRAPOLATE_MIRROR && is_even;
    const bool is_backward = is_mirrored != is_before;
    const double time = is_backward ? last->time - offset : first->time + offset;
    const double value = evaluate_keys(curve, time);
    if (extrapolation->type != EXTRAPOLATE_REPEAT_OFFSET)
        return value;
    const double step = is_before ? first->value - last->value : last->value - first->value;
    return value + step * (cycle + 1);
}

// Returns true if an extrapolation repeats the curve.
static bool is_repeating(const fbx_curve *curve, const fbx_extrapolation *extrapolation)
{
    const bool has_duration = curve->keys[curve->num_keys - 1].time - curve->keys[0].time > 0;
    const bool is_repeating_type = extrapolation->type == EXTRAPOLATE_REPEAT
                                   || extrapolation->type == EXTRAPOLATE_MIRROR
                                   || extrapolation->type == EXTRAPOLATE_REPEAT_OFFSET;
    return is_repeating_type && has_duration && extrapolation->count != 0;
}

// Returns the value of a curve before its first or after its last key.
static double extrapolate_curve(const fbx_curve *curve, double time)
{
    const fbx_key *const first = &curve->keys[0];
    const fbx_key *const last = &curve->keys[curve->num_keys - 1];
    const bool is_before = time < first->time;
    const fbx_extrapolation *const extrapolation = is_before ? &curve->before : &curve->after;
    if (is_repeating(curve, extrapolation)) {
        const double distance = is_before ? first->time - time : time - last->time;
        return repeat_curve(curve, extrapolation, is_before, distance);
    }

    const fbx_key *const nearest = is_before ? first : last;
    if (extrapolation->type != EXTRAPOLATE_SLOPE)
        return nearest->value;
    const double slope = nearest->slopes[is_before ? 1 : 0]; // slope on the side of the other keys
    return nearest->value + slope * (time - nearest->time);
}

// Returns the value of a curve at a time, with extrapolation.
static double evaluate_curve(const fbx_curve *curve, double time)
{
    const bool is_inside =
        time >= curve->keys[0].time && time <= curve->keys[curve->num_keys - 1].time;
    return is_inside ? evaluate_keys(curve, time) : extrapolate_curve(curve, time);
}

// Returns the three values of a curve node at a time. An axis without a curve has a constant
// value.
static convert_vec evaluate_curve_node(const fbx_curves *curves, size_t curve_node, double time)
{
    const fbx_curve_node *const node = &curves->curve_nodes[curve_node];
    double values[3];
    for (int axis = 0; axis < 3; axis++) {
        const size_t curve = node->curves[axis];
        values[axis] = node->values[axis];
        if (curve != SIZE_MAX)
            values[axis] = evaluate_curve(&curves->curves[curve], time);
    }
    return (convert_vec){values[0], values[1], values[2]};
}

// Returns true if the rotation order, the pre-rotation and the post-rotation of a model take
// effect. Otherwise the model rotates in the order x, y, z. The file may still contain these
// properties from an earlier state of the model, or only for limits of its rotation.
static bool has_rotation_space(const fbx_model *model)
{
    return model->is_rotation_active && !model->is_order_for_limits;
}

// Returns a property of a model at a time. The values of further layers are blended over the value
// of the lowest layer, in their order. Without links, it is the value at rest.
static convert_vec evaluate_property(const fbx_curves *curves, const fbx_model *model, int property,
                                     double time)
{
    const double *const rest = model->values[property];
    const int order = has_rotation_space(model) ? model->rotation_order : 0;
    convert_vec result = {rest[0], rest[1], rest[2]};
    for (size_t i = model->links[property]; i != SIZE_MAX; i = curves->links[i].next) {
        const size_t curve_node = curves->links[i].curve_node;
        const fbx_layer *const layer = &curves->layers[curves->curve_nodes[curve_node].layer];
        const convert_vec value = evaluate_curve_node(curves, curve_node, time);
        if (layer->position == 0) {
            result = value;
            continue;
        }
        fbx_blending blending = layer->blending;
        if (layer->weight_node != SIZE_MAX)
            blending.weight =
                weight_from_percent(evaluate_curve_node(curves, layer->weight_node, time).x);
        result = fbx_blend_layer(&blending, property, order, result, value);
    }
    return result;
}

// -- Transforms -----------------------------------------------------------------------------------

static convert_affine translation_matrix(convert_vec v)
{
    convert_affine a = convert_identity;
    a.c[3] = v;
    return a;
}

static convert_affine scaling_matrix(convert_vec v)
{
    return (convert_affine){{{v.x, 0, 0}, {0, v.y, 0}, {0, 0, v.z}, {0, 0, 0}}};
}

// Returns the rotation around an axis.
static convert_affine axis_rotation(int axis, double degrees)
{
    const double radians = degrees * (3.14159265358979323846 / 180);
    const double c = cos(radians);
    const double s = sin(radians);
    if (axis == 0)
        return (convert_affine){{{1, 0, 0}, {0, c, s}, {0, -s, c}, {0, 0, 0}}};
    if (axis == 1)
        return (convert_affine){{{c, 0, -s}, {0, 1, 0}, {s, 0, c}, {0, 0, 0}}};
    return (convert_affine){{{c, s, 0}, {-s, c, 0}, {0, 0, 1}, {0, 0, 0}}};
}

// Returns the product of the rotations about the x, y and z axes by these angles. `order` is an
// index into fbx_rotation_orders; the rotation about the first axis of the order is applied first.
static convert_affine euler_rotation(convert_vec degrees, int order)
{
    const double angles[3] = {degrees.x, degrees.y, degrees.z};
    convert_affine product = convert_identity;
    for (int i = 0; i < 3; i++) {
        const int axis = fbx_rotation_orders[order][i];
        const convert_affine rotation = axis_rotation(axis, angles[axis]);
        product = convert_mul_affine(&rotation, &product);
    }
    return product;
}

// Returns the rotation of a model in its rotation space: Rpre R Rpost^-1. R has the rotation order
// of the model; the two other rotations have the order x, y, z.
static convert_affine rotate_in_space(const fbx_model *model, const convert_vec values[NUM_FACTORS])
{
    const convert_affine pre = euler_rotation(values[PRE_ROTATION], 0);
    const convert_affine rotation = euler_rotation(values[FBX_ROTATION], model->rotation_order);
    const convert_affine post = euler_rotation(values[POST_ROTATION], 0);
    convert_affine post_inverse = convert_identity;
    convert_invert_affine(&post, &post_inverse);
    const convert_affine pre_and_rotation = convert_mul_affine(&pre, &rotation);
    return convert_mul_affine(&pre_and_rotation, &post_inverse);
}

// Returns the transform of a model relative to its parent for the given values of its properties.
// It is the product of the FBX factors, such as translation, pivots, rotation and scale. If
// `in_space` is true, the rotation is in the rotation space of the model. It then has the rotation
// order of the model, and is between the pre-rotation and the post-rotation. Otherwise the rotation
// has the order x, y, z, and the pre-rotation and the post-rotation are ignored. See
// has_rotation_space().
static convert_affine compose(const fbx_model *model, const convert_vec values[NUM_FACTORS],
                              bool in_space)
{
    const convert_vec rotation_pivot = values[ROTATION_PIVOT];
    const convert_vec scaling_pivot = values[SCALING_PIVOT];
    const convert_affine factors[] = {
        translation_matrix(values[FBX_TRANSLATION]),
        translation_matrix(values[ROTATION_OFFSET]),
        translation_matrix(rotation_pivot),
        in_space ? rotate_in_space(model, values) : euler_rotation(values[FBX_ROTATION], 0),
        translation_matrix(convert_times(rotation_pivot, -1)),
        translation_matrix(values[SCALING_OFFSET]),
        translation_matrix(scaling_pivot),
        scaling_matrix(values[FBX_SCALING]),
        translation_matrix(convert_times(scaling_pivot, -1)),
    };
    convert_affine product = factors[0];
    for (size_t i = 1; i < COMMON_LENGTH(factors); i++)
        product = convert_mul_affine(&product, &factors[i]);

    return product;
}

// Returns the transform of a model relative to its parent, at a time in seconds since the start
// of the selected clip.
convert_affine fbx_evaluate(const fbx_curves *curves, size_t model, double seconds)
{
    const fbx_model *const transforms = &curves->models[model];
    const double time = curves->start + seconds;
    convert_vec values[NUM_FACTORS];
    for (int i = 0; i < NUM_FACTORS; i++)
        values[i] = evaluate_property(curves, transforms, i, time);
    return compose(transforms, values, has_rotation_space(transforms));
}

plain_inheritance fbx_scale_inheritance(const fbx_curves *curves, size_t model)
{
    return curves->models[model].inheritance;
}

// Returns true if the factors of a model's scale are neither all positive nor all negative.
bool fbx_has_mixed_scale(const fbx_curves *curves, size_t model)
{
    const double *const scale = curves->models[model].values[FBX_SCALING];
    const bool is_positive = scale[0] > 0 && scale[1] > 0 && scale[2] > 0;
    const bool is_negative = scale[0] < 0 && scale[1] < 0 && scale[2] < 0;
    return !is_positive && !is_negative;
}

bool fbx_has_rotation_space(const fbx_curves *curves, size_t model)
{
    return has_rotation_space(&curves->models[model]);
}

static convert_vec vec_from_numbers(const double numbers[3])
{
    return (convert_vec){numbers[0], numbers[1], numbers[2]};
}

// Returns the product of the geometric factors of a model. The rotation order of the model does not
// apply to its geometric rotation.
convert_affine fbx_geometric_factor(const fbx_curves *curves, size_t model)
{
    const fbx_model *const transforms = &curves->models[model];
    const convert_affine moved =
        translation_matrix(vec_from_numbers(transforms->geometric[FBX_TRANSLATION]));
    const convert_affine rotated =
        euler_rotation(vec_from_numbers(transforms->geometric[FBX_ROTATION]), 0);
    const convert_affine scaled =
        scaling_matrix(vec_from_numbers(transforms->geometric[FBX_SCALING]));
    const convert_affine placed = convert_mul_affine(&moved, &rotated);
    return convert_mul_affine(&placed, &scaled);
}

// Returns the transform of a model relative to its parent without animation. `in_space`: with the
// rotation order, the pre-rotation and the post-rotation, see compose().
convert_affine fbx_rest_transform(const fbx_curves *curves, size_t model, bool in_space)
{
    const fbx_model *const transforms = &curves->models[model];
    convert_vec values[NUM_FACTORS];
    for (int i = 0; i < NUM_FACTORS; i++)
        values[i] = vec_from_numbers(transforms->values[i]);
    return compose(transforms, values, in_space);
}
