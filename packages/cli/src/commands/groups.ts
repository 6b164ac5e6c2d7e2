import { allItems } from '@querent/client/manage'
import type { Group, MemberDefaults } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, defineGroup, option, repeatableOption } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { readRowFilter, rowFilterOption } from '#command-line/row-filter'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'
import { formatListing } from '#terminal/table'

export const groups = (): Command =>
  defineGroup('groups', 'Manage the groups of a workspace.', [
    list(),
    members(),
    replace(),
    remove(),
    defaults(),
  ])

const list = (): Command =>
  defineCommand(
    'list',
    'List the groups, and the defaults of members.',
    'querent groups list dictionary',
    'querent groups list dictionary --json',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const reply = await management.call('listGroups', { params: { workspace } })
      const { items, memberDefaults } = reply
      const rows = items.map(({ group, ...rights }) => describeRow(group, rights))
      if (Object.keys(memberDefaults).length > 0) rows.push(describeRow('(memberDefaults)', memberDefaults))
      print(options, {
        json: reply,
        text: formatListing(
          ['group', 'title', 'row filter', 'apis', 'collections'],
          rows,
          `${workspace} has no groups.`,
        ),
      })
    })

const describeRow = (
  name: string,
  { title = '', filter, apis, collections }: MemberDefaults & Pick<Group, 'title'>,
): string[] => [
  name,
  title,
  filter ? JSON.stringify(filter) : '',
  describeNames(apis),
  describeNames(collections),
]

const describeNames = (names: Group['apis']): string =>
  names === undefined || names === 'all' ? (names ?? '') : names.join(', ')

const members = (): Command =>
  defineCommand(
    'members',
    'List the members who are in a group now, from any source.',
    'querent groups members dictionary press',
  )
    .argument('<workspace>')
    .argument('<group>')
    .action(async (workspace: string, group: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      const params = { workspace, group }
      const items = await allItems(query => management.call('listGroupMembers', { params, query }))
      const rows = items.map(member => [
        member.email ?? member.clientId ?? '',
        member.name,
        member.roles.join(', '),
      ])
      print(options, {
        json: items,
        text: formatListing(['member', 'name', 'roles'], rows, `${group} has no members.`),
      })
    })

interface RightsOptions {
  title?: string
  filter?: string
  api?: string[]
  collection?: string[]
}

const withRights = (command: Command): Command =>
  command
    .addOption(rowFilterOption())
    .addOption(repeatableOption('--api <name>', 'API that may be queried; all: every API'))
    .addOption(repeatableOption('--collection <name>', 'collection that may be used; all: every collection'))

const readRights = ({ filter, api, collection }: RightsOptions): MemberDefaults => ({
  ...(filter !== undefined && { filter: readRowFilter(filter) }),
  ...(api && { apis: readNames(api) }),
  ...(collection && { collections: readNames(collection) }),
})

const readNames = (names: string[]): 'all' | string[] => (names.includes('all') ? 'all' : names)

const replace = (): Command =>
  withRights(
    defineCommand(
      'set',
      'Create or replace a group. What you leave out, the group no longer has.',
      `querent groups set dictionary press --title Press --filter '{"department":["press"]}'`,
    )
      .argument('<workspace>')
      .argument('<group>')
      .addOption(option('--title <title>', 'name of the group for people')),
  ).action(async (workspace: string, group: string, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<Globals & RightsOptions>()
    const { title } = options
    const input = { ...(title !== undefined && { title }), ...readRights(options) }
    const { management } = await connect(options)
    const reply = await management.call('setGroup', { params: { workspace, group }, input })
    print(options, { json: reply, text: `${workspace} has the group ${group}.` })
  })

const remove = (): Command =>
  defineCommand('remove', 'Delete a group that nobody names.', 'querent groups remove dictionary press')
    .argument('<workspace>')
    .argument('<group>')
    .action(async (workspace: string, group: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management } = await connect(options)
      await management.call('removeGroup', { params: { workspace, group } })
      print(options, {
        json: { workspace, group, removed: true },
        text: `Deleted the group ${group} of ${workspace}.`,
      })
    })

const defaults = (): Command =>
  withRights(
    defineCommand(
      'defaults',
      'Replace what members have who have no source of their own.',
      `querent groups defaults dictionary --filter '{"department":["public"]}' --api all`,
    ).argument('<workspace>'),
  ).action(async (workspace: string, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<Globals & RightsOptions>()
    const { management } = await connect(options)
    const reply = await management.call('setMemberDefaults', {
      params: { workspace },
      input: readRights(options),
    })
    print(options, { json: reply, text: `The defaults of members of ${workspace} are set.` })
  })
