/**
 * Types of the agent card, which describes an agent and the endpoints that serve it.
 *
 * @see https://a2a-protocol.org/latest/specification/#44-agent-discovery-objects
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { SecurityRequirement, SecurityScheme } from "./security_scheme.ts";
import type { AgentCapabilities } from "./types.ts";

/**
 * Path of the agent card on the origin of an agent.
 *
 * @see https://a2a-protocol.org/latest/specification/#82-discovery-mechanisms
 */
export const AGENT_CARD_PATH = "/.well-known/agent-card.json";

/**
 * Description of an agent: identity, skills, endpoints and requirements for callers.
 *
 * @see https://a2a-protocol.org/latest/specification/#441-agentcard
 */
export interface AgentCard {
  /** Name of the agent. */
  readonly name: string;
  /** Purpose of the agent, for users and other agents. */
  readonly description: string;
  /** Endpoints of the agent, the preferred one first. */
  readonly supportedInterfaces: readonly AgentInterface[];
  /** Provider of the agent. */
  readonly provider?: AgentProvider;
  /** Version of the agent. */
  readonly version: string;
  /** URL of the documentation. */
  readonly documentationUrl?: string;
  /** Optional features that the agent supports. */
  readonly capabilities: AgentCapabilities;
  /** Ways to authenticate, by name. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Alternative combinations of security schemes. A caller must satisfy one of them. */
  readonly securityRequirements?: readonly SecurityRequirement[];
  /** Media types that all skills accept. */
  readonly defaultInputModes: readonly string[];
  /** Media types that all skills produce. */
  readonly defaultOutputModes: readonly string[];
  /** Skills of the agent. */
  readonly skills: readonly AgentSkill[];
  /** Signatures of the card. */
  readonly signatures?: readonly AgentCardSignature[];
  /** URL of an icon. */
  readonly iconUrl?: string;
}

/**
 * An endpoint of an agent.
 *
 * @see https://a2a-protocol.org/latest/specification/#446-agentinterface
 */
export interface AgentInterface {
  /** URL of the endpoint. */
  readonly url: string;
  /** Protocol of the requests: `"JSONRPC"`, `"HTTP+JSON"`, `"GRPC"`, or another one. */
  readonly protocolBinding: string;
  /** Tenant that each request to this endpoint must name. */
  readonly tenant?: string;
  /** Version of A2A, for example `"1.0"`. */
  readonly protocolVersion: string;
}

/**
 * Provider of an agent.
 *
 * @see https://a2a-protocol.org/latest/specification/#442-agentprovider
 */
export interface AgentProvider {
  /** URL of the provider's website. */
  readonly url: string;
  /** Name of the provider's organization. */
  readonly organization: string;
}

/**
 * A skill of an agent.
 *
 * @see https://a2a-protocol.org/latest/specification/#445-agentskill
 */
export interface AgentSkill {
  /** Id of the skill. */
  readonly id: string;
  /** Name of the skill. */
  readonly name: string;
  /** Description of the skill. */
  readonly description: string;
  /** Keywords. */
  readonly tags: readonly string[];
  /** Examples of requests. */
  readonly examples?: readonly string[];
  /** Media types that the skill accepts, if they differ from those of the agent. */
  readonly inputModes?: readonly string[];
  /** Media types that the skill produces, if they differ from those of the agent. */
  readonly outputModes?: readonly string[];
  /** Alternative combinations of security schemes for the skill. */
  readonly securityRequirements?: readonly SecurityRequirement[];
}

/**
 * A signature of an agent card: a JSON Web Signature whose payload is the canonical card.
 *
 * @see https://a2a-protocol.org/latest/specification/#447-agentcardsignature
 */
export interface AgentCardSignature {
  /** Protected header, as base64url. */
  readonly protected: string;
  /** Signature, as base64url. */
  readonly signature: string;
  /** Unprotected header. */
  readonly header?: JsonObject;
}
