import { assertEquals } from "@std/assert";
import { jsonSchemaValidator } from "./json_schema.ts";
import { compilePattern } from "./json_schema_pattern.ts";

/** Patterns with a bound of the steps for a text of 1000 characters. */
const COSTS: readonly (readonly [pattern: string, steps: number])[] = [
  ["", 62],
  ["abc", 62],
  ["^\\d\\d:\\d\\d$", 62],
  ["^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}$", 62],
  ["^[a-f0-9]{64}$", 62],
  ["^-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$", 62],
  ["^[a-z0-9]+(-[a-z0-9]+)*$", 62],
  ["^(?:[a-z]+\\.)*[a-z]+$", 7820],
  ['^"(?:\\\\.|[^"\\\\])*"$', 62],
  ["^(?:[a-z]{2,3},)+$", 62],
  ["^(?:\\d{3}-){2}\\d{4}$", 62],
  ["^(US|GB|UK)$", 62],
  ["^(?=.*[a-z])(?=.*[0-9])(?=.*[A-Z]).{8,}$", 248],
  ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", 7_828],
  ["a+b", 7_820],
  ["^(?<year>\\d{4})-\\k<year>$", 62],
  ["^\\p{L}+\\u{1F600}[\\]\\b]\\x41\\cA\\/(?!x)$", 7_835],
];

for (const [pattern, steps] of COSTS) {
  Deno.test(`compilePattern() allows few steps for ${pattern}`, () => {
    const { cost } = compilePattern(pattern);
    assertEquals(cost(1000) <= 1.1 * steps, true, `${cost(1000)} steps, expected ${steps}`);
  });
}

/** Patterns with a lower bound of the steps, and the length of the text. */
const COSTLY: readonly (readonly [pattern: string, length: number])[] = [
  ["^.+@.+\\..+$", 600],
  [".*.*.*x", 200],
  ["^(?:x+)+$", 30],
  ["^(x*)*$", 30],
  ["^(x+x+)+y", 30],
  ["^(x|x)*$", 30],
  ["^(x|xx)+$", 30],
  ["^(x?x?)*$", 30],
  ["^(x{1,5})*$", 30],
  ["^(x{40})*(x{1,2}){20}$", 30],
  ["^(?:[a-z]|[b-y])+$", 30],
  ["^(?=(x+)+y)", 30],
  ["^y*(?=(x+)+y)", 30],
  ["^((?=x+)x)+$", 30],
  ["^(?:(x+)\\1)+$", 30],
  [`^${"x?".repeat(30)}${"x".repeat(30)}$`, 30],
  ["^(?:x?){30}x{30}$", 30],
  ["^(?:(?:x{0,9}){0,9}){0,9}$", 30],
  ["^(?:\\u00e9|[^a])+$", 30],
  ["^(?:\\s|\\u00a0)+$", 30],
  ["^(?:.|\\n|x)+$", 30],
  [`^${"(?:".repeat(9)}x${"){16}".repeat(9)}$`, 30],
  [`^${"(?:x{0,50}y?)".repeat(5)}$`, 60],
];

for (const [pattern, length] of COSTLY) {
  Deno.test(`compilePattern() allows more than a million steps for ${pattern}`, () => {
    const { cost } = compilePattern(pattern);
    assertEquals(cost(length) > 1_000_000, true, `${cost(length)} steps`);
    assertEquals(cost(0) <= 1_000_000, true);
  });
}

Deno.test("jsonSchemaValidator() does not match a pattern that could take too many steps", async () => {
  const validator = jsonSchemaValidator();
  for (const pattern of ["^.+@.+\\..+$", "^(x+)+$", "^(?:(?:x|.)+)+y"]) {
    const [issue] = await validator.compile({ pattern })(`${"@.".repeat(1500)}\n`);
    assertEquals(issue?.message.slice(0, 27), "takes too long to validate:", pattern);
    const named = validator.compile({ patternProperties: { [pattern]: true } });
    const [other] = await named({ ["@.".repeat(1500)]: 1 });
    assertEquals(other?.message.slice(0, 27), "takes too long to validate:", pattern);
  }
  const short = validator.compile({ pattern: "^(x+)+$" });
  assertEquals(await short("x".repeat(20)), []);
  const [issue] = await validator.compile({ pattern: "^.+@.+$", maxLength: 5 })("x".repeat(9000));
  assertEquals(issue?.message, "string is too long (9000 > 5)");
});
