/**
 * Agents that are served over the Agent2Agent protocol (A2A), version 1.0.
 *
 * ```ts
 * import { A2aError } from "@parley/runtime/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(new A2aError("TASK_NOT_FOUND").code, -32001);
 * ```
 *
 * @see https://a2a-protocol.org/latest/specification/
 * @module
 */

export {
  AGENT_CARD_PATH,
  type AgentCard,
  type AgentCardSignature,
  type AgentInterface,
  type AgentProvider,
  type AgentSkill,
} from "./a2a/agent_card.ts";
export {
  agentCardHandler,
  type AgentCardHandlerOptions,
  type AgentDescription,
} from "./a2a/agent_card_handler.ts";
export {
  A2aError,
  type A2aErrorOptions,
  type A2aErrorReason,
  type A2aProtocolErrorReason,
  type A2aStandardErrorReason,
} from "./a2a/errors.ts";
export { toCanonicalCard } from "./a2a/read_card.ts";
export type {
  APIKeySecurityScheme,
  AuthorizationCodeOAuthFlow,
  ClientCredentialsOAuthFlow,
  DeviceCodeOAuthFlow,
  HTTPAuthSecurityScheme,
  ImplicitOAuthFlow,
  MutualTlsSecurityScheme,
  OAuth2SecurityScheme,
  OAuthFlows,
  OpenIdConnectSecurityScheme,
  PasswordOAuthFlow,
  SecurityRequirement,
  SecurityScheme,
  StringList,
} from "./a2a/security_scheme.ts";
export type {
  A2aAgentExtension,
  A2aArtifact,
  A2aArtifactUpdate,
  A2aMessage,
  A2aPart,
  A2aPartDetails,
  A2aRole,
  A2aStatusUpdate,
  A2aTask,
  A2aTaskState,
  A2aTaskStatus,
  AgentCapabilities,
  SendMessageResponse,
  StreamResponse,
} from "./a2a/types.ts";
export type { JsonObject, JsonValue } from "./shared/json.ts";
