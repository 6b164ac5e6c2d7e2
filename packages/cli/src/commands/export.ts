import type { Command } from 'commander'
import { defineCommand } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { printFile } from '#terminal/output'

export const exportWorkspace = (): Command =>
  defineCommand(
    'export',
    'Write a workspace as a file that `querent apply` accepts.',
    'querent export dictionary > workspace.yaml',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const reply = await management.call('exportWorkspaceFile', { params: { workspace } })
      // With --json, print the file itself as JSON: `querent apply` accepts that too.
      const { parse } = await import('yaml')
      printFile(options, { json: options.json && parse(reply.source), text: reply.source })
    })
