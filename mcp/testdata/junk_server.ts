/**
 * A program that is not an MCP server. Writes the output that its first argument selects, and runs
 * until its input ends.
 */
import { Buffer } from "node:buffer";
import process from "node:process";

const [what] = process.argv.slice(2);

function flood(line: string): void {
  const block = Buffer.from(line.repeat(Math.ceil(65_536 / line.length)));
  const more = (): void => {
    while (process.stdout.write(block));
  };
  process.stdout.on("drain", more);
  more();
}

process.stdout.on("error", () => process.exit());
process.stdin.on("end", () => process.exit()).resume();

switch (what) {
  case "banner":
    process.stdout.write("Listening on port 3000\n");
    process.stderr.write("warning: no configuration\n");
    break;
  case "junk":
    flood("x\n");
    break;
  case "blank":
    flood("\n");
    break;
  case "pings":
    flood('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    break;
  case "notifications":
    flood('{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n');
    break;
  case "invalid":
    flood('{"id":"z"}\n');
    break;
  case "mixed":
    flood(`${"x\n".repeat(500)}{"jsonrpc":"2.0","method":"n"}\n`);
    break;
}
