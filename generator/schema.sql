-- The index. Derived from the vault: it may be dropped and rebuilt at any time (PRAGMA user_version says which shape it has).

-- Every file of the vault, with what tells that it changed. Notes have a row in wiki_pages with the same id.
CREATE TABLE wiki_files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    disk TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    problem TEXT NOT NULL,           -- why a note could not be read; "" for all others
    name TEXT NOT NULL               -- the last segment as links are compared: NFC, casefolded, without .md
);
CREATE INDEX idx_files_name ON wiki_files(name);

CREATE TABLE wiki_pages (
    id INTEGER PRIMARY KEY REFERENCES wiki_files(id) ON DELETE CASCADE,
    path TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,               -- in the site; "" for a page that is not published
    title TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,              -- JSON list, as first spelled on the page
    aliases TEXT NOT NULL,           -- JSON list
    summary TEXT NOT NULL,
    content_hash TEXT NOT NULL,      -- MD5 of the file
    lifecycle TEXT NOT NULL,         -- draft, verified, archived, disputed
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    indexed_at TEXT NOT NULL,
    sources TEXT NOT NULL,           -- JSON list
    word_count INTEGER NOT NULL,
    language TEXT NOT NULL,
    published INTEGER NOT NULL,
    special INTEGER NOT NULL,
    meta TEXT NOT NULL,              -- JSON object: the front matter
    problems TEXT NOT NULL,          -- JSON list of [code, message, line]
    links_state TEXT NOT NULL        -- digest of what the page's links open
);
CREATE INDEX idx_pages_category ON wiki_pages(category);
CREATE INDEX idx_pages_lifecycle ON wiki_pages(lifecycle);
CREATE INDEX idx_pages_updated ON wiki_pages(updated_at DESC, path);
CREATE INDEX idx_pages_title ON wiki_pages(title);
CREATE INDEX idx_pages_special ON wiki_pages(id) WHERE special;

-- What is read page by page: kept apart so that wiki_pages stays small. The long columns come last, so that the
-- short ones are read without them.
CREATE TABLE wiki_content (
    id INTEGER PRIMARY KEY REFERENCES wiki_pages(id) ON DELETE CASCADE,
    headings TEXT NOT NULL,          -- JSON list of [level, text, raw, anchor, line, offset, start, end]
    blocks TEXT NOT NULL,            -- JSON list of [id, line, start, end, tag]
    footnotes TEXT NOT NULL,         -- the same
    content BLOB NOT NULL,           -- zlib: the visible plain text
    html BLOB NOT NULL               -- zlib: the body with slots for links and embeds
);

-- Contentless: the analysed text (CJK bigrams) is derived from wiki_content whenever a row is deleted.
CREATE VIRTUAL TABLE wiki_fts USING fts5(
    title, aliases, headings, tags, summary, content,
    content = '',
    prefix = '3',                    -- what many words begin with is found as quickly as one word
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"  -- vowel signs are parts of words
);

