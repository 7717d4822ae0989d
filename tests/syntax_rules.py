"""One small vault for each rule of Obsidian's syntax, with what the page of `Doc.md` then holds.

`id` is the rule's number, or a word where it has none. `shows` maps CSS selectors, looked for in the note's body, to how
often they are there; `text` must and `hides` must not be in its visible text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rule:
    id: str
    doc: str
    shows: Mapping[str, int] = field(default_factory=dict)
    text: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


NOTE = {"Note.md": "# Head\nbody\n"}
_TO_NOTE = 'a.internal-link[href="Note.html"]'
_ANY = "a.internal-link"

ORDER = (
    Rule("P1", "--- \nkey: [[x]]\n---  \nafter\n\n---\nno: front\n---\n", {"hr": 1}, ("after", "no: front"), ("key",)),
    Rule("P2", "`[[Note]] #t %%c%% ==h== $x$`\n\n```\n![[Note]] #t\n```\n\n    [[Note]]\n", {"a, mark, math": 0, "code": 3}, ("%%c%%",), (), NOTE),
    Rule("P3", "a %%[[Note]] #t secret%% b\n\n%%\n# secret\n![[Note]]\n%%\n", {"a, h1": 0}, ("a b",), ("secret", "body"), NOTE),
    Rule("P4", "$[[Note]] #t ==h==$ and [[Note|5$]] or [[Note|6$]]\n", {"math": 1, "mark, a.tag": 0, _TO_NOTE: 2}, ("5$", "6$"), (), NOTE),
    Rule("P5", "[[_a_b_]] ~~[[Note]]~~ [[foo]]\n\n[foo]: https://u.example\n", {"em": 0, "s a": 1, _ANY: 3, 'a[href*="u.example"]': 0}, ("_a_b_",), (), NOTE),
    Rule("P6", "<div>\n*a*\n\n*b*\n\n</div>\n", {"em": 1, "div em": 1}, ("*a*",)),
    Rule("P7", "https://a.example/#x [t](https://a.example/#y) [[Note#Head]]\n", {"a.tag": 0, "a": 3}, (), (), NOTE),
)

LINKS = (
    Rule("L1", "[[Note]] [[Note.md]] [[nOTE.MD]]\n", {_TO_NOTE: 3}, (), (), NOTE),
    Rule("L2", "[[Pic.png]] [[Pic]] [[a.pdf]]\n", {'a[href="Pic.png"]': 1, 'a[href="a.pdf"]': 1, ".is-unresolved": 1}, (), (), {"Pic.png": "p", "a.pdf": "p"}),
    Rule("L3", "[[Note.1]] [[v1.2 x]]\n", {'a[href="Note.1.html"]': 1, 'a[href="v1.2%20x.html"]': 1}, (), (), {"Note.1.md": "n", "v1.2 x.md": "v"}),
    Rule("L4", "[[Sq]uare]]\n", {'a[href="Sq%5Duare.html"]': 1}, (), (), {"Sq]uare.md": "x"}),
    Rule("L5", "[[No\nte]] [[open\n[[Note]]\n", {_ANY: 1, _TO_NOTE: 1}, ("[[open",), (), NOTE),
    Rule("L6", "[[a [[Note]] c]]\n", {_TO_NOTE: 1, _ANY: 1}, ("[[a Note c]]",), (), NOTE),
    Rule("L7", "[[ Note ]] [[Note | x ]] [[Note#^abc ]]\n", {'a[href^="Note.html"]': 3, 'a[href="Note.html#%5Eabc"], a[href="Note.html#^abc"]': 1}, (), ("  ",), {"Note.md": "x ^abc\n"}),
    Rule("L8", "[[Note|C# notes]] [[Note#Head|t]] [[Note|t#h]]\n", {_TO_NOTE: 2, 'a[href="Note.html#head"]': 1}, ("C# notes", "t#h"), (), NOTE),
    Rule("L9", "| a |\n|---|\n| [[Note\\|Alias]] |\n| ![[p.png\\|200]] |\n\n[[Note\\|stray]]\n", {"td " + _TO_NOTE: 1, 'td img[width="200"]': 1, _TO_NOTE: 2}, ("Alias", "stray"), ("\\",), {**NOTE, "p.png": "p"}),
    Rule("L10", "[[Note|**b** ~~s~~ a&nbsp;c]]\n", {"a strong": 1, "a s": 1}, ("a\u00a0c",), ("&",), NOTE),
    Rule("L11", "[[Note#Head]] [[#Here]]\n\n## Here\n", {'a[href="Note.html#head"]': 1, 'a[href="#here"].internal-link': 1}, ("Note#Head",), ("#Here ",), NOTE),
    Rule("L12", "[[a/b/File]] [[a/b/File|File]]\n", {'a[href="a/b/File.html"]': 2}, ("a/b/File File",), (), {"a/b/File.md": "x"}),
    Rule("L13", "[[]] [[|x]] [[#]] ![[]]\n", {"a, img, .embed-missing": 0}, ("[[]] [[|x]] [[#]] ![[]]",)),
    Rule("L14", "[[https://a.example/b]]\n", {'a.external-link[href="https://a.example/b"]': 1}),
    Rule("L15", "[[a^b]] [[a:b]]\n", {'a[href="a%5Eb.html"]': 1, ".is-unresolved": 1}, (), (), {"a^b.md": "x"}),
    Rule("L17", "[[Nowhere]]\n", {"a.is-unresolved:not([href])": 1}, ("Nowhere",)),
    Rule("L18", "#[[Note]] [[Note]]#\n", {_TO_NOTE: 2, "a.tag": 0}, ("#Note Note#",), (), NOTE),
)

MARKDOWN_LINKS = (
    Rule("M1", "[t](Three%20laws.md) [t](Three%20laws) [t](<Three laws.md>) [w](Three laws.md)\n", {'a[href="Three%20laws.html"]': 3, _ANY: 3}, ("[w](Three laws.md)",), (), {"Three laws.md": "x"}),
    Rule("M2", "[y](My%20Note.md)\n", {'a[href="Sub/My%20Note.html"]': 1}, (), (), {"Sub/My Note.md": "x"}),
    Rule("M3", "[n](Sub/name%20(x)%20[y]%20#1.md)\n", {'a[href*="name%20"]': 1}, (), (), {"Sub/name (x) [y] #1.md": "x"}),
    Rule("M4", "[t](#Here) [u](Note.md#The%20Head)\n\n## Here\n", {'a[href="#here"].internal-link': 1, 'a[href="Note.html#the-head"]': 1}, (), (), {"Note.md": "# The Head\n"}),
    Rule("M5", "![alt](img.png) ![alt|100x145](img.png)\n\n![](Note.md)\n", {'img[alt="alt"]': 2, 'img[width="100"][height="145"]': 1, ".markdown-embed": 1}, ("body",), (), {**NOTE, "img.png": "p"}),
    Rule("M6", "[t](https://a.example) https://b.example [m](mailto:a@b.example) [o](obsidian://open?vault=v)\n", {"a.external-link[href]": 4, "a.obsidian-link": 1}),
    Rule("M7", "Note.md and www.a.example and a@b.example\n", {"a": 0}, (), (), NOTE),
)

SUBPATHS = (
    Rule("S1", "[[Note#TCP IP Model]] [[Note#wifi 2 4 vs 5 0]] [[Note#same]]\n", {'a[href="Note.html#tcp-ip-model"]': 1, 'a[href="Note.html#wifi-2-4-vs-5-0"]': 1, 'a[href="Note.html#same"]': 1}, (), (), {"Note.md": "# TCP/IP Model\n# wifi 2.4 vs 5.0\n# Same\n# Same\n"}),
    Rule("S2", "[[Note#Cisco]] [[Note#Hello, World]]\n", {'a[href="Note.html#cisco"]': 1, 'a[href="Note.html#hello-world"]': 1}, (), (), {"Note.md": "# [Cisco](u)\n## *Hello*, World\n"}),
    Rule("S3", "[[Note#B#Part]]\n", {'a[href="Note.html#part-1"]': 1}, (), (), {"Note.md": "# A\n## Part\n# B\n## Part\n"}),
    Rule("S4", "[[Note##Head]] [[Note#  Head ]]\n", {'a[href="Note.html#head"]': 2}, (), (), NOTE),
    Rule("S5", "![[Note#B]]\n", {".markdown-embed h2": 1, ".markdown-embed h3": 1}, ("b", "c"), ("after",), {"Note.md": "# A\n## B\nb\n### C\nc\n## D\nafter\n"}),
    Rule("S6", "[[Note#^Ab-1]] [[Note#^aB-1]]\n", {'a[href^="Note.html#"]': 2}, (), (), {"Note.md": "x ^AB-1\n"}),
    Rule("S7", "text ^one\n\n- item ^two\n\nno^three\n", {"p#\\^one": 1, "li#\\^two": 1, "#\\^three": 0}, ("no^three",), ("^one",)),
    Rule("S8", "- a\n- b\n\n^list\n\n| x |\n|---|\n| y |\n\n^table\n", {"#\\^list ul": 1, "#\\^table table": 1}, (), ("^list",)),
    Rule("S9", "- first\n- second\n  ^id\n- third\n", {"li#\\^id": 1}, (), ("^id",)),
    Rule("S10", "text ^mark\n", {'[id="^mark"]': 1, "a.tag": 0}, ("text",), ("mark",)),
    Rule("S11", "> a\n>\n> b ^part\n\n> [!note]\n> c\n\n^whole\n", {"blockquote p#\\^part": 1, "#\\^whole .callout": 1}, (), ("^part", "^whole")),
    Rule("S12", "[[Note#Gone]]\n\n![[Note#Gone]]\n", {'a[href="Note.html"]': 1, ".embed-missing": 1, ".markdown-embed": 0}, (), ("body",), NOTE),
    Rule("S13", "[[Note#[^1]]]\n", {"a": 1}, (), (), {"Note.md": "x[^1]\n\n[^1]: y\n"}),
    Rule("S14", "![[a.pdf#page=3&height=400]] [[a.pdf#page=2]]\n", {'object[data="a.pdf#page=3"][style="height:400px"]': 1, 'a[href="a.pdf#page=2"]': 1}, (), (), {"a.pdf": "p"}),
    Rule("S15", "![[a.svg#icon]] ![[b.png#outline|20]]\n", {'img[src="a.svg#icon"]': 1, 'img[src="b.png#outline"][width="20"]': 1}, (), (), {"a.svg": "<svg/>", "b.png": "p"}),
    Rule("S16", "[[x.base#View name]]\n", {'a[href^="x.base"]': 1}, (), (), {"x.base": "views: []\n"}),
    Rule("S17", "## 你好，世界\n\n## Same\n\n## Same\n\n[[#Same]]\n", {"h2#你好-世界": 1, "h2#same": 1, "h2#same-1": 1, 'a[href="#same"].internal-link': 1}),
)

EMBEDS = (
    Rule("E1", "![[Note]]\n", {".markdown-embed h1": 1}, ("body",), ("secret",), {"Note.md": "---\nk: secret\n---\n# Head\nbody\n"}),
    Rule("E2", "![[Note#Head]]\n\n![[Note#^b]]\n", {".markdown-embed": 2, '[id="head"], [id="^b"]': 0}, ("text",), (), {"Note.md": "# Head\nx\n# Other\ntext ^b\n"}),
    Rule("E3", "![[A]]\n", {".embed-cycle": 1, ".embed-cycle a": 1}, ("A → B → A",), (), {"A.md": "![[B]]\n", "B.md": "![[A]]\n"}),
    Rule("E4", "![[sub/Note]]\n\n[^1]\n\n[^1]: outer\n", {'.markdown-embed a[href="sub/Beside.html"]': 1, ".markdown-embed .footnote-item": 1, ".markdown-embed math": 1}, ("inner", "outer"), (), {"sub/Note.md": "[[./Beside]] $x$ [^1]\n\n[^1]: inner\n", "sub/Beside.md": "b"}),
    Rule("E5", "a ![[p.png]] b ![[Note]] c\n\n| t |\n|---|\n| ![[Note]] |\n\n- ![[Note]]\n", {"p .markdown-embed": 0, ".markdown-embed": 3, "td .markdown-embed": 1, "li .markdown-embed": 1}, (), (), {**NOTE, "p.png": "p"}),
    Rule("E6", "![[p.png|300]] ![[p.png|30x20]] ![[p.png|alt]] ![[p.png|alt|40]]\n", {'img[width="300"]:not([height])': 1, 'img[width="30"][height="20"]': 1, 'img[alt="alt"]': 2, 'img[alt="alt"][width="40"]': 1, 'img[loading="lazy"]': 4}, (), (), {"p.png": "p"}),
    Rule("E7", "![alt|100x145](p.png) ![alt|100](p.png) ![250](p.png)\n", {'img[width="100"]': 2, 'img[height="145"]': 1, 'img[width="250"]': 1}, (), (), {"p.png": "p"}),
    Rule("E8", "![[a.flac]] ![[b.m4a]] ![[c.mp3]] ![[d.ogg]] ![[e.wav]] ![[f.3gp]] ![[g.opus]]\n", {"audio[controls]": 7}, (), (), {f"{n}": "x" for n in ("a.flac", "b.m4a", "c.mp3", "d.ogg", "e.wav", "f.3gp", "g.opus")}),
    Rule("E9", "![[a.mkv]] ![[b.mov]] ![[c.mp4]] ![[d.ogv]] ![[e.webm]]\n", {"video[controls]": 5}, (), (), {n: "x" for n in ("a.mkv", "b.mov", "c.mp4", "d.ogv", "e.webm")}),
    Rule("E10", "![[a.pdf]]\n", {'object[type="application/pdf"] a[href="a.pdf"]': 1}, (), (), {"a.pdf": "p"}),
    Rule("E11", "![[x.canvas]]\n", {'a.file-embed[href="x.canvas"]': 1}, (), ("hidden",), {"x.canvas": '{"nodes":[{"text":"hidden"}]}'}),
    Rule("E12", "![[x.base]] ![[x.base#View]]\n", {'a.file-embed[href^="x.base"]': 2}, (), (), {"x.base": "views: []\n"}),
    Rule("E13", "![](https://www.youtube.com/watch?v=NnTvZWp5Q7o) ![](https://x.com/a/status/1)\n", {"a.media-card": 2, "img, iframe, video": 0}),
    Rule("E14", "![[Gone]] ![[gone.png]]\n", {".embed-missing": 2, "img": 0}, ("Gone", "gone.png")),
    Rule("E15", "![[Note#^list]]\n\n![[Note#^item]]\n", {".markdown-embed li": 5}, ("child",), (), {"Note.md": "- a\n- b ^item\n  - child\n\n^list\n"}),
    Rule("E16", "![[Secret]]\n", {".embed-missing": 1, ".markdown-embed": 0}, (), ("hush",), {"Secret.md": "---\npublish: false\n---\nhush\n"}),
    Rule("E17", "![[a.py]]\n", {".text-embed pre code .k": 1, 'a[href="a.py"]': 1}, ("return",), (), {"a.py": "return 1\n"}),
)

INLINE = (
    Rule("emphasis", "**b** __b__ *i* _i_ ***bi*** ~~s~~ **强调。**后文\n", {"strong": 4, "em": 3, "s": 1}, ("强调。后文",)),
    Rule("highlight", "==a **b** c== `==x==` ==y\n\nz==\n", {"mark": 1, "mark strong": 1}, ("==x==", "==y", "z==")),
    Rule("comment", "a %%b%% c %%%% d %%e\n\nf\n", {}, ("a c", "%%%%", "%%e"), ("b",)),
    Rule("tag", "#a/b #1984 #y1984 #标签 #👩‍💻 x#no \\#no #Tag #tag\n", {"a.tag": 6}, ("#1984", "x#no", "#no")),
    Rule("tag-url", "#标签/子 #A\n", {'a.tag[href="tags/%E6%A0%87%E7%AD%BE/%E5%AD%90.html"]': 1, 'a.tag[href="tags/a.html"]': 1}),
    Rule("footnotes", "x[^A] y[^a] z^[in place] w[^a b]\n\n[^a]: first\n\n  second\n\n[^a b]: https://u.example\n", {".footnote-ref": 3, ".footnote-item": 2, ".footnote-item:first-child p": 2, 'p a[href*="u.example"]': 0}, ("in place", "[^a b]")),
    Rule("math", "$x$ costs $5 and $6, 5$ or $ x $\n", {"math": 1}, ("$5 and $6",)),
    Rule("math-display", "a $$x$$ b\n\n> [!note]\n> $$y$$\n\n- $$z$$\n\n| t |\n|---|\n| $$w$$ |\n", {'math[display="block"]': 4}),
    Rule("hard-break", "a  \nb\\\nc<br>d\n", {"br": 3}),
    Rule("escapes", "\\*a\\* \\_b\\_ \\#c \\`d\\` \\~~e~~ 1\\. \\[[Note]]\n", {"em, code, s, a, ol": 0}, ("*a* _b_ #c `d`", "[[Note]]")),
    Rule("inline-html", "<u>u</u> <s>s</s> <kbd>k</kbd> <span style='color:red'>c</span> <script>alert(1)</script> <img src='p.png' onerror='x()'>\n", {"u": 1, "s": 1, "kbd": 1, 'span[style="color:red"]': 1, "script, [onerror]": 0, 'img[src="p.png"]': 1}, (), ("alert",), {"p.png": "p"}),
    Rule("autolink", "https://a.example <https://b.example> www.c.example\n", {"a.external-link": 2}),
    Rule("no-shortcodes", ":smile: -> <-\n", {}, (":smile: -> <-",)),
)

BLOCKS = (
    Rule("line-breaks", "a\nb\n", {"p br": 1}),
    Rule("callout-line", "> [!TiP|meta]- T *i*\n> x\n", {'details.callout[data-callout="tip"][data-callout-fold="-"][data-callout-metadata="meta"]': 1, "summary.callout-title em": 1, ".callout-title-inner": 1, ".callout-icon": 1, ".callout-content p": 1}),
    Rule("callout-types", "".join(f"> [!{name}]\n\n" for name in "summary tldr hint important check done help faq caution attention fail missing error cite".split()), {".callout": 14, '[data-callout-kind="note"]': 0, '[data-callout-kind="abstract"]': 2, '[data-callout-kind="quote"]': 1}),
    Rule("callout-unknown", "> [!注意 事项]\n> x\n", {'[data-callout="注意 事项"][data-callout-kind="note"]': 1}, ("注意 事项",)),
    Rule("callout-title", "> [!my-type]\n> x\n\n> [!note] Only [[Note]]\n", {".callout-title a": 1, ".callout-content": 1}, ("My Type", "Only Note"), (), NOTE),
    Rule("callout-fold", "> [!note]+ a\n> x\n\n> [!note]- b\n> y\n\n> [!note] c\n> z\n", {"details.callout[open]": 1, "details.callout:not([open])": 1, "div.callout": 1}),
    Rule("callout-nested", "> [!note]\n> text\n> > [!tip]\n> > - a\n> > \t- b\n> >\n> > ```\n> > code\n> > ```\n> > | t |\n> > |---|\n> > | ![[Note]] |\n", {".callout .callout": 1, ".callout .callout li": 2, ".callout .callout pre": 1, ".callout .callout td .markdown-embed": 1}, (), (), NOTE),
    Rule("callout-lazy", "> [!note] t\nlazy\n\nout\n", {".callout-content p": 1}, ("lazy",)),
    Rule("tasks", "- [ ] a\n* [x] b\n1. [?] c\n+ [-] d\n", {"li.task-list-item": 4, 'li[data-task="?"]': 1, "li.is-checked": 3, "input[aria-label]": 4}),
    Rule("tables", "# H\na | b | c\n:-- | :-: | --:\n[[Note]] | $x$<br>y | `z`\n\n|x|\n|-|\n", {"table": 1, 'th[style*="center"]': 1, 'td[style*="right"]': 1, "td a": 1, "td math": 1, "td br": 1}, ("|-|",), (), NOTE),
    Rule("lists", "- a\n\t- b\n    * c\n\n1) d\n2) e\n\n+ f\n", {"ul": 4, "ol": 1, "li li": 2}),
    Rule("rules-and-headings", "***\n\n- - -\n\n___\n\n# h\n\nSet\n===\n\n#tag\n", {"hr": 3, "h1": 2, "a.tag": 1}),
    Rule("code", "````\n```\nin\n```\n````\n\n~~~python\nreturn\n~~~\n\n    indented\n", {"pre": 3, "pre .k": 1}, ("```\nin\n```",)),
    Rule("mermaid", "```mermaid\nflowchart LR\nA[Note] --> B[Other]\nclass A,B internal-link;\n```\n", {"figure.mermaid svg": 1, 'svg a[href="Note.html"]': 1, "svg a.is-unresolved": 1}, (), (), NOTE),
    Rule("query", "```query\nbody\n```\n", {'.query-result a[href="Note.html"]': 1}, (), (), NOTE),
    Rule("plugin-fences", "```dataview\nLIST\n```\n\n```base\nviews: []\n```\n", {".fence-notice": 2, "pre": 2}, ("LIST",)),
    Rule("html-blocks", "<iframe src='https://a.example'></iframe>\n\n<img src='sub/p.png'>\n\n<script>x()</script>\n", {"iframe[sandbox]": 1, 'img[src="sub/p.png"]': 1, "script": 0}, (), ("x()",), {"sub/p.png": "p"}),
    Rule("slides", "one\n\n---\n\ntwo\n", {"hr": 1}, ("one", "two")),
)

ALL = (*ORDER, *LINKS, *MARKDOWN_LINKS, *SUBPATHS, *EMBEDS, *INLINE, *BLOCKS)
