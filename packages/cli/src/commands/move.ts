import { settings } from '@querent/server/config'
import type { Command } from 'commander'
import { define, option } from '#command-line/define'
import { type Globals, quoteArgument } from '#command-line/globals'
import { settingsOf } from '#connection/server-settings'
import { print } from '#terminal/output'

interface Options extends Globals {
  config?: string
  storage?: string
  engine?: string
}

const offered = ['storage', 'engine', 'enginePrefix', 'engineCa'] as const

export const move = (): Command => {
  const command = define(
    'move',
    'Move the storage of a data folder, while no server uses it, to an empty PostgreSQL database; with --engine the documents too, to OpenSearch.',
    'querent move --data querent-data --storage postgres://querent@db.example.org/querent',
    'querent move --data querent-data --storage postgres://querent@db.example.org/querent --engine https://search.example.org:9200',
  ).addOption(option('--config <file>', 'configuration file of the server to be, YAML or JSON'))
  // The table of settings reads the environment itself.
  for (const name of offered) {
    const { flag = '', reason, defaultText, default: fallback } = settings[name]
    command.option(flag, `${reason} (default: ${defaultText ?? String(fallback ?? 'none')})`)
  }
  return command.action(async (_: unknown, self: Command) => {
    const options = self.optsWithGlobals<Options>()
    const { config } = await settingsOf(options)
    const { moveDataFolder } = await import('@querent/server/main')
    const { rows, documents, former } = await moveDataFolder(config)
    const moved = Object.entries(rows)
      .filter(([kind]) => kind in words)
      .map(([kind, count]) => `${count} ${words[kind]}`)
    print(options, {
      json: { data: config.data, rows, ...(documents === undefined ? {} : { documents }), former },
      text: [
        `Moved to PostgreSQL: ${moved.join(', ')}.`,
        documents === undefined
          ? `The documents stay in ${config.data}.`
          : `Copied to OpenSearch: ${documents} documents.`,
        `${former} is the storage as it was: keep it until all is well.`,
        `Start the servers with the same settings: QUERENT_STORAGE=postgres://… querent serve --data ${quoteArgument(config.data)}`,
      ].join('\n'),
    })
  })
}

/** Kinds that an operator can count, by what they are called in the storage. */
const words: Readonly<Record<string, string>> = {
  users: 'people',
  workspaces: 'workspaces',
  members: 'members',
  accounts: 'System-to-System accounts',
  applications: 'applications',
  client_secrets: 'Client Secrets',
  invitations: 'invitations',
  oidc_records: 'sessions, consents and tokens',
  signing_keys: 'signing keys',
  generations: 'generations',
  audit: 'audit entries',
}
