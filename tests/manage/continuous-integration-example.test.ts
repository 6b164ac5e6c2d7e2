/** The workflow of `examples/continuous-integration`: its steps run in order, in clones of a repository with that folder. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { root } from '#tests/support/bundled-page'
import { copyExample } from '#tests/support/examples'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

interface Step {
  uses?: string
  name?: string
  run?: string
}
interface Workflow {
  jobs: Record<string, { if?: string; env?: Record<string, string>; steps: Step[] }>
}
interface StepResult {
  name: string
  code: number | null
  output: string
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder })

/** Makes a repository whose branch `main` is the example, and `change` a branch with a change of it. */
const openRepository = async (t: TestContext, change: (folder: string) => Promise<void>) => {
  const folder = await copyExample(t, 'continuous-integration')
  const commit = (message: string) => {
    git(folder, 'add', '--all')
    git(folder, 'commit', '--message', message)
  }
  git(folder, 'init', '--quiet', '--initial-branch', 'main')
  commit('Describe the search')
  git(folder, 'remote', 'add', 'origin', folder)
  git(folder, 'switch', '--quiet', '--create', 'change')
  await change(folder)
  commit('Change it')
  return folder
}

/** Runs the steps of a job as a runner does: each in a bash that ends at the first error, the next one only after success. */
const runJob = async (
  folder: string,
  job: string,
  env: Record<string, string> = {},
): Promise<StepResult[]> => {
  const file = join(folder, '.github', 'workflows', 'search.yml')
  const workflow: Workflow = parse(await readFile(file, 'utf8'))
  const { steps, env: jobEnv } = workflow.jobs[job] ?? assert.fail(job)
  const results: StepResult[] = []
  const groups: number[] = []
  for (const { name = '', run } of steps) {
    // The checkout has the command line already. Actions of GitHub are not run.
    if (run === undefined || name === 'Install') continue
    const shell = spawn('bash', ['-e', '-c', run], {
      cwd: folder,
      // A group of its own, which also has the server that a step leaves running.
      detached: true,
      env: {
        ...process.env,
        ...jobEnv,
        QUERENT_PORT: '0',
        QUERENT_AUTH_PORT: '0',
        ...env,
        PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    groups.push(shell.pid ?? assert.fail())
    const [stdout, stderr, [code]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close'),
    ])
    results.push({ name, code, output: stdout + stderr })
    if (code !== 0) break
  }
  for (const group of groups) endGroup(group)
  return results
}

/** Ends what a step has left running. */
const endGroup = (id: number) => {
  try {
    process.kill(-id, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

const replaceIn = async (file: string, before: string, after: string) => {
  const source = await readFile(file, 'utf8')
  assert.ok(source.includes(before), before)
  await writeFile(file, source.replace(before, after))
}

test('a pull request shows its changes and passes, and main applies them to the live server', async t => {
  const folder = await openRepository(t, directory =>
    replaceIn(join(directory, 'workspace.yaml'), 'weight: 3', 'weight: 4'),
  )
  const results = await runJob(folder, 'test')
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0, 0, 0],
    results.at(-1)?.output,
  )
  assert.match(results[2]?.output ?? '', /collections\.products\.fields\.name/)
  assert.match(await readFile(join(folder, 'judge.xml'), 'utf8'), /<testsuite/)
  // The baseline has a value for each test.
  assert.match(results[3]?.output ?? '', /before/)

  const server: ServerProcess = await startServerProcess()
  t.after(() => server.stop())
  const [applied] = await runJob(folder, 'apply', { QUERENT_DATA: server.data })
  assert.equal(applied?.code, 0, applied?.output)
  const exported = await server.run(['export', 'shop'])
  assert.match(JSON.stringify(exported), /weight\W+4/)
})

test('a pull request after which people find less fails, and names the query', async t => {
  const folder = await openRepository(t, directory =>
    replaceIn(join(directory, 'workspace.yaml'), 'collection: products, typos: true', 'collection: products'),
  )
  const result = (await runJob(folder, 'test')).at(-1)
  assert.equal(result?.code, 1)
  assert.match(result?.output ?? '', /kettel/)
})

test('a workspace file that is wrong fails before anything changes, at its line', async t => {
  const folder = await openRepository(t, directory =>
    appendFile(join(directory, 'workspace.yaml'), 'collection: {}\n'),
  )
  const result = (await runJob(folder, 'test')).at(-1)
  assert.equal(result?.name, 'Show what changes')
  assert.equal(result?.code, 1)
  assert.match(result?.output ?? '', /workspace\.yaml:\d+:\d+/)
})
