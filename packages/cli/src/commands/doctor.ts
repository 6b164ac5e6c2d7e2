import { styleText } from 'node:util'
import type { HealthCheck } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define } from '#command-line/define'
import { CommandError, describeFailure, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { checkAddress, checkCertificate, type Seen } from '#connection/addresses'
import { addressesOf, connect } from '#connection/connect'
import { checkDataFolder } from '#connection/data-folder-check'
import { type Addresses, NoOperatorError, readAddresses } from '#connection/operator'
import { print } from '#terminal/output'

export const doctor = (): Command =>
  define(
    'doctor',
    'Look at a server from here and from within: addresses, clocks, keys, storage, engine, disk, proxy, mail, backups. Ends with 1 when something fails.',
    'querent doctor',
    'querent doctor --json',
  ).action(async (_: unknown, command: Command) => {
    const options = command.optsWithGlobals<Globals>()
    const checks = await examine(options)
    const failing = checks.filter(({ state }) => state === 'fail').map(({ name }) => name)
    print(options, { json: { ok: failing.length === 0, checks }, text: checks.map(lineOf).join('\n') })
    if (failing.length > 0)
      throw new CommandError(
        `failing: ${[...new Set(failing)].join(', ')}; do what is said of each, and run it again`,
      )
  })

const examine = async (options: Globals): Promise<HealthCheck[]> => {
  if (options.server !== undefined)
    return [...(await checkAddresses(await addressesOf(options.server))), ...(await checkWithin(options))]
  // A server that does not run left no address: then its folder is all there is.
  const addresses = await readAddresses(options).catch(() => undefined)
  const folder = await checkDataFolder(options, addresses !== undefined)
  if (!addresses) return folder
  return [...folder, ...(await checkAddresses(addresses)), ...(await checkWithin(options))]
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

const checkWithin = async (options: Globals): Promise<HealthCheck[]> => {
  try {
    const { management } = await connect(options)
    const { checks } = await management.call('diagnose', {})
    return checks
  } catch (error) {
    const [message = ''] = describeFailure(error, options, () => undefined)
    if (error instanceof UsageError || error instanceof NoOperatorError)
      return [
        {
          name: 'server',
          state: 'warn',
          message: 'only what anyone sees was looked at: the rest is for operators',
          advice: 'run it on the machine of an authorization server, with --data',
        },
      ]
    return [
      {
        name: 'server',
        state: 'fail',
        message,
        advice: 'look in its log for the requestId, or for why it does not answer',
      },
    ]
  }
}

const marks = {
  ok: styleText('green', '✓'),
  warn: styleText('yellow', '!'),
  fail: styleText('red', '✗'),
} as const
/** Of the longest name. */
const nameChars = 11

const lineOf = ({ name, state, message, advice }: HealthCheck): string =>
  [
    `${marks[state]} ${state.padEnd(4)} ${name.padEnd(nameChars)} ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(nameChars + 8)}→ ${advice}`]),
  ].join('\n')
