/** Conditions of row filters in words, as Explain writes them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { RowFilterCondition } from '@querent/contract/manage'
// Before the source, which reads the language of the page.
import { window } from '#console/test-dom'
import { describeAllowed } from '#console/ui/describe-allowed'

after(() => window.happyDOM.abort())

describe('describeAllowed', () => {
  const cases: [RowFilterCondition, string][] = [
    [['Küche'], 'Küche'],
    ['drama', 'drama'],
    [['drama', 'comedy', 'satire'], 'drama, comedy, or satire'],
    [true, 'yes'],
    [[], 'none'],
    [{ to: 'now' }, 'up to now'],
    [{ from: 5 }, 'from 5'],
    [{ from: 5, to: 10 }, 'from 5 to 10'],
    [{ not: ['drama'] }, 'not drama'],
    [{ member: 'genres' }, 'one of the member’s values of genres'],
  ]
  for (const [condition, text] of cases)
    it(`writes ${JSON.stringify(condition)} in words`, () => assert.equal(describeAllowed(condition), text))
})
