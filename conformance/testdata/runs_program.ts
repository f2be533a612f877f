/**
 * Programs of other languages that tests need.
 *
 * @module
 */

/**
 * Returns true if a program prints its version. A program can be on `PATH` without running, such as
 * `rustc` without a toolchain.
 */
export async function runsProgram(program: string): Promise<boolean> {
  const script = `${program} --version || ${program} -version || ${program} version`;
  const command = new Deno.Command("sh", {
    args: ["-c", script],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  return (await command.output()).success;
}
