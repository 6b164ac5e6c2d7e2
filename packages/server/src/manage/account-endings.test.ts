/**
 * A request whose account ends changes nothing. Tests every operation that sends a body or writes, for each
 * way and each moment in which an account can end.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { type Operation, type OperationId, operations } from '@querent/contract/manage'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { authUrl } from '#authz/test-tokens'
import { createClient, removeClient, updateClient } from '#storage/clients'
import type { StorageLocation } from '#storage/connection'
import type { Writer } from '#storage/db'
import { backedUpTables } from '#storage/dump'
import { removeMember, setMember } from '#storage/members'
import { removeGrantRecords } from '#storage/oidc-records'
import { revoke } from '#storage/revocations'
import { freshDatabase } from '#storage/test-postgres'
import { createUser, removeUser, setUserDisabled } from '#storage/users'
import { createWorkspace, findWorkspace, removeWorkspace } from '#storage/workspaces'
import { operationRows, type Row } from './test-operations.ts'
import { definition, openTestServer, signIn } from './test-server.ts'

/** An account made for one request, with the role that the operation needs. */
interface Caller {
  id: string
  token: string
  /** Slug of its workspace. */
  slug: string
  workspaceId: string
  clientId: string
  grantId: string
  sessionId: string
}

interface Ending {
  /** Whether it ends the caller's permission for this operation. */
  concerns(operation: Operation): boolean
  end(writer: Writer, caller: Caller): Promise<unknown>
  status: 401 | 403
  /** Waits for no lock that an operation may hold until its commit. */
  needsNoLock?: true
  /** Operations whose transaction holds what the ending needs, so that it comes after them. */
  waitsFor?: readonly string[]
  /** Also tried with PostgreSQL, where it takes longer. */
  everywhere?: true
}

const anyOperation = () => true
const inWorkspace = ({ permission }: Operation) => permission !== 'operator' && permission !== 'account'
/** Operations that the token of an application may call. */
const ofApplications = ({ permission, recentSignIn }: Operation) => permission !== 'operator' && !recentSignIn
const endings: Record<string, Ending> = {
  'the member was removed': {
    concerns: inWorkspace,
    end: (writer, { workspaceId, id }) => removeMember(writer, workspaceId, id),
    status: 403,
    everywhere: true,
  },
  'the role was changed': {
    concerns: inWorkspace,
    end: (writer, { workspaceId, id }) =>
      setMember(writer, { workspaceId, subject: id, kind: 'user', roles: ['api'], filter: undefined }),
    status: 403,
  },
  'the account was disabled': {
    concerns: anyOperation,
    end: (writer, { id }) => setUserDisabled(writer, id, true),
    status: 401,
    needsNoLock: true,
    waitsFor: ['updateMe', 'deleteMe'],
    everywhere: true,
  },
  'the account was deleted': {
    concerns: anyOperation,
    async end(writer, { workspaceId, id }) {
      await removeMember(writer, workspaceId, id)
      await removeUser(writer, id)
    },
    status: 401,
  },
  'the token was revoked': {
    concerns: anyOperation,
    end: (writer, { token }) => revoke(writer, 'token', String(decodeJwt(token).jti), Date.now() + 60_000),
    status: 401,
    needsNoLock: true,
  },
  'the grant was revoked': {
    concerns: anyOperation,
    end: (writer, { token }) =>
      revoke(writer, 'grant', String(decodeJwt(token).grant_id), Date.now() + 60_000),
    status: 401,
    needsNoLock: true,
    waitsFor: ['deleteMe'],
  },
  'the application was disabled': {
    concerns: ofApplications,
    end: (writer, { clientId }) => updateClient(writer, clientId, { disabled: true }),
    status: 401,
  },
  'the application was removed': {
    concerns: ofApplications,
    end: (writer, { clientId }) => removeClient(writer, clientId),
    status: 401,
  },
  'the workspace was deleted': {
    concerns: inWorkspace,
    end: (writer, { workspaceId, slug }) => removeWorkspace(writer, { id: workspaceId, slug }),
    status: 403,
    everywhere: true,
  },
  'the workspace was deleted and created again': {
    concerns: inWorkspace,
    async end(writer, { workspaceId, slug, id }) {
      await removeWorkspace(writer, { id: workspaceId, slug })
      const next = await createWorkspace(writer, { ...definition, workspace: slug })
      assert.ok(next)
      const roles = ['administrator' as const]
      await setMember(writer, { workspaceId: next.id, subject: id, kind: 'user', roles, filter: undefined })
    },
    status: 403,
  },
}

