/**
 * Entries of a registry of tools.
 *
 * @module
 */

import type { ToolDefinition } from "../shared/model.ts";
import type { SchemaCheck } from "../shared/schema.ts";
import type { Tool } from "./tool.ts";

/**
 * Identity of a registered tool. A tool that is registered later under the same name has a
 * different identity, unless it is the new version of a tool whose MCP server the registry follows.
 */
export interface ToolIdentity {
  /** Number of tools that the registry had removed or replaced before the tool was registered. */
  readonly removals: number;
}

/** An entry in the registry. */
export interface RegisteredTool {
  /** The tool. */
  readonly tool: Tool;
  /** Definition that the model receives. */
  readonly definition: ToolDefinition;
  /** Validates the input of a call to the tool. */
  readonly checkInput: SchemaCheck;
  /** The tool's function when it was registered. Absent in registries of an application. */
  readonly execute?: Tool["execute"];
  /** Identity of the tool. Absent in registries that an application implements. */
  readonly identity?: ToolIdentity;
}
