/**
 * Operations on journals, and the run options that use them.
 *
 * @module
 */

import type { ApprovalDecision, HistoryView, RunOptions } from "@parley/runtime";
import {
  type Journal,
  type JournalStore,
  JsonlJournal,
  MemoryJournal,
  recordSteps,
} from "@parley/runtime/journal";
import {
  BadArgs,
  type Fields,
  isFields,
  type OpCall,
  type Operation,
  textOf,
} from "./operation.ts";
import { toBudget } from "./runtime_conditions.ts";
import { reviveFiles } from "./runtime_data.ts";

/** Implementations of the operations, keyed by operation name. */
export const JOURNAL_OPS: Readonly<Record<string, Operation>> = {
  "runtime.journal.new": ({ args: { text }, handles }) => ({
    // The library validates the text.
    handle: handles.add(
      text === undefined ? new MemoryJournal() : MemoryJournal.fromText(text as string),
    ),
  }),
  "runtime.journal.open": async ({ args: { text = "", cut }, on, handles }) => {
    const storage = on === undefined
      ? new TextStorage(cut === true ? String(text).slice(0, -5) : String(text))
      : toStored(on).storage;
    const journal = await JsonlJournal.open(storage);
    return { handle: handles.add(new StoredJournal(journal, storage)) };
  },
  "runtime.journal.text": ({ on }) => ({
    text: on instanceof MemoryJournal ? on.toText() : toStored(on).storage.text,
    size: on instanceof MemoryJournal ? on.size : toStored(on).journal.size,
  }),
};

/** Storage that several journals can open, like a file. */
class TextStorage implements JournalStore {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  read(): Promise<string> {
    return Promise.resolve(this.text);
  }

  append(text: string): Promise<void> {
    this.text += text;
    return Promise.resolve();
  }
}

/** A journal and its storage. */
class StoredJournal {
  readonly journal: JsonlJournal;
  readonly storage: TextStorage;

  constructor(journal: JsonlJournal, storage: TextStorage) {
    this.journal = journal;
    this.storage = storage;
  }
}

function toStored(object: unknown): StoredJournal {
  if (object instanceof StoredJournal) return object;
  throw new BadArgs("the handle must refer to a journal that runtime.journal.open created");
}

/** Converts the options for a run: signal, journal and decisions. */
export function toRunOptions({ args, signal, handles }: OpCall): RunOptions {
  const { decisions, history, journal, messages, now, runId, signals } = args;
  const budget = toBudget(args);
  return {
    signal,
    // The casts are unchecked, because the library validates the messages and the history view.
    ...(messages === undefined
      ? {}
      : { messages: reviveFiles(messages) as RunOptions["messages"] & object }),
    ...(history === undefined ? {} : { history: history as HistoryView }),
    ...(typeof runId === "string" ? { runId } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(journal === undefined ? {} : {
      stepRunner: recordSteps(
        isFields(journal) ? parseJournal(journal) : toJournal(handles.get(journal)),
      ),
    }),
    // The cast is unchecked, because the library validates the signals.
    ...(signals === undefined ? {} : { signals: signals as RunOptions["signals"] & object }),
    ...(typeof now === "string" ? { now: () => Date.parse(now) } : {}),
    ...(Array.isArray(decisions) ? { decisions: Object.fromEntries(decisions.map(toEntry)) } : {}),
  };
}

/**
 * Parses the journal of an earlier run. With `otherVersion` or `damage`, first changes the text of
 * the journal.
 */
function parseJournal({ damage, texts, otherVersion }: Fields): MemoryJournal {
  const text = Array.isArray(texts) ? texts.join("") : "";
  const [from, to] = Array.isArray(damage) ? damage : ['"v":1', '"v":2'];
  const isChanged = otherVersion === true || damage !== undefined;
  if (isChanged && !text.includes(String(from))) throw new BadArgs(`the journal has no ${from}`);
  return MemoryJournal.fromText(isChanged ? text.replaceAll(String(from), String(to)) : text);
}

function toJournal(object: unknown): Journal {
  return object instanceof MemoryJournal ? object : toStored(object).journal;
}

function toEntry(decision: unknown): readonly [string, ApprovalDecision] {
  const { key, ...fields } = isFields(decision) ? decision : {};
  // The cast is unchecked, because the library validates the decision.
  return [textOf({ key }, "key"), fields as ApprovalDecision];
}
