"""Chapter 13, choosing a test: the situations and their tests, and what a choice may look at.

`SITUATIONS` is the one source of the guide: each row names the functions, holds a line of code that
is run on the data of `example`, and says what the test assumes, answers and cannot say.

The second part is about choosing among tests. On one data set a swap pattern is a corner of a cube;
a test is the set of corners that it rejects, and every valid test has room for the same number of
them (prop-budget).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np

import sigbook as sb
from sigbook import _checks, data, experiments, figures, metrics, widgets
from sigbook.experiments import ALPHA, Share, rejected
from sigbook.worlds import aspects, bursty, detectors, filings, tone

# The guide ----------------------------------------------------------------------------------------

GROUPS = {
    "difference": "Is there a difference?",
    "size": "How large is it?",
    "procedure": "Which way of making systems is better?",
    "verdict": "How many segments, and how small is small?",
    "many": "Several comparisons, or several looks",
}


@dataclass(frozen=True)
class Situation:
    """A row of the guide.

    have: what the reader has. use: what to do. calls: the functions that do it, "sb.…" or "stats.…"
    (SciPy's); "swap_p" and "auc" are this module's. code: an expression over `example()` that does
    it. where: the place of the proof, as roles.
    """

    key: str
    group: str
    have: str
    use: str
    calls: tuple[str, ...]
    code: str
    assumes: str
    answers: str
    silent: str
    where: str


SWAPS = ("sb.randomize", "sb.p_randomization")

SITUATIONS = (
    Situation(
        "files", "difference",
        "Files with the outputs or scores of two or more systems",
        "a report with most of what follows, read line by line below",
        ("sb.compare",),
        "sb.compare(documents, draws=1_000).pair.view.p",
        "what was sampled is named: `documents=`; the family is all that is compared on this "
        "test set",
        "the rows on a difference, its size, power and several systems, for these files",
        "which unit was sampled, which metric matters, which comparisons were left out",
        "{prf:ref}`prop-budget`, {doc}`randomization`",
    ),
    Situation(
        "pooled", "difference",
        "BLEU, pooled F1 or another score of sums, two fixed systems",
        "swap the outputs of random segments, score again",
        SWAPS,
        "sb.p_randomization(sb.randomize(bleu, draws=9_999))",
        "segments were sampled one by one; the metric may be anything",
        "whether the gap is larger than exchanging the outputs would give; valid for every "
        "number of segments and of draws",
        "how large the gap is; which of the two outputs causes it; anything about systems "
        "trained again",
        "{doc}`randomization`, {prf:ref}`thm-randomization`",
    ),
    Situation(
        "mean", "difference",
        "A mean of segment scores: F1 by sentence, chrF, a rating",
        "swap; up to twenty segments that differ, list all swaps",
        SWAPS,
        'sb.p_randomization(sb.randomize(ten, draws="all"))',
        "if nothing differs, a difference is as likely to have one sign as the other",
        "the same as above, without chance when all swaps are listed",
        "that the means are equal: equal means without exchangeable outputs are another null, "
        "and Student's t a test that rests on a normal law",
        "{doc}`randomization`, {prf:ref}`cor-full-group`",
    ),
    Situation(
        "right-or-wrong", "difference",
        "Right or wrong, by rules that were fixed before",
        "McNemar's exact test",
        ("sb.mcnemar",),
        "sb.mcnemar(int((right_a > right_b).sum()), int((right_a < right_b).sum()))",
        "both rules, thresholds included, were fixed before this test set; segments are "
        "independent",
        "who wins more of the segments on which they part",
        "anything about an EER, whose threshold was sought on the test set; anything about "
        "clustered segments",
        "{doc}`mcnemar`, {prf:ref}`prop-mcnemar`",
    ),
    Situation(
        "documents", "difference",
        "Segments that came in documents, talks, speakers or sources",
        "swap whole documents: `clusters=`",
        ("sb.PairedSet", *SWAPS),
        "sb.p_randomization(sb.randomize(documents, draws=9_999))",
        "documents are independent of each other; dependence between documents is not mended",
        "whether other documents would show the gap too",
        "more than the number of documents allows, however many segments they have",
        "{doc}`clusters`, {prf:ref}`thm-clusters`",
    ),
    Situation(
        "nested", "difference",
        "Clusters in clusters: recordings of speakers, aspects of sentences of filings",
        "swap or draw the largest thing that was sampled, nothing inside it",
        ("sb.PairedSet", *SWAPS),
        "sb.p_randomization(sb.randomize(nested, draws=1_999))",
        "the largest units were sampled independently; a level that nobody sampled is not drawn",
        "whether other units of that size would show the gap",
        "which level the difference comes from",
        "{doc}`clusters`",
    ),
    Situation(
        "few-units", "difference",
        "A handful of documents or speakers",
        "list all swaps, and say the floor beforehand",
        SWAPS,
        'sb.p_randomization(sb.randomize(talks, draws="all"))',
        "as for documents",
        "the exact p-value, never below 2 over 2 to the number of units that differ",
        "anything at 0.05, two-sided, with fewer than six such units: no valid test can, and an "
        "interval from so few is too narrow",
        "{prf:ref}`prop-floor`, {prf:ref}`prop-budget`",
    ),
    Situation(
        "few-matches", "difference",
        "BLEU with a handful of matched 4-grams, or a system at 0",
        "swap; no bootstrap rule, no interval",
        SWAPS,
        'sb.p_randomization(sb.randomize(sparse, draws="all"))',
        "as for pooled scores",
        "whether the few matches lie with one system more than exchanging would give",
        "how large the gap is: BLEU is a steep function of a few counts here, and its bootstrap "
        "cloud a few spikes",
        "{doc}`one_cloud`, {doc}`smooth`",
    ),
    Situation(
        "eer", "difference",
        "EER, minDCF: a threshold that is searched on the test data",
        "swap whole sources, search again after each swap",
        ("swap_p", "sb.eer"),
        "swap_p(sb.eer, labels, stats.rankdata(spectral), stats.rankdata(neural), source)",
        "sources are independent and hold both kinds; the two scores are on one scale (ranks on "
        "the test set, as here, bring them to one, and the level is then kept only nearly)",
        "whether the two detectors are exchangeable as far as this error sees",
        "how far the errors differ; McNemar's test and a t test over recordings are no "
        "substitute, for a single recording has no EER",
        "{doc}`clusters`, {prf:ref}`thm-randomization`",
    ),
    Situation(
        "auc", "difference",
        "ROC-AUC of two detectors",
        "swap whole sources, compute the area again (DeLong's method, for independent "
        "recordings, is not in this package)",
        ("swap_p", "auc"),
        "swap_p(auc, labels, stats.rankdata(spectral), stats.rankdata(neural), source)",
        "as for the EER",
        "whether the ranking of genuine above fake differs between the detectors",
        "anything about EER or minDCF: another quantity, another test",
        "{prf:ref}`thm-randomization`",
    ),
    Situation(
        "fixed-threshold", "difference",
        "An error rate at a threshold fixed on development data",
        "a mean of right-or-wrong bits, by speaker or source",
        ("sb.PairedSet", *SWAPS),
        "sb.p_randomization(sb.randomize(bits, draws=1_999))",
        "no test recording had a say in the threshold; the threshold stays in every resample",
        "whether the two fixed rules differ in their errors",
        "anything about an EER, which searches",
        "{doc}`clusters`",
    ),
    Situation(
        "two-test-sets", "difference",
        "Two systems scored on different test sets",
        "an unpaired test: permute which set a score belongs to",
        ("stats.permutation_test",),
        "stats.permutation_test((ten.a[:5], ten.b[5:]), lambda x, y: x.mean() - y.mean()).pvalue",
        "both test sets are samples of one population",
        "whether the scores look like two samples of one law",
        "what pairing would have shown; and it cannot tell a hard test set from a weak system",
        "{doc}`two_pictures`, {prf:ref}`lem-pairing`",
    ),
    Situation(
        "labels", "difference",
        "Do one detector's scores have to do with the labels?",
        "permute the labels: another null, no comparison of systems",
        ("stats.permutation_test",),
        "stats.permutation_test((spectral[:6],), lambda x: np.corrcoef(x, [1, 1, 1, 0, 0, "
        '0])[0, 1], permutation_type="pairings").pvalue',
        "recordings are exchangeable if scores and labels are unrelated",
        "whether scores and labels are associated",
        "anything about two systems; a null is not changed because another one gives a smaller p",
        "{prf:ref}`def-sharp-null`",
    ),
    Situation(
        "interval", "size",
        "The gap of two systems",
        "resample the units, read the percentile interval",
        ("sb.bootstrap", "sb.percentile_interval"),
        "sb.percentile_interval(sb.bootstrap(bleu, draws=9_999))",
        "many independent units; a metric that is smooth near the data (for BLEU: dozens of "
        "matched 4-grams, lengths away from the references')",
        "a range that, made this way, covers the true gap in about the promised share of test "
        "sets",
        "that share on few units, at the kink, or with few matches",
        "{doc}`one_cloud`, {prf:ref}`prop-inversion`, {prf:ref}`thm-smooth`",
    ),
    Situation(
        "kink", "size",
        "BLEU of systems about as long as the references, one longer than the other",
        "swap for the test; no basic interval, no 2δ rule; report precisions and lengths apart",
        ("sb.bootstrap", "sb.percentile_interval"),
        "sb.percentile_interval(sb.bootstrap(near_kink))",
        "for swaps, the same as for pooled scores; what the bootstrap assumes fails, since the "
        "brevity penalty has a bend there",
        "for the difference, what swaps answer; the percentile interval is safe for one penalty "
        "by itself, the wider interval of all pieces for a gap",
        "a gap's interval at the promised share, by any of the usual recipes",
        "{doc}`kink`, {prf:ref}`prop-kink-coverage`, {prf:ref}`prop-pieces`",
    ),
    Situation(
        "one-system", "size",
        "One system's accuracy on segments that came in clusters",
        "the clustered standard error and the design effect",
        ("sb.cluster_sd", "sb.design_effect"),
        "(sb.cluster_sd(lexicon, filing), sb.design_effect(lexicon, filing))",
        "many independent clusters",
        "how far the accuracy would move with other clusters; how many segments a cluster is "
        "worth",
        "the gap to another system, whose clustering may be larger or smaller",
        "{doc}`clusters`, {prf:ref}`thm-clusters`",
    ),
    Situation(
        "weights", "size",
        "Clusters of unequal size",
        "decide which quantity is meant: each segment counts alike, or each cluster",
        ("sb.cluster_sd",),
        "(sb.cluster_sd(lexicon, filing), by_filing.std(ddof=1) / len(by_filing) ** 0.5)",
        "the choice is made for its meaning, before the two numbers are seen",
        "how often the system is right on a segment; or on a segment of a random cluster",
        "the other one",
        "{ref}`unequal sizes <unequal-sizes>`",
    ),
    Situation(
        "eer-interval", "size",
        "The gap of two EERs, pooled or macro",
        "draw whole sources for both detectors, count repeats, search the threshold in every "
        "draw",
        ("sb.bootstrap_eer", "sb.percentile_interval"),
        'sb.percentile_interval(sb.bootstrap_eer(labels, spectral, neural, source, "macro", '
        "draws=499))",
        "many independent sources; pooled (one threshold for all) or macro (one at each source) "
        "was decided before",
        "which gaps other sources would give",
        "coverage with a handful of sources: there it illustrates resampling and promises "
        "nothing",
        "{doc}`clusters`",
    ),
    Situation(
        "lacking-class", "size",
        "Resamples in which one kind of recording is missing",
        "whole groups that hold both kinds; or stratify, if planned; or report the share",
        ("sb.bootstrap_eer",),
        "sb.bootstrap_eer([1, 1, 0, 0], [3, 1, 2, 0], [3, 2, 1, 0], range(4), draws=999).invalid",
        "stratifying must not tear a fake from the recording that it was made of",
        "the spread over the draws that have an EER, with the number of those that have none",
        "the spread over all draws: some have no EER",
        "{doc}`clusters`",
    ),
    Situation(
        "whole-population", "size",
        "The test set is everything there is, and the question is about it",
        "report the gap; no interval, no p-value",
        ("sb.PairedSet",),
        "bleu.gap",
        "no other segments, documents or speakers are meant",
        "the gap itself",
        "anything about segments that are not in it",
        "{doc}`clusters`",
    ),
    Situation(
        "importance", "size",
        "A small p-value: does it matter?",
        "the gap with its interval, in units that somebody cares about, beside p",
        ("sb.percentile_interval", "sb.bootstrap"),
        "(ten.gap, ten.gap / (ten.a - ten.b).std(ddof=1), "
        "*sb.percentile_interval(sb.bootstrap(ten)))",
        "somebody knows what a point of the metric is worth",
        "how large, in points and in standard deviations of a segment",
        "whether the metric measures what matters: no test does",
        "{doc}`power`, {prf:ref}`def-cohen-d`",
    ),
    Situation(
        "one-run", "procedure",
        "One training run of each procedure",
        'test the two models, and say "these two models"',
        ("sb.mcnemar",),
        "sb.mcnemar(108, 101)",
        "the test set took no part in training or choosing",
        "which of two models is better",
        "which procedure is better: no test set can, whatever its size",
        "{doc}`procedures`, {prf:ref}`thm-procedures`",
    ),
    Situation(
        "runs", "procedure",
        "Several independent runs of each procedure, scored on one test set",
        "Welch's t test over the runs' scores; one score a run, EER included",
        ("stats.ttest_ind",),
        "stats.ttest_ind(runs_a, runs_b, equal_var=False).pvalue",
        "runs are independent and their scores roughly normal, which three runs cannot show",
        "whether the expected scores of the two recipes differ on this test set",
        "anything about other test sets; the tails of a recipe; mean ± sd of three runs is no "
        "interval",
        "{doc}`procedures`",
    ),
    Situation(
        "paired-runs", "procedure",
        "Both procedures trained on the same freshly drawn training sets",
        "a t test of the differences over the training sets",
        ("stats.ttest_1samp",),
        "stats.ttest_1samp(gaps_by_training_set, 0).pvalue",
        "training sets are independent and shared, their differences roughly normal or many; the "
        "same seed number in two architectures shares nothing",
        "whether the procedures differ on average over training sets of this size",
        "anything about another size: learning curves cross",
        "{doc}`procedures`, {prf:ref}`def-procedure-null`",
    ),
    Situation(
        "runs-and-segments", "procedure",
        "Several runs, and other segments are meant as well",
        "draw runs, and the same segments for every run; average the runs' scores",
        ("sb.crossed_bootstrap",),
        'sb.crossed_bootstrap(outputs_a, outputs_b, "bleu", draws=499).sd',
        "many runs and many segments; for the variance of means this is proved elsewhere, for "
        "BLEU, EER and few runs it is a proposal",
        "how far the gap moves if both are drawn anew",
        "coverage with three runs; pooling the outputs of runs would score a mixture that "
        "nobody ships",
        "{doc}`procedures`",
    ),
    Situation(
        "one-labelled-set", "procedure",
        "One labelled set, from which training sets must be cut",
        "five halvings, the 5×2cv t test",
        ("stats.t",),
        "2 * stats.t.sf(abs(halvings[0, 0]) / np.sqrt(halvings.var(axis=1, ddof=1).mean()), 5)",
        "differences roughly normal; halves stand for training sets of half the size",
        "whether procedures trained on half of the data differ",
        "much: the verdict leans on the difference that comes first; fresh training sets say "
        "more",
        "{doc}`procedures`",
    ),
    Situation(
        "plan", "verdict",
        "A test set still to be bought, right-or-wrong answers",
        "the gap worth having and the share of disagreement give the number",
        ("sb.mcnemar_sample_size",),
        'sb.mcnemar_sample_size(0.08, 0.06, power=0.8, method="exact")',
        "independent segments; the two guesses are right",
        "how many segments find that gap with that probability",
        "what happens if the systems part more often than guessed: the power falls",
        "{doc}`power`, {prf:ref}`prop-power`",
    ),
    Situation(
        "not-significant", "verdict",
        "A p-value above the level",
        "the power of this test set at a gap that would matter",
        ("sb.mcnemar_power",),
        "sb.mcnemar_power(1_500, 0.075, 0.065)",
        "somebody names that gap without looking at the result",
        "whether the test could have found it",
        "that there is no difference; and power at the observed gap repeats the p-value",
        "{doc}`power`, {prf:ref}`prop-observed-power`",
    ),
    Situation(
        "equivalence", "verdict",
        "The wish to say that two systems are equally good",
        "two one-sided tests against margins",
        ("sb.tost",),
        "sb.tost(-0.01, 0.01, right_a - right_b).p",
        "the margins were chosen before, for what they mean in use; independent segments, many "
        "of them",
        "whether the difference lies within the margins, at the level",
        "equality; a p-value of 0.2 in a test for a difference says nothing of the kind",
        "{doc}`power`, {prf:ref}`prop-tost`",
    ),
    Situation(
        "family", "many",
        "Several claims: systems, metrics, subsets, twenty models against one baseline",
        "Holm over the whole family",
        ("sb.holm",),
        "sb.holm([0.01, 0.03, 0.04])",
        "every p-value is valid; the family was named before; no independence is needed",
        "which claims stand if not one false one may",
        "anything about a comparison that was made and left out",
        "{doc}`shopping`, {prf:ref}`thm-holm`",
    ),
    Situation(
        "screening", "many",
        "A long list to be looked through again",
        "Benjamini and Hochberg",
        ("sb.benjamini_hochberg",),
        "(sb.benjamini_hochberg(fifteen) <= 0.05).sum()",
        "valid p-values, independent (proved) or positively dependent in a certain way (cited)",
        "a list whose share of false ones is small on average over lists",
        "how many of this list are false",
        "{doc}`shopping`, {prf:ref}`thm-bh`",
    ),
    Situation(
        "metrics", "many",
        "Several metrics or tests were tried, and one rejects",
        "name one before, choose by what swaps leave alone, or correct for all",
        ("sb.holm",),
        "sb.holm(seven_metrics).min()",
        "all that were computed are counted",
        "whether anything in the list stands",
        "the smallest p by itself: its size grows with every test that was tried",
        "{prf:ref}`prop-shopping`, {prf:ref}`prop-budget`",
    ),
    Situation(
        "peeking", "many",
        "A look at the result while segments come in",
        "a p-value made for looking; for planned looks the level over their number",
        ("sb.mcnemar",),
        'sb.mcnemar(40, 15, method="anytime")',
        "right-or-wrong answers, independent segments",
        "the same at any time: stop when you like",
        "as much as one look at the end would, for the same number of segments",
        "{doc}`shopping`, {prf:ref}`prop-anytime`",
    ),
    Situation(
        "tuned", "many",
        "A system, prompt or checkpoint chosen by its score on this test set",
        "a fresh test set; there one plain test",
        ("sb.mcnemar",),
        "sb.mcnemar(31, 24)",
        "nothing of the fresh set was seen before",
        "whether the chosen system is better",
        "anything from the old set: no correction repairs it",
        "{doc}`shopping`",
    ),
)


@cache
def example() -> dict[str, object]:
    """The data that the guide's lines of code are run on: names -> paired sets and arrays, all
    frozen.

    bleu, sparse: BLEU on filings (90 and ten of them). ten: F1 of two taggers on ten sentences.
    right_a, right_b: right or wrong on 1,500 filings. documents, near_kink, talks: real
    translations in 30 documents, the second pair with one system nearly as long as the references,
    and in five talks. nested: aspects in sentences in filings. labels,
    source, spectral, neural: recordings of eight sources and two detectors' scores; bits: their
    right answers at thresholds from other sources. lexicon, filing: one reader's right answers;
    by_filing: their mean in each filing. outputs_a, outputs_b: BLEU statistics of three runs;
    runs_a, runs_b: their scores. gaps_by_training_set, halvings: differences in accuracy over
    training sets. fifteen, seven_metrics: p-values.
    """
    near_tie = tone.pair("nbw bigrams", "lr bigrams")
    wmt, ted = data.wmt23(), data.wmt21_ted()
    recordings = detectors.load().of_sources(range(8))
    readers = aspects.load()
    outputs = data.optimizer_runs()
    score = metrics.find("bleu").score
    training = bursty.load()
    fresh = {
        name: column[training["stage"] == bursty.MEASURING] for name, column in training.items()
    }
    folds = bursty.load_folds()
    lexicon, filing = readers.right["lexicon"], readers.filing
    return {
        "bleu": filings.pair("writer", "noisy-0.1"),
        "near_kink": sb.PairedSet(
            wmt.bleu["ONLINE-W"], wmt.bleu["ONLINE-G"], clusters=wmt.documents
        ),
        "sparse": filings.pair("extract", "textrank", filings=filings.TEN_FILINGS),
        "ten": sb.PairedSet(TEN_A, TEN_B, "mean"),
        "right_a": near_tie.a,
        "right_b": near_tie.b,
        "documents": sb.PairedSet(
            wmt.bleu["ONLINE-W"], wmt.bleu["ONLINE-M"], clusters=wmt.documents
        ),
        "talks": sb.PairedSet(ted.bleu["Facebook-AI"], ted.bleu["UEdin"], clusters=ted.documents),
        "nested": aspects.pair("lexicon", "specialist", "filing"),
        "labels": recordings.labels,
        "source": recordings.sources,
        "spectral": recordings.scores["spectral"],
        "neural": recordings.scores["neural"],
        "bits": fixed_threshold_bits(),
        "lexicon": lexicon,
        "filing": filing,
        "by_filing": np.bincount(filing, weights=lexicon) / np.bincount(filing),
        "outputs_a": outputs["sys1"],
        "outputs_b": outputs["baseline"],
        "runs_a": score(outputs["sys1"].sum(axis=1).astype(np.float64)),
        "runs_b": score(outputs["baseline"].sum(axis=1).astype(np.float64)),
        "gaps_by_training_set": (fresh["nb"] - fresh["lr"]) / bursty.POOL,
        "halvings": np.stack(list(folds.values()), axis=1)[0].reshape(5, 2).astype(np.float64),
        "fifteen": data.FIFTEEN,
        "seven_metrics": SEVEN,
        "swap_p": swap_p,
        "auc": auc,
    }


TEN_A = (0.82, 0.71, 0.90, 0.65, 0.78, 0.85, 0.60, 0.92, 0.74, 0.88)
TEN_B = (0.79, 0.68, 0.85, 0.63, 0.80, 0.81, 0.58, 0.89, 0.77, 0.84)
SEVEN = (0.34, 0.21, 0.04, 0.18, 0.09, 0.41, 0.27)


def fixed_threshold_bits(development: int = 10) -> sb.PairedSet:
    """Right (1) or wrong (0) of two detectors on the recordings of the later sources, by source.

    Each detector's threshold is the one at which the larger of its two error rates is least on the
    first `development` sources; the others do not see it chosen.
    """
    world = detectors.load()
    first = np.arange(development)
    dev, test = world.of_sources(first), world.of_sources(np.setdiff1d(world.sources, first))
    bits = []
    for name in ("spectral", "neural"):
        cuts = np.unique(dev.scores[name])
        accepted = dev.scores[name] >= cuts[:, None]
        errors = np.maximum(
            (accepted & (dev.labels == 0)).sum(axis=1) / (dev.labels == 0).sum(),
            (~accepted & (dev.labels == 1)).sum(axis=1) / (dev.labels == 1).sum(),
        )
        threshold = cuts[errors.argmin()]
        bits.append(((test.scores[name] >= threshold) == (test.labels == 1)).astype(np.int64))
    return sb.PairedSet(*bits, "mean", clusters=test.sources, names=("spectral", "neural"))


def auc(labels, scores) -> float:
    """Area under the ROC curve: the share of (target, non-target) pairs ranked right, ties counted
    half.
    """
    from scipy.stats import rankdata

    labels = np.asarray(labels)
    targets = int(labels.sum())
    ranks = rankdata(scores)[labels == 1].sum()
    return float((ranks - targets * (targets + 1) / 2) / (targets * (len(labels) - targets)))


def swap_p(statistic: Callable, labels, scores_a, scores_b, units) -> float:
    """Randomization p-value of any statistic's gap when whole units exchange their scores, all
    swaps listed.

    statistic(labels, scores) is computed anew after every swap. units: n labels, at most 14
    different ones. Two-sided. Raises ValueError for unequal lengths and for more units.
    """
    labels = _checks.vector("labels", labels, int)
    a = _checks.vector("scores_a", scores_a, length=len(labels))
    b = _checks.vector("scores_b", scores_b, length=len(labels))
    count, number = _checks.labels("units", units, len(labels))
    if count > 14:
        raise ValueError(
            f"units must hold at most 14 different labels, to list all swaps; got {count}"
        )
    gaps = []
    for pattern in range(2**count):
        swapped = (pattern >> number & 1).astype(bool)
        gaps.append(
            statistic(labels, np.where(swapped, b, a)) - statistic(labels, np.where(swapped, a, b))
        )
    gaps = np.abs(gaps)
    return float(np.mean(gaps >= gaps[0] - 1e-12))


def run(situation: Situation) -> tuple[object, list[str]]:
    """What a row's line of code gives on `example()`, and what it warns of."""
    from scipy import stats

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        value = eval(situation.code, {"sb": sb, "np": np, "stats": stats, **example()})
    return value, [str(warning.message) for warning in said]


def shown(value) -> str:
    """A result as the page prints it."""
    if isinstance(value, tuple):
        return ", ".join(map(shown, value))
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, np.ndarray):
        return ", ".join(map(shown, value.tolist()))
    return f"{value:.4f}"


