/**
 * One case's use of a driver: operations with deadlines, outcomes compared, handles and captures remembered.
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
import { assertMatch, crash, failCase, hang, untestableCase } from "./case_end.ts";

/** What a session needs to know. */
export interface SessionOptions {
  /** The subject. */
  readonly driver: Driver;
  /** How long an operation may take, in milliseconds, scaled. */
  readonly deadlineMs: number;
  /** By how much to stretch the times that a case names. */
  readonly scale: number;
  /** The subject's codes by ours, for subjects with codes of their own. */
  readonly errorMap: Readonly<Record<string, string>>;
  /** Called with every value and every partial output of an operation. */
  readonly inspect?: (value: unknown) => void;
}

/** An operation under way, with the words for the report. */
export interface SessionOp extends RunningOp {
  /** What was called, in one line. */
  readonly sent: string;
}

/** The state of one case with a driver. */
export class DriverSession {
  /** What the case remembers. */
  readonly captures: Captures = new Map();
  /** Live objects by the names that the case gives them. */
  readonly handles: Map<string, string> = new Map();
  readonly #options: SessionOptions;

  /** Makes the session of a case that has begun. */
  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Stretches a time that a case names. */
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

  /** Fires the abort signal of an operation. */
  abort({ seq }: SessionOp): void {
    this.#options.driver.abort(seq);
  }

  /** Waits for an operation and compares what it comes to. */
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

  /** Waits for an operation and compares its outcome as a whole; a handle in it gets a name. */
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
    if ("died" in settled) throw crash(sent, describeExit(settled.died));
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
        got: `a fault: ${message}`,
        ...(trace === undefined ? {} : { note: trace.slice(0, 1000) }),
      });
    }
    if ("ok" in expect && "ok" in outcome) {
      return assertMatch(expect.ok, outcome.ok ?? null, this.captures, sent);
    }
    if (expect.error !== undefined && "error" in outcome) {
      const { code = { $any: true }, ...rest } = expect.error;
      return assertMatch({ code, ...rest }, this.#translate(outcome.error), this.captures, sent);
    }
    throw failCase({ sent, expected: show(expect), got: show(outcome) });
  }

  #inspect(outcome: OpOutcome): void {
    if ("ok" in outcome) this.#options.inspect?.(outcome.ok);
    const data = "error" in outcome ? outcome.error.data : undefined;
    if (isObject(data)) this.#options.inspect?.(data.partialOutput);
  }

  /** The subject's code in our words. */
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
