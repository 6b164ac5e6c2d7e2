/** For tests: the management API on a real port, with people of every role. */

import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { defaultNativeSchemes } from '@querent/contract/client-uris'
import type { Definition } from '@querent/contract/workspace-file'
import { openMailer } from '#accounts/mail'
import { hashPassword } from '#accounts/password-hash'
import { openSecurityNotices } from '#accounts/security-notices'
import { openTestMailServer } from '#accounts/test-mail'
import { makeQuickHashes } from '#accounts/test-password-hash'
import { authUrl, baseUrl, openTestParts } from '#authz/test-tokens'
import { proposeForFile } from '#documents/proposals/propose-for-file'
import { listen, openApp } from '#http/server'
import { openKeyRotation } from '#keys/key-rotation'
import { createProviderSecrets } from '#keys/provider-secrets'
import { createRecordEncryption } from '#keys/record-encryption'
import { createUnreadableCount } from '#keys/unreadable-secrets'
import { createClient } from '#storage/clients'
import type { Storage } from '#storage/db'
import { setMember } from '#storage/members'
import { saveRecord } from '#storage/oidc-records'
import { createUser } from '#storage/users'
import { createWorkspace } from '#storage/workspaces'
import type { IssuerFault } from './call.ts'
import { openNodeReport } from './node-report.ts'
import { registerManagement } from './register.ts'

makeQuickHashes()

export const definition: Definition = {
  workspace: 'books',
  title: 'Books',
  collections: { novels: { fields: { title: { type: 'text' }, genre: { type: 'keyword' } } } },
  apis: { novels: { endpoints: { search: { kind: 'match', collection: 'novels' } } } },
}

