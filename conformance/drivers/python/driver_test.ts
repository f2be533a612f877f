import { assertEquals } from "@std/assert";
import { run } from "../../runner/run.ts";
import { describeFailure, Verdict } from "../../kit/verdict.ts";

const DRIVER = new URL("./driver.py", import.meta.url).pathname;

async function hasCryptography(): Promise<boolean> {
  try {
    const python = new Deno.Command("python3", { args: ["-c", "import cryptography"] });
    return (await python.output()).success;
  } catch {
    // No Python here.
    return false;
  }
}

const isAvailable = await hasCryptography();
const skipped = isAvailable ? "" : " (skipped: python3 with the cryptography package is not here)";

Deno.test({
  name: `the Python driver passes every comm vector${skipped}`,
  ignore: !isAvailable,
  async fn() {
    const { results } = await run({
      subject: { driver: { command: ["python3", DRIVER] } },
      select: { libraries: ["comm"] },
    });
    const failed = results.filter(({ verdict }) => verdict !== Verdict.Pass);
    assertEquals(failed.map((result) => `${result.id}: ${describeFailure(result)}`), []);
  },
});
