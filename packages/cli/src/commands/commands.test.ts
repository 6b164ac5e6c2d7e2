import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder, openCommandProcess, type Request, standIn } from '#stand-in/querent'

const querent = openCommandProcess()

const manage = '/manage/v1'
const user = {
  id: 'u',
  email: 'ada@example.org',
  name: 'Ada',
  operator: false,
  disabled: true,
  createdAt: 'T',
}
const secrets = [{ id: 's', hint: 'qrs_AbCd', createdAt: 'T', expiresAt: null, lastUsedAt: null }]
const account = {
  clientId: 'c',
  name: 'site',
  roles: ['api'],
  addresses: [],
  disabled: false,
  secrets,
  createdAt: 'T',
}
const member = { kind: 'user', email: 'ada@example.org', name: 'Ada', roles: ['api'], createdAt: 'T' }
const invitation = {
  id: 'i',
  email: 'ada@example.org',
  roles: ['api'],
  expiresAt: 'T',
  url: 'https://login.example/invitation/qri_x',
  mailed: false,
  mail: 'none',
}
const openInvitation = {
  id: 'i',
  email: 'ada@example.org',
  roles: ['api'],
  invitedBy: null,
  createdAt: 'T',
  expiresAt: 'T',
  expired: false,
}
const app = {
  clientId: 'c',
  name: 'Finder',
  type: 'browser',
  redirectUris: ['http://x'],
  disabled: false,
  createdAt: 'T',
}
const entry = (id: string) => ({
  id,
  at: 'T',
  actor: 'ada@example.org',
  action: 'createUser',
  target: 't',
  detail: {},
  address: '192.0.2.1',
  requestId: 'r',
  workspace: null,
})
const page = (...items: unknown[]) => ({ items, next: null })

