"""Rules of parse order, links and subpaths: see `syntax_rules.py`."""

from __future__ import annotations

from syntax_rules import NOTE, Rule

_TO_NOTE = 'a.internal-link[href="Note.html"]'
_ANY = "a.internal-link"

ORDER = (
    Rule("P1", "--- \nkey: [[x]]\n---  \nafter\n\n---\nno: front\n---\n", {"hr": 1}, ("after", "no: front"), ("key",)),
    Rule(
        "P2",
        "`[[Note]] #t %%c%% ==h== $x$`\n\n```\n![[Note]] #t\n```\n\n    [[Note]]\n",
        {"a, mark, math": 0, "code": 3},
        ("%%c%%",),
        (),
        NOTE,
    ),
    Rule(
        "P3",
        "a %%[[Note]] #t secret%% b\n\n%%\n# secret\n![[Note]]\n%%\n",
        {"a, h1": 0},
        ("a b",),
        ("secret", "body"),
        NOTE,
    ),
    Rule(
        "P4",
        "$[[Note]] #t ==h==$ and [[Note|5$]] or [[Note|6$]]\n",
        {"math, .math": 1, "mark, a.tag": 0, _TO_NOTE: 2},
        ("5$", "6$"),
        (),
        NOTE,
    ),
    Rule(
        "P5",
        "[[_a_b_]] ~~[[Note]]~~ [[foo]]\n\n[foo]: https://u.example\n",
        {"em": 0, "s a": 1, _ANY: 3, 'a[href*="u.example"]': 0},
        ("_a_b_",),
        (),
        NOTE,
    ),
    Rule("P6", "<div>\n*a*\n\n*b*\n\n</div>\n", {"em": 1, "div em": 1}, ("*a*",)),
    Rule("P7", "https://a.example/#x [t](https://a.example/#y) [[Note#Head]]\n", {"a.tag": 0, "a": 3}, (), (), NOTE),
)

LINKS = (
    Rule("L1", "[[Note]] [[Note.md]] [[nOTE.MD]]\n", {_TO_NOTE: 3}, (), (), NOTE),
    Rule(
        "L2",
        "[[Pic.png]] [[Pic]] [[a.pdf]]\n",
        {'a[href="Pic.png"]': 1, 'a[href="a.pdf"]': 1, ".is-unresolved": 1},
        (),
        (),
        {"Pic.png": "p", "a.pdf": "p"},
    ),
    Rule(
        "L3",
        "[[Note.1]] [[v1.2 x]]\n",
        {'a[href="Note.1.html"]': 1, 'a[href="v1.2%20x.html"]': 1},
        (),
        (),
        {"Note.1.md": "n", "v1.2 x.md": "v"},
    ),
    Rule("L4", "[[Sq]uare]]\n", {'a[href="Sq%5Duare.html"]': 1}, (), (), {"Sq]uare.md": "x"}),
    Rule("L5", "[[No\nte]] [[open\n[[Note]]\n", {_ANY: 1, _TO_NOTE: 1}, ("[[open",), (), NOTE),
    Rule("L6", "[[a [[Note]] c]]\n", {_TO_NOTE: 1, _ANY: 1}, ("[[a Note c]]",), (), NOTE),
    Rule(
        "L7",
        "[[ Note ]] [[Note | x ]] [[Note#^abc ]]\n",
        {'a[href^="Note.html"]': 3, 'a[href="Note.html#%5Eabc"], a[href="Note.html#^abc"]': 1},
        (),
        ("  ",),
        {"Note.md": "x ^abc\n"},
    ),
    Rule(
        "L8",
        "[[Note|C# notes]] [[Note#Head|t]] [[Note|t#h]]\n",
        {_TO_NOTE: 2, 'a[href="Note.html#head"]': 1},
        ("C# notes", "t#h"),
        (),
        NOTE,
    ),
    Rule(
        "L9",
        "| a |\n|---|\n| [[Note\\|Alias]] |\n| ![[p.png\\|200]] |\n\n[[Note\\|stray]]\n",
        {"td " + _TO_NOTE: 1, 'td img[width="200"]': 1, _TO_NOTE: 2},
        ("Alias", "stray"),
        ("\\",),
        {**NOTE, "p.png": "p"},
    ),
    Rule("L10", "[[Note|**b** ~~s~~ a&nbsp;c]]\n", {"a strong": 1, "a s": 1}, ("a\u00a0c",), ("&",), NOTE),
    Rule(
        "L11",
        "[[Note#Head]] [[#Here]]\n\n## Here\n",
        {'a[href="Note.html#head"]': 1, 'a[href="#here"].internal-link': 1},
        ("Note#Head",),
        ("#Here ",),
        NOTE,
    ),
    Rule(
        "L12",
        "[[a/b/File]] [[a/b/File|File]]\n",
        {'a[href="a/b/File.html"]': 2},
        ("a/b/File File",),
        (),
        {"a/b/File.md": "x"},
    ),
    Rule("L13", "[[]] [[|x]] [[#]] ![[]]\n", {"a, img, .embed-missing": 0}, ("[[]] [[|x]] [[#]] ![[]]",)),
    Rule("L14", "[[https://a.example/b]]\n", {'a.external-link[href="https://a.example/b"]': 1}),
    Rule("L15", "[[a^b]] [[a:b]]\n", {'a[href="a%5Eb.html"]': 1, ".is-unresolved": 1}, (), (), {"a^b.md": "x"}),
    Rule("L17", "[[Nowhere]]\n", {"a.is-unresolved:not([href])": 1}, ("Nowhere",)),
    Rule("L18", "#[[Note]] [[Note]]#\n", {_TO_NOTE: 2, "a.tag": 0}, ("#Note Note#",), (), NOTE),
)

