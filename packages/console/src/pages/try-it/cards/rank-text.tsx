import { Text } from '@mantine/core'
import { language, t } from '#i18n/translate.ts'

interface RankTextProps {
  rank: number
  /** Undefined if scores don't rank the results. */
  probability: number | undefined
}

/** The place of a result, and its score in percent of the best one. */
export const RankText = ({ rank, probability }: RankTextProps) =>
  probability === undefined ? (
    <Text size="xs" c="dimmed">
      {t('rank {rank}', { rank })}
    </Text>
  ) : (
    <Text
      size="xs"
      c="dimmed"
      title={t('Score divided by the best score: {score}', { score: String(probability) })}
    >
      {t('rank {rank} · relevance {percent}', { rank, percent: formatPercent(probability) })}
    </Text>
  )

const percentFormat = new Intl.NumberFormat(language, { style: 'percent' })
const smallPercentFormat = new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 1 })

/** A buried document has a share of almost nothing. */
const leastShare = 0.0001

/** `87%`, `0.04%` where whole percents would be 0, and `<0.01%` below. */
const formatPercent = (share: number): string => {
  if (share > 0 && share < leastShare) return `<${smallPercentFormat.format(leastShare)}`
  return (share < 0.01 ? smallPercentFormat : percentFormat).format(share)
}