export interface Answer {
  status: number
  headers: Headers
  // Replies are JSON of many shapes; each test reads the fields it is about.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

/** Stores what the OAuth library stores when somebody signs in to an application. */
export const signIn = async (
  storage: Storage,
  accountId: string,
  clientId: string = randomUUID(),
  { secondsAgo }: { secondsAgo: number } = { secondsAgo: 0 },
) => {
  const [sessionId, grantId, token] = [randomUUID(), randomUUID(), randomUUID()]
  const expiresAt = Date.now() + 60_000
  const iat = Math.floor(Date.now() / 1000) - secondsAgo
  const session = { accountId, loginTs: iat, uid: sessionId, authorizations: { [clientId]: {} } }
  await saveRecord(storage.db, {
    model: 'Session',
    id: randomUUID(),
    uid: sessionId,
    payload: session,
    expiresAt,
  })
  const grant = { accountId, clientId, iat, openid: { scope: 'openid email' } }
  await saveRecord(storage.db, { model: 'Grant', id: grantId, uid: sessionId, payload: grant, expiresAt })
  const payload = { accountId, clientId, grantId }
  await saveRecord(storage.db, { model: 'RefreshToken', id: token, payload, grantId, expiresAt })
  return { sessionId, grantId, clientId, refreshToken: token }
}

export type Person = 'operator' | 'ada' | 'ursula' | 'apollo' | 'dora' | 'eve'

/**
 * Workspaces `books` (administrator ada, user ursula, apollo with role api, dora with data-provider) and
 * `films` (administrator eve). Everybody signs in through the server's own client.
 */
export const openTestServer = async ({
  passwordLengthMin = 8,
  ...options
}: Parameters<typeof openTestParts>[0] & { passwordLengthMin?: number } = {}) => {
  const realParts = await openTestParts(options)
  /** Tests set these to act just before management's next transaction, or just before its commit. */
  const interject: { beforeWrite?: () => Promise<unknown>; beforeCommit?: () => Promise<unknown> } = {}
  const write: Storage['write'] = async work => {
    const { beforeWrite, beforeCommit } = interject
    delete interject.beforeWrite
    delete interject.beforeCommit
    await beforeWrite?.()
    return realParts.storage.write(async writer => {
      const done = await work(writer)
      await beforeCommit?.()
      return done
    })
  }
  const parts = { ...realParts, storage: { ...realParts.storage, write } }
  const { storage } = realParts
  const keyRotation = openKeyRotation({
    storage: parts.storage,
    secretKey: parts.secretKey,
    accessTokenAlgorithm: 'ES256',
    keyring: parts.keyring,
    reports: parts.reports,
    days: 'off',
  })
  const nodes = openNodeReport(
    realParts.storage,
    { services: ['authorization'], listening: ['http://127.0.0.1:0'], version: '0.0.0' },
    async () => [],
  )
  const mailServer = await openTestMailServer({
    refuse: address => (/^busy@|@busy-/.test(address) ? 451 : /^unknown@|@unknown-/.test(address)),
    smtpUtf8: false,
  })
  const { smtpUrl } = mailServer
  const mail = openMailer(
    { smtpUrl, mailFrom: 'search@example.org' },
    {
      storage: realParts.storage,
      encryption: createRecordEncryption(parts.keyring, 'mails'),
      log: { info: () => {}, warn: () => {} },
      pollMs: 50,
    },
  )
  const securityNotices = openSecurityNotices(realParts.storage, mail, authUrl)
  const { signInLog } = realParts
  /** Records of domains, as `domain record`. A test of accounts/domain-dns.ts has a name server. */
  const dns = { records: new Set<string>(), isDown: false }
  /** Faults in the metadata of issuers. A test of oauth/identity-provider has a provider. */
  const issuerFaults = new Map<string, IssuerFault>()
  const reconciled: string[] = []
  /** Stubs for any collection; a started server tests the real ones. */
  const generations = { names: ['3', '2', '1'], promoted: ['2', '1'] }
  const listening = await listen('127.0.0.1', 0)
  const { app, listener } = openApp(listening, {
    logLevel: 'silent',
    logStream: process.stderr,
    trustedProxy: [],
  })
  /** Called when the headers of a request were accepted and its body is awaited. */
  let onAdmitted = () => {}
  app.addHook('preParsing', async () => onAdmitted())
  const nextAdmitted = () => new Promise<void>(resolve => (onAdmitted = resolve))
  registerManagement(app, {
    ...parts,
    authUrl,
    baseUrl,
    nativeSchemes: defaultNativeSchemes,
    collections: {
      async reconcile(workspaceId) {
        reconciled.push(workspaceId)
      },
      planRemoval: async () => {},
      redefine: (_workspaceId, _definition, commit) => commit(async () => {}),
      list: async () =>
        generations.names.map(name => ({
          name,
          createdAt: Date.UTC(2026, 0, Number(name)),
          documents: 10,
          state: name === generations.promoted[0] ? 'promoted' : 'complete',
          promotedAt: undefined,
          configurations: [],
          failure: undefined,
        })),
      sample: async () => [],
      hasValue: async () => true,
      async promote(_workspaceId, _collection, choose, also) {
        const { names, promoted } = generations
        const chosen = choose({ complete: names, building: ['4'], latest: names[0], promoted })
        await parts.storage.write(writer => also(writer, chosen))
        generations.promoted = [chosen, ...promoted.filter(name => name !== chosen)]
        return chosen
      },
    },
    // A started server tests the real ones.
    readDocument: async (_workspaceId, _collection, uri) =>
      JSON.stringify({ id: uri, class: [], attributes: { title: 'One' } }),
    leakTests: { run: async () => [] },
    backups: {
      async make(record) {
        await record.start()
        return Readable.from(['{}'])
      },
    },
    propose: proposeForFile,
    diagnostics: {
      live: async () => ({ documents: 10, version: 1, state: 'ready' }),
      ping: undefined,
      limitWarnings: [],
      data: parts.folder,
      accessTokenAlgorithm: 'ES256',
      keyRotationDays: 'off',
      canMail: true,
    },
    nodes,
    hashPassword,
    keyRotation,
    providerSecrets: createProviderSecrets(parts.keyring),
    countUnreadable: createUnreadableCount(parts.keyring),
    answersQueries: true,
    checkIssuer: async issuer => issuerFaults.get(issuer),
    domainDns: {
      check: async (domain, record) =>
        dns.isDown ? 'no-answer' : dns.records.has(`${domain} ${record}`) ? 'found' : 'missing',
    },
    mail,
    securityNotices,
    signInLog,
    signInThrottle: 10,
    invitationThrottle: 5,
    passwordLengthMin,
    clientAddress: request => request.ip,
    isTrustedProxy: () => false,
  })
  await app.ready()
  listening.setListener(listener())

  const { ids, books, films } = await storage.write(async writer => {
    const user = async (name: string, operator = false) => {
      const row = await createUser(writer, {
        email: `${name}@example.org`,
        name,
        operator,
        emailVerified: true,
      })
      if (!row) throw new Error('the user is there already')
      return row.id
    }
    const ids: Record<Person, string> = {
      operator: await user('operator', true),
      ada: await user('ada'),
      ursula: await user('ursula'),
      apollo: await user('apollo'),
      dora: await user('dora'),
      eve: await user('eve'),
    }
    await user('nobody')
    const books = await createWorkspace(writer, definition)
    const films = await createWorkspace(writer, { workspace: 'films' })
    if (!books || !films) throw new Error('the workspace is there already')
    const member = (
      workspaceId: string,
      person: Person,
      role: 'administrator' | 'user' | 'api' | 'data-provider',
    ) =>
      setMember(writer, { workspaceId, subject: ids[person], kind: 'user', roles: [role], filter: undefined })
    await member(books.id, 'ada', 'administrator')
    await member(books.id, 'ursula', 'user')
    await member(books.id, 'apollo', 'api')
    await member(books.id, 'dora', 'data-provider')
    await member(films.id, 'eve', 'administrator')
    await createClient(writer, {
      id: 'console',
      kind: 'own',
      workspaceId: null,
      name: 'Console',
      settings: { actsAs: null },
    })
    return { ids, books, films }
  })

  const issueToken = (person: Person, clientId = 'console', acr?: string, grantId?: string) =>
    parts.token({
      subject: ids[person],
      clientId,
      audience: `${authUrl}/manage/`,
      ...(acr === undefined ? {} : { acr }),
      ...(grantId === undefined ? {} : { grantId }),
    })
  /** A token of a sign-in to the console at this moment. */
  const signedInNow = async (person: Person) => {
    const { grantId } = await signIn(storage, ids[person], 'console')
    return { token: await issueToken(person, 'console', undefined, grantId) }
  }
  /** `person` undefined: without a token. */
  const call = async (
    person: Person | { token: string } | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> => {
    const token = typeof person === 'string' ? await issueToken(person) : person?.token
    const reply = await fetch(`http://127.0.0.1:${listening.port}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const close = async () => {
    await listening.close()
    await app.close()
    await securityNotices.close()
    await mail.close()
    await mailServer.close()
    keyRotation.close()
    await nodes.close()
    await parts.close()
  }
  return {
    ...realParts,
    interject,
    nextAdmitted,
    mailServer,
    dns,
    issuerFaults,
    signInLog,
    ids,
    books,
    films,
    reconciled,
    port: listening.port,
    call,
    issueToken,
    signedInNow,
    close,
  }
}
