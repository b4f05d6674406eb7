"""A live dashboard in the terminal: the counts of one sending domain, printed on every change.

    pip install "gql[websockets]"
    POSTLOFT_URL=http://localhost:3000 POSTLOFT_API_KEY=pl_live_… python3 graphql_live.py [domain name]
"""

import asyncio
import os
import sys

from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport

URL = os.environ.get("POSTLOFT_URL", "http://localhost:3000")
DOMAINS = gql("{ domains { id name } }")
COUNTS = gql(
    """
    subscription ($domainId: ID!) {
      domainStats(domainId: $domainId) { accepted delivered deferred bounced opened clicked }
    }
    """
)


async def main() -> None:
    transport = WebsocketsTransport(
        url=URL.replace("http", "ws", 1) + "/graphql",
        subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL],
        init_payload={"Authorization": f"Bearer {os.environ['POSTLOFT_API_KEY']}"},
    )
    async with Client(transport=transport) as session:
        domains = (await session.execute(DOMAINS))["domains"]
        wanted = sys.argv[1] if len(sys.argv) > 1 else domains[0]["name"]
        domain = next(one for one in domains if one["name"] == wanted)
        COUNTS.variable_values = {"domainId": domain["id"]}
        async for data in session.subscribe(COUNTS):
            counts = ", ".join(f"{name} {count}" for name, count in data["domainStats"].items())
            print(f"{domain['name']}: {counts}", flush=True)


asyncio.run(main())
