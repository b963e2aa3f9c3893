#!/usr/bin/env python3
"""Writes the viewer's lessons as HTML pages with text, C code and sliders, which view.js connects to the
drawing.

techniques.py FOLDER TEXT FILE...: writes FOLDER/NAME.html for each lesson and for each lesson of an earlier
version, the contents FOLDER/index.html, and a table of techniques with their tests, FOLDER/sources.html.
TEXT and FILEs are the inputs of `render/embed.py pages`, from which the viewer is built.
"""
import html
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "render"))
import embed  # noqa: E402  reads pages.txt for the viewer

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'wasm-unsafe-eval'; object-src 'none'">
<base href="../">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="%(about)s">
<title>%(title)s - md5model</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<link rel="stylesheet" href="page.css">
</head>
%(body)s</body>
</html>
"""
BODY = """<body class="technique" data-show="%(show)s" data-model="models/%(model)s">
<section class="drawing" aria-label="Drawing"><img src="techniques/%(name)s.jpg" alt="">
<canvas id="canvas" role="img" aria-label="%(title)s, animated"></canvas></section>
<main class="contents">
<nav aria-label="Breadcrumb"><a href="index.html">md5model</a> /
<a href="techniques/index.html">Learn</a> / %(family)s</nav>
<h1 class="title">%(title)s</h1>
<p>%(about)s</p>
<p class="first">%(first)s</p>
%(answer)s<form>
%(sliders)s</form>
<p id="facts"></p>
<pre class="fragment" role="region" tabindex="0" aria-label="C code"><code>%(lines)s</code></pre>
<nav aria-label="Other lessons">%(links)s<p><a href="techniques/sources.html#%(name)s">Techniques and tests of
this lesson</a></p></nav>
<p id="note" role="status"></p>
<pre id="log" role="status"></pre>
</main>
<script src="files.js"></script>
<script src="view.js"></script>
"""
CONTENTS = """<body>
<main class="contents">
<nav aria-label="Breadcrumb"><a href="index.html">md5model</a> / Learn</nav>
<h1 class="title">Learn how skeletal animation works</h1>
<p>%(about)s</p>
%(cards)s</main>
"""
SOURCES = """<body>
<main class="contents">
<nav aria-label="Breadcrumb"><a href="index.html">md5model</a> /
<a href="techniques/index.html">Learn</a> / Techniques and tests</nav>
<h1 class="title">Techniques and tests</h1>
<p>%(about)s</p>
<table>
<tr><th>Lesson</th><th>Technique</th><th>Test</th></tr>
%(rows)s</table>
</main>
"""
CARD = """<li><a href="techniques/%(name)s.html">
<img src="techniques/%(name)s.jpg" width="240" height="150" loading="lazy" alt="">%(title)s</a>
<br>%(about)s</li>
"""
SLIDER = """<label>%(name)s <output>%(first)s</output>
<input type="range" name="%(name)s" min="%(low)s" max="%(high)s" step="%(step)s" value="%(first)s"></label>
"""
REMOVED = """<body>
<main class="contents">
<nav aria-label="Breadcrumb"><a href="index.html">md5model</a> /
<a href="techniques/index.html">Learn</a></nav>
<h1 class="title">The lesson &quot;%(name)s&quot; was removed</h1>
<p>Its subject is now part of <a href="%(address)s">%(replacement)s</a>.</p>
</main>
"""
ABOUT = ("A course on skeletal animation in twenty lessons, from a model file to inverse kinematics. Each "
         "lesson explains one technique with an animated drawing, sliders and C code.")


ABOUT_SOURCES = ("Techniques from articles, lectures and books on skeletal animation, with the lesson that "
                 "explains each technique and the test of its implementation.")


def slider(key, fields):
    name = html.escape(fields[0])
    if key != "choice":
        return SLIDER % {"name": name, "low": fields[1], "high": fields[2], "first": fields[3],
                         "step": "1" if key == "whole" else "any"}
    options = "".join('<option value="%d"%s>%s</option>'
                      % (i, " selected" * (str(i) == fields[1]), html.escape(word))
                      for i, word in enumerate(fields[2:]))
    return '<label>%s <select name="%s">%s</select></label>\n' % (name, name, options)


def answer(keys):
    """Returns the answer to a lesson's question, which is displayed after a click, or an empty string."""
    text = keys.get("answer", [""])[0]
    return "<details><summary>Show answer</summary><p>%s</p></details>\n" % html.escape(text) if text else ""


