# SPDX-License-Identifier: MIT
"""lgkt.stats against scipy, closed forms, exact enumeration and naive loops."""

from __future__ import annotations

import doctest
import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import lgkt
from lgkt import _core, stats

scipy_stats = pytest.importorskip("scipy.stats")

Floats = NDArray[np.float64]


def scores(*shape: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(size=shape)


# ---- Student ----


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 29, 98, 99, 100, 101, 102, 999, 10**4, 10**6])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.8, 0.95, 0.99, 0.9999, 0.999999])
def test_quantiles_of_student(df: int, level: float) -> None:
    want = scipy_stats.t.isf((1 - level) / 2, df)
    assert _core.student(level, df) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("df", [0.5, 1, 2, 3, 9, 29, 99, 999, 10**4, 10**6])
@pytest.mark.parametrize("t", [0.0, 1e-3, 0.3, 1.0, 1.5, 1.7, 1.8, 2.0, 3.0, 10.0, 1e4])
def test_tails_of_student(df: float, t: float) -> None:
    want = 2 * scipy_stats.t.sf(t, df)
    assert _core.student_tail(t, df) == pytest.approx(want, rel=1e-12, abs=1e-300)
    assert _core.student_tail(-t, df) == _core.student_tail(t, df)


def test_ends_of_student() -> None:
    assert _core.student_tail(math.inf, 3) == 0 and math.isnan(_core.student_tail(math.nan, 3))
    for level, df in (0, 3), (1, 3), (0.5, 0), (0.5, math.nan):
        with pytest.raises(lgkt.InputError, match="between 0 and 1"):
            _core.student(level, df)
    with pytest.raises(lgkt.InputError, match="above 0"):
        _core.student_tail(1, 0)


def test_p_values_are_those_of_scipy() -> None:
    for n, shift in (2, 0.0), (5, 1.0), (40, 0.4), (40, -2.0):
        x = scores(n) + shift
        want = scipy_stats.ttest_1samp(x, 0).pvalue
        assert stats.p_value(stats.mean_interval(x), n) == pytest.approx(want, rel=1e-9)
        assert stats.p_value(stats.mean_interval(x, 0.8), n, 0.8) == pytest.approx(want, rel=1e-9)
    assert stats.p_value(stats.mean_interval([1.0, 1.0]), 2) == 0
    assert stats.p_value(stats.mean_interval([0.0, 0.0]), 2) == 1
    assert math.isnan(stats.p_value(stats.mean_interval([1.0]), 1))


def test_closed_forms_of_student() -> None:
    for level in 0.3, 0.9, 0.95:
        assert _core.student(level, 1) == pytest.approx(math.tan(math.pi * level / 2), rel=1e-13)
        want = level * math.sqrt(2 / (1 - level**2))
        assert _core.student(level, 2) == pytest.approx(want, rel=1e-13)


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_mean_interval_is_that_of_scipy(n: int) -> None:
    x = scores(n)
    got = stats.mean_interval(x, 0.9)
    low, high = scipy_stats.ttest_1samp(x, 0).confidence_interval(0.9)
    assert got == pytest.approx((x.mean(), low, high), rel=1e-10)


def test_paired_is_that_of_scipy() -> None:
    x, y = scores(12), scores(12, seed=2)
    low, high = scipy_stats.ttest_rel(x, y).confidence_interval(0.99)
    got = stats.paired(x, y, 0.99)
    assert got == pytest.approx((x.mean() - y.mean(), low, high), rel=1e-10)
    # noise that both share cancels
    shared = 1e3 * scores(12, seed=3)
    assert stats.paired(x + shared, y + shared, 0.99) == pytest.approx(got, rel=1e-9)


def test_coverage_of_the_interval() -> None:
    # 4000 samples: a share off by more than 4.9 of its sd has probability 1e-6
    hits = sum(
        got.low <= 3.0 <= got.high
        for got in (stats.mean_interval(3.0 + x, 0.9) for x in scores(4000, 5))
    )
    assert abs(hits / 4000 - 0.9) < 4.9 * math.sqrt(0.9 * 0.1 / 4000)


