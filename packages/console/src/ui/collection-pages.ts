import type { WorkspacePermission } from '@querent/contract/roles'
import {
  type Icon,
  IconArrowsExchange,
  IconColumns,
  IconFile,
  IconFileImport,
  IconVersions,
} from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'

interface CollectionPage {
  /** Address of the route. */
  to: string
  label: string
  icon: Icon
  /** People without it do not see the page. */
  needs: WorkspacePermission
}

/** Address of the collection itself. */
export const collectionAddress = '/w/$workspace/data/$collection'

/**
 * The pages of a collection, in the order of their tabs. A new page is one line here, and a route (routes.tsx). At the address of the
 * collection itself, each person sees the first page that they may see.
 */
export const collectionPages = [
  { to: collectionAddress, label: t('Documents'), icon: IconFile, needs: 'edit' },
  {
    to: `${collectionAddress}/fields`,
    label: t('Fields'),
    icon: IconColumns,
    needs: 'edit',
  },
  {
    to: `${collectionAddress}/synonyms`,
    label: t('Synonyms'),
    icon: IconArrowsExchange,
    needs: 'edit',
  },
  {
    to: `${collectionAddress}/import`,
    label: t('Import'),
    icon: IconFileImport,
    needs: 'import',
  },
  {
    to: `${collectionAddress}/generations`,
    label: t('Generations'),
    icon: IconVersions,
    needs: 'edit',
  },
] as const satisfies readonly CollectionPage[]

/** Those with an address of their own. */
export const namedCollectionPages = collectionPages.filter(({ to }) => to !== collectionAddress)
