import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/** Pause in typing before a search starts. */
const debounceMs = 300
const charactersMax = 254

/** Searches while the person types, and stores the search in the address. */
export const SearchField = ({ search }: { search: string }) => {
  const navigate = useNavigate({ from: '/w/$workspace/settings/team-members' })
  const [text, setText] = useState(search)
  const sentSearch = useRef(search)
  const send = useDebouncedCallback((next: string) => {
    sentSearch.current = next
    void navigate({ search: next === '' ? {} : { search: next }, replace: true })
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
      label="Search"
      placeholder="Search by e-mail, name or Client ID"
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
