// Draws a character with Vulkan into an image file, without a window. The palette is in a storage
// buffer, joints and weights are bytes, and vulkan.vert skins the vertices.
//
//   glslangValidator -V vulkan.vert vulkan.frag
//   cc vulkan.c $(pkg-config --cflags --libs md5model vulkan) -o vulkan
//   ./vulkan models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim bobbin.bmp 0.8
//
// glslangValidator writes vert.spv and frag.spv, which the program reads from the current folder.
// Set VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation in the environment to validate all calls.
#include <md5model/md5skin.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { SIZE = 640, MAX_SHADER_BYTES = 1 << 16, MAX_FAMILIES = 32 };
static const VkFormat color_format = VK_FORMAT_B8G8R8A8_SRGB;
static const VkFormat depth_format = VK_FORMAT_D32_SFLOAT;

// A vertex as the vertex shader reads it.
typedef struct gpu_vertex {
    md5_vec3 position;
    md5_vec3 normal;
    md5_vec2 texcoord;
    uint8_t joints[4];
    uint8_t weights[4];
} gpu_vertex;

// The objects of Vulkan that all functions need.
typedef struct context {
    VkPhysicalDevice card;
    VkDevice device;
    VkQueue queue;
    VkCommandBuffer commands;
} context;

static _Noreturn void die(const char *message)
{
    fprintf(stderr, "vulkan: %s\n", message);
    exit(1);
}

// Exits if a function of Vulkan failed.
static void check(VkResult result, const char *function)
{
    if (result < 0) // VK_INCOMPLETE (there are more devices) is above 0
        die(function);
}

// This file writes several members of a structure in one line, to remain short.
// clang-format off

// Calls vkCreateNAME() with a VkNAMECreateInfo. The variable arguments are its members.
#define CREATE(Name, NAME, created, ...)                                                           \
    check(vkCreate##Name(gpu.device,                                                               \
              &(Vk##Name##CreateInfo){.sType = VK_STRUCTURE_TYPE_##NAME##_CREATE_INFO,             \
                                      __VA_ARGS__}, NULL, created), "vkCreate" #Name)

// -- Device and memory --------------------------------------------------------------------------

// Opens the first Vulkan device and a queue for graphics, and allocates a command buffer for this
// queue. Exits with a message on failure, for example if this device has no such queue.
static context open_gpu(void)
{
    context gpu = {0};
    VkInstance instance;
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    check(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
    uint32_t num_cards = 1;
    check(vkEnumeratePhysicalDevices(instance, &num_cards, &gpu.card),
          "vkEnumeratePhysicalDevices");

    uint32_t num_families = MAX_FAMILIES;
    VkQueueFamilyProperties families[MAX_FAMILIES];
    vkGetPhysicalDeviceQueueFamilyProperties(gpu.card, &num_families, families);
    uint32_t family = 0;
    while (family < num_families && !(families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        family++;
    if (family == num_families)
        die("the device does not have a graphics queue");

    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    check(vkCreateDevice(gpu.card, &device_info, NULL, &gpu.device), "vkCreateDevice");
    vkGetDeviceQueue(gpu.device, family, 0, &gpu.queue);

    VkCommandPool pool;
    CREATE(CommandPool, COMMAND_POOL, &pool, .queueFamilyIndex = family);
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool, .commandBufferCount = 1};
    check(vkAllocateCommandBuffers(gpu.device, &commands_info, &gpu.commands),
          "vkAllocateCommandBuffers");
    return gpu;
}

// Returns the first type of memory that a resource can use and that has all required properties.
static uint32_t find_memory_type(context gpu, VkMemoryRequirements needs,
                                 VkMemoryPropertyFlags required)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu.card, &memory);
    for (uint32_t type = 0; type < memory.memoryTypeCount; type++) {
        const bool is_usable = (needs.memoryTypeBits & 1U << type) != 0;
        const VkMemoryPropertyFlags properties = memory.memoryTypes[type].propertyFlags;
        if (is_usable && (properties & required) == required)
            return type;
    }
    die("the device does not have the required type of memory");
}

