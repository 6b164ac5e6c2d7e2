/** The drawings of each part: files by their suffix, and the curves in each. */
import { kinds as lookedUp } from './directory.ts'

export interface Drawings {
  title: string
  /** The growing quantity. */
  along: string
  curves: Record<string, string[]>
}

const searches = [
  'a document by its id',
  'a rare word',
  'two words',
  'three words',
  'two words, total and 3 facets',
  'two words, by date',
  'two words, filtered',
  'two words, row filter',
  'three letters of a word',
]
const ofMembers = [
  'reading a membership that is not in memory',
  'a membership in memory',
  'authorization, token seen before',
  'a page of 100 members',
  "somebody's memberships",
  'removing a member',
  'making a member',
  'an administrator steps down',
]

export const drawings: Record<string, Drawings> = {
  'growth-documents': {
    title: 'Time of the processor for a query',
    along: 'documents',
    curves: { processor: searches.map(kind => `${kind} processor`) },
  },
  'growth-opensearch': {
    title: 'Time of the processor of OpenSearch for a query',
    along: 'documents',
    curves: { processor: searches.map(kind => `${kind} processor, the cluster`) },
  },
  'growth-members': {
    title: 'Memberships in SQLite',
    along: 'memberships in one workspace',
    curves: { processor: [...ofMembers, 'a token'].map(label => `${label}, processor`) },
  },
  'growth-members-postgres': {
    title: 'Memberships in PostgreSQL: time of its processor',
    along: 'memberships in one workspace',
    curves: { processor: ofMembers.map(label => `${label}, processor of the database`) },
  },
  'growth-directory': {
    title: 'Memory of the directory',
    along: 'lookups of different ones',
    curves: {
      memory: lookedUp,
    },
  },
  'growth-workspaces': {
    title: 'Start with many workspaces',
    along: 'workspaces',
    curves: { start: ['start (no collections)', 'start (a collection each)'] },
  },
}
