/** The growth of what there can be many of: the parts of `npm run bench -- growth`, and what is drawn of each. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '#bench/figure'
import type { Say } from '#bench/http/rounds'
import { documentsGrowth } from './documents.ts'
import { postgresMembersGrowth, sqliteMembersGrowth } from './members.ts'
import { openSearchGrowth } from './opensearch.ts'
import { tokensGrowth } from './tokens.ts'
import { workspacesGrowth } from './workspaces.ts'

/** `sizes`: other sizes than the usual, smallest first. */
export interface GrowthSettings {
  folder: string | undefined
  say: Say
  sizes: number[] | undefined
}

export const growthParts: Record<string, (settings: GrowthSettings) => Promise<Figure[]>> = {
  'growth-documents': settings => inFolder(settings, documentsGrowth),
  'growth-opensearch': settings => inFolder(settings, openSearchGrowth),
  'growth-members': ({ say, sizes }) => sqliteMembersGrowth({ say, ...(sizes && { sizes }) }),
  'growth-members-postgres': ({ say, sizes }) => postgresMembersGrowth({ say, ...(sizes && { sizes }) }),
  'growth-workspaces': ({ say, sizes }) => workspacesGrowth({ say, ...(sizes && { sizes }) }),
  'growth-tokens': ({ say }) => tokensGrowth({ say }),
}

/** In the folder that is named, or in one that is deleted. */
const inFolder = async (
  { folder, say, sizes }: GrowthSettings,
  part: (given: { folder: string; say: Say; sizes?: number[] }) => Promise<Figure[]>,
): Promise<Figure[]> => {
  const made = folder ?? (await mkdtemp(join(tmpdir(), 'querent-growth-')))
  try {
    return await part({ folder: made, say, ...(sizes && { sizes }) })
  } finally {
    if (folder === undefined) await rm(made, { recursive: true })
  }
}
