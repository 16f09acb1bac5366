"""The markup of the runs in the Train tab. What came from a person, a file or a log goes through :func:`html.escape`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from elmo_tasks.api import TrainingJob
from elmo_tasks.ui import train, train_charts
from elmo_tasks.ui.downloads import actions
from elmo_tasks.ui.format import number_text
from elmo_tasks.ui.heads import TRAIN

HOW = """
<details class="card how">
<summary>How this works</summary>
<div>
<p>The language model stays as it is (it is <dfn>frozen</dfn>). It reads every text once, and a small <dfn>head</dfn> on top
learns from your examples which of its numbers go with which label. That is why a few hundred examples and a few minutes can
be enough.</p>
<ul>
<li><b>A round</b> (epoch) is one pass over the examples. After each one the head is tried on examples that were held back
from it; the round that did best there is kept.</li>
<li><b>Loss</b> is what training makes smaller: how far the head is from giving every right label full certainty. If the
line of the held-back examples rises while the other falls, the head begins to learn its examples by heart.</li>
<li><b>The test</b> at the end uses examples that nothing was chosen by. It is the number to believe; with few test examples it
is a rough one.</li>
<li><b>F1</b> weighs how many of the names it found are right against how many of the real names it found; 1.00 is perfect.
A name counts only if it begins and ends at the right words and has the right kind.</li>
<li><b>Layers:</b> a learned mix decides by itself how much to use of each layer of the language model. Layer 0 alone has no
context: train both and compare to see what context buys.</li>
</ul>
<p>Every run lies in a folder of its own below <code>runs/</code>, with its settings (<code>config.yaml</code>) and its log.
It goes on when this page is closed. The same from a terminal: <code>python -m elmo_tasks fit --config config.yaml</code></p>
</div>
</details>
"""


def waiting() -> str:
    """What is shown until the runs were looked up."""
    return '<div class="train-answer"><section class="card quiet" aria-busy="true"><p>Looking for earlier runs…</p></section></div>'


def off() -> str:
    """What is shown where training is off."""
    return (
        '<div class="train-answer train-off"><section class="card quiet"><p class="eyebrow">Training is off here</p>'
        "<h2>This app can be reached by others, so nobody can train or upload through it.</h2>"
        "<p>On your own machine it is on: <code>make app</code>. Whoever runs this app can switch it on: "
        "<code>python app.py --allow-training</code>. In a terminal, training always works: "
        f"<code>{TRAIN['classification']}</code> or <code>{TRAIN['tagging']}</code>.</p></section>{HOW}</div>"
    )


def page(jobs: Sequence[TrainingJob], shown: str | None = None) -> str:
    """The run that is shown (the one asked for, else the one that runs, else the newest), the list of all, the explanation.

    Args:
        jobs: the newest first.
        shown: name of the run that the person chose.
    """
    focus = next((job for job in jobs if job.name == shown), None) or next(
        (job for job in jobs if job.status == "running"), jobs[0] if jobs else None
    )
    busy = any(job.status in ("queued", "running") for job in jobs)
    body = _card(focus) if focus is not None else _nothing()
    body += _list(jobs, focus) if jobs else ""
    digest = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    attributes = (
        f'data-digest="{digest}" data-shown="{escape(focus.name if focus else "")}"{" data-busy" if busy else ""}'
    )
    return f'<div class="train-answer" {attributes}>{body}{HOW}</div>'


def digest_of(markup: str) -> str:
    """What a page said it is, to tell whether another one is new."""
    return markup.partition('data-digest="')[2].partition('"')[0]


def _nothing() -> str:
    return (
        '<section class="card quiet"><p class="eyebrow">No runs yet</p><h2>Press “Start training” to see one live.</h2>'
        "<p>With the sample it takes a minute or less, longer on a busy machine.</p></section>"
    )


def _card(job: TrainingJob) -> str:
    live = job.status in ("queued", "running")
    eyebrow = f"{train.STATES[job.status].capitalize()} · {escape(job.title)} · {escape(job.data)}"
    details = train.details(job)
    said = f"<pre>{escape(details)}</pre>" if job.status == "failed" else f'<p class="reasons">{escape(details)}</p>'
    # The headline is announced when it changes; the time that is left would be announced every second.
    head = f'<div><h2 role="status">{escape(train.headline(job))}</h2>{said if details else ""}</div>'
    query = urlencode({"tab": "train", "run": job.name})
    return (
        f'<section class="card verdict run is-{job.status}"><p class="eyebrow">{eyebrow}</p>{head}'
        f"{_progress(job) if job.status == 'running' else ''}{_buttons(job)}{train_charts.curves(job)}"
        f"{'' if live else _scores(job)}{_rounds(job)}"
        f"{'' if live or not job.course else actions(f'training-{job.name}', train.csv_text(job), job.to_dict(), query)}"
        "</section>"
    )


def _progress(job: TrainingJob) -> str:
    share = round(100 * train.share_done(job))
    words = f"{job.step:,} of {job.steps:,} steps" if job.steps else "preparing"
    return (
        f'<div class="progress" role="progressbar" aria-label="Training steps" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{share}" aria-valuetext="{words}"><i style="width:{share}%"></i></div>'
    )


def _buttons(job: TrainingJob) -> str:
    name = escape(job.name)
    parts = []
    if job.status == "running" and not job.stopping:
        parts.append(
            f'<button type="button" class="plain" id="train-stop" data-stop-run="{name}">Stop and keep the best</button>'
        )
    elif job.status == "running":
        parts.append(
            f'<button type="button" class="plain" id="train-stop" data-stop-run="{name}">Stop at once, keep nothing</button>'
        )
    elif job.status == "queued":
        parts.append(
            f'<button type="button" class="plain" id="train-stop" data-stop-run="{name}">Take it back</button>'
        )
    if job.head is not None and job.status != "running":
        parts.append(
            f'<button type="button" class="primary" id="train-open" data-open="{escape(job.head)}" '
            f'data-kind="{escape(job.kind)}">Open it in Try the models</button>'
        )
    return f'<div class="run-buttons">{"".join(parts)}</div>' if parts else ""


def _scores(job: TrainingJob) -> str:
    if not job.scores:
        return ""
    names = {"test": "Test", "validation": "Held back"}
    rows = "".join(
        f'<tr><th scope="row">{names.get(s.split, escape(s.split))}</th><td class="number">{s.rows:,}</td>'
        f'<td class="number">{train.value_text(s.metric, s.value)}</td>'
        f'<td class="number">{"" if s.guess is None else train.value_text(s.metric, s.guess)}</td></tr>'
        for s in job.scores
    )
    metric = "Share right" if job.scores[0].metric == "accuracy" else "F1"
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Scores"><table class="list figures scores">'
        f'<caption>Scores</caption><thead><tr><th scope="col">On</th><th scope="col" class="number">Rows</th>'
        f'<th scope="col" class="number">{metric}</th><th scope="col" class="number">Without a model</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _rounds(job: TrainingJob) -> str:
    if len(job.course) < 2:
        return ""
    layers = job.layers if job.learned and len(job.layers) > 1 else ()
    names = "".join(f'<th scope="col" class="number">Layer {escape(name)}</th>' for name in layers)
    kept = job.best_epoch

    def number(value: float | None) -> str:
        return "" if value is None else number_text(value)

    rows = []
    for e in job.course:
        score = "" if e.score is None else train.value_text(job.metric, e.score)
        shares = "".join(f'<td class="number">{number_text(weight)}</td>' for weight in e.weights[: len(layers)])
        shares += '<td class="number"></td>' * (len(layers) - len(e.weights))
        name = "start" if e.epoch == 0 else f"{e.epoch} (kept)" if e.epoch == kept else str(e.epoch)
        rows.append(
            f'<tr><th scope="row">{name}</th><td class="number">{number(e.train_loss)}</td>'
            f'<td class="number">{number(e.validation_loss)}</td><td class="number">{score}</td>{shares}</tr>'
        )
    metric = "Share right" if job.metric == "accuracy" else "F1"
    return (
        '<details class="more"><summary>Every round in numbers</summary><div class="scroll tall" role="region" tabindex="0" '
        'aria-label="Every round"><table class="list figures"><thead><tr><th scope="col">Round</th>'
        '<th scope="col" class="number">Loss</th><th scope="col" class="number">Loss, held back</th>'
        f'<th scope="col" class="number">{metric}, held back</th>{names}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        "</details>"
    )


def _list(jobs: Sequence[TrainingJob], focus: TrainingJob | None) -> str:
    rows = []
    for job in jobs:
        score = job.scores[0] if job.scores else None
        value = (
            ""
            if score is None
            else f"{train.value_text(score.metric, score.value)} {score.metric if score.metric == 'F1' else ''}"
        )
        guess = "" if score is None or score.guess is None else train.value_text(score.metric, score.guess)
        current = job is focus
        name = (
            f'<button type="button" class="link" id="run-{escape(job.name)}" data-show="{escape(job.name)}" '
            f'aria-current="{str(current).lower()}">{escape(job.title)}</button>'
        )
        rows.append(
            f'<tr><th scope="row">{name}</th><td>{escape(job.data)}</td><td>{train.STATES[job.status]}</td>'
            f'<td class="number">{value.strip()}</td><td class="number">{guess}</td><td>{_when(job.created)}</td></tr>'
        )
    return (
        '<section class="card numbers" aria-label="All runs"><h3>All runs</h3><div class="scroll tall" role="region" tabindex="0" '
        'aria-label="All runs, the newest first"><table class="list runs"><thead><tr><th scope="col">Name</th>'
        '<th scope="col">Data</th><th scope="col">State</th><th scope="col" class="number">Test score</th>'
        '<th scope="col" class="number">Without a model</th><th scope="col">Begun</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _when(created: float) -> str:
    moment = time.localtime(created)
    return f"{moment.tm_mday}\u00a0{time.strftime('%b', moment)}, {time.strftime('%H:%M', moment)}"
