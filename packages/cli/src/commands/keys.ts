import { operations } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group, option } from '#command-line/define'
import { secondsWithin } from '#command-line/duration'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { listing } from '#terminal/table'

export const keys = (): Command => group('keys', 'Keys that sign tokens.', [list(), rotate(), withdraw()])

const list = (): Command =>
  define('list', 'List the keys that are published, oldest first.', 'querent keys list').action(
    async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const { items } = await management.call('listKeys', {})
      const rows = items.map(({ kid, algorithm, state, signsFrom, signsUntil }) => [
        kid,
        algorithm,
        state,
        signsFrom,
        signsUntil ?? '',
      ])
      print(options, {
        json: items,
        text: listing(['key', 'algorithm', 'state', 'signs from', 'until'], rows, 'There are no keys.'),
      })
    },
  )

const rotate = (): Command =>
  define(
    'rotate',
    'Publish the next signing keys, which sign a while later; the old ones stay published until their tokens are gone.',
    'querent keys rotate',
    'querent keys rotate --signs-in 1h',
  )
    .addOption(
      option('--signs-in <time>', 'when they begin to sign: 5s to 7d (default: 10m)').argParser(
        secondsWithin(operations.rotateKeys.input.properties.signsInSeconds),
      ),
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { signsIn?: number }>()
      const { management, authUrl } = await connect(options)
      const before = await publishedAt(authUrl)
      const rotation = await management.call('rotateKeys', {
        input: options.signsIn === undefined ? {} : { signsInSeconds: options.signsIn },
      })
      print(options, {
        json: rotation,
        text: `${rotation.published.every(kid => before.has(kid)) ? 'Published already, and not signing yet:' : 'Published'} ${rotation.published.join(', ')}; signing from ${rotation.signsFrom}.`,
      })
    })

const withdraw = (): Command =>
  define(
    'withdraw',
    'Take a signing key away that leaked: what it signed is refused, at once; another signs in its place.',
    'querent keys withdraw KEY',
  )
    .argument('<key>', 'as `querent keys list` names it; one that begins with - after --')
    .action(async (kid: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const withdrawal = await management.call('withdrawKey', { params: { kid } })
      const { published, signsFrom } = withdrawal
      print(options, {
        json: { kid, withdrawn: true, ...withdrawal },
        text: `${kid} is withdrawn${published.length > 0 ? `; ${published.join(', ')} signs in its place, from ${signsFrom}` : ''}.`,
      })
    })

/** `kid` of every key that is there; none where that cannot be said. */
const publishedAt = async (authUrl: string): Promise<Set<unknown>> => {
  try {
    const reply = await fetch(`${authUrl}/.well-known/jwks.json`, { signal: AbortSignal.timeout(5000) })
    const { keys }: { keys?: unknown } = Object(await reply.json())
    return new Set(Array.isArray(keys) ? keys.map((key: unknown) => Object(key).kid) : [])
  } catch {
    return new Set()
  }
}
