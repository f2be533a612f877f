/**
 * The scripted environment for a loop case: models, tools, approvals, conditions, repairers and
 * routers.
 *
 * @module
 */

import type { HostAnswer, HostAnswerHead, HostScript, ModelTurn, Thrown } from "../kit/case.ts";
import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { type Captures, findMismatch, type Mismatch } from "../kit/match_value.ts";
import { pluralize } from "../kit/pluralize.ts";
import type { HostReturn } from "../subject/driver.ts";
import { findTranscriptProblems, type TranscriptProblems } from "./transcript.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A gate that blocks a response until a step releases it. */
export interface Hold {
  readonly arrived: Promise<void>;
  readonly released: Promise<void>;
  readonly cancelled: Promise<void>;
  readonly arrive: () => void;
  readonly release: () => void;
  readonly cancel: () => void;
}

/** A subject's violation of the script. */
export interface ScriptViolation {
  /** The request with the violation, if any. */
  readonly sent?: string;
  /** Behavior that the script requires. */
  readonly expected: string;
  /** The subject's actual behavior. */
  readonly got: string;
}

/** Response to a call that was aborted while it was held. */
const ABORTED: HostReturn = { error: { message: "aborted" } };

/** Responds to a driver's host function calls as scripted in a case. */
export class ScriptedHost {
  readonly #script: HostScript;
  readonly #captures: Captures;
  readonly #used: Map<string, number> = new Map();
  readonly #holds: Map<string, Hold> = new Map();
  readonly #holdOfCall: Map<number, Hold> = new Map();
  readonly #log: string[] = [];
  readonly #violations: ScriptViolation[] = [];
  readonly #onTranscript: (problems: TranscriptProblems) => void;

  /**
   * Creates the host for one case.
   *
   * @param onTranscript Receives the problems of each conversation, also if there are none.
   */
  constructor(
    script: HostScript,
    captures: Captures,
    onTranscript: (problems: TranscriptProblems) => void = () => {},
  ) {
    this.#script = script;
    this.#captures = captures;
    this.#onTranscript = onTranscript;
  }

  /** Names of the functions called so far, such as `model m` and `tool add`. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** Violations so far, in order. */
  get violations(): readonly ScriptViolation[] {
    return this.#violations;
  }

  /**
   * Returns the gate with this name. The gate is created if necessary, because a step can wait for
   * a gate that no call has reached yet.
   */
  hold(name: string): Hold {
    const found = this.#holds.get(name) ?? newHold();
    this.#holds.set(name, found);
    return found;
  }

