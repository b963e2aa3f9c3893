#!/usr/bin/env python3
"""filter.py FILE: converts a public header or a guide for Doxygen and prints it; `make docs` calls it for
each file.

Headers have plain comments. A block of // lines above a declaration documents the declaration and all
following declarations up to a blank line or another comment. A block without a declaration belongs to the
section title or the declaration above it. A comment after a member documents the member.
Guides are Markdown for any reader. Headings get anchors, and links to other guides, to headers and to
examples become links to their pages."""
import os
import re
import sys

TREE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..'))
MAIN_PAGE = os.path.join(TREE, 'md5', 'docs', 'README.md')
LIBRARY_PAGE = os.path.join(TREE, 'md5', 'README.md')
GUIDES = os.path.join(TREE, 'md5', 'docs'), os.path.join(TREE, 'demo', 'docs')
EXAMPLES = os.path.join(TREE, 'demo', 'examples')
CODE = re.compile(r'(`[^`]*`)')
EXPORTED = re.compile(r'MD5\w*_API\b')


def escape(text):
    """Escapes operators and paths that Doxygen would read as commands, tags or lists."""
    text = text.replace('\\', '\\\\').replace('@', '\\@').replace('#', '\\#')
    text = text.replace('<', '\\<').replace('>', '\\>')
    text = text.replace('.. ', '..&nbsp;')  # does not end a sentence
    return re.sub(r'\*(?=\S)|(?<=\S)\*', r'\\*', text)


def doc_text(lines):
    """Returns the text of a comment. Indented parts (diagrams, formulas, code) are unchanged."""
    out, verbatim, in_list = [], False, False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        in_list = (in_list and bool(line.strip())) or line.startswith('- ')
        if line.strip() and indent >= 2 and not in_list:
            if not verbatim:
                out.append('@code{.unparsed}')
                verbatim = True
            out.append(line)
            continue
        if verbatim and line.strip():
            out.append('@endcode')
            verbatim = False
        out.append(''.join(part if part.startswith('`') else escape(part) for part in CODE.split(line)))
    if verbatim:
        out.append('@endcode')
    return out


def comment(line):
    """Returns the text of a line that contains only a comment, or None."""
    match = re.match(r'\s*//( ?)(.*)$', line)
    return match.group(2) if match else None


def print_doc(lines, indent=''):
    for line in doc_text(lines):
        print(indent + '/// ' + line)


def print_members(lines):
    """Converts the body of a struct or enum, whose comments are above or after members."""
    out, column = [], None  # column of the comment after the previous line, which the next lines can continue
    for line in lines:
        text = comment(line)
        trailing = re.match(r'^(.*?[^\s/].*?)\s*// ?(.*)$', line) if text is None else None
        at = line.find('//')
        if trailing:
            column = at
            out.append(trailing.group(1) + ' ///< ' + ' '.join(doc_text([trailing.group(2).strip()])))
        elif text is not None and column is not None and at >= min(column, 8):
            out[-1] += ' ' + ' '.join(doc_text([text.strip()]))
        elif text is not None:
            out.append(line[:at] + '/// ' + ' '.join(doc_text([text.strip()])))
        else:
            column = None
            out.append(line)
    print('\n'.join(out))


def is_declaration(line):
    return bool(re.match(r'(MD5\w*_API|typedef|struct|enum|#define|static inline)\b', line))


