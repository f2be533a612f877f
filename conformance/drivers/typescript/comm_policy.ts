/**
 * `comm` operations on policies and proofs.
 *
 * @module
 */

import { createSigner, parseMessage } from "@parley/comm";
import type { Resolvable } from "@parley/comm/did";
import {
  createVerifier,
  type MessageVerifier,
  ReplayGuard,
  type ReplayStore,
  type Reservation,
  type VerificationPolicy,
} from "@parley/comm/policy";
import { proveMessage, verifyProof } from "@parley/comm/proof";
import { toVerdict } from "./comm_message.ts";
import { resolverOf } from "./comm_resolver.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  type Handles,
  isFields,
  type Operation,
  textOf,
} from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const POLICY_OPS: Readonly<Record<string, Operation>> = {
  "comm.replayStore.new": ({ args, handles }) => ({
    handle: handles.add((now: () => number) => new ReplayGuard({ ...limitsOf(args), now })),
  }),
  "comm.replayStore.fake": ({ args, handles }) => ({
    handle: handles.add(() => createFakeStore(args)),
  }),
  "comm.verifier.new": ({ args, handles }) => ({
    handle: handles.add(new CountingVerifier(args, handles)),
  }),
  "comm.verifier.verify": async ({ on, args, signal }) =>
    toVerdict(await verifierOf(on).verifier.verify(messageOf(args), { signal })),
  "comm.verifier.begin": async ({ on, args, signal, handles }) => {
    const result = await verifierOf(on).verifier.begin(messageOf(args), { signal });
    return { ...toVerdict(result), ...(result.ok ? { handle: handles.add(result) } : {}) };
  },
  "comm.verifier.resolutions": ({ on }) => ({ count: verifierOf(on).resolutions }),
  "comm.reservation.commit": async ({ on }) => await reservationOf(on).commit(),
  "comm.reservation.abort": async ({ on }) => await reservationOf(on).abort(),
  "comm.proof.verify": async ({ args, signal }) =>
    toVerdict(
      await verifyProof(messageOf(args), {
        recipient: textOf(args, "recipient"),
        now: clockOf(args),
        resolver: resolverOf(args),
        signal,
        ...(args.challenge === undefined ? {} : { challenge: textOf(args, "challenge") }),
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

  constructor(args: Fields, handles: Handles) {
    const now = clockOf(args);
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
    });
  }
}

function storeOf(args: Fields, handles: Handles, now: () => number): ReplayStore | undefined {
  if (args.replayGuard === true) return new ReplayGuard({ now });
  if (args.replayStore === undefined) return undefined;
  const create = handles.get(args.replayStore);
  if (typeof create !== "function") {
    throw new BadArgs('"replayStore" must be the handle of a replay store');
  }
  // Only the operations "comm.replayStore.*" add functions.
  return (create as CreateStore)(now);
}

function limitsOf(args: Fields): Fields {
  const { maxEntries, maxSharePerSender } = args;
  return {
    ...(maxEntries === undefined ? {} : { maxEntries }),
    ...(maxSharePerSender === undefined ? {} : { maxSharePerSender }),
  };
}

/** Creates a store whose `begin` returns the values given in the case, one per call, or throws. */
function createFakeStore(args: Fields): ReplayStore {
  const results = Array.isArray(args.begin) ? [...args.begin] : [];
  return {
    ttlMs: 600_000,
    begin() {
      const result = results.shift();
      if (isFields(result) && result.throws === true) throw new Error("the store is unavailable");
      return Promise.resolve(result);
    },
    commit() {},
    abort() {},
  };
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
