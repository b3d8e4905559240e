from __future__ import annotations

import pytest

from dglsent.cli.reading import guess, is_csv, read
from dglsent.corpora.example import Parsed
from dglsent.corpora.labelled import LabelledPairs
from dglsent.corpora.own_files import PAIR, TEXT
from dglsent.inference.given import Raw
from graphs.errors import InputError, Origin, SentenceError
from graphs.tokens import tokens

GOOD = "(S (NP (DT the) (NN film)) (VP (VBD was) (JJ good)))"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("(UH Yes)\n(S (NN fine) (VB go))\n", "brackets"),
        ("(UH Yes)\n\n# none\n(UH No) ( NN  x )\n", "brackets"),
        ("( (S\n    (NN fine)\n\t(VB go)\n  )\n)\n(UH Yes)\n", "brackets"),
        (" (S (NN fine)) (S (NN go))\n", "brackets"),
        (f"{GOOD}\n(S (NP (DT the)\n{GOOD}\n(S\n", "brackets"),
        (f"{GOOD})\n{GOOD}\n", "brackets"),
        ("(Laughs) what (a) film\nSomebody sings.\n", "text"),
        ("(wow (what a film))\nSomebody sings.\n", "text"),
        ("(wow (what a film)\nSomebody sings.\n", "text"),
        ("(UH Yes)\n(Laughs)\n", "text"),
        ("(Great film)\n", "text"),
        ("(Great film)\n(UH Yes)\n", "text"),
        ("(Somebody really sings)\n", "text"),
        (f"{GOOD} :)\n (NN x)\n", "text"),
        ("\n# (S (NN x))\n", "text"),
        (f"\n{GOOD}\t(UH Yes)\n", "tsv"),
        ('{"text": "a"}\n\n {"text": "b", "label": 1}\n', "jsonl"),
        ('{"text": "a"}\n{"text": "b\n', "jsonl"),
        ('{ "text": "a" }\n{ "text": "b" }\n', "jsonl"),
        ('and so on\n{"text": "a"}\n', "text"),
        ("[1] says so\n[2] too\n", "text"),
        ("[ sic ]\n", "text"),
        ("[" * 100_000, "text"),
        ("a good film\t\na bad film\n", "text"),
        ("# text = don't\n1-2\tdon't\t_\n1\tdo\t_\n", "conllu"),
    ],
)
def test_brackets_are_found_out_by_all_lines(text, form):
    assert guess("<stdin>", text) == form


@pytest.mark.parametrize(
    ("text", "form", "kind"),
    [
        pytest.param("(S " * 300_000 + "x" + ")" * 300_000, "brackets", Parsed, id="deep"),
        pytest.param("(S " * 300_000, "brackets", Raw, id="never closed"),
        pytest.param("(" + " " * 3_000_000, "text", Raw, id="blanks"),
        pytest.param("(UH" + " " * 3_000_000 + "(", "brackets", Raw, id="blanks after a tag"),
        pytest.param("(a b)" * 300_000, "text", Raw, id="wide"),
    ],
)
def test_long_texts_are_gone_through_once(text, form, kind):
    """In steps that grew with the square of their length none of them would end within the hour."""
    assert guess("<stdin>", text) == form
    ((one, other),) = read(f"{text}\t{text}", "tsv", PAIR)
    assert type(one) is type(other) is kind


def test_a_cell_is_what_training_takes_it_for(tmp_path):
    cells = ["(A man) sings.", "(Laughs) what (really)", "Somebody (x)", "(UH Yes)", "(NP (UH Yes))"]
    for some in (cells[:-1], cells):
        rows = [f"{one}\t{other}" for one in some for other in some]
        file = tmp_path / "pairs.tsv"
        file.write_text("\n".join(["first\tsecond\tscore", *(f"{row}\t1" for row in rows)]))
        trained = LabelledPairs(str(file), str(file), str(file), score="score").load(tmp_path)["train"]
        for example, given in zip(trained, read("\n".join(rows), "tsv", PAIR), strict=True):
            for one, other in zip(example.sentences, given, strict=True):
                if one.constituency is None:
                    assert tokens(other.text) == one.unparsed.words
                else:
                    assert other.constituency.words == one.constituency.words


