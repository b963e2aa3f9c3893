#!/usr/bin/env python3
"""finish.py FOLDER: puts files of the tree to which guides link beside Doxygen's pages, and checks that each
link of each page leads to a page and an anchor that exist. Run from the top of the tree."""
import glob
import html
import os
import re
import shutil
import sys
import urllib.parse


def main():
    folder = sys.argv[1]
    pages = {}
    for path in sorted(glob.glob(folder + '/*.html')):
        with open(path, encoding='utf-8') as file:
            pages[os.path.basename(path)] = file.read()
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
