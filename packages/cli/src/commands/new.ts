import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type DocumentFormat, documentFormats } from '@querent/contract/document-format'
import { findSwappedFormat, hasVariants, isByRow, type Proposal } from '@querent/contract/proposal'
import { nameSeparator } from '@querent/contract/proposal-text'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import { createWriteError } from '#command-line/file-failure'
import { type Globals, quoteArgument } from '#command-line/globals'
import { chooseFormat } from '#documents/choose-format'
import { openSource } from '#documents/file-source'
import { openInputs } from '#documents/open-inputs'
import { print } from '#terminal/output'

interface Options extends Globals {
  from?: string
  format?: DocumentFormat
  id?: string
  rows?: string
}

const workspacePath = 'workspace.yaml'
const examplesPath = 'documents.ndjson'

export const newWorkspace = (): Command =>
  defineCommand(
    'new',
    'Write a workspace file to start with, in the current folder. With --from it fits your documents; otherwise it comes with example documents.',
    'querent new books --from books.csv',
    'querent new library',
  )
    .argument('<workspace>', 'a-z, 0-9 and -, 1 to 63 characters')
    .addOption(
      option(
        '--from <file>',
        'propose collection, fields and endpoints for these documents; a text such as gift;new becomes several values',
      ),
    )
    .addOption(
      option('--format <format>', 'format of the documents (default: from the file extension)').choices(
        Object.keys(documentFormats),
      ),
    )
    .addOption(
      option(
        '--id <field>',
        'with --from: the field that has a different value in each document; hash makes an id of the content, row of the position in the file (default: the best field, or hash)',
      ),
    )
    .addOption(
      option(
        '--rows <path>',
        'with --from: the list of objects inside a JSON object, such as data.items (default: the longest)',
      ),
    )
    .action(async (workspace: string, _: unknown, command: Command) => {
      const { from, format, id, rows, ...options } = command.optsWithGlobals<Options>()
      if (id !== undefined && from === undefined) throw new UsageError('--id needs --from')
      if (rows !== undefined && from === undefined) throw new UsageError('--rows needs --from')
      const files =
        from === undefined
          ? await writeStarter(workspace)
          : await writeProposed(workspace, from, { format, id, rows })
      const { collection, documents, isByRow = false, notes = [] } = files
      const rowsOption = rows === undefined ? '' : ` --rows ${quoteArgument(rows)}`
      const steps = [
        `querent apply ${workspacePath}`,
        `querent import ${workspace} ${collection} ${quoteArgument(documents)}${rowsOption}${isByRow ? ' --replace' : ''}`,
      ]
      print(options, {
        json: { workspace, file: workspacePath, collection, documents },
        text: [
          ...notes,
          `Wrote ${workspacePath}. Look through it, then:`,
          ...steps.map(step => `  ${step}`),
        ].join('\n'),
      })
    })

interface NewFiles {
  collection: string
  /** Path of the file of documents. */
  documents: string
  /** Whether ids are positions in the file. */
  isByRow?: boolean
  /** Say what the ids mean for later imports, and which list of the file has the documents. */
  notes?: string[]
}

const writeStarter = async (workspace: string): Promise<NewFiles> => {
  const { starterCollection, writeStarterDocuments, writeStarterFile } = await import(
    '@querent/contract/starter'
  )
  await writeNewFiles({
    [workspacePath]: await checked(writeStarterFile(workspace, workspace)),
    [examplesPath]: writeStarterDocuments(),
  })
  return { collection: starterCollection, documents: examplesPath }
}

