/**
 * The files in deploy/ and docs/deploy.md agree with the settings of the server and with each other. tools/check-deploy.sh runs the slower
 * checks.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { settings } from '@querent/server/config/settings'
import { parse } from 'yaml'
import { runQuerent } from '#tests/support/command-line'
import {
  deployFile,
  loginHost,
  makeCertificate,
  readDocumentedConfiguration,
  searchHost,
} from '#tests/support/proxies'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const manifest = 'deploy/helm/querent'

/** Time for engine and storage to close, after draining and requests (connection/server-process.ts). */
const closeSeconds = 20
const leastStop = (drainSeconds: number) => drainSeconds + settings.shutdownSeconds.default + closeSeconds

const isWithin = (address: string, range: string): boolean => {
  const [start = '', bits = ''] = range.split('/')
  const list = new BlockList()
  list.addSubnet(start, Number(bits))
  return list.check(address)
}

/** Finds settings by variable, as Compose and the chart set them. */
const variables = new Set(Object.values(settings).map(({ environment }) => environment))
const findVariables = (text: string) => new Set(text.match(/\bQUERENT_[A-Z_]+\b/g))

test('every setting in deploy/ exists in the server', async () => {
  const paths = ['Dockerfile', 'deploy/health.mjs', 'deploy/querent.service', 'docs/deploy.md']
  paths.push('deploy/compose/one-machine.yaml', 'deploy/compose/nodes.yaml')
  paths.push(
    ...['values.yaml', 'values.schema.json', 'templates/_pod.tpl', 'templates/servers.yaml'].map(
      name => `${manifest}/${name}`,
    ),
  )
  for (const path of paths) {
    const settingNames = [...findVariables(await read(path))].filter(name => name !== 'QUERENT_')
    assert.ok(settingNames.length > 0, path)
    for (const name of settingNames) assert.ok(variables.has(name), `${path}: ${name}`)
  }
})

test('the chart takes secrets only from a Secret', async () => {
  const { properties } = JSON.parse(await read(`${manifest}/values.schema.json`))
  const secret = Object.values(settings).filter(({ flag }) => flag === undefined)
  assert.deepEqual(
    properties.settings.propertyNames.not.enum,
    [...secret.map(({ environment }) => environment), settings.storage.environment].sort(),
  )
})

test('in the networks of Compose only the proxy is trusted, and its address is reserved', async () => {
  for (const [file, servers] of [
    ['one-machine', ['querent']],
    ['nodes', ['query', 'authorization']],
  ] as const) {
    const { services, networks } = parse(await deployFile(`compose/${file}.yaml`), { merge: true })
    const { ipv4_address: proxy } = services.proxy.networks.inside
    for (const name of servers) assert.equal(services[name].environment.QUERENT_TRUSTED_PROXY, proxy)
    const [{ subnet, gateway, ip_range: containerRange }] = networks.inside.ipam.config
    assert.ok(isWithin(proxy, subnet))
    assert.ok(!isWithin(proxy, containerRange) && proxy !== gateway)
    assert.equal(networks.inside.enable_ipv6, true)
  }
})

test('every supervisor waits longer than the server takes to stop by itself', async () => {
  const [, unit] = /^TimeoutStopSec=(\d+)$/m.exec(await deployFile('querent.service')) ?? []
  assert.ok(Number(unit) > leastStop(settings.drainSeconds.default), `unit: ${unit}`)
  const one = parse(await deployFile('compose/one-machine.yaml'), { merge: true })
  assert.ok(
    Number.parseInt(one.services.querent.stop_grace_period, 10) > leastStop(settings.drainSeconds.default),
  )
  const nodes = parse(await deployFile('compose/nodes.yaml'), { merge: true })
  for (const name of ['query', 'authorization']) {
    const { environment, stop_grace_period } = nodes.services[name]
    assert.ok(
      Number.parseInt(stop_grace_period, 10) > leastStop(Number(environment.QUERENT_DRAIN_SECONDS)),
      name,
    )
  }
  const servers = await deployFile('helm/querent/templates/servers.yaml')
  const [, besides] =
    /terminationGracePeriodSeconds: \{\{ add \$root\.Values\.drainSeconds \$root\.Values\.shutdownSeconds (\d+) \}\}/.exec(
      servers,
    ) ?? []
  assert.ok(Number(besides) > closeSeconds)
})

test('the image uses the same versions as the packages, and does not run as root', async () => {
  const { env } = parse(await read('.github/workflows/packages.yml')) as {
    env: { NODE: string; RUST: string }
  }
  const text = await read('Dockerfile')
  assert.match(text, new RegExp(`^ARG NODE=${env.NODE}$`, 'm'))
  assert.match(text, new RegExp(`^ARG RUST=${env.RUST}$`, 'm'))
  const last = text.slice(text.lastIndexOf('\nFROM '))
  assert.match(last, /^USER [1-9]\d*:[1-9]\d*$/m)
  assert.match(last, /^STOPSIGNAL SIGTERM$/m)
  assert.match(last, /^ENTRYPOINT \["node", /m)
  const chart = parse(await read(`${manifest}/Chart.yaml`)) as { version: string; appVersion: string }
  const { version } = JSON.parse(await read('packages/cli/package.json')) as { version: string }
  assert.deepEqual([chart.version, chart.appVersion], [version, version])
})

test('the server accepts the settings that docs/deploy.md shows', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-deploy-'))
  t.after(() => rm(folder, { recursive: true }))
  const [, yaml = assert.fail('no settings')] =
    /^ {3}```yaml\n([\s\S]*?)^ {3}```$/m.exec(await read('docs/deploy.md')) ?? []
  const file = join(folder, 'querent.yaml')
  await writeFile(file, yaml.replace(/^ {3}/gm, ''))
  const { code, stderr } = await runQuerent(['serve', '--config', file, '--print-config'])
  assert.equal(code, 0, stderr)
})

test('the proxies accept their configurations for Compose', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-deploy-'))
  t.after(() => rm(folder, { recursive: true }))
  await makeCertificate(folder)
  const env = {
    ...process.env,
    SEARCH_HOST: searchHost,
    LOGIN_HOST: loginHost,
    HOME: folder,
    PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
  }
  const run = promisify(execFile)
  const haproxy = join(folder, 'haproxy.cfg')
  await writeFile(
    haproxy,
    (await deployFile('compose/haproxy.cfg')).replace('/etc/haproxy/certificates/', join(folder, 'both.pem')),
  )
  await run('haproxy', ['-c', '-f', haproxy], { env })
  const frontend = (text: string) => /^frontend [\s\S]*?\n\n/m.exec(text)?.[0]
  assert.equal(
    frontend(await deployFile('compose/haproxy.cfg'))
      ?.replace('"$SEARCH_HOST"', searchHost)
      .replace('"$LOGIN_HOST"', loginHost),
    frontend(await readDocumentedConfiguration('haproxy')),
  )
  const caddyfile = join(root, 'deploy', 'compose', 'Caddyfile')
  await run('caddy', ['validate', '--adapter', 'caddyfile', '--config', caddyfile], { env })
  assert.equal(
    (await deployFile('compose/Caddyfile'))
      .replace(/^#.*\n/, '')
      .replace('{$SEARCH_HOST}', searchHost)
      .replace('{$LOGIN_HOST}', loginHost)
      .replaceAll('querent:', '127.0.0.1:'),
    (await readDocumentedConfiguration('caddyfile')).replace(/^#.*\n/, '').replace(/^\t\thealth_.*\n/gm, ''),
  )
})
