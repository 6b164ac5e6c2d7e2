import { once } from 'node:events'
import { exportDocuments } from '@querent/client/documents'
import type { Command } from 'commander'
import { defineCommand, defineGroup } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'

export const documents = (): Command =>
  defineGroup('documents', 'Export the documents of a collection. `querent import` adds documents.', [
    exportAll(),
  ])

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