const writeProposed = async (
  workspace: string,
  from: string,
  { format: statedFormat, id, rows }: { [option in 'format' | 'id' | 'rows']: Options[option] | undefined },
): Promise<NewFiles> => {
  const [
    { propose },
    { checkId },
    { createTypeCheck },
    { readDocuments, readSample },
    { describeId, describeNearIds, writeProposal },
    { objectBeginningBytes, sampleStream },
  ] = await Promise.all([
    import('@querent/server/proposals/propose'),
    import('@querent/server/proposals/check-id'),
    import('@querent/server/proposals/check-types'),
    import('@querent/server/proposals/read-sample'),
    import('@querent/contract/proposal-text'),
    import('@querent/contract/file-sample'),
  ])
  const inputs = await openInputs([from])
  const format = statedFormat ?? (rows === undefined ? chooseFormat(inputs) : 'json')
  const source = await openSource(inputs)
  const { beginning, parts, isCut } = await sampleStream(
    source.bytes,
    format === 'json' ? objectBeginningBytes : undefined,
  )
  // The delimiter is detected.
  const sampleFormat = format === 'tsv' ? 'csv' : format
  const sample = await readSample(beginning, sampleFormat, isCut, parts, rows)
  if (typeof sample === 'string') throw new CommandError(`${from}: ${sample}`)
  const proposed = propose(basename(from).replace(/\.[^.]*(\.gz)?$/i, ''), sample)
  // A pipe can be read only once.
  const isAll = sample.coverage === 'whole' || inputs.some(({ size }) => size === undefined)
  const checkWhole = async () => {
    const { bytes } = await openSource(await openInputs([from]))
    const types = createTypeCheck(proposed, sample.isTable)
    const documents = types.watch(readDocuments(bytes, sampleFormat, beginning, rows))
    return types.finish(await checkId(proposed, documents))
  }
  const checkedProposal = isAll ? proposed : await checkWhole()
  const proposal = chooseId(checkedProposal, id)
  const nearIds = describeNearIds(proposal)
  const importArguments = `${quoteArgument(from)}${rows === undefined ? '' : ` --rows ${quoteArgument(rows)}`}`
  await writeNewFiles({
    [workspacePath]: await checked(writeProposal(workspace, proposal, from, importArguments)),
  })
  return {
    collection: proposal.collection,
    documents: from,
    isByRow: isByRow(proposal),
    notes: [
      ...('field' in proposal.id ? [] : [`Ids: ${describeId(proposal.id)}.`]),
      ...(nearIds === undefined ? [] : [`Check the ids: ${nearIds}.`]),
      ...(hasVariants(proposal.sample)
        ? [
            'Variants: rows without a title lack the vendor, type and tags of their product. Facets, filters and row filters miss them. Fill them in before the import: docs/import-data.md, "Exports of Shopify".',
          ]
        : []),
      ...(proposal.rows
        ? [
            `Documents: the list ${proposal.rows.path}. For another one: --rows ${proposal.rows.others.join(' or ')}.`,
          ]
        : []),
      ...proposal.fields.flatMap(({ name, use, listSeparator }) =>
        use && listSeparator !== undefined
          ? [
              `Several values: ${name} is split at ${nameSeparator(listSeparator)}. To keep each text as one value, remove its listSeparator.`,
            ]
          : [],
      ),
      ...proposal.fields.flatMap(field => {
        const swapped = findSwappedFormat(field)
        return swapped === undefined
          ? []
          : [
              `Dates: ${field.name} is read as ${field.formats?.join()}. All values fit ${swapped} too: check the order of day and month.`,
            ]
      }),
    ],
  }
}

/** Throws {@link UsageError} for a field that is no id. */
const chooseId = (proposal: Proposal, id: string | undefined): Proposal => {
  if (id === undefined) return proposal
  const idFields = [...proposal.idFields, ...proposal.nearIds.map(({ field }) => field)]
  if (idFields.includes(id)) return { ...proposal, id: { field: id } }
  if (id === 'hash' || id === 'row') return { ...proposal, id: { generate: id } }
  throw new UsageError(
    `--id: "${id}" does not have a different value in each document; allowed: ${[...idFields, 'hash', 'row'].join(', ')}`,
  )
}

/** Throws {@link UsageError} for the name of the workspace, and {@link CommandError} for other parts that a server would refuse. */
const checked = async (text: string): Promise<string> => {
  const { readWorkspaceFile } = await import('@querent/contract/read-workspace-file')
  const read = readWorkspaceFile(text)
  if (!('errors' in read)) return text
  const [first] = read.errors
  if (first?.path === 'workspace') throw new UsageError(`<workspace>: ${first.message}`)
  throw new CommandError(`${first?.path}: ${first?.message}`)
}

/** Throws {@link CommandError} instead of replacing a file, before it writes any. */
const writeNewFiles = async (files: Record<string, string>): Promise<void> => {
  for (const path of Object.keys(files))
    if (existsSync(path))
      throw new CommandError(`${resolve(path)} exists: remove it, or change to another folder`)
  for (const [path, text] of Object.entries(files))
    await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
      throw createWriteError(resolve(path), error, 'change to another folder')
    })
}
