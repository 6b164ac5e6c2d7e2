"""Searches as a System-to-System account, with Python's standard library alone.

CLIENT_ID=… CLIENT_SECRET=… python3 search.py "large feline"
"""

import json
import os
import sys
import time
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

AUTH_URL = os.environ.get("AUTH_URL", "http://127.0.0.1:4001")
BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:4000")
WORKSPACE = os.environ.get("WORKSPACE", "dictionary")
API = os.environ.get("API", "dictionary")

token = {"text": "", "until": 0.0}


def access_token() -> str:
    """Returns a token by client credentials (RFC 6749, section 4.4), and keeps it until shortly before it expires."""
    if time.time() >= token["until"]:
        form = {
            "grant_type": "client_credentials",
            "client_id": os.environ["CLIENT_ID"],
            "client_secret": os.environ["CLIENT_SECRET"],
            "audience": BASE_URL,
        }
        with urlopen(f"{AUTH_URL}/oauth/token", urlencode(form).encode()) as reply:
            answer = json.load(reply)
        token["text"] = answer["access_token"]
        token["until"] = time.time() + answer["expires_in"] - 30
    return token["text"]


def get(path: str) -> dict:
    """Sends a query: `path` is what follows /api/{api}/."""
    url = f"{BASE_URL}/4/{WORKSPACE}/api/{API}/{path}"
    with urlopen(Request(url, headers={"Authorization": f"Bearer {access_token()}"})) as reply:
        return json.load(reply)


def search(text: str):
    """Yields all results, page by page."""
    cursor = "*"
    while cursor:
        # A value is one segment of the path, so its slashes are encoded too.
        page = get(f"e/search/p/query/{quote(text, safe='')}/results?{urlencode({'cursor': cursor, 'count': 100})}")
        yield from page["items"]
        cursor = page["next"]


def title(attributes: dict):
    """Collections choose the names of their fields: takes a title or name, or else the first field."""
    named = [field for field in attributes if field.lower() in ("title", "name", "label")]
    return attributes[(named or list(attributes))[0]] if attributes else None


try:
    for number, item in enumerate(search(" ".join(sys.argv[1:])), start=1):
        print(item["rank"], title(item["tuple"][0]["attributes"]))
        if number == 10:
            break
except HTTPError as error:
    reply = json.load(error)
    sys.exit(f"{error.code} {reply.get('message') or reply.get('error_description')}")
