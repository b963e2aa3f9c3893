// Tests of demo/web's modules that read files, in node: texts of machine files, compressed bytes, archives.
//
//     node test/web/texts.mjs [GOLDEN]    GOLDEN: a folder with slashes.md5mesh and lying_size.pk4
//
// Ends with a line of counts. Hostile texts are so long that a scan of more than linear time would not end.
import fs from "node:fs";
import zlib from "node:zlib";
import {find_files, is_machine} from "../../demo/web/machine_text.js";
import {max_unpacked, unpack} from "../../demo/web/unpack.js";
import {unzip} from "../../demo/web/unzip.js";

const golden = process.argv[2];
let passed = 0, failed = 0;

function check(title, is_right, found) {
    if (is_right) {
        passed++;
    } else {
        failed++;
        console.log("FAILED: " + title + ": " + JSON.stringify(found)?.slice(0, 300));
    }
}

function equal(title, found, expected) {
    check(title, JSON.stringify(found) === JSON.stringify(expected), found);
}

async function fails(title, promise, text) {
    const error = await promise.then(() => null, (error) => error);
    check(title, error?.message.includes(text), error?.message);
}

// -- Texts of machine files ------------------------------------------------------------------------

for (const [text, expected] of [
    ["machine Bobbin { model b.md5mesh }", true],
    ["machine\tBobbin", true],
    [" \r\n\t machine x", true],
    ["// machine x\nmachine y", true],
    ["/* a */ /* b\n */ // c\n machine x", true],
    ["/**/machine x", true],
    ["/* machine x */", false],
    ["/* machine x", false],
    ["// machine x", false],
    ["/ machine x", false],
    ["machines x", false],
    ["machine", false],
    ["MD5Version 10", false],
    ["", false],
    ["/".repeat(63), false],
    ["/".repeat(63) + "\nmachine x", true],
])
    equal("is a machine: " + text.slice(0, 40), is_machine(text), expected);

for (const [text, expected] of [
    ["model a.md5mesh clip b b.md5anim", ["a.md5mesh", "b.md5anim"]],
    ["model \"two words.md5mesh\"", ["two words.md5mesh"]],
    ["clip b b.md5anim}", ["b.md5anim"]],
    ["clip b ../x/b.md5anim{", ["../x/b.md5anim"]],
    ["b.md5animation b.md5mes b.MD5MESH .md5mesh", [".md5mesh"]],
    ["\"a.md5anim and more\"", []],
    ["\"not closed.md5anim\nc.md5anim", ["c.md5anim"]],
    ["\"not closed.md5anim", []],
    ["a\"b.md5anim\"c.md5anim", ["b.md5anim", "c.md5anim"]],
    ["\"\" \" \" c.md5anim", ["c.md5anim"]],
])
    equal("names in: " + text, find_files(text), expected);

const name = (length) => "n".repeat(length - ".md5anim".length) + ".md5anim";
equal("a name of 1000 characters", find_files("clip a " + name(1000)).length, 1);
equal("a name of 1001 characters", find_files("clip a " + name(1001)).length, 0);
equal("a quoted name of 1000 characters", find_files("\"" + name(1000) + "\"").length, 1);
equal("a quoted name of 1001 characters", find_files("\"" + name(1001) + "\"").length, 0);

const size = 2_000_000;
equal("many slashes", is_machine("/".repeat(size)), false);
equal("many comments", is_machine("/**/".repeat(size / 4) + "machine x"), true);
equal("many beginnings of comments", is_machine("/*".repeat(size / 2)), false);
equal("many blanks", is_machine(" ".repeat(size)), false);
for (const unit of ["x", "a.", ".md5mes", "\"", "\"a", "a\" ", "\".md5anim"])
    check("a long text of " + unit, find_files("machine m { " + unit.repeat(size / unit.length)).every((name) => name.length <= 1000));
if (golden)
    equal("golden: slashes", is_machine(fs.readFileSync(golden + "/slashes.md5mesh", "latin1")), false);

// -- Compressed bytes ------------------------------------------------------------------------------

