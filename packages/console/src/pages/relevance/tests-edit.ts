import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { WorkspaceTest } from '@querent/contract/relevance-tests'

/** Replaces all tests of the file; unchanged ones keep their text. */
export const testsEdit = (tests: readonly WorkspaceTest[]): WorkspaceEdit => ({
  path: ['tests'],
  value: tests.length === 0 ? undefined : tests,
})