def test_a_broken_tree_of_a_table_names_its_line_once():
    ((broken, _), *_) = read("(S (A a)\tb\n(S (A a) (B b))\tc", "tsv", PAIR, "pairs.tsv")
    assert str(broken).startswith("pairs.tsv:1: 1 bracket is not closed")


def test_trees_of_a_file_lose_their_escapes_and_are_numbered_by_their_lines():
    (broken,), (good,) = read("\n(S (X a)\n(S (X -LRB-))\n", "brackets", [TEXT], "own")
    assert str(broken).startswith("own:2, sentence 2: ")
    assert (good.constituency.words, good.constituency.origin.sentence) == (["("], "3")


def test_blanks_around_a_tree_of_a_table_are_none_of_it():
    for given in read('text,label\n"(S (NN a) (NN b)) ",x\n(UH Yes),y\n', "csv", [TEXT]):
        assert given[0].constituency is not None


def test_a_column_of_blanks_has_no_words():
    ((_, other),) = read(")\t\x0c", "tsv", PAIR, "pairs.tsv")
    assert isinstance(other, SentenceError)
    assert "no words" in other.reason


ROWS = [("a good , film", "x"), ('he said "good"', "y")]
TABLES = {
    "csv": 'text,label\n"a good , film",x\n"he said ""good""",y\n',
    "tsv": 'label\ttext\nx\ta good , film\ny\t"he said ""good"""\n',
    "jsonl": '{"text": "a good , film", "label": "x"}\n{"text": "he said \\"good\\"", "label": "y"}\n',
}


@pytest.mark.parametrize("form", TABLES)
def test_tables_are_read_by_their_columns(form):
    assert guess(f"own.{form}.gz", TABLES[form]) == form
    found = read(TABLES[form], form, [TEXT], "own")
    assert [given.text for (given,) in found] == [text for text, _ in ROWS]
    assert [given.origin.sentence for (given,) in found] == ["1", "2"]
    said = {"tsv": r"names the columns, 'review' among them \(or another: --columns text=NAME\)"}
    lacking = r"no column 'review', which the model reads; there are .* \(--columns\)"
    with pytest.raises(InputError, match=f"own: .*{said.get(form, lacking)}"):
        read(TABLES[form], form, ["review"], "own")


def test_columns_that_semicolons_part_are_told():
    said = r"no column 'text', which the model reads; there are text;label, read as one: .* \(--columns\)$"
    with pytest.raises(InputError, match=said):
        read("text;label\ngood;x\n", "csv", [TEXT], "own")
    none = r"^own\.csv:2, sentence 1: 2 cells, and 1 columns: .*, read as one: .*; nor can any other row be read$"
    with pytest.raises(InputError, match=none):
        read("text;label\ngood, or not;x\nbad, yes;y\n", "csv", [TEXT], "own.csv")


def test_a_broken_row_of_a_table_is_told_in_its_place():
    (one,), (broken,), (blank,) = read("text,label\ngood,x\nbad\n ,y\n", "csv", [TEXT], "own.csv")
    assert one.text == "good"
    assert str(broken) == "own.csv:3, sentence 2: 1 cells, and 2 columns: text, label"
    assert "column 'text' is blank" in str(blank)


def test_pairs_of_a_table_are_read_by_their_columns():
    (given,) = read("sim,b,a\n1,how,why\n", "csv", ["a", "b"])
    assert [one.text for one in given] == ["why", "how"]


def test_rows_that_lack_a_column_are_told_in_their_places():
    ((broken,),) = read("text,label\nbad\n", "csv", [TEXT], "own.csv")
    assert str(broken).startswith("own.csv:2")
    (given,), (lacking,) = read('{"text": "a"}\n{"other": "b"}\n', "jsonl", [TEXT], "own")
    assert given.text == "a"
    assert str(lacking).startswith("own:2")
    (_, (more,)) = read("how is it\twhy is it\nhow\twhy\twhen\n", "tsv", PAIR, "own")
    assert str(more) == "own:2: 3 columns, expected the two sentences of a pair"


