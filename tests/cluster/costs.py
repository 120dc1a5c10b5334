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
    """Seconds of a client's call, then of processors: the client's, the scheduler's, the workers'."""
    groups = [cluster.running[:1], cluster.workers]
    before = [processor_seconds(group) for group in groups]
    done = subprocess.run([str(word) for word in (bench.python, HERE / "client.py", cluster.address,
                                                  *words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(done.stderr.strip().splitlines()[-1])
    seconds, own = map(float, done.stdout.split()[-2:])
    return seconds, own, *(processor_seconds(group) - used for group, used in zip(groups, before))


def best(rounds):
    """The least of each number in several rounds."""
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
        # a client and a scheduler can do no more than one processor each
        empty = max(client(bench, cluster, "-", 5000, 2, 0)[1:3]) / 5000
        flow = 300 * 2**20 / max(client(bench, cluster, "-", 300, 2, 2**20)[1:3])
    seconds, processors, _ = best(plain)
    ours, own, scheduler, workers = best(dask)
    print(f"       lgkt reproduce --jobs 2: {seconds:.1f} s, {processors:.1f} s of processors\n"
          f"       2 workers of Dask: {ours:.1f} s; of processors {workers:.1f} s in workers, "
          f"{scheduler:.1f} s in the scheduler, {own:.1f} s in the client\n"
          f"       ratio of the times: {ours / seconds:.3f}; of processors: "
          f"{(own + scheduler + workers) / processors:.3f}, "
          f"of the workers' alone: {workers / processors:.3f}\n"
          f"       Dask alone, the busier of scheduler and client: {1e3 * empty:.2f} ms a task, "
          f"{flow / 1e6:.0f} MB/s")
    # below 1 it is noise
    return ours / seconds, processors, max(1.0, workers / processors), empty, flow


def measure_merge(bench, out, folder):
    """Of one journal: seconds and bytes per instance."""
    manifest = json.loads((folder / "manifest.json").read_text())
    instances = sum(panel["instances"] for panel in manifest["panels"])
    size = (folder / "journal.bin").stat().st_size
    seconds, _, memory = best([timed(bench.lgkt, "merge", folder, "--out", out / str(i))
                               for i in range(ROUNDS)])
    print(f"       merge of {folder.name}: {instances} instances of {size / instances:.0f} bytes in "
          f"{seconds:.2f} s: {1e6 * seconds / instances:.1f} us each, peak memory {memory:.0f} MB")
    return seconds / instances, size / instances


def costs(bench):
    """Overhead, merge, and what they say about 10^12 steps on 1000 processors."""
    out = bench.folder("costs")
    ratio, processors, stretch, empty, flow = measure_overhead(bench, out)
    short = out / "short.json"
    short.write_text(json.dumps(SHORT))
    bench.command("reproduce", short, "--quiet", "--out", out)
    few, few_bytes = measure_merge(bench, out / "few", out / "short")
    many, many_bytes = measure_merge(bench, out / "many", out / "plain-0" / "grid")

    manifest = json.loads((out / "plain-0/grid/manifest.json").read_text())
    learners = len(manifest["panels"][0]["learners"])
    step = processors / sum(panel["horizon"] * panel["instances"] * len(panel["learners"])
                            for panel in manifest["panels"])
    print(f"       a step: {1e9 * step:.0f} ns of one processor, mean of {learners} learners\n")
    print("| horizon | checkpoints | instances | core hours | minutes on 1000 cores | journals "
          "| to a client | scheduler or client busy | merge |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for horizon, points in ((10**4, 200), (10**5, 200), (10**5, 20), (10**6, 200)):
        instances = 1e12 / horizon / learners
        share = points / 200
        size = few_bytes + share * (many_bytes - few_bytes)
        merge = few + share * (many - few)
        seconds = 1e9 * step * stretch + TASK
        # an instance is not cut, so a task has one at least
        tasks = 1e12 * step / max(TASK, horizon * learners * step)
        busy = max(tasks * empty, instances * size / flow) / seconds
        print(f"| {horizon} | {points} | {instances:.1e} | {1e12 * step / 3600:.0f} "
              f"| {seconds / 60:.1f} | {instances * size / 1e9:.0f} GB "
              f"| {instances * size / seconds / 1e6:.0f} MB/s | {100 * busy:.0f}% "
              f"| {instances * merge / 60:.1f} min |")
    return (f"overhead of Dask {100 * (ratio - 1):+.1f}%, {1e6 * few:.0f} to {1e6 * many:.0f} us of "
            f"merge an instance")
