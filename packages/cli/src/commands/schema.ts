import type { Command } from 'commander'
import { defineCommand } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { printFile } from '#terminal/output'

export const schema = (): Command =>
  defineCommand(
    'schema',
    'Print the JSON Schema of the workspace file, for editors.',
    'querent schema > workspace-file.schema.json',
  ).action(async (_: unknown, command: Command) => {
    const { workspaceFileJsonSchema } = await import('@querent/contract/workspace-file-json-schema')
    const json = workspaceFileJsonSchema()
    printFile(command.optsWithGlobals<Globals>(), { json, text: `${JSON.stringify(json, null, 2)}\n` })
  })
