/**
 * The tools of an agent, by name. What the model is shown and what can be executed come from this one object.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined, isRecord } from "../shared/json.ts";
import type { ToolDefinition } from "../shared/model.ts";
import {
  type JsonSchema,
  type SchemaCheck,
  type SchemaValidator,
  toInputJsonSchema,
  toJsonSchema,
  toSchemaCheck,
} from "../shared/schema.ts";
import { jsonSchemaValidator } from "./json_schema.ts";
import { type McpToolOptions, type McpToolSource, toolsFromMcp } from "./mcp_tools.ts";
import type { Tool } from "./tool.ts";

/** A tool as the registry holds it. */
export interface RegisteredTool {
  /** The tool. */
  readonly tool: Tool;
  /** The tool as the model sees it. */
  readonly definition: ToolDefinition;
  /** Checks an input for it. */
  readonly checkInput: SchemaCheck;
}

/** How a {@linkcode ToolRegistry} works. */
export interface ToolRegistryOptions {
  /**
   * Validator for JSON Schema. If omitted, {@linkcode jsonSchemaValidator} with its default limits. Standard Schemas
   * validate themselves.
   */
  readonly validator?: SchemaValidator;
}

/** How a tool is registered. */
export interface RegisterOptions {
  /** Whether it may take the place of a tool of the same name. Default: false, which makes that an error. */
  readonly replace?: boolean;
}

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
  readonly #validator: SchemaValidator;
  /** The tools by name; of a view those it was made with, and its source says what they are now. */
  readonly #tools: Map<string, RegisteredTool> = new Map();
  /** The registry of which this one shows a part, and who narrows. */
  #parent: ToolRegistry | undefined;
  #grantedBy = "";
  #revision = 0;
  #definitions: readonly ToolDefinition[] | undefined;
  #definedAt = 0;

  /**
   * Makes a registry.
   *
   * @param tools the first tools
   * @param options the JSON Schema validator
   * @throws {TypeError} as {@linkcode ToolRegistry.register} does
   * @throws {AgentError} code `core`: two tools have the same name
   */
  constructor(tools: Iterable<Tool> = [], options: ToolRegistryOptions = {}) {
    this.#validator = options.validator ?? jsonSchemaValidator();
    for (const tool of tools) this.register(tool);
  }

  /** How many tools there are. */
  get size(): number {
    return this.names().length;
  }

  /** Grows with every change. */
  get revision(): number {
    return this.#revision + (this.#parent?.revision ?? 0);
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
    this.#assertWritable();
    assertTool(tool);
    this.#add(tool, readInputSchema(tool, this.#validator), options);
  }

  /**
   * Adds the tools of a Model Context Protocol server: all of them or, on an error, none. Their arguments are validated by
   * the server only, unless `validator` is given: a hostile schema could take any time.
   *
   * @param source the client, connected
   * @param options prefix, filter, and whether names that are taken may be replaced
   * @returns the names under which they are registered
   * @throws {TypeError} If a tool has no valid name or schema.
   * @throws {AgentError} With code `core` if a name is taken or two tools get the same name, or with code
   * `delegation_failed` if this registry is a view of another one.
   */
  async registerMcp(
    source: McpToolSource,
    options: McpToolOptions & RegisterOptions = {},
  ): Promise<readonly string[]> {
    this.#assertWritable();
    const { validator } = options;
    const tools = (await toolsFromMcp(source, options)).map((tool) => {
      assertTool(tool);
      return [tool, validator ? readInputSchema(tool, validator) : unchecked(tool)] as const;
    });
    // A duplicate, a broken tool or a name that is taken throws before this registry has changed.
    const trial = createRegistry();
    for (const [tool, input] of tools) trial.#add(tool, input, {});
    for (const name of trial.names()) this.#assertFree(name, options);
    for (const [tool, input] of tools) this.#add(tool, input, { replace: true });
    return trial.names();
  }

  /**
   * Takes a tool away, also from every view of this registry.
   *
   * @param name the tool's name
   * @returns whether it was there
   */
  unregister(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#revision++;
    return removed;
  }

  /**
   * Looks up a tool with its definition and validator.
   *
   * @param name the tool's name
   */
  find(name: string): RegisteredTool | undefined {
    const entry = this.#tools.get(name);
    return entry && this.#parent ? this.#parent.find(name) : entry;
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
    return this.#entry(name).tool;
  }

  /** The names, in the order of registration. */
  names(): readonly string[] {
    const names = this.#parent?.names() ?? [...this.#tools.keys()];
    return names.filter((name) => this.#tools.has(name));
  }

  /** The tools, in the order of registration. */
  list(): readonly Tool[] {
    return this.names().map((name) => this.resolve(name));
  }

  /** The tools as the model sees them: the same frozen array until something changes, so that prompt caches hold. */
  definitions(): readonly ToolDefinition[] {
    const { revision } = this;
    if (!this.#definitions || this.#definedAt !== revision) {
      this.#definitions = Object.freeze(this.names().map((name) => this.#entry(name).definition));
      this.#definedAt = revision;
    }
    return this.#definitions;
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
    const view = createRegistry();
    view.#parent = this;
    view.#grantedBy = grantedBy;
    for (const name of names) view.#tools.set(name, this.#entry(name));
    return view;
  }

  /** The tools, in the order of registration. */
  [Symbol.iterator](): Iterator<Tool> {
    return this.list()[Symbol.iterator]();
  }

  #assertWritable(): void {
    if (this.#parent === undefined) return;
    throw AgentError.delegationFailed(this.#grantedBy, "a sub-agent cannot register tools");
  }

  #assertFree(name: string, { replace = false }: RegisterOptions): void {
    if (!this.has(name) || replace) return;
    throw AgentError.core(`Cannot register tool "${name}": the name is taken`);
  }

  #add(tool: Tool, { jsonSchema, check }: ToolInput, options: RegisterOptions): void {
    const { name, description } = tool;
    this.#assertFree(name, options);
    const definition = defined({ name, description, inputSchema: jsonSchema });
    this.#tools.set(name, { tool, definition: Object.freeze(definition), checkInput: check });
    this.#revision++;
  }

  #entry(name: string): RegisteredTool {
    const entry = this.find(name);
    if (!entry) throw AgentError.toolNotFound(name, this.names());
    return entry;
  }
}