// Allocates memory for a buffer or an image. The number of allocations is limited, so an engine
// would allocate large blocks and divide them.
static VkDeviceMemory allocate(context gpu, VkMemoryRequirements needs,
                               VkMemoryPropertyFlags required)
{
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size, .memoryTypeIndex = find_memory_type(gpu, needs, required)};
    VkDeviceMemory allocated;
    check(vkAllocateMemory(gpu.device, &info, NULL, &allocated), "vkAllocateMemory");
    return allocated;
}

// Creates a buffer and maps it at `mapped`, so that the CPU can write and read it. An engine would
// copy vertices and indices from such a buffer to device-local memory, which is faster for the GPU.
static VkBuffer make_buffer(context gpu, size_t size, VkBufferUsageFlags usage, void **mapped)
{
    VkBuffer buffer;
    VkMemoryRequirements needs;
    CREATE(Buffer, BUFFER, &buffer, .size = size, .usage = usage);
    vkGetBufferMemoryRequirements(gpu.device, buffer, &needs);
    VkDeviceMemory memory = allocate(
        gpu, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    check(vkBindBufferMemory(gpu.device, buffer, memory, 0), "vkBindBufferMemory");
    check(vkMapMemory(gpu.device, memory, 0, VK_WHOLE_SIZE, 0, mapped), "vkMapMemory");
    return buffer;
}

// Creates an image of SIZE * SIZE pixels to draw into, with its own memory on the device, and
// returns a view of it.
static VkImageView make_image(context gpu, VkFormat format, VkImageAspectFlags aspect,
                              VkImageUsageFlags usage, VkImage *image)
{
    VkImageView view;
    VkMemoryRequirements needs;
    CREATE(Image, IMAGE, image, .imageType = VK_IMAGE_TYPE_2D, .format = format,
           .extent = {SIZE, SIZE, 1}, .mipLevels = 1, .arrayLayers = 1,
           .samples = VK_SAMPLE_COUNT_1_BIT, .usage = usage);
    vkGetImageMemoryRequirements(gpu.device, *image, &needs);
    VkDeviceMemory memory = allocate(gpu, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    check(vkBindImageMemory(gpu.device, *image, memory, 0), "vkBindImageMemory");
    CREATE(ImageView, IMAGE_VIEW, &view, .image = *image, .viewType = VK_IMAGE_VIEW_TYPE_2D,
           .format = format, .subresourceRange = {aspect, 0, 1, 0, 1});
    return view;
}

// -- Pipeline -----------------------------------------------------------------------------------

// Creates a render pass that clears color and depth. At its end, the color image can be copied.
static VkRenderPass make_pass(context gpu)
{
    const VkAttachmentDescription attachments[] = {
        {.format = color_format, .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
        {.format = depth_format, .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {
        .colorAttachmentCount = 1, .pColorAttachments = &color, .pDepthStencilAttachment = &depth};
    const VkSubpassDependency then_copy = {
        .dstSubpass = VK_SUBPASS_EXTERNAL,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    VkRenderPass pass;
    CREATE(RenderPass, RENDER_PASS, &pass, .attachmentCount = 2, .pAttachments = attachments,
           .subpassCount = 1, .pSubpasses = &subpass,
           .dependencyCount = 1, .pDependencies = &then_copy);
    return pass;
}

// Reads a compiled shader (SPIR-V) and returns it as a stage of the pipeline. SPIR-V consists of
// words of 32 bits, so its buffer must be aligned like them.
static VkPipelineShaderStageCreateInfo read_shader(context gpu, const char *path,
                                                   VkShaderStageFlagBits stage)
{
    static uint32_t code[MAX_SHADER_BYTES / sizeof(uint32_t)];
    FILE *file = fopen(path, "rb");
    if (!file)
        die("cannot read vert.spv or frag.spv in the current folder");
    const size_t size = fread(code, 1, sizeof code, file);
    fclose(file);

    VkShaderModule shader;
    CREATE(ShaderModule, SHADER_MODULE, &shader, .codeSize = size, .pCode = code);
    return (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = stage, .module = shader, .pName = "main"};
}

// Creates the pipeline that skins and draws a mesh. Triangles of MD5 meshes are clockwise as seen
// from outside.
static VkPipeline make_pipeline(context gpu, VkRenderPass pass, VkPipelineLayout layout)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        read_shader(gpu, "vert.spv", VK_SHADER_STAGE_VERTEX_BIT),
        read_shader(gpu, "frag.spv", VK_SHADER_STAGE_FRAGMENT_BIT)};
    const VkVertexInputBindingDescription binding = {.stride = sizeof(gpu_vertex)};
    const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(gpu_vertex, position)},
        {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(gpu_vertex, normal)},
        {2, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(gpu_vertex, texcoord)},
        {3, 0, VK_FORMAT_R8G8B8A8_UINT, offsetof(gpu_vertex, joints)},
        {4, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(gpu_vertex, weights)}};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1, .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = 5, .pVertexAttributeDescriptions = attributes};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1, .pViewports = &(VkViewport){0, 0, SIZE, SIZE, 0, 1},
        .scissorCount = 1, .pScissors = &(VkRect2D){{0, 0}, {SIZE, SIZE}}};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .cullMode = VK_CULL_MODE_BACK_BIT, .frontFace = VK_FRONT_FACE_CLOCKWISE, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = 1, .depthWriteEnable = 1, .depthCompareOp = VK_COMPARE_OP_LESS};
    const VkPipelineColorBlendAttachmentState opaque = {.colorWriteMask = 15};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1, .pAttachments = &opaque};
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = 2, .pStages = stages, .layout = layout, .renderPass = pass,
        .pVertexInputState = &input, .pInputAssemblyState = &assembly, .pViewportState = &viewport,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pDepthStencilState = &depth,
        .pColorBlendState = &blend};
    VkPipeline pipeline;
    check(vkCreateGraphicsPipelines(gpu.device, NULL, 1, &info, NULL, &pipeline),
          "vkCreateGraphicsPipelines");
    return pipeline;
}

