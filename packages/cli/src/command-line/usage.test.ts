import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import workspaceFileSchema from '@querent/contract/workspace-file.schema.json' with { type: 'json' }
import { folder, openCommandProcess } from '#stand-in/querent'

const querent = openCommandProcess()

const wrong: [command: string, reason: RegExp][] = [
  ['', /`querent` needs a command: demo, init, serve/],
  ['serach', /there is no command `querent serach`; did you mean "search"\?/],
  [
    'users',
    /`querent users` needs a command: create, list, disable, enable, remove, reset, remove-factors, export$/,
  ],
  ['users craete', /no command `querent users craete`; did you mean "create"\?/],
  ['--bogus', /unknown option '--bogus'/],
  [
    'import dictionary',
    /<collection> and <files\.\.\.> are missing\. Usage: querent import <workspace> <collection> <files\.\.\.>\. Example: querent import/,
  ],
  [
    'members why w ada@example.org',
    /<collection> and <id> are missing\. Usage: querent members why <workspace> <email> <collection> <id>\. Example: querent members why dictionary ada@example\.org entries bank-1$/,
  ],
  ['import w c f --format xml', /'xml' is invalid\. Allowed choices are ndjson, json, csv/],
  ['import w c f --stage', /--stage needs --replace/],
  ['import w c a.json b.json --format json', /json takes one file at a time: convert the files to lines/],
  ['import w c a.csv -', /csv or tsv on standard input \(-\) cannot be combined/],
  ['import w c a.csv - --format csv', /csv or tsv on standard input \(-\) cannot be combined/],
  ['import w c - -', /can be read only once/],
  ['import w c - --client-id i --client-secret-stdin', /give QUERENT_CLIENT_SECRET instead/],
  ['export a b', /too many arguments/],
  ['init', /--admin is missing/],
  ['init --admin nobody', /--admin: "nobody" is not an e-mail address/],
  [
    'members add w ada@example.org',
    /--role is missing: give one or more of administrator, user, api, data-provider/,
  ],
  ['members add w ada@example.org --role king', /'king' is invalid\. Allowed are administrator, user/],
  ['members invite w ada@example.org', /--role is missing: give one or more of administrator, user/],
  ['keys rotate --signs-in soon', /Write a number and a unit: 30m, 12h, 90d/],
  ['keys', /`querent keys` needs a command: list, rotate, withdraw, re-encrypt$/],
  ['s2s secret', /`querent s2s secret` needs a command: add, remove$/],
  ['s2s secret ad', /no command `querent s2s secret ad`.* See `querent s2s secret --help`$/],
  ['s2s create w n --role administrator', /Allowed are api, data-provider/],
  ['s2s secret add w c --expires soon', /Write a number and a unit: 30m, 12h, 90d/],
  ['s2s secret add w c --expires 0d', /--expires <time>' argument '0d' is invalid\. Allowed are 1m to 3650d/],
  ['keys rotate --signs-in 8d', /'8d' is invalid\. Allowed are 5s to 7d/],
  ['apps create w n', /--redirect-uri is missing/],
  ['new Big_Shop', /<workspace>: found "Big_Shop", allowed: 1 to 63 characters of a-z 0-9 -$/],
  ['search w a e query', /a parameter must have the form name=value: found "query"/],
  ['search w a e --count 101', /not a whole number from 1 to 100/],
  ['token inspect T --api a', /--api needs --workspace/],
  ['token --client-id i', /needs --client-secret-stdin, or QUERENT_CLIENT_SECRET/],
  ['token --client-secret-stdin', /--client-secret-stdin needs --client-id/],
  ['token --server nowhere --client-id i --client-secret-stdin', /"nowhere" is not an address/],
  [
    'token --server http://192.0.2.2:24090 --client-id i --client-secret-stdin',
    /--server: .* would send tokens unencrypted: use https/,
  ],
  ['users list --server login.example.org', /--server: "login\.example\.org" is not an address/],
  ['serve --port 65536', /--port: "65536" is not a whole number/],
  ['serve --base-url http://example.org', /unencrypted: use https/],
  ['login', /the server is missing: give its URL/],
  ['login nowhere', /<auth_url>: "nowhere" is not an address/],
  ['logout http://192.0.2.2', /<auth_url>: .* would send tokens unencrypted: use https/],
]

test('wrong usage exits with 2 and prints one line on stderr that says what is allowed', async t => {
  const runs = wrong.map(([command, reason]) =>
    t.test(`querent ${command}`, async () => {
      const args = command === '' ? [] : command.split(' ')
      const { code, stdout, stderr } = await querent(args, { stdin: 'secret\n' })
      assert.equal(stderr.split('\n').length, 2, stderr)
      assert.match(stderr.trimEnd(), reason)
      assert.match(stderr, /^querent: /)
      assert.deepEqual([code, stdout], [2, ''])
    }),
  )
  await Promise.all(runs)
})

test('an empty value, a bad boolean or broken YAML is wrong usage, and the error names it', async t => {
  const broken = join(await folder(t), 'settings.yaml')
  await writeFile(broken, 'port: 4000: 1\n')
  const cases: [args: string[], env: Record<string, string>, reason: RegExp][] = [
    [['token', 'inspect', ''], {}, /^querent: <token> is empty\n$/],
    [['s2s', 'create', 'w', '', '--role', 'api'], {}, /^querent: <name> is empty\n$/],
    [
      ['users', 'list'],
      { QUERENT_JSON: 'maybe' },
      /^querent: QUERENT_JSON: found "maybe", allowed: true, false, 1, 0\n$/,
    ],
    [['apply', 'f'], { QUERENT_DRY_RUN: 'yes' }, /QUERENT_DRY_RUN: found "yes"/],
    [
      ['serve'],
      { QUERENT_STORAG: 'x' },
      /no setting is named QUERENT_STORAG; did you mean QUERENT_STORAGE\?/,
    ],
    [['serve', '--config', broken], {}, /--config: \S+ is neither YAML nor JSON: .*[^:]\n$/],
    [
      ['init', '--admin', 'a@example.org', '--password-stdin'],
      {},
      /^querent: --password-stdin: easy to guess: /,
    ],
    [
      ['init', '--admin', 'a@example.org', '--password-stdin'],
      { QUERENT_PASSWORD_LENGTH_MIN: '15' },
      /^querent: --password-stdin: too short, allowed: at least 15 /,
    ],
  ]
  for (const [args, env, reason] of cases) {
    const { code, stdout, stderr } = await querent(args, { env, stdin: 'password1\n' })
    assert.match(stderr, reason)
    assert.deepEqual([code, stdout], [2, ''])
  }
})

test('a folder that cannot be created fails at once, with one line', {
  skip: !existsSync('/proc/self'),
}, async () => {
  for (const command of ['init --admin a@example.org', 'demo']) {
    const { code, stderr } = await querent([...command.split(' '), '--data', '/proc/nope'])
    assert.equal(code, 1)
    assert.match(stderr, /^querent: cannot create the folder \/proc\/nope: .*; choose another with --data\n$/)
  }
})

test('help of every command shows an example and exits with 0', async t => {
  const names = [
    '',
    'users',
    's2s secret',
    'demo',
    'init',
    'serve',
    'apply',
    'export',
    'import',
    'users create',
    'users list',
    'users disable',
  ]
  names.push(
    'users enable',
    'workspaces list',
    'members add',
    'members remove',
    'members list',
    's2s create',
    's2s list',
  )
  names.push(
    's2s remove',
    's2s disable',
    's2s enable',
    's2s secret add',
    's2s secret remove',
    'apps create',
    'apps list',
  )
  names.push('users remove', 'users reset', 'users export', 'members invite')
  names.push('keys list', 'keys rotate', 'keys withdraw', 'keys re-encrypt')
  names.push('members invitations', 'members withdraw')
  names.push('apps remove', 'login', 'logout', 'token', 'token inspect', 'search')
  const runs = names.map(name =>
    t.test(`querent ${name}`, async () => {
      const { code, stdout, stderr } = await querent([...name.split(' ').filter(Boolean), '--help'])
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, new RegExp(`Examples?:\n {2}(\\S+ \\| |\\S+=\\S+ |curl .*)?querent ${name}`))
      for (const global of ['--data', '--server', '--json']) assert.ok(stdout.includes(global), global)
    }),
  )
  await Promise.all(runs)
})

