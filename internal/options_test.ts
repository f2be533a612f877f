import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { assertCount, assertNonEmptyString, assertOptionalFunction } from "./assert_argument.ts";
import {
  assertNames,
  findIgnored,
  findNearest,
  namesOf,
  optionsReader,
  required,
  withDefault,
} from "./options.ts";

interface FetchOptions {
  readonly url: string;
  readonly timeoutMs?: number;
  readonly onRetry?: (attempt: number) => void;
}

const readFetch = optionsReader<FetchOptions>("options", { retries: "onRetry" })({
  url: required(assertNonEmptyString),
  timeoutMs: withDefault(60_000, assertCount),
  onRetry: assertOptionalFunction,
});

/** Passes options as a caller without a type check does. */
function read(options: unknown, at?: string): unknown {
  return Reflect.apply(readFetch, undefined, [options, at]);
}

Deno.test("optionsReader() fills in the defaults and keeps the values of the caller", () => {
  const onRetry = (): void => {};
  assertEquals(read({ url: "a" }), { url: "a", timeoutMs: 60_000, onRetry: undefined });
  assertEquals(read({ url: "a", timeoutMs: 5, onRetry }), { url: "a", timeoutMs: 5, onRetry });
});

Deno.test("optionsReader() treats undefined as absent, also under an unknown name", () => {
  assertEquals(
    read({ url: "a", timeoutMs: undefined, onRetry: undefined, none: undefined }),
    { url: "a", timeoutMs: 60_000, onRetry: undefined },
  );
});

Deno.test("optionsReader() rejects an unknown name and suggests the nearest option", () => {
  const table: readonly (readonly [string, string])[] = [
    ["timeoutMS", `did you mean "timeoutMs"?`],
    ["tiemoutMs", `did you mean "timeoutMs"?`],
    ["timeout", `did you mean "timeoutMs"?`],
    ["uri", `did you mean "url"?`],
    ["retries", `did you mean "onRetry"?`],
    ["headers", "the options are url, timeoutMs, onRetry"],
    ["toString", "the options are url, timeoutMs, onRetry"],
    ["x".repeat(1000), "the options are url, timeoutMs, onRetry"],
  ];
  for (const [name, hint] of table) {
    const error = assertThrows(() => read({ url: "a", [name]: 5 }), TypeError);
    assert(error.message.startsWith(`"options" must have only known options, got "`), name);
    assert(error.message.endsWith(`"; ${hint}`), error.message);
  }
});

Deno.test("optionsReader() rejects a member named __proto__", () => {
  assertThrows(() => read(JSON.parse(`{ "url": "a", "__proto__": 1 }`)), TypeError, "__proto__");
});

Deno.test("optionsReader() reads inherited options, and rejects inherited unknown names", () => {
  assertEquals(read(Object.create({ url: "a", timeoutMs: 3 })), {
    url: "a",
    timeoutMs: 3,
    onRetry: undefined,
  });
  const options = Object.create({ timeoutMS: 3 }, { url: { value: "a" } });
  assertThrows(() => read(options), TypeError, "timeoutMS");
});

Deno.test("optionsReader() reads getters and methods of a class", () => {
  let reads = 0;
  class Settings {
    get url(): string {
      reads++;
      return "a";
    }
    onRetry(): void {}
  }
  const options = new Settings();
  assertEquals(read(options), { url: "a", timeoutMs: 60_000, onRetry: options.onRetry });
  assertEquals(reads, 1);
});

Deno.test("optionsReader() requires an object and the required options", () => {
  for (const value of [undefined, null, "a", 1, [], () => {}]) {
    assertThrows(() => read(value), TypeError, `"options" must be an object, got`);
  }
  for (const options of [{}, { url: undefined }, { url: "" }]) {
    assertThrows(() => read(options), TypeError, `"url" must be a non-empty string, got`);
  }
});

Deno.test("optionsReader() checks each value and names the option", () => {
  assertThrows(
    () => read({ url: "a", timeoutMs: "5" }),
    RangeError,
    `"timeoutMs" must be a positive integer, got "5"`,
  );
  assertThrows(() => read({ url: "a", onRetry: 5 }), TypeError, `"onRetry" must be a function`);
});

Deno.test("optionsReader() names the path of a nested object", () => {
  assertThrows(() => read({ url: 1 }, "config"), TypeError, `"url" must be`);
  assertThrows(() => read({ url: 1 }, "upstreams[2]"), TypeError, `"upstreams[2].url" must be`);
  assertThrows(
    () => read({ url: "a", uri: "b" }, "upstreams[2]"),
    TypeError,
    `"upstreams[2]" must have only known options, got "uri"; did you mean "url"?`,
  );
});

