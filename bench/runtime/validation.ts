/**
 * Measures JSON Schema validation: an ordinary schema of a tool compared with
 * `@cfworker/json-schema`, and the time until a hostile input is rejected.
 *
 * @module
 */

import { type Schema, Validator } from "@cfworker/json-schema";
import { jsonSchemaValidator } from "@parley/runtime";
import { measureFastestTurns, measureShortestRun } from "../measure.ts";

/** Schema of a tool that books a table. */
const ORDINARY: Schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 100 },
    guests: { type: "integer", minimum: 1, maximum: 8 },
    time: { type: "string", pattern: "^\\d\\d:\\d\\d$" },
    place: { enum: ["inside", "outside"] },
    wishes: { type: "array", items: { type: "string" }, maxItems: 5 },
  },
  required: ["name", "guests", "time"],
  additionalProperties: false,
};

const INPUT = {
  name: "Ann",
  guests: 4,
  time: "19:30",
  place: "inside",
  wishes: ["a chair for a child", "a quiet table"],
};

/** Schema whose alternatives all examine a long array. */
const HOSTILE = {
  oneOf: Array.from({ length: 50 }, (_, index) => ({
    type: "array",
    items: { type: "integer", minimum: -index },
  })),
};

/** Results of {@linkcode measureValidation}. */
export interface ValidationCost {
  /** Duration of a validation with the ordinary schema, divided by that of the other library. */
  readonly toCfworker: number;
  /** Time until the hostile input is rejected, divided by the time of parsing its JSON. */
  readonly hostileToJsonParse: number;
}

/** Measures both schemas. */
export async function measureValidation(totalMs: number): Promise<ValidationCost> {
  const validator = jsonSchemaValidator();
  const check = validator.compile({ ...ORDINARY });
  const other = new Validator(ORDINARY, "2020-12", false);
  const times = (run: () => unknown) => () => {
    for (let count = 0; count < 100; count++) run();
  };
  const speeds = await measureFastestTurns([
    { name: "parley", operations: 100, run: times(() => check(INPUT)) },
    { name: "cfworker", operations: 100, run: times(() => other.validate(INPUT)) },
  ], { totalMs });
  const hostile = validator.compile(HOSTILE);
  const text = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => index));
  const numbers: unknown = JSON.parse(text);
  const { minMs: hostileMs } = await measureShortestRun(async () => await hostile(numbers), 200);
  const { minMs: parseMs } = await measureShortestRun(async () => await JSON.parse(text), 200);
  return {
    toCfworker: (speeds.get("cfworker") ?? NaN) / (speeds.get("parley") ?? NaN),
    hostileToJsonParse: hostileMs / parseMs,
  };
}
