import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import type { Answer } from './answer.ts'

/** The answer as the service sent it. */
export const JsonView = ({ reply }: Pick<Answer, 'reply'>) => (
  <CopyValue label={t('Response body')} value={JSON.stringify(reply, null, 2)} block />
)
