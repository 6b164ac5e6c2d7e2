/** docs/tutorial.md is true: a reader who types its commands in order gets a running demo, four searches and the printed replies. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type CodeBlock, readBlocks } from '#tests/support/read-blocks'
import { type StartedDemo, startDemo } from '#tests/support/started-demo'

const root = join(import.meta.dirname, '..', '..')

let folder: string
let demo: StartedDemo
let blocks: CodeBlock[]
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-tutorial-'))
  blocks = await readBlocks('tutorial.md')
  demo = await startDemo(folder)
})
after(async () => {
  await demo?.stop()
  await rm(folder, { recursive: true })
})

/** `NAME=…` is a value that the reader copies from the output so far. */
const copied: Readonly<Record<string, RegExp>> = {
  CLIENT_ID: /Client ID: +(\S+)/,
  CLIENT_SECRET: /Client Secret: +(\S+)/,
  ACCESS_TOKEN: /"access_token":"([^"]+)"/,
}

/** Runs a block in the folder where the block before it ended. Returns its output and the folder where it ends. */
const runBlock = async (code: string, start: string): Promise<{ output: string; end: string }> => {
  const shell = spawn('bash', ['-c', `set -euo pipefail\nnpx() { "$@"; }\n${code}\npwd > "$ENDED_IN"`], {
    cwd: start,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
      QUERENT_DATA: join(folder, 'querent-demo'),
      ENDED_IN: join(folder, 'ended-in'),
    },
  })
  shell.stdin.end()
  const closed = once(shell, 'close')
  const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  const [status] = await closed
  assert.equal(status, 0, `${code}\n${output}${errors}`)
  return { output, end: (await readFile(join(folder, 'ended-in'), 'utf8')).trim() }
}

test('every command of the tutorial works, in order, and finds what the page says', async () => {
  const outputs: string[] = []
  let variables = ''
  let current = folder
  for (const [index, { language, code }] of blocks.entries()) {
    // It runs already.
    if (language !== 'sh' || code.startsWith('npx querent demo')) continue
    const filled = code
      .replaceAll('http://127.0.0.1:4001', demo.authUrl)
      .replaceAll('http://127.0.0.1:4000', demo.baseUrl)
      .replaceAll(/^(\w+)=…$/gm, (_, name: string) => {
        const value = (copied[name] ?? assert.fail(name)).exec(outputs.join('\n'))?.[1]
        return `${name}=${value ?? assert.fail(`nothing printed a ${name}`)}`
      })
    assert.doesNotMatch(filled, /…/)
    const { output, end } = await runBlock(`${variables}${filled}`, current)
    current = end
    outputs.push(output)
    variables += [...filled.matchAll(/^[A-Z_]+=\S+$/gm)].map(([line]) => `${line}\n`).join('')
    const next = blocks[index + 1]
    if (next?.language === 'text') assert.equal(output.trim(), next.code.trim(), code)
  }
  const findOutput = (command: string) =>
    outputs[
      blocks
        .filter(({ language, code }) => language === 'sh' && !code.startsWith('npx querent demo'))
        .findIndex(({ code }) => code.includes(command))
    ] ?? assert.fail(command)
  assert.match(findOutput('large feline with stripes'), /tiger/)
  assert.match(findOutput('stripd zebr'), /zebra/)
  assert.match(findOutput('query/zebra/count'), /\{"total":\d+\}/)
  assert.match(findOutput('rotate signing keys'), /Signing keys/)
  assert.match(findOutput('query=ketle'), /Camping kettle/)
})
