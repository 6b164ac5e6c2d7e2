/** Every operation of the contract's table: 2xx, 400, 401, 403, 404, and another workspace's token. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Operation, type OperationId, operations } from '@querent/contract/manage'
import { hashPassword } from '#http/password'
import { createClient } from '#storage/clients'
import { listSigningKeys } from '#storage/signing-keys'
import { setPassword } from '#storage/users'
import { inputValidator } from './read-input.ts'
import { openTestServer, type Person, signIn } from './test-server.ts'
import { replySerializer } from './write-reply.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

interface Row {
  /** Who may, and who is refused with 403. */
  may: Person | { token: string }
  mayNot: Person[]
  path: string
  body?: unknown
  /** Of a body that the schema refuses. */
  bad?: unknown
  /** A path whose thing is not there. */
  missing?: string
}

const book = '/manage/v1/workspaces/books'
const notAdministrators: Person[] = ['ursula', 'apollo', 'dora', 'eve']
const notOperators: Person[] = ['ada', 'ursula', 'eve']
const rows: Record<OperationId, () => Promise<Row> | Row> = {
  diagnose: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/diagnosis' }),
  makeBackup: async () => ({
    may: { token: await server.tokenOf('operator', await newCommandLine()) },
    // Through the console, as all of them: not even an operator.
    mayNot: [...notOperators, 'operator'],
    path: '/manage/v1/backup',
  }),
  createUser: () => ({
    may: 'operator',
    mayNot: notOperators,
    path: '/manage/v1/users',
    body: { email: 'new@example.org', password: 'correct horse' },
    bad: { email: 'no address' },
  }),
  listUsers: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/users?count=2' }),
  updateUser: () => ({
    may: 'operator',
    mayNot: notOperators,
    path: '/manage/v1/users/nobody@example.org',
    body: { disabled: true },
    bad: { disabled: 'yes' },
    missing: '/manage/v1/users/none@example.org',
  }),
  removeUser: async () => ({
    may: 'operator',
    mayNot: notOperators,
    path: `/manage/v1/users/${await newUser()}`,
    missing: '/manage/v1/users/none@example.org',
  }),
  resetPassword: () => ({
    may: 'operator',
    mayNot: notOperators,
    path: '/manage/v1/users/ursula@example.org/password-reset',
    missing: '/manage/v1/users/none@example.org/password-reset',
  }),
  exportUser: () => ({
    may: 'operator',
    mayNot: notOperators,
    path: '/manage/v1/users/nobody@example.org/export',
    missing: '/manage/v1/users/none@example.org/export',
  }),
  listKeys: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/keys' }),
  withdrawKey: async () => {
    const [key] = await listSigningKeys(server.storage.db)
    return {
      // Once: it is gone then.
      may: { token: await server.tokenOf('operator') },
      mayNot: notOperators,
      path: `/manage/v1/keys/${key?.kid}/withdraw`,
      missing: '/manage/v1/keys/none/withdraw',
    }
  },
  rotateKeys: () => ({
    may: 'operator',
    mayNot: notOperators,
    path: '/manage/v1/keys/rotate',
    body: { signsInSeconds: 3600 },
    bad: { signsInSeconds: 1 },
  }),
  listServerAudit: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/audit?count=2' }),
  getMe: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me' }),
  changePassword: async () => {
    const passwordHash = await hashPassword('correct horse')
    await server.storage.write(writer => setPassword(writer, server.ids.dora, passwordHash))
    return {
      may: 'dora',
      mayNot: [],
      path: '/manage/v1/me/password',
      body: { current: 'correct horse', new: 'battery staple 9' },
      bad: { current: 'correct horse', new: '' },
    }
  },
  listMySessions: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me/sessions' }),
  endMySession: async () => ({
    may: 'apollo',
    mayNot: [],
    path: `/manage/v1/me/sessions/${(await signIn(server.storage, server.ids.apollo)).sessionId}`,
    missing: '/manage/v1/me/sessions/none',
  }),
  listMyConsents: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me/consents' }),
  withdrawMyConsent: async () => ({
    may: 'apollo',
    mayNot: [],
    path: `/manage/v1/me/consents/${(await signIn(server.storage, server.ids.apollo)).clientId}`,
    missing: '/manage/v1/me/consents/none',
  }),
  listApis: () => ({ may: 'apollo', mayNot: ['dora', 'eve'], path: `${book}/apis` }),
  listCollections: () => ({ may: 'dora', mayNot: ['apollo', 'eve'], path: `${book}/collections` }),
  getSettings: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/settings` }),
  updateSettings: () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/settings`,
    body: { accessTokenLifetime: '5m', origins: ['https://app.example.org'] },
    bad: { accessTokenLifetime: '25h' },
  }),
  listAudit: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/audit?count=5` }),
  updateApplication: async () => {
    const path = `${book}/applications`
    const redirectUris = ['https://app.example.org/callback']
    const made = await server.call('ada', 'POST', path, { name: 'To change', redirectUris })
    return {
      may: 'ada',
      mayNot: notAdministrators,
      path: `${path}/${made.body.clientId}`,
      body: { redirectUris: ['https://app.example.org/other'], disabled: true },
      bad: { redirectUris: ['http://app.example.org/callback'] },
      missing: `${path}/none`,
    }
  },
  inviteMember: () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/invitations`,
    body: { email: 'guest@example.org', roles: ['api'], filter: { genre: 'crime' }, language: 'nl' },
    bad: { email: 'guest@example.org', roles: ['king'] },
  }),
  listInvitations: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/invitations` }),
  withdrawInvitation: async () => {
    const path = `${book}/invitations`
    const made = await server.call('ada', 'POST', path, { email: 'late@example.org', roles: ['api'] })
    return {
      may: 'ada',
      mayNot: notAdministrators,
      path: `${path}/${made.body.id}`,
      missing: `${path}/none`,
    }
  },
  listWorkspaces: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/workspaces' }),
  applyWorkspaceFile: () => ({
    may: 'ada',
    mayNot: ['apollo', 'dora', 'eve'],
    path: '/manage/v1/apply',
    body: { source: 'workspace: books\ncollections: { novels: {} }', dryRun: true },
    bad: { source: 3 },
  }),
  removeWorkspace: async () => {
    const source = 'workspace: passing\nmembers: { ada@example.org: { roles: [administrator] } }'
    await server.call('operator', 'POST', '/manage/v1/apply', { source })
    return { may: 'ada', mayNot: notAdministrators, path: '/manage/v1/workspaces/passing' }
  },
  exportWorkspaceFile: () => ({ may: 'ursula', mayNot: ['apollo', 'dora', 'eve'], path: `${book}/file` }),
  listGenerations: () => ({
    may: 'ursula',
    mayNot: ['apollo', 'dora', 'eve'],
    path: `${book}/collections/novels/generations`,
    missing: `${book}/collections/none/generations`,
  }),
  promoteGeneration: () => ({
    may: 'ursula',
    mayNot: ['apollo', 'dora', 'eve'],
    path: `${book}/collections/novels/generations/promote`,
    body: { generation: '1' },
    bad: { generation: 1 },
    missing: `${book}/collections/none/generations/promote`,
  }),
  rollBackGeneration: () => ({
    may: 'ursula',
    mayNot: ['apollo', 'dora', 'eve'],
    path: `${book}/collections/novels/generations/rollback`,
    missing: `${book}/collections/none/generations/rollback`,
  }),
  listMembers: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/members` }),
  setMember: () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/members/nobody@example.org`,
    body: { roles: ['api'] },
    bad: { roles: ['king'] },
    missing: `${book}/members/none@example.org`,
  }),
  removeMember: () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/members/nobody@example.org`,
    missing: `${book}/members/none@example.org`,
  }),
  createSystemToSystem: () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/system-to-system`,
    body: { name: 'website', roles: ['api'], addresses: ['192.0.2.0/24'] },
    bad: { name: 'bad', roles: ['administrator'] },
  }),
  listSystemToSystem: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/system-to-system` }),
  updateSystemToSystem: async () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/system-to-system/${await newAccount()}`,
    body: { disabled: true, roles: ['data-provider'] },
    bad: { addresses: ['everywhere'] },
    missing: `${book}/system-to-system/none`,
  }),
  removeSystemToSystem: async () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/system-to-system/${await newAccount()}`,
    missing: `${book}/system-to-system/none`,
  }),
  addSecret: async () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/system-to-system/${await newAccount()}/secrets`,
    body: { expiresInSeconds: 3600 },
    bad: { expiresInSeconds: 1 },
    missing: `${book}/system-to-system/none/secrets`,
  }),
  removeSecret: async () => {
    const clientId = await newAccount()
    const made = await server.call('ada', 'POST', `${book}/system-to-system/${clientId}/secrets`, {})
    return {
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/system-to-system/${clientId}/secrets/${made.body.secretId}`,
      missing: `${book}/system-to-system/${clientId}/secrets/none`,
    }
  },
  createApplication: () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/applications`,
    body: { name: 'finder', redirectUris: ['http://localhost:5173/callback'] },
    bad: { name: 'finder', redirectUris: ['http://example.org/callback'] },
  }),
  listApplications: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/applications` }),
  removeApplication: async () => ({
    may: 'ada',
    mayNot: notAdministrators,
    path: `${book}/applications/${await newApplication()}`,
    missing: `${book}/applications/none`,
  }),
  inspectToken: async () => ({
    may: 'ada',
    mayNot: ['ursula', 'eve'],
    path: '/manage/v1/tokens/inspect',
    body: { token: await server.tokenOf('ada'), workspace: 'books' },
    bad: { token: '' },
  }),
  listUsage: () => ({
    may: 'ursula',
    mayNot: ['apollo', 'dora', 'eve'],
    path: `${book}/usage`,
  }),
  listSearches: () => ({
    may: 'ursula',
    mayNot: ['apollo', 'dora', 'eve'],
    path: `${book}/usage/searches?from=2026-01-01&to=2026-01-31`,
  }),
  getRefusal: async () => {
    const refused = await server.call('apollo', 'GET', `${book}/members`)
    return {
      may: 'ada',
      mayNot: [],
      path: `/manage/v1/refusals/${refused.body.requestId}`,
      missing: '/manage/v1/refusals/none',
    }
  },
}

