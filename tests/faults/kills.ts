/**
 * `npm run kills -- 100`: kills a server under load this many times, and compares each time what it has with what it acknowledged. Adds a
 * line to bench/results/kills.json. See CONTRIBUTING.md, Kills.
 */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'
import { collections, openKillLoad } from './kill-load.ts'

const resultFile = join(import.meta.dirname, '..', '..', 'bench', 'results', 'kills.json')

/** A sitting: one data folder and many kills. */
interface Sitting {
  date: string
  commit: string
  kills: number
  acknowledged: number
  /** Collections that did not answer within a minute after a start. */
  stuck: number
  /** Acknowledged documents that were gone, and those that were there in a version that nobody may see. */
  lost: number
  resurrected: number
  /** Differences between a count by a search and the stored documents. */
  miscounted: number
  /** Files at the end that nothing lists. */
  rubbish: number
}

const answerMsMax = 60_000

const whenAnswered = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const startedMs = performance.now(); ; ) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() - startedMs > answerMsMax) throw error
    }
    await wait(200)
  }
}

/** Kills during a start, then starts. */
const startAgain = async (server: ServerProcess): Promise<number> => {
  const kills = randomInt(4) === 0 ? 1 : 0
  if (kills > 0) {
    const started = server.restart().catch(() => {})
    await wait(randomInt(100, 1500))
    await server.kill()
    await started
  }
  await server.restart()
  return kills
}

/** Names of the files in a data folder that nothing lists. Call it while no server runs on it. */
const findRubbish = async (data: string): Promise<string[]> => {
  const database = new Database(join(data, 'querent.db'), { readonly: true })
  const rows = database.prepare('SELECT id, build FROM generations').all() as { id: string; build: number }[]
  database.close()
  const generations = new Set(rows.map(({ id, build }) => (build === 0 ? id : `${id}-${build}`)))
  const folders = await readdir(join(data, 'engine'))
  const rubbish = folders.filter(name => !generations.has(name))
  rubbish.push(...(await readdir(data)).filter(name => /operator\.json\.|\.tmp/.test(name)))
  for (const folder of folders) {
    const files = await readdir(join(data, 'engine', folder))
    rubbish.push(...files.filter(name => name.startsWith('.')))
    if (!files.includes('index')) continue
    const index = join(data, 'engine', folder, 'index')
    const { segments } = JSON.parse(await readFile(join(index, 'meta.json'), 'utf8')) as {
      segments: { segment_id: string; deletes: { opstamp: number } | null }[]
    }
    const isListed = (name: string): boolean =>
      name === 'meta.json' ||
      /^\.(managed\.json|tantivy-.*)$/.test(name) ||
      segments.some(({ segment_id: id, deletes }) => {
        const [uuid, middle, ending] = name.split('.')
        return (
          uuid === id.replaceAll('-', '') &&
          (ending === 'del' ? deletes?.opstamp === Number(middle) : ending === undefined)
        )
      })
    rubbish.push(...(await readdir(index)).filter(name => !isListed(name)))
  }
  return rubbish
}

const runSitting = async (killsMax: number): Promise<Sitting> => {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const sitting: Sitting = {
    date: new Date().toISOString(),
    commit,
    kills: 0,
    acknowledged: 0,
    stuck: 0,
    lost: 0,
    resurrected: 0,
    miscounted: 0,
    rubbish: 0,
  }
  const say = (text: string) => process.stderr.write(`  ${text}\n`)
  const server = await startServerProcess()
  try {
    const load = await openKillLoad(server)
    while (sitting.kills < killsMax && sitting.stuck === 0) {
      load.start()
      await wait(randomInt(50, 1500))
      await server.kill()
      await load.stop()
      sitting.acknowledged = load.acknowledgedCount()
      sitting.kills++
      try {
        sitting.kills += await startAgain(server)
        await whenAnswered(() => load.renewTokens())
      } catch (error) {
        // None of its collections answers.
        sitting.stuck += collections.length
        say(`kill ${sitting.kills}: ${error}`)
        continue
      }
      for (const collection of collections) {
        try {
          const stored = await whenAnswered(() => load.read(collection))
          const { lost, resurrected } = load.settle(collection, stored)
          sitting.lost += lost.length
          sitting.resurrected += resurrected.length
          for (const line of [...lost, ...resurrected]) say(`kill ${sitting.kills}: ${line}`)
          const foundCount = await whenAnswered(() => load.count(collection))
          if (foundCount === stored.size) continue
          sitting.miscounted++
          say(`kill ${sitting.kills}: ${foundCount} found, ${stored.size} stored in ${collection}`)
        } catch (error) {
          sitting.stuck++
          say(`kill ${sitting.kills}: ${error}`)
        }
      }
    }
    await server.shutDown()
    const rubbish = await findRubbish(server.data)
    sitting.rubbish = rubbish.length
    for (const name of rubbish) say(`rubbish: ${name}`)
  } finally {
    await server.stop()
  }
  return sitting
}

/** Reads the file again just before it is written, because several sittings may run. */
const addSitting = async (sitting: Sitting): Promise<Sitting[]> => {
  const text = await readFile(resultFile, 'utf8').catch(() => '[]')
  // This program wrote it.
  const sittings = [...(JSON.parse(text) as Sitting[]), sitting]
  await writeFile(resultFile, `[\n${sittings.map(line => `  ${JSON.stringify(line)}`).join(',\n')}\n]\n`)
  return sittings
}

const sitting = await runSitting(Number(process.argv[2] ?? 100))
const sittings = await addSitting(sitting)
const sum = (name: 'kills' | 'stuck' | 'lost' | 'resurrected' | 'miscounted' | 'rubbish'): number =>
  sittings.reduce((total, line) => total + line[name], 0)
process.stdout.write(`${JSON.stringify(sitting)}\n`)
process.stdout.write(
  `all ${sittings.length} sittings: ${sum('kills')} kills, ${sum('stuck')} stuck, ${sum('lost')} lost, ${sum('resurrected')} resurrected, ${sum('miscounted')} miscounted, ${sum('rubbish')} files of rubbish\n`,
)
if (sitting.stuck + sitting.lost + sitting.resurrected + sitting.miscounted + sitting.rubbish > 0)
  process.exitCode = 1
