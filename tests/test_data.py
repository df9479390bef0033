"""The frozen tables: intact, described, readable, and the published values come out of them."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import re
import warnings

import make_data
import numpy as np
import pytest
from scipy import stats

import sigbook as sb
from sigbook import data
from sigbook.metrics import BLEU_COLUMNS, bleu

MANIFEST = data.manifest()
FOLDER = data.path("manifest.json").parent
BASE, RIVAL = "LIUM-NMT.4900", "online-B.0"


def score(statistics):
    return 100 * float(bleu(statistics.sum(axis=0)))


# Every file is what the manifest says -------------------------------------------------------------

@pytest.mark.parametrize("name", MANIFEST)
def test_content_and_rows_are_those_of_the_manifest(name):
    content, line = data.read_bytes(name), MANIFEST[name]
    assert hashlib.sha256(content).hexdigest() == line["sha256"] == data.sha256(name)
    rows = data.read_json(name) if ".json" in name else content.decode().splitlines()[1:]
    assert len(rows) == line["rows"]
    assert all(line[key] for key in ("origin", "licence", "command"))


def test_manifest_names_every_table_and_no_other():
    found = {str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.gz")}
    assert found == set(MANIFEST)


def test_readme_describes_every_table():
    sections = (FOLDER / "README.md").read_text(encoding="utf-8").split("\n## ")
    for name in MANIFEST:
        folder, file = name.split("/")
        [section] = [text for text in sections if text.startswith(f"{folder}/")]
        assert f"`{file}`" in section, name


def test_every_command_of_the_manifest_is_one_of_the_tools():
    known = {make_data.COMMAND.format(name) for name in make_data.SOURCES}
    assert {line["command"] for line in MANIFEST.values()} == known | {
        make_data.SEEDS_COMMAND, "none: given"}


def test_made_files_carry_no_time_stamp_and_no_name():
    for name in MANIFEST.keys() - make_data.GIVEN.keys():
        head = data.path(name).read_bytes()[:10]
        assert head[3] == 0 and head[4:8] == bytes(4), name


def test_tables_stay_small():
    assert sum(data.path(name).stat().st_size for name in MANIFEST) < 1_200_000


def test_given_tables_keep_their_lines():
    assert make_data.given() == {name: MANIFEST[name] for name in make_data.GIVEN}


# Writing and reading ------------------------------------------------------------------------------

def test_floats_survive_a_table_exactly(folder):
    values = np.random.default_rng(3).normal(size=200) * 10.0 ** np.arange(-100, 100)
    write(folder, "t.csv.gz", make_data.csv_table({"i": range(200), "x": values}).content)
    table = data.read_csv("t.csv.gz")
    np.testing.assert_array_equal(table["x"], values)
    assert table["i"].dtype == np.int64 and table["x"].dtype == np.float64


def test_text_survives_a_table_exactly(folder):
    words = ["plain", "with, comma", 'with "quotes"', "é", " spaced "]
    write(folder, "t.csv", make_data.csv_table({"word": words}).content)
    assert data.read_csv("t.csv")["word"].tolist() == words


def test_rows_survive_a_json_table(folder):
    rows = [{"a": 1, "b": ["x", "é"]}, {"a": None}]
    write(folder, "t.json.gz", make_data.json_table(rows).content)
    assert data.read_json("t.json.gz") == rows


def test_a_table_without_rows_has_its_columns(folder):
    write(folder, "t.csv", b"a,b\n")
    assert {key: column.shape for key, column in data.read_csv("t.csv").items()} == {"a": (0,), "b": (0,)}


def test_systems_and_runs_are_found_wherever_their_rows_stand(folder):
    rows = np.arange(8)  # of systems b, a and again b, a; of a procedure's runs 1, 0 and again 1, 0
    columns = {key: rows + 100 * k for k, key in enumerate(BLEU_COLUMNS)}
    rated = {"system": list("baba") * 2, "document": [0, 0, 1, 1, 2, 2, 3, 3], "mqm": rows / 4}
    runs = {"procedure": list("qqppppqq"), "run": [1, 0] * 4}
    (folder / "real").mkdir()
    write(folder, "real/wmt23_en_de_bleu_mqm.csv.gz", make_data.csv_table(rated | columns).content)
    write(folder, "real/iwslt_optimizer_runs_bleu.csv.gz", make_data.csv_table(runs | columns).content)
    found = data.wmt23()
    assert {name: x[:, 0].tolist() for name, x in found.bleu.items()} == {"b": [0, 2, 4, 6], "a": [1, 3, 5, 7]}
    assert {name: x.tolist() for name, x in found.mqm.items()} == {"b": [0, 0.5, 1, 1.5], "a": [0.25, 0.75, 1.25, 1.75]}
    assert found.documents.tolist() == [0, 1, 2, 3]
    assert {name: x[..., 1].tolist() for name, x in data.optimizer_runs().items()} == {
        "q": [[101, 107], [100, 106]], "p": [[103, 105], [102, 104]]}


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"\[1, 2\]"):
        make_data.csv_table({"a": [1], "b": [1, 2]})


def test_compressing_twice_gives_the_same_bytes():
    assert make_data.compress("t.gz", b"rows") == make_data.compress("t.gz", b"rows")
    assert gzip.decompress(make_data.compress("t.gz", b"rows")) == b"rows"
    assert make_data.compress("t.json", b"rows") == b"rows"


@pytest.mark.parametrize("name, content, read, said", [
    ("t.csv", b"", data.read_csv, "t.csv: empty"),
    ("t.csv", b"a,b\n1,2\n3\n", data.read_csv, "t.csv, line 3: the number of columns is 2 in the header and 1 here"),
    ("t.csv", b"a,b\n1,2,3\n", data.read_csv, "t.csv, line 2: the number of columns is 2 in the header and 3 here"),
    ("t.csv.gz", b"a,b\n", data.read_csv, "t.csv.gz: not a complete gzip file"),
    ("t.json", b"[1,", data.read_json, "t.json: not readable as JSON"),
    ("t.json", b"\xff", data.read_json, "t.json: not readable as JSON")])
def test_a_damaged_table_is_named(folder, name, content, read, said):
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(said)):
        read(name)


def test_a_truncated_table_is_named(folder):
    (folder / "t.csv.gz").write_bytes(gzip.compress(b"a\n1\n" * 50)[:-6])
    with pytest.raises(ValueError, match="t.csv.gz: not a complete gzip file"):
        data.read_csv("t.csv.gz")


def test_an_unknown_table_is_named():
    with pytest.raises(ValueError, match="no frozen table 'real/none.csv.gz'"):
        data.path("real/none.csv.gz")


def test_a_changed_table_is_reported_and_nothing_is_written(folder, monkeypatch, capsys):
    table = make_data.csv_table({"a": [1, 2]})
    source = make_data.Source(lambda: {"t/t.csv.gz": table}, "here")
    monkeypatch.setattr(make_data, "SOURCES", {"t": source})
    monkeypatch.setattr(make_data, "GIVEN", {})
    monkeypatch.setattr(make_data, "DATA", folder)
    assert make_data.main(["--check"]) == 1
    assert "t/t.csv.gz: would change" in capsys.readouterr().out
    assert not list(folder.iterdir())
    assert make_data.main([]) == 0
    assert make_data.main(["--check"]) == 0
    assert data.manifest()["t/t.csv.gz"]["rows"] == 2
    assert data.read_csv("t/t.csv.gz")["a"].tolist() == [1, 2]


def test_a_table_that_a_world_no_longer_makes_leaves_the_manifest(folder, monkeypatch):
    tables = {"t.csv": make_data.csv_table({"a": [1]}), "u.csv": make_data.csv_table({"a": [2]})}
    monkeypatch.setattr(make_data, "SOURCES", {"t": make_data.Source(lambda: tables, "here")})
    monkeypatch.setattr(make_data, "GIVEN", {})
    monkeypatch.setattr(make_data, "DATA", folder)
    make_data.main([])
    del tables["u.csv"]
    make_data.main(["--only", "t"])
    assert set(data.manifest()) == {"t.csv"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in place of data/."""
    monkeypatch.setattr(data, "_folder", lambda: tmp_path)
    return tmp_path


