import { styleText } from 'node:util'
import type { HealthCheck, NodeHealth } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define } from '#command-line/define'
import { CommandError, describeFailure, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { checkAddress, checkCertificate, type Seen } from '#connection/addresses'
import { addressesOf, type Connection, connect, connectToNode } from '#connection/connect'
import { checkDataFolder } from '#connection/data-folder-check'
import { type Addresses, NoOperatorError, readAddresses } from '#connection/operator'
import { print } from '#terminal/output'

export const doctor = (): Command =>
  define(
    'doctor',
    'Look at a server from here and from within: addresses, clocks, keys, storage, engine, disk, proxy, mail, backups. Ends with 1 when something fails.',
    'querent doctor',
    'querent doctor --json',
    'querent doctor --all-nodes',
  )
    .option(
      '--all-nodes',
      'also report what each node of the service found out about itself in the last 30 s',
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<DoctorOptions>()
      const { checks, nodes } = await examine(options)
      const failing = [
        ...listFailing(checks),
        ...nodes.flatMap(node => listFailing(node.checks).map(name => `${name} of ${node.host}`)),
      ]
      const ok = failing.length === 0
      print(options, {
        json: options.allNodes ? { ok, checks, nodes } : { ok, checks },
        text: [checks.map(lineOf).join('\n'), ...nodes.map(formatNode)].join('\n\n'),
      })
      if (!ok)
        throw new CommandError(
          `failing: ${[...new Set(failing)].join(', ')}; do what is said of each, and run it again`,
        )
    })

interface DoctorOptions extends Globals {
  allNodes?: true
}

/** `nodes` is empty unless all are to be reported, and when no authorization server answers. */
interface Diagnosis {
  checks: HealthCheck[]
  nodes: NodeHealth[]
}

const listFailing = (checks: readonly HealthCheck[]): string[] =>
  checks.filter(({ state }) => state === 'fail').map(({ name }) => name)

const examine = async (options: DoctorOptions): Promise<Diagnosis> => {
  if (options.server !== undefined) {
    const reachable = await checkAddresses(await addressesOf(options.server))
    const { checks, nodes } = await checkWithin(options)
    return { checks: [...reachable, ...checks], nodes }
  }
  // A server that does not run left no address: then its folder is all there is.
  const addresses = await readAddresses(options).catch(() => undefined)
  const folder = await checkDataFolder(options, addresses !== undefined)
  if (!addresses) return { checks: folder, nodes: [] }
  const reachable = await checkAddresses(addresses)
  const { checks, nodes } = await checkWithin(options)
  return { checks: [...folder, ...reachable, ...checks], nodes }
}

/** What anyone sees from here. */
const checkAddresses = async ({ authUrl, baseUrl }: Addresses): Promise<HealthCheck[]> => {
  const seen: Seen[] = await Promise.all([
    checkAddress(authUrl, '/.well-known/oauth-authorization-server', { issuer: `${authUrl}/` }),
    checkAddress(baseUrl, '/.well-known/oauth-protected-resource', {
      resource: baseUrl,
      authorization_servers: [`${authUrl}/`],
    }),
  ])
  const certificates = await Promise.all([authUrl, baseUrl].map(checkCertificate))
  return [...seen.map(({ check }) => check), ...certificates.flat(), ...clockOf(seen)]
}

/** Tokens allow 60 s. */
const clockFailMs = 60_000
const clockWarnMs = 5000

/** The clock of the server against that of this machine, by the reply that came first. */
const clockOf = (seen: readonly Seen[]): HealthCheck[] => {
  const aheadMs = seen.find(each => each.aheadMs !== undefined)?.aheadMs
  if (aheadMs === undefined) return []
  const message = `the server's clock is ${Math.abs(aheadMs / 1000).toFixed(0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`
  if (Math.abs(aheadMs) <= clockWarnMs) return [{ name: 'clock', state: 'ok', message }]
  const state = Math.abs(aheadMs) > clockFailMs ? 'fail' : 'warn'
  return [
    {
      name: 'clock',
      state,
      message,
      advice: 'let both machines take their time from NTP; tokens allow 60 s',
    },
  ]
}

const diagnose = async ({ management }: Connection, allNodes: boolean): Promise<Diagnosis> => {
  const { checks, nodes = [] } = await management.call('diagnose', {
    query: allNodes ? { allNodes: 'true' } : {},
  })
  return { checks, nodes }
}

const checkWithin = async (options: DoctorOptions): Promise<Diagnosis> => {
  const { allNodes = false } = options
  try {
    const node = await connectToNode(options)
    if (!node) return await diagnose(await connect(options), allNodes)
    // The public address may lead to any node: there only the proxy is looked at.
    const [own, byProxy] = await Promise.all([
      diagnose(node, allNodes),
      connect(options)
        .then(connection => diagnose(connection, false))
        .catch(() => ({ checks: [] })),
    ])
    const isOfProxy = ({ name }: HealthCheck) => name === 'proxy'
    return {
      checks: [...own.checks.filter(check => !isOfProxy(check)), ...byProxy.checks.filter(isOfProxy)],
      nodes: own.nodes,
    }
  } catch (error) {
    return { checks: [explainFailure(error, options)], nodes: [] }
  }
}

const explainFailure = (error: unknown, options: Globals): HealthCheck => {
  const [message = ''] = describeFailure(error, options, () => undefined)
  if (error instanceof UsageError || error instanceof NoOperatorError)
    return {
      name: 'server',
      state: 'warn',
      message: 'only what anyone sees was looked at: the rest is for operators',
      advice: 'run it on the machine of an authorization server, with --data',
    }
  return {
    name: 'server',
    state: 'fail',
    message,
    advice: 'look in its log for the requestId, or for why it does not answer',
  }
}

const marks = {
  ok: styleText('green', '✓'),
  warn: styleText('yellow', '!'),
  fail: styleText('red', '✗'),
} as const
/** Of the longest name. */
const nameChars = 11

const formatNode = ({ services, host, listening, version, seenAt, checks }: NodeHealth): string =>
  [
    `${services.join(' and ')} on ${host} (${listening.join(', ')}), version ${version}, seen at ${seenAt}`,
    ...checks.map(lineOf),
  ].join('\n')

const lineOf = ({ name, state, message, advice }: HealthCheck): string =>
  [
    `${marks[state]} ${state.padEnd(4)} ${name.padEnd(nameChars)} ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(nameChars + 8)}→ ${advice}`]),
  ].join('\n')
