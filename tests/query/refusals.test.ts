/** "Why was I refused?" by request id and by token, for authorized people only (docs/get-a-token.md). */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '@querent/contract/manage'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { runQuerent } from '#tests/support/command-line'
import { makeMember, type Person } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { createCredentials, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

interface Check {
  name: string
  passed: boolean | null
  message: string
  expected?: string
  found?: string
}
interface RefusalExplanation {
  status: number
  workspace: string
  path: string
  checks: Check[]
}

let server: ServerProcess
type Account = { clientId: string; clientSecret: string }
/** System-to-System accounts of the workspaces `mine` and `theirs`. `limited` has a row filter. */
let reader: Account
let limited: Account
let loader: Account
let foreign: Account
let ada: Person
/** Tokens of people for the management API. `own` belongs to a person who may only import, and `ownQuery` is their token for queries. */
let administrator: string
let importerToken: string
let importerQueryToken: string
let colleague: string
let foreignAdministrator: string

before(async () => {
  server = await startServerProcess()
  await setUpWorkspace(server, 'mine', { things: [] }, { limited: { kind: 'alpha' } })
  await setUpWorkspace(server, 'theirs', { things: [] }, {})
  limited = await createCredentials(server, 'mine', 'limited')
  reader = await server.createAccount('mine', 'reader', 'api')
  loader = await server.createAccount('mine', 'loader', 'data-provider')
  foreign = await server.createAccount('theirs', 'reader', 'api')
  const createMemberToken = async (workspace: string, email: string, role: Role) =>
    consoleToken(server, await makeMember(server, workspace, email, role))
  ada = await makeMember(server, 'mine', 'administrator@example.org', 'administrator')
  administrator = await consoleToken(server, ada)
  const importer = await makeMember(server, 'mine', 'importer@example.org', 'data-provider')
  importerToken = await consoleToken(server, importer)
  importerQueryToken = await consoleToken(server, importer, `${server.baseUrl}/`)
  colleague = await createMemberToken('mine', 'colleague@example.org', 'user')
  foreignAdministrator = await createMemberToken('theirs', 'other@example.org', 'administrator')
})
after(() => server.stop())

/** Sends a request that is rejected, and returns the request id. */
const sendRefused = async (token: string, workspace = 'mine', status = 403): Promise<string> => {
  // The words of the grammar mean the same when they are encoded.
  const path = 'e/all/%70/query/my%20secret/count?count=3'
  const reply = await fetch(`${server.baseUrl}/4/${workspace}/api/things/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { requestId } = (await reply.json()) as { requestId: string }
  assert.equal(reply.status, status)
  return requestId
}

const fetchRefusal = async (requestId: string, token: string) => {
  const reply = await fetch(`${server.authUrl}/manage/v1/refusals/${requestId}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: reply.status, text: await reply.text() }
}
const inspect = async (input: object, token: string) => {
  const reply = await fetch(`${server.authUrl}/manage/v1/tokens/inspect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return { status: reply.status, text: await reply.text() }
}

const chain = [
  'token',
  'issuer',
  'signature',
  'audience',
  'clock',
  'proof',
  'revocation',
  'client',
  'account',
  'client-workspace',
  'membership',
  'membership-end',
  'role',
  'second-factor',
  'api',
  'collection',
  'row-filter',
]
/** Asserts that all checks before `name` passed, it failed, and later ones did not run. Returns it. */
const assertOnlyFailure = (checks: Check[], name: string): Check => {
  const position = chain.indexOf(name)
  assert.deepEqual(
    checks.map(check => [check.name, check.passed]),
    chain.map((check, index) => [check, index < position ? true : index === position ? false : null]),
  )
  return checks[position] ?? assert.fail()
}
const assertMismatch = ({ expected, found }: Check, expectedPattern: RegExp, foundPattern: RegExp) => {
  assert.match(expected ?? '', expectedPattern)
  assert.match(found ?? '', foundPattern)
}

/** Asserts that the administrator sees the rejected request without its parameter values, and that the command shows the same. */
const explainRefusal = async (requestId: string): Promise<RefusalExplanation> => {
  const { status, text } = await fetchRefusal(requestId, administrator)
  assert.equal(status, 200, text)
  assert.doesNotMatch(text, /my.{0,3}secret|count=3/, 'nobody keeps what was asked for')
  const explanation = JSON.parse(text) as RefusalExplanation
  assert.deepEqual(await server.run(['token', 'inspect', requestId]), explanation)
  return explanation
}

test('a token of a client of another workspace fails the workspace check', async () => {
  const requestId = await sendRefused(await fetchToken(server, foreign))
  const { checks, ...request } = await explainRefusal(requestId)
  assertMismatch(
    assertOnlyFailure(checks, 'client-workspace'),
    /of this workspace/,
    new RegExp(foreign.clientId),
  )
  assert.deepEqual([request.status, request.workspace], [403, 'mine'])
  assert.equal(request.path, '/4/mine/api/things/e/all/%70/query/…/count')
})

test('a member with an insufficient role fails the role check', async () => {
  const { checks } = await explainRefusal(await sendRefused(await fetchToken(server, loader)))
  assertMismatch(assertOnlyFailure(checks, 'role'), /api/, /^data-provider$/)
})

test('a removed member fails the membership check', async () => {
  const email = 'former@example.org'
  const person = await makeMember(server, 'mine', email, 'api')
  const token = await consoleToken(server, person, `${server.baseUrl}/`)
  await server.call('removeMember', { params: { workspace: 'mine', email } })
  const { checks } = await explainRefusal(await sendRefused(token))
  assertMismatch(assertOnlyFailure(checks, 'membership'), /member.*api/, /^former@example.org$/)
})

test('a token for another audience, even by a slash or a letter, fails the audience check', async () => {
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: reader.clientId,
      client_secret: reader.clientSecret,
      resource: `${server.baseUrl}/4/mine/api/thing`,
    }),
  })
  // RFC 6749, section 5.1.
  const { access_token: narrow } = (await reply.json()) as { access_token: string }
  const { checks } = await explainRefusal(await sendRefused(narrow, 'mine', 401))
  assertMismatch(assertOnlyFailure(checks, 'audience'), /\/4\/mine\/api\/things\//, /\/4\/mine\/api\/thing$/)
})

const forged = async (change: Record<string, unknown>, header: Record<string, unknown> = {}) => {
  const token = await fetchToken(server, reader)
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return new SignJWT({ ...claims, ...change })
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256', ...header })
    .sign(privateKey)
}

test('a token of another issuer, even by a slash, fails the issuer check', async () => {
  const { checks } = await explainRefusal(
    await sendRefused(await forged({ iss: server.authUrl }), 'mine', 401),
  )
  const { expected, found } = assertOnlyFailure(checks, 'issuer')
  assert.deepEqual([expected, found], [`${server.authUrl}/`, server.authUrl])
})

test('a token with another signature or another key fails the signature check', async () => {
  const wrong = await explainRefusal(await sendRefused(await forged({}), 'mine', 401))
  const { message, expected } = assertOnlyFailure(wrong.checks, 'signature')
  assert.match(message, /changed or cut off/)
  assert.equal(expected, undefined, 'nothing to compare: the algorithm is right')
  const key = await explainRefusal(await sendRefused(await forged({}, { kid: 'mine' }), 'mine', 401))
  assert.match(assertOnlyFailure(key.checks, 'signature').found ?? '', /kid mine/)
})

test('a missing Authorization header is recorded for queries and documents, and for missing workspaces only operators see it', async () => {
  const queryWithoutToken = async (path: string) => {
    const reply = await fetch(`${server.baseUrl}/4/${path}`)
    const { code, requestId } = (await reply.json()) as { code: string; requestId: string }
    assert.deepEqual([reply.status, code], [401, 'no-token'], path)
    return requestId
  }
  for (const path of ['mine/api/things/e/all/count', 'mine/collections/things/documents']) {
    const requestId = await queryWithoutToken(path)
    const { checks, workspace } = await explainRefusal(requestId)
    assert.equal(assertOnlyFailure(checks, 'token').message, 'no token was sent')
    assert.equal(workspace, 'mine')
    for (const otherToken of [colleague, foreignAdministrator, importerToken])
      assert.equal((await fetchRefusal(requestId, otherToken)).status, 404)
  }
  const nowhere = await queryWithoutToken('nowhere/api/things/e/all/count')
  assert.equal((await fetchRefusal(nowhere, administrator)).status, 404)
  const explanation = (await server.run(['token', 'inspect', nowhere])) as RefusalExplanation
  assert.equal(explanation.workspace, 'nowhere')
})

test('a malformed access token is recorded', async () => {
  const { checks } = await explainRefusal(await sendRefused('nonsense', 'mine', 401))
  assertOnlyFailure(checks, 'token')
  const typed = await explainRefusal(await sendRefused(await forged({}, { typ: 'JWT' }), 'mine', 401))
  assertMismatch(assertOnlyFailure(typed.checks, 'token'), /at\+jwt/, /JWT/)
})

test('a revoked token, a disabled account and a removed account fail their checks', async () => {
  const account = await server.createAccount('mine', 'brief', 'api')
  const revoked = await fetchToken(server, account)
  const client = { client_id: account.clientId, client_secret: account.clientSecret }
  await fetch(`${server.authUrl}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, token: revoked }),
  })
  assertOnlyFailure((await explainRefusal(await sendRefused(revoked, 'mine', 401))).checks, 'revocation')
  const token = await fetchToken(server, account)
  await server.call('updateSystemToSystem', {
    params: { workspace: 'mine', clientId: account.clientId },
    input: { disabled: true },
  })
  assert.match(
    assertOnlyFailure((await explainRefusal(await sendRefused(token, 'mine', 401))).checks, 'client').message,
    /disabled/,
  )
  await server.call('removeSystemToSystem', { params: { workspace: 'mine', clientId: account.clientId } })
  assert.match(
    assertOnlyFailure((await explainRefusal(await sendRefused(token, 'mine', 401))).checks, 'client').message,
    /deleted/,
  )
})