def rows(group: str) -> list[Situation]:
    """The situations of one group, in order. Raises ValueError for an unknown group."""
    _checks.choice("group", group, tuple(GROUPS))
    return [row for row in SITUATIONS if row.group == group]


def row_text(row: Situation) -> str:
    """One situation as a folded block of MyST Markdown, with its code and what that gives."""
    value, said = run(row)
    named = ", ".join(f"`{name}`" for name in row.calls)
    gives = f"{shown(value)}" + (" (with a warning)" if said else "")
    return "\n".join(
        [
            f":::{{dropdown}} **{row.have}** → {row.use}",
            ":class-container: situation",
            "",
            f"**Functions** {named}",
            "",
            "```python",
            row.code,
            "```",
            "",
            f"gives {gives}",
            "",
            f"- **Assumes** {row.assumes}.",
            f"- **Answers** {row.answers}.",
            f"- **Cannot say** {row.silent}.",
            f"- **Shown in** {row.where}",
            ":::",
        ]
    )


def show(group: str):
    """The rows of one group as a notebook output."""
    from IPython.display import Markdown

    return Markdown("\n\n".join(map(row_text, rows(group))))


def show_report(report):
    """A report as a notebook output, without its last part, which names versions."""
    from IPython.display import HTML

    return HTML(
        f'<div class="report">{report.html().partition("<p><strong>How</strong></p>")[0]}</div>'
    )


