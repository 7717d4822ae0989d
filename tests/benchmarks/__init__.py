"""Figures, never pass or fail: what a build, an edit and a search cost, as ratios within one run."""
