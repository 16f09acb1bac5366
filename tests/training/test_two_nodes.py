"""Two nodes under `torchrun`: the weights of one process, and a restart when a node is killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch
import yaml
from torch import distributed

from elmo_tasks.__main__ import main
from tests.training.experiment import assert_same_weights, checkpoint
from tests.training.toy_language import CERTAIN, steps, write_language
from tests.training.toy_task import write_config, write_encoder

pytestmark = [
    pytest.mark.nightly,  # two processes of one machine are in test_task_module.py
    pytest.mark.skipif(
        not distributed.is_available(), reason="this PyTorch has no torch.distributed"
    ),
]
REPOSITORY = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def nodes(port: int, *arguments: str, log: Path) -> list[subprocess.Popen[bytes]]:
    """Start `torchrun` as on two machines, which meet at a port of the first."""
    meet = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--rdzv-id", "test"]
    sizes = ["--nnodes=2", "--nproc-per-node=1", "--max-restarts=3"]
    run = ["-m", "torch.distributed.run", *sizes, *meet]
    lightning = {"num_nodes": 2, "devices": 1, "strategy": "ddp", "accelerator": "cpu"}
    two = [f"--trainer.{name}={value}" for name, value in lightning.items()]
    command = [sys.executable, *run, "-m", "elmo_tasks", "fit", *arguments, *two]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PL_TORCH_DISTRIBUTED_BACKEND": "gloo"}
    # Else processes that are started again meet at addresses of those that died.
    environment["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    started = []
    for node in range(2):
        with (log.with_name(f"node-{node}.log")).open("ab") as file:
            started.append(
                subprocess.Popen(
                    command,
                    cwd=REPOSITORY,
                    env=environment,
                    stdout=file,
                    stderr=file,
                    start_new_session=True,
                )
            )
    return started


def finished(processes: list[subprocess.Popen[bytes]], log: Path) -> None:
    try:
        codes = [process.wait(240) for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    text = "".join(log.with_name(f"node-{node}.log").read_text() for node in range(2))
    assert codes == [0, 0], text[-3000:]


def weights(path: Path) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = checkpoint(path)["state_dict"]
    return state


def test_a_head_of_two_nodes_is_that_of_one_process(tmp_path: Path) -> None:
    config = write_config(tmp_path, write_encoder(tmp_path / "toy"), "classification")
    few = [
        "--config",
        str(config),
        "--trainer.max_epochs=2",
        "--trainer.precision=32-true",
        "--data.init_args.limit_train=24",
    ]
    finished(
        nodes(free_port(), *few, "--run_dir", str(tmp_path / "two"), log=tmp_path / "log"),
        tmp_path / "log",
    )
    assert main(["fit", *few, "--run_dir", str(tmp_path / "one")]) == 0
    found, expected = (weights(tmp_path / run / "last.ckpt") for run in ("two", "one"))
    assert_same_weights(found, expected, atol=2e-4, rtol=1e-3)
    assert (tmp_path / "two" / "head" / "card.json").is_file()


def test_a_language_model_of_two_nodes_is_that_of_one_process(tmp_path: Path) -> None:
    config = str(write_language(tmp_path))
    assert main(["fit", "--config", config, "--trainer.max_steps=1", *CERTAIN]) == 0
    begun = weights(tmp_path / "run" / "last.ckpt")
    (tmp_path / "model").rename(tmp_path / "first")  # its weights are where both begin
    begin = [*CERTAIN, f"--model.init_args.start_from={tmp_path / 'first'}", "--overwrite"]
    few = ["--config", config, "--trainer.max_steps=12", "--trainer.precision=32-true", *begin]
    finished(nodes(free_port(), *few, log=tmp_path / "log"), tmp_path / "log")
    (tmp_path / "run").rename(tmp_path / "two")
    assert main(["fit", *few]) == 0
    # Adam divides by the size of a gradient: where that is nearly zero, the order of additions
    # shows.
    expected, found = (
        weights(tmp_path / "run" / "last.ckpt"),
        weights(tmp_path / "two" / "last.ckpt"),
    )
    moved = sum(float((value - begun[name]).abs().sum()) for name, value in expected.items())
    apart = sum(float((value - found[name]).abs().sum()) for name, value in expected.items())
    assert moved > 0
    assert apart < 0.05 * moved
    # Another number of processes continues where two stopped: at the same batch of the same
    # streams.
    more = ["--trainer.max_steps=20", "--ckpt_path", str(tmp_path / "two" / "last.ckpt")]
    assert main(["fit", *few, *more]) == 0
    assert checkpoint(tmp_path / "run" / "last.ckpt")["global_step"] == 20


def test_after_a_node_is_killed_training_resumes_from_the_last_checkpoint(
    tmp_path: Path,
) -> None:
    config = write_language(tmp_path)
    raw = yaml.safe_load(config.read_text())
    for callback in raw["trainer"]["callbacks"]:
        if callback["class_path"].endswith("ModelCheckpoint"):
            callback["init_args"]["every_n_train_steps"] = 5
    config.write_text(yaml.safe_dump(raw))
    command = ["--config", str(config), "--run_dir", str(tmp_path / "run"), "--resume"]
    log = tmp_path / "log"
    processes = nodes(free_port(), *command, steps(400), log=log)
    last = tmp_path / "run" / "last.ckpt"
    deadline = time.monotonic() + 200
    while not last.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
        assert all(process.poll() is None for process in processes), log.with_name(
            "node-0.log"
        ).read_text()[-3000:]
    (worker,) = psutil.Process(processes[1].pid).children()
    worker.kill()
    finished(processes, log)
    message = log.with_name("node-0.log").read_text() + log.with_name("node-1.log").read_text()
    assert "Restoring states from the checkpoint path" in message
    assert checkpoint(last)["global_step"] == 400
