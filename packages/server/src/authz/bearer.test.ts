/** The cache of verified tokens, in races that no test over HTTP can produce. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createClient } from '#storage/clients'
import { createUser } from '#storage/users'
import { openBearer } from './bearer.ts'
import { baseUrl, openTestParts } from './test-tokens.ts'
import { createUsedProofs } from './used-proofs.ts'

const parts = await openTestParts()
after(() => parts.close())

test('a token whose key is withdrawn while its signature is verified is refused, then and later', async () => {
  let isWithdrawn = false
  let verifierCalls = 0
  const keyring: typeof parts.keyring = {
    ...parts.keyring,
    verifier(kid) {
      verifierCalls += 1
      // Verifying takes turns of the event loop: by then it is gone.
      queueMicrotask(() => {
        isWithdrawn = true
      })
      return isWithdrawn ? undefined : parts.keyring.verifier(kid)
    },
  }
  const bearer = openBearer({ ...parts, keyring, usedProofs: createUsedProofs(parts.storage) })
  const token = await parts.token({ subject: 'u', clientId: 'cli', audience: baseUrl })
  for (let time = 0; time < 2; time++)
    await assert.rejects(
      bearer.identify({ headers: { authorization: `Bearer ${token}` } }, `${baseUrl}/4/w`),
      {
        code: 'invalid-token',
        message: 'the token is signed with a key that is not ours',
      },
    )
  assert.ok(verifierCalls > 2, 'it was there at first, and looked for again')
})

test('a token whose key leaves the keyring right after its verification is not remembered for its connection', async () => {
  let isWithdrawn = false
  let verifierCalls = 0
  const rotationListeners: (() => void)[] = []
  const withdraw = () => {
    isWithdrawn = true
    for (const listener of rotationListeners) listener()
  }
  const keyring: typeof parts.keyring = {
    ...parts.keyring,
    onRotation(listener) {
      rotationListeners.push(listener)
      return () => {}
    },
    verifier(kid) {
      verifierCalls += 1
      // The third call is the last of a verification.
      if (verifierCalls === 3) queueMicrotask(withdraw)
      return isWithdrawn ? undefined : parts.keyring.verifier(kid)
    },
  }
  const bearer = openBearer({ ...parts, keyring, usedProofs: createUsedProofs(parts.storage) })
  const subject = await parts.storage.write(async writer => {
    await createClient(writer, {
      id: 'console',
      kind: 'own',
      workspaceId: null,
      name: 'Console',
      settings: { actsAs: null },
    })
    return (await createUser(writer, { email: 'a@example.org' }))?.id ?? assert.fail()
  })
  const token = await parts.token({ subject, clientId: 'console', audience: baseUrl })
  const connection = {}
  const identify = () =>
    bearer.identify({ headers: { authorization: `Bearer ${token}` } }, `${baseUrl}/4/w`, connection)
  assert.equal((await identify()).subject, subject)
  assert.ok(isWithdrawn)
  await assert.rejects(identify(), { code: 'invalid-token' })
})