def write(folder, name, content):
    (folder / name).write_bytes(make_data.compress(name, content))


# Real systems: shapes and known results -----------------------------------------------------------

def every_real_table():
    yield from data.wmt17().items()
    yield from data.wmt23().bleu.items()
    yield from data.wmt21_ted().bleu.items()
    for procedure, runs in data.optimizer_runs().items():
        yield from ((procedure, run) for run in runs)


def test_statistics_of_real_systems_are_possible_counts():
    for name, x in every_real_table():
        assert x.dtype == np.int64 and x.shape[1] == len(BLEU_COLUMNS), name
        c, r, m, t = x[:, 0], x[:, 1], x[:, 2:6], x[:, 6:]
        assert (x >= 0).all() and (r > 0).all() and (m <= t).all(), name
        assert (np.diff(m, axis=1) <= 0).all(), name
        for order in range(4):
            np.testing.assert_array_equal(t[:, order], np.maximum(c - order, 0))


def test_numbers_of_real_systems_segments_and_documents():
    assert [x.shape for x in data.wmt17().values()] == [(3004, 10)] * 5
    for rated, systems, segments, documents in ((data.wmt23(), 9, 104, 30),
                                                (data.wmt21_ted(), 13, 529, 5)):
        assert len(rated.bleu) == len(rated.mqm) == systems
        assert all(x.shape == (segments, 10) for x in rated.bleu.values())
        assert all(x.shape == (segments,) for x in rated.mqm.values())
        assert rated.documents.shape == (segments,) and len(set(rated.documents)) == documents
    assert {name: x.shape for name, x in data.optimizer_runs().items()} == {
        "baseline": (3, 2489, 10), "sys1": (3, 2489, 10)}


