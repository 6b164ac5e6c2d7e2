/** `querent judge` against a real server, as a CI job runs it. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { books, bookUri, makeLibrary, workspaceFile } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  folder = await mkdtemp(join(tmpdir(), 'querent-judge-'))
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const findTitled = (title: string): string[] => books.filter(book => book.title === title).map(({ id }) => id)
const titled = findTitled('The silent river')

/** Runs the tests of the library's file. `tests` is YAML, indented. */
const judge = async (tests: string, ...flags: string[]) => {
  const path = join(folder, 'workspace.yaml')
  await writeFile(path, `${workspaceFile('library')}tests:\n${tests}`)
  return runQuerent(['judge', path, '--data', server.data, ...flags])
}

const judgments = async (lines: readonly string[]): Promise<void> =>
  writeFile(join(folder, 'judgments.tsv'), `# query, document, grade\n${lines.join('\n')}\n`)

test('expected documents are found by id or URI, and a failing query is named with what is missing', async () => {
  const [first = ''] = titled
  const unrelated = books.find(({ title }) => !/silent|river/.test(title))?.id ?? ''
  const passing = `  - { endpoint: search, query: silent river, expect: ["${bookUri(first)}", "${first}"], within: ${titled.length} }\n`
  const passed = await judge(passing)
  assert.equal(passed.code, 0, passed.stderr)
  const failed = await judge(
    `${passing}  - { api: library, endpoint: search, query: silent river, expect: ["${unrelated}"] }\n`,
    '--json',
  )
  assert.equal(failed.code, 1)
  const outcome = JSON.parse(failed.stdout)
  assert.deepEqual([outcome.passed, outcome.failed], [1, 1])
  const [{ found, ...failedQuery }] = outcome.tests[1].failedQueries
  assert.deepEqual(failedQuery, { query: 'silent river', value: 0, missing: [unrelated] })
  assert.ok(titled.includes(found[0]))
  const { stdout } = await judge(`  - { endpoint: search, query: silent river, expect: ["${unrelated}"] }\n`)
  assert.match(stdout, new RegExp(`not found: ${unrelated}`))
  assert.match(stdout, new RegExp(`found: .*${first}`))
})

test('judgments give each metric, and a baseline shows what changed', async () => {
  await judgments([
    ...titled.map(id => `silent river\t${id}\t3`),
    `golden garden\t${bookUri(findTitled('The golden garden')[0] ?? books[0]?.id ?? '')}\t1`,
    'nothing like it\tb000\t0',
  ])
  const tests = ['ndcg@10', 'mrr@10', 'precision@1', 'recall@100']
    .map(metric => `  - { judgments: judgments.tsv, endpoint: search, metric: ${metric}, atLeast: 0.1 }\n`)
    .join('')
  const { code, stdout, stderr } = await judge(tests, '--json')
  assert.equal(code, 0, stderr)
  const outcome = JSON.parse(stdout)
  assert.equal(outcome.passed, 4)
  for (const { value } of outcome.tests) assert.ok(value > 0 && value <= 1)
  const baseline = join(folder, 'baseline.json')
  await writeFile(baseline, stdout)
  const compared = JSON.parse((await judge(tests, '--json', '--baseline', baseline)).stdout)
  assert.deepEqual(
    compared.tests.map(({ before, change }: { before: number; change: number }) => [before, change]),
    outcome.tests.map(({ value }: { value: number }) => [value, 0]),
  )
})

