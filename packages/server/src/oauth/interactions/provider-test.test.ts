/** An administrator tests the workspace's own OpenID provider: sees claims, roles and refusals, and nothing is created. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import { makeTestCompany } from '#oauth/identity-provider/test-company'
import { openTestProvider } from '#oauth/identity-provider/test-provider'
import { listProviderDomains, withdrawDomainProof } from '#storage/provider-domains'
import { findUserByEmail } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import { startPages } from './test-pages.ts'

const pages = await startPages({ signInThrottle: 'off' })
const provider = await openTestProvider()
const { storage } = pages
const company = makeTestCompany(pages, provider)
const { newEmail, newUser, addMember, openApplication } = company

const testPath = ({ slug }: WorkspaceRow) => `/provider/${slug}/test`

/** A browser in which somebody is signed in with a password. */
const openSignedIn = async (user: { email: string }) => {
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize(), user.email)
  return reader
}
const openAdministrator = async (workspace: WorkspaceRow) => {
  const user = await newUser({ email: `${randomUUID()}@example.org` })
  await addMember(workspace, user, ['administrator'])
  await addMember(pages.workspace, user)
  return openSignedIn(user)
}
type Reader = Awaited<ReturnType<typeof openSignedIn>>

const leave = async (reader: Reader, workspace: WorkspaceRow) => {
  const page = await reader.go(testPath(workspace))
  assert.equal(page.status, 200, page.text)
  const led = await reader.send(page, { action: 'test' })
  assert.ok(led.applicationUrl, led.text)
  return led.applicationUrl
}
const run = async (reader: Reader, workspace: WorkspaceRow, claims: Record<string, unknown>) => {
  provider.says.claims = { email_verified: true, ...claims }
  return company.comeBack(reader, await leave(reader, workspace))
}

describe('the test of a provider', () => {
  beforeEach(() => {
    provider.reset()
  })
  after(async () => {
    await pages.close()
    await provider.close()
  })

  test('shows claims and roles, and creates no user, identity, session or token', async () => {
    const { workspace, id } = await openApplication()
    const reader = await openAdministrator(workspace)
    provider.says.isOffline = true
    const email = newEmail()
    const claims = { sub: randomUUID(), email, groups: ['staff'], name: '<b>Eve</b>' }
    const page = await run(reader, workspace, claims)
    assert.equal(page.status, 200)
    assert.match(page.text, /would be signed in/)
    for (const fragment of [email, claims.sub, '&#60;b&#62;Eve', '<code>api</code>'])
      assert.ok(page.text.includes(fragment), fragment)
    assert.doesNotMatch(page.text, /refresh-/)
    assert.equal(await findUserByEmail(storage.db, email), undefined)
    // The browser is still the administrator's.
    const laterPage = await reader.go(testPath(workspace))
    assert.equal(laterPage.status, 200)
    // A real sign-in of the same person is their first.
    const landed = (await company.signIn({ id }, claims)).landed
    assert.ok(landed.parameters.code)
  })

  test('says what would be refused, and why', async () => {
    const { workspace, id } = await openApplication()
    const reader = await openAdministrator(workspace)
    const person = { sub: randomUUID(), email: newEmail(), groups: ['staff'] }
    const refusals: [claims: Record<string, unknown>, reason: RegExp][] = [
      [{ ...person, email: newEmail('other.example') }, /of a domain that this workspace does not accept/],
      [{ ...person, email_verified: false }, /has not verified/],
      [{ ...person, email: undefined }, /gave no e-mail address/],
      [{ ...person, groups: [] }, /no role in this workspace/],
    ]
    for (const [claims, reason] of refusals) {
      const page = await run(reader, workspace, claims)
      assert.match(page.text, /would not be signed in/)
      assert.match(page.text, reason)
    }
    await company.signIn({ id }, person)
    const second = await run(reader, workspace, { ...person, sub: randomUUID() })
    assert.match(second.text, /another person of your organization/)
    const [row] = await listProviderDomains(storage.db, workspace.id)
    assert.ok(row)
    await storage.write(writer =>
      withdrawDomainProof(writer, { workspaceId: workspace.id, domain: row.domain }),
    )
    const unproved = await run(reader, workspace, person)
    assert.match(unproved.text, /Nobody has proved/)
  })

  test('shows the error of the provider, such as a wrong client secret', async () => {
    const { workspace } = await openApplication()
    const reader = await openAdministrator(workspace)
    provider.says.exchangeError = 'invalid_client'
    const failedPage = await run(reader, workspace, { sub: randomUUID(), email: newEmail() })
    assert.match(failedPage.text, /<code>invalid_client<\/code>/)
    provider.reset()
    provider.says.error = 'access_denied'
    const denied = await run(reader, workspace, { sub: randomUUID() })
    assert.match(denied.text, /<code>access_denied<\/code>/)
  })

  test('is for administrators of the workspace, in the browser that started it, once', async () => {
    const { workspace } = await openApplication()
    const reader = await openAdministrator(workspace)
    const member = await newUser({ email: `${randomUUID()}@example.org` })
    await addMember(workspace, member)
    await addMember(pages.workspace, member)
    const memberPage = await (await openSignedIn(member)).go(testPath(workspace))
    const { workspace: foreign } = await openApplication()
    const foreignPage = await reader.go(testPath(foreign))
    const missingPage = await reader.go('/provider/no-such-workspace/test')
    assert.deepEqual([memberPage.status, foreignPage.status, missingPage.status], [404, 404, 404])
    const signInPage = await pages.openReader().go(testPath(workspace))
    assert.match(signInPage.text, /type="password"/)

    provider.says.claims = { sub: randomUUID(), email: newEmail(), email_verified: true }
    const back = provider.answer(await leave(reader, workspace)).href
    const foreignBrowser = await (await openAdministrator(workspace)).go(back)
    assert.equal(foreignBrowser.status, 400)
    assert.equal((await reader.go(back)).status, 200)
    assert.equal((await reader.go(back)).status, 400)
  })

  test('ends if the administrator has lost the role', async () => {
    const { workspace } = await openApplication()
    const user = await newUser({ email: `${randomUUID()}@example.org` })
    await addMember(workspace, await newUser(), ['administrator'])
    await addMember(workspace, user, ['administrator'])
    await addMember(pages.workspace, user)
    const reader = await openSignedIn(user)
    provider.says.claims = { sub: randomUUID(), email: newEmail(), email_verified: true }
    const back = provider.answer(await leave(reader, workspace)).href
    await addMember(workspace, user, ['api'])
    const page = await reader.go(back)
    assert.equal(page.status, 400)
    assert.doesNotMatch(page.text, new RegExp(String(provider.says.claims.sub)))
  })
})
