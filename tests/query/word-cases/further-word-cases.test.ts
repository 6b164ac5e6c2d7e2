/** Words in titles as people write them, typed in further ways: quoted, with typos in compounds, with signs, and in more scripts. */
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'
import { compoundTypoCases } from './compound-typos.ts'
import { furtherScriptCases } from './further-scripts.ts'
import { quotedPhraseCases } from './quoted-phrases.ts'
import { realTitleCases } from './real-titles.ts'
import { describeWordCases, wordCasesWorkspace } from './run.ts'
import { writtenSignCases } from './written-signs.ts'

const cases = [
  ...quotedPhraseCases,
  ...compoundTypoCases,
  ...realTitleCases,
  ...writtenSignCases,
  ...furtherScriptCases,
]

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(JSON.stringify(wordCasesWorkspace(cases)))
})
after(() => server.stop())

for (const [index, one] of cases.entries())
  test(`${index} ${one.language}: ${Object.keys(one.titles)[0]}`, () => describeWordCases(server, index, one))
