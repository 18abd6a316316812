"""Training of the engines' networks and weights: self-play on the games' kernels.

This layer is above engines and environments and below the command line. Nothing here is needed to play. Only these
modules import torch, and only when a training starts.

A game can be trained if it has an adapter, the module `ludus.games.layer(game, "training")`, with
- `CHECKPOINT`, `WEIGHTS`: file names in the training's folder;
- `OPTIONS`: the fields of `run.Options` it takes besides `seed`, `generations` and `start`;
- `MEASURE_EVERY`: generations between two measurements, by default;
- `new_learner(options, device)`, `load_learner(checkpoint, device, generations)`: a `run.Learner`.
"""
