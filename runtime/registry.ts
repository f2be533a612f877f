/**
 * The tools of an agent, by name. What the model is shown and what can be executed come from this one object.
 *
 * @module
 */

import { AgentError } from "./error.ts";
import type { McpToolOptions, McpToolSource } from "./mcp_tools.ts";
import type { ToolDefinition } from "./model.ts";
import type { SchemaValidator } from "./schema.ts";
import type { Tool } from "./tool.ts";
import { type InputValidator, inputValidator, toJsonSchema } from "./validate.ts";

/** A tool as the registry holds it. */
export interface RegisteredTool {
  /** The tool. */
  readonly tool: Tool;
  /** The tool as the model sees it. */
  readonly definition: ToolDefinition;
  /** Checks an input for it. */
  readonly checkInput: InputValidator;
}

/** How a {@linkcode ToolRegistry} works. */
export interface ToolRegistryOptions {
  /** What checks JSON Schema. Default: an interpreter of draft 2020-12, loaded on first use. */
  readonly validator?: SchemaValidator;
}

/** How a tool is registered. */
export interface RegisterOptions {
  /** Whether it may take the place of a tool of the same name. Default: false, which makes that an error. */
  readonly replace?: boolean;
}

/** Where the tools are: here, or in a registry of which this one shows a part. */
type Source =
  | { readonly kind: "own"; readonly tools: Map<string, RegisteredTool> }
  | {
    readonly kind: "view";
    readonly parent: ToolRegistry;
    readonly names: Set<string>;
    readonly grantedBy: string;
  };

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Tools by name, in the order of their registration.
 *
 * @example Register, look up, narrow
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
 * assertEquals(harmless.names(), []); // a view loses what its source loses
 * ```
 */
export class ToolRegistry implements Iterable<Tool> {
  readonly #validator: SchemaValidator | undefined;
  #source: Source;
  #revision = 0;
  #cached:
    | { readonly revision: number; readonly definitions: readonly ToolDefinition[] }
    | undefined;

  /**
   * Makes a registry.
   *
   * @param tools the first tools
   * @param options the JSON Schema validator
   * @throws {TypeError} as {@linkcode ToolRegistry.register} does
   * @throws {AgentError} code `core`: two tools have the same name
   */
  constructor(tools: Iterable<Tool> = [], options: ToolRegistryOptions = {}) {
    this.#validator = options.validator;
    this.#source = { kind: "own", tools: new Map() };
    for (const tool of tools) this.register(tool);
  }

  /** How many tools there are. */
  get size(): number {
    return this.names().length;
  }

  /** Grows with every change. */
  get revision(): number {
    const { kind } = this.#source;
    return kind === "view" ? this.#revision + this.#source.parent.revision : this.#revision;
  }

  /**
   * Adds a tool.
   *
   * @param tool the tool
   * @param options whether it may replace another
   * @throws {TypeError} the tool is no tool: bad name, no schema, no `execute`
   * @throws {AgentError} code `core`: the name is taken; code `delegation_failed`: this registry is a view of another
   */
  register(tool: Tool, options: RegisterOptions = {}): void {
    const source = this.#source;
    if (source.kind === "view") {
      throw AgentError.delegationFailed(source.grantedBy, "a sub-agent cannot register tools");
    }
    assertTool(tool);
    if (source.tools.has(tool.name) && options.replace !== true) {
      throw AgentError.core(`Cannot register tool "${tool.name}": the name is taken`);
    }
    source.tools.set(tool.name, {
      tool,
      definition: toDefinition(tool),
      checkInput: inputValidator(tool.inputSchema, this.#validator),
    });
    this.#revision++;
  }

  /**
   * Adds the tools of a Model Context Protocol server: all of them or, on an error, none.
   *
   * @param source the client, connected
   * @param options prefix, filter, and whether names that are taken may be replaced
   * @returns the names under which they are registered
   * @throws {AgentError} code `core`: a name is taken, or two tools would get the same name
   */
  async registerMcp(
    source: McpToolSource,
    options: McpToolOptions & RegisterOptions = {},
  ): Promise<readonly string[]> {
    const { toolsFromMcp } = await import("./mcp_tools.ts");
    const tools = await toolsFromMcp(source, options);
    // Registered apart first, so that a duplicate or a broken tool leaves this registry as it was.
    const names = new ToolRegistry(tools).names();
    const taken = options.replace === true ? undefined : names.find((name) => this.has(name));
    if (taken !== undefined) {
      throw AgentError.core(`Cannot register tool "${taken}": the name is taken; use a prefix`);
    }
    for (const tool of tools) this.register(tool, options);
    return names;
  }

  /**
   * Takes a tool away, also from every view of this registry.
   *
   * @param name the tool's name
   * @returns whether it was there
   */
  unregister(name: string): boolean {
    const source = this.#source;
    const removed = source.kind === "own" ? source.tools.delete(name) : source.names.delete(name);
    if (removed) this.#revision++;
    return removed;
  }

  /**
   * Looks up a tool with its definition and validator.
   *
   * @param name the tool's name
   */
  find(name: string): RegisteredTool | undefined {
    const source = this.#source;
    if (source.kind === "own") return source.tools.get(name);
    return source.names.has(name) ? source.parent.find(name) : undefined;
  }

  /**
   * Looks up a tool.
   *
   * @param name the tool's name
   */
  get(name: string): Tool | undefined {
    return this.find(name)?.tool;
  }

  /**
   * Says whether there is a tool of that name.
   *
   * @param name the name
   */
  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /**
   * Looks up a tool that has to be there.
   *
   * @param name the tool's name
   * @throws {AgentError} code `tool_not_found`
   */
  resolve(name: string): Tool {
    const tool = this.get(name);
    if (tool === undefined) throw AgentError.toolNotFound(name, this.names());
    return tool;
  }

  /** The names, in the order of registration. */
  names(): readonly string[] {
    const source = this.#source;
    return source.kind === "own"
      ? [...source.tools.keys()]
      : source.parent.names().filter((name) => source.names.has(name));
  }

  /** The tools, in the order of registration. */
  list(): readonly Tool[] {
    return this.names().flatMap((name) => this.get(name) ?? []);
  }

  /** The tools as the model sees them: the same frozen array until something changes, so that prompt caches hold. */
  definitions(): readonly ToolDefinition[] {
    const { revision } = this;
    if (this.#cached?.revision !== revision) {
      const definitions = this.names().flatMap((name) => this.find(name)?.definition ?? []);
      this.#cached = { revision, definitions: Object.freeze(definitions) };
    }
    return this.#cached.definitions;
  }

  /**
   * A view of some of the tools: it never shows another tool than these, loses a tool as soon as this registry loses
   * it, and refuses to register any.
   *
   * @param names the tools to show; duplicates count once
   * @param grantedBy who narrows, for error messages
   * @throws {AgentError} code `tool_not_found`: there is no tool of that name
   */
  subset(names: Iterable<string>, grantedBy = "the registry"): ToolRegistry {
    const granted = new Set(names);
    for (const name of granted) this.resolve(name);
    const view = new ToolRegistry();
    view.#source = { kind: "view", parent: this, names: granted, grantedBy };
    return view;
  }

  /** The tools, in the order of registration. */
  [Symbol.iterator](): Iterator<Tool> {
    return this.list()[Symbol.iterator]();
  }
}

function assertTool(tool: Tool): void {
  if (typeof tool !== "object" || tool === null) {
    throw new TypeError("Cannot register a tool: it is no object");
  }
  if (typeof tool.name !== "string" || !TOOL_NAME.test(tool.name)) {
    throw new TypeError(
      `Cannot register tool "${tool.name}": a name is 1 to 128 letters, digits, "_", "-" or "."`,
    );
  }
  const { inputSchema } = tool;
  if (inputSchema === null || !["object", "function"].includes(typeof inputSchema)) {
    throw new TypeError(`Cannot register tool "${tool.name}": it has no inputSchema`);
  }
  if (typeof tool.execute !== "function") {
    throw new TypeError(`Cannot register tool "${tool.name}": it has no execute function`);
  }
}

function toDefinition({ name, description, inputSchema }: Tool): ToolDefinition {
  return Object.freeze({
    name,
    ...description === undefined ? {} : { description },
    inputSchema: toJsonSchema(inputSchema),
  });
}
