/** `querent types` of a started server: what it prints compiles, and stops wrong names. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runQuerent } from '#tests/support/command-line'
import { findCompilerErrors } from '#tests/support/compile'
import { makeLibrary, workspaceFile } from '#tests/support/library'
import { parts, partsFile } from '#tests/support/parts'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

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

const client = fileURLToPath(import.meta.resolve('@querent/client'))

/** A program that uses the types of the library in `apis.ts`. */
const withApi = (program: string): string => `import { queryApi } from ${JSON.stringify(client)}
import type { LibraryApis } from './apis.ts'
const api = queryApi<LibraryApis['library']>({ baseUrl: 'http://127.0.0.1' }, 'library', 'library')
${program}`

/** Returns the number of errors in each program. Fails if the types have an error of their own. */
const compile = async (types: string, programs: readonly string[]): Promise<number[]> => {
  await writeFile(join(folder, 'apis.ts'), types)
  const names = programs.map((_, index) => `program-${index}.ts`)
  for (const [index, program] of programs.entries())
    await writeFile(join(folder, names[index] ?? ''), program)
  const { files, output } = await findCompilerErrors(folder, ['apis.ts', ...names])
  assert.deepEqual(
    files.filter(file => !names.includes(file)),
    [],
    output,
  )
  return names.map(name => files.filter(file => file === name).length)
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
    export const title: string | string[] | null | undefined = items[0]?.tuple[0]?.attributes.title
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
  await server.applyFile(path)
  const { stdout } = await runQuerent(['types', 'hostile', '--data', server.data])
  assert.deepEqual(await compile(stdout.replaceAll('HostileApis', 'LibraryApis'), [withApi('')]), [0])
  assert.doesNotMatch(stdout, /^\s*export const broken/m)
  const json = (await server.run(['types', 'hostile'])) as Record<string, { facets: string[] }>
  assert.deepEqual(json.library?.facets, ['genre'])
})

test('replies have the types of their attributes, and no type allows what replies do not have', async () => {
  await server.applyWorkspace(partsFile)
  await server.importDocuments('parts', 'parts', parts)
  const token = await fetchToken(server, await server.createAccount('parts', 'tests', 'api'))
  const reply = await fetch(`${server.baseUrl}/4/parts/api/parts/e/all/results?count=10`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { items } = (await reply.json()) as { items: { tuple: { attributes: object }[] }[] }
  const attributes = items.flatMap(({ tuple }) => tuple.map(document => document.attributes))
  assert.equal(attributes.length, parts.length)
  const { stdout } = await runQuerent(['types', 'parts', '--data', server.data])
  const declare = (line: string) =>
    `import type { PartsApis } from './apis.ts'\ndeclare const part: PartsApis['parts']['attributes']\n${line}`
  const programs = [
    // The compiler rejects members of a literal that its type does not have.
    `export const parts: PartsApis['parts']['attributes'][] = ${JSON.stringify(attributes)}`,
    "export const price = Number(part['Preis (EUR)'] ?? 0) * 1.19",
    'export const doubled = typeof part.stock === "number" ? part.stock * 2 : 0',
    "export const price = part['Preis (EUR)']! * 1.19",
    "export const group = part['Warengruppe-text']",
    'export const spot = part.spot',
    'export const spanish: string = part.nombre.es',
  ]
  assert.deepEqual(await compile(stdout, programs.map(declare)), [0, 0, 0, 1, 1, 1, 2])
})

test('a workspace that does not exist is refused', async () => {
  const { code, stderr } = await runQuerent(['types', 'nowhere', '--data', server.data])
  assert.equal(code, 1)
  assert.match(stderr, /nowhere/)
})
