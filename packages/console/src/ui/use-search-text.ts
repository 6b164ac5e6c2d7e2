import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

/** Pause in typing before a search starts. */
const debounceMs = 300

/**
 * The text of a search field that searches while the person types. `search` is the search in the address, which the text follows, for
 * example after a link; `onSearch` gets the trimmed text.
 */
export const useSearchText = (search: string, onSearch: (search: string) => void) => {
  const [text, setText] = useState(search)
  const sentSearch = useRef(search)
  const send = useDebouncedCallback((next: string) => {
    sentSearch.current = next
    onSearch(next)
  }, debounceMs)
  useEffect(() => {
    if (search === sentSearch.current) return
    sentSearch.current = search
    setText(search)
  }, [search])
  const type = (next: string) => {
    setText(next)
    send(next.trim())
  }
  return [text, type] as const
}
