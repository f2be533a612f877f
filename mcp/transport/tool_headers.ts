/**
 * Tool parameter headers (`x-mcp-header`), collected from the results of `tools/list`.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters Custom headers}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import {
  type ParameterHeader,
  parameterHeaderValues,
  readParameterHeaders,
} from "../protocol/headers.ts";

/** The parameter headers of a server's tools. */
export class ToolHeaders {
  readonly #params = new Map<string, readonly ParameterHeader[]>();
  readonly #onError: (error: unknown) => void;

  /**
   * Creates an empty collection of tool parameter headers. Tools with invalid parameter headers are
   * reported to `onError`.
   */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Collects the parameter headers from one page of a `tools/list` result. Returns the page without
   * the tools whose parameter headers are invalid.
   */
  learn(result: JsonObject, isFirstPage: boolean): JsonObject {
    if (isFirstPage) this.#params.clear();
    if (!Array.isArray(result.tools)) return result;
    return { ...result, tools: result.tools.filter((tool) => this.#admit(tool)) };
  }

  /** Returns the parameter headers for a tool call. */
  headersFor({ name, arguments: args }: JsonObject): Record<string, string> {
    return parameterHeaderValues(args, this.#params.get(String(name)) ?? []);
  }

  #admit(tool: unknown): boolean {
    if (!isRecord(tool) || !isRecord(tool.inputSchema)) return true;
    const name = String(tool.name);
    const params = readParameterHeaders(tool.inputSchema);
    if (!params.ok) {
      const reason = `the tool "${name}" is excluded from the list: ${params.reason}`;
      this.#onError(McpError.protocolError(reason));
      return false;
    }
    if (params.value.length > 0) this.#params.set(name, params.value);
    return true;
  }
}
