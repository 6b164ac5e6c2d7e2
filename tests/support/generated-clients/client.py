"""Calls a server with two clients that OpenAPI Generator made: `works` for an API, `manage` for the management API."""
import json
import os
from urllib.parse import urlencode
from urllib.request import urlopen

import manage
import works


def fetch_token(client_id, client_secret):
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
    with urlopen(f"{os.environ['AUTH_URL']}/oauth/token", urlencode(form).encode()) as reply:
        return json.load(reply)["access_token"]


management = manage.ApiClient(manage.Configuration(access_token=os.environ["MANAGE_TOKEN"]))
accounts = manage.SystemToSystemAccountsApi(management)
account = accounts.create_system_to_system(
    "museum", manage.CreateSystemToSystemInput(name="generated", roles=["api"])
)
members = manage.MembersApi(management).list_members("museum", count=100)
print(sorted(member.name for member in members.items if member.kind == "system-to-system"))

token = fetch_token(account.client_id, account.client_secret)
search = works.SearchApi(works.ApiClient(works.Configuration(access_token=token)))
page = search.search_artist_filter_oldest_results("girl", "Vermeer", count=10)
for item in page.items:
    print(item.rank, item.tuple[0].attributes.title.actual_instance)

accounts.remove_system_to_system("museum", account.client_id)
members = manage.MembersApi(management).list_members("museum")
print(sorted(member.name for member in members.items if member.kind == "system-to-system"))
