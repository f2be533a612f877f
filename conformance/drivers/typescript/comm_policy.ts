/**
 * `comm` operations on policies and proofs.
 *
 * @module
 */

import { type AgentCommMessage, createSigner, parseMessage } from "@parley/comm";
import type { Resolvable } from "@parley/comm/did";
import {
  createVerifier,
  type MessageVerifier,
  type ReplayBeginResult,
  ReplayGuard,
  type ReplayStore,
  type Reservation,
  type VerificationPolicy,
} from "@parley/comm/policy";
import { proveMessage, verifyProof } from "@parley/comm/proof";
import { toVerdict } from "./comm_message.ts";
import { resolverOf, resolvingBy } from "./comm_resolver.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  type Handles,
  isFields,
  type Operation,
  pick,
  textOf,
} from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const POLICY_OPS: Readonly<Record<string, Operation>> = {
  "comm.replayStore.new": ({ args, handles }) => ({
    handle: handles.add((now: () => number) => new ReplayGuard({ ...limitsOf(args), now })),
  }),
  "comm.replayStore.fake": ({ args, handles }) => ({
    handle: handles.add(new FakeStore(args)),
  }),
  "comm.replayStore.calls": ({ on }) => ({ calls: fakeStoreOf(on).calls }),
  "comm.verifier.new": ({ args, handles }) => ({
    handle: handles.add(new CountingVerifier(args, handles)),
  }),
  "comm.verifier.verify": async ({ on, args, signal }) =>
    toVerdict(await verifierOf(on).at(args).verify(messageOf(args), { signal })),
  "comm.verifier.begin": async ({ on, args, signal, handles }) => {
    const result = await verifierOf(on).verifier.begin(messageOf(args), { signal });
    return { ...toVerdict(result), ...(result.ok ? { handle: handles.add(result) } : {}) };
  },
  "comm.verifier.resolutions": ({ on }) => ({
    count: verifierOf(on).resolutions,
    asked: verifierOf(on).idsPassedToAllow,
  }),
  "comm.reservation.commit": async ({ on }) => await reservationOf(on).commit(),
  "comm.reservation.abort": async ({ on }) => await reservationOf(on).abort(),
  "comm.proof.verify": async ({ args, signal }) =>
    toVerdict(
      await verifyProof(messageOf(args), {
        recipient: textOf(args, "recipient"),
        now: clockOf(args),
        ...resolvingBy(args),
        signal,
        ...pick(args, "challenge", "relationship", "clockSkewMs"),
      }),
    ),
  "comm.proof.make": async ({ args, signal }) => {
    const { expires, challenge } = args;
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    const proven = await proveMessage(messageOf(args), signer, {
      created: new Date(textOf(args, "created")),
      ...(expires === undefined ? {} : { expires: new Date(textOf(args, "expires")) }),
      ...(challenge === undefined ? {} : { challenge: textOf(args, "challenge") }),
      signal,
    });
    return { message: proven.toJSON() };
  },
};

/** Creates a replay store that uses its verifier's clock. */
type CreateStore = (now: () => number) => ReplayStore;

/** A verifier that counts the resolutions of sender DIDs. */
class CountingVerifier {
  readonly verifier: MessageVerifier;
  resolutions = 0;
  /** Ids of the messages that the program was asked to accept. */
  readonly idsPassedToAllow: string[] = [];
  #now: () => number;

