// Animation curves of FBX files: values between keys, and damaged files.
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
    const convert_affine rest = fbx_rest_transform(curves, model);
    CHECK_NEAR(rest.c[3].x, 1, 0);
    CHECK_NEAR(rest.c[3].z, 3, 0);
    CHECK_NEAR(rest.c[2].z, 2, 0);
    for (int i = 0; i <= 8; i++) {
        const double u = i / 8.0;
        const convert_affine now = fbx_evaluate(curves, model, u);
        CHECK_NEAR(now.c[3].x, 10 + 10 * (3 * u * u - 2 * u * u * u), 1e-5);
        CHECK_NEAR(now.c[3].y, 0, 0);
        CHECK_NEAR(now.c[3].z, 7, 0);
    }
    CHECK_NEAR(fbx_evaluate(curves, model, -1).c[3].x, 10, 0);
    CHECK_NEAR(fbx_evaluate(curves, model, 5).c[3].x, 20, 1e-5);
    budget.num_elements = convert_max_elements(budget.file_size);
    CHECK(!fbx_select_clip(curves, "open"));
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

// Weights of 1 are x = 3 t (1-t)^2 + t^3 of a Bezier curve, y = 10 + 10 (3 t^2 - 2 t^3); t = 1/4.
TEST (fbx_weights_above_1_are_1) {
    static const char keys[] = "1032 }\n        KeyAttrDataFloat: *4 { a: 0,0,218434821,0";
    static const char *const weights[] = {
        "50332680 }\n        KeyAttrDataFloat: *4 { a: 0,0,655370000,0",
        "50332680 }\n        KeyAttrDataFloat: *4 { a: 0,0,655435537,0",
        "50332680 }\n        KeyAttrDataFloat: *4 { a: 0,0,4294967295,0"};
    for (size_t i = 0; i < COUNT_OF(weights); i++)
        CHECK_NEAR(changed_x(keys, weights[i], 0.4375), 11.5625, 1e-9);
}

// Counts that differ from the arrays, unordered times and infinite values make a curve invalid, and
// thereby the model of the clip.
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
TEST (fbx_curves_survive_damage) {
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