# ---- means over environments ----


def naive(x: Floats, name: str) -> float:
    """The definitions, run by run, for (runs, environments)."""
    means = []
    for e in range(x.shape[1]):
        total = 0.0
        for score in x[:, e]:
            total += max(0.3 - score, 0.0) if name == "gap" else score
        means.append(total / x.shape[0])
    means.sort()
    half = len(means) // 2
    if name == "median":
        return means[half] if len(means) % 2 else (means[half - 1] + means[half]) / 2.0
    return sum(means) / len(means)


AGGREGATES = {"mean": stats.mean, "median": stats.median,
              "gap": lambda x, *a, **k: stats.optimality_gap(x, 0.3, *a, **k)}


@pytest.mark.parametrize("name", AGGREGATES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (4, 2), (3, 5)])
def test_means_over_environments(name: str, shape: tuple[int, int]) -> None:
    x = scores(*shape)
    got = AGGREGATES[name](x, resamples=50)
    assert got.estimate == pytest.approx(naive(x, name))
    assert (math.isnan(got.low) and math.isnan(got.high) if shape[0] == 1
            else got.low <= got.high)


@pytest.mark.parametrize("name", AGGREGATES)
def test_bootstrap_of_means_by_enumeration(name: str) -> None:
    x = scores(3, 2)
    one = list(itertools.product(range(3), repeat=3))
    exact = np.sort([naive(np.stack([x[list(pick), e] for e, pick in enumerate(picks)], axis=1),
                           name) for picks in itertools.product(one, repeat=2)])
    got = AGGREGATES[name](x, 0.8, resamples=40000, seed=5)
    # the share beyond each end is 0.1, but for steps of the exact law; 40000 draws know it to
    # 5 sd = 0.0075
    for end, below in ((got.low, exact < got.low - 1e-12), (got.high, exact > got.high + 1e-12)):
        at = np.mean(np.abs(exact - end) < 1e-12)
        assert below.mean() - 0.0075 <= 0.1 <= below.mean() + at + 0.0075


def test_the_gap_ignores_what_is_above() -> None:
    assert stats.optimality_gap([[0.5, 9.0], [1.0, 7.0]]).estimate == 0.125


# ---- interquartile mean ----


@pytest.mark.parametrize("n", [*range(1, 14), 100])
def test_iqm_is_the_trimmed_mean_of_scipy(n: int) -> None:
    x = scores(n)
    assert stats.iqm(x, resamples=1).estimate == pytest.approx(scipy_stats.trim_mean(x, 0.25))


def test_iqm_pools_environments() -> None:
    x = scores(7, 3)
    want = scipy_stats.trim_mean(x, 0.25, axis=None)
    assert stats.iqm(x, resamples=1).estimate == pytest.approx(want)
    assert stats.iqm([x[:, e] for e in range(3)]) == stats.iqm(x)
    uneven = [x[:4, 0], x[:, 1], x[:5, 2]]
    want = scipy_stats.trim_mean(np.concatenate(uneven), 0.25)
    assert stats.iqm(uneven, resamples=1).estimate == pytest.approx(want)


def exact_iqm(x: Floats) -> Floats:
    """All resamples of (runs, environments) within environments, each equally likely."""
    runs, environments = x.shape
    one = list(itertools.product(range(runs), repeat=runs))
    return np.array([
        scipy_stats.trim_mean(
            np.concatenate([x[list(pick), e] for e, pick in enumerate(picks)]), 0.25
        )
        for picks in itertools.product(one, repeat=environments)
    ])


