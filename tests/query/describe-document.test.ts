/** The pages about workspace files are true: each part of the file can be applied, and every command works. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { launcher } from '#tests/support/command-line'
import { readBlocks } from '#tests/support/read-blocks'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-describe-'))
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

type Part = { [key: string]: unknown }
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds a part to the file. */
const added = (file: Part, part: Part): Part => {
  const merged = { ...file }
  for (const [name, value] of Object.entries(part)) {
    const old = merged[name]
    merged[name] = isPart(old) && isPart(value) && !('type' in value) ? added(old, value) : value
  }
  return merged
}

/** Removes the members that `before` has and `after` does not have. */
const removed = (file: Part, before: Part, after: Part): Part => {
  const rest = { ...file }
  for (const [name, value] of Object.entries(before)) {
    const [old, remaining] = [rest[name], after[name]]
    if (remaining === undefined) delete rest[name]
    else if (isPart(old) && isPart(value) && isPart(remaining)) rest[name] = removed(old, value, remaining)
  }
  return rest
}

/** Applies a change in the format of `diff -U` to the file. */
const changed = (file: Part, diff: string): Part => {
  const side = (marks: string) => {
    const lines = diff.split('\n').filter(line => marks.includes(line.charAt(0)))
    return parse(lines.map(line => line.slice(1)).join('\n')) as Part
  }
  const newPart = side(' +')
  return added(removed(file, side(' -'), newPart), newPart)
}

const documented = 'http://127.0.0.1:4000'
/** Returns the terminal output. `npx querent` runs this checkout, for this server. */
const run = async (code: string, TOKEN: string): Promise<string> => {
  const npx = `npx() { shift; "$LAUNCHER" "$@" --data "$DATA"; }`
  const env = { ...process.env, LAUNCHER: launcher, DATA: server.data, TOKEN }
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec 2>&1\n${npx}\n${code}\ntrue`], {
    env,
    cwd: folder,
  })
  return stdout
}

/** Credentials of the System-to-System account that the page shows. */
const createToken = async (workspace: string, name: string): Promise<string> => {
  // The JSON replies of `querent s2s list` and `secret add`.
  const accounts = (await server.run(['s2s', 'list', workspace])) as { name: string; clientId: string }[]
  const { clientId } = accounts.find(account => account.name === name) ?? assert.fail(name)
  const credentials = await server.run(['s2s', 'secret', 'add', workspace, clientId])
  return fetchToken(server, credentials as { clientId: string; clientSecret: string })
}

const pages = [
  { page: 'describe-your-search.md', workspace: 'guide', collection: 'places', commandsMin: 15 },
  { page: 'relevance.md', workspace: 'shop', collection: 'products', commandsMin: 10 },
  { page: 'groups.md', workspace: 'news', collection: 'articles', commandsMin: 4 },
]

for (const { page, workspace, collection, commandsMin } of pages)
  test(`every part of docs/${page} can be applied, and every command prints the documented output`, async () => {
    let file: Part = {}
    let functions = ''
    let token = ''
    let commands = 0
    const blocks = await readBlocks(page)
    const fileName = `${workspace}.yaml`
    for (const [index, { language, code }] of blocks.entries()) {
      if (language === 'yaml' || language === 'diff') {
        // A part of the file is a mapping.
        file = language === 'diff' ? changed(file, code) : added(file, parse(code) as Part)
        await writeFile(join(folder, fileName), stringify(file))
        const isTried = blocks[index + 1]?.code.includes('--dry-run')
        if (!isTried) await server.applyFile(join(folder, fileName))
      } else if (language === 'ndjson') await server.importDocuments(workspace, collection, code)
      else if (language === 'sh' && code.startsWith('ask()')) functions = code
      else if (language === 'sh') {
        commands++
        // The comment on the first line may name the account.
        const [, account = 'parks-site'] = /^# as ([a-z-]+)\n/.exec(code) ?? []
        if (code.includes('$TOKEN')) token = await createToken(workspace, account)
        const printed = await run(`${functions}${code}`.replaceAll(documented, server.baseUrl), token)
        assert.equal(printed, blocks[index + 1]?.code, code)
      }
    }
    assert.ok(commands >= commandsMin)
  })
