/**
 * The floor of queries: node:http that makes the engine call of a query and sends our reply to it, head and body, which it was given before.
 * It reads no token, checks nothing and writes no JSON: no server in front of this engine can do with less. One message says what it
 * answers with; a request with `If-None-Match` gets 304 and no search.
 */
import { once } from 'node:events'
import { serveBare } from '#bench/http/bare'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { GenerationSpec, Plan } from '#server/engines/engine'

export interface FloorTask {
  dataDir: string
  generation: string
  spec: GenerationSpec
  /** `headers` of the reply, and of the one to a client that has it. */
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
