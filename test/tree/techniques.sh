#!/bin/sh
# test/techniques.md: each test and each lesson in it exists, and it lists each lesson.
. test/build/report.sh

print_rows() {
    grep '^| ' test/techniques.md | tail -n +2 | grep -v '^|---'
}
print_rows | awk -F'|' '{ gsub(/[ `]/, "", $(NF - 2)); print $(NF - 2) }' >"$scratch/named"
# The last column contains the name of a lesson, or a link to a section of the course, which test/tree/docs.sh checks.
print_rows | awk -F'|' '{ gsub(/[ `]/, "", $(NF - 1)); if ($(NF - 1) !~ /^-$|^\[/) print $(NF - 1) }' | sort -u >"$scratch/shown"
check "the list of techniques is not empty" [ "$(wc -l <"$scratch/named")" -gt 50 ]

find test -name 'test_*.c' -exec grep -hoE '^TEST[A-Z_]* \([a-z0-9_]+' {} + | sed 's/^TEST.* (//' |
    sort -u >"$scratch/tests"
print_missing_tests() {
    sort -u "$scratch/named" | comm -23 - "$scratch/tests"
}
silent "each test in the table exists" print_missing_tests

sed -n 's/^\[\([a-z0-9_]*\)\]$/\1/p' demo/viewer/pages/pages.txt | sort -u >"$scratch/pages"
check "the list of lessons is not empty" [ -s "$scratch/pages" ]
print_missing_pages() {
    comm -23 "$scratch/shown" "$scratch/pages"
}
silent "each lesson in the table exists" print_missing_pages
print_unnamed_pages() {
    comm -13 "$scratch/shown" "$scratch/pages"
}
silent "each lesson is in the table" print_unnamed_pages