let made = 0
const newUser = async (): Promise<string> => {
  made += 1
  const reply = await server.call('operator', 'POST', '/manage/v1/users', {
    email: `user${made}@example.org`,
  })
  return reply.body.email
}
const newAccount = async (): Promise<string> => {
  made += 1
  const reply = await server.call('ada', 'POST', `${book}/system-to-system`, {
    name: `account ${made}`,
    roles: ['api'],
  })
  return reply.body.clientId
}
const newCommandLine = async (): Promise<string> => {
  await server.storage.write(writer =>
    createClient(writer, {
      id: 'command-line',
      kind: 'own',
      workspaceId: null,
      name: 'Command line',
      settings: { actsAs: null },
    }),
  )
  return 'command-line'
}
const newApplication = async (): Promise<string> => {
  made += 1
  const reply = await server.call('ada', 'POST', `${book}/applications`, {
    name: `application ${made}`,
    redirectUris: ['https://example.org/callback'],
  })
  return reply.body.clientId
}

for (const operation of Object.values(operations) as Operation[]) {
  test(`${operation.id} (${operation.method} ${operation.path}) holds its permission and its errors`, async () => {
    const row = await rows[operation.id as OperationId]()
    const { method } = operation

    const without = await server.call(undefined, method, row.path, row.body)
    assert.equal(without.status, 401, 'without a token')
    assert.match(without.headers.get('www-authenticate') ?? '', /^Bearer realm="querent", resource_metadata=/)
    assert.equal(without.body.code, 'no-token')
    const foreign = await server.call({ token: 'a.b.c' }, method, row.path, row.bad ?? row.body)
    assert.equal(foreign.status, 401, 'with a bad token, before what was sent is looked at')
    assert.match(foreign.headers.get('www-authenticate') ?? '', /error="invalid_token"/)

    for (const person of row.mayNot) {
      // The body of a file says which workspace it is for, so it is read first there.
      const sent = operation.permission === 'account' ? row.body : (row.bad ?? row.body)
      const refused = await server.call(person, method, row.path, sent)
      assert.equal(refused.status, 403, `as ${person}: ${JSON.stringify(refused.body)}`)
      assert.match(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
      assert.equal(refused.body.requestId, refused.headers.get('x-request-id'))
    }
    if (operation.path.startsWith('/workspaces/{workspace}')) {
      const path = row.path.replace(/\/workspaces\/\w+/, '/workspaces/nowhere')
      const nowhere = await server.call('ada', method, path, row.body)
      const films = await server.call(
        'ada',
        method,
        path.replace('/workspaces/nowhere', '/workspaces/films'),
        row.body,
      )
      assert.equal(nowhere.status, 403, 'a workspace that is not there')
      assert.equal(nowhere.body.message, films.body.message, 'answers like one of others')
      // Operators see every workspace there is: nothing is given away by saying that this is none.
      const told = await server.call('operator', method, path, row.body)
      assert.deepEqual([told.status, told.body.message], [404, 'there is no workspace "nowhere"'])
    }
    if (row.bad !== undefined) {
      const bad = await server.call(row.may, method, row.path, row.bad)
      assert.equal(bad.status, 400, JSON.stringify(bad.body))
      assert.equal(bad.body.code, 'bad-parameter')
      assert.match(bad.body.message, /^(?!body)\S+: /)
      const unknown = await server.call(row.may, method, row.path, { ...Object(row.body), colour: 'red' })
      assert.equal(unknown.status, 400)
      assert.match(unknown.body.message, /^colour: "colour" is not known here; allowed: /)
      assert.equal((await server.call(row.may, method, row.path, '{"half')).status, 400)
      assert.equal((await server.call(row.may, method, row.path, 'null')).status, 400)
    }
    if (row.missing !== undefined) {
      const missing = await server.call(row.may, method, row.missing, row.body)
      assert.equal(missing.status, 404, JSON.stringify(missing.body))
      assert.equal(missing.body.code, 'no-such-resource')
    }
    const done = await server.call(row.may, method, row.path, row.body)
    assert.equal(done.status, operation.status, JSON.stringify(done.body))
    assert.equal(done.body === undefined, operation.reply === undefined && operation.media === undefined)
    const asOperator =
      operation.status === 200 && typeof row.may === 'string'
        ? await server.call('operator', method, row.path, row.body)
        : done
    assert.equal(asOperator.status, operation.status, 'operators manage any workspace')
  })
}

// They are compiled when they are first used, which a start would not tell.
test('every schema of an operation compiles: of what is sent and of what is answered', () => {
  for (const { id, method, path, params, query, input, reply, status } of Object.values(
    operations,
  ) as Operation[]) {
    for (const [httpPart, schema] of Object.entries({ params, querystring: query, body: input }))
      if (schema) assert.doesNotThrow(() => inputValidator({ schema, method, url: path, httpPart }), id)
    if (reply)
      assert.doesNotThrow(
        () => replySerializer({ schema: reply, method, url: path, httpStatus: String(status) }),
        id,
      )
  }
})
