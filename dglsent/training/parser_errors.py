"""What jsonargparse finds wrong with a recipe, in one line that a reader of recipes understands."""

from __future__ import annotations

import difflib
import re
import sys
from dataclasses import is_dataclass

from dglsent.training.parameters import arguments_of
from graphs.errors import one_line

KEYS = "`dglsent fit --help` lists the keys"

# Of Python's types and values what a recipe holds in their place.
TYPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "list": "a list",
    "Sequence": "a list",
    "dict": "keys with values",
    "NoneType": "null",
}
_VALUES = {"None": "null", "True": "true", "False": "false"}
# Parameters of classes that no recipe has: they get them from the data.
_GIVEN_TO = frozenset({"embedding", "size", "labels", "tags", "vocabularies", "half_width"})
_KEY = r"Parser key \"([^\"]+)\":"
_EXPECTED = r"Expected an? (?:<class '(?:collections\.abc\.)?(?P<type>\w+)'>|typing\.Literal\[(?P<choices>[^\]]*)\])"
_GIVEN = r"Got value: (?P<got>.*)|Given value: (?P<given>.*)"


def explain(error: Exception) -> tuple[str, str]:
    """The key that jsonargparse speaks of, "" where that is none, and what it says in one line."""
    text = one_line(error)
    keys = list(dict.fromkeys(re.findall(_KEY, text)))
    for refusal in (r"Option '([^']+)' is not accepted", r"Group '([^']+)' does not accept option '([^']+)'"):
        refused = re.search(refusal, text)
        if refused:
            key = ".".join([*keys, *refused.groups()])
            of_class = _keys(text) if key.count(".") == 1 else ""  # not of what stands within its arguments
            return key, f"unknown key {key!r}; {of_class or _hint(key) or KEYS}"
    unknown = re.search(r"unrecognized arguments: (-*([^\s=]*)\S*)", text, re.IGNORECASE)
    if unknown and keys:  # --encoder.attributes.characters=cnn, of a class that has no attributes
        key = ".".join([*keys, unknown[2]])
        return key, f"unknown key {key!r}; {_keys(text) or KEYS}"
    if unknown:
        hint = _hint(unknown[2]) or "`dglsent fit RECIPE --help` lists the options"
        return "", f"unknown option {unknown[1]}; {hint}"
    key, said = ".".join(keys), re.split(_KEY, text)[-1].strip()
    lacking = re.search(r"the following arguments are required: ((\w+(?:\.\w+)*).*)", said)
    if lacking and not keys:
        return "", f"lacks {lacking[1]}; a recipe has at least corpus, graph, encoder and task, its own or its base's"
    if lacking:
        whole = ".".join([*keys, lacking[2]])
        given = re.match(rf".*?\.(?:{'|'.join(_GIVEN_TO)})(?=\.|$)", whole)
        if given:
            return whole, f"{given[0]} is missing; dglsent fills it in if __init__ has a default for it, such as None"
        # A recipe has to be whole before options change it, but for a class that an option names.
        part = whole.rpartition(".")[0]
        return whole, f"{whole} is missing; give it in the recipe, or by --{whole} beside --{part} CLASS"
    untyped = re.search(r"Parameter '(\w+)' from '([\w.]+)\.__init__' does not specify a type", said)
    if untyped:
        name, made = untyped.groups()
        return key, f"{key}: {made} has the argument {name!r} without a type; write {name}: int or such"
    said = _expected(said) or re.sub(r"<class '([^']+)'>", r"\1", said)
    said = re.sub(r"\. Got value: Namespace\(.*| Given value type: .*", "", said)
    return key, f"{key}: {said}" if keys else text


def _hint(option: str) -> str:
    """What an unknown option may mean: a key of the group that it names, such as `training`, else the one most like it.

    Of Lightning's options, such as `max_epochs`, most are like one; "" where none is.
    """
    from dglsent.training.recipe import Recipe  # which has its errors explained here

    kinds = {name: kind for name, kind in arguments_of(Recipe).items() if isinstance(kind, type) and is_dataclass(kind)}
    groups = {name: list(arguments_of(kind)) for name, kind in kinds.items()}
    group, _, last = option.rpartition(".")
    if group in groups:
        return f"{group} has {', '.join(groups[group])}"
    known = {key: f"--{name}.{key}" for name, keys in groups.items() for key in keys}
    found = difflib.get_close_matches(last, known, 1, cutoff=0.65)  # `batch` means batch_size, `split` not spelling
    return f"did you mean {known[found[0]]}?" if found else ""


def _keys(text: str) -> str:
    """The keys of the class that was given one too many; "" where none is named, or several are."""
    named = set(re.findall(r"class_path='([\w.]+)\.(\w+)'", text))
    if len(named) != 1:
        return ""
    ((module, name),) = named
    made = getattr(sys.modules.get(module), name, None)
    keys = [key for key in arguments_of(made) if key and key not in _GIVEN_TO] if isinstance(made, type) else []
    return f"{name} has {', '.join(keys)}" if keys else ""


def _expected(said: str) -> str:
    """Of which kinds a value should have been, and what it is; "" where jsonargparse speaks of something else."""
    kinds: list[str] = []
    for found in re.finditer(_EXPECTED, said):
        kinds += [TYPES.get(found["type"], found["type"])] if found["type"] else found["choices"].split(", ")
    given = re.search(_GIVEN, said)
    if not kinds or given is None:
        return ""
    *others, last = sorted(dict.fromkeys(kinds), key=TYPES["NoneType"].__eq__)  # before 4.51 null may stand first
    kind = f"{', '.join(others)} or {last}" if others else last
    value = re.sub(r"NestedArg\(key='([^']*)', val='?([^')]*)'?\)", r"{\1: \2}", given["got"] or given["given"])
    advice = ""
    if kind == "a list" and re.fullmatch(r"[\w,]+", value):
        advice = f"; write [{', '.join(value.split(','))}]"
    elif f"'{value}'" in kinds:  # 32 is a number in YAML
        advice = f"; put it in quotes, '{value}'"
    return f"expected {kind}, not {_VALUES.get(value, value)}{advice}"
