#!/bin/bash
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# A sweep in 20 parts, on nodes that share a folder: sbatch slurm.sh, then beaconry merge part-*.jsonl. Not run: adapt the files.
#SBATCH --array=1-20
#SBATCH --cpus-per-task=4
beaconry sweep rooms-sweep.yaml --shard "$SLURM_ARRAY_TASK_ID/20" --jobs "$SLURM_CPUS_PER_TASK" \
    --output "part-$SLURM_ARRAY_TASK_ID.jsonl"
