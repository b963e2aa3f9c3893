// Unpacks the files of a zip archive. The archive can be hostile: its
// declarations are compared with its bytes before they are used, and the limits
// are the same as in md5tool.
import {max_unpacked, unpack} from "./unpack.js";

const end_size = 22, entry_size = 46, header_size = 30; // bytes of the end of the list, of an entry and of a local header
const max_comment = 0xffff, max_name = 1000, max_file = 2 ** 29, max_total = 2 ** 31;
const stored = 0, deflated = 8;

// Returns the offset of the record after the list of files, or -1 if it is missing.
function find_end(view) {
    const last = view.byteLength - end_size, first = Math.max(0, last - max_comment);
    let offset = last;
    while (offset >= first && view.getUint32(offset, true) !== 0x06054b50)
        offset--;
    return offset < first ? -1 : offset;
}

// Returns the entry at an offset of the list, which ends at `end`, or null if it is damaged.
function read_entry(bytes, view, offset, end) {
    if (offset + entry_size > end || view.getUint32(offset, true) !== 0x02014b50)
        return null;
    const name_length = view.getUint16(offset + 28, true), header = view.getUint32(offset + 42, true);
    if (header + header_size > end)
        return null;
    const entry = {
        name: new TextDecoder().decode(bytes.subarray(offset + entry_size, offset + entry_size + name_length)).replaceAll("\\", "/"),
        is_encrypted: (view.getUint16(offset + 8, true) & 1) !== 0,
        method: view.getUint16(offset + 10, true),
        packed: view.getUint32(offset + 20, true),
        size: view.getUint32(offset + 24, true),
        begin: header + header_size + view.getUint16(header + 26, true) + view.getUint16(header + 28, true),
        next: offset + entry_size + name_length + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true),
    };
    entry.claimed = entry.packed + name_length + header_size;
    return entry;
}

function can_have_size({method, packed, size}) {
    return method === stored ? size === packed : size <= 1032 * packed + 64; // the best ratio of deflate
}

// Returns the reason why an entry is skipped, or "". md5tool prints the same messages for archives.
function find_skip_reason(entry) {
    const {name, method, packed, size} = entry;
    if (name === "")
        return "the name is empty";
    if (name.length > max_name)
        return "the name has more than " + max_name + " characters";
    if (name[0] === "/")
        return "the path is absolute";
    if (name.split("/").includes(".."))
        return "the path leads outside the archive";
    if (entry.is_encrypted)
        return "encrypted entries are not supported";
    if (method !== stored && method !== deflated)
        return "compression method " + method + " is not supported; compress the archive with deflate";
    if (!can_have_size(entry))
        return "the sizes are invalid: " + size + " bytes cannot be compressed to " + packed;
    if (size > max_file)
        return "the file is too large: expected at most " + max_file + " bytes, found " + size;
    if (size > max_unpacked(packed))
        return "file is too large: found " + size + " bytes, expected at most 128 MiB or 100 times the compressed size of " + packed + " bytes";
    return "";
}

// Returns the files of an archive, as ["/name", bytes]. Calls warn() for each entry that is skipped. Throws an Error if the
// list of files is damaged, or if all files together are too large.
export async function unzip(file, warn) {
    const bytes = new Uint8Array(await file.arrayBuffer()), view = new DataView(bytes.buffer), files = [];
    const fail = (text) => { throw new Error(file.name + ": error: " + text); };
    const damaged = "damaged archive: invalid or truncated file list";
    const skip = (name, text) => warn(file.name + ": warning: " + name.slice(0, max_name) + ": skipped: " + text);
    const end = find_end(view);
    let offset = end < 0 ? fail(damaged) : view.getUint32(end + 16, true), claimed = 0, total = 0;
    for (let count = view.getUint16(end + 10, true); count > 0; count--) {
        const entry = read_entry(bytes, view, offset, end) ?? fail(damaged), {name, begin, packed, size} = entry;
        offset = entry.next;
        claimed += entry.claimed;
        if (claimed > bytes.length)
            fail("damaged archive: its entries overlap: they have " + claimed + " bytes in total, but the archive has " + bytes.length);
        if (name.endsWith("/"))
            continue;
        const reason = find_skip_reason(entry);
        if (reason !== "") {
            skip(name, reason);
            continue;
        }
        total += size;
        if (begin + packed > end)
            fail(damaged);
        if (total > Math.min(max_total, max_unpacked(bytes.length)))
            fail("archive is too large: its files have more than " + Math.min(max_total, max_unpacked(bytes.length)) + " bytes");
        const data = bytes.slice(begin, begin + packed);
        try {
            const content = entry.method === stored ? data : await unpack(new Blob([data]).stream(), "deflate-raw", size, name);
            if (content.length === size)
                files.push(["/" + name, content]);
            else
                skip(name, "invalid size: expected " + size + " bytes, found " + content.length);
        } catch (error) {
            skip(name, error instanceof RangeError ? "invalid size: expected " + size + " bytes, found more" : "the data are damaged");
        }
    }
    return files;
}
