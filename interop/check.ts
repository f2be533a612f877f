/**
 * Checks that run one after another, each with its own deadline and a line of its own.
 *
 * @module
 */

/** Something that is checked: an implementation that somebody else wrote. */
export interface Subject {
  /** The package with its version, and the way to it. */
  readonly name: string;
  /** Runs its checks. */
  run(check: Check): Promise<void>;
}

/** Runs one check; never rejects. */
export type Check = (name: string, body: () => unknown, timeoutMs?: number) => Promise<void>;

/** What has come out so far. */
export interface Tally {
  /** How many checks have passed. */
  passed: number;
  /** How many have failed. */
  failed: number;
}

/** Runs a subject's checks. A subject that cannot be set up fails one check of its own. */
export async function runSubject(subject: Subject, tally: Tally): Promise<void> {
  const check: Check = async (name, body, timeoutMs = 10_000) => {
    const started = performance.now();
    const failure = await attempt(body, timeoutMs);
    const took = `${Math.round(performance.now() - started)} ms`;
    tally[failure === undefined ? "passed" : "failed"]++;
    console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${subject.name}: ${name} (${took})`);
    if (failure !== undefined) console.log(indent(failure));
  };
  try {
    await subject.run(check);
  } catch (error) {
    await check("runs", () => Promise.reject(error));
  }
}

/** Waits for something, but not for ever. */
export async function within<T>(timeoutMs: number, what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what}: nothing after ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt(body: () => unknown, timeoutMs: number): Promise<string | undefined> {
  try {
    await within(timeoutMs, "the check", Promise.resolve().then(body));
  } catch (error) {
    return error instanceof Error ? error.stack ?? error.message : Deno.inspect(error);
  }
}

function indent(text: string): string {
  return text.split("\n").slice(0, 24).map((line) => `      ${line}`).join("\n");
}
