# SPDX-License-Identifier: MIT
"""The story of docs/embedding.md over HTTP, with participants made up here; standard library only.

A health programme of 60 days: twice a day a decision for each of 200 people, reports that come late
or never, no calls in the evening, at most two calls a week. After 50 days it is extended by two
weeks. In the end the server stays open to be looked at.

    python3 examples/serve/demo.py build/lgkt [FOLDER [ADDRESS]]
"""

import http.client
import json
import pathlib
import random
import subprocess
import sys

PEOPLE, DAYS, EXTENDED, LONGER = 200, 60, 50, 14
ACTIONS = ["nothing", "message", "plan", "call"]
CONFIG = {
    "name": "activity",
    "learner": "auto",
    "actions": ACTIONS,
    "state": [
        {"name": "engagement", "values": 5},
        {"name": "contacted", "values": 3},
        {"name": "time", "values": ["morning", "evening"]},
    ],
    "horizon": 2 * DAYS * PEOPLE,
    "unit_limit": PEOPLE,
    "patience": 2 * 20 * PEOPLE,
    "seed": 42,
    "floor": 0.02,
    "fallback": [0.7, 0.2, 0.1, 0],
    "reward_range": [0, 1],
    "limits": [{"action": "call", "max": 2, "window": "P7D"}],
}


class Person:
    """How active somebody is: more where a message or a plan comes now and then, less where they
    are asked all the time."""

    def __init__(self, chance):
        self.chance = chance
        self.engagement, self.contacted = chance.randrange(5), 0
        self.likes = chance.choice(["message", "plan"])

    def state(self, time):
        return {"engagement": self.engagement, "contacted": self.contacted, "time": time}

    def live(self, action):
        moved = {"nothing": -0.1, "message": 0.1, "plan": 0.1, "call": 0.4}[action]
        moved += 0.25 * (action == self.likes) - 0.35 * self.contacted * (action != "nothing")
        step = self.chance.random()
        if step < abs(moved):
            self.engagement = min(4, max(0, self.engagement + (1 if moved > 0 else -1)))
        self.contacted = min(2, max(0, self.contacted + (1 if action != "nothing" else -1)))
        active = 0.15 * self.engagement + 0.1 * self.chance.random()
        return round(max(0.0, active - 0.1 * (action == "call")), 3)


class Client:
    def __init__(self, port, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method, path, body=None, **headers):
        lines = {
            **self.headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        self.connection.request(method, path, json.dumps(body) if body is not None else None, lines)
        answer = self.connection.getresponse()
        told = json.loads(answer.read())
        if answer.status >= 400:
            raise SystemExit(f"demo: {method} {path}: {told['detail']}")
        return told


def play(client):
    chance = random.Random(7)
    people = [Person(chance) for _ in range(PEOPLE)]
    late, sums, path = [], [], "/v1/programmes/activity"
    for half in range(2 * (DAYS + LONGER)):
        day, time = half // 2, ["morning", "evening"][half % 2]
        if day == EXTENDED and time == "morning":
            client.ask(
                "PATCH",
                path,
                {"horizon": 2 * (DAYS + LONGER) * PEOPLE, "reason": "two weeks more"},
                Idempotency_Key="extended",
                If_Match="*",
            )
        allowed = {} if time == "morning" else {"allowed": ACTIONS[:3]}
        occasions = [
            {"unit": f"participant-{i}", "state": person.state(time), **allowed}
            for i, person in enumerate(people)
        ]
        made = client.ask(
            "POST",
            f"{path}/decisions:batch",
            {"decisions": occasions},
            Idempotency_Key=f"{day}/{time}",
        )["decisions"]
        rewards = [person.live(one["action"]) for person, one in zip(people, made)]
        sums.append(sum(rewards) / PEOPLE)
        # reports come after zero to four half days, and 15 of 100 never
        late += [
            (half + chance.randrange(5), one["decision"], reward)
            for one, reward in zip(made, rewards)
            if chance.random() >= 0.15
        ]
        due = [
            {"decision": number, "reward": reward} for when, number, reward in late if when <= half
        ]
        late = [one for one in late if one[0] > half]
        if due:
            client.ask("POST", f"{path}/reports", due)
        if half == 2 * DAYS:
            reasons = client.ask(
                "POST", f"{path}/explain", {"unit": "participant-0", "state": people[0].state(time)}
            )
            print(
                f"why, for participant-0 on day {day + 1}: "
                + ", ".join(
                    f"{one['action']} {one['probability']:.2f}" for one in reasons["actions"]
                )
            )
        if half % 20 == 19:
            print(
                f"day {day + 1:2}: activity {sum(sums[-20:]) / 20:.3f} in the last ten days",
                flush=True,
            )


def main():
    if len(sys.argv) < 2:
        raise SystemExit("usage: demo.py LGKT [FOLDER [ADDRESS]]")
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "serve-demo")
    listen = sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1:8077"
    if (folder / "activity.db").exists():
        raise SystemExit(
            f"demo: {folder} has the programme already; remove the folder to play it again"
        )
    server = subprocess.Popen(
        [sys.argv[1], "serve", "--data", str(folder), "--listen", listen],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port = None
        for line in server.stdout:
            if line.startswith("serving"):
                port = int(line.strip().rstrip("/").rsplit(":", 1)[1])
                break
        if port is None:
            raise SystemExit(1)
        token = (folder / "token").read_text().strip()
        client = Client(port, token)
        client.ask("POST", "/v1/programmes", CONFIG, Idempotency_Key="make")
        play(client)
        print(
            f"look at http://127.0.0.1:{port}/ with the token {token}\nCtrl-C ends it", flush=True
        )
        server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