/** Command, the request that it sends, the reply, and the output of `--json` (absent: the reply). */
const calls: [
  command: string,
  request: Request,
  reply: { status: number; body?: unknown },
  json?: unknown,
][] = [
  [
    'users create ada@example.org --name Ada --password-stdin',
    {
      method: 'POST',
      url: '/users',
      body: '{"email":"ada@example.org","name":"Ada","password":"pass word"}',
    },
    { status: 201, body: user },
  ],
  [
    'users list',
    { method: 'GET', url: '/users?count=1000', body: '' },
    { status: 200, body: page(user) },
    [user],
  ],
  [
    'users disable ada@example.org',
    { method: 'PATCH', url: '/users/ada%40example.org', body: '{"disabled":true}' },
    { status: 200, body: user },
  ],
  [
    'users remove ada@example.org',
    { method: 'DELETE', url: '/users/ada%40example.org', body: '' },
    { status: 204 },
    { email: 'ada@example.org', removed: true },
  ],
  [
    'users reset ada@example.org',
    { method: 'POST', url: '/users/ada%40example.org/password-reset', body: '' },
    { status: 201, body: { url: 'https://login.example/password/reset/qrl_x', expiresAt: 'T' } },
  ],
  [
    'users export ada@example.org',
    { method: 'GET', url: '/users/ada%40example.org/export', body: '' },
    { status: 200, body: { user, memberships: [] } },
  ],
  [
    'members invite w ada@example.org --role api --language nl',
    {
      method: 'POST',
      url: '/workspaces/w/invitations',
      body: '{"email":"ada@example.org","roles":["api"],"language":"nl"}',
    },
    { status: 201, body: invitation },
  ],
  [
    'members invitations w',
    { method: 'GET', url: '/workspaces/w/invitations?count=1000', body: '' },
    { status: 200, body: page(openInvitation) },
    [openInvitation],
  ],
  [
    'keys rotate --signs-in 1h',
    { method: 'POST', url: '/keys/rotate', body: '{"signsInSeconds":3600}' },
    { status: 200, body: { published: ['k1', 'k2'], signsFrom: 'T' } },
  ],
  [
    'workspaces remove w',
    { method: 'DELETE', url: '/workspaces/w', body: '' },
    { status: 204 },
    { workspace: 'w', removed: true },
  ],
  [
    'audit --count 2',
    { method: 'GET', url: '/audit?count=1000', body: '' },
    { status: 200, body: page(entry('3'), entry('2'), entry('1')) },
    [entry('2'), entry('3')],
  ],
  [
    'audit --action createUser --actor ada',
    { method: 'GET', url: '/audit?count=1000&action=createUser&actor=ada', body: '' },
    { status: 200, body: page(entry('1')) },
    [entry('1')],
  ],
  [
    'workspaces list',
    { method: 'GET', url: '/workspaces?count=1000', body: '' },
    { status: 200, body: page() },
    [],
  ],
  [
    'members add w ada@example.org --role api --role user',
    {
      method: 'PUT',
      url: '/workspaces/w/members/ada%40example.org',
      body: '{"roles":["api","user"],"language":"en"}',
    },
    { status: 200, body: member },
  ],
  [
    'members list w',
    { method: 'GET', url: '/workspaces/w/members?count=1000', body: '' },
    { status: 200, body: page(member) },
    [member],
  ],
  [
    'members list w --search a%b',
    { method: 'GET', url: '/workspaces/w/members?count=1000&search=a%25b', body: '' },
    { status: 200, body: page(member) },
    [member],
  ],
  [
    'members remove w ada@example.org',
    { method: 'DELETE', url: '/workspaces/w/members/ada%40example.org', body: '' },
    { status: 204 },
    { workspace: 'w', email: 'ada@example.org', removed: true },
  ],
  [
    's2s create w site --role api',
    { method: 'POST', url: '/workspaces/w/system-to-system', body: '{"name":"site","roles":["api"]}' },
    { status: 201, body: { ...account, clientSecret: 'q_s' } },
    { clientId: 'c', clientSecret: 'q_s' },
  ],
  [
    's2s create w site --role api --filter {"genre":["drama"]}',
    {
      method: 'POST',
      url: '/workspaces/w/system-to-system',
      body: '{"name":"site","roles":["api"],"filter":{"genre":["drama"]}}',
    },
    { status: 201, body: { ...account, clientSecret: 'q_s' } },
    { clientId: 'c', clientSecret: 'q_s' },
  ],
  [
    'members add w ada@example.org --role api --filter {"genre":["drama"]}',
    {
      method: 'PUT',
      url: '/workspaces/w/members/ada%40example.org',
      body: '{"roles":["api"],"filter":{"genre":["drama"]},"language":"en"}',
    },
    { status: 200, body: member },
  ],
  [
    's2s list w',
    { method: 'GET', url: '/workspaces/w/system-to-system?count=1000', body: '' },
    { status: 200, body: page(account) },
    [account],
  ],
  [
    's2s enable w c',
    { method: 'PATCH', url: '/workspaces/w/system-to-system/c', body: '{"disabled":false}' },
    { status: 200, body: account },
  ],
  [
    's2s remove w c',
    { method: 'DELETE', url: '/workspaces/w/system-to-system/c', body: '' },
    { status: 204 },
    { workspace: 'w', clientId: 'c', removed: true },
  ],
  [
    's2s secret add w c --expires 90d',
    { method: 'POST', url: '/workspaces/w/system-to-system/c/secrets', body: '{"expiresInSeconds":7776000}' },
    { status: 201, body: { clientId: 'c', clientSecret: 'q_s', secretId: 's' } },
  ],
  [
    's2s secret remove w c s',
    { method: 'DELETE', url: '/workspaces/w/system-to-system/c/secrets/s', body: '' },
    { status: 204 },
    { workspace: 'w', clientId: 'c', secretId: 's', removed: true },
  ],
  [
    'apps create w Finder --redirect-uri http://x --type native',
    {
      method: 'POST',
      url: '/workspaces/w/applications',
      body: '{"name":"Finder","redirectUris":["http://x"],"type":"native"}',
    },
    { status: 201, body: app },
    { clientId: 'c' },
  ],
  [
    'apps list w',
    { method: 'GET', url: '/workspaces/w/applications?count=1000', body: '' },
    { status: 200, body: page(app) },
    [app],
  ],
  [
    'apps remove w c',
    { method: 'DELETE', url: '/workspaces/w/applications/c', body: '' },
    { status: 204 },
    { workspace: 'w', clientId: 'c', removed: true },
  ],
  [
    'export w',
    { method: 'GET', url: '/workspaces/w/file', body: '' },
    { status: 200, body: { source: 'workspace: w\n' } },
    { workspace: 'w' },
  ],
  [
    'token inspect 0b9d6a52-3c8e-4f3a-9a56-1d1f6d1c2f10',
    { method: 'GET', url: '/refusals/0b9d6a52-3c8e-4f3a-9a56-1d1f6d1c2f10', body: '' },
    {
      status: 200,
      body: {
        requestId: '0b9d6a52-3c8e-4f3a-9a56-1d1f6d1c2f10',
        at: '2026-11-21T00:00:00.000Z',
        status: 403,
        workspace: 'w',
        path: '/4/w/api/a',
        subject: 's',
        clientId: 'c',
        checks: [{ name: 'role', passed: false, message: 'no member', expected: 'api', found: 'none' }],
      },
    },
  ],
  [
    'token inspect T --workspace w --api a',
    { method: 'POST', url: '/tokens/inspect', body: '{"token":"T","workspace":"w","api":"a"}' },
    {
      status: 200,
      body: {
        allowed: false,
        header: { alg: 'ES256' },
        claims: { exp: 0 },
        checks: [{ name: 'clock', passed: false, message: 'expired', expected: 'now', found: '1970' }],
      },
    },
  ],
]

