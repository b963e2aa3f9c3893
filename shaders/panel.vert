// Draws triangles whose vertices are in pixels from the top left corner of the image.
layout(location = 0) in vec2 pixel;
layout(location = 1) in vec2 vertex_texcoord;
layout(location = 2) in vec4 vertex_color;

out vec2 texcoord;
out vec4 panel_color;

void main()
{
    vec2 position = pixel * viewport.zw * 2.0 - 1.0;
    gl_Position = vec4(position.x, -position.y, 0.0, 1.0);
    texcoord = vertex_texcoord;
    panel_color = vertex_color;
}
