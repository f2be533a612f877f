/**
 * The parts that the OpenAI-compatible endpoints have in common: options, authentication, routes,
 * and the list of models.
 *
 * @see https://platform.openai.com/docs/api-reference/models
 * @module
 */

import {
  assertCount,
  assertOptionalBoolean,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { int32From, oneOf, withMethods } from "@parley/internal/option-checks";
import {
  type DefaultName,
  type DefaultRule,
  type OptionRules,
  required,
  type RequiredRule,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { readCaller } from "../serve/caller.ts";
import { CallerPlaces } from "../serve/caller_places.ts";
import type { Caller, ServedAgent, ServedHandler } from "../serve/contracts.ts";
import { assertPath } from "../shared/path_option.ts";
import { createUiErrors, UI_RULES, type UiErrors, type UiOptions } from "../ui/front_end.ts";
import { ApiError, invalid, rateLimited, toApiError } from "./api_error.ts";

/** Options that the OpenAI-compatible endpoints have in common. */
export interface OpenAiEndpointOptions extends UiOptions {
  /**
   * The agents, keyed by model id: 1 to 256 characters. The metadata of each run contains the model
   * id, as `{ openai: { model } }`.
   */
  readonly models: Readonly<Record<string, ServedAgent>>;
  /**
   * Path of the endpoint, which precedes `/models` and the other routes. Starts with a slash and
   * does not end with one.
   *
   * @default {"/v1"}
   */
  readonly path?: string;
  /**
   * Whether requests without an authenticated caller are accepted. All of them are one caller.
   * Otherwise, they are rejected with status 401.
   *
   * @default {false}
   */
  readonly allowAnonymous?: boolean;
  /**
   * Use of system and developer messages and of `instructions` in a request: they are ignored, or
   * the model receives them as text of the user. They are never instructions of the system, because
   * the caller writes them.
   *
   * @default {"ignore"}
   */
  readonly callerInstructions?: "ignore" | "user";
  /**
   * Effect of tools that the caller declares, which an agent cannot call: the request is rejected
   * with status 400, or the tools are ignored.
   *
   * @default {"reject"}
   */
  readonly callerTools?: "reject" | "ignore";
  /**
   * Maximum size of a request body, in bytes; a positive integer. A larger body is rejected with
   * status 413.
   *
   * @default {10_485_760}
   */
  readonly maxBodyBytes?: number;
  /**
   * Maximum number of messages in a request; a positive integer. More messages are rejected with
   * status 400.
   *
   * @default {1000}
   */
  readonly maxMessages?: number;
  /**
   * Maximum number of requests of a caller that wait for a run or stream it at the same time; a
   * positive integer. Further requests are rejected with status 429.
   *
   * @default {32}
   */
  readonly maxStreamsPerCaller?: number;
  /**
   * Interval of comments that keep a stream open while the run sends nothing, in milliseconds; a
   * positive integer.
   *
   * @default {15_000}
   */
  readonly keepAliveMs?: number;
}

/** Rules for the options that the endpoints have in common. */
export const ENDPOINT_RULES: OptionRules<UiOptions> & {
  readonly models: RequiredRule;
  readonly path: DefaultRule<string>;
  readonly allowAnonymous: DefaultRule<boolean>;
  readonly callerInstructions: DefaultRule<"ignore" | "user">;
  readonly callerTools: DefaultRule<"reject" | "ignore">;
  readonly maxBodyBytes: DefaultRule<number>;
  readonly maxMessages: DefaultRule<number>;
  readonly maxStreamsPerCaller: DefaultRule<number>;
  readonly keepAliveMs: DefaultRule<number>;
} = {
  ...UI_RULES,
  models: required(assertModels),
  path: withDefault("/v1", assertPath),
  allowAnonymous: withDefault(false, assertOptionalBoolean),
  callerInstructions: withDefault("ignore", oneOf("ignore", "user")),
  callerTools: withDefault("reject", oneOf("reject", "ignore")),
  maxBodyBytes: withDefault(10_485_760, assertCount),
  maxMessages: withDefault(1000, assertCount),
  maxStreamsPerCaller: withDefault(32, assertCount),
  keepAliveMs: withDefault(15_000, int32From(1)),
};

const assertAgent = withMethods("an agent from serveSessions() or serveRuns()", [
  "start",
  "get",
  "list",
  "messages",
]);

function assertModels(name: string, value: unknown): void {
  assertRecord(name, value);
  const ids = Object.keys(value);
  if (ids.length === 0 || ids.some((id) => id === "" || id.length > 256)) {
    rejectArgument(name, "an object whose keys are model ids of 1 to 256 characters", ids);
  }
  for (const id of ids) assertAgent(`${name}.${id}`, value[id]);
}

/** Values of the options that the endpoints have in common. */
export type EndpointOptionValues = Settings<
  OpenAiEndpointOptions,
  DefaultName<typeof ENDPOINT_RULES>
>;

/** Settings of an endpoint. */
export interface EndpointSettings extends
  Pick<
    EndpointOptionValues,
    "callerInstructions" | "callerTools" | "keepAliveMs" | "maxBodyBytes" | "maxMessages"
  > {
  /** The agents, keyed by model id. */
  readonly models: ReadonlyMap<string, ServedAgent>;
  readonly errors: UiErrors;
  readonly places: CallerPlaces;
}

/** A request that was authenticated. */
export interface EndpointRequest {
  readonly request: Request;
  readonly caller: Caller;
  /** Decoded segments of the path after the name of the route. */
  readonly segments: readonly string[];
}

/** Responds to the requests for a route. */
export type EndpointRoute = (
  request: EndpointRequest,
  settings: EndpointSettings,
) => Promise<Response> | Response;

/** Creates the handler of an endpoint: its own route, and the list of models. */
export function createEndpoint(
  source: string,
  { path, allowAnonymous, errorText, onError, ...options }: EndpointOptionValues,
  own: { readonly path: string; readonly route: EndpointRoute },
): ServedHandler {
  const errors = createUiErrors(source, { errorText, onError });
  const settings: EndpointSettings = {
    ...options,
    errors,
    models: new Map(Object.entries(options.models)),
    places: new CallerPlaces(options.maxStreamsPerCaller),
  };
  const routes: readonly (readonly [string, EndpointRoute])[] = [
    [`${path}${own.path}`, own.route],
    [`${path}/models`, modelRoute(Math.floor(Date.now() / 1000))],
  ];
  return async (request, { isDenied = false, principal } = {}) => {
    try {
      if (isDenied || principal === undefined && !allowAnonymous) throw unauthorized();
      const caller = readCaller(principal);
      const { pathname } = new URL(request.url);
      for (const [prefix, route] of routes) {
        if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) continue;
        const segments = readSegments(pathname.slice(prefix.length + 1));
        return await route({ request, caller, segments }, settings);
      }
      throw unknownUrl();
    } catch (error) {
      return toApiError(error, errors).toResponse();
    }
  };
}

function unauthorized(): ApiError {
  return new ApiError(401, "A valid API key is required", {
    code: "invalid_api_key",
    headers: { "www-authenticate": "Bearer" },
  });
}

/** Returns the error for a URL without a route. */
export function unknownUrl(): ApiError {
  return new ApiError(404, "Unknown request URL", { code: "unknown_url" });
}

/** Throws if a request has another method. */
export function allow({ method }: Request, ...methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const headers = { allow: methods.join(", ") };
  throw new ApiError(405, "The URL does not support the method", {
    code: "method_not_supported",
    headers,
  });
}

function readSegments(path: string): readonly string[] {
  if (path === "") return [];
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    throw unknownUrl();
  }
}

/** A model that a request names. */
export interface EndpointModel {
  /** Id of the model. */
  readonly model: string;
  readonly agent: ServedAgent;
}

/** Returns the model that a request names. */
export function findModel({ models }: EndpointSettings, model: unknown): EndpointModel {
  if (typeof model !== "string" || model === "") throw invalid("model", "the id of a model");
  const agent = models.get(model);
  if (agent !== undefined) return { model, agent };
  throw new ApiError(404, "The model does not exist", { param: "model", code: "model_not_found" });
}

/** Takes a place for a request that waits for a run. Returns the function that gives it back. */
export function takePlace({ places }: EndpointSettings, caller: Caller): () => void {
  const leave = places.take(caller);
  if (leave === undefined) throw rateLimited();
  return leave;
}

function modelRoute(created: number): EndpointRoute {
  const toModel = (id: string): object => ({ id, object: "model", created, owned_by: "parley" });
  return ({ request, segments }, settings) => {
    allow(request, "GET");
    if (segments.length === 0) {
      const data = [...settings.models.keys()].map(toModel);
      return Response.json({ object: "list", data });
    }
    // A model id can contain slashes, which clients encode or not.
    const id = segments.join("/");
    findModel(settings, id);
    return Response.json(toModel(id));
  };
}
