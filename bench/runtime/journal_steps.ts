/**
 * Compares a step of a file journal with a step written by hand, in turns within one process, and
 * prints one line of JSON:
 *
 *     journal_steps.ts ROUNDS
 *
 * @module
 */

import { open } from "node:fs/promises";
import { fileStore } from "@parley/runtime/file";
import { JsonlJournal } from "@parley/runtime/journal";
import { cpuUsedUs, median } from "../measure.ts";
import { HandMadeSteps } from "./hand_made_steps.ts";

const STEPS_PER_ROUND = 10;

/** Costs of a step in microseconds: medians over all rounds. */
export interface StepCosts {
  readonly parley: StepCost;
  readonly handMade: StepCost;
}

/** Cost of a step, in microseconds. */
interface StepCost {
  readonly wallUs: number;
  readonly cpuUs: number;
}

/** The measured part of a journal. */
interface Steps {
  readonly size: number;
  append(step: { v: 1; key: string; kind: "model"; value: string }): Promise<void>;
}

const value = "x".repeat(100);

async function appendSteps(steps: Steps): Promise<StepCost> {
  const [startedAt, startedCpuUs] = [performance.now(), cpuUsedUs()];
  for (let count = 0; count < STEPS_PER_ROUND; count++) {
    await steps.append({ v: 1, key: `r/i${steps.size}/model`, kind: "model", value });
  }
  return {
    wallUs: (performance.now() - startedAt) * 1000 / STEPS_PER_ROUND,
    cpuUs: (cpuUsedUs() - startedCpuUs) / STEPS_PER_ROUND,
  };
}

function medianOf(costs: readonly StepCost[]): StepCost {
  return {
    wallUs: median(costs.map(({ wallUs }) => wallUs)),
    cpuUs: median(costs.map(({ cpuUs }) => cpuUs)),
  };
}

const [rounds = 100] = Deno.args.map(Number);
const folder = await Deno.makeTempDir({ prefix: "parley-bench-" });
try {
  await using journal = await JsonlJournal.open(fileStore(`${folder}/parley.jsonl`));
  const byHand = new HandMadeSteps(await open(`${folder}/hand_made.jsonl`, "ax"));
  for (let count = 0; count < 20; count++) {
    await appendSteps(journal);
    await appendSteps(byHand);
  }
  const [parley, handMade]: [StepCost[], StepCost[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    parley.push(await appendSteps(journal));
    handMade.push(await appendSteps(byHand));
  }
  await byHand.close();
  const costs: StepCosts = { parley: medianOf(parley), handMade: medianOf(handMade) };
  console.log(JSON.stringify(costs));
} finally {
  await Deno.remove(folder, { recursive: true });
}