# Tests as sets of corners -------------------------------------------------------------------------

TESTS = ("mean", "without the largest", "signed ranks", "signs")
TAIL_MEAN, TAIL_RANKS, SIGNS_FROM = 2.6, 3.4, 12


def signs(n: int) -> np.ndarray:
    """All 2^n patterns of n signs, (2^n, n); row k and row 2^n - 1 - k are opposite."""
    return 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)


def weights(sizes: np.ndarray) -> dict[str, np.ndarray]:
    """What each test gives to the sign of a difference, from the sizes |d| (E, n) alone; 0 where
    |d| is 0.

    Every test here compares |sum of sign times weight| with its values under all swaps.
    """
    below = (sizes[:, :, None] > sizes[:, None, :]).sum(axis=2)
    tied = (sizes[:, :, None] == sizes[:, None, :]).sum(axis=2)
    trimmed = sizes.copy()
    trimmed[np.arange(len(sizes)), sizes.argmax(axis=1)] = 0
    found = {
        "mean": sizes,
        "without the largest": trimmed,
        "signed ranks": below + (tied + 1) / 2,
        "signs": np.ones_like(sizes),
    }
    return {name: np.where(sizes == 0, 0.0, w) for name, w in found.items()}


def hits(differences) -> np.ndarray:
    """For every test, how many of the half of the swaps with the last unit kept reach the data's
    statistic.

    differences: (E, n). Returns int64 (tests, E); a p-value is a count over 2^(n-1), since a
    pattern and its opposite reach the same.
    """
    d = np.asarray(differences, dtype=np.float64)
    half = signs(d.shape[1])[: 2 ** (d.shape[1] - 1)]
    counts = []
    for w in weights(np.abs(d)).values():
        observed = np.abs((np.sign(d) * w).sum(axis=1))
        slack = 1e-12 * w.sum(axis=1)
        counts.append((np.abs(half @ w.T) >= observed - slack).sum(axis=0))
    return np.array(counts)


