/**
 * `parley-kit doctor`: starts a subject and shows which cases can be run, without running them.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { pluralize } from "../kit/pluralize.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { formatReasons } from "../reporters/text.ts";
import { inspect } from "../runner/run.ts";
import type { Command } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { readNamedSuite, readSelection, SELECT_FLAGS, SELECT_USAGE } from "./select_flags.ts";
import { readRevision, readSubject, SUBJECT_FLAGS, SUBJECT_USAGE } from "./subject_flags.ts";
import { escapeText } from "../kit/escape_text.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  ...SUBJECT_FLAGS,
  ...SELECT_FLAGS,
  revision: { type: "string" },
};

/** The `doctor` command. */
export const DOCTOR: Command = {
  summary: "start a subject and show which cases can be run",
  usage: `parley-kit doctor [SUBJECT.json] [options]

Starts the subject and shows which cases can be run, without running them.

Subject:
${SUBJECT_USAGE}

Cases:
${SELECT_USAGE}

Options:
  --revision DATE            MCP protocol version (default: 2025-11-25)`,
  run: doctorCommand,
};

async function doctorCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const { subject } = await readSubject(args);
  const revision = readRevision(args);
  const suite = await readNamedSuite(args);
  const findings = await inspect({
    subject,
    suite,
    select: await readSelection(args),
    signal: io.signal,
    ...(revision === undefined ? {} : { revision }),
  });
  const concerned = findings.filter(({ runnable, excluded }) =>
    runnable > 0 || excluded.length > 0
  );
  if (concerned.length === 0) throw nothingToAsk();
  for (const { implementation, library, transport, startMs, runnable, excluded } of concerned) {
    const where = transport ?? library ?? "driver";
    const name = escapeText(`${implementation.name} ${implementation.version}`);
    io.out(`${name} (${where}), ready in ${startMs} ms\n`);
    io.out(`  ${pluralize(runnable, "case")} can be run\n`);
    for (const line of formatReasons(excluded)) io.out(`  ${line}\n`);
  }
  return concerned.some(({ runnable }) => runnable > 0) ? 0 : 4;
}

function nothingToAsk(): KitError {
  return new KitError(KitErrorCode.NothingToRun, "Cannot inspect the subject: no case selected");
}
