import { ApiError } from '@querent/client'
import type { Encoding, Import } from '@querent/client/documents'
import { type DocumentFormat, documentFormats, formatByName } from '@querent/contract/document-format'
import type { ErrorGroup, ErrorPlace } from '@querent/contract/errors'
import { listNames } from '@querent/contract/nearest-names'
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import { type Command, InvalidArgumentError } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { chooseFormat } from '#documents/choose-format'
import { openSource, type Source } from '#documents/file-source'
import { openInputs } from '#documents/open-inputs'
import { checkRejectedPath, type RejectedPlaces, writeRejectedFile } from '#documents/rejected-file'
import { sendDocuments } from '#documents/send-documents'
import { note, print } from '#terminal/output'

type Delimiter = NonNullable<Import['delimiter']>
const delimiters: Readonly<Record<string, Delimiter>> = {
  ',': ',',
  ';': ';',
  '\t': '\t',
  tab: '\t',
}

const readDelimiter = (text: string): Delimiter => {
  const delimiter = Object.hasOwn(delimiters, text) ? delimiters[text] : undefined
  if (delimiter === undefined) throw new InvalidArgumentError('allowed: "," or ";" or tab')
  return delimiter
}

const encodings: readonly Encoding[] = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be']

interface Options extends Globals, AccountOptions {
  format?: DocumentFormat
  replace?: true
  stage?: true
  strict?: true
  update?: true
  create?: true
  delimiter?: Delimiter
  encoding?: Encoding
  rows?: string
  rejected?: string
}

export const importFiles = (): Command =>
  withAccount(
    defineCommand(
      'import',
      'Add documents to a collection. It prints rejected lines and continues with the rest. Exits with 0 if at least one document was accepted.',
      'querent import dictionary entries entries.ndjson',
      'querent import dictionary entries a.csv b.csv --replace --stage',
      'querent import dictionary entries entries.ndjson.gz --replace',
      'querent import dictionary entries prices.csv --update',
    ),
  )
    .argument('<workspace>')
    .argument('<collection>')
    .argument('<files...>', 'files (-: standard input)')
    .addOption(
      option(
        '--format <format>',
        'format of the files (default: from the file extension and the content)',
      ).choices(Object.keys(documentFormats)),
    )
    .addOption(option('--replace', 'replace all documents of the collection'))
    .addOption(option('--stage', 'with --replace: write a generation that is not live yet'))
    .addOption(
      option(
        '--update',
        'change stored documents: the members of each document merge into the one with its id, and null removes a member',
      ),
    )
    .addOption(
      option('--create', 'with --update: create documents with unknown ids, instead of rejecting them'),
    )
    .addOption(
      option(
        '--delimiter <character>',
        'delimiter of csv: "," or ";" or tab (default: detected); the listSeparator of a field divides the values in a cell',
      ).argParser(readDelimiter),
    )
    .addOption(
      option('--encoding <encoding>', 'encoding of csv and tsv (default: detected)').choices(encodings),
    )
    .addOption(
      option(
        '--rows <path>',
        'list of documents inside a JSON object, such as data.items (default: the longest)',
      ),
    )
    .addOption(option('--strict', 'keep no document if one line is rejected'))
    .addOption(
      option(
        '--rejected <file>',
        'write the rejected documents to a file, to correct and import them (default: only print why)',
      ),
    )
    .action(async (workspace: string, collection: string, files: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      rejectBadInputs(options, files)
      const { source, format } = await openFiles(options, files)
      const reply = await sendFiles(options, { workspace, collection, source, format }, files)
      const places = reply.errors.map(error => placeIn(source, error))
      for (const line of describePlaces(places)) note(line)
      noteRemarks(reply, places.length)
      if (
        options.replace &&
        !options.stage &&
        (reply.rejected > 0 || ('emptyFields' in reply && reply.emptyFields))
      )
        note(describeWayBack(workspace, collection))
      const rejectedFile = await saveRejected(options, { files, format, reply })
      print(options, {
        json: { ...reply, errors: places, ...(rejectedFile ? { rejectedFile } : {}) },
        text: describeResult(workspace, collection, reply, options),
      })
    })

