// Draws an animated character in a window with md5gl and SDL2. stb_image decodes the PNG, JPEG and
// TGA textures in the folder of the model (Debian: libsdl2-dev, libstb-dev). With a third argument,
// the program saves one image and exits. Set SDL_VIDEODRIVER=offscreen if there is no display.
//
//   cc window.c $(pkg-config --cflags --libs md5gl sdl2) -o window
//   ./window models/bobbin/bobbin.md5mesh models/bobbin/dance.md5anim
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <SDL.h>
#include <md5model/md5gl_stb.h>

// Returns an OpenGL function. It is the callback md5gl_opts.load.
static md5gl_proc load_proc(void *user, const char *name)
{
    (void)user;
    return (md5gl_proc)SDL_GL_GetProcAddress(name);
}

static _Noreturn void die(const char *message)
{
    SDL_Log("%s", message);
    exit(1);
}

// Prints an error of the library and exits.
static _Noreturn void exit_with_error(const md5_error *error)
{
    char text[600];
    md5_format_error(error, text, sizeof text);
    die(text);
}

// Returns the camera and the light of a frame. The camera looks at the center of the bounds from
// a distance in proportion to their size, so that models of any unit are visible.
static md5gl_frame make_frame(md5_bounds bounds, int width, int height)
{
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const float size = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    const md5_vec3 eye = {center.x + 1.6f * size, center.y + 0.7f * size, center.z + 0.3f * size};
    return (md5gl_frame){
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .background = {0.16f, 0.17f, 0.2f, 1},
        .view_from_world = md5_mat44_look_at(eye, center, (md5_vec3){0, 0, 1}),
        .clip_from_view = md5_mat44_perspective(35, (float)width / (float)height, 0.1f * size,
                                                20 * size, MD5_DEPTH_MINUS_ONE_TO_ONE),
        .light_direction = {1, 0.5f, 1},
        .light = {1.2f, 1.15f, 1.05f},
        .ambient = {0.2f, 0.22f, 0.26f},
        .casters = bounds,
        .ground = bounds.min.z,
    };
}

// Prints a warning. It is the callback md5gl_material_set_desc.warn.
static void warn(void *user, const md5_error *warning)
{
    (void)user;
    SDL_Log("%s: %s", warning->file, warning->message);
}

// Saves the last frame to a BMP file.
static void save_image(md5gl_renderer *renderer, uint32_t width, uint32_t height, const char *to)
{
    SDL_Surface *image =
        SDL_CreateRGBSurfaceWithFormat(0, (int)width, (int)height, 32, SDL_PIXELFORMAT_RGBA32);
    if (!image || !md5gl_read_pixels(renderer, NULL, width, height, image->pixels, NULL)
        || SDL_SaveBMP(image, to) != 0)
        die("cannot save the image");
    SDL_FreeSurface(image);
}

// Opens a window with an OpenGL 3.3 context, which becomes current. Exits with a message on
// failure.
static SDL_Window *open_window(void)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        die(SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    SDL_Window *window = SDL_CreateWindow("md5model", SDL_WINDOWPOS_CENTERED, 0, 640, 640,
                                          SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
    if (!window || !SDL_GL_CreateContext(window))
        die(SDL_GetError());
    return window;
}

// Loads the textures in the folder of the model at `path`, and assigns them to its meshes.
static md5gl_material_set *load_materials(md5gl_renderer *renderer, md5gl_model *drawn,
                                          const md5_model *model, const char *path)
{
    md5_error error = MD5_INIT;
    const md5gl_material_set_desc desc = {.model = model,
                                          .path = path,
                                          .load = md5gl_stb_load,
                                          .release = md5gl_stb_release,
                                          .warn = warn};
    md5gl_material_set *material_set = md5gl_load_materials(renderer, &desc, &error);
    if (!material_set)
        exit_with_error(&error);
    for (uint32_t i = 0; i < material_set->num_meshes; i++)
        md5gl_set_material(renderer, drawn, 0, i, &material_set->materials[i]);
    return material_set;
}

// Poses the model with a palette, and draws it and its shadow as one frame.
static void draw_frame(md5gl_renderer *renderer, md5gl_model *drawn, const md5_mat34 *palette,
                       const md5gl_frame *frame)
{
    md5_error error = MD5_INIT;
    const md5gl_instances instances = {.count = 1, .palettes = palette};
    if (!md5gl_pose(renderer, drawn, &instances, &error))
        exit_with_error(&error);
    md5gl_begin_frame(renderer, frame);
    md5gl_draw_shadows(renderer, drawn);
    md5gl_draw_model(renderer, drawn, MD5GL_LIT);
    if (!md5gl_end_frame(renderer, &error))
        exit_with_error(&error);
}

// Draws frames until the user closes the window. If `image` is not NULL, draws only one frame and
// saves it to this file.
static void show(SDL_Window *window, md5gl_renderer *renderer, md5gl_model *drawn,
                 const md5_binding *binding, md5_pose_buffers *posed, const char *image)
{
    for (bool is_open = true; is_open;) {
        for (SDL_Event event; SDL_PollEvent(&event);)
            is_open = is_open && event.type != SDL_QUIT;

        // Compute the pose for the current time.
        const double time = image ? 0.8 : SDL_GetTicks() / 1000.0;
        const md5_sample_position sample =
            md5_sample_position_at(binding->anim, time, MD5_WRAP_LOOP);
        md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, posed->pose, NULL, posed->palette);

        int width, height;
        SDL_GL_GetDrawableSize(window, &width, &height);
        const md5gl_frame frame = make_frame(binding->model->bounds, width, height);
        draw_frame(renderer, drawn, posed->palette, &frame);
        if (image) {
            save_image(renderer, frame.width, frame.height, image);
            return;
        }
        SDL_GL_SwapWindow(window);
    }
}

// Loads a model and a clip, uploads the model to the GPU, and shows it in a window or saves an
// image.
int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        die("usage: window MODEL.md5mesh CLIP.md5anim [IMAGE.bmp]");
    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(argv[1], NULL, &error);
    md5_anim *anim = md5_load_anim(argv[2], NULL, &error);
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    if (!model || !binding)
        exit_with_error(&error);
    md5_pose_buffers *posed = md5_create_pose_buffers(model, 0, NULL, &error);
    if (!posed)
        exit_with_error(&error);

    SDL_Window *window = open_window();
    md5gl_renderer *renderer = md5gl_create_renderer(&(md5gl_opts){.load = load_proc}, &error);
    md5gl_model *drawn = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, &error);
    if (!drawn)
        exit_with_error(&error);
    md5gl_material_set *material_set = load_materials(renderer, drawn, model, argv[1]);
    show(window, renderer, drawn, binding, posed, argc == 4 ? argv[3] : NULL);

    md5gl_destroy_model(renderer, drawn);
    md5gl_free_materials(renderer, material_set);
    md5gl_destroy_renderer(renderer);
    SDL_Quit();
    md5_destroy_pose_buffers(posed);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
