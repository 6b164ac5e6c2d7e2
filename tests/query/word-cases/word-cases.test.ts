/** Words are found however people write and type them, in many languages. The cases follow public bug reports of other search engines. */
import { chooseRuns } from '#server/test-runs'
import { codeCases } from './codes.ts'
import { furtherLanguageCases } from './further-languages.ts'
import { halfTypedCases } from './half-typed.ts'
import { joinedNameCases } from './joined-names.ts'
import { measureCases } from './measures.ts'
import { nameCases } from './names.ts'
import { otherScriptCases } from './other-scripts.ts'
import { reportedIdentifierCases } from './reported-identifiers.ts'
import { reportedLanguageCases } from './reported-languages.ts'
import { reportedScriptCases } from './reported-scripts.ts'
import { testWordCases } from './run.ts'
import { unusualSpellingCases } from './unusual-spellings.ts'
import { westernCases } from './western.ts'
import { writtenFormCases } from './written-forms.ts'

testWordCases(
  [
    ...westernCases,
    ...otherScriptCases,
    ...codeCases,
    ...nameCases,
    ...furtherLanguageCases,
    ...reportedIdentifierCases,
    ...reportedLanguageCases,
    ...reportedScriptCases,
    ...unusualSpellingCases,
    ...halfTypedCases,
    ...joinedNameCases,
    ...writtenFormCases,
    ...measureCases,
  ],
  chooseRuns('one', 'all'),
)
