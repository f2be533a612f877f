/**
 * Cases of kind `script`: sequential and parallel operations on live objects.
 *
 * @module
 */

import type { OpStep, ScriptCase } from "../kit/case.ts";
import { show } from "../kit/match_value.ts";
import { TIMED_OUT, waitFor } from "../subject/wait_for.ts";
import type { DriverSession, SessionOp } from "./driver_session.ts";
import { failCase, untestableCase } from "./case_end.ts";

/** Default duration for the step "pending", in milliseconds. */
const PENDING_MS = 40;

/**
 * Runs the steps in order.
 *
 * @throws {CaseEnd} If a step fails; later steps are not run.
 */
export async function runScript({ steps }: ScriptCase, session: DriverSession): Promise<void> {
  const player = new OpPlayer(session);
  for (const step of steps) await player.play(step);
}

/** Runs steps and tracks the running operations. */
export class OpPlayer {
  readonly #session: DriverSession;
  readonly #running: Map<string, SessionOp> = new Map();

  /** Creates a player for the steps of one case. */
  constructor(session: DriverSession) {
    this.#session = session;
  }

  /** Runs one step. */
  async play(step: OpStep): Promise<void> {
    const session = this.#session;
    if ("do" in step) return await session.finish(session.start(step.do, step), step);
    if ("start" in step) {
      this.#running.set(step.as, session.start(step.start, step));
      return;
    }
    if ("await" in step) return await session.finish(this.#find(step.await), step);
    if ("pending" in step) return await this.#watch(step.pending, step.forMs ?? PENDING_MS);
    session.abort(this.#find(step.abort));
  }

  /**
   * Waits until an operation reports `unsupported`, then rejects. Never resolves.
   *
   * @throws {CaseEnd} If an operation is unsupported.
   */
  async unsupported(): Promise<never> {
    return await Promise.race([...this.#running.values()].map(async ({ outcome }) => {
      const settled = await outcome;
      if (!("unsupported" in settled)) return await new Promise<never>(() => {});
      throw untestableCase(settled.unsupported.reason);
    }));
  }

  async #watch(names: readonly string[], ms: number): Promise<void> {
    const first = await waitFor(
      Promise.race(names.map(async (name) => ({ name, outcome: await this.#find(name).outcome }))),
      ms,
    );
    if (first === TIMED_OUT) return;
    if ("unsupported" in first.outcome) throw untestableCase(first.outcome.unsupported.reason);
    throw failCase({
      sent: this.#find(first.name).sent,
      expected: `no result for ${ms} ms`,
      got: show(first.outcome),
    });
  }

  #find(name: string): SessionOp {
    const op = this.#running.get(name);
    if (op === undefined) throw failCase({ note: `no operation was started as "${name}"` });
    return op;
  }
}
