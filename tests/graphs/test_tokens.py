from __future__ import annotations

import pytest

from graphs.tokens import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't think it's his.", "I do n't think it 's his ."),
        ('He said: "no (really)!"', 'He said : " no ( really ) ! "'),
        ("Mr. Smith's 2,000 well-made films...", "Mr. Smith 's 2,000 well-made films ..."),
        ("café\u00a0noir, 3.5-star\t$5", "café noir , 3.5-star $ 5"),
        ("see http://a.b/c?d=1.", "see http://a.b/c?d=1 ."),
        ("In the 1990s, a 2nd-hand 4x4 at 7:30pm.", "In the 1990s , a 2nd-hand 4x4 at 7:30pm ."),
        ("the '90s' hits, 20th of 3/4", "the '90s ' hits , 20th of 3/4"),
        ("They don’t, she’ll", "They do n’t , she ’ll"),
        ("cafe\u0301-noir's don't", "cafe\u0301-noir 's do n't"),  # the accent is a character of its own
        ("हिन्दी फ़िल्म, अच्छी है।", "हिन्दी फ़िल्म , अच्छी है ।"),
        ("كَتَبَ می\u200cخواهم", "كَتَبَ می\u200cخواهم"),
        ("na\xadive ❤\ufe0f! 👩\u200d👩\u200d👧 👍🏽👍🏽", "na\xadive ❤\ufe0f ! 👩\u200d👩\u200d👧 👍🏽 👍🏽"),
        ("", ""),
    ],
)
def test_text_is_cut(text, expected):
    assert tokens(text) == expected.split()


def test_what_is_cut_already_stays():
    text = "-LRB- It is n't `` so '' , Ann 's U.S. trip -- 3.5 3D 1st '80s well-made ... -RRB-"
    assert tokens(text) == text.split()
    assert tokens(" ".join(tokens("Don't (I said) cut 'em up, O'Neill!"))) == tokens(
        "Don't (I said) cut 'em up, O'Neill!"
    )
