"""The aspects world: frozen as generated, its readers, and the design effects it is there for."""

from __future__ import annotations

from functools import cache

import make_data
import numpy as np
import pytest
from claims import SEEDS, holds_on_other_seeds

import sigbook as sb
from sigbook import data
from sigbook.worlds import aspects

other = cache(aspects.generate)


@pytest.fixture(scope="module")
def world():
    return aspects.load()


# Frozen as generated ------------------------------------------------------------------------------

def test_the_table_is_made_again_byte_for_byte():
    [(name, (table, line))] = make_data.build(["aspects"]).items()
    assert name == aspects.FILE
    assert table.content == data.read_bytes(name)
    assert line == data.manifest()[name]


def test_the_frozen_world_is_the_generated_one(world):
    made = aspects.generate(aspects.SEED)
    for name in ("filing", "sentence", "polarity"):
        np.testing.assert_array_equal(getattr(world, name), getattr(made, name))
    assert set(world.right) == set(aspects.READERS) == set(made.right)
    for reader in aspects.READERS:
        np.testing.assert_array_equal(world.right[reader], made.right[reader])
    with pytest.raises(ValueError):
        world.right["blind"][0] = 1


def test_sizes_are_those_of_the_design(world):
    assert len(set(world.filing.tolist())) == aspects.FILINGS == 1_500
    assert 13_500 < len(world.filing) < 14_600
    assert 12_300 < len(set(world.sentence.tolist())) < 13_200
    assert data.path(aspects.FILE).stat().st_size < 60_000


def test_a_sentence_lies_in_one_filing_and_has_one_or_two_aspects(world):
    sizes = np.bincount(world.sentence)
    assert set(sizes.tolist()) == {1, 2}
    assert (np.diff(world.sentence) >= 0).all() and (np.diff(world.filing) >= 0).all()
    first = np.concatenate([[True], np.diff(world.sentence) > 0])
    np.testing.assert_array_equal(world.filing[first][world.sentence], world.filing)
    np.testing.assert_array_equal(world.two, sizes[world.sentence] == 2)


def test_two_aspect_sentences_pair_opposite_polarities(world):
    sums = np.bincount(world.sentence[world.two], weights=world.polarity[world.two])
    assert set(sums[np.bincount(world.sentence[world.two], minlength=len(sums)) > 0]) == {1.0}


# Readers ------------------------------------------------------------------------------------------

def sentence(words, polarities, sector=2):
    names = ("demand", "pricing")[: len(words)]
    return aspects.Sentence(sector, names, tuple(words), tuple(polarities))


def test_readers_know_their_words_and_call_the_rest_good():
    said = aspects.answers(sentence(("weak", "strong"), (0, 1)))
    assert said == {"lexicon": (0, 1), "blind": (1, 1), "specialist": (1, 1)}
    said = aspects.answers(sentence(("curtailed",), (0,)))
    assert said == {"lexicon": (1,), "blind": (1,), "specialist": (1,)}
    said = aspects.answers(sentence(("underwater",), (0,), 1))
    assert said == {"lexicon": (1,), "blind": (1,), "specialist": (0,)}
    assert aspects.answers(sentence(("worse", "approved"), (0, 1)))["blind"] == (0, 0)


def test_the_blind_reader_is_right_on_exactly_one_aspect_of_two(world):
    sums = np.bincount(world.sentence, weights=world.right["blind"])
    assert set(sums[np.bincount(world.sentence) == 2]) == {1.0}
    alone = ~world.two
    np.testing.assert_array_equal(world.right["blind"][alone], world.right["lexicon"][alone])


def test_marks_are_the_answers_against_the_polarities(world):
    rows = []
    for s in (s for filing in aspects.filings(40, aspects.SEED) for s in filing):
        said = aspects.answers(s)
        for i, polarity in enumerate(s.polarities):
            rows.append([int(said[reader][i] == polarity) for reader in aspects.READERS])
    marks = np.array(rows).T
    for reader, column in zip(aspects.READERS, marks):
        np.testing.assert_array_equal(column, world.right[reader][: len(column)])


