/** Tests moves of documents between engines. Tests with a started server cover the command. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Engine } from '#engines/engine'
import { openEngine } from '#engines/open'
import { openStorage } from '#storage/db'
import { isEmptyStorage } from '#storage/offline'
import { freshDatabase } from '#storage/test-postgres'
import { createWorkspace } from '#storage/workspaces'
import { moveStorage } from './move.ts'

/** More documents than are copied at a time. */
const documentsOfEach = 1001
const spec = { fields: [{ name: 'genre', type: 'keyword' as const }] }

test('documents of every complete generation are copied, or none are left anywhere', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-move-'))
  const engines: Engine[] = []
  after(async () => {
    for (const engine of engines) await engine.close()
    await rm(folder, { recursive: true })
  })
  const engineAt = async (name: string) => {
    const engine = await openEngine({ kind: 'embedded', dataDir: join(folder, name) })
    engines.push(engine)
    return engine
  }
  const sourceEngine = await engineAt('from')
  const file = join(folder, 'querent.db')
  const storage = await openStorage({ file })
  const workspace = await storage.write(w => createWorkspace(w, { workspace: 'library' }))
  assert.ok(workspace)
  for (const [number, state] of ['ready', 'ready', 'building'].entries()) {
    const id = `generation-${number}`
    const row = { workspace_id: workspace.id, collection: 'books', spec_json: JSON.stringify(spec) }
    const rowDefaults = { created_at: 1, promoted_at: null, origin: null, documents: null }
    await storage.db
      .insertInto('generations')
      .values({ id, ...row, ...rowDefaults, number, state: state as 'ready' })
      .execute()
    await sourceEngine.open(id, spec)
    const ids = Array.from({ length: documentsOfEach }, (_, index) => `urn:${number}:${index}`)
    await sourceEngine.write(
      id,
      ids.map(document => ({ put: { id: document, entity: JSON.stringify({ id: document }) } })),
    )
    await sourceEngine.release(id)
  }
  const drop = { id: 'generation-0-1', workspace_id: workspace.id, generation: 'generation-0', due_at: 1 }
  await storage.db.insertInto('engine_drops').values(drop).execute()
  const mail = {
    id: 'mail',
    sealed: 'x',
    attempts: 2,
    last_failure: '451',
    created_at: 1,
    due_at: 2,
    expires_at: 3,
  }
  await storage.db.insertInto('mails').values(mail).execute()
  const notice = { id: 'notice', client_id: 'app', user_id: 'ada', sid: 'session', attempts: 1, due_at: 2 }
  await storage.db.insertInto('logout_notices').values(notice).execute()
  const proof = { id: 'proof', expires_at: 3 }
  await storage.db.insertInto('dpop_proofs').values(proof).execute()
  await storage.close()
  const move = async (to: Engine, connection: string) =>
    moveStorage({ from: { file }, to: { connection }, engines: { from: sourceEngine, to } })
  const countIn = async (engine: Engine, id: string) => {
    await engine.open(id, spec)
    const { documents } = engine.info(id)
    await engine.drop(id)
    return documents
  }

  const connection = await freshDatabase()
  const failing = await engineAt('failing')
  let writes = 0
  const full = {
    ...failing,
    write: (...args: Parameters<Engine['write']>) =>
      ++writes > 4 ? Promise.reject(new Error('the disk is full')) : failing.write(...args),
  }
  await assert.rejects(move(full, connection), /^Error: the disk is full$/)
  assert.ok(await isEmptyStorage({ connection }))
  assert.deepEqual([await countIn(failing, 'generation-0'), await countIn(failing, 'generation-1')], [0, 0])

  const refusing = await engineAt('refusing')
  const last = () => Promise.reject(new Error('the folder cannot be renamed'))
  await assert.rejects(
    moveStorage({
      from: { file },
      to: { connection },
      engines: { from: sourceEngine, to: refusing },
      onCopied: last,
    }),
    /cannot be renamed/,
  )
  assert.ok(await isEmptyStorage({ connection }))
  assert.equal(await countIn(refusing, 'generation-0'), 0)

  const targetEngine = await engineAt('to')
  const { rows, documents } = await move(targetEngine, connection)
  assert.deepEqual([rows?.workspaces, rows?.generations, documents], [1, 2, 2 * documentsOfEach])
  // A second move to the same engine is rejected, and its documents stay.
  await assert.rejects(move(targetEngine, await freshDatabase()), /the engine has these documents already/)
  for (const id of ['generation-0', 'generation-1'])
    assert.equal(await countIn(targetEngine, id), documentsOfEach)
  assert.equal(await countIn(targetEngine, 'generation-2'), 0)

  const moved = await openStorage({ connection })
  assert.deepEqual(await moved.db.selectFrom('mails').selectAll().execute(), [mail], 'mails are still sent')
  assert.deepEqual(await moved.db.selectFrom('logout_notices').selectAll().execute(), [notice])
  assert.deepEqual(await moved.db.selectFrom('dpop_proofs').selectAll().execute(), [proof])
  await moved.close()

  const stayed = await freshDatabase()
  await moveStorage({ from: { file }, to: { connection: stayed }, engines: undefined })
  const listPendingGenerations = async (databaseUrl: string) => {
    const { db, close } = await openStorage({ connection: databaseUrl })
    const dropped = await db.selectFrom('engine_drops').selectAll().execute()
    const unfinished = await db.selectFrom('generations').select('id').where('state', '!=', 'ready').execute()
    await close()
    return [...dropped, ...unfinished]
  }
  assert.deepEqual(
    await listPendingGenerations(stayed),
    [drop, { id: 'generation-2' }],
    'the engine that stays has these to drop',
  )
  assert.deepEqual(await listPendingGenerations(connection), [])
})
