import type { Generation } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { listing } from '#terminal/table'

export const generations = (): Command =>
  group(
    'generations',
    'Generations of a collection: complete sets of its documents. Kept are the live one, the one before it and the last three others.',
    [list(), promote(), rollback()],
  )

const list = (): Command =>
  define(
    'list',
    'List the generations that are kept, newest first.',
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
      const titles = ['generation', 'state', 'documents', 'made', 'answers for']
      print(options, { json: items, text: listing(titles, rows, `${collection} has no generations.`) })
    })

const promote = (): Command =>
  define(
    'promote',
    'Let a complete generation answer; without an id the newest. Queries go on meanwhile.',
    'querent generations promote dictionary entries',
    'querent generations promote dictionary entries 3',
  )
    .argument('<workspace>')
    .argument('<collection>')
    .argument('[generation]', 'its id, as listed')
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
        printed(options, params, await management.call('promoteGeneration', { params, input }))
      },
    )

const rollback = (): Command =>
  define(
    'rollback',
    'Let the generation answer again that was promoted before the present one.',
    'querent generations rollback dictionary entries',
  )
    .argument('<workspace>')
    .argument('<collection>')
    .action(async (workspace: string, collection: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const params = { workspace, collection }
      printed(options, params, await management.call('rollBackGeneration', { params }))
    })

const printed = (
  options: Globals,
  { workspace, collection }: { workspace: string; collection: string },
  generation: Generation,
): void => {
  const { id, documents } = generation
  const counted = documents === null ? '' : `, with ${documents.toLocaleString('en')} documents`
  print(options, {
    json: generation,
    text: `Generation ${id} of ${workspace}/${collection} answers now${counted}.`,
  })
}
