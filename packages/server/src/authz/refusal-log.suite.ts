/** The suite of the refusal log, for every database. A client that floods the server must not push out refusals of others. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { StorageLocation } from '#storage/connection'
import { openStorage, type Storage } from '#storage/db'
import { findRefusal, type RefusalRow } from '#storage/refusals'
import { createWorkspace } from '#storage/workspaces'
import { openRefusalLog, type RefusalLog } from './refusal-log.ts'

const refusal = (requestId: string, workspace: string): RefusalRow => ({
  requestId,
  at: Date.now(),
  status: 401,
  workspace,
  path: `/4/${encodeURIComponent(workspace)}/api/a/e/b/count`,
  subject: null,
  clientId: null,
  checks: [{ name: 'token', passed: false, message: 'expired' }],
})

/** Runs the suite in an empty database. */
export const refusalLogSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  let log: RefusalLog
  before(async () => {
    storage = await openStorage(await empty())
    for (const workspace of ['alpha', 'beta'])
      await storage.write(writer => createWorkspace(writer, { workspace }))
    log = openRefusalLog(storage)
  })
  after(async () => {
    await log.close()
    await storage.close()
  })

  const rows = async (): Promise<number> => {
    const { count } = await storage.db
      .selectFrom('refusals')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const isFindable = async (id: string) => (await findRefusal(storage.db, id)) !== undefined

  test('a flood from one address leaves the refusals of others, of its own workspace too, and adds few rows', async () => {
    log.record(refusal('mine', 'alpha'), '192.0.2.7')
    log.record(refusal('theirs', 'beta'), '192.0.2.8')
    log.record(refusal('typo', 'alhpa'), '192.0.2.9')
    for (let burst = 0; burst < 30; burst++) {
      for (let number = 0; number < 2000; number++) {
        const name = ['alpha', 'beta', `ghost-${burst}-${number}`, '\0', 'x'.repeat(15_000)][number % 5] ?? ''
        log.record(refusal(`flood-${burst}-${number}`, name), '198.51.100.1')
      }
      if (burst === 3) log.record(refusal('amid', 'alpha'), '192.0.2.7')
      await log.flush()
      // At most 100 of the address in each of the two workspaces, and at most 100 without a workspace.
      assert.ok((await rows()) <= 4 + 300, `${await rows()} rows after burst ${burst}`)
    }
    for (const id of ['mine', 'theirs', 'typo', 'amid']) assert.ok(await isFindable(id), id)
    assert.ok(await isFindable('flood-29-1996'), 'of the flood the newest are there')
    assert.ok(!(await isFindable('flood-0-0')))
  })

  test('a flood from many addresses stays within the share of its workspace', async () => {
    log.record(refusal('quiet', 'beta'), '192.0.2.10')
    for (let network = 0; network < 4000; network++) {
      for (const number of [0, 1])
        log.record(
          refusal(`many-${network}-${number}`, 'alpha'),
          `2001:db8:0:${network.toString(16)}::${number}`,
        )
      if (network % 400 === 399) await log.flush()
    }
    assert.ok((await rows()) <= 2000 + 300, `${await rows()} rows`)
    assert.ok(await isFindable('quiet'))
    assert.ok(await isFindable('many-3999-1'))
  })

  test('addresses of one IPv6 /64 have one share', async () => {
    const rowsBefore = await rows()
    for (let number = 0; number < 500; number++) {
      log.record(refusal(`slash64-${number}`, 'beta'), `2001:db8:1:1::${number.toString(16)}`)
      if (number % 10 === 9) await log.flush()
    }
    assert.equal(await rows(), rowsBefore + 100)
  })
}
