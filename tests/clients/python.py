"""Sessions of the official Python SDK with `ghost mcp`, in both lifecycles of the protocol: over standard input and output, or
with URL and TOKEN over HTTP."""

import asyncio
import json
import os

import mcp
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def session(server, mode, version):
    async with Client(server, mode=mode) as client:
        assert client.protocol_version == version, client.protocol_version
        assert client.server_info.name == "ghost"
        assert "BLOCKED" in client.instructions
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["run_script", "check_script", "describe_api", "search_docs"]

        # The SDK checks structured content against the output schema.
        source = "export function main(n) { console.log('n is', n); g.store.put('c', 'k', { n }); return g.store.get('c', 'k').data }"
        result = await client.call_tool("run_script", {"source": source, "input": 7})
        assert not result.is_error
        assert result.structured_content["value"] == {"n": 7}, result
        assert json.loads(result.content[0].text) == result.structured_content
        large = await client.call_tool("run_script", {"source": "export const main = () => 'x'.repeat(1e5)"})
        assert large.structured_content["truncated"]
        assert next(iter(json.loads(large.content[0].text))) == "truncated"
        failed = await client.call_tool("run_script", {"source": "export const main = () => g.sqldb.query('db', 'x')"})
        assert failed.is_error and failed.structured_content["error"]["code"] == "BLOCKED"
        checked = await client.call_tool("check_script", {"source": "export main"})
        assert not checked.structured_content["ok"]
        described = await client.call_tool("describe_api", {"namespace": "queue"})
        assert "waitForItem<" in described.structured_content["declarations"]
        found = await client.call_tool("search_docs", {"query": "dead letters"})
        assert found.structured_content["results"]

        messages = []

        async def progress(_progress, _total, message):
            messages.append(message)

        wait = "await new Promise((done) => setTimeout(done, 200));"
        slow = f"export async function main() {{ console.log('a'); {wait} console.log('b'); {wait} }}"
        await client.call_tool("run_script", {"source": slow}, progress_callback=progress)
        assert "\n".join(messages) == "a\nb", messages

        endless = client.call_tool("run_script", {"source": "export const main = () => { for (;;) {} }"})
        try:
            await asyncio.wait_for(endless, 0.3)
            raise AssertionError("it does not end by itself")
        except asyncio.TimeoutError:
            pass
        after = await client.call_tool("run_script", {"source": "export const main = () => 1"})
        assert after.structured_content["value"] == 1

        try:
            await client.call_tool("unknown", {})
            raise AssertionError("there is no such tool")
        except mcp.MCPError as error:
            assert "run_script" in str(error), error
        resources = (await client.list_resources()).resources
        assert any(str(resource.uri) == "ghost://reference.md" for resource in resources)
        read = await client.read_resource("ghost://g.d.ts")
        assert "interface GhostStore" in read.contents[0].text
        assert len((await client.list_prompts()).prompts) >= 5
        prompt = await client.get_prompt("find_documents", {"question": "who?"})
        assert "who?" in prompt.messages[0].content.text


async def main():
    for mode, version in [("auto", "2026-07-28"), ("legacy", "2025-11-25")]:
        if url := os.environ.get("URL"):
            headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
            async with create_mcp_http_client(headers=headers) as http:
                await session(streamable_http_client(url, http_client=http), mode, version)
        else:
            server = StdioServerParameters(command=os.environ["GHOST"], args=["mcp"], cwd=os.environ["FOLDER"])
            await session(server, mode, version)
    print("done")


asyncio.run(main())
