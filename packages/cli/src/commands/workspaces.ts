import { allItems } from '@querent/client/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

export const workspaces = (): Command =>
  defineGroup('workspaces', 'Manage the workspaces of the server.', [list(), remove()])

const list = (): Command =>
  defineCommand('list', 'List workspaces.', 'querent workspaces list').action(
    async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const items = await allItems(query => management.call('listWorkspaces', { query }))
      const rows = items.map(({ workspace, title, roles, createdAt }) => [
        workspace,
        title,
        roles.join(', '),
        createdAt,
      ])
      const emptyText = 'There are no workspaces: create one with `querent apply FILE`.'
      print(options, {
        json: items,
        text: formatListing(['workspace', 'title', 'your roles', 'created'], rows, emptyText),
      })
    },
  )

const remove = (): Command =>
  defineCommand(
    'remove',
    'Remove a workspace with its documents, members, accounts and applications, at once. You cannot undo this.',
    'querent workspaces remove dictionary',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeWorkspace', { params: { workspace } })
      print(options, { json: { workspace, removed: true }, text: `Removed ${workspace}.` })
    })
