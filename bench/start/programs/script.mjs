// The minimal stdio server: a script that answers each request with the result of the tool.
process.stdin.setEncoding("utf8");
let text = "";
process.stdin.on("data", (chunk) => {
  text += chunk;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
    const { id, params } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (id === undefined) continue;
    const sum = (params.arguments?.a ?? 0) + (params.arguments?.b ?? 0);
    const result = { content: [{ type: "text", text: String(sum) }] };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
});