def corners(sizes: Sequence[int]) -> np.ndarray:
    """Two-sided p-values, in units of 1/2^n, of every test at every corner of one data set: (tests,
    2^n).
    """
    size = np.asarray(sizes, dtype=np.float64)[None]
    half = signs(size.shape[1])
    counts = []
    for w in weights(size).values():
        values = np.abs(half @ w[0])
        counts.append((values[None, :] >= values[:, None] - 1e-12 * w.sum()).sum(axis=1))
    return np.array(counts)


def budget(units: int, alpha: float = ALPHA) -> int:
    """How many of the 2^units corners a test of level alpha may reject."""
    return math.floor(Fraction(repr(alpha)) * 2**units)


def blind_test(sizes: np.ndarray) -> np.ndarray:
    """Which test the sizes |d| (E, n) call for, as its place in `TESTS`; no sign is looked at.

    The largest size over the mean size tells how long the tail is: short, the mean; longer, ranks;
    long, signs, if there are enough units for them to spend their budget.
    """
    mean = sizes.mean(axis=1)
    tail = np.divide(sizes.max(axis=1), mean, out=np.ones_like(mean), where=mean > 0)
    long = TESTS.index("signs" if sizes.shape[1] >= SIGNS_FROM else "signed ranks")
    return np.where(
        tail <= TAIL_MEAN,
        TESTS.index("mean"),
        np.where(tail <= TAIL_RANKS, TESTS.index("signed ranks"), long),
    )


