"""The small wiki over which the tools are tried."""

TEA = """---
title: Tea
aliases: [茶]
tags: [drink/hot, asia]
---
Tea is a leafword drink. See [[Water]].

## Brewing

Boil the water. ^boil

### Time

Three minutes.

- leaf ^leaf
    - oolong
    - puer
- cup

## History

茶之为饮，发乎神农氏。
"""
NOTES = {
    "concepts/Tea.md": TEA,
    "Water.md": "waterword for [[Tea]]\n",
    "a/Twin.md": "one\n",
    "b/Twin.md": "two\n",
    "曹操.md": "---\ntags: [三国]\n---\n魏武帝曹操，字孟德。\n",
}
