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
}

export const restore = (): Command =>
  define(
    'restore',
    'Make a new data folder, and fill an empty storage, from a file that `querent backup` wrote.',
    'querent restore querent-2026-11-21.backup --data querent-data',
    'querent restore querent-2026-11-21.backup --data querent-data --storage postgres://querent@db.example.org/querent',
  )
    .argument('<file>')
    .addOption(option('--config <file>', 'configuration file of the server to be, YAML or JSON'))
    // The table of settings reads the environment itself.
    .option(
      settings.storage.flag ?? '',
      `${settings.storage.reason} (default: ${settings.storage.defaultText})`,
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const read = await settingsOf(options)
      const { config } = read
      const { restoreDataFolder } = await import('@querent/server/main')
      const restored = await restoreDataFolder(config, file)
      const { createdAt, users, workspaces, documents } = restored
      print(options, {
        json: { data: config.data, ...restored },
        text: [
          `Made ${config.data} as it was at ${createdAt}: ${counted(users, 'person', 'people')}, ${counted(workspaces, 'workspace')}, ${counted(documents, 'document')}.`,
          startCommand(read, options.config),
        ].join('\n'),
      })
    })
