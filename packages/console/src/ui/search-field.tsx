import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'
import { useSearchText } from './use-search-text.ts'

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
  const [text, type] = useSearchText(search, next => {
    void navigate({ to: '.', search: next === '' ? {} : { search: next }, replace: true })
  })
  return (
    <TextInput
      type="search"
      label={t('Search')}
      placeholder={placeholder}
      maxLength={charactersMax}
      maw={400}
      value={text}
      onChange={event => type(event.currentTarget.value)}
    />
  )
}
