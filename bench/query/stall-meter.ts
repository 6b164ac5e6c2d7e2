/** Measures how long a server stalls while somebody attacks it: its longest step, and the slowest query of another workspace. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServerProcess } from '#tests/support/started-server'

export interface Stall {
  attack: string
  /** Status of the reply to the attack. */
  statuses: string
  /** Duration of the slowest query meanwhile, in the best run. */
  worstQueryMs: number
  /** Processor time of the longest step of the main thread, in the best run. */
  longestStepMs: number
}

interface SendOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const queries = new Agent({ keepAlive: true })

/** Reads the whole reply, and keeps its first 64 KiB. */
export const send = (
  url: string,
  { method = 'GET', headers = {}, body }: SendOptions = {},
  connections = agent,
) =>
  new Promise<{ status: number; cookies: string[]; text: string }>((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: connections }, reply => {
      let text = ''
      reply.on('data', (chunk: Buffer) => {
        if (text.length < 65_536) text += chunk
      })
      reply.on('error', reject)
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, cookies: reply.headers['set-cookie'] ?? [], text }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Runs of each attack. */
const runs = 3

const meterPath = join(tmpdir(), `querent-steps-${process.pid}.sock`)

/** Longest step since the call before, in milliseconds. */
const readLongestStep = () =>
  new Promise<number>((resolve, reject) => {
    let text = ''
    connect(meterPath)
      .on('data', chunk => {
        text += chunk
      })
      .on('end', () => resolve(Number(text)))
      .on('error', reject)
  })

export type StallMeter = Awaited<ReturnType<typeof openStallMeter>>

/** Starts a server whose workspace `victim` has one document. `say` reports each measurement. */
export const openStallMeter = async (say: (text: string) => void) => {
  const server = await startMeteredServer()
  const query = `${server.baseUrl}/4/victim/api/main/e/all/results`
  const stalls: Stall[] = []
  // Modules that the server loads at the first request do not count.
  for (let index = 0; index < 2000; index++) await send(query, {}, queries)
  return {
    server,
    stalls,
    /** Measures an attack. `prepare` makes what a run attacks, or its input, and is not measured. */
    async measure<Input>(
      attack: string,
      attackOnce: (run: number, input: Input) => Promise<number[]>,
      prepare: (run: number) => Input | Promise<Input>,
    ): Promise<void> {
      const results: Stall[] = []
      for (let run = 0; run < runs; run++) {
        const input = await prepare(run)
        results.push(await measureOnce(query, attack, () => attackOnce(run, input)))
      }
      const best: Stall = {
        attack,
        statuses: [...new Set(results.map(({ statuses }) => statuses))].join('; '),
        worstQueryMs: Math.min(...results.map(({ worstQueryMs }) => worstQueryMs)),
        longestStepMs: Math.min(...results.map(({ longestStepMs }) => longestStepMs)),
      }
      say(
        `${attack}: longest step ${Math.round(best.longestStepMs)} ms, slowest query ${Math.round(best.worstQueryMs)} ms, ${best.statuses}`,
      )
      stalls.push(best)
    },
    async close(): Promise<void> {
      agent.destroy()
      queries.destroy()
      await server.stop()
    },
  }
}

const startMeteredServer = async () => {
  process.env.QUERENT_STEP_METER = meterPath
  process.env.NODE_OPTIONS = `--import ${new URL('step-meter.ts', import.meta.url).href}`
  // The first operator of other servers of the tests has a hash that is quick to check.
  const server = await startServerProcess(['--rate-limit', 'off', '--sign-in-throttle', 'off'], {
    hasOwnKeys: true,
  })
  delete process.env.NODE_OPTIONS
  try {
    await server.run(['apply', '-'], {
      input:
        'workspace: victim\ncollections: { docs: { fields: { text: { type: text } } } }\napis: { main: { access: public, endpoints: { all: { kind: all, collection: docs } } } }\n',
    })
    await server.run(['import', 'victim', 'docs', '-'], { input: '{"id":"1","text":"a"}\n' })
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

const measureOnce = async (
  query: string,
  attack: string,
  attackOnce: () => Promise<number[]>,
): Promise<Stall> => {
  await readLongestStep()
  let isOver = false
  const running = attackOnce().finally(() => {
    isOver = true
  })
  let worstQueryMs = 0
  while (!isOver) {
    const startedMs = performance.now()
    await send(query, {}, queries)
    worstQueryMs = Math.max(worstQueryMs, performance.now() - startedMs)
  }
  const statuses = Map.groupBy(await running, status => status)
  return {
    attack,
    statuses: [...statuses].map(([status, { length }]) => `${length} × ${status}`).join(', '),
    worstQueryMs,
    longestStepMs: await readLongestStep(),
  }
}
