/** docs/import-data.md is true: every request gets the documented reply, and every command works. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { launcher } from '#tests/support/command-line'
import { makeLibrary } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'import-data.md'), 'utf8')
const requests = [...text.matchAll(/^```sh\n((?:(?!```).*\n)*)```\n\n```json\n((?:(?!```).*\n)*)```$/gm)]
const commands = [...text.matchAll(/^ {4}querent (.*)$/gm)].map(([, command = '']) =>
  // Without the redirection of the output.
  command.replace(/ >.*/, '').split(' '),
)

let server: StartedServer
let token: string
let folder: string
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  const loader = await server.createAccount('library', 'loader', 'data-provider')
  token = await fetchToken(server, loader)
  folder = await mkdtemp(join(tmpdir(), 'querent-import-'))
  await writeFile(join(folder, 'books.ndjson'), '{"id":"n","title":"N"}\n')
  await writeFile(join(folder, 'books.ndjson.gz'), gzipSync('{"id":"z","title":"Z"}\n'))
  await writeFile(join(folder, 'books.csv'), 'id,title\nc,C\n')
  await writeFile(join(folder, 'products.csv'), 'sku,name\nk1,Kettle\nt1,Tent for two\n')
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test('every request of docs/import-data.md gets the reply that is printed below it', async () => {
  assert.equal(requests.length, 5)
  const env = {
    ...process.env,
    TOKEN: token,
    DOCUMENTS: `${server.baseUrl}/4/library/collections/books/documents`,
  }
  for (const [, request = '', reply = ''] of requests) {
    const { stdout } = await promisify(execFile)('bash', ['-c', request], { env })
    assert.deepEqual(JSON.parse(stdout), JSON.parse(reply), request)
  }
})

test('every command of docs/import-data.md does what the page says', async () => {
  assert.equal(commands.length, 11)
  for (const command of commands)
    await promisify(execFile)(launcher, [...command, '--data', server.data], { cwd: folder })
})

test('the command for mongoexport takes the ids out of their objects', async () => {
  const [, command = assert.fail()] = /^```sh\n(jq .*)\n```$/m.exec(text) ?? []
  await writeFile(join(folder, 'export.json'), '{"_id":{"$oid":"65f0"},"title":"M"}\n')
  await promisify(execFile)('bash', ['-c', command], { cwd: folder })
  assert.equal(await readFile(join(folder, 'export.ndjson'), 'utf8'), '{"_id":"65f0","title":"M"}\n')
})

test('the program for exports of Shopify gives each variant the values of its product', async () => {
  const [, program = assert.fail()] = /^```python\n((?:(?!```).*\n)*)```$/m.exec(text) ?? []
  const products =
    'Handle,Title,Vendor,Type,Option1 Value\ncoat,Coat,Nord,Clothing,S\ncoat,,,,L\nmug,Mug,Potters,Kitchen,\n'
  await writeFile(join(folder, 'fill-variants.py'), program)
  await writeFile(join(folder, 'products_export.csv'), products)
  const command = 'python3 fill-variants.py < products_export.csv'
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: folder })
  assert.deepEqual(stdout.split('\r\n'), [
    'Handle,Title,Vendor,Type,Option1 Value',
    'coat,Coat,Nord,Clothing,S',
    'coat,Coat,Nord,Clothing,L',
    'mug,Mug,Potters,Kitchen,',
    '',
  ])
})
