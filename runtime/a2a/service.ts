/**
 * The agent and the settings that the operations of an A2A endpoint use.
 *
 * @module
 */

import type { CallerPlaces } from "../serve/caller_places.ts";
import type { Caller, ServedAgent } from "../serve/contracts.ts";
import { A2aError } from "./errors.ts";
import type { A2aHandlerOptions } from "./handler_options.ts";
import type { A2aExtension } from "./extensions.ts";
import type { PushNotifier } from "./push_notifier.ts";
import type { StreamResponse } from "./types.ts";

/** An agent that is served, with its settings. */
export interface A2aService {
  readonly agent: ServedAgent;
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  readonly allowAnonymous: boolean;
  readonly approvals: "operator" | "caller";
  readonly respondWith: "task" | "message";
  readonly extendedCard: A2aHandlerOptions["extendedCard"];
  readonly extensions: readonly A2aExtension[];
  readonly notifier: PushNotifier | undefined;
  readonly streams: CallerPlaces;
  readonly maxBodyBytes: number;
  readonly maxParts: number;
  readonly keepAliveMs: number;
  /** Reports an error whose text the client does not receive. */
  readonly report: (error: unknown) => void;
}

/** A request of a caller. */
export interface Exchange {
  readonly request: Request;
  readonly caller: Caller;
  /** URIs of the extensions that the request activates and the agent supports. */
  readonly activated: ReadonlySet<string>;
}

/** The result of an operation: a value, or a stream of updates. */
export type Outcome =
  | { readonly json: unknown }
  | {
    readonly updates: (signal: AbortSignal) => AsyncGenerator<StreamResponse, void>;
    /** Gives the place of the stream back. Can be called several times. */
    readonly giveBack: () => void;
  };

/**
 * Takes a place for a stream. Returns the function that gives it back.
 *
 * @throws {A2aError} With reason `RESOURCE_EXHAUSTED` if the caller has too many open streams.
 */
export function takePlace({ streams }: A2aService, caller: Caller): () => void {
  const giveBack = streams.take(caller);
  if (giveBack !== undefined) return giveBack;
  throw new A2aError("RESOURCE_EXHAUSTED", "Too many open streams");
}
