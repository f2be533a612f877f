/**
 * Common interface for third-party clients, so that one list of checks applies to all clients.
 *
 * @module
 */

import type { MessageBuffer } from "../message_buffer.ts";

/** Result of a tool call. */
export interface Outcome {
  /** Content blocks, as returned by the client. */
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  /** Structured content. */
  readonly structuredContent?: unknown;
  /** Whether the tool failed. */
  readonly isError?: boolean;
}

/** Options for a tool call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Called with each progress notification. Supported only by clients with `hasProgress`. */
  readonly progress?: (update: unknown) => void;
}

/** A notification from the server. */
export interface ReceivedNotification {
  /** Method of the notification. */
  readonly method: string;
  /** Parameters of the notification. */
  readonly params: unknown;
}

/** A kind of input request: elicitation, sampling or roots. */
export type InputRequest = "user" | "model" | "roots";

/** A connected third-party client. Methods that the client does not support are absent. */
export interface ThirdPartyClient {
  /** Negotiated protocol version, or `undefined` if the client does not expose the version. */
  readonly version: string | undefined;
  /** Name of the server, or `undefined` if the client does not expose the server's name. */
  readonly server: string | undefined;
  /** Supported input requests. */
  readonly inputRequests: readonly InputRequest[];
  /** Whether the client forwards progress notifications. */
  readonly hasProgress: boolean;
  /** Whether aborting a call cancels the request on the server. */
  readonly cancels: boolean;
  /** Whether the client resumes a stream that the server closes before the response. */
  readonly resumesClosedStream: boolean;
  /** Received notifications. */
  readonly notifications: MessageBuffer<ReceivedNotification>;
  /** Returns the names of the tools on all pages. */
  listTools(): Promise<readonly string[]>;
  /** Calls a tool. */
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<Outcome>;
  /** Returns the URIs of all resources. */
  listResources?(): Promise<readonly string[]>;
  /** Returns all URI templates. */
  listTemplates?(): Promise<readonly string[]>;
  /** Returns the text of a resource, or its bytes in base64. */
  readResource?(uri: string): Promise<string>;
  /** Returns the names of all prompts. */
  listPrompts?(): Promise<readonly string[]>;
  /** Returns the text of the first message of a prompt. */
  getPrompt?(name: string, args: Record<string, string>): Promise<string>;
  /** Returns completions for an argument of a prompt. */
  completePrompt?(prompt: string, argument: string, value: string): Promise<readonly string[]>;
  /** Returns completions for a variable of a resource template. */
  completeTemplate?(template: string, name: string, value: string): Promise<readonly string[]>;
  /** Sends a `ping` request. */
  ping?(): Promise<unknown>;
  /** Sets the log level, which enables log messages from the server. */
  enableLogging?(): Promise<unknown>;
  /** Subscribes to changes to the tool list and to a resource. */
  subscribe?(uri: string): Promise<unknown>;
  /**
   * Calls a tool through the agent API of the client's package. Returns the result that the model
   * receives.
   */
  callAsAgent?(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Command or URL of the server. */
export type Endpoint = { readonly command: string; readonly args: string[] } | {
  readonly url: string;
};

/** Input responses that all clients return. */
export const INPUT_RESPONSES = {
  user: { action: "accept", content: { name: "Ada" } },
  model: {
    role: "assistant",
    model: "none",
    content: { type: "text", text: "Something" },
  },
  roots: { roots: [{ uri: "file:///home/ada" }] },
} as const;
