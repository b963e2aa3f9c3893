// Draws one triangle that covers the viewport, at the far plane. A square would consist of two
// triangles. GPUs shade pixels in blocks of 2 x 2, so they would shade the blocks on the diagonal
// of the square twice.
out vec2 viewport_position; // viewport position, -1 to 1 to the right and up

void main()
{
    viewport_position = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(viewport_position, 1.0, 1.0);
}
