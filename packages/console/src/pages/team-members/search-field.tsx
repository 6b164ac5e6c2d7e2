import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/** So long nothing was typed when it is searched. */
const debounceMs = 300
const charactersMax = 254

/** Searches as one types; what is searched for stands in the address. */
export const SearchField = ({ search }: { search: string }) => {
  const navigate = useNavigate({ from: '/w/$workspace/settings/team-members' })
  const [text, setText] = useState(search)
  const sentSearch = useRef(search)
  const send = useDebouncedCallback((next: string) => {
    sentSearch.current = next
    void navigate({ search: next === '' ? {} : { search: next }, replace: true })
  }, debounceMs)
  // Where the address changed by itself, as by a link, the field follows.
  useEffect(() => {
    if (search === sentSearch.current) return
    sentSearch.current = search
    setText(search)
  }, [search])
  return (
    <TextInput
      type="search"
      label="Search"
      description="How an e-mail address or name begins, or a whole Client ID"
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
