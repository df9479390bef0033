"""The filings world: frozen as generated, with exact shares, and showing what it must show."""

from __future__ import annotations

import warnings
from itertools import combinations, pairwise

import filings_points as points
import make_data
import numpy as np
import pytest
from claims import holds_on_other_seeds
from hypothesis import given
from hypothesis import strategies as st

import sigbook as sb
from sigbook import data
from sigbook.worlds import filings, segment_metrics

DRAWS = 9_999
EXTRACTORS = filings.EXTRACTORS


@pytest.fixture(scope="module")
def world():
    return filings.load()


@pytest.fixture(scope="module")
def held_elsewhere():
    """Which points hold under ten other seeds of the generator."""
    return {seed: points.holds(points.drawn(seed)) for seed in range(101, 111)}


def doubtful(run, *arguments, **options):
    """The result of `run` without its warnings: few matched 4-grams are the point of these data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return run(*arguments, **options)


def p_swap(a, b, metric="bleu", seed=1):
    return sb.p_randomization(sb.randomize(filings.pair(a, b, metric), draws=DRAWS, seed=seed))


# Frozen as generated ------------------------------------------------------------------------------

def test_tables_are_made_again_byte_for_byte():
    made = make_data.build(["filings"])
    assert sorted(made) == sorted([filings.TEXTS_FILE, filings.BLEU_FILE, filings.FACTS_FILE,
                                   filings.SEGMENTS_FILE])
    for file, (table, line) in made.items():
        assert table.content == data.read_bytes(file), file
        assert line == data.manifest()[file], file


@pytest.mark.long
def test_fresh_filings_are_made_again_byte_for_byte():
    [(file, (table, line))] = make_data.build(["filings-fresh"]).items()
    assert table.content == data.read_bytes(file)
    assert line == data.manifest()[file]


def test_fresh_statistics_are_those_of_the_summaries():
    name = "noisy-0.3"
    world = filings.generate(filings.FRESH_SEED, filings.FRESH, (name,))
    np.testing.assert_array_equal(filings.fresh("bleu")[name],
                                  filings.statistics(name, "bleu", world))
    np.testing.assert_array_equal(filings.fresh("fact-f1")[name], world.counts[name])
    some = range(0, filings.FRESH, 900)
    chrf = segment_metrics.segment_scores([world.summaries[name][i] for i in some],
                                          [world.references[i] for i in some], ("chrf",))["chrf"]
    np.testing.assert_allclose(filings.fresh("chrf")[name][list(some)], chrf, rtol=0, atol=5.1e-5)


def test_filings_drawn_again_are_made_again_byte_for_byte():
    [(file, (table, line))] = make_data.build(["filings-again"]).items()
    assert table.content == data.read_bytes(file)
    assert line == data.manifest()[file]


@pytest.mark.parametrize("metric", filings.AGAIN_METRICS)
def test_the_pair_drawn_again_is_that_of_the_texts(metric):
    world = filings.generate(filings.AGAIN_SEED, filings.AGAIN, filings.AGAIN_SYSTEMS)
    made, frozen = filings.pair(*filings.AGAIN_SYSTEMS, metric, world=world), filings.pair_again(metric)
    assert (frozen.metric, frozen.names, frozen.n) == (made.metric, made.names, 45)
    np.testing.assert_array_equal(frozen.a, made.a)
    np.testing.assert_array_equal(frozen.b, made.b)


def test_loaded_world_equals_the_generated_one(world):
    made = filings.generate()
    assert (made.documents, made.references, made.facts, made.summaries) == (
        world.documents, world.references, world.facts, world.summaries)
    for name in filings.SYSTEMS:
        np.testing.assert_array_equal(made.counts[name], world.counts[name])


def test_systems_do_not_depend_on_which_others_are_asked_for(world):
    for name in ("noisy-0.3", "random", "terse"):
        assert filings.generate(systems=(name,)).summaries == {name: world.summaries[name]}


def test_another_seed_gives_another_world(world):
    assert filings.generate(filings.SEED + 1).references != world.references


def test_seed_table_is_what_the_points_give():
    table = data.read_csv(filings.SEEDS_FILE)
    assert len(table["seed"]) == 100 and filings.SEED not in table["seed"]
    for row in (0, 57):
        found = points.holds(points.drawn(int(table["seed"][row])))
        assert {name: int(value) for name, value in found.items()} == {
            name: int(table[name][row]) for name in points.POINTS}


def test_readme_prints_the_seed_table():
    text = (make_data.DATA / "README.md").read_text(encoding="utf-8")
    first, last = make_data.README_MARKS
    assert text.split(first)[1].split(last)[0].strip() == make_data.seeds_text()


# The design: exact shares, one changed verb -------------------------------------------------------

def test_three_facts_a_filing_largest_first_no_item_or_cause_twice(world):
    assert len(world.documents) == 90
    for facts in world.facts:
        amounts = [fact.amount for fact in facts]
        assert len(facts) == 3 and all(x > y for x, y in pairwise(amounts))
        assert len({fact.item for fact in facts}) == len({fact.cause for fact in facts}) == 3


def test_fact_f1_of_the_written_summaries_is_set_by_design():
    expected = {"writer": 1.0, "noisy-0.1": 0.9, "noisy-0.3": 0.7, "noisy-0.5": 0.5,
                "flipped": 0.0, "terse": 0.8, "extract": 1.0}
    for name, score in expected.items():
        assert doubtful(filings.pair, name, "writer", "fact-f1").score_a == pytest.approx(score)


def test_a_reversal_changes_one_verb_and_nothing_else(world):
    opposite = {"up": set(filings.VERBS["up"]), "down": set(filings.VERBS["down"])}
    for written, flipped, facts in zip(world.summaries["writer"], world.summaries["flipped"],
                                       world.facts):
        changed = [(x, y) for x, y in zip(written.split(), flipped.split(), strict=True) if x != y]
        assert len(changed) == 3
        for (verb, against), fact in zip(changed, facts):
            other = "down" if fact.direction == "up" else "up"
            assert verb in opposite[fact.direction] and against in opposite[other]


def test_noisy_versions_reverse_nested_sets_of_facts(world):
    reversed_facts = {}
    for name in ("noisy-0.1", "noisy-0.3", "noisy-0.5", "flipped"):
        reversed_facts[name] = {
            (i, k) for i, (text, other) in enumerate(zip(world.summaries["writer"],
                                                         world.summaries[name]))
            for k, (x, y) in enumerate(zip(filings.claims(text), filings.claims(other))) if x != y}
    sizes = [len(found) for found in reversed_facts.values()]
    assert sizes == [27, 81, 135, 270]
    assert all(small < large for small, large in pairwise(reversed_facts.values()))
    assert len({i for i, _ in reversed_facts["noisy-0.1"]}) == 27


def test_reference_uses_the_writers_verb_in_four_of_nine_facts(world):
    verbs = set(sum(filings.VERBS.values(), ()))
    same = 0
    for written, reference in zip(world.summaries["writer"], world.references):
        pairs = zip([w for w in written.split() if w in verbs],
                    [w for w in reference.split() if w in verbs], strict=True)
        same += sum(x == y for x, y in pairs)
    assert same == 120


def test_twelve_filings_show_the_tenth_that_is_reversed():
    a, b = (filings.statistics(name) for name in ("writer", "noisy-0.1"))
    assert (a != b).any(axis=1).sum() == 12


def test_terse_is_the_writer_without_the_smallest_change(world):
    for terse, written in zip(world.summaries["terse"], world.summaries["writer"]):
        assert filings.sentences(terse) == filings.sentences(written)[:-1]


def test_extractors_copy_three_sentences_of_the_document(world):
    for name in EXTRACTORS:
        for text, document in zip(world.summaries[name], world.documents):
            whole, copied = filings.sentences(document), filings.sentences(text)
            places = [whole.index(sentence) for sentence in copied]
            assert len(places) == 3 and places == sorted(places)
    assert all(filings.sentences(text) == filings.sentences(document)[:3] for text, document
               in zip(world.summaries["lead"], world.documents))


def test_distractors_state_no_fact_of_the_filing(world):
    for document, facts, extract in zip(world.documents, world.facts, world.summaries["extract"]):
        rest = [s for s in filings.sentences(document) if s not in filings.sentences(extract)]
        assert len(rest) == 10
        assert not set(filings.claims(" ".join(rest))) & set(facts)


def test_textrank_scores_solve_the_pagerank_equations(world):
    for document in world.documents[:12]:
        text = filings.sentences(document)
        bags = [set(filings._WORD.findall(sentence.lower())) for sentence in text]
        size = len(text)
        weights = np.zeros((size, size))
        for i, j in combinations(range(size), 2):
            shared = len(bags[i] & bags[j]) / (np.log(len(bags[i])) + np.log(len(bags[j])))
            weights[i, j] = weights[j, i] = shared
        moves = weights / weights.sum(axis=1, keepdims=True)
        rank = np.linalg.solve(np.eye(size) - 0.85 * moves.T, np.full(size, 0.15 / size))
        order = np.argsort(-rank.round(9), kind="stable")  # equal ranks: the earlier sentence
        assert set(filings.textrank(text)) == set(order[:3].tolist())


def test_textrank_without_shared_words_keeps_the_first_sentences():
    assert filings.textrank(["One.", "Two words.", "Three other terms.", "Fourth."]) == [0, 1, 2]


# Reading facts off a text -------------------------------------------------------------------------

def test_claims_are_read_from_other_wordings():
    text = ("Net sales declined 9 percent on the patent quarrel. "
            "With fewer working days named as the main reason, net debt stood above it by 12%.")
    assert filings.claims(text) == [
        filings.Fact("net sales", "down", 9, "a licensing dispute"),
        filings.Fact("net debt", "up", 12, "fewer working days")]


@pytest.mark.parametrize("text", [
    "", "Net sales rose on new tax rules.", "Sales rose 9 percent.",
    "Net sales and net debt rose 9 percent.", "Net sales rose 9 percent and fell 3 percent.",
    "Net sales stood at 9 percent."])
def test_a_sentence_without_one_item_one_direction_and_one_amount_claims_nothing(text):
    assert filings.claims(text) == []


@pytest.mark.parametrize("text, right", [
    ("Net sales rose 9 percent on new tax rules.", 1),
    ("Net sales climbed 9 percent owing to reformed fiscal law.", 1),
    ("Net debt rose 9 percent on new tax rules.", 0),
    ("Net sales fell 9 percent on new tax rules.", 0),
    ("Net sales rose 8 percent on new tax rules.", 0),
    ("Net sales rose 9 percent on a product recall.", 0),
    ("Net sales rose 9 percent.", 0)])
def test_a_claim_is_right_when_all_four_parts_agree(text, right):
    facts = [(filings.Fact("net sales", "up", 9, "new tax rules"),)]
    np.testing.assert_array_equal(filings.fact_counts([text], facts), [[right, 1, 1]])
    np.testing.assert_array_equal(filings.fact_counts([f"{text} {text}"], facts), [[right, 2, 1]])


def test_counts_are_those_of_the_texts(world):
    for name in filings.SYSTEMS:
        np.testing.assert_array_equal(filings.fact_counts(world.summaries[name], world.facts),
                                      filings.statistics(name, "fact-f1"))


# Scores against their libraries -------------------------------------------------------------------

def test_frozen_bleu_is_sacrebleus(world):
    from sacrebleu.metrics import BLEU

    for name in filings.SYSTEMS:
        for metric, smoothing in (("bleu", "none"), ("bleu-exp", "exp")):
            expected = BLEU(smooth_method=smoothing).corpus_score(
                list(world.summaries[name]), [list(world.references)]).score / 100
            assert filings.pair(name, "lead", metric).score_a == pytest.approx(expected, abs=1e-12)


def test_frozen_segment_scores_are_the_libraries(world):
    import sacrebleu
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"])
    for name in ("noisy-0.5", "lead"):
        frozen = {metric: filings.statistics(name, metric) for metric in segment_metrics.METRICS}
        for i in range(0, 90, 15):
            text, reference = world.summaries[name][i], world.references[i]
            rouge = scorer.score(reference, text)
            expected = {metric: rouge[metric].fmeasure for metric in rouge}
            expected["chrf"] = sacrebleu.sentence_chrf(text, [reference]).score / 100
            expected["sentence-bleu"] = sacrebleu.sentence_bleu(text, [reference]).score / 100
            for metric, value in expected.items():
                assert frozen[metric][i] == pytest.approx(value, abs=5.1e-7)


@pytest.mark.parametrize("hypothesis, reference, expected", [
    ("The net sales rose.", "net sales fell", 2 / 3), ("a b c", "c b a", 1.0), ("", "word", 0.0),
    ("word word", "word", 2 / 3), ("x", "y", 0.0), ("the", "a", 1.0)])
def test_token_f1_by_hand(hypothesis, reference, expected):
    assert segment_metrics.token_f1(hypothesis, reference) == pytest.approx(expected)


@given(st.text(alphabet="ab ,.", max_size=12), st.text(alphabet="ab ,.", max_size=12))
def test_token_f1_is_symmetric_and_1_for_equal_texts(x, y):
    score = segment_metrics.token_f1(x, y)
    assert score == segment_metrics.token_f1(y, x) and 0 <= score <= 1
    assert segment_metrics.token_f1(x, x) == 1


def test_segment_scores_run_from_0_to_1():
    text = "net sales rose by nine percent"
    scores = segment_metrics.segment_scores([text, "", text], [text, text, "other words"])
    for metric, found in scores.items():
        assert found[0] == 1 and found[1] == 0 and found[2] < 0.2, metric


# What the world must show -------------------------------------------------------------------------

@pytest.mark.parametrize("name", points.POINTS)
def test_point_holds_on_the_frozen_world_and_on_other_seeds(name, held_elsewhere):
    assert doubtful(points.POINTS[name], points.frozen())
    holds_on_other_seeds(lambda seed: held_elsewhere[seed][name], seeds=held_elsewhere,
                         label=f"filings, point {name}")


def test_exact_p_of_writer_and_noisy_is_two_of_4096_swaps():
    cloud = sb.randomize(filings.pair("writer", "noisy-0.1"), draws="all")
    assert cloud.draws == 4096 and sb.p_randomization(cloud) == 2 / 4096


def test_gaps_of_the_same_size_get_opposite_verdicts():
    close, apart = filings.pair("writer", "noisy-0.1"), filings.pair("extract", "textrank")
    assert 0 < close.gap < 0.02
    assert abs(apart.gap / close.gap - 1) < 0.1
    holds_on_other_seeds(lambda seed: p_swap("writer", "noisy-0.1", seed=seed) <= 0.001,
                         label="writer over noisy-0.1, p <= 0.001")
    holds_on_other_seeds(lambda seed: p_swap("extract", "textrank", seed=seed) >= 0.1,
                         label="extract against textrank, p >= 0.1")


def test_writer_and_noisy_cloud_is_skewed():
    def skewed(seed):
        cloud = sb.bootstrap(filings.pair("writer", "noisy-0.1"), draws=DRAWS, seed=seed)
        return sb.p_koehn(cloud) < sb.p_recentered(cloud)

    holds_on_other_seeds(skewed, label="writer over noisy-0.1, Koehn below recentered")


def test_writers_family_shares_its_brevity_penalty_on_every_resample(world):
    lengths = filings.statistics("writer")[:, :2]
    for name in points.FAMILY:
        np.testing.assert_array_equal(filings.statistics(name)[:, :2], lengths)
    c, r = lengths.sum(axis=0)
    # c/r lies between 1.010 and 1.015, more than three standard errors above the kink.
    assert 1.010 < c / r < 1.015
    error = np.sqrt(((lengths[:, 0] - c / r * lengths[:, 1]) ** 2).sum()) / r
    assert (c / r - 1) / error > 3


def test_extractors_match_few_4grams_but_some():
    for name in EXTRACTORS:
        assert 1 <= filings.statistics(name)[:, 5].sum() <= 10


def test_one_filing_of_ten_holds_the_only_matched_4gram():
    pairs = filings.pair("extract", "textrank", filings=filings.TEN_FILINGS)
    assert pairs.n == len(set(filings.TEN_FILINGS)) == 10
    assert sorted(pairs.a[:, 5]) == [0] * 9 + [1] and not pairs.b[:, 5].any()
    p = doubtful(sb.randomize, pairs, draws="all")
    assert sb.p_randomization(p) >= 0.5

    def spike(seed):
        cloud = doubtful(sb.bootstrap, pairs, draws=DRAWS, seed=seed)
        return bool(np.mean(cloud.gaps == 0) >= 0.3 and sb.p_recentered(cloud) <= 0.01)

    holds_on_other_seeds(spike, label="ten filings, spike at 0 and recentered p <= 0.01", least=10)


def test_spike_of_the_ten_filings_is_the_chance_to_miss_one_of_them():
    pairs = filings.pair("extract", "textrank", filings=filings.TEN_FILINGS)
    cloud = doubtful(sb.bootstrap, pairs, draws=100_000, seed=3)
    assert np.mean(cloud.gaps == 0) == pytest.approx(0.9**10, abs=0.006)


def test_writer_beats_extract_on_bleu_while_both_get_every_fact_right():
    assert filings.pair("writer", "extract").gap > 0.3
    assert p_swap("writer", "extract") == 1 / (DRAWS + 1)
    facts = filings.pair("writer", "extract", "fact-f1")
    assert facts.score_a == facts.score_b == 1
    assert doubtful(p_swap, "writer", "extract", "fact-f1") == 1


def test_bleu_cannot_tell_terse_from_flipped_but_facts_can():
    assert p_swap("terse", "flipped") > 0.05
    assert filings.pair("terse", "flipped", "fact-f1").gap >= 0.5
    assert p_swap("terse", "flipped", "fact-f1") <= 0.001


def test_bleu_prefers_flipped_to_extractors_that_are_right_more_often():
    preferred = [name for name in EXTRACTORS
                 if filings.pair("flipped", name).gap > 0 and p_swap("flipped", name) <= 0.05
                 and filings.pair("flipped", name, "fact-f1").gap < 0
                 and p_swap("flipped", name, "fact-f1") <= 0.05]
    assert len(preferred) >= 2


def test_delta_method_is_close_for_rich_pairs_and_off_for_extractors():
    def error(a, b):
        pairs = filings.pair(a, b)
        return doubtful(lambda: abs(sb.delta_sd(pairs) / sb.bootstrap(
            pairs, draws=DRAWS, seed=1).sd - 1))

    rich = [name for name in filings.SYSTEMS if filings.statistics(name)[:, 5].sum() >= 50]
    assert rich == list(filings.SYSTEMS[:6])
    assert max(error(a, b) for a, b in combinations(rich, 2)) < 0.05
    assert max(error(a, b) for a, b in combinations(EXTRACTORS, 2)) >= 0.08


# At the door --------------------------------------------------------------------------------------

@pytest.mark.parametrize("call, named", [
    (lambda: filings.generate(1, 0), "n must be"),
    (lambda: filings.generate(None), "seed"),
    (lambda: filings.generate(1, 3, ("writer", "nobody")), "nobody"),
    (lambda: filings.pair("writer", "nobody"), "nobody"),
    (lambda: filings.pair("writer", "lead", "meteor"), "meteor"),
    (lambda: filings.pair("writer", "lead", filings=[90]), "filings"),
    (lambda: filings.pair("writer", "lead", filings=[]), "filings"),
    (lambda: filings.pair("writer", "lead", filings=[0.5]), "filings"),
    (lambda: filings.fresh("rouge1"), "rouge1"),
    (lambda: filings.pair_again("chrf"), "chrf"),
    (lambda: segment_metrics.segment_scores(["a"], ["a", "b"]), "references"),
    (lambda: segment_metrics.segment_scores(["a"], ["a"], ("meteor",)), "meteor")])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_one_filing_is_a_world():
    small = filings.generate(5, 1)
    assert len(small.documents) == 1 and small.counts["writer"].tolist() == [[3, 3, 3]]


def test_frozen_arrays_cannot_be_changed_through_a_reader():
    before = filings.statistics("writer").copy()
    filings.statistics("writer")[:] = 0
    filings.statistics("writer", "chrf")[:] = 0
    np.testing.assert_array_equal(filings.statistics("writer"), before)
    assert filings.statistics("writer", "chrf").min() > 0


def test_a_fresh_world_can_be_paired():
    drawn = filings.generate(7, 20)
    for metric in ("bleu", "fact-f1", "chrf"):
        pairs = filings.pair("writer", "flipped", metric, world=drawn)
        assert pairs.n == 20 and pairs.gap > 0