test('each command sends its request, and with --json prints one value on stdout and nothing else', async t => {
  const runs = calls.map(([command, request, reply, json]) =>
    t.test(`querent ${command}`, async t => {
      const { data, requests } = await standIn(t, () => reply)
      const env = { QUERENT_DATA: data }
      const { code, stdout, stderr } = await querent([...command.split(' '), '--json'], {
        env,
        stdin: 'pass word\n',
      })
      assert.deepEqual([code, stderr], [0, ''])
      assert.deepEqual(requests.at(-1), { ...request, url: `${manage}${request.url}` })
      assert.equal(stdout.trimEnd().split('\n').length, 1)
      assert.deepEqual(JSON.parse(stdout), json ?? reply.body)
      const forPeople = await querent(command.split(' '), { env, stdin: 'pass word' })
      assert.equal(forPeople.code, 0)
      assert.ok(forPeople.stdout.trim() !== '' && !forPeople.stdout.includes('\x1b'))
    }),
  )
  await Promise.all(runs)
})

test('members withdraw finds the invitation by its address, ignoring case', async t => {
  const { data, requests } = await standIn(t, ({ method }) =>
    method === 'DELETE' ? { status: 204 } : { status: 200, body: page(openInvitation) },
  )
  const env = { QUERENT_DATA: data }
  const withdraw = (email: string) => querent(['members', 'withdraw', 'w', email, '--json'], { env })
  const done = await withdraw('Ada@Example.org')
  assert.deepEqual(JSON.parse(done.stdout), { workspace: 'w', email: 'ada@example.org', withdrawn: true })
  assert.deepEqual(
    requests.filter(({ url }) => url.startsWith(manage)).map(({ method, url }) => `${method} ${url}`),
    [
      `GET ${manage}/workspaces/w/invitations?count=1000`,
      `DELETE ${manage}/workspaces/w/invitations/${openInvitation.id}`,
    ],
  )
  const missing = await withdraw('bob@example.org')
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
  assert.match(missing.stderr, /bob@example\.org has no open invitation to w/)
})

test('members invite prints the link, and whether a mail was sent', async t => {
  let mail = 'none'
  const { data } = await standIn(t, () => ({ status: 201, body: { ...invitation, mail } }))
  const env = { QUERENT_DATA: data }
  const args = ['members', 'invite', 'w', 'ada@example.org', '--role', 'api']
  const byHand = (await querent(args, { env })).stdout
  assert.ok(byHand.startsWith('https://login.example/invitation/qri_x\n'))
  assert.match(byHand, /No mail was sent: pass on the link yourself\./)
  for (const [outcome, text] of [
    ['accepted', /A mail with another link is on its way/],
    ['waiting', /did not accept the mail yet; the server tries again/],
    ['rejected', /refused the mail: check the address/],
    ['unsupported', /lacks SMTPUTF8\): pass on the link yourself/],
    ['limited', /too many were: pass on the link yourself/],
  ] as const) {
    mail = outcome
    assert.match((await querent(args, { env })).stdout, text)
  }
})

test('provider send-link says what the mail server answered', async t => {
  let mail = 'accepted'
  const link = { address: 'postmaster@example.org', expiresAt: 'T' }
  const state = { domain: 'example.org', state: 'unproved', proof: null, record: 'r', lastCheck: null, link }
  const { data } = await standIn(t, () => ({ status: 200, body: { ...state, mail } }))
  const args = ['provider', 'send-link', 'w', 'example.org']
  for (const [outcome, text] of [
    ['accepted', /Link for postmaster@example\.org, valid until T\n {2}The mail server accepted the mail\./],
    ['waiting', /did not accept the mail yet; the server tries again/],
    ['rejected', /refused the mail/],
    ['unsupported', /lacks SMTPUTF8/],
    ['limited', /too many mails wait/],
  ] as const) {
    mail = outcome
    assert.match((await querent(args, { env: { QUERENT_DATA: data } })).stdout, text)
  }
})

test('--data and --json work at any position and from the environment', async t => {
  const { data } = await standIn(t, () => ({ status: 200, body: page() }))
  const ways = [
    { args: ['--data', data, '--json', 'users', 'list'] },
    { args: ['users', `--data=${data}`, '--json', 'list'] },
    { args: ['users', 'list', '--json', '--data', data] },
    { args: ['users', 'list'], env: { QUERENT_DATA: data, QUERENT_JSON: '1' } },
  ]
  for (const { args, env = {} } of ways) assert.equal((await querent(args, { env })).stdout, '[]\n')
  const disabled = await querent(['users', 'list'], { env: { QUERENT_DATA: data, QUERENT_JSON: '0' } })
  assert.equal(disabled.stdout, 'There are no users.\n')
})

