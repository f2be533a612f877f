import { assert, assertEquals } from "@std/assert";
import { CONFLICTS } from "../../conformance/message_schemas/conflicts.ts";
import { MessageChecker } from "../../conformance/message_schemas/message_checker.ts";
import { parseRecording } from "../../conformance/recording/format.ts";
import { readMessageVersion } from "../../conformance/message_schemas/versions.ts";
import { isObject } from "../../conformance/kit/json.ts";
import { seededRandom } from "../../lab/selftest/random/seeded_random.ts";
import { readBundledSchemas } from "./bundled_schemas.ts";
import { generateMessages } from "./generate_messages.ts";
import {
  areWrongOptions,
  CORRECTED_CONFLICTS,
  correctSchema,
  WRONG_OPTIONS,
} from "./known_differences.ts";
import { createOfficialCheck, type Sample } from "./official_schema.ts";

const RECORDINGS = new URL("../../lab/recordings/", import.meta.url);
const SCHEMAS = readBundledSchemas();

Deno.test("the official suite contains the schemas of four versions", () => {
  assertEquals([...SCHEMAS.keys()].sort(), [
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
  ]);
});

Deno.test("each difference from the official schemas is a documented conflict", () => {
  const names = CONFLICTS.map(({ name }) => name);
  for (const name of [...CORRECTED_CONFLICTS, WRONG_OPTIONS]) assert(names.includes(name), name);
});

for (const [version, official] of SCHEMAS) {
  Deno.test(`the schemas of ${version} give the official verdict on 500 generated messages`, () => {
    const checker = new MessageChecker();
    const check = createOfficialCheck(correctSchema(official));
    let valid = 0;
    for (const sample of generateMessages(official, seededRandom(1), 500)) {
      const { from, message, method } = sample;
      const problems = checker.findProblems(message, { version, from, method });
      const isValid = check(sample);
      if (isValid) valid++;
      if (isValid === (problems.length === 0)) continue;
      const label = `${method} ${JSON.stringify(message)}: ${isValid} ${problems}`;
      assert(isValid && areWrongOptions(problems), label);
    }
    assert(valid > 200 && valid < 400, String(valid));
  });
}

Deno.test("the schemas and the official ones accept all recorded messages", async () => {
  const checker = new MessageChecker();
  let count = 0;
  for await (const { name } of Deno.readDir(RECORDINGS)) {
    if (!name.endsWith(".jsonl")) continue;
    const { events } = parseRecording(await Deno.readTextFile(new URL(name, RECORDINGS)), name);
    const messages = events.flatMap(({ dir, msg }) =>
      dir === undefined || msg === undefined ? [] : [{ dir, msg }]
    );
    for (const { sample, version } of readSamples(messages)) {
      const official = SCHEMAS.get(version);
      if (official === undefined) throw new Error(`${name} has the unknown version ${version}`);
      const { from, message, method } = sample;
      assertEquals(checker.findProblems(message, { version, from, method }), [], name);
      assert(createOfficialCheck(official)(sample), `${name} ${JSON.stringify(message)}`);
      count++;
    }
  }
  assert(count >= 100, String(count));
});

interface Recorded {
  readonly dir: "c2s" | "s2c";
  readonly msg: unknown;
}

/** Adds the version of the session and, to each response, the method of its request. */
function readSamples(events: readonly Recorded[]) {
  const version = events.map(({ msg }) => readMessageVersion(versionOf(msg))).find(Boolean);
  if (version === undefined) throw new Error("the recording has no initialization");
  const methods = new Map<string, string>();
  return events.map(
    ({ dir, msg }): { readonly version: typeof version; readonly sample: Sample } => {
      const from = dir === "c2s" ? "client" : "server";
      const other = dir === "c2s" ? "server" : "client";
      const { id, method } = isObject(msg) ? msg : {};
      if (typeof method === "string" && id !== undefined) methods.set(`${from} ${id}`, method);
      const asked = methods.get(`${other} ${id}`) ?? "";
      return {
        version,
        sample: { from, method: typeof method === "string" ? method : asked, message: msg },
      };
    },
  );
}

function versionOf(message: unknown): unknown {
  const result = isObject(message) ? message.result : undefined;
  return isObject(result) ? result.protocolVersion : undefined;
}
