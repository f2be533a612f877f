/**
 * Cases of kind `loop`: an agent in a scripted environment.
 *
 * @module
 */

import type { HostStep, LoopCase, OpStep } from "../kit/case.ts";
import type { JsonObject, JsonValue } from "../kit/json.ts";
import { Verdict } from "../kit/verdict.ts";
import { TIMED_OUT, waitFor } from "../subject/wait_for.ts";
import type { DriverSession } from "./driver_session.ts";
import type { ScriptedHost } from "./scripted_host.ts";
import { assertMatch, CaseEnd, failCase } from "./case_end.ts";
import { OpPlayer } from "./script.ts";

/** Default timeout for the steps "held" and "cancelled", in milliseconds. */
const WAIT_MS = 2000;

/**
 * Runs the steps, then checks that all model turns in the script were used and no rule was
 * violated.
 *
 * @throws {CaseEnd} On the first violation of the script.
 */
export async function runLoop(
  { steps }: LoopCase,
  session: DriverSession,
  host: ScriptedHost,
): Promise<void> {
  await playSteps(steps, session, host);
  const [left] = host.leftOver();
  if (left !== undefined) {
    throw failCase({ expected: "all model turns in the script to be used", got: left });
  }
}

/**
 * Runs the steps of a case with a scripted host.
 *
 * @throws {CaseEnd} On the first violation of the script.
 */
export async function playSteps(
  steps: readonly (OpStep | HostStep)[],
  session: DriverSession,
  host: ScriptedHost,
): Promise<void> {
  const player = new OpPlayer(session);
  for (const step of steps) {
    const play = isOpStep(step)
      ? player.play(withConditions(step, host))
      : playHostStep(step, host, session, player);
    await play.catch((error: unknown) => throwFirst(host, error));
    throwViolation(host);
  }
}

function isOpStep(step: OpStep | HostStep): step is OpStep {
  return ["do", "start", "await", "pending", "abort"].some((name) => name in step);
}

async function playHostStep(
  step: HostStep,
  host: ScriptedHost,
  session: DriverSession,
  player: OpPlayer,
): Promise<void> {
  if ("release" in step) return host.hold(step.release).release();
  if ("log" in step) return assertMatch(step.log, host.log, session.captures, "the host's log");
  const [name, arrival] = "held" in step
    ? [step.held, host.hold(step.held).arrived] as const
    : [step.cancelled, host.hold(step.cancelled).cancelled] as const;
  const ms = session.scaled(step.withinMs ?? WAIT_MS);
  // The wait also ends if the operation is unsupported, because the subject then never calls the
  // host.
  if (await waitFor(Promise.race([arrival, player.unsupported()]), ms) !== TIMED_OUT) return;
  const [what, got] = "held" in step
    ? ["the call", "no call"] as const
    : ["the cancellation of the call", "no cancellation"] as const;
  throw failCase({ expected: `${what} held as "${name}" within ${ms} ms`, got });
}

/**
 * Throws the first violation instead of a failed step's error, because the violation is usually the
 * cause.
 */
function throwFirst(host: ScriptedHost, error: unknown): never {
  const isFailure = error instanceof CaseEnd && error.run.verdict === Verdict.Fail;
  if (isFailure) throwViolation(host);
  throw error;
}

function throwViolation({ violations }: ScriptedHost): void {
  const [first] = violations;
  if (first !== undefined) throw failCase(first);
}

/**
 * Adds the scripted results of custom stop conditions to the arguments of the operation, because a
 * synchronous condition cannot ask the host for its result.
 */
function withConditions(step: OpStep, host: ScriptedHost): OpStep {
  if (!("args" in step) || step.args === undefined) return step;
  return { ...step, args: fillConditions(step.args, host) };
}

function fillConditions(args: JsonObject, host: ScriptedHost): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      name === "custom" && typeof value === "string"
        ? { name: value, answers: host.conditionAnswers(value) }
        : deepen(value, host),
    ]),
  );
}

function deepen(value: JsonValue, host: ScriptedHost): JsonValue {
  if (isList(value)) return value.map((each) => deepen(each, host));
  return typeof value === "object" && value !== null ? fillConditions(value, host) : value;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
