import { allItems } from '@querent/client'
import type { Command } from 'commander'
import { define, group } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { listing } from '#terminal/table'

export const workspaces = (): Command => group('workspaces', 'Workspaces of the server.', [list(), remove()])

const list = (): Command =>
  define('list', 'List workspaces.', 'querent workspaces list').action(
    async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const found = await allItems(query => management.call('listWorkspaces', { query }))
      const rows = found.map(({ workspace, title, roles, createdAt }) => [
        workspace,
        title,
        roles.join(', '),
        createdAt,
      ])
      const none = 'There are no workspaces: make one with `querent apply FILE`.'
      print(options, { json: found, text: listing(['workspace', 'title', 'your roles', 'made'], rows, none) })
    },
  )

const remove = (): Command =>
  define(
    'remove',
    'Remove a workspace with its documents, members, accounts and applications, at once. It does not come back.',
    'querent workspaces remove dictionary',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeWorkspace', { params: { workspace } })
      print(options, { json: { workspace, removed: true }, text: `${workspace} is removed.` })
    })
