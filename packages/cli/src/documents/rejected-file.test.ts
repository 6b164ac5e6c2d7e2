import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder, openCommandProcess, standIn } from '#stand-in/querent'
import { checkRejectedPath } from './rejected-file.ts'

const querent = openCommandProcess()

test('a file that is imported is none to write the rejected documents to', () => {
  assert.throws(() => checkRejectedPath('a.csv', ['./a.csv'], []), /a\.csv is imported, choose another name/)
})

test('the rejected lines of an import that kept nothing are saved too', async t => {
  const dir = await folder(t)
  const [file, rejected] = [join(dir, 'a.csv'), join(dir, 'rejected.csv')]
  const rows = Array.from({ length: 150 }, (_, index) => `${index},x`)
  await writeFile(file, `id,price\n${rows.join('\n')}\n`)
  const errors = Array.from({ length: 100 }, (_, index) => ({ line: index + 2, message: 'is no number' }))
  const { data } = await standIn(t, () => ({
    status: 400,
    body: { code: 'bad-documents', message: 'no document was accepted', errors, rejectedAt: [[2, 151]] },
  }))
  const { code, stderr } = await querent(['import', 'w', 'c', file, '--rejected', rejected, '--data', data])
  assert.equal(code, 1)
  assert.match(stderr, /saved the rejected documents in \S+rejected\.csv/)
  assert.equal(await readFile(rejected, 'utf8'), `id,price\n${rows.join('\n')}\n`)
})

test('import lists an error of many documents once, with the number of all wrong ones', async t => {
  const errors = Array.from({ length: 100 }, (_, index) => ({
    line: index + 1,
    message: 'the id is missing',
  }))
  const further = [{ line: 7, message: 'is not JSON' }]
  const body = { status: 400, code: 'bad-documents', message: 'no document was accepted', requestId: 'r' }
  const bad = await standIn(t, () => ({
    status: 400,
    body: { ...body, errors: [...errors.slice(0, 99), ...further], rejectedAt: [[1, 1500]] },
  }))
  const failure = await querent(['import', 'w', 'c', '-', '--data', bad.data], { stdin: '{}' })
  assert.deepEqual(failure.stderr.split('\n').slice(-5), [
    'querent: no document was kept: 1,500 documents are wrong',
    'standard input:1: the id is missing (and 98 more with this error)',
    'standard input:7: is not JSON',
    'only the first 100 are listed',
    '',
  ])
  const counts = { accepted: 3, documents: 3, replaced: 0, rejected: 100 }
  const partial = await standIn(t, () => ({ status: 200, body: { ...counts, errors } }))
  const done = await querent(['import', 'w', 'c', '-', '--data', partial.data], { stdin: '{}' })
  assert.match(
    done.stderr,
    /^standard input:1: the id is missing \(and 99 more with this error\)\n100 documents were/,
  )
})