test('--config tests a staged generation, and the baseline says what it changes', async () => {
  const [missed, ...staged] = books
  assert.ok(missed)
  await server.applyFile(await writeStaging())
  await server.importDocuments('library', 'books', staged.map(book => JSON.stringify(book)).join('\n'), {
    replace: true,
    stage: true,
  })
  const tests = `  - { endpoint: search, query: "${missed.title}", expect: [${missed.id}], within: 100 }\n`
  const live = await judge(tests, '--json')
  assert.equal(live.code, 0, live.stderr)
  const baseline = join(folder, 'live.json')
  await writeFile(baseline, live.stdout)
  const { code, stdout } = await judge(tests, '--json', '--config', 'staging', '--baseline', baseline)
  assert.equal(code, 1)
  const report = JSON.parse(stdout)
  assert.equal(report.config, 'staging')
  assert.deepEqual([report.tests[0].before, report.tests[0].change], [1, -1])
  const unknown = await judge(tests, '--config', 'stagin')
  assert.notEqual(unknown.code, 0)
  assert.match(unknown.stderr, /no-such-configuration/)
})

const writeStaging = async (): Promise<string> => {
  const path = join(folder, 'staging.yaml')
  await writeFile(path, `${workspaceFile('library')}configurations:\n  staging: { books: latest }\n`)
  return path
}

test('a CI system gets the outcome as JUnit XML', async () => {
  const path = join(folder, 'judge.xml')
  const tests = `  - { endpoint: search, query: "a <b> & \\"c\\"", expect: [b000], within: 1 }\n`
  assert.equal((await judge(tests, '--junit', path)).code, 1)
  const xml = await readFile(path, 'utf8')
  assert.match(xml, /<testsuites tests="1" failures="1">/)
  assert.match(xml, /name="library search: a &lt;b&gt; &amp; &quot;c&quot;, within 1"/)
})

test('files that cannot be judged are refused with the place', async () => {
  const refusals: [tests: string, message: RegExp][] = [
    [
      '  - { endpoint: serch, query: x, expect: [y] }\n',
      /workspace\.yaml:\d+:\d+: tests\.0\.endpoint: .*did you mean "search"/,
    ],
    ['  - { endpoint: all, query: x, expect: [y] }\n', /endpoint that ranks by a text/],
    [
      '  - { endpoint: search, judgments: none.tsv, metric: ndcg@10, atLeast: 0.5 }\n',
      /none\.tsv cannot be read/,
    ],
    ['  - { endpoint: search, judgments: judgments.tsv, metric: map@10, atLeast: 0.5 }\n', /metric/],
    ['  []\n', /has no `tests`/],
  ]
  for (const [tests, message] of refusals) {
    const { code, stderr } = await judge(tests)
    assert.notEqual(code, 0)
    assert.match(stderr, message)
  }
  await judgments(['silent river b000 3'])
  const { stderr } = await judge(
    '  - { endpoint: search, judgments: judgments.tsv, metric: ndcg@10, atLeast: 0.5 }\n',
  )
  assert.match(stderr, /judgments\.tsv:2: found .*separated by tabs/)
})

test('files of a run that cannot be read or written fail with one line that names them', async () => {
  const tests = '  - { endpoint: search, query: silent river, expect: [b000] }\n'
  const broken = join(folder, 'broken.json')
  await writeFile(broken, 'table\n')
  for (const [flag, path, reason] of [
    ['--baseline', join(folder, 'none.json'), /none\.json cannot be read: there is no such file/],
    ['--baseline', broken, /broken\.json is not the output of `querent judge --json`/],
    [
      '--junit',
      join(folder, 'none', 'judge.xml'),
      /judge\.xml cannot be written \(the folder does not exist\)/,
    ],
  ] as const) {
    const { code, stderr } = await judge(tests, flag, path)
    assert.equal(code, 1)
    assert.match(stderr, reason)
    assert.match(stderr, /^querent: [^\n]*\n$/)
  }
})

test('the server keeps the tests of a file, and exports them', async () => {
  const path = join(folder, 'kept.yaml')
  await writeFile(
    path,
    `${workspaceFile('library')}tests:\n  - { endpoint: search, query: silent river, expect: [b000] }\n`,
  )
  await server.applyFile(path)
  const { stdout } = await runQuerent(['export', 'library', '--data', server.data])
  assert.match(stdout, /query: silent river/)
})
