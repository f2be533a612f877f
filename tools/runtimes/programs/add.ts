/**
 * The tool that agents, models and servers of the programs share.
 *
 * @module
 */

/** Description of a tool that adds two numbers. Each user adds the implementation. */
export const ADD = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
} as const;
