/**
 * Methods of requests and notifications, and the server capability that each request requires.
 *
 * @module
 */

import type { ServerCapabilities } from "./capabilities.ts";

/** Request methods. */
export const Method = {
  /** Returns the protocol versions and capabilities of the server. Modern era only. */
  Discover: "server/discover",
  /** Initializes a session. Legacy era only. */
  Initialize: "initialize",
  /** Checks that the peer responds. Legacy era only. */
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
  /** Subscribes to updates of a resource. Legacy era only. */
  Subscribe: "resources/subscribe",
  /** Unsubscribes from updates of a resource. Legacy era only. */
  Unsubscribe: "resources/unsubscribe",
  /** Lists the prompts. */
  ListPrompts: "prompts/list",
  /** Returns the messages of a prompt. */
  GetPrompt: "prompts/get",
  /** Suggests values for an argument. */
  Complete: "completion/complete",
  /** Sets the lowest level of log messages to send. Legacy era only. */
  SetLogLevel: "logging/setLevel",
  /** Opens a subscription stream. Modern era only. */
  Listen: "subscriptions/listen",
  /** Requests a message from the model of the client. */
  CreateMessage: "sampling/createMessage",
  /** Requests input from the user of the client. */
  Elicit: "elicitation/create",
  /** Requests the roots of the client. */
  ListRoots: "roots/list",
} as const;

/** Notification methods. */
export const NotificationMethod = {
  /** Sent by the client after it has received the result of `initialize`. Legacy era only. */
  Initialized: "notifications/initialized",
  /** Cancels a request. */
  Cancelled: "notifications/cancelled",
  /** Reports the progress of a request. */
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
  /** First message of a subscription stream. Modern era only. */
  SubscriptionAcknowledged: "notifications/subscriptions/acknowledged",
  /** Sent by the client when its roots change. Legacy era only. */
  RootsChanged: "notifications/roots/list_changed",
} as const;

/** Server capability that each request requires, by method. */
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
