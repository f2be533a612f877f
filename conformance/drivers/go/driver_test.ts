import { assertEquals } from "@std/assert";
import { describeFailure, Verdict } from "../../kit/verdict.ts";
import { run } from "../../runner/run.ts";
import { isLeftOutOfGo } from "../python/left_out.ts";
import { runsProgram } from "../../testdata/runs_program.ts";

const FOLDER = new URL("./", import.meta.url).pathname;

async function sh(script: string): Promise<{ readonly success: boolean; readonly text: string }> {
  const command = new Deno.Command("sh", { args: ["-c", script], stderr: "piped" });
  const { success, stdout, stderr } = await command.output();
  return { success, text: new TextDecoder().decode(success ? stdout : stderr).trim() };
}

const hasGo = await runsProgram("go");
const skipped = hasGo ? "" : " (skipped: go does not run)";

Deno.test({
  name:
    `the Go driver passes every comm case that needs no optional feature, and the files are formatted${skipped}`,
  ignore: !hasGo,
  async fn() {
    const build = `cd "${FOLDER}" && gofmt -l . && go vet ./... && go build -o "$folder/driver" .`;
    const built = await sh(`folder=$(mktemp -d); (${build}) && echo "$folder"`);
    const folder = built.text;
    assertEquals([built.success, folder.split("\n").length], [true, 1], folder);
    try {
      const { results } = await run({
        subject: { driver: { command: ["sh", "-c", `exec "${folder}/driver"`] } },
        select: { libraries: ["comm"] },
      });
      const failed = results.filter(({ verdict }) => verdict !== Verdict.Pass)
        .map((result) => `${result.id}: ${describeFailure(result)}`);
      assertEquals(failed.filter((text) => !isLeftOutOfGo(text)), []);
    } finally {
      await sh(`rm -r "${folder}"`);
    }
  },
});
