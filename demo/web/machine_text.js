// Recognizes machine files and finds the names of files in them. The text can be hostile: the regular expressions match one part
// after the other without backtracking, so that the time is linear, and names have at most 1000 characters.

const max_length = 1000;

export function is_machine(text) {
    let start = 0; // start of the first word
    for (const [space] of text.matchAll(/\s+|\/\/.*|\/\*[^]*?\*\//gy)) // y: without gaps
        start += space.length;
    return /^machine\s/.test(text.slice(start, start + 8));
}

// Returns the names of the models and clips of a machine file: texts in quotes on one line, or words, which can be followed by a
// bracket or another character.
export function find_files(text) {
    const names = [];
    for (const [token, quoted] of text.matchAll(/"([^"\n]*)"?|[^\s"]+/g)) {
        const name = token.length > max_length + 2 ? null : (quoted === undefined
            ? /^.*\.md5(?:mesh|anim)\b/s : /[^"]*\.md5(?:mesh|anim)(?="$)/).exec(token)?.[0];
        if (name && name.length <= max_length)
            names.push(name);
    }
    return names;
}