  constructor(args: Fields, handles: Handles) {
    this.#now = clockOf(args);
    const now = (): number => this.#now();
    const inner = resolverOf(args);
    const resolver: Resolvable = {
      resolve: (did, options) => {
        this.resolutions++;
        return inner.resolve(did, options);
      },
    };
    const replayGuard = storeOf(args, handles, now);
    this.verifier = createVerifier({
      recipient: textOf(args, "recipient"),
      // Policies in cases have the same members as the library's policies.
      policy: fieldsOf(args, "policy") as VerificationPolicy,
      resolver,
      now,
      verifyProof,
      ...(replayGuard === undefined ? {} : { replayGuard }),
      ...(args.allow === undefined ? {} : { allow: (message) => this.#ask(message, args.allow) }),
      ...pick(args, "relationship"),
    });
  }

  /**
   * Answers for the program whether a message is accepted. The answers in cases are of any type.
   */
  #ask(message: AgentCommMessage, answer: unknown): boolean {
    this.idsPassedToAllow.push(message.id);
    if (answer === "throws") throw new Error("the program failed");
    return answer as boolean;
  }

  /**
   * Returns the verifier. If the call has the argument `now`, sets the verifier's clock to it
   * first.
   */
  at(args: Fields): MessageVerifier {
    if (args.now !== undefined) this.#now = clockOf(args);
    return this.verifier;
  }
}

function storeOf(args: Fields, handles: Handles, now: () => number): ReplayStore | undefined {
  if (args.replayGuard === true) return new ReplayGuard({ now });
  if (args.replayStore === undefined) return undefined;
  const create = handles.get(args.replayStore);
  if (create instanceof FakeStore) return create;
  if (typeof create !== "function") {
    throw new BadArgs('"replayStore" must be the handle of a replay store');
  }
  // Every function among the handles was added by "comm.replayStore.new", so the cast is safe.
  return (create as CreateStore)(now);
}

function limitsOf(args: Fields): Fields {
  return pick(args, "maxEntries", "maxSharePerSender", "maxChars", "ttlMs");
}

/**
 * A replay store that returns the results given in the case, one per call, and lists its calls. If
 * the store fails, `begin` throws an error, and `commit` and `abort` return a rejected promise.
 */
class FakeStore implements ReplayStore {
  readonly ttlMs = 600_000;
  readonly calls: Fields[] = [];
  readonly #results: Fields;

  constructor(results: Fields) {
    this.#results = results;
  }

  begin(sender: string, id: string): Promise<ReplayBeginResult> {
    // The cast is unchecked, because some cases return results that the type does not allow.
    return Promise.resolve(this.#answer("begin", { sender, id }) as ReplayBeginResult);
  }

  async commit(sender: string, id: string): Promise<void> {
    await this.#answer("commit", { sender, id });
  }

  async abort(sender: string, id: string): Promise<void> {
    await this.#answer("abort", { sender, id });
  }

  #answer(method: string, entry: Fields): unknown {
    const index = this.calls.filter((call) => call.method === method).length;
    this.calls.push({ method, ...entry });
    const results = this.#results[method];
    const result: unknown = Array.isArray(results) ? results[index] : undefined;
    if (isFields(result) && result.throws === true) throw new Error("the store is unavailable");
    if (isFields(result) && result.hangs === true) return new Promise(() => {});
    if (isFields(result) && typeof result.afterMs === "number") {
      const { afterMs } = result;
      return new Promise((resolve) => setTimeout(resolve, afterMs, true));
    }
    return result;
  }
}

function fakeStoreOf(on: unknown): FakeStore {
  if (on instanceof FakeStore) return on;
  throw new BadArgs('"on" must be the handle of a fake replay store');
}

/** Returns the clock and the replay store in the arguments, if the case sets them. */
export function freshnessOf(
  args: Fields,
  handles: Handles,
): { readonly now?: () => number; readonly replayGuard?: ReplayStore } {
  if (args.now === undefined) return {};
  const now = clockOf(args);
  const replayGuard = storeOf(args, handles, now);
  return { now, ...(replayGuard === undefined ? {} : { replayGuard }) };
}

function messageOf(args: Fields): ReturnType<typeof parseMessage> {
  return parseMessage(textOf(args, "messageText"));
}

/** Creates a clock with a fixed time. */
function clockOf(args: Fields): () => number {
  const ms = Date.parse(textOf(args, "now"));
  return () => ms;
}

function verifierOf(on: unknown): CountingVerifier {
  if (on instanceof CountingVerifier) return on;
  throw new BadArgs('"on" must be the handle of a verifier');
}

function reservationOf(on: unknown): Reservation {
  if (isReservation(on)) return on;
  throw new BadArgs('"on" must be the handle of a reservation');
}

function isReservation(value: unknown): value is Reservation {
  return isFields(value) && typeof value.commit === "function" && typeof value.abort === "function";
}