test('inspecting a token runs the same checks, and shows the row filter of an accepted caller', async () => {
  const token = await fetchToken(server, limited)
  const input = { token, workspace: 'mine', api: 'things' }
  const { status, text } = await inspect(input, administrator)
  assert.equal(status, 200)
  const inspection = JSON.parse(text) as { allowed: boolean; checks: Check[] }
  assert.equal(inspection.allowed, true)
  assert.deepEqual(
    inspection.checks.map(({ name, passed }) => [name, passed]),
    chain.map(name => [name, true]),
  )
  assert.equal(inspection.checks.at(-1)?.found, '{"kind":"alpha"}')
  assert.deepEqual(
    await server.run(['token', 'inspect', token, '--workspace', 'mine', '--api', 'things']),
    inspection,
  )
  const foreignInspection = await inspect(
    { ...input, token: await fetchToken(server, foreign) },
    administrator,
  )
  const { allowed, checks } = JSON.parse(foreignInspection.text) as { allowed: boolean; checks: Check[] }
  assert.equal(allowed, false)
  assertMismatch(
    assertOnlyFailure(checks, 'client-workspace'),
    /of this workspace/,
    new RegExp(foreign.clientId),
  )
})

test('only administrators of the workspace and the account itself may open a refusal, and for others it does not exist', async () => {
  const requestId = await sendRefused(importerQueryToken)
  for (const token of [administrator, importerToken])
    assert.equal((await fetchRefusal(requestId, token)).status, 200)
  const strip = (text: string, id: string) => text.replace(/"requestId":"[^"]*"/, '').replaceAll(id, 'ID')
  const absent = '00000000-0000-4000-8000-000000000000'
  for (const token of [colleague, foreignAdministrator]) {
    const hidden = await fetchRefusal(requestId, token)
    assert.equal(hidden.status, 404)
    assert.equal(strip(hidden.text, requestId), strip((await fetchRefusal(absent, token)).text, absent))
  }
  assert.equal((await fetchRefusal(requestId, importerQueryToken)).status, 401)
})

