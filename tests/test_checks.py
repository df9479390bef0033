"""The door checks: what passes, and the words of every refusal."""

from __future__ import annotations

import inspect
import itertools
import statistics
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigbook import _checks


def refused(message, check, *arguments, **options):
    with pytest.raises(ValueError) as caught:
        check(*arguments, **options)
    assert message in str(caught.value)


# Doubts --------------------------------------------------------------------------------------


def test_a_doubt_points_at_the_line_that_called_the_function_that_has_it():
    def public():
        _checks.doubt("few segments", "many ties")

    with pytest.warns(_checks.SignificanceWarning) as caught:
        line = inspect.currentframe().f_lineno + 1
        public()
    assert [str(one.message) for one in caught] == ["few segments", "many ties"]
    assert {(one.filename, one.lineno) for one in caught} == {(__file__, line)}


def test_a_quiet_call_says_no_doubts_and_keeps_its_result_and_other_warnings():
    def doubtful(x, *, times):
        _checks.doubt("few segments")
        warnings.warn("old", DeprecationWarning)
        return times * x

    with pytest.warns(DeprecationWarning) as caught:
        assert _checks.quietly(doubtful, 2, times=3) == 6
    assert len(caught) == 1


# Seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 12345, 2**80, np.int64(7), np.uint8(3)])
def test_an_integer_seed_gives_the_stream_of_default_rng(seed):
    ours = _checks.generator(seed).random(5)
    assert np.array_equal(ours, np.random.default_rng(int(seed)).random(5))
    assert np.array_equal(ours, _checks.generator(seed).random(5))


def test_a_seed_sequence_is_a_seed_and_a_generator_is_used_as_it_stands():
    sequence = np.random.SeedSequence(4).spawn(2)[1]
    assert np.array_equal(
        _checks.generator(sequence).random(3), np.random.default_rng(sequence).random(3)
    )
    rng = np.random.default_rng(4)
    assert _checks.generator(rng) is rng


@pytest.mark.parametrize("seed", [None, True, False, np.True_, 1.0, -1, "0", [1, 2], np.array([1])])
def test_anything_else_is_no_seed(seed):
    refused("seed must be an integer >= 0", _checks.generator, seed)
    refused(f"got {_checks.shown(seed)}", _checks.generator, seed)


def test_the_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()
    _checks.generator(3).random(10)
    assert np.array_equal(before, np.random.get_state()[1])


# Single numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_a_count_is_an_integer_of_any_kind(value):
    found = _checks.count("draws", value, least=1)
    assert found == 3 and type(found) is int


@pytest.mark.parametrize(
    "value", [0, -5, 2.0, np.float64(3), "3", None, True, np.True_, np.nan, [3], np.array([3])]
)
def test_a_count_refuses_the_rest(value):
    refused("draws must be an integer >= 1; got ", _checks.count, "draws", value, least=1)


def test_a_count_may_reach_its_bounds_and_has_least_0_unless_told():
    assert [_checks.count("units", value, 1, 20) for value in (1, 2, 19, 20)] == [1, 2, 19, 20]
    assert _checks.count("units", 0) == 0
    refused("units must be an integer >= 0; got -1", _checks.count, "units", -1)


def test_a_count_names_both_bounds_when_there_are_two():
    refused("units must be an integer from 1 to 20; got 0", _checks.count, "units", 0, 1, 20)
    refused("units must be an integer from 1 to 20; got 21", _checks.count, "units", 21, 1, 20)


def test_the_value_found_is_shown_as_a_plain_number():
    refused("got -2", _checks.count, "n", np.int64(-2), least=0)
    refused("got 1.5", _checks.fraction, "alpha", np.float64(1.5))


@pytest.mark.parametrize("value", [0.05, np.float32(0.5), np.array(0.25), 1 - 1e-12])
def test_a_fraction_lies_strictly_between_0_and_1(value):
    assert _checks.fraction("alpha", value) == float(value)


@pytest.mark.parametrize(
    "value", [0, 1, 0.0, 1.0, -0.1, np.nan, np.inf, "0.05", None, True, 1j, [0.05], 1e300]
)
def test_a_fraction_refuses_the_rest(value):
    refused(
        "alpha must be a number strictly between 0 and 1; got ", _checks.fraction, "alpha", value
    )


def test_a_level_in_percent_is_answered_with_the_fraction():
    refused("got 95 (write 0.95 for 95%)", _checks.fraction, "level", 95)
    refused("got 99.5 (write 0.995 for 99.5%)", _checks.fraction, "level", 99.5)
    refused("got 1.5 (write 0.015 for 1.5%)", _checks.fraction, "level", 1.5)


