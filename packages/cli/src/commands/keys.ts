import { operations } from '@querent/contract/manage'
import { settings } from '@querent/server/config/settings'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option } from '#command-line/define'
import { durationParser } from '#command-line/duration'
import { CommandError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { readSettings } from '#connection/server-settings'
import { startCommand } from '#connection/start-command'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

export const keys = (): Command =>
  defineGroup('keys', 'Manage the keys that sign tokens, and change the key that encrypts secrets.', [
    list(),
    rotate(),
    withdraw(),
    reencrypt(),
  ])

const list = (): Command =>
  defineCommand('list', 'List the published keys, oldest first.', 'querent keys list').action(
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
        text: formatListing(['key', 'algorithm', 'state', 'signs from', 'until'], rows, 'There are no keys.'),
      })
    },
  )

const rotate = (): Command =>
  defineCommand(
    'rotate',
    'Publish the next signing keys. They start to sign after --signs-in. The old keys stay published until their tokens expire.',
    'querent keys rotate',
    'querent keys rotate --signs-in 1h',
  )
    .addOption(
      option('--signs-in <time>', 'delay before the new keys sign: 5s to 7d (default: 10m)').argParser(
        durationParser(operations.rotateKeys.input.properties.signsInSeconds),
      ),
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { signsIn?: number }>()
      const { management, authUrl } = await connect(options)
      const publishedBefore = await readPublishedKeys(authUrl)
      const rotation = await management.call('rotateKeys', {
        input: options.signsIn === undefined ? {} : { signsInSeconds: options.signsIn },
      })
      print(options, {
        json: rotation,
        text: `${rotation.published.every(kid => publishedBefore.has(kid)) ? 'Already published, but not signing yet:' : 'Published'} ${rotation.published.join(', ')}; signing from ${rotation.signsFrom}.`,
      })
    })

const withdraw = (): Command =>
  defineCommand(
    'withdraw',
    'Withdraw a leaked signing key. The server rejects its tokens at once, and another key signs instead.',
    'querent keys withdraw KEY',
  )
    .argument('<key>', 'key id from `querent keys list`; put -- before an id that starts with -')
    .action(async (kid: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const withdrawal = await management.call('withdrawKey', { params: { kid } })
      const { published, signsFrom } = withdrawal
      print(options, {
        json: { kid, withdrawn: true, ...withdrawal },
        text: `Withdrew ${kid}${published.length > 0 ? `; ${published.join(', ')} signs instead, from ${signsFrom}` : ''}.`,
      })
    })

interface ReencryptOptions extends Globals {
  config?: string
}

const reencrypt = (): Command => {
  const command = defineCommand(
    're-encrypt',
    'Encrypt the secrets in the storage with a new key. Put the new key into the file key of the data folder (or QUERENT_KEY), and the old one into QUERENT_OLD_KEY. Stop all servers first. You can run it again after an interruption.',
    'QUERENT_OLD_KEY=… querent keys re-encrypt --data querent-data',
  ).addOption(option('--config <file>', 'configuration file of the server, YAML or JSON'))
  // The settings table reads the environment itself.
  const { flag = '', description } = settings.storage
  command.option(flag, description)
  return command.action(async (_: unknown, self: Command) => {
    const options = self.optsWithGlobals<ReencryptOptions>()
    const read = await readSettings(options)
    const { reencryptStorage } = await import('@querent/server/re-encrypt')
    const columns = await reencryptStorage(read.config, process.env.QUERENT_OLD_KEY)
    const rows = columns.map(({ label, reencrypted, unchanged, unreadable, removed }) =>
      [label, reencrypted, unchanged, removed, unreadable].map(String),
    )
    const unreadableColumns = columns.filter(({ unreadable }) => unreadable > 0)
    const lines = [
      formatListing(
        ['secrets', 're-encrypted', 'with the new key before', 'removed', 'unreadable'],
        rows,
        '',
      ),
      startCommand(read, options.config),
    ]
    print(options, { json: { data: read.config.data, columns }, text: lines.filter(Boolean).join('\n') })
    // With new signing keys, a mistyped old key would look like success.
    if (unreadableColumns.length > 0)
      throw new CommandError(
        `neither key decrypts ${unreadableColumns.map(({ unreadable, label }) => `${unreadable} ${label}`).join(', ')}: run this again with the key that does. All others are encrypted with the new key`,
      )
  })
}

/** Returns the `kid` of every published key, or an empty set if they cannot be read. */
const readPublishedKeys = async (authUrl: string): Promise<Set<unknown>> => {
  try {
    const reply = await fetch(`${authUrl}/.well-known/jwks.json`, { signal: AbortSignal.timeout(5000) })
    const { keys }: { keys?: unknown } = Object(await reply.json())
    return new Set(Array.isArray(keys) ? keys.map((key: unknown) => Object(key).kid) : [])
  } catch {
    return new Set()
  }
}
