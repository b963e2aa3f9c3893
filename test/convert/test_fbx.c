// Animation curves of FBX files: values between keys, layers, and damaged files.
#include "test/test.h"

#include "demo/convert/budget.h"
#include "demo/convert/fbx_curves.h"

static const char text[] =
    "; FBX 7.4.0 project file\n"
    "Objects: {\n"
    "    Model: 1, \"Model::door\", \"Null\" {\n"
    "        Properties70: {\n"
    "            P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",1,2,3\n"
    "            P: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",1,1,2\n"
    "        }\n"
    "    }\n"
    "    AnimationStack: 2, \"AnimStack::open\", \"\" { }\n"
    "    AnimationLayer: 3, \"AnimLayer::base\", \"\" { }\n"
    "    AnimationCurveNode: 4, \"AnimCurveNode::T\", \"\" {\n"
    "        Properties70: { P: \"d|Z\", \"Number\", \"\", \"A\",7 }\n"
    "    }\n"
    "    AnimationCurve: 5, \"AnimCurve::\", \"\" {\n"
    "        KeyTime: *2 { a: 46186158000,92372316000 }\n"
    "        KeyValueFloat: *2 { a: 10,20 }\n"
    "        KeyAttrFlags: *1 { a: 1032 }\n"
    "        KeyAttrDataFloat: *4 { a: 0,0,218434821,0 }\n"
    "        KeyAttrRefCount: *1 { a: 2 }\n"
    "        Post-Extrapolation: { Type: K\n Repetition: -1 }\n"
    "    }\n"
    "}\n"
    "Connections: {\n"
    "    C: \"OO\",3,2\n"
    "    C: \"OO\",4,3\n"
    "    C: \"OP\",4,1, \"Lcl Translation\"\n"
    "    C: \"OP\",5,4, \"d|X\"\n"
    "}\n";

// Reads a copy of a text whose end is the end of an allocation. Returns NULL if the text is not
// FBX.
static fbx_curves *read_copy(const char *from, size_t size, char **copy, convert_budget *budget,
                             convert_job *job)
{
    *copy = test_calloc(size + 1, 1);
    memcpy(*copy, from, size);
    convert_begin_budget(budget, size);
    *job = (convert_job){.budget = budget};
    return fbx_read_curves(job, *copy, size);
}

static void end_copy(fbx_curves *curves, char *copy, convert_budget *budget, const convert_job *job)
{
    fbx_free_curves(curves);
    convert_end_budget(budget, job);
    free(copy);
}

// The clip begins at the first key, at 1 s. The curve is 10 + 10 (3 u^2 - 2 u^3), because both
// slopes are 0.
TEST (fbx_curves_are_evaluated) {
    convert_budget budget;
    convert_job job;
    char *copy = NULL;
    fbx_curves *const curves = read_copy(text, strlen(text), &copy, &budget, &job);
    REQUIRE(curves);
    const size_t model = fbx_find_model(curves, "door");
    CHECK(fbx_find_model(curves, "window") == SIZE_MAX);
    REQUIRE(model == 0);
    CHECK(!fbx_select_clip(curves, "close"));
    CHECK(!fbx_is_animated(curves, model));
    REQUIRE(fbx_select_clip(curves, "open"));
    CHECK(fbx_is_animated(curves, model) && fbx_is_supported(curves, model));
    const convert_affine rest = fbx_rest_transform(curves, model, true);
    CHECK_NEAR(rest.c[3].x, 1, 0);
    CHECK_NEAR(rest.c[3].z, 3, 0);
    CHECK_NEAR(rest.c[2].z, 2, 0);
    for (int i = 0; i <= 8; i++) {
        const double u = i / 8.0;
        const convert_affine transform = fbx_evaluate(curves, model, u);
        CHECK_NEAR(transform.c[3].x, 10 + 10 * (3 * u * u - 2 * u * u * u), 1e-5);
        CHECK_NEAR(transform.c[3].y, 0, 0);
        CHECK_NEAR(transform.c[3].z, 7, 0);
    }
    CHECK_NEAR(fbx_evaluate(curves, model, -1).c[3].x, 10, 0);
    CHECK_NEAR(fbx_evaluate(curves, model, 5).c[3].x, 20, 1e-5);

    // Selecting a clip costs one element for each clip, model and animated property: here 3.
    const uint64_t limit = convert_max_elements(budget.file_size);
    budget.num_elements = limit - 2;
    CHECK(!fbx_select_clip(curves, "open"));
    CHECK_UINT(budget.num_elements, limit - 2);
    budget.num_elements = limit - 3;
    CHECK(fbx_select_clip(curves, "open"));
    CHECK_UINT(budget.num_elements, limit);
    end_copy(curves, copy, &budget, &job);
}

