/** A domain of a workspace's own OpenID provider counts once it is proved there. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import { startPages } from '#oauth/interactions/test-pages'
import { listAudit } from '#storage/audit'
import { createDomainLink, findProviderDomain, withdrawDomainProof } from '#storage/provider-domains'
import { findUserByEmail } from '#storage/users'
import { saveDefinition } from '#storage/workspaces'
import { makeTestCompany } from './test-company.ts'
import { openTestProvider } from './test-provider.ts'

const pages = await startPages({ signInThrottle: 'off' })
const provider = await openTestProvider()
const { storage } = pages
const company = makeTestCompany(pages, provider)
const { newEmail, openApplication, open, type, signIn, exchangeFor } = company
const domain = 'corp.example'

/** An application of a workspace whose domain is not proved. */
const openUnproved = async () => {
  const application = await openApplication({ roles: { '*': ['api'] } })
  const key = { workspaceId: application.workspace.id, domain }
  await storage.write(writer => withdrawDomainProof(writer, key))
  return { application, key }
}

describe('a domain that is not proved', () => {
  beforeEach(() => {
    provider.reset()
  })
  after(async () => {
    await pages.close()
    await provider.close()
  })

  test('leads nobody to the provider: the page asks for the password and offers no provider', async () => {
    const { application } = await openUnproved()
    const { reader, page } = await open(application)
    assert.match(page.text, /type="password"/)
    assert.doesNotMatch(page.text, /value="provider"/)
    const next = await type(reader, page, newEmail())
    assert.equal(next.applicationUrl, undefined)
    const forced = await reader.send(page, { action: 'provider', email: newEmail() })
    assert.equal(forced.applicationUrl, undefined)
    assert.equal(forced.status, 422)
  })

  test('signs nobody in, even next to a proved domain, and the sign-in log has the reason', async () => {
    const application = await openApplication({
      domains: [domain, 'proved.example'],
      roles: { '*': ['api'] },
    })
    await storage.write(writer =>
      withdrawDomainProof(writer, { workspaceId: application.workspace.id, domain }),
    )
    const email = newEmail()
    provider.says.claims = { sub: randomUUID(), email, email_verified: true }
    const { reader, page } = await open(application)
    const led = await type(reader, page, newEmail('proved.example'))
    const landed = await company.comeBack(reader, led.applicationUrl)
    assert.equal(landed.status, 422)
    assert.equal(landed.parameters.code, undefined)
    assert.equal(await findUserByEmail(storage.db, email), undefined)
    assert.ok(JSON.stringify(pages.logged).includes('"fault":"domain-unproved"'))
  })

  test('ends sessions at the next refresh', async () => {
    provider.says.isOffline = true
    const application = await openApplication({ roles: { '*': ['api'] } })
    const tokens = await exchangeFor(
      application,
      await signIn(application, { sub: randomUUID(), email: newEmail() }),
    )
    await storage.write(writer =>
      withdrawDomainProof(writer, { workspaceId: application.workspace.id, domain }),
    )
    assert.equal((await application.client.refresh(tokens.refresh)).status, 400)
  })

  test('is proved by the link of its postmaster, once, and only by the button', async () => {
    const { application, key } = await openUnproved()
    const address = `postmaster@${domain}`
    const make = (ttlMs = 60_000) =>
      storage.write(writer => createDomainLink(writer, key, { address, ttlMs }))
    const read = async () => (await findProviderDomain(storage.db, key))?.proof
    const reader = pages.openReader()
    assert.equal((await reader.go(`/domain/${(await make(-1)).token}`)).status, 410)
    const replaced = await make()
    const { token } = await make()
    assert.equal((await reader.go(`/domain/${replaced.token}`)).status, 410)
    const page = await reader.go(`/domain/${token}`)
    assert.equal(page.status, 200)
    assert.ok(page.text.includes(domain) && page.text.includes(provider.issuer))
    assert.equal(await read(), null, 'a mail scanner opens links too')
    assert.equal((await reader.send(page, { action: 'confirm' })).status, 200)
    assert.equal(await read(), 'email')
    assert.equal((await reader.go(`/domain/${token}`)).status, 410)
    const [entry] = await listAudit(storage.db, { workspaceId: key.workspaceId, count: 1 })
    assert.deepEqual([entry?.action, entry?.actor, entry?.target], ['confirmProviderDomain', address, domain])
    const { landed } = await signIn(application, { sub: randomUUID(), email: newEmail() })
    assert.ok(landed.parameters.code)
  })

  test('is not proved by a link that was mailed before the domain left the file', async () => {
    const { application, key } = await openUnproved()
    const { token } = await storage.write(writer =>
      createDomainLink(writer, key, { address: `admin@${domain}`, ttlMs: 60_000 }),
    )
    const { id, slug } = application.workspace
    const identityProvider = { issuer: provider.issuer, clientId: 'q', domains: [domain] }
    await storage.write(async writer => {
      await saveDefinition(writer, id, { workspace: slug, identityProvider: null })
      await saveDefinition(writer, id, { workspace: slug, identityProvider })
    })
    assert.equal((await pages.openReader().go(`/domain/${token}`)).status, 410)
  })
})
