/** Real generators make clients from the OpenAPI documents, and the clients search and filter: the examples of docs/generate-a-client.md. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type ClientGenerators, prepareGenerators } from '#tests/support/client-generators'
import { type CodeBlock, readBlocks } from '#tests/support/read-blocks'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const findCode = (blocks: readonly CodeBlock[], language: string): string =>
  blocks.find(block => block.language === language)?.code ?? assert.fail(`no ${language} block`)

const documented = 'http://127.0.0.1:4000'
let blocks: CodeBlock[]
let server: StartedServer
let generators: ClientGenerators
let folder = ''
let token = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-clients-'))
  const museum = await readBlocks('query.md')
  blocks = await readBlocks('generate-a-client.md')
  generators = await prepareGenerators()
  await symlink(generators.nodeModules, join(folder, 'node_modules'))
  server = await startServer()
  // A private API, so that the clients need their tokens.
  await server.applyWorkspace(findCode(museum, 'yaml').replace('    access: public\n', ''))
  await server.importDocuments('museum', 'works', findCode(museum, 'ndjson'))
  const client = await server.createAccount('museum', 'tests', 'api')
  token = await fetchToken(server, client)
  await run(findCode(blocks, 'sh'))
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true })
})

/** Runs a script in the folder, and returns its output. */
const run = async (script: string): Promise<string> => {
  const code = `set -euo pipefail\n${script}`.replaceAll(documented, server.baseUrl)
  const env = { ...process.env, PATH: generators.path, ACCESS_TOKEN: token, CLASSPATH: generators.classPath }
  try {
    // Bash reads ~/.bashrc if its input is a socket, and that may change PATH.
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', code], { cwd: folder, env })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${script}\n${stdout}\n${stderr}`.slice(0, 20_000))
  }
}

/** Runs the example in a language: generates the client, writes the program, builds and runs it. Compares its output with the page's. */
const runExample = async (language: string, file: string, programs: string): Promise<void> => {
  const index = blocks.findIndex(block => block.language === language)
  const [generate, program, output] = blocks.slice(index - 1, index + 2)
  await run(generate?.code ?? assert.fail())
  await writeFile(join(folder, file), (program?.code ?? '').replaceAll(documented, server.baseUrl))
  assert.equal(await run(programs), output?.code)
}

const compilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ module: 'nodenext', target: 'es2023', noEmit: true, allowImportingTsExtensions: true },
}

describe('clients from the document of an API', { concurrency: true }, () => {
  test('openapi-typescript and openapi-fetch compile without a cast, search, filter, page and batch', async () => {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const config = { compilerOptions, files: ['client.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await runExample('ts', 'client.ts', `tsc -p . >&2 && ${process.execPath} client.ts`)
  })

  test('openapi-python-client searches and filters', () =>
    runExample('python', 'client.py', 'python client.py'))

  test('OpenAPI Generator for Java searches and filters', () =>
    runExample(
      'java',
      'Search.java',
      `mkdir classes
      javac -J-XX:TieredStopAtLevel=1 -proc:none -nowarn -d classes Search.java $(find client/src/main -name '*.java') 2>errors.txt || { cat errors.txt; exit 1; }
      java -XX:TieredStopAtLevel=1 -cp "classes:$CLASSPATH" Search`,
    ))

  test('Spectral finds nothing in the documents of APIs, of the service and of the management API', async () => {
    await writeFile(join(folder, 'spectral.json'), '{"extends":["spectral:oas"]}')
    await run(`curl -sf ${documented}/4/openapi.json -o service.json`)
    await run(`curl -sf ${server.authUrl}/manage/v1/openapi.json -o manage.json`)
    const files = 'api.json service.json manage.json'
    const printed = await run(`spectral lint --ruleset spectral.json --fail-severity hint ${files}`)
    assert.match(printed, /^No results/)
  })
})
