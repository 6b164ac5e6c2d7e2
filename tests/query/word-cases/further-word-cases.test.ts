/** Words in titles as people write them, typed in further ways: quoted, with typos in compounds, with signs, and in more scripts. */
import { chooseRuns } from '#server/test-runs'
import { compoundTypoCases } from './compound-typos.ts'
import { furtherScriptCases } from './further-scripts.ts'
import { quotedPhraseCases } from './quoted-phrases.ts'
import { realTitleCases } from './real-titles.ts'
import { testWordCases } from './run.ts'
import { writtenSignCases } from './written-signs.ts'

testWordCases(
  [...quotedPhraseCases, ...compoundTypoCases, ...realTitleCases, ...writtenSignCases, ...furtherScriptCases],
  chooseRuns('one', 'all'),
)
