"""Rules of embeds, running text and blocks: see `syntax_rules.py`."""

from __future__ import annotations

from syntax_rules import NOTE, Rule

EMBEDS = (
    Rule(
        "E1",
        "![[Note]]\n",
        {".markdown-embed h1": 1},
        ("body",),
        ("secret",),
        {"Note.md": "---\nk: secret\n---\n# Head\nbody\n"},
    ),
    Rule(
        "E2",
        "![[Note#Head]]\n\n![[Note#^b]]\n",
        {".markdown-embed": 2, '[id="head"], [id="^b"]': 0},
        ("text",),
        (),
        {"Note.md": "# Head\nx\n# Other\ntext ^b\n"},
    ),
    Rule(
        "E3",
        "![[A]]\n",
        {".embed-cycle": 1, ".embed-cycle a": 1},
        ("A → B → A",),
        (),
        {"A.md": "![[B]]\n", "B.md": "![[A]]\n"},
    ),
    Rule(
        "E4",
        "![[sub/Note]]\n\n[^1]\n\n[^1]: outer\n",
        {
            '.markdown-embed a[href="sub/Beside.html"]': 1,
            ".markdown-embed .footnote-item": 1,
            ".markdown-embed math": 1,
        },
        ("inner", "outer"),
        (),
        {"sub/Note.md": "[[./Beside]] $x$ [^1]\n\n[^1]: inner\n", "sub/Beside.md": "b"},
    ),
    Rule(
        "E5",
        "a ![[p.png]] b ![[Note]] c\n\n| t |\n|---|\n| ![[Note]] |\n\n- ![[Note]]\n",
        {"p .markdown-embed": 0, ".markdown-embed": 3, "td .markdown-embed": 1, "li .markdown-embed": 1},
        (),
        (),
        {**NOTE, "p.png": "p"},
    ),
    Rule(
        "E6",
        "![[p.png|300]] ![[p.png|30x20]] ![[p.png|alt]] ![[p.png|alt|40]]\n",
        {
            'img[width="300"]:not([height])': 1,
            'img[width="30"][height="20"]': 1,
            'img[alt="alt"]': 2,
            'img[alt="alt"][width="40"]': 1,
            'img[loading="lazy"]': 4,
        },
        (),
        (),
        {"p.png": "p"},
    ),
    Rule(
        "E7",
        "![alt|100x145](p.png) ![alt|100](p.png) ![250](p.png)\n",
        {'img[width="100"]': 2, 'img[height="145"]': 1, 'img[width="250"]': 1},
        (),
        (),
        {"p.png": "p"},
    ),
    Rule(
        "E8",
        "![[a.flac]] ![[b.m4a]] ![[c.mp3]] ![[d.ogg]] ![[e.wav]] ![[f.3gp]] ![[g.opus]]\n",
        {"audio[controls]": 7},
        (),
        (),
        {f"{n}": "x" for n in ("a.flac", "b.m4a", "c.mp3", "d.ogg", "e.wav", "f.3gp", "g.opus")},
    ),
    Rule(
        "E9",
        "![[a.mkv]] ![[b.mov]] ![[c.mp4]] ![[d.ogv]] ![[e.webm]]\n",
        {"video[controls]": 5},
        (),
        (),
        dict.fromkeys(("a.mkv", "b.mov", "c.mp4", "d.ogv", "e.webm"), "x"),
    ),
    Rule("E10", "![[a.pdf]]\n", {'object[type="application/pdf"] a[href="a.pdf"]': 1}, (), (), {"a.pdf": "p"}),
    Rule(
        "E11",
        "![[x.canvas]]\n",
        {'a.file-embed[href="x.canvas"]': 1},
        (),
        ("hidden",),
        {"x.canvas": '{"nodes":[{"text":"hidden"}]}'},
    ),
    Rule(
        "E12", "![[x.base]] ![[x.base#View]]\n", {'a.file-embed[href^="x.base"]': 2}, (), (), {"x.base": "views: []\n"}
    ),
    Rule(
        "E13",
        "![](https://www.youtube.com/watch?v=NnTvZWp5Q7o) ![](https://x.com/a/status/1)\n",
        {"a.media-card": 2, "img, iframe, video": 0},
    ),
    Rule("E14", "![[Gone]] ![[gone.png]]\n", {".embed-missing": 2, "img": 0}, ("Gone", "gone.png")),
    Rule(
        "E15",
        "![[Note#^list]]\n\n![[Note#^item]]\n",
        {".markdown-embed li": 5},
        ("child",),
        (),
        {"Note.md": "- a\n- b ^item\n  - child\n\n^list\n"},
    ),
    Rule(
        "E16",
        "![[Secret]]\n",
        {".embed-missing": 1, ".markdown-embed": 0},
        (),
        ("hush",),
        {"Secret.md": "---\npublish: false\n---\nhush\n"},
    ),
    Rule(
        "E17",
        "![[a.py]]\n",
        {".text-embed pre code .k": 1, 'a[href="a.py"]': 1},
        ("return",),
        (),
        {"a.py": "return 1\n"},
    ),
)