Deno.test("optionsReader() without options rejects every name", () => {
  const none = optionsReader<Record<never, never>>("options")({});
  assertThrows(() => none({ a: 1 }), TypeError, `got "a"; there are no options`);
});

Deno.test("namesOf() and assertNames() accept known and undefined members", () => {
  const names = namesOf<FetchOptions>({ url: true, timeoutMs: true, onRetry: true });
  assertNames("options", { url: "a", timeoutMs: 1, none: undefined }, names);
  assertThrows(
    () => assertNames("options", { url: "a", onRety: 1 }, names),
    TypeError,
    `"options" must have only known options, got "onRety"; did you mean "onRetry"?`,
  );
});

Deno.test("rules that do not match the options do not compile", () => {
  optionsReader<FetchOptions>("options")({
    // @ts-expect-error The option is required.
    url: assertNonEmptyString,
    // @ts-expect-error The default is not a number.
    timeoutMs: withDefault("60", assertCount),
    onRetry: assertOptionalFunction,
  });
  // @ts-expect-error A rule is missing.
  optionsReader<FetchOptions>("options")({ url: required(assertNonEmptyString) });
  optionsReader<FetchOptions>("options")({
    url: required(assertNonEmptyString),
    timeoutMs: assertCount,
    onRetry: assertOptionalFunction,
    // @ts-expect-error The name is not an option.
    retries: assertCount,
  });
  // @ts-expect-error A name is missing.
  namesOf<FetchOptions>({ url: true, timeoutMs: true });
  // @ts-expect-error The name is not an option.
  namesOf<FetchOptions>({ url: true, timeoutMs: true, onRetry: true, retries: true });
  // @ts-expect-error An option without a default can be undefined.
  const onRetry: () => void = readFetch({ url: "a" }).onRetry;
  assertEquals(onRetry, undefined);
});

Deno.test("findNearest() finds a name after one change, and no name after many changes", () => {
  const names = ["approvalHandler", "maxIterations", "signal"];
  const near = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.constantFrom("x", "Y", ""));
  fc.assert(fc.property(near, ([name, at, letter]) => {
    const index = at % name.length;
    const changed = `${name.slice(0, index)}${letter}${name.slice(index + 1)}`;
    assertEquals(findNearest(changed, names), name);
  }));
  fc.assert(fc.property(fc.stringMatching(/^[0-9]{1,40}$/), (digits) => {
    assertEquals(findNearest(digits, names), undefined);
  }));
  assertEquals(findNearest("singal", names), "signal");
  assertEquals(findNearest("SIGNAL", names), "signal");
  assertEquals(findNearest("", names), undefined);
});

Deno.test("assertNames() tells a caller that passes an AbortSignal to pass an object", () => {
  const names = namesOf<{ readonly signal?: AbortSignal }>({ signal: true });
  assertThrows(
    () => assertNames("options", new AbortController().signal, names),
    TypeError,
    `"options" must have only known options, got "aborted"; pass { signal }`,
  );
});

Deno.test("aliases are found in snake case, and can contain a remedy", () => {
  const names = namesOf<FetchOptions>({ url: true, timeoutMs: true, onRetry: true });
  const aliases = { baseUrl: "url", maxTries: 'call "retry()"' };
  const hints = [
    ["base_url", 'got "base_url"; did you mean "url"?'],
    ["maxTries", 'got "maxTries"; call "retry()"'],
    ["__proto_url", "the options are url, timeoutMs, onRetry"],
  ] as const;
  for (const [name, hint] of hints) {
    assertThrows(() => assertNames("options", { [name]: 1 }, names, aliases), TypeError, hint);
  }
});

Deno.test("findIgnored() finds aliases and misspellings, and accepts other members", () => {
  const known = new Set(["run", "timeoutMs"]);
  const find = (object: object) =>
    findIgnored(object, { known, names: ["timeoutMs"], aliases: { ask: "confirm before run()" } });
  assertEquals(
    find({ run: 1, timeoutMs: 1, state: {}, runs: 2, timeout_ms: undefined }),
    undefined,
  );
  const remedy = 'did you mean "timeoutMs"?';
  assertEquals(find({ timeout_ms: 1 }), { name: "timeout_ms", remedy });
  assertEquals(find({ ask: false }), { name: "ask", remedy: "confirm before run()" });
  assertEquals(find({ asks: 1 }), { name: "asks", remedy: "confirm before run()" });
});
