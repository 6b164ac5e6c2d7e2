/**
 * docs/get-a-token.md, docs/sign-people-in.md and docs/quickstarts.md are true. Shell blocks run in order, as one session. Code blocks are passages of the
 * examples, which sign-in.test.ts runs. Replies have the documented fields, and errors match the tables.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { SystemRole } from '@querent/contract/manage'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import { registerApplication } from '#tests/support/person'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const root = join(import.meta.dirname, '..', '..')
let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-documents-'))
  await server.applyFile(join(root, 'packages', 'cli', 'dictionary', 'workspace.yaml'))
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

interface Block {
  language: string
  code: string
}
const readBlocks = async (document: string): Promise<Block[]> => {
  const markdown = await readFile(join(root, 'docs', document), 'utf8')
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
}

/** `NAME=…` is a value that the reader copies from the output so far. */
const copied: Readonly<Record<string, RegExp>> = {
  CLIENT_ID: /Client ID: +(\S+)/g,
  CLIENT_SECRET: /Client Secret: +(\S+)/g,
  SECRET_ID: /Secret ID: +(\S+)/g,
  ACCESS_TOKEN: /"access_token":"([^"]+)"/g,
  INITIAL_ACCESS_TOKEN: /Initial access token: +(\S+)/g,
  SIGNER_ID: /"clientId":"([^"]+)"/g,
}
/** `npx` and `python3` run programs of the checkout. sign-in.test.ts runs the applications that wait for people. */
const preamble = `set -euo pipefail
npx() { case "$*" in
  "node examples/private-key/"* | "node examples/dpop/"* | "node examples/node/"*) (cd "$ROOT" && KEY_FILE="$FOLDER/$KEY_FILE" "$@") ;;
  "node examples/"*) test -f "$ROOT/$2" ;;
  *) "$@" ;;
esac; }
python3() { (cd "$ROOT" && command python3 "$@"); }
`

/** Runs the blocks in one shell session and returns the output of each. Throws if one fails. */
const runShell = async (blocks: readonly string[]): Promise<string[]> => {
  const outputs: string[] = []
  let exports = ''
  for (const block of blocks) {
    const code = block
      .replaceAll('http://127.0.0.1:4001', server.authUrl)
      .replaceAll('http://127.0.0.1:4000', server.baseUrl)
      .replaceAll(/^(\w+)=…/gm, (_, name: string) => {
        const copiedValue = [...outputs.join('\n').matchAll(copied[name] ?? assert.fail(name))].at(-1)?.[1]
        return `${name}=${copiedValue ?? assert.fail(`nothing printed a ${name}`)}`
      })
    assert.doesNotMatch(code, /…/)
    const shell = spawn('bash', ['-c', `${preamble}${exports}${code}`], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
        QUERENT_DATA: server.data,
        AUTH_URL: server.authUrl,
        BASE_URL: server.baseUrl,
        ROOT: root,
        FOLDER: folder,
        KEY_FILE: 'key.json',
      },
    })
    shell.stdin.end()
    const exited = new Promise(resolve => shell.once('close', resolve))
    const [output, errors, status] = await Promise.all([text(shell.stdout), text(shell.stderr), exited])
    assert.equal(status, 0, `${code}\n${output}${errors}`)
    outputs.push(output)
    exports += [...code.matchAll(/^[A-Z_]+=\S+$/gm)].map(([line]) => `export ${line}\n`).join('')
  }
  return outputs
}

const readFieldNames = (json: string): string[] => Object.keys(JSON.parse(json) as object).sort()
/** Lines without their indentation. */
const flat = (code: string): string => code.replaceAll(/^ +/gm, '').trim()