test('only administrators of the workspace and the account itself may inspect a token', async () => {
  const subject = String(decodeJwt(importerQueryToken).sub)
  for (const inspector of [administrator, importerToken])
    assert.equal((await inspect({ token: importerQueryToken, workspace: 'mine' }, inspector)).status, 200)
  for (const inspector of [colleague, foreignAdministrator])
    for (const workspace of ['mine', undefined, 'theirs', 'nowhere']) {
      // An administrator of the requested workspace may check what a token in hand opens there.
      if (inspector === foreignAdministrator && workspace === 'theirs') continue
      const refusal = await inspect({ token: importerQueryToken, ...(workspace && { workspace }) }, inspector)
      assert.equal(refusal.status, 403)
      for (const secret of ['data-provider', subject, 'signature']) assert.ok(!refusal.text.includes(secret))
    }
})

test('an administrator of another workspace learns nothing about memberships from a token in hand', async () => {
  const token = await fetchToken(server, limited)
  const { text } = await inspect({ token, workspace: 'theirs' }, foreignAdministrator)
  const { checks } = JSON.parse(text) as { checks: Check[] }
  assertOnlyFailure(checks, 'client-workspace')
  assert.ok(!text.includes('alpha'))
})

test('the reply to the rejected caller says no more than the header', async () => {
  const reply = await fetch(`${server.baseUrl}/4/mine/api/things/e/all/count`, {
    headers: { authorization: `Bearer ${await fetchToken(server, loader)}` },
  })
  const text = `${await reply.text()}${reply.headers.get('www-authenticate')}`
  assert.ok(!text.includes('data-provider'))
  assert.ok(!text.includes(loader.clientId))
})

/** Restarts the server with a clock that is ahead. Commands keep the real time. */
const restartAhead = async (minutes: number) => {
  await server.kill()
  const ahead = `const now = Date.now; Date.now = () => now() + ${minutes * 60_000}`
  process.env.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(ahead)}`
  await server.restart()
  delete process.env.NODE_OPTIONS
}

test('a refusal of an expired token shows the differing times, and nobody sees it after 24 hours', async () => {
  const token = await fetchToken(server, reader)
  await restartAhead(17)
  const requestId = await sendRefused(token, 'mine', 401)
  const { checks } = JSON.parse(
    (await fetchRefusal(requestId, await consoleToken(server, ada))).text,
  ) as RefusalExplanation
  assertMismatch(assertOnlyFailure(checks, 'clock'), /^after 20\d\d-/, /^20\d\d-/)
  const day = 24 * 60
  await restartAhead(17 + day - 1)
  assert.equal((await fetchRefusal(requestId, await consoleToken(server, ada))).status, 200)
  await restartAhead(17 + day + 2)
  assert.equal((await fetchRefusal(requestId, await consoleToken(server, ada))).status, 404)
})

test('the command reports a missing refusal in one line', async () => {
  const result = await runQuerent([
    'token',
    'inspect',
    '00000000-0000-4000-8000-000000000000',
    '--data',
    server.data,
  ])
  assert.equal(result.code, 1)
  assert.match(result.stderr, /00000000-0000-4000-8000-000000000000.*no-such-resource/)
})
