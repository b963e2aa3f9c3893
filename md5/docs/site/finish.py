#!/usr/bin/env python3
"""finish.py FOLDER: copies linked files of the repository next to Doxygen's pages, adds elements for
assistive technology, and checks that each link of each page leads to an existing page and anchor. Run from
the top of the repository."""
import glob
import html
import os
import re
import shutil
import sys
import urllib.parse


# Elements that Doxygen omits: the language, an icon, landmarks, headings, names.
ADDED = {
    '<html': ' lang="en"',
    '<head>': '\n<link rel="icon" href="data:,">',
    '<div id="top"': ' role="banner"',
    '<div class="header"': ' role="region" aria-label="Title"',
    '<div class="title"': ' role="heading" aria-level="1"',
    '<div class="contents"': ' role="main"',
    '<div class="fragment"': ' tabindex="0"',
    '<pre class="fragment"': ' tabindex="0"',
    '<table class="markdownTable"': ' tabindex="0"',
    'id="MSearchField"': ' aria-label="Search"',
}


def main():
    folder = sys.argv[1]
    pages = {}
    for path in sorted(glob.glob(folder + '/*.html')) + [folder + '/menu.js']:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        if 'class="title"' not in text:
            text = re.sub(r'(</?)h3>', r'\1h2>', text)
            text = re.sub(r'(<title>md5model: (.*?)</title>.*?<div class="contents">)',
                          r'\1<h1 class="title">\2</h1>', text, count=1, flags=re.DOTALL)
        for tag, added in ADDED.items():
            text = text.replace(tag, tag + added)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        pages[os.path.basename(path)] = text
    del pages['menu.js']
    anchors = {name: set(re.findall(r'(?:id|name)="([^"]+)"', text)) for name, text in pages.items()}
    links, broken = 0, []
    for name, text in pages.items():
        for target in re.findall(r'<[^<>]*\b(?:href|src)="([^"]*)"', text):
            target = urllib.parse.unquote(html.unescape(target))
            if re.match(r'[a-z]+:', target) or target in ('', '#'):
                continue
            links += 1
            page, _, anchor = target.partition('#')
            page = page or name
            if page.startswith('source/') and os.path.isfile(page[len('source/'):]):
                os.makedirs(os.path.dirname(os.path.join(folder, page)), exist_ok=True)
                shutil.copy(page[len('source/'):], os.path.join(folder, page))
            has_anchor = not anchor or page not in pages or anchor in anchors[page]
            if not os.path.isfile(os.path.join(folder, page)) or not has_anchor:
                broken.append(name + ' links to ' + target)
    print('\n'.join(broken), end='\n' if broken else '')
    print('%s/index.html: %d pages, %d links, %d broken' % (folder, len(pages), links, len(broken)))
    sys.exit(bool(broken) or not links)


main()
