import { settings } from '@querent/server/config/settings'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { readSettings } from '#connection/server-settings'
import { startCommand } from '#connection/start-command'
import { note, pluralize, print } from '#terminal/output'
import { describeMissing } from './backup.ts'

interface Options extends Globals {
  config?: string
  storage?: string
}

export const restore = (): Command =>
  defineCommand(
    'restore',
    'Create a new data folder and fill an empty storage from a backup file of `querent backup`.',
    'querent restore querent-2026-11-21.backup --data querent-data',
    'querent restore querent-2026-11-21.backup --data querent-data --storage postgres://querent@db.example.org/querent',
  )
    .argument('<file>')
    .addOption(option('--config <file>', 'configuration file of the new server, YAML or JSON'))
    // The settings table reads the environment itself.
    .option(
      settings.storage.flag ?? '',
      `${settings.storage.description} (default: ${settings.storage.defaultText})`,
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const read = await readSettings(options)
      const { config } = read
      const { restoreDataFolder } = await import('@querent/server/main')
      const restored = await restoreDataFolder(config, file)
      const { createdAt, users, workspaces, documents, documentsNotLive, missing } = restored
      if (missing.length > 0)
        note(
          `The backup is incomplete. When it was made, the documents of ${describeMissing(missing)}. These collections answer 503 until you import all their documents again with \`querent import WORKSPACE COLLECTION FILE --replace\`.`,
        )
      print(options, {
        json: { data: config.data, ...restored, complete: missing.length === 0 },
        text: [
          `Restored ${config.data} as of ${createdAt}: ${pluralize(users, 'person', 'people')}, ${pluralize(workspaces, 'workspace')}, ${pluralize(documents, 'document')}${documentsNotLive > 0 ? `, and ${pluralize(documentsNotLive, 'document')} of generations that are not live` : ''}.`,
          startCommand(read, options.config),
        ].join('\n'),
      })
    })
