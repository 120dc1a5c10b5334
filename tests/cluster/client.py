# SPDX-License-Identifier: MIT
"""client.py SCHEDULER FILE OUT WORKERS [REPLICATES]: runs an experiment on a Dask cluster that is there.

Prints the seconds that it took and those of this processor's, without the start of Python and the
connection; or, as the last line on stderr, what went wrong. With - as FILE it measures Dask alone: OUT tasks
that return REPLICATES bytes each.
"""

import sys
import time

from distributed import Client, as_completed

import lgkt


def main() -> None:
    address, file, out, workers = sys.argv[1:5]
    replicates = int(sys.argv[5]) if len(sys.argv) > 5 else None
    with Client(address) as client:
        client.wait_for_workers(int(workers), timeout=60)
        begin = time.monotonic(), time.process_time()
        try:
            if file == "-":
                tasks = client.map(lambda _: bytes(replicates or 0), range(int(out)))
                for task in as_completed(tasks):
                    task.result()
            else:
                lgkt.reproduce(file, out, client=client, replicates=replicates, keep_runs=True)
        except lgkt.Error as error:
            sys.exit(f"client: {error}")
        print(time.monotonic() - begin[0], time.process_time() - begin[1])


if __name__ == "__main__":
    main()