for (const document of ['get-a-token.md', 'sign-people-in.md', 'quickstarts.md'])
  test(`the commands and code in docs/${document} work`, async () => {
    const blocks = await readBlocks(document)
    assert.ok(blocks.length > 5)
    const outputs = await runShell(blocks.filter(({ language }) => language === 'sh').map(({ code }) => code))
    const examples = await Promise.all(
      ['single-page/app.js', 'server/server.ts', 'native/sign-in.ts'].map(file =>
        readFile(join(root, 'examples', file), 'utf8'),
      ),
    )
    let shellBlocks = 0
    for (const { language, code } of blocks)
      if (language === 'sh') shellBlocks += 1
      else if (language === 'json')
        assert.deepEqual(readFieldNames(code), readFieldNames(outputs[shellBlocks - 1] ?? ''))
      else if (language === 'yaml') {
        const read = readWorkspaceFile(`workspace: library\n${code}`)
        assert.ok('file' in read, JSON.stringify(read))
      }
      // Spring Security is not installed here, so its passage has no example to compare with.
      else if (language !== 'java')
        assert.ok(
          examples.some(example => flat(example).includes(flat(code))),
          code,
        )
    for (const output of outputs) assert.doesNotMatch(output, /"error"|"status":4/)
  })

test('docs/get-a-token.md lists the errors that the server returns', async () => {
  const document = await readFile(join(root, 'docs', 'get-a-token.md'), 'utf8')
  const rows = document
    .split('\n')
    .filter(line => /^\| 40\d/.test(line))
    .map(line => line.split('|').map(cell => cell.trim().replaceAll('`', '')))
  const rest = rows.map(([, status, error, description]) => [status, error, description].join(' '))

  const account = (name: string, role: SystemRole = 'api') => server.createAccount('dictionary', name, role)
  /** Ticks off the row that this reply belongs to. */
  const answers = (status: number, error: string, description: string) => {
    const rowIndex = rows.findIndex(
      ([, ...row]) => row[0] === `${status}` && row[1] === error && description.includes(row[2] ?? ''),
    )
    assert.ok(rowIndex >= 0, `no row has ${status} ${error}: ${description}`)
    rest[rowIndex] = ''
  }
  const { clientId, clientSecret } = await account('errors')
  const credentials = { client_id: clientId, client_secret: clientSecret }
  const grant = { grant_type: 'client_credentials', audience: server.baseUrl }
  const portal = await registerApplication(server, 'dictionary', 'server', 'https://portal.example/')
  for (const [body, headers = {}] of [
    [{ ...credentials, ...grant }, { dpop: 'x' }],
    [{ ...grant, ...credentials, client_secret: 'wrong' }],
    [grant],
    [{ ...credentials, audience: server.baseUrl }],
    [{ ...credentials, ...grant, audience: 'https://elsewhere.example' }],
    [{ ...credentials, ...grant, audience: `${server.baseUrl}/4/elsewhere` }],
    [{ ...credentials, ...grant, grant_type: 'password' }],
    [{ ...grant, client_id: portal.clientId, client_secret: portal.clientSecret ?? '' }],
  ] as const) {
    const form = new URLSearchParams(body)
    const reply = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', headers, body: form })
    // RFC 6749, section 5.2.
    const { error, error_description } = (await reply.json()) as Record<'error' | 'error_description', string>
    answers(reply.status, error, error_description)
  }

  const query = async (token: string | undefined, workspace = 'dictionary') => {
    const reply = await fetch(`${server.baseUrl}/4/${workspace}/api/dictionary/`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
    await reply.arrayBuffer()
    const challenge = reply.headers.get('www-authenticate') ?? ''
    const [error = 'none', description = ''] = ['error', 'error_description'].map(
      name => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1],
    )
    answers(reply.status, error, description)
  }
  const token = await fetchToken(server, { clientId, clientSecret })
  await query(undefined)
  await query(token.slice(0, -20).replaceAll('.', ''))
  await query(token, 'elsewhere')
  await query(await fetchToken(server, await account('loader', 'data-provider')))
  await server.call('updateSystemToSystem', {
    params: { workspace: 'dictionary', clientId },
    input: { disabled: true },
  })
  await query(token)
  assert.deepEqual(rest.filter(Boolean), [])
})