def test_rated_systems_are_one_thing_that_stays_as_it_is():
    rated = data.wmt23()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rated.documents = None
    assert rated == rated and rated != data.wmt23()


def test_the_fifteen_p_values_are_those_printed_in_1995(folder):
    printed = "p .0001 .0004 .0019 .0095 .0201 .0278 .0298 .0344 .0459 .3240 .4262 .5719 .6528 .7590 1.000"
    write(folder, "t.csv", printed.replace(" ", "\n").encode())
    assert data.FIFTEEN == tuple(data.read_csv("t.csv")["p"])


@pytest.mark.parametrize("file, key", [("wmt23_en_de_bleu_mqm", "system"),
                                       ("wmt21_ted_en_de_bleu_mqm", "system"),
                                       ("wmt17_en_de_bleu", "system"),
                                       ("iwslt_optimizer_runs_bleu", "run")])
def test_segments_and_documents_stand_in_one_order_for_all_systems(file, key):
    table = data.read_csv(f"real/{file}.csv.gz")
    group = np.char.add(table.get("procedure", np.array("")), table[key].astype(str))
    first = table["segment"][group == group[0]]
    for name in set(group.tolist()):
        np.testing.assert_array_equal(table["segment"][group == name], first)
        if "document" in table:
            np.testing.assert_array_equal(table["document"][group == name],
                                          table["document"][group == group[0]])


@pytest.mark.parametrize("system, expected", [
    (BASE, 26.5958), ("online-A.0", 20.7965), (RIVAL, 26.6510), ("online-F.0", 15.4517),
    ("online-G.0", 18.1588)])
def test_bleu_of_wmt17(system, expected):
    assert score(data.wmt17()[system]) == pytest.approx(expected, abs=6e-5)


def test_bleu_of_the_rated_systems():
    wmt23, ted = data.wmt23().bleu, data.wmt21_ted().bleu
    assert score(wmt23["ONLINE-W"]) == pytest.approx(41.117, abs=6e-4)
    assert score(wmt23["ONLINE-M"]) == pytest.approx(38.671, abs=6e-4)
    assert score(ted["Facebook-AI"]) == pytest.approx(30.153, abs=6e-4)
    assert score(ted["UEdin"]) == pytest.approx(27.486, abs=6e-4)


def test_two_systems_of_wmt23_share_their_outputs_and_are_rated_apart():
    rated = data.wmt23()
    twins = "GPT4-5shot_with_ONLINE-W", "GPT4-5shot_with_refA"
    np.testing.assert_array_equal(*(rated.bleu[name] for name in twins))
    assert (rated.mqm[twins[0]] != rated.mqm[twins[1]]).any()