MARKDOWN_LINKS = (
    Rule(
        "M1",
        "[t](Three%20laws.md) [t](Three%20laws) [t](<Three laws.md>) [w](Three laws.md)\n",
        {'a[href="Three%20laws.html"]': 3, _ANY: 3},
        ("[w](Three laws.md)",),
        (),
        {"Three laws.md": "x"},
    ),
    Rule("M2", "[y](My%20Note.md)\n", {'a[href="Sub/My%20Note.html"]': 1}, (), (), {"Sub/My Note.md": "x"}),
    Rule(
        "M3", "[n](Sub/name%20(x)%20[y]%20#1.md)\n", {'a[href*="name%20"]': 1}, (), (), {"Sub/name (x) [y] #1.md": "x"}
    ),
    Rule(
        "M4",
        "[t](#Here) [u](Note.md#The%20Head)\n\n## Here\n",
        {'a[href="#here"].internal-link': 1, 'a[href="Note.html#the-head"]': 1},
        (),
        (),
        {"Note.md": "# The Head\n"},
    ),
    Rule(
        "M5",
        "![alt](img.png) ![alt|100x145](img.png)\n\n![](Note.md)\n",
        {'img[alt="alt"]': 2, 'img[width="100"][height="145"]': 1, ".markdown-embed": 1},
        ("body",),
        (),
        {**NOTE, "img.png": "p"},
    ),
    Rule(
        "M6",
        "[t](https://a.example) https://b.example [m](mailto:a@b.example) [o](obsidian://open?vault=v)\n",
        {"a.external-link[href]": 4, "a.obsidian-link": 1},
    ),
    Rule("M7", "Note.md and www.a.example and a@b.example\n", {"a": 0}, (), (), NOTE),
)

