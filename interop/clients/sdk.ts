/**
 * The official SDK's client: what versions 1 and 2 of it have in common.
 *
 * @module
 */

import type { CallOptions, Outcome, ThirdPartyClient } from "./client.ts";

/** What even other clients call by the same names. */
export interface SingleClient {
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(
    params: { name: string; arguments: Record<string, string> },
  ): Promise<{ messages: unknown[] }>;
  complete(params: CompleteParams): Promise<{ completion: { values: string[] } }>;
}

/** The part of the SDK's client that is the same in both versions. */
export interface SdkClient extends SingleClient {
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

/** What differs between the versions and eras. */
export interface SdkSpecifics extends
  Required<
    Pick<
      ThirdPartyClient,
      "version" | "callTool" | "notifications" | "enableLogging" | "subscribe" | "close"
    >
  > {
  /** Whether there is a `ping` in the era. */
  readonly pings: boolean;
}

/** Makes a client for the checks of one of the SDK's. */
export function fromSdk(client: SdkClient, specifics: SdkSpecifics): ThirdPartyClient {
  const { pings, ...rest } = specifics;
  return {
    server: client.getServerVersion()?.name,
    answers: ["user", "model", "roots"],
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
    ...withSingles(client),
    ...(pings && { ping: () => client.ping() }),
  };
}

/** What takes one request, of any client that calls it by these names. */
export function withSingles(client: SingleClient): Singles {
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

type Singles = Pick<
  ThirdPartyClient,
  | "listTemplates"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "completePrompt"
  | "completeTemplate"
>;

/** The options of a call, as both versions want them. */
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

/** What a tool has returned. Fails when it is not the result of a tool. */
export function toOutcome(result: unknown): Outcome {
  if (typeof result === "object" && result !== null && "content" in result) {
    // The SDK has validated the rest.
    return result as Outcome;
  }
  throw new TypeError(`Not the result of a tool: ${Deno.inspect(result)}`);
}

/** The text or the base64 of the contents of a resource. */
export function bodyOf(contents: unknown): string {
  const { text, blob } = Object(contents);
  return text ?? blob;
}

/** The text of a message. */
function textOf(message: unknown): string {
  return Object(message).content.text;
}

/** Everything on all pages. */
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