const stream = (bytes) => new Blob([bytes]).stream();
const text = Buffer.from("compressed ".repeat(1000)), counts = [];
equal("gzip", Buffer.from(await unpack(stream(zlib.gzipSync(text)), "gzip", text.length, "a.gz", (count) => counts.push(count))).equals(text), true);
equal("all pieces are counted", counts.reduce((sum, count) => sum + count, 0), text.length);
await fails("one byte above the limit", unpack(stream(zlib.gzipSync(text)), "gzip", text.length - 1, "a.gz"), "a.gz: more than 10999 bytes when unpacked");
const damage = await unpack(stream(Buffer.from("no gzip")), "gzip", 100, "a.gz").catch((error) => error);
check("damaged bytes", damage instanceof Error && !(damage instanceof RangeError), damage);
equal("the limit of small files", max_unpacked(1342177), 2 ** 27);
equal("the limit of large files", max_unpacked(1342178), 134217800);

// A bomb of 1 GiB: little more than the limit is unpacked.
const bomb = zlib.deflateRawSync(Buffer.alloc(2 ** 24), {level: 9}), before = process.memoryUsage().rss;
await fails("a bomb", unpack(stream(Buffer.concat(Array(64).fill(bomb.subarray(0, bomb.length - 4)))), "deflate-raw", 1000, "bomb"), "bomb: more than 1000 bytes");
check("a bomb takes little memory", process.memoryUsage().rss - before < 200e6, process.memoryUsage().rss - before);

// -- Archives --------------------------------------------------------------------------------------

// Returns an archive of entries {name, bytes, method, declared: the declared size, flags, offset}.
function archive(...entries) {
    const body = [], list = [];
    let at = 0, listed = 0;
    for (const {name, bytes = Buffer.from("hello"), method = 8, declared = bytes.length, flags = 0, packed, offset} of entries) {
        const data = packed ?? (method === 8 ? zlib.deflateRawSync(bytes, {level: 9}) : bytes), title = Buffer.from(name, "utf8");
        const numbers = Buffer.alloc(26);
        [flags, method, 0, 0x21].forEach((number, i) => numbers.writeUInt16LE(number, 2 * i));
        [zlib.crc32?.(bytes) ?? 0, data.length, declared].forEach((number, i) => numbers.writeUInt32LE(number, 8 + 4 * i));
        numbers.writeUInt16LE(title.length, 20);
        const local = Buffer.concat([Buffer.from("PK\x03\x04\x14\0", "latin1"), numbers.subarray(0, 24), title, data]);
        const rest = Buffer.alloc(14);
        rest.writeUInt32LE(offset ?? at, 10);
        const entry = Buffer.concat([Buffer.from("PK\x01\x02\x14\x03\x14\0", "latin1"), numbers.subarray(0, 24), rest, title]);
        list.push(entry);
        if (offset === undefined) { // else the local header of another entry
            body.push(local);
            at += local.length;
        }
        listed += entry.length;
    }
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", 0, "latin1");
    [entries.length, entries.length].forEach((number, i) => end.writeUInt16LE(number, 8 + 2 * i));
    end.writeUInt32LE(listed, 12);
    end.writeUInt32LE(at, 16);
    return Buffer.concat([...body, ...list, end]);
}

async function open(bytes) {
    const warnings = [], file = {name: "a.pk4", arrayBuffer: async () => new Uint8Array(bytes).buffer};
    const files = await unzip(file, (text) => warnings.push(text));
    return {names: files.map(([name]) => name), bytes: files.map(([, content]) => content), warnings};
}

const good = {name: "good.txt"};
async function skips(title, entry, text) {
    const {names, warnings} = await open(archive(entry, good));
    equal(title, [names, warnings], [["/good.txt"], ["a.pk4: warning: " + entry.name.slice(0, 1000) + ": skipped: " + text]]);
}