// Writes the text with a part replaced.
static void replace_part(const char *part, const char *replacement, char *changed, size_t size)
{
    const char *const at = strstr(text, part);
    REQUIRE(at);
    snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, replacement, at + strlen(part));
}

// Returns x of the door at a time, with a part of the text replaced.
static double changed_x(const char *part, const char *replacement, double seconds)
{
    char changed[sizeof text + 100];
    convert_budget budget;
    convert_job job;
    char *copy = NULL;
    replace_part(part, replacement, changed, sizeof changed);
    fbx_curves *const curves = read_copy(changed, strlen(changed), &copy, &budget, &job);
    const bool is_usable = curves && fbx_select_clip(curves, "open") && fbx_is_supported(curves, 0);
    const double x = is_usable ? fbx_evaluate(curves, 0, seconds).c[3].x : NAN;
    end_copy(curves, copy, &budget, &job);
    return x;
}

// Before its first key and after its last key, a curve of type K continues with the slope of that
// key, here 3 and 4 per second. The text contains the bits of these numbers.
TEST (fbx_curves_continue_with_their_slope) {
    static const char end[] =
        "0,0,218434821,0 }\n        KeyAttrRefCount: *1 { a: 2 }\n        Post";
    static const char before[] =
        "1077936128,1082130432,218434821,0 }\n        KeyAttrRefCount: *1 { a: 2 }\n        Pre";
    static const char after[] =
        "1077936128,1082130432,218434821,0 }\n        KeyAttrRefCount: *1 { a: 2 }\n        Post";
    CHECK_NEAR(changed_x(end, before, -2), 10 - 3 * 2, 1e-5);
    CHECK_NEAR(changed_x(end, before, 3), 20, 1e-5);
    CHECK_NEAR(changed_x(end, after, -2), 10, 1e-5);
    CHECK_NEAR(changed_x(end, after, 3), 20 + 4 * 2, 1e-5);
}

// Header sections that set the time unit. FBX 8 has 141120000 ticks per second.
TEST (fbx_times_have_the_unit_of_the_header) {
    static const char form[] =
        "FBXHeaderExtension: {\n    FBXHeaderVersion: %d\n    OtherFlags: {\n"
        "        TCDefinition: %d\n    }\n}\nObjects: {\n    Model: 1,";
    static const struct {
        int header_version;
        int definition;
        double factor;
    } cases[] = {{1004, 127, 1}, {1003, 0, 1}, {1004, 0, 46186158.0 / 141120}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char header[200];
        snprintf(header, sizeof header, form, cases[i].header_version, cases[i].definition);
        const double factor = cases[i].factor;
        CHECK_NEAR(changed_x("Objects: {\n    Model: 1,", header, 0.5 * factor), 15, 1e-5);
        CHECK_NEAR(changed_x("Objects: {\n    Model: 1,", header, factor), 20, 1e-5);
    }
}

// A second layer, whose curve node has the value (4, 30, 4).
typedef struct layer_case {
    const char *layer_properties; // properties of the second layer
    const char *base_properties;
    const char *property;
    convert_vec expected; // translation of the door; of a rotation or scale: column x
} layer_case;

