import { setTimeout as sleep } from 'node:timers/promises'
import { allItems, type Management } from '@querent/client'
import type { ServerAuditEntry } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, option, wholeNumber } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'

const countDefault = 100
const countMax = 10_000
const askEveryMs = 2000

interface Options extends Globals {
  count?: number
  follow?: true
}

export const audit = (): Command =>
  define(
    'audit',
    'Show the audit log of the whole server: who did what, when, from where; the oldest first.',
    'querent audit --count 20',
    'querent audit --follow --json >> audit.ndjson',
  )
    .addOption(wholeNumber('--count <n>', `entries at most (default: ${countDefault})`, 0, countMax))
    .addOption(
      option('--follow', 'go on with what is added, until Ctrl-C; with --json one JSON value for each line'),
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { management } = await connect(options)
      const found = await newest(management, options.count ?? countDefault)
      if (options.follow) return follow(options, management, found)
      const none = options.count === 0 ? '' : 'The audit log is empty.'
      print(options, { json: found, text: found.length === 0 ? none : found.map(line).join('\n') })
    })

/** The oldest first. */
const newest = async (management: Management, count: number): Promise<ServerAuditEntry[]> => {
  const page = (query: { after?: string; count: number }) => management.call('listServerAudit', { query })
  return (await allItems(page, count)).slice(0, count).toReversed()
}

const follow = async (
  options: Globals,
  management: Management,
  shown: ServerAuditEntry[],
): Promise<never> => {
  const show = (entry: ServerAuditEntry) => print(options, { json: entry, text: line(entry) })
  let last = shown.at(-1) ?? (await newest(management, 1)).at(-1)
  for (const entry of shown) show(entry)
  for (;;) {
    await sleep(askEveryMs)
    const added = await since(management, last)
    for (const entry of added) show(entry)
    last = added.at(-1) ?? last
  }
}

/** What came after an entry, the oldest first. Ids rise. */
const since = async (
  management: Management,
  last: ServerAuditEntry | undefined,
): Promise<ServerAuditEntry[]> => {
  const isNew = ({ id }: ServerAuditEntry) => last === undefined || Number(id) > Number(last.id)
  const added: ServerAuditEntry[] = []
  let after: string | null = null
  do {
    const page: { items: ServerAuditEntry[]; next: string | null } = await management.call(
      'listServerAudit',
      { query: after === null ? {} : { after } },
    )
    const fresh = page.items.filter(isNew)
    added.push(...fresh)
    after = fresh.length === page.items.length ? page.next : null
  } while (after !== null)
  return added.toReversed()
}

const line = ({ at, actor, action, target, workspace, address }: ServerAuditEntry): string =>
  [at, action, target, workspace ?? '-', `by ${actor}`, `from ${address}`].join('  ')
