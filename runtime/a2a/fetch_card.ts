/**
 * Reads the card of an agent.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { AGENT_CARD_PATH, type AgentCard } from "./agent_card.ts";
import { requestJson } from "./client_exchange.ts";
import type { A2aConnectSettings } from "./client_options.ts";
import { readResult, resultOf } from "./client_response.ts";
import { readAgentCard, toCanonicalCard } from "./read_card.ts";

/** A card, and the origin at which it was read. */
export interface FetchedCard {
  readonly card: AgentCard;
  readonly origin: string;
}

/**
 * Requests the card of an agent, and calls the program's check of it.
 *
 * @param url Origin of the agent, or URL of its card.
 * @throws {A2aError} If the card cannot be read or is not valid.
 * @throws The error of `verifyCard`.
 * @throws The signal's reason if the signal is aborted.
 */
export async function fetchCard(url: URL, settings: A2aConnectSettings): Promise<FetchedCard> {
  const { fetch, headers, maxCardBytes: maxBytes, signal, timeoutMs, verifyCard } = settings;
  const { href, origin } = url.pathname === "/" ? new URL(AGENT_CARD_PATH, url) : url;
  const init = { headers: { accept: "application/json" } };
  const call = { fetch, headers, url: href, init, timeoutMs, maxBytes, signal };
  const card = readResult(resultOf("HTTP+JSON", await requestJson(call)), readAgentCard);
  const checking = verifyCard?.(toCanonicalCard(card), card.signatures ?? []);
  await abortable(Promise.resolve(checking), signal);
  return { card, origin };
}
