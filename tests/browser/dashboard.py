# SPDX-License-Identifier: MIT
"""dashboard.py LGKT [FOLDER]: the page of lgkt serve in a browser: live data, a wrong token and
a dead server; on a wide screen and on a phone, light and dark. Saves pictures of it to FOLDER.

    - Each kind of programme has its pictures, and no text of the log becomes markup.
    - Nothing is wider than the screen, and texts stand out from the ground.
    - What is decided meanwhile is shown without a reload.
    - The browser complains about nothing: no script or style is refused, nothing is loaded.
"""

import os
import pathlib
import random
import signal
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "serve")]
os.environ["LGKT_COMMAND"] = str(pathlib.Path(sys.argv[1]).resolve())

from browser import Page  # noqa: E402
from conftest import CONFIG, Server  # noqa: E402

MARKUP = "<img src=x onerror=document.title='mended'>"
UNITS = 40
OWN = {"horizon": 100000, "unit_limit": 200, "patience": 800, "seed": 3}
KEYED = {
    **CONFIG,
    **OWN,
    "name": "keyed",
    "state": [{"name": "shop"}],
    "state_limit": 50,
    "limits": [],
    "actions": ["nothing", MARKUP],
    "fallback": [1, 0],
}
RECORDS = {
    **OWN,
    "name": "records",
    "learner": "auto",
    "actions": ["rest", "walk", "swim"],
    "floor": 0.05,
    "features": [{"name": "age"}, {"name": "steps"}, {"name": "sex", "values": ["f", "m"]}],
    "fallback": [0.6, 0.4, 0],
}

# contrast of what has text of its own with the ground behind it, and what is too wide
LOOK = """(() => {
    const part = (c) => c.match(/[\\d.]+/g).slice(0, 4).map(Number);
    const bright = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = (c) => {
        const [r, g, b] = part(c).map((v) => bright(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const solid = (c) => /^rgb/.test(c) && (part(c).length === 3 || part(c)[3] === 1);
    const back = (e) => getComputedStyle(e).backgroundColor;
    const ground = (e) => {
        while (e && !solid(back(e))) e = e.parentElement;
        return back(e || document.body);
    };
    const says = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const shown = [...document.querySelectorAll("body *")].filter(
        (e) => e.getClientRects().length > 0 && e.tagName !== "OPTION" && says(e));
    const contrasts = shown.map((e) => {
        const style = getComputedStyle(e), b = light(ground(e));
        const a = light(e instanceof SVGElement ? style.fill : style.color);
        return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.textContent.slice(0, 40)];
    }).sort((x, y) => x[0] - y[0]);
    return {width: document.documentElement.scrollWidth, contrast: contrasts[0],
            dark: light(back(document.body)) < 0.1, images: document.images.length,
            title: document.title};
})()"""


def play(server: Server, name: str, rounds: int, first: int, state, worth) -> None:
    """`rounds` batches of decisions for all units; a tenth of the rewards never comes."""
    chance = random.Random(first)
    path = f"/v1/programmes/{name}"
    for i in range(first, first + rounds):
        occasions = [
            {"unit": f"{MARKUP}{u}" if u == 0 else f"p{u}", "state": state(chance)}
            for u in range(UNITS)
        ]
        made = server.ask(
            "POST", f"{path}/decisions:batch", {"decisions": occasions}, key=f"{name}/{i}"
        )
        assert made.status == 201, made
        reports = [
            {
                "decision": d["decision"],
                "reward": round(worth(o["state"], d["action"]) + chance.random(), 3),
            }
            for o, d in zip(occasions, made.json["decisions"], strict=True)
            if chance.random() < 0.9
        ]
        assert server.ask("POST", f"{path}/reports", reports).status == 200


def fill(server: Server) -> None:
    for config in ({**CONFIG, **OWN, "limits": []}, KEYED, RECORDS):
        assert server.ask("POST", "/v1/programmes", config, key=config["name"]).status == 201
    play_more(server, 60, 0)
    play(
        server,
        "keyed",
        25,
        0,
        lambda c: {"shop": c.choice(["north", "south", MARKUP])},
        lambda s, a: a == MARKUP,
    )
    play(
        server,
        "records",
        30,
        0,
        lambda c: {"age": c.randrange(20, 80), "steps": c.randrange(12000), "sex": c.choice("fm")},
        lambda s, a: (a == "walk") == (s["age"] > 50),
    )


def play_more(server: Server, rounds: int, first: int) -> None:
    play(
        server,
        "berg",
        rounds,
        first,
        lambda c: {"mood": c.randrange(3), "time": c.choice(["am", "pm"])},
        lambda s, a: 0.5 * (a == ("plan" if s["mood"] == 2 else "message")),
    )


