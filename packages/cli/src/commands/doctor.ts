import { styleText } from 'node:util'
import { ApiError } from '@querent/client'
import type { HealthCheck, NodeHealth } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand } from '#command-line/define'
import { CommandError, describeFailure, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { type AddressCheck, checkAddress, checkCertificate } from '#connection/address-check'
import { type Connection, connect, connectToNode, discoverAddresses } from '#connection/connect'
import { checkDataFolder } from '#connection/data-folder-check'
import { type Addresses, NoOperatorError, readAddresses } from '#connection/operator'
import { SignInError } from '#connection/sign-in'
import { print } from '#terminal/output'

export const doctor = (): Command =>
  defineCommand(
    'doctor',
    'Check a server from this machine and from within: addresses, clocks, keys, storage, engine, disk, proxy, mail and backups. Exits with 1 if a check fails.',
    'querent doctor',
    'querent doctor --json',
    'querent doctor --all-nodes',
  )
    .option('--all-nodes', 'also report the checks that each node of the service ran in the last 30 s')
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
        text: [checks.map(formatCheck).join('\n'), ...nodes.map(formatNode)].join('\n\n'),
      })
      if (!ok)
        throw new CommandError(
          `failing: ${[...new Set(failing)].join(', ')}; follow the advice for each, and run it again`,
        )
    })

interface DoctorOptions extends Globals {
  allNodes?: true
}

/** `nodes` is empty without `--all-nodes`, or if no authorization server answers. */
interface Diagnosis {
  checks: HealthCheck[]
  nodes: NodeHealth[]
}

const listFailing = (checks: readonly HealthCheck[]): string[] =>
  checks.filter(({ state }) => state === 'fail').map(({ name }) => name)

const examine = async (options: DoctorOptions): Promise<Diagnosis> => {
  if (options.server !== undefined) {
    const reachable = await checkAddresses(await discoverAddresses(options.server))
    const { checks, nodes } = await checkWithin(options)
    return { checks: [...reachable, ...checks], nodes }
  }
  // A stopped server leaves no address, so only its folder can be checked.
  const addresses = await readAddresses(options).catch(() => undefined)
  const folder = await checkDataFolder(options, addresses !== undefined)
  if (!addresses) return { checks: folder, nodes: [] }
  const reachable = await checkAddresses(addresses)
  const { checks, nodes } = await checkWithin(options)
  return { checks: [...folder, ...reachable, ...checks], nodes }
}

/** Checks that need no credential. */
const checkAddresses = async ({ authUrl, baseUrl }: Addresses): Promise<HealthCheck[]> => {
  const results: AddressCheck[] = await Promise.all([
    checkAddress(authUrl, '/.well-known/oauth-authorization-server', { issuer: `${authUrl}/` }),
    checkAddress(baseUrl, '/.well-known/oauth-protected-resource', {
      resource: baseUrl,
      authorization_servers: [`${authUrl}/`],
    }),
  ])
  const certificates = await Promise.all([authUrl, baseUrl].map(checkCertificate))
  return [...results.map(({ check }) => check), ...certificates.flat(), ...checkClock(results)]
}

/** Tokens allow 60 s. */
const clockFailMs = 60_000
const clockWarnMs = 5000

/** Compares the server's clock with this machine's, using the first reply. */
const checkClock = (results: readonly AddressCheck[]): HealthCheck[] => {
  const aheadMs = results.find(result => result.aheadMs !== undefined)?.aheadMs
  if (aheadMs === undefined) return []
  const message = `the server's clock is ${Math.abs(aheadMs / 1000).toFixed(0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`
  if (Math.abs(aheadMs) <= clockWarnMs) return [{ name: 'clock', state: 'ok', message }]
  const state = Math.abs(aheadMs) > clockFailMs ? 'fail' : 'warn'
  return [
    {
      name: 'clock',
      state,
      message,
      advice: 'synchronize both machines with NTP; tokens tolerate 60 s',
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
    // The public address may reach any node, so only the proxy is checked there.
    const [fromNode, throughProxy] = await Promise.all([
      diagnose(node, allNodes),
      connect(options)
        .then(connection => diagnose(connection, false))
        .catch(() => ({ checks: [] })),
    ])
    const isProxyCheck = ({ name }: HealthCheck) => name === 'proxy'
    return {
      checks: [
        ...fromNode.checks.filter(check => !isProxyCheck(check)),
        ...throughProxy.checks.filter(isProxyCheck),
      ],
      nodes: fromNode.nodes,
    }
  } catch (error) {
    return { checks: [explainFailure(error, options)], nodes: [] }
  }
}

const explainFailure = (error: unknown, options: Globals): HealthCheck => {
  const [message = ''] = describeFailure(error, options, () => undefined)
  if (isNoOperator(error))
    return {
      name: 'server',
      state: 'warn',
      message: 'only the public checks ran: the others need an operator',
      advice:
        'sign in as an operator with `querent login`, or run it on the machine of an authorization server, with --data',
    }
  return {
    name: 'server',
    state: 'fail',
    message,
    advice: 'search its log for the requestId, or for the reason why it does not answer',
  }
}

const isNoOperator = (error: unknown): boolean =>
  error instanceof UsageError ||
  error instanceof NoOperatorError ||
  error instanceof SignInError ||
  (error instanceof ApiError && error.status === 403)

const marks = {
  ok: styleText('green', '✓'),
  warn: styleText('yellow', '!'),
  fail: styleText('red', '✗'),
} as const
/** Length of the longest name. */
const nameChars = 11

const formatNode = ({ services, host, listening, version, seenAt, checks }: NodeHealth): string =>
  [
    `${services.join(' and ')} on ${host} (${listening.join(', ')}), version ${version}, seen at ${seenAt}`,
    ...checks.map(formatCheck),
  ].join('\n')

const formatCheck = ({ name, state, message, advice }: HealthCheck): string =>
  [
    `${marks[state]} ${state.padEnd(4)} ${name.padEnd(nameChars)} ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(nameChars + 8)}→ ${advice}`]),
  ].join('\n')
