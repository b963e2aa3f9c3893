// Tests of the weights of morph targets that a machine drives, compared with sums and curves in
// double precision.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

// Targets in the order of their first entry.
enum { SMILE, BLINK, OH, NUM_TARGETS };

#define KEYS "( 2 0 4 1 5 -0.5 )"
#define MORPHS                                                                                     \
    "morph smile parameter joy morph blink clip a " KEYS                                           \
    "morph smile state body high { weight 0.5 } morph oh state mouth open morph oh parameter joy " \
    "{ weight 0 }"

static const md5_morph_key keys[] = {
    {.frame = 2}, {.frame = 4, .weight = 1}, {.frame = 5, .weight = -0.5f}};

// Creates the clips a and b of 11 frames at 10 Hz, 1 s each.
static void begin(play_scene *fixture, const char *morphs)
{
    play_scene_clips(fixture, 2, 11, 10);
    play_scene_read(fixture,
                    "float joy 0.25 float loud 1 layer body { state low a state high b "
                    "state third a state fourth b state none nothing } "
                    "layer mouth { weight loud state shut nothing state open nothing } %s",
                    morphs);
}

static double morph_weight(const play_scene *fixture, uint32_t target)
{
    float weights[NUM_TARGETS];
    md5_player_morphs(fixture->player, weights);
    return weights[target];
}

static void go(const play_scene *fixture, uint32_t layer, uint32_t state, float duration,
               md5_fade fade)
{
    CHECK(md5_player_fade_to(fixture->player, layer, state, duration, fade, MD5_EASE_LINEAR));
}

static void pass(const play_scene *fixture, double seconds)
{
    play_advance(fixture->player, seconds);
}

// Returns the expected weight of the curve at a frame. The curve is a polyline through `keys`.
static double curve(double frame)
{
    if (frame < 2)
        return 0;
    if (frame < 4)
        return (frame - 2) / 2;
    return frame < 5 ? 1 - 1.5 * (frame - 4) : -0.5;
}

#define TEST_HERE(title) TEST_PLAY (title, begin(fixture, MORPHS))

TEST_HERE (morph_targets_have_names) {
    CHECK_UINT(md5_machine_num_morphs(fixture->machine), NUM_TARGETS);
    CHECK_STRING(md5_machine_morph_name(fixture->machine, SMILE), "smile");
    CHECK_STRING(md5_machine_morph_name(fixture->machine, BLINK), "blink");
    CHECK_STRING(md5_machine_morph_name(fixture->machine, OH), "oh");
    CHECK(md5_machine_morph_name(fixture->machine, NUM_TARGETS) == NULL);
}

TEST_HERE (morph_weight_equals_a_parameter) {
    CHECK_EXACT(morph_weight(fixture, SMILE), 0.25);
    CHECK(md5_player_set(fixture->player, 0, -3));
    CHECK_EXACT(morph_weight(fixture, SMILE), -3);
    CHECK_EXACT(morph_weight(fixture, OH), 0); // its entry has the factor 0
    CHECK(md5_player_set(fixture->player, 0, 3e38f));
    CHECK_EXACT(morph_weight(fixture, SMILE), 1e6);
    CHECK(md5_player_set(fixture->player, 0, -3e38f));
    CHECK_EXACT(morph_weight(fixture, SMILE), -1e6);
}

TEST_HERE (morph_fades_with_its_state) {
    go(fixture, 0, 1, 0.5f, MD5_FADE_CROSS);
    CHECK_EXACT(morph_weight(fixture, SMILE), 0.25);
    pass(fixture, 0.2);
    CHECK_NEAR(morph_weight(fixture, SMILE), 0.25 + 0.5 * 0.4, 1e-6);
    // A third state fades in while the first two states still fade into each other.
    go(fixture, 0, 2, 1, MD5_FADE_CROSS);
    CHECK_NEAR(morph_weight(fixture, SMILE), 0.25 + 0.5 * 0.4, 1e-6);
    pass(fixture, 0.1);
    CHECK_NEAR(morph_weight(fixture, SMILE), 0.25 + 0.5 * 0.6 * 0.9, 1e-6);
    pass(fixture, 1);
    CHECK_EXACT(morph_weight(fixture, SMILE), 0.25);
}

TEST_HERE (morph_has_the_weight_of_its_layer) {
    go(fixture, 1, 1, 0.5f, MD5_FADE_CROSS); // a fade between states without motions
    pass(fixture, 0.1);
    CHECK_NEAR(morph_weight(fixture, OH), 0.2, 1e-6);
    CHECK(md5_player_set(fixture->player, 1, 0.25f));
    CHECK_NEAR(morph_weight(fixture, OH), 0.05, 1e-6);
    CHECK(md5_player_set(fixture->player, 1, 0));
    CHECK_EXACT(morph_weight(fixture, OH), 0);
}

