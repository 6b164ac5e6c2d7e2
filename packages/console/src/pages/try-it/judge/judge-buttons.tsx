import { ActionIcon, Group } from '@mantine/core'
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import { badGrade, goodGrade } from './judgments.ts'

interface JudgeButtonsProps {
  /** Heading of the result. */
  title: string
  /** Undefined: not judged. */
  grade: number | undefined
  onJudge: (grade: number | undefined) => void
}

/** Good or bad; a second click takes it back. */
export const JudgeButtons = ({ title, grade, onJudge }: JudgeButtonsProps) => {
  const isGood = grade !== undefined && grade > 0
  const isBad = grade === badGrade
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant={isGood ? 'filled' : 'subtle'}
        color={isGood ? 'green.9' : 'gray'}
        aria-pressed={isGood}
        aria-label={t('Good result: {title}', { title })}
        title={t('Good result')}
        onClick={() => onJudge(isGood ? undefined : goodGrade)}
      >
        <IconThumbUp size={18} />
      </ActionIcon>
      <ActionIcon
        variant={isBad ? 'filled' : 'subtle'}
        color={isBad ? 'red.9' : 'gray'}
        aria-pressed={isBad}
        aria-label={t('Bad result: {title}', { title })}
        title={t('Bad result')}
        onClick={() => onJudge(isBad ? undefined : badGrade)}
      >
        <IconThumbDown size={18} />
      </ActionIcon>
    </Group>
  )
}
