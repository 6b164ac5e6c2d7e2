import { setTimeout as sleep } from 'node:timers/promises'
import { allItems, type Management } from '@querent/client/manage'
import type { ServerAuditEntry } from '@querent/contract/manage'
import type { Command } from 'commander'
import { defineCommand, integerOption, option } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'

const countDefault = 100
const countMax = 10_000
const pollIntervalMs = 2000

/** Entries to show; without it, all. */
interface Filter {
  action?: string
  actor?: string
}

interface Options extends Globals, Filter {
  count?: number
  follow?: true
}

export const audit = (): Command =>
  defineCommand(
    'audit',
    'Show the audit log of the whole server: who did what, when and from where, oldest first.',
    'querent audit --count 20',
    'querent audit --action applyWorkspaceFile --actor ada@example.org',
    'querent audit --follow --json >> audit.ndjson',
  )
    .addOption(option('--action <id>', 'only this management operation, such as setMember'))
    .addOption(option('--actor <text>', 'only people and accounts with this text in their address or name'))
    .addOption(
      integerOption('--count <n>', `maximum number of entries (default: ${countDefault})`, 0, countMax),
    )
    .addOption(option('--follow', 'print new entries until Ctrl-C; with --json, one JSON value per line'))
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { management } = await connect(options)
      const filter = readFilter(options)
      const entries = await readNewest(management, options.count ?? countDefault, filter)
      if (options.follow) return follow(options, management, entries, filter)
      const emptyText = describeEmpty(options, filter)
      print(options, {
        json: entries,
        text: entries.length === 0 ? emptyText : entries.map(formatEntry).join('\n'),
      })
    })

const readFilter = ({ action, actor }: Options): Filter => ({
  ...(action === undefined ? {} : { action }),
  ...(actor === undefined ? {} : { actor }),
})

const describeEmpty = ({ count }: Options, filter: Filter): string => {
  if (count === 0) return ''
  return Object.keys(filter).length > 0 ? 'No entry of the audit log matches.' : 'The audit log is empty.'
}

/** Returns the newest entries, oldest first. */
const readNewest = async (
  management: Management,
  count: number,
  filter: Filter,
): Promise<ServerAuditEntry[]> => {
  const page = (query: { after?: string; count: number }) =>
    management.call('listServerAudit', { query: { ...query, ...filter } })
  return (await allItems(page, count)).slice(0, count).toReversed()
}

const follow = async (
  options: Globals,
  management: Management,
  entries: ServerAuditEntry[],
  filter: Filter,
): Promise<never> => {
  const show = (entry: ServerAuditEntry) => print(options, { json: entry, text: formatEntry(entry) })
  let last = entries.at(-1) ?? (await readNewest(management, 1, filter)).at(-1)
  for (const entry of entries) show(entry)
  for (;;) {
    await sleep(pollIntervalMs)
    const added = await readNewerThan(management, last, filter)
    for (const entry of added) show(entry)
    last = added.at(-1) ?? last
  }
}

/** Returns the entries after `last`, oldest first. Ids increase. */
const readNewerThan = async (
  management: Management,
  last: ServerAuditEntry | undefined,
  filter: Filter,
): Promise<ServerAuditEntry[]> => {
  const isNew = ({ id }: ServerAuditEntry) => last === undefined || Number(id) > Number(last.id)
  const added: ServerAuditEntry[] = []
  let cursor: string | null = null
  do {
    const page: { items: ServerAuditEntry[]; next: string | null } = await management.call(
      'listServerAudit',
      { query: cursor === null ? filter : { ...filter, after: cursor } },
    )
    const fresh = page.items.filter(isNew)
    added.push(...fresh)
    cursor = fresh.length === page.items.length ? page.next : null
  } while (cursor !== null)
  return added.toReversed()
}

const formatEntry = ({
  at: timestamp,
  actor,
  action,
  target,
  workspace,
  detail: { byProvider, issuer, paths },
  address,
}: ServerAuditEntry): string =>
  [
    timestamp,
    action,
    target,
    workspace ?? '-',
    // The administrators of a workspace choose its provider, and so whom it speaks for.
    `by ${actor}${byProvider === true ? ` (signed in by ${issuer ?? 'an OpenID provider'})` : ''}`,
    `from ${address}`,
    // The paths that an applied file changed, such as `change apis.shop.endpoints.search`.
    ...(Array.isArray(paths) ? [paths.join(', ')] : []),
  ].join('  ')