/** Input of a tool: what the model sees, and the check of what the model sends. */
interface ToolInput {
  readonly jsonSchema: JsonSchema;
  readonly check: SchemaCheck;
}

function readInputSchema({ name, inputSchema }: Tool, validator: SchemaValidator): ToolInput {
  try {
    return {
      jsonSchema: toInputJsonSchema(inputSchema),
      check: toSchemaCheck(inputSchema, validator),
    };
  } catch (cause) {
    throw new TypeError(`Cannot register tool "${name}": ${errorMessageOf(cause)}`, { cause });
  }
}

/** The input of a tool of another server, which must validate its arguments itself. */
function unchecked({ inputSchema }: Tool): ToolInput {
  return {
    jsonSchema: toJsonSchema(inputSchema),
    check: (value) => ({ ok: true, value }),
  };
}

/** Outside of the class: a class that names itself gets another name from bundlers. */
function createRegistry(): ToolRegistry {
  return new ToolRegistry();
}

function assertTool(tool: Tool): void {
  if (!isRecord(tool)) throw new TypeError("Cannot register a tool: it is no object");
  const { name, inputSchema, execute } = tool;
  const refuse = (fact: string): never => {
    throw new TypeError(`Cannot register tool "${name}": ${fact}`);
  };
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    refuse(`its name does not match ${TOOL_NAME}`);
  }
  if (inputSchema === undefined || typeof execute !== "function") {
    refuse("it needs an inputSchema and an execute function");
  }
}