test('the main help lists the subcommands of each group, and `help` works like --help', async () => {
  const { stdout } = await querent(['--help'])
  for (const name of ['users', 'workspaces', 'members', 'apps', 'keys', 'generations']) {
    const listed = new RegExp(`^ {2}${name} .*: (.*?)$`, 'm').exec(stdout.replaceAll(/\n {6,}/g, ' '))?.[1]
    const subcommands = /needs a command: (.*)\n/.exec((await querent([name])).stderr)?.[1]
    assert.equal(listed, subcommands, name)
  }
  assert.equal((await querent(['help'])).stdout, stdout)
  assert.equal((await querent(['help', 'keys'])).stdout, (await querent(['keys', '--help'])).stdout)
  assert.equal((await querent(['help', 'kees'])).code, 2)
  const { version } = JSON.parse((await querent(['--version', '--json'])).stdout)
  assert.equal(`${version}\n`, (await querent(['--version'])).stdout)
})

test('`schema` prints the JSON Schema of the workspace file without a server', async () => {
  for (const args of [['schema'], ['schema', '--json']]) {
    const { code, stdout, stderr } = await querent([...args, '--data', '/nowhere at all'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(JSON.parse(stdout), workspaceFileSchema)
  }
})

test('a home that is not a folder does not stop the command', async () => {
  const env = { HOME: '/dev/null', XDG_CACHE_HOME: '' }
  const { code, stderr } = await querent(['--help'], { env })
  assert.deepEqual([code, stderr], [0, ''])
})

test('without a server, each command says in one line what to start', async () => {
  for (const command of ['users list', 'export w', 'search w a e', 'token', 'workspaces list']) {
    const { code, stdout, stderr } = await querent([...command.split(' '), '--data', '/nowhere at all'])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /^querent: there is no data folder .*`querent init --data '\/nowhere at all' --admin EMAIL`\n$/,
    )
  }
})
