/**
 * Code shared by the clients from versions 1 and 2 of the official SDK.
 *
 * @module
 */

import type { CallOptions, Outcome, ThirdPartyClient } from "./client.ts";

/** Client methods that have the same names and signatures in several libraries. */
export interface SingleRequestClient {
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(
    params: { name: string; arguments: Record<string, string> },
  ): Promise<{ messages: unknown[] }>;
  complete(params: CompleteParams): Promise<{ completion: { values: string[] } }>;
}

/** Methods with the same signature in both versions of the SDK. */
export interface SdkClient extends SingleRequestClient {
  getServerVersion(): { readonly name: string } | undefined;
  listTools(page?: Page): Promise<{ tools: { name: string }[]; nextCursor?: string | undefined }>;
  listResources(
    page?: Page,
  ): Promise<{ resources: { uri: string }[]; nextCursor?: string | undefined }>;
  ping(): Promise<unknown>;
}

type Page = { cursor: string };

interface CompleteParams {
  ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
  argument: { name: string; value: string };
}

/** Properties that differ between versions of the SDK and protocol eras. */
export interface SdkSpecifics extends
  Required<
    Pick<
      ThirdPartyClient,
      "version" | "callTool" | "notifications" | "enableLogging" | "subscribe" | "close"
    >
  > {
  /** Whether the protocol era has the `ping` method. */
  readonly hasPing: boolean;
}

/** Adapts a client from the SDK to {@linkcode ThirdPartyClient}. */
export function fromSdk(client: SdkClient, specifics: SdkSpecifics): ThirdPartyClient {
  const { hasPing, ...rest } = specifics;
  return {
    server: client.getServerVersion()?.name,
    inputRequests: ["user", "model", "roots"],
    hasProgress: true,
    cancels: true,
    resumesClosedStream: true,
    ...rest,
    listTools: async () =>
      (await allPages((page) => client.listTools(page), ({ tools }) => tools))
        .map(({ name }) => name),
    listResources: async () =>
      (await allPages((page) => client.listResources(page), ({ resources }) => resources))
        .map(({ uri }) => uri),
    ...toSingleRequestMethods(client),
    ...(hasPing && { ping: () => client.ping() }),
  };
}

/** Adapts the SDK client's methods for single requests to the interface that the tests use. */
export function toSingleRequestMethods(client: SingleRequestClient): SingleRequestMethods {
  return {
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    readResource: async (uri) => bodyOf((await client.readResource({ uri })).contents[0]),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    getPrompt: async (name, args) =>
      textOf((await client.getPrompt({ name, arguments: args })).messages[0]),
    completePrompt: async (name, argument, value) =>
      (await client.complete({
        ref: { type: "ref/prompt", name },
        argument: { name: argument, value },
      })).completion.values,
    completeTemplate: async (uri, name, value) =>
      (await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } }))
        .completion.values,
  };
}

type SingleRequestMethods = Pick<
  ThirdPartyClient,
  | "listTemplates"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "completePrompt"
  | "completeTemplate"
>;

/** Converts the options for a call to options that both versions of the SDK accept. */
export function toSdkOptions({ signal, progress }: CallOptions): SdkCallOptions {
  return {
    ...(signal !== undefined && { signal }),
    ...(progress !== undefined && { onprogress: progress }),
  };
}

interface SdkCallOptions {
  signal?: AbortSignal;
  onprogress?: (update: unknown) => void;
}

/**
 * Converts the result of a tool call.
 *
 * @throws {TypeError} If the value is not a tool result.
 */
export function toOutcome(result: unknown): Outcome {
  if (typeof result === "object" && result !== null && "content" in result) {
    // The SDK has already validated the other properties of the tool result.
    return result as Outcome;
  }
  throw new TypeError(`"result" must be a tool result, got ${Deno.inspect(result)}`);
}

/** Returns the text of resource contents, or their bytes in base64. */
export function bodyOf(contents: unknown): string {
  const { text, blob } = Object(contents);
  return text ?? blob;
}

/** Returns the text of a message. */
function textOf(message: unknown): string {
  return Object(message).content.text;
}

/** Returns the items from all pages. */
export async function allPages<Result extends { nextCursor?: string | undefined }, Item>(
  read: (page?: Page) => Promise<Result>,
  itemsOf: (result: Result) => readonly Item[],
): Promise<readonly Item[]> {
  const first = await read();
  const items = [...itemsOf(first)];
  let cursor = first.nextCursor;
  while (cursor !== undefined) {
    const next = await read({ cursor });
    items.push(...itemsOf(next));
    cursor = next.nextCursor;
  }
  return items;
}