def test_bleu_of_the_optimizer_runs_and_welchs_test_over_them():
    runs = {name: [score(run) for run in x] for name, x in data.optimizer_runs().items()}
    assert runs["baseline"] == pytest.approx([18.5389, 18.4645, 18.5771], abs=6e-5)
    assert runs["sys1"] == pytest.approx([18.9869, 18.4740, 18.9795], abs=6e-5)
    assert np.mean(runs["baseline"]) == pytest.approx(18.527, abs=6e-4)
    assert np.std(runs["baseline"], ddof=1) == pytest.approx(0.057, abs=6e-4)
    assert np.mean(runs["sys1"]) == pytest.approx(18.813, abs=6e-4)
    assert np.std(runs["sys1"], ddof=1) == pytest.approx(0.294, abs=6e-4)
    welch = stats.ttest_ind(runs["sys1"], runs["baseline"], equal_var=False)
    assert welch.pvalue == pytest.approx(0.230, abs=6e-4)


def test_sacrebleus_published_p_values_from_its_own_draws():
    systems = data.wmt17()
    expected = {RIVAL: (0.3076923, 0.8066193)}
    for name in systems.keys() - {BASE}:
        pairs = sb.PairedSet(systems[name], systems[BASE])
        p_bootstrap = sb.p_sacrebleu(sb.bootstrap(pairs, 1_000, seed=12345, order="sacrebleu"))
        swapped = sb.randomize(pairs, 10_000, seed=12345, order="sacrebleu")
        found = p_bootstrap, sb.p_randomization(swapped)
        assert found == pytest.approx(expected.get(name, (1 / 1001, 1 / 10001)), abs=6e-8), name


@pytest.mark.parametrize("clusters, error, p", [(False, 1.090, 0.026), (True, 1.279, 0.068)])
def test_online_w_and_m_by_segment_and_by_document(clusters, error, p):
    rated = data.wmt23()
    pairs = sb.PairedSet(rated.bleu["ONLINE-M"], rated.bleu["ONLINE-W"],
                         clusters=rated.documents if clusters else None)
    assert 100 * pairs.gap == pytest.approx(-2.446, abs=6e-4)
    assert 100 * quiet(sb.bootstrap, pairs).sd == pytest.approx(error, rel=0.03)
    found = sb.p_randomization(sb.randomize(pairs))
    assert found == pytest.approx(p, abs=4 * np.sqrt(2 * p * (1 - p) / 10_000))


def test_facebook_and_uedin_by_segment_and_by_talk():
    rated = data.wmt21_ted()
    a, b = (rated.bleu[name] for name in ("UEdin", "Facebook-AI"))
    segments, talks = sb.PairedSet(a, b), sb.PairedSet(a, b, clusters=rated.documents)
    assert 100 * segments.gap == pytest.approx(-2.667, abs=6e-4)
    assert 100 * quiet(sb.bootstrap, segments).sd == pytest.approx(0.552, rel=0.03)
    assert 100 * quiet(sb.bootstrap, talks).sd == pytest.approx(1.004, rel=0.03)
    assert sb.p_randomization(sb.randomize(segments)) <= 0.0002
    assert sb.p_randomization(quiet(sb.randomize, talks, draws="all")) == 4 / 32


def test_p_of_the_optimizer_runs_depends_on_what_is_swapped():
    runs = data.optimizer_runs()
    row_by_row = sb.PairedSet(runs["sys1"].reshape(-1, 10), runs["baseline"].reshape(-1, 10))
    p = sb.p_randomization(sb.randomize(row_by_row, 20_000))
    assert p == pytest.approx(0.0002, abs=0.0003)
    # The three runs translate the same segments: swapped together, they say less.
    together = sb.PairedSet(row_by_row.a, row_by_row.b, clusters=np.tile(np.arange(2489), 3))
    assert together.gap == row_by_row.gap
    assert sb.p_randomization(sb.randomize(together, 20_000)) == pytest.approx(0.012, abs=0.004)


def quiet(run, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return run(*arguments, **options)
