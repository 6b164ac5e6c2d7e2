import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { requestToken } from '@querent/client'
import { entryCount } from '#dictionary/wordnet'
import { folder, querent } from '#stand-in/querent'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

const firstLine = async (child: ChildProcess): Promise<string> => {
  assert.ok(child.stdout && child.stderr)
  let errorText = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    errorText += text
  })
  for await (const line of createInterface({ input: child.stdout })) return line
  return assert.fail(`the demo ended without a line: ${errorText}`)
}

test('the demo has a working account, stops with Ctrl-C, and a second start reuses its data', async t => {
  const data = join(await folder(t), 'demo')
  const ports = ['--port', '0', '--auth-port', '0']
  const start = async () => {
    const child = spawn(process.execPath, [main, 'demo', '--data', data, ...ports, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const ready = JSON.parse(await firstLine(child))
    return { child, ready }
  }

  const first = await start()
  const { baseUrl, authUrl, clientId, clientSecret, console, searchPage, citiesPage, ...names } = first.ready
  assert.deepEqual(names, { workspace: 'dictionary', api: 'dictionary' })
  assert.equal(searchPage, `${baseUrl}/demo/`)
  assert.equal(citiesPage, `${baseUrl}/demo/cities/`)
  assert.equal(console.url, `${authUrl}/console/`)
  assert.equal(console.email, 'admin@example.org')
  assert.ok(console.password.length >= 16)
  for (const name of ['demo.json', 'operator.json'])
    assert.equal((await stat(join(data, name))).mode & 0o777, 0o600)

  const { access_token } = await requestToken({ authUrl, clientId, clientSecret, audience: `${baseUrl}/` })
  const ask = (path: string) =>
    fetch(`${baseUrl}/4/dictionary/api/dictionary/${path}`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
  assert.deepEqual(await (await ask('e/everything/count')).json(), { total: entryCount })
  const document = await readFile(new URL('../../../../docs/get-a-token.md', import.meta.url), 'utf8')
  const [, path = '', reply = ''] =
    /api\/dictionary\/(e\S+count)"\n```\n[\s\S]*?```json\n(.*)\n/.exec(document) ?? []
  assert.deepEqual(await (await ask(path)).json(), JSON.parse(reply), 'docs/get-a-token.md')
  const search = ['search', 'dictionary', 'dictionary', 'search', 'query=large feline with stripes', '--json']
  const results = JSON.parse((await querent([...search, '--data', data])).stdout)
  assert.equal(results.items[0].tuple[0].attributes.title, 'tiger')
  const second = await querent(['demo', '--data', data, ...ports])
  assert.deepEqual([second.code, second.stderr.includes('another server uses')], [1, true])

  first.child.kill('SIGINT')
  assert.deepEqual(await once(first.child, 'exit'), [0, null])
  assert.equal(existsSync(join(data, 'operator.json')), false)

  // The demo ignores settings of other servers in the environment.
  const env = {
    QUERENT_BASE_URL: 'https://search.example.org',
    QUERENT_STORAGE: 'postgres://nowhere.invalid/querent',
    QUERENT_ENGINE: 'https://nowhere.invalid:9200',
    QUERENT_KEY: Buffer.alloc(32).toString('base64'),
  }
  const restarted = await querent(['demo', '--data', data, ...ports, '--exit'], { env })
  assert.deepEqual([restarted.code, restarted.stderr], [0, ''])
  assert.ok(!restarted.stdout.includes('imported'), 'a later start imports nothing')
  assert.match(restarted.stdout, /tiger.*TOKEN=\$\(curl .*Ready after [\d.]+ s\./s)

  const third = await start()
  assert.deepEqual([third.ready.clientId, third.ready.clientSecret], [clientId, clientSecret])
  const importArgs = ['import', 'dictionary', 'entries', '-', '--replace', '--data', data]
  assert.equal((await querent(importArgs, { stdin: '{"id":"mine","title":"Mine"}\n' })).code, 0)
  // Others work in the workspace too.
  const exported = await querent(['export', 'dictionary', '--data', data])
  const extendedFile = exported.stdout.replace(
    /^collections:\n/m,
    'collections:\n  own: { fields: { title: { type: text } } }\n',
  )
  assert.equal((await querent(['apply', '-', '--data', data], { stdin: extendedFile })).code, 0)
  third.child.kill('SIGTERM')
  assert.deepEqual(await once(third.child, 'exit'), [0, null])

  const replaced = await querent(['demo', '--data', data, ...ports, '--exit'])
  assert.equal(replaced.code, 0)
  assert.match(replaced.stdout, /No results\./)
  assert.match(
    replaced.stderr,
    /^the collection entries no longer holds the dictionary: it has 1 document, not 117,791 entries; to start over, remove \S+\n$/,
  )

  const fourth = await start()
  const laterFile = await querent(['export', 'dictionary', '--data', data])
  assert.match(laterFile.stdout, /^ {2}own:/m, 'a later start removes nothing')
  const withoutCount = laterFile.stdout.replace(/^( +)everything:/m, '$1all-entries:')
  assert.equal((await querent(['apply', '-', '--data', data], { stdin: withoutCount })).code, 0)
  fourth.child.kill('SIGTERM')
  await once(fourth.child, 'exit')
  const changed = await querent(['demo', '--data', data, ...ports, '--exit'])
  assert.equal(changed.code, 0)
  assert.match(changed.stderr, /^the API dictionary no longer answers the queries of the demo; to start over/)
})

test('a demo that cannot start leaves nothing behind', async t => {
  const portHolder = createServer()
  await new Promise<void>(resolve => {
    portHolder.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => portHolder.close())
  const address = portHolder.address()
  assert.ok(address !== null && typeof address === 'object')
  const base = await folder(t)
  const ports = ['--port', String(address.port), '--auth-port', '0']
  const { code, stderr } = await querent(['demo', '--data', join(base, 'a', 'demo'), ...ports])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^querent: port \d+ of 127\.0\.0\.1 is in use: choose another with --port, or 0 for any free one\n$/,
  )
  assert.deepEqual(await readdir(base), [])
})
