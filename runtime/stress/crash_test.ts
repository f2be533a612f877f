import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TextLineStream } from "@std/streams/text-line-stream";
import type { JournalStore } from "../journal.ts";
import { type PaymentRequest, runPayment } from "./testdata/payment.ts";

const PROGRAM = new URL("testdata/payment.ts", import.meta.url).pathname;

/** Stored journal and executed payments, which outlive the processes. */
class World implements JournalStore {
  text = "";
  payments = 0;

  read(): Promise<string> {
    return Promise.resolve(this.text);
  }

  append(text: string): Promise<void> {
    this.text += text;
    return Promise.resolve();
  }

  pay(): string {
    return `payment ${++this.payments}`;
  }
}

/** A process that runs the agent. */
class PaymentProcess implements AsyncDisposable {
  readonly #world: World;
  readonly #child: Deno.ChildProcess;
  readonly #requests: ReadableStreamDefaultReader<string>;
  readonly #responses: WritableStreamDefaultWriter<Uint8Array>;

  constructor(world: World) {
    this.#world = world;
    this.#child = new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", "--no-prompt", PROGRAM],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#requests = this.#child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).getReader();
    this.#responses = this.#child.stdin.getWriter();
  }

  /** Reads the next request. */
  async next(): Promise<PaymentRequest> {
    const { value } = await this.#requests.read();
    assert(value !== undefined, "the process has exited");
    return JSON.parse(value);
  }

  /** Performs the request. */
  async perform(request: PaymentRequest): Promise<unknown> {
    switch (request.op) {
      case "read":
        return await this.#world.read();
      case "append":
        return await this.#world.append(request.text);
      case "pay":
        return this.#world.pay();
      case "end":
        return null;
    }
  }

  async respond(value: unknown = null): Promise<void> {
    await this.#responses.write(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#requests.cancel();
    await this.#responses.abort().catch(() => {
      // Ignored: the pipe to the killed process is already closed.
    });
  }
}

/**
 * Runs the agent in a process, performs the given number of the process's requests, and then kills
 * the process.
 */
async function killAfter(world: World, count: number): Promise<"killed" | "ended"> {
  await using process = new PaymentProcess(world);
  for (let performed = 0; performed < count; performed++) {
    const request = await process.next();
    if (request.op === "end") return "ended";
    const response = await process.perform(request);
    if (performed + 1 < count) await process.respond(response);
  }
  return "killed";
}

Deno.test("a payment is never made twice, wherever the process is killed", async () => {
  const results: string[] = [];
  for (let count = 1;; count++) {
    const world = new World();
    const end = await killAfter(world, count);
    const result = await runPayment(world, () => world.pay());
    assert(world.payments <= 1, `${world.payments} payments after a kill at request ${count}`);
    results.push(result);
    if (end === "ended") break;
    assert(count < 30, "the run does not end");
  }
  // If the start of the tool was not recorded, the resumed run makes the payment; otherwise, the
  // model receives a result stating that the outcome is unknown.
  const [first] = results;
  assertEquals([first, results.at(-1), new Set(results)], [
    "paid",
    "paid",
    new Set(["paid", "outcome_unknown"]),
  ]);
});

Deno.test("a second process on the same journal does not repeat a payment in progress, and stops the first process", async () => {
  const world = new World();
  await using process = new PaymentProcess(world);
  let request = await process.next();
  for (; request.op !== "pay"; request = await process.next()) {
    await process.respond(await process.perform(request));
  }
  const receipt = await process.perform(request);
  assertEquals(await runPayment(world, () => world.pay()), "outcome_unknown");
  const text = world.text;
  await process.respond(receipt);
  for (request = await process.next(); request.op !== "end"; request = await process.next()) {
    await process.respond(await process.perform(request));
  }
  assertStringIncludes(request.result, "another process has opened the journal");
  assertEquals([world.payments, world.text], [1, text]);
});