@pytest.mark.parametrize("value", [-5, 0, 1, 100, 100.5])
def test_what_is_no_percentage_between_1_and_100_is_answered_with_no_fraction(value):
    with pytest.raises(ValueError) as caught:
        _checks.fraction("level", value)
    assert str(caught.value).endswith(f"got {value}")


def test_a_probability_includes_both_ends():
    assert _checks.probability("p10", 0) == 0.0 and _checks.probability("p10", 1) == 1.0
    for value in (-0.01, 1.01, np.nan, "1", None, True):
        refused("p10 must be a number from 0 to 1; got ", _checks.probability, "p10", value)


def test_a_real_number_is_finite():
    assert _checks.real("low", -3) == -3.0
    for value in (np.nan, -np.inf, "1", None, False, 1j, [1.0], 2**2000):
        refused("low must be a finite number; got ", _checks.real, "low", value)


def test_a_choice_lists_what_is_allowed():
    assert _checks.choice("method", "exact", ("exact", "midp")) == "exact"
    for value in ("Exact", "", None, 1, ["exact"], np.array(["exact"])):
        refused("method must be one of 'exact', 'midp'; got ", _checks.choice, "method", value,
                ("exact", "midp"))


def test_a_flag_is_a_boolean_and_nothing_else():
    assert _checks.flag("paired_runs", np.True_) is True
    for value in (0, 1, "yes", None):
        refused("paired_runs must be True or False; got ", _checks.flag, "paired_runs", value)


class Unready:
    """An object that has no numbers to give."""

    def __array__(self, *arguments, **options):
        raise RuntimeError("not yet")

    def __repr__(self):
        return "<Unready>"


# Arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x", [[1, 2], (1, 2), range(1, 3), np.array([1, 2], np.uint8), np.float16([1, 2]), [1.0, 2]]
)
def test_a_vector_takes_numbers_in_any_sequence(x):
    found = _checks.vector("x", x)
    assert found.dtype == np.float64 and found.flags.c_contiguous
    assert np.array_equal(found, [1.0, 2.0])


def test_the_array_returned_is_a_fresh_copy():
    for x in (np.array([1.0, 2.0]), np.array([1, 2])):
        found = _checks.numbers("x", x, (1,))
        assert not np.shares_memory(found, x)
        found[0] = 9
        assert x[0] == 1


def test_integers_stay_integers_when_no_kind_is_asked_for():
    assert _checks.numbers("x", np.int8([[1]]), (2,)).dtype == np.int64
    assert _checks.numbers("x", np.float32([[1]]), (2,)).dtype == np.float64
    assert _checks.numbers("x", [2**63 - 1], (1,))[0] == 2**63 - 1
    assert _checks.numbers("x", np.array([2**63 - 1], np.uint64), (1,))[0] == 2**63 - 1


def test_whole_floats_are_integers_and_others_are_named():
    assert _checks.vector("x", [1.0, 3.0], int).dtype == np.int64
    refused("x must hold whole numbers; got x[1] = 2.5", _checks.vector, "x", [1, 2.5], int)
    refused("x must hold whole numbers; got x[0] = 1e+300", _checks.vector, "x", [1e300], int)
    refused("x must hold whole numbers; got x[0] = 1.5", _checks.vector, "x", [1.5, 2.5], int)


