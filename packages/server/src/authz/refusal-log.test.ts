import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { freshDatabase } from '#storage/test-postgres'
import { refusalLogSuite } from './refusal-log.suite.ts'

describe('SQLite', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'querent-refusals-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))
  refusalLogSuite(async () => ({ file: join(folder, 'querent.sqlite') }))
})

describe('PostgreSQL', () => refusalLogSuite(async () => ({ connection: await freshDatabase() })))