# The build of the viewer fails if the texts of lessons do not match the functions of lessons.
pages=demo/viewer/pages
embed_pages() {
    python3 render/embed.py pages $pages/page.h "$scratch/pages.c" "$@" >"$scratch/embed_output" 2>&1
}
# rejects_pages MESSAGE FILE...: returns success if a build from these files fails with the message.
rejects_pages() {
    words=$1 && shift
    ! embed_pages "$@" && grep -qF "$words" "$scratch/embed_output" || { cat "$scratch/embed_output" && false; }
}
check "lessons match their texts" embed_pages $pages/pages.txt $pages/*.c
sed '/^.additive.$/,/^see/d' $pages/pages.txt >"$scratch/less.txt"
check "a lesson without a text is rejected" rejects_pages "page 'additive' has a VIEW_SHOW, and no text" "$scratch/less.txt" $pages/*.c
check "a text without a lesson is rejected" rejects_pages "page 'easing' has no VIEW_SHOW" $pages/pages.txt $pages/[!e]*.c
sed '/^keeps: 2/d' $pages/pages.txt >"$scratch/kept.txt"
check "a VIEW_FILL_CACHE without a text is rejected" rejects_pages "page 'bake' has a VIEW_FILL_CACHE" "$scratch/kept.txt" $pages/*.c
sed 's/^slider: head turned, degrees | -80/slider: head turned, degrees/' $pages/pages.txt >"$scratch/fields.txt"
check "a slider without all fields is rejected" rejects_pages ": slider has 3 fields, expected 4" "$scratch/fields.txt" $pages/*.c
sed 's/^start: 0.7/begin: 0.7/' $pages/pages.txt >"$scratch/keys.txt"
check "an unknown key is rejected" rejects_pages ": found 'begin', expected [NAME] or one of title" "$scratch/keys.txt" $pages/*.c

# Prints lessons of earlier versions that name a section that does not exist.
print_unknown_replacements() {
    python3 - $pages/pages.txt <<-'END'
	import re, sys
	sys.path.insert(0, "render")
	import embed
	for name, replacement in embed.removed_lessons(sys.argv[1]):
	    path, _, anchor = replacement.partition("#")
	    headings = re.findall(r"^#+ (.*)$", open(path).read(), re.M) if anchor else []
	    if anchor and anchor not in [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]:
	        print(name, "names the unknown section", replacement)
	END
}
silent "each removed lesson names a section that exists" print_unknown_replacements
sed 's/^removed: timing | easing/removed: timing | unknown/' $pages/pages.txt >"$scratch/removed.txt"
check "a removed lesson that names an unknown lesson is rejected" rejects_pages "expected removed: NAME | LESSON" "$scratch/removed.txt" $pages/*.c

# Prints characters of lessons that the viewer's fonts do not contain, because browsers have only these fonts.
print_missing_glyphs() {
    python3 - $pages/pages.txt test/techniques.md <<-'END'
	import sys
	sys.path.insert(0, "demo/web")
	import font
	for path in sys.argv[1:]:
	    print("".join(sorted(set(open(path).read()) - {chr(code) for code in font.wanted_codes()} - {"\n"})), end="")
	END
}
silent "texts of lessons contain only letters that the viewer's fonts have" print_missing_glyphs

# Prints joints, clips and models that lessons name but that do not exist.
print_unknown_names() {
    python3 - $pages/pages.txt <<-'END'
	import os, re, sys
	sys.path.insert(0, "render")
	import embed
	for name, _, keys in embed.sections(sys.argv[1]):
	    model = "models/" + dict(keys).get("model", ["bobbin/bobbin.md5mesh"])[0]
	    if not os.path.exists(model):
	        print(name, "names the unknown model", model)
	        continue
	    joints = set(re.findall(r'^\s*"([^"]+)"\s+-?\d+ \(', open(model).read(), re.M))
	    clips = {file[:-8] for file in os.listdir(os.path.dirname(model)) if file.endswith(".md5anim")}
	    for key, fields in keys:
	        if key == "choice" and fields[0] == "joint":
	            named, known = fields[2:], joints | {"how many"}
	        elif key == "choice" and fields[0] == "clip":
	            named, known = fields[2:], clips
	        elif key == "clip":
	            named, known = fields, clips
	        elif key == "plot" and fields[1].startswith("joint: "):
	            named, known = fields[1][7:].split(", "), joints
	        else:
	            continue
	        for unknown in sorted(set(named) - known):
	            print(name, "names the unknown", key, unknown)
	END
}
silent "each joint, clip and model that a lesson names exists" print_unknown_names

# Prints lessons that do not have an exercise with an answer.
print_lessons_without_answer() {
    awk '/^\[/ { lesson = $0 } /^answer:/ { answers[lesson] = 1 }
        /^title:/ { names[count++] = lesson } END { for (i = 0; i < count; i++) if (!answers[names[i]]) print names[i] }' $pages/pages.txt
}
silent "each lesson has an answer" print_lessons_without_answer

# The same texts are HTML pages: each page contains its text, its lines, a control for each slider, and valid links.
mkdir "$scratch/html" && python3 demo/web/techniques.py "$scratch/html" $pages/pages.txt $pages/*.c
written_page_is_complete() {
    python3 - "$scratch/html" $pages/pages.txt $pages/*.c <<-'END'
	import html, os, re, sys
	folder, text, *sources = sys.argv[1:]
	lines = {}
	for path in sources:
	    lines.update(re.findall(r'^// The lesson "(\w+)" displays the following code.*?\n(.*?)^// End of the displayed code', open(path).read(), re.M | re.S))
	for name, part in re.findall(r"^\[(\w+)\]$(.*?)^see:", open(text).read(), re.M | re.S):
	    machine = re.search(r"^machine:(.*?)^\w", part, re.M | re.S)
	    if machine: # initial values of its sliders
	        lines[name] = machine[1] if "\n    " in machine[1] else open(machine[1].strip()).read()
	        first = [one.split("|") for one in re.findall(r"^(?:slider|whole|choice): (.*)$", part, re.M)]
	        for i, field in enumerate(first):
	            is_choice = "choice: " + "|".join(field) in part
	            lines[name] = lines[name].replace("$%d" % i, field[2 + int(field[1])].strip() if is_choice else field[3].strip())
	names = re.findall(r"^\[(\w+)\]$", open(text).read(), re.M)
	for name, replacement in re.findall(r"^removed: (\w+) \| (\S+)$", open(text).read(), re.M):
	    link = "docs/guide-learn.html#guide-learn-" + replacement.split("#")[1] if "#" in replacement else "techniques/%s.html" % replacement
	    if 'href="%s"' % link not in open(os.path.join(folder, name + ".html")).read():
	        print("the page of the removed lesson", name, "does not link to", link)
	index, sources_page = open(folder + "/index.html").read(), open(folder + "/sources.html").read()
	plain = lambda it: re.sub(r"\s|//", "", it)
	words = lambda it: re.sub(r"\s+", " ", it).strip()
	for part in open(text).read().split("\n[")[1:]:
	    name, page = part.split("]")[0], open(os.path.join(folder, part.split("]")[0] + ".html")).read()
	    shown = words(html.unescape(re.sub(r"<[^>]*>", "", page)))
	    about = words(re.search(r"^about:(.*?)^\w", part, re.M | re.S)[1])
	    code = html.unescape(re.search(r"<code>(.*?)</code>", page, re.S)[1])
	    sliders = re.findall(r"^(?:slider|whole|choice|easings): ([^|]*?) *\|", part, re.M)
	    if about not in shown or plain(code) != plain(lines[name]):
	        print(name, "has a different text or different lines")
	    if sliders != re.findall(r'name="([^"]*)"', html.unescape(page.split("<form>")[1].split("</form>")[0])):
	        print(name, "does not have the sliders", sliders)
	    if "techniques/%s.html" % name not in index or set(re.findall(r"techniques/(\w+).html", page)) - {"index", "sources", *names}:
	        print(name, "is not linked, or contains no links")
	    if "techniques/sources.html#%s\"" % name not in page or 'id="%s"' % name not in sources_page:
	        print(name, "does not link to its rows of the sources' table")
	END
}
silent "each lesson has an HTML page with the same text, lines and sliders" written_page_is_complete

finish
