"""Blocks that are not simply run, each with the reason. A block is named by its page and a line that only it has.

Whatever is listed here as `Unrunnable` is still checked: shell and JavaScript for their syntax, Python by compiling it,
and every `ludus` command against the command line's own parser.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Unrunnable(NamedTuple):
    reason: str


class Typed(NamedTuple):
    """A program that asks: these lines are typed into it."""

    lines: str


class Background(NamedTuple):
    """A program that goes on while the reader reads on, once it has printed a line like this."""

    until: str


class Fails(NamedTuple):
    """A command that ends with this exit code, as the page says."""

    code: int


Exception_ = Unrunnable | Typed | Background | Fails

LONG: Final = Unrunnable("takes minutes")
TORCH: Final = Unrunnable("needs PyTorch, which the test install leaves out")
JAX: Final = Unrunnable("needs JAX, which the test install leaves out; tests/envs/libraries/test_jax.py runs it")
LIBRARIES: Final = Unrunnable("needs a library that only make libraries installs")
GPU: Final = Unrunnable("needs a GPU with CUDA")
INSTALLS: Final = Unrunnable("installs packages; tests/newcomer does that")
NGINX: Final = Unrunnable("needs nginx; tests/web/test_mounted.py has a proxy of its own")
ELSEWHERE: Final = Unrunnable("an address or a path that only the reader has")

EXCEPTIONS: Final[dict[tuple[str, str], Exception_]] = {
    ("README.md", "make test     # all tests"): Unrunnable("this is what runs the block"),
    ("examples/README.md", "python examples/maskable_ppo.py --help"): TORCH,
    ("docs/agents.md", "from ludus.client import run_tournament"): Unrunnable("tests/client/test_pages.py runs it"),
    ("docs/add-a-game.md", 'games = batch("tictactoe", num_envs=4096, device="cuda")'): GPU,
    ("docs/envs/batch.md", "import torch"): GPU,
    ("docs/envs/batch.md", "graph = torch.cuda.CUDAGraph()"): GPU,
    ("docs/envs/checkers_v3.md", "manual_policy = checkers_v3.ManualPolicy(env, agent_id=0)"): Typed("11-15\nquit\n"),
    ("docs/envs/gymnasium.md", "from sb3_contrib import MaskablePPO"): TORCH,
    ("docs/envs/mcts.md", "import torch"): TORCH,
    ("docs/envs/afterstates.md", "python examples/td_lambda.py --out runs/td"): TORCH,
    ("docs/envs/mcts.md", "python examples/alphazero.py --out runs/alphazero"): TORCH,
    ("docs/envs/mcts.md", "python examples/alphazero.py --out runs/hour --minutes 60 --envs 512 \\"): TORCH,
    ("docs/envs/libraries.md", "from torchrl.envs import PettingZooWrapper"): TORCH,
    ("docs/envs/libraries.md", "from tianshou.env import DummyVectorEnv, PettingZooEnv"): TORCH,
    ("docs/envs/libraries.md", "from sb3_contrib import MaskablePPO"): TORCH,
    ("docs/envs/libraries.md", "from ray.rllib.algorithms.ppo import PPOConfig"): TORCH,
    ("docs/envs/libraries.md", "import supersuit"): LIBRARIES,
    ("docs/envs/libraries.md", "import shimmy"): LIBRARIES,
    ("docs/envs/openspiel.md", "pip install '.[openspiel]'"): INSTALLS,
    ("docs/envs/openspiel.md", "ludus match checkers spiel:search random --games 4"): LONG,
    ("docs/envs/jax.md", 'env = make("checkers")'): JAX,
    ("docs/envs/jax.md", 'env = make("backgammon", autoreset=True)'): JAX,
    ("docs/envs/jax.md", "import mctx"): JAX,
    ("docs/tutorial-train.md", "from sb3_contrib import MaskablePPO"): TORCH,
    ("docs/tutorial-train.md", "python examples/maskable_ppo.py --out runs/checkers"): TORCH,
    ("docs/tutorial-train.md", "python examples/ppo.py backgammon --out runs/backgammon"): TORCH,
    ("docs/tutorial-train.md", "ludus match checkers runs/ppo-checkers/policy.npz easy --games 60"): TORCH,
    ("docs/tutorial-train.md", "import torch"): TORCH,
    ("docs/tutorial-train.md", "advantages[t] = deltas[t] + LAMBDA * signs[t] * advantages[t + 1]"): TORCH,
    ("docs/training-backgammon.md", "ludus train backgammon --device cuda --minutes 30 --out runs/backgammon"): GPU,
    (
        "docs/training-backgammon.md",
        "ludus train backgammon --device cuda --minutes 9.15 --generations 1200 --every 75",
    ): GPU,
    ("docs/training-backgammon.md", "--start runs/backgammon/network.npz --width 768"): GPU,
    ("docs/training-backgammon.md", "--start runs/wider/network.npz --width 1536"): GPU,
    ("docs/training-backgammon.md", "--start runs/wide/network.npz --width 2048"): GPU,
    ("docs/training-checkers.md", "ludus train checkers --minutes 30 --out runs/checkers"): LONG,
    (
        "docs/training-checkers.md",
        "ludus train checkers --start generation-6.npz --nodes 1500 --games 8000 --generations 3 --seed 7 --minutes 9",
    ): LONG,
    ("docs/boards.md", 'const board = document.querySelector("ludus-checkers");'): Unrunnable(
        "needs a browser; tests/web/test_boards.py plays on the boards"
    ),
    ("CONTRIBUTING.md", ".venv/bin/python tests/games/playthrough.py"): Unrunnable("rewrites files of the tree"),
    ("CONTRIBUTING.md", "NUMBA_ENABLE_CUDASIM=1 .venv/bin/python tests/core/machines.py 200"): Unrunnable(
        "tests/core/test_kernel.py runs it"
    ),
    ("docs/dice.md", "ludus verify game.mat --commitment accde30f3b6190e6…"): ELSEWHERE,
    ("docs/mcp.md", "$ ludus mcp --url http://127.0.0.1:8000 --transport http --port 8765"): Background("tools are at"),
    ("docs/match.md", "$ ludus match backgammon medium easy --games 200 --seed 1 --jobs 2"): LONG,
    ("docs/rollouts.md", '$ ludus rollout "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"'): LONG,
    ("docs/rollouts.md", '$ ludus rollout "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10" --lines 2'): LONG,
    (
        "docs/rollouts.md",
        '$ ludus rollout "XGID=-b----E-C---eE---c-e----B-:0:0:1:B:0:0:3:0:10" --trials 36 --truncate 3',
    ): Unrunnable("changes with the network; tests/cli/backgammon/test_rollout.py runs it"),
    ("docs/rollouts.md", '$ ludus rollout "XGID=---BBDE-B------b-b-dd-c---:0:0:1:00:0:0:0:0:12"'): LONG,
    ("docs/operating.md", "export LUDUS_DATABASE=postgresql://ludus:password@db.example/ludus"): ELSEWHERE,
    ("docs/operating.md", "ludus webhook replay 018bcfe5-687b-7000-8000-06462265b1f5"): ELSEWHERE,
    ("docs/operating.md", "ludus tenant revoke ludus_live_f-X8Uj"): ELSEWHERE,
    ("docs/operating.md", 'ludus tenant export "My app" --player user_42 --out user_42.json'): ELSEWHERE,
    ("docs/players.md", "ludus play checkers --bot mine:cautious                        # play it yourself"): ELSEWHERE,
    ("docs/reference/cli.md", "$ ludus serve --port 0"): Unrunnable("tests/cli starts servers and reads their output"),
    ("docs/reference/cli.md", "$ ludus demo --games 2 --matches 2 --pace 0"): Unrunnable(
        "starts a server on port 8000; tests/cli plays a demo"
    ),
    ("docs/reference/cli.md", '$ ludus agent forget "Deep Thought" --yes'): ELSEWHERE,
    (
        "docs/mcp.md",
        'claude mcp add --transport http ludus http://127.0.0.1:8000/mcp --header "Authorization: Bearer KEY"',
    ): Unrunnable("needs a client of a model"),
    ("docs/reference/cli.md", "✓ All rolls follow from the seed (36)."): ELSEWHERE,
    ("docs/rooms/resume.md", "socket.onAny((event, data) => {"): Background("game:started"),
    ("docs/client-js.md", 'import { LudusRoom, seatStore } from "ludus-client";'): Unrunnable("needs a browser"),
    ("docs/client-js.md", 'import { LudusBoard, useLudusRoom } from "ludus-client/react";'): Unrunnable(
        "needs React; tests/clients renders it"
    ),
    ("docs/client-js.md", 'import type { ClientEvents, ServerEvents } from "ludus-client";'): Unrunnable(
        "needs the TypeScript compiler; tests/clients runs it"
    ),
    ("docs/install.md", "python3 -m venv .venv"): INSTALLS,
    ("docs/install.md", "uvx --from . ludus serve"): INSTALLS,
    ("docs/install.md", "pip wheel --no-deps --wheel-dir dist ."): INSTALLS,
    ("docs/releasing.md", "uv venv /tmp/oldest"): INSTALLS,
    ("docs/releasing.md", "make docs"): INSTALLS,
    ("docs/operating.md", "/opt/ludus/bin/ludus precompile"): INSTALLS,
    ("docs/tracing.md", "pip install 'ludus-games[otel]'"): INSTALLS,
    ("docs/deploy.md", "docker compose up --build --detach"): Unrunnable("needs Docker; see tests/deploy"),
    ("docs/deploy.md", "kubectl apply --kustomize deploy/kubernetes"): Unrunnable("needs Kubernetes; see tests/deploy"),
    ("docs/deploy.md", "systemctl daemon-reload"): Unrunnable("needs systemd; see tests/deploy"),
    ("docs/deploy.md", "systemctl restart ludus-worker@1"): Unrunnable("needs systemd; see tests/deploy"),
    ("docs/deploy.md", "ludus doctor --url https://games.example"): ELSEWHERE,
    ("docs/operating.md", "docker build --file deploy/Containerfile --tag ludus ."): Unrunnable("needs Docker"),
    ("docs/operating.md", "location /games/ {"): NGINX,
    ("docs/operating.md", "map $http_upgrade $connection_upgrade {"): NGINX,
    ("docs/tutorial.md", "ludus play checkers --bot random --seed 1"): Typed("11-15\nmoves\nsave first.pdn\nquit\n"),
    ("docs/tutorial.md", "ludus replay first.pdn"): Typed("\nq\n"),
    ("docs/tutorial.md", "ludus play backgammon"): Typed("moves\nquit\n"),
    ("docs/tutorial-train.md", "is_over = False"): Unrunnable("needs the policy that training has written"),
    ("docs/endgames.md", "ludus endgames build --pieces 5"): LONG,
    ("docs/match.md", "serve(agent, port=8766)"): Background("8766"),
}
