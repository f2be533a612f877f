/**
 * What the clients of others have in common, so that one list of checks fits them all.
 *
 * @module
 */

import type { MessageBuffer } from "../message_buffer.ts";

/** What a tool has returned. */
export interface Outcome {
  /** The content, as the client hands it out. */
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  /** The structured content. */
  readonly structuredContent?: unknown;
  /** Whether the tool has failed. */
  readonly isError?: boolean;
}

/** How a tool is called. */
export interface CallOptions {
  /** Gives up. */
  readonly signal?: AbortSignal;
  /** Hears of progress. Only clients with `hasProgress` call it. */
  readonly progress?: (update: unknown) => void;
}

/** Something that a server has told. */
export interface ReceivedNotification {
  /** What it is about. */
  readonly method: string;
  /** The rest. */
  readonly params: unknown;
}

/** What a server may ask a client. */
export type InputRequest = "user" | "model" | "roots";

/** A client that somebody else wrote, connected. What it has no way to do is absent. */
export interface ThirdPartyClient {
  /** The version of the protocol that it speaks with the server, if it tells. */
  readonly version: string | undefined;
  /** How the server has introduced itself, if it tells. */
  readonly server: string | undefined;
  /** Which questions it answers. */
  readonly answers: readonly InputRequest[];
  /** Whether it hands progress on. */
  readonly hasProgress: boolean;
  /** Whether aborting a call tells the server. */
  readonly cancels: boolean;
  /** Whether it comes back for the result when the server lets it go. */
  readonly resumesClosedStream: boolean;
  /** What servers have told it. */
  readonly notifications: MessageBuffer<ReceivedNotification>;
  /** The names of all tools, all pages. */
  listTools(): Promise<readonly string[]>;
  /** Calls a tool. */
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<Outcome>;
  /** The URIs of all resources. */
  listResources?(): Promise<readonly string[]>;
  /** All URI templates. */
  listTemplates?(): Promise<readonly string[]>;
  /** The text, or the bytes in base64, of a resource. */
  readResource?(uri: string): Promise<string>;
  /** The names of all prompts. */
  listPrompts?(): Promise<readonly string[]>;
  /** The text of a prompt's first message. */
  getPrompt?(name: string, args: Record<string, string>): Promise<string>;
  /** Completes an argument of a prompt. */
  completePrompt?(prompt: string, argument: string, value: string): Promise<readonly string[]>;
  /** Completes a variable of a resource template. */
  completeTemplate?(template: string, name: string, value: string): Promise<readonly string[]>;
  /** Asks for a sign of life. */
  ping?(): Promise<unknown>;
  /** Makes the server send its log messages. */
  enableLogging?(): Promise<unknown>;
  /** Makes the server tell of changes to its tools and to a resource. */
  subscribe?(uri: string): Promise<unknown>;
  /** Calls a tool the way that the client's own agents do, and gives what their model would see. */
  callAsAgent?(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** How a client gets to the server. */
export type Endpoint = { readonly command: string; readonly args: string[] } | {
  readonly url: string;
};

/** The answers that clients give. */
export const INPUT_RESPONSES = {
  user: { action: "accept", content: { name: "Ada" } },
  model: {
    role: "assistant",
    model: "none",
    content: { type: "text", text: "Something" },
  },
  roots: { roots: [{ uri: "file:///home/ada" }] },
} as const;