test('the list of members has their groups, which limit people who have no row filter of their own', async t => {
  const items = [{ ...member, groups: ['legal', 'press'] }]
  const { data } = await standIn(t, () => ({ status: 200, body: page(...items) }))
  const { stdout } = await querent(['members', 'list', 'w', '--data', data])
  assert.match(stdout, / roles .* groups .* own row filter /)
  assert.match(stdout, / legal, press /)
})

test('an import that replaces a collection by documents without its fields says how to go back', async t => {
  const reply = { accepted: 1, documents: 1, replaced: 0, rejected: 0, errors: [], emptyFields: ['title'] }
  const { data } = await standIn(t, () => ({ status: 200, body: reply }))
  const run = async (...extraArgs: string[]) =>
    (await querent(['import', 'w', 'c', '-', ...extraArgs, '--data', data], { stdin: '{"id":"1"}' })).stderr
  assert.match(await run('--replace'), /title[\s\S]*querent generations rollback w c/)
  assert.doesNotMatch(await run(), /rollback/)
  assert.doesNotMatch(await run('--replace', '--stage'), /rollback/)
})

test('the audit log says which parts an applied file changed', async t => {
  const detail = { changes: 1, paths: ['change apis.shop.endpoints.search'] }
  const body = page({ ...entry('1'), action: 'applyWorkspaceFile', detail })
  const { data } = await standIn(t, () => ({ status: 200, body }))
  const { stdout } = await querent(['audit', '--data', data])
  assert.equal(
    stdout,
    'T  applyWorkspaceFile  t  -  by ada@example.org  from 192.0.2.1  change apis.shop.endpoints.search\n',
  )
})

test('an error reply becomes one line with its code and request id, and exit code 1', async t => {
  const body = {
    message: 'you are not an\n administrator',
    status: 403,
    code: 'insufficient-scope',
    requestId: 'r1',
  }
  const { data } = await standIn(t, () => ({ status: 403, body }))
  const { code, stdout, stderr } = await querent(['members', 'list', 'w', '--json', '--data', data])
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, 'querent: you are not an administrator (insufficient-scope, request r1)\n')
})

test('an error for rejected input names the option or argument that gave it, and exits with 2', async t => {
  const cases: [command: string, path: string, message: string, line: string][] = [
    ['users create x', 'body.email', 'found "x"', '<email>: found "x"'],
    ['users create a@example.org --name X', 'body.name', 'too long', '--name: too long'],
    [
      's2s create w x --role api --address 300.1.1.1',
      'body.addresses.0',
      'found "300.1.1.1"',
      '--address: found "300.1.1.1"',
    ],
    ['apps create w x --redirect-uri x', 'body.redirectUris.0', 'found "x"', '--redirect-uri: found "x"'],
    ['members add W a@example.org --role api', 'path.workspace', 'found "W"', '<workspace>: found "W"'],
    ['s2s list w', 'query.after', 'found', 'after: found'],
  ]
  for (const [command, path, message, line] of cases) {
    const prefixed = `${path.replace(/^\w+\./, '')}: ${message}`
    const body = {
      message: prefixed,
      status: 400,
      code: 'bad-parameter',
      requestId: 'r',
      errors: [{ path, message }],
    }
    const { data } = await standIn(t, () => ({ status: 400, body }))
    const { code, stdout, stderr } = await querent([...command.split(' '), '--data', data])
    assert.deepEqual([code, stdout, stderr], [2, '', `querent: ${line}\n`])
  }
})

test('search reads its configuration from --config or QUERENT_CONFIGURATION, not from QUERENT_CONFIG', async t => {
  const page = { offset: 0, count: 10, type: [], items: [] }
  const { data, requests } = await standIn(t, () => ({ status: 200, body: page }))
  const search = ['search', 'w', 'a', 'e', '--data', data, '--json']
  const file = join(data, 'querent.yaml')
  await writeFile(file, 'port: 4000\n')
  await querent(search, { env: { QUERENT_CONFIG: file } })
  assert.equal(requests.at(-1)?.url, '/4/w/api/a/e/e/results')
  await querent(search, { env: { QUERENT_CONFIGURATION: 'staging' } })
  assert.equal(requests.at(-1)?.url, '/4/w/api/a/e/e/results?config=staging')
})