def test_a_line_of_names_that_commas_part_is_a_header():
    assert is_csv("\n \nlabel,text\nx,good\n", [TEXT])
    assert is_csv('"label","text"\n"x","good"\n', [TEXT])
    for text in ("text\ngood\n", "text, he said\n", '"text", "he"\n', '"text,he\n', "stars,review\n", ""):
        assert not is_csv(text, [TEXT])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("<stdin>", '[\n  {"text": "a"},\n  {"text": "b"}\n]\n'),
        ("own.txt.gz", '[{"text": "a"}]'),
        ("<stdin>", '{"text": "a",\n "label": 1}\n'),
        ("own.json", '[\n  {"text": "a"},\n'),
        ("own.json.gz", '[\n  {"text": "a"},\n'),
    ],
)
def test_json_that_is_no_object_a_line_is_no_text(name, text):
    with pytest.raises(InputError, match=f"^{name}: JSON, and not sentences; give JSON lines, an object a line"):
        guess(name, text)


def test_a_header_of_which_a_column_is_misspelt_is_no_pair():
    table = "question1\tquestion2\nhow\twhy\n"
    pairs = "question\tanswer\nhow\twhy\n"
    for columns, named in ((["question1", "qestion2"], False), (["a", "qestion2"], True)):
        with pytest.raises(InputError, match=r"own: no column '(qestion2|a)', .*; there are question1, question2"):
            read(table, "tsv", columns, "own", named=named)
    assert len(read(pairs, "tsv", ["first", "second"], "own")) == 2  # pairs without a header


def test_a_header_that_names_other_columns_is_no_pair():
    rows = "how is it\twhy is it\n"
    with pytest.raises(InputError, match=r"own:1: question1, question2 look like .* --columns first=question1,second="):
        read(f"question1\tquestion2\n{rows}", "tsv", PAIR, "own")
    with pytest.raises(InputError, match="own:1: id, one, other, same look like"):
        read(f"id\tone\tother\tsame\n1\t{rows[:-1]}\t0\n", "tsv", PAIR, "own")
    for pairs in (f"{rows}how\twhy\n", f"how\twhy\n{rows}so\tso\n", "how\twhy\n"):
        assert len(read(pairs, "tsv", PAIR, "own")) == pairs.count("\n")


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Sentence A\tSentence B", "'first=Sentence A,second=Sentence B'"),
        ("premise\thypothesis", "first=premise,second=hypothesis"),
        ("id\tText_1\tText_2\tsame", "first=Text_1,second=Text_2"),
        ("QUESTION1\tquestion2", "first=QUESTION1,second=question2"),
    ],
)
def test_a_header_of_usual_names_is_no_pair_whatever_follows(header, columns):
    for rows in ("rain\tsnow\nsun\tmoon\n", "a man sings\tsomebody sings\n", ""):
        with pytest.raises(InputError, match=f"^own:1: .* look like names of columns; .* --columns {columns}, or let"):
            read(f"{header}\n{rows}", "tsv", PAIR, "own")
    assert len(read("text\tnews\nSentence\tQuestion two\nso\tno\n", "tsv", PAIR)) == 3
    assert len(read("text\ttext\nso\tno\n", "tsv", PAIR)) == 2


def test_a_header_in_quotes_is_no_pair():
    """As R writes tables; the quotes around other cells would be words."""
    for header in ('"first"\t"second"', '"question1"\t"question2"', '"Sentence A"\t"Sentence B"'):
        with pytest.raises(InputError, match=r"^own:1: [^\"]* look like names of columns; give the file as CSV, or"):
            read(f'{header}\n"a man sings"\t"somebody sings"\n', "tsv", PAIR, "own")
    assert len(read('"rain"\t"snow"\n"sun"\t"moon"\n', "tsv", PAIR, "own")) == 2


def test_quotes_in_pairs_without_a_header_are_those_of_a_table():
    cells = '"he said ""no"""\t"no"\n'
    (with_header,) = read(f"first\tsecond\n{cells}", "tsv", PAIR)
    for form in ("tsv", "text"):
        (pair,) = read(cells, form, PAIR)
        assert [one.text for one in pair] == [one.text for one in with_header] == ['he said "no"', '"no"']


def test_a_first_line_without_a_tab_is_no_header():
    (alone,), pair = read("how\nis it so\twhy is it\n", "tsv", PAIR, "own")
    assert str(alone) == "own:1: 1 column, expected the two sentences of a pair"
    assert [one.text for one in pair] == ["is it so", "why is it"]


