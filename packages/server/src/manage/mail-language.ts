/** The language of mails that a caller chooses. */
import { describeNotAllowed } from '@querent/contract/fault-texts'
import { languages } from '#languages/languages'
import { makeFaultsProblem } from './validation-problem.ts'

/** Throws 400 if the body asks for a language that has no texts. */
export const refuseUnknownLanguage = (language: string | undefined): void => {
  if (language === undefined || languages.includes(language)) return
  const allowed = { code: 'choice' as const, values: { choices: languages.join(', ') } }
  const problem = makeFaultsProblem('body', [
    { path: ['language'], ...describeNotAllowed(JSON.stringify(language), allowed) },
  ])
  if (problem) throw problem
}