// `weight_percent` is the animated weight of the second layer. If it is NULL, the weight is not
// animated.
static void check_layer(const layer_case *test, const char *weight_percent)
{
    enum { SIZE = sizeof text + 1000 };
    char base[SIZE];
    char changed[SIZE];
    char objects[900];
    char connections[300];
    char weight[100] = "";
    if (weight_percent)
        snprintf(weight, sizeof weight,
                 "Properties70: { P: \"d|Weight\", \"\", \"\", \"A\",%s\n } ", weight_percent);
    snprintf(
        objects, sizeof objects,
        "\"AnimLayer::base\", \"\" { Properties70: { %s } }\n"
        "    AnimationLayer: 13, \"AnimLayer::top\", \"\" { Properties70: { %s } }\n"
        "    AnimationCurveNode: 14, \"AnimCurveNode::X\", \"\" {\n"
        "        Properties70: {\n P: \"d|X\", \"\", \"\", \"A\",4\n"
        "            P: \"d|Y\", \"\", \"\", \"A\",30\n P: \"d|Z\", \"\", \"\", \"A\",4\n }\n }\n"
        "    AnimationCurveNode: 15, \"AnimCurveNode::W\", \"\" { %s}\n",
        test->base_properties, test->layer_properties, weight);
    snprintf(connections, sizeof connections,
             "\"OO\",3,2\n C: \"OO\",13,2\n C: \"OO\",14,13\n C: \"OP\",14,1, \"%s\"\n%s",
             test->property, weight_percent ? " C: \"OP\",15,13, \"Weight\"\n" : "");
    replace_part("\"AnimLayer::base\", \"\" { }\n", objects, base, sizeof base);
    const char *const at = strstr(base, "\"OO\",3,2\n");
    REQUIRE(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - base), base, connections,
             at + strlen("\"OO\",3,2\n"));

    convert_budget budget;
    convert_job job;
    char *copy = NULL;
    fbx_curves *const curves = read_copy(changed, strlen(changed), &copy, &budget, &job);
    REQUIRE(curves && fbx_select_clip(curves, "open") && fbx_is_supported(curves, 0));
    const convert_affine door = fbx_evaluate(curves, 0, 0.5);
    const bool is_translation = strcmp(test->property, "Lcl Translation") == 0;
    const convert_vec found = is_translation ? door.c[3] : door.c[0];
    CHECK_NEAR(found.x, test->expected.x, 1e-5);
    CHECK_NEAR(found.y, test->expected.y, 1e-5);
    CHECK_NEAR(found.z, test->expected.z, 1e-5);
    CHECK(fbx_has_blended_layers(curves));
    const bool is_skipped = fbx_skipped_layer(curves) != NULL;
    const bool is_top_skipped = is_skipped && strcmp(fbx_skipped_layer(curves), "top") == 0;
    const char *const blended = fbx_blended_layer(curves, 0);
    CHECK(is_top_skipped ? !blended : blended && strcmp(blended, "top") == 0);
    CHECK_UINT(fbx_num_blended(curves), is_translation && !is_skipped);
    end_copy(curves, copy, &budget, &job);
}

