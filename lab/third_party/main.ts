/**
 * Runs the kit's cases on third-party implementations, twice on each, and writes the results to
 * `results.json` and `history/`, the list for `parley-kit explain`, the summary
 * `../IMPLEMENTATIONS.md` and the page `docs/public/implementations.html`. A run that proves
 * nothing about its subject is not stored. Keeps the stored results of subjects that are not
 * selected, or whose toolchain is not installed.
 *
 *     deno task kit:third-party [--jobs N] [NAME...]
 *
 * Exits with 0 if all selected subjects were stored, with 1 if a subject was not stored or a note
 * matches no failing case, with 2 if an argument is wrong, and with 130 after an interrupt.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import type { CommandIo } from "../../conformance/kit/command_io.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { runProgram } from "../../conformance/platform/run_program.ts";
import { buildProgram } from "./build.ts";
import { findStaleNotes } from "./result.ts";
import { storeResult } from "./store_result.ts";
import { chooseSubjects, type ThirdPartySubject } from "./subject.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";
import { testSubject } from "./test_subject.ts";

async function main(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    const { jobs, names } = readArguments(args);
    const chosen = chooseSubjects(THIRD_PARTY_SUBJECTS, names);
    const matrix = new Matrix(loadSuite(), io);
    const waiting = [...chosen];
    await Promise.all(Array.from({ length: jobs }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (io.signal.aborted) return;
        await matrix.test(next);
      }
    }));
    for (const line of matrix.problems) io.err(`${line}\n`);
    if (io.signal.aborted) return 130;
    return matrix.problems.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    io.err(`kit:third-party: ${error.message}\n`);
    return 2;
  }
}

/** Reads the number of subjects that are tested at the same time, and the names of subjects. */
function readArguments(
  args: readonly string[],
): { readonly jobs: number; readonly names: readonly string[] } {
  if (args[0] !== "--jobs") return { jobs: 1, names: args };
  const jobs = Number(args[1]);
  if (Number.isInteger(jobs) && jobs > 0) return { jobs, names: args.slice(2) };
  throw new KitError(
    KitErrorCode.Usage,
    "Cannot read --jobs: the value must be an integer above 0",
  );
}

/** Tests subjects and stores their results. */
class Matrix {
  /** Reasons why results were not stored, and notes that match no failing case. */
  readonly problems: string[] = [];
  readonly #suite: Suite;
  readonly #io: CommandIo;
  readonly #builds = new Map<string, Promise<boolean>>();
  /** Resolves when the last result has been written: results are stored one after another. */
  #stored: Promise<void> = Promise.resolve();

  constructor(suite: Suite, io: CommandIo) {
    this.#suite = suite;
    this.#io = io;
  }

  /** Tests a subject and stores its results, so that an interrupt keeps the results so far. */
  async test(subject: ThirdPartySubject): Promise<void> {
    const { signal, env } = this.#io;
    const registry = env["NPM_CONFIG_REGISTRY"];
    try {
      if (!await this.#isBuilt(subject)) return;
      const outcome = await testSubject(subject, {
        suite: this.#suite,
        signal,
        ...(registry === undefined ? {} : { registry }),
      });
      if (outcome.kind === "interrupted") return;
      if (outcome.kind === "refused") return this.#refuse(subject, outcome.reasons);
      const { result } = outcome;
      this.#stored = this.#stored.then(() => storeResult(result));
      await this.#stored;
      const { passed, red, unstable } = result;
      const counts = `${passed} passed, ${red.length} failed, ${unstable.length} unstable`;
      this.#io.out(`${subject.name}: ${counts} (${result.set})\n`);
      for (const { id, transport = "", runs } of unstable) {
        this.#io.out(`  unstable: ${[id, transport].join(" ").trim()}: ${runs.join(" | ")}\n`);
      }
      this.problems.push(...findStaleNotes(subject, result, outcome.ids));
    } catch (error) {
      if (!(error instanceof KitError)) throw error;
      if (signal.aborted) return;
      this.#refuse(subject, [error.message]);
    }
  }

  #refuse({ name }: ThirdPartySubject, reasons: readonly string[]): void {
    this.#io.out(`${name}: not stored\n`);
    this.problems.push(...reasons.map((reason) => `${name} is not stored: ${reason}`));
  }

  /**
   * Builds a subject's program, once for all subjects that share it. Returns false if the toolchain
   * is not installed.
   */
  async #isBuilt({ build }: ThirdPartySubject): Promise<boolean> {
    if (build === undefined) return true;
    const { signal, err } = this.#io;
    const started = this.#builds.get(build) ??
      buildProgram(build, { onSkip: (reason) => err(`${reason}\n`), signal });
    this.#builds.set(build, started);
    return await started;
  }
}

if (import.meta.main) await runProgram(main);
