/** For tests: a company with an OpenID provider of its own, its workspaces with applications, and people who sign in. */
import assert from 'node:assert/strict'
import type { Role } from '@querent/contract/manage'
import type { Definition, IdentityProvider, Settings } from '@querent/contract/workspace-file'
import { decodeJwt } from 'jose'
import { hashPassword } from '#accounts/password-hash'
import { goodPassword, type Pages, type ShownPage } from '#oauth/interactions/test-pages'
import { openTestClient } from '#oauth/test-application'
import { newPkce } from '#oauth/test-sign-in'
import { findMember, setMember } from '#storage/members'
import { proveAllDomains } from '#storage/provider-domains'
import { createUser, findUserByEmail, type UserRow } from '#storage/users'
import { saveDefinition, type WorkspaceRow } from '#storage/workspaces'
import type { TestProvider } from './test-provider.ts'

type Reader = ReturnType<Pages['openReader']>

export const makeTestCompany = (pages: Pages, provider: TestProvider) => {
  const { storage, baseUrl, redirectUri } = pages
  let count = 0
  const newEmail = (domain = 'corp.example') => `person${++count}@${domain}`
  const define = (
    workspace: WorkspaceRow,
    identityProvider: Partial<IdentityProvider> | null,
    settings: Settings = {},
    parts: Pick<Definition, 'groups' | 'memberDefaults'> = {},
  ) =>
    storage.write(async writer => {
      await saveDefinition(writer, workspace.id, {
        workspace: workspace.slug,
        settings,
        ...parts,
        identityProvider: identityProvider && {
          issuer: provider.issuer,
          clientId: 'querent',
          domains: ['corp.example'],
          roles: { staff: ['api'], admins: ['administrator'] },
          ...identityProvider,
        },
      })
      await proveAllDomains(writer, workspace.id)
    })

  /** An application of a new workspace with a provider. */
  const openApplication = async (
    identityProvider: Partial<IdentityProvider> = {},
    settings: Settings = {},
    parts: Pick<Definition, 'groups' | 'memberDefaults'> = {},
  ) => {
    const workspace = await pages.newWorkspace()
    await define(workspace, identityProvider, settings, parts)
    const id = await pages.newApplication(
      { title: 'Reader', redirectUris: [redirectUri], own: true },
      workspace.id,
    )
    return { workspace, id, client: openTestClient(pages, { id, redirectUri }) }
  }

  const open = async (
    { id }: { id: string },
    reader: Reader = pages.openReader(),
    parameters: Record<string, string> = {},
  ) => {
    const { verifier, challenge } = newPkce()
    const page = await reader.authorize({
      client_id: id,
      code_challenge: challenge,
      resource: baseUrl,
      scope: 'openid email offline_access',
      ...parameters,
    })
    return { reader, page, verifier }
  }
  /** Types the address on the page; where the browser is led. */
  const type = (reader: Reader, page: ShownPage, email: string) =>
    reader.send(page, { action: 'next', email })
  /** Comes back from the provider. */
  const comeBack = (reader: Reader, request: URL | undefined, from: TestProvider = provider) => {
    assert.ok(request, 'the browser was not led to the provider')
    return reader.go(from.answer(request).href)
  }
  /** From the application through the provider and back. */
  const signIn = async (
    application: { id: string },
    claims: Record<string, unknown>,
    {
      reader = pages.openReader(),
      from = provider,
      parameters = {},
    }: {
      reader?: Reader
      from?: TestProvider
      parameters?: Record<string, string>
    } = {},
  ) => {
    from.says.claims = { email_verified: true, ...claims }
    const { page, verifier } = await open(application, reader, parameters)
    const led = await type(reader, page, String(claims.email))
    const landed = await comeBack(reader, led.applicationUrl, from)
    return { reader, landed, verifier, led }
  }
  const exchangeFor = async (
    { client }: { client: ReturnType<typeof openTestClient> },
    { landed, verifier }: { landed: ShownPage; verifier: string },
  ) => {
    const reply = await client.exchange(landed.parameters.code, verifier)
    assert.equal(reply.status, 200, landed.text + reply.text)
    const { access_token: access, refresh_token: refresh, id_token: id } = reply.json
    return { access: String(access), refresh: String(refresh), claims: decodeJwt(String(id)) }
  }
  const newUser = async ({
    email = newEmail(),
    hasPassword = true,
    operator = false,
  } = {}): Promise<UserRow> => {
    const passwordHash = hasPassword ? { passwordHash: await hashPassword(goodPassword) } : {}
    const user = await storage.write(writer =>
      createUser(writer, { email, name: 'Ada', operator, emailVerified: true, ...passwordHash }),
    )
    assert.ok(user)
    return user
  }
  const addMember = (workspace: WorkspaceRow, user: UserRow, roles: Role[] = ['api']) =>
    storage.write(writer =>
      setMember(writer, {
        workspaceId: workspace.id,
        subject: user.id,
        kind: 'user',
        roles,
        filter: undefined,
      }),
    )
  const findMemberByEmail = async (workspace: WorkspaceRow, email: string) => {
    const user = await findUserByEmail(storage.db, email)
    return user && findMember(storage.db, workspace.id, user.id)
  }

  return {
    newEmail,
    define,
    openApplication,
    open,
    type,
    comeBack,
    signIn,
    exchangeFor,
    newUser,
    addMember,
    findMemberByEmail,
  }
}
/** An application of a company's workspace. */
export type CompanyApplication = Awaited<ReturnType<ReturnType<typeof makeTestCompany>['openApplication']>>