@pytest.mark.parametrize("shape", [(4, 1), (3, 2)])
def test_bootstrap_of_iqm_by_enumeration(shape: tuple[int, int]) -> None:
    x = scores(*shape)
    exact = exact_iqm(x)
    for level in 0.5, 0.8, 0.95:
        got = stats.iqm(x, level, resamples=40000, seed=5)
        # the share of exact resamples beyond each end; 40000 draws know it to 5 sd = 0.0125,
        # and the ends themselves may be atoms
        tail = (1 - level) / 2
        assert np.mean(exact < got.low - 1e-12) <= tail + 0.0125
        assert np.mean(exact <= got.low + 1e-12) >= tail - 0.0125
        assert np.mean(exact > got.high + 1e-12) <= tail + 0.0125
        assert np.mean(exact >= got.high - 1e-12) >= tail - 0.0125


def test_strata_are_kept() -> None:
    # constant within environments: resampling within them changes nothing
    x = np.tile([0.0, 1.0, 5.0], (6, 1))
    got = stats.iqm(x)
    assert got.low == got.estimate == got.high
    assert stats.iqm(x.ravel()).low < stats.iqm(x.ravel()).high


def test_coverage_of_the_bootstrap() -> None:
    # percentile intervals of 30 runs cover a little less than their level
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(400):
        got = stats.iqm(rng.normal(size=(15, 2)), 0.9, resamples=300, seed=rng)
        hits += got.low <= 0.0 <= got.high
    # 0.84 to 0.92 widened by 4.9 sd of 400 trials: probability 1e-6
    assert 0.84 - 4.9 * math.sqrt(0.84 * 0.16 / 400) < hits / 400
    assert hits / 400 < 0.92 + 4.9 * math.sqrt(0.92 * 0.08 / 400)


# ---- improvement ----


def naive_improvement(x: Floats, y: Floats) -> float:
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in x for b in y) / (len(x) * len(y))


def test_improvement_is_mann_whitney() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(5, size=11).astype(float), rng.integers(5, size=8).astype(float)
    got = stats.improvement(x, y).estimate
    assert got == pytest.approx(scipy_stats.mannwhitneyu(x, y).statistic / 88)
    assert got == pytest.approx(naive_improvement(x, y))
    assert stats.improvement(y, x).estimate == pytest.approx(1 - got)
    assert stats.improvement(x, x).estimate == pytest.approx(0.5)


def test_improvement_averages_environments() -> None:
    x, y = scores(6, 3), scores(9, 3, seed=4) + [0.0, 1.0, -1.0]
    want = np.mean([naive_improvement(x[:, e], y[:, e]) for e in range(3)])
    assert stats.improvement(x, y).estimate == pytest.approx(want)


def test_bootstrap_of_improvement_by_enumeration() -> None:
    x, y = np.array([0.3, 1.2, 2.0]), np.array([0.1, 1.0, 1.9])
    picks = list(itertools.product(range(3), repeat=3))
    exact = np.array([naive_improvement(x[list(i)], y[list(j)]) for i in picks for j in picks])
    for level in 0.5, 0.9:
        got = stats.improvement(x, y, level, resamples=40000, seed=2)
        tail = (1 - level) / 2
        assert np.mean(exact < got.low - 1e-9) <= tail + 0.0125
        assert np.mean(exact <= got.low + 1e-9) >= tail - 0.0125
        assert np.mean(exact > got.high + 1e-9) <= tail + 0.0125
        assert np.mean(exact >= got.high - 1e-9) >= tail - 0.0125


# ---- profiles ----


def test_profile_counts_runs_above() -> None:
    x, tau = scores(20, 4), np.linspace(-3, 3, 13)
    x[0, 0] = tau[5]  # a score at a threshold is not above it
    got = stats.profile(x, tau)
    want = [np.mean([np.mean(x[:, e] > t) for e in range(4)]) for t in tau]
    assert got.share == pytest.approx(want)
    assert np.all(got.low <= got.share) and np.all(got.share <= got.high)
    uneven = stats.profile([x[:3, 0], x[:, 1]], [0.0])
    assert uneven.share[0] == pytest.approx((np.mean(x[:3, 0] > 0) + np.mean(x[:, 1] > 0)) / 2)