class Header:
    """A header in parts: titles of sections, documentation, declarations."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            self.lines = file.read().split('\n')
        self.name = os.path.basename(path)
        self.pieces = []  # (document lines, declaration lines), or (title, None)

    def read(self):
        at, lines = 0, self.lines
        document = []
        while at < len(lines):
            line, text = lines[at], comment(lines[at])
            title = re.match(r'// -- (.*?) -+$', line)
            if title:
                self.pieces.append([[], ['title', title.group(1)]])
                at += 1
            elif text is not None:
                document.append(text)
                at += 1
            elif not line.strip():
                self.add_floating(document)
                document = []
                at += 1
            else:
                end = self.declaration_end(at)
                self.pieces.append([document, lines[at:end]])
                is_next_exported = end < len(lines) and EXPORTED.match(lines[end])
                is_comment_shared = EXPORTED.match(lines[at]) and is_next_exported
                document = list(document) if is_comment_shared else []
                at = end

    def add_floating(self, document):
        if not document:
            return
        if not self.pieces:
            self.pieces.append([document, []])
            return
        self.pieces[-1][0] = self.pieces[-1][0] + [''] + document

    def declaration_end(self, at):
        """Returns the line after the declaration that begins at this line."""
        if self.lines[at].startswith('#'):
            while self.lines[at].endswith('\\'):
                at += 1
            return at + 1
        depth = 0
        while at < len(self.lines):
            code = self.lines[at].split('//')[0]
            depth += code.count('{') - code.count('}')
            at += 1
            if depth <= 0 and (code.rstrip().endswith((';', '}'))):
                break
            if 'extern "C" {' in code:
                break
        return at

    def write(self):
        in_section = False
        for index, (document, code) in enumerate(self.pieces):
            if index == 0:
                print('/// @file')
                print_doc(document)
            elif code and code[0] == 'title':
                if in_section:
                    print('/// @}')
                print('\n/// @name ' + code[1])
                print_doc(document)
                print('/// @{')
                in_section = True
                continue
            elif code and re.match(r'#endif|#ifdef __cplusplus|}$', code[0]) and in_section:
                print('/// @}')
                in_section = False
            if index and document and code and is_declaration(code[0]):
                print()
                print_doc(document)
            has_body = code and code[0].endswith('{') and not code[0].startswith(('static', 'extern'))
            if code and code[0].startswith('#'):
                print('\n'.join(line.split(' //')[0] for line in code))
            elif has_body or len(code) == 1:
                print_members(code)
            else:
                print('\n'.join(code))


def slug(heading):
    return re.sub(r'[^a-z0-9_-]', '', heading.lower().replace(' ', '-'))


def page(file):
    """Returns the name of the page of a file, or None."""
    folder, name = os.path.split(file)
    stem, ending = os.path.splitext(name)
    if folder == EXAMPLES:
        if name == 'README.md':
            return 'guide-examples'
        return 'example-' + stem if ending in ('.c', '.cpp') else None
    if name == 'README.md':
        return {MAIN_PAGE: 'mainpage', LIBRARY_PAGE: 'guide-library'}.get(file)
    return 'guide-' + stem if ending == '.md' and (folder in GUIDES or stem == 'machine_files') else None


def link(path, target):
    """Returns the target of a guide's link in the reference."""
    if re.match(r'[a-z]+:', target):
        return target
    name, _, heading = target.partition('#')
    file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if page(file):
        return '@ref ' + page(file) + ('-' + heading if heading else '')
    if re.match(r'md5\w*\.h$', os.path.basename(file)):
        return '@ref ' + os.path.basename(file)
    return 'source/' + os.path.relpath(file, TREE)


def print_guide(path):
    fenced = False
    with open(path, encoding='utf-8') as file:
        for line in file.read().split('\n'):
            if line.startswith('```'):
                # Doxygen colors only the languages that it supports.
                line = '```' if fenced or line not in ('```c', '```cpp') else '```{.c}'
                fenced = not fenced
            elif not fenced:
                line = guide_line(path, line)
            if line is not None:
                print(line)
    if os.path.dirname(path) == EXAMPLES:
        for name in sorted(name for name in os.listdir(EXAMPLES) if page(os.path.join(EXAMPLES, name))):
            if name != 'README.md':
                print('\n@page %s Example: %s' % (page(os.path.join(EXAMPLES, name)), name))
                print('@include ' + name)


def guide_line(path, line):
    if re.match(r'<!--.*-->$', line):
        return None
    heading = re.match(r'(#+) (.*)$', line)
    if heading and heading.group(1) == '#':
        return line + ' {#' + page(path) + '}'
    if heading:
        return line + ' {#' + page(path) + '-' + slug(heading.group(2)) + '}'

    def replace_image(match):
        return '<img src="%s" alt="%s">' % (link(path, match.group(2)), match.group(1))

    def replace_link(match):
        target = link(path, match.group(2))
        text = match.group(1)
        if target.startswith('@ref'):
            return target + ' "' + text.replace('`', '') + '"'
        if target.startswith('source/'):
            return '<a href="' + target + '">' + text.replace('`', '') + '</a>'
        return '[' + text + '](' + target + ')'
    line = re.sub(r'!\[([^\]]*)\]\(([^)]*)\)', replace_image, line)
    return re.sub(r'\[([^\]]*)\]\(([^)]*)\)', replace_link, line)


def main():
    path = os.path.abspath(sys.argv[1])
    if path.endswith('.h'):
        header = Header(path)
        header.read()
        header.write()
    else:
        print_guide(path)


main()
