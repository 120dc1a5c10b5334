# SPDX-License-Identifier: MIT
"""What it costs to run on many machines, in measured parts, and what they add up to.

Nothing here is right or wrong, but all of it is to be measured on a machine without other work.
"""

import json
import os
import pathlib
import subprocess
import time

from clusters import Dask, Failure, wait_for

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 3
INSTANCES = 700   # of each panel of grid.json: half a minute of two processors
SHORT = {"horizon": 200, "instances": 50000, "checkpoints": [100],
         "learners": {"all": [{"label": f"LG{k}T", "spec": f"lgkt:k={k}"} for k in (1, 2, 3)]},
         "panels": [{"name": "short", "environment": "synthetic:states=5", "learners": ["all"]}]}
TASK = 3.0        # seconds that a task of lgkt.reproduce is to take, about


def timed(*command):
    """Seconds, seconds of processors and peak memory in MB of a command."""
    begin = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise Failure(f"{' '.join(map(str, command))}: status {status}")
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def processor_seconds(processes):
    """What these have used so far, by /proc."""
    ticks = 0
    for process in processes:
        words = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def client(bench, cluster, *words):
    """Seconds of a client's call, and of processors: the client's, the scheduler's, the workers'."""
    before = processor_seconds(cluster.running)
    done = subprocess.run([str(word) for word in (bench.python, HERE / "client.py", cluster.address,
                                                  *words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(done.stderr.strip().splitlines()[-1])
    seconds, own = map(float, done.stdout.split()[-2:])
    return seconds, own + processor_seconds(cluster.running) - before


def best(rounds):
    """The shortest time and the least processor time of several rounds."""
    return [min(column) for column in zip(*rounds)]


def measure_overhead(bench, out):
    """The same work by one process with two threads and by two workers of Dask, in turn."""
    plain, dask = [], []
    with Dask(out, bench.python) as cluster:
        for _ in range(2):
            cluster.add()
        wait_for("workers", cluster.ready)
        for i in range(ROUNDS):
            plain.append(timed(bench.lgkt, "reproduce", HERE / "grid.json", "--replicates", INSTANCES,
                               "--jobs", 2, "--keep-runs", "--quiet", "--out", out / f"plain-{i}"))
            dask.append(client(bench, cluster, HERE / "grid.json", out / f"dask-{i}", 2, INSTANCES))
        (empty, _), (full, _) = (client(bench, cluster, "-", tasks, 2, size)
                                 for tasks, size in ((5000, 0), (300, 2**20)))
    plain, dask = best(plain), best(dask)
    print(f"       overhead: lgkt reproduce --jobs 2: {plain[0]:.1f} s, {plain[1]:.1f} s of processors; "
          f"2 workers of Dask: {dask[0]:.1f} s, {dask[1]:.1f} s of processors; "
          f"ratios {dask[0] / plain[0]:.3f} and {dask[1] / plain[1]:.3f}")
    print(f"       Dask alone: {1e3 * empty / 5000:.2f} ms a task, {300 * 2**20 / 1e6 / full:.0f} MB/s")
    return plain, dask[0] / plain[0], empty / 5000, 300 * 2**20 / full


def measure_merge(bench, out, folder):
    """Of one journal: seconds and bytes per instance."""
    manifest = json.loads((folder / "manifest.json").read_text())
    instances = sum(panel["instances"] for panel in manifest["panels"])
    size = (folder / "journal.bin").stat().st_size
    seconds, _, memory = best([timed(bench.lgkt, "merge", folder, "--out", out)
                               for _ in range(ROUNDS)])
    print(f"       merge of {folder.name}: {instances} instances of {size / instances:.0f} bytes in "
          f"{seconds:.2f} s: {1e6 * seconds / instances:.1f} us each, peak memory {memory:.0f} MB")
    return seconds / instances, size / instances


def costs(bench):
    """Overhead, merge, and what they say about 10^12 steps on 1000 processors."""
    out = bench.folder("costs")
    plain, ratio, task, flow = measure_overhead(bench, out)
    short = out / "short.json"
    short.write_text(json.dumps(SHORT))
    bench.command("reproduce", short, "--quiet", "--out", out)
    few, few_bytes = measure_merge(bench, out / "merged", out / "short")
    many, many_bytes = measure_merge(bench, out / "merged", out / "plain-0" / "grid")

    manifest = json.loads((out / "plain-0/grid/manifest.json").read_text())
    learners = len(manifest["panels"][0]["learners"])
    steps = sum(panel["horizon"] * panel["instances"] * len(panel["learners"])
                for panel in manifest["panels"])
    step = plain[1] / steps
    print(f"       a step: {1e9 * step:.0f} ns of one processor, {learners} learners\n")
    print("| horizon | checkpoints | instances | core hours | hours on 1000 cores | journals "
          "| to one client | scheduler busy | merge |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for horizon, points in ((1e4, 200), (1e5, 200), (1e5, 20), (1e6, 200)):
        units = 1e12 / horizon / learners
        share = points / 200
        hours = 1e12 * step / 3600
        wall = hours / 1000 * ratio
        size = few_bytes + share * (many_bytes - few_bytes)
        merge = few + share * (many - few)
        # a unit is not cut, so a task has one at least
        tasks = 1000 / max(TASK, horizon * learners * step)
        print(f"| {horizon:.0e} | {points} | {units:.1e} | {hours:.0f} | {wall:.2f} "
              f"| {units * size / 1e9:.0f} GB | {units * size / wall / 3600 / 1e6:.0f} MB/s "
              f"| {100 * tasks * task:.0f}% | {units * merge / 60:.1f} min |")
    return (f"overhead {100 * (ratio - 1):+.1f}%, {1e6 * few:.0f} to {1e6 * many:.0f} us of merge an "
            f"instance, Dask's own flow {flow / 1e6:.0f} MB/s")
