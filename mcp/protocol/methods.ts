/**
 * Request and notification methods, and the server capability that each request requires.
 *
 * @module
 */

import type { ServerCapabilities } from "./capabilities.ts";

/** Request methods. */
export const Method = {
  /**
   * Returns the server's protocol versions and capabilities; exists only in modern protocol
   * versions.
   */
  Discover: "server/discover",
  /** Opens a session; exists only in legacy protocol versions. */
  Initialize: "initialize",
  /** Checks that the peer responds; exists only in legacy protocol versions. */
  Ping: "ping",
  /** Lists the tools. */
  ListTools: "tools/list",
  /** Calls a tool. */
  CallTool: "tools/call",
  /** Lists the resources. */
  ListResources: "resources/list",
  /** Lists the resource templates. */
  ListResourceTemplates: "resources/templates/list",
  /** Reads a resource. */
  ReadResource: "resources/read",
  /** Subscribes to updates to a resource; exists only in legacy protocol versions. */
  Subscribe: "resources/subscribe",
  /** Unsubscribes from updates to a resource; exists only in legacy protocol versions. */
  Unsubscribe: "resources/unsubscribe",
  /** Lists the prompts. */
  ListPrompts: "prompts/list",
  /** Returns the messages of a prompt. */
  GetPrompt: "prompts/get",
  /** Suggests values for an argument. */
  Complete: "completion/complete",
  /** Sets the minimum level of log messages to send; exists only in legacy protocol versions. */
  SetLogLevel: "logging/setLevel",
  /** Opens a subscription stream; exists only in modern protocol versions. */
  Listen: "subscriptions/listen",
  /** Requests a message from the client's model. */
  CreateMessage: "sampling/createMessage",
  /** Requests input from the client's user. */
  Elicit: "elicitation/create",
  /** Requests the client's roots. */
  ListRoots: "roots/list",
} as const;

/** Notification methods. */
export const NotificationMethod = {
  /**
   * Sent by the client after it receives the result of `initialize`; exists only in legacy protocol
   * versions.
   */
  Initialized: "notifications/initialized",
  /** Cancels a request. */
  Cancelled: "notifications/cancelled",
  /** Reports progress on a request. */
  Progress: "notifications/progress",
  /** Sends a log message. */
  Message: "notifications/message",
  /** Sent when the list of tools changes. */
  ToolsChanged: "notifications/tools/list_changed",
  /** Sent when the list of prompts changes. */
  PromptsChanged: "notifications/prompts/list_changed",
  /** Sent when the list of resources changes. */
  ResourcesChanged: "notifications/resources/list_changed",
  /** Sent when the contents of a resource change. */
  ResourceUpdated: "notifications/resources/updated",
  /** First message on a subscription stream; exists only in modern protocol versions. */
  SubscriptionAcknowledged: "notifications/subscriptions/acknowledged",
  /** Sent by the client when its roots change; exists only in legacy protocol versions. */
  RootsChanged: "notifications/roots/list_changed",
} as const;

/** Server capability that each request requires, keyed by method. */
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
