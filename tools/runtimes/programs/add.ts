/**
 * The tool shared by the agents, models and servers in the programs.
 *
 * @module
 */

/**
 * Description of a tool that adds two numbers. Each program supplies its own implementation of the
 * tool.
 */
export const ADD = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
} as const;
