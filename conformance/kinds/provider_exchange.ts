/**
 * Record of what a subject sent to a scripted model provider, and of what it did in between. Rules
 * about a whole conversation are pure functions of this record.
 *
 * @module
 */

import type { JsonObject } from "../kit/json.ts";
import type { ProviderApi, ProviderReply } from "../kit/provider_turn.ts";

/** A request that the subject sent to the provider. */
export interface ProviderRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, as text. */
  readonly bodyText: string;
  /** Body, if it is a JSON object. */
  readonly json?: JsonObject;
}

/** A request and its response. */
export interface ProviderExchange {
  /** Position of the request in the case, in the order of arrival. The first position is 0. */
  readonly index: number;
  /** The request. */
  readonly request: ProviderRequest;
  /** The scripted response. Omitted if the script has no response for the request. */
  readonly reply?: ProviderReply;
}

/** A tool of the kit that the subject has executed. */
export interface ToolExecution {
  /** Name of the tool. */
  readonly name: string;
  /** Input that the tool received, unvalidated. */
  readonly input: unknown;
  /** Number of requests that had arrived before. */
  readonly requestsBefore: number;
}

/** Everything that a subject did in one case with a scripted provider. */
export interface ProviderRecord {
  /** API of the provider. */
  readonly api: ProviderApi;
  /** The requests with their responses, in the order of arrival. */
  readonly exchanges: readonly ProviderExchange[];
  /** The executed tools, in order. */
  readonly executions: readonly ToolExecution[];
}