// Creates the inputs of the vertex shader: the palette as a storage buffer and the camera as a push
// constant.
static VkDescriptorSet make_set(context gpu, VkBuffer palette, VkPipelineLayout *layout)
{
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    const VkDescriptorSetLayoutBinding binding = {
        .descriptorType = type, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_VERTEX_BIT};
    VkDescriptorSetLayout set_layout;
    CREATE(DescriptorSetLayout, DESCRIPTOR_SET_LAYOUT, &set_layout,
           .bindingCount = 1, .pBindings = &binding);
    const VkPushConstantRange camera = {VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(md5_mat44)};
    CREATE(PipelineLayout, PIPELINE_LAYOUT, layout, .setLayoutCount = 1, .pSetLayouts = &set_layout,
           .pushConstantRangeCount = 1, .pPushConstantRanges = &camera);
    VkDescriptorPool pool;
    CREATE(DescriptorPool, DESCRIPTOR_POOL, &pool, .maxSets = 1,
           .poolSizeCount = 1, .pPoolSizes = &(VkDescriptorPoolSize){type, 1});
    const VkDescriptorSetAllocateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
    VkDescriptorSet set;
    check(vkAllocateDescriptorSets(gpu.device, &set_info, &set), "vkAllocateDescriptorSets");
    const VkDescriptorBufferInfo buffer = {palette, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set,
        .descriptorCount = 1, .descriptorType = type, .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(gpu.device, 1, &write, 0, NULL);
    return set;
}

// -- Model, camera, image -----------------------------------------------------------------------

// Writes the vertices and indices of all meshes, one after the other.
static void write_meshes(const md5_model *model, gpu_vertex *vertices, uint32_t *indices)
{
    for (const md5_mesh *mesh = model->meshes; mesh < model->meshes + model->num_meshes; mesh++) {
        for (uint32_t i = 0; i < mesh->num_vertices; i++)
            vertices[i] = (gpu_vertex){.position = mesh->positions[i], .normal = mesh->normals[i],
                                   .texcoord = mesh->texcoords[i]};
        const md5_pack_job pack = {.mesh = mesh, .format = MD5_PACK_BYTES,
            .joints = vertices->joints, .joint_stride = sizeof *vertices,
            .weights = vertices->weights, .weight_stride = sizeof *vertices};
        if (!md5_pack_influences(&pack))
            die("a joint index is above 255");
        memcpy(indices, mesh->indices, 12 * (size_t)mesh->num_triangles);
        vertices += mesh->num_vertices;
        indices += 3 * (size_t)mesh->num_triangles;
    }
}

// Returns the matrix of a camera that looks at the whole model, diagonally from the front.
static md5_mat44 make_camera(md5_bounds bounds)
{
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const float size = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    const md5_vec3 eye = {center.x + 1.6f * size, center.y + 0.7f * size, center.z + 0.3f * size};
    const md5_mat44 view = md5_mat44_look_at(eye, center, (md5_vec3){0, 0, 1});
    md5_mat44 lens = md5_mat44_perspective(35, 1, 0.1f * size, 20 * size, MD5_DEPTH_ZERO_TO_ONE);
    lens.m[5] = -lens.m[5]; // y points down in Vulkan
    return md5_mat44_mul(lens, view);
}

// Writes a BMP file with 32 bits per pixel and the top row first. The pixels have the layout of
// color_format.
static void save_image(const char *path, const void *pixels)
{
    enum { INFO_BYTES = 40, HEADER_BYTES = 14 + INFO_BYTES };
    // The header after "BM": two parts, whose other members are 0.
    const uint32_t header[(HEADER_BYTES - 2) / sizeof(uint32_t)] = {
        HEADER_BYTES + 4 * SIZE * SIZE, 0, HEADER_BYTES, // bytes of the file; offset of the pixels
        INFO_BYTES, SIZE, (uint32_t)-SIZE,               // width, height; negative: top row first
        32 << 16 | 1};                                   // bits per pixel; planes
    FILE *file = fopen(path, "wb");
    if (!file)
        die("cannot write the image");
    if (fwrite("BM", 2, 1, file) != 1 || fwrite(header, sizeof header, 1, file) != 1)
        die("cannot write the image");
    if (fwrite(pixels, 4 * SIZE, SIZE, file) != SIZE || fclose(file) != 0)
        die("cannot write the image");
}

// Records the commands that draw all meshes from the bound buffers, in the order of write_meshes().
static void draw_meshes(VkCommandBuffer commands, const md5_model *model)
{
    uint32_t first_index = 0;
    int32_t first_vertex = 0;
    for (const md5_mesh *mesh = model->meshes; mesh < model->meshes + model->num_meshes; mesh++) {
        vkCmdDrawIndexed(commands, 3 * mesh->num_triangles, 1, first_index, first_vertex, 0);
        first_index += 3 * mesh->num_triangles;
        first_vertex += (int32_t)mesh->num_vertices;
    }
}

// Records the copy of the drawn image to a buffer that the CPU reads.
static void copy_image(VkCommandBuffer commands, VkImage image, VkBuffer pixels)
{
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                     .imageExtent = {SIZE, SIZE, 1}};
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels, 1,
                           &region);
    const VkMemoryBarrier to_cpu = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &to_cpu, 0, NULL, 0, NULL);
}

