/**
 * Runs the expense agent and its AI SDK version in the same scenarios, and compares the lengths of
 * the two programs.
 */

import { MockLanguageModelV4 } from "ai/test";
import { fromAiSdk } from "@parley/runtime/models";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { bookReceipt } from "../../examples/expense_agent/expense_agent.ts";
import type { Expense, Office } from "../../examples/expense_agent/office.ts";
import { bookReceipt as bookWithAiSdk } from "./ai_expense_agent.ts";

const OURS = new URL("../../examples/expense_agent/expense_agent.ts", import.meta.url);
const THEIRS = new URL("ai_expense_agent.ts", import.meta.url);
const SCRATCH = new URL("../../.scratch/", import.meta.url).pathname;
const PHOTO = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);

type Generate = MockLanguageModelV4["doGenerate"];
type CallOptions = Parameters<Generate>[0];
type Content = Awaited<ReturnType<Generate>>["content"];

function call(toolName: string, input: unknown): Content {
  return [{ type: "tool-call", toolCallId: toolName, toolName, input: JSON.stringify(input) }];
}

/**
 * Returns the model's next response. The response depends only on the conversation, so any process
 * can continue the conversation.
 */
function respond({ prompt }: CallOptions): Content {
  const results = prompt.flatMap(({ role, content }) => role === "tool" ? content : [])
    .filter((part) => part.type === "tool-result");
  const [rate, booking] = results.map(({ output }) => output);
  if (rate === undefined) return call("exchange_rate", { currency: "NOK" });
  assert("value" in rate);
  const euros = Number(rate.value) * 250;
  if (booking === undefined) return call("book", { merchant: "Kaffebar", euros });
  const bookingId = booking.type === "text" ? booking.value : null;
  return [{ type: "text", text: JSON.stringify({ merchant: "Kaffebar", euros, bookingId }) }];
}

/** One attempt to process the receipt. */
interface Attempt {
  /** Number of the model call that fails, as if the process crashed. */
  readonly crashAt?: number;
  /** Decision of the approver. Defaults to `true`. */
  readonly approved?: boolean;
  /** Tokens that each model call uses. */
  readonly tokens?: number;
}

/** A program under test, the file that the program writes, and a log of its actions. */
class Story {
  readonly log: string[] = [];
  readonly photos: unknown[] = [];
  readonly #program: Program;
  readonly #path: string;

  constructor(program: Program, path: string) {
    this.#program = program;
    this.#path = path;
  }

  attempt({ crashAt, approved = true, tokens = 100 }: Attempt = {}): Promise<Expense> {
    let calls = 0;
    const model = new MockLanguageModelV4({
      doGenerate: (options) => {
        calls += 1;
        if (calls === crashAt) return Promise.reject(new Error("The process crashed"));
        this.photos.push(photoOf(options));
        const content = respond(options);
        const unified = content[0]?.type === "text" ? "stop" : "tool-calls";
        return Promise.resolve({
          content,
          finishReason: { unified, raw: undefined },
          usage: {
            inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 0, text: 0, reasoning: 0 },
          },
          warnings: [],
        });
      },
    });
    const office: Office = {
      exchangeRate: (currency) => {
        this.log.push(`rate of ${currency}`);
        return 0.1;
      },
      book: (merchant, euros) => {
        this.log.push(`book ${euros} at ${merchant}`);
        return "B-1";
      },
      approve: (toolName) => {
        this.log.push(`approve ${toolName}`);
        return approved;
      },
    };
    return this.#program(model, PHOTO, office, this.#path);
  }
}

/** Returns the bytes of the photo in the user's message. */
function photoOf({ prompt }: CallOptions): unknown {
  const part = prompt.flatMap(({ role, content }) => role === "user" ? content : [])
    .find(({ type }) => type === "file");
  assert(part?.type === "file" && part.data.type === "data");
  const { data } = part.data;
  return typeof data === "string" ? Uint8Array.fromBase64(data) : data;
}

type Program = (
  model: MockLanguageModelV4,
  photo: Uint8Array,
  office: Office,
  path: string,
) => Promise<Expense>;

const PROGRAMS: Readonly<Record<string, Program>> = {
  "the expense agent": (model, ...rest) =>
    bookReceipt({ ...fromAiSdk(model), nativeOutput: "with-tools" }, ...rest),
  "the same agent with the AI SDK": bookWithAiSdk,
};

async function withStory(program: Program, work: (story: Story) => Promise<void>): Promise<void> {
  await Deno.mkdir(SCRATCH, { recursive: true });
  const folder = await Deno.makeTempDir({ dir: SCRATCH });
  try {
    await work(new Story(program, `${folder}/state`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const [name, program] of Object.entries(PROGRAMS)) {
  Deno.test(`${name} books a receipt after an approval`, () =>
    withStory(program, async (story) => {
      const expense = await story.attempt();
      assertEquals(expense, { merchant: "Kaffebar", euros: 25, bookingId: "B-1" });
      assertEquals(story.log, ["rate of NOK", "approve book", "book 25 at Kaffebar"]);
      assertEquals(story.photos, [PHOTO, PHOTO, PHOTO]);
    }));

  Deno.test(`${name} books nothing without an approval`, () =>
    withStory(program, async (story) => {
      const expense = await story.attempt({ approved: false });
      assertEquals(expense, { merchant: "Kaffebar", euros: 25, bookingId: null });
      assertEquals(story.log, ["rate of NOK", "approve book"]);
    }));

  for (const crashAt of [1, 2, 3]) {
    Deno.test(`${name} continues after a crash in model call ${crashAt}`, () =>
      withStory(program, async (story) => {
        await assertRejects(() => story.attempt({ crashAt }), Error, "The process crashed");
        const expense = await story.attempt();
        assertEquals(expense, { merchant: "Kaffebar", euros: 25, bookingId: "B-1" });
        assertEquals(story.log, ["rate of NOK", "approve book", "book 25 at Kaffebar"]);
        assertEquals(story.photos.length, 3, "no model call is repeated");
      }));
  }

  Deno.test(`${name} counts the tokens from before a crash and stops at the limit`, () =>
    withStory(program, async (story) => {
      await assertRejects(() => story.attempt({ crashAt: 2, tokens: 15_000 }));
      await assertRejects(() => story.attempt({ tokens: 15_000 }));
      assertEquals(story.photos.length, 2);
    }));
}

/** Counts the lines that contain code. */
async function countLines(file: URL): Promise<number> {
  const text = (await Deno.readTextFile(file)).replaceAll(/\/\*\*.*?\*\//gs, "");
  return text.split("\n").filter((line) => /^\s*(?!\/\/)\S/.test(line)).length;
}

Deno.test("the expense agent is not longer than the same agent with the AI SDK", async () => {
  const [ours, theirs] = await Promise.all([countLines(OURS), countLines(THEIRS)]);
  assert(ours > 20 && ours <= theirs, `${ours} and ${theirs} lines`);
});