TEST_HERE (morph_follows_a_curve_over_a_clip) {
    for (int i = 1; i <= 50; i++) {
        pass(fixture, 0.037);
        CHECK_NEAR(morph_weight(fixture, BLINK), curve(fmod(0.37 * i, 10)), 1e-5);
    }
    // The curve has the weight of its clip; state `high` plays another clip.
    go(fixture, 0, 1, 0.4f, MD5_FADE_CROSS);
    pass(fixture, 0.1);
    CHECK_NEAR(morph_weight(fixture, BLINK), 0.75 * curve(fmod(0.37 * 50 + 1.0, 10)), 1e-5);
    pass(fixture, 0.4);
    CHECK_EXACT(morph_weight(fixture, BLINK), 0);
}

TEST_HERE (morph_follows_a_clip_that_is_a_one_shot) {
    md5_player_seek(fixture->player, 0, 1, 0);
    CHECK_EXACT(morph_weight(fixture, BLINK), 0);
    const md5_one_shot_desc one_shot = {.weight = 0.8f, .fade_in = 0.6f};
    CHECK(md5_player_play_one_shot(fixture->player, 0, 0, &one_shot));
    pass(fixture, 0.3);
    CHECK_NEAR(morph_weight(fixture, BLINK), 0.4 * curve(3), 1e-5);
    pass(fixture, 0.15);
    CHECK_NEAR(morph_weight(fixture, BLINK), 0.6 * curve(4.5), 1e-5);
    pass(fixture, 0.6);
    CHECK_EXACT(morph_weight(fixture, BLINK), 0);
}

// The weight follows Bollo's quintic for an offset at rest.
TEST_HERE (morph_decays_in_an_inertial_transition) {
    md5_player_seek(fixture->player, 0, 1, 0);
    CHECK_EXACT(morph_weight(fixture, SMILE), 0.75);
    go(fixture, 0, 3, 0.5f, MD5_FADE_INERTIAL);
    CHECK_NEAR(morph_weight(fixture, SMILE), 0.75, 1e-6);
    for (int i = 1; i <= 6; i++) {
        pass(fixture, 0.1);
        const double s = fmin(0.2 * i, 1);
        const double remaining = 1 - s;
        CHECK_NEAR(morph_weight(fixture, SMILE),
                   0.25 + 0.5 * remaining * remaining * remaining * (1 + 3 * s + 6 * s * s), 1e-6);
    }
}

// More transitions of both kinds than there are slots for states: the oldest states are frozen.
TEST_HERE (morph_does_not_jump_when_transitions_are_interrupted) {
    for (uint32_t i = 1; i < 60u; i++) {
        const double previous_weight = morph_weight(fixture, SMILE);
        const double blink = morph_weight(fixture, BLINK);
        go(fixture, 0, i * 7 % 4, 0.9f, i % 5 == 4 ? MD5_FADE_INERTIAL : MD5_FADE_CROSS);
        CHECK_NEAR(morph_weight(fixture, SMILE), previous_weight, 1e-6);
        CHECK_NEAR(morph_weight(fixture, BLINK), blink, 1e-6);
        pass(fixture, 0.09);
    }
    go(fixture, 0, 1, 0.3f, MD5_FADE_CROSS);
    pass(fixture, 3);
    CHECK_NEAR(morph_weight(fixture, SMILE), 0.75, 1e-6);
    CHECK_SMALL(morph_weight(fixture, BLINK), 1e-6);
}

static bool have_equal_weights(md5_player *a, md5_player *b)
{
    float left[NUM_TARGETS], right[NUM_TARGETS];
    md5_player_morphs(a, left);
    md5_player_morphs(b, right);
    return memcmp(left, right, sizeof left) == 0;
}

// Brings the player into a state with a frozen pose, offsets and a fade.
static void stir(const play_scene *fixture)
{
    for (uint32_t i = 1; i < 12u; i++) {
        go(fixture, 0, i % 4, 0.9f, i == 4 ? MD5_FADE_INERTIAL : MD5_FADE_CROSS);
        pass(fixture, 0.03);
    }
}

TEST_HERE (morph_weights_are_saved_and_copied) {
    stir(fixture);
    SCOPED_PLAYER restored = play_restored(fixture->player);
    SCOPED_PLAYER copied = play_copied(fixture->player);
    for (int i = 0; i < 20; i++) {
        CHECK(have_equal_weights(fixture->player, restored)
              && have_equal_weights(fixture->player, copied));
        pass(fixture, 0.07);
        play_advance(restored, 0.07);
        play_advance(copied, 0.07);
    }
}