test('the server comes from the flag, then the environment, then the configuration file; empty values count as missing', async t => {
  const { data } = await standIn(t, () => ({ status: 200, body: page() }))
  const file = join(data, 'querent.yaml')
  await writeFile(file, `port: 4000\nserver: https://login.invalid\ndata: ${data}\n`)
  const missing = await folder(t)
  const env = { QUERENT_CONFIG: '', QUERENT_SERVER: '', QUERENT_JSON: '', XDG_CONFIG_HOME: missing }
  const cases: [args: string[], env: Record<string, string>, code: number][] = [
    [['--data', data], { QUERENT_SERVER: 'https://login.invalid' }, 0],
    [['--data', data, '--config', file], {}, 0],
    [[], { QUERENT_CONFIG: file, QUERENT_DATA: data }, 0],
    [['--data', data], { QUERENT_CONFIG: join(data, 'missing.yaml') }, 0],
    [[], { QUERENT_CONFIG: file }, 1],
    [['--data', missing], { QUERENT_CONFIG: file, QUERENT_DATA: data }, 1],
  ]
  for (const [args, extraEnv, code] of cases) {
    const { stderr, ...ran } = await querent(['users', 'list', ...args], { env: { ...env, ...extraEnv } })
    assert.equal(ran.code, code, stderr)
  }
  await writeFile(file, 'sever: https://login.invalid\n')
  const misspelt = await querent(['users', 'list', '--config', file])
  assert.equal(misspelt.code, 2)
  assert.match(misspelt.stderr, /no setting is named "sever"; did you mean "server"\?/)
})

test('commands never send a secret to a query service over plain http, and recognize the reply of another program', async t => {
  const unencrypted = await standIn(t, () => ({ status: 404 }), { resource: 'http://192.0.2.2' })
  const args = ['token', '--server', unencrypted.origin, '--client-id', 'site', '--client-secret-stdin']
  const { code, stderr } = await querent(args, { stdin: 'q_1' })
  assert.equal(code, 1)
  assert.match(stderr, /names a query service that is not safe to use: .*unencrypted/)
  assert.ok(!unencrypted.requests.some(({ url }) => url === '/oauth/token'))
  for (const body of [{}, null, [{ items: [{}] }, {}]]) {
    const { data, origin } = await standIn(t, () => ({ status: 200, body }))
    const odd = await querent(['search', 'w', 'a', 'e', '--data', data])
    assert.equal(odd.code, 1)
    assert.equal(
      odd.stderr,
      `querent: the reply of ${origin} is not one of a query service: another program answers there; check the address, and where the proxy forwards requests\n`,
    )
  }
})

test('no output contains control characters, whatever their origin', async t => {
  const evil = '\x1b]0;x\x07\x9b31mAda\u202e'
  const list = await standIn(t, () => ({ status: 200, body: page({ ...user, name: evil }) }))
  const inspected = { allowed: false, header: { kid: evil }, claims: { sub: evil }, checks: [] }
  const inspection = await standIn(t, () => ({ status: 200, body: inspected }))
  const body = { message: `no ${evil}`, status: 404, code: 'no-such-resource', requestId: 'r' }
  const refusal = await standIn(t, () => ({ status: 404, body }))
  const outcomes = [
    await querent(['users', 'list', '--data', list.data]),
    await querent(['token', 'inspect', 'T', '--data', inspection.data]),
    await querent(['users', 'remove', 'x', '--data', refusal.data]),
    await querent(['search', evil, 'a', 'e', evil, '--data', list.data]),
    await querent(['users', 'list', '--json', '--data', list.data]),
  ]
  for (const { stdout, stderr } of outcomes) {
    assert.match(stdout + stderr, /Ada/)
    assert.doesNotMatch(stdout + stderr, /(?!\n)\p{Cc}/u)
  }
  // JSON keeps the whole value, escaped.
  assert.equal(JSON.parse(outcomes.at(-1)?.stdout ?? '')[0].name, evil)
})

test('a full disk behind standard output fails with one line', {
  skip: !existsSync('/dev/full'),
}, async t => {
  const { data } = await standIn(t, () => ({ status: 200, body: page() }))
  for (const command of ['users list', 'backup -']) {
    const full = await open('/dev/full', 'w')
    const { code, stderr } = await querent([...command.split(' '), '--data', data], { stdout: full.fd })
    await full.close()
    assert.deepEqual(
      [code, stderr],
      [
        1,
        'querent: standard output cannot be written: the disk is full; free some space or redirect the output\n',
      ],
    )
  }
})

test('a reader may stop early in a listing, but not in a backup', async t => {
  const { data } = await standIn(t, () => ({ status: 200, body: page() }))
  assert.equal((await querent(['users', 'list', '--data', data], { isUnread: true })).code, 0)
  const { code, stderr } = await querent(['backup', '-', '--data', data], { isUnread: true })
  assert.equal(code, 1)
  assert.match(stderr, /the backup is cut off and cannot be restored\n$/)
})