const sound = await open(archive(good, {name: "dir/"}, {name: "a\\b.txt", method: 0}));
equal("a valid archive", [sound.names, sound.warnings], [["/good.txt", "/a/b.txt"], []]);
equal("its bytes", sound.bytes.map((bytes) => Buffer.from(bytes).toString()), ["hello", "hello"]);
const zeros = Buffer.alloc(2 ** 20);
await skips("more bytes than declared", {name: "liar", bytes: zeros, declared: 10}, "invalid size: expected 10 bytes, found more");
await skips("one byte more than declared", {name: "liar", declared: 4}, "invalid size: expected 4 bytes, found more");
await skips("one byte less than declared", {name: "liar", declared: 6}, "invalid size: expected 6 bytes, found 5");
await skips("stored bytes of another size", {name: "liar", method: 0, declared: 6}, "the sizes are invalid: 6 bytes cannot be compressed to 5");
await skips("more bytes than deflate can compress", {name: "liar", declared: 1032 * 7 + 65}, "the sizes are invalid: 7289 bytes cannot be compressed to 7");
await skips("as many bytes as deflate can compress", {name: "liar", declared: 1032 * 7 + 64}, "invalid size: expected 7288 bytes, found 5");
await skips("damaged bytes", {name: "torn", packed: Buffer.from("\xff\xff\xff", "latin1")}, "the data are damaged");
await skips("an encrypted file", {name: "secret", flags: 1}, "encrypted entries are not supported");
await skips("an unknown method", {name: "new", method: 9, packed: Buffer.from("hello")}, "compression method 9 is not supported; compress the archive with deflate");
await skips("a path outside the archive", {name: "a/../../b"}, "the path leads outside the archive");
await skips("an absolute name", {name: "/a"}, "the path is absolute");
await skips("a name of 1001 characters", {name: "n".repeat(1001)}, "the name has more than 1000 characters");
equal("a name of 1000 characters", (await open(archive({name: "n".repeat(1000)}))).names.length, 1);

// 128 MiB of zeros compressed to 130 KB are the largest accepted content of that size.
const large = {name: "large", bytes: Buffer.alloc(2 ** 27)}, larger = {name: "larger", bytes: Buffer.alloc(2 ** 27 + 1)};
equal("128 MiB", (await open(archive(large))).bytes[0]?.length, 2 ** 27);
await skips("a byte more than 128 MiB", larger,
    "file is too large: found 134217729 bytes, expected at most 128 MiB or 100 times the compressed size of " + zlib.deflateRawSync(larger.bytes, {level: 9}).length + " bytes");
await fails("128 MiB in all, and a byte", open(archive(large, {name: "one", bytes: Buffer.from("1")})), "archive is too large: its files have more than 134217728 bytes");
await skips("more than 512 MiB", {name: "huge", declared: 2 ** 29 + 1, packed: Buffer.alloc(2 ** 20)}, "the file is too large: expected at most 536870912 bytes, found 536870913");
// Ten entries share one file of 100 bytes: each claims 131 bytes of 623.
const shared = {name: "a", bytes: zeros.subarray(0, 100), method: 0};
await fails("entries that overlap", open(archive(shared, ...Array(9).fill({...shared, offset: 0}))),
    "damaged archive: its entries overlap: they have 655 bytes in total, but the archive has 623");
await fails("a file that is not an archive", open(Buffer.from("hello")), "a.pk4: error: damaged archive: invalid or truncated file list");
await fails("an empty file", open(Buffer.alloc(0)), "damaged archive: invalid or truncated file list");
const comment = (length) => Buffer.concat([archive(good), Buffer.alloc(length)]);
equal("a comment of 65535 bytes", (await open(comment(65535))).names, ["/good.txt"]);
await fails("a comment of 65536 bytes", open(comment(65536)), "damaged archive: invalid or truncated file list");
await fails("a truncated list", open(Buffer.concat([archive(good).subarray(0, 60), archive(good).subarray(-22)])), "damaged");
if (golden) {
    const {names, warnings} = await open(fs.readFileSync(golden + "/lying_size.pk4"));
    check("golden: a wrong size", warnings.some((text) => /invalid size: expected 10 bytes, found more/.test(text)), {names, warnings});
}
console.log(passed + " passed, " + failed + " failed, 0 skipped");
process.exit(failed > 0 ? 1 : 0);
