import { settings } from '@querent/server/config/settings'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { readSettings } from '#connection/server-settings'
import { startCommand } from '#connection/start-command'
import { pluralize, print } from '#terminal/output'

interface Options extends Globals {
  config?: string
  storage?: string
  engine?: string
}

const offeredSettings = ['storage', 'engine', 'enginePrefix', 'engineCa'] as const

export const move = (): Command => {
  const command = defineCommand(
    'move',
    'Move the storage of a data folder to an empty PostgreSQL database. With --engine, copy the documents to OpenSearch; --engine also works alone. Stop the server first.',
    'querent move --data querent-data --storage postgres://querent@db.example.org/querent',
    'querent move --data querent-data --storage postgres://querent@db.example.org/querent --engine https://search.example.org:9200',
    'querent move --data querent-data --engine https://search.example.org:9200',
  ).addOption(option('--config <file>', 'configuration file of the new server, YAML or JSON'))
  // The settings table reads the environment itself.
  for (const name of offeredSettings) {
    const { flag = '', description, defaultText, default: fallback } = settings[name]
    command.option(flag, `${description} (default: ${defaultText ?? String(fallback ?? 'none')})`)
  }
  return command.action(async (_: unknown, self: Command) => {
    const options = self.optsWithGlobals<Options>()
    const read = await readSettings(options)
    const { config } = read
    const { moveDataFolder } = await import('@querent/server/move')
    const { rows, documents, former, formerEngine } = await moveDataFolder(config)
    const moved = Object.entries(rows ?? {}).flatMap(([kind, count]) => {
      const labels = kindLabels[kind]
      return labels ? [pluralize(count, ...labels)] : []
    })
    const lines = [
      rows && `Moved to PostgreSQL: ${moved.join(', ')}.`,
      documents === undefined
        ? `The documents stay in ${config.engine === 'embedded' ? config.data : 'OpenSearch'}.`
        : `Copied to OpenSearch: ${pluralize(documents, 'document')}.`,
      former && `${former} is the previous storage: keep it until you have checked the new one.`,
      formerEngine &&
        `${formerEngine} has the previous documents: keep it until you have checked the new ones.`,
      startCommand(read, options.config),
    ]
    print(options, {
      json: { data: config.data, rows, documents, former, formerEngine },
      text: lines.filter(Boolean).join('\n'),
    })
  })
}

/** Labels of the kinds that an operator can count, by their name in the storage. */
const kindLabels: Readonly<Record<string, [singular: string, plural?: string]>> = {
  users: ['person', 'people'],
  workspaces: ['workspace'],
  members: ['member'],
  accounts: ['System-to-System account'],
  applications: ['application'],
  client_secrets: ['Client Secret'],
  invitations: ['invitation'],
  oidc_records: ['session, consent or token', 'sessions, consents and tokens'],
  mails: ['mail that waits', 'mails that wait'],
  signing_keys: ['signing key'],
  generations: ['generation'],
  audit: ['audit entry', 'audit entries'],
}
