/**
 * Null subjects: drivers and servers that implement nothing and must pass no case.
 *
 * @module
 */

import type { Suite } from "../../conformance/kit/load_cases.ts";
import { freePort } from "../../conformance/platform/net.ts";
import { runtimeCommand } from "../../conformance/platform/process.ts";
import { neededOps } from "../../conformance/runner/driver_executor.ts";
import type { Subject } from "../../conformance/runner/subject.ts";

/** A subject that implements nothing. */
export interface NullSubject {
  /** Id, such as `driver-always-ok`. */
  readonly id: string;
  /** The driver or server. */
  readonly subject: Subject;
}

const PROGRAMS = [["cat"], ["true"], ["yes"], ["yes", "{}"], ["sleep", "600"]] as const;

/** Creates the null subjects. The drivers declare every operation that the cases use. */
export async function createNullSubjects(
  repository: URL,
  suite: Suite,
): Promise<readonly NullSubject[]> {
  const ops = [...new Set([...suite.values()].flatMap(neededOps))];
  const script = (name: string, ...args: readonly string[]): readonly string[] => [
    ...runtimeCommand(new URL(`conformance/testdata/${name}`, repository).pathname),
    ...args,
  ];
  const asDriver = (command: readonly string[]): Subject => ({ driver: { command } });
  return [
    ...PROGRAMS.flatMap((command) => [
      { id: `driver-${command.join("-")}`, subject: asDriver(command) },
      { id: `server-${command.join("-")}`, subject: { server: command } },
    ]),
    ...["ok", "null", "error", "fault", "echo"].map((mode) => ({
      id: `driver-always-${mode}`,
      subject: asDriver(script("null_driver.ts", mode, ...ops)),
    })),
    ...["empty", "error", "invalid", "tool-error", "echo"].map((mode) => ({
      id: `server-always-${mode}`,
      subject: { server: script("null_server.ts", mode) },
    })),
    { id: "url-dead-port", subject: { url: `http://127.0.0.1:${await freePort()}/mcp` } },
  ];
}
