/** Siblings of refresh tokens, for two tabs and lost replies: at two nodes, with both databases. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { hashRecordId } from '#storage/oidc-records'
import { freshDatabase } from '#storage/test-postgres'
import { openAuthorizationServer } from './provider/provider.ts'
import { openTestApplication, type TestApplication } from './test-application.ts'
import { startTestServer, type TestServer } from './test-server.ts'

interface Answer {
  status: number
  error: unknown
  refresh: string
  access: string
}

const suite = (database: string, connect: () => Promise<{ connection?: string }>) =>
  describe(database, () => {
    let server: TestServer
    let client: TestApplication
    let nodes: string[]
    let close: () => Promise<void>
    before(async () => {
      server = await startTestServer(await connect())
      const secondServer = await openAuthorizationServer(server.dependencies)
      const elsewhere = createServer((request, response) => secondServer.handle(request, response))
      await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
      const { port } = elsewhere.address() as AddressInfo
      nodes = [`http://127.0.0.1:${server.port}`, `http://127.0.0.1:${port}`]
      client = await openTestApplication(server)
      close = async () => {
        elsewhere.close()
        elsewhere.closeAllConnections()
        await secondServer.close()
        await server.close()
      }
    })
    after(() => close())

    let requests = 0
    /** Alternates between the nodes. */
    const refresh = async (token: string): Promise<Answer> => {
      const reply = await fetch(`${nodes[requests++ % 2]}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: client.id,
          refresh_token: token,
        }),
      })
      const json = Object(await reply.json())
      const { error, refresh_token: next, access_token: access } = json
      return { status: reply.status, error, refresh: String(next), access: String(access) }
    }
    const refreshFine = async (token: string): Promise<Answer> => {
      const answer = await refresh(token)
      assert.equal(answer.status, 200, String(answer.error))
      return answer
    }
    const assertEnded = async (token: string) => {
      const { status, error } = await refresh(token)
      assert.deepEqual([status, error], [400, 'invalid_grant'])
    }
    const signIn = async () => {
      const { id } = await server.newPerson()
      const parameters = { scope: 'openid offline_access', audience: server.baseUrl }
      const tokens = await client.signIn(id, parameters)
      return { refresh: String(tokens.refresh_token), access: String(tokens.access_token) }
    }
    /** Makes the token look replaced earlier, by this number of seconds. */
    const age = (token: string, seconds: number) =>
      server.storage.db
        .updateTable('oidc_records')
        .set(({ eb }) => ({ consumed_at: eb('consumed_at', '-', seconds * 1000) }))
        .where('id_hash', '=', hashRecordId(token))
        .execute()

    test('an unused sibling ends when a successor of another sibling is exchanged too; the others go on', async () => {
      const first = await signIn()
      const [a, b] = [await refreshFine(first.refresh), await refreshFine(first.refresh)]
      const a1 = await refreshFine(a.refresh)
      const a2 = await refreshFine(a1.refresh)
      await assertEnded(b.refresh)
      // It was never used, so this is no replay: a tab that slept ends nobody else's session.
      assert.equal(await server.query(a2.access), 200)
      assert.equal((await refresh(a2.refresh)).status, 200)
    })

    test('a sibling lives while the other one was exchanged once, and for good once it was used itself', async () => {
      const first = await signIn()
      const [a, b] = [await refreshFine(first.refresh), await refreshFine(first.refresh)]
      const a1 = await refreshFine(a.refresh)
      const b1 = await refreshFine(b.refresh)
      const a2 = await refreshFine(a1.refresh)
      const b2 = await refreshFine(b1.refresh)
      for (const { refresh: token } of [a2, b2]) assert.equal((await refresh(token)).status, 200)
    })

    test('six at once: all get tokens; those that nobody uses end, those in use go on', async () => {
      const first = await signIn()
      const siblings = await Promise.all(Array.from({ length: 6 }, () => refreshFine(first.refresh)))
      assert.equal(new Set(siblings.map(({ refresh: token }) => token)).size, 6)
      const [inUse, alsoInUse] = siblings
      assert.ok(inUse && alsoInUse)
      const [next, otherNext] = await Promise.all([
        refreshFine(inUse.refresh),
        refreshFine(alsoInUse.refresh),
      ])
      await Promise.all([refreshFine(next.refresh), refreshFine(otherNext.refresh)])
      for (const { refresh: token } of siblings.slice(2)) await assertEnded(token)
    })

    test('a reply that was lost at each step, the second and third one too, keeps the client signed in', async () => {
      let token = (await signIn()).refresh
      for (let step = 0; step < 4; step++) {
        const lostReply = await refreshFine(token)
        const arrived = await refreshFine(token)
        assert.equal(await server.query(lostReply.access), 200)
        token = arrived.refresh
      }
      assert.equal((await refresh(token)).status, 200)
    })

    test('a replaced token ends the family, and gives no sibling, once a successor was used or 30 s have passed', async () => {
      for (const isLate of [false, true]) {
        const first = await signIn()
        const a = await refreshFine(first.refresh)
        const b = await refreshFine(first.refresh)
        if (isLate) await age(first.refresh, 31)
        else await refreshFine(a.refresh)
        await assertEnded(first.refresh)
        await assertEnded(b.refresh)
        for (const access of [first.access, a.access, b.access]) assert.equal(await server.query(access), 401)
      }
    })

    test('a used sibling that comes back ends both branches', async () => {
      const first = await signIn()
      const [a, b] = [await refreshFine(first.refresh), await refreshFine(first.refresh)]
      const a1 = await refreshFine(a.refresh)
      const b1 = await refreshFine(b.refresh)
      const b2 = await refreshFine(b1.refresh)
      await assertEnded(b.refresh)
      await assertEnded(a1.refresh)
      for (const access of [a1.access, b2.access]) assert.equal(await server.query(access), 401)
    })

    test('the last exchange of one branch and the first of the other at once: each token gets one answer, and none is left over', async () => {
      for (let round = 0; round < 8; round++) {
        const first = await signIn()
        const [a, b] = [await refreshFine(first.refresh), await refreshFine(first.refresh)]
        const a1 = await refreshFine(a.refresh)
        const [a2, b1] = await Promise.all([refreshFine(a1.refresh), refresh(b.refresh)])
        assert.ok([200, 400].includes(b1.status))
        if (b1.status === 200) await refreshFine(b1.refresh)
        assert.equal((await refresh(a2.refresh)).status, 200)
      }
    })
  })

suite('SQLite', async () => ({}))
suite('PostgreSQL', async () => ({ connection: await freshDatabase() }))