  /** Responds to a host function call. */
  async answer(fn: string, args: unknown, call: number): Promise<HostReturn> {
    const fields: Fields = isObject(args) ? args : {};
    switch (fn) {
      case "model.generate":
        return await this.#generate(fields, call);
      case "tool.execute":
        return await this.#take("tool", this.#script.tools, fields.name, fields, call);
      case "approval.decide":
        return await this.#take("approval", this.#script.approvals, fields.handler, fields, call);
      case "agent.initialize": {
        const { initializer } = fields;
        return await this.#take(
          "initializer",
          this.#script.initializers,
          initializer,
          fields,
          call,
        );
      }
      case "repair.input":
        return await this.#take("repairer", this.#script.repairers, fields.repairer, fields, call);
      case "router.route":
        return await this.#take("router", this.#script.routers, fields.router, fields, call);
      default:
        return this.#reject(`a call to "${fn}", which is not a host function`);
    }
  }

  /** Called when the signal of a host function call is aborted. */
  cancelled(call: number): void {
    this.#holdOfCall.get(call)?.cancel();
  }

  /** Adds a violation that another part of the kit has found. */
  addViolation(violation: ScriptViolation): void {
    this.#violations.push(violation);
  }

  /** Called with each event from the driver. */
  event(name: string, data: unknown): void {
    if (name !== "condition" || !isObject(data)) return;
    const answer = this.#next("condition", this.#script.conditions, data.name);
    if (answer !== undefined) this.#check(answer.expect, data.context, `condition "${data.name}"`);
  }

  /** Checks the invariants for an operation's result or error. */
  checkOutput(value: unknown): void {
    if (isObject(value) && value.messages !== undefined) this.#checkTranscript(value.messages);
  }

  /** Returns a description of each model whose turns were not all used. */
  leftOver(): readonly string[] {
    return Object.entries(this.#script.models ?? {}).flatMap(([name, turns]) => {
      const used = this.#used.get(`model ${name}`) ?? 0;
      return used < turns.length ? [`${used} of ${turns.length} turns for model "${name}"`] : [];
    });
  }

  /** Returns the scripted responses of a condition, in the form that a driver reads. */
  conditionAnswers(name: string): JsonValue {
    return (this.#script.conditions?.[name] ?? []).map((answer) =>
      "returns" in answer
        ? answer.returns
        : { throws: "throws" in answer ? answer.throws.message : "" }
    );
  }

  async #generate(request: Fields, call: number): Promise<HostReturn> {
    const name = String(request.model);
    const turns = this.#script.models?.[name];
    const index = this.#count(`model ${name}`);
    const turn = turns?.[index];
    if (turn === undefined) {
      const length = turns?.length ?? 0;
      return this.#reject(
        `call ${index + 1} to model "${name}", whose script has ${pluralize(length, "turn")}`,
      );
    }
    this.#checkTranscript(request.messages);
    this.#check(turn.expect, request, `request ${index + 1} to model "${name}"`);
    if (await this.#isAborted(turn, call)) return ABORTED;
    if ("throws" in turn) return thrown(turn.throws);
    return { ok: "malformed" in turn ? { malformed: turn.malformed } : reply(turn) };
  }

  async #take(
    kind: string,
    scripts: { readonly [name: string]: readonly HostAnswer[] } | undefined,
    name: unknown,
    args: Fields,
    call: number,
  ): Promise<HostReturn> {
    const answer = this.#next(kind, scripts, name);
    if (answer === undefined) {
      return this.#reject(`a call to ${kind} "${name}"`);
    }
    this.#check(answer.expect, args, `call to ${kind} "${name}"`);
    if (await this.#isAborted(answer, call)) return ABORTED;
    if ("throws" in answer) return thrown(answer.throws);
    if ("special" in answer) return { special: answer.special };
    return answer.stops === true ? { ok: answer.returns, stops: true } : { ok: answer.returns };
  }

  #next(
    kind: string,
    scripts: { readonly [name: string]: readonly HostAnswer[] } | undefined,
    name: unknown,
  ): HostAnswer | undefined {
    const answers = scripts?.[String(name)] ?? [];
    return answers[Math.min(this.#count(`${kind} ${name}`), answers.length - 1)];
  }

  /**
   * Counts a call to a scripted function. Returns the number of earlier calls to the same function.
   */
  #count(key: string): number {
    const before = this.#used.get(key) ?? 0;
    this.#used.set(key, before + 1);
    this.#log.push(key);
    return before;
  }

  /** Waits until a step releases the call. Returns true if the call's signal was aborted first. */
  async #isAborted({ hold: name, ignoresAbort }: HostAnswerHead, call: number): Promise<boolean> {
    if (name === undefined) return false;
    const hold = this.hold(name);
    this.#holdOfCall.set(call, hold);
    hold.arrive();
    const released = hold.released.then(() => false);
    if (ignoresAbort === true) return await released;
    return await Promise.race([released, hold.cancelled.then(() => true)]);
  }

  #check(expected: JsonValue | undefined, actual: unknown, what: string): void {
    if (expected === undefined) return;
    const mismatch = findMismatch(expected, actual, this.#captures);
    if (mismatch !== undefined) this.#violations.push(toViolation(mismatch, what));
  }

  #checkTranscript(messages: unknown): void {
    if (!(this.#script.invariants ?? ["transcript"]).includes("transcript")) return;
    this.#onTranscript(findTranscriptProblems(messages));
  }

  #reject(got: string): HostReturn {
    this.#violations.push({ expected: "only calls that the script allows", got });
    return { error: { message: `The script does not allow ${got}` } };
  }
}

function toViolation({ path, expected, got }: Mismatch, sent: string): ScriptViolation {
  return { sent, expected: `${expected} at ${path}`, got };
}

function reply(turn: ModelTurn & { readonly reply: JsonObject }): JsonObject {
  return { usage: { inputTokens: 0, outputTokens: 0 }, ...turn.reply };
}

function thrown({ message, retryable, status, retryAfterMs, tellModel }: Thrown): HostReturn {
  return {
    error: {
      message,
      ...(retryable === undefined ? {} : { retryable }),
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(tellModel === undefined ? {} : { tellModel }),
    },
  };
}

function newHold(): Hold {
  const [arrived, arrive] = gate();
  const [released, release] = gate();
  const [cancelled, cancel] = gate();
  return { arrived, released, cancelled, arrive, release, cancel };
}

function gate(): readonly [Promise<void>, () => void] {
  let open = (): void => {};
  return [new Promise<void>((resolve) => open = resolve), open];
}
