/**
 * The server core: what is offered, and how a request becomes messages. No bytes, no HTTP, no sessions, no eras.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  type McpRequest,
  type McpResponse,
  type RpcRequest,
  type RpcResponse,
} from "../jsonrpc/message.ts";
import { readMessage } from "../jsonrpc/read_frame.ts";
import {
  type McpCapabilities,
  type ServerCapabilities,
  toMcpCapabilities,
} from "../protocol/capabilities.ts";
import { Method, NEEDED_CAPABILITY } from "../protocol/methods.ts";
import type { McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import type { ExchangeContext } from "./exchange_context.ts";
import { ChangeNotifier, type ChangeSource } from "./change_notifier.ts";
import { type Completers, completionMethod } from "./completion.ts";
import type {
  ServerAdvertisement,
  ServerCore,
  ServerIdentity,
  ToolHttpInfo,
} from "./server_core.ts";
import { discoverMethods } from "./discover.ts";
import { dispatch, type Dispatcher, type MethodHandler } from "./dispatch.ts";
import { extensionSettings, type ServerExtension, withExtensions } from "./extension.ts";
import { handleSingleRequest } from "./handle_single_request.ts";
import {
  assertKey,
  assertLimit,
  assertNonEmptyString,
  assertShare,
  type McpServerConfig,
} from "./server_config.ts";
import { type PromptEntry, type PromptHandler, promptMethods } from "./prompts.ts";
import { Registry } from "./registry.ts";
import { RequestStateSeal } from "./request_state.ts";
import {
  type ResourceEntry,
  type ResourceHandler,
  resourceMethods,
  type ResourceTemplateEntry,
  type ResourceTemplateHandler,
} from "./resources.ts";
import type { OutputOf, SchemaValidator, StandardSchema } from "./schema.ts";
import { listenMethod, type SubscriptionLimits } from "./subscriptions.ts";
import {
  type ToolDefinition,
  type ToolEntry,
  type ToolHandler,
  toolMethods,
  toToolEntry,
} from "./tools.ts";
import { parseUriTemplate } from "./uri_template.ts";
import { jsonSchemaValidator } from "./json_schema.ts";

/** What may accompany a prompt or a resource template. */
export interface CompletionOptions {
  /** Suggests values, by the name of the argument or variable. */
  readonly complete?: Completers;
}

/**
 * A server: register tools, resources and prompts, then serve it, as often and in as many ways as you like.
 *
 * One object answers clients of every revision of the protocol; handlers never have to know which.
 *
 * @example A server with one tool
 * ```ts
 * import { McpServer } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "adder", version: "1.0.0" });
 * server.registerTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   inputSchema: {
 *     type: "object",
 *     properties: { a: { type: "number" }, b: { type: "number" } },
 *     required: ["a", "b"],
 *   },
 * }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
 *
 * const response = await server.handleRequest({
 *   jsonrpc: "2.0",
 *   id: 1,
 *   method: "tools/call",
 *   params: { name: "add", arguments: { a: 1, b: 2 } },
 * });
 * assertEquals(response.result, { content: [{ type: "text", text: "3" }] });
 * ```
 */
export class McpServer implements ServerCore {
  /** Hears of what changes in what the server offers. */
  readonly changes: ChangeSource;
  readonly #changes = new ChangeNotifier();
  /** Who the server is. */
  readonly identity: ServerIdentity;
  /** What `Mcp-Name` repeats, for methods of extensions. */
  readonly nameKeys: ReadonlyMap<string, string>;
  readonly #extensions: readonly ServerExtension[];
  readonly #validator: SchemaValidator;
  readonly #tools: Registry<ToolEntry>;
  readonly #resources: Registry<ResourceEntry>;
  readonly #templates: Registry<ResourceTemplateEntry>;
  readonly #prompts: Registry<PromptEntry>;
  readonly #methods: ReadonlyMap<string, MethodHandler>;
  readonly #dispatcher: Dispatcher;
  #hasCompleters = false;

