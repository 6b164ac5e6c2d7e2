/** The example of a first change in CONTRIBUTING.md works as it stands. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { formats as formatNames } from '@querent/contract/query-options'

const root = join(import.meta.dirname, '..')
const formats = join(root, 'packages', 'server', 'src', 'query', 'formats')

test('the results format of CONTRIBUTING.md passes its test', async () => {
  const document = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')
  const blocks = [...document.matchAll(/^ {3}```ts\n([\s\S]*?)^ {3}```$/gm)].map(([, code = '']) => code)
  const testCode = blocks.find(code => code.includes("from 'node:test'")) ?? assert.fail('no test')
  const sourceCode = blocks.find(code => code.includes('export const')) ?? assert.fail('no source')
  const folder = await mkdtemp(join(tmpdir(), 'querent-contributing-'))
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await mkdir(join(folder, 'formats'))
    // Its neighbors are in the repository.
    const withNeighbors = sourceCode.replaceAll(
      /'\.\/((?:page|table)\.ts)'/g,
      (_, file) => `'${pathToFileURL(join(formats, String(file)))}'`,
    )
    await writeFile(join(folder, 'formats', 'tsv.ts'), withNeighbors)
    await writeFile(join(folder, 'formats', 'tsv.test.ts'), testCode)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--test', join(folder, 'formats', 'tsv.test.ts')],
      { encoding: 'utf8', env: { ...process.env, NODE_TEST_CONTEXT: undefined } },
    )
    assert.equal(status, 0, stdout + stderr)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the client, the docs and the tests know each format of results', async () => {
  for (const path of [
    'packages/client/src/query-options.ts',
    'docs/query.md',
    'tests/support/read-format.py',
  ]) {
    const text = await readFile(join(root, path), 'utf8')
    // Python's own `json` needs no reader.
    for (const name of formatNames.filter(format => format !== 'json'))
      assert.match(text, new RegExp(`['"\`=]${name}['"\`&\\s]`), `${path} has no ${name}`)
  }
})
