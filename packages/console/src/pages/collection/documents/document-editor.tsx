/** Edits a document by a form of the declared fields, or as JSON. */
import { Stack, Tabs, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { StoredDocument } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { describeJsonFault } from '#pages/collection/json-fault.ts'
import { DocumentForm } from './document-form.tsx'

export const writeJson = (document: StoredDocument): string => JSON.stringify(document, undefined, 2)

/** Returns the document, or a text that says what is wrong. */
export const readJson = (text: string): StoredDocument | string => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    return t('A document is a JSON object: { … }')
  } catch {
    return describeJsonFault(text) ?? t('A document is a JSON object: { … }')
  }
}

interface DocumentEditorProps {
  /** The document as JSON, which both tabs edit. */
  text: string
  onChange: (text: string) => void
  /** Whether the id is still to choose. */
  isNew?: boolean
  /** Refusal of the document, whose places are marked. */
  error?: unknown
}

export const DocumentEditor = ({ text, onChange, isNew = false, error }: DocumentEditorProps) => {
  const [tab, setTab] = useState<string | null>('form')
  const document = readJson(text)
  return (
    <Tabs value={tab} onChange={setTab} keepMounted={false}>
      <Tabs.List aria-label={t('Form or JSON')}>
        <Tabs.Tab value="form">{t('Form')}</Tabs.Tab>
        <Tabs.Tab value="json">JSON</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form" pt="md">
        {typeof document === 'string' ? (
          <Stack gap="xs">
            <Text size="sm">{t('The text is not JSON yet. Correct it in the tab JSON.')}</Text>
            <Text size="sm" c="red">
              {document}
            </Text>
          </Stack>
        ) : (
          <DocumentForm
            document={document}
            onChange={changed => onChange(writeJson(changed))}
            isNew={isNew}
            error={error}
          />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="json" pt="md">
        <Textarea
          label={t('Document as JSON')}
          value={text}
          onChange={event => onChange(event.currentTarget.value)}
          error={typeof document === 'string' ? document : undefined}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      </Tabs.Panel>
    </Tabs>
  )
}
