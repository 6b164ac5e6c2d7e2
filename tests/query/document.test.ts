/** docs/query.md is true: its workspace file and documents, every command, and every reply. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type StartedServer, startServer } from '#tests/support/started-server'

const path = join(import.meta.dirname, '..', '..', 'docs', 'query.md')
const blocks = [...(await readFile(path, 'utf8')).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
)
const findCode = (language: string) =>
  blocks.find(block => block.language === language)?.code ?? assert.fail(`no ${language} block`)

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(findCode('yaml'))
  await server.importDocuments('museum', 'works', findCode('ndjson'))
})
after(() => server.stop())

const documented = 'http://127.0.0.1:4000'
const run = async (code: string): Promise<string> => {
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${code}`])
  return stdout.replaceAll(server.baseUrl, documented)
}
/** Request ids differ. */
const comparable = (language: string, text: string): unknown =>
  language === 'json'
    ? JSON.parse(text.replace(/"requestId": ?"[^"]*"/, '"requestId":"…"'))
    : text.replaceAll('\r\n', '\n').trim()

test('every command of docs/query.md prints the reply that is printed below it', async () => {
  const [variables = assert.fail(), ...commands] = blocks.filter(({ language }) => language === 'sh')
  assert.ok(commands.length > 20)
  for (const command of commands) {
    const expectedBlock = blocks[blocks.indexOf(command) + 1] ?? assert.fail(command.code)
    const printed = await run(`${variables.code}${command.code}`.replaceAll(documented, server.baseUrl))
    assert.deepEqual(
      comparable(expectedBlock.language, printed),
      comparable(expectedBlock.language, expectedBlock.code),
      command.code,
    )
  }
})
