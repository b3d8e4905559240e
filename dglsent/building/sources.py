"""Where the examples of a store come from."""

from __future__ import annotations

from typing import TypeAlias

from dglsent.building.files import Files
from dglsent.building.recipe_corpus import OfRecipe

Source: TypeAlias = Files | OfRecipe
