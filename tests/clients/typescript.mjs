// A session of the official TypeScript SDK with `ghost mcp`: over standard input and output, or with URL and TOKEN over HTTP.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { GHOST, FOLDER, URL: url, TOKEN } = process.env;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } } })
  : new StdioClientTransport({ command: GHOST, args: ["mcp"], cwd: FOLDER });
const client = new Client({ name: "test", version: "1" });
client.onerror = (error) => console.error(error);
await client.connect(transport);
assert.equal(client.getServerVersion().name, "ghost");
assert.match(client.getInstructions(), /BLOCKED/);

// The SDK checks structured content against the output schemas that it has listed.
const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ["run_script", "check_script", "describe_api", "search_docs"]);
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const run = async (source, input) => (await call("run_script", { source, input })).structuredContent;

const source = "export function main(n) { console.log('n is', n); g.store.put('c', 'k', { n }); return g.store.get('c', 'k').data }";
const result = await run(source, 7);
assert.deepEqual(result.value, { n: 7 });
assert.deepEqual(result.console, [{ level: "info", text: "n is 7" }]);
assert.equal((await run("export const main = () => 'x'.repeat(1e5)")).truncated, true);
const failed = await call("run_script", { source: "export function main() {\n  g.sqldb.nothing();\n}" });
assert.equal(failed.isError, true);
assert.equal(failed.structuredContent.error.position.line, 2);
assert.deepEqual(JSON.parse(failed.content[0].text), failed.structuredContent);
assert.equal((await call("check_script", { source: "export main" })).structuredContent.ok, false);
assert.match((await call("describe_api", { namespace: "store" })).structuredContent.declarations, /put\(/);
assert.equal((await call("search_docs", { query: "wait for an item" })).structuredContent.results.length, 5);
await assert.rejects(call("unknown", {}), /run_script/);

const progress = [];
// The SDK drops what arrives together with the result.
const wait = "await new Promise((done) => setTimeout(done, 200));";
const slow = `export async function main() { console.log('a'); ${wait} console.log('b'); ${wait} }`;
await call("run_script", { source: slow }, { onprogress: ({ message }) => progress.push(message) });
assert.deepEqual(progress.join("\n"), "a\nb");

const stop = new AbortController();
const endless = call("run_script", { source: "export const main = () => { for (;;) {} }" }, { signal: stop.signal });
setTimeout(() => stop.abort(), 200);
await assert.rejects(endless);
assert.equal((await run("export const main = () => 1")).value, 1);

const { resources } = await client.listResources();
const reference = resources.find((resource) => resource.uri === "ghost://reference.md");
assert.match((await client.readResource({ uri: reference.uri })).contents[0].text, /^# Reference/);
const { prompts } = await client.listPrompts();
assert.ok(prompts.length >= 5);
const prompt = await client.getPrompt({ name: "find_documents", arguments: { question: "who?" } });
assert.match(prompt.messages[0].content.text, /who\?/);
if (url) await transport.terminateSession();
await client.close();
console.log("done");
