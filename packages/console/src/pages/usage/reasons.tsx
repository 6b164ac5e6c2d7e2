/** Counts by reason, such as the failed check of refused requests. */
import { Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { formatNumber } from './formats.ts'

interface ReasonsProps {
  caption: string
  heading: string
  reasons: readonly { reason: string; count: number }[]
  /** Reasons in words. Others are shown as they are. */
  labels?: Readonly<Record<string, string>>
}

export const Reasons = ({ caption, heading, reasons, labels = {} }: ReasonsProps) =>
  reasons.length > 0 && (
    <>
      <Text size="sm" fw={600}>
        {caption}
      </Text>
      <DataTable
        caption={caption}
        rows={reasons}
        isCompact
        rowKey={({ reason }) => reason}
        columns={[
          { heading, cell: ({ reason }) => labels[reason] ?? reason },
          { heading: t('Count'), cell: ({ count }) => formatNumber(count) },
        ]}
      />
    </>
  )
