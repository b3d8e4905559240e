"""Fields that a propagation makes of others before its first step."""

from __future__ import annotations

import pytest
import torch
from random_graphs import tree

from dglsent.passing import Batch, engine, propagate, update_all
from graphs.door import fn


@pytest.mark.parametrize("name", ["torch", "dgl"])
class TestInputs:
    """Tree 3 -> 1 -> 0 <- 2; x is 1 to 4."""

    def run(self, name, message, inputs, leaf=None):
        batch = Batch.of([tree([-1, 0, 0, 1])])
        batch.nodes["x"] = torch.arange(1.0, 5)
        with engine(name):
            propagate(batch, message, fn.sum("m", "sum"), self.update, leaf=leaf, inputs=inputs)
        return batch.nodes["h"].tolist()

    def update(self, nodes):
        return {"h": nodes.data.get("sum", torch.zeros(len(nodes.data["x"]))) + nodes.data["x"]}

    def leaf(self, nodes):
        return {"h": nodes.data["x"]}

    def test_senders_have_what_was_made_of_them(self, name):
        found = self.run(
            name,
            lambda edges: {"m": edges.src["w"]},
            lambda nodes: {"w": 100 * nodes.data["x"], "sum": torch.zeros_like(nodes.data["x"])},
        )
        assert found == [501, 402, 3, 4]

    @pytest.mark.parametrize("given", [False, True])
    def test_a_field_that_is_set_already_is_refused(self, name, given):
        with pytest.raises(ValueError, match="'x', which is set already"):
            self.run(
                name,
                lambda edges: {"m": edges.src["x"]},
                lambda nodes: {"x": 100 * nodes.data["x"]},
                self.leaf if given else None,
            )

    def test_a_field_that_a_call_before_left_can_be_deleted(self, name):
        batch = Batch.of([tree([-1, 0, 0, 1])])
        batch.nodes["x"] = torch.arange(1.0, 5)

        def run():
            propagate(
                batch,
                lambda edges: {"m": edges.src["h"]},
                fn.sum("m", "sum"),
                lambda nodes: {"h": nodes.data["sum"] + nodes.data["w"]},
                leaf=self.leaf,
                inputs=lambda nodes: {"w": 100 * nodes.data["x"]},
            )
            return batch.nodes["h"].tolist()

        with engine(name):
            update_all(batch, lambda edges: {"m": edges.src["x"]}, fn.sum("m", "w"))  # of another encoder
            with pytest.raises(ValueError, match=r"'w', which is set already, .* before; .*: del batch\.nodes\['w'\]$"):
                run()
            del batch.nodes["w"]
            assert run() == run() == [307, 204, 3, 4]

    def test_nodes_with_a_function_of_their_own_do_not_have_it(self, name):
        """They would see a 0 that nobody made."""
        with pytest.raises(KeyError, match="field 'w' is not there"):
            self.run(
                name,
                lambda edges: {"m": edges.src["h"]},
                lambda nodes: {"w": 100 * nodes.data["x"]},
                lambda nodes: {"h": nodes.data["w"]},
            )