/** Opens the files and finds their format. Rejects files that cannot be imported together, before it reads them where possible. */
const openFiles = async (
  options: Options,
  files: string[],
): Promise<{ source: Source; format: DocumentFormat }> => {
  const statedFormat = options.format ?? (options.rows === undefined ? undefined : 'json')
  const knownFormat = statedFormat ?? files.map(formatByName).find(format => format && isTable(format))
  if (knownFormat) rejectContradictions(knownFormat, files)
  const inputs = await openInputs(files, statedFormat !== undefined && isTable(statedFormat))
  const format = statedFormat ?? chooseFormat(inputs)
  rejectContradictions(format, files)
  if (options.rejected !== undefined) checkRejectedPath(options.rejected, files, inputs)
  return { source: await openSource(inputs, isTable(format)), format }
}

const sendFiles = async (
  options: Options,
  { source, ...target }: { workspace: string; collection: string; source: Source; format: DocumentFormat },
  files: readonly string[],
): Promise<ImportReply | UpdateReply> => {
  const { replace = false, stage = false, strict = false, update = false, create = false } = options
  const { delimiter, encoding, rows } = options
  const { baseUrl, tokenFor } = await connect(options, options)
  return sendDocuments({
    title: target.collection,
    total: source.total,
    progressNow: () => ({ done: source.read.bytes, documents: source.read.lines }),
    baseUrl,
    token: tokenFor(),
    source: source.bytes,
    ...target,
    ...{ replace, stage, strict, update, create },
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(encoding ? { encoding } : {}),
    ...(rows === undefined ? {} : { rows }),
  }).catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.errors.length === 0) throw error
    const { errors, rejectedAt } = error
    await saveRejected(options, {
      files,
      format: target.format,
      reply: { rejected: countRejected(error), errors, ...(rejectedAt ? { rejectedAt } : {}) },
    })
    throw rejectionError(error, source)
  })
}

/** Returns the path of the file with the rejected documents, if there is one. */
const saveRejected = async (
  { rejected: path, encoding, rows }: Options,
  {
    files,
    format,
    reply,
  }: { files: readonly string[]; format: DocumentFormat; reply: RejectedPlaces & { rejected: number } },
): Promise<string | undefined> => {
  if (reply.rejected === 0) return undefined
  if (path === undefined) {
    if (!files.includes('-')) note('to save them as a file that you can correct and import: --rejected FILE')
    return undefined
  }
  await writeRejectedFile({ path, files, format, encoding, rows }, reply)
  note(`saved the rejected documents in ${path}: correct them, and import that file`)
  return path
}

/** `listed`: number of rejected documents that were printed. */
const noteRemarks = (reply: ImportReply | UpdateReply, listed: number): void => {
  if (reply.rejected > 0) note(describeRejected(reply.rejected, listed))
  for (const reason of reply.reasons ?? []) note(describeReason(reason))
  if (reply.encoding !== undefined)
    note(`read as ${reply.encoding}; if letters are wrong, save the file as UTF-8 and import it again`)
  if ('replaced' in reply && reply.replaced > 0) note(describeReplaced(reply))
  if ('emptyFields' in reply && reply.emptyFields) note(describeEmptyFields(reply.emptyFields))
}

/** Whether the files have a header line. */
const isTable = (format: DocumentFormat): boolean => format === 'csv' || format === 'tsv'

const rejectBadInputs = (options: Options, files: string[]): void => {
  if (files.filter(file => file === '-').length > 1)
    throw new UsageError('standard input (-) can be read only once')
  if (options.stage && !options.replace)
    throw new UsageError('--stage needs --replace: only a whole collection can be staged')
  if (options.update && options.replace)
    throw new UsageError(
      '--update changes stored documents, and --replace removes them: leave one of them out',
    )
  if (options.create && !options.update)
    throw new UsageError('--create needs --update: an import without it creates documents anyway')
  if (options.clientSecretStdin && files.includes('-'))
    throw new UsageError(
      'standard input cannot hold both the secret and the documents: give QUERENT_CLIENT_SECRET instead',
    )
}

