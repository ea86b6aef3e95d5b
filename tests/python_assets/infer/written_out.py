"""Contrasts written out draw by draw and row by row, as a second implementation to compare with."""

import numpy as np

from python_assets.study.base import Against


def tables(scheme, cells):
    """The table (blocks, groups) under every draw, NaN where absent; cells of shape (cells, 1)."""
    design = scheme.design
    made = []
    for batch in scheme.draws.batches:
        for source in scheme.draws.sources(batch):
            table = np.full((len(design.block_size), design.frame.n_groups), np.nan)
            table[design.block, design.group] = cells[source, 0]
            made.append(table)
    return made


def observed(scheme, cells):
    table = np.full((len(scheme.design.block_size), scheme.design.frame.n_groups), np.nan)
    table[scheme.design.block, scheme.design.group] = cells[:, 0]
    return table


def sides(table, root, group, other, against):
    """Means of both sides in each root prompt, from the blocks that hold both."""
    by_root = {}
    for row, r in zip(table, root, strict=True):
        rest = np.delete(row, group)
        one = row[group]
        if against is Against.REST:
            two = np.nanmean(rest) if np.isfinite(rest).any() else np.nan
        else:
            two = np.nanmean(row) if against is Against.GRAND_MEAN else row[other]
        if np.isfinite(one) and np.isfinite(two):
            by_root.setdefault(r, []).append((one, two))
    return np.array([np.mean(pairs, axis=0) for pairs in by_root.values()])


def t(a, c):
    d = a - c
    error = d.std(ddof=1) / np.sqrt(len(d))
    return d.mean() / error if error > 1e-12 else np.sign(d.mean()) * 1e6 * (abs(d.mean()) > 1e-12)


def score_z(a, c, pooled, inverse_other):
    """inference.md 2.2, one pair of rates."""
    n, spread = len(a), pooled * (1 - pooled)
    constant = [np.ptp(x) < 1e-12 for x in (a, c)]
    rho = 0 if any(constant) else np.corrcoef(a, c)[0, 1]
    v = []
    for x, inverse in ((a, 1.0), (c, inverse_other)):
        own = x.mean() * (1 - x.mean())
        v.append(x.var(ddof=1) / n / own * spread if own > 1e-12 else inverse * spread / n)
    error = np.sqrt(max(v[0] + v[1] - 2 * rho * np.sqrt(v[0] * v[1]), 0))
    d = a.mean() - c.mean()
    return d / error if error > 1e-9 else np.sign(d) * 1e6 * (abs(d) > 1e-9)


def p_of_hypothesis(sizes, drawn):
    """inference.md 6.3 of sizes (rows,) and drawn (draws, rows): the observed table is one of all B + 1."""
    everything = np.vstack([sizes, drawn])
    of_table = np.ones(len(everything))
    for statistic in (everything.max(axis=1), (everything**2).sum(axis=1)):
        reached = (statistic[None, :] >= statistic[:, None] - 1e-9).mean(axis=1)
        of_table = np.minimum(of_table, reached)
    return (of_table <= of_table[0] + 1e-12).mean()


def step_down(sizes, drawn):
    """Number of draws as extreme, row by row and stepped down, sizes (rows,) and drawn (draws, rows)."""
    order = np.argsort(-sizes)
    alone = (drawn >= sizes - 1e-9).sum(axis=0)
    stepped, least = np.zeros(len(sizes), dtype=int), 0
    for place, row in enumerate(order):
        least = max(least, int((drawn[:, order[place:]].max(axis=1) >= sizes[row] - 1e-9).sum()))
        stepped[row] = least
    return alone, stepped
