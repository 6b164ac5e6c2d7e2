import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { writeSearchStack } from '#pages/try-it/search.ts'

interface FirstSearchProps {
  workspace: string
  api: string
  title: string
}

/** Searches the documents that were just imported, in "Try it". */
export const FirstSearch = ({ workspace, api, title }: FirstSearchProps) => {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const search = () =>
    navigate({
      to: '/w/$workspace/apis/$api',
      params: { workspace, api },
      search: {
        stack: writeSearchStack([
          { endpoint: 'search', parameters: [{ name: 'query', value: text.trim() }] },
        ]),
      },
    })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (text.trim() !== '') void search()
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          flex={1}
          label={t('Search {title}', { title })}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        <Button type="submit">{t('Search')}</Button>
      </Group>
    </form>
  )
}
