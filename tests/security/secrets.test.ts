/** Secrets and codes are stored hashed and never logged (OWASP ASVS 5.0, V16.2.5). */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { patienceMs } from '#server/test-wait'
import { type Library, makeLibrary } from '#tests/support/library'
import {
  makeMember,
  openPerson,
  type RegisteredApplication,
  registerApplication,
} from '#tests/support/person'
import {
  fetchToken,
  ignoreMissingFile,
  type ServerProcess,
  startServerProcess,
} from '#tests/support/started-server'

let server: ServerProcess
let library: Library

/** Secrets that must not be found, with their kind. */
const secrets = new Map<string, string>()
/** Shorter secrets could be found by chance. */
const charactersMin = 16
const recordSecret = (kind: string, secret: unknown): void => {
  if (typeof secret === 'string' && secret.length >= charactersMin) secrets.set(secret, kind)
}
const listSecretKinds = () => [...new Set(secrets.values())].sort()

const tokenNames = ['access_token', 'refresh_token', 'id_token']

/** Records the secrets in a reply. */
const recordAnswer = async (response: Response): Promise<void> => {
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    recordSecret(`cookie ${name}`, value)
  }
  const location = URL.parse(response.headers.get('location') ?? '', server.authUrl)
  recordSecret('code', location?.searchParams.get('code'))
  const text = await response.clone().text()
  recordSecret('form token', /name="form_token" value="([^"]*)"/.exec(text)?.[1])
  for (const name of tokenNames) {
    const token = new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]
    recordSecret(name, token)
    // The signature makes a JWT valid. The rest describes its subject, and is not secret.
    recordSecret(`signature of ${name}`, token?.split('.')[2])
  }
}

/** Returns the URL of a one-time link, which is the secret. */
const createLink = async (args: readonly string[]): Promise<string> => {
  // The JSON reply of these commands (docs/people.md).
  const { url } = (await server.run(args)) as { url: string }
  recordSecret(`link of ${args.slice(0, 2).join(' ')}`, url.split('/').at(-1))
  return url
}

const form = (path: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.authUrl}${path}`, { method: 'POST', headers, body: new URLSearchParams(body) })

const directFetch = globalThis.fetch
before(async () => {
  const mailPassword = randomBytes(16).toString('base64url')
  recordSecret('password of the mail server', mailPassword)
  // Nothing listens there, so each mail, which holds a link, leaves a line in the log.
  process.env.QUERENT_SMTP_URL = `smtp://querent:${mailPassword}@127.0.0.1:1`
  process.env.QUERENT_MAIL_FROM = 'Search <search@example.org>'
  server = await startServerProcess(['--log-level', 'trace'])
  globalThis.fetch = async (...request) => {
    const response = await directFetch(...request)
    await recordAnswer(response)
    return response
  }
  library = await makeLibrary(server)
  recordSecret('Client Secret', library.clientSecret)
})
after(async () => {
  globalThis.fetch = directFetch
  await server.stop()
})

const listFiles = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

const readText = (file: string): Promise<string> => ignoreMissingFile(readFile(file, 'latin1'), '')

/** Encodings that are as good as clear text. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
]

/** Gets a code for this application through the pages. */
const fetchCode = async (
  { clientId }: RegisteredApplication,
  redirectUri: string,
  person: ReturnType<typeof openPerson>,
) => {
  const verifier = randomBytes(32).toString('base64url')
  recordSecret('code verifier', verifier)
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email offline_access',
    audience: server.baseUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const answer = await person.completeFlow(`${server.authUrl}/authorize?${query}`)
  const code = answer.searchParams.get('code') ?? assert.fail(answer.href)
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
}