CREATE TABLE wiki_links (
    source INTEGER NOT NULL REFERENCES wiki_pages(id) ON DELETE CASCADE,
    n INTEGER NOT NULL,              -- its place on the page, from 0: the slot in wiki_content.html
    name TEXT NOT NULL,              -- the target as written
    subpath TEXT NOT NULL,
    label TEXT,
    kind TEXT NOT NULL,
    embed INTEGER NOT NULL,
    line INTEGER NOT NULL,
    context TEXT NOT NULL,
    target INTEGER,                  -- wiki_files.id; NULL: unresolved
    anchor TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT '', -- words of: alias tied subpath (the page is there, what follows # is not) ambiguous missing
    candidates TEXT NOT NULL DEFAULT '',  -- the paths that tie, one a line
    PRIMARY KEY (source, n)
) WITHOUT ROWID;
CREATE INDEX idx_links_target ON wiki_links(target);

CREATE TABLE wiki_tags (
    tag TEXT PRIMARY KEY,            -- casefolded, NFC
    label TEXT NOT NULL,             -- as first spelled
    count INTEGER NOT NULL,          -- pages that carry exactly this tag
    first_seen TEXT NOT NULL         -- the earliest creation date among them
) WITHOUT ROWID;

CREATE TABLE wiki_page_tags (
    tag TEXT NOT NULL,
    page INTEGER NOT NULL REFERENCES wiki_pages(id) ON DELETE CASCADE,
    label TEXT NOT NULL,             -- as spelled on the page
    PRIMARY KEY (tag, page)
) WITHOUT ROWID;
CREATE INDEX idx_page_tags_page ON wiki_page_tags(page);

-- What pages were made from, so that two that share a source are found by it.
CREATE TABLE wiki_page_sources (
    source TEXT NOT NULL,            -- as raw.source_key has it
    page INTEGER NOT NULL REFERENCES wiki_pages(id) ON DELETE CASCADE,
    PRIMARY KEY (source, page)
) WITHOUT ROWID;
CREATE INDEX idx_page_sources_page ON wiki_page_sources(page);

-- The searches that pages embed, and what each finds: only pages that change are asked again.
CREATE TABLE wiki_queries (
    page INTEGER NOT NULL REFERENCES wiki_pages(id) ON DELETE CASCADE,
    query TEXT NOT NULL,
    PRIMARY KEY (page, query)
) WITHOUT ROWID;
CREATE TABLE wiki_answers (
    query TEXT PRIMARY KEY,
    problem TEXT NOT NULL,           -- why there is no answer; else ""
    pages TEXT NOT NULL              -- JSON list of ids, by path
) WITHOUT ROWID;

-- Raw sources: searched beside the pages, never part of the site. They have ids, fingerprints and a full-text index of
-- their own, so that no raw text changes how pages are ranked. The columns that pages have too are named as there.
CREATE TABLE raw_pages (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    disk TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    sha256 TEXT NOT NULL,            -- of a file whose text others extract; "" where we read it ourselves, - if unreadable
    has_text INTEGER NOT NULL,       -- else only its name is known
    url TEXT NOT NULL,               -- always "": it is never in the site
    title TEXT NOT NULL,
    tags TEXT NOT NULL,              -- JSON list
    aliases TEXT NOT NULL,           -- JSON list
    summary TEXT NOT NULL,
    lifecycle TEXT NOT NULL,         -- always "": only pages have one
    updated_at TEXT NOT NULL,
    special INTEGER NOT NULL         -- always 0
);
CREATE INDEX idx_raw_updated ON raw_pages(updated_at DESC, path);
CREATE INDEX idx_raw_title ON raw_pages(title);

CREATE TABLE raw_content (
    id INTEGER PRIMARY KEY REFERENCES raw_pages(id) ON DELETE CASCADE,
    headings TEXT NOT NULL,          -- as in wiki_content
    content BLOB NOT NULL            -- zlib: the plain text
);

CREATE VIRTUAL TABLE raw_fts USING fts5(
    title, aliases, headings, tags, summary, content,
    content = '',
    prefix = '3',
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

CREATE TABLE raw_page_tags (
    tag TEXT NOT NULL,
    page INTEGER NOT NULL REFERENCES raw_pages(id) ON DELETE CASCADE,
    PRIMARY KEY (tag, page)
) WITHOUT ROWID;
CREATE INDEX idx_raw_tags_page ON raw_page_tags(page);

CREATE TABLE wiki_meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- What each output folder holds and from what it was made.
CREATE TABLE wiki_outputs (
    folder TEXT NOT NULL,            -- absolute path of the output folder
    url TEXT NOT NULL,
    key TEXT NOT NULL,               -- digest of all that the file was made from
    size INTEGER NOT NULL,           -- with mtime_ns: whether the file is still as we wrote it
    mtime_ns INTEGER NOT NULL,
    PRIMARY KEY (folder, url)
) WITHOUT ROWID;

-- What the files of the search in each output folder were made from.
CREATE TABLE wiki_searched (
    path TEXT NOT NULL,              -- of a page
    folder TEXT NOT NULL,
    number INTEGER NOT NULL,         -- the page's in the postings
    content_hash TEXT NOT NULL,      -- of the page as it is in the files
    length INTEGER NOT NULL,         -- how many words it has
    PRIMARY KEY (path, folder)
) WITHOUT ROWID;

-- Pages as they are in those files and no longer in the vault: their words are to be taken out of the files.
CREATE TABLE wiki_outdated (
    path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    title TEXT NOT NULL,             -- this and all that follow as in wiki_pages and wiki_content
    aliases TEXT NOT NULL,
    tags TEXT NOT NULL,
    summary TEXT NOT NULL,
    lifecycle TEXT NOT NULL,
    headings TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (path, content_hash)
);