const rejectContradictions = (format: DocumentFormat, files: string[]): void => {
  if (files.length > 1 && format === 'json')
    throw new UsageError(
      "json takes one file at a time: convert the files to lines with `jq -c '.[]' FILE… | querent import WORKSPACE COLLECTION -`",
    )
  if (files.length > 1 && isTable(format) && files.includes('-'))
    throw new UsageError(
      'csv or tsv on standard input (-) cannot be combined with files: name only files, or pipe everything to standard input',
    )
}

interface Place {
  file: string
  line?: number
  /** Position in the list of a JSON file, from 0. */
  index?: number
  message: string
}

const placeIn = (source: Source, { line, index, message }: ErrorPlace): Place => {
  if (line !== undefined) return { ...source.locate(line), message }
  return { file: source.locate(1).file, ...(index === undefined ? {} : { index }), message }
}

const formatPlace = ({ file, line, index, message }: Place): string =>
  [file, line, index === undefined ? undefined : ` index ${index}`, ` ${message}`]
    .filter(part => part !== undefined)
    .join(':')

/** Files in which more documents have the same error are wrong as a whole. */
const equalPlacesMax = 3

/** Describes each place, and the places of an error that many documents have once. */
const describePlaces = (places: readonly Place[]): string[] =>
  [...Map.groupBy(places, ({ message }) => message).values()].flatMap(equalPlaces => {
    const [first] = equalPlaces
    if (first === undefined || equalPlaces.length <= equalPlacesMax) return equalPlaces.map(formatPlace)
    return [`${formatPlace(first)} (and ${equalPlaces.length - 1} more with this error)`]
  })

const describeRejected = (rejected: number, listed: number): string => {
  const count =
    rejected === 1 ? '1 document was rejected' : `${rejected.toLocaleString('en')} documents were rejected`
  return rejected > listed ? `${count}; the first ${listed} are listed above` : count
}

const describeReason = ({ count, first, examples = [] }: ErrorGroup): string =>
  `${count.toLocaleString('en')} as in ${first.line === undefined ? `index ${first.index}` : `line ${first.line}`}: ${first.message}${examples.length > 1 ? `; also found ${examples.slice(1).join(', ')}` : ''}`

const describeResult = (
  workspace: string,
  collection: string,
  reply: ImportReply | UpdateReply,
  { stage }: Options,
): string => {
  const accepted = reply.accepted.toLocaleString('en')
  if (stage)
    return `${accepted} accepted for ${workspace}/${collection}: make them live with \`querent generations promote ${workspace} ${collection}\`.`
  if (!('updated' in reply)) return `${accepted} accepted into ${workspace}/${collection}, and searchable.`
  const created = reply.accepted - reply.updated
  const additions = created > 0 ? `, ${created.toLocaleString('en')} created` : ''
  return `${reply.updated.toLocaleString('en')} changed${additions} in ${workspace}/${collection}, and searchable.`
}

const describeEmptyFields = (names: readonly string[]): string =>
  `no document has a value for ${listNames(names)}: compare the names with the documents`

const describeWayBack = (workspace: string, collection: string): string =>
  `if you replaced the documents by mistake, \`querent generations rollback ${workspace} ${collection}\` makes the former ones live again`

const describeReplaced = ({ accepted, documents, replaced, replacedIds }: ImportReply): string => {
  const [read, written, gone] = [accepted, documents, replaced].map(count => count.toLocaleString('en'))
  return `${read} read, ${written} ${documents === 1 ? 'document' : 'documents'}: ${gone} replaced an earlier one with the same id${replacedIds ? `, such as ${listNames(replacedIds)}` : ''}`
}

/** Only the first documents have their error in a reply. */
const countRejected = ({ errors, rejectedAt }: ApiError): number =>
  rejectedAt?.reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0) ?? errors.length

const rejectionError = (error: ApiError, source: Source): CommandError => {
  const places = error.errors.map(place => placeIn(source, place))
  const [single] = places
  if (places.length === 1 && single !== undefined)
    return new CommandError(`no document was kept: ${formatPlace(single)}`)
  const rejected = countRejected(error)
  return new CommandError(
    `no document was kept: ${rejected.toLocaleString('en')} documents are wrong`,
    ...describePlaces(places),
    ...(rejected > places.length ? [`only the first ${places.length} are listed`] : []),
  )
}
