/**
 * The registry of an agent's tools.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { abortable } from "@parley/internal/abortable";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { AgentError } from "../shared/error.ts";
import { defined } from "@parley/internal/json";
import type { ToolDefinition } from "../shared/model.ts";
import type { SchemaValidator } from "../shared/schema.ts";
import type { Schema } from "../shared/typed_schema.ts";
import { jsonSchemaValidator } from "./json_schema.ts";
import { followMcpTools } from "./follow_mcp_tools.ts";
import {
  assertMcpSource,
  convertMcpTools,
  type McpToolLike,
  type McpToolOptions,
  type McpTools,
  type McpToolSettings,
  type McpToolSource,
} from "./mcp_tools.ts";
import type { RegisteredTool, ToolIdentity } from "./registered_tool.ts";
import {
  readMcpOptions,
  readRegisterOptions,
  readRegistryOptions,
  type RegisterOptions,
  type RegisterSettings,
  type ToolRegistryOptions,
} from "./registry_options.ts";
import type { Tool, ToolSpec } from "./tool.ts";
import {
  readInputSchema,
  readTool,
  type ToolInput,
  type ToolMembers,
  unchecked,
} from "./tool_input.ts";

export type { RegisteredTool, ToolIdentity } from "./registered_tool.ts";
export type { RegisterOptions, ToolRegistryOptions } from "./registry_options.ts";

/**
 * A registry of tools, keyed by name, in registration order.
 *
 * @example Register tools and create a subset
 * ```ts
 * import { ToolRegistry } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const registry = new ToolRegistry([
 *   { name: "now", inputSchema: { type: "object" }, execute: () => "12:00" },
 *   { name: "reboot", inputSchema: { type: "object" }, execute: () => "never" },
 * ]);
 * const harmless = registry.subset(["now"]);
 * assertEquals(harmless.names(), ["now"]);
 *
 * registry.unregister("now");
 * assertEquals(harmless.names(), []); // removed from the subset, too
 * ```
 */
export class ToolRegistry implements Iterable<Tool> {
  readonly #validator: SchemaValidator;
  /**
   * Tools, keyed by name. In a subset, only the names are used, and the tools are read from the
   * parent registry.
   */
  readonly #tools: Map<string, RegisteredTool> = new Map();
  /**
   * Names of the hidden tools. A subset registry contains only granted tools, so no tool is hidden
   * in it.
   */
  readonly #hidden: Set<string> = new Set();
  /** Parent registry, if this registry is a subset. */
  #parent: ToolRegistry | undefined;
  #grantedBy = "";
  #revision = 0;
  #removals = 0;
  #definitions: readonly ToolDefinition[] | undefined;
  #definedAt = 0;

  /**
   * Creates a registry.
   *
   * @param tools Tools to register.
   * @param options JSON Schema validator.
   * @throws {TypeError} If a tool has no valid name, schema or `execute` function.
   * @throws {AgentError} With code `core` if two tools have the same name.
   */
  constructor(tools: Iterable<Tool> = [], options: ToolRegistryOptions = {}) {
    const { validator } = readRegistryOptions(options);
    if (typeof tools === "string" || typeof Object(tools)[Symbol.iterator] !== "function") {
      rejectArgument("tools", "an array of tools", tools);
    }
    this.#validator = validator ?? jsonSchemaValidator();
    for (const tool of tools) this.register(tool);
  }

  /** Number of tools, including hidden tools. */
  get size(): number {
    return this.names().length;
  }

  /** Validator for JSON Schema. A subset uses the validator of its parent registry. */
  get validator(): SchemaValidator {
    return this.#parent?.validator ?? this.#validator;
  }

  /** Number that increases with every change to the registry. */
  get revision(): number {
    return this.#revision + (this.#parent?.revision ?? 0);
  }

  /**
   * Registers a tool.
   *
   * @typeParam S Type of the input schema, from which the input type is inferred.
   * @param tool Tool to register.
   * @param options Whether the tool may replace a registered tool, and whether the tool is hidden.
   * @throws {TypeError} If the tool has no valid name, schema or `execute` function, or has a
   * member that would be ignored, such as `needsApproval`.
   * @throws {RangeError} If the tool's `timeoutMs` is not a non-negative number.
   * @throws {AgentError} With code `core` if a tool with the same name is already registered.
   * @throws {AgentError} With code `delegation_failed` if this registry is a subset of another
   * registry.
   */
  register<S extends Schema>(tool: ToolSpec<S>, options: RegisterOptions = {}): void {
    this.#assertWritable();
    const settings = readRegisterOptions(options);
    const members = readTool(tool);
    this.#add(tool, { ...members, ...readInputSchema(tool, this.#validator) }, settings);
  }