// Executes the recorded commands and waits for their end.
static void submit(context gpu)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                               .pCommandBuffers = &gpu.commands};
    check(vkQueueSubmit(gpu.queue, 1, &info, NULL), "vkQueueSubmit");
    check(vkQueueWaitIdle(gpu.queue), "vkQueueWaitIdle");
}

// The meshes in memory of the GPU. All meshes share one vertex buffer and one index buffer.
typedef struct gpu_meshes {
    VkBuffer vertices;
    VkBuffer indices;
} gpu_meshes;

// Creates the buffers and writes the meshes to them. An engine does this once for each model.
static gpu_meshes upload_meshes(context gpu, const md5_model *model)
{
    size_t num_vertices = 0;
    size_t num_indices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        num_vertices += model->meshes[i].num_vertices;
        num_indices += 3 * (size_t)model->meshes[i].num_triangles;
    }
    if (num_indices == 0)
        die("the model does not contain a triangle");

    void *vertices, *indices;
    const gpu_meshes meshes = {
        .vertices = make_buffer(gpu, num_vertices * sizeof(gpu_vertex),
                                VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &vertices),
        .indices = make_buffer(gpu, num_indices * sizeof(uint32_t),
                               VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &indices)};
    write_meshes(model, vertices, indices);
    return meshes;
}

