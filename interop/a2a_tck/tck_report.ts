/**
 * Reads the report of the A2A compatibility kit, and compares it with the expected outcomes.
 *
 * @module
 */

/** Outcome of a test. `xfailed` is a requirement at the level SHOULD that is not met. */
export type Outcome = "passed" | "failed" | "skipped" | "xfailed";

/** A test of the kit. */
export interface TestResult {
  /** Name of the module and of the test, for example `test_requirements.test_must[A-jsonrpc]`. */
  readonly id: string;
  readonly outcome: Outcome;
  /** Message of the failure or of the skip. */
  readonly message: string;
}

/** Tests that do not pass, and the reason. */
export interface Expectation {
  readonly outcome: Exclude<Outcome, "passed">;
  /** Matches the ids of the tests. */
  readonly id: RegExp;
  /** Matches the message. If omitted, every message matches. */
  readonly message?: RegExp;
  readonly reason: string;
  /** Whether no test of a configuration may match. */
  readonly isOptional?: true;
}

const TEST = /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/** Reads a report in JUnit XML, as pytest writes it. */
export function readReport(xml: string): readonly TestResult[] {
  return [...xml.matchAll(TEST)].map(([, attributes = "", body = ""]) => {
    const [, kind, details = ""] = /<(failure|error|skipped)\b([^>]*)/.exec(body) ?? [];
    const module = attributeOf(attributes, "classname").split(".").at(-1);
    const id = `${module}.${attributeOf(attributes, "name")}`;
    return { id, outcome: toOutcome(kind, details), message: attributeOf(details, "message") };
  });
}

function toOutcome(kind: string | undefined, details: string): Outcome {
  if (kind === undefined) return "passed";
  if (kind !== "skipped") return "failed";
  return attributeOf(details, "type") === "pytest.xfail" ? "xfailed" : "skipped";
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function attributeOf(attributes: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  return value.replaceAll(/&(\w+);/g, (entity, key: string) => ENTITIES[key] ?? entity);
}

/** Comparison of a report with the expectations. */
export interface Comparison {
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Tests that do not pass and that no expectation matches. */
  readonly unexplained: readonly TestResult[];
  /** Expectations that no test matches. */
  readonly unused: readonly Expectation[];
}

/** Compares a report with the expectations. */
export function compare(
  results: readonly TestResult[],
  expectations: readonly Expectation[],
): Comparison {
  const counts = { passed: 0, failed: 0, skipped: 0, xfailed: 0 };
  const used = new Set<Expectation>();
  const unexplained: TestResult[] = [];
  for (const result of results) {
    counts[result.outcome]++;
    if (result.outcome === "passed") continue;
    const match = expectations.find((each) => explains(each, result));
    if (match === undefined) unexplained.push(result);
    else used.add(match);
  }
  const unused = expectations.filter((each) => !used.has(each) && each.isOptional !== true);
  return { counts, unexplained, unused };
}

function explains({ id, message, outcome }: Expectation, result: TestResult): boolean {
  return outcome === result.outcome && id.test(result.id) &&
    (message === undefined || message.test(result.message));
}
