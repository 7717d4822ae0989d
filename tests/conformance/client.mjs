// Calls tools with the TypeScript SDK, version 1, which checks every answer against the tool's output schema and throws
// where one does not fit: node client.mjs PACKAGE_JSON TRANSPORT TARGET CALLS
//
// PACKAGE_JSON stands beside the node_modules with the SDK; TARGET is an address, or a JSON list of a command and its
// arguments; CALLS is a JSON list of [tool, arguments]. Prints a JSON list of what each call came to.
import { createRequire } from "node:module";

const [packageJson, transport, target, calls] = process.argv.slice(2);
const require = createRequire(packageJson);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { SSEClientTransport } = require("@modelcontextprotocol/sdk/client/sse.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const open = {
  stdio: () => {
    const [command, ...args] = JSON.parse(target);
    return new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
  },
  http: () => new StreamableHTTPClientTransport(new URL(target)),
  sse: () => new SSEClientTransport(new URL(target)),
};

const client = new Client({ name: "typescript", version: "1" });
await client.connect(open[transport]());
const { tools } = await client.listTools(); // from now on answers are checked
const results = [];
for (const [name, args] of JSON.parse(calls)) {
  const result = await client.callTool({ name, arguments: args });
  results.push({ name, isError: result.isError === true, body: result.structuredContent ?? null });
}
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), results }));
await client.close();