// Creates the images for color and depth and combines them for the render pass. *color receives the
// image that the program saves.
static VkFramebuffer make_target(context gpu, VkRenderPass pass, VkImage *color)
{
    VkImage depth;
    const VkImageView views[] = {
        make_image(gpu, color_format, VK_IMAGE_ASPECT_COLOR_BIT,
                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, color),
        make_image(gpu, depth_format, VK_IMAGE_ASPECT_DEPTH_BIT,
                   VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, &depth)};
    VkFramebuffer target;
    CREATE(Framebuffer, FRAMEBUFFER, &target, .renderPass = pass, .attachmentCount = 2,
           .pAttachments = views, .width = SIZE, .height = SIZE, .layers = 1);
    return target;
}

// Writes the palette of a pose directly to the mapped buffer of the shader. The array `joints` is
// necessary for speed. Without it, the library would read intermediate results back from the mapped
// buffer, which can be slow. In a game, the next frame needs another buffer while the GPU draws
// this one.
static void write_palette(const md5_binding *binding, double seconds, md5_mat34 *palette)
{
    const size_t num_joints = binding->model->skeleton.num_joints;
    md5_xform *pose = malloc(num_joints * sizeof *pose);
    md5_mat34 *joints = malloc(num_joints * sizeof *joints);
    if (!pose || !joints)
        die("out of memory");
    const md5_sample_position sample =
        md5_sample_position_at(binding->anim, seconds, MD5_WRAP_LOOP);
    md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, joints, palette);
    free(pose);
    free(joints);
}

// Records the commands that begin the render pass, which clears the images of `target`.
static void begin_pass(VkCommandBuffer commands, VkRenderPass pass, VkFramebuffer target)
{
    const VkClearValue background[] = {{.color.float32 = {0.022f, 0.025f, 0.033f, 1}}, // linear
                                       {.depthStencil.depth = 1}};
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = pass,
        .framebuffer = target, .renderArea.extent = {SIZE, SIZE},
        .clearValueCount = 2, .pClearValues = background};
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
}

// Poses a model at a time of a clip, draws it to an image with Vulkan, and saves the image. The
// skinning is done in the vertex shader, which reads the joint palette.
int main(int argc, char **argv)
{
    md5_error error = {.message = "usage: vulkan MODEL.md5mesh CLIP.md5anim IMAGE.bmp [SECONDS]"};
    md5_model *model = argc == 4 || argc == 5 ? md5_load_model(argv[1], NULL, &error) : NULL;
    md5_anim *anim = model ? md5_load_anim(argv[2], NULL, &error) : NULL;
    md5_binding *binding = anim ? md5_bind(model, anim, NULL, &error) : NULL;
    if (!binding)
        die(error.message);

    // An engine creates buffers, images and the pipeline once.
    const context gpu = open_gpu();
    const gpu_meshes meshes = upload_meshes(gpu, model);
    void *palette, *pixels;
    VkBuffer palette_buffer = make_buffer(gpu, model->skeleton.num_joints * sizeof(md5_mat34),
                                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &palette);
    VkBuffer pixel_buffer =
        make_buffer(gpu, 4 * SIZE * SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &pixels);
    VkRenderPass pass = make_pass(gpu);
    VkImage color;
    VkFramebuffer target = make_target(gpu, pass, &color);
    VkPipelineLayout layout;
    VkDescriptorSet set = make_set(gpu, palette_buffer, &layout);
    VkPipeline pipeline = make_pipeline(gpu, pass, layout);

    // In each frame, write the palette.
    const double seconds = argc == 5 ? strtod(argv[4], NULL) : 0.8;
    write_palette(binding, seconds, palette);
    const md5_mat44 camera = make_camera(model->bounds);

    // Record the commands of the frame.
    VkCommandBuffer commands = gpu.commands;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    begin_pass(commands, pass, target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof camera, &camera);
    vkCmdBindVertexBuffers(commands, 0, 1, &meshes.vertices, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(commands, meshes.indices, 0, VK_INDEX_TYPE_UINT32);
    draw_meshes(commands, model);
    vkCmdEndRenderPass(commands);
    copy_image(commands, color, pixel_buffer);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    submit(gpu);
    save_image(argv[3], pixels);
    return 0; // the system frees all resources; an engine destroys each object
}
