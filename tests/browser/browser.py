# SPDX-License-Identifier: MIT
"""A page in a browser for tests: Chromium without a window, led over its debugging pipe."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time
from types import TracebackType
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120.0  # seconds; machines that test have other things to do, too


class Page:
    """One page. `complaints` is what the browser said of it: errors, refused scripts, styles."""

    def __init__(self) -> None:
        browser = next((b for b in BROWSERS if shutil.which(b)), None)
        if browser is None:
            raise SystemExit("browser: no Chromium found (Debian: apt-get install chromium)")
        self._folder = tempfile.TemporaryDirectory()
        read_end, self._to = os.pipe()
        self._from, write_end = os.pipe()
        # the browser reads from descriptor 3 and writes to 4
        ends = (os.dup(read_end), os.dup(write_end))
        self._process = subprocess.Popen(
            [
                "sh",
                "-c",
                f'exec 3<&{ends[0]} 4>&{ends[1]}; exec "$0" "$@"',
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
                f"--user-data-dir={self._folder.name}/profile",
                "about:blank",
            ],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (read_end, write_end, *ends):
            os.close(end)
        self._rest = b""
        self._number = 0
        self.complaints: list[str] = []
        self._session = None
        target = self._tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._tell("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log"):
            self._tell(f"{domain}.enable")

    def __enter__(self) -> "Page":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _hear(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(until - time.monotonic(), 0.0))
            more = os.read(self._from, 1 << 20) if ready else b""
            if not more:
                raise AssertionError("the browser does not answer")
            self._rest += more
        line, self._rest = self._rest.split(b"\0", 1)
        told: dict[str, Any] = json.loads(line)
        return told

    def _tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        line: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            line["sessionId"] = self._session
        os.write(self._to, json.dumps(line).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            told = self._hear(until)
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                result: dict[str, Any] = told["result"]
                return result
            self._note(told)

    def _note(self, told: dict[str, Any]) -> None:
        what = told.get("params", {})
        if told.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(what["exceptionDetails"])[:600])
        elif told.get("method") == "Log.entryAdded" and what["entry"]["level"] in (
            "warning",
            "error",
        ):
            self.complaints.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")

    def screen(self, width: int, dark: bool, height: int = 900) -> None:
        self._tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        self._tell(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def open(self, address: str) -> None:
        self._tell("Page.navigate", url=address)

    def value(self, script: str) -> Any:
        """What an expression of JavaScript is in the page."""
        told = self._tell(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, json.dumps(told["exceptionDetails"])[:600]
        return told["result"].get("value")

    def wait(self, script: str) -> None:
        """Until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.value(f"document.body !== null && ({script})"):
            assert time.monotonic() < until, (
                f"never true: {script}\n{self.complaints}\n{self.value('document.body.innerText')}"
            )
            time.sleep(0.1)

    def picture(self, path: str | pathlib.Path) -> None:
        """Saves all of the page, also what is below the screen."""
        data = self._tell("Page.captureScreenshot", format="png", captureBeyondViewport=True)[
            "data"
        ]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
