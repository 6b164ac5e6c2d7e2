"""Goes through sign-in, query, refresh, userinfo, introspection, revocation and logout with Authlib, without a browser.

Reads its settings as JSON on standard input, and prints what it saw as JSON. Exits with an error at the first thing that is not so.
"""

import json
import re
import sys
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import CodeIDToken

settings = json.load(sys.stdin)
auth_url = settings["authUrl"]
base_url = settings["baseUrl"]
metadata = requests.get(f"{auth_url}/.well-known/openid-configuration", timeout=10).json()
browser = requests.Session()
browser.headers["accept"] = "text/html"
seen = []


def fields_of(page):
    """The fields that a page fills in itself, and its first button."""
    form = re.search(r'<form method="post"[\s\S]*?</form>', page).group(0)
    tags = re.findall(r"<input[^>]*>", form) + re.findall(r"<button[^>]*>", form)[:1]
    value = lambda tag, name: (re.search(rf'\b{name}="([^"]*)"', tag) or [None, ""])[1]
    return {value(tag, "name"): value(tag, "value") for tag in tags}


def go_through(address):
    """Signs in and agrees where asked; the application's address where it ends."""
    reply = browser.get(address, allow_redirects=False, timeout=10)
    for _ in range(12):
        if "location" in reply.headers:
            address = urljoin(address, reply.headers["location"])
            if not address.startswith(auth_url):
                return address
            reply = browser.get(address, allow_redirects=False, timeout=10)
            continue
        assert reply.status_code == 200, f"stopped at {address}: {reply.text}"
        seen.append(re.search(r"<h1>([^<]*)</h1>", reply.text)[1])
        form = fields_of(reply.text)
        if "password" in form:
            form |= {"email": settings["email"], "password": settings["password"]}
        reply = browser.post(address, data=form, allow_redirects=False, timeout=10)
    raise AssertionError("too many pages")


def session(method):
    return OAuth2Session(
        settings["clientId"],
        settings.get("clientSecret"),
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        scope="openid profile email offline_access",
        redirect_uri=settings["redirectUri"],
        code_challenge_method="S256",
    )


def query(token):
    address = f"{base_url}/4/{settings['workspace']}/api/library/e/all/count"
    return requests.get(address, headers={"authorization": f"Bearer {token}"}, timeout=10).status_code


def sign_in(client, **more):
    verifier = "v" * 43 + "-Authlib"
    address, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce="n-authlib", **more
    )
    answer = go_through(address)
    assert parse_qs(urlsplit(answer).query)["iss"] == [metadata["issuer"]]
    token = client.fetch_token(
        metadata["token_endpoint"], authorization_response=answer, code_verifier=verifier, state=state
    )
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())
    claims = JsonWebToken(["RS256"]).decode(
        token["id_token"],
        keys,
        claims_cls=CodeIDToken,
        claims_options={"iss": {"value": metadata["issuer"]}, "aud": {"value": settings["clientId"]}},
        claims_params={"nonce": "n-authlib", "client_id": settings["clientId"]},
    )
    claims.validate()
    assert claims["email"] == settings["email"], claims
    return token


for method in settings["methods"]:
    client = session(method)
    token = sign_in(client, audience=f"{base_url}/")
    assert query(token["access_token"]) == 200
    renewed = client.refresh_token(metadata["token_endpoint"])
    assert query(renewed["access_token"]) == 200
    assert renewed["refresh_token"] != token["refresh_token"]
    if settings.get("clientSecret"):
        found = client.introspect_token(metadata["introspection_endpoint"], token=renewed["access_token"]).json()
        assert found["active"] is True, found
    client.revoke_token(metadata["revocation_endpoint"], token=renewed["refresh_token"])
    assert query(renewed["access_token"]) == 401

client = session(settings["methods"][0])
token = sign_in(client)
assert query(token["access_token"]) == 401
info = client.get(metadata["userinfo_endpoint"]).json()
assert info["email"] == settings["email"], info
home = settings["home"]
hint = f"id_token_hint={token['id_token']}&post_logout_redirect_uri={home}&state=bye"
assert go_through(f"{metadata['end_session_endpoint']}?{hint}") == f"{home}/?state=bye"

json.dump({"pages": seen}, sys.stdout)