// Without the second layer the translation is (15, 0, 7), the rotation 0 and the scale (1, 1, 2).
// Rotations of (4, 30, 4) degrees: Rx first.
TEST (fbx_layers_are_blended) {
#define PROPERTY(name, value) "P: \"" name "\", \"\", \"\", \"\"," #value "\n"
#define HALF PROPERTY("Weight", 50)
#define OVERRIDE PROPERTY("BlendMode", 1)
#define PASSTHROUGH PROPERTY("BlendMode", 2)
    const layer_case cases[] = {
        {"", "", "Lcl Translation", {19, 30, 11}},
        {HALF, "", "Lcl Translation", {17, 15, 9}},
        {PROPERTY("Weight", -50), "", "Lcl Translation", {15, 0, 7}},
        {PROPERTY("Weight", 300), "", "Lcl Translation", {19, 30, 11}},
        {HALF OVERRIDE, "", "Lcl Translation", {4, 30, 4}},
        {HALF PROPERTY("BlendMode", 7), "", "Lcl Translation", {4, 30, 4}},
        {HALF PASSTHROUGH, "", "Lcl Translation", {9.5, 15, 5.5}},
        {PROPERTY("Mute", 1), "", "Lcl Translation", {15, 0, 7}},
        {"", PROPERTY("Mute", 1), "Lcl Translation", {5, 32, 7}}, // on the rest pose (1, 2, 3)
        {"", PROPERTY("Solo", 1), "Lcl Translation", {15, 0, 7}},
        {PROPERTY("Solo", 1), "", "Lcl Translation", {5, 32, 7}},
        {"", "", "Lcl Scaling", {4, 0, 0}},
        {HALF, "", "Lcl Scaling", {2, 0, 0}},
        {PROPERTY("ScaleAccumulationMode", 1), "", "Lcl Scaling", {5, 0, 0}},
        {HALF PASSTHROUGH, "", "Lcl Scaling", {2, 0, 0}},
        {HALF PASSTHROUGH PROPERTY("ScaleAccumulationMode", 1), "", "Lcl Scaling", {2.5, 0, 0}},
        {"", "", "Lcl Rotation", {0.863916, 0.060411, -0.500000}},
        {HALF, "", "Lcl Rotation", {0.965374, 0.027922, -0.259371}},
        {HALF PASSTHROUGH, "", "Lcl Rotation", {0.965374, 0.027922, -0.259371}},
        {HALF PROPERTY("RotationAccumulationMode", 1),
         "",
         "Lcl Rotation",
         {0.965337, 0.033710, -0.258819}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_layer(&cases[i], NULL);
}

// An animated weight replaces the weight of the layer. It is limited to 0 to 100 percent.
TEST (fbx_weights_of_layers_are_animated) {
    static const struct {
        const char *percent;
        convert_vec expected;
    } rows[] = {
        {"-1", {15, 0, 7}},     {"0", {15, 0, 7}},     {"25", {16, 7.5, 8}},
        {"75", {18, 22.5, 10}}, {"100", {19, 30, 11}}, {"101", {19, 30, 11}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_layer(&(layer_case){HALF, "", "Lcl Translation", rows[i].expected}, rows[i].percent);
}

// Animates `property` instead of the translation, and returns the transform at 0.5 s. The curve
// node is (15, 0, 7) at this time.
static convert_affine animated_factor(const char *property)
{
    char changed[sizeof text + 100];
    char connection[100];
    convert_budget budget;
    convert_job job;
    char *copy = NULL;
    snprintf(connection, sizeof connection, "4,1, \"%s\"", property);
    replace_part("4,1, \"Lcl Translation\"", connection, changed, sizeof changed);
    fbx_curves *const curves = read_copy(changed, strlen(changed), &copy, &budget, &job);
    const bool is_usable = curves && fbx_select_clip(curves, "open") && fbx_is_supported(curves, 0);
    CHECK(is_usable && fbx_is_animated(curves, 0));
    const convert_affine door =
        is_usable ? fbx_evaluate(curves, 0, 0.5) : (convert_affine){{{NAN, NAN, NAN}}};
    end_copy(curves, copy, &budget, &job);
    return door;
}

// The rest pose has the translation (1, 2, 3) and the scale (1, 1, 2). A pivot p of the scale moves
// the origin by p - scale * p.
TEST (fbx_pivots_and_pre_rotations_are_animated) {
    const convert_affine offset = animated_factor("RotationOffset");
    CHECK_NEAR(offset.c[3].x, 1 + 15, 1e-5);
    CHECK_NEAR(offset.c[3].y, 2, 1e-9);
    CHECK_NEAR(offset.c[3].z, 3 + 7, 1e-9);
    const convert_affine pivot = animated_factor("ScalingPivot");
    CHECK_NEAR(pivot.c[3].x, 1, 1e-9);
    CHECK_NEAR(pivot.c[3].z, 3 + 7 - 2 * 7, 1e-9);
    const convert_affine rotated = animated_factor("PreRotation"); // column x of Rz(7)
    CHECK_NEAR(rotated.c[0].x, 0.992546, 1e-5);
    CHECK_NEAR(rotated.c[0].y, 0.121869, 1e-5);
    const convert_affine inverse = animated_factor("PostRotation"); // the inverse of Rz(7) Rx(15)
    CHECK_NEAR(inverse.c[0].x, 0.992546, 1e-5);
    CHECK_NEAR(inverse.c[1].x, 0.121869, 1e-5);
}

TEST (fbx_text_values_continue_after_comments) {
    static const char times[] = "46186158000,92372316000";
    CHECK_NEAR(changed_x(times, "46186158000, ; one second\n92372316000", 0.5), 15, 1e-5);
    CHECK_NEAR(changed_x(times, "46186158000 ; one second\n,92372316000", 0.5), 15, 1e-5);
}

TEST (fbx_curves_need_the_name_of_an_axis) {
    CHECK_NEAR(changed_x("\"d|X\"", "\"d|X\" ", 0.5), 15, 1e-5);
    CHECK_NEAR(changed_x("\"d|X\"", "\"d-X\"", 0.5), 0, 0);
    CHECK_NEAR(changed_x("\"d|X\"", "\"d|W\"", 0.5), 0, 0);
    CHECK_NEAR(changed_x("\"d|X\"", "\"d|[\"", 0.5), 0, 0);
}

// Weights of 1 are x = 3 t (1-t)^2 + t^3 of a Bézier curve, y = 10 + 10 (3 t^2 - 2 t^3); t = 1/4.
TEST (fbx_weights_above_1_are_1) {
    static const char keys[] = "1032 }\n        KeyAttrDataFloat: *4 { a: 0,0,218434821,0";
    static const char *const weights[] = {
        "50332680 }\n        KeyAttrDataFloat: *4 { a: 0,0,655370000,0",
        "50332680 }\n        KeyAttrDataFloat: *4 { a: 0,0,655435537,0",
        "50332680 }\n        KeyAttrDataFloat: *4 { a: 0,0,4294967295,0"};
    for (size_t i = 0; i < COUNT_OF(weights); i++)
        CHECK_NEAR(changed_x(keys, weights[i], 0.4375), 11.5625, 1e-9);
}

// Counts that differ from the arrays, unordered times and infinite values make a curve invalid. The
// clip of the model is then rejected.
TEST (fbx_curves_are_checked) {
    static const char *const cases[][2] = {
        {"KeyTime: *2 {", "KeyTime: *3 {"},
        {"KeyTime: *2 {", "KeyTime: *4000000000 {"},
        {"KeyValueFloat: *2 { a: 10,20", "KeyValueFloat: *1 { a: 10   "},
        {"KeyAttrRefCount: *1 { a: 2", "KeyAttrRefCount: *1 { a: 1"},
        {"KeyAttrRefCount: *1 { a: 2", "KeyAttrRefCount: *1 { a: 3"},
        {"KeyAttrDataFloat: *4 { a: 0,0,218434821,0 }",
         "KeyAttrDataFloat: *3 { a: 0,0,218434821  }"},
        {"46186158000,92372316000", "92372316000,46186158000"},
        {"46186158000,92372316000", "46186158000,46186158000"},
        {"a: 10,20 }", "a: 10,1e999 }"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char changed[sizeof text + 100];
        replace_part(cases[i][0], cases[i][1], changed, sizeof changed);
        convert_budget budget;
        convert_job job;
        char *copy = NULL;
        fbx_curves *const curves = read_copy(changed, strlen(changed), &copy, &budget, &job);
        REQUIRE(curves && fbx_select_clip(curves, "open"));
        CHECK(!fbx_is_supported(curves, 0));
        end_copy(curves, copy, &budget, &job);
    }
}

// Every prefix of a text, and the text with every byte changed, is read without a crash.
TEST (fbx_curves_of_damaged_files_cause_no_crash) {
    static const char changes[] = {'{', '}', '"', ',', '\n', '9', '\0'};
    for (size_t i = 0; i < (1 + COUNT_OF(changes)) * (sizeof text - 1); i++) {
        char damaged[sizeof text];
        const size_t at = i % (sizeof text - 1);
        const size_t change = i / (sizeof text - 1);
        memcpy(damaged, text, sizeof text);
        if (change > 0)
            damaged[at] = changes[change - 1];
        convert_budget budget;
        convert_job job;
        char *copy = NULL;
        fbx_curves *const curves =
            read_copy(damaged, change > 0 ? sizeof text - 1 : at, &copy, &budget, &job);
        const size_t model = curves ? fbx_find_model(curves, "door") : SIZE_MAX;
        const bool is_usable = model != SIZE_MAX && fbx_select_clip(curves, "open");
        if (is_usable && fbx_is_supported(curves, model))
            CHECK(!isnan(fbx_evaluate(curves, model, 0.5).c[3].x));
        end_copy(curves, copy, &budget, &job);
    }
}
