/**
 * The MCP server, which registers tools, resources and prompts, and handles requests. The server
 * does not depend on transports, sessions or protocol eras.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { assertPrincipal } from "../shared/principal.ts";
import type { McpRequest, McpResponse, RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import { type McpCapabilities, toMcpCapabilities } from "../protocol/capabilities.ts";
import { assertFunction } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { defined } from "@parley/internal/json";
import type { McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import type { ExchangeContext, Principal } from "./exchange_context.ts";
import type { Change } from "./change_bus.ts";
import { ChangeNotifier, type ChangeSource } from "./change_notifier.ts";
import type { CompletionOptions } from "./completion.ts";
import type {
  ServerAdvertisement,
  ServerCore,
  ServerIdentity,
  ToolHttpInfo,
} from "./server_core.ts";
import { createDispatcher, dispatch, type Dispatcher } from "./dispatch.ts";
import {
  allCanSeeResource,
  closeExtensions,
  listenToExtensions,
  type ServerExtension,
} from "./extension.ts";
import type {
  ExtensionSubscription,
  SendExtensionNotification,
  Subscriber,
} from "./extension_subscription.ts";
import { handleMessage } from "./handle_single_request.ts";
import { implementationOf, type McpServerConfig, readServerConfig } from "./server_config.ts";
import { MethodTable } from "./method_table.ts";
import type { PromptDefinition, PromptHandler } from "./prompts.ts";
import { Registries } from "./registries.ts";
import type { RegisteredItem, RegisteredNames } from "./registry.ts";
import { RequestStateSeal } from "./request_state.ts";
import type { ResourceHandler } from "./resources.ts";
import type { ResourceTemplateHandler, ResourceTemplateOptions } from "./resource_templates.ts";
import type { OutputOf, StandardSchema } from "./schema.ts";
import type { ToolDefinition, ToolHandler } from "./tools.ts";
import type { ServerRegistration } from "./registration.ts";

/**
 * A Model Context Protocol server. Register tools, resources and prompts, then serve clients over
 * one or more transports.
 *
 * One server supports clients of every protocol version. Handlers do not depend on the protocol
 * version.
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
export class McpServer implements ServerCore, ServerRegistration {
  /** Source of changes to lists and resources. */
  readonly changes: ChangeSource;
  readonly #changes: ChangeNotifier;
  /** Name, version and instructions of the server. */
  readonly identity: ServerIdentity;
  /**
   * Names of the request parameters that the `Mcp-Name` header mirrors, keyed by extension method.
   */
  readonly nameKeys: ReadonlyMap<string, string>;
  readonly #extensions: readonly ServerExtension[];
  readonly #closeTimeoutMs: number;
  readonly #items: Registries;
  readonly #methods: MethodTable;
  readonly #dispatcher: Dispatcher;

  /**
   * Creates a server without tools, resources or prompts.
   *
   * @param config Name, version and options of the server.
   * @param others Must be empty. Options in a second argument, which the servers of other libraries
   * accept, would have no effect.
   * @throws {TypeError} If there is a second argument, if an option does not have the documented
   * type, if `name` or `version` is empty, or if an extension's method is already registered.
   * @throws Any error that the `attach` function of an extension throws.
   * @throws {RangeError} If a limit is not a positive integer, if `maxSharePerPrincipal` is not
   * greater than 0 and at most 1, if a key in `requestState.keys` is not 32 bytes long, or if
   * `cache` has an invalid value.
   */
  constructor(config: McpServerConfig, ...others: readonly never[]) {
    if (others.length > 0) {
      throw new TypeError('"McpServer" must have one argument; add the options to the first');
    }
    const settings = readServerConfig(config);
    const { instructions, cache, changeBus, closeTimeoutMs, extensions } = settings;
    const report = createErrorReporter("McpServer", settings.onError);
    this.identity = { info: implementationOf(settings), ...defined({ instructions, cache }) };
    this.#changes = new ChangeNotifier(report, changeBus && { ...settings, changeBus });
    this.changes = this.#changes;
    this.#items = new Registries(settings, (change) => this.#changes.announce(change), report);
    this.#extensions = extensions;
    this.#closeTimeoutMs = closeTimeoutMs;
    this.nameKeys = new Map(extensions.flatMap(({ nameKeys = {} }) => Object.entries(nameKeys)));
    const seal = new RequestStateSeal(settings.requestState);
    const options = { ...settings, seal, onError: report };
    this.#methods = new MethodTable(this, this.#items, extensions, options);
    this.#dispatcher = createDispatcher(this.#methods, options);
    for (const extension of extensions) extension.attach?.(this);
  }

  /**
   * Registers a tool whose input schema is a Standard Schema.
   *
   * @param tool Name, description and schemas of the tool.
   * @param handler Implements the tool. Called with arguments that match `inputSchema`.
   * @throws {TypeError} If the definition or the handler is invalid.
   * @throws {McpError} With code `protocol_error` if a tool with this name is already registered.
   */
  registerTool<Schema extends StandardSchema>(
    tool: ToolDefinition<Schema> & { readonly inputSchema: Schema },
    handler: ToolHandler<OutputOf<Schema>>,
  ): void;
  /** Registers a tool whose input schema is a JSON Schema; otherwise like the other overload. */
  registerTool<Args extends object = JsonObject, Input extends JsonObject = JsonObject>(
    tool: ToolDefinition<Input>,
    handler: ToolHandler<Args>,
  ): void;
  registerTool(tool: ToolDefinition, handler: ToolHandler<never>): void {
    // A handler in the definition is a frequent mistake, which the error for a missing handler
    // explains better.
    assertFunction("handler", handler);
    // The input is validated against the schema before the handler runs, so it has the handler's
    // argument type.
    this.#items.addTool(tool, handler as ToolHandler);
  }

  /**
   * Replaces a tool, at the same position in the list. Clients receive one notification. Calls in
   * progress continue with the replaced tool.
   *
   * @param name Name of the tool to replace. The new tool can have another name.
   * @param tool Whole definition of the new tool, whose input schema is a Standard Schema.
   * @param handler Function that implements the tool. If omitted, the tool keeps its handler.
   * @throws {TypeError} If `tool` or `handler` is invalid; see {@linkcode McpServer.registerTool}.
   * @throws {McpError} With code `protocol_error` if no tool has the name, or if another tool has
   * the new name.
   */
  updateTool<Schema extends StandardSchema>(
    name: string,
    tool: ToolDefinition<Schema> & { readonly inputSchema: Schema },
    handler?: ToolHandler<OutputOf<Schema>>,
  ): void;
  /** Replaces a tool whose input schema is a JSON Schema; otherwise like the other overload. */
  updateTool<Args extends object = JsonObject, Input extends JsonObject = JsonObject>(
    name: string,
    tool: ToolDefinition<Input>,
    handler?: ToolHandler<Args>,
  ): void;
  updateTool(name: string, tool: ToolDefinition, handler?: ToolHandler<never>): void {
    // As in `registerTool()`, the input has the handler's argument type.
    this.#items.updateTool(name, tool, handler as ToolHandler | undefined);
  }

  /** Removes a tool. Returns `true` if the tool was registered. */
  removeTool(name: string): boolean {
    return this.#items.tools.remove(name);
  }

  /**
   * Registers a resource.
   *
   * @param resource URI, name and description of the resource.
   * @param handler Function that returns the contents of the resource.
   * @throws {TypeError} If the URI is empty, the name is not a string, JSON cannot represent the
   * resource's description, or the handler is not a function.
   * @throws {McpError} With code `protocol_error` if a resource with this URI is already
   * registered.
   */
  registerResource(resource: McpResource, handler: ResourceHandler): void {
    this.#items.addResource(resource, handler);
  }

  /** Replaces a resource, like {@linkcode McpServer.updateTool} replaces a tool. */
  updateResource(uri: string, resource: McpResource, handler?: ResourceHandler): void {
    this.#items.updateResource(uri, resource, handler);
  }

  /** Removes a resource. Returns `true` if the resource was registered. */
  removeResource(uri: string): boolean {
    return this.#items.resources.remove(uri);
  }

  /**
   * Registers a resource template.
   *
   * @param template URI template (RFC 6570), name and description of the resource template.
   * @param handler Function that returns the contents of a resource.
   * @param options Completers for the variables of the URI template, and a function that lists
   * resources of the template.
   * @throws {TypeError} If the URI template is invalid, the name is not a string, JSON cannot
   * represent the resource template's description, the handler or a completer is not a function, or
   * a completer belongs to no variable.
   * @throws {McpError} With code `protocol_error` if a resource template with this URI template is
   * already registered.
   */
  registerResourceTemplate(
    template: McpResourceTemplate,
    handler: ResourceTemplateHandler,
    options: ResourceTemplateOptions = {},
  ): void {
    this.#items.addTemplate(template, handler, options);
  }

  /**
   * Replaces a resource template, like {@linkcode McpServer.updateTool} replaces a tool. If
   * `options` are omitted, the template keeps its completers and its list.
   */
  updateResourceTemplate(
    uriTemplate: string,
    template: McpResourceTemplate,
    handler?: ResourceTemplateHandler,
    options?: ResourceTemplateOptions,
  ): void {
    this.#items.updateTemplate(uriTemplate, template, handler, options);
  }

  /** Removes a resource template. Returns `true` if the resource template was registered. */
  removeResourceTemplate(uriTemplate: string): boolean {
    return this.#items.templates.remove(uriTemplate);
  }

  /**
   * Registers a prompt.
   *
   * @param prompt Name and description of the prompt, and its `arguments` or `argumentsSchema`.
   * @param handler Function that returns the messages of the prompt.
   * @param options Completers for the arguments.
   * @throws {TypeError} If the name is empty, JSON cannot represent the prompt's description,
   * `arguments` is not an array of named arguments, `argumentsSchema` is not a Standard Schema for
   * objects, the handler or a completer is not a function, or a completer does not belong to any
   * argument.
   * @throws {McpError} With code `protocol_error` if a prompt with this name is already registered.
   */
  registerPrompt<Args = Readonly<Record<string, string>>>(
    prompt: McpPrompt | PromptDefinition<Args>,
    handler: PromptHandler<Args>,
    options: CompletionOptions = {},
  ): void {
    this.#items.addPrompt(prompt, handler, options);
  }

  /**
   * Replaces a prompt, like {@linkcode McpServer.updateTool} replaces a tool. If `options` are
   * omitted, the prompt keeps its completers.
   */
  updatePrompt<Args = Readonly<Record<string, string>>>(
    name: string,
    prompt: McpPrompt | PromptDefinition<Args>,
    handler?: PromptHandler<Args>,
    options?: CompletionOptions,
  ): void {
    this.#items.updatePrompt(name, prompt, handler, options);
  }

  /** Removes a prompt. Returns `true` if the prompt was registered. */
  removePrompt(name: string): boolean {
    return this.#items.prompts.remove(name);
  }

  /** Sends an update notification to all clients that are subscribed to a resource. */
  resourceUpdated(uri: string): void {
    this.#changes.announce({ kind: "resource", uri });
  }

  /**
   * Notifies all clients that are subscribed to a list that the list has changed. Call this method
   * only for items of an extension and for resources that a template lists: registering, updating
   * and removing items sends the notification.
   *
   * @param kind List that has changed.
   * @param subject Subject of the only principal whose list has changed, or `null` for
   * unauthenticated clients. If omitted, all clients are notified.
   */
  listChanged(kind: "tools" | "resources" | "prompts", subject?: string | null): void {
    this.#changes.announce(subject === undefined ? { kind } : { kind, subject });
  }

  /** Returns the declared capabilities. */
  capabilities(): McpCapabilities {
    return toMcpCapabilities(this.describe().capabilities);
  }

  /**
   * Handles one request without a session. Never rejects; errors are returned in the response. A
   * request whose members cannot be read, such as a proxy that throws, is an internal error.
   *
   * @param request JSON-RPC request in any protocol version.
   */
  async handleRequest(request: McpRequest): Promise<McpResponse> {
    return await handleMessage(this, request);
  }

  /** Handles one request; see {@linkcode ServerCore.exchange}. */
  exchange(request: RpcRequest, exchange: ExchangeContext): Promise<RpcResponse> {
    const { principal } = exchange;
    if (principal !== undefined) assertPrincipal("exchange.principal", principal);
    return dispatch(this.#dispatcher, request, exchange);
  }

  /** Reports an error to {@linkcode McpServerConfig.onError}; see {@linkcode ServerCore.report}. */
  report(error: unknown): void {
    this.#dispatcher.onError(error);
  }

  /** Returns the HTTP metadata of a tool; see {@linkcode ServerCore.toolHttpInfo}. */
  toolHttpInfo(name: string, principal: Principal | undefined): ToolHttpInfo | undefined {
    const tool = this.#items.tools.get(name, principal);
    if (tool !== undefined) return tool;
    for (const extension of this.#extensions) {
      const info = extension.toolHttpInfo?.(name, principal);
      if (info !== undefined) return info;
    }
    return undefined;
  }

  /** Returns the names of the registered items, even of those that no principal can see. */
  registered(kind: RegisteredItem["kind"]): RegisteredNames {
    return this.#items.names(kind);
  }

  /**
   * Returns `true` if a principal can see a URI; see {@linkcode ServerRegistration.canSeeResource}.
   */
  canSeeResource(uri: string, principal: Principal | undefined): boolean {
    return this.#items.canSeeResource(uri, principal) &&
      allCanSeeResource(this.#extensions, uri, principal);
  }

  /** Returns `true` if a principal can see a change; see {@linkcode ServerCore.canSeeChange}. */
  canSeeChange(change: Change, principal: Principal | undefined): boolean {
    return change.kind === "resource"
      ? this.canSeeResource(change.uri, principal)
      : this.#items.canSeeListChange(change, principal);
  }

  /** Subscribes a client to all extensions; see {@linkcode ServerCore.listenToExtensions}. */
  listenToExtensions(
    wanted: JsonObject,
    subscriber: Subscriber,
    send: SendExtensionNotification,
    end: () => void,
  ): Promise<readonly ExtensionSubscription[]> {
    const { onError } = this.#dispatcher;
    return listenToExtensions(this.#extensions, onError, wanted, subscriber, send, end);
  }

  /**
   * Ends all subscription streams, disconnects from the change bus and stops the extensions'
   * operations, each for at most `closeTimeoutMs`. Close the server's transports separately.
   *
   * @throws The error of an extension that fails, after all other extensions have closed.
   */
  async close(): Promise<void> {
    const options = { timeoutMs: this.#closeTimeoutMs, onError: this.#dispatcher.onError };
    await Promise.all([this.#changes.end(), closeExtensions(this.#extensions, options)]);
  }

  /** Closes the server. Equivalent to {@linkcode McpServer.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the server's identity and capabilities. */
  describe(): ServerAdvertisement {
    return { ...this.identity, capabilities: this.#methods.capabilities };
  }
}
