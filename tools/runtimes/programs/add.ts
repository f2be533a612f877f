/**
 * The tool that agents, models and servers here have in common.
 *
 * @module
 */

/** Adds two numbers; whoever has it gives it what it does. */
export const ADD = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
} as const;