INLINE = (
    Rule(
        "emphasis",
        "**b** __b__ *i* _i_ ***bi*** ~~s~~ **强调。**后文\n",
        {"strong": 4, "em": 3, "s": 1},
        ("强调。后文",),
    ),
    Rule("highlight", "==a **b** c== `==x==` ==y\n\nz==\n", {"mark": 1, "mark strong": 1}, ("==x==", "==y", "z==")),
    Rule("comment", "a %%b%% c %%%% d %%e\n\nf\n", {}, ("a c", "%%%%", "%%e"), ("b",)),
    Rule("tag", "#a/b #1984 #y1984 #标签 #👩‍💻 x#no \\#no #Tag #tag\n", {"a.tag": 6}, ("#1984", "x#no", "#no")),
    Rule(
        "tag-url",
        "#标签/子 #A\n",
        {'a.tag[href="tags/%E6%A0%87%E7%AD%BE/%E5%AD%90.html"]': 1, 'a.tag[href="tags/a.html"]': 1},
    ),
    Rule(
        "footnotes",
        "x[^A] y[^a] z^[in place] w[^a b]\n\n[^a]: first\n\n  second\n\n[^a b]: /u.example\n",
        {".footnote-ref": 3, ".footnote-item": 2, ".footnote-item:first-child p": 2, 'p a[href*="u.example"]': 0},
        ("in place", "[^a b]"),
    ),
    Rule("math", "$x$ costs $5 and $6; 5 or $ x $\n", {"math": 1}, ("$5 and $6",)),
    Rule(
        "math-display",
        "a $$x$$ b\n\n> [!note]\n> $$y$$\n\n- $$z$$\n\n| t |\n|---|\n| $$w$$ |\n",
        {'math[display="block"]': 4},
    ),
    Rule("hard-break", "a  \nb\\\nc<br>d\n", {"br": 3}),
    Rule(
        "escapes",
        "\\*a\\* \\_b\\_ \\#c \\`d\\` \\~~e~~ 1\\. \\[[Note]]\n",
        {"em, code, s, a, ol": 0},
        ("*a* _b_ #c `d`", "[[Note]]"),
    ),
    Rule(
        "inline-html",
        "<u>u</u> <s>s</s> <kbd>k</kbd> <span style='color:red'>c</span> <script>alert(1)</script>"
        " <img src='p.png' onerror='x()'>\n",
        {"u": 1, "s": 1, "kbd": 1, 'span[style="color:red"]': 1, "script, [onerror]": 0, 'img[src="p.png"]': 1},
        (),
        ("alert",),
        {"p.png": "p"},
    ),
    Rule("autolink", "https://a.example <https://b.example> www.c.example\n", {"a.external-link": 2}),
    Rule("no-shortcodes", ":smile: -> <-\n", {}, (":smile: -> <-",)),
)

