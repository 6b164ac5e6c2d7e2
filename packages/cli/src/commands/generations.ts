import type { Generation } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

export const generations = (): Command =>
  defineGroup(
    'generations',
    'Manage the generations of a collection: complete sets of its documents. The server keeps the live one, the one before it and the last three others.',
    [list(), promote(), rollback()],
  )

const list = (): Command =>
  defineCommand(
    'list',
    'List the generations that the server keeps, newest first.',
    'querent generations list dictionary entries',
  )
    .argument('<workspace>')
    .argument('<collection>')
    .action(async (workspace: string, collection: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const { items } = await management.call('listGenerations', { params: { workspace, collection } })
      const rows = items.map(({ id, createdAt, documents, state, configurations }) => [
        id,
        state,
        documents?.toLocaleString('en') ?? '',
        createdAt,
        configurations.join(', '),
      ])
      const titles = ['generation', 'state', 'documents', 'created', 'answers for']
      print(options, { json: items, text: formatListing(titles, rows, `${collection} has no generations.`) })
    })

const promote = (): Command =>
  defineCommand(
    'promote',
    'Make a complete generation live; without an id, the newest. Queries continue without interruption.',
    'querent generations promote dictionary entries',
    'querent generations promote dictionary entries 3',
  )
    .argument('<workspace>')
    .argument('<collection>')
    .argument('[generation]', 'id, as `querent generations list` prints it')
    .action(
      async (
        workspace: string,
        collection: string,
        generation: string | undefined,
        _: unknown,
        command: Command,
      ) => {
        const options = command.optsWithGlobals<Globals>()
        const { management } = await connect(options)
        const params = { workspace, collection }
        const input = generation === undefined ? {} : { generation }
        printLive(options, params, await management.call('promoteGeneration', { params, input }))
      },
    )

const rollback = (): Command =>
  defineCommand(
    'rollback',
    'Make the generation live that was promoted before the current one.',
    'querent generations rollback dictionary entries',
  )
    .argument('<workspace>')
    .argument('<collection>')
    .action(async (workspace: string, collection: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const params = { workspace, collection }
      printLive(options, params, await management.call('rollBackGeneration', { params }))
    })

const printLive = (
  options: Globals,
  { workspace, collection }: { workspace: string; collection: string },
  generation: Generation,
): void => {
  const { id, documents } = generation
  const size = documents === null ? '' : `, with ${documents.toLocaleString('en')} documents`
  print(options, {
    json: generation,
    text: `Generation ${id} of ${workspace}/${collection} is live now${size}.`,
  })
}
