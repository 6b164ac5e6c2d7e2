import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type DocumentFormat, documentFormats } from '@querent/contract/document-format'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import { createWriteError } from '#command-line/file-failure'
import type { Globals } from '#command-line/globals'
import { chooseFormat } from '#documents/choose-format'
import { openSource } from '#documents/file-source'
import { type Input, openInputs } from '#documents/open-inputs'
import { print } from '#terminal/output'

interface Options extends Globals {
  from?: string
  format?: DocumentFormat
}

/** The beginning of a file that a proposal is made from. */
const sampleBytesMax = 1024 * 1024
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
    .addOption(option('--from <file>', 'propose collection, fields and endpoints for these documents'))
    .addOption(
      option('--format <format>', 'format of the documents (default: from the file extension)').choices(
        Object.keys(documentFormats),
      ),
    )
    .action(async (workspace: string, _: unknown, command: Command) => {
      const { from, format, ...options } = command.optsWithGlobals<Options>()
      const files =
        from === undefined ? await writeStarter(workspace) : await writeProposed(workspace, from, format)
      const { collection, documents } = files
      const steps = [
        `querent apply ${workspacePath}`,
        `querent import ${workspace} ${collection} ${documents}`,
      ]
      print(options, {
        json: { workspace, file: workspacePath, collection, documents },
        text: [`Wrote ${workspacePath}. Look through it, then:`, ...steps.map(step => `  ${step}`)].join(
          '\n',
        ),
      })
    })

interface NewFiles {
  collection: string
  /** Path of the file of documents. */
  documents: string
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
  statedFormat: DocumentFormat | undefined,
): Promise<NewFiles> => {
  const [{ propose }, { readSample }, { writeProposal }] = await Promise.all([
    import('@querent/server/proposals/propose'),
    import('@querent/server/proposals/read-sample'),
    import('@querent/contract/proposal-text'),
  ])
  const inputs = await openInputs([from])
  const format = statedFormat ?? chooseFormat(inputs)
  const { bytes, isCut } = await readBeginning(inputs)
  // The delimiter is detected.
  const sample = await readSample(bytes, format === 'tsv' ? 'csv' : format, isCut)
  const proposal =
    typeof sample === 'string' ? sample : propose(basename(from).replace(/\.[^.]*(\.gz)?$/i, ''), sample)
  if (typeof proposal === 'string') throw new CommandError(`${from}: ${proposal}`)
  await writeNewFiles({ [workspacePath]: await checked(writeProposal(workspace, proposal, from)) })
  return { collection: proposal.collection, documents: from }
}

const readBeginning = async (inputs: readonly Input[]): Promise<{ bytes: Buffer; isCut: boolean }> => {
  const source = await openSource(inputs)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source.bytes) {
    chunks.push(chunk)
    size += chunk.length
    if (size > sampleBytesMax) return { bytes: Buffer.concat(chunks), isCut: true }
  }
  return { bytes: Buffer.concat(chunks), isCut: false }
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
