import type { Command } from 'commander'
import { define, group, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { allFound, type SearchOptions, searchOption } from '#connection/search-option'
import { print, printFile } from '#terminal/output'
import { readSecret } from '#terminal/stdin'
import { listing } from '#terminal/table'
import { confirmedWord } from './members.ts'

export const users = (): Command =>
  group('users', 'People who can sign in, known by e-mail address.', [
    create(),
    list(),
    setDisabled('disable', true),
    setDisabled('enable', false),
    remove(),
    reset(),
    exportPerson(),
  ])

const create = (): Command =>
  define('create', 'Make a user.', 'querent users create ada@example.org --password-stdin < password.txt')
    .argument('<email>')
    .addOption(option('--name <name>', 'name shown beside the address'))
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
      print(options, { json: user, text: `Made the user ${user.email}.` })
    })

const list = (): Command =>
  define(
    'list',
    'List users by e-mail address.',
    'querent users list --json',
    'querent users list --search ada',
  )
    .addOption(searchOption('how an e-mail address or name begins'))
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & SearchOptions>()
      const { management } = await connect(options)
      const found = await allFound(options, query => management.call('listUsers', { query }))
      const rows = found.map(user => [
        user.email,
        user.name,
        [user.operator && 'operator', user.disabled && 'disabled'].filter(Boolean).join(', '),
        confirmedWord(user.emailVerified),
        user.createdAt,
      ])
      print(options, {
        json: found,
        text: listing(
          ['e-mail', 'name', 'state', 'address', 'made'],
          rows,
          options.search ? 'There is no such user.' : 'There are no users.',
        ),
      })
    })

const setDisabled = (name: 'disable' | 'enable', disabled: boolean): Command =>
  define(
    name,
    disabled ? 'Shut a user out, at once.' : 'Let a disabled user in again.',
    `querent users ${name} ada@example.org`,
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const user = await management.call('updateUser', { params: { email }, input: { disabled } })
      print(options, { json: user, text: `${user.email} is ${user.disabled ? 'disabled' : 'enabled'}.` })
    })

const remove = (): Command =>
  define(
    'remove',
    'Remove a user with their memberships, sessions and consents, at once.',
    'querent users remove ada@example.org',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeUser', { params: { email } })
      print(options, { json: { email, removed: true }, text: `${email} is removed.` })
    })

const reset = (): Command =>
  define(
    'reset',
    'Print a one-time link by which a user chooses a new password; it is good for an hour.',
    'querent users reset ada@example.org',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const link = await management.call('resetPassword', { params: { email } })
      print(options, {
        json: link,
        text: `${link.url}\n\nHand it to ${email} alone: it works once, until ${link.expiresAt}.`,
      })
    })

const exportPerson = (): Command =>
  define(
    'export',
    'Write all that is kept about a person, as JSON.',
    'querent users export ada@example.org > ada.json',
  )
    .argument('<email>')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const kept = await management.call('exportUser', { params: { email } })
      printFile(options, { json: kept, text: JSON.stringify(kept, undefined, 2) })
    })
