/** `querent login` and `logout` as a person at another machine uses them: only the server's URL is known, and a browser elsewhere. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { launcher, runQuerent } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, openPerson, type Person } from '#tests/support/person'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

describe('the command line of another machine', { concurrency: true }, () => {
  let server: ServerProcess
  let otherServer: ServerProcess
  let library: Library
  let reader: Person
  let folder: string
  const homes: Record<string, string> = {}

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'querent-login-'))
    ;[server, otherServer] = await Promise.all([
      startServerProcess(),
      startServerProcess([], { hasOwnKeys: true }),
    ])
    library = await makeLibrary(server)
    reader = await makeMember(server, library.workspace, 'reader@example.org')
  })
  after(async () => {
    await Promise.all([server.stop(), otherServer.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  /** In a browser of its own, because the tests run at the same time. */
  const openReader = () => openPerson(server, reader.email, reader.password)
  /** Environment of a person with an own configuration folder. */
  const environment = (home: string, env: Record<string, string> = {}) => {
    homes[home] ??= join(folder, home)
    return { XDG_CONFIG_HOME: homes[home], QUERENT_SERVER: '', DISPLAY: '', WAYLAND_DISPLAY: '', ...env }
  }
  const run = (home: string, ...args: string[]) =>
    runQuerent([...args, '--server', server.authUrl, '--json'], { env: environment(home) })
  const signInFiles = (home: string) => join(folder, home, 'querent', 'sign-ins')

  /** Runs `querent login`, and `approve` with the address that it prints. */
  const login = async (
    home: string,
    approve: (page: string) => Promise<unknown>,
    { at = server, env = {} }: { at?: ServerProcess; env?: Record<string, string> } = {},
  ) => {
    const child = spawn(launcher, ['login', at.authUrl, '--json'], {
      env: { ...process.env, ...environment(home, env) },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    const page = new Promise<string>(resolve => {
      child.stderr.on('data', chunk => {
        stderr += chunk
        const [, address] = /^Open (\S+) .* code \S+\.\n/.exec(stderr) ?? []
        if (address !== undefined) resolve(address)
      })
    })
    const exitCode = new Promise<number | null>(resolve => {
      child.once('close', resolve)
    })
    await Promise.race([page.then(approve), exitCode]).catch((error: unknown) => {
      child.kill()
      throw error
    })
    const code = await exitCode
    return { code, stdout, stderr }
  }

  test('a person signs in, searches as themselves, and signs out', async () => {
    const signedIn = await login('reader', page => openReader().approveDevice(page))
    assert.deepEqual(
      [signedIn.code, JSON.parse(signedIn.stdout)],
      [0, { authUrl: server.authUrl, email: reader.email }],
    )

    const [file = '', ...otherFiles] = await readdir(signInFiles('reader'))
    assert.deepEqual(otherFiles, [])
    assert.equal((await stat(signInFiles('reader'))).mode & 0o777, 0o700)
    assert.equal((await stat(join(signInFiles('reader'), file))).mode & 0o777, 0o600)
    const { refreshToken } = JSON.parse(await readFile(join(signInFiles('reader'), file), 'utf8'))
    assert.ok(!(signedIn.stdout + signedIn.stderr + server.log()).includes(refreshToken))

    const token = await run('reader', 'token')
    const { accessToken } = JSON.parse(token.stdout)
    const claims = decodeJwt(accessToken)
    assert.deepEqual([claims.client_id, [claims.aud].flat().includes(server.baseUrl)], ['querent-cli', true])
    assert.equal((await stat(join(signInFiles('reader'), file))).mode & 0o777, 0o600)
    const searchResult = await run('reader', 'search', library.workspace, 'library', 'search', 'query=river')
    assert.equal(searchResult.code, 0, searchResult.stderr)
    assert.ok(JSON.parse(searchResult.stdout).items.length > 0)
    const users = await run('reader', 'users', 'list')
    assert.equal(users.code, 1)
    assert.match(users.stderr, /insufficient/)

    const query = () =>
      fetch(`${server.baseUrl}/4/${library.workspace}/api/library/e/all/count`, {
        headers: { authorization: `Bearer ${accessToken}` },
      })
    assert.equal((await query()).status, 200)
    const signedOut = await run('reader', 'logout')
    assert.deepEqual([signedOut.code, JSON.parse(signedOut.stdout)], [0, { authUrl: server.authUrl }])
    assert.deepEqual(await readdir(signInFiles('reader')), [])
    assert.equal((await query()).status, 401)
    const stolen = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'querent-cli',
        refresh_token: refreshToken,
      }),
    })
    assert.equal(stolen.status, 400)
    assert.match((await run('reader', 'token')).stderr, /not signed in .*: run `querent login http/)
  })

  test('an operator manages the server, and commands at the same time share the sign-in', async () => {
    const operator = openPerson(server, 'ada@example.org', 'correct horse battery staple')
    assert.equal((await login('operator', page => operator.approveDevice(page))).code, 0)
    // A command that was killed leaves its lock.
    const [file = ''] = await readdir(signInFiles('operator'))
    await writeFile(join(signInFiles('operator'), `${file}.lock`), `99999999 ${hostname()}`)
    const results = await Promise.all([
      run('operator', 'users', 'list'),
      run('operator', 'token'),
      run('operator', 'workspaces', 'list'),
      run('operator', 'search', library.workspace, 'library', 'search', 'query=river'),
      run('operator', 'doctor'),
    ])
    for (const { code, stderr } of results) assert.equal(code, 0, stderr)
    assert.equal((await run('operator', 'keys', 'list')).code, 0)
    assert.deepEqual(await readdir(signInFiles('operator')), [file])
  })

  test('each server has a sign-in of its own, and a new one replaces the former', async () => {
    const ada = openPerson(otherServer, 'ada@example.org', 'correct horse battery staple')
    await login('both', page => ada.approveDevice(page), { at: otherServer })
    const elsewhere = await run('both', 'token')
    assert.equal(elsewhere.code, 1)
    assert.ok(elsewhere.stderr.includes(`not signed in to ${server.authUrl} (but to ${otherServer.authUrl})`))
    const [otherFile = ''] = await readdir(signInFiles('both'))
    const former = await readFile(join(signInFiles('both'), otherFile), 'utf8')
    await Promise.all([
      login('both', page => openReader().approveDevice(page)),
      login('both', page => ada.approveDevice(page), { at: otherServer }),
    ])
    assert.equal((await readdir(signInFiles('both'))).length, 2)
    const env = environment('both')
    const ambiguous = await runQuerent(['logout'], { env })
    assert.equal(ambiguous.code, 2)
    for (const { authUrl } of [server, otherServer]) {
      assert.ok(ambiguous.stderr.includes(authUrl))
      assert.equal((await runQuerent(['token', '--server', authUrl], { env })).code, 0)
    }
    // The former sign-in was revoked at the server.
    const current = await readFile(join(signInFiles('both'), otherFile), 'utf8')
    await writeFile(join(signInFiles('both'), otherFile), former)
    const revoked = await runQuerent(['token', '--server', otherServer.authUrl], { env })
    assert.deepEqual([revoked.code, revoked.stdout], [1, ''])
    assert.match(revoked.stderr, /has expired or was revoked: run `querent login/)
    assert.ok(!revoked.stderr.includes(JSON.parse(former).refreshToken))
    await writeFile(join(signInFiles('both'), otherFile), current)
    assert.equal((await runQuerent(['logout', otherServer.authUrl], { env })).code, 0)
    assert.equal((await runQuerent(['logout'], { env })).code, 0)
    assert.match((await runQuerent(['logout'], { env })).stderr, /not signed in to any server/)
  })

  test('a person who refuses, or is disabled afterwards, has no tokens', async () => {
    const refusal = await login('refused', async page => {
      const cookies: string[] = []
      const load = async (body?: URLSearchParams) => {
        const reply = await fetch(page, {
          headers: { cookie: cookies.join('; ') },
          ...(body ? { method: 'POST', body } : {}),
        })
        for (const cookie of reply.headers.getSetCookie()) cookies.push(cookie.split(';')[0] ?? '')
        return reply.text()
      }
      const text = await load()
      const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(text) ?? []
      const user_code = new URL(page).searchParams.get('user_code') ?? ''
      await load(new URLSearchParams({ xsrf, user_code, abort: 'yes' }))
    })
    assert.equal(refusal.code, 1)
    assert.match(refusal.stderr, /refused in the browser: run `querent login/)
    assert.equal((await run('refused', 'token')).code, 1)

    const leaver = await makeMember(server, library.workspace, 'leaver@example.org')
    await login('leaver', page => leaver.approveDevice(page))
    await server.run(['users', 'disable', leaver.email])
    const disabled = await run('leaver', 'token')
    assert.deepEqual([disabled.code, disabled.stdout], [1, ''])
    assert.match(disabled.stderr, /has expired or was revoked: run `querent login/)
  })

  test('on a desktop, the browser opens the page that the terminal shows', async () => {
    const openedFile = join(folder, 'opened')
    const opener = join(folder, 'xdg-open')
    await writeFile(opener, `#!/bin/sh\nprintf '%s' "$1" > '${openedFile}'\n`)
    await chmod(opener, 0o755)
    const env = { DISPLAY: ':0', SSH_CONNECTION: '', PATH: [folder, process.env.PATH].join(delimiter) }
    let shownPage = ''
    const approve = (page: string) => {
      shownPage = page
      return openReader().approveDevice(page)
    }
    assert.equal((await login('desktop', approve, { env })).code, 0)
    assert.equal(await readFile(openedFile, 'utf8'), shownPage)
  })
})
