/**
 * State of a case that uses a driver: running operations, handles and captured values.
 *
 * @module
 */

import type { ExpectedOutcome, Matcher } from "../kit/case.ts";
import { isObject, type JsonObject } from "../kit/json.ts";
import { type Captures, show } from "../kit/match_value.ts";
import { describeExit, type Driver, type RunningOp } from "../subject/driver.ts";
import type { OpError, OpOutcome } from "../subject/driver_message.ts";
import { TIMED_OUT, waitFor } from "../subject/wait_for.ts";
import { substituteArgs } from "./substitute.ts";
import {
  assertMatch,
  crash,
  describeDifference,
  failCase,
  hang,
  untestableCase,
} from "./case_end.ts";
import { excerpt } from "../kit/escape_text.ts";

/** Options for {@linkcode DriverSession}. */
export interface SessionOptions {
  /** The subject. */
  readonly driver: Driver;
  /** Timeout for an operation, in milliseconds, after scaling. */
  readonly deadlineMs: number;
  /** Scaling factor for the durations in the case. */
  readonly scale: number;
  /** Maps the subject's error codes to those used in the cases. */
  readonly errorMap: Readonly<Record<string, string>>;
  /** Called with each result and each partial output from an operation. */
  readonly inspect?: (value: unknown) => void;
}

/** A running operation and its description for the report. */
export interface SessionOp extends RunningOp {
  /** One-line description of the call. */
  readonly sent: string;
}

/** State of a case that uses a driver. */
export class DriverSession {
  /** Captured values. */
  readonly captures: Captures = new Map();
  /** Handles for live objects, keyed by the names used in the case. */
  readonly handles: Map<string, string> = new Map();
  readonly #options: SessionOptions;

  /** Creates the session for a case. */
  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Scales a duration from the case. */
  scaled(ms: number): number {
    return ms * this.#options.scale;
  }

  /** Starts an operation. */
  start(op: string, { on, args = {} }: { on?: string; args?: JsonObject }): SessionOp {
    const { driver, deadlineMs } = this.#options;
    const handle = on === undefined ? undefined : this.handles.get(on);
    if (on !== undefined && handle === undefined) {
      throw failCase({ note: `unknown handle "${on}"` });
    }
    const filled = substituteArgs(args, this);
    const running = driver.start(op, {
      args: filled,
      deadlineMs,
      ...(handle === undefined ? {} : { on: handle }),
    });
    const sent = `${op}${on === undefined ? "" : ` on ${on}`} ${show(filled)}`;
    return { ...running, sent };
  }

  /** Aborts the signal of an operation. */
  abort({ seq }: SessionOp): void {
    this.#options.driver.abort(seq);
  }

  /** Waits for an operation and compares its result with the expectation. */
  async finish(
    { outcome, sent }: SessionOp,
    { expect = { ok: {} }, as, withinMs }: {
      expect?: ExpectedOutcome;
      as?: string | readonly string[];
      withinMs?: number;
    },
  ): Promise<void> {
    const settled = await this.#settle({ outcome, sent }, withinMs);
    this.#inspect(settled);
    this.#compare(expect, settled, sent);
    if (as !== undefined && "ok" in settled) this.#bind(as, settled.ok, sent);
  }

  /**
   * Waits for an operation and matches its whole outcome. Stores a handle in the result under the
   * name `as`.
   */
  async finishOutcome(
    op: SessionOp,
    expect: Matcher,
    { as, withinMs }: { as: string; withinMs?: number },
  ): Promise<void> {
    const outcome = await this.#settle(op, withinMs);
    assertMatch(expect, outcome, this.captures, op.sent);
    const value = "ok" in outcome ? outcome.ok : undefined;
    if (isObject(value) && typeof value.handle === "string") this.handles.set(as, value.handle);
  }

  async #settle(
    { outcome, sent }: Pick<SessionOp, "outcome" | "sent">,
    withinMs: number | undefined,
  ): Promise<OpOutcome> {
    const ms = withinMs === undefined ? this.#options.deadlineMs : this.scaled(withinMs);
    const settled = await waitFor(outcome, ms);
    if (settled === TIMED_OUT) throw hang(sent, ms);
    if ("died" in settled) throw crash(sent, `the process ${describeExit(settled.died)}`);
    return settled;
  }

  #compare(expect: ExpectedOutcome, outcome: OpOutcome, sent: string): void {
    if ("unsupported" in outcome) {
      throw untestableCase(outcome.unsupported.reason);
    }
    if ("fault" in outcome) {
      const { message, trace } = outcome.fault;
      throw failCase({
        sent,
        expected: show(expect),
        got: `an unexpected exception: ${message}`,
        ...(trace === undefined ? {} : { note: excerpt(trace, 1000) }),
      });
    }
    if ("ok" in expect && "ok" in outcome) {
      return assertMatch(expect.ok, outcome.ok ?? null, this.captures, sent);
    }
    if (expect.error !== undefined && "error" in outcome) {
      const { code = { $any: true }, ...rest } = expect.error;
      return assertMatch({ code, ...rest }, this.#translate(outcome.error), this.captures, sent);
    }
    throw failCase({
      sent,
      expected: show(expect),
      got: show(outcome),
      difference: describeDifference("$", expect, outcome),
    });
  }

  #inspect(outcome: OpOutcome): void {
    if ("ok" in outcome) this.#options.inspect?.(outcome.ok);
    const data = "error" in outcome ? outcome.error.data : undefined;
    if (isObject(data)) this.#options.inspect?.(data.partialOutput);
  }

  /** Maps the subject's error code to the code used in the cases. */
  #translate(error: OpError): OpError {
    return { ...error, code: this.#options.errorMap[error.code] ?? error.code };
  }

  #bind(as: string | readonly string[], value: unknown, sent: string): void {
    const names = typeof as === "string" ? [as] : as;
    const { handle, handles } = isObject(value) ? value : {};
    const found: unknown = typeof as === "string" ? [handle] : handles;
    if (
      !Array.isArray(found) || found.length !== names.length ||
      !found.every((each) => typeof each === "string")
    ) {
      throw failCase({ sent, expected: `handles for ${names.join(", ")}`, got: show(value) });
    }
    for (const [index, handle] of found.entries()) this.handles.set(names[index] ?? "", handle);
  }
}
