import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { t } from '#i18n/translate.ts'

/** Pause in typing before a search starts. */
const debounceMs = 300
const charactersMax = 254

interface SearchFieldProps {
  /** The search in the address. */
  search: string
  /** Names what a search matches. */
  placeholder: string
}

/** Searches while the person types, and stores the search in the address of the page as `search`. */
export const SearchField = ({ search, placeholder }: SearchFieldProps) => {
  const navigate = useNavigate()
  const [text, setText] = useState(search)
  const sentSearch = useRef(search)
  const send = useDebouncedCallback((next: string) => {
    sentSearch.current = next
    void navigate({ to: '.', search: next === '' ? {} : { search: next }, replace: true })
  }, debounceMs)
  // The field follows the address, for example after a link.
  useEffect(() => {
    if (search === sentSearch.current) return
    sentSearch.current = search
    setText(search)
  }, [search])
  return (
    <TextInput
      type="search"
      label={t('Search')}
      placeholder={placeholder}
      maxLength={charactersMax}
      maw={400}
      value={text}
      onChange={event => {
        setText(event.currentTarget.value)
        send(event.currentTarget.value.trim())
      }}
    />
  )
}
