/** Dutch texts of the console. `nl.test.ts` names the ones that are missing and those that no page uses. */
import type { Catalog, FaultCatalog } from './catalog.ts'
import { access } from './nl/access.ts'
import { apis } from './nl/apis.ts'
import { auditLog } from './nl/audit-log.ts'
import { changes } from './nl/changes.ts'
import { checkTexts } from './nl/checks.ts'
import { data } from './nl/data.ts'
import { documents } from './nl/documents.ts'
import { endpoints } from './nl/endpoints.ts'
import { faultTexts, hintTexts, requirementTexts, valueTexts } from './nl/faults.ts'
import { frame } from './nl/frame.ts'
import { groups } from './nl/groups.ts'
import { healthTexts } from './nl/health.ts'
import { importTexts } from './nl/import-faults.ts'
import { refusals } from './nl/refusals.ts'
import { relevance } from './nl/relevance.ts'
import { requests } from './nl/requests.ts'
import { server } from './nl/server.ts'
import { signInLog } from './nl/sign-in-log.ts'
import { signInSettings } from './nl/sign-in-settings.ts'
import { tryIt } from './nl/try-it.ts'
import { usage } from './nl/usage.ts'
import { workspaceFile } from './nl/workspace-file.ts'

export const nl: Catalog = {
  ...frame,
  ...access,
  ...changes,
  ...endpoints,
  ...groups,
  ...auditLog,
  ...data,
  ...documents,
  ...apis,
  ...workspaceFile,
  ...relevance,
  ...refusals,
  ...requests,
  ...server,
  ...signInLog,
  ...signInSettings,
  ...tryIt,
  ...usage,
}

export const nlFaults: FaultCatalog = {
  requirements: requirementTexts,
  faults: faultTexts,
  hints: hintTexts,
  health: healthTexts,
  checks: checkTexts,
  imports: importTexts,
  values: valueTexts,
}
