/** Addresses have one form in the storage, whichever spelling comes in. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { searchAccounts } from './account-search.ts'
import { listAudit, recordAudit } from './audit.ts'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { listEmailClashes } from './email-clashes.ts'
import { createInvitation, findOpenInvitation } from './invitations.ts'
import { emailAddresses } from './migrations/0028-email-addresses.ts'
import {
  createUser,
  findUser,
  findUserByEmail,
  removeUser,
  setEmail,
  setName,
  type UserRow,
} from './users.ts'
import { findWorkspaceText, saveWorkspaceText } from './workspace-texts.ts'
import { createWorkspace } from './workspaces.ts'

/** Runs the suite in an empty database. */
export const emailAddressesSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  before(async () => {
    storage = await openStorage(await empty())
  })
  after(() => storage.close())

  const newUser = async (email: string, name?: string): Promise<UserRow> => {
    const user = await storage.write(writer => createUser(writer, { email, ...(name ? { name } : {}) }))
    assert.ok(user)
    return user
  }
  const newWorkspace = async (): Promise<string> => {
    const row = await storage.write(writer => createWorkspace(writer, { workspace: randomUUID() }))
    assert.ok(row)
    return row.id
  }
  const isSqlite = () => storage.kind === 'sqlite'
  const migrateAgain = () => emailAddresses(isSqlite()).up(storage.db)
  /** As an earlier version stored it. */
  const storeAs = (id: string, email: string) =>
    storage.db.updateTable('users').set({ email }).where('id', '=', id).execute()

  test('each spelling of an address finds the person, and none is free for another', async () => {
    const user = await newUser(' Rémy@Bücher.Example ')
    assert.equal(user.email, 'rémy@xn--bcher-kva.example')
    for (const spelling of [
      're\u0301my@bücher.example',
      'RÉMY@XN--BCHER-KVA.EXAMPLE',
      'rémy@bu\u0308cher.example',
    ]) {
      assert.equal((await findUserByEmail(storage.db, spelling))?.id, user.id, spelling)
      assert.equal(await storage.write(w => createUser(w, { email: spelling })), undefined)
      const otherUser = await newUser(`${randomUUID()}@example.org`)
      assert.equal(await storage.write(w => setEmail(w, otherUser.id, spelling)), false)
    }
    assert.equal(await findUserByEmail(storage.db, 'remy@bücher.example'), undefined)
  })

  test('names lose characters that hide or reorder others, and keep joiners', async () => {
    const { id, name } = await newUser(
      `${randomUUID()}@example.org`,
      ' Eve\u202e\u200b \u0007 gnp\t.exe\u2066 ',
    )
    assert.equal(name, 'Eve gnp .exe')
    const user = await findUser(storage.db, id)
    assert.ok(user)
    await storage.write(w => setName(w, user, '\u202dرضا نامه\u200cای'))
    assert.equal((await findUser(storage.db, id))?.name, 'رضا نامه\u200cای')
  })

  test('a search finds people by the beginning of their address as they read it', async () => {
    const anna = await newUser('anna@mail.süß.example')
    await newUser('anna@mail.xn--wrong.example')
    const search = async (text: string) =>
      (await searchAccounts(storage, { text, scope: 'users', after: '', count: 10 })).ids
    for (const text of [
      'anna@mail.s',
      'ANNA@mail.sü',
      'anna@mail.su\u0308ß.exa',
      'anna@mail.süß.example',
      'anna@mail.xn--',
    ])
      assert.ok((await search(text)).includes(anna.id), text)
    assert.deepEqual(await search('anna@mail.sä'), [])
    const workspaceId = await newWorkspace()
    assert.deepEqual(
      await searchAccounts(storage, { text: 'anna@mail.sü', scope: { workspaceId }, after: '', count: 10 }),
      { ids: [], next: null },
    )
  })

  test('the audit log is searched by addresses in each spelling', async () => {
    const { id } = await newUser('olga@почта.example')
    await storage.write(w =>
      recordAudit(w, {
        actor: id,
        action: 'createUser',
        target: 'x',
        address: '192.0.2.1',
        requestId: randomUUID(),
      }),
    )
    for (const actor of ['OLGA@ПОЧТА.example', 'почта.example', 'почта', 'olga@'])
      assert.deepEqual(
        (await listAudit(storage.db, { actor, count: 5 })).map(row => row.actor),
        [id],
        actor,
      )
  })

  test('the text of a workspace file loses a removed person in each spelling', async () => {
    const workspaceId = await newWorkspace()
    const user = await newUser('jürgen@bücher.example')
    const spellings = [
      'ju\u0308rgen@Bücher.example',
      '"jürgen@xn--bcher-kva.example"',
      'jürgen@bücher.example',
    ]
    const source = `members: # of ${spellings[2]}\n  ${spellings[0]}: [api]\n  ${spellings[1]}: [api]\n  jörg@bücher.example: [api]\n`
    await storage.write(w => saveWorkspaceText(w, workspaceId, source))
    await storage.write(w => removeUser(w, user.id))
    const text = (await findWorkspaceText(storage.db, workspaceId)) ?? ''
    for (const spelling of spellings) assert.ok(!text.includes(spelling.replaceAll('"', '')), text)
    assert.ok(text.includes('jörg@bücher.example'))
  })

  test('the update gives stored addresses their one form, and keeps both people of one mailbox usable', async () => {
    const [alone, older, younger] = [
      await newUser('a1@example.org'),
      await newUser('b1@example.org'),
      await newUser('c1@example.org'),
    ]
    await storeAs(alone.id, 'solo@größe.example')
    await storeAs(older.id, 'pair@größe.example')
    await storeAs(younger.id, 'pair@xn--gre-6ka8i.example')
    const workspaceId = await newWorkspace()
    const invite = (email: string) =>
      storage.write(w => createInvitation(w, { workspaceId, email, roles: ['api'], invitedBy: 'ada' }))
    const first = await invite('guest@größe.example')
    const stale = { email: 'guest@größe.example', withdrawn_at: null }
    const second = await invite('guest@größe.example')
    await storage.db.updateTable('invitations').set(stale).where('id', '=', first.id).execute()
    await migrateAgain()
    const emailById = async ({ id }: UserRow) =>
      (await storage.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email
    assert.equal(await emailById(alone), 'solo@xn--gre-6ka8i.example')
    const clash = { userId: older.id, otherId: younger.id, email: older.email, other: younger.email }
    const names = { email: 'pair@größe.example', other: 'pair@xn--gre-6ka8i.example' }
    assert.deepEqual(await listEmailClashes(storage.db, 10), [{ ...clash, ...names }])
    assert.equal((await findUserByEmail(storage.db, 'Pair@größe.example'))?.id, older.id)
    assert.equal((await findUserByEmail(storage.db, 'pair@XN--GRE-6KA8I.example'))?.id, younger.id)
    assert.equal((await findOpenInvitation(storage.db, workspaceId, 'guest@größe.example'))?.id, second.id)
    // Again, as after a restored backup: nothing changes.
    await migrateAgain().catch(() => assert.fail('the update can run again'))
    assert.equal(await storage.write(w => setEmail(w, older.id, 'other@größe.example')), true)
    assert.deepEqual(await listEmailClashes(storage.db, 10), [])
    assert.equal((await findUserByEmail(storage.db, 'pair@größe.example'))?.id, younger.id)
  })
}