SUBPATHS = (
    Rule(
        "S1",
        "[[Note#TCP IP Model]] [[Note#wifi 2 4 vs 5 0]] [[Note#same]]\n",
        {
            'a[href="Note.html#tcp-ip-model"]': 1,
            'a[href="Note.html#wifi-2-4-vs-5-0"]': 1,
            'a[href="Note.html#same"]': 1,
        },
        (),
        (),
        {"Note.md": "# TCP/IP Model\n# wifi 2.4 vs 5.0\n# Same\n# Same\n"},
    ),
    Rule(
        "S2",
        "[[Note#Cisco]] [[Note#Hello, World]]\n",
        {'a[href="Note.html#cisco"]': 1, 'a[href="Note.html#hello-world"]': 1},
        (),
        (),
        {"Note.md": "# [Cisco](u)\n## *Hello*, World\n"},
    ),
    Rule(
        "S3",
        "[[Note#B#Part]]\n",
        {'a[href="Note.html#part-1"]': 1},
        (),
        (),
        {"Note.md": "# A\n## Part\n# B\n## Part\n"},
    ),
    Rule("S4", "[[Note##Head]] [[Note#  Head ]]\n", {'a[href="Note.html#head"]': 2}, (), (), NOTE),
    Rule(
        "S5",
        "![[Note#B]]\n",
        {".markdown-embed h2": 1, ".markdown-embed h3": 1},
        ("b", "c"),
        ("after",),
        {"Note.md": "# A\n## B\nb\n### C\nc\n## D\nafter\n"},
    ),
    Rule("S6", "[[Note#^Ab-1]] [[Note#^aB-1]]\n", {'a[href^="Note.html#"]': 2}, (), (), {"Note.md": "x ^AB-1\n"}),
    Rule(
        "S7",
        "text ^one\n\n- item ^two\n\nno^three\n",
        {"p#\\^one": 1, "li#\\^two": 1, "#\\^three": 0},
        ("no^three",),
        ("^one",),
    ),
    Rule(
        "S8",
        "- a\n- b\n\n^list\n\n| x |\n|---|\n| y |\n\n^table\n",
        {"#\\^list ul": 1, "#\\^table table": 1},
        (),
        ("^list",),
    ),
    Rule("S9", "- first\n- second\n  ^id\n- third\n", {"li#\\^id": 1}, (), ("^id",)),
    Rule("S10", "text ^mark\n", {'[id="^mark"]': 1, "a.tag": 0}, ("text",), ("mark",)),
    Rule(
        "S11",
        "> a\n>\n> b ^part\n\n> [!note]\n> c\n\n^whole\n",
        {"blockquote p#\\^part": 1, "#\\^whole .callout": 1},
        (),
        ("^part", "^whole"),
    ),
    Rule(
        "S12",
        "[[Note#Gone]]\n\n![[Note#Gone]]\n",
        {'a[href="Note.html"]': 1, ".embed-missing": 1, ".markdown-embed": 0},
        ("Note#Gone was not found",),
        ("body",),
        NOTE,
    ),
    Rule("S13", "[[Note#[^1]]]\n", {"a": 1}, (), (), {"Note.md": "x[^1]\n\n[^1]: y\n"}),
    Rule(
        "S14",
        "![[a.pdf#page=3&height=400]] [[a.pdf#page=2]]\n",
        {'object[data="a.pdf#page=3"][style="height:400px"]': 1, 'a[href="a.pdf#page=2"]': 1},
        (),
        (),
        {"a.pdf": "p"},
    ),
    Rule(
        "S15",
        "![[a.svg#icon]] ![[b.png#outline|20]]\n",
        {'img[src="a.svg#icon"]': 1, 'img[src="b.png#outline"][width="20"]': 1},
        (),
        (),
        {"a.svg": "<svg/>", "b.png": "p"},
    ),
    Rule("S16", "[[x.base#View name]]\n", {'a[href^="x.base"]': 1}, (), (), {"x.base": "views: []\n"}),
    Rule(
        "S17",
        "## 你好，世界\n\n## Same\n\n## Same\n\n[[#Same]]\n",
        {"h2#你好-世界": 1, "h2#same": 1, "h2#same-1": 1, 'a[href="#same"].internal-link': 1},
    ),
)
