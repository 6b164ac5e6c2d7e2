/** For tests: one request for each operation of the contract. */
import type { OperationId } from '@querent/contract/manage'
import { hashPassword } from '#accounts/password-hash'
import { authUrl } from '#authz/test-tokens'
import { createClient } from '#storage/clients'
import { createOneTimeLink } from '#storage/one-time-links'
import { saveAuthenticatorApp } from '#storage/second-factors'
import { listSigningKeys } from '#storage/signing-keys'
import { findUserByEmail, setPassword } from '#storage/users'
import { type openTestServer, type Person, signIn } from './test-server.ts'

export interface Row {
  /** People who may, and who get 403. */
  may: Person | { token: string }
  mayNot: Person[]
  path: string
  body?: unknown
  /** A body that the schema rejects. */
  bad?: unknown
  /** A path to something missing. */
  missing?: string
}

const book = '/manage/v1/workspaces/books'
const notAdministrators: Person[] = ['ursula', 'apollo', 'dora', 'eve']
const notOperators: Person[] = ['ada', 'ursula', 'eve']

/** Reading a row creates the objects of its request. The compiler demands a row for every operation. */
export const operationRows = (
  server: Awaited<ReturnType<typeof openTestServer>>,
): Record<OperationId, () => Promise<Row> | Row> => {
  let userCount = 0
  const newUser = async (): Promise<string> => {
    userCount += 1
    const reply = await server.call('operator', 'POST', '/manage/v1/users', {
      email: `user${userCount}@example.org`,
    })
    return reply.body.email
  }
  const newAccount = async (): Promise<string> => {
    userCount += 1
    const reply = await server.call('ada', 'POST', `${book}/system-to-system`, {
      name: `account ${userCount}`,
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
  const newProvider = async (): Promise<string> => {
    const { body } = await server.call('ada', 'GET', `${book}/file`)
    const source = `${body.source.replace(/^identityProvider:.*\n(?: .*\n)*/m, '')}\nidentityProvider: { issuer: "https://login.example.org", clientId: querent, domains: [example.org] }\n`
    await server.call('ada', 'POST', '/manage/v1/apply', { source })
    return `${book}/identity-provider`
  }
  const newApplication = async (): Promise<string> => {
    userCount += 1
    const reply = await server.call('ada', 'POST', `${book}/applications`, {
      name: `application ${userCount}`,
      redirectUris: ['https://example.org/callback'],
    })
    return reply.body.clientId
  }

  return {
    diagnose: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/diagnosis' }),
    makeBackup: async () => ({
      may: { token: await server.issueToken('operator', await newCommandLine()) },
      // Through the console, like everybody: not even an operator may.
      mayNot: [...notOperators, 'operator'],
      path: '/manage/v1/backup',
    }),
    downloadBackup: async () => {
      const passwordHash = await hashPassword('correct horse')
      await server.storage.write(writer => setPassword(writer, server.ids.operator, passwordHash))
      return {
        may: 'operator',
        mayNot: notOperators,
        path: '/manage/v1/backup/download',
        body: { password: 'correct horse' },
        bad: { password: 'wrong horse' },
      }
    },
    getServer: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/server' }),
    listWorkspaceSizes: () => ({
      may: 'operator',
      mayNot: notOperators,
      path: '/manage/v1/server/workspaces?count=2',
    }),
    sendTestMail: () => ({
      may: 'operator',
      mayNot: notOperators,
      path: '/manage/v1/server/test-mail',
      body: { to: 'ada@example.org' },
      bad: { to: 'nobody' },
    }),
    listMemberships: () => ({
      may: 'operator',
      mayNot: notOperators,
      path: '/manage/v1/users/ursula@example.org/memberships',
      missing: '/manage/v1/users/none@example.org/memberships',
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
    listMyFactors: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me/factors' }),
    listFactors: () => ({
      may: 'operator',
      mayNot: notOperators,
      path: '/manage/v1/users/ursula@example.org/factors',
      missing: '/manage/v1/users/none@example.org/factors',
    }),
    removeFactors: async () => {
      const email = await newUser()
      const user = await findUserByEmail(server.storage.db, email)
      const factor = { userId: user?.id ?? '', encryptedSecret: 'sealed', step: 0 }
      await server.storage.write(writer => saveAuthenticatorApp(writer, factor))
      return {
        may: 'operator',
        mayNot: notOperators,
        path: `/manage/v1/users/${email}/factors`,
        missing: '/manage/v1/users/none@example.org/factors',
      }
    },
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
        // Works once, then it is gone.
        may: { token: await server.issueToken('operator') },
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
    listServerSignIns: () => ({ may: 'operator', mayNot: notOperators, path: '/manage/v1/sign-ins?count=2' }),
    countServerSignIns: () => ({
      may: 'operator',
      mayNot: notOperators,
      path: '/manage/v1/sign-ins/counts?days=7',
    }),
    listMySignIns: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me/sign-ins?outcome=failed' }),
    getMe: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me' }),
    updateMe: () => ({
      may: 'apollo',
      mayNot: [],
      path: '/manage/v1/me',
      body: { name: 'Apollo', language: 'nl' },
      bad: { name: '' },
    }),
    changeEmail: async () => ({
      may: await server.signedInNow('apollo'),
      mayNot: [],
      path: '/manage/v1/me/email',
      body: { email: 'apollo.new@example.org' },
      bad: { email: 'nobody' },
    }),
    cancelEmailChange: async () => {
      const link = {
        purpose: 'email',
        userId: server.ids.ursula,
        ttlMs: 60_000,
        email: 'u@example.org',
      } as const
      await server.storage.write(writer => createOneTimeLink(writer, link))
      return { may: 'ursula', mayNot: [], path: '/manage/v1/me/email' }
    },
    exportMe: async () => ({
      may: await server.signedInNow('apollo'),
      mayNot: [],
      path: '/manage/v1/me/export',
    }),
    deleteMe: async () => {
      const user = await findUserByEmail(server.storage.db, await newUser())
      const subject = user?.id ?? ''
      const { grantId } = await signIn(server.storage, subject, 'console')
      const audience = `${authUrl}/manage/`
      return {
        may: { token: await server.token({ subject, clientId: 'console', audience, grantId }) },
        mayNot: [],
        path: '/manage/v1/me/deletion',
        body: {},
        bad: { password: '' },
      }
    },
    endMyOtherSessions: () => ({ may: 'apollo', mayNot: [], path: '/manage/v1/me/sessions' }),
    changePassword: async () => {
      const passwordHash = await hashPassword('correct horse')
      await server.storage.write(writer => setPassword(writer, server.ids.dora, passwordHash))
      return {
        may: await server.signedInNow('dora'),
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
    proposeCollection: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/proposals`,
      body: { name: 'films', format: 'csv', text: 'id,title\n1,One\n2,Two\n', isCut: false },
      bad: { name: 'films', format: 'xml', text: '<a/>', isCut: false },
    }),
    getSettings: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/settings` }),
    updateSettings: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/settings`,
      body: {
        accessTokenLifetime: '5m',
        origins: ['https://app.example.org'],
        allowMetadataClients: true,
        title: 'Books',
        description: 'Novels and more',
        keepGenerations: 2,
        queryLog: { parameters: 'hashed', keep: '7d' },
      },
      bad: { accessTokenLifetime: '25h' },
    }),
    listSignIns: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/sign-ins?count=5&outcome=ok&user=ada`,
    }),
    countSignIns: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/sign-ins/counts` }),
    listAudit: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/audit?count=5` }),
    updateApplication: async () => {
      const path = `${book}/applications`
      const redirectUris = ['https://app.example.org/callback']
      const application = await server.call('ada', 'POST', path, { name: 'To change', redirectUris })
      return {
        may: 'ada',
        mayNot: notAdministrators,
        path: `${path}/${application.body.clientId}`,
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
      const invitation = await server.call('ada', 'POST', path, { email: 'late@example.org', roles: ['api'] })
      return {
        may: 'ada',
        mayNot: notAdministrators,
        path: `${path}/${invitation.body.id}`,
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
    listWorkspaceHistory: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/history`,
    }),
    getWorkspaceVersion: async () => {
      const { body } = await server.call('ada', 'GET', `${book}/file`)
      const source = `${body.source.replace(/^title:.*\n/m, '')}\ntitle: Of the history\n`
      await server.call('ada', 'POST', '/manage/v1/apply', { source })
      const { body: history } = await server.call('ada', 'GET', `${book}/history`)
      return {
        may: 'ursula',
        mayNot: ['apollo', 'dora', 'eve'],
        path: `${book}/history/${history.items[0].id}`,
        missing: `${book}/history/none`,
      }
    },
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
    }),
    listGroups: () => ({ may: 'ada', mayNot: notAdministrators, path: `${book}/groups` }),
    runLeakTests: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/leak-tests`,
      body: {},
      bad: { tests: [{}] },
    }),
    listGroupMembers: async () => {
      await server.call('ada', 'PUT', `${book}/groups/readers`, {})
      return {
        may: 'ada',
        mayNot: notAdministrators,
        path: `${book}/groups/readers/members`,
        missing: `${book}/groups/none/members`,
      }
    },
    listDocumentReaders: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/collections/novels/readers?id=1`,
      missing: `${book}/collections/none/readers?id=1`,
    }),
    explainDocumentAccess: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/collections/novels/access?id=1&member=ada@example.org`,
      missing: `${book}/collections/novels/access?id=1&member=none@example.org`,
    }),
    setMemberDefaults: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/member-defaults`,
      body: { filter: {} },
      bad: { filter: [] },
    }),
    setGroup: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/groups/press`,
      body: { title: 'Press' },
      bad: { titles: 'Press' },
    }),
    removeGroup: async () => {
      await server.call('ada', 'PUT', `${book}/groups/gone`, {})
      return {
        may: 'ada',
        mayNot: notAdministrators,
        path: `${book}/groups/gone`,
        missing: `${book}/groups/none`,
      }
    },
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
      const secret = await server.call('ada', 'POST', `${book}/system-to-system/${clientId}/secrets`, {})
      return {
        may: 'ada',
        mayNot: notAdministrators,
        path: `${book}/system-to-system/${clientId}/secrets/${secret.body.secretId}`,
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
    createRegistrationToken: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/registration-tokens`,
      body: { name: 'partners' },
      bad: { name: 'partners', uses: 0 },
    }),
    listRegistrationTokens: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/registration-tokens`,
    }),
    removeRegistrationToken: async () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/registration-tokens/${(await server.call('ada', 'POST', `${book}/registration-tokens`, { name: 'x' })).body.id}`,
      missing: `${book}/registration-tokens/none`,
    }),
    getIdentityProvider: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/identity-provider`,
    }),
    setIdentityProviderSecret: async () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${await newProvider()}/secret`,
      body: { secret: 'a client secret of the provider' },
      bad: { secret: '' },
    }),
    removeIdentityProviderSecret: async () => {
      const path = `${await newProvider()}/secret`
      await server.call('ada', 'PUT', path, { secret: 'a client secret of the provider' })
      return { may: 'ada', mayNot: notAdministrators, path }
    },
    checkProviderDomain: async () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${await newProvider()}/domains/example.org/check`,
      missing: `${book}/identity-provider/domains/another.example/check`,
    }),
    sendProviderDomainLink: async () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${await newProvider()}/domains/example.org/link`,
      body: { to: 'postmaster' },
      bad: { to: 'ceo' },
      missing: `${book}/identity-provider/domains/another.example/link`,
    }),
    proveProviderDomain: async () => ({
      may: 'operator',
      mayNot: ['ada', 'ursula', 'apollo', 'dora', 'eve'],
      path: `${await newProvider()}/domains/example.org/prove`,
      missing: `${book}/identity-provider/domains/another.example/prove`,
    }),
    inspectToken: async () => ({
      may: 'ada',
      mayNot: ['ursula', 'eve'],
      path: '/manage/v1/tokens/inspect',
      body: { token: await server.issueToken('ada'), workspace: 'books' },
      bad: { token: '' },
    }),
    listUsage: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/usage`,
    }),
    summarizeUsage: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/usage/summary?period=7d&api=books&endpoint=search`,
    }),
    listSearches: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/usage/searches?from=2026-01-01&to=2026-01-31`,
    }),
    listLiveRequests: () => ({
      may: 'ursula',
      mayNot: ['apollo', 'dora', 'eve'],
      path: `${book}/requests`,
    }),
    listRefusals: () => ({
      may: 'ada',
      mayNot: notAdministrators,
      path: `${book}/refusals?reason=role&account=ursula`,
    }),
    getRefusal: async () => {
      const refusal = await server.call('apollo', 'GET', `${book}/members`)
      return {
        may: 'ada',
        mayNot: [],
        path: `/manage/v1/refusals/${refusal.body.requestId}`,
        missing: '/manage/v1/refusals/none',
      }
    },
  }
}