BLOCKS = (
    Rule("line-breaks", "a\nb\n", {"p br": 1}),
    Rule(
        "callout-line",
        "> [!TiP|meta]- T *i*\n> x\n",
        {
            'details.callout[data-callout="tip"][data-callout-fold="-"][data-callout-metadata="meta"]': 1,
            "summary.callout-title em": 1,
            ".callout-title-inner": 1,
            ".callout-icon": 1,
            ".callout-content p": 1,
        },
    ),
    Rule(
        "callout-types",
        "".join(
            f"> [!{name}]\n\n"
            for name in (
                "summary tldr hint important check done help faq caution attention fail missing error cite"
            ).split()
        ),
        {
            ".callout": 14,
            '[data-callout-kind="note"]': 0,
            '[data-callout-kind="abstract"]': 2,
            '[data-callout-kind="quote"]': 1,
        },
    ),
    Rule(
        "callout-unknown",
        "> [!注意 事项]\n> x\n",
        {'[data-callout="注意 事项"][data-callout-kind="note"]': 1},
        ("注意 事项",),
    ),
    Rule(
        "callout-title",
        "> [!my-type]\n> x\n\n> [!note] Only [[Note]]\n",
        {".callout-title a": 1, ".callout-content": 1},
        ("My Type", "Only Note"),
        (),
        NOTE,
    ),
    Rule(
        "callout-fold",
        "> [!note]+ a\n> x\n\n> [!note]- b\n> y\n\n> [!note] c\n> z\n",
        {"details.callout[open]": 1, "details.callout:not([open])": 1, "div.callout": 1},
    ),
    Rule(
        "callout-nested",
        "> [!note]\n> text\n> > [!tip]\n> > - a\n> > \t- b\n> >\n> > ```\n> > code\n> > ```\n"
        "> > | t |\n> > |---|\n> > | ![[Note]] |\n",
        {
            ".callout .callout": 1,
            ".callout .callout li": 2,
            ".callout .callout pre": 1,
            ".callout .callout td .markdown-embed": 1,
        },
        (),
        (),
        NOTE,
    ),
    Rule("callout-lazy", "> [!note] t\nlazy\n\nout\n", {".callout-content p": 1}, ("lazy",)),
    Rule(
        "tasks",
        "- [ ] a\n* [x] b\n1. [?] c\n+ [-] d\n",
        {"li.task-list-item": 4, 'li[data-task="?"]': 1, "li.is-checked": 3, "input[aria-label]": 4},
    ),
    Rule(
        "tables",
        "# H\na | b | c\n:-- | :-: | --:\n[[Note]] | $x$<br>y | `z`\n\n|x|\n|-|\n",
        {"table": 1, 'th[style*="center"]': 1, 'td[style*="right"]': 1, "td a": 1, "td math": 1, "td br": 1},
        ("|-|",),
        (),
        NOTE,
    ),
    Rule("lists", "- a\n\t- b\n    * c\n\n1) d\n2) e\n\n+ f\n", {"ul": 4, "ol": 1, "li li": 2}),
    Rule("rules-and-headings", "***\n\n- - -\n\n___\n\n# h\n\nSet\n===\n\n#tag\n", {"hr": 3, "h1": 2, "a.tag": 1}),
    Rule(
        "code",
        "````\n```\nin\n```\n````\n\n~~~python\nreturn\n~~~\n\n    indented\n",
        {"pre": 3, "pre .k": 1},
        ("```\nin\n```",),
    ),
    Rule(
        "mermaid",
        "```mermaid\nflowchart LR\nA[Note] --> B[Other]\nclass A,B internal-link;\n```\n",
        {"figure.mermaid svg": 1, 'svg a[href="Note.html"]': 1, "svg a.is-unresolved": 1},
        (),
        (),
        NOTE,
    ),
    Rule("query", "```query\nbody\n```\n", {'.query-result a[href="Note.html"]': 1}, (), (), NOTE),
    Rule(
        "plugin-fences",
        "```dataview\nLIST\n```\n\n```base\nviews: []\n```\n",
        {".fence-notice": 2, "pre": 2},
        ("LIST",),
    ),
    Rule(
        "html-blocks",
        "<iframe src='https://a.example'></iframe>\n\n<img src='sub/p.png'>\n\n<script>x()</script>\n",
        {"iframe[sandbox]": 1, 'img[src="sub/p.png"]': 1, "script": 0},
        (),
        ("x()",),
        {"sub/p.png": "p"},
    ),
    Rule("slides", "one\n\n---\n\ntwo\n", {"hr": 1}, ("one", "two")),
)
