"""Lists and calls the tools of an MCP server with the official Python client, and prints what it got as JSON."""
import asyncio
import json
import sys

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, token: str) -> None:
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                tools = await session.list_tools()
                found = await session.call_tool("search", {"query": "silent", "count": 2})
                resources = await session.list_resources()
                print(
                    json.dumps(
                        {
                            "tools": [tool.name for tool in tools.tools],
                            "total": (getattr(found, "structured_content", None) or found.structuredContent)["total"],
                            "text": found.content[0].text,
                            "resources": [str(resource.uri) for resource in resources.resources],
                        }
                    )
                )


asyncio.run(main(sys.argv[1], sys.argv[2]))
