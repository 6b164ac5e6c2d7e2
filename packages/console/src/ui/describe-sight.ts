import { t } from '#i18n/translate.ts'

/** Says who sees a field, besides administrators (workspace-file.md, `visible`). Undefined: everybody who sees the document. */
export const describeSight = (visible: readonly string[] | undefined): string => {
  if (visible === undefined) return t('everybody')
  return visible.length === 0 ? t('administrators') : visible.join(', ')
}
