/** `querent types` of a started server: what it prints compiles, and stops wrong names. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeLibrary, workspaceFile } from '#tests/support/library'
import { readBlocks } from '#tests/support/read-blocks'
import { runQuerent, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  folder = await mkdtemp(join(tmpdir(), 'querent-types-'))
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const run = promisify(execFile)

const client = fileURLToPath(import.meta.resolve('@querent/client'))

/** A program that uses the types of the library in `apis.ts`. */
const withApi = (program: string): string => `import { queryApi } from ${JSON.stringify(client)}
import type { LibraryApis } from './apis.ts'
const api = queryApi<LibraryApis['library']>({ baseUrl: 'http://127.0.0.1' }, 'library', 'library')
${program}`

/** Returns the number of errors that the compiler finds in each program. Fails if the types have an error of their own. */
const compile = async (types: string, programs: readonly string[]): Promise<number[]> => {
  await writeFile(join(folder, 'apis.ts'), types)
  for (const [index, program] of programs.entries())
    await writeFile(join(folder, `program-${index}.ts`), program)
  const files = ['apis.ts', ...programs.map((_, index) => `program-${index}.ts`)]
  const options = '--ignoreConfig --strict --noEmit --skipLibCheck --allowImportingTsExtensions'.split(' ')
  const targets =
    '--target esnext --module esnext --moduleResolution bundler --lib esnext,dom --types '.split(' ')
  const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(
    /package\.json$/,
    'bin/tsc',
  )
  const output = await run(process.execPath, [compiler, ...options, ...targets, ...files], {
    cwd: folder,
  }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  const errors = [...output.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file = '']) => file)
  assert.deepEqual(
    errors.filter(file => !file.startsWith('program-')),
    [],
    output,
  )
  return programs.map((_, index) => errors.filter(file => file === `program-${index}.ts`).length)
}

test('the types compile, and a wrong endpoint, parameter, facet or attribute does not', async () => {
  const { stdout: types, code } = await runQuerent(['types', 'library', '--data', server.data])
  assert.equal(code, 0)
  const right = `
    const { items } = await api.results([
      { endpoint: 'search', parameters: [{ name: 'query', value: 'river' }] },
      { endpoint: 'genre:FILTER', parameters: [{ name: 'value', value: 'drama' }] },
      { endpoint: 'long', parameters: [{ name: 'pages', value: '300' }] },
      { endpoint: 'available', parameters: [] },
    ], { config: 'default' })
    export const title: string | string[] | undefined = items[0]?.tuple[0]?.attributes.title
    await api.options([], 'genre')
  `
  const wrongPrograms = [
    right.replace("'search'", "'serch'"),
    right.replace("name: 'query'", "name: 'q'"),
    right.replace("[], 'genre'", "[], 'author'"),
    right.replace("'300'", "'many'"),
    right.replace('attributes.title', 'attributes.titel'),
    right.replace("config: 'default'", "config: 'staging'"),
  ]
  assert.deepEqual(await compile(types, [right, ...wrongPrograms].map(withApi)), [0, 1, 1, 1, 1, 1, 1])
})

test('titles and names with quotes and comment ends stay text', async () => {
  const path = join(folder, 'workspace.yaml')
  const hostile = workspaceFile('hostile')
    .replace('title: Library', 'title: "*/ export const broken = 1 /*"')
    .replace('genre: { type: keyword', `"it's \\\\": { type: keyword }\n      genre: { type: keyword`)
  await writeFile(path, hostile)
  await server.run(['apply', path])
  const { stdout } = await runQuerent(['types', 'hostile', '--data', server.data])
  assert.deepEqual(await compile(stdout.replaceAll('HostileApis', 'LibraryApis'), [withApi('')]), [0])
  assert.doesNotMatch(stdout, /^\s*export const broken/m)
  const json = (await server.run(['types', 'hostile'])) as Record<string, { facets: string[] }>
  assert.deepEqual(json.library?.facets, ['genre'])
})

test('the example of generate-a-client.md compiles and runs', async () => {
  const findCode = async (page: string, language: string) =>
    (await readBlocks(page)).find(block => block.language === language)?.code ?? assert.fail(language)
  const file = join(folder, 'museum.yaml')
  await writeFile(file, await findCode('query.md', 'yaml'))
  await server.run(['apply', file])
  await server.run(['import', 'museum', 'works', '-'], { input: await findCode('query.md', 'ndjson') })
  const { stdout } = await runQuerent(['types', 'museum', '--data', server.data])
  const example = (await findCode('generate-a-client.md', 'typescript'))
    .replace("'@querent/client'", JSON.stringify(client))
    .replace('http://127.0.0.1:4000', server.baseUrl)
    .replace('./museum-apis.ts', './apis.ts')
  assert.deepEqual(await compile(stdout, [example]), [0])
  const { stdout: lines } = await run(process.execPath, [join(folder, 'program-0.ts')])
  assert.match(lines, /^Girl with a pearl earring 1665$/m)
})

test('a workspace that does not exist is refused', async () => {
  const { code, stderr } = await runQuerent(['types', 'nowhere', '--data', server.data])
  assert.equal(code, 1)
  assert.match(stderr, /nowhere/)
})
