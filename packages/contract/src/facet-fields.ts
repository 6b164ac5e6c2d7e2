/** The fields of a facet. Pages use it, so it imports types only. */
import type { Endpoint } from './endpoints.ts'

/** Returns the fields of a facet: one, or those among which the caller chooses. */
export const listFacetFields = ({ field }: Pick<Endpoint & { kind: 'facet' }, 'field'>): readonly string[] =>
  typeof field === 'string' ? [field] : field.among