TEST_HERE (morph_weights_of_any_bytes_are_finite) {
    stir(fixture);
    SCOPED_PLAYER second = play_player(fixture->machine);
    size_t size;
    SCOPED uint8_t *const bytes = play_save(fixture->player, &size);
    uint32_t num_refused = 0;
    for (size_t i = 0; i < size; i++) {
        const uint8_t kept = bytes[i];
        bytes[i] = 0x7f;
        num_refused += !md5_player_restore(second, bytes, size, NULL);
        bytes[i] = kept;
        float weights[NUM_TARGETS];
        md5_player_morphs(second, weights);
        for (int k = 0; k < NUM_TARGETS; k++)
            CHECK(isfinite(weights[k]));
        CHECK(!md5_player_restore(second, bytes, i, NULL));
    }
    CHECK(num_refused > 0);
}

static void check_refused(const md5_machine *machine, const md5_morph_desc *rows,
                          const char *message)
{
    md5_machine_desc desc = *md5_machine_tables(machine);
    desc.morphs = rows;
    desc.num_morphs = 1;
    play_desc_refused(&desc, message);
}

TEST_HERE (morph_rows_are_checked) {
    const md5_morph_desc good = {.target = "t", .parameter = "joy"};
    const md5_morph_desc by_clip = {
        .target = "t", .drive = MD5_MORPH_BY_CLIP, .clip = "a", ROWS(keys, keys)};
    const md5_morph_desc by_state = {
        .target = "t", .drive = MD5_MORPH_BY_STATE, .layer = "body", .state = "low"};
    check_refused(fixture->machine, NULL,
                  "machine '': morphs is NULL: expected an array of 1 elements");
    md5_morph_desc odd = good;
    odd.target = "";
    check_refused(fixture->machine, &odd,
                  "morph 0 has no target: expected the name of a morph target");
    odd = good;
    odd.parameter = NULL;
    check_refused(fixture->machine, &odd, "morph 't' has no parameter");
    odd.parameter = "none";
    check_refused(fixture->machine, &odd, "morph 't' refers to unknown parameter 'none'");
    odd = good;
    odd.weight = INFINITY;
    check_refused(fixture->machine, &odd,
                  "morph 't': weight is out of range: expected -1e+06 to 1e+06, found inf");
    odd = good;
    odd.drive = (md5_morph_drive)5;
    check_refused(fixture->machine, &odd,
                  "morph 't': drive is out of range: expected 0 to 4, found 5");
    odd = by_state;
    odd.layer = NULL;
    check_refused(fixture->machine, &odd, "morph 't' has no layer");
    odd.layer = "none";
    check_refused(fixture->machine, &odd, "morph 't' refers to unknown layer 'none'");
    odd = by_state;
    odd.state = NULL;
    check_refused(fixture->machine, &odd, "morph 't' has no state");
    odd.state = "open";
    check_refused(fixture->machine, &odd,
                  "morph 't' refers to unknown state 'open' of layer 'body'");
    odd = by_clip;
    odd.clip = "z";
    check_refused(fixture->machine, &odd, "morph 't' refers to unknown clip 'z'");
    odd = by_clip;
    odd.keys = NULL;
    check_refused(fixture->machine, &odd,
                  "morph 't': keys is NULL: expected an array of 3 elements");
    odd.num_keys = 0;
    check_refused(fixture->machine, &odd,
                  "morph 't' has no keys for clip 'a': expected at least 1");
    const md5_morph_key late[] = {{.frame = 11}};
    const md5_morph_key unsorted_keys[] = {{.frame = 3}, {.frame = 3, .weight = 1}};
    const md5_morph_key endless[] = {{.frame = 0, .weight = NAN}};
    odd = by_clip;
    odd.keys = late;
    odd.num_keys = 1;
    check_refused(
        fixture->machine, &odd,
        "key of morph 't' is out of range: expected a frame from 0 to 10 in clip 'a', found 11");
    odd.keys = endless;
    check_refused(
        fixture->machine, &odd,
        "morph 't': weight of a key is out of range: expected -1e+06 to 1e+06, found nan");
    odd.keys = unsorted_keys;
    odd.num_keys = 2;
    check_refused(fixture->machine, &odd,
                  "morph 't': keys are out of order: expected a frame above 3, found 3");
}

TEST (morph_rows_change_the_fingerprint) {
    STRINGS(rows) = {
        "morph smile parameter joy morph blink clip a " KEYS,
        "morph smile parameter joy",
        "morph smile parameter joy morph blink clip a ( 2 0 4 0.5 5 -0.5 )",
        "morph smile parameter joy { weight 0.5 } morph blink clip a " KEYS,
    };
    uint64_t fingerprints[4];
    for (uint32_t i = 0; i < 4; i++) {
        SCOPED_PLAY fixture;
        begin(&fixture, rows[i]);
        fingerprints[i] = md5_machine_fingerprint(fixture.machine);
        for (uint32_t k = 0; k < i; k++)
            CHECK(fingerprints[k] != fingerprints[i]);
    }
}
