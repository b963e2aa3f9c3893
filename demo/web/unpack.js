// Unpacks compressed bytes within a limit, so that a small file cannot fill the memory of the page.

// Returns how many bytes a file of some packed bytes may have: 128 MiB, or 100 times the packed bytes if that is more.
// md5tool has the same limits for archives.
export const max_unpacked = (num_packed) => Math.max(2 ** 27, 100 * num_packed);

// Returns the bytes of a stream, unpacked by "gzip" or "deflate-raw". Throws an Error if they are damaged, or a RangeError
// that names the file if they are more than `limit`. Calls count() with the size of each piece.
export async function unpack(stream, format, limit, name, count = () => {}) {
    const reader = stream.pipeThrough(new DecompressionStream(format)).getReader(), pieces = [];
    let size = 0;
    for (let it; !(it = await reader.read()).done; pieces.push(it.value)) {
        size += it.value.length;
        if (size > limit) {
            reader.cancel().catch(() => {}); // the error below is the cause
            throw new RangeError(name + ": more than " + limit + " bytes when unpacked");
        }
        count(it.value.length);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