test('commands report a data folder that this account may not read', async t => {
  const { data } = await standIn(t, () => ({ status: 200, body: page() }))
  await chmod(data, 0)
  // Root can read everything, so run as another account.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined
  for (const command of ['users list', 'serve', 'doctor']) {
    const { code, stdout, stderr } = await querent([...command.split(' '), '--data', data], { uid })
    assert.equal(code, 1)
    assert.match(stdout + stderr, /this account may not read \S+?[,:].* as the account that/s)
  }
  await chmod(data, 0o700)
})

test('a port that fetch blocks fails with a clear reason', async () => {
  const env = { QUERENT_CLIENT_SECRET: 's' }
  const { code, stderr } = await querent(['token', '--server', 'http://127.0.0.1:1', '--client-id', 'i'], {
    env,
  })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^querent: .*127\.0\.0\.1:1 cannot be called: its port is reserved for another protocol\n$/,
  )
})

test('if the server is not running, the error says how to start it', async t => {
  const data = await folder(t)
  const closedOrigin = 'http://127.0.0.1:2'
  const operator = { authUrl: closedOrigin, baseUrl: closedOrigin, clientId: 'c', clientSecret: 's' }
  await writeFile(join(data, 'operator.json'), JSON.stringify(operator))
  const { code, stderr } = await querent(['users', 'list', '--data', data])
  assert.equal(code, 1)
  assert.equal(
    stderr,
    `querent: ${closedOrigin} does not answer (ECONNREFUSED): start it with \`querent serve --data ${data}\`\n`,
  )
})

test('token prints a token for the query service, for the operator or for an account with --server', async t => {
  const { data, origin, requests } = await standIn(t, () => ({ status: 404 }))
  assert.equal((await querent(['token', '--data', data])).stdout, `token for ${origin}\n`)
  const args = ['token', '--server', `${origin}/`, '--client-id', 'site', '--client-secret-stdin', '--json']
  assert.deepEqual(JSON.parse((await querent(args, { stdin: 'q_1\n' })).stdout), {
    accessToken: `token for ${origin}`,
  })
  assert.match(requests.at(-1)?.body ?? '', /client_id=site&client_secret=q_1&/)
})

test('apply prints the changes, and every wrong place of a rejected file', async t => {
  const file = join(await folder(t), 'workspace.yaml')
  await writeFile(file, 'workspace: w\n')
  const changes = [{ change: 'add', path: 'apis.a', after: { title: 'A' } }]
  const warnings = [{ line: 1, column: 1, path: 'apis.a', message: 'comes later' }]
  const applied = { workspace: 'w', created: true, dryRun: true, changes, warnings, invitations: [] }
  const good = await standIn(t, () => ({ status: 200, body: applied }))
  const done = await querent(['apply', file, '--dry-run', '--data', good.data])
  assert.equal(good.requests.at(-1)?.body, '{"source":"workspace: w\\n","dryRun":true}')
  assert.deepEqual([done.code, done.stdout], [0, 'w would be created:\n  + apis.a  {"title":"A"}\n'])
  assert.equal(done.stderr, `${file}:1:1: apis.a: comes later\n`)
  const errors = [
    { line: 3, column: 5, message: 'unknown key "titel"' },
    { path: 'apis.a', message: 'has no kind' },
  ]
  const body = {
    message: 'two places are wrong',
    status: 400,
    code: 'bad-workspace-file',
    requestId: 'r',
    errors,
  }
  const bad = await standIn(t, () => ({ status: 400, body }))
  const rejected = await querent(['apply', file, '--data', bad.data])
  assert.equal(rejected.code, 1)
  assert.equal(
    rejected.stderr,
    `querent: nothing was changed: 2 places in ${file} are wrong\n${file}:3:5: unknown key "titel"\n${file}: apis.a: has no kind\n`,
  )
})

test('import sends all files as one stream, and traces each rejected line to its file', async t => {
  const dir = await folder(t)
  const [a, b] = [join(dir, 'a.ndjson'), join(dir, 'b.ndjson')]
  await writeFile(a, '{"id":1}\n{"id":2}')
  await writeFile(b, '{"id":3}\nno json\n')
  const errors = [{ line: 4, message: 'is not JSON' }]
  const { data, requests } = await standIn(t, () => ({
    status: 200,
    body: { accepted: 3, documents: 3, replaced: 0, rejected: 1, errors },
  }))
  const { code, stdout, stderr } = await querent(['import', 'w', 'c', a, b, '--replace', '--data', data])
  assert.deepEqual(requests.at(-1), {
    method: 'POST',
    url: '/4/w/collections/c/documents?replace=true',
    body: '{"id":1}\n{"id":2}\n{"id":3}\nno json\n',
  })
  assert.deepEqual([code, stdout], [0, '3 accepted into w/c, and searchable.\n'])
  assert.ok(stderr.startsWith(`${b}:2: is not JSON\n1 document was rejected\n`), stderr)
  assert.match(stderr, /--rejected FILE/)
  const json = await querent(['import', 'w', 'c', '-', '--json', '--data', data], { stdin: '1\n2\n3\n4\n' })
  const place = { file: 'standard input', line: 4, message: 'is not JSON' }
  assert.deepEqual(JSON.parse(json.stdout), {
    accepted: 3,
    documents: 3,
    replaced: 0,
    rejected: 1,
    errors: [place],
  })
})

