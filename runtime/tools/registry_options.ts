/**
 * Options of a tool registry and of the tools in it.
 *
 * @module
 */

import { assertOptionalBoolean } from "@parley/internal/assert-argument";
import {
  type OptionsReader,
  optionsReader,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { MCP_TOOL_ALIASES } from "../shared/aliases.ts";
import type { SchemaValidator } from "../shared/schema.ts";
import {
  assertValidator,
  MCP_TOOL_RULES,
  type McpToolDefault,
  type McpToolOptions,
} from "./mcp_tools.ts";

/** Options for {@linkcode ToolRegistry}. */
export interface ToolRegistryOptions {
  /**
   * Validator for JSON Schema. Defaults to {@linkcode jsonSchemaValidator} with its default limits.
   * The validator is not used for Standard Schemas, which validate values themselves.
   */
  readonly validator?: SchemaValidator;
}

/** Options for {@linkcode ToolRegistry.register}. */
export interface RegisterOptions {
  /**
   * Whether the tool may replace a registered tool with the same name. If `false`, registering a
   * duplicate name throws an error.
   *
   * @default {false}
   */
  readonly replace?: boolean;
  /**
   * Whether the tool is only for sub-agents. The model of an agent that uses this registry does not
   * see a hidden tool and cannot call it. A sub-agent that is granted the hidden tool can see and
   * call it.
   *
   * @default {false}
   */
  readonly hidden?: boolean;
}

/** Reads the options of a registry. */
export const readRegistryOptions: OptionsReader<ToolRegistryOptions, never> = optionsReader<
  ToolRegistryOptions
>("options")({
  validator: assertValidator,
});

/** Rules of {@linkcode RegisterOptions}. */
const REGISTER_RULES = {
  replace: withDefault(false, assertOptionalBoolean),
  hidden: withDefault(false, assertOptionalBoolean),
};

/** Reads the options for a tool. */
export const readRegisterOptions: OptionsReader<RegisterOptions, keyof RegisterOptions> =
  optionsReader<RegisterOptions>("options")(REGISTER_RULES);

/** Reads the options for the tools of an MCP server. */
export const readMcpOptions: OptionsReader<
  McpToolOptions & RegisterOptions,
  McpToolDefault | keyof RegisterOptions
> = optionsReader<McpToolOptions & RegisterOptions>(
  "options",
  MCP_TOOL_ALIASES,
)({
  ...MCP_TOOL_RULES,
  ...REGISTER_RULES,
});

/** Options for a tool, with defaults. */
export type RegisterSettings = Settings<RegisterOptions, keyof RegisterOptions>;
