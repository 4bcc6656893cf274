#!/usr/bin/env python3
"""Reads arrays over S3 that TileDB wrote over S3: s3_check.py PATH/OF/bin/tiledb-inspect.js [--arrays NAME,NAME]

Needs tiledb, numpy and moto[server]. A moto server runs on the loopback. TileDB writes arrays and a group to it, and their objects are copied
to files. Every command must print the same JSON for both, with no more requests than allowed. The exit code is 1 if anything differs.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import boto3
import numpy as np
import tiledb

BUCKET = "bucket"
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "SECRETTESTING"}
# Names that need escaping in URLs, and in signatures.
PREFIX = "some where/a+b=c&d"


class Server:
    """A moto server in a new process."""

    def __enter__(self):
        program = pathlib.Path(sys.executable).parent / "moto_server"
        self.process = subprocess.Popen([str(program), "-H", "127.0.0.1", "-p", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"Running on (http://127\.0\.0\.1:\d+)", line)
            if found:
                self.url = found.group(1)
                break
        else:
            raise SystemExit("moto_server did not start")
        # It writes a line for each request. Without a reader the pipe would fill, and stop it.
        subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                urllib.request.urlopen(self.url + "/moto-api/", timeout=2)
                return self
            except OSError:
                time.sleep(0.1)
        raise SystemExit("moto_server does not answer")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def s3_config(url):
    return tiledb.Config({
        "vfs.s3.endpoint_override": url.removeprefix("http://"),
        "vfs.s3.scheme": "http",
        "vfs.s3.region": "us-east-1",
        "vfs.s3.use_virtual_addressing": "false",
        "vfs.s3.aws_access_key_id": KEYS["AWS_ACCESS_KEY_ID"],
        "vfs.s3.aws_secret_access_key": KEYS["AWS_SECRET_ACCESS_KEY"],
        "sm.compute_concurrency_level": "1",
    })


def write_arrays(base, url):
    """Writes arrays whose listings differ: plain, with consolidated commits and metadata, vacuumed, dense, with deletes, in a group."""
    ctx = tiledb.Ctx(s3_config(url))
    filters = tiledb.FilterList([tiledb.ZstdFilter(), tiledb.ChecksumSHA256Filter()])
    x = tiledb.Dim("x", domain=(0, 999_999), tile=1000, dtype=np.int64, ctx=ctx)
    attrs = [tiledb.Attr("a", dtype=np.float64, filters=filters, ctx=ctx), tiledb.Attr("s", dtype="ascii", var=True, filters=filters, ctx=ctx)]
    sparse = tiledb.ArraySchema(tiledb.Domain(x, ctx=ctx), attrs, sparse=True, capacity=100, ctx=ctx)

    def fill(uri, fragments, cells=300):
        tiledb.Array.create(uri, sparse, ctx=ctx)
        for i in range(fragments):
            with tiledb.open(uri, "w", ctx=ctx, timestamp=i + 1) as array:
                at = np.arange(i * cells, (i + 1) * cells)
                array[at] = {"a": np.sqrt(at), "s": np.array([f"cell {n}" for n in at], dtype="O")}

    fill(base + "/plain", 5)
    with tiledb.open(base + "/plain", "w", ctx=ctx, timestamp=9) as array:
        array.meta["unit"] = "metre"
    with tiledb.open(base + "/plain", "d", ctx=ctx, timestamp=10) as array:
        array.query(cond="a > 30.0").submit()
    fill(base + "/consolidated", 6)
    for mode in ("commits", "fragment_meta"):
        config = s3_config(url)
        config.update({"sm.consolidation.mode": mode, "sm.vacuum.mode": mode})
        within = tiledb.Ctx(config)
        tiledb.consolidate(base + "/consolidated", ctx=within, config=config)
        tiledb.vacuum(base + "/consolidated", ctx=within, config=config)
    fill(base + "/vacuum", 3)
    tiledb.consolidate(base + "/vacuum", ctx=ctx)
    fill(base + "/many", 40, 10)
    dim = tiledb.Dim("d", domain=(0, 99_999), tile=5000, dtype=np.int32, ctx=ctx)
    random = tiledb.Attr("r", dtype=np.int64, filters=tiledb.FilterList([tiledb.ChecksumMD5Filter()]), ctx=ctx)
    tiledb.Array.create(base + "/dense", tiledb.ArraySchema(tiledb.Domain(dim, ctx=ctx), [random], ctx=ctx), ctx=ctx)
    with tiledb.open(base + "/dense", "w", ctx=ctx, timestamp=1) as array:
        array[:] = np.random.default_rng(1).integers(0, 2**62, 100_000)
    tiledb.group_create(base + "/group", ctx=ctx)
    with tiledb.Group(base + "/group", "w", ctx=ctx) as group:
        group.meta["answer"] = 42
    fill(base + "/group/member", 1)
    with tiledb.Group(base + "/group", "w", ctx=ctx) as group:
        group.add("member", name="member", relative=True)
        group.add(base + "/dense", name="elsewhere")


def copy_objects(client, folder):
    """@returns the number of objects"""
    count = 0
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for one in page.get("Contents", []):
            count += 1
            target = folder / one["Key"]
            if not one["Key"].endswith("/"):
                target.parent.mkdir(parents=True, exist_ok=True)
                client.download_file(BUCKET, one["Key"], str(target))
    return count


class Check:
    def __init__(self, cli, url, folder):
        self.command = [os.environ.get("NODE", "node"), str(cli)]
        self.url = url
        self.folder = folder
        self.right = 0
        self.wrong = 0

    def run(self, *args, env=None):
        given = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "AWS_ENDPOINT_URL": self.url, "AWS_EC2_METADATA_DISABLED": "true", **(KEYS if env is None else env)}
        done = subprocess.run([*self.command, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=given, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def say(self, ok, what, more=""):
        if ok:
            self.right += 1
        else:
            self.wrong += 1
            print(f"WRONG {what}\n{more}")

    def same(self, *args, target, most=None, env=None):
        """Runs a command on the objects and on the files. At most `most` requests are allowed."""
        remote_base, local_base = f"s3://{BUCKET}/{PREFIX}", str(self.folder / PREFIX)
        local = self.run(*args, "--quiet", f"{local_base}/{target}")
        remote = self.run(*args, "--quiet", "--requests", f"{remote_base}/{target}", env=env)
        requests = [line for line in remote[2].splitlines() if line.startswith("request: ")]
        errors = [line.replace(remote_base, "…") for line in remote[2].splitlines() if not line.startswith("request")]
        expected = [line.replace(local_base, "…") for line in local[2].splitlines()]
        same = (remote[0], remote[1].replace(remote_base, "…"), errors) == (local[0], local[1].replace(local_base, "…"), expected)
        what = f"{' '.join(args)} {target}: "
        self.say(same, what + "another result", "\n".join([*errors[:5], *difference(local[1].replace(local_base, "…"), remote[1].replace(remote_base, "…"))]))
        self.say(most is None or len(requests) <= most, what + f"{len(requests)} requests, {most} allowed", "\n".join(requests[:60]))
        self.say(KEYS["AWS_SECRET_ACCESS_KEY"] not in remote[1] + remote[2] and "Signature" not in remote[2], what + "a secret is shown")
        return requests


def difference(a, b):
    pairs = zip(a.splitlines() + [""], b.splitlines() + [""])
    return next(([f"  file: {left}", f"  s3:   {right}"] for left, right in pairs if left != right), [])


def fragments(folder, array):
    return sorted(path.name for path in (folder / PREFIX / array / "__fragments").iterdir())


def check(cli, arrays):
    with Server() as server, tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        client = boto3.client("s3", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")
        client.create_bucket(Bucket=BUCKET)
        write_arrays(f"s3://{BUCKET}/{PREFIX}", server.url)
        print(f"{copy_objects(client, folder)} objects written by TileDB {'.'.join(map(str, tiledb.libtiledb.version()))}")
        c = Check(cli, server.url, folder)
        for array in arrays:
            for args in (["ls", "--json"], ["ls", "--names", "--json"], ["schema", "--json"], ["commits", "--json"], ["footer", "--json"], ["rtree", "--json"], ["stats", "--json"],
                         ["metadata", "--json"], ["check", "--json"], ["check", "--level", "cells", "--json"], ["verify-checksums", "--json"], ["verify-checksums", "--deep", "--jobs", "2", "--json"]):
                c.same(*args, target=array)
            fragment = f"{array}/__fragments/{fragments(folder, array)[0]}"
            for args in (["ls", "--json"], ["footer", "--json"], ["rtree", "--json"], ["metadata", "--json"], ["tiles", "--format", "ndjson"], ["decode", "--format", "ndjson"],
                         ["check", "--json"], ["verify-checksums", "--json"], ["stats", "--json"]):
                c.same(*args, target=fragment)
            c.same("dump", "--json", target=fragment + "/__fragment_metadata.tdb")
        group = c.run("check", "--json", f"s3://{BUCKET}/{PREFIX}/group")
        c.say(group[0] == 0 and json.loads(group[1])["counts"]["fragment_num"] == 2, "both members of a group", "".join(group[1:]))
        listed = json.loads(c.run("ls", "--json", f"s3://{BUCKET}/{PREFIX}/group")[1])
        c.say(sorted(m["name"] for m in listed["members"]) == ["elsewhere", "member"], "members of a group", listed)
        c.same("ls", "--json", target="nowhere")
        counted(c, folder)
        access(c)
        print(f"{c.right} checks right, {c.wrong} wrong")
        return c.wrong == 0


def counted(c, folder):
    """Checks how many requests commands need."""
    first = f"plain/__fragments/{fragments(folder, 'plain')[0]}"
    # Requests for the kind and names of the folder, the array around it, the footer and the schema.
    requests = c.same("footer", "--json", target=first, most=4)
    c.say(sum("__fragment_metadata.tdb" in line for line in requests) == 1, "footer: one read of the metadata", "\n".join(requests))
    requests = c.same("ls", "--names", "--json", target="many", most=4)
    c.say(not any(".tdb" in line for line in requests), "ls --names opens nothing", "\n".join(requests))
    # One request for each footer. The number of all others does not depend on the number of fragments.
    c.same("ls", "--json", target="many", most=40 + 8)
    requests = c.same("ls", "--json", target="consolidated", most=12)
    c.say(not any("__fragment_metadata.tdb" in line for line in requests), "footers come from the consolidated metadata", "\n".join(requests))
    dense = f"dense/__fragments/{fragments(folder, 'dense')[0]}"
    # The field has 800 kB in 20 tiles.
    requests = c.same("decode", "--format", "ndjson", target=dense, most=6)
    c.say(sum("a0.tdb" in line for line in requests) == 1, "tiles are read together", "\n".join(requests))


def access(c):
    """Checks credentials and permissions."""
    nobody = c.run("ls", "--json", "--no-sign-request", f"s3://{BUCKET}/{PREFIX}/plain", env={})
    c.say(nobody[0] in (0, 3), "anonymous", nobody[2])
    looked = c.run("ls", "--json", f"s3://{BUCKET}/{PREFIX}/plain", env={})
    c.say("no AWS credentials were found" in looked[2], "missing credentials are reported", looked[2])
    missing = c.run("ls", "--json", "s3://no-such-bucket/array")
    c.say(missing[0] == 3 and "NoSuchBucket" in missing[2], "a bucket that is not there", missing[2])
    profile = c.folder / ".aws"
    profile.mkdir()
    (profile / "credentials").write_text("[mine]\naws_access_key_id = testing\naws_secret_access_key = SECRETTESTING\n")
    c.same("ls", "--json", target="plain", env={"AWS_PROFILE": "mine"})


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program", type=pathlib.Path)
    ap.add_argument("--arrays", default="plain,consolidated,vacuum,many,dense", metavar="NAME,NAME", help="those that all commands are run on")
    args = ap.parse_args()
    sys.exit(0 if check(args.program.resolve(), args.arrays.split(",")) else 1)