  /**
   * Registers the tools from a Model Context Protocol server. If one tool cannot be registered, no
   * tools are registered. If the server lists several tools with the same name, the first one is
   * registered, and the name is reported to `onError`. Unless the `validator` option is set, only
   * the server validates the arguments, because validation against a malicious schema could take
   * unlimited time. Unless the `trustHints` option is true, the tools have no annotations.
   *
   * With `follow`, the registry is updated when the server changes its tools. A call to a tool that
   * the server has removed returns an error result. A tool that the caller unregisters is not
   * registered again until the server changes it. Even with `replace`, later lists replace no tool
   * of the caller.
   *
   * @param source The MCP client, already connected, or an `McpClients` object for several servers.
   * @param options Which tools are registered, how, and whether changes are followed.
   * @returns The names of the registered tools.
   * @throws {TypeError} If a tool has no valid name or schema, or an option has the wrong type.
   * @throws {AgentError} With code `core` if a tool with the same name is already registered.
   * @throws {AgentError} With code `delegation_failed` if this registry is a subset.
   * @throws The signal's reason if the signal is aborted.
   */
  async registerMcp(
    source: McpToolSource,
    options: McpToolOptions & RegisterOptions = {},
  ): Promise<readonly string[]> {
    this.#assertWritable();
    const settings = readMcpOptions(options);
    assertMcpSource(source, settings);
    const { follow, onError, signal } = settings;
    const report = createErrorReporter("registerMcp", onError);
    signal?.throwIfAborted();
    let tools: McpTools = new Map();
    let { replace } = settings;
    const update = async (listed: readonly McpToolLike[]): Promise<void> => {
      const next = await convertMcpTools(source, listed, {
        ...settings,
        previous: tools,
        report,
      });
      signal?.throwIfAborted();
      this.#updateMcpTools(tools, next, { ...settings, replace });
      tools = next;
      replace = false;
    };
    const register = async (): Promise<void> => {
      if (follow) await followMcpTools(source, update, { report, signal });
      else await update(await source.listTools(...signal === undefined ? [] : [{ signal }]));
    };
    await abortable(register(), signal);
    return [...tools.keys()];
  }

