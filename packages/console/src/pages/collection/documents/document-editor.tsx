import { Textarea } from '@mantine/core'
import type { StoredDocument } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'

export const writeJson = (document: StoredDocument): string => JSON.stringify(document, undefined, 2)

/** Returns the document, or a text that says what is wrong. */
export const readJson = (text: string): StoredDocument | string => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    return t('A document is a JSON object: { … }')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface DocumentEditorProps {
  text: string
  onChange: (text: string) => void
}

/** Edits a document as JSON, and says at once where the text is not JSON. */
export const DocumentEditor = ({ text, onChange }: DocumentEditorProps) => {
  const read = readJson(text)
  return (
    <Textarea
      label={t('Document as JSON')}
      value={text}
      onChange={event => onChange(event.currentTarget.value)}
      error={typeof read === 'string' ? read : undefined}
      autosize
      minRows={8}
      maxRows={24}
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      data-autofocus
    />
  )
}
