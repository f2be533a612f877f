import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { assert, assertEquals } from "@std/assert";
import { MessageChecker } from "../../conformance/message_schemas/message_checker.ts";
import { seededRandom } from "../../lab/selftest/random/seeded_random.ts";
import { generateSchema } from "./generate_schemas.ts";

const OPTIONS = { strict: false, validateFormats: false, logger: false } as const;
const DRAFTS: ReadonlyMap<string, Pick<Ajv, "validateSchema">> = new Map<
  string,
  Pick<Ajv, "validateSchema">
>([
  ["http://json-schema.org/draft-07/schema#", new Ajv(OPTIONS)],
  ["https://json-schema.org/draft/2019-09/schema", new Ajv2019(OPTIONS)],
  ["https://json-schema.org/draft/2020-12/schema", new Ajv2020(OPTIONS)],
]);

for (const [$schema, ajv] of DRAFTS) {
  Deno.test(`findSchemaProblems() agrees with ajv on 1,000 schemas of ${$schema}`, () => {
    const checker = new MessageChecker();
    const random = seededRandom(1);
    let valid = 0;
    for (let count = 0; count < 1_000; count++) {
      const schema = { ...generateSchema(random), $schema };
      const isValid = ajv.validateSchema(schema) === true;
      if (isValid) valid++;
      const problems = checker.findSchemaProblems(schema);
      assertEquals(problems.length === 0, isValid, `${JSON.stringify(schema)}: ${problems}`);
    }
    assert(valid > 90 && valid < 600, String(valid));
  });
}
