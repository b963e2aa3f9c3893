// A ring of three regions: the CPU fills one while the GPU reads the others. Each region is a
// separate buffer, so that one that is too small is replaced without waiting and without moving the
// others.
#include "render/storage.h"

// After this time a region is abandoned and replaced: the GPU may be lost.
static const GLuint64 longest_wait = 1000000000; // nanoseconds

static void drop_region(md5gl_renderer *renderer, md5gl_region *region)
{
    const GladGLContext *gl = &renderer->gl;
    gl->DeleteSync(region->read); // GL ignores 0
    gl->DeleteBuffers(1, &region->buffer);
    *region = (md5gl_region){0};
}

// Waits until the GPU has read the region. Returns false after longest_wait.
static bool is_free(md5gl_renderer *renderer, md5gl_region *region)
{
    const GladGLContext *gl = &renderer->gl;
    if (!region->read)
        return true;
    const GLenum state = gl->ClientWaitSync(region->read, GL_SYNC_FLUSH_COMMANDS_BIT, longest_wait);
    if (state != GL_ALREADY_SIGNALED && state != GL_CONDITION_SATISFIED)
        return false;
    gl->DeleteSync(region->read);
    region->read = NULL;
    return true;
}

static bool map_region(md5gl_renderer *renderer, md5gl_region *region, size_t size,
                       md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum target = MD5GL_SHADER_STORAGE_BUFFER;
    const GLbitfield flags = GL_MAP_WRITE_BIT | MD5GL_MAP_PERSISTENT_BIT | MD5GL_MAP_COHERENT_BIT;
    gl->GenBuffers(1, &region->buffer);
    gl->BindBuffer(target, region->buffer);
    renderer->optional.BufferStorage(target, (GLsizeiptr)size, NULL, flags);
    region->bytes = (uint8_t *)gl->MapBufferRange(target, 0, (GLsizeiptr)size, flags);
    region->size = size;
    gl->BindBuffer(target, 0);
    if (region->bytes)
        return true;
    drop_region(renderer, region);
    return md5gl_fail(error, MD5_ERROR_GPU, "out of memory for %zu bytes of palettes", size);
}

md5gl_region *md5gl_acquire_region(md5gl_renderer *renderer, md5gl_ring *ring, size_t size,
                                   md5_error *error)
{
    md5gl_region *const region = &ring->regions[(ring->current + 1) % MD5GL_NUM_REGIONS];
    if (size <= region->size && is_free(renderer, region))
        return region;
    // GL keeps a deleted buffer until no command reads it. A replacement is a quarter larger than
    // needed, so that a growing crowd does not replace it every frame.
    const size_t spare = region->size > 0 ? size / 4 : 0;
    drop_region(renderer, region);
    return map_region(renderer, region, size + spare, error) ? region : NULL;
}

void md5gl_advance_ring(md5gl_renderer *renderer, md5gl_ring *ring)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_region *const old = &ring->regions[ring->current];
    if (old->buffer) {
        gl->DeleteSync(old->read);
        old->read = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    ring->current = (ring->current + 1) % MD5GL_NUM_REGIONS;
}

void md5gl_destroy_ring(md5gl_renderer *renderer, md5gl_ring *ring)
{
    for (int i = 0; i < MD5GL_NUM_REGIONS; i++)
        drop_region(renderer, &ring->regions[i]);
}