test('import sends tab-separated files as such, and says in which encoding the server has read them', async t => {
  const dir = await folder(t)
  const file = join(dir, 'a.TAB')
  await writeFile(file, 'id\tx\n1\t2\n')
  const counts = { accepted: 1, documents: 1, replaced: 0, rejected: 0, errors: [] }
  const { data, requests } = await standIn(t, () => ({
    status: 200,
    body: { ...counts, encoding: 'windows-1252' },
  }))
  const done = await querent(['import', 'w', 'c', file, '--encoding', 'windows-1252', '--data', data])
  assert.equal(requests.at(-1)?.url, '/4/w/collections/c/documents?encoding=windows-1252')
  assert.match(done.stderr, /^read as windows-1252;/)
})

test('import warns of documents that replaced others of the same file', async t => {
  const { data } = await standIn(t, () => ({
    status: 200,
    body: { accepted: 9000, documents: 30, replaced: 8970, replacedIds: ['a', 'b'], rejected: 0, errors: [] },
  }))
  const { stderr } = await querent(['import', 'w', 'c', '-', '--data', data], { stdin: '{}' })
  assert.match(
    stderr,
    /^9,000 read, 30 documents: 8,970 replaced an earlier one with the same id, such as a, b\n$/,
  )
})

test('commands never send a name of only dots', async t => {
  const { data, requests } = await standIn(t, () => ({ status: 404 }))
  for (const command of ['search w a search query=..', 'workspaces remove .', 'import .. c -']) {
    const dots = await querent([...command.split(' '), '--data', data])
    assert.equal(dots.code, 2, command)
    assert.match(dots.stderr, /^querent: "\.\.?" cannot be sent/)
  }
  assert.ok(requests.every(({ url }) => url === '/oauth/token'))
})

test('import joins csv files under the first header line, and reports the line numbers of each file', async t => {
  const dir = await folder(t)
  const [a, b, c] = [join(dir, 'a.csv'), join(dir, 'b.csv'), join(dir, 'c.csv')]
  await writeFile(a, '\ufeffid,"the\ntitle"\r\n1,x')
  await writeFile(b, '\ufeff\nid,"the\ntitle"\n2,y\n3,z\n')
  await writeFile(c, 'title,id\n4,x\n')
  const errors = [
    { line: 3, message: 'is in a' },
    { line: 4, message: 'is in b' },
  ]
  const { data, requests } = await standIn(t, () => ({
    status: 200,
    body: { accepted: 1, documents: 1, replaced: 0, rejected: 2, errors },
  }))
  const done = await querent(['import', 'w', 'c', a, b, '--replace', '--data', data])
  assert.equal(requests.at(-1)?.body, '\ufeffid,"the\ntitle"\r\n1,x\n2,y\n3,z\n')
  assert.ok(
    done.stderr.startsWith(`${a}:3: is in a\n${b}:4: is in b\n2 documents were rejected\n`),
    done.stderr,
  )
  const requestCount = requests.length
  const rejected = await querent(['import', 'w', 'c', a, c, '--data', data])
  assert.equal(rejected.code, 1)
  assert.match(rejected.stderr, /c\.csv has different columns than \S+a\.csv: .*found title,id, expected id,/)
  const piped = await querent(['import', 'w', 'c', a, '/dev/stdin', '--format', 'csv', '--data', data])
  assert.equal(piped.code, 2)
  assert.match(piped.stderr, /\/dev\/stdin is not a regular file, so its csv cannot be combined/)
  assert.equal(requests.length, requestCount)
})

