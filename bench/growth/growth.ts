/** Growth of the quantities that can become large: the parts of `npm run bench -- growth`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '#bench/figure'
import { directoryGrowth } from './directory.ts'
import { documentsGrowth } from './documents.ts'
import { postgresMembersGrowth, sqliteMembersGrowth } from './members.ts'
import { openSearchGrowth } from './opensearch.ts'
import type { Growing, GrowingIn } from './points.ts'
import { tokensGrowth } from './tokens.ts'
import { workspacesGrowth } from './workspaces.ts'

/** `folder` keeps created data for the next run; undefined deletes it. */
export interface GrowthSettings extends Growing {
  folder: string | undefined
}

export const growthParts: Record<string, (settings: GrowthSettings) => Promise<Figure[]>> = {
  'growth-documents': settings => inFolder(settings, documentsGrowth),
  'growth-opensearch': settings => inFolder(settings, openSearchGrowth),
  'growth-members': sqliteMembersGrowth,
  'growth-members-postgres': postgresMembersGrowth,
  'growth-directory': directoryGrowth,
  'growth-workspaces': workspacesGrowth,
  'growth-tokens': tokensGrowth,
}

/** Uses the given folder, or a temporary one that is deleted. */
const inFolder = async (
  settings: GrowthSettings,
  part: (settings: GrowingIn) => Promise<Figure[]>,
): Promise<Figure[]> => {
  const folder = settings.folder ?? (await mkdtemp(join(tmpdir(), 'querent-growth-')))
  try {
    return await part({ ...settings, folder })
  } finally {
    if (settings.folder === undefined) await rm(folder, { recursive: true })
  }
}
