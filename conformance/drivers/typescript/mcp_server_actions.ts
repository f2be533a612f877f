/**
 * Actions of the handlers, the middleware and the schemas of described servers, implemented with
 * `@parley/mcp`.
 *
 * @module
 */

import {
  type AroundRequest,
  type InputRequest,
  McpError,
  type MethodHandler,
  type RequestContext,
  type SendExtensionNotification,
  type ServerExtension,
  type ServerRequestDescription,
  type StandardSchema,
} from "@parley/mcp/server";
import { produce } from "./mcp_values.ts";
import { BadArgs, type Fields, fieldsOf, isFields, pick } from "./operation.ts";

/** Performs actions with the context of a request. Returns the result of each action. */
export async function perform(
  actions: readonly unknown[],
  context: RequestContext,
): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const action of actions) {
    if (!isFields(action)) throw new BadArgs("an action must be an object");
    const work = act(action, context);
    results.push(action.awaits === false ? null : await outcomeOf(work, action) ?? null);
  }
  return results;
}

async function outcomeOf(work: Promise<unknown>, { catches }: Fields): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (catches === true) return "caught";
    throw error;
  }
}

async function act(action: Fields, context: RequestContext): Promise<unknown> {
  const { progress, total, message, log, logger, ask, reads, saves, copies } = action;
  if (copies === true) return await act({ ...action, copies: false }, { ...context });
  if (progress !== undefined) {
    // The values are passed unvalidated, because cases test invalid values.
    const options = { total, message } as { readonly total?: number; readonly message?: string };
    return await context.progress(Number(progress), JSON.parse(JSON.stringify(options)));
  }
  if (log !== undefined) {
    return await context.log(
      log as Parameters<RequestContext["log"]>[0],
      produce(action, null),
      logger as string | undefined,
    );
  }
  if (isFields(ask)) return await context.askAll(ask as Record<string, InputRequest>);
  if (saves === true) return context.saveState(produce(action, undefined));
  if (action.closesStream === true) return context.closeStream();
  if (action.hangs === true) return await new Promise(() => {});
  if (reads === "aborted") return context.signal.aborted;
  return context[reads as "meta"];
}

/** Creates middleware that records the requests and does what a rule for their method describes. */
export function wrapRequests(
  rules: Fields,
  requests: unknown[],
): AroundRequest<ServerRequestDescription> {
  return async (request, next) => {
    const rule = fieldsOf(rules, request.method);
    const record: Record<string, unknown> = { ...request };
    requests.push(record);
    let result: unknown;
    try {
      if (rule.hangs === true) await new Promise(() => {});
      if (rule.skips !== true) result = await next();
      record.outcome = "result";
    } catch (error) {
      record.outcome = error instanceof McpError ? error.rpcCode : "error";
      if (rule.catches !== true) throw error;
    }
    const isReplaced = ["returns", "special", "throws", "rejects"].some((name) => name in rule);
    // The library validates the result.
    return (isReplaced ? await produce(rule, undefined) : result) as Awaited<
      ReturnType<typeof next>
    >;
  };
}

/** Creates a Standard Schema that accepts each value, converts it, or reports issues. */
export function librarySchema(
  described: Fields,
  held: (() => void)[],
): StandardSchema {
  const { issues, isAsync, holds } = described;
  const json = fieldsOf(described, "json");
  const check = (value: unknown): object =>
    Array.isArray(issues) ? { issues } : { value: produce(described, value) };
  const validate = (value: unknown): object => {
    if (holds === true) {
      return new Promise((resolve) => held.push(() => resolve(check(value))));
    }
    return isAsync === true ? Promise.resolve(check(value)) : check(value);
  };
  return {
    "~standard": {
      version: 1,
      vendor: "kit",
      // The result is passed unvalidated, because the library validates it.
      validate: (value) => validate(value) as { readonly value: unknown },
      jsonSchema: {
        input: () => ({ ...json }),
        output: () => ({ ...json, ...fieldsOf(described, "outputJson") }),
      },
    },
  };
}

/** Subscriptions of clients to the notifications of described extensions. */
export interface ExtensionRecords {
  /** Functions that send a notification to a subscription, and that end it. */
  readonly subscriptions: { readonly send: SendExtensionNotification; readonly end: () => void }[];
  /** Resolves when a subscription is pending. */
  pending: PromiseWithResolvers<void>;
  /** Lets a pending subscription open. */
  open?: () => void;
  /** Number of subscriptions that were stopped. */
  stopped: number;
}

/** Creates an extension from its description. The library validates the description. */
export function describedExtension(
  described: Fields,
  records: ExtensionRecords,
  handle: (item: Fields, params: unknown, context: RequestContext) => unknown,
): ServerExtension {
  const { isOffered, capabilities, listens } = described;
  const methods = entriesOf(described, "methods").map(([name, item]) => [
    name,
    async (params: unknown, context: RequestContext) => await handle(item, params, context),
  ]);
  const wrap = entriesOf(described, "wraps").map(([name, item]) => [
    name,
    (handler: MethodHandler): MethodHandler => async (params, context) => ({
      ...await handler(params, context),
      ...fieldsOf(item, "adds"),
    }),
  ]);
  return {
    ...pick(described, "id", "settings", "open", "nameKeys"),
    methods: Object.fromEntries(methods),
    wrap: Object.fromEntries(wrap),
    ...(isOffered === undefined ? {} : { isOffered: () => isOffered }),
    ...(isFields(capabilities) ? { capabilities: () => capabilities } : {}),
    ...(isFields(listens) ? { listen: listenerOf(listens, records) } : {}),
  } as unknown as ServerExtension;
}

function entriesOf(args: Fields, name: string): readonly (readonly [string, Fields])[] {
  const members = fieldsOf(args, name);
  return Object.keys(members).map((key) => [key, fieldsOf(members, key)]);
}

function listenerOf(
  listens: Fields,
  records: ExtensionRecords,
): NonNullable<ServerExtension["listen"]> {
  return async (wanted, _subscriber, send, end) => {
    if (wanted[String(listens.key)] === undefined) return undefined;
    if (listens.hangs === true) {
      await new Promise<void>((resolve) => {
        records.open = resolve;
        records.pending.resolve();
      });
    }
    produce(listens, undefined);
    records.subscriptions.push({ send, end });
    return { accepted: { ...fieldsOf(listens, "accepts") }, stop: () => void records.stopped++ };
  };
}

/** Sends the notifications of extensions, or ends, opens or waits for their subscriptions. */
export async function driveExtensions(
  { sends, ends, opens, waits }: Fields,
  records: ExtensionRecords,
): Promise<Fields> {
  for (const { send, end } of records.subscriptions) {
    for (const sent of Array.isArray(sends) ? sends : []) {
      send(sent.method, sent.subject, { ...sent.params });
    }
    if (ends === true) end();
  }
  if (ends === true) records.subscriptions.splice(0);
  if (waits === true) await records.pending.promise;
  if (opens === true) {
    records.pending = Promise.withResolvers();
    records.open?.();
  }
  return { stopped: records.stopped };
}
