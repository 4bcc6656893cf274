"""The server of the Model Context Protocol, as the official client sees it: 30 questions about arrays in one dialogue."""

import asyncio
import pathlib

import pytest

from tiledb_inspect._program import command

mcp = pytest.importorskip("mcp")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PLACES, WEATHER, BLOOD = (str(EXAMPLES / "arrays" / name) for name in ("places", "weather", "blood"))
DAMAGED, FAILED = (str(EXAMPLES / "damaged" / name) for name in ("places", "failed_write"))
MOST = 16 * 1024

# A question, the command that find_call names for it, its arguments here, and what the answer must have.
DIALOGUE = [
    ("Which dimensions and attributes does it have?", "schema", [PLACES], "population  UINT32"),
    ("Which fragments are there, and in which state?", "ls", [PLACES], "live"),
    ("When was it last written?", "overview", [PLACES], "2024-05-01T10:00:00Z"),
    ("What are the first cells?", "read", [PLACES, "--limit", "3", "--order", "row-major"], "name"),
    ("Which cells meet a condition?", "read", [PLACES, "--where", "population > 15000000", "--field", "name"], "name"),
    ("Is my array corrupt?", "check", [DAMAGED], "FILE_MISSING"),
    ("How do I repair it?", "check", [DAMAGED, "--plan"], "not lost"),
    ("Do the checksums fit?", "verify-checksums", [DAMAGED], "exit code 1"),
    ("Why is my read slow?", "explain", [PLACES, "--range", "lat=40..60"], "tiles"),
    ("How much memory does a read need?", "explain", [WEATHER], "memory"),
    ("What fills the disk?", "stats", [PLACES], "population"),
    ("Does compression pay?", "stats", [WEATHER], "ratio"),
    ("Which filters should I choose?", "whatif", [WEATHER, "--sample", "65536"], "ZSTD"),
    ("What do the files in __commits do?", "commits", [PLACES], ".wrt"),
    ("Which folders are left from failed writes?", "ls", [FAILED], "uncommitted"),
    ("May I delete this fragment?", "why", [f"{PLACES}/__17"], "fragment"),
    ("What was this cell last Tuesday?", "read", [WEATHER, "--range", "station=1", "--range", "day=7"], "station"),
    ("Which fragment holds this cell?", "history", [WEATHER, "--cell", "station=1,day=7"], "fragment"),
    ("What are the key-value metadata?", "metadata", [WEATHER], "key"),
    ("Where does a fragment lie in the domain?", "footer", [f"{PLACES}/__17"], "nonempty_domain"),
    ("Which tiles does a range touch?", "rtree", [f"{PLACES}/__17", "--range", "lat=40..60"], "lat"),
    ("What are the minimum and maximum of each tile?", "tiles", [f"{PLACES}/__17"], "min"),
    ("What is in this .tdb file?", "dump", [f"{PLACES}/__17/a0.tdb"], "chunk"),
    ("What does byte 100 of a file mean?", "at", [f"{PLACES}/__17/d0.tdb", "100"], "byte"),
    ("What does each filter make of a tile?", "tile", [f"{PLACES}/__17", "lat", "0"], "BYTESHUFFLE"),
    ("What is in one fragment, as it is stored?", "decode", [f"{PLACES}/__17", "--limit", "3"], "lat"),
    ("Do two arrays hold the same?", "diff", [PLACES, DAMAGED], "exit code 1"),
    ("What is in this SOMA experiment?", "overview", [BLOOD], "SOMA"),
    ("Which members does a group have?", "ls", [BLOOD, "--depth", "all"], "RNA"),
    ("Which of many arrays are damaged?", "ls", [str(EXAMPLES), "--recursive"], "places"),
]


def talk(dialogue, *options):
    """Runs a dialogue with a new server."""
    node, script = command()
    server = mcp.StdioServerParameters(command=node, args=[script, "mcp", *options])

    async def run():
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()

            async def call(name, **arguments):
                answer = await session.call_tool(name, arguments)
                [content] = answer.content
                assert len(content.text.encode()) <= MOST
                return content.text, getattr(answer, "isError", None) or getattr(answer, "is_error", False)

            return await dialogue(session, call)

    return asyncio.run(asyncio.wait_for(run(), 300))


def test_a_dialogue_of_30_questions():
    async def dialogue(session, call):
        assert [tool.name for tool in (await session.list_tools()).tools] == ["overview", "find_call", "run"]
        wrong = []
        for question, name, arguments, expected in DIALOGUE:
            found, _ = await call("find_call", question=question)
            # The overview is the call with a target alone.
            named = f"tiledb-inspect {'' if name == 'overview' else name + ' '}"
            if named not in found:
                wrong.append((question, found))
            text, is_error = await call("run", command=name, arguments=arguments)
            if is_error or expected not in text:
                wrong.append((name, *arguments, text[:500]))
        return wrong

    assert len(DIALOGUE) == 30
    assert talk(dialogue) == []


def test_what_is_refused():
    async def dialogue(session, call):
        outside, is_error = await call("overview", target=str(EXAMPLES))
        assert is_error and "expected a target in" in outside
        inside, is_error = await call("overview", target=PLACES)
        assert not is_error and "sparse array" in inside
        written, is_error = await call("run", command="ls", arguments=[PLACES, "-o", "written.json"])
        assert is_error and "not taken here" in written
        return (await call("run", command="dump", arguments=[f"{PLACES}/__17/__fragment_metadata.tdb", "--hex"]))[0]

    assert "[left out: " in talk(dialogue, "--root", str(EXAMPLES / "arrays"))
