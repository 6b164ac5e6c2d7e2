import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { Page } from '#ui/page.tsx'
import { PhoneFold, useIsPhone } from '#ui/phone-fold.tsx'
import { AuditFilter } from './filter.tsx'
import type { AuditSearch } from './search.ts'

interface AuditPageProps {
  /** Undefined for the log of the server. */
  workspace: string | undefined
  description: string
  search: AuditSearch
  onApply: (search: AuditSearch) => void
  /** The entries, with the error of a failed export. */
  children: (exportError: Error | null) => ReactNode
}

/** The frame of an audit log: its filter, and its export. */
export const AuditPage = ({ workspace, description, search, onApply, children }: AuditPageProps) => {
  const exporting = useMutation({
    mutationFn: async () => {
      const { saveAsCsv } = await import('./export.ts')
      return saveAsCsv(workspace, search)
    },
  })
  const isPhone = useIsPhone()
  const exportButton = (
    <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
      {t('Export as CSV')}
    </Button>
  )
  return (
    <Page title={t('Audit log')} description={description} action={!isPhone && exportButton}>
      <PhoneFold isFiltered={Object.keys(search).length > 0} actions={exportButton}>
        <AuditFilter key={JSON.stringify(search)} search={search} onApply={onApply} />
      </PhoneFold>
      {children(exporting.error)}
    </Page>
  )
}
