/**
 * Temporary folders for tests that have no permission to write files.
 *
 * @module
 */

const FILES = new URL("sqlite_files.ts", import.meta.url).pathname;

/** Calls a test with the path to a new folder, and removes the folder afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-runs-${crypto.randomUUID()}`;
  await changeFolder("create", folder);
  try {
    await test(folder);
  } finally {
    await changeFolder("remove", folder);
  }
}

async function changeFolder(command: "create" | "remove", folder: string): Promise<void> {
  const args = ["run", "--quiet", "--no-check", "-A", FILES, command, folder];
  const { success } = await new Deno.Command("deno", { args, stdin: "null" }).output();
  if (!success) throw new Error(`Cannot ${command} the folder "${folder}"`);
}