  /**
   * Removes a tool from this registry and all its subsets.
   *
   * @param name Name of the tool.
   * @returns `true` if a tool with the given name was registered.
   */
  unregister(name: string): boolean {
    this.#hidden.delete(name);
    if (!this.#tools.delete(name)) return false;
    this.#revision++;
    this.#removals++;
    return true;
  }

  /**
   * Returns the entry of a tool, or `undefined` if no tool with this name is registered.
   *
   * @param name Name of the tool.
   */
  find(name: string): RegisteredTool | undefined {
    const entry = this.#tools.get(name);
    if (entry === undefined || this.#parent === undefined) return entry;
    const current = this.#parent.find(name);
    return current?.identity === entry.identity ? current : undefined;
  }

  /**
   * Returns true if a tool with this name is registered and hidden. In a subset, no tool is hidden.
   *
   * @param name Name of the tool.
   */
  isHidden(name: string): boolean {
    return this.#hidden.has(name);
  }

  /**
   * Returns a tool, or `undefined` if no tool with this name is registered.
   *
   * @param name Name of the tool.
   */
  get(name: string): Tool | undefined {
    return this.find(name)?.tool;
  }

  /**
   * Returns true if a tool with this name is registered.
   *
   * @param name Name of the tool.
   */
  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /**
   * Returns a tool.
   *
   * @param name Name of the tool.
   * @throws {AgentError} With code `tool_not_found` if no tool with this name is registered.
   */
  resolve(name: string): Tool {
    return this.#entry(name).tool;
  }

  /** Returns the names of the tools, including hidden tools, in the order of registration. */
  names(): readonly string[] {
    return this.#parent?.names().filter((name) => this.has(name)) ?? [...this.#tools.keys()];
  }

  /** Returns the tools, including hidden tools, in the order of registration. */
  list(): readonly Tool[] {
    return this.names().map((name) => this.resolve(name));
  }

  /**
   * Returns the tool definitions that the model receives, without the definitions of hidden tools.
   * Returns the same frozen array until the registry changes.
   */
  definitions(): readonly ToolDefinition[] {
    const { revision } = this;
    if (!this.#definitions || this.#definedAt !== revision) {
      const shown = this.names().filter((name) => !this.#hidden.has(name));
      this.#definitions = Object.freeze(shown.map((name) => this.#entry(name).definition));
      this.#definedAt = revision;
    }
    return this.#definitions;
  }

  /**
   * Creates a read-only view of some of the tools. A tool that is removed from this registry or
   * replaced is also removed from its views, and another tool that is registered under the same
   * name is not added. With the `follow` option of {@linkcode ToolRegistry.registerMcp}, a view
   * contains the new version of a tool that its server has changed. Tools cannot be registered in a
   * view, and tools that are hidden in this registry are not hidden in its views.
   *
   * @param names Names of the tools in the view. Duplicate names are ignored.
   * @param grantedBy Name of the agent that grants the tools, for error messages.
   * @throws {AgentError} With code `tool_not_found` if one of the names is not the name of a
   * registered tool.
   */
  subset(names: Iterable<string>, grantedBy = "the registry"): ToolRegistry {
    if (typeof names === "string") rejectArgument("names", "an array of tool names", names);
    const view = createRegistry();
    view.#parent = this;
    view.#grantedBy = grantedBy;
    for (const name of names) view.#tools.set(name, this.#entry(name));
    return view;
  }

  /** Iterates over the tools, including hidden tools, in the order of registration. */
  [Symbol.iterator](): Iterator<Tool> {
    return this.list()[Symbol.iterator]();
  }

  #assertWritable(): void {
    if (this.#parent === undefined) return;
    throw AgentError.delegationFailed(this.#grantedBy, "a sub-agent cannot register tools");
  }

  #assertFree(name: string, { replace }: RegisterSettings): void {
    if (!this.has(name) || replace) return;
    throw AgentError.core(
      `Cannot register tool "${name}": a tool with this name is already registered; choose another name or set "replace"`,
    );
  }

  /** Registers new and changed tools, and removes tools that the server no longer lists. */
  #updateMcpTools(
    previous: McpTools,
    next: McpTools,
    settings: McpToolSettings & RegisterSettings,
  ): void {
    const { hidden, validator } = settings;
    const changed = [...next].filter(([name, entry]) => previous.get(name) !== entry)
      .map(([name, { tool }]) => {
        const members = readTool(tool);
        if (this.get(name) !== previous.get(name)?.tool) this.#assertFree(name, settings);
        const input = validator ? readInputSchema(tool, validator) : unchecked(tool);
        return [tool, { ...members, ...input }] as const;
      });
    // The code below does not throw, so an error always leaves this registry unchanged.
    for (const [name, { tool }] of previous) {
      if (!next.has(name) && this.get(name) === tool) this.unregister(name);
    }
    for (const [tool, members] of changed) {
      const current = this.find(tool.name);
      const isUpdate = current !== undefined && current.tool === previous.get(tool.name)?.tool;
      this.#add(tool, members, { hidden, replace: true }, isUpdate ? current.identity : undefined);
    }
  }

  #add(
    tool: Tool,
    { name, description, execute, providerOptions, jsonSchema, check }: ToolMembers & ToolInput,
    settings: RegisterSettings,
    known?: ToolIdentity,
  ): void {
    this.#assertFree(name, settings);
    if (known === undefined && this.#tools.has(name)) this.#removals++;
    const identity = known ?? { removals: this.#removals };
    const definition = Object.freeze({
      name,
      inputSchema: jsonSchema,
      ...defined({ description, providerOptions }),
    });
    this.#tools.set(name, { tool, definition, checkInput: check, execute, identity });
    if (settings.hidden) this.#hidden.add(name);
    else this.#hidden.delete(name);
    this.#revision++;
  }

  #entry(name: string): RegisteredTool {
    const entry = this.find(name);
    if (entry) return entry;
    throw AgentError.toolNotFound(name, this.names());
  }
}

/**
 * Creates an empty registry. The methods of `ToolRegistry` call this function, because bundlers
 * rename a class that refers to itself.
 */
function createRegistry(): ToolRegistry {
  return new ToolRegistry();
}

/** Registers tools in a registry. If one tool cannot be registered, no tools are registered. */
export function registerTools(registry: ToolRegistry, tools: readonly ToolSpec[]): void {
  const added: string[] = [];
  try {
    for (const tool of tools) {
      registry.register(tool);
      added.push(tool.name);
    }
  } catch (error) {
    for (const name of added) registry.unregister(name);
    throw error;
  }
}