def links(label, names, titles, rel=""):
    """Returns a paragraph of links, or an empty string."""
    anchors = ['<a href="techniques/%s.html"%s>%s</a>' % (name, rel, html.escape(titles[name]))
               for name in names]
    return "<p>%s: %s</p>\n" % (label, ", ".join(anchors)) if anchors else ""


def write_removed(folder, text, titles):
    """Writes a page for each lesson of an earlier version, so that links to it lead to the replacement."""
    for name, replacement in embed.removed_lessons(text):
        document, _, heading = replacement.partition("#")
        if heading:
            guide = "guide-" + os.path.splitext(os.path.basename(document))[0]
            address, link_text = "docs/%s.html#%s-%s" % (guide, guide, heading), "the course"
        else:
            address, link_text = "techniques/%s.html" % replacement, titles[replacement]
        values = {"name": name, "address": address, "replacement": html.escape(link_text)}
        with open(os.path.join(folder, name + ".html"), "w") as file:
            file.write(PAGE % {"title": "Removed lesson", "about": "A lesson that was removed",
                               "body": REMOVED % values})


def main(folder, text, *files):
    pages, family, cards = embed.sections(text), "", ""
    lines = embed.lines_of(pages, files)
    lessons = {name: {key: fields for key, fields in keys if key not in embed.REPEATED}
               for name, _, keys in pages}
    titles = {name: keys["title"][0] for name, keys in lessons.items()}
    names = list(lessons)
    write_removed(folder, text, titles)
    for i, (name, _, keys) in enumerate(pages):
        previous_family, family = family, lessons[name].get("family", [family])[0]
        values = {"name": name, "title": html.escape(titles[name]), "family": html.escape(family),
                  "about": html.escape(lessons[name]["about"][0]),
                  "first": html.escape(lessons[name]["try"][0]),
                  "answer": answer(lessons[name]),
                  "show": html.escape("no-config&panel=no&lesson=" + name),
                  "model": lessons[name].get("model", ["bobbin/bobbin.md5mesh"])[0],
                  "lines": html.escape(embed.first_lines(lines[name], keys).rstrip("\n"), False),
                  "sliders": "".join(slider(key, fields) for key, fields in keys
                                     if key in ("slider", "whole", "choice")),
                  "links": links("See also", lessons[name]["see"], titles)
                  + links("Next", names[i + 1:i + 2], titles, ' rel="next"')
                  + links("Previous", names[max(i - 1, 0):i], titles, ' rel="prev"')}
        with open(os.path.join(folder, name + ".html"), "w") as file:
            file.write(PAGE % {**values, "body": BODY % values})
        if family != previous_family:
            cards += '%s<h2>%s</h2>\n<ul class="cards">\n' % (
                "</ul>\n" * (previous_family != ""), html.escape(family))
        cards += CARD % values
    rows = "".join('<tr%s><td><a href="techniques/%s.html">%s</a></td><td>%s</td>'
                   '<td><code>%s</code></td></tr>\n'
                   % (' id="%s"' % name if i == 0 else "", name, html.escape(titles[name]),
                      html.escape(technique), test)
                   for name in names for i, (technique, test) in enumerate(embed.sources_of(name)))
    with open(os.path.join(folder, "sources.html"), "w") as file:
        file.write(PAGE % {"title": "Techniques and tests", "about": ABOUT_SOURCES,
                           "body": SOURCES % {"about": ABOUT_SOURCES, "rows": rows}})
    with open(os.path.join(folder, "index.html"), "w") as file:
        file.write(PAGE % {"title": "Learn how skeletal animation works", "about": ABOUT,
                           "body": CONTENTS % {"about": ABOUT, "cards": cards + "</ul>\n"}})


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
