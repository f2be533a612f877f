/**
 * Selects the endpoint of an agent that a client uses.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import type { AgentCard, AgentInterface } from "./agent_card.ts";
import type { ClientBinding, ClientEndpoint } from "./client_request.ts";
import { A2aError } from "./errors.ts";
import { A2A_VERSION } from "./types.ts";
import { isSupportedVersion } from "./version.ts";

/** Requirements of a client for the endpoint of an agent. */
export interface EndpointRequirements {
  /** Origins that may receive the client's credentials. */
  readonly origins: readonly string[];
  /** URIs of the extensions that the client activates. */
  readonly extensions: readonly string[];
}

/**
 * Returns the first endpoint in a card that the client supports and trusts.
 *
 * @throws {A2aError} If no endpoint is supported and trusted, or if the agent requires an extension
 * that the client does not activate.
 * @see https://a2a-protocol.org/latest/specification/#832-client-protocol-selection
 */
export function selectEndpoint(
  { capabilities, supportedInterfaces }: AgentCard,
  { extensions, origins }: EndpointRequirements,
): ClientEndpoint {
  const missing = capabilities.extensions?.find(({ required, uri }) =>
    required === true && !extensions.includes(uri)
  );
  if (missing !== undefined) {
    throw new A2aError(
      "EXTENSION_SUPPORT_REQUIRED",
      `Cannot use the agent: it requires the extension ${formatValue(missing.uri)}`,
    );
  }
  const supported = supportedInterfaces.flatMap(toEndpoint);
  // Another origin would receive the credentials of the client.
  const trusted = supported.find(({ url }) => origins.includes(new URL(url).origin));
  if (trusted !== undefined) return trusted;
  const [other] = supported;
  if (other !== undefined) {
    throw new A2aError(
      "INVALID_AGENT_RESPONSE",
      `Cannot use the agent: its endpoint ${formatValue(other.url)} is at an origin that is not ` +
        'trusted; if you trust it, add the origin to "allowedOrigins"',
    );
  }
  throw new A2aError(
    "VERSION_NOT_SUPPORTED",
    `Cannot use the agent: no endpoint supports A2A ${A2A_VERSION} with JSON-RPC or HTTP+JSON`,
  );
}

const BINDINGS: readonly ClientBinding[] = ["JSONRPC", "HTTP+JSON"];

function toEndpoint(
  { protocolBinding, protocolVersion, tenant, url }: AgentInterface,
): readonly ClientEndpoint[] {
  const binding = BINDINGS.find((name) => name === protocolBinding);
  const { password, protocol, username } = URL.parse(url) ?? {};
  const isUsable = binding !== undefined && isSupportedVersion(protocolVersion) &&
    (protocol === "https:" || protocol === "http:") && username === "" && password === "";
  return isUsable ? [{ url, binding, ...tenant !== undefined && { tenant } }] : [];
}