def check_budget(values: Sequence[int] = (1, 2, 3, 5, 8), most: int = 6) -> dict[str, int]:
    """prop-budget on every data set of 1 to `most` units with sizes from `values`, at every level
    k/2^n.

    Counts the data sets, the cases, and the counter-examples to (a) the budget, (b) the floor, (c)
    the union, (d) a test chosen by sizes.
    """
    found = dict(sets=0, cases=0, budget=0, floor=0, union=0, blind=0)
    for n in range(1, most + 1):
        for sizes in combinations_with_replacement(values, n):
            p = corners(sizes)
            chosen = p[int(blind_test(np.array([sizes], dtype=np.float64))[0])]
            found["sets"] += 1
            found["floor"] += int((p < 2).any())
            for k in range(2**n + 1):
                found["cases"] += 1
                found["budget"] += int(((p <= k).sum(axis=1) > k).any())
                found["union"] += int((p.min(axis=0) <= k).sum() > len(p) * k)
                found["blind"] += int((chosen <= k).sum() > k)
    return found


def check_laws(parts: int = 4) -> dict[str, int]:
    """prop-budget (a) both ways, for every set of corners of two data sets with two units each.

    A law under the sharp null gives the two cubes some weight, in steps of 1/parts, and spreads it
    evenly over each one's four corners. A set of corners is a test of level k/4 for all these laws
    exactly if it has at most k corners in each cube.
    """
    laws = [(Fraction(i, parts), 1 - Fraction(i, parts)) for i in range(parts + 1)]
    found = dict(tests=0, cases=0, failures=0)
    for first, second in product(range(16), repeat=2):
        counts = first.bit_count(), second.bit_count()
        size = max(sum(w * Fraction(c, 4) for w, c in zip(law, counts)) for law in laws)
        found["tests"] += 1
        for k in range(1, 5):
            found["cases"] += 1
            found["failures"] += int((size <= Fraction(k, 4)) != (max(counts) <= k))
    return found


