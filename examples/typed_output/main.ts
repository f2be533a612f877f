/**
 * Reads an order from an email. The agent's output is an object that matches a Zod schema, not
 * text.
 *
 *     deno run examples/typed_output/main.ts
 *
 * @module
 */

import { requireValue, ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { z } from "zod";

const EMAIL = "Hello, please send 2 boxes of green tea and a kettle to Storgata 5, Oslo.";

const order = z.object({
  address: z.string(),
  items: z.array(z.object({ product: z.string(), quantity: z.number().int().positive() })),
});

// A scripted model needs neither an API key nor network access. The model's first output does not
// match the schema.
const model = scriptedModel([
  finish([{ product: "green tea", quantity: "two boxes" }]),
  finish([{ product: "green tea", quantity: 2 }, { product: "kettle", quantity: 1 }]),
]);

function finish(items: readonly unknown[]) {
  return { calls: [{ toolName: "final_answer", input: { address: "Storgata 5, Oslo", items } }] };
}

await using agent = new ToolLoopAgent({
  name: "clerk",
  model,
  systemPrompt: "Read the order in the email.",
  output: order,
});

const output = await agent.run(EMAIL);
for (const { output: error } of output.iterations[0]?.toolResults ?? []) {
  if ("value" in error) console.log(`The model reads: ${error.value}`);
}

// `value` has the type of the schema. `requireValue` throws if no output matched the schema.
const { address, items } = requireValue(output);
for (const { product, quantity } of items) console.log(`${quantity} x ${product}`);
console.log(`Ship to ${address}`);