test('if the server stops during an import, the error says which documents are kept, or that this is unknown', async t => {
  const breaking = await standIn(t, () => ({ status: 404 }), { breaksImports: true })
  const breakingAtEnd = await standIn(t, () => ({ status: 0 }))
  const partial = /the documents that the server accepted until then stay in w\/c; /
  const discarded = /no document was kept, and w\/c is unchanged$/
  const unknown =
    /all documents were sent, but it is unknown whether they were kept; run the same import again/
  const ends: [server: typeof breaking, extraArgs: string[], end: RegExp][] = [
    [breaking, [], partial],
    [breaking, ['--replace'], discarded],
    [breakingAtEnd, [], partial],
    [breakingAtEnd, ['--replace'], unknown],
    [breakingAtEnd, ['--strict'], unknown],
  ]
  for (const [server, extraArgs, end] of ends) {
    const args = ['import', 'w', 'c', '-', ...extraArgs, '--data', server.data]
    const { code, stderr } = await querent(args, { stdin: '{}\n', isStdinOpen: server === breaking })
    assert.equal(code, 1)
    const prefix = `querent: ${server.origin} closed the connection, as a server does when it stops: `
    assert.ok(stderr.startsWith(prefix), stderr)
    assert.match(stderr.trimEnd(), end)
  }
})

test('import fails if no document is accepted, or a file cannot be read', async t => {
  const errors = [{ line: 1, message: 'has no id' }]
  const body = { message: 'nothing was accepted', status: 400, code: 'bad-documents', requestId: 'r', errors }
  const { data, requests } = await standIn(t, () => ({ status: 400, body }))
  const rejected = await querent(['import', 'w', 'c', '-', '--data', data], { stdin: '{}\n' })
  assert.equal(rejected.code, 1)
  assert.equal(rejected.stderr, 'querent: no document was kept: standard input:1: has no id\n')
  const requestCount = requests.length
  const missing = await querent(['import', 'w', 'c', join(data, 'missing.ndjson'), '--data', data])
  assert.equal(missing.code, 1)
  assert.match(
    missing.stderr,
    /^querent: \S+missing\.ndjson cannot be read: there is no such file; check its name\n$/,
  )
  assert.equal(requests.length, requestCount)
})

test('search prints a table for people, and the reply of the service with --json', async t => {
  const attributes = {
    words: ['tiger', 'Panthera tigris'],
    definition: 'a \x1b[31mlarge\u202e feline',
    senses: 2,
  }
  const items = [
    { rank: 1, probability: 1, tuple: [{ id: 'https://wordnet.example/1-n', class: [], attributes }] },
  ]
  const results = { offset: 0, count: 10, type: ['OBJ'], items }
  const endpoints = [
    { name: 'search', kind: 'match', title: '', parameters: [] },
    { name: 'domain', kind: 'facet', title: '', parameters: [] },
  ]
  const { data, requests } = await standIn(t, ({ url }) => ({
    status: 200,
    body: url.includes('/results,count')
      ? [results, { total: 1, stats: [] }]
      : url.includes('/e/')
        ? results
        : { endpoints },
  }))
  const search = [
    'search',
    'w',
    'a',
    'search',
    'query=big cat',
    '--filter',
    'domain=noun.animal',
    '--data',
    data,
  ]
  const forPeople = await querent(search)
  assert.match(
    forPeople.stdout,
    /tiger, Panthera tigris.*a {2}\[31mlarge\u202e feline.*https:\/\/wordnet\.example\/1-n/,
  )
  assert.match(forPeople.stdout, /1 to 1 of 1\n$/)
  assert.ok(!forPeople.stdout.includes('\x1b'))
  const json = await querent([...search, '--json', '--count', '3'])
  assert.deepEqual(JSON.parse(json.stdout), results)
  const filter = 'e/domain:FILTER/p/value/noun.animal'
  assert.equal(requests.at(-1)?.url, `/4/w/api/a/e/search/p/query/big%20cat/${filter}/results?count=3`)
  await querent(['search', 'w', 'a', 'domain', '--filter', 'domain=noun.animal', '--data', data, '--json'])
  assert.equal(requests.at(-1)?.url, `/4/w/api/a/${filter}/e/domain/results`)
})

test('doctor checks the node of its data folder, and uses the balancer only for the proxy check', async t => {
  const checks = (message: string) => ({
    status: 200,
    body: {
      ok: true,
      checks: ['disk', 'keys', 'proxy'].map(name => ({
        name,
        state: 'ok',
        message: `${name} of ${message}`,
      })),
    },
  })
  const balancer = await standIn(t, () => checks('another node'))
  const node = await standIn(t, () => checks('this node'))
  const operator = {
    authUrl: balancer.origin,
    baseUrl: balancer.origin,
    clientId: 'operator',
    clientSecret: 'q_secret',
    listening: { authUrl: node.origin, baseUrl: node.origin },
  }
  await writeFile(join(node.data, 'operator.json'), JSON.stringify(operator))
  const { stdout } = await querent(['doctor', '--data', node.data, '--json'])
  const messages: string[] = JSON.parse(stdout).checks.map(({ message }: { message: string }) => message)
  assert.deepEqual(
    messages.filter(message => message.includes(' of ') && message.endsWith(' node')),
    ['disk of this node', 'keys of this node', 'proxy of another node'],
  )
})
