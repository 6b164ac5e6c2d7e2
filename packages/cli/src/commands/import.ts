import { extname } from 'node:path'
import { ApiError } from '@querent/client'
import { type DocumentFormat, documentFormats } from '@querent/client/documents'
import type { ErrorPlace } from '@querent/contract/errors'
import type { Command } from 'commander'
import { define, option } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { sendDocuments } from '#documents/send'
import { openSource, type Source } from '#documents/source'
import { note, print } from '#terminal/output'

interface Options extends Globals, AccountOptions {
  format?: DocumentFormat
  replace?: true
  stage?: true
  strict?: true
}

export const importFiles = (): Command =>
  withAccount(
    define(
      'import',
      'Put documents into a collection. Lines that are refused are printed, and the rest goes on; done (0) when at least one was accepted.',
      'querent import dictionary entries entries.ndjson',
      'querent import dictionary entries a.csv b.csv --replace --stage',
      'querent import dictionary entries entries.ndjson.gz --replace',
    ),
  )
    .argument('<workspace>')
    .argument('<collection>')
    .argument('<files...>', 'files; - for standard input')
    .addOption(
      option('--format <format>', 'default: by the ending of the file, else ndjson').choices(
        Object.keys(documentFormats),
      ),
    )
    .addOption(option('--replace', 'the documents become the whole collection'))
    .addOption(option('--stage', 'with --replace: in a generation that does not answer yet'))
    .addOption(option('--strict', 'one bad line: nothing is kept'))
    .action(async (workspace: string, collection: string, files: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const format = options.format ?? formatOf(files)
      refuseContradictions(options, format, files)
      const source = await openSource(files, format === 'csv')
      const { baseUrl, tokenFor } = await connect(options, options)
      const reply = await sendDocuments({
        title: collection,
        total: source.total,
        sent: () => ({ done: source.read.bytes, documents: source.read.lines }),
        baseUrl,
        token: tokenFor(),
        workspace,
        collection,
        source: source.bytes,
        format,
        replace: options.replace ?? false,
        stage: options.stage ?? false,
        strict: options.strict ?? false,
      }).catch((error: unknown) => {
        throw error instanceof ApiError && error.errors.length > 0 ? refused(error, source) : error
      })
      const places = reply.errors.map(error => placeIn(source, error))
      for (const place of places) note(written(place))
      if (reply.rejected > 0) note(notAll(reply.rejected, places.length))
      print(options, {
        json: { ...reply, errors: places },
        text: options.stage
          ? `${reply.accepted.toLocaleString('en')} accepted for ${workspace}/${collection}: they answer after \`querent generations promote ${workspace} ${collection}\`.`
          : `${reply.accepted.toLocaleString('en')} accepted into ${workspace}/${collection}, and searchable.`,
      })
    })

const endings: Readonly<Record<string, DocumentFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
}

/** Throws {@link UsageError} for files of more than one format. */
const formatOf = (files: string[]): DocumentFormat => {
  const found = new Set(
    files.map(file => endings[extname(file.replace(/\.gz$/i, '')).toLowerCase()] ?? 'ndjson'),
  )
  const [format = 'ndjson', other] = found
  if (other !== undefined)
    throw new UsageError(
      `the files end like ${format} and like ${other}: import those of each format by a command of their own, with --replace at most the first; or say --format where all of them are of one`,
    )
  return format
}

const refuseContradictions = (options: Options, format: DocumentFormat, files: string[]): void => {
  if (files.filter(file => file === '-').length > 1)
    throw new UsageError('standard input (-) can be read only once')
  if (files.length > 1 && format === 'json')
    throw new UsageError(
      "json takes one file at a time: make lines of them, as by `jq -c '.[]' FILE… | querent import WORKSPACE COLLECTION -`",
    )
  if (files.length > 1 && format === 'csv' && files.includes('-'))
    throw new UsageError('csv on standard input (-) stands alone: name files, or lead all of it there')
  if (options.stage && !options.replace)
    throw new UsageError('--stage needs --replace: only a whole collection can be staged')
  if (options.clientSecretStdin && files.includes('-'))
    throw new UsageError(
      'standard input cannot hold both the secret and the documents: give QUERENT_CLIENT_SECRET instead',
    )
}

interface Place {
  file: string
  line?: number
  message: string
}

const placeIn = (source: Source, { line, message }: ErrorPlace): Place =>
  line === undefined ? { file: source.placeOf(1).file, message } : { ...source.placeOf(line), message }

const written = ({ file, line, message }: Place): string =>
  [file, line, ` ${message}`].filter(part => part !== undefined).join(':')

const notAll = (rejected: number, listed: number): string => {
  const counted =
    rejected === 1 ? '1 document was refused' : `${rejected.toLocaleString('en')} documents were refused`
  return rejected > listed ? `${counted}; the first ${listed} are listed above` : counted
}

const refused = ({ errors }: ApiError, source: Source): CommandError => {
  const places = errors.map(error => written(placeIn(source, error)))
  const [only] = places
  return places.length === 1 && only !== undefined
    ? new CommandError(`no document was kept: ${only}`)
    : new CommandError(`no document was kept: ${places.length} places are wrong`, ...places)
}
