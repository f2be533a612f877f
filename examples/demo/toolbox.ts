/**
 * Selection of tools by their descriptions and parameters.
 *
 * @module
 */
import type { ToolDefinition } from "@parley/runtime";

/** Name of the tool for each purpose. A purpose without a matching tool is absent. */
export interface Toolbox {
  /** Tool that returns the accessible folders. */
  readonly roots?: string;
  /** Tool that lists a folder. */
  readonly list?: string;
  /** Tool that searches for file names that match a pattern. */
  readonly search?: string;
  /** Tool that reads a text file. */
  readonly read?: string;
}

interface Purpose {
  /** Parameters that the tool must accept; no other parameter may be required. */
  readonly parameters: readonly string[];
  /** Words in the name or description that increase the score of a tool. */
  readonly wanted: RegExp;
  /** Words in the name or description that decrease the score of a tool. */
  readonly unwanted: RegExp;
}

const PURPOSES: Readonly<Record<keyof Toolbox, Purpose>> = {
  roots: { parameters: [], wanted: /allowed|root|accessible/gi, unwanted: /write|delete/gi },
  list: {
    parameters: ["path"],
    wanted: /list|director|entries/gi,
    unwanted: /tree|size|recursive|create|write|read the/gi,
  },
  search: {
    parameters: ["path", "pattern"],
    wanted: /search|pattern|glob|match/gi,
    unwanted: /write|replace/gi,
  },
  read: {
    parameters: ["path"],
    wanted: /read|text|contents|file/gi,
    unwanted: /deprecated|media|image|base64|multiple|write|metadata|create|director/gi,
  },
};

/** Selects a tool for each purpose. */
export function chooseTools(tools: readonly ToolDefinition[]): Toolbox {
  const chosen = Object.entries(PURPOSES).flatMap(([name, purpose]) => {
    const tool = bestTool(tools, purpose);
    return tool === undefined ? [] : [[name, tool.name]];
  });
  return Object.fromEntries(chosen);
}

function bestTool(
  tools: readonly ToolDefinition[],
  { parameters, wanted, unwanted }: Purpose,
): ToolDefinition | undefined {
  const scored = tools
    .filter((tool) => takes(tool, parameters))
    .map((tool) => {
      const text = `${tool.name.replaceAll("_", " ").repeat(2)} ${tool.description ?? ""}`;
      return { tool, score: count(text, wanted) - 3 * count(text, unwanted) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return scored[0]?.tool;
}

function takes({ inputSchema }: ToolDefinition, parameters: readonly string[]): boolean {
  if (typeof inputSchema === "boolean") return false;
  const { properties, required } = inputSchema;
  const known = typeof properties === "object" && properties !== null
    ? Object.keys(properties)
    : [];
  const needed = Array.isArray(required) ? required : [];
  return parameters.every((name) => known.includes(name)) &&
    needed.every((name) => parameters.includes(name)) &&
    (parameters.length > 0 || known.length === 0);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