def test_bands_of_a_profile_are_binomial() -> None:
    # of 40 runs 24 are above: a resample has a binomial number of them
    x = np.r_[np.zeros(16), np.ones(24)]
    got = stats.profile(x, [0.5], 0.9, resamples=20000)
    law = scipy_stats.binom(40, 0.6)
    assert got.low[0] * 40 == pytest.approx(law.ppf(0.05), abs=1)
    assert got.high[0] * 40 == pytest.approx(law.ppf(0.95), abs=1)


# ---- Holm ----


def test_holm_by_its_definition() -> None:
    rng = np.random.default_rng(4)
    for n in 1, 2, 7:
        p = rng.uniform(size=n) ** 3
        got = stats.holm(p)
        for alpha in np.linspace(0.001, 0.999, 97):
            # step down: reject the smallest while p_(i) <= alpha / (n - i)
            rejected = np.zeros(n, dtype=bool)
            for i, place in enumerate(np.argsort(p)):
                if p[place] > alpha / (n - i):
                    break
                rejected[place] = True
            assert np.array_equal(got <= alpha, rejected)


# ---- seeds and bad input ----


def test_seeds() -> None:
    x = scores(10, 2)
    assert stats.iqm(x, seed=7) == stats.iqm(x, seed=7)
    assert stats.iqm(x, seed=7) != stats.iqm(x, seed=8)
    assert stats.iqm(x, seed=np.random.default_rng(7)) == stats.iqm(x, seed=7)


def test_one_run_has_no_interval() -> None:
    for got in (
        stats.mean_interval([2.0]),
        stats.paired([3.0], [1.0]),
        stats.iqm([2.0]),
        stats.iqm([[1.0, 3.0]]),
        stats.improvement([2.0], [2.0, 2.0]),
    ):
        assert not math.isnan(got.estimate) and math.isnan(got.low) and math.isnan(got.high)
    assert np.isnan(stats.profile([1.0], [0.0, 2.0]).low).tolist() == [True, True]


@pytest.mark.parametrize("bad", [[1.0, math.nan], [math.inf, 0.0], [], [[[1.0]]], 3.0])
def test_bad_scores(bad: object) -> None:
    for call in (
        lambda: stats.iqm(bad),  # type: ignore[arg-type]
        lambda: stats.improvement(bad, [1.0, 2.0]),  # type: ignore[arg-type]
        lambda: stats.profile(bad, [0.0]),  # type: ignore[arg-type]
        lambda: stats.mean_interval(bad),  # type: ignore[arg-type]
        lambda: stats.paired(bad, bad),  # type: ignore[arg-type]
    ):
        with pytest.raises(lgkt.InputError):
            call()


def test_other_bad_input() -> None:
    with pytest.raises(lgkt.InputError, match="x has 2 runs and y has 3"):
        stats.paired([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(lgkt.InputError, match="environments"):
        stats.improvement(scores(3, 2), scores(3, 3))
    with pytest.raises(lgkt.InputError, match="level is 1.5"):
        stats.iqm([1.0, 2.0], 1.5)
    with pytest.raises(lgkt.InputError, match="level is nan"):
        stats.mean_interval([1.0, 2.0], math.nan)
    with pytest.raises(lgkt.InputError, match="resamples is 0"):
        stats.iqm([1.0, 2.0], resamples=0)
    with pytest.raises(lgkt.InputError, match=r"x\[:, 1\]\[0\] is nan"):
        stats.iqm([[1.0, math.nan], [2.0, 3.0]])
    with pytest.raises(TypeError, match="must hold numbers"):
        stats.mean_interval(["a", "b"])
    with pytest.raises(lgkt.InputError, match="0 to 1"):
        stats.holm([0.5, 1.5])


def test_examples() -> None:
    assert doctest.testmod(stats).failed == 0