/** Records about requests, not their effects. */
const notCompared = ['changes', 'refusals', 'throttles', 'usage_counts']
const writing = (Object.values(operations) as Operation[]).filter(({ method }) => method !== 'GET')

const suite = (kind: string, place: () => Promise<StorageLocation | undefined>) =>
  describe(kind, () => {
    let server: Awaited<ReturnType<typeof openTestServer>>
    let rows: Map<string, Row>
    let rowsQuery: Awaited<ReturnType<typeof makeRowsQuery>>
    before(async () => {
      const location = await place()
      server = await openTestServer(location ? { location } : {})
      rowsQuery = await makeRowsQuery()
      const readers = operationRows(server)
      rows = new Map()
      // They stay: nothing takes effect until the last test.
      for (const { id } of writing) rows.set(id, await readers[id as OperationId]())
      await server.storage.write(writer =>
        createClient(writer, {
          id: 'terminal',
          kind: 'own',
          workspaceId: null,
          name: 'Terminal',
          settings: { actsAs: null },
        }),
      )
    })
    after(() => server?.close())

    let callerCount = 0
    const newCaller = async ({ permission }: Operation, ending = ''): Promise<Caller> => {
      callerCount += 1
      const operates = permission === 'operator'
      const slug = ending.startsWith('the workspace') ? `passing-${callerCount}` : undefined
      const ownApplication = ending.startsWith('the application')
      const account = await server.storage.write(async writer => {
        const user = await createUser(writer, {
          email: `caller${callerCount}@example.org`,
          operator: operates,
        })
        const workspace =
          slug === undefined
            ? server.books
            : await createWorkspace(writer, { ...definition, workspace: slug })
        assert.ok(user && workspace)
        const role = permission === 'edit' ? 'user' : 'administrator'
        const member = { workspaceId: workspace.id, subject: user.id, kind: 'user' as const }
        if (!operates) await setMember(writer, { ...member, roles: [role], filter: undefined })
        // Only the caller may be the last administrator.
        if (slug !== undefined)
          await setMember(writer, {
            ...member,
            subject: server.ids.ada,
            roles: ['administrator'],
            filter: undefined,
          })
        const client = ownApplication
          ? await createClient(writer, {
              kind: 'application',
              workspaceId: workspace.id,
              name: `application of caller ${callerCount}`,
              settings: {
                type: 'browser',
                redirectUris: ['https://app.example.org/'],
                origins: [],
                logoutUris: [],
                own: false,
              },
            })
          : { id: 'terminal' }
        assert.ok(client)
        return { id: user.id, slug: workspace.slug, workspaceId: workspace.id, clientId: client.id }
      })
      const { grantId, sessionId } = await signIn(server.storage, account.id, account.clientId)
      const token = await server.token({
        subject: account.id,
        clientId: account.clientId,
        audience: `${authUrl}/manage/`,
        grantId,
      })
      return { ...account, token, grantId, sessionId }
    }

    /** Runs `work` for a caller, then removes what the caller stored: each comparison reads all rows. */
    const withCaller = async (
      operation: Operation,
      ending: string,
      work: (caller: Caller) => Promise<unknown>,
    ): Promise<void> => {
      const caller = await newCaller(operation, ending)
      await work(caller)
      await server.storage.write(async writer => {
        const { id, slug, workspaceId, clientId, grantId, sessionId } = caller
        const workspace = await findWorkspace(writer.db, slug)
        if (slug !== server.books.slug && workspace) await removeWorkspace(writer, workspace)
        if (clientId !== 'terminal') await removeClient(writer, clientId)
        await removeMember(writer, workspaceId, id)
        await removeUser(writer, id)
        await writer.db.deleteFrom('revocations').execute()
        await writer.db.deleteFrom('oidc_records').where('uid', '=', sessionId).execute()
        await removeGrantRecords(writer.db, grantId)
      })
    }

    /** Sends headers and one byte; the rest after `meanwhile`. */
    const send = async (operation: Operation, caller: Caller, meanwhile?: () => Promise<unknown>) => {
      const row = rows.get(operation.id)
      assert.ok(row)
      const body = JSON.stringify(row.body ?? {})
      const admitted = server.nextAdmitted()
      const sending = httpRequest({
        host: '127.0.0.1',
        port: server.port,
        method: operation.method,
        path: row.path.replace(/(?<=\/workspaces\/)\w+/, caller.slug),
        headers: {
          authorization: `Bearer ${caller.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      })
      const replied = once(sending, 'response')
      sending.write(body.slice(0, 1))
      await Promise.race([admitted, replied])
      await meanwhile?.()
      sending.end(body.slice(1))
      const [response] = await replied
      const reply = await text(response)
      return { status: Number(response.statusCode), body: reply.startsWith('{') ? JSON.parse(reply) : reply }
    }
    /** One statement for all stored rows: each comparison reads them twice. */
    const makeRowsQuery = async () => {
      const tables = (await server.storage.db.introspection.getTables()).filter(
        ({ name }) => backedUpTables.some(table => table === name) && !notCompared.includes(name),
      )
      const asJson = sql.raw(kind === 'SQLite' ? 'json_array' : 'json_build_array')
      const selects = tables.map(({ name, columns }) => {
        const compared = columns.filter(column => column.name !== 'last_active_at')
        const values = sql.join(compared.map(column => sql.ref(column.name)))
        return sql`select ${sql.lit(name)} as place, cast(${asJson}(${values}) as text) as content from ${sql.table(name)}`
      })
      return sql<{ place: string; content: string }>`${sql.join(selects, sql` union all `)}`
    }
    /** All stored rows, in an order independent of the storage. */
    const stored = async (): Promise<string[]> => {
      const { rows: storedRows } = await rowsQuery.execute(server.storage.db)
      return storedRows.map(({ place, content }) => `${place} ${content}`).sort()
    }
    const end = (ending: Ending, caller: Caller) => server.storage.write(writer => ending.end(writer, caller))

    for (const operation of writing)
      test(`${operation.id} is refused, and changes nothing, however its account ends while it is under way`, async t => {
        for (const [name, ending] of Object.entries(endings)) {
          if (!ending.concerns(operation)) continue
          if (kind !== 'SQLite' && !ending.everywhere) continue
          await t.test(`${name} while the body arrives`, () =>
            withCaller(operation, name, async caller => {
              let expectedRows: string[] = []
              const reply = await send(operation, caller, async () => {
                await end(ending, caller)
                expectedRows = await stored()
              })
              assert.equal(reply.status, ending.status, JSON.stringify(reply.body))
              assert.equal(reply.body.code, ending.status === 401 ? 'invalid-token' : 'insufficient-scope')
              assert.deepEqual(await stored(), expectedRows)
            }),
          )
          await t.test(`${name} just before the transaction`, () =>
            withCaller(operation, name, async caller => {
              let expectedRows = await stored()
              let isEnded = false
              server.interject.beforeWrite = async () => {
                isEnded = true
                await end(ending, caller)
                expectedRows = await stored()
              }
              const reply = await send(operation, caller)
              delete server.interject.beforeWrite
              // An operation that writes nothing cannot be stopped.
              if (isEnded) assert.equal(reply.status, ending.status, JSON.stringify(reply.body))
              assert.deepEqual(await stored(), expectedRows)
            }),
          )
          if (kind !== 'SQLite' && ending.needsNoLock && !ending.waitsFor?.includes(operation.id))
            await t.test(`${name} just before the commit`, () =>
              withCaller(operation, name, async caller => {
                let expectedRows = await stored()
                let isEnded = false
                server.interject.beforeCommit = async () => {
                  isEnded = true
                  await end(ending, caller)
                  expectedRows = await stored()
                }
                const reply = await send(operation, caller)
                delete server.interject.beforeCommit
                if (isEnded) assert.equal(reply.status, ending.status, JSON.stringify(reply.body))
                assert.deepEqual(await stored(), expectedRows)
              }),
            )
        }
      })

    test('a member who gets a row filter while their request is under way promotes nothing', async () => {
      const operation = operations.promoteGeneration
      const caller = await newCaller(operation)
      const { status } = await send(operation, caller, () =>
        server.storage.write(writer =>
          setMember(writer, {
            workspaceId: caller.workspaceId,
            subject: caller.id,
            kind: 'user',
            roles: ['user'],
            filter: { genre: 'crime' },
          }),
        ),
      )
      assert.equal(status, 403)
    })

    test('a request whose account stays is not refused, however late its body arrives', async () => {
      for (const operation of writing) {
        // The others need theirs.
        const caller = await newCaller(operation, operation.id === 'removeWorkspace' ? 'the workspace' : '')
        const { status, body } = await send(operation, caller, async () => {})
        assert.ok(![401, 403].includes(status), `${operation.id}: ${status} ${JSON.stringify(body)}`)
      }
    })
  })

suite('SQLite', async () => undefined)
suite('PostgreSQL', async () => ({ connection: await freshDatabase() }))