/** Uses every way in which this version issues or accepts a secret, correctly and incorrectly. */
const useEverything = async (): Promise<void> => {
  // Client credentials: in the body, as Basic, in the URL, and wrong ones.
  const client = { clientId: library.clientId, clientSecret: library.clientSecret }
  const token = await fetchToken(server, client)
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')
  recordSecret('Basic credential', basic)
  const wrongSecret = `qrs_${randomBytes(32).toString('base64url')}`
  recordSecret('wrong Client Secret', wrongSecret)
  const tokenRequest = { grant_type: 'client_credentials', audience: server.baseUrl }
  await form('/oauth/token', tokenRequest, { authorization: `Basic ${basic}` })
  await form('/oauth/token', { ...tokenRequest, client_id: client.clientId, client_secret: wrongSecret })
  await form(`/oauth/token?client_id=${client.clientId}&client_secret=${client.clientSecret}`, tokenRequest)
  const { clientSecret: second } = (await server.run([
    's2s',
    'secret',
    'add',
    library.workspace,
    client.clientId,
    // The JSON reply of this command.
  ])) as { clientSecret: string }
  recordSecret('second Client Secret', second)

  // Query service: a valid token, one in the URL, and a broken one.
  await library.get('library/e/all/count')
  await library.get(`library/e/all/count?access_token=${token}`)
  await library.get('library/e/all/count', { headers: { authorization: `Bearer ${token}broken` } })

  // People: a sign-in through the pages, wrong passwords, and codes that are used, misused, replayed, refreshed and revoked.
  const redirectUri = 'https://app.example/callback'
  const application = await registerApplication(server, library.workspace, 'server', redirectUri)
  recordSecret('Client Secret of an application', application.clientSecret)
  const person = await makeMember(server, library.workspace, 'grace@example.org')
  recordSecret('password', person.password)
  const credentials = { client_id: application.clientId, client_secret: application.clientSecret ?? '' }
  const wrong = openPerson(server, person.email, 'a wrong password that nobody may read')
  recordSecret('wrong password', wrong.password)
  await assert.rejects(fetchCode(application, redirectUri, wrong))
  const exchange = await fetchCode(application, redirectUri, person)
  const reply = await form('/oauth/token', { ...credentials, ...exchange })
  // The reply of RFC 6749, section 5.1.
  const tokens = (await reply.json()) as Record<string, string>
  const introspected = { ...credentials, token: tokens.access_token ?? '' }
  await form('/oauth/introspect', introspected)
  await form('/oauth/token', {
    ...credentials,
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token ?? '',
  })
  await form('/oauth/revoke', { ...credentials, token: tokens.refresh_token ?? '' })
  await form('/oauth/token', { ...credentials, ...exchange })
  const wrongVerifierCode = await fetchCode(application, redirectUri, person)
  await form('/oauth/token', { ...credentials, ...wrongVerifierCode, code_verifier: 'x'.repeat(43) })
  await fetch(`${server.authUrl}/oauth/token?code=${wrongVerifierCode.code}`)
  await fetch(`${server.authUrl}/logout?id_token_hint=${tokens.id_token}`)

  // One-time links, opened, and the reset used.
  const chosen = openPerson(server, person.email, 'seven purple walruses hum')
  recordSecret('new password', chosen.password)
  const resetLink = await createLink(['users', 'reset', person.email])
  // They end on a page of the server, not at an application.
  await assert.rejects(chosen.completeFlow(resetLink), /Your password is saved/)
  const invitation = ['members', 'invite', library.workspace, 'new@example.org', '--role', 'user']
  const invited = openPerson(server, 'new@example.org', 'eleven quiet lanterns drift')
  recordSecret('password of one who was invited', invited.password)
  await assert.rejects(invited.completeFlow(await createLink(invitation)), /You are a member of The library/)
}

test('the data folder and the log contain no secret, code, token, session, password or link in clear', async t => {
  await useEverything()
  // Mails are sent in the background.
  const isRefused = () => assert.match(server.log(), /a mail was not accepted/)
  await t.waitFor(isRefused, { timeout: patienceMs })
  assert.deepEqual(
    listSecretKinds().filter(kind => !kind.startsWith('cookie ')),
    [
      'Basic credential',
      'Client Secret',
      'Client Secret of an application',
      'access_token',
      'code',
      'code verifier',
      'form token',
      'id_token',
      'link of members invite',
      'link of users reset',
      'new password',
      'password',
      'password of one who was invited',
      'password of the mail server',
      'refresh_token',
      'second Client Secret',
      'signature of access_token',
      'signature of id_token',
      'wrong Client Secret',
      'wrong password',
    ],
  )
  assert.ok(
    listSecretKinds().filter(kind => kind.startsWith('cookie ')).length >= 4,
    listSecretKinds().join(),
  )

  // The credential file of the command line is itself a secret, which only the operator can read.
  const files = (await listFiles(server.data)).filter(file => !file.endsWith('operator.json'))
  assert.ok(files.some(file => file.endsWith('-wal')))
  const places = await Promise.all(files.map(async file => [file, await readText(file)] as const))
  places.push(['the output of the process', server.log()])
  const leaks: string[] = []
  for (const [place, text] of places)
    for (const [secret, kind] of secrets)
      if (spellings(secret).some(spelling => text.includes(spelling)))
        leaks.push(`${kind} in ${place}: ${secret}`)
  assert.deepEqual(leaks, [])

  // The search finds existing text.
  assert.ok(places.some(([place, text]) => /querent\.db/.test(place) && text.includes('grace@example.org')))
})

test('only the operator can read the data folder', async () => {
  for (const [path, mode] of [
    ['', 0o700],
    ['key', 0o600],
    ['operator.json', 0o600],
  ] as const)
    assert.equal((await stat(join(server.data, path))).mode & 0o777, mode, path)
})
