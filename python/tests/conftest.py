"""In the gate (.ci/run) tests take turns: one half of them is run, which its turn chooses."""

import os


def pytest_collection_modifyitems(config, items):
    turn = os.environ.get("GATE_TURN")
    if not turn:
        return
    others = items[(int(turn) + 1) % 2 :: 2]
    items[:] = items[int(turn) % 2 :: 2]
    config.hook.pytest_deselected(items=others)
