"""A FastAPI-Users application with people in memory. `querent_client.py` is the example of docs/libraries.md; `PORT` is the application's port."""
import os
import uuid
from dataclasses import dataclass, field

import httpx
import uvicorn
from fastapi import Depends, FastAPI
from fastapi_users import BaseUserManager, FastAPIUsers
from fastapi_users.authentication import AuthenticationBackend, BearerTransport, JWTStrategy
from fastapi_users.db import BaseUserDatabase
from querent_client import oauth_client

SECRET = "a secret of this test only, long enough for HMAC"


@dataclass
class Account:
    oauth_name: str
    access_token: str
    account_id: str
    account_email: str
    expires_at: int | None = None
    refresh_token: str | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass
class User:
    email: str
    hashed_password: str
    is_active: bool = True
    is_superuser: bool = False
    is_verified: bool = False
    oauth_accounts: list = field(default_factory=list)
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


class Users(BaseUserDatabase):
    def __init__(self):
        self.users = []

    async def get(self, id):
        return next((user for user in self.users if user.id == id), None)

    async def get_by_email(self, email):
        return next((user for user in self.users if user.email == email), None)

    async def get_by_oauth_account(self, oauth, account_id):
        accounts = [(user, account) for user in self.users for account in user.oauth_accounts]
        keys = (oauth, account_id)
        return next((user for user, one in accounts if (one.oauth_name, one.account_id) == keys), None)

    async def create(self, create_dict):
        self.users.append(User(**create_dict))
        return self.users[-1]

    async def add_oauth_account(self, user, create_dict):
        user.oauth_accounts.append(Account(**create_dict))
        return user


users = Users()


class Manager(BaseUserManager):
    def parse_id(self, value):
        return value


async def get_manager():
    return Manager(users)


backend = AuthenticationBackend(
    name="jwt",
    transport=BearerTransport(tokenUrl="auth/login"),
    get_strategy=lambda: JWTStrategy(secret=SECRET, lifetime_seconds=600),
)
fastapi_users = FastAPIUsers(get_manager, [backend])
app = FastAPI()
app.include_router(fastapi_users.get_oauth_router(oauth_client, backend, SECRET), prefix="/auth/querent")


@app.get("/count")
async def count(user=Depends(fastapi_users.current_user())):
    """Searches with the access token of the person who signed in."""
    [account] = user.oauth_accounts
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {account.access_token}"}) as api:
        reply = await api.get(f"{os.environ['API']}/e/search/p/query/tiger/count")
    return {"email": user.email, "status": reply.status_code, **reply.json()}


uvicorn.run(app, host="localhost", port=int(os.environ["PORT"]), log_level="warning")
