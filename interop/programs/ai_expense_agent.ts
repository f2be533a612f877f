/**
 * The program `examples/expense_agent/expense_agent.ts`, written with the AI SDK. To continue after
 * a crash, the program saves the messages and the token usage before each model call.
 *
 * @module
 */

import { readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import {
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  Output,
  tool,
  ToolLoopAgent,
  type UserContent,
} from "ai";
import { z } from "zod";
import type { Expense, Office } from "../../examples/expense_agent/office.ts";

/** Books the expense on a receipt. */
export async function bookReceipt(
  model: LanguageModel,
  photo: Uint8Array,
  office: Office,
  path: string,
): Promise<Expense> {
  const content: UserContent = [
    { type: "text", text: "Book this receipt." },
    { type: "file", mediaType: "image/jpeg", data: photo.toBase64() },
  ];
  const state: { messages: ModelMessage[]; tokens: number } = existsSync(path)
    ? JSON.parse(await readFile(path, "utf8"))
    : { messages: [{ role: "user", content }], tokens: 0 };
  const agent = new ToolLoopAgent({
    model,
    instructions: "Book the expense on the receipt in euros.",
    output: Output.object({
      schema: z.object({
        merchant: z.string(),
        euros: z.number(),
        bookingId: z.string().nullable(),
      }),
    }),
    stopWhen: [isStepCount(10), () => state.tokens >= 20_000],
    toolApproval: {
      book: async (input) => await office.approve("book", input) ? "approved" : "denied",
    },
    tools: {
      exchange_rate: tool({
        description: "Returns the price of one unit of a currency, in euros",
        inputSchema: z.object({ currency: z.string() }),
        execute: ({ currency }) => office.exchangeRate(currency),
      }),
      book: tool({
        description: "Books an expense and returns the id of the booking",
        inputSchema: z.object({ merchant: z.string(), euros: z.number() }),
        execute: ({ merchant, euros }) => office.book(merchant, euros),
      }),
    },
    prepareStep: async ({ messages }) => {
      await writeFile(path, JSON.stringify({ ...state, messages }));
      return undefined;
    },
    onStepEnd: ({ usage }) => {
      state.tokens += usage.totalTokens ?? 0;
    },
  });
  return (await agent.generate({ messages: state.messages })).output;
}
