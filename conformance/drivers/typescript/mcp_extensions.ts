/**
 * Tasks, skills and pages of a server that a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import { type AppOptions, registerApp } from "@parley/mcp/apps";
import type { InputRequest, McpServer, RequestContext } from "@parley/mcp/server";
import {
  memorySkills,
  type ServerSkills,
  serverSkills,
  type ServerSkillsOptions,
} from "@parley/mcp/skills";
import {
  memoryTaskStore,
  type ServerTasks,
  serverTasks,
  type StartOptions,
  type TaskContext,
  type TaskStore,
} from "@parley/mcp/tasks";
import { BadArgs, bytesOf, type Fields, isFields } from "./operation.ts";

/** Skill files, keyed by path. */
type Files = Record<string, string | Uint8Array>;

/** Extensions of a server. */
export class DescribedExtensions {
  readonly #tasks: DescribedTasks | undefined;
  readonly #skills: ServerSkills | undefined;
  readonly #files: Files;

  constructor(
    tasks: DescribedTasks | undefined,
    skills: ServerSkills | undefined,
    files: Files,
  ) {
    this.#tasks = tasks;
    this.#skills = skills;
    this.#files = files;
  }

  /**
   * Creates the extensions from the arguments of `mcp.server.new`. The library validates their
   * options.
   *
   * @param findShared Returns the extensions of the server with the given handle.
   */
  static async create(
    { tasks, skills }: Fields,
    findShared: (handle: string) => DescribedExtensions,
  ): Promise<DescribedExtensions> {
    const files: Files = {};
    const { files: content = {}, ...options } = isFields(skills) ? skills : {};
    changeFiles(files, content);
    const findStore = (handle: string) => findShared(handle).#tasks?.store;
    return new DescribedExtensions(
      isFields(tasks) ? new DescribedTasks(tasks, findStore) : undefined,
      isFields(skills) ? await createSkills(files, options) : undefined,
      files,
    );
  }

  /** Extensions to add to the server. */
  get list(): readonly (ServerTasks | ServerSkills)[] {
    return [this.#tasks?.extension, this.#skills].flatMap((each) => each ?? []);
  }

  /**
   * Changes the files of the skills, which are loaded again unless `isReloaded` is false, or the
   * store of the tasks.
   */
  async change({ skillFiles, isReloaded, store }: Fields): Promise<void> {
    if (isFields(store)) this.#tasks?.change(store);
    if (skillFiles === undefined) return;
    changeFiles(this.#files, skillFiles);
    if (isReloaded !== false) await this.#skills?.reload();
  }

  /**
   * Starts the task that a tool describes. Without a description, returns the context of the
   * request.
   */
  async start(task: unknown, context: RequestContext): Promise<RequestContext | TaskContext> {
    if (!isFields(task) || this.#tasks === undefined) return context;
    const { status, ...options } = task;
    const started = await this.#tasks.extension.start(context, options as StartOptions);
    if (typeof status === "string") await started.setStatusMessage(status);
    return started;
  }
}

/** The tasks of a server, and their store. */
class DescribedTasks {
  readonly extension: ServerTasks;
  readonly store: TaskStore;
  /** Name of the function of the store that fails, or `all`. */
  #fails: unknown;
  #readDelayMs = 0;
  #writeDelayMs = 0;

  constructor(
    { store, ...options }: Fields,
    findStore: (handle: string) => TaskStore | undefined,
  ) {
    const shared = typeof store === "string" ? findStore(store) : undefined;
    this.store = shared ?? memoryTaskStore(isFields(store) ? store : {});
    this.extension = serverTasks({ ...options, store: this.#reach(), onError: () => {} });
  }

  /** Sets the function of the store that fails, and the durations of reading and writing a task. */
  change({ fails, readDelayMs, writeDelayMs }: Fields): void {
    this.#fails = fails;
    this.#writeDelayMs = Number(writeDelayMs ?? 0);
    this.#readDelayMs = Number(readDelayMs ?? 0);
  }

  #reach(): TaskStore {
    return new Proxy(this.store, {
      get: (store, name) => async (...args: unknown[]): Promise<unknown> => {
        if (this.#fails === "all" || this.#fails === name) {
          throw new Error("The store cannot be reached");
        }
        if (name === "set") await pause(this.#writeDelayMs);
        const result: unknown = await Reflect.get(store, name).apply(store, args);
        if (name === "get") await pause(this.#readDelayMs);
        return result;
      },
    });
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

function createSkills(
  files: Files,
  options: Fields,
): Promise<ServerSkills> {
  const given: ServerSkillsOptions = { ...options, files: memorySkills(files), onError: () => {} };
  return serverSkills(given);
}

/**
 * Adds files whose contents are given as text, or as bytes in hexadecimal. A file that is null is
 * removed.
 */
function changeFiles(files: Files, content: unknown): void {
  if (!isFields(content)) throw new BadArgs('"files" must be an object');
  for (const [path, each] of Object.entries(content)) {
    if (each === null) delete files[path];
    else files[path] = isFields(each) ? bytesOf(each, "hex") : String(each);
  }
}

/** Registers a tool with a page. The library validates the description of the page. */
export function registerPage(
  server: McpServer,
  tool: Fields,
  { isRendered, ...page }: Fields,
  handler: (input: unknown, context: RequestContext) => unknown,
): void {
  const html = isRendered === true ? () => page.html : page.html;
  registerApp(server, tool as never, { ...page, html } as AppOptions, handler as never);
}

/** Sends the input requests of a tool, in one or several steps, and returns the input responses. */
export async function askAll(
  asks: unknown,
  { askAll }: Pick<TaskContext, "askAll">,
): Promise<unknown> {
  // The input requests are passed unvalidated, because the library validates them.
  const steps = (Array.isArray(asks) ? asks : [asks]) as Record<string, InputRequest>[];
  const answers: unknown[] = [];
  for (const step of steps) answers.push(await askAll(step));
  return Array.isArray(asks) ? answers : answers[0];
}
