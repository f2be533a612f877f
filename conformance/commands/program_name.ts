/**
 * The command that starts the kit, for commands that the kit prints.
 *
 * @module
 */

const PACKAGE = "@parley/conformance";

/**
 * Returns the command that starts the kit again. `npx` and npm scripts find `parley-kit` in folders
 * that are not in the PATH of the user's shell, and a JSR module has no command.
 *
 * @param env Environment variables. npm and npx set `npm_command`.
 * @param moduleUrl URL of a module of the kit.
 */
export function programName(
  env: Readonly<Record<string, string | undefined>>,
  moduleUrl: string = import.meta.url,
): string {
  if (moduleUrl.startsWith("https:")) return `deno run -A jsr:${PACKAGE}/cli`;
  const isFromNpm = moduleUrl.includes("/node_modules/") && env["npm_command"] !== undefined;
  return isFromNpm ? `npx -y -p ${PACKAGE} parley-kit` : "parley-kit";
}
