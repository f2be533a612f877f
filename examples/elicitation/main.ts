/**
 * A tool on an MCP server requests input from the user while the tool is running. The client shows
 * the form and sends the user's input.
 *
 *     deno run examples/elicitation/main.ts
 *
 * @module
 */

import {
  createMemoryTransport,
  type ElicitResult,
  McpClient,
  McpServer,
  servePipe,
} from "@parley/mcp";
import { z } from "zod";

const server = new McpServer({ name: "restaurant", version: "1.0.0" });
const booking = z.object({ guests: z.number().int().min(1).max(8), outside: z.boolean() });

server.registerTool({
  name: "book",
  description: "Books a table",
  inputSchema: z.object({ time: z.string() }),
}, async ({ time }, context) => {
  // In protocol version 2026-07-28, the handler runs again from the start with the response. Code
  // before `ask` must be safe to repeat.
  const { action, content } = await context.ask("booking", {
    method: "elicitation/create",
    params: {
      message: `Your table at ${time}`,
      requestedSchema: {
        type: "object",
        properties: {
          guests: { type: "integer", title: "Guests", minimum: 1 },
          outside: { type: "boolean", title: "Outside", default: false },
        },
        required: ["guests"],
      },
    },
  });
  if (action !== "accept") return "No table was booked";
  // A form cannot express every rule, and a client can return any values.
  const { data, success } = booking.safeParse(content);
  if (!success) throw new Error("The number of guests must be an integer from 1 to 8");
  const { guests, outside } = data;
  return `A table for ${guests} ${outside ? "outside" : "inside"} at ${time}`;
});

/** Simulates a form that returns the values, or that the user cancels if `values` is `null`. */
function createForm(values: Readonly<Record<string, string | number | boolean>> | null) {
  return ({ message }: { readonly message: string }): ElicitResult => {
    console.log(`${message}: ${values === null ? "canceled" : JSON.stringify(values)}`);
    return values === null ? { action: "cancel" } : { action: "accept", content: { ...values } };
  };
}

for (const values of [{ guests: 4 }, { guests: 90, outside: true }, null]) {
  await using client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
    handlers: { elicit: createForm(values) },
  });
  await client.connect();
  const { content: [block], isError } = await client.callTool("book", { time: "19:30" });
  console.log(isError ? "Error:" : "Result:", block?.type === "text" ? block.text : block);
}
