import type { Command } from 'commander'
import { define } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { printFile } from '#terminal/output'

export const exportWorkspace = (): Command =>
  define(
    'export',
    'Write a workspace as a file that `querent apply` takes.',
    'querent export dictionary > workspace.yaml',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const reply = await management.call('exportWorkspaceFile', { params: { workspace } })
      // With --json the file itself, written as JSON: `querent apply` takes that too.
      const { parse } = await import('yaml')
      printFile(options, { json: options.json && parse(reply.source), text: reply.source })
    })
