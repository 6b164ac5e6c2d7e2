import { settings } from '@querent/server/config'
import type { Command } from 'commander'
import { define, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { settingsOf } from '#connection/server-settings'
import { startCommand } from '#connection/start-command'
import { counted, print } from '#terminal/output'

interface Options extends Globals {
  config?: string
  storage?: string
  engine?: string
}

const offered = ['storage', 'engine', 'enginePrefix', 'engineCa'] as const

export const move = (): Command => {
  const command = define(
    'move',
    'Move the storage of a data folder, while no server uses it, to an empty PostgreSQL database, and with --engine the documents to OpenSearch; or these alone.',
    'querent move --data querent-data --storage postgres://querent@db.example.org/querent',
    'querent move --data querent-data --storage postgres://querent@db.example.org/querent --engine https://search.example.org:9200',
    'querent move --data querent-data --engine https://search.example.org:9200',
  ).addOption(option('--config <file>', 'configuration file of the server to be, YAML or JSON'))
  // The table of settings reads the environment itself.
  for (const name of offered) {
    const { flag = '', reason, defaultText, default: fallback } = settings[name]
    command.option(flag, `${reason} (default: ${defaultText ?? String(fallback ?? 'none')})`)
  }
  return command.action(async (_: unknown, self: Command) => {
    const options = self.optsWithGlobals<Options>()
    const read = await settingsOf(options)
    const { config } = read
    const { moveDataFolder } = await import('@querent/server/move')
    const { rows, documents, former, formerEngine } = await moveDataFolder(config)
    const moved = Object.entries(rows ?? {}).flatMap(([kind, count]) => {
      const named = words[kind]
      return named ? [counted(count, ...named)] : []
    })
    const lines = [
      rows && `Moved to PostgreSQL: ${moved.join(', ')}.`,
      documents === undefined
        ? `The documents stay in ${config.engine === 'embedded' ? config.data : 'OpenSearch'}.`
        : `Copied to OpenSearch: ${counted(documents, 'document')}.`,
      former && `${former} is the storage as it was: keep it until all is well.`,
      formerEngine && `${formerEngine} has the documents as they were: keep it until all is well.`,
      startCommand(read, options.config),
    ]
    print(options, {
      json: { data: config.data, rows, documents, former, formerEngine },
      text: lines.filter(Boolean).join('\n'),
    })
  })
}

/** Kinds that an operator can count, by what they are called in the storage. */
const words: Readonly<Record<string, [one: string, others?: string]>> = {
  users: ['person', 'people'],
  workspaces: ['workspace'],
  members: ['member'],
  accounts: ['System-to-System account'],
  applications: ['application'],
  client_secrets: ['Client Secret'],
  invitations: ['invitation'],
  oidc_records: ['session, consent or token', 'sessions, consents and tokens'],
  signing_keys: ['signing key'],
  generations: ['generation'],
  audit: ['audit entry', 'audit entries'],
}
