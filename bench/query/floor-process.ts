/**
 * The floor of queries: node:http that makes the engine call of a query and sends our prepared reply, head and body. It reads no token,
 * checks nothing and writes no JSON, so no server on this engine can do less. A message sets its replies. A request with `If-None-Match`
 * gets 304 without a search.
 */
import { once } from 'node:events'
import { serveBare } from '#bench/http/bare'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { GenerationSpec, Plan } from '#server/engines/engine'

export interface FloorTask {
  dataDir: string
  generation: string
  spec: GenerationSpec
  /** `headers` are those of the reply, and of the reply to a client that has it already. */
  answers: {
    path: string
    plan: Plan
    body: string
    tag: string
    headers: Record<string, string>
    knownHeaders: Record<string, string>
  }[]
}

const deadlineMs = 5_000

const [task] = (await once(process, 'message')) as [FloorTask]
const { dataDir, generation, spec } = task
const engine = await openEmbeddedEngine({ dataDir })
await engine.open(generation, spec)
const answers = new Map(
  task.answers.map(({ path, body, ...answer }) => [path, { ...answer, body: Buffer.from(body) }]),
)

serveBare((request, response) => {
  const answer = answers.get(request.url ?? '')
  if (!answer) {
    response.writeHead(404).end()
  } else if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, answer.knownHeaders).end()
  } else {
    engine.search(generation, answer.plan, deadlineMs).then(
      () => response.writeHead(200, answer.headers).end(answer.body),
      error => response.destroy(error),
    )
  }
})
