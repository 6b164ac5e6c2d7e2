/** Starts both servers on a data folder as an operator does. Measures the start, tokens and pages of members. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { clientCredentials, managementAudience } from '@querent/client'
import { managementApi } from '@querent/client/manage'
import { startLoad } from '#bench/http/load'
import { type Account, querent, type Served, serve } from '#bench/http/querent'
import { tokenRequest } from '#bench/tokens/contender'
import { type Memory, median, readMemory, readProcessorUs } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export interface ServedTask {
  data: string
  workspace: string
  rounds: number
  /** Measures tokens and pages too; otherwise only the start. */
  ask: boolean
  flags?: string[]
}
/** Values of each round. */
export interface ServedFound {
  readyMs: number[]
  startProcessorMs: number[]
  /** Values of the last start. */
  megabytes: number[]
  tokenUs: number[]
  pageMs: number[]
  pageUs: number[]
  /** Memory after the last start. */
  memory: Memory
}

/** By then, an idle server has released the memory of its start. */
const idleMs = 9_000
const tokenSeconds = 1
const tokensAtOnce = 8
const pages = 30

const task = await taskOfStep<ServedTask>()
const { data, workspace, rounds, ask, flags = [] } = task
const measured: Omit<ServedFound, 'memory'> = {
  readyMs: [],
  startProcessorMs: [],
  megabytes: [],
  tokenUs: [],
  pageMs: [],
  pageUs: [],
}

const askTokens = async (served: Served, account: Account) => {
  await using load = startLoad()
  const requests = [tokenRequest('/oauth/token', account, { audience: `${served.baseUrl}/` })]
  for (let round = 0; round <= rounds; round++) {
    const beforeUs = readProcessorUs(served.pid)
    const run = { url: served.authUrl, requests, atOnce: tokensAtOnce, seconds: tokenSeconds }
    const { requests: count } = await load.run(run)
    if (round > 0) measured.tokenUs.push((readProcessorUs(served.pid) - beforeUs) / count)
  }
}

const askPages = async (served: Served) => {
  // A running server writes this file for the command line.
  const operator: Account & { authUrl: string } = JSON.parse(
    await readFile(join(data, 'operator.json'), 'utf8'),
  )
  const audience = managementAudience(operator.authUrl)
  const management = managementApi({ ...operator, token: clientCredentials({ ...operator, audience }) })
  for (let round = 0; round <= rounds; round++) {
    const times: number[] = []
    const beforeUs = readProcessorUs(served.pid)
    for (let page = 0; page < pages; page++) {
      const startMs = performance.now()
      const suffix = Math.random().toString(16).slice(2, 10)
      await management.call('listMembers', { params: { workspace }, query: { after: suffix, count: 100 } })
      times.push(performance.now() - startMs)
    }
    if (round === 0) continue
    measured.pageMs.push(median(times))
    measured.pageUs.push((readProcessorUs(served.pid) - beforeUs) / pages)
  }
}

/** Uses a unique name, because several steps may use the same workspace. */
const newAccount = async (): Promise<Account> => {
  const args = ['s2s', 'create', workspace, `bench ${process.pid}`, '--role', 'api', '--data', data]
  // The contract's reply to that command.
  return (await querent(args)) as Account
}

let memory: Memory | undefined
for (let round = 0; round < rounds; round++) {
  await using served = await serve(data, { flags })
  measured.readyMs.push(served.readyMs)
  measured.startProcessorMs.push(readProcessorUs(served.pid) / 1000)
  if (round < rounds - 1) continue
  await wait(idleMs)
  memory = readMemory(served.pid)
  measured.megabytes.push(memory.anonymous)
  if (ask) {
    await askTokens(served, await newAccount())
    await askPages(served)
  }
}
if (!memory) throw new Error('no round')
finishStep({ ...measured, memory } satisfies ServedFound)
