// Unpacks compressed bytes within a limit, so that a small file cannot fill the memory of the page.

// Returns the limit of the unpacked size: 128 MiB or 100 times the packed size, whichever is larger. md5tool has the same
// limits for archives.
export const max_unpacked = (num_packed) => Math.max(2 ** 27, 100 * num_packed);

// Returns the unpacked bytes of a stream in the format "gzip" or "deflate-raw". Throws an Error if the data are damaged, or a
// RangeError with the file's name if there are more than `limit` bytes. Calls count() with the size of each piece.
export async function unpack(stream, format, limit, name, count = () => {}) {
    const reader = stream.pipeThrough(new DecompressionStream(format)).getReader(), pieces = [];
    let size = 0;
    for (let chunk; !(chunk = await reader.read()).done; pieces.push(chunk.value)) {
        size += chunk.value.length;
        if (size > limit) {
            reader.cancel().catch(() => {}); // the error below is the cause
            throw new RangeError(name + ": more than " + limit + " bytes when unpacked");
        }
        count(chunk.value.length);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
