import { assertEquals } from "@std/assert";
import type { JsonObject } from "../kit/json.ts";
import { readSuite } from "../kit/load_cases.ts";
import type { CaseResult } from "../kit/verdict.ts";
import { run } from "../runner/run.ts";

const DRIVER = new URL("../testdata/provider_driver.ts", import.meta.url).pathname;

/** Runs a case whose subject sends a number of requests. */
async function runCase(
  requests: number,
  turns: readonly JsonObject[],
  more: JsonObject = {},
): Promise<Partial<CaseResult>> {
  const suite = readSuite(
    new Map([["f", {
      kit: 1,
      cases: [{
        id: "model/x/case",
        title: "t",
        level: "MUST",
        basis: "contract:anthropic",
        clauses: ["MODEL-X-1"],
        why: "w",
        source: "s",
        timing: { deadlineMs: 20_000 },
        kind: "provider",
        api: "anthropic",
        turns,
        host: { tools: { add: [{ returns: 1 }] } },
        steps: [{ do: "agent.run", args: { requests }, expect: { ok: {} } }],
        ...more,
      }],
    }]]),
  );
  const command = ["deno", "run", "--allow-net=127.0.0.1", DRIVER];
  const { results } = await run({ subject: { driver: { command } }, suite });
  const [{ verdict, expected, got, note } = {}] = results;
  return Object.fromEntries(
    Object.entries({ verdict, expected, got, note }).filter(([, value]) => value !== undefined),
  );
}

const TURN: JsonObject = { expect: { path: "/v1/messages" }, reply: { json: {} } };

Deno.test("a provider case passes if the subject uses all turns", async () => {
  assertEquals(await runCase(2, [TURN, TURN]), { verdict: "pass" });
});

Deno.test("a provider case adds the address of the provider to the steps that connect", async () => {
  const expect = {
    ok: {
      api: "anthropic",
      apiKey: "kit-key",
      baseUrl: { $re: "^http://127\\.0\\.0\\.1:\\d+/v1$" },
      model: "m",
    },
  };
  const steps = [{ do: "model.open", args: { model: "m" }, expect }];
  assertEquals(await runCase(0, [], { steps }), { verdict: "pass" });
});

Deno.test("a provider case fails if a turn is not used", async () => {
  assertEquals(await runCase(1, [TURN, TURN]), {
    verdict: "fail",
    expected: "2 requests",
    got: "1 request",
  });
});

Deno.test("a provider case does not apply if a turn with a reason is not used", async () => {
  assertEquals(await runCase(1, [TURN, { ...TURN, optional: "the run ended" }]), {
    verdict: "n/a",
    note: "the run ended",
  });
});

Deno.test("a provider case fails if there is no turn for a request", async () => {
  assertEquals(await runCase(2, [TURN]), {
    verdict: "fail",
    expected: "only requests that the script allows",
    got: "request 2, but the script has 1 turn",
  });
});

Deno.test("a provider case reports a wrong request instead of the result that it causes", async () => {
  const turns = [{ expect: { json: { count: 7 } }, reply: { json: {} } }];
  const steps = [{ do: "agent.run", args: { requests: 1 }, expect: { error: {} } }];
  assertEquals(await runCase(1, turns, { steps }), {
    verdict: "fail",
    expected: "7 at $.json.count",
    got: "0",
  });
});