def test_conllu_of_tags_alone():
    text = "1\tIt\t_\t_\tPRP\t_\t_\t_\t_\t_\n2\trains\t_\t_\tVBZ\t_\t_\t_\t_\t_\n"
    ((tagged,),) = read(text, "conllu", [TEXT])
    assert (tagged.dependencies, tagged.unparsed.xpos) == (None, ["PRP", "VBZ"])
    parsed = text.replace("PRP\t_\t_\t_", "PRP\t_\t2\tnsubj")
    ((half,),) = read(parsed, "conllu", [TEXT])
    assert "head '_' of word 2 is not a number" in str(half)
    ((whole,),) = read(parsed.replace("VBZ\t_\t_\t_", "VBZ\t_\t0\troot"), "conllu", [TEXT])
    assert (whole.unparsed, whole.dependencies.head.tolist()) == (None, [1, -1])


@pytest.mark.parametrize("form", ["text", "tokens"])
def test_pairs_on_lines_of_text_have_a_tab_between_them(form):
    """Two lines in a row were taken for a pair, each of them one sentence."""
    given = read("Two boys play.\t\nA man sings.\tA man sleeps.\nA dog runs.\n", form, PAIR, "pairs.txt")
    (empty,), (one, other), (alone,) = given[0][1:], given[1], given[2]
    assert isinstance(empty, SentenceError)
    said = (["A", "man", "sings."], ["A", "man", "sleeps."]) if form == "tokens" else ("A man sings.", "A man sleeps.")
    assert (one.text, other.text) == said
    assert str(alone) == "pairs.txt:3: 1 column, expected the two sentences of a pair"


def test_a_tab_after_a_sentence_parts_nothing():
    given = read("Two boys play.\t\nThe boys play.\n", "text", PAIR)
    assert [one.text for one in given[0]] == ["Two boys play.", "The boys play."]


ROWS_OF_CONLLU = "# sent_id = 1\n1\tIt\t_\t_\tPRP\t_\t2\tnsubj\t_\t_\n2\trains\t_\t_\tVBZ\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        (ROWS_OF_CONLLU * 3, "brackets", "^own: CoNLL-U, and nothing in it can .* trees in .*; give --format conllu$"),
        (ROWS_OF_CONLLU * 3, "jsonl", "^own: CoNLL-U, and nothing in it can be read as jsonl; give --format conllu$"),
        (f"{GOOD}\n\n" * 3, "conllu", "^own: trees in brackets, and nothing in it .* CoNLL-U; give --format brackets$"),
        (GOOD, "conllu", "; give --format brackets$"),
        (
            "A film\nIt rains\n",
            "brackets",
            "^own:1, .*'A'; nor is there anything else .*; give the --format that it has",
        ),
        ("A film\nIt rains\n", "jsonl", "^own:1, .*; nor is there anything else .*; give the --format that it has$"),
    ],
)
def test_a_file_of_another_form_is_one_error(text, form, said):
    with pytest.raises(InputError, match=said):
        read(text, form, [TEXT], "own")


@pytest.mark.parametrize(
    ("text", "form", "lines"),
    [
        (f"{GOOD}\n{ROWS_OF_CONLLU}", "brackets", [2, 3, 4]),
        ("(S (NN x)\n(S (NN y)\n", "brackets", [1, 2]),
        ("A film", "brackets", [1]),
        ("1\tIt\n\n2\trains\n", "conllu", [1, 3]),
        ('{"text": ""}\n{"text": " "}\n', "jsonl", [1, 2]),
        ("text,label\n,x\n,y\n", "csv", [2, 3]),
    ],
)
def test_broken_sentences_are_told_one_by_one(text, form, lines):
    found = [one for (one,) in read(text, form, [TEXT])]
    assert [one.origin.line for one in found if isinstance(one, SentenceError)] == lines


@pytest.mark.parametrize("form", ["text", "tokens"])
def test_sentences_of_text_have_their_line_as_number(form):
    found = [one.origin for (one,) in read("A film\n\n \nIt rains\n", form, [TEXT], "own")]
    assert found == [Origin("own", 1, "1"), Origin("own", 4, "4")]
