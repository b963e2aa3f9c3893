// State that the commands for game folders share: md5tool list, explain, parse, and check of a
// folder. A tool_game is an opened game with the warnings that it reported and the results of the
// running command. tool_walk_decls() visits all declarations of a type.
#ifndef DEMO_TOOL_GAME_H
#define DEMO_TOOL_GAME_H

#include "demo/tool/tool.h"

// The diagnostics of a model or clip that was checked.
typedef struct tool_checked_file {
    md5_check *check;
    bool has_motion_check; // the clip was checked with the mesh of a model
} tool_checked_file;

// A model declaration that the engine replaces with the default.
typedef struct tool_defaulted_model {
    bool is_defaulted;
    uint32_t parent; // the inherited model that has the cause; MD5_NONE: the model itself has it
    size_t num_inheriting; // models that are replaced because they inherit this model
    // Number of other models that name the same missing mesh, and of the models that inherit them.
    size_t num_same_mesh;
    bool is_counted; // num_same_mesh of another model includes this model
    text_position position;
    char *reason;
} tool_defaulted_model;

// A game folder while a command lists, explains, parses or checks it.
typedef struct tool_game {
    tool_search_paths search_paths;
    md5_game *md5; // opened from `search_paths`; NULL after an error
    md5_parse_mode mode;
    size_t memory;   // bytes that the game used when it was opened
    int num_reopens; // number of times that the game was opened again
    size_t work;     // remaining work of searches for similar names, in comparisons of characters

    bool stores_warnings; // otherwise warnings are printed when the game reports them
    md5_error *warnings;  // [num_warnings] in the order in which the game reported them
    size_t num_warnings;
    size_t num_suppressed; // warnings that exceeded the limit and were not stored

    // list, explain and parse
    const char *kind; // kind of the printed items
    bool is_json;     // print JSON
    bool has_output;  // an item was printed
    bool has_missing; // explain: a file is missing

    // list
    size_t num_bytes;       // size of the listed clips
    bool is_clip_list_full; // the list reached its largest size; further clips are skipped
    common_list used;       // animation files of models

    // parse
    bool is_of_gui;             // the materials are used in a GUI
    size_t num_printable_anims; // animations and frame commands that may still be printed

    // check, and explain for a mesh
    tool_game_check *check;
    tool_checked_file *files; // [num_files] all models and clips, sorted by path
    size_t num_files;
    bool *is_on_surface; // [number of materials] true if a mesh uses the material as its surface
    common_list surface_images;     // images of materials on surfaces, with duplicates
    common_list non_surface_images; // images of the other materials
    common_list script_objects;     // script objects that were checked
    size_t num_keys; // checked keys of entities, including inherited keys; their number is limited
    size_t num_characters; // characters that were created to check them; their number is limited
    tool_defaulted_model *defaulted_models; // [num_models] by the index of their declaration
    size_t num_models;
    common_text_index missing_texts; // messages about missing models and clips
    md5_diagnostic *missing; // [missing_texts.count] the first warning with each of these messages
    common_list error_locations; // "file:line:column" of errors that were printed in engine mode
    bool hides_error_locations;  // `error_locations` is sorted; warnings there are not printed
} tool_game;

// -- Games (game.c) -------------------------------------------------------------------------------

// Opens the game of the arguments. The order of the folders is the mod, DIR, the base. A file hides
// files with the same name in later folders. Returns an exit status, and prints the reason if the
// game cannot be opened. The caller closes the game in any case.
int tool_open_game(const tool_arguments *arguments, bool stores_warnings, tool_game *result);
void tool_close_game(tool_game *game);

// Moves DIR from the operands to the folder. Without --base the first operand is DIR. With --base,
// DIR is given if there are more than `max_operands` operands. Returns an exit status, and prints
// an error if the folder is missing.
int tool_read_game_folder(tool_arguments *arguments, int max_operands);

// Stores or prints a warning of the game. It is a md5_warn_fn; `user` is the tool_game.
void tool_store_game_warning(void *user, const md5_error *warning);
void tool_clear_game_warnings(tool_game *game);

// Returns options that report all warnings to tool_store_game_warning().
md5_load_opts tool_game_load_options(tool_game *game);

// Processes a declaration for a command. Only the type, name and location of the declaration are
// set; the function parses it. Returns false to end the walk.
typedef bool tool_visit_decl_fn(tool_game *game, const md5_decl *decl, md5_error *error);

// Visits the declarations of a type in files. Implicit declarations, which exist only because
// others refer to them, are not visited.
bool tool_walk_decls(tool_game *game, md5_decl_type type, tool_visit_decl_fn *visit,
                     md5_error *error);

// Parses a declaration, without the keys that an entity inherits. Returns false if memory runs out.
bool tool_parse_decl(md5_game *game, const md5_decl *decl, md5_error *error);

// Returns the name of a declaration that is similar to a missing declaration, or NULL.
const char *tool_find_similar_decl(tool_game *game, md5_decl_type type, const char *name);

