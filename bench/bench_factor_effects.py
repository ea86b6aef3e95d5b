"""How often effects of several factors are found where there are none.

python -m bench.bench_factor_effects [--sets 1000]

Belongs here: made-up means of root prompts. The tests are infer/associations/factor_effects.py: of factors that vary
inside root prompts, and of those that part them.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from scipy.linalg import helmert

from bench.error_tables import print_tables
from python_assets.infer.associations.factor_effects import exchange_test, flip_test
from python_assets.infer.draws.exchange import Floats

ALPHA: Final = 0.05
N_DRAWS: Final = 199


class Inside(NamedTuple):
    """Concepts and roles on every root prompt; each shifts the answers, and neither depends on the other.

    wide: times the noise of the first cell. is_skewed: exponential noise.
    """

    n_roots: int
    n_concepts: int
    n_roles: int
    wide: float = 1.0
    is_skewed: bool = False


class Between(NamedTuple):
    """Topics that root prompts lie in, with as many of them each; q contrasts of what varies inside.

    wide: times the spread of the first topic. is_skewed: exponential.
    """

    n_of_topic: tuple[int, ...]
    q: int = 1
    wide: float = 1.0
    is_skewed: bool = False


PAIRS: Final = {
    "10 root prompts, 3 concepts x 2 roles": Inside(10, 3, 2),
    "10 root prompts, 5 concepts x 3 roles": Inside(10, 5, 3),
    "30 root prompts, 5 concepts x 3 roles": Inside(30, 5, 3),
    "30 root prompts, 21 concepts x 2 roles": Inside(30, 21, 2),
    "75 root prompts, 21 concepts x 3 roles": Inside(75, 21, 3),
    "30, 5 x 3, one cell of three times the noise": Inside(30, 5, 3, wide=3),
    "30, 5 x 3, exponential": Inside(30, 5, 3, is_skewed=True),
}
TOPICS: Final = {
    "4 and 4 root prompts": Between((4, 4)),
    "5 and 5": Between((5, 5)),
    "5 and 5, one topic of three times the spread": Between((5, 5), wide=3),
    "10 and 10, the same": Between((10, 10), wide=3),
    "5 and 20, the topic of 5 of three times the spread": Between((5, 20), wide=3),
    "20 and 5, the topic of 20 of three times the spread": Between((20, 5), wide=3),
    "5, 5, 5 and 5": Between((5, 5, 5, 5)),
    "5, 5, 5 and 5, one of three times the spread": Between((5, 5, 5, 5), wide=3),
    "10, 10 and 10, exponential": Between((10, 10, 10), is_skewed=True),
    "5 and 20, exponential": Between((5, 20), is_skewed=True),
    "10 and 10, with 4 contrasts (topic x gender of 5)": Between((10, 10), q=4),
    "5 and 20, the same, the topic of 5 of three times the spread": Between((5, 20), q=4, wide=3),
}


def noise(rng: np.random.Generator, shape: tuple[int, ...], *, is_skewed: bool) -> Floats:
    """Of mean 0 and variance 1."""
    return rng.exponential(size=shape) - 1 if is_skewed else rng.normal(size=shape)


def pair_p(design: Inside, rng: np.random.Generator, seed: int) -> float:
    """P of concept x role in one set, where roles shift all concepts alike."""
    shape = (design.n_roots, design.n_concepts, design.n_roles)
    x = noise(rng, shape, is_skewed=design.is_skewed)
    x[:, 0, 0] *= design.wide
    x += rng.normal(size=(design.n_roots, design.n_concepts, 1)) + rng.normal(size=(design.n_roots, 1, design.n_roles))
    x += np.linspace(-1, 1, design.n_concepts)[:, None] + np.arange(design.n_roles)
    matrix = np.kron(helmert(design.n_concepts), helmert(design.n_roles))
    return flip_test(x.reshape(design.n_roots, -1) @ matrix.T, n_draws=N_DRAWS, seed=seed).p_value[0]


def topic_p(design: Between, rng: np.random.Generator, seed: int) -> float:
    """P of topics in one set, which do not differ; NaN where they are too few to tell."""
    topic = np.repeat(np.arange(len(design.n_of_topic)), design.n_of_topic)
    x = noise(rng, (len(topic), design.q), is_skewed=design.is_skewed)
    x *= np.where(topic == 0, design.wide, 1)[:, None]
    return exchange_test(x, topic, np.zeros_like(topic), n_draws=N_DRAWS, seed=seed).p_value[0]


def share_significant(design: Inside | Between, n_sets: int, seed: int) -> float:
    """Share of sets with p <= .05; NaN where none has a p.

    Args:
        design: without the effect that is tested.
        n_sets: sets.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    one = [pair_p(design, rng, at) if isinstance(design, Inside) else topic_p(design, rng, at) for at in range(n_sets)]
    p = np.array(one)
    return float(np.mean(p <= ALPHA)) if not np.isnan(p).any() else float("nan")


def tables(n_sets: int) -> Iterator[str]:
    """One line a design."""
    for title, designs in (("concept x role, inside", PAIRS), ("topics that part root prompts", TOPICS)):
        yield f"| {title} | p <= .05 |"
        yield "|---|---|"
        for at, (name, design) in enumerate(designs.items()):
            share = share_significant(design, n_sets, seed=at)
            yield f"| {name} | {'-' if np.isnan(share) else f'{share:.3f}'} |"
        yield ""


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=1_000)
