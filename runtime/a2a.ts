/**
 * Agents that are served and called over the Agent2Agent protocol (A2A), version 1.0.
 *
 * {@linkcode a2aHandler} serves an agent over both bindings of HTTP, and
 * {@linkcode agentCardHandler} serves its card. {@linkcode A2aClient} calls agents, and
 * {@linkcode remoteA2aAgent} is a tool that does so.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { a2aHandler, agentCardHandler } from "@parley/runtime/a2a";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using agent = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "oracle", model: scriptedModel([{ text: "42" }]) }),
 * });
 * const handler = a2aHandler(agent, { allowAnonymous: true });
 * const card = await agentCardHandler({
 *   name: "oracle",
 *   description: "Answers difficult questions",
 *   version: "1.0.0",
 *   skills: [{ id: "answer", name: "Answer", description: "Answers a question", tags: ["math"] }],
 * }, { url: "https://oracle.example/a2a", handler });
 *
 * const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "6 times 7?" }] };
 * const headers = { "content-type": "application/json", "a2a-version": "1.0" };
 * const body = JSON.stringify({ message });
 * const url = "https://oracle.example/a2a/message:send";
 * const response = await handler(new Request(url, { method: "POST", headers, body }));
 * assertEquals((await response.json()).task.artifacts[0].parts, [{ text: "42" }]);
 * assertEquals((await card(new Request("https://oracle.example/"))).status, 200);
 * ```
 *
 * @see https://a2a-protocol.org/latest/specification/
 * @module
 */

export { A2aClient } from "./a2a/a2a_client.ts";
export type { A2aNewMessage } from "./a2a/client_message.ts";
export { type A2aHandler, a2aHandler } from "./a2a/a2a_handler.ts";
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
export type {
  A2aCallOptions,
  A2aClientOptions,
  A2aConnectOptions,
  A2aGetTaskOptions,
  A2aListTasksOptions,
  A2aSendOptions,
  PushReceiver,
} from "./a2a/client_options.ts";
export {
  A2aError,
  type A2aErrorOptions,
  type A2aErrorReason,
  type A2aProtocolErrorReason,
  type A2aStandardErrorReason,
} from "./a2a/errors.ts";
export { A2A_APPROVALS, A2A_UNIQUE_MESSAGE_IDS, type A2aExtension } from "./a2a/extensions.ts";
export type { A2aHandlerOptions } from "./a2a/handler_options.ts";
export {
  memoryPushConfigs,
  type PushAuthentication,
  type PushConfig,
  type PushConfigStore,
} from "./a2a/push_config.ts";
export type { A2aTaskPage } from "./a2a/read_task_page.ts";
export type { PushOptions } from "./a2a/push_options.ts";
export { toCanonicalCard } from "./a2a/read_card.ts";
export { remoteA2aAgent, type RemoteA2aAgentOptions } from "./a2a/remote_a2a_agent.ts";
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
export type { Fetch, HeaderValues } from "./models/endpoint.ts";
export type { JsonObject, JsonValue } from "./shared/json.ts";