// Returns true if the engine finds an image. Built-in images always exist, and some images are
// compressed.
bool tool_has_image(const tool_game *game, const char *name);

// -- Entities (game_entities.c) -------------------------------------------------------------------

// Keys with the name of an articulated figure.
extern const char *const tool_figure_keys[2];

// Returns true if an entity has a key of a character. Such keys are for a figure, for looking at
// targets, and for legs that IK places on the ground.
bool tool_has_character_keys(const md5_entity_def *entity);

// Properties of a character that the engine creates from an entity.
typedef struct tool_character_info {
    float mass;        // mass of the character's articulated figure
    uint32_t num_legs; // legs with IK
} tool_character_info;

// Creates the character that the engine creates from an entity, to find problems. The character
// consists of its parts, its figure, and the joints that its keys name for looking and IK. `figure`
// may be NULL. Stores the problems as warnings of the game. `problem` is an earlier problem of the
// figure.
tool_character_info tool_evaluate_character(tool_game *game, const md5_entity_def *def,
                                            const md5_figure_def *figure, md5_error problem);

// Returns false if the scripts of the game do not have an object, and writes the reason. Returns
// true for games without scripts. `num_stubs` receives the number of functions that the object
// calls and that only return 0.
bool tool_has_script_object(tool_game *game, const char *object, size_t *num_stubs,
                            md5_error *reason);

// Stores an error at the location of a key "scriptobject". `reason` comes from
// tool_has_script_object(). If it is at a location in a script, the message begins with that.
void tool_report_script_object(tool_game *game, const md5_entity_key *key, const md5_error *reason);

// Checks the names in the keys of an entity. Returns false if the entity cannot be parsed.
bool tool_check_entity_keys(tool_game *game, const md5_decl *decl, md5_error *error);

// -- Reports (game_report.c) ----------------------------------------------------------------------

void tool_print_game_diagnostic(tool_game *game, const md5_diagnostic *found);

// Prints a library's error or warning as a diagnostic.
void tool_print_game_error(tool_game *game, const md5_error *error);

// Prints the errors and warnings of a file, sorted by location, and clears them. `check` may be
// NULL.
void tool_print_file_diagnostics(tool_game *game, md5_check *check);

// Prints the stored warnings and clears them.
void tool_print_game_warnings(tool_game *game);

// Prints each stored warning about a missing model or clip once, with the number of its
// repetitions.
void tool_print_missing_files(tool_game *game);

// Prints that a file violates a rule.
void tool_print_violation(tool_game *game, const char *file, text_position position,
                          const char *rule, const char *format, ...) COMMON_PRINTF(5, 6);

// Stores the location of an error of a declaration, at which lenient mode warns again.
void tool_store_error_location(tool_game *game, const char *file, text_position position);

// Sorts the stored locations. From then on, warnings at these locations are not printed.
void tool_hide_error_locations(tool_game *game);

// Returns the location of the keyword of a declaration.
text_position tool_decl_position(const md5_decl *decl);

// Returns true if a name is declared. A material may also be an image, which is drawn unchanged.
bool tool_decl_exists(const tool_game *game, md5_decl_type type, const char *name);

// Prints that a material does not exist, with the most similar material or else image as a
// suggestion.
void tool_print_missing_material(tool_game *game, const char *file, text_position position,
                                 const char *name);

// -- Files (game_files.c) -------------------------------------------------------------------------

// Reads and checks all models, clips and camera paths of the game.
void tool_check_game_files(tool_game *game);

// Checks the materials of the meshes in a file. Prints missing materials. Sets `is_on_surface` for
// declared materials. Stores the images that are used as materials.
void tool_check_surfaces(tool_game *game, const md5_check *file);

// Checks the clips of a model with its mesh. Each clip is loaded once, with the mesh of the first
// model that uses it.
void tool_check_clips(tool_game *game, const md5_decl *decl);

// Prints which images of a material are missing, and stores the others.
void tool_check_material_images(tool_game *game, const md5_decl *decl);

// Checks each image that the functions above have stored. Images on surfaces of models are also
// decoded. Then clears the lists of images.
void tool_check_stored_images(tool_game *game);

// -- Replacements with defaults (game_defaults.c) -------------------------------------------------

// Prints why the engine replaces a material with the default.
void tool_print_defaulted_material(tool_game *game, const md5_decl *decl);

// Stores why the engine replaces a model with the default, for tool_print_defaulted_models().
void tool_store_defaulted_model(tool_game *game, const md5_decl *decl);

// Prints each model with a cause, and how many models inherit it or name the same missing mesh.
void tool_print_defaulted_models(tool_game *game);

// -- Checks (game_check.c) ------------------------------------------------------------------------

// Prepares a check. If no engine is requested and the game has declarations, requests the engines
// of such games.
void tool_begin_game_check(tool_game *game, tool_game_check *check);

// Prints the diagnostics of a mesh and of its materials. `is_on_surface` is then true for the
// materials of the mesh.
void tool_check_mesh_materials(tool_game *game, const char *path);

#endif
