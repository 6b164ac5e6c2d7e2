import type { Command } from 'commander'
import { defineCommand, defineGroup, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { listMatching, type SearchOptions, searchOption } from '#connection/search-option'
import { print, printFile } from '#terminal/output'
import { readSecret } from '#terminal/stdin'
import { formatListing } from '#terminal/table'
import { confirmedWord, describeWithdrawn } from './members.ts'

export const users = (): Command =>
  defineGroup('users', 'Manage the people who can sign in, by e-mail address.', [
    create(),
    list(),
    setDisabled('disable', true),
    setDisabled('enable', false),
    remove(),
    reset(),
    removeFactors(),
    exportUser(),
  ])

const create = (): Command =>
  defineCommand(
    'create',
    'Create a user.',
    'querent users create ada@example.org --password-stdin < password.txt',
  )
    .argument('<email>')
    .addOption(option('--name <name>', 'name shown next to the address'))
    .addOption(option('--password-stdin', 'read the password from standard input'))
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { name?: string; passwordStdin?: true }>()
      const password = options.passwordStdin ? await readSecret('password') : undefined
      const { management } = await connect(options)
      const user = await management.call('createUser', {
        input: {
          email,
          ...(options.name === undefined ? {} : { name: options.name }),
          ...(password === undefined ? {} : { password }),
        },
      })
      print(options, { json: user, text: `Created the user ${user.email}.` })
    })

const list = (): Command =>
  defineCommand(
    'list',
    'List users by e-mail address.',
    'querent users list --json',
    'querent users list --search ada',
  )
    .addOption(searchOption('start of an e-mail address or name'))
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & SearchOptions>()
      const { management } = await connect(options)
      const items = await listMatching(options, query => management.call('listUsers', { query }))
      const rows = items.map(user => [
        user.email,
        user.name,
        [user.operator && 'operator', user.disabled && 'disabled'].filter(Boolean).join(', '),
        confirmedWord(user.emailVerified),
        user.createdAt,
      ])
      print(options, {
        json: items,
        text: formatListing(
          ['e-mail', 'name', 'state', 'address', 'created'],
          rows,
          options.search ? 'No user matches.' : 'There are no users.',
        ),
      })
    })

const setDisabled = (name: 'disable' | 'enable', disabled: boolean): Command =>
  defineCommand(
    name,
    disabled ? 'Disable a user, at once.' : 'Enable a disabled user.',
    `querent users ${name} ada@example.org`,
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const user = await management.call('updateUser', { params: { email }, input: { disabled } })
      print(options, {
        json: user,
        text: `${user.email} is ${user.disabled ? 'disabled' : 'enabled'}.${describeWithdrawn(user.withdrawn)}`,
      })
    })

const remove = (): Command =>
  defineCommand(
    'remove',
    'Remove a user with their memberships, sessions and consents, at once.',
    'querent users remove ada@example.org',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const reply = await management.call('removeUser', { params: { email } })
      print(options, {
        json: { email, removed: true, ...reply },
        text: `Removed ${email}.${describeWithdrawn(reply?.withdrawn)}`,
      })
    })

const reset = (): Command =>
  defineCommand(
    'reset',
    'Print a one-time link where a user chooses a new password. It is valid for an hour.',
    'querent users reset ada@example.org',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const link = await management.call('resetPassword', { params: { email } })
      print(options, {
        json: link,
        text: `${link.url}\n\nGive it only to ${email}: it works once, until ${link.expiresAt}.`,
      })
    })

const removeFactors = (): Command =>
  defineCommand(
    'remove-factors',
    'Remove the authenticator app, passkeys and recovery codes of a user, who is signed out everywhere.',
    'querent users remove-factors ada@example.org',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeFactors', { params: { email } })
      print(options, {
        json: { email, removed: true },
        text: `Removed the second factors of ${email}. The password alone signs in now.`,
      })
    })

const exportUser = (): Command =>
  defineCommand(
    'export',
    'Write all data that the server stores about a person, as JSON.',
    'querent users export ada@example.org > ada.json',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const personalData = await management.call('exportUser', { params: { email } })
      printFile(options, { json: personalData, text: JSON.stringify(personalData, undefined, 2) })
    })
