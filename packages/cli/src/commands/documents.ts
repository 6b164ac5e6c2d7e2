import { once } from 'node:events'
import { type Condition, countDocuments, deleteDocuments, exportDocuments } from '@querent/client/documents'
import { allItems } from '@querent/client/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

export const documents = (): Command =>
  defineGroup(
    'documents',
    'Export or delete documents of a collection, and see who can read one. `querent import` adds documents.',
    [exportAll(), deleteByFields(), listReaders()],
  )

const listReaders = (): Command =>
  defineCommand(
    'readers',
    'List who can read a document: groups, members and System-to-System accounts.',
    'querent documents readers dictionary entries bank-1',
    'querent documents readers dictionary entries https://wordnet.example/bank-1 --json',
  )
    .argument('<workspace>')
    .argument('<collection>')
    .argument('<id>', 'id or URI of the document')
    .action(async (workspace: string, collection: string, id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const params = { workspace, collection }
      const readPage = (query: { after?: string; count: number }) =>
        management.call('listDocumentReaders', { params, query: { id, ...query } })
      const first = await readPage({ count: pageItems })
      const { next } = first
      const items = [
        ...first.items,
        ...(next === null ? [] : await allItems(({ after = next, count }) => readPage({ after, count }))),
      ]
      const { document, public: isPublic, groups } = first
      const sees = groups.filter(group => group.sees).map(({ group }) => group)
      const rows = items.map(reader => [
        reader.email ?? reader.clientId ?? '',
        reader.name,
        reader.roles.join(', '),
        [...reader.through.filter(source => source !== 'group'), ...reader.groups].join(', '),
        reader.namedAs ?? '',
      ])
      print(options, {
        json: { document, public: isPublic, groups, members: items },
        text: [
          ...(isPublic ? ['Everybody sees it at a public API.'] : []),
          `Groups whose members see it: ${sees.join(', ') || 'none'}.`,
          formatListing(['member', 'name', 'roles', 'through', 'named as'], rows, 'No member sees it.'),
        ].join('\n'),
      })
    })

const pageItems = 1000

const deleteByFields = (): Command =>
  withAccount(
    defineCommand(
      'delete',
      'Delete the documents that have these values. Several values of a field are alternatives; price.from=10 and price.to=20 are a range.',
      'querent documents delete dictionary entries kind=noun kind=verb --dry-run',
      'querent documents delete dictionary entries year.to=1999',
    ),
  )
    .argument('<workspace>')
    .argument('<collection>')
    .argument('<field=value...>', 'conditions; a document must meet those of all fields')
    .addOption(option('--dry-run', 'only count the documents'))
    .action(async (workspace: string, collection: string, words: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & AccountOptions & { dryRun?: true }>()
      const conditions = words.map(readCondition)
      const { baseUrl, tokenFor } = await connect(options, options)
      const work = options.dryRun ? countDocuments : deleteDocuments
      const deleted = await work({ baseUrl, token: tokenFor(), workspace, collection, conditions })
      const count = `${deleted.toLocaleString('en')} ${deleted === 1 ? 'document' : 'documents'}`
      print(options, {
        json: { deleted },
        text: options.dryRun
          ? `${count} of ${workspace}/${collection} would be deleted.`
          : `${count} of ${workspace}/${collection} deleted.`,
      })
    })

const readCondition = (text: string): Condition => {
  const equalsIndex = text.indexOf('=')
  if (equalsIndex <= 0) throw new UsageError(`a condition must have the form field=value: found "${text}"`)
  return [text.slice(0, equalsIndex), text.slice(equalsIndex + 1)]
}

const exportAll = (): Command =>
  withAccount(
    defineCommand(
      'export',
      'Write all documents of a collection as NDJSON, which `querent import` accepts. With --json, write one JSON array.',
      'querent documents export dictionary entries > entries.ndjson',
      'querent documents export dictionary entries | gzip > entries.ndjson.gz',
    ),
  )
    .argument('<workspace>')
    .argument('<collection>')
    .action(async (workspace: string, collection: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & AccountOptions>()
      const { baseUrl, tokenFor } = await connect(options, options)
      const source = exportDocuments({ baseUrl, token: tokenFor(), workspace, collection })
      for await (const chunk of options.json ? asArray(source) : source)
        if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    })

/** Joins the lines to one JSON array. JSON strings contain no line ends. */
async function* asArray(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending = '['
  for await (const chunk of source) {
    const text = pending + decoder.decode(chunk, { stream: true })
    const end = text.trimEnd().length
    pending = text.slice(end)
    yield text.slice(0, end).replaceAll('\n', ',\n')
    pending = pending === '' ? '' : ',\n'
  }
  yield pending.startsWith('[') ? '[]\n' : ']\n'
}