def look(page: Page, width: int, dark: bool) -> None:
    found = page.value(LOOK)
    assert found["width"] <= width, (
        f"the page is {found['width']} pixels wide on a screen of {width}"
    )
    assert found["contrast"][0] >= 4.5, f"a text has a contrast of {found['contrast']}"
    assert found["dark"] == dark, "the ground is not as it was asked for"
    assert found["images"] == 0 and found["title"] == "lgkt serve", "a text became markup"
    assert not page.complaints, page.complaints


def ask_token(page: Page, token: str) -> None:
    page.value(
        f"document.getElementById('token').value = '{token}';"
        "document.querySelector('#asking button').click()"
    )


def shows(name: str) -> str:
    return f"document.body.dataset.state === 'live' && document.body.dataset.drawn === '{name}'"


def test_pictures(page: Page, server: Server, pictures: pathlib.Path) -> None:
    wanted = {
        "berg": ["decisions", "rewards", "frequency", "delays", "line", "commits"],
        "keyed": ["decisions", "rewards", "frequency", "delays", "line", "commits"],
        "records": ["decisions", "rewards", "matter", "map", "line", "commits"],
    }
    for width, dark in ((1280, False), (390, False), (1280, True), (390, True)):
        page.screen(width, dark)
        for name, drawings in wanted.items():
            page.value(f"document.body.dataset.drawn = ''; location.hash = '{name}'")
            # what is drawn less often is drawn again where the width changes
            page.value("window.dispatchEvent(new Event('resize'))")
            page.wait(shows(name))
            for drawing in drawings:
                assert page.value(f"document.querySelectorAll('#{drawing} svg > *').length") > 2, (
                    name,
                    drawing,
                )
            page.value("document.querySelector('#timeline button').click()")
            page.wait("document.querySelectorAll('#reasons tbody tr').length > 1")
            rows = page.value("document.querySelectorAll('#table tbody tr').length")
            assert name == "records" or rows == {"berg": 6, "keyed": 3}[name], rows
            look(page, width, dark)
            page.picture(pictures / f"{name}-{width}-{'dark' if dark else 'light'}.png")


def test_live(page: Page, server: Server) -> None:
    page.screen(1280, False)
    page.value("document.body.dataset.drawn = ''; location.hash = 'berg'")
    page.wait(shows("berg"))
    before = page.value("document.getElementById('tiles').textContent")
    assert "2,400" in before, before
    play_more(server, 1, 1000)
    page.wait("document.getElementById('tiles').textContent.includes('2,440')")
    # a mode that is changed is seen, too
    changed = server.ask(
        "PATCH", "/v1/programmes/berg", {"mode": "paused"}, key="pause", headers={"If-Match": "*"}
    )
    assert changed.status == 200, changed
    page.wait("document.getElementById('what').textContent.startsWith('paused')")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Page() as page:
        pictures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else folder)
        pictures.mkdir(parents=True, exist_ok=True)
        server = Server(f"{folder}/data")
        try:
            fill(server)
            # without a token nothing is asked; a wrong one is refused, and asked for again
            page.screen(390, False)
            page.open(f"http://127.0.0.1:{server.port}/")
            page.wait("document.body.dataset.state === 'asking'")
            page.picture(pictures / "asking-390-light.png")
            ask_token(page, "lgkt_wrong")
            page.wait("document.body.dataset.state === 'refused'")
            assert page.value("!document.getElementById('asking').hidden"), "it is not asked again"
            assert page.value("document.getElementById('trouble').textContent"), "nothing says why"
            assert page.value("sessionStorage.getItem('token')") is None
            page.picture(pictures / "refused-390-light.png")
            # a browser notes every 401
            assert all("401" in line for line in page.complaints), page.complaints
            page.complaints.clear()
            # who may only decide is told what is missing
            ask_token(page, server.add_token("product", "decide"))
            page.wait("document.getElementById('trouble').textContent.includes('role read')")
            page.complaints.clear()
            page.value("sessionStorage.clear(); location.reload()")
            page.wait("document.body.dataset.state === 'asking'")
            ask_token(page, server.add_token("looker", "read"))
            page.wait(shows("berg"))
            test_pictures(page, server, pictures)
            test_live(page, server)
            server.stop(signal.SIGKILL)
            page.wait("document.body.dataset.state === 'dead'")
            assert page.value("document.getElementById('tiles').textContent.includes('2,440')"), (
                "what was shown is gone"
            )
            page.picture(pictures / "dead-1280-light.png")
            page.complaints.clear()
        finally:
            server.stop()
    print("the dashboard: 3 programmes, 2 screens, light and dark, a wrong token, a dead server")


if __name__ == "__main__":
    main()
