"""What jsonargparse finds wrong with a recipe, in one line that a reader of recipes understands."""

from __future__ import annotations

import re

KEYS = "`dglsent fit RECIPE --help` lists the keys"

# Of Python's types and values what a recipe holds in their place.
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "list": "a list",
    "dict": "keys with values",
    "NoneType": "null",
}
_VALUES = {"None": "null", "True": "true", "False": "false"}
_KEY = r"Parser key \"([^\"]+)\":"
_EXPECTED = r"Expected an? (?:<class '(?P<type>\w+)'>|typing\.Literal\[(?P<choices>[^\]]*)\])"
_GIVEN = r"Got value: (?P<got>.*)|Given value: (?P<given>.*)"


def explain(error: Exception) -> tuple[str, str]:
    """The key that jsonargparse speaks of, "" where that is none, and what it says in one line."""
    text = " ".join(str(error).split())
    keys = list(dict.fromkeys(re.findall(_KEY, text)))
    for refusal in (r"Option '([^']+)' is not accepted", r"Group '([^']+)' does not accept option '([^']+)'"):
        refused = re.search(refusal, text)
        if refused:
            key = ".".join([*keys, *refused.groups()])
            return key, f"unknown key {key!r}; {KEYS}"
    unknown = re.search(r"unrecognized arguments: (\S+)", text, re.IGNORECASE)
    if unknown:
        return "", f"unknown option {unknown[1]}; `dglsent fit RECIPE --help` lists the options"
    key, said = ".".join(keys), re.split(_KEY, text)[-1].strip()
    lacking = re.search(r"the following arguments are required: (\w+(?:\.\w+)*)", said)
    if keys and lacking:
        whole = ".".join([*keys, lacking[1]])
        return whole, f"{whole} is missing; give it in the recipe, or by --{whole}"
    said = _expected(said) or re.sub(r"<class '([^']+)'>", r"\1", said)
    said = re.sub(r"\. Got value: Namespace\(.*| Given value type: .*", "", said)
    return key, f"{key}: {said}" if keys else text


def _expected(said: str) -> str:
    """Of which kinds a value should have been, and what it is; "" where jsonargparse speaks of something else."""
    kinds: list[str] = []
    for found in re.finditer(_EXPECTED, said):
        kinds += [_TYPES.get(found["type"], found["type"])] if found["type"] else found["choices"].split(", ")
    given = re.search(_GIVEN, said)
    if not kinds or given is None:
        return ""
    *others, last = dict.fromkeys(kinds)
    kind = f"{', '.join(others)} or {last}" if others else last
    value = given["got"] or given["given"]
    return f"expected {kind}, not {_VALUES.get(value, value)}"
