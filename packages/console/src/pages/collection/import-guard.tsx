import { t } from '#i18n/translate.ts'
import { LeaveGuard } from '#ui/unsaved-changes.tsx'
import type { RunningImport } from './use-import.ts'

interface ImportGuardProps {
  underway: RunningImport
  /** Path below which the import goes on; by default only the path of the page. */
  within?: string
}

/** Asks before somebody leaves the page that imports. */
export const ImportGuard = ({ underway, within }: ImportGuardProps) => (
  <LeaveGuard
    isBlocking
    {...(within === undefined ? {} : { within })}
    question={t('Leave while the import runs?')}
    leave={t('Cancel the import and leave')}
  >
    {underway.isAtomic
      ? t('Leaving cancels the import and keeps no documents.')
      : t('Leaving cancels the import. Documents that are already imported stay.')}
  </LeaveGuard>
)
