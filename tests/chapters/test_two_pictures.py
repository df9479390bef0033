"""Chapter 1: lemmas by enumeration, its figures' numbers, its lab, its claims on other seeds."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from claims import holds_on_other_seeds
from hypothesis import given, settings
from hypothesis import strategies as st
from labs import driven

import enumeration
import sigbook as sb
from sigbook import figures, metrics
from sigbook.chapters import two_pictures as chapter
from sigbook.worlds import filings
from strategies import bleu_row, f1_row

SCALES = st.fractions(Fraction(1, 50), 50).filter(bool)


@pytest.fixture(scope="module")
def opening():
    return [chapter.two_clouds(filings.pair(*names)) for names in chapter.PAIRS[:2]]


@pytest.fixture(scope="module")
def three():
    return filings.pair("extract", "textrank", filings=chapter.bent_three())


# Counting by hand ---------------------------------------------------------------------------------


def test_counting_by_hand_gives_sacrebleu_s_statistics_on_every_filing():
    world = filings.load()
    references = [chapter.words(text) for text in world.references]
    for name in filings.SYSTEMS:
        counted = [
            chapter.bleu_counts(chapter.words(text), reference)
            for text, reference in zip(world.summaries[name], references)
        ]
        assert np.array_equal(counted, filings.statistics(name))


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9),
)
def test_repeated_words_are_clipped_as_sacrebleu_clips_them(hypothesis, reference):
    ours = [chapter.bleu_counts(hypothesis, reference)]
    assert np.array_equal(
        ours, sb.bleu_statistics([" ".join(hypothesis)], [" ".join(reference)], tokenize="none")
    )


# Lemmas -------------------------------------------------------------------------------------------


def exact_f1(S):
    return 2 * S[0] / (S[1] + S[2])


@pytest.mark.proves("lem-homogeneous")
@given(f1_row(), SCALES)
def test_f1_and_a_mean_do_not_change_with_the_scale_and_have_no_slope_along_it(row, k):
    tp, predicted, gold = S = [Fraction(x) for x in row]
    if predicted + gold:
        size = predicted + gold
        assert exact_f1([k * x for x in S]) == exact_f1(S)
        assert sum(g * x for g, x in zip((2 / size, -2 * tp / size**2, -2 * tp / size**2), S)) == 0
        assert metrics.f1(np.array(row)) == pytest.approx(float(exact_f1(S)))
        assert metrics.METRICS["f1"].gradient(np.array(row)) @ row == pytest.approx(0, abs=1e-12)
    S = [tp, gold + 1]
    assert (k * S[0]) / (k * S[1]) == S[0] / S[1]
    assert 1 / S[1] * S[0] - S[0] / S[1] ** 2 * S[1] == 0
    assert metrics.METRICS["mean"].gradient(np.array([row[0], row[2] + 1])) @ [
        row[0],
        row[2] + 1,
    ] == pytest.approx(0)


@pytest.mark.proves("lem-homogeneous")
@given(st.lists(bleu_row(), min_size=1, max_size=5), SCALES)
def test_bleu_does_not_change_with_the_scale_and_has_no_slope_along_it(rows, k):
    S = [Fraction(x) for x in np.sum(rows, axis=0).tolist()]
    pooled = np.array(S, dtype=float)
    assert metrics.bleu(float(k) * pooled) == pytest.approx(float(metrics.bleu(pooled)), rel=1e-12)
    c, r, m, t = S[0], S[1], S[2:6], S[6:]
    if min(m) > 0 and c != r:
        ratios = [r / c, *(x / y for x, y in zip(m, t))]
        scaled = [k * x for x in S]
        assert ratios == [scaled[1] / scaled[0], *(x / y for x, y in zip(scaled[2:6], scaled[6:]))]
        lengths = (r / c**2, -1 / c) if c < r else (0, 0)
        slopes = [*lengths, *(Fraction(1, 4) / x for x in m), *(Fraction(-1, 4) / x for x in t)]
        assert sum(slope * x for slope, x in zip(slopes, S)) == 0
        assert np.allclose(
            metrics.bleu_gradient(pooled),
            float(metrics.bleu(pooled)) * np.array(slopes, dtype=float),
        )


def test_adding_one_to_the_counts_breaks_the_lemma_and_is_refused():
    a = filings.statistics("writer")
    pooled = a.sum(axis=0)
    assert abs(chapter.add_one_bleu(2 * pooled) - chapter.add_one_bleu(pooled)) > 1e-5
    with pytest.raises(ValueError, match="homogeneous of degree 0"):
        sb.PairedSet(a, a, metric=chapter.add_one_bleu)


def exact_mean(values):
    return sum(values, Fraction(0)) / len(values)


def exact_variance(values):
    values = list(values)
    return exact_mean([(x - exact_mean(values)) ** 2 for x in values])


@pytest.mark.proves("lem-pairing")
@pytest.mark.parametrize("n", (1, 2, 3))
def test_the_variance_of_a_gap_paired_and_apart_is_the_lemma_s_on_all_samples(n):
    rng = np.random.default_rng(5)
    for _ in range(3):
        x_a, x_b = ([Fraction(int(x), 2) for x in rng.integers(-6, 7, 3)] for _ in range(2))
        samples = list(itertools.product(range(3), repeat=n))
        paired = exact_variance(exact_mean([x_a[i] - x_b[i] for i in s]) for s in samples)
        apart = exact_variance(
            exact_mean([x_a[i] for i in s]) - exact_mean([x_b[j] for j in t])
            for s in samples
            for t in samples
        )
        covariance = exact_mean([x * y for x, y in zip(x_a, x_b)]) - exact_mean(x_a) * exact_mean(
            x_b
        )
        both = exact_variance(x_a) + exact_variance(x_b)
        assert paired == (both - 2 * covariance) / n
        assert apart == both / n
        if paired:
            assert (
                both / (n * apart / paired) == paired
            )  # variance with `needed` segments in each set
            assert (apart < paired) == (covariance < 0)


def test_pairing_reads_the_lemma_off_segment_scores():
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 9, (2, 7)).astype(float)
    x = chapter.pairing(a, b)
    n = len(a)
    assert x.paired**2 == pytest.approx((a - b).var() / n)
    assert x.apart**2 == pytest.approx((a.var() + b.var()) / n)
    assert x.needed == pytest.approx(n * x.apart**2 / x.paired**2)
    assert x.correlation == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert (x.sd_a, x.sd_b) == (pytest.approx(a.std()), pytest.approx(b.std()))


@pytest.mark.proves("lem-two-spreads")
@settings(max_examples=30)
@given(st.lists(st.fractions(-9, 9, max_denominator=6), min_size=1, max_size=4))
def test_all_swaps_and_all_resamples_of_a_mean_have_the_lemma_s_means_and_variances(d):
    n, a = len(d), [[x, Fraction(1)] for x in d]
    b = [[Fraction(0), Fraction(1)]] * n
    swaps = enumeration.swapped_gaps(a, b, enumeration.mean)
    resamples = enumeration.resampled_gaps(a, b, enumeration.mean)
    gap = exact_mean(d)
    assert exact_mean(swaps) == 0 and exact_mean(resamples) == gap
    assert exact_variance(swaps) == sum(x**2 for x in d) / n**2
    assert exact_variance(resamples) == sum((x - gap) ** 2 for x in d) / n**2
    assert exact_variance(swaps) == exact_variance(resamples) + gap**2 / n


def test_predicted_spreads_are_those_of_the_clouds_for_a_mean():
    rng = np.random.default_rng(7)
    pairs = sb.PairedSet(rng.integers(0, 9, 12), rng.integers(0, 6, 12), metric="mean")
    x = chapter.spreads(pairs, draws=40_000)
    assert x.bootstrap == pytest.approx((pairs.a - pairs.b).std() / math.sqrt(12), rel=0.02)
    assert x.swaps == pytest.approx(sb.randomize(pairs, draws="all").sd, rel=0.02)
    assert x.swaps == pytest.approx(x.predicted, rel=0.02)
    assert x.ratio == x.swaps / x.bootstrap


# Draws by hand ------------------------------------------------------------------------------------


def test_counts_of_resamples_sum_to_their_size_and_differ_from_draw_to_draw():
    counts = chapter.draw_counts(np.random.default_rng(1), 50, 9)
    assert counts.shape == (50, 9) and (counts.sum(axis=1) == 9).all()
    assert len(np.unique(counts, axis=0)) > 45
    assert (chapter.draw_counts(np.random.default_rng(1), 50, 9, size=4).sum(axis=1) == 4).all()


def test_a_resample_is_the_set_with_its_segments_written_as_often_as_drawn():
    pairs = filings.pair("terse", "flipped")
    for counts in chapter.draw_counts(np.random.default_rng(2), 5, pairs.n):
        index = np.repeat(np.arange(pairs.n), counts)
        written = sb.PairedSet(pairs.a[index], pairs.b[index])
        assert chapter.weighted_gaps(pairs, counts) == pytest.approx(written.gap, rel=1e-12)
    assert chapter.weighted_gaps(pairs, np.ones(pairs.n)) == pairs.gap
    a, b = np.eye(pairs.n)[[3, 8]]
    apart = metrics.bleu(pairs.a[3].astype(float)) - metrics.bleu(pairs.b[8].astype(float))
    assert chapter.weighted_gaps(pairs, a, b) == pytest.approx(float(apart))


@given(
    st.lists(st.booleans(), min_size=4, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4)
)
def test_swap_patterns_act_as_a_group_and_full_patterns_mirror(e, f):
    pairs = filings.pair("terse", "flipped", filings=range(4))
    e, f = np.array(e, dtype=int), np.array(f, dtype=int)
    in_turn, at_once = (
        chapter.swapped(chapter.swapped(pairs, f), e),
        chapter.swapped(pairs, (e + f) % 2),
    )
    assert np.array_equal(in_turn.a, at_once.a) and np.array_equal(in_turn.b, at_once.b)
    assert np.array_equal(chapter.swapped(pairs, 0 * e).a, pairs.a)
    assert np.array_equal(chapter.swapped(chapter.swapped(pairs, e), e).a, pairs.a)
    assert chapter.swapped(pairs, 1 - e).gap == -chapter.swapped(pairs, e).gap


def test_two_clouds_are_the_package_s_with_its_p_values(opening):
    for x, names in zip(opening, chapter.PAIRS):
        pairs = filings.pair(*names)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bootstrap = sb.bootstrap(pairs, draws=chapter.DRAWS, seed=chapter.SEED)
            swaps = sb.randomize(pairs, draws=chapter.DRAWS, seed=chapter.SEED)
            delta = sb.delta_sd(pairs)
        assert set(x.doubts) == {str(warning.message) for warning in caught}
        assert np.array_equal(x.bootstrap.gaps, bootstrap.gaps) and np.array_equal(
            x.swaps.gaps, swaps.gaps
        )
        assert (x.p, x.koehn, x.recentered, x.delta_sd) == (
            sb.p_randomization(swaps),
            sb.p_koehn(bootstrap),
            sb.p_recentered(bootstrap),
            delta,
        )
        assert (1 + x.counted.sum()) / (chapter.DRAWS + 1) == x.p
        assert x.differing == sum(not np.array_equal(s, t) for s, t in zip(pairs.a, pairs.b))
    assert not opening[0].doubts and any("matched 4-grams" in text for text in opening[1].doubts)


# What the text says of the filings ----------------------------------------------------------------


def test_every_filing_that_tells_the_first_pair_apart_speaks_for_the_writer():
    pairs = filings.pair("writer", "noisy-0.1")
    differing = np.flatnonzero((pairs.a != pairs.b).any(axis=1))
    assert all(chapter.swapped(pairs, np.arange(pairs.n) == i).gap < pairs.gap for i in differing)
    exact = sb.randomize(pairs, draws="all")
    assert sb.p_randomization(exact) == 2 / 2 ** len(differing)
    for names in chapter.PAIRS[1:3]:
        pairs = filings.pair(*names)
        steps = [
            chapter.swapped(pairs, np.arange(pairs.n) == i).gap - pairs.gap for i in range(pairs.n)
        ]
        assert min(steps) < 0 < max(steps)


def test_equal_lengths_leave_ratio_and_sign_and_scale_the_gap():
    pairs = filings.pair("writer", "noisy-0.1")
    assert np.array_equal(pairs.a[:, :2], pairs.b[:, :2])
    rng = np.random.default_rng(8)
    scaled = 0
    for counts in chapter.draw_counts(rng, 40, pairs.n):
        counts = counts * (pairs.a[:, 0] <= pairs.a[:, 1] + rng.integers(2))
        pooled_a, pooled_b = counts @ pairs.a, counts @ pairs.b
        if not counts.sum():
            continue
        penalty = math.exp(min(0, 1 - pooled_a[1] / pooled_a[0]))
        q_a, q_b = (math.prod(x[2:6] / x[6:]) ** 0.25 for x in (pooled_a, pooled_b))
        assert chapter.weighted_gaps(pairs, counts) == pytest.approx(
            penalty * (q_a - q_b), abs=1e-12
        )
        scaled += penalty < 1
    assert scaled > 5


# Three segments -----------------------------------------------------------------------------------


def test_the_three_filings_are_bent_as_the_text_says(three):
    assert (three.a[:, 5] > 0).tolist() == [False, True, False]
    assert (three.b[:, 5] > 0).tolist() == [False, False, True]


def test_the_ten_resamples_of_three_segments_come_about_in_27_ways(three):
    triangle = chapter.triangle(three, steps=6)
    drawn = [
        tuple(draw.count(i) for i in range(3)) for draw in itertools.product(range(3), repeat=3)
    ]
    assert dict(zip(map(tuple, triangle.counts.tolist()), triangle.ways.tolist())) == {
        counts: drawn.count(counts) for counts in set(drawn)
    }
    for counts, gap in zip(triangle.counts, triangle.resampled):
        index = np.repeat(np.arange(3), counts)
        assert gap == pytest.approx(sb.PairedSet(three.a[index], three.b[index]).gap, abs=1e-12)


def test_the_surface_passes_through_the_resamples_and_corners(three):
    triangle = chapter.triangle(three)
    assert np.allclose(triangle.weights.sum(axis=1), 1) and triangle.weights.min() == 0
    assert np.allclose(triangle.scores[0] - triangle.scores[1], triangle.gaps)
    for counts, gap in zip(triangle.counts, triangle.resampled):
        at = np.isclose(triangle.weights, counts / 3).all(axis=1)
        assert triangle.gaps[at] == [pytest.approx(gap, abs=1e-12)]
    centre = np.isclose(triangle.weights, 1 / 3).all(axis=1)
    assert triangle.gaps[centre] == [pytest.approx(three.gap)]
    assert triangle.scores[0][centre] > metrics.bleu(three.a.astype(float)).mean() + 0.01


def test_the_surface_of_a_mean_is_the_flat_sheet():
    pairs = sb.PairedSet([3.0, 1.0, 4.0], [1.0, 5.0, 9.0], metric="mean")
    flat = chapter.triangle(
        sb.PairedSet(*([[x, 1.0] for x in values] for values in (pairs.a, pairs.b)), metric="mean")
    )
    assert np.allclose(flat.scores[0], flat.weights @ pairs.a)
    assert np.allclose(flat.gaps, flat.weights @ (pairs.a - pairs.b))


def test_the_triangle_takes_three_segments_only():
    with pytest.raises(ValueError, match="3"):
        chapter.triangle(filings.pair("writer", "terse", filings=range(4)))


@pytest.mark.filterwarnings("ignore:the systems differ on 3 segments")
def test_the_cube_holds_the_enumerated_gaps_in_mirror_pairs(three):
    cube = chapter.cube(three)
    exact = sb.randomize(three, draws="all")
    assert np.allclose(np.sort(cube.gaps), np.sort(exact.gaps), atol=1e-12)
    assert np.array_equal(cube.gaps, -cube.gaps[::-1])
    by_hand = enumeration.swapped_gaps(
        three.a.tolist(),
        three.b.tolist(),
        lambda pooled: float(metrics.bleu(np.array(pooled, dtype=float))),
    )
    assert np.allclose(np.sort(by_hand), np.sort(cube.gaps), atol=1e-12)
    assert (np.abs(cube.gaps) >= abs(three.gap)).mean() == sb.p_randomization(exact)


# Figures ------------------------------------------------------------------------------------------


def bars(axis):
    """(values, edges, filled) of the step histograms of an axis, in the order drawn."""
    return [(*patch.get_data()[:2], patch.get_fill()) for patch in axis.patches]


def verticals(axis):
    return [line.get_xdata()[0] for line in axis.lines if len(set(line.get_xdata())) == 1]


def test_histograms_hold_every_draw_and_the_hatched_part_is_p(opening):
    figure = chapter.draw_clouds(opening)
    assert (
        len({axis.get_xlim() for axis in figure.axes})
        == len({axis.get_ylim() for axis in figure.axes})
        == 1
    )
    for axis, x in zip(figure.axes, opening):
        (boot, edges, _), (swaps, _, _), (tail, _, filled) = bars(axis)
        assert boot.sum() == swaps.sum() == x.swaps.draws
        assert (tail.sum() + 1) / (x.swaps.draws + 1) == x.p and filled
        assert np.array_equal(boot, np.histogram(x.bootstrap.gaps, edges)[0])
        assert verticals(axis) == [0, x.gap]
        low, high = axis.get_xlim()
        for gaps in (x.bootstrap.gaps, x.swaps.gaps):
            assert ((gaps >= low) & (gaps <= high)).mean() >= 0.998


def test_constant_clouds_are_drawn_too():
    pairs = sb.PairedSet(np.ones(30), np.zeros(30), metric="mean")
    figure = chapter.draw_clouds([chapter.two_clouds(pairs, draws=50)])
    assert bars(figure.axes[0])[0][0].sum() == 50


def test_the_triangle_s_circles_grow_with_their_probability(three):
    triangle = chapter.triangle(three)
    _, flat = chapter.draw_triangle(triangle).axes
    circles = [
        c for c in flat.collections if c.get_offsets().shape == (10, 2) and len(c.get_sizes()) == 10
    ]
    assert len(circles) == 1
    assert np.allclose(circles[0].get_offsets(), triangle.counts / 3 @ figures.CORNERS)
    assert np.allclose(circles[0].get_sizes() / circles[0].get_sizes().sum(), triangle.ways / 27)
    written = [text.get_text() for text in flat.texts]
    assert sorted(t for t in written if t.isdigit()) == sorted(
        str(w) for w in triangle.ways if w > 1
    )


def test_the_cube_has_twelve_edges_and_its_gaps_at_the_vertices(three):
    cube = chapter.cube(three)
    axis = chapter.draw_cube(cube).axes[0]
    assert len(axis.lines) == 12
    labels = {
        text.get_text().split("\n")[0]: (text.xy, text.get_text().split("\n")[1])
        for text in axis.texts
    }
    assert len(labels) == 8
    for pattern, gap in zip(cube.patterns, cube.gaps):
        at, shown = labels["".join(map(str, pattern))]
        assert np.allclose(at, pattern @ chapter.OBLIQUE) and shown == f"{gap:+.4f}"
    square = [
        tuple(map(float, c.get_offsets()[0]))
        for c in axis.collections
        if len(c.get_paths()[0].vertices) < 10
    ]
    assert len(square) == (cube.gaps < 0).sum()


def test_points_of_the_pairing_figure_are_the_segment_scores():
    comparisons = [filings.pair(*names, "token-f1") for names in chapter.PAIRS[:3]]
    figure = chapter.draw_pairing(comparisons)
    for axis, pairs in zip(figure.axes, comparisons):
        diagonal, points = axis.lines
        assert np.array_equal(points.get_xdata(), pairs.b) and np.array_equal(
            points.get_ydata(), pairs.a
        )
        assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
        assert (axis.get_xlabel(), axis.get_ylabel()) == pairs.names[::-1]


def test_ticks_of_the_fresh_figure_are_the_fresh_gaps(opening):
    fresh = np.array([[0.001, 0.004], [-0.02, 0.05]])
    figure = chapter.draw_fresh(fresh, opening)
    for axis, gaps, x in zip(figure.axes, fresh, opening):
        assert any(np.array_equal(line.get_xdata(), gaps) for line in axis.lines)
        heights, edges, _ = bars(axis)[0]
        counts = np.histogram(x.bootstrap.gaps, edges)[0]
        assert np.allclose(heights, counts / counts.max())
        low, high = axis.get_xlim()
        assert low < gaps.min() and gaps.max() < high


def broken_clouds(seed):
    pairs, rng = filings.pair("writer", "noisy-0.1"), np.random.default_rng(seed)
    counts, others = (chapter.draw_counts(rng, 2_000, pairs.n) for _ in range(2))
    half = chapter.draw_counts(rng, 2_000, pairs.n, size=pairs.n // 2)
    return {
        "as defined": chapter.weighted_gaps(pairs, counts),
        "unpaired": chapter.weighted_gaps(pairs, counts, others),
        "half the size": chapter.weighted_gaps(pairs, half),
        "each filing once": chapter.weighted_gaps(pairs, counts > 0),
    }


def test_the_broken_clouds_are_drawn_whole_and_in_four_kinds_of_line():
    clouds = broken_clouds(1)
    axis = chapter.draw_broken(clouds, 0.005).axes[0]
    assert [heights.sum() for heights, _, _ in bars(axis)] == [2_000] * 4
    assert len({str(patch.get_linestyle()) for patch in axis.patches}) == 4
    assert verticals(axis) == [0, 0.005]


# The lab ------------------------------------------------------------------------------------------


def lab_settings():
    rng = np.random.default_rng(9)
    yield chapter.PAIRS[0], 30, 1
    for names in (chapter.PAIRS[0], chapter.PAIRS[-1]):
        for size in (chapter.SIZES[0], chapter.SIZES[-1]):
            for number in chapter.SUBSETS:
                yield names, size, number
    for _ in range(20):
        low, high = chapter.SUBSETS
        yield (
            chapter.PAIRS[rng.integers(len(chapter.PAIRS))],
            int(rng.choice(chapter.SIZES)),
            int(rng.integers(low, high + 1)),
        )


@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    for (names, size, number), cells, view in driven(chapter.lab(), lab_settings()):
        pairs = filings.pair(*names, filings=chapter.subset(size, number))
        bootstrap = sb.bootstrap(pairs, draws=chapter.DRAWS, seed=chapter.SEED)
        swaps = sb.randomize(pairs, draws=chapter.DRAWS, seed=chapter.SEED)
        shown = dict(zip(cells[::2], cells[1::2]))
        assert list(shown.values())[:5] == [
            f"{pairs.gap:+.4f}",
            f"{sb.p_randomization(swaps):.4f}",
            f"{sb.p_koehn(bootstrap):.4f}",
            f"{sb.p_recentered(bootstrap):.4f}",
            f"{bootstrap.sd:.4f}",
        ]
        delta = sb.delta_sd(pairs)
        assert shown["delta-method sd"] == (
            f"{delta:.4f}" if math.isfinite(delta) else "undefined (a BLEU of 0)"
        )
        assert "two-sided" in cells[2] and "one-sided" in cells[4] and "one-sided" in cells[6]
        alt = re.search(r'<img alt="([^"]+)"', view)[1]
        assert f"{size} filings" in alt and f"{pairs.gap:+.4f}" in alt
        assert ("Doubts" in view) == bool(chapter.lab_result(names, size, number).doubts)


def test_the_lab_opens_where_rules_part_and_its_row_repeats_its_read_outs():
    controls = chapter.lab().children[0].children
    assert [control.value for control in controls] == [chapter.PAIRS[0], 30, 1]
    result = chapter.lab_result(chapter.PAIRS[0], 30, 1)
    assert result.differing == 3 and result.koehn < 0.05 < 0.2 < result.p
    assert any("no p below 0.05" in text for text in result.doubts)
    assert all(
        cell in [value for _, value in chapter.lab_readouts(result)]
        for cell in chapter.lab_row(result)[2:]
    )
    assert len(chapter.LAB_HEAD) == len(chapter.lab_row(result))


def test_subsets_are_of_their_size_differ_by_number_and_never_repeat_a_filing():
    for size in chapter.SIZES:
        subsets = [chapter.subset(size, number) for number in range(1, 21)]
        assert all(
            len(np.unique(x)) == len(x) == size and 0 <= x.min() and x.max() < 90 for x in subsets
        )
        assert len({tuple(x) for x in subsets}) == (1 if size == 90 else 20)


def test_tables_are_finished_html():
    shown = chapter.table(["a", "b"], [["1", "<2"]], "three").data
    assert shown == figures.table(["a", "b"], [["1", "<2"]], "three") and "&lt;2" in shown


# Claims on other seeds ----------------------------------------------------------------------------


def test_the_opening_verdicts_do_not_hang_on_the_seed_of_the_draws():
    first, second = (filings.pair(*names) for names in chapter.PAIRS[:2])

    def claim(seed):
        a, b = chapter.two_clouds(first, seed=seed), chapter.two_clouds(second, seed=seed)
        return bool(
            a.p < 0.005
            and a.koehn < 0.001
            and 0.15 < b.p < 0.35
            and b.koehn > 0.05
            and b.p > 50 * a.p
        )

    holds_on_other_seeds(claim, label="equal gaps, unequal p-values")


def test_the_spreads_do_not_hang_on_the_seed_of_the_draws():
    pairs = [filings.pair(*names) for names in chapter.PAIRS]

    def claim(seed):
        x = [chapter.spreads(p, draws=2_000, seed=seed) for p in pairs]
        near = all(abs(s.ratio - 1) < 0.3 for s in x[:3])
        wide = 2.2 < x[3].ratio < 2.9 and abs(x[3].swaps / x[3].predicted - 1) < 0.15
        return bool(
            near and wide and x[1].ratio < 1 and x[4].ratio > 6 and x[4].predicted > x[4].swaps
        )

    holds_on_other_seeds(claim, label="spread of swaps over spread of resamples")


def test_each_broken_rule_does_its_damage_on_other_seeds():
    def claim(seed):
        clouds = broken_clouds(seed)
        ratio = {name: gaps.std() / clouds["as defined"].std() for name, gaps in clouds.items()}
        return bool(
            3.5 < ratio["unpaired"] < 4.5
            and 0.15 < (clouds["unpaired"] <= 0).mean() < 0.25
            and abs(ratio["half the size"] / math.sqrt(2) - 1) < 0.06
            and abs(ratio["each filing once"] / 0.763 - 1) < 0.06
        )

    holds_on_other_seeds(claim, label="unpaired, half-size and de-duplicated draws")


def test_draws_must_be_shared_whatever_the_scores():
    def claim(seed):
        rng = np.random.default_rng(seed)
        b = rng.normal(0, 10, 40)
        pairs = sb.PairedSet(b + 1, b, metric="mean")
        shared, other = (chapter.draw_counts(rng, 2_000, 40) for _ in range(2))
        gaps = chapter.weighted_gaps(pairs, shared)
        apart = (chapter.weighted_gaps(pairs, shared, other) <= 0).mean()
        return bool(np.allclose(gaps, 1) and 0.2 < apart < 0.45)

    holds_on_other_seeds(claim, label="a steady lead of 1, draws apart")


def test_copies_make_p_small_and_clusters_undo_it_on_other_seeds():
    pairs = filings.pair("extract", "textrank")

    def claim(seed):
        p = []
        for times in (1, 2, 4):
            index = np.repeat(np.arange(pairs.n), times)
            a, b = pairs.a[index], pairs.b[index]
            p.append(chapter.two_clouds(sb.PairedSet(a, b), seed=seed).p)
            together = chapter.two_clouds(sb.PairedSet(a, b, clusters=index), seed=seed).p
            if together != p[0]:
                return False
        return p[0] > 0.15 and p[0] > p[1] > p[2] and p[2] < 0.05

    holds_on_other_seeds(claim, label="every filing written four times")


def test_the_lab_s_first_frame_does_not_hang_on_the_seed_of_the_draws():
    pairs = filings.pair(*chapter.PAIRS[0], filings=chapter.subset(30, 1))

    def claim(seed):
        x = chapter.two_clouds(pairs, seed=seed)
        return bool(x.koehn < 0.055 and x.recentered < 0.065 and abs(x.p - 0.25) < 0.03)

    holds_on_other_seeds(claim, label="30 filings, three of them different")


def test_fresh_filings_keep_the_signs_that_the_text_reports_for_other_worlds():
    observed = [filings.pair(*names).gap for names in chapter.PAIRS[:3]]

    def claim(seed):
        fresh = chapter.fresh_gaps(chapter.PAIRS[:3], sets=12, seed=seed)
        kept = [(np.sign(gaps) == np.sign(gap)).mean() for gaps, gap in zip(fresh, observed)]
        return bool(kept[0] == 1 and kept[1] > 0.55 and 0.05 < kept[2] < 0.8 and kept[2] < kept[1])

    holds_on_other_seeds(claim, label="signs on fresh filings")


def test_fresh_gaps_are_those_of_blocks_of_one_new_world():
    names = chapter.PAIRS[:2]
    fresh = chapter.fresh_gaps(names, sets=2, n=20, seed=4)
    world = filings.generate(4, 40, ("writer", "noisy-0.1", "extract", "textrank"))
    for row, pair in zip(fresh, names):
        direct = [filings.pair(*pair, world=world, filings=range(k, k + 20)).gap for k in (0, 20)]
        assert np.allclose(row, direct)