  /**
   * Makes a server that offers nothing yet.
   *
   * @throws {TypeError} when `name` or `version` is not a string
   * @throws {RangeError} when a limit is not a positive integer, or a share is none
   */
  constructor(config: McpServerConfig) {
    const {
      instructions,
      cache,
      pageSize = 1000,
      validator = jsonSchemaValidator(),
      maxQueuedNotifications = 1000,
      maxSubscriptionStreams = 1024,
      maxSharePerPrincipal = 0.25,
      maxResourceSubscriptions = 1000,
      requestState,
      extensions = [],
      onError = ignore,
      ...info
    } = config;
    assertNonEmptyString("name", info.name);
    assertNonEmptyString("version", info.version);
    assertLimit("pageSize", pageSize);
    assertLimit("maxQueuedNotifications", maxQueuedNotifications);
    assertLimit("maxSubscriptionStreams", maxSubscriptionStreams);
    assertLimit("maxResourceSubscriptions", maxResourceSubscriptions);
    assertShare(maxSharePerPrincipal);
    assertKey(requestState?.key);
    this.identity = {
      info,
      ...(instructions === undefined ? {} : { instructions }),
      ...(cache === undefined ? {} : { cache }),
    };
    this.#validator = validator;
    this.changes = this.#changes;
    const changed = (kind: "tools" | "resources" | "prompts") => () =>
      this.#changes.announce({ kind });
    this.#tools = new Registry("tool", changed("tools"));
    this.#resources = new Registry("resource", changed("resources"));
    this.#templates = new Registry("resource template", changed("resources"));
    this.#prompts = new Registry("prompt", changed("prompts"));
    this.#extensions = extensions;
    this.nameKeys = new Map(extensions.flatMap(({ nameKeys = {} }) => Object.entries(nameKeys)));
    const methods = this.#createMethods(pageSize, {
      maxSubscriptionStreams,
      maxSharePerPrincipal,
      maxResourceSubscriptions,
    });
    this.#methods = withExtensions(methods, extensions);
    this.#dispatcher = {
      find: (method) => this.#find(method),
      seal: new RequestStateSeal(requestState),
      maxQueuedNotifications,
      onError,
    };
  }

  /**
   * Offers a tool.
   *
   * @param tool its name, description and schemas
   * @param handler does what the tool does; its arguments fit `inputSchema`
   * @throws {McpError} `protocol_error` when a tool of that name is registered already
   */
  registerTool<Schema extends StandardSchema>(
    tool: ToolDefinition<Schema> & { readonly inputSchema: Schema },
    handler: ToolHandler<OutputOf<Schema>>,
  ): void;
  /** Offers a tool whose arguments are described by JSON Schema. */
  registerTool<Args extends object = JsonObject>(
    tool: ToolDefinition<JsonObject>,
    handler: ToolHandler<Args>,
  ): void;
  registerTool(tool: ToolDefinition, handler: ToolHandler<never>): void {
    assertNonEmptyString("tool.name", tool.name);
    // The schema in the definition is what makes the arguments of this handler's type.
    this.#tools.add(tool.name, toToolEntry(tool, handler as ToolHandler, this.#validator));
  }

  /** Takes a tool back; says whether there was one. */
  removeTool(name: string): boolean {
    return this.#tools.remove(name);
  }

  /**
   * Offers a resource.
   *
   * @param resource its URI and name
   * @param handler reads it
   * @throws {McpError} `protocol_error` when a resource of that URI is registered already
   */
  registerResource(resource: McpResource, handler: ResourceHandler): void {
    assertNonEmptyString("resource.uri", resource.uri);
    this.#resources.add(resource.uri, { descriptor: resource, read: handler });
  }

  /** Takes a resource back; says whether there was one. */
  removeResource(uri: string): boolean {
    return this.#resources.remove(uri);
  }

  /**
   * Offers a family of resources.
   *
   * @param template its URI template (RFC 6570) and name
   * @param handler reads one of them
   * @param options suggestions for its variables
   * @throws {TypeError} when the template is not valid
   * @throws {McpError} `protocol_error` when that template is registered already
   */
  registerResourceTemplate(
    template: McpResourceTemplate,
    handler: ResourceTemplateHandler,
    options: CompletionOptions = {},
  ): void {
    const { complete = {} } = options;
    assertNonEmptyString("template.uriTemplate", template.uriTemplate);
    this.#templates.add(template.uriTemplate, {
      descriptor: template,
      template: parseUriTemplate(template.uriTemplate),
      read: handler,
      completers: complete,
    });
    this.#hasCompleters ||= options.complete !== undefined;
  }

  /** Takes a family of resources back; says whether there was one. */
  removeResourceTemplate(uriTemplate: string): boolean {
    return this.#templates.remove(uriTemplate);
  }

  /**
   * Offers a prompt.
   *
   * @param prompt its name and arguments
   * @param handler fills it in
   * @param options suggestions for its arguments
   * @throws {McpError} `protocol_error` when a prompt of that name is registered already
   */
  registerPrompt(
    prompt: McpPrompt,
    handler: PromptHandler,
    options: CompletionOptions = {},
  ): void {
    const { complete = {} } = options;
    assertNonEmptyString("prompt.name", prompt.name);
    this.#prompts.add(prompt.name, { descriptor: prompt, fill: handler, completers: complete });
    this.#hasCompleters ||= options.complete !== undefined;
  }

  /** Takes a prompt back; says whether there was one. */
  removePrompt(name: string): boolean {
    return this.#prompts.remove(name);
  }

  /** Tells clients that asked for it that a resource has changed. */
  resourceUpdated(uri: string): void {
    this.#changes.announce({ kind: "resource", uri });
  }

  /** What the server offers by now. */
  capabilities(): McpCapabilities {
    return toMcpCapabilities(this.describe().capabilities);
  }

  /**
   * Answers one request, without a session. Never rejects: what goes wrong is in the response.
   *
   * @param request a request of any revision
   */
  async handleRequest(request: McpRequest): Promise<McpResponse> {
    const frame = readMessage(request);
    if (frame.kind === "invalid") {
      return failure(frame.id, { code: frame.code, message: frame.reason });
    }
    if (frame.kind !== "request") {
      const message = 'Invalid Request: "id" is missing';
      return failure(null, { code: RpcErrorCode.InvalidRequest, message });
    }
    return await handleSingleRequest(this, frame.message);
  }

  /**
   * Answers one request. Its notifications go to `exchange.emit`, all before the answer. The result is neutral: how it is
   * dressed for the wire depends on the era of the client.
   *
   * A handler that awaits its notifications goes no faster than they are taken; of others, the ones that find
   * `maxQueuedNotifications` notifications waiting are dropped.
   *
   * @throws whatever the reason of `exchange.signal` is, once that is aborted
   */
  exchange(request: RpcRequest, exchange: ExchangeContext): Promise<RpcResponse> {
    return dispatch(this.#dispatcher, request, exchange);
  }

  /** What HTTP has to know of a tool. */
  toolHttpInfo(name: string): ToolHttpInfo | undefined {
    return this.#tools.get(name);
  }

  /** Ends the streams of news and what extensions have under way. Ways of serving are ended by themselves. */
  async close(): Promise<void> {
    this.#changes.end();
    await Promise.all(this.#extensions.map((extension) => extension.close?.()));
  }

  /** Ends the streams of news. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Who the server is and what it offers by now. */
  describe(): ServerAdvertisement {
    return { ...this.identity, capabilities: this.#capabilities() };
  }

  #createMethods(pageSize: number, limits: SubscriptionLimits): Map<string, MethodHandler> {
    return new Map(Object.entries({
      ...discoverMethods(() => this.describe()),
      ...toolMethods(this.#tools, pageSize),
      ...resourceMethods(this.#resources, this.#templates, pageSize),
      ...promptMethods(this.#prompts, pageSize),
      [Method.Complete]: completionMethod({
        prompt: (name) => this.#prompts.get(name)?.completers,
        resource: (uri) => this.#templates.get(uri)?.completers ?? (this.#resources.get(uri) && {}),
      }),
      [Method.Listen]: listenMethod(
        this.changes,
        () => this.#capabilities(),
        limits,
        this.#extensions,
      ),
    }));
  }

  #capabilities(): ServerCapabilities {
    return {
      logging: {},
      ...(this.#isOffered("tools") && { tools: { listChanged: true } }),
      ...(this.#isOffered("resources") && { resources: { listChanged: true, subscribe: true } }),
      ...(this.#isOffered("prompts") && { prompts: { listChanged: true } }),
      ...(this.#isOffered("completions") && { completions: {} }),
      ...(this.#extensions.length > 0 && { extensions: extensionSettings(this.#extensions) }),
    };
  }

  #isOffered(capability: keyof ServerCapabilities): boolean {
    switch (capability) {
      case "tools":
        return this.#tools.isOffered;
      case "resources":
        return this.#resources.isOffered || this.#templates.isOffered;
      case "prompts":
        return this.#prompts.isOffered;
      case "completions":
        return this.#hasCompleters;
      default:
        return true;
    }
  }

  #find(method: string): MethodHandler | undefined {
    const needed = NEEDED_CAPABILITY.get(method);
    return needed === undefined || this.#isOffered(needed) ? this.#methods.get(method) : undefined;
  }
}

function ignore(): void {}
