/**
 * The names of requests and notifications, and the capability that each request needs.
 *
 * @module
 */

import type { ServerCapabilities } from "./capabilities.ts";

/** Request methods. */
export const Method = {
  /** Which versions and capabilities has the server? Stateless era. */
  Discover: "server/discover",
  /** Opens a session. Handshake era. */
  Initialize: "initialize",
  /** Are you there? Handshake era. */
  Ping: "ping",
  /** Lists the tools. */
  ListTools: "tools/list",
  /** Calls a tool. */
  CallTool: "tools/call",
  /** Lists the resources. */
  ListResources: "resources/list",
  /** Lists the templates of resources. */
  ListResourceTemplates: "resources/templates/list",
  /** Reads a resource. */
  ReadResource: "resources/read",
  /** Asks for news of a resource. Handshake era. */
  Subscribe: "resources/subscribe",
  /** Takes that back. Handshake era. */
  Unsubscribe: "resources/unsubscribe",
  /** Lists the prompts. */
  ListPrompts: "prompts/list",
  /** Fills in a prompt. */
  GetPrompt: "prompts/get",
  /** Completes an argument that a person is typing. */
  Complete: "completion/complete",
  /** Sets the level of log messages. Handshake era. */
  SetLogLevel: "logging/setLevel",
  /** Opens a stream of news. Stateless era. */
  Listen: "subscriptions/listen",
  /** Asks the client for a model's answer. */
  CreateMessage: "sampling/createMessage",
  /** Asks the client's user. */
  Elicit: "elicitation/create",
  /** Asks the client for its roots. */
  ListRoots: "roots/list",
} as const;

/** Notification methods. */
export const NotificationMethod = {
  /** The client has understood the answer to `initialize`. */
  Initialized: "notifications/initialized",
  /** A request is not wanted any more. */
  Cancelled: "notifications/cancelled",
  /** How far a request has come. */
  Progress: "notifications/progress",
  /** A log message. */
  Message: "notifications/message",
  /** The tools have changed. */
  ToolsChanged: "notifications/tools/list_changed",
  /** The prompts have changed. */
  PromptsChanged: "notifications/prompts/list_changed",
  /** The resources have changed. */
  ResourcesChanged: "notifications/resources/list_changed",
  /** A resource has changed. */
  ResourceUpdated: "notifications/resources/updated",
  /** The first message of a stream of news. */
  SubscriptionAcknowledged: "notifications/subscriptions/acknowledged",
  /** The client's roots have changed. Handshake era. */
  RootsChanged: "notifications/roots/list_changed",
} as const;

/** The part of a server's capabilities that it has to declare before it may be asked for a method. */
export const NEEDED_CAPABILITY: ReadonlyMap<string, keyof ServerCapabilities> = new Map([
  [Method.ListTools, "tools"],
  [Method.CallTool, "tools"],
  [Method.ListResources, "resources"],
  [Method.ListResourceTemplates, "resources"],
  [Method.ReadResource, "resources"],
  [Method.Subscribe, "resources"],
  [Method.Unsubscribe, "resources"],
  [Method.ListPrompts, "prompts"],
  [Method.GetPrompt, "prompts"],
  [Method.Complete, "completions"],
  [Method.SetLogLevel, "logging"],
]);
