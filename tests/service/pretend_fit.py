"""Write the files of ``fit`` at once, without a model; the argument: crash, bug, slow, early or
stubborn."""

import json
import signal
import sys
import time
from pathlib import Path

how = sys.argv[1]
Path("arguments.json").write_text(json.dumps(sys.argv[2:]))
interrupts: list[int] = []


def write(**row: object) -> None:
    with Path("progress.jsonl").open("a") as file:
        file.write(json.dumps({**row, "time": time.time()}) + "\n")


if how == "crash":
    print(
        "fit: " + str(Path("train.tsv").resolve()) + ", line 3: expected 2 columns, found 1",
        file=sys.stderr,
    )
    sys.exit(2)
if how == "bug":
    raise ZeroDivisionError("one by nothing")
# Before training interrupts are not handled, and a script's `&` has Python ignore them.
signal.signal(
    signal.SIGINT,
    signal.SIG_IGN if how in ("early", "stubborn") else lambda *_: interrupts.append(1),
)
write(phase="layers")
if how == "early":
    time.sleep(60)
write(phase="training", epochs=3, steps=30, steps_per_epoch=10)
if how == "stubborn":
    time.sleep(60)
write(epoch=0, weights=[0.3, 0.4, 0.3], gamma=1.0)
for epoch in (1, 2, 3):
    write(step=10 * epoch - 5, loss=1 / epoch)
    scores = {"train_loss": 1 / epoch, "val_loss": 1.1 / epoch, "score": 0.5 + epoch / 10}
    write(epoch=epoch, step=10 * epoch, **scores, weights=[0.3, 0.4, 0.3], gamma=1.0)
    while how == "slow" and not interrupts:
        time.sleep(0.05)
    if interrupts:
        break
write(phase="scoring")
head = Path("head")
head.mkdir(exist_ok=True)
scores = {"test": {"main": "accuracy", "accuracy": 0.8, "rows": 50, "guess": {"majority": 0.5}}}
(head / "card.json").write_text(
    json.dumps({"title": "x", "training": {"best_epoch": epoch}, "scores": scores})
)