# Choosing, measured -------------------------------------------------------------------------------

LAWS = ("normal", "a few wild", "right or wrong")
GAPS = {"normal": 0.8, "a few wild": 1.2, "right or wrong": 0.4}


def differences(
    law: str, experiments: int, units: int, gap: float, rng: np.random.Generator
) -> np.ndarray:
    """Differences (E, n) that are symmetric about `gap`; of "right or wrong" the expected
    difference is `gap`.

    "a few wild": normal, one in five with eight times the spread. "right or wrong": 1, -1 or 0, and
    0 with probability 0.4.
    """
    _checks.choice("law", law, LAWS)
    shape = (experiments, units)
    if law == "right or wrong":
        u = rng.random(shape)
        return np.where(u < 0.3 + gap / 2, 1.0, np.where(u < 0.6, -1.0, 0.0))
    spread = np.where(rng.random(shape) < 0.2, 8.0, 1.0) if law == "a few wild" else 1.0
    return gap + spread * rng.normal(size=shape)


@dataclass(frozen=True, eq=False)
class Choice:
    """Many data sets of one law, judged by every test.

    p: (tests, E). blind: (E,), the p-value of the test that the sizes called for. ahead: bool (E,),
    whether the mean difference is positive.
    """

    p: np.ndarray
    blind: np.ndarray
    ahead: np.ndarray

    @property
    def smallest(self) -> np.ndarray:
        """(E,) the smallest p-value of the four tests."""
        return self.p.min(axis=0)

    def shares(self, alpha: float = ALPHA) -> dict[str, Share]:
        """Share rejected, by each test and by three ways to choose."""
        by_test = {name: rejected(p, alpha) for name, p in zip(TESTS, self.p)}
        return {
            **by_test,
            "chosen by sizes": rejected(self.blind, alpha),
            "smallest p": rejected(self.smallest, alpha),
            "smallest p, times four": rejected(len(TESTS) * self.smallest, alpha),
        }


