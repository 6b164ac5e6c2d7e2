import { createReadStream } from 'node:fs'
import { ApiError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import type { NewInvitation, WithdrawnAccess } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError } from '#command-line/failure'
import { createReadError } from '#command-line/file-failure'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { bold, dim, note, print } from '#terminal/output'
import { readAll } from '#terminal/stdin'
import { describeInvitation, describeWithdrawn } from './members.ts'

/** The same bound as the management API's. */
const sourceBytesMax = 1024 * 1024

export const apply = (): Command =>
  defineCommand(
    'apply',
    'Change a workspace to match its workspace file, and print the changes.',
    'querent apply workspace.yaml --dry-run',
  )
    .argument('<file>', 'workspace file, YAML or JSON (-: standard input)')
    .addOption(option('--dry-run', 'print the changes without making them'))
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { dryRun?: true }>()
      const source =
        file === '-'
          ? await readAll(process.stdin, sourceBytesMax, 'workspace file on standard input')
          : await readWorkspaceFile(file)
      const { management } = await connect(options)
      const reply = await management
        .call('applyWorkspaceFile', { input: { source, dryRun: options.dryRun ?? false } })
        .catch((error: unknown) => {
          throw error instanceof ApiError && error.errors.length > 0 ? rejectionError(file, error) : error
        })
      for (const warning of reply.warnings) note(formatPlace(file, warning))
      print(options, { json: reply, text: summary(reply) })
    })

const readWorkspaceFile = async (file: string): Promise<string> => {
  try {
    return await readAll(createReadStream(file), sourceBytesMax, `workspace file ${file}`)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw createReadError(file, error)
  }
}

/** Lists every wrong place in the file. A single one goes on the first line. */
const rejectionError = (file: string, { errors }: ApiError): CommandError => {
  const places = errors.map(place => formatPlace(file, place))
  const [single] = places
  return places.length === 1 && single !== undefined
    ? new CommandError(`nothing was changed: ${single}`)
    : new CommandError(
        `nothing was changed: ${places.length} places in ${displayName(file)} are wrong`,
        ...places,
      )
}

/** Uses the format of compilers, which editors can follow: `file:line:column: path: message`. */
const formatPlace = (file: string, { line, column, path, message }: ErrorPlace): string => {
  const place = [displayName(file), line, line === undefined ? undefined : column].filter(
    part => part !== undefined,
  )
  return `${place.join(':')}: ${path && !message.startsWith(path) ? `${path}: ` : ''}${message}`
}

const displayName = (file: string): string => (file === '-' ? 'standard input' : file)

interface ApplyReply {
  workspace: string
  invitations: NewInvitation[]
  withdrawn?: WithdrawnAccess
  created: boolean
  dryRun: boolean
  textChanged: boolean
  changes: { change: 'add' | 'change' | 'remove'; path: string; before?: unknown; after?: unknown }[]
}

const signs = { add: '+', change: '~', remove: '-' }
const valueCharactersMax = 80

export const summary = ({
  workspace,
  created,
  dryRun,
  changes,
  textChanged,
  invitations,
  withdrawn,
}: ApplyReply): string => {
  if (changes.length === 0 && !created && textChanged)
    return `${bold(workspace)} ${dryRun ? 'would change' : 'changed'}: only comments or layout of the file.`
  if (changes.length === 0 && !created)
    return `Workspace ${workspace} already matches the file: nothing to change.`
  const done = dryRun ? (created ? 'would be created' : 'would change') : created ? 'created' : 'changed'
  const lines = changes.map(({ change, path, before: oldValue, after: newValue }) => {
    const values = [oldValue, newValue].filter(value => value !== undefined).map(brief)
    return `  ${signs[change]} ${path}${values.length > 0 ? dim(`  ${values.join(' → ')}`) : ''}`
  })
  const invited = invitations.map(
    invitation => `\nInvited ${invitation.email}: ${describeInvitation(invitation)}`,
  )
  return [`${bold(workspace)} ${done}:`, ...lines, ...invited].join('\n') + describeWithdrawn(withdrawn)
}

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text
}
