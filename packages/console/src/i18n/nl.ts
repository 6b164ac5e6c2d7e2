/** Dutch texts of the console. `nl.test.ts` names the ones that are missing and those that no page uses. */
import type { Catalog } from './catalog.ts'

export const nl: Catalog = {}