def choosing(law: str, gap: float, experiments: int, seed, units: int = 12) -> Choice:
    """Draw data sets and test each by all swaps. Raises ValueError for more than 14 units."""
    rng = _checks.generator(seed)
    units = _checks.count("units", units, least=1, most=14)
    d = differences(law, experiments, units, gap, rng)
    p = np.concatenate([hits(few) for few in np.array_split(d, max(1, experiments // 500))], axis=1)
    p = p / 2 ** (units - 1)
    blind = np.take_along_axis(p, blind_test(np.abs(d))[None], axis=0)[0]
    return Choice(p, blind, d.mean(axis=1) > 0)


TOOLBOX = (
    0,
    2,
    4,
    5,
    6,
)  # of experiments.RULES: randomization, Koehn, 2δ for the winner, shifted, sacreBLEU


def toolbox(prompts: int = 20, seed=0, draws: int = 999, few: int | None = None) -> np.ndarray:
    """p-values (5, E) that toolboxes print for one system against itself, all from the same two
    clouds.
    """
    return experiments.aa_row(prompts, draws, seed, few).p[list(TOOLBOX)]


def talk_gaps() -> np.ndarray:
    """BLEU gap of each of the five talks of `example()`'s "talks"."""
    talks = example()["talks"]
    score = metrics.find("bleu").score
    return score(talks.unit_a.astype(np.float64)) - score(talks.unit_b.astype(np.float64))


# Figures ------------------------------------------------------------------------------------------

QUESTIONS = (
    (
        "What would be another\none next time?",
        (
            ("nothing", "report the gap, no test"),
            ("segments", "they are the units"),
            ("documents, speakers", "whole ones are the units"),
            ("the training", "train again, count runs"),
        ),
    ),
    (
        "What is the quantity?",
        (
            ("right or wrong", "McNemar's test"),
            ("a mean, a score of sums", "a paired set"),
            ("a searched threshold", "search anew in each draw"),
        ),
    ),
    (
        "What is asked of it?",
        (
            ("is there a difference?", "swap units"),
            ("how large is it?", "resample units"),
            ("is it small enough?", "two one-sided tests"),
            ("how many segments?", "power"),
        ),
    ),
    ("How many units differ?", (("few", "list all swaps"), ("many", "draw swaps"))),
    (
        "How many comparisons,\nhow many looks?",
        (
            ("several comparisons", "Holm over all of them"),
            ("several looks", "a test made for looking"),
            ("tuned on this test set", "a fresh test set"),
        ),
    ),
)
STEP = 0.62


@figures.styled
def draw_questions():
    """The five questions, top to bottom, each with its answers and what they lead to."""
    heights = [0.95 + STEP * (len(exits) - 1) for _, exits in QUESTIONS]
    figure, axis = figures.canvas(
        height=6.6, margins={"left": 0, "right": 1, "bottom": 0, "top": 1}
    )
    axis.set(xlim=(0, 10), ylim=(-sum(heights), 0))
    axis.axis("off")
    top, last = 0.0, None
    for number, ((question, exits), height) in enumerate(zip(QUESTIONS, heights), start=1):
        middle = top - height / 2
        axis.text(
            0.15,
            middle,
            f"{number}",
            va="center",
            ha="left",
            fontsize=15,
            color=figures.BOOTSTRAP.color,
        )
        axis.text(
            0.62,
            middle,
            question,
            va="center",
            ha="left",
            fontsize=10.5,
            weight="bold",
            bbox=dict(
                boxstyle="round,pad=0.45", facecolor="white", edgecolor=figures.BOOTSTRAP.color
            ),
        )
        for k, (answer, leads) in enumerate(exits):
            y = middle + STEP * ((len(exits) - 1) / 2 - k)
            axis.text(4.1, y, answer, va="center", ha="left", fontsize=10)
            axis.annotate(
                "",
                (7.12, y),
                (6.78, y),
                arrowprops=dict(
                    arrowstyle="->", color=figures.REFERENCE.color, shrinkA=0, shrinkB=0
                ),
            )
            axis.text(7.2, y, leads, va="center", ha="left", fontsize=10)
        if last is not None:
            axis.annotate(
                "",
                (1.7, middle + 0.5),
                (1.7, last - 0.5),
                arrowprops=dict(arrowstyle="-|>", color=figures.BOOTSTRAP.color, linewidth=1.5),
            )
            axis.axhline(top, color=figures.BAND.color, linewidth=0.6)
        top, last = top - height, middle
    return figure


@figures.styled
def draw_corners(sizes: Sequence[int], alpha: float = ALPHA):
    """Which corners of one data set each test rejects, corners in the order of their mean
    difference.
    """
    p = corners(sizes)
    n = len(sizes)
    allowed = budget(n, alpha)
    order = np.argsort(signs(n) @ np.asarray(sizes, dtype=np.float64), kind="stable")
    taken = p[:, order] <= alpha * 2**n
    lines = [*taken, taken.any(axis=0)]
    labels = [*TESTS, "any of the four"]
    figure, axis = figures.canvas(height=2.7)
    places = np.arange(2**n)
    for place, (line, label) in enumerate(zip(lines, labels)):
        look = figures.OBSERVED if place == len(TESTS) else figures.BOOTSTRAP
        axis.vlines(places[line], place - 0.36, place + 0.36, color=look.color, linewidth=1.1)
        axis.text(2**n + 3, place, f"{int(line.sum())}", va="center", fontsize=9)
    axis.text(2**n + 3, -0.9, f"of {allowed}", va="center", fontsize=9)
    axis.set_yticks(range(len(lines)), labels)
    axis.set(
        xlim=(-2, 2**n + 2),
        ylim=(len(lines) - 0.4, -0.6),
        xlabel=f"the {2**n} corners, from all for B to all for A",
    )
    axis.axhline(len(TESTS) - 0.5, color=figures.REFERENCE.color, linewidth=0.8)
    return figure


@figures.styled
def draw_choices(found: Sequence[tuple[str, Choice, Choice]], alpha: float = ALPHA):
    """Shares rejected without a gap (hollow) and with one (filled), a panel for each law."""
    figure, axes = figures.canvas(1, len(found), height=3.1, share_y=True)
    for axis, (law, null, real) in zip(np.atleast_1d(axes), found):
        _draw_shares(axis, null.shares(alpha), real.shares(alpha), alpha)
        axis.set_title(law, loc="left")
    return figure


def _draw_shares(axis, null, real, alpha):
    names = list(null)
    places = np.arange(len(names))
    for shares, look, face in ((null, figures.OBSERVED, "white"), (real, figures.BOOTSTRAP, None)):
        axis.errorbar(
            [s.value for s in shares.values()],
            places,
            xerr=[3 * s.error for s in shares.values()],
            linestyle="none",
            marker=look.marker,
            color=look.color,
            markerfacecolor=face or look.color,
            capsize=2,
        )
    axis.axvline(alpha, **figures.REFERENCE.stroke, linewidth=1)
    axis.axhline(len(TESTS) - 0.5, color=figures.REFERENCE.color, linewidth=0.6)
    axis.set_yticks(places, names)
    axis.set(xlim=(0, None), ylim=(len(names) - 0.5, -0.5), xlabel="share rejected")


# The lab ------------------------------------------------------------------------------------------

LAB_SETS = 300


def lab_result(law: str, units: int, gap: float, seed: int) -> tuple[Choice, Choice]:
    """Data sets without and with the gap."""
    return choosing(law, 0.0, LAB_SETS, seed, units), choosing(law, gap, LAB_SETS, seed, units)


@figures.styled
def draw_lab(null: Choice, real: Choice):
    """The two kinds of shares of the lab's setting."""
    figure, axis = figures.canvas(
        height=2.6, margins={"left": 0.24, "right": 0.98, "bottom": 0.2, "top": 0.97}
    )
    _draw_shares(axis, null.shares(), real.shares(), ALPHA)
    return figure


def lab_frame(law: str, units: int, gap: float, seed: int) -> str:
    """The lab's view as HTML: the shares as a picture and as a table."""
    null, real = lab_result(law, units, gap, seed)
    lines = [
        [name, str(a), str(b)]
        for (name, a), b in zip(null.shares().items(), real.shares().values())
    ]
    alt = f"Seven ways of testing beside the dotted level line {ALPHA}. " + " ".join(
        f"{name}: hollow point, without a gap, at {a}, filled point, with it, at {b}."
        for name, a, b in lines
        if name in ("chosen by sizes", "smallest p")
    )
    return figures.image_tag(draw_lab(null, real), alt) + figures.table(
        ["test", "no gap: rejected", f"gap {gap:.1f}: rejected"],
        lines,
        f"{law}, {units} units, {LAB_SETS} data sets, level {ALPHA}, seed {seed}",
    )


def choosing_lab():
    """The choosing lab: choose the law of the differences, the number of units and the gap."""
    return widgets.experiment(
        lab_frame,
        {
            "law": widgets.choice("differences", list(LAWS), "a few wild"),
            "units": widgets.whole("units n", 5, 12, 12),
            "gap": widgets.real("gap", 0.0, 2.0, 1.2, 0.1, ".1f"),
            "seed": widgets.whole("seed", 0, 50, 1),
        },
    )


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"law": "a few wild", "units": 12, "gap": 1.2, "seed": 1},
    {"law": "normal", "units": 12, "gap": 0.8, "seed": 1},
    {"law": "right or wrong", "units": 12, "gap": 0.4, "seed": 1},
    {"law": "a few wild", "units": 5, "gap": 2.0, "seed": 1},
    {"law": "a few wild", "units": 12, "gap": 0.0, "seed": 1},
)