@pytest.mark.parametrize("sign", [1, -1])
def test_floats_are_whole_numbers_up_to_where_they_leave_some_out(sign):
    assert _checks.vector("x", [sign * 2.0**53], int).tolist() == [sign * 2**53]
    refused("x must hold whole numbers; got x[0] = ", _checks.vector, "x", [sign * (2.0**53 + 2)], int)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (["a", "b"], "x must hold numbers; got text"),
        ([1, "2"], "x must hold numbers; got text"),
        ("12", "x must hold numbers; got text"),
        ([b"1"], "x must hold numbers; got bytes"),
        ([True, False], "x must hold numbers; got booleans"),
        ([1j], "x must hold numbers; got complex numbers"),
        ([1, None], "x must hold numbers; got None among its entries"),
        ([{}], "x must hold numbers; got {} among its entries"),
        (None, "x must hold numbers; got None among its entries"),
        ([2**63], "x must fit 64-bit integers; got 9223372036854775808"),
        ([2**64], "got 18446744073709551616, which does not fit a 64-bit integer"),
        ([-(2**70)], "got -1180591620717411303424, which does not fit a 64-bit integer"),
        ([2**63 - 1, None], "x must hold numbers; got None among its entries"),
        ([-(2**63), None], "x must hold numbers; got None among its entries"),
        ([2**63, None], "got 9223372036854775808, which does not fit"),
        ([-(2**63) - 1, None], "got -9223372036854775809, which does not fit"),
        ([[1], Unready()], "x must be a rectangular array"),
        (np.fromiter([1, Unready()], object), "x must hold numbers; got <Unready> among its entries"),
        (np.array(["2020-01-01"], "M8[D]"), "x must hold numbers; got dates"),
        ([[1, 2], [3]], "x must be a rectangular array of numbers; got [[1, 2], [3]]"),
        ([1.0, np.nan], "x must be finite; got x[1] = nan"),
        ([-np.inf, 1.0], "x must be finite; got x[0] = -inf"),
        ([1.0, np.nan, np.inf], "x must be finite; got x[1] = nan"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "x must have no masked entries; got 1 of them"),
        ([], "x must not be empty; got an array of shape (0,)"),
        (3, "x must have 1 axis; got an array of shape ()"),
        ([[1, 2]], "x must have 1 axis; got an array of shape (1, 2)"),
    ],
)
def test_a_vector_says_what_is_wrong_with_the_rest(x, message):
    refused(message, _checks.vector, "x", x)


def test_the_axes_allowed_are_named_and_nan_is_found_in_a_matrix():
    refused("a must have 1 or 2 axes; got an array of shape (1, 1, 1)", _checks.numbers, "a",
            [[[1]]], (1, 2))
    refused("a must be finite; got a[1, 0] = nan", _checks.matrix, "a", [[1, 2], [np.nan, 3]])
    assert _checks.matrix("a", [[1, 2]]).shape == (1, 2)


def test_a_vector_of_another_length_is_refused():
    refused("w must have 3 entries; got 2", _checks.vector, "w", [1, 2], length=3)
    refused("w must have 3 entries; got 4", _checks.vector, "w", [1, 2, 3, 4], length=3)
    assert len(_checks.vector("w", [1, 2, 3], length=3)) == 3


def test_a_long_value_is_cut_in_a_message():
    with pytest.raises(ValueError) as caught:
        _checks.count("draws", list(range(1000)), least=1)
    assert len(str(caught.value)) < 120 and "..." in str(caught.value)


def test_60_characters_of_a_value_are_shown():
    assert _checks.shown("x" * 58) == repr("x" * 58)
    assert _checks.shown("x" * 59) == "'" + "x" * 56 + "..."


def test_a_value_that_cannot_be_shown_is_shown_by_its_type():
    class Secret:
        def __repr__(self):
            raise RuntimeError

    refused("n must be an integer >= 0; got a value of type Secret", _checks.count, "n", Secret())


# Spread --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1.0, 1e-3, 2.0**1000, 2.0**-1000, 2.0**300, 2.0**-300])
@pytest.mark.parametrize("x", [[3.0, -1.5, 2.25, 0.0], [0.7], [-8.0, 1.0]])
def test_scaled_numbers_have_a_size_near_1_and_give_the_numbers_back(x, size):
    x = size * np.array(x)
    y, k = _checks.scaled(x)
    assert 0.5 <= np.abs(y).max() < 1
    assert np.array_equal(np.ldexp(y, k), x)


def test_zeros_are_scaled_by_1():
    y, k = _checks.scaled(np.zeros(3))
    assert (y.tolist(), k) == ([0, 0, 0], 0)


@pytest.mark.parametrize("size", [1.0, 2.0**-1000, 2.0**1000, 2.0**300, 2.0**-301])
def test_the_standard_deviation_is_that_of_exact_fractions_whatever_the_size(size):
    rng = np.random.default_rng(0)
    rows = size * rng.normal(3, 1, size=(2, 3, 5)) * [[[1.0], [1e-3], [1e3]], [[1.0], [1.0], [1.0]]]
    exact = [[statistics.pstdev([Fraction(value / size) for value in row]) for row in part] for part in rows.tolist()]
    for x, deviations in ((rows, exact), (rows[0], exact[0]), (rows[0, 1], exact[0][1])):
        assert _checks.sd(x) / size == pytest.approx(np.array(deviations), rel=1e-13)


def test_equal_numbers_have_no_spread():
    assert _checks.sd(np.array([[0.1] * 3, [1e300] * 3, [0.0] * 3])).tolist() == [0, 0, 0]


def test_constant_means_equal_but_for_rounding():
    assert _checks.constant(np.array([0.3, 0.1 + 0.2]))
    assert _checks.constant(np.zeros(3)) and _checks.constant(np.array([7.0]))
    assert not _checks.constant(np.array([1.0, 1.0 + 1e-9]))
    assert not _checks.constant(np.array([0.0, 1e-300]))


# Labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "count", "inverse"),
    [
        (["b", "a", "b"], 2, [1, 0, 1]),
        ([30, 10, 20], 3, [2, 0, 1]),
        (np.array([2.5, 2.5, -1.0]), 2, [1, 1, 0]),
        ([(1, "x"), (0, "y"), (1, "x")], 2, [1, 0, 1]),
        ([1, "1", 1], 2, [0, 1, 0]),
        (np.array(["b", "a", "b"], object), 2, [1, 0, 1]),
        (np.array([True, False, True]), 2, [1, 0, 1]),
        (np.array(["2020-01-02", "2020-01-01", "2020-01-02"], "M8[D]"), 2, [1, 0, 1]),
        (("a", "a", "a"), 1, [0, 0, 0]),
    ],
)
def test_labels_are_numbered_in_order(x, count, inverse):
    found, number = _checks.labels("clusters", x, 3)
    assert found == count and number.dtype == np.int64
    assert number.tolist() == inverse


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (["a", None], "clusters must have no missing label; got clusters[1] = None"),
        ([1.0, float("nan")], "clusters must have no missing label; got clusters[1] = nan"),
        (np.array([np.nan, 1.0]), "clusters must have no missing label; got clusters[0] = nan"),
        (np.array(["a", np.nan], object), "got clusters[1] = nan"),
        (np.array(["2020", "NaT"], "M8[Y]"), "got clusters[1] = NaT"),
        (["a"], "clusters must have 2 entries, one per segment; got 1"),
        (["a", "b", "c"], "clusters must have 2 entries, one per segment; got 3"),
        (np.array([np.nan, np.nan]), "clusters must have no missing label; got clusters[0] = nan"),
        (np.array([[1, 2]]), "clusters must have 1 axis; got an array of shape (1, 2)"),
        (np.array(3), "clusters must have 1 axis; got an array of shape ()"),
        (iter("a"), "clusters must have 2 entries, one per segment; got 1"),
        (iter("abc"), "clusters must have 2 entries, one per segment; got more"),
        ("ab", "clusters must be a sequence of 2 labels; got str"),
        ({"a": 1, "b": 2}, "clusters must be a sequence of 2 labels; got dict"),
        ({"a", "b"}, "clusters must be a sequence of 2 labels; got set"),
        (7, "clusters must be a sequence of 2 labels; got 7"),
        (None, "clusters must be a sequence of 2 labels; got None"),
        ([[1], [2]], "clusters must hold hashable labels; got [[1], [2]]"),
        (np.ma.array([1, 2], mask=[True, False]), "clusters must have no masked entries; got 1"),
    ],
)
def test_labels_say_what_is_wrong_with_the_rest(x, message):
    refused(message, _checks.labels, "clusters", x, 2)


def test_of_labels_without_an_end_one_more_than_needed_is_read():
    endless = itertools.count()
    refused("clusters must have 2 entries, one per segment; got more", _checks.labels, "clusters", endless, 2)
    assert _checks.kept(endless, 2) == [3, 4, 5] and next(endless) == 6
    several = range(9)
    assert _checks.kept(several, 2) is several


def test_the_missing_value_of_a_data_frame_is_missing_here_too():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["a", pandas.NA], dtype="string")
    refused("clusters must have no missing label; got clusters[1] = <NA>", _checks.labels,
            "clusters", series, 2)
    frame = pandas.Series(["b", "a"])
    assert _checks.labels("clusters", frame, 2)[1].tolist() == [1, 0]


@given(st.lists(st.integers(-3, 3) | st.sampled_from(["a", "b", "c"]), min_size=1, max_size=30))
def test_two_entries_share_a_number_exactly_when_they_are_equal(x):
    count, number = _checks.labels("clusters", x, len(x))
    assert set(number.tolist()) == set(range(count))
    for i, left in enumerate(x):
        for j, right in enumerate(x):
            assert (number[i] == number[j]) == (left == right)


def test_draws_are_at_most_what_can_be_kept():
    assert _checks.draws(_checks.MOST_GAPS) == _checks.MOST_GAPS
    refused("draws must be at most 100,000,000, for all of them are kept", _checks.draws, 10**8 + 1)
    refused("draws must be at most 25,000,000, for all", _checks.draws, 25_000_001, each=4)
    assert _checks.draws(1000, each=4) == 1000
    refused("draws must be an integer >= 1; got 0", _checks.draws, 0)
