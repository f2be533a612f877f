/** Tests tool arguments that attempt to block the server during schema validation. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { mcpHandler, McpServer } from "../server.ts";
import { post } from "../testdata/http.ts";

/** Maximum duration of one attack, in milliseconds. A successful attack takes seconds to hours. */
const MAX_MS = 2500;

/**
 * Schema of the attacked argument `a`, the argument as JSON, and the text that the caller receives.
 */
interface Attack {
  readonly schema: Record<string, unknown>;
  readonly argument: () => string;
  readonly text: RegExp;
}

function numbers(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, index) => index));
}

function unknownKeys(count: number): string {
  return JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 1])),
  );
}

const UNIQUE = { type: "array", uniqueItems: true };

const ATTACKS: Readonly<Record<string, Attack>> = {
  "100,000 numbers where the schema requires unique items": {
    schema: UNIQUE,
    argument: () => numbers(100_000),
    text: /maximum is 1000 items in an array/,
  },
  "1000 wide objects where the schema requires unique items": {
    schema: UNIQUE,
    // The objects differ only in the last property, so that every comparison takes as long as
    // possible.
    argument: () =>
      `[${numbers(1000).slice(1, -1).replaceAll(/\d+/g, `{"a":${numbers(148)},"b":$&}`)}]`,
    text: /takes too long to validate: more than 1000000 steps|^called$/,
  },
  "a string on which the regular expression for the url format takes exponential time": {
    schema: { format: "url" },
    argument: () => JSON.stringify(`http://${"a".repeat(40)}!`),
    text: /does not match format|^called$/,
  },
  "a long string on which the regular expression for the url format takes quadratic time": {
    schema: { format: "url" },
    argument: () => JSON.stringify(`http://${"a:".repeat(20_000)}`),
    text: /does not match format|^called$/,
  },
  "300,000 unknown properties": {
    schema: { type: "object", additionalProperties: false },
    argument: () => unknownKeys(300_000),
    text: /maximum is 200000 values/,
  },
  "150,000 unknown properties": {
    schema: { type: "object", additionalProperties: false },
    argument: () => unknownKeys(150_000),
    text: /is not a known property/,
  },
  "a string of 2,000,000 spaces for a pattern that takes quadratic time": {
    schema: { pattern: "\\s+$" },
    argument: () => JSON.stringify(`${" ".repeat(2_000_000)}x`),
    text: /string is too long \(2000001 > 10000\)/,
  },
  "a string longer than maxLength for a pattern that takes quadratic time": {
    schema: { pattern: "\\s+$", maxLength: 100 },
    argument: () => JSON.stringify(`${" ".repeat(2_000_000)}x`),
    text: /string is too long \(2000001 > 100\)/,
  },
  "a property name of 2,000,000 spaces for a pattern that takes quadratic time": {
    schema: { patternProperties: { "\\s+$": {} } },
    argument: () => JSON.stringify({ [`${" ".repeat(2_000_000)}x`]: 1 }),
    text: /maximum is 10000 characters in a property name/,
  },
  "a long property name with many invalid values below it": {
    schema: { additionalProperties: { items: { type: "null" } } },
    argument: () => JSON.stringify({ ["n".repeat(1_000_000)]: Array(500).fill(1) }),
    text: /must be null/,
  },
  "an integer beyond the range of numbers": {
    schema: { type: "integer" },
    argument: () => "1e400",
    text: /contains a number that is not finite/,
  },
  "many values for a long enum": {
    schema: { items: { enum: Array.from({ length: 5000 }, (_, index) => `value ${index}`) } },
    argument: () => numbers(900),
    text: /does not match any of/,
  },
};

function callOf(argument: string): Request {
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
    '"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},' +
    '"io.modelcontextprotocol/clientCapabilities":{}}';
  const params = `{"name":"t","arguments":{"a":${argument}},${meta}}`;
  return post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "t",
  });
}

for (const [name, { schema, argument, text }] of Object.entries(ATTACKS)) {
  Deno.test(`tool arguments cannot stop the server: ${name}`, async () => {
    const server = new McpServer({ name: "s", version: "1" });
    const inputSchema = { type: "object", properties: { a: schema } };
    server.registerTool({ name: "t", description: "t", inputSchema }, () => "called");
    const handler = mcpHandler(server);
    const request = callOf(argument());
    const startedAt = performance.now();
    const { result, error } = await (await handler(request)).json();
    const tookMs = performance.now() - startedAt;
    assertEquals(error, undefined);
    assertMatch(result.content[0].text, text);
    assert(result.content[0].text.length < 10_000);
    assert(tookMs < MAX_MS, `${tookMs} ms`);
    await handler.close();
  });
}
