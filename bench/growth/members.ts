/** Ten to ten million memberships, in SQLite and in PostgreSQL: bytes, lookups, and the start of a server. */
import { join } from 'node:path'
import type { Figure } from '#bench/figure'
import { makeDataFolder } from '#bench/http/querent'
import { rounds, type Say } from '#bench/http/rounds'
import { startPostgres } from '#bench/peers/postgres'
import type { Added, Costs, MembersTask } from './members-process.ts'
import { type Add, addTo, type Growing } from './points.ts'
import type { ServedFound, ServedTask } from './served-process.ts'
import { runStep } from './step.ts'

const script = 'members-process.ts'
const sizesUsual = [10, 10_000, 1_000_000, 10_000_000]
/** Number of workspaces over which memberships are spread if they do not all belong to one. */
const manyWorkspaces = 10_000
const spreadMembers = 1_000_000
/** A few rows do not fill a database page. */
const bytesFrom = 10_000
const starts = 3

type Location = MembersTask['location']

export const sqliteMembersGrowth = async ({ say, sizes = sizesUsual }: Growing): Promise<Figure[]> => {
  const figures: Figure[] = []
  {
    const { data, remove } = await makeDataFolder()
    try {
      const location = { file: join(data, 'querent.db') }
      for (const members of sizes) {
        const add = addTo(figures, members)
        await ask(location, members, 1, add, say)
        await serveWith(data, add, say)
      }
    } finally {
      await remove()
    }
  }
  const { data, remove } = await makeDataFolder()
  try {
    const add = addTo(figures, spreadMembers, spreadName)
    await ask({ file: join(data, 'querent.db') }, spreadMembers, manyWorkspaces, add, say)
    await serveWith(data, add, say)
  } finally {
    await remove()
  }
  return figures
}

export const postgresMembersGrowth = async ({ say, sizes = sizesUsual }: Growing): Promise<Figure[]> => {
  const figures: Figure[] = []
  await using database = await startPostgres()
  const location = { connection: database.url }
  for (const members of sizes) await ask(location, members, 1, addTo(figures, members), say)
  await using spreadDatabase = await startPostgres()
  const add = addTo(figures, spreadMembers, spreadName)
  await ask({ connection: spreadDatabase.url }, spreadMembers, manyWorkspaces, add, say)
  return figures
}

const spreadName = ` (in ${manyWorkspaces.toLocaleString('en-US')} workspaces)`

/** Adds memberships up to a number, and measures lookups. */
const ask = async (
  location: Location,
  members: number,
  workspaces: number,
  add: Add,
  say: Say,
): Promise<void> => {
  say(
    `${members.toLocaleString('en-US')} memberships are made in ${workspaces.toLocaleString('en-US')} workspaces`,
  )
  const added = await runStep<Added>('fill', script, { location, do: 'add', members, workspaces })
  if (members >= bytesFrom) add('a membership, stored', 'bytes', [added.bytesEach])
  say('and asked for')
  const costs = await runStep<Costs>('measure', script, { location, do: 'measure', rounds })
  for (const [label, { p50Us, processorUs, databaseUs }] of Object.entries(costs)) {
    add(`${label}, processor`, 'µs', processorUs)
    if ('file' in location || label.includes('in memory') === !label.includes('not')) continue
    add(`${label}, processor of the database`, 'µs', databaseUs)
    add(`${label}, p50`, 'µs', p50Us)
  }
}

/** Measures the servers on that data folder. */
const serveWith = async (data: string, add: Add, say: Say): Promise<void> => {
  say('a server starts with them')
  const task: ServedTask = { data, workspace: 'bench-0', rounds: starts, ask: true }
  const measured = await runStep<ServedFound>('measure', 'served-process.ts', task)
  add('start', 'ms', measured.readyMs)
  add('start, processor', 'ms', measured.startProcessorMs)
  add('memory after the start', 'MB', measured.megabytes)
  add('a token, processor', 'µs', measured.tokenUs)
  add('a page of 100 members over HTTP, processor', 'µs', measured.pageUs)
  add('a page of 100 members over HTTP, p50', 'ms', measured.pageMs)
}
