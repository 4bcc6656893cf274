"""In the gate tests take turns. Two turns run all of them."""

import pytest

import conftest


class Config:
    """Notes the tests that are left to the other turn."""

    def __init__(self):
        self.hook, self.left = self, []

    def pytest_deselected(self, items):
        self.left += items


def chosen(monkeypatch, turn, tests):
    monkeypatch.setenv("GATE_TURN", turn)
    config, items = Config(), list(tests)
    conftest.pytest_collection_modifyitems(config, items)
    return items, config.left


@pytest.mark.parametrize("tests", ["", "a", "abcdefg", "abcdefgh"])
def test_two_turns_run_all(monkeypatch, tests):
    (first, left), (second, left_then) = (chosen(monkeypatch, turn, tests) for turn in ("6", "7"))
    assert sorted(first + second) == list(tests)
    assert (left, left_then) == (second, first)
    assert chosen(monkeypatch, "", tests) == (list(tests), [])
