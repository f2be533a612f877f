import { assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { streamToolLoop, ToolLoopAgent, ToolRegistry } from "../mod.ts";
import { AgentSession, memorySessions } from "../session.ts";
import { scriptedModel } from "../testing.ts";
import type { StreamOptions, ToolLoopStream } from "./stream.ts";

type OpenStream = (
  options: StreamOptions & { readonly signal?: AbortSignal },
  onError: (error: unknown) => void,
) => ToolLoopStream;

function agentWith(onError: (error: unknown) => void): ToolLoopAgent {
  return new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]), onError });
}

const STREAMS: Readonly<Record<string, OpenStream>> = {
  "agent.stream()": (options, onError) => agentWith(onError).stream("Hi", options),
  "session.stream()": (options, onError) =>
    new AgentSession(agentWith(onError), { id: "s", store: memorySessions() })
      .stream("Hi", options),
  "streamToolLoop()": ({ signal, ...options }, onError) =>
    streamToolLoop(
      {
        model: scriptedModel([{ text: "Hello" }]),
        registry: new ToolRegistry(),
        onError,
        ...signal && { signal },
      },
      "Hi",
      options,
    ),
};

for (const [call, open] of Object.entries(STREAMS)) {
  const reportOf = (error: unknown): string => error instanceof Error ? error.message : "";

  Deno.test(`${call} reports once, after 10 seconds, that the stream is not read`, async () => {
    using time = new FakeTime();
    const reports: string[] = [];
    const stream = open({}, (error) => reports.push(reportOf(error)));
    time.tick(9999);
    assertEquals(reports, []);
    time.tick(1);
    const text =
      `${call} was called and is not read, so the run has not started; read it with "for await"`;
    assertEquals(reports, [text]);
    time.tick(100_000);
    assertEquals(reports, [text]);
    // The stream can still be read.
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    assertEquals(types.at(-1), "run_finished");
  });

  Deno.test(`${call} does not report a stream that is read, closed or aborted`, async () => {
    using time = new FakeTime();
    const reports: unknown[] = [];
    const onError = (error: unknown): void => {
      reports.push(error);
    };
    const read = open({ warnAfterMs: 5 }, onError);
    await read.next();
    await open({ warnAfterMs: 5 }, onError).return();
    const controller = new AbortController();
    open({ warnAfterMs: 5, signal: controller.signal }, onError);
    controller.abort();
    open({ warnAfterMs: Infinity }, onError);
    time.tick(1000);
    assertEquals(reports, []);
    await read.return();
    open({ warnAfterMs: 5 }, onError);
    time.tick(5);
    assertEquals(reports.length, 1);
    for (const warnAfterMs of [-1, NaN]) {
      assertThrows(() => open({ warnAfterMs }, onError), RangeError, '"warnAfterMs" must be');
    }
  });
}