def test_every_word_belongs_to_one_polarity_and_one_list():
    lists = [*aspects._WORDS, *(words for sector in aspects._SECTOR_WORDS for words in sector)]
    words = [word for group in lists for word in group]
    assert len(words) == len(set(words))


def test_sentences_read_as_sentences():
    for filing in aspects.filings(20, 5):
        assert len({s.sector for s in filing}) == 1
        for s in filing:
            assert s.text[0].isupper() and s.text.endswith(".")
            assert s.text.count(", but ") == len(s.words) - 1
            assert all(word in s.text for word in s.words)
    assert sentence(("weak", "strong"), (0, 1)).text == "Demand was weak, but pricing was strong."


def test_a_seed_gives_the_same_filings_and_a_generator_goes_on():
    assert aspects.filings(3, 8) == aspects.filings(3, 8) != aspects.filings(3, 9)
    rng = np.random.default_rng(8)
    assert aspects.filings(3, rng) == aspects.filings(3, 8) != aspects.filings(3, rng)


def test_pairs_carry_the_marks_and_the_clusters(world):
    pairs = aspects.pair("lexicon", "blind", "filing")
    assert pairs.names == ("lexicon", "blind") and pairs.units == aspects.FILINGS
    gap = (world.right["lexicon"].sum() - world.right["blind"].sum()) / pairs.n
    assert pairs.gap == pytest.approx(gap, abs=1e-15)
    assert aspects.pair("lexicon", "blind").clusters is None
    with pytest.raises(ValueError, match="reader must be one of 'lexicon'"):
        aspects.pair("lexicon", "nobody")
    with pytest.raises(ValueError, match="clusters must be one of 'sentence'"):
        aspects.pair("lexicon", "blind", "polarity")


# What the chapter relies on -----------------------------------------------------------------------

def lexicon_by_filing(world):
    x = world.right["lexicon"]
    return sb.icc(x, world.filing) > 0.02 and sb.design_effect(x, world.filing) > 1.3


def blind_by_sentence(world):
    x = world.right["blind"]
    return sb.design_effect(x, world.sentence) < 0.9 < 1 < sb.design_effect(x, world.filing)


def difference_cancels(world):
    d = world.right["lexicon"] - world.right["blind"]
    return 0.85 < sb.design_effect(d, world.filing) < 1.15


def difference_stays(world):
    d = world.right["lexicon"] - world.right["specialist"]
    return sb.design_effect(d, world.filing) > 1.3


@pytest.mark.parametrize("point, what", [
    (lexicon_by_filing, "lexicon by filing: design effect above 1.3"),
    (blind_by_sentence, "blind: below 1 by sentence, above 1 by filing"),
    (difference_cancels, "lexicon - blind by filing: in 0.85 to 1.15"),
    (difference_stays, "lexicon - specialist by filing: above 1.3")])
def test_design_effects(world, point, what):
    assert point(world)
    holds_on_other_seeds(lambda seed: bool(point(other(seed))), label=f"aspects: {what}")


def test_within_two_aspect_sentences_the_blind_reader_has_correlation_minus_one():
    for world in (aspects.load(), *map(other, SEEDS)):
        x, groups = world.right["blind"][world.two], world.sentence[world.two]
        assert sb.icc(x, groups) == pytest.approx(-1, abs=1e-12)
        assert sb.design_effect(x, groups) == pytest.approx(0, abs=1e-12)


def verdicts(world):
    """z of lexicon against specialist: by aspect, by filing."""
    d = world.right["lexicon"] - world.right["specialist"]
    return d.mean() / sb.cluster_sd(d, np.arange(len(d))), d.mean() / sb.cluster_sd(d, world.filing)


def test_the_readme_says_under_how_many_seeds_the_two_verdicts_differ():
    differ = [abs(one) > 1.96 > abs(whole) for one, whole in
              (verdicts(world) for world in (aspects.load(), *map(other, SEEDS)))]
    assert differ[0]
    text = " ".join(data.path("README.md").read_text("utf-8").split())
    assert f"that happens for {sum(differ[1:])} of ten" in text
